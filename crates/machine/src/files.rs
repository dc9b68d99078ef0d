//! The sources of facts: small text files of the operating system, which may be missing or malformed.
//!
//! Nothing here panics or fails: an unreadable or malformed file is an unknown fact. The readers take [`Files`], so
//! that tests can replace any file.

use std::path::Path;

/// A source of files, which returns the text of one, or `None` if it is missing.
pub(crate) trait Files {
    /// Returns the text at `path`, with bytes that are not UTF-8 replaced.
    fn text(&self, path: &Path) -> Option<String>;

    /// Returns the text at `path` without white space and zero bytes around it; `None` if it is empty.
    fn line(&self, path: impl AsRef<Path>) -> Option<String> {
        let text = self.text(path.as_ref())?;
        let line = text.trim_matches(|c: char| c == '\0' || c.is_whitespace());
        (!line.is_empty()).then(|| line.to_owned())
    }

    /// Returns the text at `path` as a number.
    fn number(&self, path: impl AsRef<Path>) -> Option<u64> {
        self.line(path)?.parse().ok()
    }
}

/// The files of this machine.
pub(crate) struct Here;

impl Files for Here {
    fn text(&self, path: &Path) -> Option<String> {
        Some(String::from_utf8_lossy(&std::fs::read(path).ok()?).into_owned())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Files that exist only in a test.
    pub(crate) struct Made(HashMap<&'static str, &'static str>);

    impl Files for Made {
        fn text(&self, path: &Path) -> Option<String> {
            self.0.get(path.to_str()?).map(|text| (*text).to_owned())
        }
    }

    pub(crate) fn made<const N: usize>(files: [(&'static str, &'static str); N]) -> Made {
        Made(HashMap::from(files))
    }
}

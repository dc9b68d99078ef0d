//! The sources of facts: small text files of the operating system, which may be missing or malformed.
//!
//! Nothing here panics or fails: an unreadable or malformed file is an unknown fact. The readers take [`Files`], so
//! that tests can replace any file.

use std::io::Read;
use std::path::Path;

/// Maximum number of bytes that are read; no file here is longer.
const LONGEST: u64 = 1 << 20;

/// A source of files, which returns the text of one, or `None` if it is missing.
pub(crate) trait Files {
    /// Returns the text at `path`, with bytes that are not UTF-8 replaced.
    fn text(&self, path: &Path) -> Option<String>;

    /// Returns the text at `path` without white space around it; `None` if it is empty.
    fn line(&self, path: impl AsRef<Path>) -> Option<String> {
        let text = self.text(path.as_ref())?;
        let line = text.trim();
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
        let mut bytes = Vec::new();
        std::fs::File::open(path).ok()?.take(LONGEST).read_to_end(&mut bytes).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
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
            let path = path.to_str()?.replace(std::path::MAIN_SEPARATOR, "/");
            self.0.get(path.as_str()).map(|s| (*s).to_owned())
        }
    }

    pub(crate) fn made<const N: usize>(files: [(&'static str, &'static str); N]) -> Made {
        Made(HashMap::from(files))
    }

    #[test]
    fn numbers_and_lines() {
        let files = made([("/a", " 12\n"), ("/b", ""), ("/c", "12 kB"), ("/d", "99999999999999999999")]);
        assert_eq!(files.number("/a"), Some(12));
        for odd in ["/b", "/c", "/d", "/e"] {
            assert_eq!(files.number(odd), None);
        }
        assert_eq!(files.line("/c").as_deref(), Some("12 kB"));
        assert_eq!(files.line("/b"), None);
        assert_eq!(Here.text(Path::new("/")), None);
    }
}

//! Files that reports are written to, and the marks by which a later report knows them.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use parcrypt_lab::{write_derived, write_new};

/// Content of the `generator` of a page of HTML.
pub(crate) const GENERATOR: &str = "Parcrypt";
/// First line of a page in Markdown.
pub(crate) const GENERATED: &str =
    "<!-- Written by `parlab report --markdown` from the records: edits are lost. -->\n\n";
/// Length of the part of a page or figure in which its mark is.
const HEAD: u64 = 16 << 10;

/// Error of [`write()`](crate::write()).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum WriteError {
    #[error("{path}: already exists and is not a report: name another, or remove it", path = path.display())]
    Exists { path: PathBuf },
    #[error("{path}: already exists and is not a file", path = path.display())]
    NotAFile { path: PathBuf },
    #[error("{path}: cannot be written: {source}", path = path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("two of these records would both be written as {path}: rename one, or take fewer at once", path = path.display())]
    SameName { path: PathBuf },
}

/// Checks that a report may be written to `path`, and returns whether there is one that it replaces.
pub(crate) fn may_write(path: &Path) -> Result<bool, WriteError> {
    let io = |source| WriteError::Io { path: path.to_owned(), source };
    let found = match std::fs::symlink_metadata(path) {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(io(error)),
    };
    match found.is_file() {
        true if has_mark(path).map_err(io)? => Ok(true),
        false if !found.is_symlink() => Err(WriteError::NotAFile { path: path.to_owned() }),
        // A link has no mark, whatever it leads to.
        _ => Err(WriteError::Exists { path: path.to_owned() }),
    }
}

/// Writes a report under a temporary name and renames it, so that a reader never sees a part of it. What was there is
/// unchanged after an error.
pub(crate) fn write_report(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    // A file that another process makes after the check is not replaced either.
    let write = if may_write(path)? { write_derived } else { write_new };
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    made.and_then(|()| write(path, bytes)).map_err(|source| match source.kind() {
        ErrorKind::AlreadyExists => WriteError::Exists { path: path.to_owned() },
        _ => WriteError::Io { path: path.to_owned(), source },
    })
}

/// Returns whether a file has the mark of a report.
fn has_mark(path: &Path) -> io::Result<bool> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    let contains = |mark: &str| head.windows(mark.len()).any(|part| part == mark.as_bytes());
    let html = format!("<meta name=\"generator\" content=\"{GENERATOR}\">");
    // The rules of a figure's colours come right after its title, with a class that has no other use.
    let svg = "</title><style>.f-paper{fill:#";
    Ok(match &head {
        _ if head.starts_with(b"<!DOCTYPE html>") => contains(&html),
        _ if head.starts_with(b"<svg xmlns=") => contains(svg),
        _ => head.starts_with(GENERATED.trim_end().as_bytes()),
    })
}

/// Returns the name of a file without its folder.
pub(crate) fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

/// Returns the name of a record's file without its folder, `.json` and `.json.gz`.
pub fn stem(path: &Path) -> String {
    let name = file_name(path);
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.strip_suffix(".json").unwrap_or(name).to_owned()
}

/// Returns the path of a file from the folder of a page.
pub(crate) fn from_folder_of(page: &Path, file: &Path) -> String {
    let absolute = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (page, file) = (absolute(page), absolute(file));
    let from: Vec<_> = page.parent().unwrap_or(Path::new("")).components().collect();
    let to: Vec<_> = file.components().collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n(Path::new(".."), from.len() - common);
    let path: PathBuf = up.chain(to[common..].iter().map(AsRef::as_ref)).collect();
    path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_leads_to_its_record() {
        let from = |page: &str, file: &str| from_folder_of(Path::new(page), Path::new(file));
        assert_eq!(from("r/a.html", "r/a.json"), "a.json");
        assert_eq!(from("all.html", "r/a.json.gz"), "r/a.json.gz");
        assert_eq!(from("pages/index.html", "./r/a.json"), "../r/a.json");
        assert_eq!(from("/x/pages/index.html", "/x/r/a.json"), "../r/a.json");
    }
}

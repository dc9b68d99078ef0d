//! The inputs of a job: the files and the files in the folders of the command line, in a fixed order.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use parcrypt_kzg::BYTES_PER_BLOB;

use super::store::{SUFFIXES, result_path};
use super::{input, shown};
use crate::error::CommandError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    Blobs,
    /// `NAME.cells`: a file with all cells of a blob, or a folder with a file for each of some cells.
    Cells,
    Openings,
}

impl Want {
    /// Returns the noun for inputs of this kind, in the singular for one.
    pub(super) fn noun(self, count: usize) -> &'static str {
        match (self, count) {
            (Want::Blobs, 1) => "blob",
            (Want::Blobs, _) => "blobs",
            (Want::Cells, 1) => "set of cells",
            (Want::Cells, _) => "sets of cells",
            (Want::Openings, 1) => "opening",
            (Want::Openings, _) => "openings",
        }
    }

    fn suffix(self) -> &'static str {
        match self {
            Want::Blobs => "",
            Want::Cells => ".cells",
            Want::Openings => ".opening",
        }
    }

    /// Returns whether a file or a folder of cells with this name is an input of this kind. Results are no blobs.
    fn fits(self, name: &OsStr) -> bool {
        ends(name, self.suffix())
            && (self != Want::Blobs || !SUFFIXES.iter().any(|suffix| ends(name, suffix)))
    }
}

#[derive(Debug)]
pub(super) struct Entry {
    /// The path; `-` is standard input.
    pub(super) path: PathBuf,
    /// The stem of its results: its path below the folder of the command line, or its file name, without `.cells` or
    /// `.opening`.
    pub(super) name: PathBuf,
    pub(super) bad: Option<String>,
}

impl Entry {
    pub(super) fn is_stdin(&self) -> bool {
        self.path.as_os_str() == "-"
    }
}

#[derive(Debug)]
pub(super) struct Found {
    pub(super) want: Want,
    /// All inputs, in the order of the command line, and sorted by name within each folder.
    pub(super) entries: Vec<Entry>,
    pub(super) notes: Vec<String>,
    texts: Vec<PathBuf>,
    /// The folder of results. If they look like inputs, it is skipped below every folder, whatever path names it.
    out: Option<PathBuf>,
}

/// Returns the warning that some files were not read, and why.
pub(super) fn not_read(files: &[PathBuf], why: &str) -> Option<String> {
    let names: Vec<String> = files.iter().take(3).map(|file| shown(file)).collect();
    let more = match files.len() - names.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    (!files.is_empty()).then(|| format!("warning: {}{more}: not read: {why}", names.join(", ")))
}

impl Found {
    /// Returns the inputs at these paths. Folders are read recursively, sorted by the bytes of the names, without
    /// following links to folders. In folders, names that begin with a dot, the results of this command, the folder
    /// `out` of results, if they look like inputs, and texts that are no blobs are skipped.
    /// A file or folder that cannot be read is an entry with its error.
    pub(super) fn new(paths: &[PathBuf], want: Want, out: Option<&Path>) -> Result<Self, CommandError> {
        // A folder that does not exist yet is empty.
        let out = out.and_then(|out| fs::canonicalize(out).ok());
        let mut found = Found { want, entries: Vec::new(), notes: Vec::new(), texts: Vec::new(), out };
        paths.iter().for_each(|path| found.named(path));
        if want != Want::Blobs && found.entries.iter().any(Entry::is_stdin) {
            return Err(CommandError::new("standard input is not supported here: give files and folders"));
        }
        let (mut seen, before) = (HashSet::new(), found.entries.len());
        found.entries.retain(|entry| seen.insert(entry.path.clone()));
        if found.entries.len() < before {
            found.notes.push("note: inputs that were given more than once are read only once".to_owned());
        }
        let blob =
            format!("a blob has {BYTES_PER_BLOB} bytes raw, or {} hexadecimal digits", 2 * BYTES_PER_BLOB);
        found.notes.extend(not_read(&found.texts, &blob));
        Ok(found)
    }

    /// Returns whether a file in a folder is a text and no blob. Only a blob has results.
    fn is_text(&self, path: &Path, name: &Path) -> bool {
        let entry = Entry { path: path.to_owned(), name: name.to_owned(), bad: None };
        let result = |suffix: &&str| result_path(self.out.as_deref(), &entry, suffix);
        let is_result = |path: PathBuf| path.exists();
        self.want == Want::Blobs && input::is_text(path) && !SUFFIXES.iter().filter_map(result).any(is_result)
    }

    fn push(&mut self, path: PathBuf, name: PathBuf) {
        let name = if self.want == Want::Blobs { name } else { name.with_extension("") };
        self.entries.push(Entry { path, name, bad: None });
    }

    fn push_bad(&mut self, path: &Path, why: impl ToString) {
        self.entries.push(Entry { path: path.to_owned(), name: PathBuf::new(), bad: Some(why.to_string()) });
    }

    fn named(&mut self, path: &Path) {
        let name = path.file_name().unwrap_or_default();
        if path.as_os_str() == "-" {
            return self.push(path.to_owned(), "stdin".into());
        }
        let info = match fs::metadata(path) {
            Ok(info) => info,
            Err(error) => return self.push_bad(path, error),
        };
        if self.want.fits(name) && (!info.is_dir() || self.want == Want::Cells) {
            return self.push(path.to_owned(), name.into());
        }
        if info.is_dir() {
            let before = self.entries.len();
            self.walk(path, Path::new(""));
            if self.entries.len() == before {
                let name = if self.want == Want::Blobs { "" } else { ": no NAME" };
                let (what, suffix) = (self.want.noun(1), self.want.suffix());
                self.push_bad(path, format!("contains no {what}{name}{suffix}"));
            }
            return;
        }
        let why = match self.want {
            Want::Blobs => {
                "it has the name of a result of this command, not of a blob: rename it if it is one"
            }
            Want::Cells => "not a set of cells, which is a file or a folder NAME.cells",
            Want::Openings => {
                "not an opening, which is a file NAME.opening, written by `parcrypt kzg prove --z`"
            }
        };
        self.push_bad(path, why);
    }

    /// Adds the inputs in the folder `name` below `top`.
    fn walk(&mut self, top: &Path, name: &Path) {
        let folder = if name.as_os_str().is_empty() { top.to_owned() } else { top.join(name) };
        let names = |files: fs::ReadDir| files.map(|file| Ok(file?.file_name())).collect();
        let mut files: Vec<OsString> = match fs::read_dir(&folder).and_then(names) {
            Ok(files) => files,
            Err(error) => return self.push_bad(&folder, error),
        };
        files.retain(|file| !file.as_encoded_bytes().starts_with(b"."));
        files.sort_unstable_by(|a, b| a.as_encoded_bytes().cmp(b.as_encoded_bytes()));
        for file in files {
            let (path, name, fits) = (folder.join(&file), name.join(&file), self.want.fits(&file));
            let info = match fs::metadata(&path) {
                Ok(info) => info,
                Err(error) => {
                    self.push_bad(&path, error);
                    continue;
                }
            };
            let mut skip = |why: &str| self.notes.push(format!("note: {}: skipped: {why}", shown(&path)));
            match info.is_dir() {
                // A link to a file is a file; a link to a folder may lead to a loop.
                true if path.is_symlink() => {
                    skip("symbolic link to a directory (pass it explicitly to include it)")
                }
                true if self.want == Want::Cells
                    && self.out.is_some()
                    && self.out == fs::canonicalize(&path).ok() =>
                {
                    skip("the folder of --out")
                }
                true if ends(&file, ".cells") => {
                    if self.want == Want::Cells {
                        self.push(path, name);
                    }
                }
                true => self.walk(top, &name),
                false if !info.is_file() => skip("neither a file nor a folder"),
                false if fits && info.len() != BYTES_PER_BLOB as u64 && self.is_text(&path, &name) => {
                    self.texts.push(path)
                }
                false if fits => self.push(path, name),
                false => {}
            }
        }
    }
}

fn ends(name: &OsStr, suffix: &str) -> bool {
    name.as_encoded_bytes().ends_with(suffix.as_bytes())
}

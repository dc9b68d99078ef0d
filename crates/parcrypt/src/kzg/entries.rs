//! The inputs of a job: the files and the files in the folders of the command line, in a fixed order.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::results::SUFFIXES;
use super::shown;
use crate::error::CommandError;
use crate::system::{self, Id};

/// Kind of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// A file with a blob.
    Blobs,
    /// `NAME.cells`: a file with all cells of a blob, or a folder with a file for each of some cells.
    Cells,
    /// `NAME.opening`, written by `prove --z`.
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

    /// Returns the suffix of the names of this kind.
    fn suffix(self) -> Option<&'static str> {
        match self {
            Want::Blobs => None,
            Want::Cells => Some(".cells"),
            Want::Openings => Some(".opening"),
        }
    }
}

/// One input.
#[derive(Debug)]
pub(super) struct Entry {
    /// The path; `-` is standard input.
    pub(super) path: PathBuf,
    /// The stem of its results: its path below the folder of the command line, or its file name, without `.cells` or
    /// `.opening`.
    pub(super) name: PathBuf,
    /// Whether the input is standard input.
    pub(super) stdin: bool,
    /// Reason why the input cannot be read.
    pub(super) bad: Option<String>,
}

impl Entry {
    fn new(path: PathBuf, name: PathBuf, want: Want) -> Self {
        let name = match want.suffix() {
            Some(suffix) => cut(&name, suffix),
            None => name,
        };
        Entry { path, name, stdin: false, bad: None }
    }

    fn bad(path: PathBuf, why: String) -> Self {
        Entry { name: PathBuf::new(), path, stdin: false, bad: Some(why) }
    }
}

/// The inputs that were found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// All inputs, in the order of the command line, and sorted by name within each folder.
    pub(super) entries: Vec<Entry>,
    /// Notes on skipped files.
    pub(super) notes: Vec<String>,
}

/// Returns the inputs at these paths. Folders are read recursively, sorted by the bytes of the names, without following
/// links to folders. In folders, names that begin with a dot and the results of this command are skipped.
///
/// # Errors
/// Standard input is named twice. A file or folder that cannot be read is an entry with its error.
pub(super) fn find(paths: &[PathBuf], want: Want) -> Result<Found, CommandError> {
    find_outside(paths, want, None)
}

/// [`find`] for a job whose results look like its inputs: the folder of its results is skipped below every folder,
/// whatever path names it.
pub(super) fn find_outside(paths: &[PathBuf], want: Want, out: Option<&Path>) -> Result<Found, CommandError> {
    // A folder that does not exist yet is empty.
    let out = out.and_then(system::id);
    let mut found = Found::default();
    for path in paths {
        if path.as_os_str() == "-" {
            if want != Want::Blobs {
                return Err(CommandError::new(
                    "standard input is not supported here: give files and folders",
                ));
            }
            let name = PathBuf::from("stdin");
            found.entries.push(Entry { path: path.clone(), name, stdin: true, bad: None });
        } else {
            named(path, want, out.as_ref(), &mut found);
        }
    }
    if found.entries.iter().filter(|entry| entry.stdin).count() > 1 {
        return Err(CommandError::new("`-` is given twice, but standard input can be read only once"));
    }
    once(&mut found);
    Ok(found)
}

/// Adds the inputs of a path of the command line.
fn named(path: &Path, want: Want, out: Option<&Id>, found: &mut Found) {
    let info = match fs::metadata(path) {
        Ok(info) => info,
        Err(error) => return found.entries.push(Entry::bad(path.to_owned(), error.to_string())),
    };
    let name = PathBuf::from(path.file_name().unwrap_or_default());
    let fits = want.suffix().is_none_or(|suffix| ends(name.as_os_str(), suffix));
    if info.is_dir() && !(want == Want::Cells && fits) {
        return walk(path, want, out, found);
    }
    let result = SUFFIXES.iter().find(|suffix| ends(name.as_os_str(), suffix));
    let why = match (want, result) {
        (Want::Blobs, Some(suffix)) => {
            format!("a file NAME{suffix} is a result of this command, not a blob: rename it if it is one")
        }
        (Want::Cells, _) if !fits => "not a set of cells, which is a file or a folder NAME.cells".to_owned(),
        (Want::Openings, _) if !fits => {
            "not an opening, which is a file NAME.opening, written by `parcrypt kzg prove --z`".to_owned()
        }
        _ => return found.entries.push(Entry::new(path.to_owned(), name, want)),
    };
    found.entries.push(Entry::bad(path.to_owned(), why));
}

/// Appends all inputs below a folder, except those in the folder of results.
fn walk(top: &Path, want: Want, out: Option<&Id>, found: &mut Found) {
    let before = found.entries.len();
    let mut passed = 0usize;
    let mut left = vec![PathBuf::new()];
    while let Some(name) = left.pop() {
        let inside = !name.as_os_str().is_empty();
        let path = if inside { top.join(&name) } else { top.to_owned() };
        let kind = fs::symlink_metadata(&path).and_then(|info| match info.is_symlink() {
            true => fs::metadata(&path).map(|target| (target, inside)),
            false => Ok((info, false)),
        });
        // A link to a file is a file; a link to a folder may lead to a loop.
        let (info, link) = match kind {
            Ok(kind) => kind,
            Err(error) => {
                found.entries.push(Entry::bad(path, error.to_string()));
                continue;
            }
        };
        let file = name.file_name().unwrap_or_default();
        let fits = want.suffix().is_none_or(|suffix| ends(file, suffix));
        if info.is_dir() && link {
            found.notes.push(format!(
                "{}: skipped: symbolic link to a directory (pass it explicitly to include it)",
                shown(&path)
            ));
        } else if info.is_dir() && inside && out.is_some() && out == system::id(&path).as_ref() {
            found.notes.push(format!("{}: skipped: the folder of --out", shown(&path)));
        } else if info.is_dir() && inside && want == Want::Cells && fits {
            found.entries.push(Entry::new(path, name, want));
        } else if info.is_dir() && inside && ends(file, ".cells") {
            passed += 1;
        } else if info.is_dir() {
            match folder(&path) {
                Ok((names, hidden)) => {
                    passed += hidden;
                    left.extend(names.iter().rev().map(|file| name.join(file)));
                }
                Err(error) => found.entries.push(Entry::bad(path, error.to_string())),
            }
        } else if !info.is_file() {
            found.notes.push(format!("{}: skipped: neither a file nor a folder", shown(&path)));
        } else if want == Want::Blobs && SUFFIXES.iter().any(|suffix| ends(file, suffix)) || !fits {
            passed += 1;
        } else {
            found.entries.push(Entry::new(path, name, want));
        }
    }
    if found.entries.len() == before {
        let why = match (want.suffix(), passed) {
            (_, 0) => format!("contains no {}", want.noun(1)),
            (None, n) => format!(
                "contains no blob: {n} {} begin with a dot or end like results of this command",
                if n == 1 { "name" } else { "names" }
            ),
            (Some(suffix), _) => format!("contains no {}: no NAME{suffix}", want.noun(1)),
        };
        found.entries.push(Entry::bad(top.to_owned(), why));
    }
}

/// Returns the sorted names in a folder that do not begin with a dot, and the number of the others.
fn folder(path: &Path) -> std::io::Result<(Vec<std::ffi::OsString>, usize)> {
    let mut names = Vec::new();
    let mut hidden = 0;
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name();
        if name.as_encoded_bytes().starts_with(b".") { hidden += 1 } else { names.push(name) }
    }
    names.sort_unstable_by(|a, b| a.as_encoded_bytes().cmp(b.as_encoded_bytes()));
    Ok((names, hidden))
}

/// Removes duplicates.
fn once(found: &mut Found) {
    let mut seen = HashSet::new();
    let again: Vec<bool> = found.entries.iter().map(|entry| !seen.insert(&entry.path)).collect();
    let count = again.iter().filter(|again| **again).count();
    if count > 0 {
        let mut again = again.into_iter();
        found.entries.retain(|_| again.next() == Some(false));
        let inputs = if count == 1 { "1 input was" } else { &format!("{count} inputs were") };
        found.notes.push(format!("{inputs} given more than once and will be read only once"));
    }
}

/// Returns whether a file's name has this suffix.
pub(super) fn ends(name: &OsStr, suffix: &str) -> bool {
    name.as_encoded_bytes().ends_with(suffix.as_bytes())
}

/// Returns a path without this suffix of its name, which begins with a dot and has no other.
fn cut(path: &Path, suffix: &str) -> PathBuf {
    if ends(path.as_os_str(), suffix) { path.with_extension("") } else { path.to_owned() }
}

//! Which inputs there are: the files that were named, and those in the folders that were named, in a fixed order.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::results::SUFFIXES;
use super::shown;
use crate::error::CommandError;

/// What a command reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Want {
    /// Files that hold a blob.
    Blobs,
    /// `NAME.cells`: a file with all cells of a blob, or a folder with a file for each of some cells.
    Cells,
    /// `NAME.opening`: what `prove --z` has written.
    Openings,
}

impl Want {
    /// What an input of this kind is called, one and many.
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

    /// What its name ends in.
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
    /// Where it is; `-` is standard input.
    pub(super) path: PathBuf,
    /// The stem of its results: its place below the folder that was named, or its file name. Without `.cells` or
    /// `.opening`.
    pub(super) name: PathBuf,
    /// Whether it is standard input.
    pub(super) stdin: bool,
    /// Why it cannot be taken.
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

/// What a walk has found.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// All inputs: in the order in which they were named, and sorted by name within each folder.
    pub(super) entries: Vec<Entry>,
    /// What was passed over, and why.
    pub(super) notes: Vec<String>,
}

/// Looks up what was named. Each folder is read to its bottom, sorted by the bytes of the names; links to folders in it
/// are not followed, so that no loop can be walked. In folders, names that begin with a dot and what this command writes
/// are passed over.
///
/// # Errors
/// Where standard input is named twice. What is wrong with single files and folders is an entry of its own.
pub(super) fn find(paths: &[PathBuf], want: Want) -> Result<Found, CommandError> {
    find_outside(paths, want, None)
}

/// [`find`] for a job whose results look like its inputs: the folder of its results is passed over wherever it is met
/// below a folder that was named, by whatever path it is named itself.
///
/// # Errors
/// As for [`find`].
pub(super) fn find_outside(paths: &[PathBuf], want: Want, out: Option<&Path>) -> Result<Found, CommandError> {
    // A folder that is not there yet holds nothing.
    let out = out.and_then(|out| fs::metadata(out).ok()).map(|info| (info.dev(), info.ino()));
    let mut found = Found::default();
    for path in paths {
        if path.as_os_str() == "-" {
            if want != Want::Blobs {
                return Err(CommandError::new("standard input cannot be taken here: name files and folders"));
            }
            let name = PathBuf::from("stdin");
            found.entries.push(Entry { path: path.clone(), name, stdin: true, bad: None });
        } else {
            named(path, want, out, &mut found);
        }
    }
    if found.entries.iter().filter(|entry| entry.stdin).count() > 1 {
        return Err(CommandError::new("`-` is named twice, but standard input can be read only once"));
    }
    once(&mut found);
    Ok(found)
}

/// What makes a folder the same by another path: its device and its number there.
type Id = (u64, u64);

/// A path that the user has named.
fn named(path: &Path, want: Want, out: Option<Id>, found: &mut Found) {
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
        (Want::Blobs, Some(suffix)) => format!(
            "a name that ends in `{suffix}` is that of a result of this command, not of a blob: rename it if it is one"
        ),
        (Want::Cells, _) if !fits => {
            "not a set of cells: that is called NAME.cells, and is a file or a folder".to_owned()
        }
        (Want::Openings, _) if !fits => {
            "not an opening: that is a file called NAME.opening, which `parcrypt kzg prove --z` writes"
                .to_owned()
        }
        _ => return found.entries.push(Entry::new(path.to_owned(), name, want)),
    };
    found.entries.push(Entry::bad(path.to_owned(), why));
}

/// All inputs below a folder, but for those in the folder of results.
fn walk(top: &Path, want: Want, out: Option<Id>, found: &mut Found) {
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
        // A link to a file is a file; a link to a folder may lead back to where the walk has been.
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
                "{}: passed over: a link to a folder; name it in the command to have it read",
                shown(&path)
            ));
        } else if info.is_dir() && inside && out == Some((info.dev(), info.ino())) {
            found.notes.push(format!("{}: passed over: the folder of --out", shown(&path)));
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
            found.notes.push(format!("{}: passed over: neither a file nor a folder", shown(&path)));
        } else if want == Want::Blobs && SUFFIXES.iter().any(|suffix| ends(file, suffix)) || !fits {
            passed += 1;
        } else {
            found.entries.push(Entry::new(path, name, want));
        }
    }
    if found.entries.len() == before {
        let why = match (want.suffix(), passed) {
            (_, 0) => format!("holds no {}", want.noun(1)),
            (None, n) => format!(
                "holds no blob: {n} {} in it begin with a dot or end as results of this command do",
                if n == 1 { "name" } else { "names" }
            ),
            (Some(suffix), _) => format!("holds no {}: nothing in it is called NAME{suffix}", want.noun(1)),
        };
        found.entries.push(Entry::bad(top.to_owned(), why));
    }
}

/// The names in a folder, sorted, without those that begin with a dot, which are counted.
fn folder(path: &Path) -> std::io::Result<(Vec<std::ffi::OsString>, usize)> {
    let mut names = Vec::new();
    let mut hidden = 0;
    for entry in fs::read_dir(path)? {
        let name = entry?.file_name();
        if name.as_bytes().starts_with(b".") { hidden += 1 } else { names.push(name) }
    }
    names.sort_unstable_by(|a, b| a.as_bytes().cmp(b.as_bytes()));
    Ok((names, hidden))
}

/// Takes away what was named twice.
fn once(found: &mut Found) {
    let mut order: Vec<usize> = (0..found.entries.len()).collect();
    order.sort_by(|a, b| found.entries[*a].path.cmp(&found.entries[*b].path).then(a.cmp(b)));
    let mut again = vec![false; found.entries.len()];
    for pair in order.windows(2) {
        if found.entries[pair[0]].path == found.entries[pair[1]].path {
            again[pair[1]] = true;
        }
    }
    let count = again.iter().filter(|again| **again).count();
    if count > 0 {
        let mut at = 0..;
        found.entries.retain(|_| !at.next().is_some_and(|i| again[i]));
        let inputs = if count == 1 { "1 input was" } else { &format!("{count} inputs were") };
        found.notes.push(format!("{inputs} named more than once and will be read only once"));
    }
}

/// Whether a file's name ends so.
pub(super) fn ends(name: &OsStr, suffix: &str) -> bool {
    name.as_bytes().ends_with(suffix.as_bytes())
}

/// A path without the end of its name.
fn cut(path: &Path, suffix: &str) -> PathBuf {
    let bytes = path.as_os_str().as_bytes();
    PathBuf::from(OsStr::from_bytes(bytes.strip_suffix(suffix.as_bytes()).unwrap_or(bytes)))
}

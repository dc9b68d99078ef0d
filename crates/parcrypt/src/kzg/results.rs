//! The files of results: their paths, whether they are done, and how they are written: whole, or not at all.

use std::ffi::OsString;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use super::entries::{Entry, Found};
use super::input::{holds, most};
use super::ledger::{GIVEN, LEDGER, Ledger, Source};
use super::{InputError, StoreArguments, scratch, shown};
use crate::error::CommandError;
use crate::files::{folder_of, read_regular};
use crate::system;

/// The suffixes of the names of results, which follow the name of a blob.
pub(super) const SUFFIXES: [&str; 6] = [".commitment", ".proof", ".opening", ".cells", ".proofs", ".cell"];

/// Locked while a result is written, so that an interrupted process leaves no temporary file. `scratch` describes the
/// treatment of files of a killed one.
static WRITING: Mutex<()> = Mutex::new(());

/// Blocks the writing of results until the guard is dropped.
pub(super) fn hold_writes() -> MutexGuard<'static, ()> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The folder of results, and the results that are done.
#[derive(Debug)]
pub(super) struct Store {
    /// Whether results are kept in files.
    keep: bool,
    /// The folder; `None` for the folder of each input.
    out: Option<PathBuf>,
    /// Whether to recompute results that are done.
    force: bool,
    /// The digest of the trusted setup, as ledgers have it.
    setup: String,
    /// The folder of the last result.
    last: Mutex<Option<Folder>>,
}

#[derive(Debug)]
struct Folder {
    ledger: Ledger,
    /// Whether a file can be created in the folder, once that was tried.
    writable: Option<Result<(), String>>,
}

/// A result that may be done, and its file.
#[derive(Debug)]
pub(super) struct Slot<T> {
    /// The result, if it exists, is whole, and belongs to this input.
    pub(super) done: Option<T>,
    /// The file to write; `None` with `--json`, and for standard input without `--out`.
    pub(super) target: Option<Target>,
}

impl<T> Slot<T> {
    /// Returns the file to write, if the result is not done. A done result is not computed again when another result of
    /// the same input is missing.
    pub(super) fn open(self) -> Option<Target> {
        if self.done.is_some() { None } else { self.target }
    }
}

/// A file to write, and its line in the ledger.
#[derive(Debug)]
pub(super) struct Target {
    path: PathBuf,
    kind: String,
    setup: String,
    input: [u8; 32],
    /// Maximum size of the file, or of a file in its folder, in bytes.
    most: usize,
    replace: Replace,
}

/// Whether an existing file may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Replace {
    /// Always: this command has written it, or `--force` was given.
    Allowed,
    /// Only if it has the same contents: its origin is unknown.
    OnlySame,
}

/// The form of a result.
#[derive(Clone, Copy, Debug)]
enum Form {
    File,
    Folder,
}

/// A file in a result that is a folder: its name and its bytes.
pub(super) type Part = (String, Vec<u8>);

impl Store {
    /// Creates the folder of `--out` and checks that a file can be created in it.
    ///
    /// # Errors
    /// The folder cannot be written, or two inputs have results of the same name.
    pub(super) fn new(
        arguments: &StoreArguments,
        json: bool,
        setup: &str,
        found: &Found,
    ) -> Result<Self, CommandError> {
        let StoreArguments { out, force } = arguments;
        if let Some(out) = out {
            check_names(out, found)?;
            let tried = fs::create_dir_all(out).and_then(|()| tempfile::tempfile_in(out).map(drop));
            tried.map_err(|e| {
                CommandError::new(format!(
                    "--out {}: cannot be written: {e}; give another folder",
                    shown(out)
                ))
            })?;
        }
        let (out, setup) = (out.clone(), setup.to_owned());
        Ok(Store { keep: !json, out, force: *force, setup, last: Mutex::new(None) })
    }

    /// Returns the path of a result of this input; `None` if it is not kept.
    pub(super) fn path(&self, entry: &Entry, suffix: &str) -> Option<PathBuf> {
        if self.keep { result_path(self.out.as_deref(), entry, suffix) } else { None }
    }

    /// Looks up a result that is a file of `len` bytes at most, raw or in hexadecimal. `kind` is one word for the
    /// kind of the result and the options that change it; `input` is the SHA-256 of its input.
    ///
    /// # Errors
    /// Its folder cannot be written, or the ledger cannot be read.
    pub(super) fn file(
        &self,
        entry: &Entry,
        suffix: &str,
        kind: &str,
        input: [u8; 32],
        len: usize,
    ) -> Result<Slot<Vec<u8>>, InputError> {
        let most = most(len);
        let read = |path: &Path| {
            let bytes = read_file(path, most)?;
            Some((Sha256::digest(&bytes).into(), bytes))
        };
        self.look(entry, suffix, kind, input, (Form::File, most), read)
    }

    /// Looks up a result that is a folder with these files, of `len` bytes at most each.
    pub(super) fn folder(
        &self,
        entry: &Entry,
        suffix: &str,
        kind: &str,
        input: [u8; 32],
        names: &[String],
        len: usize,
    ) -> Result<Slot<Vec<Part>>, InputError> {
        let most = most(len);
        let read = |path: &Path| read_parts(path, names, most).map(|parts| (digest(&parts), parts));
        self.look(entry, suffix, kind, input, (Form::Folder, most), read)
    }

    fn look<T>(
        &self,
        entry: &Entry,
        suffix: &str,
        kind: &str,
        input: [u8; 32],
        (form, most): (Form, usize),
        read: impl Fn(&Path) -> Option<([u8; 32], T)>,
    ) -> Result<Slot<T>, InputError> {
        let Some(path) = self.path(entry, suffix) else { return Ok(Slot { done: None, target: None }) };
        if same_file(&path, &entry.path) {
            return Err(InputError::file(format!(
                "{} would overwrite its own input: give another folder with --out",
                shown(&path)
            )));
        }
        let other = match (fs::metadata(&path), form) {
            (Ok(info), Form::File) if info.is_dir() => "a folder, but the result is a file",
            (Ok(info), Form::Folder) if !info.is_dir() => "a file, but the result is a folder",
            _ => "",
        };
        if !other.is_empty() {
            return Err(InputError::file(format!(
                "{} is {other}: move it, or give another folder with --out",
                shown(&path)
            )));
        }
        let (kind, setup) = (kind.to_owned(), self.setup.clone());
        let mut target = Target { path, kind, setup, input, most, replace: Replace::Allowed };
        let (place, name) = (folder_of(&target.path), name_of(&target.path));
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let folder = match &mut *last {
            Some(folder) if folder.ledger.folder == place => folder,
            last => {
                let ledger = Ledger::read(place).map_err(|e| {
                    let path = shown(&place.join(LEDGER));
                    InputError::file(format!(
                        "{path}: the ledger of results cannot be read: {e}; move it, or give another folder with --out"
                    ))
                })?;
                scratch::clean(place);
                last.insert(Folder { ledger, writable: None })
            }
        };
        let known = folder.ledger.knows(name.as_encoded_bytes());
        if known && !self.force {
            let whole = read(&target.path);
            let done = whole
                .filter(|(result, _)| folder.ledger.holds(&target.source(), result, name.as_encoded_bytes()));
            if let Some((_, done)) = done {
                return Ok(Slot { done: Some(done), target: Some(target) });
            }
        }
        let try_folder = || {
            let tried = fs::create_dir_all(place).and_then(|()| tempfile::tempfile_in(place).map(drop));
            tried.map_err(|e| {
                format!("results cannot be written to {}: {e}; give a folder with --out", shown(place))
            })
        };
        let is_there = fs::symlink_metadata(&target.path).is_ok();
        // Each standard input is another one.
        let may_change = self.force || entry.stdin;
        if is_there && !may_change && folder.ledger.has_other_input(&target.source(), name.as_encoded_bytes())
        {
            return Err(changed(entry, &target));
        }
        folder.writable.get_or_insert_with(try_folder).clone().map_err(InputError::file)?;
        if !known && !self.force {
            target.replace = Replace::OnlySame;
        }
        Ok(Slot { done: None, target: Some(target) })
    }
}

/// Checks that no two inputs have results of the same name in this folder.
fn check_names(out: &Path, found: &Found) -> Result<(), CommandError> {
    let mut all: Vec<&Entry> = found.entries.iter().filter(|entry| entry.bad.is_none()).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    let Some(pair) = all.windows(2).find(|pair| pair[0].name == pair[1].name) else { return Ok(()) };
    Err(CommandError::new(format!(
        "{} and {} would both have their results in {}.…: give a separate --out for each folder, or rename one of them",
        shown(&pair[0].path),
        shown(&pair[1].path),
        shown(&out.join(&pair[0].name))
    )))
}

/// Returns the path of a result of this input, in that folder or next to the input.
pub(super) fn result_path(folder: Option<&Path>, entry: &Entry, suffix: &str) -> Option<PathBuf> {
    let stem = match folder {
        Some(folder) => folder.join(&entry.name),
        None if entry.stdin => return None,
        None => entry.path.with_file_name(entry.name.file_name()?),
    };
    let mut path: OsString = stem.into();
    path.push(suffix);
    Some(path.into())
}

/// [`Target::save`], if there is a target, for bytes that have one form.
pub(super) fn save(target: &Option<Target>, bytes: &[u8]) -> Result<(), InputError> {
    save_text(target, bytes, |found| holds(found, bytes))
}

/// [`Target::save`], if there is a target, for a result that has several forms: `same` returns whether a file holds it.
pub(super) fn save_text(
    target: &Option<Target>,
    text: &[u8],
    same: impl FnOnce(Vec<u8>) -> bool,
) -> Result<(), InputError> {
    target.as_ref().map_or(Ok(()), |target| target.save(text, same))
}

impl Target {
    fn source(&self) -> Source<'_> {
        Source { kind: &self.kind, setup: &self.setup, input: self.input }
    }

    /// Writes a result that is a file: a temporary file next to it, which is then renamed.
    ///
    /// # Errors
    /// The result cannot be written, or there is another file that may not be replaced. A file that is the same by
    /// `same` is kept.
    fn save(&self, bytes: &[u8], same: impl FnOnce(Vec<u8>) -> bool) -> Result<(), InputError> {
        let _here = hold_writes();
        let failed = |error| cannot_write(&self.path, &error);
        let mut file = scratch::file(folder_of(&self.path)).map_err(failed)?;
        // The inner file is used: errors of the outer one have the temporary path.
        file.as_file_mut().write_all(bytes).map_err(failed)?;
        file.as_file().sync_data().map_err(failed)?;
        match self.replace {
            Replace::Allowed => file.persist(&self.path).map(drop).map_err(|e| failed(e.error))?,
            Replace::OnlySame => match file.persist_noclobber(&self.path) {
                Ok(_) => {}
                Err(e) if e.error.kind() == ErrorKind::AlreadyExists => {
                    let found = read_file(&self.path, self.most).ok_or_else(|| foreign(&self.path))?;
                    let digest = Sha256::digest(&found).into();
                    return if same(found) { self.note(&digest) } else { Err(foreign(&self.path)) };
                }
                Err(e) => return Err(failed(e.error)),
            },
        }
        self.note(&Sha256::digest(bytes).into())
    }

    /// Writes a result that is a folder, in the same way.
    pub(super) fn save_folder(&self, parts: &[Part]) -> Result<(), InputError> {
        let _here = hold_writes();
        let path = &self.path;
        let failed = |error| cannot_write(path, &error);
        let new = || scratch::subfolder(folder_of(path)).map_err(failed);
        let (folder, _lock) = new()?;
        for (name, bytes) in parts {
            let write = || {
                let mut file = fs::File::create_new(folder.path().join(name))?;
                file.write_all(bytes)?;
                file.sync_data()
            };
            write().map_err(failed)?;
        }
        match fs::rename(folder.path(), path) {
            Ok(()) => {}
            // The folder exists and is not empty.
            Err(_) if path.is_dir() => {
                let names: Vec<String> = parts.iter().map(|part| part.0.clone()).collect();
                let found = read_parts(path, &names, self.most).unwrap_or_default();
                let same = |(found, part): (&Part, &Part)| holds(found.1.clone(), &part.1);
                if found.len() == parts.len() && found.iter().zip(parts).all(same) {
                    return self.note(&digest(&found));
                }
                if self.replace == Replace::OnlySame {
                    return Err(foreign(path));
                }
                // The old folder is moved into a folder that is removed at the end of this block.
                let (old, _lock) = new()?;
                fs::rename(path, old.path().join("old")).map_err(failed)?;
                fs::rename(folder.path(), path).map_err(failed)?;
            }
            Err(error) => return Err(failed(error)),
        }
        self.note(&digest(parts))
    }

    fn note(&self, result: &[u8; 32]) -> Result<(), InputError> {
        let (folder, name) = (folder_of(&self.path), name_of(&self.path));
        Ledger::add(folder, &self.source(), result, name.as_encoded_bytes())
            .map_err(|e| cannot_write(&folder.join(LEDGER), &e))
    }
}

/// Returns the error that a file cannot be written; fatal if the others cannot be written either, as on a full disk.
fn cannot_write(path: &Path, error: &std::io::Error) -> InputError {
    let text = format!("{} cannot be written: {error}", shown(path));
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ReadOnlyFilesystem => {
            InputError::fatal(text + "; complete results are kept; run the same command to resume")
        }
        _ => InputError::file(text),
    }
}

/// Returns the error that an input is not the one from which its result was computed.
fn changed(entry: &Entry, target: &Target) -> InputError {
    let given = if target.kind.starts_with(GIVEN) { " or its commitment" } else { "" };
    InputError::file(format!(
        "{}{given} changed after {} was computed: use --force to compute it again",
        shown(&entry.path),
        shown(&target.path)
    ))
}

fn foreign(path: &Path) -> InputError {
    InputError::file(format!(
        "{} already exists with other contents, not written by this command: move it, or use --force to overwrite",
        shown(path)
    ))
}

/// Returns whether two paths are the same file.
fn same_file(a: &Path, b: &Path) -> bool {
    system::id(a).is_some_and(|a| system::id(b) == Some(a))
}

/// Reads a file of at most this size; `None` for anything else, such as a pipe.
fn read_file(path: &Path, most: usize) -> Option<Vec<u8>> {
    read_regular(path, most).ok()
}

/// Reads the files of a folder that contains these and no others.
fn read_parts(path: &Path, names: &[String], most: usize) -> Option<Vec<Part>> {
    if fs::read_dir(path).ok()?.take(names.len() + 1).count() != names.len() {
        return None;
    }
    let part = |name: &String| Some((name.clone(), read_file(&path.join(name), most)?));
    names.iter().map(part).collect()
}

/// Returns the SHA-256 of all names and files, each preceded by its length.
fn digest(parts: &[Part]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for bytes in parts.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes]) {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    }
    hash.finalize().into()
}

fn name_of(path: &Path) -> &std::ffi::OsStr {
    path.file_name().unwrap_or_default()
}

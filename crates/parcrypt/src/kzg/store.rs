//! The files of results: whole, or not there; and the ledger, by which an interrupted job resumes.
//!
//! Each folder of results has a ledger, the file `.parcrypt-kzg`, with a line for each complete result:
//!
//! ```text
//! SETUP HOW BLOB RESULT NAME
//! ```
//!
//! the digest of the trusted setup, the kind of the result with the options that change it, the SHA-256 of its blob
//! (`-` if it was not computed from one) and of itself, and its name. A result is done if the last line with its name
//! is the one that would be written for the current blob and result. A result whose line has another blob was computed
//! before the blob changed: it is not replaced without `--force`. Nothing depends on clocks.
//!
//! A result is written to a temporary file in its folder, flushed to the disk and renamed; then its line is added. If
//! the process or the machine stops between these steps, the result is computed again: a line that is torn has no
//! effect, and a result without a line is kept if it is the same. Temporary files of a killed process are removed by
//! the next job that finds no other job at work in the folder, by a lock on the ledger.

use std::collections::HashMap;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[cfg(unix)]
use nix::libc::{O_NOFOLLOW, O_NONBLOCK};
use parcrypt_kzg::CELLS_PER_EXT_BLOB;
use sha2::{Digest, Sha256};
use tempfile::Builder;

use super::entries::{Entry, Found};
use super::{InputError, JobArguments, shown};
use crate::error::CommandError;
use crate::files::{folder_of, read_regular};
use crate::text::hex;

/// The suffixes of the names of results, which follow the name of a blob.
pub(super) const SUFFIXES: [&str; 6] = [".commitment", ".proof", ".opening", ".cells", ".proofs", ".cell"];

const LEDGER: &str = ".parcrypt-kzg";

const TEMPORARY: (&str, &str) = (".parcrypt-", ".tmp");

/// Maximum size of a result, in bytes: more than all cells of a blob.
const MAX_RESULT: usize = 1 << 20;

/// Maximum length of a line of a ledger, in bytes; longer ones are skipped. A name has up to 255 bytes, each of which
/// takes up to six if it is escaped.
const MAX_LINE: u64 = 4096;

/// Locked while a result is written, so that an interrupted process leaves no temporary file.
static WRITING: Mutex<()> = Mutex::new(());

/// Blocks the writing of results until the guard is dropped.
pub(super) fn hold_writes() -> MutexGuard<'static, ()> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
pub(super) enum Contents {
    File(Vec<u8>),
    Folder(Vec<(String, Vec<u8>)>),
}

impl Contents {
    /// Reads a file, or a folder of cells; `None` for anything else, such as a pipe or another folder.
    fn read(path: &Path) -> Option<Self> {
        if !path.is_dir() {
            return read_regular(path, MAX_RESULT).ok().map(Contents::File);
        }
        let files = fs::read_dir(path).ok()?.take(2 * CELLS_PER_EXT_BLOB + 1);
        let part = |file: io::Result<fs::DirEntry>| {
            let file = file.ok()?;
            Some((file.file_name().into_string().ok()?, read_regular(&file.path(), MAX_RESULT >> 8).ok()?))
        };
        files.map(part).collect::<Option<_>>().map(Contents::Folder)
    }

    /// Returns the SHA-256 of a file, or of the sorted names and files of a folder, each after its length.
    fn digest(&self) -> String {
        let mut hash = Sha256::new();
        match self {
            Contents::File(bytes) => hash.update(bytes),
            Contents::Folder(parts) => {
                let mut parts: Vec<_> = parts.iter().collect();
                parts.sort_unstable();
                for bytes in parts.iter().flat_map(|(name, bytes)| [name.as_bytes(), bytes]) {
                    hash.update((bytes.len() as u64).to_le_bytes());
                    hash.update(bytes);
                }
            }
        }
        hex(&hash.finalize())
    }

    /// Writes them under a temporary name in the same folder, flushes them to the disk, and renames them.
    fn write(&self, path: &Path, replaces: bool) -> io::Result<()> {
        let folder = folder_of(path);
        match self {
            Contents::File(bytes) => {
                let mut file = temporary(0o666).tempfile_in(folder)?;
                // The inner file is used: errors of the outer one have the temporary path.
                file.as_file_mut().write_all(bytes)?;
                file.as_file().sync_data()?;
                let kept = if replaces { file.persist(path) } else { file.persist_noclobber(path) };
                kept.map(drop).map_err(|error| error.error)
            }
            Contents::Folder(parts) => {
                let new = temporary(0o777).tempdir_in(folder)?;
                for (name, bytes) in parts {
                    let mut file = File::create_new(new.path().join(name))?;
                    file.write_all(bytes)?;
                    file.sync_data()?;
                }
                let moved = fs::rename(new.path(), path);
                if moved.is_ok() || !replaces || !path.is_dir() {
                    return moved;
                }
                // The old folder is moved into one that is removed at the end; another job may have moved it away.
                let old = temporary(0o777).tempdir_in(folder)?;
                let _ = fs::rename(path, old.path().join("old"));
                fs::rename(new.path(), path)
            }
        }
    }
}

/// Returns a builder of temporary files or folders with these permissions, less the umask.
fn temporary(mode: u32) -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(TEMPORARY.0).suffix(TEMPORARY.1);
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(mode));
    #[cfg(not(unix))]
    let _ = mode;
    builder
}

/// The ledger of one folder, as read at the start.
#[derive(Debug)]
struct Ledger {
    folder: PathBuf,
    file: File,
    /// The last line of each name, without the name.
    lines: HashMap<String, String>,
}

impl Ledger {
    /// Reads the ledger of a folder, or creates it with the folder, and removes temporary files of killed processes.
    /// Malformed lines are skipped.
    fn open(folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let path = folder.join(LEDGER);
        // Nothing else is followed, waited for or written to.
        if fs::symlink_metadata(&path).is_ok_and(|info| !info.is_file()) {
            return Err(io::Error::other("not a regular file"));
        }
        let mut options = OpenOptions::new();
        // Also if it has just been replaced.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, O_NOFOLLOW | O_NONBLOCK);
        let file = options.read(true).append(true).create(true).open(&path)?;
        let (mut lines, mut reader, mut line) = (HashMap::new(), BufReader::new(&file), Vec::new());
        let mut begins = true;
        while (&mut reader).take(MAX_LINE).read_until(b'\n', &mut line)? > 0 {
            let ends = line.pop_if(|last| *last == b'\n').is_some();
            let text = String::from_utf8_lossy(&line);
            if let Some(name) = text.splitn(5, ' ').nth(4).filter(|_| begins && ends) {
                lines.insert(name.to_owned(), text[..text.len() - name.len() - 1].to_owned());
            }
            begins = ends;
            line.clear();
        }
        if !begins {
            // A torn line at the end is terminated.
            (&file).write_all(b"\n")?;
        }
        // On Windows a lock would keep lines from being added, also by this process.
        #[cfg(unix)]
        {
            if file.try_lock().is_ok() {
                clean(folder);
                file.unlock()?;
            }
            // Without locks, temporary files remain.
            let _ = file.lock_shared();
        }
        Ok(Ledger { folder: folder.to_owned(), file, lines })
    }
}

/// Removes temporary files and folders. Those that cannot be removed do no harm.
#[cfg(unix)]
fn clean(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.as_encoded_bytes();
        if name.starts_with(TEMPORARY.0.as_bytes()) && name.ends_with(TEMPORARY.1.as_bytes()) {
            let _ = match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                true => fs::remove_dir_all(entry.path()),
                false => fs::remove_file(entry.path()),
            };
        }
    }
}

/// The folder of results, and the results that are done.
#[derive(Debug)]
pub(super) struct Store {
    keep: bool,
    /// The folder; `None` for the folder of each input.
    out: Option<PathBuf>,
    force: bool,
    setup: String,
    ledger: Mutex<Option<Arc<Ledger>>>,
}

#[derive(Debug)]
pub(super) struct Slot {
    pub(super) suffix: &'static str,
    /// The path of the result; `None` with `--json`, and for standard input without `--out`.
    pub(super) path: Option<PathBuf>,
    pub(super) state: State,
}

#[derive(Debug)]
pub(super) enum State {
    Done(Contents),
    Missing(Target),
    Unkept,
}

/// A file to write, and its line in the ledger.
#[derive(Debug)]
pub(super) struct Target {
    path: PathBuf,
    ledger: Arc<Ledger>,
    name: String,
    source: String,
    /// Whether an existing file with other contents may be replaced: this command has written it, or `--force` was
    /// given.
    replaces: bool,
}

impl Store {
    pub(super) fn new(arguments: &JobArguments, setup: &str, found: &Found) -> Result<Self, CommandError> {
        let JobArguments { out, force, stream, .. } = arguments;
        let mut ledger = None;
        if let Some(out) = out {
            check_names(out, found)?;
            let opened = Ledger::open(out).map_err(|e| {
                CommandError::new(format!(
                    "--out {}: cannot be written: {e}; give another folder",
                    shown(out)
                ))
            })?;
            ledger = Some(Arc::new(opened));
        }
        let (out, setup, ledger) = (out.clone(), setup.to_owned(), Mutex::new(ledger));
        Ok(Store { keep: !stream.json, out, force: *force, setup, ledger })
    }

    /// Returns a result of this input. `how` is one word for its kind and the options that change it; `blob` is the
    /// SHA-256 of the blob from which it is computed.
    pub(super) fn look(
        &self,
        entry: &Entry,
        suffix: &'static str,
        how: &str,
        blob: Option<&[u8]>,
    ) -> Result<Slot, InputError> {
        let path = result_path(self.out.as_deref(), entry, suffix).filter(|_| self.keep);
        let Some(path) = path else { return Ok(Slot { suffix, path, state: State::Unkept }) };
        let is_input =
            fs::canonicalize(&path).is_ok_and(|path| fs::canonicalize(&entry.path).ok() == Some(path));
        if is_input {
            return Err(InputError::file(format!(
                "{} would overwrite its own input: give another folder with --out",
                shown(&path)
            )));
        }
        let ledger = self.ledger(folder_of(&path))?;
        let name = format!("{:?}", path.file_name().unwrap_or_default());
        let blob = blob.map_or("-".to_owned(), hex);
        let source = format!("{} {how} {blob}", self.setup);
        let known = ledger.lines.get(&name).filter(|_| !self.force);
        if let Some(line) = known {
            if let Some(found) = Contents::read(&path)
                && *line == format!("{source} {}", found.digest())
            {
                return Ok(Slot { suffix, path: Some(path), state: State::Done(found) });
            }
            // Each standard input is another one.
            let earlier = line.split(' ').nth(2).filter(|earlier| *earlier != "-" && blob != "-");
            let is_changed = earlier.is_some_and(|earlier| earlier != blob) && !entry.is_stdin();
            if is_changed && fs::symlink_metadata(&path).is_ok() {
                return Err(InputError::file(format!(
                    "{} changed after {} was computed: use --force to compute it again",
                    shown(&entry.path),
                    shown(&path)
                )));
            }
        }
        let replaces = self.force || known.is_some();
        let target = Target { path: path.clone(), ledger, name, source, replaces };
        Ok(Slot { suffix, path: Some(path), state: State::Missing(target) })
    }

    fn ledger(&self, folder: &Path) -> Result<Arc<Ledger>, InputError> {
        let mut last = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ledger) = last.as_ref().filter(|ledger| ledger.folder == folder) {
            return Ok(Arc::clone(ledger));
        }
        let ledger = Ledger::open(folder).map(Arc::new).map_err(|e| {
            InputError::file(format!(
                "{}: the ledger of results cannot be written: {e}; give another folder with --out",
                shown(&folder.join(LEDGER))
            ))
        })?;
        Ok(Arc::clone(last.insert(ledger)))
    }
}

/// Checks that no two inputs have results of the same name in this folder.
fn check_names(out: &Path, found: &Found) -> Result<(), CommandError> {
    let mut all: Vec<&Entry> = found.entries.iter().filter(|entry| entry.bad.is_none()).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    let Some([a, b]) = all.array_windows().find(|[a, b]| a.name == b.name) else { return Ok(()) };
    Err(CommandError::new(format!(
        "{} and {} would both have their results in {}.…: give a separate --out for each folder, or rename one of them",
        shown(&a.path),
        shown(&b.path),
        shown(&out.join(&a.name))
    )))
}

/// Returns the path of a result of this input, in that folder or next to the input; `None` for standard input without a
/// folder.
pub(super) fn result_path(folder: Option<&Path>, entry: &Entry, suffix: &str) -> Option<PathBuf> {
    let stem = match folder {
        Some(folder) => folder.join(&entry.name),
        None if entry.is_stdin() => return None,
        None => entry.path.with_file_name(entry.name.file_name()?),
    };
    let mut path: OsString = stem.into();
    path.push(suffix);
    Some(path.into())
}

impl Target {
    /// Writes the result, unless it already exists, and its line in the ledger.
    pub(super) fn save(&self, contents: &Contents) -> Result<(), InputError> {
        let _here = hold_writes();
        let digest = contents.digest();
        let is_there = || Contents::read(&self.path).is_some_and(|found| found.digest() == digest);
        // Another job may write the same at the same time.
        if !is_there()
            && let Err(error) = contents.write(&self.path, self.replaces)
            && !is_there()
        {
            return Err(match fs::symlink_metadata(&self.path) {
                Ok(_) if !self.replaces => InputError::file(format!(
                    "{} already exists with other contents, not written by this command: move it, or use --force to overwrite",
                    shown(&self.path)
                )),
                _ => cannot_write(&self.path, &error),
            });
        }
        // One call, so that two jobs in one folder do not interleave their lines.
        let line = format!("{} {digest} {}\n", self.source, self.name);
        let added = (&self.ledger.file).write_all(line.as_bytes());
        added.map_err(|error| cannot_write(&self.ledger.folder.join(LEDGER), &error))
    }
}

/// Returns the error that a file cannot be written; fatal if the others cannot be written either, as on a full disk.
fn cannot_write(path: &Path, error: &io::Error) -> InputError {
    let text = format!("{} cannot be written: {error}", shown(path));
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ReadOnlyFilesystem => {
            InputError::fatal(text + "; complete results are kept; run the same command to resume")
        }
        _ => InputError::file(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torn_and_foreign_lines_have_no_effect() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LEDGER);
        let whole = b"s how b r \"a\"\n";
        let read = || Ledger::open(folder.path()).unwrap().lines;
        for len in 0..whole.len() - 1 {
            fs::write(&path, &whole[..len]).unwrap();
            let ledger = Ledger::open(folder.path()).unwrap();
            assert!(ledger.lines.is_empty(), "{len}");
            (&ledger.file).write_all(b"s how b r \"b\"\n").unwrap();
            let lines = read();
            assert!(lines.contains_key("\"b\"") && !lines.contains_key("\"a\""), "{len}");
        }
        let long = [b"s how b r \"".as_slice(), &[b'c'; 3 * MAX_LINE as usize], b"\"\n"].concat();
        fs::write(&path, [b"\xff x\n\ns how old r \"a\"\n".as_slice(), &long, whole].concat()).unwrap();
        assert_eq!(read().into_iter().collect::<Vec<_>>(), [("\"a\"".to_owned(), "s how b r".to_owned())]);
    }

    #[cfg(unix)]
    #[test]
    fn temporary_files_are_removed_if_no_other_job_is_at_work() {
        let folder = tempfile::tempdir().unwrap();
        let names = || parcrypt_testkit::process::names(folder.path());
        let left = |name: &str| folder.path().join(name);
        fs::write(left(".parcrypt-left.tmp"), "half a res").unwrap();
        fs::create_dir(left(".parcrypt-folder.tmp")).unwrap();
        fs::write(left(".parcrypt-folder.tmp/000.cell"), "half").unwrap();
        fs::write(left(".parcrypt-.tmp.txt"), "theirs").unwrap();
        let job = Ledger::open(folder.path()).unwrap();
        assert_eq!(names(), [".parcrypt-.tmp.txt", LEDGER]);
        fs::write(left(".parcrypt-used.tmp"), "half").unwrap();
        drop(Ledger::open(folder.path()).unwrap());
        assert!(names().contains(&".parcrypt-used.tmp".to_owned()), "another job is at work");
        drop(job);
        drop(Ledger::open(folder.path()).unwrap());
        assert_eq!(names(), [".parcrypt-.tmp.txt", LEDGER]);
    }
}

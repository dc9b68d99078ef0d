//! Contents of files: blobs, cells, commitments and proofs, as raw bytes or in hexadecimal.

use std::fs::{self, File};
use std::io::{Error, ErrorKind, Read};
use std::path::{Path, PathBuf};

use parcrypt_kzg::{BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_PROOF, CELLS_PER_EXT_BLOB};

use super::entries::Entry;
use super::output::cells_text;
use super::{InputError, shown};
use crate::files::{read_at_most, take_at_most, without_mark};
use crate::hex::{self, NotHex};
use crate::text::counted;

/// The bytes of a blob, cell or point, or the error of its file.
type Bytes = Result<Vec<u8>, InputError>;

/// Returns the maximum size of a file for `len` bytes: in hexadecimal, and the same number of bytes of white space.
fn max_size(len: usize) -> usize {
    4 * len + 1024
}

/// Reads bytes of a known length from a file, raw or in hexadecimal; `what` begins with an article.
fn read(path: &Path, len: usize, what: &str) -> Bytes {
    contents(&shown(path), read_at_most(path, max_size(len)), len, what)
}

/// Decodes the contents of a file or stream with this name.
fn contents(name: &str, bytes: std::io::Result<Vec<u8>>, len: usize, what: &str) -> Bytes {
    match bytes {
        Ok(bytes) => decode(bytes, len, what).map_err(|why| InputError::damage(format!("{name}: {why}"))),
        Err(error) if error.kind() == ErrorKind::FileTooLarge => {
            Err(InputError::damage(format!("{name}: {error}")))
        }
        Err(error) => Err(InputError::file(format!("{name}: {error}"))),
    }
}

/// Reads a result, raw or in hexadecimal; the hint is for a missing one.
pub(super) fn read_result(path: &Path, len: usize, what: &str, hint: &'static str) -> Bytes {
    let missing = || InputError::file(format!("{} does not exist", shown(path)));
    read(path, len, what).map_err(|error| match path.exists() {
        true => error,
        false => InputError { hint: Some(hint), ..missing() },
    })
}

pub(super) fn read_blob(entry: &Entry) -> Bytes {
    let (max, mut bytes) = (max_size(BYTES_PER_BLOB), Vec::new());
    let read = match entry.is_stdin() {
        true => take_at_most(&mut std::io::stdin().lock(), max, &mut bytes),
        false => File::open(&entry.path).and_then(|mut file| take_at_most(&mut file, max, &mut bytes)),
    };
    let name = if entry.is_stdin() { "standard input".to_owned() } else { shown(&entry.path) };
    if is_of_beacon_node(&bytes) {
        let why = "this is the JSON of a beacon node; write each blob in it, 0x and its digits, to a file";
        return Err(InputError::damage(format!("{name}: {why}")));
    }
    contents(&name, read.map(|()| bytes), BYTES_PER_BLOB, "a blob")
}

/// Bytes at the beginning of a file that tell what it is.
const HEAD: usize = 256;

/// Returns whether a file begins like the JSON of a beacon node: with sidecars or a list of blobs.
fn is_of_beacon_node(bytes: &[u8]) -> bool {
    let head = without_mark(&bytes[..bytes.len().min(HEAD)]).trim_ascii_start();
    let has = |key: &[u8]| head.windows(key.len()).any(|part| part == key);
    head.starts_with(b"{") && (has(b"\"data\"") || has(b"\"blob"))
}

/// Returns whether a file is a text that does not begin with hexadecimal digits.
pub(super) fn is_text(path: &Path) -> bool {
    let mut head = Vec::new();
    let read = File::open(path).and_then(|file| file.take(HEAD as u64).read_to_end(&mut head));
    read.is_ok()
        && !head.iter().any(|byte| byte.is_ascii_control() && !byte.is_ascii_whitespace())
        && matches!(hex::decode(&head), Err(NotHex::NotADigit { at: ..8, .. }))
        && !head.starts_with(b"0x")
        && !is_of_beacon_node(&head)
}

/// Returns bytes of a known length from the contents of a file. Contents of exactly that length are raw; others are
/// hexadecimal.
fn decode(bytes: Vec<u8>, len: usize, what: &str) -> Result<Vec<u8>, String> {
    let right = format!("{what} has {len} bytes raw, or {} hexadecimal digits", 2 * len);
    if bytes.len() == len {
        return Ok(bytes);
    }
    if bytes.is_empty() {
        return Err(format!("it is empty: {right}"));
    }
    match hex::decode(&bytes) {
        Ok(raw) if raw.len() == len => Ok(raw),
        Ok(raw) => Err(format!("{} hexadecimal digits: {right}", 2 * raw.len())),
        Err(NotHex::Odd { digits }) => Err(format!("{digits} hexadecimal digits: {right}")),
        // Raw bytes of another length rarely begin with several digits.
        Err(NotHex::NotADigit { at, .. }) if at < 8 && !bytes.starts_with(b"0x") => {
            Err(format!("{}: {right}", counted(bytes.len(), "byte")))
        }
        Err(NotHex::NotADigit { at, byte }) => {
            Err(format!("{:?} at byte {at} is not a hexadecimal digit: {right}", char::from(byte)))
        }
    }
}

pub(super) fn value<const N: usize>(text: &str) -> Result<[u8; N], String> {
    let bytes = hex::decode(text.as_bytes()).map_err(|error| error.to_string())?;
    let digits = 2 * bytes.len();
    bytes.try_into().map_err(|_| format!("{digits} hexadecimal digits instead of {}", 2 * N))
}

pub(super) const CELL_FILES: &str =
    "a folder of cells holds files INDEX.cell and INDEX.proof, with INDEX from 0 to 127";

#[derive(Debug, Default)]
pub(super) struct Cells {
    pub(super) indices: Vec<u64>,
    pub(super) bytes: Vec<u8>,
    /// The file of each, if they come from a folder.
    files: Vec<PathBuf>,
    /// The cells that cannot be read, with their errors.
    bad: Vec<(u64, InputError)>,
    pub(super) others: Vec<PathBuf>,
}

impl Cells {
    /// Returns the error of the cells that cannot be read.
    pub(super) fn error(&mut self) -> Option<InputError> {
        let cells = cells_text(self.bad.iter().map(|(index, _)| *index))?;
        let (_, first) = self.bad.swap_remove(0);
        Some(InputError { text: format!("{cells}: {}", first.text), ..first })
    }

    /// Returns the warning that cells are left out; an error if too few are left for recovery.
    pub(super) fn leave_out_bad(&mut self, path: &Path) -> Result<Option<String>, InputError> {
        match (self.error(), self.indices.len()) {
            (Some(InputError { text, .. }), left @ ..64) => Err(InputError::file(format!(
                "{}: {left} cells are left, recovery takes at least 64; {text}",
                shown(path)
            ))),
            (error, _) => Ok(error.map(|error| format!("warning: left out: {}", error.text))),
        }
    }
}

/// Reads `NAME.cells`: all cells from a file, or some from a folder.
/// A folder without cells, which would verify trivially, is an error.
pub(super) fn read_cells(path: &Path) -> Result<Cells, InputError> {
    if !path.is_dir() {
        let bytes = read(path, CELLS_PER_EXT_BLOB * BYTES_PER_CELL, "the file of all cells")?;
        let indices = (0..CELLS_PER_EXT_BLOB as u64).collect();
        return Ok(Cells { indices, bytes, ..Cells::default() });
    }
    let wrong = |why: String| InputError::file(format!("{}: {why}", shown(path)));
    let system = |error: Error| wrong(error.to_string());
    let (mut names, mut cells) = (Vec::new(), Cells::default());
    for file in fs::read_dir(path).map_err(system)? {
        let file = PathBuf::from(file.map_err(system)?.file_name());
        let bytes = file.as_os_str().as_encoded_bytes();
        if bytes.starts_with(b".") || bytes.ends_with(b".proof") {
            continue;
        }
        if !bytes.ends_with(b".cell") {
            let file = path.join(file);
            cells.others.push(if file.is_dir() { file.join("") } else { file });
            continue;
        }
        let digits = file.to_str().and_then(|name| name.strip_suffix(".cell"));
        let digits =
            digits.filter(|digits| digits.len() <= 9 && digits.bytes().all(|byte| byte.is_ascii_digit()));
        let index = digits.and_then(|digits| digits.parse().ok());
        let index = index.filter(|i: &u64| *i < CELLS_PER_EXT_BLOB as u64);
        let index = index.ok_or_else(|| wrong(format!("{} is not a cell: {CELL_FILES}", shown(&file))))?;
        names.push((index, file));
    }
    if names.is_empty() {
        return Err(wrong("contains no cell: no file INDEX.cell".to_owned()));
    }
    names.sort();
    if let Some([(index, a), (_, b)]) = names.array_windows().find(|[a, b]| a.0 == b.0) {
        return Err(wrong(format!("cell {index} is present twice, as {} and {}", shown(a), shown(b))));
    }
    cells.others.sort();
    for (index, name) in names {
        let file = path.join(name);
        match read(&file, BYTES_PER_CELL, "a cell") {
            Ok(bytes) => {
                cells.indices.push(index);
                cells.bytes.extend(bytes);
                cells.files.push(file);
            }
            Err(error) => cells.bad.push((index, error)),
        }
    }
    Ok(cells)
}

/// Reads the proofs of those cells, concatenated: from the file `proofs` if all cells are from one file, and otherwise
/// from the file next to each cell.
pub(super) fn read_proofs(proofs: &Path, cells: &Cells) -> Bytes {
    let hint = "`parcrypt kzg cells` writes cells with their proofs";
    if cells.files.is_empty() {
        return read_result(proofs, CELLS_PER_EXT_BLOB * BYTES_PER_PROOF, "the file of all proofs", hint);
    }
    let mut bytes = Vec::with_capacity(cells.files.len() * BYTES_PER_PROOF);
    for file in &cells.files {
        bytes.extend(read_result(&file.with_extension("proof"), BYTES_PER_PROOF, "a proof", hint)?);
    }
    Ok(bytes)
}

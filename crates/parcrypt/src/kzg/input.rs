//! Contents of files: blobs, cells, commitments and proofs, as raw bytes or in hexadecimal.

use std::fs;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use parcrypt_kzg::{BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_PROOF, CELLS_PER_EXT_BLOB};

use super::entries::Entry;
use super::{InputError, shown};
use crate::files::{read_at_most, take_at_most};
use crate::hex::{self, NotHex};
use crate::text::counted;

/// Returns the maximum size of a file for `len` bytes: in hexadecimal, and the same number of bytes of white space.
fn max_size(len: usize) -> usize {
    4 * len + 1024
}

/// Reads bytes of a known length from a file, raw or in hexadecimal; `what` begins with an article.
fn read(path: &Path, len: usize, what: &str) -> Result<Vec<u8>, InputError> {
    contents(&shown(path), read_at_most(path, max_size(len)), len, what)
}

/// Decodes the contents of a file or stream with this name.
fn contents(
    name: &str,
    bytes: std::io::Result<Vec<u8>>,
    len: usize,
    what: &str,
) -> Result<Vec<u8>, InputError> {
    match bytes {
        Ok(bytes) => decode(bytes, len, what).map_err(|why| InputError::damage(format!("{name}: {why}"))),
        Err(error) if error.kind() == ErrorKind::FileTooLarge => {
            Err(InputError::damage(format!("{name}: {error}")))
        }
        Err(error) => Err(InputError::file(format!("{name}: {error}"))),
    }
}

/// Reads a commitment or a proof, raw or in hexadecimal, that `command` has written.
pub(super) fn read_result(path: &Path, what: &str, command: &str) -> Result<Vec<u8>, InputError> {
    match read(path, BYTES_PER_PROOF, what) {
        Err(_) if !path.exists() => {
            Err(InputError::file(format!("{} does not exist; `{command}` writes it", shown(path))))
        }
        read => read,
    }
}

/// Reads a blob from a file or from standard input.
pub(super) fn read_blob(entry: &Entry) -> Result<Vec<u8>, InputError> {
    let max = max_size(BYTES_PER_BLOB);
    let (name, bytes) = match entry.is_stdin() {
        true => ("standard input".to_owned(), take_at_most(&mut std::io::stdin().lock(), max)),
        false => (shown(&entry.path), read_at_most(&entry.path, max)),
    };
    contents(&name, bytes, BYTES_PER_BLOB, "a blob")
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

/// Parses a value of `N` bytes in hexadecimal.
pub(super) fn value<const N: usize>(text: &str) -> Result<[u8; N], String> {
    let bytes = hex::decode(text.as_bytes()).map_err(|error| error.to_string())?;
    let digits = 2 * bytes.len();
    bytes.try_into().map_err(|_| format!("{digits} hexadecimal digits instead of {}", 2 * N))
}

/// Some cells of one blob.
#[derive(Debug)]
pub(super) struct Cells {
    /// The indices, in rising order.
    pub(super) indices: Vec<u64>,
    /// The cells, concatenated.
    pub(super) bytes: Vec<u8>,
    /// The file of each, if they come from a folder.
    files: Vec<PathBuf>,
}

/// Reads `NAME.cells`: all cells from a file, or some from a folder.
/// A folder without cells, which would verify trivially, is an error.
pub(super) fn read_cells(path: &Path) -> Result<Cells, InputError> {
    if !path.is_dir() {
        let bytes = read(path, CELLS_PER_EXT_BLOB * BYTES_PER_CELL, "the file of all cells")?;
        return Ok(Cells { indices: (0..CELLS_PER_EXT_BLOB as u64).collect(), bytes, files: Vec::new() });
    }
    let wrong = |why: String| InputError::file(format!("{}: {why}", shown(path)));
    let system = |error: Error| wrong(error.to_string());
    let mut names = Vec::new();
    for file in fs::read_dir(path).map_err(system)? {
        let file = PathBuf::from(file.map_err(system)?.file_name());
        let bytes = file.as_os_str().as_encoded_bytes();
        if bytes.starts_with(b".") || bytes.ends_with(b".proof") {
            continue;
        }
        let digits = file.to_str().and_then(|name| name.strip_suffix(".cell"));
        let digits =
            digits.filter(|digits| digits.len() <= 9 && digits.bytes().all(|byte| byte.is_ascii_digit()));
        let index = digits.and_then(|digits| digits.parse().ok());
        match index.filter(|i: &u64| *i < CELLS_PER_EXT_BLOB as u64) {
            Some(index) => names.push((index, file)),
            None => {
                return Err(wrong(format!(
                    "{} is not a cell: a folder of cells holds files INDEX.cell and INDEX.proof, with INDEX from 0 to {}",
                    shown(&file),
                    CELLS_PER_EXT_BLOB - 1
                )));
            }
        }
    }
    if names.is_empty() {
        return Err(wrong("contains no cell: no file INDEX.cell".to_owned()));
    }
    names.sort();
    if let Some([(index, a), (_, b)]) = names.array_windows().find(|[a, b]| a.0 == b.0) {
        return Err(wrong(format!("cell {index} is present twice, as {} and {}", shown(a), shown(b))));
    }
    let (indices, files): (Vec<u64>, Vec<PathBuf>) =
        names.into_iter().map(|(index, name)| (index, path.join(name))).unzip();
    let mut bytes = Vec::with_capacity(files.len() * BYTES_PER_CELL);
    for file in &files {
        bytes.extend(read(file, BYTES_PER_CELL, "a cell")?);
    }
    Ok(Cells { indices, bytes, files })
}

/// Reads the proofs of those cells, concatenated: from the file `proofs` if all cells are from one file, and otherwise
/// from the file next to each cell.
pub(super) fn read_proofs(proofs: &Path, cells: &Cells) -> Result<Vec<u8>, InputError> {
    if cells.files.is_empty() {
        return read(proofs, CELLS_PER_EXT_BLOB * BYTES_PER_PROOF, "the file of all proofs");
    }
    let mut bytes = Vec::with_capacity(cells.files.len() * BYTES_PER_PROOF);
    for file in &cells.files {
        bytes.extend(read(&file.with_extension("proof"), BYTES_PER_PROOF, "a proof")?);
    }
    Ok(bytes)
}

//! Contents of files: blobs, cells, commitments and proofs, as raw bytes or in hexadecimal.

use std::fs::{self, File, OpenOptions};
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use parcrypt_kzg::{BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_PROOF, CELLS_PER_EXT_BLOB};

use super::entries::Entry;
use super::{InputError, shown};
use crate::files::{read_at_most, take_at_most};
use crate::hex::{self, NotHex};
use crate::system::open_itself;
use crate::text::counted;

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    // Without descriptions: with them the help has three lines for each flag.
    Raw,
    Hex,
}

/// Returns the maximum size of a file for `len` bytes: in hexadecimal, and the same number of bytes of white space.
pub(super) fn most(len: usize) -> usize {
    4 * len + 1024
}

/// Opens a regular file that is not a link; other files are not followed, waited for or read.
///
/// # Errors
/// Errors of the system, or a path that is not a regular file.
pub(super) fn open_regular(path: &Path, options: &mut OpenOptions) -> std::io::Result<File> {
    // Files are closed in child processes by default.
    let file = open_itself(path, options)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(Error::other("not a regular file")) }
}

/// Reads bytes of a known length from a file, raw or in hexadecimal; `what` begins with an article.
///
/// # Errors
/// Errors of the system; another length; a character that is not a hexadecimal digit.
pub(super) fn read(
    path: &Path,
    len: usize,
    what: &str,
    format: Option<Format>,
) -> Result<Vec<u8>, InputError> {
    let bytes = read_at_most(path, most(len)).map_err(|error| {
        let text = format!("{}: {error}", shown(path));
        if error.kind() == ErrorKind::FileTooLarge {
            InputError::damage(text)
        } else {
            InputError::file(text)
        }
    })?;
    decode(bytes, len, what, format).map_err(|why| InputError::damage(format!("{}: {why}", shown(path))))
}

/// Reads a commitment or a proof, raw or in hexadecimal, that `command` has written.
pub(super) fn read_result(
    path: &Path,
    what: &str,
    command: &str,
) -> Result<[u8; BYTES_PER_PROOF], InputError> {
    if !path.exists() {
        return Err(InputError::file(format!("{} does not exist; `{command}` writes it", shown(path))));
    }
    let bytes = read(path, BYTES_PER_PROOF, what, None)?;
    bytes.try_into().map_err(|_| InputError::file(format!("{}: not {what}", shown(path))))
}

/// Reads a blob from a file or from standard input.
///
/// # Errors
/// Errors of [`read`]. Field elements are not checked.
pub(super) fn read_blob(entry: &Entry, format: Option<Format>) -> Result<Vec<u8>, InputError> {
    if !entry.stdin {
        return read(&entry.path, BYTES_PER_BLOB, "a blob", format);
    }
    let bytes = take_at_most(&mut std::io::stdin().lock(), most(BYTES_PER_BLOB));
    let bytes = bytes.map_err(|error| InputError::file(format!("standard input: {error}")))?;
    decode(bytes, BYTES_PER_BLOB, "a blob", format)
        .map_err(|why| InputError::damage(format!("standard input: {why}")))
}

/// Returns whether a file with this text contains these bytes, raw or in hexadecimal.
pub(super) fn holds(text: Vec<u8>, bytes: &[u8]) -> bool {
    decode(text, bytes.len(), "a result", None).is_ok_and(|found| found == bytes)
}

/// Returns a commitment or a proof from the contents of its file, raw or in hexadecimal; `None` for other contents.
pub(super) fn point(text: Vec<u8>) -> Option<[u8; BYTES_PER_PROOF]> {
    decode(text, BYTES_PER_PROOF, "a result", None).ok()?.try_into().ok()
}

/// Returns bytes of a known length from the contents of a file. Contents of exactly that length are raw; others are
/// hexadecimal.
fn decode(bytes: Vec<u8>, len: usize, what: &str, format: Option<Format>) -> Result<Vec<u8>, String> {
    let right = format!("{what} has {len} bytes raw, or {} hexadecimal digits", 2 * len);
    if format == Some(Format::Raw) || format.is_none() && bytes.len() == len {
        return if bytes.len() == len {
            Ok(bytes)
        } else {
            Err(format!("{}: {right}", counted(bytes.len(), "byte")))
        };
    }
    if bytes.is_empty() {
        return Err(format!("it is empty: {right}"));
    }
    match hex::decode(&bytes) {
        Ok(raw) if raw.len() == len => Ok(raw),
        Ok(raw) => Err(format!("{} hexadecimal digits: {right}", 2 * raw.len())),
        Err(NotHex::Odd { digits }) => Err(format!("{digits} hexadecimal digits: {right}")),
        // Raw bytes of another length rarely begin with several digits.
        Err(NotHex::NotADigit { at, .. }) if format.is_none() && at < 8 && !bytes.starts_with(b"0x") => {
            Err(format!("{}: {right}", counted(bytes.len(), "byte")))
        }
        Err(NotHex::NotADigit { at, byte }) => {
            Err(format!("{:?} at byte {at} is not a hexadecimal digit: {right}", char::from(byte)))
        }
    }
}

/// Parses a value of `N` bytes from the command line, in hexadecimal.
pub(super) fn value<const N: usize>(text: &str) -> Result<[u8; N], String> {
    let bytes = match hex::decode(text.as_bytes()) {
        Ok(bytes) => bytes,
        Err(NotHex::NotADigit { byte, .. }) => {
            return Err(format!("{:?} is not a hexadecimal digit", char::from(byte)));
        }
        Err(NotHex::Odd { digits }) => {
            return Err(format!("{digits} hexadecimal digits instead of {}", 2 * N));
        }
    };
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

impl Cells {
    /// Returns the cells one by one.
    pub(super) fn cells(&self) -> Vec<&[u8]> {
        self.bytes.chunks(BYTES_PER_CELL).collect()
    }
}

/// Returns the name of the file of a cell, or of its proof (`ending` is `cell` or `proof`), in a folder of cells.
pub(super) fn part_name(index: usize, ending: &str) -> String {
    format!("{index:03}.{ending}")
}

/// Reads `NAME.cells`: all cells from a file, or some from a folder.
///
/// # Errors
/// Errors of the system; wrong lengths; in a folder, names of neither cells nor proofs, duplicate cells, and
/// no cells, which would verify trivially.
pub(super) fn read_cells(path: &Path) -> Result<Cells, InputError> {
    if !path.is_dir() {
        let bytes = read(path, CELLS_PER_EXT_BLOB * BYTES_PER_CELL, "the file of all cells", None)?;
        return Ok(Cells { indices: (0..CELLS_PER_EXT_BLOB as u64).collect(), bytes, files: Vec::new() });
    }
    let wrong = |why: String| InputError::file(format!("{}: {why}", shown(path)));
    let system = |error: Error| wrong(error.to_string());
    let mut names = Vec::new();
    for file in fs::read_dir(path).map_err(system)? {
        let file = file.map_err(system)?.file_name();
        let bytes = file.as_encoded_bytes();
        if bytes.starts_with(b".") || bytes.ends_with(b".proof") {
            continue;
        }
        let digits = file.to_str().and_then(|name| name.strip_suffix(".cell"));
        let digits =
            digits.filter(|digits| digits.len() <= 9 && digits.bytes().all(|byte| byte.is_ascii_digit()));
        let index =
            digits.and_then(|digits| digits.parse().ok()).filter(|i: &u64| *i < CELLS_PER_EXT_BLOB as u64);
        match index {
            Some(index) => names.push((index, file)),
            None => {
                return Err(wrong(format!(
                    "{} is not a cell: a folder of cells holds files INDEX.cell and INDEX.proof, with INDEX from 0 to {}",
                    shown(Path::new(&file)),
                    CELLS_PER_EXT_BLOB - 1
                )));
            }
        }
    }
    if names.is_empty() {
        return Err(wrong("contains no cell: no file INDEX.cell".to_owned()));
    }
    names.sort();
    if let Some(pair) = names.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let [a, b] = [&pair[0].1, &pair[1].1].map(|name| shown(Path::new(name)));
        return Err(wrong(format!("cell {} is present twice, as {a} and {b}", pair[0].0)));
    }
    let (indices, files): (Vec<u64>, Vec<PathBuf>) =
        names.into_iter().map(|(index, name)| (index, path.join(name))).unzip();
    let mut bytes = Vec::with_capacity(files.len() * BYTES_PER_CELL);
    for file in &files {
        bytes.extend(read(file, BYTES_PER_CELL, "a cell", None)?);
    }
    Ok(Cells { indices, bytes, files })
}

/// Reads the proofs of those cells, concatenated: from the file `proofs` if all cells are from one file, and otherwise
/// from the file next to each cell.
///
/// # Errors
/// Errors of the system; wrong lengths.
pub(super) fn read_proofs(proofs: &Path, cells: &Cells) -> Result<Vec<u8>, InputError> {
    if cells.files.is_empty() {
        return read(proofs, CELLS_PER_EXT_BLOB * BYTES_PER_PROOF, "the file of all proofs", None);
    }
    let mut bytes = Vec::with_capacity(cells.files.len() * BYTES_PER_PROOF);
    for file in &cells.files {
        bytes.extend(read(&file.with_extension("proof"), BYTES_PER_PROOF, "a proof", None)?);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_and_hexadecimal() {
        let decode = |text: &[u8], format| decode(text.to_vec(), 2, "a pair", format);
        for text in [&b"\x0a\xFF"[..], b"0aff", b"0x0aFF\n", b" \t0X0A\nf f\r\n"] {
            assert_eq!(decode(text, None), Ok(vec![10, 255]), "{text:?}");
            assert!(holds(text.to_vec(), &[10, 255]) && !holds(text.to_vec(), &[10, 254]), "{text:?}");
            assert!(!holds(text.to_vec(), &[10, 255, 0]) && !holds(text.to_vec(), &[]), "{text:?}");
        }
        assert_eq!(decode(b"0a", None), Ok(b"0a".to_vec()), "what has the length is raw");
        let right = "a pair has 2 bytes raw, or 4 hexadecimal digits";
        for (text, format, why) in [
            (&b""[..], None, "it is empty"),
            (b"", Some(Format::Raw), "0 bytes"),
            (b"x", None, "1 byte"),
            (b"0aff", Some(Format::Raw), "4 bytes"),
            (b"0a", Some(Format::Hex), "2 hexadecimal digits"),
            (b"0aff0", None, "5 hexadecimal digits"),
            (b"0x0aff00", None, "6 hexadecimal digits"),
            (b"0x", Some(Format::Hex), "0 hexadecimal digits"),
            (b"0xag", Some(Format::Hex), "'g' at byte 3 is not a hexadecimal digit"),
        ] {
            assert_eq!(decode(text, format), Err(format!("{why}: {right}")), "{text:?}");
        }
    }

    #[test]
    fn values_of_the_command_line() {
        assert_eq!(value::<2>("0x0102"), Ok([1, 2]));
        assert_eq!(value::<2>("0x010"), Err("3 hexadecimal digits instead of 4".to_owned()));
        assert_eq!(value::<2>("zz"), Err("'z' is not a hexadecimal digit".to_owned()));
    }
}

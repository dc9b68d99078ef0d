//! Records as files: JSON, which is also read compressed with gzip.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use serde::de::Error;
use tempfile::NamedTempFile;

use crate::leftover::temporary_file;
use crate::record::{Record, SCHEMA};
use crate::stats;
use crate::system::readable_by_all;

/// The first bytes of a gzip file.
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// A record that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum RecordError {
    #[error("{path}: {source}", path = path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{path}: not a record of the lab, or cut short: {source}", path = path.display())]
    Syntax { path: PathBuf, source: serde_json::Error },
    #[error("{path}: not a record of the lab: {field}: {source}", path = path.display())]
    Field { path: PathBuf, field: String, source: serde_json::Error },
    #[error("{path}: a record of schema {found}, but this version reads schema {SCHEMA}", path = path.display())]
    Schema { path: PathBuf, found: u64 },
}

impl Record {
    /// Reads a record, compressed or not, and checks it.
    ///
    /// # Errors
    /// [`RecordError`], with the path of the field if one is wrong.
    pub fn read(path: &Path) -> Result<Self, RecordError> {
        let io = |source| RecordError::Io { path: path.to_owned(), source };
        let mut bytes = std::fs::read(path).map_err(io)?;
        if bytes.starts_with(&GZIP) {
            let mut text = Vec::new();
            GzDecoder::new(&bytes[..]).read_to_end(&mut text).map_err(io)?;
            bytes = text;
        }
        let syntax = |source| RecordError::Syntax { path: path.to_owned(), source };
        let json: serde_json::Value = serde_json::from_slice(&bytes).map_err(syntax)?;
        let schema = json.get("schema").and_then(serde_json::Value::as_u64);
        if let Some(found) = schema.filter(|found| *found != u64::from(SCHEMA)) {
            return Err(RecordError::Schema { path: path.to_owned(), found });
        }
        let field = |field, source| RecordError::Field { path: path.to_owned(), field, source };
        let mut record: Record = serde_path_to_error::deserialize(json)
            .map_err(|error| field(error.path().to_string(), error.into_inner()))?;
        record.check().map_err(|(at, why)| field(at, serde_json::Error::custom(why)))?;
        record.cases.iter_mut().for_each(stats::summarize);
        Ok(record)
    }

    /// Writes the record next to `path` and renames it, so that a reader never sees a part of it.
    ///
    /// # Errors
    /// [`RecordError::Io`]. The file is then unchanged.
    pub fn write(&self, path: &Path) -> Result<(), RecordError> {
        let write = || {
            let file = temporary(path, &serde_json::to_vec(self)?)?;
            file.as_file().sync_all()?;
            readable_by_all(&file.persist(path)?)
        };
        write().map_err(|source| RecordError::Io { path: path.to_owned(), source })
    }
}

/// Writes a file that must not exist yet, so that a reader never sees a part of it.
///
/// # Errors
/// The error of the operating system, of kind [`std::io::ErrorKind::AlreadyExists`] if there is anything of that
/// name, also a link that leads nowhere.
pub fn write_new(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let file = temporary(path, bytes)?;
    file.as_file().sync_all()?;
    readable_by_all(&file.persist_noclobber(path)?)
}

/// Writes or replaces a file that can be made again, so that a reader never sees a part of it. It does not wait for the
/// disk, so that hundreds of files take little time.
///
/// # Errors
/// The error of the operating system. The file is then unchanged.
pub fn write_derived(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    readable_by_all(&temporary(path, bytes)?.persist(path)?)
}

/// Writes a temporary file next to `path`.
fn temporary(path: &Path, bytes: &[u8]) -> std::io::Result<NamedTempFile> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = temporary_file(folder)?;
    file.write_all(bytes)?;
    Ok(file)
}

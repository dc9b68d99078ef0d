//! Records as files: JSON, which is also read compressed with gzip.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use tempfile::NamedTempFile;

use crate::leftover::temporary_file;
use crate::record::{InvalidRecord, Record, SCHEMA};
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
    #[error("{path}: {source}", path = path.display())]
    Invalid { path: PathBuf, source: InvalidRecord },
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
        match json.get("schema").and_then(serde_json::Value::as_u64) {
            Some(found) if found != u64::from(SCHEMA) => {
                return Err(RecordError::Schema { path: path.to_owned(), found });
            }
            _ => {}
        }
        let mut record: Record =
            serde_path_to_error::deserialize(json).map_err(|error| RecordError::Field {
                path: path.to_owned(),
                field: error.path().to_string(),
                source: error.into_inner(),
            })?;
        record.check().map_err(|source| RecordError::Invalid { path: path.to_owned(), source })?;
        record.cases.iter_mut().for_each(stats::summarize);
        Ok(record)
    }

    /// Writes the record next to `path` and renames it, so that a reader never sees a part of it.
    ///
    /// # Errors
    /// [`RecordError::Io`]. The file is then unchanged.
    pub fn write(&self, path: &Path) -> Result<(), RecordError> {
        let io = |source| RecordError::Io { path: path.to_owned(), source };
        let json = serde_json::to_vec(self)
            .map_err(|source| RecordError::Syntax { path: path.to_owned(), source })?;
        let write = || {
            let file = temporary(path, &json)?;
            file.as_file().sync_all()?;
            readable_by_all(&file.persist(path).map_err(|e| e.error)?)
        };
        write().map_err(io)
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
    readable_by_all(&file.persist_noclobber(path).map_err(|e| e.error)?)
}

/// Writes or replaces a file that can be made again, so that a reader never sees a part of it. It does not wait for the
/// disk, so that hundreds of files take little time.
///
/// # Errors
/// The error of the operating system. The file is then unchanged.
pub fn write_derived(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    readable_by_all(&temporary(path, bytes)?.persist(path).map_err(|e| e.error)?)
}

/// Writes a temporary file next to `path`.
fn temporary(path: &Path, bytes: &[u8]) -> std::io::Result<NamedTempFile> {
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = temporary_file(folder)?;
    file.write_all(bytes)?;
    Ok(file)
}

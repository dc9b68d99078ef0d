//! Records as files: JSON, compressed with gzip if the name ends with `.gz`; and thinned records.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use parcrypt_protocol::OutputDigest;
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::leftover::temporary_file;
use crate::record::{Case, InvalidRecord, Record, SCHEMA, Sample, Thinned};
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

    /// Replaces the samples by the values that the estimators use and the digest of the samples. A report of the
    /// thinned record is the same, byte for byte. An entry that was thinned before stays as it is. Whole commands
    /// keep their samples, because reports count their runs, and so do entries that differ with one memory layout only,
    /// because that shows in their blocks.
    pub fn thin(&mut self) {
        self.cases.iter_mut().for_each(stats::summarize);
        let in_one_layout = |case: &Case| {
            let entries = 0..case.entries.len();
            entries.into_iter().any(|entry| stats::in_one_layout(case, entry, case.baseline).is_some())
        };
        let cases = self.cases.iter_mut().filter(|case| !case.is_of_commands() && !in_one_layout(case));
        for entry in cases.flat_map(|case| &mut case.entries) {
            if entry.thinned.is_none() {
                let samples = std::mem::take(&mut entry.rounds);
                entry.thinned = Some(Thinned {
                    rounds: entry.replicates.clone(),
                    processes: Some(samples.len()),
                    samples: digest(&samples),
                });
            }
        }
    }

    /// Writes the record next to `path` and renames it, so that a reader never sees a part of it.
    ///
    /// # Errors
    /// [`RecordError::Io`]. The file is then unchanged.
    pub fn write(&self, path: &Path) -> Result<(), RecordError> {
        let io = |source| RecordError::Io { path: path.to_owned(), source };
        write_atomic(path, &self.bytes(path)?).map_err(io)
    }

    /// Returns the contents of the file that [`Record::write`] writes to this path.
    ///
    /// # Errors
    /// [`RecordError::Io`], from the compression.
    pub fn bytes(&self, path: &Path) -> Result<Vec<u8>, RecordError> {
        let json = serde_json::to_vec(self)
            .map_err(|source| RecordError::Syntax { path: path.to_owned(), source })?;
        match path.extension().is_some_and(|ending| ending == "gz") {
            true => compressed(&json).map_err(|source| RecordError::Io { path: path.to_owned(), source }),
            false => Ok(json),
        }
    }
}

/// Returns the compressed record. The same record gives the same bytes: the header has no time and no name.
fn compressed(json: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(json)?;
    encoder.finish()
}

/// Writes a file under a temporary name in the same folder, then renames it, so that a reader never sees a part of it.
///
/// # Errors
/// The error of the operating system. The file is then unchanged.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let file = temporary(path, bytes)?;
    file.as_file().sync_all()?;
    readable_by_all(&file.persist(path).map_err(|e| e.error)?)
}

/// [`write_atomic`] for a file that must not exist yet.
///
/// # Errors
/// The error of the operating system, of kind [`std::io::ErrorKind::AlreadyExists`] if there is anything of that
/// name, also a link that leads nowhere.
pub fn write_new(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let file = temporary(path, bytes)?;
    file.as_file().sync_all()?;
    readable_by_all(&file.persist_noclobber(path).map_err(|e| e.error)?)
}

/// [`write_atomic`] for files that can be made again: it does not wait for the disk, so that hundreds of files take
/// little time.
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

/// Returns `sha256:…` of the samples as compact JSON, the form in which a full record has them: `jq -c
/// .cases[0].entries[0].rounds` without the end of line.
fn digest(samples: &[Vec<Sample>]) -> String {
    let json = serde_json::to_vec(samples).unwrap_or_default();
    OutputDigest(Sha256::digest(&json).into()).to_string()
}

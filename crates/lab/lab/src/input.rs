//! Input files: the same bytes on every machine and in every run.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{BufWriter, Error, ErrorKind, Write};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use chacha20::ChaCha8Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use parcrypt_protocol::OutputDigest;
use sha2::{Digest, Sha256};

use crate::leftover::TempFolder;
use crate::system;

/// Seed of all input files.
const SEED: u64 = 1;

/// Input files of runs, in a temporary folder: each is made when it is needed first.
#[derive(Debug)]
pub struct Inputs {
    folder: TempFolder,
    /// By number of bytes.
    made: RefCell<BTreeMap<u64, InputFile>>,
}

/// Why an input file is not there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is its text")]
pub enum InputError {
    #[error("{}: {bytes} bytes, and {free} are free", folder.display())]
    Space { folder: PathBuf, bytes: u64, free: u64 },
    #[error("{}: {bytes} bytes: {source}", folder.display())]
    System { folder: PathBuf, bytes: u64, source: std::io::Error },
    #[error("interrupted")]
    Interrupted,
}

/// One file.
#[derive(Clone, Debug)]
pub(crate) struct InputFile {
    pub(crate) path: PathBuf,
    /// `sha256:…` of its bytes.
    pub(crate) digest: String,
}

impl Inputs {
    /// Makes the folder.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn new() -> std::io::Result<Self> {
        Ok(Inputs { folder: TempFolder::new()?, made: RefCell::default() })
    }

    /// Returns the file of a number of bytes, made at the first call. A shorter file is the beginning of a longer one.
    ///
    /// # Errors
    /// [`InputError`]. Nothing is left of a file that is not whole.
    pub(crate) fn file(&self, bytes: u64, stop: &AtomicBool) -> Result<InputFile, InputError> {
        if let Some(made) = self.made.borrow().get(&bytes) {
            return Ok(made.clone());
        }
        let folder = self.folder.path();
        let system = |source| InputError::System { folder: folder.to_owned(), bytes, source };
        let free = system::free(folder).map_err(system)?;
        if bytes > free {
            return Err(InputError::Space { folder: folder.to_owned(), bytes, free });
        }
        let path = folder.join(format!("{bytes}.bin"));
        let digest =
            write(&path, bytes, stop).map_err(system).and_then(|done| done.ok_or(InputError::Interrupted));
        let digest = digest.inspect_err(|_| drop(std::fs::remove_file(&path)))?;
        let file = InputFile { path, digest };
        self.made.borrow_mut().insert(bytes, file.clone());
        Ok(file)
    }
}

/// Checks that a file can be read again and again, from its beginning. A device can, such as `/dev/zero`.
///
/// # Errors
/// It is a folder, a pipe or a socket, or not there.
pub(crate) fn check_input(path: &Path) -> std::io::Result<()> {
    let kind = std::fs::metadata(path)?.file_type();
    if kind.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if kind.is_fifo() || kind.is_socket() {
        let why = "it is a pipe or a socket, and each run reads its input from the beginning: take a file";
        return Err(Error::new(ErrorKind::InvalidInput, why));
    }
    Ok(())
}

/// Writes the stream of ChaCha8 for [`SEED`], as `seed_from_u64` expands it, and returns its digest; `None` if the user
/// wants to stop.
fn write(path: &Path, bytes: u64, stop: &AtomicBool) -> std::io::Result<Option<String>> {
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    let mut rng = ChaCha8Rng::seed_from_u64(SEED);
    let mut hash = Sha256::new();
    let mut block = vec![0; 1 << 20];
    let mut left = bytes;
    while left > 0 {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        rng.fill_bytes(&mut block);
        let part = &block[..usize::try_from(left).map_or(block.len(), |left| left.min(block.len()))];
        file.write_all(part)?;
        hash.update(part);
        left -= part.len() as u64;
    }
    file.flush()?;
    Ok(Some(digest(hash)))
}

fn digest(hash: Sha256) -> String {
    OutputDigest(hash.finalize().into()).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_the_same_each_time_and_shorter_is_a_beginning() {
        let inputs = Inputs::new().unwrap();
        let file = |bytes| inputs.file(bytes, &AtomicBool::new(false)).unwrap();
        let [short, long] = [100, (1 << 20) + 5].map(|n| std::fs::read(&file(n).path).unwrap());
        assert_eq!((short.len(), long.len()), (100, (1 << 20) + 5));
        assert_eq!(short, long[..100]);
        assert_eq!(file(100).digest, digest(Sha256::new_with_prefix(&short)));
        assert_eq!(file(0).digest, digest(Sha256::new()));
        // As in records of earlier versions.
        let known = "sha256:dbc90ebf93af70f48e55b1f59b69afef841a5f475ce0c29ddb983cf11d344d0a";
        assert_eq!(file(128).digest, known);
    }

    #[test]
    fn a_device_can_be_read_again() {
        assert!(check_input(Path::new("/dev/null")).is_ok());
    }

    #[test]
    fn a_file_that_does_not_fit_is_not_begun_and_an_interrupted_one_is_removed() {
        let inputs = Inputs::new().unwrap();
        for bytes in [u64::MAX, 1 << 62] {
            let refused = inputs.file(bytes, &AtomicBool::new(false)).unwrap_err();
            assert!(matches!(refused, InputError::Space { free, .. } if free < bytes), "{refused}");
        }
        let stopped = inputs.file(100, &AtomicBool::new(true)).unwrap_err();
        assert!(matches!(stopped, InputError::Interrupted), "{stopped}");
        assert_eq!(std::fs::read_dir(inputs.folder.path()).unwrap().count(), 0);
    }
}

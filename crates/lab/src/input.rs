//! Input files: bytes from a seed, the same on every machine and in every run.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use sha2::{Digest, Sha256};

use crate::leftover::TempFolder;
use crate::run::RunError;

/// Input files of runs, in a temporary folder: each is made when it is needed first.
#[derive(Debug)]
pub struct Inputs {
    folder: TempFolder,
    /// By seed and number of bytes.
    made: RefCell<BTreeMap<(u64, u64), InputFile>>,
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
    /// [`RunError::Folder`].
    pub fn new() -> Result<Self, RunError> {
        Ok(Inputs { folder: TempFolder::new().map_err(RunError::Folder)?, made: RefCell::default() })
    }

    /// Returns the file of a seed and a number of bytes, made at the first call. A shorter file is the beginning of a
    /// longer one.
    pub(crate) fn file(&self, seed: u64, bytes: u64) -> std::io::Result<InputFile> {
        if let Some(made) = self.made.borrow().get(&(seed, bytes)) {
            return Ok(made.clone());
        }
        let path = self.folder.path().join(format!("{seed}-{bytes}.bin"));
        let digest = write(&path, seed, bytes)?;
        let file = InputFile { path, digest };
        self.made.borrow_mut().insert((seed, bytes), file.clone());
        Ok(file)
    }
}

/// The stream of ChaCha8 for the seed, as `seed_from_u64` expands it.
fn write(path: &Path, seed: u64, bytes: u64) -> std::io::Result<String> {
    let mut file = BufWriter::new(std::fs::File::create(path)?);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut hash = Sha256::new();
    let mut block = vec![0; 1 << 20];
    let mut left = bytes;
    while left > 0 {
        rng.fill_bytes(&mut block);
        let part = &block[..usize::try_from(left).map_or(block.len(), |left| left.min(block.len()))];
        file.write_all(part)?;
        hash.update(part);
        left -= part.len() as u64;
    }
    file.flush()?;
    Ok(sha256(hash))
}

/// `sha256:` and the hexadecimal digits.
fn sha256(hash: Sha256) -> String {
    let digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digits}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_bytes_and_shorter_is_a_beginning() {
        let inputs = Inputs::new().unwrap();
        let [short, long] =
            [100, (1 << 20) + 5].map(|n| std::fs::read(&inputs.file(7, n).unwrap().path).unwrap());
        assert_eq!((short.len(), long.len()), (100, (1 << 20) + 5));
        assert_eq!(short, long[..100]);
        let digest = inputs.file(7, 100).unwrap().digest;
        assert_eq!(digest, sha256(Sha256::new_with_prefix(&short)));
        assert_eq!(digest, Inputs::new().unwrap().file(7, 100).unwrap().digest);
        assert_ne!(digest, inputs.file(8, 100).unwrap().digest);
        assert_eq!(inputs.file(7, 0).unwrap().digest, sha256(Sha256::new()));
    }
}

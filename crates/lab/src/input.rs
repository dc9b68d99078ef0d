//! Input files: bytes from a seed, the same on every machine and in every run.

use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use sha2::{Digest, Sha256};

use crate::leftover::TempFolder;

/// Input files of one run, in a temporary folder.
#[derive(Debug)]
pub(crate) struct Inputs {
    folder: TempFolder,
    seed: u64,
    made: BTreeMap<u64, InputFile>,
}

/// One file.
#[derive(Clone, Debug)]
pub(crate) struct InputFile {
    pub(crate) path: PathBuf,
    /// `sha256:…` of its bytes.
    pub(crate) digest: String,
}

impl Inputs {
    pub(crate) fn new(seed: u64) -> std::io::Result<Self> {
        Ok(Inputs { folder: TempFolder::new()?, seed, made: BTreeMap::new() })
    }

    /// Returns the file of `bytes` bytes, made at the first call. A shorter file is the beginning of a longer one.
    pub(crate) fn file(&mut self, bytes: u64) -> std::io::Result<&InputFile> {
        if !self.made.contains_key(&bytes) {
            let path = self.folder.path().join(format!("{bytes}.bin"));
            let digest = write(&path, self.seed, bytes)?;
            self.made.insert(bytes, InputFile { path, digest });
        }
        Ok(&self.made[&bytes])
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
        let mut inputs = Inputs::new(7).unwrap();
        let [short, long] =
            [100, (1 << 20) + 5].map(|n| std::fs::read(&inputs.file(n).unwrap().path).unwrap());
        assert_eq!((short.len(), long.len()), (100, (1 << 20) + 5));
        assert_eq!(short, long[..100]);
        let digest = inputs.file(100).unwrap().digest.clone();
        assert_eq!(digest, sha256(Sha256::new_with_prefix(&short)));
        assert_eq!(digest, Inputs::new(7).unwrap().file(100).unwrap().digest);
        assert_ne!(digest, Inputs::new(8).unwrap().file(100).unwrap().digest);
        assert_eq!(inputs.file(0).unwrap().digest, sha256(Sha256::new()));
    }
}

//! Input files that the lab makes.

use std::fs::File;
use std::io::{Error, Read};
use std::path::{Path, PathBuf};

use crate::{Prepare, WorkerError};

impl Prepare {
    /// Returns the path of the input.
    ///
    /// # Errors
    /// [`WorkerError::NoInput`] if the request has no input.
    pub fn input(&self) -> Result<&PathBuf, WorkerError> {
        self.input.as_ref().ok_or_else(|| WorkerError::NoInput { workload: self.workload.clone() })
    }
}

/// Opens a regular file of `bytes` bytes.
///
/// # Errors
/// [`WorkerError::Input`].
pub fn open(path: &Path, bytes: u64) -> Result<File, WorkerError> {
    let check = || {
        // The file is checked before it is opened, because opening a FIFO would wait.
        let found = std::fs::metadata(path)?;
        if !found.is_file() {
            return Err(Error::other("not a regular file"));
        }
        if found.len() != bytes {
            let found = found.len();
            return Err(Error::other(format!("it has {found} bytes, but the parameters say {bytes}")));
        }
        File::open(path)
    };
    check().map_err(|source| WorkerError::Input { path: path.to_owned(), source })
}

/// Reads a regular file of `bytes` bytes.
///
/// # Errors
/// [`WorkerError::Input`].
pub fn read(path: &Path, bytes: u64) -> Result<Vec<u8>, WorkerError> {
    let mut file = open(path, bytes)?;
    let mut read = || {
        let length = usize::try_from(bytes).map_err(Error::other)?;
        let mut all = Vec::new();
        all.try_reserve_exact(length).map_err(Error::other)?;
        all.resize(length, 0);
        file.read_exact(&mut all)?;
        Ok(all)
    };
    read().map_err(|source| WorkerError::Input { path: path.to_owned(), source })
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn only_a_file_of_the_right_size_is_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("three");
        std::fs::write(&path, b"abc").expect("a file");
        assert_eq!(read(&path, 3).expect("three bytes"), b"abc");
        for (path, bytes, part) in [
            (path.as_path(), 2, "it has 3 bytes, but the parameters say 2"),
            (&path, 4, "it has 3 bytes"),
            (&folder.path().join("missing"), 1, "No such file"),
            (folder.path(), 1, "not a regular file"),
            (Path::new("/dev/zero"), 0, "not a regular file"),
        ] {
            let why = read(path, bytes).expect_err("it is wrong").to_string();
            assert!(why.starts_with(&format!("input {}: ", path.display())) && why.contains(part), "{why}");
        }
    }
}

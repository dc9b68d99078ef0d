//! The file that the lab made.

use std::fs::File;
use std::io::Read;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use crate::{Prepare, Trouble};

impl Prepare {
    /// The path of the input.
    ///
    /// # Errors
    /// [`Trouble::NoInput`] where none was named.
    pub fn input(&self) -> Result<&PathBuf, Trouble> {
        self.input.as_ref().ok_or_else(|| Trouble::NoInput(self.workload.clone()))
    }
}

/// What is wrong with an input.
pub fn wrong(path: &Path, what: impl ToString) -> Trouble {
    Trouble::Input { path: path.display().to_string(), what: what.to_string() }
}

/// Opens a regular file of exactly that many bytes.
///
/// # Errors
/// [`Trouble::Input`].
pub fn open(path: &Path, bytes: u64) -> Result<File, Trouble> {
    // Without O_NONBLOCK a FIFO would be waited for.
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = File::options().read(true).custom_flags(flags).open(path).map_err(|e| wrong(path, e))?;
    let found = file.metadata().map_err(|e| wrong(path, e))?;
    match found.len() {
        _ if !found.is_file() => Err(wrong(path, "it is no regular file")),
        found if found != bytes => {
            Err(wrong(path, format!("it has {found} bytes, but the parameters say {bytes}")))
        }
        _ => Ok(file),
    }
}

/// Reads a regular file of exactly that many bytes.
///
/// # Errors
/// [`Trouble::Input`].
pub fn read(path: &Path, bytes: u64) -> Result<Vec<u8>, Trouble> {
    let mut file = open(path, bytes)?;
    let mut all = Vec::new();
    let length = usize::try_from(bytes).map_err(|e| wrong(path, e))?;
    all.try_reserve_exact(length).map_err(|e| wrong(path, e))?;
    all.resize(length, 0);
    file.read_exact(&mut all).map_err(|e| wrong(path, e))?;
    Ok(all)
}

#[cfg(test)]
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
            (folder.path(), 1, "no regular file"),
            (Path::new("/dev/zero"), 0, "no regular file"),
        ] {
            let why = read(path, bytes).expect_err("it is wrong").to_string();
            assert!(why.starts_with(&format!("input {}: ", path.display())) && why.contains(part), "{why}");
        }
    }
}

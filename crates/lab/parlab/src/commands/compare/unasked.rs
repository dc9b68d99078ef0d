//! Commands that read their standard input although they were given none.
//!
//! Their input is an empty file, whose access time shows whether it was read: also a read that returns nothing sets it,
//! unless the file system never does (mounted with `noatime`).

use std::fs::{File, FileTimes};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use parcrypt_lab::command::EMPTY_INPUT;
use parcrypt_lab::plan::Matrix;
use parcrypt_lab::record::Role;

use parcrypt_terminal::text::{on_one_line, tell};

/// The empty inputs of commands, each with the command's name.
#[derive(Debug, Default)]
pub(super) struct EmptyInputs {
    files: Vec<(String, PathBuf)>,
}

impl EmptyInputs {
    /// Gives each command of a matrix an empty input in a folder.
    pub(super) fn new(matrix: &mut Matrix, folder: &Path) -> Self {
        let mut files: Vec<(String, PathBuf)> = Vec::new();
        for entry in matrix.cases.iter_mut().flat_map(|case| &mut case.entries) {
            if entry.role != Role::Candidate {
                continue;
            }
            let known = files.iter().find(|(name, _)| *name == entry.candidate);
            let path =
                known.map_or_else(|| folder.join(format!("input-{}", files.len())), |known| known.1.clone());
            // Without the file a command gets `/dev/null`, and no note.
            let (Some(text), true) = (path.to_str(), path.exists() || create(&path).is_ok()) else {
                continue;
            };
            entry.env.insert(EMPTY_INPUT.to_owned(), text.to_owned());
            if !files.iter().any(|(name, _)| *name == entry.candidate) {
                files.push((entry.candidate.clone(), path));
            }
        }
        EmptyInputs { files }
    }

    /// Tells once which commands have read their input.
    pub(super) fn tell(&mut self) {
        let (read, unread) =
            std::mem::take(&mut self.files).into_iter().partition(|(_, path)| was_read(path));
        self.files = unread;
        let read: Vec<(String, PathBuf)> = read;
        for (name, _) in read {
            let name = on_one_line(&name);
            tell(&format!(
                "note: `{name}` reads its standard input, which is empty; --input FILE gives it one"
            ));
        }
    }
}

/// Creates an empty file that was last read long ago.
fn create(path: &Path) -> std::io::Result<()> {
    File::create(path)?.set_times(FileTimes::new().set_accessed(SystemTime::UNIX_EPOCH))
}

/// Returns whether a file was read since [`create`].
fn was_read(path: &Path) -> bool {
    let accessed = path.metadata().and_then(|found| found.accessed());
    accessed.is_ok_and(|accessed| accessed != SystemTime::UNIX_EPOCH)
}

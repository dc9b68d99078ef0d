//! Commands that read their standard input although they were given none.
//!
//! Their input is an empty file, whose access time shows whether it was read: also a read that returns nothing sets it,
//! unless the file system never does (mounted with `noatime`).

use std::collections::BTreeSet;
use std::fs::{File, FileTimes};
use std::path::Path;
use std::time::SystemTime;

use parcrypt_lab::command::EMPTY_INPUT;
use parcrypt_lab::plan::Matrix;
use parcrypt_lab::record::Role;
use parcrypt_terminal::text::{on_one_line, tell};

/// Gives each entry of a matrix an empty input in a folder, which was last read long ago.
pub(super) fn give(matrix: &mut Matrix, folder: &Path) {
    for (number, entry) in matrix.cases.iter_mut().flat_map(|case| &mut case.entries).enumerate() {
        let path = folder.join(format!("input-{number}"));
        let long_ago = FileTimes::new().set_accessed(SystemTime::UNIX_EPOCH);
        let made = File::create(&path).and_then(|file| file.set_times(long_ago));
        // Without the file a command gets `/dev/null`, and no note.
        if let (Some(path), Ok(())) = (path.to_str(), made) {
            entry.env.insert(EMPTY_INPUT.to_owned(), path.to_owned());
        }
    }
}

/// Tells once which commands have read their input.
pub(super) fn tell_read(matrix: &Matrix) {
    let was_read = |path: &String| {
        let accessed = Path::new(path).metadata().and_then(|found| found.accessed());
        accessed.is_ok_and(|accessed| accessed != SystemTime::UNIX_EPOCH)
    };
    let entries = matrix.cases.iter().flat_map(|case| &case.entries);
    let read = entries
        .filter(|entry| entry.role == Role::Candidate && entry.env.get(EMPTY_INPUT).is_some_and(was_read));
    let names: BTreeSet<&str> = read.map(|entry| entry.candidate.as_str()).collect();
    for name in names {
        let name = on_one_line(name);
        tell(&format!("note: `{name}` reads its standard input, which is empty; --input FILE gives it one"));
    }
}

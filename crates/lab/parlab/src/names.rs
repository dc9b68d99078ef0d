//! Names of the files of a run.

use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use parcrypt_terminal::error::CommandError;

/// Endings of the files of a run that are written after its record.
const LATER: [&str; 2] = ["html", "md"];

/// The files of a run, whose names differ in their endings only. The record's is made at once and empty, so that no
/// other run takes the name; if nothing was written to it, it is removed in the end.
#[derive(Debug)]
pub(crate) struct Names {
    folder: PathBuf,
    stem: String,
}

impl Names {
    /// Takes the name of the plan with the time, and a number from 2 if that name is taken.
    pub(crate) fn take(folder: &Path, plan: &str, time: SystemTime) -> Result<Self, CommandError> {
        let time = humantime::format_rfc3339_millis(time).to_string().replace([':', '.'], "-");
        let mut number = 1;
        loop {
            let further = if number == 1 { String::new() } else { format!("-{number}") };
            let stem = format!("{plan}-{time}{further}");
            let record = folder.join(format!("{stem}.json"));
            match OpenOptions::new().write(true).create_new(true).open(&record) {
                Ok(_) => {
                    // If another file has one of the names, the record is removed by this value.
                    let names = Names { folder: folder.to_owned(), stem };
                    if LATER.iter().all(|ending| names.path(ending).symlink_metadata().is_err()) {
                        return Ok(names);
                    }
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(CommandError::new(format!("{}: {error}", record.display()))),
            }
            number += 1;
        }
    }

    /// Returns the path of the file with this ending.
    pub(crate) fn path(&self, ending: &str) -> PathBuf {
        self.folder.join(format!("{}.{ending}", self.stem))
    }
}

impl Drop for Names {
    fn drop(&mut self) {
        let record = self.path("json");
        if std::fs::metadata(&record).is_ok_and(|found| found.is_file() && found.len() == 0) {
            // A file that cannot be removed stays empty.
            let _ = std::fs::remove_file(record);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::time::Duration;

    use super::*;

    #[test]
    fn names_are_unique_whatever_the_time() {
        let folder = tempfile::tempdir().unwrap();
        let time = SystemTime::UNIX_EPOCH + Duration::from_millis(1_234_567);
        let take = || Names::take(folder.path(), "p", time).unwrap();
        let first = take();
        assert_eq!(first.stem, "p-1970-01-01T00-20-34-567Z");
        // A page that is there without its record, and a link that leads nowhere.
        std::fs::write(folder.path().join("p-1970-01-01T00-20-34-567Z-2.html"), "mine").unwrap();
        let link = folder.path().join("p-1970-01-01T00-20-34-567Z-3.md");
        std::os::unix::fs::symlink("nowhere", link).unwrap();
        let next = take();
        assert_eq!(next.stem, "p-1970-01-01T00-20-34-567Z-4");
        let all = std::thread::scope(|scope| {
            let runs: Vec<_> =
                (0..4).map(|_| scope.spawn(|| (0..25).map(|_| take()).collect::<Vec<_>>())).collect();
            runs.into_iter().flat_map(|run| run.join().unwrap()).collect::<Vec<_>>()
        });
        let stems: BTreeSet<&str> = all.iter().chain([&first, &next]).map(|names| &*names.stem).collect();
        assert_eq!(stems.len(), 102);
        // What was written to stays.
        std::fs::write(first.path("json"), "{}").unwrap();
        let (kept, unused) = (first.path("json"), next.path("json"));
        drop((first, next, all));
        assert!(kept.exists() && !unused.exists());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    }
}

//! `--same-output`: where the outputs of two commands differ.

use std::path::{Path, PathBuf};

use parcrypt_lab::command::{KEEP, difference};
use parcrypt_lab::plan::Matrix;
use parcrypt_lab::record::{Entry, FailureKind, Record, Role};

use parcrypt_terminal::text::{on_one_line, tell};

/// Characters of a line that are shown.
const WIDTH: usize = 200;

/// Returns the path under which an entry keeps its outputs.
fn kept(folder: &Path, case: usize, entry: usize) -> PathBuf {
    folder.join(format!("output-{case}-{entry}"))
}

/// Makes each command of a matrix keep its outputs in a folder.
pub(super) fn keep_outputs(matrix: &mut Matrix, folder: &Path) {
    for (c, case) in matrix.cases.iter_mut().enumerate() {
        for (r, entry) in case.entries.iter_mut().enumerate() {
            // A path that is not text is not kept: differences are found all the same.
            let path = kept(folder, c, r).to_str().map(str::to_owned);
            entry.env.extend(path.map(|path| (KEEP.to_owned(), path)));
        }
    }
}

/// Tells for each command whose output was wrong the first line in which it differs.
pub(super) fn tell_all(record: &Record, folder: &Path) {
    for (c, case) in record.cases.iter().enumerate() {
        let params: String = case.params.iter().map(|(name, value)| format!("{name}={value}: ")).collect();
        for (r, entry) in case.entries.iter().enumerate() {
            let failure = entry.failure.as_ref().filter(|one| one.kind == FailureKind::WrongDigest);
            let Some(failure) = failure else { continue };
            let is_right =
                |one: &Entry| one.role != Role::Limit && one.digest.is_some() && one.failure.is_none();
            let other = match failure.why.contains("than before") {
                true => r,
                false => case.entries.iter().position(is_right).unwrap_or(case.baseline),
            };
            let [one, this] = [other, r].map(|at| on_one_line(&case.entries[at].candidate));
            let (what, one, this) = match other == r {
                true => {
                    let what = format!("{params}the output or exit code of {this} is not always the same");
                    (what, "first run".to_owned(), "later run".to_owned())
                }
                false => (format!("{params}the outputs of {one} and {this} differ"), one, this),
            };
            let found = difference(&kept(folder, c, other), &kept(folder, c, r)).map(|(number, lines)| {
                let [a, b] = lines.map(|line| line.map_or("(end of output)".to_owned(), |line| shown(&line)));
                let width = one.chars().count().max(this.chars().count());
                format!(", first in line {number}:\n  {one:width$} | {a}\n  {this:width$} | {b}")
            });
            tell(&(what + &found.unwrap_or_default()));
        }
    }
}

/// Returns a line of an output, cut if it is long.
fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    console::truncate_str(&on_one_line(text.trim_end_matches('\n')), WIDTH, "…").into_owned()
}

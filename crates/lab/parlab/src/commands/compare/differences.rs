//! `--same-output`: where the outputs of two commands differ.

use std::path::{Path, PathBuf};

use parcrypt_lab::command::{KEEP, difference};
use parcrypt_lab::plan::Matrix;
use parcrypt_lab::record::{Case, Entry, Failure, FailureKind, Record, Role};

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
        for (r, entry) in case.entries.iter().enumerate() {
            if let Some(failure) = entry.failure.as_ref().filter(|one| one.kind == FailureKind::WrongDigest) {
                tell_one(case, (c, r), failure, folder);
            }
        }
    }
}

fn tell_one(case: &Case, (c, r): (usize, usize), failure: &Failure, folder: &Path) {
    let compared = |entry: &Entry| entry.role != Role::Limit && entry.digest.is_some();
    let right = |entry: &Entry| compared(entry) && entry.failure.is_none();
    let with_itself = failure.why.contains("than before");
    let other = case.entries.iter().position(right).filter(|_| !with_itself);
    let other = other.or((!with_itself && r != case.baseline).then_some(case.baseline)).unwrap_or(r);
    let name = |at: usize| on_one_line(&case.entries[at].candidate);
    let params: String = case.params.iter().map(|(name, value)| format!("{name}={value}: ")).collect();
    let found = difference(&kept(folder, c, other), &kept(folder, c, r));
    let (one, this) = match other == r {
        true => ("first run".to_owned(), "later run".to_owned()),
        false => (name(other), name(r)),
    };
    let what = match other == r {
        true => format!("{params}the output or exit code of {} is not always the same", name(r)),
        false => format!("{params}the outputs of {one} and {this} differ"),
    };
    tell(&match found {
        None => what,
        Some((number, lines)) => {
            let [a, b] =
                lines.map(|line| line.map_or("(end of output)".to_owned(), |line| shown_line(&line)));
            let width = one.chars().count().max(this.chars().count());
            format!("{what}, first in line {number}:\n  {one:width$} | {a}\n  {this:width$} | {b}")
        }
    });
}

/// Returns a line of an output, cut if it is long.
fn shown_line(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let text = text.strip_suffix('\n').unwrap_or(&text);
    match text.char_indices().nth(WIDTH) {
        Some((at, _)) => on_one_line(&text[..at]) + "…",
        None => on_one_line(text),
    }
}

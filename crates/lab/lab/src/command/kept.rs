//! Outputs of whole commands that are kept while they are compared, to show where two of them differ.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use parcrypt_protocol::OutputDigest;

/// Variable with the path under which a worker keeps its command's output. The command does not inherit it.
pub const KEEP: &str = "PARCRYPT_KEEP_OUTPUT";

/// Bytes of an output that are kept.
const MOST: u64 = 16 << 20;

/// Returns the path of the first output that a worker has kept, or of the first one that differs from it.
fn path(under: &Path, is_other: bool) -> PathBuf {
    let mut name = OsString::from(under);
    name.push(if is_other { ".other" } else { ".first" });
    name.into()
}

/// Returns the path of the file next to an output that has its digest and exit code.
fn summary(output: &Path) -> PathBuf {
    output.with_added_extension("summary")
}

/// Keeps an output and its exit code under a path, unless the one that is there is the same, or two are.
///
/// # Errors
/// Errors of the system.
pub(super) fn keep(
    under: &Path,
    mut output: &File,
    code: Option<i32>,
    digest: OutputDigest,
) -> io::Result<()> {
    let said = format!("{digest} {}", code.map_or("none".to_owned(), |code| code.to_string()));
    let known = |is_other| std::fs::read_to_string(summary(&path(under, is_other))).ok();
    let is_other = match (known(false), known(true)) {
        (None, _) => false,
        (Some(first), None) if first != said => true,
        _ => return Ok(()),
    };
    let to = path(under, is_other);
    output.rewind()?;
    io::copy(&mut output.take(MOST), &mut File::create(&to)?)?;
    std::fs::write(summary(&to), said)
}

/// Where two outputs differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// In a line, by its number from 1: the line of each, `None` after its end.
    Line(u64, [Option<Vec<u8>>; 2]),
    /// In the exit codes only; `None` after a signal.
    Code([Option<i32>; 2]),
    /// Somewhere after the part that was kept.
    Later,
}

/// Returns where the outputs differ that two workers kept first, or, where both paths are the same, the two that one
/// worker kept; `None` if they were not kept.
pub fn difference(under: &Path, other: &Path) -> Option<Difference> {
    let paths = [path(under, false), path(other, under == other)];
    let [a, b] = paths.each_ref().map(|path| File::open(path).map(BufReader::new));
    let (mut a, mut b) = (a.ok()?, b.ok()?);
    for number in 1.. {
        let [x, y] = [line(&mut a), line(&mut b)].map(io::Result::ok);
        match (x?, y?) {
            (None, None) => break,
            (x, y) if x == y => {}
            lines => return Some(Difference::Line(number, [lines.0, lines.1])),
        }
    }
    let code = |path: &PathBuf| {
        let text = std::fs::read_to_string(summary(path)).ok()?;
        Some(text.split_once(' ')?.1.parse::<i32>().ok())
    };
    let [x, y] = [code(&paths[0])?, code(&paths[1])?];
    Some(if x == y { Difference::Later } else { Difference::Code([x, y]) })
}

/// Returns the next line with its end; `None` at the end of the file.
fn line(file: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    file.read_until(b'\n', &mut line).map(|bytes| (bytes > 0).then_some(line))
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn the_first_difference_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let kept = |name: &str, text: &str, code: i32| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            let mut digest = [0; 32];
            digest[..text.len()].copy_from_slice(text.as_bytes());
            keep(&folder.path().join(name), &file, Some(code), OutputDigest(digest)).unwrap();
            folder.path().join(name)
        };
        let line = |text: &str| Some(text.as_bytes().to_vec());
        let a = kept("a", "x\ny\nz\n", 0);
        assert_eq!(
            difference(&a, &kept("b", "x\nw\n", 0)),
            Some(Difference::Line(2, [line("y\n"), line("w\n")]))
        );
        assert_eq!(difference(&a, &kept("c", "x\ny\n", 0)), Some(Difference::Line(3, [line("z\n"), None])));
        assert_eq!(difference(&a, &kept("d", "x\ny\nz\n", 3)), Some(Difference::Code([Some(0), Some(3)])));
        assert_eq!(difference(&a, &kept("e", "x\ny\nz\n", 0)), Some(Difference::Later));
        // One that is not always the same; a third output is not kept.
        assert_eq!(difference(&a, &a), None);
        kept("a", "x\ny\nz\n", 0);
        assert_eq!(difference(&a, &a), None);
        kept("a", "v", 0);
        kept("a", "u", 0);
        assert_eq!(difference(&a, &a), Some(Difference::Line(1, [line("x\n"), line("v")])));
        assert_eq!(difference(&a, &folder.path().join("no")), None);
    }
}

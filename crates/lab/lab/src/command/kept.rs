//! Outputs of whole commands that are kept while they are compared, to show where two of them differ.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

/// Variable with the path under which a worker keeps its command's output. The command does not inherit it.
pub const KEEP: &str = "PARCRYPT_KEEP_OUTPUT";

/// Bytes of an output that are kept.
const MAX: u64 = 16 << 20;

/// Returns the paths of the first output that a worker has kept, and of the first one that differs from it.
fn paths(under: &Path) -> [PathBuf; 2] {
    ["first", "other"].map(|name| under.with_added_extension(name))
}

/// Keeps an output under a path, with the exit code as its last line, unless the same is there, or two are.
pub(super) fn keep(under: &Path, mut output: &File, code: Option<i32>) -> io::Result<()> {
    output.rewind()?;
    let mut bytes = Vec::new();
    output.take(MAX).read_to_end(&mut bytes)?;
    if bytes.last().is_some_and(|last| *last != b'\n') {
        bytes.push(b'\n');
    }
    let code = code.map_or("killed by a signal".to_owned(), |code| format!("exit code {code}"));
    bytes.extend_from_slice(format!("({code})\n").as_bytes());
    let [first, other] = paths(under);
    match std::fs::read(&first) {
        Err(_) => std::fs::write(first, bytes),
        Ok(known) if known == bytes || other.exists() => Ok(()),
        Ok(_) => std::fs::write(other, bytes),
    }
}

/// Returns the first line, by its number from 1, in which the outputs differ that two workers kept first, or, if both
/// paths are the same, the two that one worker kept: the line of each, `None` after its end. `None` if they were not
/// kept, or differ only in what was not kept.
pub fn difference(under: &Path, other: &Path) -> Option<(u64, [Option<Vec<u8>>; 2])> {
    let [first, later] = paths(under);
    let other = if under == other { later } else { paths(other)[0].clone() };
    let [mut a, mut b] = [File::open(first).ok()?, File::open(other).ok()?].map(BufReader::new);
    for number in 1.. {
        match [line(&mut a).ok()?, line(&mut b).ok()?] {
            [None, None] => break,
            [x, y] if x == y => {}
            lines => return Some((number, lines)),
        }
    }
    None
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
        let kept = |name: &str, text: &str, code: Option<i32>| {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            keep(&folder.path().join(name), &file, code).unwrap();
            folder.path().join(name)
        };
        let line = |text: &str| Some(text.as_bytes().to_vec());
        let a = kept("a", "x\ny\nz\n", Some(0));
        for (text, code, number, [here, there]) in [
            ("x\nw\n", Some(0), 2, ["y\n", "w\n"]),
            ("x\ny", Some(0), 3, ["z\n", "(exit code 0)\n"]),
            ("x\ny\nz\n", Some(3), 4, ["(exit code 0)\n", "(exit code 3)\n"]),
            ("x\ny\nz\n", None, 4, ["(exit code 0)\n", "(killed by a signal)\n"]),
        ] {
            let b = kept(&format!("{text}{code:?}").replace('\n', "-"), text, code);
            assert_eq!(difference(&a, &b), Some((number, [line(here), line(there)])));
        }
        assert_eq!(difference(&a, &kept("e", "x\ny\nz\n", Some(0))), None);
        // One that is not always the same; a third output is not kept.
        for (text, found) in [
            ("x\ny\nz\n", None),
            ("v\n", Some((1, [line("x\n"), line("v\n")]))),
            ("u\n", Some((1, [line("x\n"), line("v\n")]))),
        ] {
            kept("a", text, Some(0));
            assert_eq!(difference(&a, &a), found);
        }
        assert_eq!(difference(&a, &folder.path().join("no")), None);
    }
}

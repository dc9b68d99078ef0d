//! The ledger of the results in a folder, the file `.parcrypt-kzg`, by which an interrupted job resumes.
//!
//! Each line records one complete result:
//!
//! ```text
//! KIND SETUP INPUT RESULT NAME
//! ```
//!
//! its kind, the digest of the trusted setup, the SHA-256 of its input and of itself, and its name in the folder. A
//! result is done only if the ledger has exactly the line that would be written for the current input and result. So a
//! change of either, or of the setup, causes a new computation, a line that was torn by a crash has no effect, and
//! nothing depends on clocks.
//!
//! A result whose last line has another input of the same class was computed from a file that has changed since: it is
//! not replaced without `--force`.

use std::collections::{HashMap, HashSet};
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::input::open_regular;
use crate::text::hex;

/// Class of results that are recovered from cells. Any half of the cells gives the same, so another input is no change.
pub(super) const RECOVERED: &str = "recovered";

/// Class of results that were computed from a blob with a given commitment.
pub(super) const GIVEN: &str = "given";

/// Name of the ledger in each folder of results.
pub(super) const LEDGER: &str = ".parcrypt-kzg";

/// Maximum length of a valid line, in bytes: four words and a file name, for which systems allow 255 bytes.
const MOST_LINE: u64 = 4096;

/// The kind of a result, and its sources.
#[derive(Clone, Debug)]
pub(super) struct Source<'a> {
    /// One word for the kind of the result and the options that change it.
    pub(super) kind: &'a str,
    pub(super) setup: &'a str,
    /// SHA-256 of the input.
    pub(super) input: [u8; 32],
}

impl Source<'_> {
    /// Returns the class of the kind.
    fn class(&self) -> &[u8] {
        class(self.kind.as_bytes())
    }
}

/// The ledger of one folder, as read at the start.
#[derive(Debug)]
pub(super) struct Ledger {
    pub(super) folder: PathBuf,
    /// Lines, each as 16 bytes of its SHA-256: with `last`, about 100 MB for a million results.
    marks: HashSet<u128>,
    /// The source in the last line of each name, which is given by 16 bytes of its SHA-256.
    last: HashMap<u128, Last>,
}

/// The class and the input of a line, each as 8 bytes of a SHA-256.
#[derive(Clone, Copy, Debug)]
struct Last {
    class: u64,
    input: u64,
}

impl Ledger {
    /// Reads the ledger of a folder; a missing one is empty.
    ///
    /// # Errors
    /// An error of the system, or a ledger that is not a regular file. Malformed lines are skipped.
    pub(super) fn read(folder: &Path) -> std::io::Result<Self> {
        let (mut marks, mut last) = (HashSet::new(), HashMap::new());
        match open_regular(&folder.join(LEDGER), OpenOptions::new().read(true)) {
            Ok(file) => {
                let mut file = BufReader::new(file);
                let mut line = Vec::new();
                loop {
                    line.clear();
                    if file.by_ref().take(MOST_LINE).read_until(b'\n', &mut line)? == 0 {
                        break;
                    }
                    // A torn line at the end, and one that is too long, are skipped.
                    if line.pop() == Some(b'\n') {
                        marks.insert(mark(&line));
                        let words: Vec<&[u8]> = line.splitn(5, |byte| *byte == b' ').collect();
                        if let [kind, _, input, _, name] = words[..] {
                            last.insert(mark(name), Last { class: short(class(kind)), input: short(input) });
                        }
                    }
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(Ledger { folder: folder.to_owned(), marks, last })
    }

    /// Returns whether this command has ever written a result with this name.
    pub(super) fn knows(&self, name: &[u8]) -> bool {
        self.last.contains_key(&mark(&escaped(name)))
    }

    /// Returns whether the last result with this name was computed from another input of the same class.
    pub(super) fn has_other_input(&self, source: &Source<'_>, name: &[u8]) -> bool {
        let last = self.last.get(&mark(&escaped(name)));
        let (class, input) = (short(source.class()), short(hex(&source.input).as_bytes()));
        let is_compared = source.class() != RECOVERED.as_bytes();
        last.is_some_and(|last| is_compared && last.class == class && last.input != input)
    }

    /// Returns whether this result was computed from this input.
    pub(super) fn holds(&self, source: &Source<'_>, result: &[u8; 32], name: &[u8]) -> bool {
        self.marks.contains(&mark(&line(source, result, name)))
    }

    /// Appends a result to the ledger of a folder.
    pub(super) fn add(
        folder: &Path,
        source: &Source<'_>,
        result: &[u8; 32],
        name: &[u8],
    ) -> std::io::Result<()> {
        let mut options = OpenOptions::new();
        let mut file = open_regular(&folder.join(LEDGER), options.read(true).append(true).create(true))?;
        let mut text = Vec::new();
        // A torn line at the end is terminated first.
        if file.seek(SeekFrom::End(0))? > 0 {
            file.seek(SeekFrom::End(-1))?;
            let mut last = [0];
            file.read_exact(&mut last)?;
            if last != *b"\n" {
                text.push(b'\n');
            }
        }
        text.extend(line(source, result, name));
        text.push(b'\n');
        // One call, so that two jobs in one folder do not interleave their lines.
        file.write_all(&text)
    }
}

fn line(source: &Source<'_>, result: &[u8; 32], name: &[u8]) -> Vec<u8> {
    let (input, result) = (hex(&source.input), hex(result));
    let mut line = format!("{} {} {input} {result} ", source.kind, source.setup).into_bytes();
    line.extend(escaped(name));
    line
}

/// Escapes a name for one line: a line feed as `\n`, a backslash as `\\`.
fn escaped(name: &[u8]) -> Vec<u8> {
    let mut all = Vec::with_capacity(name.len());
    for byte in name {
        match byte {
            b'\n' => all.extend(b"\\n"),
            b'\\' => all.extend(b"\\\\"),
            byte => all.push(*byte),
        }
    }
    all
}

/// Returns the class of a kind, which ends at the first `:` or `-`: kinds of one class have the same inputs, whatever
/// the options that follow.
fn class(kind: &[u8]) -> &[u8] {
    kind.split(|byte| matches!(byte, b':' | b'-')).next().unwrap_or_default()
}

fn short(bytes: &[u8]) -> u64 {
    mark(bytes) as u64
}

fn mark(bytes: &[u8]) -> u128 {
    let hash: [u8; 32] = Sha256::digest(bytes).into();
    hash.iter().take(16).fold(0, |all, byte| all << 8 | u128::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(kind: &'static str, input: u8) -> Source<'static> {
        Source { kind, setup: "mainnet", input: [input; 32] }
    }

    #[test]
    fn only_the_whole_line_counts() {
        let folder = tempfile::tempdir().unwrap();
        let empty = Ledger::read(folder.path()).unwrap();
        assert!(!empty.knows(b"a") && !empty.holds(&source("proof", 1), &[2; 32], b"a"));
        for name in [&b"a"[..], b"a\\n", b"a\nb", b"\xff"] {
            Ledger::add(folder.path(), &source("proof", 1), &[2; 32], name).unwrap();
            let ledger = Ledger::read(folder.path()).unwrap();
            assert!(ledger.knows(name) && ledger.holds(&source("proof", 1), &[2; 32], name));
            assert!(!ledger.holds(&source("proof", 2), &[2; 32], name), "another input");
            assert!(!ledger.holds(&source("proof", 1), &[1; 32], name), "another result");
            assert!(!ledger.holds(&source("cells", 1), &[2; 32], name), "another kind");
            assert!(!ledger.holds(&Source { setup: "x", ..source("proof", 1) }, &[2; 32], name));
            assert!(!ledger.knows(b"b"), "{name:?}");
        }
    }

    #[test]
    fn another_input_of_the_same_class_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let has_other = |kind, input| {
            let ledger = Ledger::read(folder.path()).unwrap();
            ledger.has_other_input(&source(kind, input), b"a")
        };
        assert!(!has_other("proof", 1), "no line");
        Ledger::add(folder.path(), &source("proof", 1), &[2; 32], b"a").unwrap();
        assert!(!has_other("proof", 1) && has_other("proof", 2));
        assert!(!has_other("given", 2), "another class");
        // Options of a kind are no part of its class.
        Ledger::add(folder.path(), &source("opening:0x1", 3), &[2; 32], b"a").unwrap();
        assert!(has_other("opening:0x2", 4) && !has_other("opening:0x2", 3));
        Ledger::add(folder.path(), &source("cells-split", 3), &[2; 32], b"a").unwrap();
        assert!(has_other("cells", 4) && !has_other("cells", 3));
        Ledger::add(folder.path(), &source("recovered-cells", 3), &[2; 32], b"a").unwrap();
        assert!(!has_other("recovered-cells", 4) && !has_other("cells", 4));
        // The last line counts, and other names do not.
        Ledger::add(folder.path(), &source("cells", 4), &[2; 32], b"a").unwrap();
        Ledger::add(folder.path(), &source("cells", 5), &[2; 32], b"b").unwrap();
        assert!(has_other("cells", 3) && !has_other("cells", 4));
    }

    #[test]
    fn torn_and_foreign_lines_have_no_effect() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LEDGER);
        Ledger::add(folder.path(), &source("proof", 1), &[2; 32], b"a").unwrap();
        let whole = std::fs::read(&path).unwrap();
        for len in 0..whole.len() - 1 {
            std::fs::write(&path, &whole[..len]).unwrap();
            assert!(!Ledger::read(folder.path()).unwrap().knows(b"a"), "{len}");
            Ledger::add(folder.path(), &source("proof", 3), &[4; 32], b"b").unwrap();
            let ledger = Ledger::read(folder.path()).unwrap();
            assert!(ledger.holds(&source("proof", 3), &[4; 32], b"b"), "{len}");
            assert!(!ledger.holds(&source("proof", 1), &[2; 32], b"a"), "{len}");
        }
        let mut foreign = vec![b'x'; 3 * MOST_LINE as usize];
        foreign.push(b'\n');
        foreign.extend(&whole);
        std::fs::write(&path, foreign).unwrap();
        assert!(Ledger::read(folder.path()).unwrap().holds(&source("proof", 1), &[2; 32], b"a"));
    }

    #[test]
    fn nothing_is_added_but_to_a_regular_file() {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join(LEDGER), folder.path().join("other"));
        let refused = || {
            assert!(Ledger::read(folder.path()).is_err());
            assert!(Ledger::add(folder.path(), &source("proof", 1), &[2; 32], b"a").is_err());
            std::fs::remove_file(&path).unwrap();
        };
        std::os::unix::fs::symlink("other", &path).unwrap();
        refused();
        assert!(!other.exists(), "a dangling link is not followed");
        std::fs::write(&other, "theirs\n").unwrap();
        std::os::unix::fs::symlink("other", &path).unwrap();
        refused();
        assert_eq!(std::fs::read(&other).unwrap(), b"theirs\n");
        nix::unistd::mkfifo(&path, nix::sys::stat::Mode::S_IRWXU).unwrap();
        refused();
    }
}

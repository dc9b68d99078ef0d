//! A folder in which `parcrypt kzg` is run, and its contents.

use std::process::Command;

use crate::process::PARCRYPT;
pub(crate) use crate::process::{WorkDir, bytes, ended, ends, lines};

pub(crate) const BLOB: usize = 131_072;
/// The point at infinity: the commitment to zeros, and the proof of a blob of one value.
pub(crate) const INFINITY: &str =
    "0xc00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000";

/// Returns the lines of standard error before the last one, which counts the inputs.
pub(crate) fn before_count(stderr: &str) -> &str {
    let last = stderr.lines().last().unwrap_or_default();
    assert!(last.contains(" in "), "the last line has no count: {stderr}");
    stderr.strip_suffix(&format!("{last}\n")).unwrap()
}

impl WorkDir {
    pub(crate) fn kzg() -> Self {
        WorkDir::starting(&[PARCRYPT, "kzg"])
    }

    /// Returns a folder with these blobs in a folder `blobs`.
    pub(crate) fn with_blobs(names: &[&str]) -> Self {
        let dir = WorkDir::kzg();
        for (i, name) in names.iter().enumerate() {
            dir.write(&format!("blobs/{name}"), &blob(i as u64 + 1));
        }
        dir
    }

    /// Checks that two files have the same contents. The bytes of blobs are too many to be shown.
    pub(crate) fn same(&self, a: &str, b: &str) {
        assert!(self.read(a) == self.read(b), "{a} and {b} differ");
    }

    /// Returns the command for words that might wait forever, even after SIGTERM: then it ends with another exit code.
    pub(crate) fn command_in_time(&self, words: &str) -> Command {
        self.with(&["timeout", "--signal=KILL", "60", PARCRYPT, "kzg"], words)
    }
}

/// Returns a blob whose field elements are all small and differ.
pub(crate) fn blob(seed: u64) -> Vec<u8> {
    let mut bytes = vec![0; BLOB];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for element in bytes.chunks_mut(32) {
        for byte in &mut element[1..] {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *byte = (state >> 56) as u8;
        }
    }
    bytes
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

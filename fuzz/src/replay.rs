//! The targets without a fuzzer: on the kept corpus and on generated inputs, as a short test.

use std::path::Path;

use sha2::{Digest, Sha256};

use crate::TARGETS;

/// Returns pseudorandom bytes from a target's name and a number; also short ones, since missing bytes mean valid
/// arguments.
fn made_up(name: &str, number: usize) -> Vec<u8> {
    let blocks = (0..8u8).map(|block| Sha256::digest(format!("{name} {number} {block}")));
    let mut bytes: Vec<u8> = blocks.flatten().collect();
    bytes.truncate(number % 64 * 4);
    bytes
}

/// Returns the empty input, the kept ones, and the generated ones.
pub(crate) fn replay(name: &str) {
    let target = TARGETS.iter().find(|target| target.name == name);
    let target = target.unwrap_or_else(|| panic!("no target {name}"));
    (target.run)(&[]);
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let files = std::fs::read_dir(kept).into_iter().flatten().flatten();
    for file in files {
        println!("{name}: {}", file.path().display());
        (target.run)(&std::fs::read(file.path()).expect("the corpus is readable"));
    }
    for number in 0..target.replays {
        println!("{name}: made up, number {number}");
        (target.run)(&made_up(name, number));
    }
}

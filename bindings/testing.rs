//! Comparisons for the tests of c-kzg and rust_eth_kzg next to the originals.

use std::fmt::Debug;

/// Returns the text of a value, as its users see it.
pub(crate) fn text(value: impl Debug) -> String {
    format!("{value:?}")
}

/// Checks that the texts of both are the same.
#[track_caller]
pub(crate) fn same(ours: &[String], theirs: &[String]) {
    assert_eq!(ours.len(), theirs.len());
    let short = |text: &str| text.chars().take(200).collect::<String>();
    let pairs = ours.iter().zip(theirs).enumerate().filter(|(_, (ours, theirs))| ours != theirs);
    let differences: Vec<String> = pairs
        .map(|(i, (ours, theirs))| format!("{i}: ours {}, theirs {}", short(ours), short(theirs)))
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

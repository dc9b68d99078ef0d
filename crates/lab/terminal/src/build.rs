//! Facts about this build, for records.

use std::collections::BTreeMap;

/// Returns the version, the commit, the compiler, the target, the profile and the compiler's flags of the program that
/// this is built into, by name; those that are not known are missing.
pub fn facts() -> BTreeMap<String, String> {
    // The profile of .ci/run is also called release by cargo; its times mean little.
    let profile = match cfg!(debug_assertions) {
        true => concat!(env!("PARCRYPT_CARGO_PROFILE"), ", with assertions"),
        false => env!("PARCRYPT_CARGO_PROFILE"),
    };
    let facts = [
        ("parcrypt", env!("CARGO_PKG_VERSION")),
        ("commit", env!("PARCRYPT_COMMIT")),
        ("compiler", env!("PARCRYPT_RUSTC")),
        ("target", env!("PARCRYPT_TARGET")),
        ("profile", profile),
        ("rustflags", env!("PARCRYPT_RUSTFLAGS")),
    ];
    let known = facts.into_iter().filter(|(_, value)| !value.is_empty());
    known.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

//! Fuzzes the target that the environment variable FUZZ_TARGET names.
#![no_main]

use std::sync::LazyLock;

use parcrypt_fuzz::TARGETS;

static RUN: LazyLock<fn(&[u8])> = LazyLock::new(|| {
    let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
    let target = TARGETS.iter().find(|target| target.name == name);
    target.unwrap_or_else(|| panic!("FUZZ_TARGET is `{name}`, which is not a target")).run
});

// The empty input, a valid call, prepares the settings of all libraries before the time of the fuzzer begins.
libfuzzer_sys::fuzz_target!(init: RUN(&[]), |data: &[u8]| RUN(data));

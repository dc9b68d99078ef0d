//! Programs that are linked again in other memory layouts.

use std::collections::BTreeSet;
use std::fs;
use std::process::Command;

use crate::process::{Folder, ends};
use crate::suite::{commit, repository};

/// What may lead cargo elsewhere.
const VARIABLES: [&str; 6] = [
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTFLAGS",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
];

/// A project with a library, a build script and a program that keeps a copy of itself in the folder `COPIES`, built by
/// cargo with a linker of its own that writes a line into the file `LOG` each time. `None` if the linker of rustc here
/// cannot shuffle sections by itself, or there is no git.
fn project() -> Option<Folder> {
    if !cfg!(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64")) {
        parcrypt_testkit::skip("parlab", "layouts", "rustc's linker here is not lld");
        return None;
    }
    let folder = repository()?;
    fs::create_dir(folder.path("copies")).unwrap();
    let manifest = "[package]\nname = \"it\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n";
    folder.write("Cargo.toml", manifest);
    folder.write("build.rs", "fn main() {\n    println!(\"cargo:rerun-if-changed=build.rs\");\n}\n");
    folder.write("src/lib.rs", "pub fn double(n: u32) -> u32 {\n    n * 2\n}\n");
    folder.write("src/main.rs", MAIN);
    folder.script("linker", "#!/bin/sh\necho \"$*\" >> \"$LOG\"\nexec cc \"$@\" $LINKER_OPTION\n");
    folder.write(".cargo/config.toml", "[target.'cfg(unix)']\nlinker = \"./linker\"\n");
    commit(&folder, "one");
    Some(folder)
}

/// Returns the command that compares the last commit with itself over nine layouts.
fn compare(folder: &Folder) -> Command {
    let words =
        "compare --rev HEAD --rev HEAD --build 'cargo build --quiet --offline' --layouts 9 --rounds 18";
    let mut command = folder.words(&format!("{words} --out records -- A=1 target/debug/it"));
    command.env("LOG", folder.path("log")).env("COPIES", folder.path("copies"));
    for name in VARIABLES {
        command.env_remove(name);
    }
    command
}

/// The project's program.
const MAIN: &str = r#"fn main() {
    assert_eq!(it::double(2), 4);
    let own = std::env::current_exe().unwrap();
    let copy = std::path::Path::new(&std::env::var("COPIES").unwrap()).join(own.file_name().unwrap());
    std::fs::copy(own, copy).unwrap();
}
"#;

#[test]
fn revisions_are_compared_over_layouts() {
    let Some(folder) = project() else { return };
    ends(&mut compare(&folder), 0);
    let record = folder.record("records");
    let case = &record.cases[0];
    assert_eq!(case.layouts(), 9);
    for entry in &case.entries {
        assert_eq!((entry.rounds.len(), entry.replicates.len()), (18, 9), "{:?}", entry.failure);
        assert_eq!(entry.layouts[8], "it.layout-9");
        assert_eq!(entry.command[entry.command.len() - 2..], ["A=1", "{layout}"]);
    }
    let log = folder.read("log");
    let links = |part: &str| log.lines().filter(|line| line.contains(part)).count();
    assert_eq!((links("/deps/it-"), links(".unfinished")), (20, 18), "{log}");
    let names = folder.files("copies", "").into_iter();
    let copies: BTreeSet<_> = names.map(|name| fs::read(folder.path("copies").join(name)).unwrap()).collect();
    assert_eq!(copies.len(), 9, "each has other bytes");
}

#[test]
fn a_linker_that_makes_no_other_layouts_is_named() {
    let Some(folder) = project() else { return };
    let (_, stderr) = ends(compare(&folder).env("LINKER_OPTION", "-fuse-ld=bfd"), 2);
    assert!(stderr.contains("/linker` links no other layouts, as lld and mold do"), "{stderr}");
    assert!(stderr.contains("shuffle-sections"), "{stderr}");
}

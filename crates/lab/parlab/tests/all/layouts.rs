//! Programs that are linked again in other memory layouts.

use std::fs;
use std::process::Command;

use crate::process::{Folder, ends};

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
/// cargo with a linker of its own that writes a line into the file `LOG` each time.
struct Project(Folder);

impl Project {
    /// `None` if the linker of rustc here cannot shuffle sections by itself, or there is no git.
    fn new() -> Option<Self> {
        let skip = |why| parcrypt_testkit::skip("parlab", "layouts", why);
        if !cfg!(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64")) {
            skip("rustc's linker here is not lld");
            return None;
        }
        let folder = Folder::new();
        for name in ["it/src", "it/.cargo", "copies"] {
            fs::create_dir_all(folder.path(name)).unwrap();
        }
        folder.write(
            "it/Cargo.toml",
            "[package]\nname = \"it\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[workspace]\n",
        );
        folder.write("it/build.rs", "fn main() {\n    println!(\"cargo:rerun-if-changed=build.rs\");\n}\n");
        folder.write("it/src/lib.rs", "pub fn double(n: u32) -> u32 {\n    n * 2\n}\n");
        folder.write("it/src/main.rs", MAIN);
        folder.script("it/linker", "#!/bin/sh\necho \"$*\" >> \"$LOG\"\nexec cc \"$@\" $LINKER_OPTION\n");
        folder.write("it/.cargo/config.toml", "[target.'cfg(unix)']\nlinker = \"./linker\"\n");
        let project = Project(folder);
        let git = |arguments: &[&str]| {
            let mut git = project.command("git");
            git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments);
            git.env("GIT_CONFIG_GLOBAL", "/dev/null").status().is_ok_and(|status| status.success())
        };
        if !git(&["init", "-q"]) {
            skip("git is not there");
            return None;
        }
        assert!(git(&["add", "."]) && git(&["commit", "-q", "-m", "one"]));
        Some(project)
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.0.path("it"));
        command.env("LOG", self.0.path("log")).env("COPIES", self.0.path("copies"));
        for name in VARIABLES {
            command.env_remove(name);
        }
        command
    }

    /// Compares the last commit with itself over nine layouts.
    fn compare(&self) -> Command {
        let mut compare = self.command(env!("CARGO_BIN_EXE_parlab"));
        compare.args([
            "compare",
            "--rev",
            "HEAD",
            "--rev",
            "HEAD",
            "--build",
            "cargo build --quiet --offline",
        ]);
        compare.args([
            "--layouts",
            "9",
            "--rounds",
            "18",
            "--out",
            "../records",
            "--",
            "A=1",
            "target/debug/it",
        ]);
        compare
    }
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
    let Some(project) = Project::new() else { return };
    ends(&mut project.compare(), 0);
    let record = project.0.record("records");
    let case = &record.cases[0];
    assert_eq!(case.layouts(), 9);
    for entry in &case.entries {
        assert_eq!((entry.rounds.len(), entry.replicates.len()), (18, 9), "{:?}", entry.failure);
        assert_eq!(entry.layouts[8], "it.layout-9");
        assert_eq!(entry.command[entry.command.len() - 2..], ["A=1", "{layout}"]);
    }
    let log = project.0.read("log");
    let links = log.lines().filter(|line| line.contains("/deps/it-"));
    assert_eq!(
        (links.count(), log.lines().filter(|line| line.contains(".unfinished")).count()),
        (20, 18),
        "{log}"
    );
    let mut copies = project
        .0
        .files("copies", "")
        .into_iter()
        .map(|name| fs::read(project.0.path("copies").join(name)).unwrap())
        .collect::<Vec<_>>();
    copies.sort();
    copies.dedup();
    assert_eq!(copies.len(), 9, "each has other bytes");
}

#[test]
fn a_linker_that_makes_no_other_layouts_is_named() {
    let Some(project) = Project::new() else { return };
    let (_, stderr) = ends(project.compare().env("LINKER_OPTION", "-fuse-ld=bfd"), 2);
    assert!(stderr.contains("/linker` links no other layouts, as lld and mold do"), "{stderr}");
    assert!(stderr.contains("shuffle-sections"), "{stderr}");
}

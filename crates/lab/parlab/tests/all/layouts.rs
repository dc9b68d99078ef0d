//! Programs that are linked again in other memory layouts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{Folder, ends, lines};

/// What may lead cargo elsewhere.
const VARIABLES: [&str; 6] = [
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET",
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTFLAGS",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
];

/// A project with a library, a build script and a benchmark that prints `answer`, built by cargo with a linker of its
/// own that writes a line into `log` each time.
struct Project(Folder);

impl Project {
    /// `None` if the linker of rustc here cannot shuffle sections by itself.
    fn new() -> Option<Self> {
        if !cfg!(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64")) {
            parcrypt_testkit::skip("parlab", "layouts", "rustc's linker here is not lld");
            return None;
        }
        let folder = Folder::new();
        for name in ["src", "benches", ".cargo"] {
            fs::create_dir(folder.path(name)).unwrap();
        }
        folder.write(
            "Cargo.toml",
            "[package]\nname = \"it\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n\
             [[bench]]\nname = \"b\"\nharness = false\n\n[workspace]\n",
        );
        // Without this line, cargo builds all again when the log grows.
        folder.write("build.rs", "fn main() {\n    println!(\"cargo:rerun-if-changed=build.rs\");\n}\n");
        folder.write("src/lib.rs", "pub fn double(n: u32) -> u32 {\n    n * 2\n}\n");
        folder.script("linker", "#!/bin/sh\necho \"$*\" >> \"$LOG\"\nexec cc \"$@\" $LINKER_OPTION\n");
        folder.write(".cargo/config.toml", "[target.'cfg(unix)']\nlinker = \"./linker\"\n");
        let project = Project(folder);
        project.answer(21);
        Some(project)
    }

    fn answer(&self, half: u32) {
        self.0.write(
            "benches/b.rs",
            format!("fn main() {{\n    println!(\"{{}}\", it::double({half}));\n}}\n"),
        );
    }

    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.current_dir(self.0.path("")).env("LOG", self.0.path("log"));
        for name in VARIABLES {
            command.env_remove(name);
        }
        command
    }

    /// Builds the benchmark; returns its program, and whether there was nothing to do.
    fn build(&self) -> (PathBuf, bool) {
        let (variables, _) = self.0.ends(&["layout"], 0);
        let mut cargo = self.command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.args(["bench", "--no-run", "--offline", "--quiet", "--message-format=json"]);
        cargo.envs(variables.lines().map(|line| line.split_once('=').unwrap()));
        let (stdout, _) = ends(&mut cargo, 0);
        let messages = lines(&stdout);
        let artifact = messages.iter().find(|message| message["target"]["name"] == "b").unwrap();
        (artifact["executable"].as_str().unwrap().into(), artifact["fresh"].as_bool().unwrap())
    }

    fn layout(&self, program: &Path, count: &str) -> Command {
        let mut command = self.command(env!("CARGO_BIN_EXE_parlab"));
        command.arg("layout").arg(program).args(["--count", count]);
        command
    }

    /// Links the program in other layouts, each of which must print `answer`, and returns their contents.
    fn layouts(&self, program: &Path, count: &str, answer: &str) -> Vec<Vec<u8>> {
        let (stdout, _) = ends(&mut self.layout(program, count), 0);
        let paths: Vec<&Path> = stdout.lines().map(Path::new).collect();
        for path in &paths {
            assert_eq!(path.parent(), program.parent());
            assert_eq!(ends(&mut self.command(path), 0).0, answer);
        }
        paths.iter().map(|path| fs::read(path).unwrap()).collect()
    }

    fn links(&self) -> usize {
        self.0.read("log").lines().filter(|line| line.contains("/deps/b-")).count()
    }
}

#[test]
fn a_program_is_linked_in_other_layouts() {
    let Some(project) = Project::new() else { return };
    let (program, _) = project.build();
    assert_eq!(project.links(), 1, "{}", project.0.read("log"));
    let mut all = project.layouts(&program, "3", "42\n");
    assert_eq!((all.len(), project.links()), (3, 4));
    all.push(fs::read(&program).unwrap());
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count, "each has other bytes");
    // Those that are there stay, and cargo has nothing to do.
    assert_eq!(project.layouts(&program, "4", "42\n").len(), 4);
    assert_eq!(project.links(), 5);
    assert_eq!(project.build(), (program.clone(), true));
    assert_eq!(project.layouts(&program, "4", "42\n").len(), 4);
    assert_eq!(project.links(), 5);
    // Another program has other layouts.
    project.answer(12);
    assert_eq!(project.build(), (program.clone(), false));
    assert_eq!(project.layouts(&program, "2", "24\n").len(), 2);
    assert_eq!(project.links(), 8);
    let kept = |folder: &Path| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let of_scripts =
        kept(&project.0.path("target/release/build")).flat_map(|folder| kept(&folder).collect::<Vec<_>>());
    assert!(!of_scripts.into_iter().any(|path| path.to_string_lossy().contains(".layout")));
}

/// Runs git in the project; returns whether it is there and succeeds.
fn git(project: &Project, arguments: &[&str]) -> bool {
    let mut git = project.command("git");
    git.args(["-c", "user.name=a", "-c", "user.email=a@b"]).args(arguments);
    git.env("GIT_CONFIG_GLOBAL", "/dev/null").status().is_ok_and(|status| status.success())
}

#[test]
fn revisions_are_compared_over_layouts() {
    let Some(project) = Project::new() else { return };
    if !git(&project, &["init", "-q"]) {
        parcrypt_testkit::skip("parlab", "compare --layouts", "git is not there");
        return;
    }
    project.0.write("src/main.rs", "fn main() {\n    assert_eq!(it::double(2), 4);\n}\n");
    assert!(git(&project, &["add", "."]) && git(&project, &["commit", "-q", "-m", "one"]));
    let mut compare = project.command(env!("CARGO_BIN_EXE_parlab"));
    compare.args(["compare", "--rev", "HEAD", "--rev", "HEAD", "--build", "cargo build --quiet --offline"]);
    compare.args(["--layouts", "9", "--rounds", "18", "--out", "records", "--", "A=1", "target/debug/it"]);
    ends(&mut compare, 0);
    let record = project.0.record("records");
    let case = &record.cases[0];
    assert_eq!(case.layouts(), 9);
    for entry in &case.entries {
        assert_eq!((entry.rounds.len(), entry.replicates.len()), (18, 9), "{:?}", entry.failure);
        assert_eq!(entry.layouts[8], "it.layout-9");
        assert_eq!(entry.command[entry.command.len() - 2..], ["A=1", "{layout}"]);
    }
    assert_eq!(project.0.read("log").lines().filter(|line| line.contains(".unfinished")).count(), 18);
}

#[test]
fn a_linker_that_makes_no_other_layouts_is_named() {
    let Some(project) = Project::new() else { return };
    let (program, _) = project.build();
    let mut other = project.layout(&program, "2");
    let (_, stderr) = ends(other.env("LINKER_OPTION", "-fuse-ld=bfd"), 2);
    assert!(stderr.contains("/linker` links no other layouts, as lld and mold do"), "{stderr}");
    assert!(stderr.contains("shuffle-sections"), "{stderr}");
    assert!(!program.with_extension("layout-1").exists());
    let (_, stderr) = project.0.ends(&["layout", "src/lib.rs"], 2);
    assert!(stderr.contains("/src/lib.rs: its link was not kept"), "{stderr}");
    let mut kept = program.into_os_string();
    kept.push(".layouts/link.json");
    fs::write(&kept, "{").unwrap();
    let kept = PathBuf::from(kept);
    let (_, stderr) = ends(&mut project.layout(&kept.parent().unwrap().with_extension(""), "2"), 2);
    assert!(stderr.contains("link.json: EOF while parsing"), "{stderr}");
}

#[test]
fn arguments_may_come_in_a_file() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let folder = Folder::new();
    fs::create_dir(folder.path("rustcA")).unwrap();
    folder.write("rustcA/symbols.o", "s");
    folder.write("rustcA/list", "l");
    folder.write("a b.o", "o");
    // A linker that writes its arguments into its output.
    folder.script(
        "linker",
        "#!/bin/sh\nfor word in $(cat \"${1#@}\"); do\n  \
         case $last in -o) out=$word ;; esac; last=$word\ndone\n\
         cat \"${1#@}\" > \"$out\"\n",
    );
    let path = |name: &str| folder.path(name).display().to_string();
    let words = [
        path("rustcA/symbols.o"),
        path("a b.o").replace(' ', "\\ "),
        format!("-Wl,x={}", path("rustcA/list")),
    ];
    folder.write("arguments", format!("{}\n-o\n{}\n", words.join("\n"), path("out")));
    let mut linker = folder.parlab(&[&format!("@{}", path("arguments"))]);
    ends(linker.env("PARLAB_LINKER", folder.path("linker")), 0);
    // As rustc does after a link.
    fs::remove_dir_all(folder.path("rustcA")).unwrap();
    fs::remove_file(folder.path("a b.o")).unwrap();
    folder.ends(&["layout", "out", "--count", "1"], 0);
    let arguments = folder.read("out.layout-1");
    let mut files = arguments.lines().map(|line| line.replace('\\', "").replace("-Wl,x=", ""));
    for contents in ["s", "o", "l"] {
        assert_eq!(fs::read_to_string(files.next().unwrap()).unwrap(), contents, "{arguments}");
    }
    assert!(arguments.contains("-Wl,--shuffle-sections=.text*=1\n"), "{arguments}");
    assert_eq!(folder.files("", ".arguments"), [] as [&str; 0]);
}

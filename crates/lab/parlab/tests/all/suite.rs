//! `parlab suite` as a user runs it, on a project that finds Criterion in a folder, so that nothing is fetched. If a
//! verdict is expected, the work differs by a factor of a hundred; if none is, the time is too short for two rounds.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::compare::{block_texts, trees};
use crate::process::{Folder, ends, names, number_in, shell};
use crate::suite_commands::{self, rows};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use parcrypt_lab::stats::Border;

const MANIFEST: &str = r#"
[package]
name = "toy"
version = "0.1.0"
edition = "2021"

[dev-dependencies]
criterion = { version = "0.5", features = ["html_reports"] }

[profile.bench]
opt-level = 0

[[bench]]
name = "work"
harness = false

[[bench]]
name = "other"
harness = false

[[bench]]
name = "again"
harness = false

[[bench]]
name = "more"
harness = false
required-features = ["extra"]

[features]
extra = []

[workspace]
"#;

/// Where the toy's Cargo finds packages: a folder with an empty Criterion.
const CONFIG: &str = r#"
[source.crates-io]
replace-with = "here"
[source.here]
directory = "packages"
"#;

const WORK: &str = r#"
use criterion::{black_box, criterion_group, criterion_main, BatchSize, BenchmarkId, Criterion, Throughput};

fn count(to: u64) -> u64 {
    (0..to).fold(0, |sum, n| black_box(sum ^ n))
}

fn all(c: &mut Criterion) {
    println!("a suite may print");
    c.bench_function("same", |b| {
        println!("{{\"id\":1}}");
        b.iter(|| count(black_box(2000)))
    });
    c.bench_function("changed", |b| b.iter(|| count(black_box(toy::work()))));
    c.bench_function("allocates", |b| {
        b.iter_batched_ref(
            || vec![vec![1_u8; 50]; 50],
            |rows| {
                let mut bytes = Vec::<u8>::with_capacity(16);
                bytes.reserve_exact(toy::work() as usize);
                drop(black_box(bytes));
                (0..toy::work() / 100).for_each(|n| drop(black_box(Box::new(n))));
                rows.len()
            },
            BatchSize::SmallInput,
        )
    });
    let mut grown = Vec::new();
    c.bench_function("grows", |b| b.iter(|| grown.push(1_u8)));
    c.bench_function("varies", |b| {
        use std::hash::{BuildHasher, Hasher};
        let random = std::collections::hash_map::RandomState::new();
        b.iter(|| {
            let mut hash = random.build_hasher();
            hash.write_usize(black_box(&random) as *const _ as usize);
            Vec::<u8>::with_capacity(1 + (hash.finish() % 1000) as usize)
        })
    });
    c.bench_function("own time", |b| {
        b.iter_custom(|iterations| {
            let begun = std::time::Instant::now();
            count(iterations);
            begun.elapsed()
        })
    });
    let mut group = c.benchmark_group("group");
    for size in [10, 20] {
        group.throughput(Throughput::Bytes(size));
        group.bench_with_input(BenchmarkId::new("by size", size), &size, |b, size| {
            let input = || vec![1_u8; (size * toy::work()) as usize];
            b.iter_batched_ref(input, |bytes| bytes.len(), BatchSize::SmallInput)
        });
    }
    group.finish();
    // The processor ignores this prefix of a `nop`, and Valgrind knows no such instruction.
    c.bench_function("unknown", |b| {
        b.iter(|| {
            #[cfg(target_arch = "x86_64")]
            unsafe {
                std::arch::asm!(".byte 0xf2, 0x90")
            }
        })
    });
    c.bench_function(ONLY, |b| b.iter(|| count(1)));
    for _ in 0..2 {
        c.bench_function("twice", |b| b.iter(|| count(1)));
    }
    c.bench_function("panics", |_| panic!("no such file"));
    c.bench_function("exits", |_| std::process::exit(3));
    c.bench_function("never", |_| {});
}

criterion_group!(benches, all);
criterion_main!(benches);
"#;

const OTHER: &str = "fn main() {}\n";

/// A program that answers as one with divan.
const TREE: &str = r#"
fn main() {
    let given: Vec<String> = std::env::args().skip(1).collect();
    match given.join(" ").as_str() {
        "--list --format terse" => println!("other::tree: benchmark"),
        "--test" => println!("other\n╰─ tree"),
        "--bench --exact other::tree" => println!(
            "other    fastest  │ slowest  │ median   │ mean     │ samples │ iters\n\
             ╰─ tree  1.25 ns  │ 1.75 ns  │ 1.5 ns   │ 1.5 ns   │ 100     │ 1600\n"
        ),
        _ => panic!("DIVAN_SAMPLE_COUNT"),
    }
}
"#;

/// A program with a benchmark whose name another one has too.
const AGAIN: &str = "use criterion::*;\nfn all(c: &mut Criterion) {\n    c.bench_function(\"same\", |b| b.iter(|| black_box(1)));\n}\n\
                     criterion_group!(benches, all);\ncriterion_main!(benches);\n";

/// Runs git in the folder; returns whether it is there and succeeds.
pub(crate) fn git(folder: &Folder, arguments: &[&str]) -> bool {
    let settings = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"];
    let mut command = Command::new("git");
    command.args(settings).args(arguments).current_dir(folder.path("")).env("GIT_CONFIG_GLOBAL", "/dev/null");
    command.stdout(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Returns a folder with an empty git project; `None` if git is not there.
pub(crate) fn repository() -> Option<Folder> {
    let folder = Folder::new();
    let has_git = git(&folder, &["init", "-q"]);
    if !has_git {
        parcrypt_testkit::skip("parlab", "git projects", "git is not there");
    }
    has_git.then_some(folder)
}

/// Commits all files, and names the commit.
pub(crate) fn commit(folder: &Folder, tag: &str) {
    assert!(git(folder, &["add", "-A"]) && git(folder, &["commit", "-q", "-m", tag]));
    assert!(git(folder, &["tag", tag]));
}

/// Writes the benchmarks of a revision.
fn revision(folder: &Folder, changed: &str, only: &str) {
    folder.write("benches/work.rs", WORK.replace("ONLY", &format!("{only:?}")));
    // In the library, which both revisions build under one name.
    folder.write("src/lib.rs", format!("#[inline(never)]\npub fn work() -> u64 {{\n    {changed}\n}}\n"));
}

/// Writes packages in which Cargo finds a Criterion, which enables a feature of another package.
fn packages(folder: &Folder) {
    let shared = "[dependencies]\nshared = { version = \"1\", features = [\"on\"] }\n";
    let criterion = format!("version = \"0.5.1\"\n[features]\nhtml_reports = []\n{shared}");
    let shared = "version = \"1.0.0\"\n[features]\non = []\n";
    let library = "#[cfg(feature = \"on\")]\npub const ON: u64 = 1;\n";
    for (name, manifest, library) in [("criterion", &*criterion, ""), ("shared", shared, library)] {
        let write = |file: &str, text: &str| folder.write(&format!("packages/{name}/{file}"), text);
        write("Cargo.toml", &format!("[package]\nname = \"{name}\"\n{manifest}"));
        write("src/lib.rs", library);
        write(".cargo-checksum.json", "{\"files\":{}}");
    }
}

/// Makes the toy with the revisions `v1` and `v2`, of which the second does a hundred times the work in `changed`;
/// returns `None` if git is not there.
fn project() -> Option<Folder> {
    let folder = repository()?;
    folder.write("Cargo.toml", MANIFEST);
    folder.write(".gitignore", "target\nCargo.lock\n");
    folder.write(".cargo/config.toml", CONFIG);
    packages(&folder);
    folder.write("benches/other.rs", TREE);
    folder.write("benches/more.rs", OTHER);
    folder.write("benches/again.rs", AGAIN);
    revision(&folder, "100", "old one");
    commit(&folder, "v1");
    revision(&folder, "10_000", "new one");
    commit(&folder, "v2");
    Some(folder)
}

/// Words of a run over both revisions of the toy, whose builds are kept.
const BOTH: &str = "suite --rev v1 --rev v2 --target-dir target";

/// A benchmark that needs what Cargo sets for it.
const OF_CARGO: &str = r#"
use criterion::{black_box, criterion_group, criterion_main, Criterion};

fn all(c: &mut Criterion) {
    let is = |name: &str, value: &str| assert_eq!(std::env::var(name).as_deref(), Ok(value), "{name}");
    is("OF_CONFIG", "a secret");
    is("OF_ARGUMENTS", "7");
    is("OF_RUNNER", "yes");
    is("OF_SCRIPT", "yes");
    is("CARGO_PKG_AUTHORS", "some one");
    let text = |name: &str| std::env::var(name).expect(name);
    assert!(std::path::Path::new(&text("OF_FOLDER")).join("x").exists());
    assert!(std::path::Path::new(&text("OUT_DIR")).join("odd.c").exists());
    assert!(std::env::args().any(|word| word == "--sample-size"));
    let _ = c.bench_function("odd", |b| b.iter(|| unsafe { toy::odd(black_box(shared::ON)) }));
}

criterion_group!(benches, all);
criterion_main!(benches);
"#;

/// A build script that makes a shared library.
const SCRIPT: &str = r#"
fn main() {
    let out = std::env::var("OUT_DIR").unwrap();
    std::fs::write(format!("{out}/odd.c"), "unsigned long odd(unsigned long n) { return n * n + 1; }").unwrap();
    let mut cc = std::process::Command::new("cc");
    cc.args(["-shared", "-fPIC", "-o"]).arg(format!("{out}/libodd.so")).arg(format!("{out}/odd.c"));
    assert!(cc.status().unwrap().success());
    println!("cargo:rustc-link-search=native={out}\ncargo:rustc-link-lib=dylib=odd\ncargo:rustc-env=OF_SCRIPT=yes");
}
"#;

#[test]
fn a_benchmark_has_what_cargo_gives_it() {
    let Some(folder) = project() else { return };
    let (manifest, _) = MANIFEST.split_once("[profile.bench]").unwrap();
    let manifest = manifest.replace("[package]", "[package]\nauthors = [\"some one\"]");
    let benches = "[[bench]]\nname = \"of_cargo\"\nharness = false\n[[bench]]\nname = \"forgotten\"\n";
    folder.write("Cargo.toml", format!("{manifest}{benches}[dependencies]\nshared = \"1\"\n[workspace]\n"));
    folder.write(
        ".cargo/config.toml",
        format!(
            "{CONFIG}[env]\nOF_CONFIG = \"a secret\"\nOF_FOLDER = {{ value = \"data\", relative = true }}\n\
             [target.'cfg(all())']\nrunner = [\"env\", \"OF_RUNNER=yes\"]\n"
        ),
    );
    folder.write("data/x", "");
    folder.write("build.rs", SCRIPT);
    folder.write("src/lib.rs", "extern \"C\" {\n    pub fn odd(n: u64) -> u64;\n}\n");
    folder.write("benches/of_cargo.rs", OF_CARGO);
    folder.write("benches/forgotten.rs", AGAIN.replace("    c.", "    let _ = c."));
    for name in ["work", "other", "again", "more"] {
        fs::remove_file(folder.path(&format!("benches/{name}.rs"))).unwrap();
    }
    commit(&folder, "of-cargo");
    let run = "suite --rev HEAD --rev HEAD --rounds 1";
    let measure = format!("{run} --out kept -- --config \"env.OF_ARGUMENTS='7'\" -- --sample-size 10");
    // Our Criterion has unsafe code.
    let flags = "-Dwarnings -Wunsafe-code -Aunsafe-code -Wunused-qualifications";
    let (stdout, stderr) = ends(folder.words(&measure).env("RUSTFLAGS", flags), 0);
    let is_row = |line: &str| line.starts_with(" odd ") && line.contains(" ns ");
    assert!(stdout.lines().any(is_row), "{stdout}{stderr}");
    let record = folder.read(&folder.record_in("kept"));
    assert!(record.contains("of_cargo") && !record.contains("a secret"), "records are published: {record}");
    let forgotten =
        "`harness = false` is missing in Cargo.toml, in the `[[bench]]` with the name `forgotten`";
    assert!(stdout.contains(forgotten), "{stdout}");
    let (_, stderr) = folder.line(&format!("{run} -- --bench forgotten"), 2);
    assert!(stderr.contains(forgotten), "{stderr}");
}

#[test]
fn a_patched_criterion_is_replaced_and_one_of_a_path_is_named() {
    let Some(folder) = project() else { return };
    let list = "suite --rev HEAD --rev HEAD --list -- --bench again";
    folder.write("own/Cargo.toml", folder.read("packages/criterion/Cargo.toml"));
    folder.write("own/src/lib.rs", "");
    let patch = "[patch.crates-io]\ncriterion = { path = \"own\" }\n";
    folder.write("Cargo.toml", MANIFEST.to_owned() + patch);
    commit(&folder, "patch");
    assert_eq!(folder.line(list, 0).0, "same\n");
    folder.write("Cargo.toml", MANIFEST.replace("version = \"0.5\"", "path = \"own\""));
    commit(&folder, "path");
    let (_, stderr) = folder.line(list, 2);
    assert!(stderr.contains("`criterion` is a path dependency") && !stderr.contains("building"), "{stderr}");
}

/// The examples of the help, in which a run is short, and builds are kept.
#[test]
fn the_examples_of_the_help_run() {
    let Some(folder) = project() else { return };
    for name in ["bench-old", "bench-new", "bench.in"] {
        folder.script(name, suite_commands::GOOGLE);
    }
    folder.write("Makefile", "all:\n\tcp bench.in bench\n");
    let suite = |work: &str| {
        let text = AGAIN.replace("same", "parse").replace("black_box(1)", &format!("black_box({work})"));
        folder.write("benches/work.rs", text);
    };
    for (tag, work) in [("v1.0", "1"), ("last", "2")] {
        suite(work);
        commit(&folder, tag);
    }
    // Not committed.
    suite("3");
    let (help, _) = folder.line("suite --help", 0);
    let examples: Vec<&str> = help.lines().filter(|line| line.starts_with("  parlab ")).collect();
    assert_eq!(examples.len(), 8);
    for example in examples {
        let example = example.trim().split("  ").next().unwrap();
        let code = if example.contains("--fail-if") { 3 } else { 0 };
        let time = if example.contains("--for") { "" } else { " --rounds 1" };
        let target = if example.contains("--reads") { "" } else { " --target-dir target" };
        let short = format!("parlab suite{target}{time}");
        let example = example.replacen("parlab suite", &short, 1).replace("--for 5m", "--for 100ms");
        let example = example.replace("simd", "extra").replace("decode", "work");
        ends(&mut shell(&folder.path(""), &example), code);
    }
    assert_eq!(trees(&folder), 1);
}

#[test]
fn instructions_are_counted_exactly() {
    let Some(folder) = project() else { return };
    let count =
        "suite --rev v1 --rev v2 --rounds 1 --measure time,instructions --json '^(changed|group|own|unk)'";
    let count = format!("{count} --fail-if 'more than 1000%' -- --bench work");
    if Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_err() {
        parcrypt_testkit::skip("parlab", "suite --measure time,instructions", "valgrind is not there");
        let (_, stderr) = folder.line(&count, 2);
        let why = "--measure instructions: `valgrind`, which counts instructions, was not found";
        assert!(stderr.contains(why), "{stderr}");
        return;
    }
    let rows = rows(&folder.line(&count, 1).0);
    let counts = |name: &str| {
        let of = &rows[name]["counts"]["instructions"];
        assert!(["old", "new"].iter().all(|side| of[side]["low"] == of[side]["high"]), "{name}: {rows:?}");
        let [old, new] = ["old", "new"].map(|side| of[side]["low"].as_u64().unwrap());
        (old, new, of["change"].as_str().unwrap())
    };
    let (old, new, change) = counts("changed");
    assert!(change == "more" && (new - old) % 9900 == 0 && old >= 300, "as many for each step: {rows:?}");
    // Neither what makes the input, nor what the loop counts without an iteration.
    let (old, new, change) = counts("group/by size/20");
    assert!(change == "same" && old == new && (1..100).contains(&new), "{rows:?}");
    let why = |name: &str| rows[name]["counts"]["why"].as_str().unwrap();
    assert!(why("own time").contains("iter_custom"), "{rows:?}");
    if cfg!(target_arch = "x86_64") {
        assert!(why("unknown").contains("Valgrind does not support"), "{rows:?}");
    }
    let (_, stderr) = ends(folder.words(&count).env("PATH", folder.path("")), 2);
    assert!(stderr.contains("install the package valgrind"), "{stderr}");
}

#[test]
fn a_suite_is_compared_and_says_what_it_leaves_out() {
    let Some(folder) = project() else { return };
    let (stdout, stderr) = folder.line(&format!("{BOTH} --list"), 0);
    assert_eq!(
        stdout,
        "same\nother::tree\nsame\nchanged\nallocates\ngrows\nvaries\nown time\ngroup/by size/10\ngroup/by size/20\nunknown\npanics\nexits\nnever\n"
    );
    for part in [
        "more: it was not built: it needs the features extra",
        "new one: only in v2",
        "old one: only in v1",
        "twice: 2 benchmarks",
    ] {
        assert!(stderr.contains(part), "{part}\n{stderr}");
    }
    // A filter is a text, or a regular expression.
    for (filter, names) in [("by size/10", "group/by size/10\n"), ("^(ex|pan|s).*[^e]$", "panics\nexits\n")] {
        assert_eq!(folder.line(&format!("{BOTH} --list '{filter}'"), 0).0, names);
    }
    // What the programs print, and what fails in both revisions, does not end the others. Too few rounds for an answer.
    let measure = format!("{BOTH} --rounds 2 --json --out kept --measure time,allocations");
    let (stdout, stderr) = folder.line(&format!("{measure} --fail-if 'slower than 50%'"), 3);
    for part in ["lost panics, v2 (", "ended with exit code 101: no such file", "lost exits, "] {
        assert!(stderr.contains(part) && !stderr.contains("instead of answering"), "{part}\n{stderr}");
    }
    // Outside a terminal each long phase has a line.
    for part in
        ["building v1 (", "measuring 14 benchmarks in 2 rounds each", "counting allocations of 14 benchmarks"]
    {
        assert!(stderr.contains(part), "{part}\n{stderr}");
    }
    assert!(stderr.contains("\ngate undecided: no benchmark shown slower than 50 %; "), "{stderr}");
    let rows = rows(&stdout);
    assert_eq!(rows.keys().filter(|name| name.starts_with("same")).count(), 2, "{rows:?}");
    for (name, expected) in [
        ("old one", "only-in-old"),
        ("new one", "only-in-new"),
        ("panics", "failed"),
        ("exits", "failed"),
        ("never", "skipped"),
        ("twice", "skipped"),
    ] {
        assert_eq!(rows[name]["how"], expected, "{name} {rows:?}");
    }
    let range = |low: u64, high: u64| serde_json::json!({ "low": low, "high": high });
    let new_and_change = |name: &str, count: &str| {
        let of = &rows[name]["counts"][count];
        (of["new"].clone(), of["change"].as_str().unwrap())
    };
    // Neither the inputs nor what drops them.
    for (count, old, new) in [
        ("allocations", 3, 102),
        ("allocated-bytes", 16 + 100 + 8, 16 + 10_000 + 100 * 8),
        ("peak-allocated-bytes", 100, 10_000),
    ] {
        assert_eq!(rows["allocates"]["counts"][count]["old"], range(old, old), "{count} {rows:?}");
        assert_eq!(new_and_change("allocates", count), (range(new, new), "more"), "{count}");
        assert_eq!(new_and_change("group/by size/20", count), (range(0, 0), "same"), "{count}");
    }
    assert_eq!(new_and_change("grows", "allocations"), (range(0, 1), "same"));
    assert_eq!(new_and_change("varies", "allocations"), (range(1, 1), "same"));
    assert_eq!(new_and_change("varies", "allocated-bytes").1, "varies");
    assert!(rows["own time"]["counts"]["why"].as_str().unwrap().contains("iter_custom"), "{rows:?}");
    let record = folder.record("kept");
    assert_eq!(record.suite.and_then(|suite| suite.gate), Some(Border::Above(1.5)));
    let processes = |name: &str| {
        let case = record.cases.iter().find(|case| case.workload == name).unwrap();
        case.entries.iter().map(|entry| entry.counted.len()).collect::<Vec<_>>()
    };
    assert_eq!([processes("allocates"), processes("grows"), processes("varies")], [[2, 2], [2, 2], [8, 8]]);
    // Eight rounds are enough for a time that does not vary.
    let (stdout, _) = folder.line(&format!("{BOTH} --rounds 8 --json tree"), 0);
    assert_eq!(suite_commands::rows(&stdout)["other::tree"]["verdict"], "same", "{stdout}");
    // Of two conditions, the one on allocations has an answer, and the one on times has not: too few rounds.
    let more = format!("{BOTH} --rounds 1 --measure time,allocations allocates");
    let (stdout, stderr) = folder.line(&format!("{more} --fail-if 'more than 100%, slower than 50%'"), 1);
    assert!(stdout.contains("3 → 102") && stdout.contains("100 B → 10,000 B"), "{stdout}");
    for part in [
        "\ngate undecided: no benchmark shown slower than 50 %; 1 of 1",
        "\ngate failed: 1 of 1 benchmark with over 100 % more allocations: ",
    ] {
        assert!(stderr.contains(part), "{stderr}");
    }
    let text = folder.read(&folder.record_in("kept"));
    let [here, temporary] = [folder.path(""), std::env::temp_dir()].map(|path| path.display().to_string());
    assert!(!text.contains(&here) && !text.contains(&temporary), "a folder of this machine: {text}");
    assert!(record.plan_text.contains("folder = \"old\"") && record.plan_text.contains("[\"target/2/"));
    assert_eq!(trees(&folder), 1);
    assert!(git(&folder, &["diff", "--exit-code"]) && !folder.path("Cargo.lock").exists());
    // Of a filter's benchmarks, none failed.
    // The library is built again for the second revision, also where both begin with nothing.
    let chosen = "suite --rev v1 --rev v2 --rounds 8 changed";
    let (_, stderr) = folder.line(&format!("{chosen} --fail-if 'slower than 50%'"), 1);
    assert!(stderr.contains("gate failed: 1 of 1 benchmark slower than 50 %: changed (+"), "{stderr}");
    let faster = format!("{chosen} --target-dir target --markdown --fail-if 'faster than 50%'");
    let (stdout, _) = folder.line(&faster, 0);
    let passed = "**gate passed: no benchmark faster than 50 %; 1 compared (their intervals reach +";
    assert!(stdout.contains(passed), "{stdout}");
}

/// Cargo and the compiler are those of each revision.
#[test]
fn a_toolchain_file_is_followed() {
    let Some(folder) = project() else { return };
    folder.write("rust-toolchain.toml", "[toolchain]\nchannel = \"no-such-toolchain\"\n");
    commit(&folder, "toolchain");
    let mut command = folder.words("suite --rev v1 --rev HEAD --list");
    if Command::new("rustup").arg("--version").output().is_err() {
        parcrypt_testkit::skip("parlab", "toolchains", "rustup is not there");
        return;
    }
    let (_, stderr) = ends(command.env_remove("RUSTUP_TOOLCHAIN").env("RUSTUP_AUTO_INSTALL", "0"), 2);
    assert!(stderr.contains("no-such-toolchain"), "{stderr}");
}

#[test]
fn what_is_not_committed_is_compared_with_a_revision() {
    let Some(folder) = project() else { return };
    let (_, stderr) = folder.line("suite", 2);
    assert!(stderr.contains("everything is committed: name two revisions"), "{stderr}");
    revision(&folder, "20_000", "newest");
    folder.write("unknown", "");
    let (_, stderr) = folder.line("suite --list", 0);
    for part in [
        "untracked files are left out",
        "building HEAD (",
        "building not committed",
        "newest: only in not committed",
    ] {
        assert!(stderr.contains(part), "{part}\n{stderr}");
    }
    assert!(folder.read("src/lib.rs").contains("20_000") && trees(&folder) == 1);
}

#[test]
fn a_suite_that_cannot_be_measured_says_why() {
    let Some(folder) = project() else { return };
    let refused = |arguments: &str, part: &str| {
        let (_, stderr) = folder.line(&format!("suite --target-dir target --rounds 1 {arguments}"), 2);
        assert!(stderr.contains(part), "{arguments}\n{stderr}");
    };
    let one_of_each = "give at most one condition on times (slower, faster), and one on counts (more, fewer)";
    let not_counted = "--fail-if 'more than 0%': that is not counted: give --measure too, or write 'slower than 0%' for times";
    for (arguments, part) in [
        ("--rev v1 --rev v3", "--rev v3: the project has no such revision"),
        ("--rev v1 --rev v2 --rev v1", "--rev: give it twice"),
        ("--fail-if 'slower than 2%, faster than 2%'", one_of_each),
        ("--fail-if 'slower than 2%' --fail-if 'slower than 2%'", one_of_each),
        ("--fail-if 'slower than 2%' --fail-if 'more than 0%'", not_counted),
        ("--processors 0", "'--processors <N>': it must be from 1 to "),
        (
            "--rev v1 --rev v2 nowhere",
            "no benchmark matches the filter: --list without a filter prints all names",
        ),
        ("--rev v1 --rev v2 -- --no-such", "--no-such"),
        ("--rev v1 --rev v2 -- --features x", "does not contain this feature"),
        ("--rev v1 --rev v2 -- --target-dir x", "after `--` it would apply to both revisions"),
        ("parse(", "not a regular expression"),
    ] {
        refused(arguments, part);
    }
    folder.write("benches/work.rs", "fn main() { nothing() }\n");
    folder.write("benches/other.rs", OTHER);
    commit(&folder, "broken");
    // Beside a program that compiles, it is a row; the answer is an error, because it did compile before.
    let broken = "suite --rev v1 --rev broken --target-dir target --rounds 1 -- --jobs=1";
    let (stdout, stderr) = folder.line(broken, 2);
    for part in ["cannot find function `nothing`", "it does not use Criterion or divan): other"] {
        assert!(stdout.contains(part), "{part}\n{stdout}");
    }
    assert!(stderr.contains("error: 1 benchmark failed in the new revision only: work\n"), "{stderr}");
    refused("--rev v1 --rev broken -- --bench work", "cannot find function `nothing`");
    folder.write(
        "benches/work.rs",
        "#[global_allocator]\nstatic A: std::alloc::System = std::alloc::System;\n".to_owned() + AGAIN,
    );
    commit(&folder, "allocator");
    let own = "--rev allocator --rev allocator --measure time,allocations";
    let (stdout, _) = folder.line(&format!("suite --target-dir target --rounds 1 {own}"), 0);
    assert!(stdout.contains("Not counted (it has an allocator of its own"), "{stdout}");
    assert!(
        stdout.contains("The allocations of an iteration changed in 0 of 1 benchmark: 1 same."),
        "{stdout}"
    );
    refused(&format!("{own} -- --bench work"), "put `#[global_allocator]` behind a feature");
    folder.write("src/lib.rs", "pub fn work() -> u64 { nowhere }\n");
    commit(&folder, "library");
    let library =
        "a library that it needs does not compile: cannot find value `nowhere` in this scope (src/lib.rs:1)";
    refused("--rev v1 --rev library", library);
    folder.write("Cargo.toml", MANIFEST.replace("0.5", "9.0"));
    commit(&folder, "unknown");
    refused("--rev v1 --rev unknown", "--rev unknown");
    fs::remove_dir_all(folder.path("benches")).unwrap();
    folder.write("Cargo.toml", MANIFEST.split("[[bench]]").next().unwrap());
    commit(&folder, "none");
    refused("--rev v1 --rev none", "--rev none (");
    assert_eq!(trees(&folder), 1);
}

#[test]
fn ctrl_c_removes_the_work_trees() {
    let Some(folder) = project() else { return };
    folder.write(
        "build.rs",
        "fn main() {\n    std::fs::write(std::env::var(\"STARTED\").unwrap(), format!(\"{}\\n\", std::process::id())).unwrap();\n    \
         loop { std::thread::park() }\n}\n",
    );
    commit(&folder, "hangs");
    let temporary = tempfile::tempdir().unwrap();
    let mut command = folder.words("suite --rev HEAD --rev v1");
    command.env("STARTED", folder.path("started")).env("TMPDIR", temporary.path());
    let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let build = number_in(&folder.path("started"));
    kill(Pid::from_raw(running.id() as i32), Signal::SIGINT).unwrap();
    let output = running.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!((trees(&folder), names(temporary.path())), (1, Vec::<String>::new()));
    let build = format!("/proc/{build}");
    while fs::exists(&build).unwrap_or(false) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

#[test]
fn a_work_tree_has_what_is_around_the_project_and_no_hook_runs() {
    let Some(folder) = repository() else { return };
    let git = |words: &str| {
        let words: Vec<&str> = words.split(' ').collect();
        assert!(git(&folder, &[&["-c", "protocol.file.allow=always"][..], &words].concat()), "{words:?}");
    };
    git("init -q app");
    folder.write("sibling/x", "");
    git("init -q part");
    folder.write("part/y", "");
    git("-C part add y");
    git("-C part commit -q -m one");
    git("-C app submodule --quiet add ../part dep");
    git("-C app commit -q -m one");
    folder.script("app/.git/hooks/post-checkout", "#!/bin/sh\necho called > ../hook\nexit 1\n");
    let app = |arguments: &str| {
        ends(folder.words(arguments).current_dir(folder.path("app")).env_remove("CARGO_HOME"), 0).1
    };
    app("compare --rev HEAD --rev HEAD --rounds 1 'cat dep/y ../sibling/x'");
    assert!(!folder.path("hook").exists() && !folder.path("app/../hook").exists());
    // In no commit, and not in the index as it is.
    folder.script("app/bench", suite_commands::GOOGLE);
    git("-C app add -N bench");
    let stderr = app("suite --list --cmd ./bench --reads google-benchmark");
    assert!(stderr.contains("./bench: HEAD") && !stderr.contains("; not committed"), "{stderr}");
    git(&format!("clone -q --depth 1 file://{} shallow", folder.path("part").display()));
    let mut shallow = folder.words("suite --rev HEAD~1 --rev HEAD");
    let (_, stderr) = ends(shallow.current_dir(folder.path("shallow")), 2);
    assert!(stderr.contains("not in this shallow clone") && stderr.contains("fetch-depth: 0"), "{stderr}");
}

/// Returns a git project, and scripts/suite-ci in it over these texts of `parlab` and `gh`; `None` without git.
fn job(parlab: &str, gh: &str) -> Option<(Folder, Command)> {
    let folder = repository()?;
    folder.write("file", "1");
    commit(&folder, "one");
    folder.script("bin/parlab", parlab);
    folder.script("bin/gh", gh);
    let path = format!("{}:{}", folder.path("bin").display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(script("suite-ci"));
    command.args(["--fail-if", "slower than 2%"]).current_dir(folder.path("")).env("PATH", path);
    command.env("BASE", "HEAD").env_remove("GITHUB_STEP_SUMMARY").env_remove("COMMENT_ON");
    Some((folder, command))
}

/// `parlab` ends with an exit code, and `gh` may have a comment, which is 42.
#[test]
fn a_job_ends_as_the_suite_does_and_keeps_one_comment() {
    for (code, strict, id, expected) in [
        (0, "0", "42", 0),
        (1, "0", "", 1),
        (2, "0", "", 2),
        (3, "0", "", 0),
        (3, "1", "", 3),
        (130, "0", "", 130),
    ] {
        let parlab = format!(
            "#!/bin/sh\necho \"$*\" > asked-parlab\necho building >&2\necho '| a | **b** |'\n\
             [ {code} -ne 2 ] || printf 'error: HEAD: it broke\\n  | a\\n' >&2\nexit {code}\n"
        );
        let gh =
            format!("#!/bin/sh\necho \"$*\" >> asked-gh\ncase \"$*\" in *--paginate*) echo '{id}' ;; esac\n");
        let Some((folder, mut command)) = job(&parlab, &gh) else { return };
        command.env("COMMENT_ON", "7").env("GITHUB_REPOSITORY", "a/b").env("STRICT", strict);
        let (_, stderr) = ends(&mut command, expected);
        let asked = "suite --rev HEAD --rev HEAD --out parlab-results --markdown --fail-if slower than 2%\n";
        assert_eq!(folder.read("asked-parlab"), asked, "{stderr}");
        let comment = folder.read("parlab-results/comment.md");
        assert!(comment.starts_with("<!-- parlab suite -->\n"), "{comment}");
        assert!(comment.ends_with("\n\n| a | **b** |\n"), "{comment}");
        // parlab's own error.
        let error = "**parlab ended with exit code 2.**\n\n    error: HEAD: it broke\n      | a\n";
        assert_eq!(comment.contains(error), code == 2, "{comment}");
        let passes = (code, strict) == (3, "0");
        assert_eq!(comment.contains("passes without an answer"), passes, "{comment}");
        assert_eq!(stderr.contains("without an answer"), passes, "{stderr}");
        assert!(stderr.starts_with("building\n"), "{stderr}");
        assert_eq!(names(&folder.path("parlab-results")).len(), 3);
        let method = if id.is_empty() {
            "POST repos/a/b/issues/7/comments"
        } else {
            "PATCH repos/a/b/issues/comments/42"
        };
        let last = format!("api --method {method} --field body=@parlab-results/comment.md --silent\n");
        assert!(folder.read("asked-gh").ends_with(&last), "{last}");
    }
}

/// A comment on GitHub has at most 65,536 characters, with the error and the results.
#[test]
fn a_comment_is_never_too_long() {
    let line = "x".repeat(500);
    let parlab = format!(
        "#!/bin/sh\nseq 1100 | sed 's/.*/| a row of a table with many benchmarks, number & /'\necho '<details>'\n\
         seq 3000 | sed 's/.*/| a row that is hidden, number & /'\n\
         {{ echo 'error: HEAD: it broke'; seq 90 | sed 's/.*/{line}/'; }} >&2\nexit 2\n"
    );
    let Some((folder, mut command)) = job(&parlab, "#!/bin/sh\n") else { return };
    assert_eq!(command.output().unwrap().status.code(), Some(2));
    let comment = folder.read("parlab-results/comment.md");
    assert!((40_000..65_536).contains(&comment.len()), "{}", comment.len());
    for part in [
        "\n    error: HEAD: it broke\n    xxx",
        "\nThe error is too long for a comment: see the log of the job.\n",
        "\n| a row of a table with many benchmarks, number 700 \n",
    ] {
        assert!(comment.contains(part) && !comment.contains(&line), "{comment}");
    }
    assert!(comment.ends_with("\nThe whole table is too long for a comment: see the results of the job.\n"));
}

#[test]
fn the_action_is_a_composite_of_that_script() {
    let action = fs::read_to_string(script("../action.yml")).unwrap();
    // Each input is used, and each that is used is there.
    let (inputs, uses) = action.split_once("\nruns:").unwrap();
    let used = uses.split("inputs.").skip(1).filter_map(|rest| rest.split(' ').next());
    let named =
        inputs.split_once("\ninputs:").unwrap().1.lines().filter_map(|line| {
            line.strip_prefix("  ")?.strip_suffix(':').filter(|name| !name.starts_with(' '))
        });
    let named: BTreeSet<&str> = named.collect();
    assert_eq!((named.len(), named), (8, used.collect()));
    for name in ["suite-ci", "get-parlab"] {
        assert!(action.contains(&format!("scripts/{name}")) && Path::new(&script(name)).exists());
    }
}

/// Path of a script of this repository.
fn script(name: &str) -> String {
    format!("{}/../../../scripts/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// The template for GitLab clones this repository, takes parlab, and ends as `parlab suite` does.
#[test]
fn the_template_for_gitlab_ends_as_the_suite_does() {
    let Some(folder) = repository() else { return };
    let path = |name: &str| folder.path(name).display().to_string();
    for name in ["suite-ci", "get-parlab"] {
        folder.script(&format!("source/scripts/{name}"), &fs::read_to_string(script(name)).unwrap());
    }
    folder.write("file", "1");
    assert!(git(&folder, &["add", "file"]) && git(&folder, &["commit", "-q", "-m", "one"]));
    for arguments in [&["init", "-q"][..], &["add", "."], &["commit", "-q", "-m", "one"]] {
        assert!(git(&folder, &[&["-C", "source"], arguments].concat()));
    }
    let template = fs::read_to_string(script("../docs/guides/gitlab-suite.yml")).unwrap();
    let [text] = &block_texts(&template)[..] else { panic!("{template}") };
    let variables = template.split("variables:\n").nth(2).unwrap().split("  cache:").next().unwrap();
    let variables = variables.lines().filter_map(|line| line.trim().split_once(": "));
    let variables: Vec<(&str, &str)> = variables.filter(|(name, _)| !name.starts_with('#')).collect();
    assert_eq!(variables.len(), 6, "{variables:?}");
    for code in [0, 1, 2, 3] {
        let parlab = format!("#!/bin/sh\necho \"$*\" > asked\necho result\nexit {code}\n");
        folder.script(".parlab/bin/parlab", &parlab);
        let mut shell = Command::new("sh");
        shell.args(["-c", text]).current_dir(folder.path(""));
        shell.envs(variables.iter().map(|(name, value)| (*name, value.trim_matches('"'))));
        shell.envs([("CI_MERGE_REQUEST_DIFF_BASE_SHA", "HEAD"), ("PARLAB_SOURCE", &path("source"))]);
        shell.envs([("PARLAB_FAIL_IF", "slower than 2%"), ("PARLAB_ARGUMENTS", "--layouts 0 *")]);
        ends(&mut shell, code);
        let asked = "suite --rev HEAD --rev HEAD --out parlab-results --markdown --fail-if slower than 2% --layouts 0 *\n";
        assert_eq!(folder.read("asked"), asked);
        assert!(folder.read("parlab-results/comment.md").ends_with("\n\nresult\n"));
    }
}

/// A release's parlab is taken only with the SHA-256 that the release says; without one it is built.
#[test]
fn parlab_is_fetched_from_a_release_or_built() {
    let folder = Folder::new();
    let has =
        |program: &str| Command::new(program).arg("--version").output().is_ok_and(|ran| ran.status.success());
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) || !has("curl") || !has("sha256sum") {
        parcrypt_testkit::skip("parlab", "get-parlab", "it needs Linux on x86-64, curl and sha256sum");
        return;
    }
    let name = format!("parcrypt-{}-x86_64-unknown-linux-musl", env!("CARGO_PKG_VERSION"));
    let release = folder.path("release");
    folder.script(&format!("release/{name}/parlab"), "#!/bin/sh\necho released\n");
    let pack = format!("tar -czf {name}.tar.gz {name}; sha256sum {name}.tar.gz > SHA256SUMS");
    ends(Command::new("sh").args(["-c", &pack]).current_dir(&release), 0);
    folder.script("bin/cargo", "#!/bin/sh\necho \"$*\" > \"$ASKED\"\n");
    let get = |from: &Path, code: i32| {
        let mut get = Command::new(script("get-parlab"));
        let path = format!("{}:{}", folder.path("bin").display(), std::env::var("PATH").unwrap());
        get.arg("got").current_dir(folder.path("")).env("PATH", path).env("ASKED", folder.path("asked"));
        ends(get.env("RELEASE", format!("file://{}", from.display())), code).1
    };
    get(&release, 0);
    assert_eq!(ends(&mut Command::new(folder.path("got/bin/parlab")), 0).0, "released\n");
    assert_eq!(folder.read("asked"), "");
    assert!(get(&folder.path("none"), 0).contains("has no parlab"));
    let install =
        format!("install --locked --root {} --path crates/lab/parlab\n", folder.path("got").display());
    assert_eq!(folder.read("asked"), install);
    folder.write(&format!("release/{name}.tar.gz"), "other");
    assert!(get(&release, 2).contains("but SHA256SUMS says"));
}

#[test]
fn blocks_take_other_layouts_of_the_programs() {
    let wrong = Folder::new().line("suite --layouts 8", 2).1;
    assert!(wrong.contains("a number from 9 to 100, or 0"), "{wrong}");
    if !cfg!(all(target_os = "linux", target_env = "gnu", target_arch = "x86_64")) {
        parcrypt_testkit::skip("parlab", "suite --layouts", "rustc's linker here is not lld");
        return;
    }
    let Some(folder) = project() else { return };
    let measure = "suite --rev v1 --rev v2 --layouts 9 --rounds 18 --out records changed";
    let (stdout, _) = folder.line(measure, 0);
    assert!(stdout.contains("slower"), "{stdout}");
    let record = folder.record("records");
    let case = &record.cases[0];
    assert_eq!((&case.workload[..], case.layouts()), ("changed", 9));
    for entry in &case.entries {
        assert_eq!((entry.rounds.len(), entry.replicates.len()), (18, 9), "{:?}", entry.failure);
        assert!(entry.layouts[8].starts_with("work-") && entry.layouts[8].ends_with(".layout-9"));
    }
}

//! `parlab` on machines that lack what others have, and with names of files that are not UTF-8.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Stdio;

use parcrypt_testkit::bad_machine::BadMachine;

use crate::process::{Folder, ends};

/// A plan that this program measures itself.
const PLAN: &str = "schema = 2\ntitle = \"t\"\n[sampling]\nrounds = 1\n[[case]]\nworkload = \"sum\"\nparams = { scale = 11 }\nthreads = [1]\n\
                    input = { bytes = 2048 }\n[[candidate]]\nname = \"a\"\ncommand = [\"python3\", \"sum.py\"]\n";

#[test]
fn every_machine_measures_and_says_what_it_lacks() {
    for machine in BadMachine::ALL {
        let folder = Folder::with(PLAN);
        let run = |arguments: &[&str]| Some(ends(&mut machine.with(&folder.parlab(arguments))?, 0));
        let Some((_, said)) = run(&["compare", "true", "--for", "100ms", "--out", "r"]) else { continue };
        let record = folder.record("r");
        let entry = &record.cases[0].entries[0];
        assert!(entry.failure.is_none() && !entry.rounds[0].is_empty(), "{machine:?}");
        let missing = match machine {
            BadMachine::Affinity => "binding to processors",
            BadMachine::Proc => "waited for a processor (/proc is not mounted)",
            _ => "",
        };
        assert_eq!(record.missing.is_empty(), missing.is_empty(), "{machine:?}: {:?}", record.missing);
        assert!(said.contains(missing), "{machine:?}: {said}");
        let one = "candidates are not bound to processors: only one is allowed";
        // The machine that runs this test may have one only.
        if machine == BadMachine::OneProcessor {
            assert!(said.contains(one), "{said}");
        }
        run(&["bench", "p.toml", "--out", "b"]).unwrap();
        assert!(folder.record("b").cases[0].entries[0].failure.is_none(), "{machine:?}");
        run(&["report", &folder.record_in("b"), "--out", "page.html"]).unwrap();
        assert!(folder.read("page.html").contains(missing), "{machine:?}");
    }
}

#[test]
fn without_proc_a_program_that_the_path_finds_knows_itself() {
    let folder = Folder::new();
    let mut command = crate::process::shell(folder.0.path(), "parlab compare true --for 100ms --out r");
    let Some(mut command) = BadMachine::Proc.with(command.stdin(Stdio::null())) else { return };
    ends(&mut command, 0);
    assert!(folder.record("r").cases[0].entries[0].failure.is_none());
}

#[test]
fn names_that_are_not_utf_8_are_used_or_refused_in_a_line() {
    let folder = Folder::with(PLAN);
    let name = |end: &str| OsStr::from_bytes(&[b"n\xff", end.as_bytes()].concat()).to_owned();
    let run = |arguments: &[&OsStr], code| {
        let mut command = folder.parlab(&[]);
        ends(command.args(arguments), code)
    };
    let [compare, bench, out, time, short, yes] =
        ["compare", "bench", "--out", "--for", "100ms", "true"].map(OsStr::new);
    run(&[compare, yes, time, short, out, &name(".r")], 0);
    let records = fs::read_dir(folder.0.path().join(name(".r"))).unwrap();
    let json = |path: &std::path::PathBuf| path.extension() == Some(OsStr::new("json"));
    let record = records.map(|entry| entry.unwrap().path()).find(json).unwrap();
    run(&["report".as_ref(), record.as_os_str(), out, &name(".html")], 0);
    assert!(folder.0.path().join(name(".html")).is_file());
    for arguments in [&[compare, name("").as_os_str()][..], &[bench, name("").as_os_str()]] {
        let (_, said) = run(arguments, 2);
        assert!(said.starts_with("error: invalid UTF-8"), "{said}");
    }

    // The folder in which it works has such a name; or the folder in which it is.
    let inside = folder.0.path().join(name(""));
    fs::create_dir(&inside).unwrap();
    for name in ["p.toml", "sum.py", "parlab.py"] {
        fs::copy(folder.path(name), inside.join(name)).unwrap();
    }
    ends(folder.parlab(&["bench", "p.toml", "--out", "r"]).current_dir(&inside), 0);
    let link = inside.join("parlab");
    fs::hard_link(env!("CARGO_BIN_EXE_parlab"), &link)
        .or_else(|_| fs::copy(env!("CARGO_BIN_EXE_parlab"), &link).map(drop))
        .unwrap();
    let mut moved = std::process::Command::new(&link);
    let (_, said) = ends(moved.args(["compare", "true"]).current_dir(folder.0.path()), 2);
    assert!(said.contains("/parlab is not UTF-8: the path of this program has to be"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

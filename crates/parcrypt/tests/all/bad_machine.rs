//! `parcrypt` on machines that lack what others have, and with names of files that are not UTF-8.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::process::Command;

use parcrypt_testkit::bad_machine::BadMachine;

use crate::process::{PARCRYPT, ends, parcrypt};

const BLOB: usize = 131_072;

#[test]
fn every_machine_computes() {
    let mut commitments = Vec::new();
    for machine in BadMachine::ALL {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.blob"), [0; BLOB]).unwrap();
        let run = |arguments: &[&str], code| {
            let mut command = parcrypt(arguments);
            Some(ends(&mut machine.with(command.current_dir(folder.path()))?, code))
        };
        let Some((verified, _)) = run(&["verify", "sha256", "fr-product"], 0) else { continue };
        assert!(verified.contains(" 0 failed"), "{machine:?}: {verified}");
        run(&["doctor"], 0).unwrap();
        run(&["kzg", "commit", "a.blob"], 0).unwrap();
        commitments.push(fs::read_to_string(folder.path().join("a.blob.commitment")).unwrap());
        // Before anything is measured.
        if matches!(machine, BadMachine::Proc) {
            let (_, said) = run(&["bench"], 2).unwrap();
            let why = "use `parlab bench --program PATH`";
            assert!(said.contains(why) && said.lines().count() == 1, "{machine:?}: {said}");
        }
    }
    commitments.dedup();
    assert_eq!(commitments.len(), 1, "{commitments:?}");
}

#[test]
fn names_that_are_not_utf_8_are_used_or_refused_in_a_line() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join(OsStr::from_bytes(b"n\xff"));
    fs::create_dir(&inside).unwrap();
    let blob = OsStr::from_bytes(b"\xff.blob");
    fs::write(inside.join(blob), [0; BLOB]).unwrap();
    ends(parcrypt(&["kzg", "prove"]).arg(&inside), 0);
    ends(parcrypt(&["kzg", "verify"]).arg(inside.join(blob)).current_dir("/"), 0);
    ends(parcrypt(&["doctor"]).current_dir(&inside), 0);
    let moved = inside.join("parcrypt");
    fs::hard_link(PARCRYPT, &moved).or_else(|_| fs::copy(PARCRYPT, &moved).map(drop)).unwrap();
    let (_, said) = ends(Command::new(&moved).arg("bench"), 2);
    assert!(said.contains("/parcrypt is not UTF-8: the path of this program has to be"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

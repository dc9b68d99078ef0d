//! `parcrypt kzg` as a user runs it: a few blobs, good and bad, in files, folders and pipes.

mod jobs;
mod wrong;

use std::fs;

use serde_json::json;

use crate::process::{PARCRYPT, WorkDir, bytes, ends, examples, lines};

const BLOB: usize = 131_072;
/// The point at infinity: the commitment to zeros, and the proof of a blob of one value.
const INFINITY: &str =
    "0xc00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000";

impl WorkDir {
    fn kzg() -> Self {
        WorkDir::starting(&[PARCRYPT, "kzg"])
    }

    fn with_blobs(names: &[&str]) -> Self {
        let dir = WorkDir::kzg();
        for (i, name) in names.iter().enumerate() {
            dir.write(&format!("blobs/{name}"), &blob(i as u64 + 1));
        }
        dir
    }

    /// Checks that two files have the same contents. The bytes of blobs are too many to be shown.
    fn same(&self, a: &str, b: &str) {
        assert!(self.read(a) == self.read(b), "{a} and {b} differ");
    }
}

/// Returns the lines of standard error before the last one, which counts the inputs.
fn before_count(stderr: &str) -> &str {
    let last = stderr.lines().last().unwrap_or_default();
    assert!(last.contains(" in "), "the last line has no count: {stderr}");
    stderr.strip_suffix(&format!("{last}\n")).unwrap()
}

/// Returns a blob whose field elements are all small and differ.
fn blob(seed: u64) -> Vec<u8> {
    let mut bytes = vec![0; BLOB];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for element in bytes.chunks_mut(32) {
        for byte in &mut element[1..] {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            *byte = (state >> 56) as u8;
        }
    }
    bytes
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn each_command_reads_the_output_of_the_one_before() {
    let dir = WorkDir::with_blobs(&["b", "a", "deep/c"]);
    let (commitments, stderr) = dir.ends("commit blobs", 0);
    assert!(stderr.starts_with("3 blobs done in ") && stderr.lines().count() == 1, "{stderr}");
    // Sorted, each with its path, and the same in the files.
    let paths: Vec<&str> = commitments.lines().map(|line| line.split_once("  ").unwrap().1).collect();
    assert_eq!(paths, ["blobs/a", "blobs/b", "blobs/deep/c"]);
    for line in commitments.lines() {
        let (commitment, path) = line.split_once("  ").unwrap();
        assert_eq!(dir.text(&format!("{path}.commitment")), format!("{commitment}\n"));
        assert_eq!(bytes(commitment).len(), 48);
    }
    let (proofs, _) = dir.ends("prove blobs", 0);
    assert_eq!(proofs.lines().count(), 3);
    let (verified, stderr) = dir.ends("verify blobs", 0);
    assert_eq!(verified, "blobs/a: verified\nblobs/b: verified\nblobs/deep/c: verified\n");
    assert!(stderr.starts_with("3 blobs verified in ") && stderr.lines().count() == 1, "{stderr}");

    // The same in another folder, with the folders in it.
    dir.ends("prove blobs --out proofs", 0);
    assert_eq!(
        dir.names("proofs"),
        [".parcrypt-kzg", "a.commitment", "a.proof", "b.commitment", "b.proof", "deep"]
    );
    dir.same("proofs/deep/c.proof", "blobs/deep/c.proof");
    dir.ends("verify blobs --results proofs", 0);

    let (paths, _) = dir.ends("cells blobs/a blobs/b", 0);
    assert_eq!(paths, "blobs/a.cells\nblobs/a.proofs\nblobs/b.cells\nblobs/b.proofs\n");
    let (cells, proofs) = (dir.read("blobs/a.cells"), dir.read("blobs/a.proofs"));
    assert_eq!((cells.len(), proofs.len()), (2 * BLOB, 128 * 48));
    assert!(cells[..BLOB] == dir.read("blobs/a"), "the first half is the blob");
    let (verified, _) = dir.ends("verify-cells blobs", 0);
    assert_eq!(verified, "blobs/a.cells: verified\nblobs/b.cells: verified\n");

    // Without proofs the cells are the same.
    dir.ends("cells blobs/a --no-proofs --out alone", 0);
    assert_eq!(dir.names("alone"), [".parcrypt-kzg", "a.cells"]);
    dir.same("alone/a.cells", "blobs/a.cells");

    // A file for each cell, half of which are lost; single ones are read under other names.
    dir.ends("cells blobs/a --split --out part", 0);
    assert_eq!(dir.names("part/a.cells").len(), 256);
    for index in 0..128 {
        let [cell, proof] = ["cell", "proof"].map(|e| format!("part/a.cells/{index:03}.{e}"));
        assert!(dir.read(&cell) == cells[index * 2048..][..2048], "{cell}");
        assert!(dir.read(&proof) == proofs[index * 48..][..48], "{proof}");
        if index % 2 == 0 {
            fs::remove_file(dir.path(&cell)).unwrap();
            fs::remove_file(dir.path(&proof)).unwrap();
        }
    }
    fs::rename(dir.path("part/a.cells/001.cell"), dir.path("part/a.cells/1.cell")).unwrap();
    fs::rename(dir.path("part/a.cells/001.proof"), dir.path("part/a.cells/1.proof")).unwrap();
    assert_eq!(dir.ends("verify-cells part --commitments blobs", 0).0, "part/a.cells: verified\n");
    let (paths, _) = dir.ends("recover part --out whole --blobs", 0);
    assert_eq!(paths, "whole/a.cells\nwhole/a.proofs\nwhole/a\n");
    for name in ["a", "a.cells", "a.proofs"] {
        dir.same(&format!("whole/{name}"), &format!("blobs/{name}"));
    }
    dir.ends("recover whole --out again --split --no-proofs", 0);
    assert_eq!(dir.names("again/a.cells").len(), 128);

    // An opening.
    let z = format!("0x{:064x}", 7);
    let (opening, _) = dir.ends(&format!("prove blobs/a --z {z}"), 0);
    assert_eq!(dir.text("blobs/a.opening"), opening);
    let object = &lines(&opening)[0];
    assert_eq!((object["z"].as_str(), object.as_object().unwrap().len()), (Some(&z[..]), 4));
    assert_eq!(dir.ends("verify blobs --openings", 0).0, "blobs/a.opening: verified\n");
    dir.write("blobs/a.opening", ["\u{feff}", &opening].concat().as_bytes());
    dir.ends("verify blobs --openings", 0);
    dir.write("blobs/a.opening", opening.replace(object["y"].as_str().unwrap(), &z).as_bytes());
    let verify = || dir.ends("verify blobs/a.opening --openings", 1).0;
    assert_eq!(verify(), "blobs/a.opening: DOES NOT VERIFY\n");
    for (text, why) in [
        (opening.replace("\"z\"", "\"x\""), "missing field `z`"),
        (opening.replace(&z, "0x07"), "`z`: 2 hexadecimal digits instead of 64"),
        (opening.replace("\"y\":\"0x", "\"y\":\"0xz"), "`y`: byte 2 is not a hexadecimal digit"),
        (String::new(), "EOF while parsing"),
    ] {
        dir.write("blobs/a.opening", text.as_bytes());
        assert!(verify().starts_with(&format!("blobs/a.opening: DOES NOT VERIFY ({why}")), "{}", verify());
    }
}

#[test]
fn json_lines_have_all_results() {
    let dir = WorkDir::with_blobs(&["a"]);
    dir.write("zero", &vec![0; BLOB]);
    let mut two = vec![0; BLOB];
    two.chunks_mut(32).for_each(|element| element[31] = 2);
    dir.write("two", &two);
    // c-kzg-4844's commitment to the constant 2, twice the generator of G1.
    let double =
        "0xa572cbea904d67468808c8eb50a9450c9721db309128012543902d0ac358a62ae28f75bb8f1c7c42c39a8c5529bf0f4e";
    assert_eq!(
        lines(&dir.ends("prove zero two --json", 0).0),
        [
            json!({"file": "zero", "commitment": INFINITY, "proof": INFINITY}),
            json!({"file": "two", "commitment": double, "proof": INFINITY}),
        ]
    );
    let object = |words: &str| lines(&dir.ends(words, 0).0).remove(0);
    assert_eq!(object("commit two --json"), json!({"file": "two", "commitment": double}));
    let cells = object("cells blobs --json");
    assert_eq!(
        (dir.names(""), dir.names("blobs")),
        (["blobs", "two", "zero"].map(String::from).into(), vec!["a".into()])
    );
    dir.ends("cells blobs", 0);
    for (name, file, size) in [("cells", "blobs/a.cells", 2048), ("proofs", "blobs/a.proofs", 48)] {
        let parts: Vec<Vec<u8>> =
            cells[name].as_array().unwrap().iter().map(|part| bytes(part.as_str().unwrap())).collect();
        assert!(parts.len() == 128 && parts.iter().all(|part| part.len() == size));
        assert!(parts.concat() == dir.read(file), "{name}");
    }
    assert!(object("cells blobs --json --no-proofs").get("proofs").is_none());
    assert!(object("recover blobs --json")["cells"] == cells["cells"], "recovered cells");
    dir.ends("commit blobs", 0);
    assert_eq!(object("verify-cells blobs --json"), json!({"file": "blobs/a.cells", "verified": true}));
    let both = lines(&dir.ends("verify blobs/a blobs/missing --json", 2).0);
    assert_eq!(both[0]["error"], "blobs/a.proof does not exist");
    assert!(both[1]["error"].as_str().unwrap().contains("No such file"), "{both:?}");
}

#[test]
fn hexadecimal_and_standard_input() {
    let dir = WorkDir::kzg();
    let raw = blob(1);
    let digits = hex(&raw);
    dir.write("raw", &raw);
    dir.write("prefixed", format!("\u{feff} \t0x{}\n", digits.to_uppercase()).as_bytes());
    let wrapped: Vec<&str> = (0..digits.len()).step_by(64).map(|i| &digits[i..i + 64]).collect();
    dir.write("wrapped", wrapped.join("\r\n").as_bytes());
    let (text, _) = dir.ends("commit raw prefixed wrapped", 0);
    let commitment = text.lines().next().unwrap().split_once("  ").unwrap().0.to_owned();
    assert_eq!(text.matches(&commitment).count(), 3, "{text}");
    let with_stdin = |name: &str, words: &str, code| {
        ends(dir.command(words).stdin(fs::File::open(dir.path(name)).unwrap()), code)
    };
    for name in ["raw", "prefixed"] {
        assert_eq!(with_stdin(name, "commit -", 0).0, format!("{commitment}  -\n"));
    }
    with_stdin("raw", "prove - --out results", 0);
    assert_eq!(dir.names("results"), [".parcrypt-kzg", "stdin.commitment", "stdin.proof"]);
    with_stdin("raw", "verify - --results results", 0);
    for (words, why) in [
        ("cells -", "give --out FOLDER, or --json"),
        ("verify -", "give the folder of stdin.commitment and stdin.proof with --results"),
        ("recover - --out x", "standard input is not supported here"),
    ] {
        let (_, stderr) = with_stdin("raw", words, 2);
        assert!(stderr.contains(why), "{words}: {stderr}");
    }
    dir.refuses("commit -", "standard input: it is empty: a blob has 131072 bytes raw");
    // Contents of the right length are raw, even if all bytes are digits.
    dir.write("digits", &[b'0'; BLOB]);
    dir.ends("commit digits", 0);
    // Each standard input is another one. Of it only a result is printed that is in no file.
    dir.write("other", &blob(2));
    with_stdin("other", "prove - --out results", 0);
    for command in ["commit", "prove", &format!("prove --z {}", "0".repeat(64))] {
        assert_ne!(with_stdin("raw", &format!("{command} - --quiet"), 0).0, "", "{command}");
        let kept = with_stdin("raw", &format!("{command} - --quiet --out results"), 0);
        assert_eq!(kept, Default::default(), "{command}");
    }
}

#[test]
fn the_examples_of_the_help_run() {
    let dir = WorkDir::kzg();
    let mut ran = 0;
    for command in ["", "commit", "prove", "verify", "cells", "recover", "verify-cells"] {
        let (help, _) = dir.ends(&format!("{command} --help"), 0);
        let lines = examples(&help);
        dir.shell(&lines.join("\n"));
        ran += lines.len();
    }
    assert!(ran >= 32, "{ran} examples");
}

#[test]
fn the_examples_of_the_documents_run() {
    for document in [
        include_str!("../../../../docs/reference/kzg.md"),
        include_str!("../../../../docs/guides/commit-to-blobs.md"),
    ] {
        let dir = WorkDir::kzg();
        let examples: Vec<_> =
            document.split("```sh\n").skip(1).map(|rest| rest.split_once("```").unwrap().0).collect();
        assert!(examples.len() > 2);
        examples.iter().for_each(|script| drop(dir.shell(script)));
    }
}

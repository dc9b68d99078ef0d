//! `parcrypt kzg` as a user runs it: a few blobs, good and bad, in files, folders and pipes.

mod jobs;
mod workdir;
mod wrong;

use std::fs;

use serde_json::json;

use workdir::{BLOB, INFINITY, WorkDir, blob, bytes, ends, hex, lines};

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

    // The same in another folder, with the folders in it, from given commitments.
    dir.ends("prove blobs --out proofs --commitments blobs", 0);
    assert_eq!(dir.names("proofs"), [".parcrypt-kzg", "a.proof", "b.proof", "deep"]);
    dir.same("proofs/deep/c.proof", "blobs/deep/c.proof");

    let (paths, _) = dir.ends("cells blobs/a blobs/b", 0);
    assert_eq!(paths, "blobs/a.cells\nblobs/a.proofs\nblobs/b.cells\nblobs/b.proofs\n");
    let (cells, proofs) = (dir.read("blobs/a.cells"), dir.read("blobs/a.proofs"));
    assert_eq!((cells.len(), proofs.len()), (2 * BLOB, 128 * 48));
    assert!(cells[..BLOB] == dir.read("blobs/a"), "the first half is the blob");
    let (verified, _) = dir.ends("verify-cells blobs", 0);
    assert_eq!(verified, "blobs/a.cells: verified\nblobs/b.cells: verified\n");

    // So are the answers if all of them are computed twice.
    let mut twice = dir.command("commit blobs --out twice");
    ends(twice.env("PARCRYPT_SHADOW", "1/1"), 0);
    dir.same("twice/a.commitment", "blobs/a.commitment");

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
    dir.ends("recover part --out cells --no-proofs", 0);
    assert_eq!(dir.names("cells"), [".parcrypt-kzg", "a.cells"]);
    dir.same("cells/a.cells", "whole/a.cells");
    dir.ends("recover whole --out again --split", 0);
    assert_eq!(dir.names("again/a.cells").len(), 256);

    // An opening.
    let z = format!("0x{:064x}", 7);
    let (opening, _) = dir.ends(&format!("prove blobs/a --z {z}"), 0);
    assert_eq!(dir.text("blobs/a.opening"), opening);
    let opening = &lines(&opening)[0];
    assert_eq!((opening["z"].as_str(), opening.as_object().unwrap().len()), (Some(&z[..]), 4));
    assert_eq!(dir.ends("verify blobs --openings", 0).0, "blobs/a.opening: verified\n");
    let word = |name: &str| opening[name].as_str().unwrap();
    let (commitment, y, proof) = (word("commitment"), word("y"), word("proof"));
    let values = format!("verify --commitment {commitment} --z {z} --proof {proof} --y");
    assert_eq!(dir.ends(&format!("{values} {y}"), 0).0, "verified\n");
    assert_eq!(dir.ends(&format!("{values} {z}"), 1).0, "DOES NOT VERIFY\n");
    assert_eq!(lines(&dir.ends(&format!("{values} {y} --json"), 0).0), [json!({"verified": true})]);
    let given = format!("verify blobs/a --commitment {commitment} --proof");
    dir.ends(&format!("{given} {}", dir.text("blobs/a.proof").trim()), 0);
    dir.ends(&format!("{given} {}", dir.text("blobs/b.proof").trim()), 1);
}

#[test]
fn known_answers() {
    let dir = WorkDir::kzg();
    dir.write("zero", &vec![0; BLOB]);
    let mut two = vec![0; BLOB];
    two.chunks_mut(32).for_each(|element| element[31] = 2);
    dir.write("two", &two);
    let (text, _) = dir.ends("prove zero two --json", 0);
    // c-kzg-4844's commitment to the constant 2, twice the generator of G1.
    let double =
        "0xa572cbea904d67468808c8eb50a9450c9721db309128012543902d0ac358a62ae28f75bb8f1c7c42c39a8c5529bf0f4e";
    assert_eq!(
        lines(&text),
        [
            json!({"file": "zero", "commitment": INFINITY, "proof": INFINITY}),
            json!({"file": "two", "commitment": double, "proof": INFINITY}),
        ]
    );
    assert_eq!(fs::read_dir(dir.path("")).unwrap().count(), 2, "--json writes no file");
}

#[test]
fn json_lines_have_all_results() {
    let dir = WorkDir::with_blobs(&["a"]);
    let object = |words: &str| lines(&dir.ends(words, 0).0).remove(0);
    let commitment = object("commit blobs --json");
    assert_eq!(commitment["file"], "blobs/a");
    assert_eq!(object("prove blobs --json")["commitment"], commitment["commitment"]);
    assert!(dir.names("blobs") == ["a"], "no file is written");
    let cells = object("cells blobs --json");
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
    let both = dir.ends("verify blobs/a blobs/missing --json", 2);
    let both = lines(&both.0);
    assert_eq!(both[0]["error"], "blobs/a.proof does not exist; `parcrypt kzg prove` writes it");
    assert!(both[1]["error"].as_str().unwrap().contains("No such file"), "{both:?}");
}

#[test]
fn hexadecimal_and_standard_input() {
    let dir = WorkDir::kzg();
    let raw = blob(1);
    let digits = hex(&raw);
    dir.write("raw", &raw);
    dir.write("plain", digits.as_bytes());
    dir.write("prefixed", format!("0x{}\n", digits.to_uppercase()).as_bytes());
    let wrapped: Vec<&str> = (0..digits.len()).step_by(64).map(|i| &digits[i..i + 64]).collect();
    dir.write("wrapped", wrapped.join("\r\n").as_bytes());
    let (text, _) = dir.ends("commit raw plain prefixed wrapped", 0);
    let commitment = text.lines().next().unwrap().split_once("  ").unwrap().0.to_owned();
    assert_eq!(text.matches(&commitment).count(), 4, "{text}");

    for (input, words) in [("raw", "commit -"), ("prefixed", "commit - --format hex"), ("plain", "commit -")]
    {
        let file = fs::File::open(dir.path(input)).unwrap();
        let (text, _) = ends(dir.command(words).stdin(file), 0);
        assert_eq!(text, format!("{commitment}  -\n"));
    }
    let file = || fs::File::open(dir.path("raw")).unwrap();
    ends(dir.command("prove - --out results").stdin(file()), 0);
    assert_eq!(dir.names("results"), [".parcrypt-kzg", "stdin.commitment", "stdin.proof"]);
    ends(dir.command("verify - --results results").stdin(file()), 0);
    let (_, stderr) = ends(dir.command("cells -").stdin(file()), 2);
    assert!(stderr.contains("give --out FOLDER, or --json"), "{stderr}");
    let (_, stderr) = ends(dir.command("verify -").stdin(file()), 2);
    assert!(stderr.contains("give its --commitment and --proof"), "{stderr}");
    let (_, stderr) = ends(dir.command("commit - -").stdin(file()), 2);
    assert!(stderr.contains("`-` is given twice"), "{stderr}");
    dir.refuses("commit -", "standard input: it is empty: a blob has 131072 bytes raw");
}

/// Runs the examples of the help in a shell, to check that each works as it is written.
#[test]
fn the_examples_of_the_help_run() {
    let dir = WorkDir::kzg();
    let mut ran = 0;
    for command in ["", "commit", "prove", "verify", "cells", "recover", "verify-cells"] {
        let (help, _) = dir.ends(&format!("{command} --help"), 0);
        ran += examples(&dir, &help, command);
    }
    assert!(ran >= 35, "{ran} examples");
}

#[test]
fn the_examples_of_the_documents_run() {
    for document in [
        include_str!("../../../../docs/reference/kzg.md"),
        include_str!("../../../../docs/guides/commit-to-blobs.md"),
    ] {
        let dir = WorkDir::kzg();
        let mut examples =
            document.split("```sh\n").skip(1).map(|rest| rest.split_once("```").unwrap().0).peekable();
        assert!(examples.peek().is_some());
        for script in examples {
            dir.shell(script);
        }
    }
}

/// Runs the examples in the folder, and returns their number.
fn examples(dir: &WorkDir, help: &str, command: &str) -> usize {
    let text = help.split_once("\nExamples").unwrap_or_else(|| panic!("{command} has no examples")).1;
    let lines: Vec<&str> = text
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with("  "))
        // The text after two spaces is an explanation.
        .map(|line| line.trim().split("  ").next().unwrap())
        .collect();
    dir.shell(&lines.join("\n"));
    lines.len()
}

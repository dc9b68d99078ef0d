//! Errors of inputs, flags and folders: messages and exit codes.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Command;

use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use serde_json::json;

use super::{BLOB, INFINITY, before_count, blob, hex};
use crate::process::{PARCRYPT, WorkDir, ends, lines};

impl WorkDir {
    /// Returns the command for words that might wait forever, even after SIGTERM: then it ends with another exit code.
    fn command_in_time(&self, words: &str) -> Command {
        self.with(&["timeout", "--signal=KILL", "60", PARCRYPT, "kzg"], words)
    }
}

#[test]
fn an_error_of_a_file_is_reported_and_the_others_continue() {
    let dir = WorkDir::with_blobs(&["good1", "good2"]);
    let good = blob(1);
    dir.write("bad/empty", b"");
    dir.write("bad/long", &[&good[..], b"x"].concat());
    dir.write("bad/short", &good[..BLOB - 1]);
    dir.write("bad/huge", &vec![b'0'; 5 * BLOB]);
    dir.write("bad/odd", &hex(&good).as_bytes()[1..]);
    let mut typo = hex(&good).into_bytes();
    typo[1000] = b'g';
    dir.write("bad/typo", &typo);
    let mut above = good.clone();
    above[17 * 32..18 * 32].fill(0xff);
    dir.write("bad/element", &above);
    symlink("loop", dir.path("bad/loop")).unwrap();
    symlink("nowhere", dir.path("bad/dangling")).unwrap();
    fs::create_dir(dir.path("none")).unwrap();
    let right = "a blob has 131072 bytes raw, or 262144 hexadecimal digits";
    let (stdout, stderr) = dir.ends("commit blobs/good1 bad none missing blobs/good2", 2);
    let expected = [
        "bad/dangling: No such file or directory (os error 2)".to_owned(),
        "bad/element: blob: field element 17 is not below the modulus".to_owned(),
        format!("bad/empty: it is empty: {right}"),
        "bad/huge: it is longer than 525312 bytes".to_owned(),
        format!("bad/long: 131073 bytes: {right}"),
        "bad/loop: Too many levels of symbolic links (os error 40)".to_owned(),
        format!("bad/odd: 262143 hexadecimal digits: {right}"),
        format!("bad/short: 131071 bytes: {right}"),
        format!("bad/typo: 'g' at byte 1000 is not a hexadecimal digit: {right}"),
        "none: contains no blob".to_owned(),
        "missing: No such file or directory (os error 2)".to_owned(),
    ];
    let errors: Vec<&str> = stderr.lines().filter_map(|line| line.strip_prefix("error: ")).collect();
    assert_eq!(errors, expected);
    assert!(stderr.lines().last().unwrap().starts_with("13 blobs: 2 done, 11 failed, in "), "{stderr}");
    assert_eq!(stdout.lines().count(), 2, "{stdout}");
    assert_eq!(dir.names("blobs").len(), 5, "two blobs, two commitments, one ledger");
    // In JSON every input has its line.
    let all = lines(&dir.ends("commit blobs/good1 bad/short --json", 2).0);
    assert!(all[0]["commitment"].is_string());
    assert_eq!(all[1], json!({"file": "bad/short", "error": format!("bad/short: 131071 bytes: {right}")}));
}

#[test]
fn a_wrong_output_is_exit_code_1() {
    let dir = WorkDir::with_blobs(&["a", "b", "c"]);
    dir.ends("prove blobs", 0);
    fs::copy(dir.path("blobs/a.proof"), dir.path("blobs/b.proof")).unwrap();
    let (stdout, stderr) = dir.ends("verify blobs", 1);
    assert_eq!(stdout, "blobs/a: verified\nblobs/b: DOES NOT VERIFY\nblobs/c: verified\n");
    assert!(stderr.starts_with("3 blobs: 2 verified, 1 does not verify, in "), "{stderr}");
    let json = lines(&dir.ends("verify blobs --json", 1).0);
    assert_eq!(json[1], json!({"file": "blobs/b", "verified": false}));
    // Damage has one exit code, whether it can be decoded or not, and in whichever file it is.
    let good = ["blobs/c", "blobs/c.proof", "blobs/c.commitment"].map(|name| (name, dir.read(name)));
    let mut above = good[0].1.clone();
    above[64..96].fill(0xff);
    for (name, bytes, why) in [
        ("blobs/c.proof", vec![0xff; 48], "proof: "),
        ("blobs/c.proof", b"0x00".to_vec(), "blobs/c.proof: 2 hexadecimal digits: a proof has 48 bytes raw"),
        ("blobs/c.commitment", vec![0xff; 48], "commitment: "),
        ("blobs/c", above, "blob: field element 2 is not below the modulus"),
        ("blobs/c", good[0].1[1..].to_vec(), "131071 bytes: a blob has 131072 bytes raw"),
        ("blobs/c", vec![b'0'; 5 * BLOB], "it is longer than 525312 bytes"),
    ] {
        dir.write(name, &bytes);
        let (stdout, stderr) = dir.ends("verify blobs", 1);
        let expected =
            format!("blobs/a: verified\nblobs/b: DOES NOT VERIFY\nblobs/c: DOES NOT VERIFY ({why}");
        assert!(stdout.starts_with(&expected), "{stdout}");
        assert!(stderr.starts_with("3 blobs: 1 verified, 2 do not verify, in "), "{stderr}");
        let (stdout, in_json) = dir.ends("verify blobs --json", 1);
        assert_eq!(stderr.split(", in ").next(), in_json.split(", in ").next(), "the same last line");
        let json = lines(&stdout);
        assert!(json[2]["verified"] == false && json[2]["error"].as_str().unwrap().contains(why), "{json:?}");
        good.iter().for_each(|(name, bytes)| dir.write(name, bytes));
    }
    // A missing file has another, and one hint for all.
    dir.shell("rm blobs/?.proof");
    let errors = ["a", "b", "c"].map(|name| format!("error: blobs/{name}.proof does not exist\n"));
    let hint = "note: `parcrypt kzg prove` writes commitments and proofs; --results FOLDER reads others\n";
    for words in ["verify blobs", "verify blobs --json"] {
        let (_, stderr) = dir.ends(words, 2);
        assert_eq!(before_count(&stderr), errors.concat() + hint, "{words}");
    }
}

#[test]
fn what_is_no_blob_in_a_folder_is_one_warning() {
    let dir = WorkDir::with_blobs(&["a", "b", "deep/c"]);
    let texts = ["blobs/README.md", "blobs/notes.txt", "blobs/deep/LICENSE", "blobs/deep/x.py"];
    texts.iter().for_each(|name| dir.write(name, "Übrigens: nothing of this is hexadecimal\n".as_bytes()));
    let warning = "warning: blobs/README.md, blobs/deep/LICENSE, blobs/deep/x.py and 1 more: not read: a blob has 131072 \
                   bytes raw, or 262144 hexadecimal digits\n";
    for command in ["commit", "prove --out results", "verify --results results", "cells --no-proofs --json"] {
        let (stdout, stderr) = dir.ends(&format!("{command} blobs"), 0);
        assert_eq!((stdout.lines().count(), before_count(&stderr)), (3, warning), "{command}");
        assert!(stderr.lines().last().unwrap().starts_with("3 blobs "), "{stderr}");
    }
    dir.refuses("commit blobs/notes.txt", "blobs/notes.txt: 42 bytes: a blob has 131072 bytes raw");
    // What has results was a blob.
    dir.write("blobs/b", b"notes");
    let why = "\nerror: blobs/b: 5 bytes: a blob has 131072 bytes raw";
    dir.refuses("commit blobs", why);
    dir.shell("rm blobs/b.commitment");
    ["commit", "prove", "cells"]
        .iter()
        .for_each(|name| dir.refuses(&format!("{name} blobs --out results"), why));
    let (stdout, _) = dir.ends("verify blobs --results results", 1);
    assert!(stdout.contains("blobs/b: DOES NOT VERIFY (5 bytes: a blob has"), "{stdout}");
    // What cannot be told from a damaged blob is an error.
    for (name, text) in [("nul", "\0"), ("prefixed", "0x12 z"), ("digits", "00112233 xyz"), ("none", "")] {
        dir.write(&format!("{name}/blob"), text.as_bytes());
        dir.refuses(&format!("commit {name}"), &format!("error: {name}/blob: "));
    }
    // Sidecars, with more of them than a blob is long, and a list of blobs.
    let digits = hex(&blob(1));
    let sidecar = format!("{{\"index\":\"0\",\"blob\":\"0x{digits}\"}}");
    let sidecars = format!("{{\"data\":[{sidecar},{sidecar},{sidecar}]}}");
    let list = format!("\u{feff} {{\"finalized\":true, \"data\": [\"0x{digits}\"]}}\n");
    let why = ": this is the JSON of a beacon node; write each blob in it, 0x and its digits, to a file\n";
    for json in [&sidecars, &list, "{\"blob\":\"0x00\"}"] {
        dir.write("beacon/blobs.json", json.as_bytes());
        for words in ["beacon", "beacon/blobs.json"] {
            dir.refuses(&format!("commit {words}"), &format!("error: beacon/blobs.json{why}"));
        }
        let file = fs::File::open(dir.path("beacon/blobs.json")).unwrap();
        assert_eq!(ends(dir.command("commit -").stdin(file), 2).1, format!("error: standard input{why}"));
    }
}

#[test]
fn wrong_cells_are_named() {
    let dir = WorkDir::with_blobs(&["a", "b"]);
    dir.ends("commit blobs", 0);
    dir.ends("cells blobs --no-proofs", 0);
    let (_, stderr) = dir.ends("verify-cells blobs", 2);
    let hint = "note: `parcrypt kzg cells` writes cells with their proofs\n";
    let errors = "error: blobs/a.proofs does not exist\nerror: blobs/b.proofs does not exist\n";
    assert_eq!(before_count(&stderr), format!("{errors}{hint}"));
    dir.ends("cells blobs", 0);
    let mut cells = dir.read("blobs/b.cells");
    cells[2048 + 31] ^= 1;
    cells[2048 * 100 + 63] ^= 1;
    dir.write("blobs/b.cells", &cells);
    let (stdout, _) = dir.ends("verify-cells blobs", 1);
    assert_eq!(stdout, "blobs/a.cells: verified\nblobs/b.cells: DOES NOT VERIFY (cells 1, 100)\n");
    cells[2048..2048 + 32].fill(0xff);
    dir.write("blobs/b.cells", &cells);
    let (stdout, _) = dir.ends("verify-cells blobs/b.cells", 1);
    let why = "blobs/b.cells: DOES NOT VERIFY (cell 100; cell 1: field element 0 is not below the modulus)\n";
    assert_eq!(stdout, why);
    dir.ends("cells blobs/a --out single --split", 0);
    let mut cell = dir.read("single/a.cells/007.cell");
    cell[31] ^= 1;
    dir.write("single/a.cells/007.cell", &cell);
    dir.write("single/a.cells/009.proof", &[0; 48]);
    let (stdout, _) = dir.ends("verify-cells single --commitments blobs", 1);
    let why = "proof of cell 9: the bytes are not a point of the curve";
    assert_eq!(stdout, format!("single/a.cells: DOES NOT VERIFY (cell 7; {why})\n"));
    let (stdout, _) = dir.ends("verify-cells single --commitments blobs --json", 1);
    let wrong = json!([
        { "cell": 7, "file": "single/a.cells/007.cell" },
        { "cell": 9, "file": "single/a.cells/009.proof", "error": why },
    ]);
    assert_eq!(lines(&stdout)[0]["wrong"], wrong, "{stdout}");
    // Without cells nothing is verified, whatever other files there are.
    fs::create_dir(dir.path("none.cells")).unwrap();
    dir.write("none.cells/000.proof", &[0xc0; 48]);
    dir.write("none.commitment", INFINITY.as_bytes());
    let (stdout, stderr) = dir.ends("verify-cells none.cells blobs/a.cells", 2);
    assert_eq!(stdout, "blobs/a.cells: verified\n");
    assert!(stderr.starts_with("error: none.cells: contains no cell: no file INDEX.cell\n"), "{stderr}");
    dir.write("blobs/a.commitment", &[0xff; 48]);
    let (stdout, _) = dir.ends("verify-cells blobs/a.cells", 1);
    assert!(stdout.starts_with("blobs/a.cells: DOES NOT VERIFY (commitment: "), "{stdout}");
    fs::remove_file(dir.path("blobs/a.commitment")).unwrap();
    let (_, stderr) = dir.ends("verify-cells blobs/a.cells", 2);
    let why = "error: blobs/a.commitment does not exist\nnote: `parcrypt kzg commit` writes commitments; --commitments ";
    assert!(stderr.starts_with(why), "{stderr}");
}

#[test]
fn a_bad_cell_is_left_out_or_found() {
    let dir = WorkDir::with_blobs(&["a"]);
    dir.ends("commit blobs", 0);
    dir.ends("cells blobs", 0);
    dir.ends("cells blobs --split --out part", 0);
    let cell = |index: usize| format!("part/a.cells/{index:03}.cell");
    let good = dir.read(&cell(9));
    dir.write(&cell(7), &[0; 2047]);
    let recover = || dir.ends("recover part --out whole --blobs", 0);
    let why = "part/a.cells/007.cell: 2047 bytes: a cell has 2048 bytes raw, or 4096 hexadecimal digits\n";
    let without = format!("warning: left out: cell 7: {why}");
    for done in ["1 set of cells done in ", "1 set of cells done before in "] {
        let (_, stderr) = recover();
        assert!(stderr.starts_with(&format!("{without}{done}")), "{stderr}");
        dir.same("whole/a", "blobs/a");
        dir.same("whole/a.proofs", "blobs/a.proofs");
    }
    let (stdout, _) = dir.ends("verify-cells part --commitments blobs", 1);
    assert_eq!(stdout, format!("part/a.cells: DOES NOT VERIFY (cell 7: {})\n", why.trim_end()));
    // Other files are not read.
    dir.write("part/a.cells/notes.txt", b"");
    dir.write("part/a.cells/lost/000.cell", b"");
    dir.write(&cell(9), b"");
    let others = "warning: part/a.cells/lost/, part/a.cells/notes.txt: not read: a folder of cells holds files INDEX.cell \
                  and INDEX.proof, with INDEX from 0 to 127\n";
    let all = without.replace("cell 7:", "cells 7, 9:") + others;
    assert_eq!(before_count(&recover().1), all);
    let (stdout, stderr) = dir.ends("recover part --json", 0);
    assert!(lines(&stdout)[0]["cells"].is_array() && before_count(&stderr) == all, "{stderr}");
    assert_eq!(dir.ends("recover part --json --quiet", 0).1, "");
    // A wrong one is found by another command.
    dir.write(&cell(7), &good);
    dir.write(&cell(9), &good);
    let command = "verify-cells part/a.cells --commitments ";
    let finds =
        format!("degree below 4096: `parcrypt kzg {command}FOLDER` finds the wrong ones; remove them");
    dir.refuses("recover part --out other", &finds);
    let (stdout, stderr) = dir.ends(&format!("{command}blobs"), 1);
    assert_eq!((&stdout[..], before_count(&stderr)), ("part/a.cells: DOES NOT VERIFY (cell 7)\n", others));
    // Half of them must be left.
    (64..128).for_each(|index| fs::remove_file(dir.path(&cell(index))).unwrap());
    dir.write(&cell(7), &[0; 2047]);
    let left = format!("error: part/a.cells: 63 cells are left, recovery takes at least 64; cell 7: {why}");
    dir.refuses("recover part --out other", &left);
}

#[test]
fn sets_of_cells_that_cannot_be_recovered() {
    let dir = WorkDir::with_blobs(&["a"]);
    dir.ends("cells blobs --no-proofs --split --out part", 0);
    let cell = |name: &str| dir.path(&format!("part/a.cells/{name}"));
    let refused = |why: &str| {
        let (stdout, stderr) = dir.ends("recover part --out whole", 2);
        assert!(stdout.is_empty() && stderr.contains(why), "{why}: {stderr}");
        assert!(!dir.path("whole/a.cells").exists());
    };
    fs::write(cell("128.cell"), [0; 2048]).unwrap();
    refused(
        "part/a.cells: 128.cell is not a cell: a folder of cells holds files INDEX.cell and INDEX.proof, with INDEX from 0",
    );
    fs::rename(cell("128.cell"), cell("5.cell")).unwrap();
    refused("part/a.cells: cell 5 is present twice, as 005.cell and 5.cell");
    fs::remove_file(cell("5.cell")).unwrap();
    fs::write(cell("007.cell"), [0xff; 2048]).unwrap();
    fs::remove_file(cell("003.cell")).unwrap();
    refused("part/a.cells: cell 7: field element 0 is not below the modulus");
    (0..65).for_each(|i| drop(fs::remove_file(cell(&format!("{i:03}.cell")))));
    refused("part/a.cells: 63 cells");
    (65..128).for_each(|i| fs::remove_file(cell(&format!("{i:03}.cell"))).unwrap());
    refused("part/a.cells: contains no cell");
    dir.refuses("recover part", "give another folder with --out, or --json");
    dir.refuses("recover blobs --out whole", "blobs: contains no set of cells: no NAME.cells");
    dir.refuses(
        "recover blobs/a --out whole",
        "blobs/a: not a set of cells, which is a file or a folder NAME.cells",
    );
    dir.ends("cells blobs --no-proofs", 0);
    dir.refuses("recover blobs --out blobs", "blobs/a.cells would overwrite its own input");
}

#[test]
fn folders_links_and_names() {
    let dir = WorkDir::with_blobs(&["a"]);
    symlink("a", dir.path("blobs/link")).unwrap();
    symlink("..", dir.path("blobs/up")).unwrap();
    mkfifo(&dir.path("blobs/pipe"), Mode::S_IRWXU).unwrap();
    dir.write("blobs/.hidden", b"");
    dir.write("blobs/old.proof", b"");
    let odd = dir.path("blobs").join(OsStr::from_bytes(b"\xff\n"));
    fs::write(&odd, blob(9)).unwrap();
    let (stdout, stderr) = ends(&mut dir.command_in_time("commit blobs blobs/a"), 0);
    assert_eq!(stdout.lines().count(), 3, "{stdout}");
    assert!(stdout.ends_with("  blobs/\u{fffd}\\n\n"), "{stdout}");
    let notes: Vec<&str> = before_count(&stderr).lines().collect();
    assert_eq!(
        notes,
        [
            "note: blobs/pipe: skipped: neither a file nor a folder",
            "note: blobs/up: skipped: symbolic link to a directory (pass it explicitly to include it)",
            "note: inputs that were given more than once are read only once",
        ]
    );
    assert!(dir.path("blobs").join(OsStr::from_bytes(b"\xff\n.commitment")).exists());
    let json = lines(&ends(dir.command("commit --json").arg(&odd), 0).0);
    assert_eq!(json[0]["file_bytes"], format!("0x{}", hex(odd.as_os_str().as_bytes())));
    // The names are in the ledger too.
    let again = dir.ends("commit blobs", 0);
    assert!(again.0 == stdout && again.1.contains("3 blobs done before in "), "{}", again.1);
    dir.refuses(
        "commit blobs/old.proof",
        "blobs/old.proof: it has the name of a result of this command, not of a blob",
    );
    dir.refuses("verify blobs/a --openings", "blobs/a: not an opening");

    // Two results with one name are refused before anything is written.
    dir.write("x/a", &blob(1));
    dir.write("y/a", &blob(2));
    dir.refuses(
        "commit x y --out results",
        "error: x/a and y/a would both have their results in results/a.…",
    );
    assert!(!dir.path("results").exists());
    dir.ends("commit x y", 0);
}

#[test]
fn paths_that_cannot_be_written_or_read() {
    let dir = WorkDir::with_blobs(&["a"]);
    dir.write("file", b"");
    dir.refuses("commit blobs --out file/results", "error: --out file/results: cannot be written: ");
    dir.refuses("commit blobs --out file", "give another folder");
    // The system's limit on the size of files is exceeded: the largest file of the four is half written.
    let mut limited = Command::new("sh");
    let script = format!("trap '' XFSZ; ulimit -f 64; exec {PARCRYPT} kzg cells blobs");
    let (_, stderr) = ends(limited.current_dir(dir.path("")).args(["-c", &script]), 2);
    assert!(stderr.contains("blobs/a.cells cannot be written: File too large"), "{stderr}");
    assert_eq!(dir.names("blobs"), [".parcrypt-kzg", "a"], "nothing is left of it");
    dir.ends("cells blobs", 0);
    dir.refuses("cells blobs --split", "blobs/a.cells cannot be written: Not a directory");

    let mode =
        |name: &str, mode| fs::set_permissions(dir.path(name), fs::Permissions::from_mode(mode)).unwrap();
    dir.write("shut/a", &blob(1));
    mode("shut", 0o000);
    if fs::read_dir(dir.path("shut")).is_ok() {
        parcrypt_testkit::skip("parcrypt", "kzg-permission", "permissions do not bind this user");
        return;
    }
    dir.refuses("commit shut", "shut: Permission denied");
    mode("shut", 0o555);
    dir.refuses("commit shut", "the ledger of results cannot be written: Permission denied");
    mode("shut", 0o755);
    mode("shut/a", 0o000);
    dir.refuses("commit shut", "shut/a: Permission denied");
}

/// Checks that what is not a regular file is neither waited for, nor followed, nor written to.
#[test]
fn pipes_links_and_devices_are_no_files() {
    let dir = WorkDir::with_blobs(&["a"]);
    dir.write("precious", b"theirs");
    let ledger = dir.path("blobs/.parcrypt-kzg");
    let make: [&dyn Fn(); 3] =
        [&|| symlink("../precious", &ledger).unwrap(), &|| symlink("../nowhere", &ledger).unwrap(), &|| {
            mkfifo(&ledger, Mode::S_IRWXU).unwrap()
        }];
    for make in make {
        make();
        let (stdout, stderr) = ends(&mut dir.command_in_time("prove blobs"), 2);
        let why = "error: blobs/.parcrypt-kzg: the ledger of results cannot be written: not a regular file";
        assert!(stdout.is_empty() && stderr.starts_with(why), "{stderr}");
        assert_eq!(dir.names("blobs"), [".parcrypt-kzg", "a"], "nothing was done");
        fs::remove_file(&ledger).unwrap();
    }
    assert_eq!((dir.text("precious"), dir.path("nowhere").exists()), ("theirs".to_owned(), false));

    // In the place of a result.
    dir.ends("cells blobs --split --no-proofs --out part", 0);
    fs::remove_file(dir.path("part/a.cells/007.cell")).unwrap();
    mkfifo(&dir.path("part/a.cells/007.cell"), Mode::S_IRWXU).unwrap();
    mkfifo(&dir.path("blobs/a.commitment"), Mode::S_IRWXU).unwrap();
    let (_, stderr) = ends(&mut dir.command_in_time("commit blobs"), 2);
    let why = "error: blobs/a.commitment already exists with other contents, not written by this command";
    assert!(stderr.contains(why), "{stderr}");
    ends(&mut dir.command_in_time("commit blobs --force"), 0);
    ends(&mut dir.command_in_time("cells blobs --split --no-proofs --out part"), 0);
    assert_eq!(dir.read("part/a.cells/007.cell").len(), 2048);

    // In the place of an input. A pipe that is named is read.
    let pipe = dir.path("pipe");
    mkfifo(&pipe, Mode::S_IRWXU).unwrap();
    fs::File::create(dir.path("sparse")).unwrap().set_len(1 << 40).unwrap();
    for (words, why) in [
        ("commit blobs --setup pipe", "--setup pipe: not a regular file"),
        ("commit blobs --setup /dev/zero", "--setup /dev/zero: not a regular file"),
        ("commit blobs --setup sparse", "--setup sparse: it is longer than 16777216 bytes"),
        ("commit sparse", "sparse: it is longer than "),
        ("commit /dev/zero", "/dev/zero: it is longer than "),
    ] {
        let (stdout, stderr) = ends(&mut dir.command_in_time(words), 2);
        assert!(stdout.is_empty() && stderr.contains(why), "{words}: {stdout}{stderr}");
    }
    let blob = dir.read("blobs/a");
    let writer = std::thread::spawn(move || fs::write(pipe, blob));
    let of_pipe = ends(&mut dir.command_in_time("commit pipe --json"), 0).0;
    writer.join().unwrap().unwrap();
    assert_eq!(of_pipe.replace("pipe", "blobs/a"), dir.ends("commit blobs/a --json", 0).0);
}

#[test]
fn invalid_flags() {
    let dir = WorkDir::with_blobs(&["a"]);
    let z = "0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";
    for (words, part) in [
        ("commit", "Usage: parcrypt kzg commit"),
        ("", "Usage: parcrypt kzg <COMMAND>"),
        ("commit blobs --threads 0", "0 threads: it must be a number from 1 to 1024"),
        ("commit blobs --threads 4 --runtime serial", "runtime `serial` runs on 1 thread, 4 were asked for"),
        ("commit blobs --batch 0", "0 is not in 1..=3500"),
        ("commit blobs --json --out x", "cannot be used with"),
        ("commit blobs --setup missing", "error: --setup missing: No such file"),
        ("commit blobs --setup blobs/a", "error: --setup blobs/a: "),
        ("prove blobs --z 12", "2 hexadecimal digits instead of 64"),
        ("prove blobs --z zz", "byte 0 is not a hexadecimal digit"),
        (&format!("prove blobs --z {z}"), "error: --z 0x73eda753"),
        ("verify", "<PATH>..."),
    ] {
        let (stdout, stderr) = dir.ends(words, 2);
        assert!(stdout.is_empty() && stderr.contains(part), "{words}: {part}\n{stderr}");
    }
    let (_, stderr) = ends(dir.command("commit blobs").env("PARCRYPT_BACKEND", "mmx"), 2);
    assert!(stderr.contains("unknown backend 'mmx'"), "{stderr}");
    assert_eq!(dir.names("blobs"), ["a"], "nothing was done");
}

//! Long jobs: what is done already, Ctrl-C, pipes, memory; and that no way of running them changes the results.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, mkfifo};
use sha2::{Digest, Sha256};

use crate::place::{BLOB, Place, blob, bytes, ended, hex, lines};

#[test]
fn a_rerun_does_only_what_is_not_done() {
    let place = Place::with_blobs(&["a", "b", "c"]);
    let first = place.ends("prove blobs", 0).0;
    let times = || -> Vec<_> {
        let results = place.names("blobs");
        let results = results.iter().filter(|name| name.contains(".commitment") || name.contains(".proof"));
        results
            .map(|name| fs::metadata(place.path("blobs").join(name)).unwrap().modified().unwrap())
            .collect()
    };
    let before = times();
    assert_eq!(before.len(), 6);
    std::thread::sleep(Duration::from_millis(20));
    // The same is printed, and nothing is written.
    assert_eq!(place.ends("prove blobs", 0).0, first);
    assert_eq!(times(), before);
    let changed = |words: &str, expected: &[bool]| {
        let before = times();
        std::thread::sleep(Duration::from_millis(20));
        place.ends(words, 0);
        let changed: Vec<bool> = before.iter().zip(times()).map(|(a, b)| *a != b).collect();
        assert_eq!(changed, expected, "{words}");
    };
    let original = place.read("blobs/a.proof");
    // A result that was cut short, one that is gone, and an input that has changed.
    place.write("blobs/a.proof", &original[..50]);
    changed("prove blobs", &[false, true, false, false, false, false]);
    assert_eq!(place.read("blobs/a.proof"), original);
    let others = place.read("blobs/c.proof");
    place.write("blobs/b", &blob(3));
    changed("prove blobs", &[false, false, true, true, false, false]);
    assert_eq!(place.read("blobs/b.proof"), others, "they hold the same blob now");
    changed("commit blobs --force", &[true, false, true, false, true, false]);
    place.ends("verify blobs", 0);

    // A ledger that is gone costs the work, but no error; what holds something else is not replaced then.
    fs::remove_file(place.path("blobs/.parcrypt-kzg")).unwrap();
    place.ends("prove blobs", 0);
    fs::remove_file(place.path("blobs/.parcrypt-kzg")).unwrap();
    place.write("blobs/a.proof", b"precious");
    let (_, stderr) = place.ends("prove blobs", 2);
    let why = "error: blobs/a.proof exists, holds something else, and was not written by this command: \
               move it away, or replace it with --force\n";
    assert!(stderr.contains(why), "{stderr}");
    assert_eq!(place.text("blobs/a.proof"), "precious");
    place.ends("prove blobs --force", 0);
    assert_eq!(place.read("blobs/a.proof"), original);

    // Folders of cells in the same way.
    place.ends("cells blobs/a --split --no-proofs --out part", 0);
    let inode = || std::os::unix::fs::MetadataExt::ino(&fs::metadata(place.path("part/a.cells")).unwrap());
    let first = inode();
    place.ends("cells blobs/a --split --no-proofs --out part", 0);
    assert_eq!(inode(), first);
    let seventh = place.read("part/a.cells/007.cell");
    fs::remove_file(place.path("part/a.cells/007.cell")).unwrap();
    place.ends("cells blobs/a --split --no-proofs --out part", 0);
    assert!(place.read("part/a.cells/007.cell") == seventh);
    fs::remove_file(place.path("part/.parcrypt-kzg")).unwrap();
    fs::remove_file(place.path("part/a.cells/007.cell")).unwrap();
    place.ends("cells blobs/a --split --no-proofs --out part", 2);
    assert_eq!(place.names("part"), ["a.cells"], "nothing temporary is left");
    let (_, stderr) = place.ends("cells blobs/a --no-proofs --out part", 2);
    assert!(stderr.contains("part/a.cells is a folder, but the result is a file"), "{stderr}");
}

/// What the documents say of a ledger that somebody has edited, and how one gets rid of what it hides.
#[test]
fn the_ledger_is_trusted_until_force_starts_anew() {
    let place = Place::with_blobs(&["a", "b"]);
    place.ends("prove blobs", 0);
    let digest = |name: &str| hex(&Sha256::digest(place.read(name)));
    let [right, wrong] = ["blobs/a.proof", "blobs/b.proof"].map(|name| (digest(name), place.text(name)));
    place.write("blobs/a.proof", wrong.1.as_bytes());
    let ledger = place.text("blobs/.parcrypt-kzg").replace(&right.0, &wrong.0);
    place.write("blobs/.parcrypt-kzg", ledger.as_bytes());
    let (stdout, _) = place.ends("prove blobs", 0);
    assert_eq!(stdout.matches(wrong.1.trim()).count(), 2, "it was believed: {stdout}");
    assert_eq!(place.ends("verify blobs", 1).0, "blobs/a: DOES NOT VERIFY\nblobs/b: verified\n");
    place.ends("prove blobs --force", 0);
    assert_eq!(place.text("blobs/a.proof"), right.1);
    place.ends("verify blobs", 0);
}

/// Results that somebody else has written stay as they are where they are right, and are done then.
#[test]
fn right_results_may_be_written_in_any_way() {
    let place = Place::with_blobs(&["a"]);
    place.ends("prove blobs --out ours", 0);
    place.ends(&format!("prove blobs --z {:064x} --out ours", 7), 0);
    place.ends("cells blobs --out ours", 0);
    place.ends("cells blobs --split --out ours/split", 0);
    let prove = place.ends("prove blobs --json", 0).0;
    let raw = |name: &str| match name {
        "a.commitment" | "a.proof" => bytes(&place.text(&format!("ours/{name}"))),
        name => place.read(&format!("ours/{name}")),
    };
    let ways = |raw: &[u8]| {
        let digits = hex(raw);
        let prefixed = format!("0x{}", digits.to_uppercase());
        [raw.to_vec(), format!("{digits}\r\n").into_bytes(), digits.into_bytes(), prefixed.into_bytes()]
    };
    let jobs = [("prove", &["a.commitment", "a.proof"]), ("cells", &["a.cells", "a.proofs"])];
    for (command, names) in jobs {
        for way in 0..4 {
            for name in names {
                place.write(&format!("theirs/{name}"), &ways(&raw(name))[way]);
            }
            let before = names.map(|name| place.read(&format!("theirs/{name}")));
            let words = format!("{command} blobs --out theirs");
            let (first, stderr) = place.ends(&words, 0);
            assert_eq!((first.lines().count(), &stderr[..]), (if command == "prove" { 1 } else { 2 }, ""));
            let ledger = place.text("theirs/.parcrypt-kzg");
            assert_eq!(place.ends(&words, 0).0, first);
            assert!(names.map(|name| place.read(&format!("theirs/{name}"))) == before, "{command}");
            assert_eq!(place.text("theirs/.parcrypt-kzg"), ledger, "the second time all was done");
            // What is wrong is refused in each of them.
            fs::remove_file(place.path("theirs/.parcrypt-kzg")).unwrap();
            let mut wrong = raw(names[1]);
            wrong[47] ^= 1;
            place.write(&format!("theirs/{}", names[1]), &ways(&wrong)[way]);
            let (_, stderr) = place.ends(&words, 2);
            assert!(stderr.contains("holds something else"), "{stderr}");
            fs::remove_dir_all(place.path("theirs")).unwrap();
        }
    }
    assert_eq!(lines(&prove)[0]["proof"], place.text("ours/a.proof").trim());

    // An opening is a JSON object, however it is laid out; a set of cells has many files.
    let opening = &lines(&place.text("ours/a.opening"))[0];
    let pretty = serde_json::to_string_pretty(opening).unwrap();
    place.write("theirs/a.opening", pretty.as_bytes());
    place.ends(&format!("prove blobs --z {:064x} --out theirs", 7), 0);
    assert_eq!(place.text("theirs/a.opening"), pretty);
    for name in place.names("ours/split/a.cells") {
        let part = hex(&place.read(&format!("ours/split/a.cells/{name}")));
        place.write(&format!("theirs/a.cells/{name}"), part.as_bytes());
    }
    let before = place.text("theirs/a.cells/127.proof");
    for _ in 0..2 {
        place.ends("cells blobs --split --out theirs", 0);
        assert_eq!(place.text("theirs/a.cells/127.proof"), before);
    }
    fs::remove_file(place.path("theirs/.parcrypt-kzg")).unwrap();
    place.write("theirs/a.cells/000.proof", before.as_bytes());
    place.ends("cells blobs --split --out theirs", 2);
}

#[test]
fn recovery_into_a_folder_of_its_input_ends_where_it_began() {
    let place = Place::with_blobs(&["a", "deep/b"]);
    place.ends("cells blobs --no-proofs --split --out in", 0);
    let first = place.ends("recover in --no-proofs --out in/deep/out", 0);
    assert_eq!(first.0, "in/deep/out/a.cells\nin/deep/out/deep/b.cells\n");
    assert_eq!(first.1, "");
    symlink("in", place.path("link")).unwrap();
    // The same folder by other names, also where it is named before it is met.
    for (words, path) in [
        ("in --out in/deep/out", "in/deep/out"),
        ("in --out link/deep/../deep/out", "in/deep/out"),
        ("link/a.cells link/deep --out in/deep/out", "link/deep/out"),
    ] {
        let (stdout, stderr) = place.ends(&format!("recover {words} --no-proofs"), 0);
        assert_eq!(stderr, format!("note: {path}: passed over: the folder of --out\n"));
        assert_eq!(stdout.lines().count(), 2, "{words}: {stdout}");
    }
    // What was recovered is an input where the results go elsewhere.
    let (stdout, stderr) = place.ends("recover in/deep/out --no-proofs --out again", 0);
    assert_eq!((&stdout[..], &stderr[..]), ("again/a.cells\nagain/b.cells\nagain/deep/b.cells\n", ""));
    // The others pass over their results by name.
    for command in ["commit", "prove", "cells --no-proofs", "cells --no-proofs --split --force"] {
        for _ in 0..2 {
            let (stdout, stderr) = place.ends(&format!("{command} blobs --out blobs/out"), 0);
            assert_eq!((stdout.lines().count(), &stderr[..]), (2, ""), "{command}");
        }
        fs::remove_dir_all(place.path("blobs/out")).unwrap();
    }
}

#[test]
fn runtimes_batches_and_tables_give_the_same() {
    let place = Place::with_blobs(&["a", "b", "c"]);
    let expected = place.ends("prove blobs --json --threads 1", 0).0;
    let mut ways = vec!["--runtime serial --batch 1", "--runtime rayon --threads 3 --batch 2"];
    if parcrypt_runtime::OpenMp::library().is_ok() {
        ways.push("--runtime openmp --threads 2");
    } else {
        parcrypt_testkit::skip("parcrypt", "openmp", "not in this build");
    }
    ways.extend(["--tables 16 --tables-cache tables", "--tables-cache tables"]);
    for way in ways {
        assert_eq!(place.ends(&format!("prove blobs --json {way}"), 0).0, expected, "{way}");
    }
    let mut damaged = place.read("tables");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    place.write("tables", &damaged);
    let (_, stderr) = place.ends("prove blobs --json --tables-cache tables", 2);
    assert!(stderr.starts_with("error: --tables-cache tables: "), "{stderr}");
}

#[test]
fn a_reader_that_has_seen_enough() {
    let place = Place::with_blobs(&["a", "b"]);
    let closed = |words: &str, code: i32| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = place.command(words).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{words}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words}");
    };
    // The files are what the command is for.
    closed("prove blobs", 0);
    place.ends("verify blobs", 0);
    // Here the answers are, and not all of them were wanted.
    closed("verify blobs --batch 1", 2);
    closed("commit blobs --json --batch 1", 2);
    let Ok(full) = fs::File::create("/dev/full") else { return };
    let output = place.command("commit blobs").stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.starts_with("error: standard output: No space left"), "{stderr}");
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(120), "no {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Starts a job over 12 blobs, one at a time, and waits until some are done.
fn begun(place: &Place) -> Child {
    let mut child = place.command("cells blobs --batch 1 --threads 1 --out out");
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("results", || place.path("out/b02.proofs").exists());
    child
}

fn twelve() -> Place {
    let names: Vec<String> = (0..12).map(|i| format!("b{i:02}")).collect();
    Place::with_blobs(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Every file in the output folder is whole, and none is temporary.
fn all_whole(place: &Place) -> usize {
    let names = place.names("out");
    for name in &names {
        let len = place.read(&format!("out/{name}")).len();
        match name.rsplit_once('.').unwrap().1 {
            "cells" => assert_eq!(len, 2 * BLOB, "{name}"),
            "proofs" => assert_eq!(len, 128 * 48, "{name}"),
            other => assert_eq!(other, "parcrypt-kzg", "{name}"),
        }
    }
    names.iter().filter(|name| name.ends_with(".proofs")).count()
}

#[test]
fn ctrl_c_ends_between_results_and_the_same_command_goes_on() {
    let place = twelve();
    let child = begun(&place);
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    let output = child.wait_with_output().unwrap();
    let (stdout, stderr) = ended(output, 130, "interrupted");
    let done = all_whole(&place);
    assert!((3..12).contains(&done), "{done} were done");
    assert_eq!(stdout.lines().count(), 2 * done);
    assert_eq!(
        stderr,
        format!("stopped: {done} of 12 blobs are done; the same command goes on from there\n")
    );
    let modified = || fs::metadata(place.path("out/b00.cells")).unwrap().modified().unwrap();
    let before = modified();
    let (stdout, _) = place.ends("cells blobs --batch 1 --threads 1 --out out", 0);
    assert_eq!((stdout.lines().count(), all_whole(&place)), (24, 12));
    assert_eq!(modified(), before, "what was done is not done again");
    place.ends("commit blobs --out out", 0);
    place.ends("verify-cells out", 0);
}

#[test]
fn ctrl_c_waits_for_a_folder_of_cells_as_for_a_file() {
    let place = Place::with_blobs(&["a", "b", "c", "d"]);
    place.ends("cells blobs --no-proofs --split --out part", 0);
    // A cell that is a pipe shows when the second folder is being read, and keeps it so.
    let pipe = place.path("part/b.cells/000.cell");
    let cell = fs::read(&pipe).unwrap();
    fs::remove_file(&pipe).unwrap();
    mkfifo(&pipe, Mode::S_IRWXU).unwrap();
    let words = "recover part --batch 1 --threads 1 --out out";
    let child = place.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut writer = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    // Where it has ended already, nobody reads.
    let _ = writer.write_all(&cell);
    drop(writer);
    let (_, stderr) = ended(child.wait_with_output().unwrap(), 130, "interrupted");
    let done = all_whole(&place);
    assert!(done < 4, "{done} were done");
    let why = format!("stopped: {done} of 4 sets of cells are done; the same command goes on from there\n");
    assert_eq!(stderr, why);
    // Everything that it has written is in the ledger.
    let written = place.names("out").len();
    let ledger = if done > 0 { place.text("out/.parcrypt-kzg") } else { String::new() };
    assert_eq!((ledger.lines().count(), written), (2 * done, 2 * done + usize::from(done > 0)));
    fs::remove_file(&pipe).unwrap();
    fs::write(&pipe, &cell).unwrap();
    place.ends(words, 0);
    assert_eq!(all_whole(&place), 4);
}

#[test]
fn a_killed_job_leaves_whole_results() {
    let place = twelve();
    let mut child = begun(&place);
    child.kill().unwrap();
    child.wait().unwrap();
    // It may have been killed while it wrote: that file has no final name.
    for name in place.names("out").iter().filter(|name| name.ends_with(".tmp")) {
        assert!(name.starts_with(".parcrypt-"), "{name}");
        fs::remove_file(place.path("out").join(name)).unwrap();
    }
    all_whole(&place);
    place.ends("cells blobs --out out", 0);
    assert_eq!(all_whole(&place), 12);
}

#[test]
fn a_second_ctrl_c_does_not_wait() {
    let place = twelve();
    let mut child = place.command("cells blobs --batch 12 --threads 1 --out out").spawn().unwrap();
    wait_until("start", || place.path("out").exists());
    std::thread::sleep(Duration::from_millis(300));
    for _ in 0..2 {
        kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(child.wait().unwrap().code(), Some(130));
    all_whole(&place);
}

#[test]
fn memory_does_not_grow_with_the_number_of_blobs() {
    let place = Place::new();
    place.write("blob", &blob(1));
    fs::create_dir(place.path("many")).unwrap();
    for i in 0..1000 {
        fs::hard_link(place.path("blob"), place.path(&format!("many/{i:04}"))).unwrap();
    }
    // 1000 blobs are 125 MiB, their cells 250, and their text 500.
    let mut command = place.command("cells many --no-proofs --json --batch 8 --threads 2");
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let (mut peak, mut read) = (0, 0);
    let mut buffer = vec![0; 1 << 20];
    loop {
        let len = stdout.read(&mut buffer).unwrap();
        if let Some(now) = fs::read_to_string(&status).ok().and_then(|text| peak_of(&text)) {
            peak = peak.max(now);
        }
        read += len;
        if len == 0 {
            break;
        }
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(read > 1000 * 4 * BLOB, "{read} bytes");
    println!("{peak} KiB");
    assert!(peak > 0 && peak < 64 << 10, "{peak} KiB");
}

/// The most memory that a process ever had, in KiB.
fn peak_of(status: &str) -> Option<usize> {
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}

#[test]
fn other_setups_are_told_apart() {
    let place = Place::with_blobs(&["a"]);
    let secret =
        parcrypt_kzg::Settings::insecure(&parcrypt_runtime::Serial, parcrypt_kzg::Request::Auto, &[5; 32])
            .unwrap();
    place.write("setup", &secret.to_binary());
    let mainnet = place.ends("prove blobs", 0).0;
    // A result of another setup is none.
    let (insecure, stderr) = place.ends("prove blobs --setup setup", 0);
    assert_ne!(insecure, mainnet);
    assert!(stderr.starts_with("warning: this trusted setup is INSECURE"), "{stderr}");
    place.ends("verify blobs --setup setup", 0);
    place.ends("verify blobs", 1);
    assert_eq!(place.ends("prove blobs", 0).0, mainnet);
    // Tables belong to a setup.
    place.ends("prove blobs --force --tables 8 --tables-cache tables", 0);
    let (_, stderr) = place.ends("prove blobs --setup setup --tables-cache tables", 2);
    assert!(stderr.contains("error: --tables-cache tables: "), "{stderr}");
    let mut damaged = place.read("setup");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    place.write("setup", &damaged);
    let (_, stderr) = place.ends("prove blobs --setup setup", 2);
    assert!(stderr.starts_with("error: --setup setup: "), "{stderr}");
}

#[test]
fn ctrl_c_does_not_wait_for_a_pipe() {
    let place = Place::new();
    let mut child = place.command("commit - --json").stdin(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1000));
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    let begun = Instant::now();
    // Its standard input stays open all the time.
    let stdin = child.stdin.take();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(begun.elapsed() < Duration::from_secs(30));
    drop(stdin);
}

#[test]
fn standard_input_can_be_slow() {
    let place = Place::new();
    let raw = blob(1);
    let mut child =
        place.command("commit - --json").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for part in raw.chunks(50_000) {
        stdin.write_all(part).unwrap();
        stdin.flush().unwrap();
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(stdin);
    let (stdout, _) = ended(child.wait_with_output().unwrap(), 0, "commit -");
    assert_eq!(lines(&stdout)[0]["file"], "-");
}

//! Long jobs: results that are done, Ctrl-C, pipes, memory; and the same results in all ways of running them.

use std::fs;
use std::io::{PipeReader, Read, Write};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, fcntl};
use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, mkfifo};
use sha2::{Digest, Sha256};

use super::workdir::{BLOB, INFINITY, WorkDir, before_count, blob, bytes, ended, ends, hex, lines};
use crate::process::wait_until_it_handles;

#[test]
fn a_rerun_does_only_what_is_not_done() {
    let dir = WorkDir::with_blobs(&["a", "b", "c"]);
    let first = dir.ends("prove blobs", 0).0;
    let times = || -> Vec<_> {
        let results = dir.names("blobs");
        let results = results.iter().filter(|name| name.contains(".commitment") || name.contains(".proof"));
        results.map(|name| fs::metadata(dir.path("blobs").join(name)).unwrap().modified().unwrap()).collect()
    };
    let before = times();
    assert_eq!(before.len(), 6);
    std::thread::sleep(Duration::from_millis(20));
    // The output is the same, and nothing is written.
    assert_eq!(dir.ends("prove blobs", 0).0, first);
    assert_eq!(times(), before);
    let changed = |words: &str, expected: &[bool]| {
        let before = times();
        std::thread::sleep(Duration::from_millis(20));
        dir.ends(words, 0);
        let changed: Vec<bool> = before.iter().zip(times()).map(|(a, b)| *a != b).collect();
        assert_eq!(changed, expected, "{words}");
    };
    let original = dir.read("blobs/a.proof");
    // A truncated result, and an input that has changed.
    dir.write("blobs/a.proof", &original[..50]);
    changed("prove blobs", &[false, true, false, false, false, false]);
    assert_eq!(dir.read("blobs/a.proof"), original);
    let others = dir.read("blobs/c.proof");
    dir.write("blobs/b", &blob(3));
    for (command, result) in [("prove", "commitment"), ("commit", "commitment")] {
        let (stdout, stderr) = dir.ends(&format!("{command} blobs"), 2);
        let why = format!(
            "error: blobs/b changed after blobs/b.{result} was computed: use --force to compute it again\n\
             3 blobs: 2 done before, 1 failed, in "
        );
        assert!(stdout.lines().count() == 2 && stderr.starts_with(&why), "{stderr}");
    }
    assert_eq!(
        dir.ends("verify blobs", 1).0.matches("DOES NOT VERIFY").count(),
        1,
        "the proof is of the old blob"
    );
    changed("prove blobs/b --force", &[false, false, true, true, false, false]);
    assert_eq!(dir.read("blobs/b.proof"), others, "they hold the same blob now");
    // The blob as it was before is another change; a result that was removed is no reason to refuse.
    dir.write("blobs/b", &blob(2));
    dir.ends("prove blobs", 2);
    fs::remove_file(dir.path("blobs/b.commitment")).unwrap();
    dir.refuses("prove blobs", "error: blobs/b changed after blobs/b.proof was computed: ");
    fs::remove_file(dir.path("blobs/b.proof")).unwrap();
    dir.ends("prove blobs", 0);
    changed("commit blobs --force", &[true, false, true, false, true, false]);
    dir.ends("verify blobs", 0);

    // A missing ledger costs the work, but is not an error; a file with other contents is not replaced then.
    fs::remove_file(dir.path("blobs/.parcrypt-kzg")).unwrap();
    dir.ends("prove blobs", 0);
    fs::remove_file(dir.path("blobs/.parcrypt-kzg")).unwrap();
    dir.write("blobs/a.proof", b"precious");
    let (_, stderr) = dir.ends("prove blobs", 2);
    let why = "error: blobs/a.proof already exists with other contents, not written by this command: \
               move it, or use --force to overwrite\n";
    assert!(stderr.contains(why), "{stderr}");
    assert_eq!(dir.text("blobs/a.proof"), "precious");
    dir.ends("prove blobs --force", 0);
    assert_eq!(dir.read("blobs/a.proof"), original);

    // Folders of cells in the same way.
    dir.ends("cells blobs/a --split --no-proofs --out part", 0);
    let inode = || std::os::unix::fs::MetadataExt::ino(&fs::metadata(dir.path("part/a.cells")).unwrap());
    let first = inode();
    dir.ends("cells blobs/a --split --no-proofs --out part", 0);
    assert_eq!(inode(), first);
    let seventh = dir.read("part/a.cells/007.cell");
    fs::remove_file(dir.path("part/a.cells/007.cell")).unwrap();
    dir.ends("cells blobs/a --split --no-proofs --out part", 0);
    assert!(dir.read("part/a.cells/007.cell") == seventh);
    fs::remove_file(dir.path("part/.parcrypt-kzg")).unwrap();
    fs::remove_file(dir.path("part/a.cells/007.cell")).unwrap();
    dir.ends("cells blobs/a --split --no-proofs --out part", 2);
    assert_eq!(dir.names("part"), ["a.cells"], "nothing temporary is left");
    dir.refuses("cells blobs/a --no-proofs --out part", "part/a.cells is a folder, but the result is a file");
}

/// Checks the documented behaviour with an edited ledger, and its repair.
#[test]
fn the_ledger_is_trusted_unless_forced() {
    let dir = WorkDir::with_blobs(&["a", "b"]);
    dir.ends("prove blobs", 0);
    let digest = |name: &str| hex(&Sha256::digest(dir.read(name)));
    let [right, wrong] = ["blobs/a.proof", "blobs/b.proof"].map(|name| (digest(name), dir.text(name)));
    dir.write("blobs/a.proof", wrong.1.as_bytes());
    let ledger = dir.text("blobs/.parcrypt-kzg").replace(&right.0, &wrong.0);
    dir.write("blobs/.parcrypt-kzg", ledger.as_bytes());
    let (stdout, _) = dir.ends("prove blobs", 0);
    assert_eq!(stdout.matches(wrong.1.trim()).count(), 2, "it was believed: {stdout}");
    assert_eq!(dir.ends("verify blobs", 1).0, "blobs/a: DOES NOT VERIFY\nblobs/b: verified\n");
    dir.ends("prove blobs --force", 0);
    assert_eq!(dir.text("blobs/a.proof"), right.1);
    dir.ends("verify blobs", 0);
}

/// Checks that correct results of other programs are kept, and count as done.
#[test]
fn right_results_may_be_written_in_any_way() {
    let dir = WorkDir::with_blobs(&["a"]);
    dir.ends("prove blobs --out ours", 0);
    dir.ends(&format!("prove blobs --z {:064x} --out ours", 7), 0);
    dir.ends("cells blobs --out ours", 0);
    dir.ends("cells blobs --split --out ours/split", 0);
    let prove = dir.ends("prove blobs --json", 0).0;
    let raw = |name: &str| match name {
        "a.commitment" | "a.proof" => bytes(&dir.text(&format!("ours/{name}"))),
        name => dir.read(&format!("ours/{name}")),
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
                dir.write(&format!("theirs/{name}"), &ways(&raw(name))[way]);
            }
            let before = names.map(|name| dir.read(&format!("theirs/{name}")));
            let words = format!("{command} blobs --out theirs");
            let (first, stderr) = dir.ends(&words, 0);
            assert_eq!(before_count(&stderr), "");
            assert_eq!(first.lines().count(), if command == "prove" { 1 } else { 2 });
            let ledger = dir.text("theirs/.parcrypt-kzg");
            assert_eq!(dir.ends(&words, 0).0, first);
            assert!(names.map(|name| dir.read(&format!("theirs/{name}"))) == before, "{command}");
            assert_eq!(dir.text("theirs/.parcrypt-kzg"), ledger, "the second time all was done");
            // Wrong results are refused in each form.
            fs::remove_file(dir.path("theirs/.parcrypt-kzg")).unwrap();
            let mut wrong = raw(names[1]);
            wrong[47] ^= 1;
            dir.write(&format!("theirs/{}", names[1]), &ways(&wrong)[way]);
            dir.refuses(&words, "already exists with other contents");
            fs::remove_dir_all(dir.path("theirs")).unwrap();
        }
    }
    assert_eq!(lines(&prove)[0]["proof"], dir.text("ours/a.proof").trim());

    // An opening is a JSON object in any layout; a set of cells has many files.
    let opening = &lines(&dir.text("ours/a.opening"))[0];
    let pretty = serde_json::to_string_pretty(opening).unwrap();
    dir.write("theirs/a.opening", pretty.as_bytes());
    dir.ends(&format!("prove blobs --z {:064x} --out theirs", 7), 0);
    assert_eq!(dir.text("theirs/a.opening"), pretty);
    for name in dir.names("ours/split/a.cells") {
        let part = hex(&dir.read(&format!("ours/split/a.cells/{name}")));
        dir.write(&format!("theirs/a.cells/{name}"), part.as_bytes());
    }
    let before = dir.text("theirs/a.cells/127.proof");
    for _ in 0..2 {
        dir.ends("cells blobs --split --out theirs", 0);
        assert_eq!(dir.text("theirs/a.cells/127.proof"), before);
    }
    fs::remove_file(dir.path("theirs/.parcrypt-kzg")).unwrap();
    dir.write("theirs/a.cells/000.proof", before.as_bytes());
    dir.ends("cells blobs --split --out theirs", 2);
}

#[test]
fn recovery_into_a_folder_of_its_input_ends_where_it_began() {
    let dir = WorkDir::with_blobs(&["a", "deep/b"]);
    dir.ends("cells blobs --no-proofs --split --out in", 0);
    let first = dir.ends("recover in --no-proofs --out in/deep/out", 0);
    assert_eq!(first.0, "in/deep/out/a.cells\nin/deep/out/deep/b.cells\n");
    assert_eq!(before_count(&first.1), "");
    symlink("in", dir.path("link")).unwrap();
    // The same folder by other names, also if it is named before it is found.
    for (words, path) in [
        ("in --out in/deep/out", "in/deep/out"),
        ("in --out link/deep/../deep/out", "in/deep/out"),
        ("link/a.cells link/deep --out in/deep/out", "link/deep/out"),
    ] {
        let (stdout, stderr) = dir.ends(&format!("recover {words} --no-proofs"), 0);
        assert_eq!(before_count(&stderr), format!("note: {path}: skipped: the folder of --out\n"));
        assert_eq!(stdout.lines().count(), 2, "{words}: {stdout}");
    }
    // Recovered cells are an input if the results are written elsewhere.
    let (stdout, stderr) = dir.ends("recover in/deep/out --no-proofs --out again", 0);
    assert_eq!(stdout, "again/a.cells\nagain/b.cells\nagain/deep/b.cells\n");
    assert_eq!(before_count(&stderr), "");
    // The others skip their results by name.
    for command in ["commit", "prove", "cells --no-proofs", "cells --no-proofs --split --force"] {
        for _ in 0..2 {
            let (stdout, stderr) = dir.ends(&format!("{command} blobs --out blobs/out"), 0);
            assert_eq!((stdout.lines().count(), before_count(&stderr)), (2, ""), "{command}");
        }
        fs::remove_dir_all(dir.path("blobs/out")).unwrap();
    }
}

#[test]
fn runtimes_batches_and_tables_give_the_same() {
    let dir = WorkDir::with_blobs(&["a", "b", "c"]);
    let expected = dir.ends("prove blobs --json --threads 1", 0).0;
    let mut ways = vec!["--runtime serial --batch 1", "--runtime rayon --threads 3 --batch 2"];
    if parcrypt_runtime::OpenMp::library().is_ok() {
        ways.push("--runtime openmp --threads 2");
    } else {
        parcrypt_testkit::skip("parcrypt", "openmp", "not in this build");
    }
    ways.extend(["--tables 16 --tables-cache tables", "--tables-cache tables", "--tables 0", "--tables 64"]);
    for way in ways {
        assert_eq!(dir.ends(&format!("prove blobs --json {way}"), 0).0, expected, "{way}");
    }
    let mut damaged = dir.read("tables");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    dir.write("tables", &damaged);
    dir.refuses("prove blobs --json --tables-cache tables", "error: --tables-cache tables: ");
}

#[test]
fn a_quiet_command_says_what_is_wrong_and_what_has_no_file() {
    let dir = WorkDir::with_blobs(&["a", "b"]);
    dir.write("short", &[0; 7]);
    for command in ["commit", "prove", "cells"] {
        assert_eq!(dir.ends(&format!("{command} blobs --quiet"), 0), Default::default(), "{command}");
        let json = dir.ends(&format!("{command} blobs --quiet --json"), 0);
        assert_eq!((lines(&json.0).len(), &json.1[..]), (2, ""), "{command}");
        assert_eq!(dir.ends(&format!("{command} blobs -q"), 0), Default::default(), "{command}, done before");
    }
    assert_eq!(dir.ends("verify blobs --quiet", 0), Default::default());
    fs::copy(dir.path("blobs/b.proof"), dir.path("blobs/a.proof")).unwrap();
    assert_eq!(dir.ends("verify blobs --quiet", 1), ("blobs/a: DOES NOT VERIFY\n".to_owned(), String::new()));
    let (stdout, stderr) = dir.ends("commit blobs short --quiet", 2);
    assert!(stdout.is_empty() && stderr.starts_with("error: short: "), "{stdout}{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
    // Of standard input only a result is printed that is in no file.
    let with_stdin = |words: &str| {
        let blob = fs::File::open(dir.path("blobs/a")).unwrap();
        ends(dir.command(words).stdin(blob), 0)
    };
    for command in ["commit - --quiet", "prove - --quiet"] {
        let (stdout, _) = with_stdin(command);
        assert!(stdout.starts_with("0x") && stdout.ends_with("  -\n"), "{command}: {stdout}");
    }
    let opening = format!("prove - --quiet --z {}", "0".repeat(64));
    assert!(with_stdin(&opening).0.contains("proof"));
    for command in ["commit - --quiet --out o", "prove - --quiet --out o", &format!("{opening} --out o")] {
        assert_eq!(with_stdin(command), Default::default(), "{command}");
    }
    assert_eq!(with_stdin("verify - --results o --quiet"), Default::default());
    let zeros = "0".repeat(64);
    let opening = format!("verify --z {zeros} --y {zeros} --commitment {INFINITY} --proof {INFINITY}");
    assert_eq!(dir.ends(&opening, 0).0, "verified\n");
    assert_eq!(dir.ends(&format!("{opening} --quiet"), 0), Default::default());
}

#[test]
fn one_of_several_processes_says_that_it_does_all_of_the_work() {
    let dir = WorkDir::with_blobs(&["a"]);
    let stderr = |rank: &str, processes: &str| {
        let mut command = dir.command("commit blobs --force");
        before_count(&ends(command.env("PMI_RANK", rank).env("PMI_SIZE", processes), 0).1).to_owned()
    };
    let warning = "warning: this is one of 4 processes (PMI_SIZE), each of which does all of the work; use --mpi to share \
                   it\n";
    assert_eq!(stderr("0", "4"), warning);
    assert_eq!(stderr("3", "4"), "", "rank 0 speaks for all");
    assert_eq!(stderr("0", "1"), "");
}

#[test]
fn a_reader_that_closes_the_pipe() {
    let dir = WorkDir::with_blobs(&["a", "b"]);
    let closed = |words: &str, code: i32| {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = dir.command(words).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{words}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{words}");
    };
    // The files are the result of the command.
    closed("prove blobs", 0);
    dir.ends("verify blobs", 0);
    // Here standard output is the result, and it was not read completely.
    closed("verify blobs --batch 1", 2);
    closed("commit blobs --json --batch 1", 2);
    let Ok(full) = fs::File::create("/dev/full") else { return };
    let output = dir.command("commit blobs").stdout(full).stderr(Stdio::piped()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(stderr.starts_with("error: standard output: No space left"), "{stderr}");
}

/// Waits until a signal was handled and no thread has anything to do, or the process has ended.
fn wait_until_it_waits(child: &Child, signal: Signal) {
    let process = PathBuf::from(format!("/proc/{}", child.id()));
    wait_until("rest", || {
        let threads = fs::read_dir(process.join("task")).into_iter().flatten().flatten();
        threads.map(|thread| fs::read_to_string(thread.path().join("status")).unwrap_or_default()).all(
            |status| {
                let field = |name: &str| {
                    status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or("0").trim()
                };
                let pending =
                    |name| u64::from_str_radix(field(name), 16).unwrap_or(0) >> (signal as u64 - 1) & 1 == 1;
                !pending("SigPnd:") && !pending("ShdPnd:") && !field("State:").starts_with(['R', 'D'])
            },
        )
    });
}

fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < Duration::from_secs(600), "no {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Starts a job over 12 blobs, one at a time, and waits until some are done. It stops before the last, because its
/// standard output holds the names of about eight results.
fn begun(dir: &WorkDir) -> (Child, PipeReader) {
    let (reader, writer) = std::io::pipe().unwrap();
    fcntl(&writer, FcntlArg::F_SETPIPE_SZ(1 << 12)).unwrap();
    let mut child = dir.command("cells blobs --batch 1 --threads 1 --out out");
    let child = child.stdout(writer).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("results", || dir.path(&format!("out/{}.proofs", long(2))).exists());
    (child, reader)
}

/// Returns the name of a blob, so long that few fit into a pipe.
fn long(number: usize) -> String {
    format!("b{number:02}{}", "x".repeat(200))
}

fn twelve() -> WorkDir {
    let names: Vec<String> = (0..12).map(long).collect();
    WorkDir::with_blobs(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Checks that every file in the output folder is whole, and that no temporary file remains.
fn all_whole(dir: &WorkDir) -> usize {
    let names = dir.names("out");
    for name in &names {
        let len = dir.read(&format!("out/{name}")).len();
        match name.rsplit_once('.').unwrap().1 {
            "cells" => assert_eq!(len, 2 * BLOB, "{name}"),
            "proofs" => assert_eq!(len, 128 * 48, "{name}"),
            other => assert_eq!(other, "parcrypt-kzg", "{name}"),
        }
    }
    names.iter().filter(|name| name.ends_with(".proofs")).count()
}

#[test]
fn ctrl_c_ends_between_results_and_the_same_command_resumes() {
    let dir = twelve();
    let (child, mut reader) = begun(&dir);
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    wait_until_it_waits(&child, Signal::SIGINT);
    let mut stdout = String::new();
    reader.read_to_string(&mut stdout).unwrap();
    let (_, stderr) = ended(child.wait_with_output().unwrap(), 130, "interrupted");
    let done = all_whole(&dir);
    assert!((3..12).contains(&done), "{done} were done");
    assert_eq!(stdout.lines().count(), 2 * done);
    assert_eq!(stderr, format!("stopped: {done} of 12 blobs are done; run the same command to resume\n"));
    let modified = || fs::metadata(dir.path(&format!("out/{}.cells", long(0)))).unwrap().modified().unwrap();
    let before = modified();
    let (stdout, _) = dir.ends("cells blobs --batch 1 --threads 1 --out out", 0);
    assert_eq!((stdout.lines().count(), all_whole(&dir)), (24, 12));
    assert_eq!(modified(), before, "what was done is not done again");
    dir.ends("commit blobs --out out", 0);
    dir.ends("verify-cells out", 0);
}

#[test]
fn ctrl_c_waits_for_a_folder_of_cells_as_for_a_file() {
    let dir = WorkDir::with_blobs(&["a", "b", "c", "d"]);
    dir.ends("cells blobs --no-proofs --split --out part", 0);
    // A cell that is a pipe shows when the second folder is being read, and blocks there.
    let pipe = dir.path("part/b.cells/000.cell");
    let cell = fs::read(&pipe).unwrap();
    fs::remove_file(&pipe).unwrap();
    mkfifo(&pipe, Mode::S_IRWXU).unwrap();
    let words = "recover part --batch 1 --threads 1 --out out";
    let child = dir.command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut writer = fs::OpenOptions::new().write(true).open(&pipe).unwrap();
    wait_until_it_handles(child.id(), Signal::SIGINT as i32);
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    wait_until_it_waits(&child, Signal::SIGINT);
    // It may have ended already.
    let _ = writer.write_all(&cell);
    drop(writer);
    let (_, stderr) = ended(child.wait_with_output().unwrap(), 130, "interrupted");
    let done = all_whole(&dir);
    assert!(done < 4, "{done} were done");
    let why = format!("stopped: {done} of 4 sets of cells are done; run the same command to resume\n");
    assert_eq!(stderr, why);
    // All results that it has written are in the ledger.
    let written = dir.names("out").len();
    let ledger = if done > 0 { dir.text("out/.parcrypt-kzg") } else { String::new() };
    assert_eq!((ledger.lines().count(), written), (2 * done, 2 * done + usize::from(done > 0)));
    fs::remove_file(&pipe).unwrap();
    fs::write(&pipe, &cell).unwrap();
    dir.ends(words, 0);
    assert_eq!(all_whole(&dir), 4);
}

#[test]
fn a_killed_job_leaves_whole_results() {
    let dir = twelve();
    let (mut child, _reader) = begun(&dir);
    child.kill().unwrap();
    child.wait().unwrap();
    // It may have been killed while it wrote: that file has no final name.
    for name in dir.names("out").iter().filter(|name| name.ends_with(".tmp")) {
        assert!(name.starts_with(".parcrypt-"), "{name}");
        fs::remove_file(dir.path("out").join(name)).unwrap();
    }
    all_whole(&dir);
    dir.ends("cells blobs --out out", 0);
    assert_eq!(all_whole(&dir), 12);
}

#[test]
fn a_second_ctrl_c_does_not_wait() {
    let dir = twelve();
    // Nothing is read from its standard output, so it cannot end by itself.
    let (mut child, _reader) = begun(&dir);
    // Signals that come too soon after each other are one.
    wait_until("end", || {
        let _ = kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT);
        std::thread::sleep(Duration::from_millis(20));
        child.try_wait().unwrap().is_some()
    });
    assert_eq!(child.wait().unwrap().code(), Some(130));
    all_whole(&dir);
}

#[test]
fn memory_does_not_grow_with_the_number_of_blobs() {
    let dir = WorkDir::kzg();
    dir.write("blob", &blob(1));
    fs::create_dir(dir.path("many")).unwrap();
    for i in 0..1000 {
        fs::hard_link(dir.path("blob"), dir.path(&format!("many/{i:04}"))).unwrap();
    }
    // 1000 blobs are 125 MiB, their cells 250, and their text 500.
    let mut command = dir.command("cells many --no-proofs --json --batch 8 --threads 2");
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

/// Returns the peak memory of a process, in KiB.
fn peak_of(status: &str) -> Option<usize> {
    status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
}

#[test]
fn other_setups_are_distinguished() {
    let dir = WorkDir::with_blobs(&["a"]);
    let secret =
        parcrypt_kzg::Settings::insecure(&parcrypt_runtime::Serial, parcrypt_kzg::Request::Auto, &[5; 32])
            .unwrap();
    dir.write("setup", &secret.to_binary());
    let mainnet = dir.ends("prove blobs", 0).0;
    // A result of another setup does not count.
    let (insecure, stderr) = dir.ends("prove blobs --setup setup", 0);
    assert_ne!(insecure, mainnet);
    assert!(stderr.starts_with("warning: this trusted setup is INSECURE"), "{stderr}");
    dir.ends("verify blobs --setup setup", 0);
    dir.ends("verify blobs", 1);
    assert_eq!(dir.ends("prove blobs", 0).0, mainnet);
    // Tables belong to a setup.
    dir.ends("prove blobs --force --tables 8 --tables-cache tables", 0);
    dir.refuses("prove blobs --setup setup --tables-cache tables", "--tables-cache tables: ");
    let mut damaged = dir.read("setup");
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    dir.write("setup", &damaged);
    dir.refuses("prove blobs --setup setup", "error: --setup setup: ");
}

#[test]
fn ctrl_c_does_not_wait_for_a_pipe() {
    let dir = WorkDir::kzg();
    let mut child = dir.command("commit - --json").stdin(Stdio::piped()).spawn().unwrap();
    // Its standard input stays open all the time.
    let stdin = child.stdin.take();
    wait_until_it_handles(child.id(), Signal::SIGINT as i32);
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    wait_until("end", || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    drop(stdin);
}

#[test]
fn standard_input_can_be_slow() {
    let dir = WorkDir::kzg();
    let raw = blob(1);
    let mut child =
        dir.command("commit - --json").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
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

//! Long jobs: results that are done, Ctrl-C, pipes, memory; and the same results in all ways of running them.

use std::fs;
use std::io::{PipeReader, Read};
use std::os::unix::fs::symlink;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, fcntl};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::{BLOB, before_count, blob};
use crate::process::{WorkDir, ended, ends, ends_without_reader, lines, wait_until_it_handles};

#[test]
fn a_rerun_does_only_what_is_not_done() {
    let dir = WorkDir::with_blobs(&["a", "b", "c"]);
    let first = dir.ends("prove blobs", 0).0;
    // The output is the same, and nothing is computed.
    let done = |words: &str, part: &str| {
        let (stdout, stderr) = dir.ends(words, 0);
        assert!(stderr.contains(part), "{words}: {stderr}");
        stdout
    };
    assert_eq!(done("prove blobs", "3 blobs done before in "), first);
    done("commit blobs", "3 blobs done before in ");
    // A truncated result.
    let original = dir.read("blobs/a.proof");
    dir.write("blobs/a.proof", &original[..50]);
    assert_eq!(done("prove blobs", "3 blobs: 1 done, 2 done before, in "), first);
    assert_eq!(dir.read("blobs/a.proof"), original);
    // A blob that has changed.
    dir.write("blobs/b", &blob(3));
    for command in ["prove", "commit"] {
        let (stdout, stderr) = dir.ends(&format!("{command} blobs"), 2);
        let why = "error: blobs/b changed after blobs/b.commitment was computed: use --force to compute it again\n\
                   3 blobs: 2 done before, 1 failed, in ";
        assert!(stdout.lines().count() == 2 && stderr.starts_with(why), "{stderr}");
    }
    assert!(dir.ends("verify blobs", 1).0.contains("b: DOES NOT VERIFY"), "the proof is of the old blob");
    dir.ends("prove blobs/b --force", 0);
    dir.same("blobs/b.proof", "blobs/c.proof");
    done("prove blobs", "3 blobs done before in ");
    // The blob as it was before is another change; a result that was removed is no reason to refuse.
    dir.write("blobs/b", &blob(2));
    fs::remove_file(dir.path("blobs/b.commitment")).unwrap();
    dir.refuses("prove blobs", "error: blobs/b changed after blobs/b.proof was computed: ");
    fs::remove_file(dir.path("blobs/b.proof")).unwrap();
    dir.ends("prove blobs", 0);
    // Other options are no change of the blob.
    for z in ["7", "8"] {
        dir.ends(&format!("prove blobs --z {}{z}", "0".repeat(63)), 0);
    }
    assert!(dir.text("blobs/a.opening").contains(&format!("\"z\":\"0x{}8\"", "0".repeat(63))));

    // Without a ledger the work is done again. A file with the same contents counts as done then, and another is kept.
    fs::remove_file(dir.path("blobs/.parcrypt-kzg")).unwrap();
    dir.write("blobs/a.proof", b"precious");
    let (_, stderr) = dir.ends("prove blobs", 2);
    let why = "error: blobs/a.proof already exists with other contents, not written by this command: \
               move it, or use --force to overwrite\n3 blobs: 2 done, 1 failed";
    assert!(stderr.starts_with(why), "{stderr}");
    assert_eq!(dir.text("blobs/a.proof"), "precious");
    dir.ends("prove blobs --force", 0);
    assert_eq!(dir.read("blobs/a.proof"), original);

    // Folders of cells in the same way.
    let words = "cells blobs/a --split --no-proofs --out part";
    dir.ends(words, 0);
    done(words, "1 blob done before in ");
    let seventh = dir.read("part/a.cells/007.cell");
    fs::remove_file(dir.path("part/a.cells/007.cell")).unwrap();
    done(words, "1 blob done in ");
    assert!(dir.read("part/a.cells/007.cell") == seventh);
    fs::remove_file(dir.path("part/.parcrypt-kzg")).unwrap();
    fs::remove_file(dir.path("part/a.cells/007.cell")).unwrap();
    dir.ends(words, 2);
    assert_eq!(dir.names("part"), [".parcrypt-kzg", "a.cells"], "nothing temporary is left");
    dir.refuses(
        "cells blobs/a --no-proofs --out part --force",
        "part/a.cells cannot be written: Is a directory",
    );
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
        ("in --out link/deep/../deep/out", "in/deep/out"),
        ("link/a.cells link/deep --out in/deep/out", "link/deep/out"),
    ] {
        let (stdout, stderr) = dir.ends(&format!("recover {words} --no-proofs"), 0);
        assert_eq!(before_count(&stderr), format!("note: {path}: skipped: the folder of --out\n"));
        assert_eq!(stdout.lines().count(), 2, "{words}: {stdout}");
    }
    // Any half of the cells gives the same, so another half is no change.
    fs::remove_file(dir.path("in/a.cells/000.cell")).unwrap();
    let (_, stderr) = dir.ends("recover in --no-proofs --out in/deep/out", 0);
    assert!(stderr.contains("2 sets of cells: 1 done, 1 done before, in "), "{stderr}");
    // The others skip their results by name.
    for command in ["prove", "cells --no-proofs --split --force"] {
        for _ in 0..2 {
            let (stdout, stderr) = dir.ends(&format!("{command} blobs --out blobs/out"), 0);
            assert_eq!((stdout.lines().count(), before_count(&stderr)), (2, ""), "{command}");
        }
        fs::remove_dir_all(dir.path("blobs/out")).unwrap();
    }
}

#[test]
fn runtimes_batches_and_setups() {
    let dir = WorkDir::with_blobs(&["a", "b", "c"]);
    let expected = dir.ends("prove blobs --json --threads 1", 0).0;
    let mut ways = vec!["--runtime serial --batch 1", "--runtime rayon --threads 3 --batch 2"];
    if parcrypt_runtime::OpenMp::library().is_ok() {
        ways.push("--runtime openmp --threads 2");
    } else {
        parcrypt_testkit::skip("parcrypt", "openmp", "not in this build");
    }
    for way in ways {
        assert_eq!(dir.ends(&format!("prove blobs --json {way}"), 0).0, expected, "{way}");
    }
    // A result of another setup does not count.
    let secret =
        parcrypt_kzg::Settings::insecure(&parcrypt_runtime::Serial, parcrypt_kzg::Request::Auto, &[5; 32]);
    let mut setup = secret.unwrap().to_binary();
    dir.write("setup", &setup);
    let mainnet = dir.ends("prove blobs", 0).0;
    let (insecure, stderr) = dir.ends("prove blobs --setup setup", 0);
    assert_ne!(insecure, mainnet);
    assert!(stderr.starts_with("warning: this trusted setup is INSECURE"), "{stderr}");
    dir.ends("verify blobs --setup setup", 0);
    dir.ends("verify blobs", 1);
    assert_eq!(dir.ends("prove blobs", 0).0, mainnet);
    let middle = setup.len() / 2;
    setup[middle] ^= 1;
    dir.write("setup", &setup);
    dir.refuses("prove blobs --setup setup", "error: --setup setup: ");
    // Files of c-kzg 1.x, which has no monomial form of G1.
    let text = format!("\u{feff}4096\n65\n{}{}", "00".repeat(48 * 4096), "00".repeat(96 * 65));
    for old in [&text[..], "{\"setup_G1\":[],\"setup_G2\":[],\"setup_G1_lagrange\":[]}"] {
        dir.write("setup", old.as_bytes());
        dir.refuses(
            "prove blobs --setup setup",
            "; this is a file of c-kzg 1.x: take the file of version 2\n",
        );
    }
}

#[test]
fn a_quiet_command_only_says_what_is_wrong() {
    let dir = WorkDir::with_blobs(&["a", "b"]);
    dir.write("short", &[0; 7]);
    for command in ["commit", "prove", "cells"] {
        assert_eq!(dir.ends(&format!("{command} blobs --quiet"), 0), Default::default(), "{command}");
        let json = dir.ends(&format!("{command} blobs --quiet --json"), 0);
        assert_eq!((lines(&json.0).len(), &json.1[..]), (2, ""), "{command}");
    }
    assert_eq!(dir.ends("verify blobs --quiet", 0), Default::default());
    fs::copy(dir.path("blobs/b.proof"), dir.path("blobs/a.proof")).unwrap();
    assert_eq!(dir.ends("verify blobs --quiet", 1), ("blobs/a: DOES NOT VERIFY\n".to_owned(), String::new()));
    let (stdout, stderr) = dir.ends("commit blobs short -q", 2);
    assert!(stdout.is_empty() && stderr.starts_with("error: short: "), "{stdout}{stderr}");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
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
fn a_reader_that_closes_the_pipe_and_a_full_disk() {
    let dir = WorkDir::with_blobs(&["a", "b"]);
    let closed = |words: &str, code| ends_without_reader(&mut dir.command(words), code);
    // The files are the result of the command.
    closed("prove blobs", 0);
    dir.ends("verify blobs", 0);
    // Here standard output is the result, and it was not read completely.
    closed("verify blobs --batch 1", 2);
    closed("commit blobs --json --batch 1", 2);
    let Ok(full) = fs::File::create("/dev/full") else { return };
    let (_, stderr) = ends(dir.command("commit blobs").stdout(full), 2);
    assert!(stderr.starts_with("error: standard output: No space left"), "{stderr}");
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

fn all_whole(dir: &WorkDir) -> usize {
    let names = dir.names("out");
    for name in names.iter().filter(|name| !name.starts_with('.')) {
        let len = if name.ends_with(".cells") { 2 * BLOB } else { 128 * 48 };
        assert_eq!(dir.read(&format!("out/{name}")).len(), len, "{name}");
    }
    names.iter().filter(|name| name.ends_with(".proofs")).count()
}

#[test]
fn ctrl_c_ends_between_results_and_the_same_command_resumes() {
    let dir = twelve();
    let (child, mut reader) = begun(&dir);
    kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT).unwrap();
    // It is handled before the output is read, without which the job does not end.
    std::thread::sleep(Duration::from_millis(300));
    let mut stdout = String::new();
    reader.read_to_string(&mut stdout).unwrap();
    let (_, stderr) = ended(child.wait_with_output().unwrap(), 130, "interrupted");
    let done = all_whole(&dir);
    assert!((3..12).contains(&done), "{done} were done");
    assert_eq!(stdout.lines().count(), 2 * done);
    assert_eq!(stderr, format!("stopped: {done} of 12 blobs are done; run the same command to resume\n"));
    assert_eq!(dir.names("out").len(), 2 * done + 1, "nothing temporary is left");
    let (stdout, stderr) = dir.ends("cells blobs --out out", 0);
    assert_eq!((stdout.lines().count(), all_whole(&dir)), (24, 12));
    assert!(stderr.contains(&format!("12 blobs: {} done, {done} done before, in ", 12 - done)), "{stderr}");
    dir.ends("commit blobs --out out", 0);
    dir.ends("verify-cells out", 0);
}

#[test]
fn a_killed_job_leaves_whole_results_and_the_same_command_resumes() {
    let dir = twelve();
    let (mut child, _reader) = begun(&dir);
    child.kill().unwrap();
    child.wait().unwrap();
    // It may have been killed while it wrote: that file has no final name, and the next job removes it.
    dir.write("out/.parcrypt-half.tmp", b"half");
    let done = all_whole(&dir);
    assert!((3..12).contains(&done), "{done} were done");
    dir.ends("cells blobs --out out", 0);
    assert_eq!((all_whole(&dir), dir.names("out").len()), (12, 25));
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
    let temporary = |name: &String| name.ends_with(".tmp");
    assert!(all_whole(&dir) >= 3 && !dir.names("out").iter().any(temporary));
}

#[test]
fn two_jobs_in_one_folder_do_not_disturb_each_other() {
    let dir = WorkDir::with_blobs(&["a", "b", "c", "d", "e", "f"]);
    let start =
        |words: &str| dir.command(words).stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    for words in ["cells blobs --out out --batch 1", "cells blobs --split --no-proofs --out split --batch 1"]
    {
        let jobs = [start(words), start(words), start(words)];
        jobs.into_iter().for_each(|job| drop(ended(job.wait_with_output().unwrap(), 0, words)));
        dir.ends(words, 0);
    }
    assert_eq!((dir.names("out").len(), dir.names("split").len()), (13, 7));
    let (_, stderr) = dir.ends("cells blobs --out out", 0);
    assert!(stderr.starts_with("6 blobs done before in "), "{stderr}");
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
        let now = fs::read_to_string(&status).ok().and_then(|text| {
            text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.split_whitespace().next()?.parse().ok()
        });
        peak = peak.max(now.unwrap_or(0));
        read += len;
        if len == 0 {
            break;
        }
    }
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(read > 1000 * 4 * BLOB, "{read} bytes");
    assert!(peak > 0 && peak < 64 << 10, "{peak} KiB");
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

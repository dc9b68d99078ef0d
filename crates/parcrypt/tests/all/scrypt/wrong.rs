//! Errors of arguments and files, which are reported before a password is asked for, with exit code 2.

use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::process::{WorkDir, ended, ends, wait_until_it_handles};

#[test]
fn errors_are_reported() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"hunter2");
    dir.write("empty", b"");
    dir.write("newline", b"\n");
    dir.write("huge", &vec![b'x'; (1 << 20) + 1]);
    dir.write("odd", b"abc");
    dir.write("nothex", b"xyz!");
    fs::create_dir(dir.path("folder")).unwrap();
    symlink("password", dir.path("link")).unwrap();
    let ok = "--password-file password --salt x --log-n 4";
    // Words of the command line before the words of a row, and rows with the start of the message.
    let groups: [(&str, &[(&str, &str)]); 5] = [
        (
            "--salt x --log-n 4 --password-file",
            &[
                ("missing", "--password-file missing: No such file or directory (os error 2)"),
                ("folder", "--password-file folder: Is a directory (os error 21)"),
                ("empty", "--password-file empty: empty password (use --allow-empty to allow it)"),
                ("newline", "--password-file newline: empty password (use --allow-empty to allow it)"),
                ("-", "--password-file -: empty password (use --allow-empty to allow it)"),
                ("huge", "--password-file huge: it is longer than 1 MiB"),
                ("/dev/zero", "--password-file /dev/zero: it is longer than 1 MiB"),
            ],
        ),
        (
            "",
            &[
                (
                    "--salt x --log-n 4",
                    "no terminal to ask for the password (No such device or address (os error 6)): give --password-file FILE or --password-fd N",
                ),
                (
                    "--salt x --log-n 4 --password-fd 77",
                    "--password-fd 77: no such descriptor is open; a shell opens it with 77< FILE",
                ),
                // The value is not repeated, whatever it looks like.
                (
                    "--password hunter2",
                    "--password is not supported: other users can read command lines, and shells store them. ",
                ),
                ("--password --salt x", "--password is not supported: "),
                ("--salt x --password=hunter2", "--password is not supported: "),
                ("--salt x --password", "--password is not supported: "),
                (
                    "--log-n 4 --password-file password",
                    "no salt: give --salt-random 16 for a new key, or --salt, ",
                ),
                ("--batch missing", "--batch missing: No such file or directory (os error 2)"),
                ("--batch folder", "--batch folder: Is a directory (os error 21)"),
                (
                    "--batch empty --json",
                    "--batch always prints JSON lines with keys in hex or base64: it cannot be used with --json or --output raw",
                ),
                ("--batch empty -r 0", "r = 0, p = 1: both must be at least 1 and their product below 2^30"),
            ],
        ),
        (
            "--password-file password",
            &[
                ("--salt-hex abc", "--salt-hex: odd number of hexadecimal digits (3)"),
                ("--salt-hex 0g", "--salt-hex: byte 1 is not a hexadecimal digit"),
                (
                    "--salt-hex 0x",
                    "--salt-hex: empty salt, with which equal passwords have equal keys (use --allow-empty to allow it)",
                ),
                (
                    "--salt-file empty",
                    "--salt-file empty: empty salt, with which equal passwords have equal keys (use --allow-empty to allow it)",
                ),
                ("--salt-file missing", "--salt-file missing: No such file or directory (os error 2)"),
                ("--salt-file huge", "--salt-file huge: it is longer than 1 MiB"),
                ("--salt-file /dev/zero", "--salt-file /dev/zero: it is longer than 1 MiB"),
            ],
        ),
        (
            "--password-file password --salt x",
            &[
                ("--n 131073", "--n 131073: not a power of two; 131072 and 262144 are"),
                ("--n 0", "N = 0 with r = 8: N must be a power of two from 2 on"),
                ("--n 1", "N = 1 with r = 8: N must be a power of two from 2 on"),
                (
                    "--n 18446744073709551615",
                    "N = 18446744073709551615 with r = 8: N must be a power of two from 2 on",
                ),
                (
                    "--log-n 16 -r 1",
                    "N = 65536 with r = 1: RFC 7914 requires N below 2^(16 r); --allow-n-beyond-rfc lifts this limit",
                ),
                ("-r 0", "r = 0, p = 1: both must be at least 1 and their product below 2^30"),
                ("-p 0", "r = 8, p = 0: both must be at least 1 and their product below 2^30"),
                (
                    "-r 32768 -p 32768",
                    "r = 32768, p = 32768: both must be at least 1 and their product below 2^30",
                ),
                (
                    "--log-n 20 --memory 512MiB",
                    "N = 2^20, r = 8 needs 1 GiB of memory for one lane, and 512 MiB are allowed by --memory: lower N, or allow it with --memory 1GiB",
                ),
                (
                    "--time 1s --memory 1KiB",
                    "N = 2^10, r = 8 needs 1 MiB of memory for one lane, and 1 KiB are allowed by --memory: lower N, or allow it with --memory 1MiB",
                ),
                (
                    "--time 1ms -p 100",
                    "--time 1ms: too short; N = 2^10, the smallest that it chooses, takes ",
                ),
                ("--threads 0", "0 threads: it must be a number from 1 to 1024"),
                ("--threads 99999", "99999 threads: it must be a number from 1 to 1024"),
                ("--runtime serial --threads 2", "runtime `serial` runs on 1 thread, 2 were asked for"),
                ("--backend rvv", "table scrypt: this kernel has no backend 'rvv'; it has "),
            ],
        ),
        (
            "--password-file password --salt x --log-n 4",
            &[
                ("-o folder", "-o folder: exists and is not a regular file"),
                ("-o folder --force", "-o folder: exists and is not a regular file"),
                ("-o link --force", "-o link: exists and is not a regular file"),
                ("-o /dev/null --force", "-o /dev/null: exists and is not a regular file"),
                ("-o nowhere/key", "-o nowhere/key: No such file or directory (os error 2)"),
                ("-o password/key", "-o password/key: Not a directory (os error 20)"),
                (
                    "--output raw --json",
                    "--json prints the key in hex or base64: it cannot be used with --output raw",
                ),
                ("--verify missing", "--verify missing: No such file or directory (os error 2)"),
                ("--verify empty", "--verify empty: it is empty"),
                ("--verify odd", "--verify odd: odd number of hexadecimal digits (3)"),
                ("--verify nothex", "--verify nothex: byte 0 is not a hexadecimal digit"),
                (
                    "--verify nothex --output base64",
                    "--verify nothex: it is not Base64 (RFC 4648, sections 4 and 5)",
                ),
                ("--verify /dev/zero --output raw", "--verify /dev/zero: a key has at most 1048576 bytes"),
            ],
        ),
    ];
    let rows = groups.iter().flat_map(|(first, rows)| rows.iter().map(move |row| (first, row)));
    for (first, (words, why)) in rows {
        let (stdout, stderr) = dir.ends(&format!("{first} {words}"), 2);
        assert!(
            stdout.is_empty() && stderr.starts_with(&format!("error: {why}")),
            "{words}\n{why}\n{stderr}"
        );
        assert!(!stderr.contains("hunter2"), "{stderr}");
    }
    // More memory than any machine has.
    let (_, stderr) = dir.ends("--password-file password --salt x --log-n 40", 2);
    let start = "error: N = 2^40, r = 8 needs 1 PiB of memory for one lane, and ";
    assert!(stderr.starts_with(start), "{stderr}");
    assert!(stderr.ends_with(": lower N; it is more than is available\n"), "no flag would help: {stderr}");
    dir.refuses("--password-file password --salt x --log-n 40 --memory 1024TiB", " are available: lower N");
    dir.refuses("--password-file password --salt x --log-n 63", "more than this machine can address");
    assert_eq!(
        dir.names(""),
        ["empty", "folder", "huge", "link", "newline", "nothex", "odd", "password"],
        "nothing was written"
    );
    fs::set_permissions(dir.path("password"), fs::Permissions::from_mode(0o0)).unwrap();
    if fs::read(dir.path("password")).is_ok() {
        return parcrypt_testkit::skip("parcrypt", "scrypt-permission", "root may read every file");
    }
    dir.refuses(ok, "--password-file password: Permission denied");
}

#[test]
fn invalid_requests_are_refused_by_name() {
    let dir = WorkDir::scrypt();
    for words in [
        "",
        "--salt x --salt-hex 00",
        "--salt x --log-n 0",
        "--salt x --log-n 64",
        "--salt x --log-n many",
        "--salt x --log-n 4 --n 16",
        "--salt x --log-n 4 --time 1s",
        "--salt x --time 0s",
        "--salt x --time 1",
        "--salt x -r -1",
        "--salt x -p 4294967296",
        "--salt x --length 0",
        "--salt x --length 1048577",
        "--salt x --memory 1GB",
        "--salt x --memory 0MiB",
        "--salt x --memory 99999999999TiB",
        "--salt x --runtime fibers",
        "--salt x --backend mmx",
        "--salt x --output octal",
        "--salt x --password-fd -1",
        "--salt x --password-file a --password-fd 1",
        "--salt x --password-file a --confirm",
        "--salt x --password-file a --no-confirm",
        "--salt x --confirm --no-confirm",
        "--keystore a --salt x",
        "--keystore a --log-n 4",
        "--keystore a --verify b",
        "--keystore a --json",
        "--keystore a --output hex",
        "--salt-random 7",
        "--salt-random 1025",
        "--salt-random 16 --verify key",
        "--salt x --verify key -o key",
        "--salt x --fail-fast",
        "--batch a --salt x",
        "--batch a --password-file a",
        "--batch a --time 1s",
        "--batch a --verify key",
        "hunter2",
    ] {
        let (stdout, stderr) = dir.ends(words, 2);
        assert!(
            stdout.is_empty() && stderr.contains("try '--help'") | stderr.contains("Usage: parcrypt scrypt"),
            "{words}: {stderr}"
        );
    }
    let forced = &mut dir.command("--password-file a --salt x --backend portable");
    let (_, stderr) = ends(forced.env("PARCRYPT_BACKEND", "avx2"), 2);
    assert!(
        stderr.starts_with("error: backend `portable` was requested, but PARCRYPT_BACKEND forces `avx2`"),
        "{stderr}"
    );
    let forced = &mut dir.command("--password-file a --salt x");
    let (_, stderr) = ends(forced.env("PARCRYPT_BACKEND", "mmx"), 2);
    assert!(stderr.starts_with("error: unknown backend 'mmx'"), "{stderr}");
}

#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"hunter2");
    dir.write("batch", b"{\"password\":\"p\",\"salt\":\"s\"}\n");
    for words in ["--password-file password --salt x --log-n 4", "--batch batch --log-n 4"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let (_, stderr) = ends(dir.command(words).stdout(full), 2);
        assert_eq!(stderr, "error: standard output: No space left on device (os error 28)\n");
        // The reader is closed.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = dir.command(words).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }
}

/// Starts a long derivation, and stops it.
#[test]
fn ctrl_c_ends_at_once_and_leaves_nothing() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"hunter2");
    dir.write("batch", "{\"password\":\"p\",\"salt\":\"s\"}\n".repeat(100).as_bytes());
    let long = "--log-n 16 -p 4000 --memory 512MiB -o key";
    let cases = [
        (
            format!("--password-file password --salt x {long}"),
            Signal::SIGINT,
            "stopped: nothing was derived\n",
        ),
        (
            format!("--password-file password --salt x {long}"),
            Signal::SIGTERM,
            "stopped: nothing was derived\n",
        ),
        (format!("--batch batch {long}"), Signal::SIGINT, "stopped after 0 keys\n"),
        (
            "--password-file password --salt x --time 1h --memory 256MiB -p 1000000".to_owned(),
            Signal::SIGINT,
            "stopped: nothing was derived\n",
        ),
        // These wait for their input.
        (format!("--password-file - --salt x {long}"), Signal::SIGINT, ""),
        (format!("--batch - {long}"), Signal::SIGINT, ""),
    ];
    for (words, signal, text) in cases {
        let (reader, _writer) = std::io::pipe().unwrap();
        let mut command = dir.process(&words);
        let child = command.stdin(reader).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_until_it_handles(child.id(), signal as i32);
        std::thread::sleep(Duration::from_millis(300));
        let begun = Instant::now();
        kill(Pid::from_raw(child.id() as i32), signal).unwrap();
        let (stdout, stderr) = ended(child.wait_with_output().unwrap(), 130, &words);
        // It would take hours.
        assert!(begun.elapsed() < Duration::from_secs(60), "{words}");
        assert_eq!((&stdout[..], &stderr[..]), ("", text), "{words}");
        assert_eq!(dir.names(""), ["batch", "password"], "{words}");
    }
}

/// Checks that a stop, while a batch writes to a slow reader, ends it before it waits for more lines.
#[test]
fn a_stop_while_it_writes_is_not_lost() {
    let dir = WorkDir::scrypt();
    let mut command = dir.process("--batch - --log-n 1 --length 1048576 --threads 1");
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // Input stays open: more lines may come.
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(b"{\"password\":\"p\",\"salt\":\"s\"}\n").unwrap();
    let mut stdout = child.stdout.take().unwrap();
    // It writes 2 MiB, more than a pipe holds, so it is still writing.
    stdout.read_exact(&mut [0]).unwrap();
    kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let rest = std::thread::spawn(move || stdout.read_to_end(&mut Vec::new()).unwrap());
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if begun.elapsed() > Duration::from_secs(60) => {
                child.kill().unwrap();
                panic!("it waits for more lines, {:?}", child.wait());
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    assert_eq!(status.code(), Some(130));
    assert_eq!(rest.join().unwrap() + 1, "{\"key\":\"\"}\n".len() + (2 << 20), "the line is whole");
}

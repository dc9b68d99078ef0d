//! `parcrypt scrypt` as a user runs it: keys, records, key files, errors and the terminal.

mod terminal;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::Stdio;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use scrypt::password_hash::phc::PasswordHash;
use scrypt::password_hash::{CustomizedPasswordHasher, PasswordVerifier};
use serde_json::json;

use crate::process::{PARCRYPT, WorkDir, ended, ends, examples, lines, wait_until_it_handles};

impl WorkDir {
    /// Returns a folder in which `parcrypt scrypt` is run without a terminal: in a session of its own.
    fn scrypt() -> Self {
        WorkDir::starting(&["setsid", "--wait", PARCRYPT, "scrypt"])
    }
}

/// The second vector of RFC 7914, section 12, with the password `password`.
const RFC: &str = "--salt-hex 4e61436c --log-n 10 -p 16";
const KEY: &str = "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640\n";

#[test]
fn every_way_gives_the_vectors_of_the_rfc() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"password");
    for way in ["", "--threads 1", "--runtime serial", "--threads 2", "--threads 3 --memory 16MiB"] {
        let words = format!("--password-file password {RFC} {way}");
        assert_eq!(dir.ends(&words, 0), (KEY.to_owned(), String::new()), "{words}");
    }
    // A short key is the beginning of a long one.
    for length in [1, 31, 64] {
        let short = dir.ends(&format!("--password-file password {RFC} --length {length}"), 0).0;
        assert_eq!(short.trim_end(), &KEY[..2 * length]);
    }
    let long = dir.ends(&format!("--password-file password {RFC} --length 1048576"), 0).0;
    assert!(long.len() == 2 * 1048576 + 1 && long.starts_with(KEY.trim_end()));
    // The first vector: neither a password nor a salt.
    dir.write("empty", b"");
    let words = "--password-file empty --salt-hex=0x --allow-empty --log-n 4 -r 1 --length 8";
    assert_eq!(dir.ends(words, 0).0, "77d6576238657b20\n");
}

#[test]
fn every_source_of_a_password_gives_the_same_key() {
    let dir = WorkDir::scrypt();
    for text in [&b"password"[..], b"password\n", b"password\r\n"] {
        dir.write("password", text);
        for source in ["password", "/dev/stdin", "-"] {
            let file = fs::File::open(dir.path("password")).unwrap();
            let words = format!("--password-file {source} {RFC}");
            assert_eq!(ends(dir.command(&words).stdin(file), 0).0, KEY, "{words}");
        }
    }
    for script in [
        "printf password | parcrypt scrypt --password-file /dev/fd/5 $0 5<&0",
        "mkfifo pipe; printf password > pipe & parcrypt scrypt --password-file pipe $0",
    ] {
        assert_eq!(dir.shell(&script.replace("$0", RFC)), KEY, "{script}");
    }
    // One line end is removed, and a password need not be text.
    for other in [&b"password\n\n"[..], b"password ", b"pass\nword", b"\xff\x00\xfe\n"] {
        dir.write("password", other);
        assert_ne!(dir.ends(&format!("--password-file password {RFC}"), 0).0, KEY);
    }
}

#[test]
fn the_examples_of_the_help_run() {
    let dir = WorkDir::scrypt();
    let (help, _) = dir.ends("--help", 0);
    let script = examples(&help);
    assert_eq!(script.len(), 5);
    let output = dir.shell(&script.join("\n"));
    assert!(output.starts_with("the key matches\n"), "{output}");
    let lengths: Vec<usize> = output.lines().skip(1).map(str::len).collect();
    assert_eq!(lengths, [128, 64], "{output}");
}

/// Runs the examples of the document, and compares their output with the output shown.
#[test]
fn the_examples_of_the_document_run() {
    let dir = WorkDir::scrypt();
    let document = include_str!("../../../../docs/guides/passwords.md");
    let mut shown = 0;
    for block in document.split("```sh\n").skip(1) {
        let (script, rest) = block.split_once("```").unwrap();
        let output = dir.shell(script);
        if let Some(expected) = rest.strip_prefix("\n\n```text\n") {
            assert_eq!(output, expected.split_once("```").unwrap().0, "{script}");
            shown += 1;
        }
    }
    assert!(shown >= 3, "{shown}");
}

/// From passlib's documentation, with the password `password`.
const PASSLIB: &str =
    "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E";

#[test]
fn phc_strings_match_others() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"password");
    dir.write("wrong", b"Password");
    dir.write("passlib", format!(" {PASSLIB}\n").as_bytes());
    assert_eq!(dir.ends("--password-file password --verify passlib", 0).0, "the key matches\n");
    assert_eq!(dir.ends("--password-file wrong --verify passlib", 1).0, "the key DOES NOT MATCH\n");
    for (log_n, r, p, length) in [(4, 8, 1, 32), (10, 1, 3, 10), (1, 5, 2, 64)] {
        // RustCrypto's scrypt.
        let params = scrypt::Params::new_with_output_len(log_n, r, p, length).unwrap();
        let theirs = scrypt::Scrypt::new().hash_password_customized(
            b"password",
            b"a salt of bytes",
            None,
            None,
            params,
        );
        let theirs = theirs.unwrap().to_string();
        dir.write("theirs", theirs.as_bytes());
        let cost = format!("--log-n {log_n} -r {r} -p {p} --length {length} --output phc");
        let (ours, _) = dir
            .ends(&format!("--password-file password --salt-hex 612073616c74206f66206279746573 {cost}"), 0);
        assert_eq!(ours, format!("{theirs}\n"));
        dir.ends("--password-file password --verify theirs", 0);
        dir.ends("--password-file wrong --verify theirs", 1);
        let read = PasswordHash::new(ours.trim_end()).unwrap();
        assert!(scrypt::Scrypt::new().verify_password(b"password", &read).is_ok());
    }
    // Without a salt there is a random one of 16 bytes; a key has 32 bytes by default, as others have.
    let [one, two] = [(); 2].map(|()| dir.ends("--password-file password --log-n 4 --output phc", 0).0);
    let hash = PasswordHash::new(one.trim_end()).unwrap();
    assert_eq!((hash.hash.map(|hash| hash.len()), hash.salt.map(|salt| salt.len())), (Some(32), Some(16)));
    assert_ne!(one, two);
    dir.write("random", one.as_bytes());
    dir.ends("--password-file password --verify random", 0);
    // An empty salt, as passlib writes it, after a byte order mark.
    dir.write("unsalted", b"\xef\xbb\xbf$scrypt$ln=4,r=1,p=1$$0zxuwYGNqvco9Vo\r\n");
    dir.ends("--password-file password --verify unsalted --allow-empty", 0);
}

/// The test vector of Ethereum's key files, version 3, with the password `testpassword`.
const KEYSTORE: &str = include_str!("scrypt/keystore-v3.json");
/// One with the password `pw`, whose numbers have a point.
const NUMBERS: &str = include_str!("scrypt/n-as-16384.0.json");

#[test]
fn key_files_of_ethereum_are_checked() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"testpassword\n");
    dir.write("wrong", b"Testpassword");
    dir.write("wallet", KEYSTORE.as_bytes());
    dir.write("other", KEYSTORE.replace("ab0c78", "ab0c79").as_bytes());
    dir.write("old", KEYSTORE.replace("\"scrypt\"", "\"pbkdf2\"").as_bytes());
    dir.write("huge", KEYSTORE.replace("262144", "1099511627776").as_bytes());
    // In the forms of other programs.
    let other = KEYSTORE.replace("crypto", "Crypto").replace("\"mac\":\"", "\"MAC\":\"0x");
    let other = other.replace("\"version\":3", "\"version\":\"3\",\"address\":\"00\"");
    let other = other.replace("262144", "262144.0").replace("\"p\":8", "\"p\":8e0");
    dir.write("form", other.replace("\"dklen\":32", "\"dklen\":64").as_bytes());
    let one = "--keystore wallet --memory 64MiB --password-file";
    assert_eq!(dir.ends(&format!("{one} password"), 0).0, "wallet: the password matches\n");
    assert_eq!(dir.ends(&format!("{one} wrong"), 1).0, "wallet: the password DOES NOT MATCH\n");
    dir.write("pw", b"pw");
    dir.write("marked", ["\u{feff}", NUMBERS].concat().as_bytes());
    assert_eq!(dir.ends("--keystore marked --password-file pw", 0).0, "marked: the password matches\n");
    assert_eq!(dir.ends("--keystore form --password-file password", 0).0, "form: the password matches\n");
    dir.refuses(
        &format!("{} password", one.replace("64MiB", "31MiB")),
        "error: --keystore wallet: N = 2^18, r = 1 needs 32 MiB",
    );
    // Each file has its verdict; an error of one does not affect the others.
    let words = "--keystore wallet other wallet --password-file password";
    let (stdout, stderr) = dir.ends(words, 1);
    let [right, wrong] = ["the password matches", "the password DOES NOT MATCH"];
    assert_eq!(stdout, format!("wallet: {right}\nother: {wrong}\nwallet: {right}\n"));
    assert_eq!(stderr, "");
    let words = "--keystore old huge wallet missing other password --password-file password --memory 1GiB";
    let errors = [
        "line 3: its key is derived by PBKDF2 (`kdf` is pbkdf2): only scrypt is supported",
        "N = 2^40, r = 1 needs 128 TiB of memory for one lane, and ",
        "No such file or directory",
        "it is not a key file: expected ident at line 1 column 2",
    ];
    let (stdout, stderr) = dir.ends(words, 2);
    assert_eq!(stdout, format!("wallet: {right}\nother: {wrong}\n"));
    let told: Vec<&str> = stderr.lines().collect();
    assert_eq!(told.len(), 4, "{stderr}");
    for ((line, name), why) in told.iter().zip(["old", "huge", "missing", "password"]).zip(errors) {
        assert!(line.starts_with(&format!("error: --keystore {name}: {why}")), "{line}");
    }
    let all = lines(&dir.ends(&format!("{words} --json"), 2).0);
    assert_eq!(
        (&all[2], &all[4]),
        (&json!({"file": "wallet", "matches": true}), &json!({"file": "other", "matches": false}))
    );
    for (i, why) in [0, 1, 3, 5].into_iter().zip(errors) {
        assert!(all[i]["error"].as_str().unwrap().starts_with(why), "{}", all[i]);
    }
    // Without a good file the password is not asked for.
    dir.refuses("--keystore missing", "error: --keystore missing: No such file");
}

#[test]
fn errors_of_records_take_no_memory() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"hunter2");
    let salt_and_hash = PASSLIB.split_once("p=1").unwrap().1;
    for (params, why) in [
        ("ln=40,r=8,p=1", "N = 2^40, r = 8 needs 1 PiB of memory for one lane"),
        ("ln=20,r=1048576,p=1", "N = 2^20, r = 1048576 needs 128 TiB"),
        ("ln=63,r=8,p=1", "more than this machine can address"),
        ("ln=64,r=8,p=1", "N must be a power of two from 2 on"),
        ("ln=0,r=8,p=1", "N must be a power of two from 2 on"),
        ("ln=4294967295,r=8,p=1", "N must be a power of two from 2 on"),
        ("ln=17,r=4294967295,p=1", "their product below 2^30"),
        ("ln=17,r=8,p=4294967295", "their product below 2^30"),
        ("ln=17,r=0,p=1", "both must be at least 1"),
        ("ln=17,r=8", "its parameters are not ln, r and p, once each"),
    ] {
        dir.write("record", format!("$scrypt${params}{salt_and_hash}").as_bytes());
        // The address space would not do for the memory.
        let script =
            "ulimit -v 400000; parcrypt scrypt --password-file password --verify record --memory 64MiB";
        let (_, stderr) = ends(&mut dir.shell_command(script), 2);
        assert!(stderr.starts_with("error: --verify record: ") && stderr.contains(why), "{params}: {stderr}");
    }
}

#[test]
fn errors_are_reported() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"hunter2");
    dir.write("empty", b"");
    dir.write("newline", b"\n");
    dir.write("huge", &vec![b'x'; (1 << 20) + 1]);
    dir.write("unsalted", b"$scrypt$ln=4,r=1,p=1$$0zxuwYGNqvco9Vo");
    fs::create_dir(dir.path("folder")).unwrap();
    symlink("loop", dir.path("loop")).unwrap();
    let no_such = "No such file or directory (os error 2)";
    let empty_salt = "empty salt, with which equal passwords have equal keys (use --allow-empty to allow it)";
    // Words of the command line before the words of a row, and rows with the start of the message.
    let groups: [(&str, &[(&str, &str)]); 3] = [
        (
            "--salt-hex 00 --log-n 4 --password-file",
            &[
                ("missing", &format!("--password-file missing: {no_such}")),
                ("folder", "--password-file folder: Is a directory (os error 21)"),
                ("loop", "--password-file loop: Too many levels of symbolic links"),
                ("empty", "--password-file empty: empty password (use --allow-empty to allow it)"),
                ("newline", "--password-file newline: empty password (use --allow-empty to allow it)"),
                ("-", "--password-file -: empty password (use --allow-empty to allow it)"),
                ("huge", "--password-file huge: it is longer than 1 MiB"),
                ("/dev/zero", "--password-file /dev/zero: it is longer than 1 MiB"),
            ],
        ),
        (
            "--password-file password",
            &[
                (
                    "--log-n 4",
                    "no salt: give --salt-hex with the salt of an existing key, or --output phc for a new one",
                ),
                ("--salt-hex abc", "--salt-hex: odd number of hexadecimal digits (3)"),
                ("--salt-hex 0g", "--salt-hex: byte 1 is not a hexadecimal digit"),
                ("--salt-hex 0x", &format!("--salt-hex: {empty_salt}")),
                ("--verify unsalted", &format!("--verify unsalted: {empty_salt}")),
                ("--verify missing", &format!("--verify missing: {no_such}")),
                ("--verify folder", "--verify folder: Is a directory"),
                ("--verify empty", "--verify empty: not a PHC string ($scrypt$ln=…,r=…,p=…$SALT$HASH)"),
                ("--verify /dev/zero", "--verify /dev/zero: it is longer than 65536 bytes"),
                ("--salt-hex 00 --output phc", "a PHC string has a salt of 8 to 48 bytes, but this has 1\n"),
                ("--output phc --length 9", "a PHC string has a key of 10 to 64 bytes, but this has 9"),
            ],
        ),
        (
            "--password-file password --salt-hex 00",
            &[
                (
                    "--log-n 16 -r 1",
                    "N = 65536 with r = 1: RFC 7914 requires N below 2^(16 r); lower --log-n or raise -r",
                ),
                ("-r 32768 -p 32768", "r = 32768, p = 32768: both must be at least 1 and their product"),
                (
                    "--log-n 20 --memory 512MiB",
                    "N = 2^20, r = 8 needs 1 GiB of memory for one lane, and 512 MiB are allowed by --memory: lower N, or allow it with --memory\n",
                ),
                ("--log-n 40", "N = 2^40, r = 8 needs 1 PiB of memory for one lane, and "),
                ("--log-n 63", "N = 9223372036854775808, r = 8: a lane takes "),
                ("--threads 0", "0 threads: it must be a number from 1 to 1024"),
                ("--runtime serial --threads 2", "runtime `serial` runs on 1 thread, 2 were asked for"),
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
    dir.refuses(
        "--salt-hex 00 --log-n 4",
        "error: no terminal to ask for the password (No such device or address (os error 6)): give --password-file",
    );
    dir.refuses("--verify unsalted --json", "error: --json: only --keystore prints JSON\n");
    dir.ends("--password-file empty --allow-empty --verify unsalted", 1);
    for words in [
        "",
        "--salt-hex 00 --log-n 0",
        "--salt-hex 00 --log-n 64",
        "--salt-hex 00 -r -1",
        "--salt-hex 00 -p 4294967296",
        "--salt-hex 00 --length 0",
        "--salt-hex 00 --length 1048577",
        "--salt-hex 00 --memory 1GB",
        "--salt-hex 00 --runtime fibers",
        "--output octal",
        "--password hunter2",
        "--password=hunter2",
        "--salt-hex 00 --verify key",
        "--keystore a --log-n 4",
        "--keystore a --verify b",
        "--keystore a --output phc",
    ] {
        let (stdout, stderr) = dir.ends(words, 2);
        assert!(
            stdout.is_empty() && stderr.contains("try '--help'") | stderr.contains("Usage: parcrypt scrypt"),
            "{words}: {stderr}"
        );
        assert!(!stderr.contains("hunter2"), "{stderr}");
    }
    let forced = &mut dir.command("--password-file password --salt-hex 00");
    let (_, stderr) = ends(forced.env("PARCRYPT_BACKEND", "mmx"), 2);
    assert!(stderr.starts_with("error: unknown backend 'mmx'"), "{stderr}");
    fs::set_permissions(dir.path("password"), fs::Permissions::from_mode(0o0)).unwrap();
    if fs::read(dir.path("password")).is_ok() {
        return parcrypt_testkit::skip("parcrypt", "scrypt-permission", "root may read every file");
    }
    dir.refuses("--password-file password --salt-hex 00", "--password-file password: Permission denied");
}

#[test]
fn ctrl_c_ends_at_once() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"hunter2");
    dir.write("wallet", KEYSTORE.replace("\"p\":8", "\"p\":1000000").as_bytes());
    let long = "--log-n 16 -p 4000 --memory 512MiB";
    let stopped = "stopped: nothing was derived\n";
    for (words, signal, text) in [
        (format!("--password-file password --salt-hex 00 {long}"), Signal::SIGINT, stopped),
        (format!("--password-file password --salt-hex 00 {long}"), Signal::SIGTERM, stopped),
        ("--password-file password --keystore wallet".to_owned(), Signal::SIGINT, stopped),
        // It waits for its input.
        (format!("--password-file - --salt-hex 00 {long}"), Signal::SIGINT, ""),
    ] {
        let (reader, _writer) = std::io::pipe().unwrap();
        let mut command = dir.with(&[PARCRYPT, "scrypt"], &words);
        let child = command.stdin(reader).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_until_it_handles(child.id(), signal as i32);
        std::thread::sleep(Duration::from_millis(300));
        let begun = Instant::now();
        kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
        let (stdout, stderr) = ended(child.wait_with_output().unwrap(), 130, &words);
        // It would take hours.
        assert!(begun.elapsed() < Duration::from_secs(60), "{words}");
        assert_eq!((&stdout[..], &stderr[..]), ("", text), "{words}");
    }
}

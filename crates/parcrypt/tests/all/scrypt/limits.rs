//! Limits of the shell, which must not end the command without words.

use crate::process::WorkDir;

/// Runs a script that fails, and returns its standard error.
fn fails(dir: &WorkDir, script: &str) -> String {
    let output = dir.shell_command(script).output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{script}: {stderr}");
    stderr
}

#[test]
fn a_limit_on_files_is_named() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"hunter2");
    let words = "--password-file password --salt x --log-n 4 --length 1000000";
    for (target, name) in [("-o key", "-o key"), ("> key", "standard output")] {
        // In units of 512 or 1024 bytes, by the shell.
        let stderr = fails(&dir, &format!("ulimit -f 8; parcrypt scrypt {words} {target}"));
        let start = format!("error: {name}: File too large (os error 27): this shell limits files to ");
        let end = "; run `ulimit -f unlimited` first to lift this limit\n";
        assert!(stderr.starts_with(&start) && stderr.ends_with(end), "{stderr}");
    }
    assert_eq!(dir.names(""), ["key", "password"], "only what standard output was redirected to is left");
}

#[test]
fn a_limit_on_the_address_space_is_named() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"hunter2");
    let words = "--password-file password --salt x --threads 1 --log-n 20";
    let start = "error: N = 2^20, r = 8 needs 1 GiB of memory for one lane, and ";
    let end = "; this shell limits the address space of a process to 391 MiB; run `ulimit -v unlimited` first to \
               lift this limit\n";
    // Threads that start meanwhile reserve address space; the message does not depend on how far they are.
    for _ in 0..32 {
        let stderr = fails(&dir, &format!("ulimit -v 400000; parcrypt scrypt {words}"));
        assert!(stderr.starts_with(start) && stderr.ends_with(end), "{stderr}");
    }
}

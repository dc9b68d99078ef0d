//! Behaviour on a terminal: the prompt, and text that is not shown.

use rexpect::session::{PtySession, spawn_command};

use super::{KEY, RFC};
use crate::process::WorkDir;

/// Returns a shell on a terminal with echo, which runs the command with these words and prints its exit code.
fn on_a_terminal(dir: &WorkDir, words: &str) -> PtySession {
    let script = format!("trap : INT; stty echo; set +e; parcrypt scrypt {words}; echo code $?; stty -a");
    spawn_command(dir.shell_command(&script), Some(60_000)).unwrap()
}

/// Answers the prompts, and returns the rest of the output.
fn answered(dir: &WorkDir, words: &str, answers: &[&str]) -> String {
    let mut terminal = on_a_terminal(dir, words);
    for (prompt, answer) in ["Password: ", "Repeat the password: "].iter().zip(answers) {
        terminal.exp_string(prompt).unwrap();
        terminal.send(answer).unwrap();
        terminal.flush().unwrap();
    }
    rest(terminal)
}

/// Returns the output to the end, and checks that the terminal's echo is restored.
fn rest(mut terminal: PtySession) -> String {
    let text = terminal.exp_eof().unwrap();
    assert!(text.contains(" echo ") && !text.contains("-echo "), "the echo is on again: {text}");
    text
}

#[test]
fn the_password_is_asked_for_and_not_shown() {
    let dir = WorkDir::scrypt();
    let text = answered(&dir, RFC, &["password\n"]);
    assert!(text.starts_with(&format!("\r\n{}\r\ncode 0\r\n", KEY.trim_end())), "{text}");

    // Its standard streams do not matter.
    let text = answered(&dir, &format!("{RFC} > key < /dev/null"), &["password\n"]);
    assert!(text.starts_with("\r\ncode 0\r\n"), "{text}");
    assert_eq!(dir.text("key"), KEY);
}

/// A typing error in the password of a new key would be noticed only when the key is needed again.
#[test]
fn the_password_of_a_new_key_is_asked_for_twice() {
    let dir = WorkDir::scrypt();
    let words = "--output phc --log-n 4";
    let text = answered(&dir, words, &["password\n", "passwort\n"]);
    assert!(text.contains("error: the passwords differ: nothing was derived\r\ncode 2\r\n"), "{text}");
    let text = answered(&dir, &format!("{words} > record"), &["password\n", "password\n"]);
    assert!(text.contains("code 0\r\n"), "{text}");
    let text = answered(&dir, "--verify record", &["password\n"]);
    assert!(text.contains("the key matches\r\ncode 0\r\n") && !text.contains("Repeat"), "{text}");
}

#[test]
fn empty_and_long_input_and_ctrl_c() {
    let dir = WorkDir::scrypt();
    for (typed, end) in [
        ("\n", "\r\nerror: terminal: empty password (use --allow-empty to allow it)\r\ncode 2\r\n"),
        // Ctrl-D and Ctrl-C.
        ("\u{4}", "error: no password was typed\r\ncode 2\r\n"),
        ("secret\u{3}", "code 130\r\n"),
        (&("x".repeat(4095) + "\n"), "error: a terminal reads at most 4094 bytes: give a longer"),
    ] {
        let text = answered(&dir, RFC, &[typed]);
        assert!(text.contains(end) && !text.contains("secret"), "{typed:?}: {text}");
    }
    let text = rest(on_a_terminal(&dir, &format!("{RFC} --password-file -")));
    let why = "error: --password-file -: it is a terminal, which would show the password";
    assert!(text.starts_with(why) && text.contains("\r\ncode 2\r\n"), "{text}");
}

#[test]
fn a_long_derivation_shows_a_bar() {
    let dir = WorkDir::scrypt();
    dir.write("password", b"password");
    let words = "--salt-hex 00 --password-file password --memory 64MiB --threads 1 --log-n 15 -p 4000";
    let mut terminal = on_a_terminal(&dir, words);
    terminal.exp_string(" % ").unwrap();
    terminal.exp_string(" left").unwrap();
    terminal.send_control('c').unwrap();
    let text = rest(terminal);
    assert!(text.contains("stopped: nothing was derived\r\ncode 130\r\n"), "{text}");
}

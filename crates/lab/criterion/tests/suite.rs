//! Suites as the lab runs them, and by themselves.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const DIGEST: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Returns the path of an example, which Cargo builds with the tests.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("its path");
    let profile = test.ancestors().nth(2).expect("the folder of the profile");
    let path = profile.join("examples").join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    assert!(path.exists(), "{} is missing: `cargo build --examples`", path.display());
    path
}

/// Runs a program with a standard input.
fn run(command: &mut Command, input: &str) -> Output {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    // A suite may end without a look at it.
    let _ = child.stdin.take().expect("a pipe").write_all(input.as_bytes());
    child.wait_with_output().expect("it ends")
}

fn asked(program: &str, what: &str, input: &str) -> (Option<i32>, Vec<String>, String) {
    // As Cargo passes it.
    let output = run(Command::new(example(program)).arg("--bench").env("PARLAB_SUITE", what), input);
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), text.lines().map(str::to_owned).collect(), errors)
}

fn prepare(name: &str) -> String {
    let name = name.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "{{\"id\":1,\"prepare\":{{\"protocol\":2,\"workload\":\"{name}\",\"params\":{{}},\"threads\":1}}}}\n"
    )
}

/// Measures a benchmark, and returns what the suite wrote to standard error.
fn measured(program: &str, name: &str) -> String {
    let rest = "{\"id\":2,\"sample\":{\"iterations\":1}}\n{\"id\":3,\"sample\":{\"iterations\":1000}}\n\
                {\"id\":4,\"digest\":{}}\n{\"id\":5,\"quit\":{}}\n";
    let (code, lines, errors) = asked(program, "candidate", &(prepare(name) + rest));
    assert_eq!(lines.len(), 4, "{name}: {lines:?} {errors}");
    assert!(lines[0].starts_with("{\"id\":1,\"ready\":{\"name\":\""), "{name}: {}", lines[0]);
    for (line, id) in lines[1..3].iter().zip(2..) {
        let ns =
            line.strip_prefix(&format!("{{\"id\":{id},\"elapsed_ns\":")).and_then(|ns| ns.strip_suffix('}'));
        let ns = ns.and_then(|ns| ns.parse::<u64>().ok());
        assert!(ns.is_some_and(|ns| ns > 0), "{name}: {line}");
    }
    assert_eq!(lines[3], format!("{{\"id\":4,\"digest\":\"{DIGEST}\"}}"), "{name}");
    assert_eq!(code, Some(0), "{name}: {errors}");
    errors
}

#[test]
fn a_list_has_every_benchmark_in_order() {
    let (code, lines, errors) = asked("suite", "list", "");
    let expected = [
        r#"{"benchmark":"add"}"#,
        r#"{"benchmark":"sum of \"µ\"/range/10"}"#,
        r#"{"benchmark":"sum of \"µ\"/range/1000"}"#,
        r#"{"benchmark":"sum of \"µ\"/batched"}"#,
        r#"{"benchmark":"sum of \"µ\"/1.5"}"#,
        r#"{"benchmark":"top/3"}"#,
        r#"{"benchmark":"add"}"#,
        r#"{"benchmark":"panics","failed":"the function panicked: a file is missing"}"#,
        r#"{"benchmark":"own/time"}"#,
        r#"{"benchmark":"own/hour"}"#,
        r#"{"benchmark":"own/nothing"}"#,
        r#"{"benchmark":"own/async"}"#,
        r#"{"benchmark":"own/threads"}"#,
        r#"{"benchmark":"own/drop"}"#,
        r#"{"benchmark":"own/setup"}"#,
        r#"{"benchmark":"calls","skip":"its measurement is in \"calls\", and not in ns"}"#,
        r#"{"benchmark":"wrong/never"}"#,
        r#"{"benchmark":"wrong/panics"}"#,
        r#"{"benchmark":"wrong/exits"}"#,
        r#"{"benchmark":"inputs/SmallInput/0"}"#,
    ];
    assert_eq!(lines[..20], expected);
    assert_eq!(lines.last().map(String::as_str), Some(r#"{"end":39}"#));
    assert_eq!(code, Some(0), "{errors}");
    assert!(
        errors.contains("printed by the suite") && !errors.contains("printed by the benchmark"),
        "{errors}"
    );
}

#[test]
fn benchmarks_answer_the_lab() {
    for name in [
        "add",
        "sum of \"µ\"/range/10",
        "sum of \"µ\"/batched",
        "sum of \"µ\"/1.5",
        "top/3",
        "own/time",
        "own/async",
        "own/threads",
        "own/drop",
        "own/setup",
    ] {
        let errors = measured("suite", name);
        assert!(errors.contains("printed by the suite"), "{name}: {errors}");
        assert_eq!(errors.contains("printed by the benchmark"), name.contains("range"), "{name}: {errors}");
    }
}

#[test]
fn every_loop_does_each_iteration_once_with_an_input_of_its_own() {
    for size in ["SmallInput", "LargeInput", "PerIteration", "NumBatches(3)", "NumIterations(4)"] {
        for kind in 0..4 {
            let samples = [1, 2, 10, 11, 25].iter().zip(2..);
            let samples =
                samples.map(|(n, id)| format!("{{\"id\":{id},\"sample\":{{\"iterations\":{n}}}}}\n"));
            let input = prepare(&format!("inputs/{size}/{kind}")) + &samples.collect::<String>();
            let (code, lines, errors) = asked("suite", "candidate", &input);
            assert_eq!((code, lines.len()), (Some(0), 6), "{size}, {kind}: {errors}");
        }
    }
}

#[test]
fn what_cannot_be_measured_says_why() {
    for (name, why) in [
        ("wrong/never", "it does not call `iter`, or a function like it"),
        ("own/nothing", "the time that it takes itself is 0"),
        ("own/hour", "the time that it takes itself: its time is 3600000000000 ns, and only "),
        ("calls", "its measurement is in \\\"calls\\\", and not in ns"),
    ] {
        let quit = "{\"id\":2,\"quit\":{}}\n";
        let (code, lines, errors) = asked("suite", "candidate", &(prepare(name) + quit));
        assert_eq!((code, lines.len()), (Some(0), 1), "{name}: {errors}");
        assert!(lines[0].starts_with(&format!("{{\"id\":1,\"unsupported\":\"{why}")), "{name}: {lines:?}");
    }
}

#[test]
fn a_conversation_that_goes_wrong_ends_the_process_with_the_reason() {
    let sample = "{\"id\":2,\"sample\":{\"iterations\":1}}\n";
    for (input, code, answers, why) in [
        (String::new(), 0, 0, ""),
        (prepare("add"), 0, 1, ""),
        (prepare("missing"), 0, 0, "the suite ended, and has no benchmark of this name"),
        (prepare("wrong/panics") + sample, 101, 1, "it fails"),
        (prepare("wrong/exits") + sample, 7, 1, ""),
        ("jump\n".to_owned(), 2, 0, "error: `jump` is no request"),
        ("{\"id\":1,\"digest\":{}}\n".to_owned(), 2, 0, "a request came before `prepare`"),
        (prepare("add") + "{\"id\":2,\"digest\":{}}\n", 2, 1, "`digest` came before the first `sample`"),
        (prepare("calls") + sample, 2, 1, "a request came after `unsupported`"),
        (prepare("add") + &prepare("top/3"), 2, 1, "`prepare` came a second time"),
        (format!("\"{}\"\n", "x".repeat(1 << 20)), 2, 0, "a request of over 1048576 bytes"),
    ] {
        let (ended, lines, errors) = asked("suite", "candidate", &input);
        assert_eq!((ended, lines.len()), (Some(code), answers), "{why}: {errors}");
        assert!(errors.contains(why), "{why}: {errors}");
    }
}

#[test]
fn a_main_of_its_own_serves_too() {
    let (code, lines, errors) = asked("own_main", "list", "");
    assert_eq!(lines, ["{\"benchmark\":\"one\"}", "{\"benchmark\":\"two\"}", "{\"end\":2}"], "{errors}");
    assert_eq!(code, Some(0));
    measured("own_main", "two");
    for (what, input) in [("list", String::new()), ("candidate", prepare("two"))] {
        let mut command = Command::new(example("own_main"));
        let output = run(command.env("PARLAB_SUITE", what).env("OWN_MAIN_PANICS", "1"), &input);
        assert_eq!(output.status.code(), Some(101), "{what}");
    }
}

#[test]
fn a_program_is_known_for_a_suite() {
    let bytes = std::fs::read(example("suite")).expect("it is read");
    let marker = b"parlab-suite-stub 1";
    assert!(bytes.windows(marker.len()).any(|window| window == marker));
    let (code, lines, errors) = asked("suite", "dance", "");
    assert_eq!((code, lines.len()), (Some(2), 0));
    assert!(errors.contains("PARLAB_SUITE is \"dance\": it can be `list` or `candidate`"), "{errors}");
    let output = run(Command::new(example("own_main")).env_remove("PARLAB_SUITE"), "");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("error: it runs under `parlab suite`"));
}

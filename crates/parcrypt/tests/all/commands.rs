//! `doctor`, `list`, `verify` and the command as a whole: their output and exit codes.

use std::fs::File;
use std::process::Command;

use serde_json::Value;

use crate::process::{WorkDir, ends, ends_without_reader, examples, parcrypt};

fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&ends(&mut parcrypt(arguments), 0).0).expect("JSON")
}

fn fits_a_terminal(text: &str) {
    for line in text.lines() {
        assert!(line.chars().count() <= 80 && line.trim_end() == line, "'{line}'");
    }
}

#[test]
fn the_command_as_a_whole() {
    let (version, _) = ends(&mut parcrypt(&["--version"]), 0);
    assert_eq!(version, format!("parcrypt {}\n", env!("CARGO_PKG_VERSION")));
    ends(&mut parcrypt(&["--help"]), 0);
    for wrong in [&[][..], &["frobnicate"], &["list", "--xml"], &["verify", "--extra"], &["doctor", "extra"]]
    {
        let (stdout, stderr) = ends(&mut parcrypt(wrong), 2);
        assert!(stdout.is_empty() && stderr.contains("Usage: parcrypt"), "{stderr}");
    }
}

#[test]
fn there_is_a_manual_page_for_each_command() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    ends(&mut parcrypt(&["generate", path]), 0);
    let page = |name: &str| std::fs::read_to_string(folder.path().join(name)).expect(name);
    let mut pages: Vec<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".1"))
        .collect();
    pages.sort();
    for name in ["parcrypt.1", "parcrypt-bench.1", "parcrypt-kzg-verify-cells.1"] {
        assert!(pages.iter().any(|page| page == name), "{name}");
    }
    assert_eq!(pages.len(), 14, "{pages:?}");
    let groff = Command::new("groff").arg("--version").output().is_ok();
    if !groff {
        parcrypt_testkit::skip("parcrypt", "manual pages", "groff is not there");
    }
    for name in &pages {
        assert!(page(name).contains(".SH SYNOPSIS"), "{name}");
        if groff {
            let mut check = Command::new("groff");
            check.args(["-mandoc", "-Tutf8", "-ww", "-z", name]).env("LC_ALL", "C.UTF-8");
            assert_eq!(ends(check.current_dir(folder.path()), 0), Default::default(), "{name}");
        }
    }
    for name in ["parcrypt.bash", "_parcrypt", "parcrypt.fish"] {
        assert!(page(name).contains("scrypt"), "{name}");
    }
}

#[test]
fn list_shows_workloads_runtimes_and_plans() {
    let (text, stderr) = ends(&mut parcrypt(&["list"]), 0);
    assert!(stderr.is_empty());
    fits_a_terminal(&text);
    for part in ["\n  fft-g1 ", "\n  openmp ", "portable", "\n  quick "] {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    let (fft, _) = ends(&mut parcrypt(&["list", "fft-g1"]), 0);
    // A long line is broken between words.
    let words = fft.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("recursive | recursive-parallel-butterflies | iterative"), "{fft}");
    let all = json(&["list", "--json"]);
    let names = |key: &str| -> Vec<String> {
        let list = all[key].as_array().expect("a list").iter();
        list.map(|x| x["name"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(
        names("workloads")[..7],
        ["sum", "read", "fft-g1", "fft-fr", "msm", "ntt-product", "ntt-matrix"]
    );
    assert_eq!(names("runtimes"), ["serial", "rayon", "openmp"]);
    assert_eq!(names("backends"), parcrypt_cpu::Backend::ALL.map(|backend| backend.name().to_owned()));
    assert!(names("plans").contains(&"quick".to_owned()));
    for name in names("workloads") {
        let (text, _) = ends(&mut parcrypt(&["list", &name]), 0);
        fits_a_terminal(&text);
        assert!(text.contains("input") && text.contains("output"), "{text}");
        let value = json(&["list", &name, "--json"]);
        assert_eq!(value["name"], name.as_str());
    }
    let (_, stderr) = ends(&mut parcrypt(&["list", "quick"]), 2);
    assert!(stderr.contains("`quick` is a plan: `parlab bench --program parcrypt --list quick`"), "{stderr}");
    let (_, stderr) = ends(&mut parcrypt(&["list", "product"]), 2);
    let why = "error: unknown workload `product` (did you mean `fr-product`?): it can be `sum`, `read`, ";
    assert!(stderr.starts_with(why), "{stderr}");
}

#[test]
fn doctor_lists_what_is_installed_and_what_is_missing() {
    let (short, _) = ends(&mut parcrypt(&["doctor"]), 0);
    fits_a_terminal(&short);
    assert_eq!(short.lines().count(), 11, "{short}");
    for part in ["processor", "backends", "runtimes", "parallel call", "tools", "is not set", "doctor --json"]
    {
        assert!(short.contains(part), "{part}:\n{short}");
    }
    let value = json(&["doctor", "--json"]);
    assert_eq!(value["machine"]["cores"], parcrypt_cpu::cores().get());
    assert_eq!(value["backends"][0]["name"], "portable");
    let fp = &value["tables"][0];
    assert_eq!((fp["name"].as_str(), fp["rows"][0].as_str()), (Some("fp"), Some("blst")), "{fp}");
    assert!(fp["rows"].as_array().is_some_and(|rows| rows.contains(&fp["selected"])), "{fp}");
    let tools: Vec<&Value> = value["tools"].as_array().unwrap().iter().map(|tool| &tool["command"]).collect();
    for tool in ["mpiexec", "julia", "qemu-riscv64", "aarch64-linux-gnu-gcc", "valgrind", "python3"] {
        assert!(tools.iter().any(|command| *command == tool), "{tools:?}");
    }
    for fork in value["fork_cost"].as_array().expect("a list") {
        assert!(fork["measured_now"]["asleep_ns"].as_u64().is_some_and(|ns| ns > 0), "{fork}");
    }

    // No tools, and an environment that forces an unavailable or unknown backend.
    let forced = &mut parcrypt(&["doctor"]);
    let (text, _) = ends(forced.env("PATH", "").env("PARCRYPT_BACKEND", "rvv"), 0);
    assert!(text.contains("PARCRYPT_BACKEND=rvv: ") && text.contains("backend 'rvv'"), "{text}");
    assert!(text.contains("  tools      missing: mpiexec ") && text.lines().count() == 11, "{text}");
    let (text, _) = ends(forced.arg("--json"), 0);
    let value: Value = serde_json::from_str(&text).unwrap();
    assert!(value["tools"].as_array().unwrap().iter().all(|tool| tool["available"] == false), "{text}");
    assert!(value["requests"] == "rvv" && text.contains("backend 'rvv'"), "{text}");
    let (text, _) = ends(parcrypt(&["doctor"]).env_remove("PATH").env("PARCRYPT_BACKEND", "mmx"), 0);
    assert!(text.contains("PARCRYPT_BACKEND is invalid: unknown backend 'mmx'"), "{text}");
}

#[test]
fn doctor_survives_odd_tools() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let tool = |name: &str, script: &str, mode| {
        let path = folder.path().join(name);
        std::fs::write(&path, script).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    tool("python3", "#!/bin/sh\necho hello\necho 'version   9'\n", 0o755);
    tool("julia", "#!/bin/sh\nexit 3\n", 0o755);
    tool("chromium", "#!/bin/sh\nexec /bin/sleep 60\n", 0o755);
    tool("mpiexec", "not a program", 0o755);
    tool("qemu-riscv64", "#!/bin/sh\necho 1\n", 0o644);
    let output = parcrypt(&["doctor", "--json"]).env("PATH", folder.path()).output().unwrap();
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    let version = |name: &str| {
        let tools = value["tools"].as_array().unwrap();
        let tool = tools.iter().find(|tool| tool["command"] == name).unwrap();
        (tool["available"].as_bool().unwrap(), tool["version"].as_str().map(str::to_owned))
    };
    assert_eq!(version("python3"), (true, Some("version 9".to_owned())));
    for silent in ["julia", "chromium", "mpiexec"] {
        assert_eq!(version(silent), (true, None));
    }
    assert_eq!(version("qemu-riscv64"), (false, None));
}

#[test]
fn verify_takes_names_and_honours_the_environment() {
    let (text, stderr) = ends(&mut parcrypt(&["verify", "read", "sum"]), 0);
    everything_passes(&text, &["read", "sum"]);
    fits_a_terminal(&text);
    assert!(
        text.lines().count() <= 4 && stderr.is_empty(),
        "two workloads, what is not here, a total: {text}"
    );
    let (text, _) = ends(&mut parcrypt(&["verify", "read", "sum", "--verbose"]), 0);
    assert!(text.starts_with("read ") && text.contains("\nsum ") && !text.contains("fft"), "{text}");
    let (_, stderr) = ends(&mut parcrypt(&["verify", "product"]), 2);
    assert!(stderr.starts_with("error: unknown workload `product`"), "{stderr}");
    let portable = &mut parcrypt(&["verify", "sum", "--verbose"]);
    let (text, _) = ends(portable.env("PARCRYPT_BACKEND", "portable"), 0);
    assert!(text.lines().all(|line| !line.contains("passed  ") || line.contains(" portable ")), "{text}");
    let nothing = &mut parcrypt(&["verify", "fft-fr"]);
    let (text, stderr) = ends(nothing.env("PARCRYPT_BACKEND", "ifma"), 2);
    assert!(text.starts_with("fft-fr    skipped    0 ways,    0 outputs, "), "{text}");
    assert!(text.lines().last().is_some_and(|line| line.starts_with("0 passed, 0 failed, ")), "{text}");
    assert_eq!(stderr, "error: nothing could be checked here\n");
    let wrong = &mut parcrypt(&["verify"]);
    assert!(ends(wrong.env("PARCRYPT_BACKEND", "mmx"), 2).1.contains("unknown backend 'mmx'"));
}

#[test]
fn a_reader_that_closes_the_pipe_and_a_full_disk() {
    let full = File::options().write(true).open("/dev/full").unwrap();
    let key = ["scrypt", "--password-file", "-", "--allow-empty", "--salt-hex", "00", "--log-n", "4"];
    for (arguments, code) in
        [(&["list"][..], 0), (&["list", "--json"], 0), (&["doctor"], 0), (&["verify", "sum"], 2), (&key, 0)]
    {
        ends_without_reader(&mut parcrypt(arguments), code);
        let (_, stderr) = ends(parcrypt(arguments).stdout(full.try_clone().unwrap()), 2);
        assert!(stderr.starts_with("error: standard output: No space left"), "{stderr}");
    }
}

/// Checks the output of `verify` if all is correct. The lines of the next example may follow it.
fn everything_passes(text: &str, workloads: &[&str]) {
    let lines: Vec<&str> = text.lines().collect();
    let end = lines.iter().position(|line| line.contains(" passed, ")).expect("an end");
    let is_right = |line: &&str| line.contains("  passed   ") || line.starts_with("skipped: ");
    assert!(lines[..end].iter().all(is_right) && lines[end].contains(" passed, 0 failed, "), "{text}");
    for name in workloads {
        let count = lines[..end].iter().filter(|line| line.starts_with(&format!("{name} "))).count();
        assert_eq!(count, 1, "{name}: {text}");
    }
}

#[test]
fn the_examples_of_the_help_run() {
    let dir = WorkDir::starting(&[]);
    // All workloads on all backends take minutes here; the tests of the crates compare the same outputs.
    let long = std::env::var_os("PARCRYPT_LONG_TESTS").is_some();
    if !long {
        parcrypt_testkit::skip("parcrypt", "parcrypt verify", "set PARCRYPT_LONG_TESTS for all workloads");
    }
    let mut ran = 0;
    for command in ["doctor", "list", "verify", "candidate"] {
        let (help, _) = ends(&mut parcrypt(&[command, "--help"]), 0);
        let mut script = examples(&help);
        script.retain(|line| long || !["parcrypt verify", "parcrypt verify --full"].contains(line));
        ran += script.len();
        let (stdout, stderr) = ends(&mut dir.shell_command(&script.join("\n")), 0);
        match command {
            "candidate" => {
                assert!(stdout.starts_with("{\"id\":1,\"ready\":{\"name\":\"parcrypt\""), "{stdout}")
            }
            "verify" => {
                assert!(stderr.is_empty(), "{stderr}");
                // The first example has no names; the second one has two.
                let all = ["sum", "read", "fft-g1", "fft-fr", "kzg-commit", "kzg-load", "scrypt"];
                everything_passes(&stdout, if long { &all } else { &["fft-fr", "sum"] });
            }
            _ => {}
        }
    }
    assert_eq!(ran, 2 + 3 + 2 + 2 * usize::from(long) + 4);
}

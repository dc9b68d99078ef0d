//! `parcrypt tune`, its profile, and the runtime `auto`, as a process.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::candidate::{self, prepare};
use crate::process::{self, ended, ends, lines, names, wait_until_it_handles};

fn parcrypt(home: &Path, arguments: &[&str]) -> Command {
    let mut command = process::parcrypt(arguments);
    command.env("XDG_CONFIG_HOME", home);
    command
}

/// Runs a candidate for a workload on two threads.
fn talk(home: &Path, runtime: &str, profile: Option<&Path>) -> Output {
    let input = home.join("input");
    fs::write(&input, [3; 1 << 12]).unwrap();
    let requests = [
        prepare("sum", json!({ "scale": 12 }), 2, Some(&input)),
        json!({ "sample": { "iterations": 2 } }),
        json!({ "digest": {} }),
    ];
    let mut command = parcrypt(home, &["candidate", "--runtime", runtime]);
    command.envs(profile.map(|profile| ("PARCRYPT_PROFILE", profile)));
    candidate::talk(&mut command, &candidate::lines(&requests))
}

/// Returns the response to `prepare`, and the digest.
fn answers(home: &Path, runtime: &str, profile: Option<&Path>) -> (Value, Value) {
    let responses = lines(&ended(talk(home, runtime, profile), 0, runtime).0);
    (responses[0].clone(), responses[2].clone())
}

#[test]
fn a_profile_is_written_shown_handed_over_and_refused() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path();
    let (before, _) = ends(&mut parcrypt(home, &["doctor"]), 0);
    assert!(before.contains("`parcrypt tune` measures this machine"), "{before}");

    let path = home.join("parcrypt").join("machine.toml");
    fs::create_dir(path.parent().unwrap()).unwrap();
    // The printed path is absolute, whatever the path of --out.
    let mut tune = parcrypt(home, &["tune", "--for", "1s", "--out", "machine.toml"]);
    let (table, _) = ends(tune.current_dir(path.parent().unwrap()), 0);
    assert!(
        table.contains("fft-g1 scale=5")
            && table.contains(&format!("export PARCRYPT_PROFILE={}\n", path.display())),
        "{table}"
    );
    assert_eq!(names(path.parent().unwrap()), ["machine.toml"]);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.starts_with("schema = 1\n") && text.contains("[kernels.sum]\n"), "{text}");

    // It is used only if it is handed over.
    let doctor = |handed: bool| {
        let mut command = parcrypt(home, &["doctor", "--json"]);
        if handed {
            command.env("PARCRYPT_PROFILE", &path);
        }
        serde_json::from_str::<Value>(&ends(&mut command, 0).0).unwrap()["profile"].clone()
    };
    for handed in [false, true] {
        let shown = doctor(handed);
        assert_eq!((&shown["handed_over"], &shown["error"]), (&json!(handed), &Value::Null), "{shown}");
        assert_eq!(shown["path"], path.to_str().unwrap());
        assert_eq!(shown["kernels"].as_array().map(Vec::len), Some(7), "{shown}");
    }
    let (ready, digest) = answers(home, "auto", None);
    let runtime = ready["ready"]["runtime"].as_str().unwrap();
    assert!(
        runtime.starts_with("auto: ") && runtime.ends_with(" by default costs, without a profile"),
        "{ready}"
    );
    let (with, same) = answers(home, "auto", Some(&path));
    let runtime = with["ready"]["runtime"].as_str().unwrap();
    assert!(runtime.starts_with("auto: ") && runtime.contains(" by the profile "), "{with}");
    assert!(digest["digest"].as_str().is_some_and(|text| text.starts_with("sha256:")), "{digest}");
    assert_eq!(digest["digest"], same["digest"]);

    // The lab binds an entry on one thread to one core. The record names the profile.
    let plan = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plans/auto.toml");
    let filter = ["--filter", "workload=fft-g1,runtime=auto", "--threads", "1,2"];
    let mut bench = parcrypt(home, &["bench", plan, "--rounds", "1", "--json"]);
    bench.args(filter).current_dir(home).env("PARCRYPT_PROFILE", &path);
    let record = ends(&mut bench, 0).0;
    // One entry on one thread, one on two, and the A/A control.
    assert_eq!(record.matches("by the profile ").count(), 3, "{record}");
    assert!(record.contains("\"auto: serial by the profile "), "{record}");
    assert!(record.contains("\"machine-profile\":") && !record.contains(path.to_str().unwrap()), "{record}");

    // One of another machine is refused everywhere, and `doctor` says why.
    let cores = text.lines().find(|line| line.starts_with("cores = ")).unwrap();
    let other = text.replace(cores, "cores = 1000");
    assert_ne!(other, text);
    fs::write(&path, other).unwrap();
    let why = "it was measured with 1000 cores and not ";
    let advice = "`parcrypt tune` writes one for this machine";
    assert!(doctor(false)["error"].as_str().is_some_and(|error| error.contains(why)));
    let (_, refused) = ended(talk(home, "auto", Some(&path)), 2, "auto");
    assert!(refused.contains(why) && refused.contains(advice), "{refused}");
    let mut bench = parcrypt(home, &["bench", "--dry-run"]);
    let (_, refused) = ends(bench.env("PARCRYPT_PROFILE", &path), 2);
    assert!(refused.contains(why) && refused.contains(advice), "{refused}");
    // A relative path is refused at once, wherever the candidates run.
    let advice = "PARCRYPT_PROFILE=machine.toml: relative path, but candidates may run in another folder: give the absolute path";
    for words in
        [&["bench", "--dry-run"][..], &["scrypt", "--batch", "/dev/null"], &["kzg", "commit", "input"]]
    {
        let mut command = parcrypt(home, words);
        command.current_dir(path.parent().unwrap()).env("PARCRYPT_PROFILE", "machine.toml");
        assert!(ends(&mut command, 2).1.contains(advice), "{words:?}");
    }
    // Runtimes by name do not read it.
    assert!(answers(home, "rayon", Some(&path)).0["ready"].is_object());
}

#[test]
fn auto_gives_the_same_digest_as_rayon() {
    let folder = tempfile::tempdir().unwrap();
    let (_, auto) = answers(folder.path(), "auto", None);
    let (ready, rayon) = answers(folder.path(), "rayon", None);
    assert_eq!(ready["ready"]["runtime"], "rayon");
    assert_eq!(auto["digest"], rayon["digest"]);
    assert!(auto["digest"].is_string(), "{auto}");
}

#[test]
fn files_that_are_not_profiles_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("profile");
    let refused = || {
        let mut command = parcrypt(folder.path(), &["kzg", "commit", "."]);
        let (_, error) = ends(command.env("PARCRYPT_PROFILE", &path).current_dir(folder.path()), 2);
        error
    };
    // A folder without blobs is another error, which comes first.
    fs::write(folder.path().join("a.blob"), vec![0; 131_072]).unwrap();
    let error = refused();
    assert!(error.starts_with("error: machine profile ") && error.contains("No such file"), "{error}");
    for (text, part) in [
        ("", "missing field `schema`"),
        ("schema = 2\n", "schema 2, and this program reads 1"),
        ("schema = 1\n", "missing field `machine`"),
        ("\u{1b}[31m", "not as `parcrypt tune` writes it"),
    ] {
        fs::write(&path, text).unwrap();
        let error = refused();
        assert!(error.contains(part) && !error.contains('\u{1b}'), "{error}");
    }
}

#[test]
fn a_path_that_cannot_be_written_is_an_error_before_anything_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    for out in [folder.path(), &file.join("below")] {
        let (stdout, error) =
            ends(&mut parcrypt(folder.path(), &["tune", "--out", out.to_str().unwrap()]), 2);
        assert!(stdout.is_empty() && error.contains(out.to_str().unwrap()), "{error}");
    }
    let mut homeless = parcrypt(folder.path(), &["tune"]);
    let (_, error) = ends(homeless.env("XDG_CONFIG_HOME", "relative").env_remove("HOME"), 2);
    assert!(error.contains("name a file with --out"), "{error}");
}

#[test]
fn ctrl_c_leaves_no_file_and_the_old_one() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("machine.toml");
    for old in [None, Some("of before\n")] {
        if let Some(old) = old {
            fs::write(&out, old).unwrap();
        }
        let mut command = parcrypt(folder.path(), &["tune", "--for", "1h", "--out", out.to_str().unwrap()]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_until_it_handles(child.id(), Signal::SIGINT as i32);
        kill(Pid::from_raw(child.id().try_into().unwrap()), Signal::SIGINT).unwrap();
        let (stdout, stderr) = ended(child.wait_with_output().unwrap(), 130, "tune");
        assert!(stdout.is_empty() && stderr.contains("no profile was written"), "{stderr}");
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!((left, fs::read_to_string(&out).ok().as_deref()), (usize::from(old.is_some()), old));
    }
}

//! `PARCRYPT_BACKEND` in a process of its own, because the environment is shared by the threads of a test.

use std::process::Command;

use parcrypt_cpu::{Backend, ENVIRONMENT, choose, choose_with};

/// Prints what is chosen; the other tests run it in a process with their own environment.
#[test]
fn child() {
    match choose(&[Backend::Portable, Backend::Rvv, Backend::Avx2]) {
        Ok(backend) => println!("chosen {backend}."),
        Err(error) => println!("error {error}."),
    }
}

fn chosen(value: Option<&str>) -> String {
    let mut command = Command::new(std::env::current_exe().expect("a test has a path"));
    command.args(["--exact", "child", "--nocapture"]).env_remove(ENVIRONMENT);
    if let Some(value) = value {
        command.env(ENVIRONMENT, value);
    }
    let output = command.output().expect("the test starts again");
    assert!(output.status.success());
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn the_variable_forces_a_backend() {
    assert!(chosen(Some("portable")).contains("chosen portable."));
    let best = choose_with(&[Backend::Portable, Backend::Rvv, Backend::Avx2], None).unwrap();
    for unset in [None, Some("")] {
        assert!(chosen(unset).contains(&format!("chosen {best}.")));
    }
}

#[test]
fn the_variable_is_never_ignored() {
    let unknown = chosen(Some("sse9"));
    assert!(
        unknown.contains("unknown backend 'sse9'; the backends are portable, blst, aws-lc, sha2, avx2"),
        "{unknown}"
    );
    let missing = chosen(Some("ifma"));
    assert!(missing.contains("no backend 'ifma'; it has portable, rvv, avx2."), "{missing}");
    let other = if cfg!(target_arch = "riscv64") { "avx2" } else { "rvv" };
    let elsewhere = chosen(Some(other));
    assert!(elsewhere.contains(&format!("cannot run backend '{other}'; it can run portable")), "{elsewhere}");
}

//! Facts about the build for records: the compiler and the commit.

use std::process::Command;

fn main() {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
    println!("cargo::rustc-env=PARCRYPT_RUSTC={}", said(&rustc, &["--version"]));
    println!("cargo::rustc-env=PARCRYPT_TARGET={}", std::env::var("TARGET").unwrap_or_default());
    println!("cargo::rustc-env=PARCRYPT_CARGO_PROFILE={}", std::env::var("PROFILE").unwrap_or_default());
    println!("cargo::rustc-env=PARCRYPT_RUSTFLAGS={}", flags());
    println!("cargo::rustc-env=PARCRYPT_COMMIT={}", commit());
    // The build depends on every crate, and the commit on HEAD.
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../../../crates");
    println!("cargo::rerun-if-changed=../../../Cargo.lock");
    println!("cargo::rerun-if-changed=../../../.git/HEAD");
    println!("cargo::rerun-if-changed=../../../.git/logs/HEAD");
}

/// Returns the flags of the compiler without those that replace the paths of this machine, which have those paths and
/// change no code.
fn flags() -> String {
    let flags = std::env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let flags = flags.split('\u{1f}').filter(|flag| !flag.starts_with("--remap-path-prefix="));
    flags.collect::<Vec<_>>().join(" ")
}

/// Returns the short hash, with a mark if the tree differs from it; empty outside a repository.
fn commit() -> String {
    let hash = said("git", &["rev-parse", "--short=12", "HEAD"]);
    let changed = !said("git", &["status", "--porcelain", "--untracked-files=no"]).is_empty();
    if changed && !hash.is_empty() { format!("{hash} with changes") } else { hash }
}

/// Returns the first line that a program prints; empty if it cannot be run.
fn said(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output();
    let text =
        output.ok().filter(|o| o.status.success()).map(|o| String::from_utf8_lossy(&o.stdout).into_owned());
    text.unwrap_or_default().lines().next().unwrap_or_default().to_owned()
}

//! The version of Rayon in the lock file, for `parcrypt doctor`.

fn main() {
    println!("cargo::rustc-env=PARCRYPT_RAYON={}", locked("rayon"));
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../../Cargo.lock");
}

/// Returns the version of a crate in the lock file; empty if the lock file lacks it.
fn locked(name: &str) -> String {
    let lock = std::fs::read_to_string("../../Cargo.lock").unwrap_or_default();
    let behind = lock.split_once(&format!("name = \"{name}\"\nversion = \"")).map(|parts| parts.1);
    behind.and_then(|text| text.split('"').next()).unwrap_or_default().to_owned()
}

//! The versions of the libraries, as the lock file has them, and the libraries in C that have no crate.

fn main() {
    println!("cargo::rerun-if-changed=Cargo.lock");
    let lock = std::fs::read_to_string("Cargo.lock").unwrap_or_default();
    for name in ["aws-lc-rs", "ring", "scrypt", "sha2"] {
        // A library may be there in several versions; the newest, which is the last, is this candidate's.
        let package = format!("name = \"{name}\"\nversion = \"");
        let version = lock.rsplit_once(&package).and_then(|(_, rest)| rest.split('"').next());
        let variable = format!("VERSION_OF_{}", name.to_uppercase().replace('-', "_"));
        println!("cargo::rustc-env={variable}={}", version.unwrap_or_default());
    }
    for (feature, library) in [("LIBSODIUM", "sodium"), ("LIBSCRYPT", "scrypt")] {
        if std::env::var_os(format!("CARGO_FEATURE_{feature}")).is_some() {
            println!("cargo::rustc-link-lib={library}");
        }
    }
}

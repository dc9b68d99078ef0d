//! The versions of the libraries in the lock file, and the C libraries without a crate.

fn main() {
    println!("cargo::rerun-if-changed=Cargo.lock");
    let lock = std::fs::read_to_string("Cargo.lock").unwrap_or_default();
    for name in ["aws-lc-rs", "concrete-ntt", "ring", "scrypt", "sha2"] {
        // The lock file may have several versions of a library; this candidate uses the newest, which is the last.
        let package = format!("name = \"{name}\"\nversion = \"");
        let version = lock.rsplit_once(&package).and_then(|(_, rest)| rest.split('"').next());
        let variable = format!("VERSION_OF_{}", name.to_uppercase().replace('-', "_"));
        println!("cargo::rustc-env={variable}={}", version.unwrap_or_default());
    }
    for (feature, library) in [("BOTAN", "botan-2"), ("LIBSODIUM", "sodium"), ("LIBSCRYPT", "scrypt")] {
        if std::env::var_os(format!("CARGO_FEATURE_{feature}")).is_some() {
            println!("cargo::rustc-link-lib={library}");
        }
    }
}

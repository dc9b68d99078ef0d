//! Sets the name of the shared library for the dynamic linker, and keeps it loaded in a process that has loaded it: the
//! threads of a runtime end some time after they are told to, and their code must not be unmapped before.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        // Before version 1 a minor version may break programs, so it is part of the name.
        let version = |part: &str| std::env::var(format!("CARGO_PKG_VERSION_{part}")).unwrap_or_default();
        let (major, minor) = (version("MAJOR"), version("MINOR"));
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libparcrypt.so.{major}.{minor}");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}

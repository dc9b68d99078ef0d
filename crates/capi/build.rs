//! Gives the shared library its name for the dynamic linker, and keeps it in a process that has loaded it: a runtime's
//! threads end some time after they were told to, and must not find their code gone.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        // Before version 1 each minor version may break programs, so it is part of the name.
        let version = |part: &str| std::env::var(format!("CARGO_PKG_VERSION_{part}")).unwrap_or_default();
        let (major, minor) = (version("MAJOR"), version("MINOR"));
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libparcrypt.so.{major}.{minor}");
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}

//! Sets the name of the shared library for the dynamic linker, and keeps it loaded in a process that has loaded it: the
//! threads of a runtime end some time after they are told to, and their code must not be unmapped before.

#[path = "library_name.rs"]
mod library_name;

fn main() {
    // Before version 1 a minor version may break programs, so it is part of the name.
    let version = |part: &str| std::env::var(format!("CARGO_PKG_VERSION_{part}")).unwrap_or_default();
    library_name::name_library("libparcrypt", &format!("{}.{}", version("MAJOR"), version("MINOR")));
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}

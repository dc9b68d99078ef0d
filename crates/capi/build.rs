//! Sets the name of the shared library for the dynamic linker, and keeps it loaded in a process that has loaded it: the
//! threads of a runtime end some time after they are told to, and their code must not be unmapped before.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // Before version 1 a minor version may break programs, so it is part of the name.
    let version = |part: &str| std::env::var(format!("CARGO_PKG_VERSION_{part}")).unwrap_or_default();
    let (major, minor) = (version("MAJOR"), version("MINOR"));
    match std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default().as_str() {
        "linux" => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libparcrypt.so.{major}.{minor}");
            println!("cargo::rustc-cdylib-link-arg=-Wl,-z,nodelete");
            link("libparcrypt.so", &format!("libparcrypt.so.{major}.{minor}"));
        }
        "macos" => {
            println!(
                "cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libparcrypt.{major}.{minor}.dylib"
            );
            link("libparcrypt.dylib", &format!("libparcrypt.{major}.{minor}.dylib"));
        }
        _ => {}
    }
}

/// Links the name for the dynamic linker to the library beside it, so that a program that is linked with the library in
/// Cargo's folder starts from there. The library is there after this script has run.
fn link(library: &str, name: &str) {
    let out = std::path::PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    // OUT_DIR is build/PACKAGE-HASH/out below the folder of the profile.
    let Some(folder) = out.ancestors().nth(3) else { return };
    let path = folder.join(name);
    if std::fs::read_link(&path).is_ok_and(|to| to == std::path::Path::new(library)) {
        return;
    }
    let _ = std::fs::remove_file(&path);
    if let Err(error) = std::os::unix::fs::symlink(library, &path) {
        println!("cargo::warning={}: {error}", path.display());
    }
}

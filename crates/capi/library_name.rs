//! The name of a shared library for the dynamic linker, for the build scripts of `capi` and `capi_ckzg`.

/// Gives the library its name with this version, on Linux and macOS.
pub(crate) fn name_library(library: &str, version: &str) {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=../capi/library_name.rs");
    let (file, name, argument) = match std::env::var("CARGO_CFG_TARGET_OS").unwrap_or_default().as_str() {
        "linux" => (format!("{library}.so"), format!("{library}.so.{version}"), "-soname,"),
        "macos" => {
            (format!("{library}.dylib"), format!("{library}.{version}.dylib"), "-install_name,@rpath/")
        }
        _ => return,
    };
    println!("cargo::rustc-cdylib-link-arg=-Wl,{argument}{name}");
    link(&file, &name);
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

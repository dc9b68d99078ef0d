//! Sets the name of the shared library for the dynamic linker.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "linux") {
        // The interface of c-kzg-4844, version 2.
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libparcrypt_ckzg.so.2");
    }
}

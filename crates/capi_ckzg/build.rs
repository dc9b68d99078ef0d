//! Sets the name of the shared library for the dynamic linker.

#[path = "../capi/library_name.rs"]
mod library_name;

fn main() {
    // The interface of c-kzg-4844, version 2.
    library_name::name_library("libparcrypt_ckzg", "2");
}

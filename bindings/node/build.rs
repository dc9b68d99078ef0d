//! Gives the library for macOS a name without the path of the machine that built it. Node.js loads it by its path.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "macos") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/parcrypt.node");
    }
}

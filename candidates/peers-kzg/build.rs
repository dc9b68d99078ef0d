//! The versions of the libraries in the lock file.

fn main() {
    println!("cargo::rerun-if-changed=Cargo.lock");
    let lock = std::fs::read_to_string("Cargo.lock").unwrap_or_default();
    let names = [
        ("VERSION_OF_C_KZG", "c-kzg"),
        ("VERSION_OF_RUST_ETH_KZG", "rust_eth_kzg"),
        ("VERSION_OF_BLST", "blst"),
        ("VERSION_OF_ARK_EC", "ark-ec"),
    ];
    for (variable, name) in names {
        let package = format!("name = \"{name}\"\nversion = \"");
        let version = lock.split_once(&package).and_then(|(_, rest)| rest.split('"').next());
        println!("cargo::rustc-env={variable}={}", version.unwrap_or_default());
    }
}

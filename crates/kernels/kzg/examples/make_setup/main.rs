//! Writes the setup that is part of the library, `data/mainnet.setup`, from the setup in the crate
//! `ekzg-trusted-setup`: `cargo run --release -p parcrypt-kzg --example make_setup [FILE]`. A test computes it too, and
//! compares.

mod mainnet;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let default = concat!(env!("CARGO_MANIFEST_DIR"), "/data/mainnet.setup");
    let path = std::env::args().nth(1).unwrap_or_else(|| default.to_owned());
    let bytes = mainnet::settings(&parcrypt_runtime::Serial)?.to_binary();
    std::fs::write(&path, &bytes)?;
    println!("{path}: {} bytes", bytes.len());
    Ok(())
}

//! Computes the GMAC of 64 KiB again and again, for a counter of instructions (`scripts/count-arm`), and prints it:
//! `cargo run --release -p parcrypt-mac --example mac_calls -- ROW CALLS`. A row is a backend, or `aes-gcm`.
#![allow(clippy::unwrap_used, reason = "an example fails by a panic")]

use std::hint::black_box;

use aes_gcm::aead::AeadInOut;
use aes_gcm::{Aes128Gcm, KeyInit};
use parcrypt_cpu::Backend;
use parcrypt_mac::Gmac;
use parcrypt_runtime::Serial;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let row = arguments.next().unwrap();
    let calls: u64 = arguments.next().unwrap().parse().unwrap();
    let (key, nonce, message) = ([0; 16], [0; 12], vec![0; 64 << 10]);
    let last = if row == "aes-gcm" {
        let cipher = Aes128Gcm::new(&key.into());
        let tag = |message| cipher.encrypt_inout_detached(&nonce.into(), message, (&mut [][..]).into());
        (0..calls).fold([0; 16], |_, _| tag(black_box(&message)).unwrap().into())
    } else {
        let gmac = Gmac::new(row.parse::<Backend>().unwrap().into(), &key).unwrap();
        (0..calls).fold([0; 16], |_, _| gmac.tag(&Serial, &nonce, black_box(&message)).unwrap())
    };
    println!("{:032x}", u128::from_be_bytes(last));
}

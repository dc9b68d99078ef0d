//! RFC 7914, section 12, on every backend.

use parcrypt_cpu::Request;
use parcrypt_runtime::Serial;
use parcrypt_scrypt::{Params, Scrypt};
use parcrypt_testkit::backends;

fn bytes(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).expect("digits"), 16).expect("digits");
    digits.chunks(2).map(byte).collect()
}

#[test]
fn keys_of_the_rfc() {
    let vectors: [(&str, &str, u64, u32, u32, &str); 4] = [
        (
            "",
            "",
            16,
            1,
            1,
            "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442
             fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906",
        ),
        (
            "password",
            "NaCl",
            1024,
            8,
            16,
            "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162
             2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640",
        ),
        (
            "pleaseletmein",
            "SodiumChloride",
            16384,
            8,
            1,
            "7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2
             d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887",
        ),
        (
            "pleaseletmein",
            "SodiumChloride",
            1048576,
            8,
            1,
            "2101cb9b6a511aaeaddbbe09cf70f881ec568d574a2ffd4dabe5ee9820adaa47
             8e56fd8f4ba5d09ffa1c6d927c40f4c337304049e8a952fbcbf45c6fa77a41a4",
        ),
    ];
    for backend in backends("parcrypt-scrypt", &Scrypt::backends()) {
        let plan = Scrypt::new(backend.into(), 2 << 30).unwrap();
        // 2 GiB of reads for the last: on the row that is used here.
        let best = backend == Scrypt::new(Request::Auto, 2 << 30).unwrap().backend();
        for (password, salt, n, r, p, key) in vectors.into_iter().take(if best { 4 } else { 3 }) {
            let params = Params::new(n, r, p).unwrap();
            let mut out = [0; 64];
            plan.derive(&Serial, params, password.as_bytes(), salt.as_bytes(), &mut out).unwrap();
            assert_eq!(out[..], bytes(key)[..], "{backend}: N = {n}, r = {r}, p = {p}");
        }
    }
}

/// Test vector of Ethereum's key files, version 3 (Web3 Secret Storage), whose N is above the bound of RFC 7914 for
/// r = 1. The crate `scrypt-js` gives the same key.
#[test]
fn the_key_of_ethereums_test_vector() {
    let params = Params::allow_n_beyond_rfc(1 << 18, 1, 8).unwrap();
    let salt = bytes("ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19");
    for backend in backends("parcrypt-scrypt", &Scrypt::backends()) {
        let plan = Scrypt::new(backend.into(), 1 << 30).unwrap();
        let mut out = [0; 32];
        plan.derive(&Serial, params, b"testpassword", &salt, &mut out).unwrap();
        let key = bytes("fac192ceb5fd772906bea3e118a69e8bbb5cc24229e20d8766fd298291bba6bd");
        assert_eq!(out[..], key[..], "{backend}");
    }
}

//! The test vectors of VMAC, on every backend.

use parcrypt_mac::{Vmac64, Vmac128};
use parcrypt_runtime::Serial;
use parcrypt_testkit::backends;

fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hexadecimal")).collect()
}

/// draft-krovetz-vmac-01, appendix: number of repetitions of 'abc', the tag of 8 bytes, the tag of 16 bytes; the last
/// line is from Crypto++'s `TestVectors/vmac.txt`, which repeats the others.
const VMAC: &[(usize, &str, &str)] = &[
    (0, "2576be1c56d8b81b", "472766c70f74ed23481d6d7de4e80dac"),
    (1, "2d376cf5b1813ce5", "4ee815a06a1d71edd36fc75d51188a42"),
    (16, "e8421f61d573d298", "09f2c80c8e1007a0c12fae19fe4504ae"),
    (100, "4492df6c5cac1bbe", "66438817154850c61d8a412164803bcb"),
    (1_000_000, "09ba597dd7601113", "2b6b02288ffc461b75485de893c629dc"),
];

#[test]
fn vmac_of_the_draft() {
    let (key, nonce) = (b"abcdefghijklmnop", b"bcdefghi");
    for backend in backends("parcrypt-mac", &Vmac64::backends()) {
        let short = Vmac64::new(backend.into(), key).expect("available");
        let long = Vmac128::new(backend.into(), key).expect("available");
        for (times, tag64, tag128) in VMAC {
            let message = b"abc".repeat(*times);
            assert_eq!(short.tag(&Serial, nonce, &message).unwrap(), *bytes(tag64), "{backend} {times}");
            assert_eq!(long.tag(&Serial, nonce, &message).unwrap(), *bytes(tag128), "{backend} {times}");
        }
    }
}

//! Published test vectors, on every backend.

use parcrypt_mac::{Gmac, Vmac64, Vmac128};
use parcrypt_runtime::Serial;
use parcrypt_testkit::backends;

const CRATE: &str = "parcrypt-mac";

fn bytes(hex: &str) -> Vec<u8> {
    assert!(hex.len().is_multiple_of(2), "{hex}");
    (0..hex.len() / 2).map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("hexadecimal")).collect()
}

/// Key, nonce, message, tag.
type Case = (&'static str, &'static str, &'static str, &'static str);

/// McGrew and Viega, 'The Galois/Counter Mode of Operation (GCM)', appendix B: the cases 1, 7 and 13, which have no
/// text, and whose message is empty.
const EMPTY: &[Case] = &[
    ("00000000000000000000000000000000", "000000000000000000000000", "", "58e2fccefa7e3061367f1d57a4e7455a"),
    (
        "000000000000000000000000000000000000000000000000",
        "000000000000000000000000",
        "",
        "cd33b28ac773f74ba00ed1f312572435",
    ),
    (
        "0000000000000000000000000000000000000000000000000000000000000000",
        "000000000000000000000000",
        "",
        "530f8afbc74536b9a963b4f1c4cb738b",
    ),
];

/// NIST's Cryptographic Algorithm Validation Program, `gcmEncryptExtIV128.rsp`, the part [IVlen = 96] [PTlen = 0]
/// [AADlen = 0] [Taglen = 128], counts 0 to 14.
const CAVP_EMPTY: &[(&str, &str, &str)] = &[
    ("11754cd72aec309bf52f7687212e8957", "3c819d9a9bed087615030b65", "250327c674aaf477aef2675748cf6971"),
    ("ca47248ac0b6f8372a97ac43508308ed", "ffd2b598feabc9019262d2be", "60d20404af527d248d893ae495707d1a"),
    ("db1ad0bd1cf6db0b5d86efdd8914b218", "36fad6acb3c98e0138aeb9b1", "5ee2ba737d3f2a944b335a81f6653cce"),
    ("1c7135af627c04c32957f33f9ac08590", "355c094fa09c8e9281178d34", "b6ab2c7d906c9d9ec4c1498d2cbb5029"),
    ("6ca2c11205a6e55ab504dbf3491f8bdc", "b1008b650a2fee642175c60d", "7a9a225d5f9a0ebfe0e69f371871a672"),
    ("69f2ca78bb5690acc6587302628828d5", "701da282cb6b6018dabd00d3", "ab1d40dda1798d56687892e2159decfd"),
    ("dcf4e339c487b6797aaca931725f7bbd", "2c1d955e35366760ead8817c", "32b542c5f344cceceb460a02938d6b0c"),
    ("7658cdbb81572a23a78ee4596f844ee9", "1c3baae9b9065961842cbe52", "70c7123fc819aa060ed2d3c159b6ea41"),
    ("281a570b1e8f265ee09303ecae0cc46d", "8c2941f73cf8713ad5bc13df", "a42e5e5f6fb00a9f1206b302edbfd87c"),
    ("cd332a986f82d98c215278131ad387b7", "1d12b259f44b873d3942bc11", "34238023648185d7ef0cfcf5836e93cc"),
    ("80e1d98d10b27237386f029189ec0448", "239ebab2f524fd62c554a190", "4c0f29d963f0ed68dccf34496cf43d00"),
    ("40650cdb61e3e19a1a98fb4e05377d35", "69f0a81aaf6bb8486282f1b9", "2657e12dec21c3ecf071af6179529fb4"),
    ("1e89a6cd7528cce1e2b2b5f7fd2b6b52", "e11fd427a782d543f78efc60", "eeedff874c8edeea53e8be2a13afd81b"),
    ("2a7ad6146676057db777dea4683d0d45", "ed721ea67456d4594aafbd51", "ee3cab5778888439d90fa718b75738ad"),
    ("a364f494a4cd0147c34731074dc1a85b", "4aa8470dd404e4054b30093a", "d8a7bba3a451902e3adc01060c3c91a7"),
];

include!("vectors/cavp.rs");

#[test]
fn gmac_of_the_standard() {
    let empty = CAVP_EMPTY.iter().map(|&(key, nonce, tag)| (key, nonce, "", tag));
    let cases: Vec<Case> = EMPTY.iter().copied().chain(empty).chain(CAVP.iter().copied()).collect();
    for backend in backends(CRATE, &Gmac::backends()) {
        for (key, nonce, message, tag) in &cases {
            let gmac = Gmac::new(backend.into(), &bytes(key)).expect("available");
            let (nonce, message, tag) = (bytes(nonce), bytes(message), bytes(tag));
            let whole = gmac.tag(&Serial, &nonce, &message).unwrap();
            assert_eq!(whole[..tag.len()], *tag, "{backend} {key}");
            assert_eq!(gmac.verify(&Serial, &nonce, &message, &whole), Ok(true));
        }
    }
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
    for backend in backends(CRATE, &Vmac64::backends()) {
        let short = Vmac64::new(backend.into(), key).expect("available");
        let long = Vmac128::new(backend.into(), key).expect("available");
        for (times, tag64, tag128) in VMAC {
            let message = b"abc".repeat(*times);
            assert_eq!(short.tag(&Serial, nonce, &message).unwrap(), *bytes(tag64), "{backend} {times}");
            assert_eq!(long.tag(&Serial, nonce, &message).unwrap(), *bytes(tag128), "{backend} {times}");
        }
    }
}

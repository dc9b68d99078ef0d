//! The test vector of Ethereum's key files, version 3 (Web3 Secret Storage), whose N is above the bound of RFC 7914 for
//! r = 1. The crate `scrypt-js` gives the same key.

use parcrypt_runtime::Serial;
use parcrypt_scrypt::{Params, Scrypt};
use parcrypt_testkit::backends;

#[test]
fn the_key_of_ethereums_test_vector() {
    let params = Params::allow_n_beyond_rfc(1 << 18, 1, 8).unwrap();
    let [salt, key] = [
        [0xab0c_7876_0526_00dd_7035_18d6_fc3f_e898_u128, 0x4592_145b_591f_c8fb_5c6d_4319_0334_ba19],
        [0xfac1_92ce_b5fd_7729_06be_a3e1_18a6_9e8b, 0xbb5c_c242_29e2_0d87_66fd_2982_91bb_a6bd],
    ]
    .map(|halves| halves.map(u128::to_be_bytes).concat());
    for backend in backends("parcrypt-scrypt", &Scrypt::backends()) {
        let plan = Scrypt::new(backend.into(), 1 << 30).unwrap();
        let mut out = [0; 32];
        plan.derive(&Serial, params, b"testpassword", &salt, &mut out).unwrap();
        assert_eq!(out[..], key, "{backend}");
    }
}

//! The vectors of Wycheproof for AES-GMAC and VMAC-AES, on every backend: pseudorandom and edge cases, tags that were
//! changed or are special, keys and nonces of other lengths.

use parcrypt_mac::{Error, Gmac, Vmac64, Vmac128};
use parcrypt_runtime::Serial;
use parcrypt_testkit::backends;
use wycheproof::TestResult;
use wycheproof::mac_with_nonce::{TestName, TestSet};

const CRATE: &str = "parcrypt-mac";

/// Checks that a set has this number of cases, and that `verify` accepts exactly those that are valid; it returns the
/// error of arguments that are refused.
fn check(name: TestName, cases: usize, verify: impl Fn(&[u8], &[u8], &[u8], &[u8]) -> Result<bool, Error>) {
    let set = TestSet::load(name).unwrap();
    let mut seen = 0;
    for group in &set.test_groups {
        for test in &group.tests {
            let verdict = verify(&test.key, &test.nonce, &test.msg, &test.tag);
            let context = format!("{name:?} {}: {} {verdict:?}", test.tc_id, test.comment);
            match test.result {
                TestResult::Valid => assert_eq!(verdict, Ok(true), "{context}"),
                TestResult::Invalid => assert_ne!(verdict, Ok(true), "{context}"),
                TestResult::Acceptable => panic!("{context}"),
            }
            seen += 1;
        }
    }
    assert_eq!((seen, set.number_of_tests), (cases, cases), "{name:?}");
}

#[test]
fn gmac() {
    for backend in backends(CRATE, &Gmac::backends()) {
        check(TestName::Gmac, 414, |key, nonce, message, tag| {
            Gmac::new(backend.into(), key)?.verify(&Serial, nonce, message, tag)
        });
    }
}

#[test]
fn vmac() {
    for backend in backends(CRATE, &Vmac64::backends()) {
        check(TestName::Vmac64, 764, |key, nonce, message, tag| {
            Vmac64::new(backend.into(), key)?.verify(&Serial, nonce, message, tag)
        });
        check(TestName::Vmac128, 764, |key, nonce, message, tag| {
            Vmac128::new(backend.into(), key)?.verify(&Serial, nonce, message, tag)
        });
    }
}

//! The cases of NIST's CAVP for GMAC, and of Wycheproof for GMAC and VMAC, on every backend.

use parcrypt_cpu::Backend;
use parcrypt_mac::{Error, Gmac, Vmac, Vmac64, Vmac128};
use parcrypt_runtime::Serial;
use parcrypt_testkit::backends;
use parcrypt_testkit::corpus::{corpus, passed};
use wycheproof::TestResult;
use wycheproof::mac_with_nonce::{TestName, TestSet};

const CRATE: &str = "parcrypt-mac";

/// Verifies the tag of a message with a nonce, under a key.
type Verify = fn(Backend, &[u8], &[u8], &[u8], &[u8]) -> Result<bool, Error>;

fn gmac<const BYTES: usize>(
    backend: Backend,
    key: &[u8],
    nonce: &[u8],
    message: &[u8],
    tag: &[u8],
) -> Result<bool, Error> {
    Gmac::<BYTES>::truncated(backend.into(), key)?.verify(&Serial, nonce, message, tag)
}

fn vmac<const BYTES: usize>(
    backend: Backend,
    key: &[u8],
    nonce: &[u8],
    message: &[u8],
    tag: &[u8],
) -> Result<bool, Error> {
    Vmac::<BYTES>::new(backend.into(), key)?.verify(&Serial, nonce, message, tag)
}

/// A tag is accepted or not under a key for its length, and refused under keys for all other lengths.
#[test]
fn nist() {
    let lengths: [(usize, Verify); 7] = [
        (4, gmac::<4>),
        (8, gmac::<8>),
        (12, gmac::<12>),
        (13, gmac::<13>),
        (14, gmac::<14>),
        (15, gmac::<15>),
        (16, gmac::<16>),
    ];
    let here = backends(CRATE, &Gmac::backends());
    let cases = corpus("gmac-cavp");
    for case in &cases {
        let [key, nonce, message, tag] = ["key", "nonce", "message", "tag"].map(|column| case.bytes(column));
        for (expected, verify) in lengths {
            let verdict = match tag.len() {
                got if got == expected => Ok(case.number::<u8>("valid") == 1),
                got => Err(Error::TagLength { expected, got }),
            };
            for &backend in &here {
                let context = format!("{backend}, tag {} as {expected} bytes", case.text("tag"));
                assert_eq!(verify(backend, &key, &nonce, &message, &tag), verdict, "{context}");
            }
        }
    }
    passed("gmac-cavp", cases.len(), &here);
}

/// Checks that a set has this number of cases, and that `verify` accepts exactly those that are valid.
fn check(set: TestName, name: &str, cases: usize, offered: &[Backend], verify: Verify) {
    let set = TestSet::load(set).unwrap();
    let here = backends(CRATE, offered);
    let mut seen = 0;
    for test in set.test_groups.iter().flat_map(|group| &group.tests) {
        for &backend in &here {
            let verdict = verify(backend, &test.key, &test.nonce, &test.msg, &test.tag);
            let context = format!("{name} {}, {backend}: {} {verdict:?}", test.tc_id, test.comment);
            match test.result {
                TestResult::Valid => assert_eq!(verdict, Ok(true), "{context}"),
                TestResult::Invalid => assert_ne!(verdict, Ok(true), "{context}"),
                TestResult::Acceptable => panic!("{context}"),
            }
        }
        seen += 1;
    }
    assert_eq!((seen, set.number_of_tests), (cases, cases), "{name}");
    passed(name, cases, &here);
}

#[test]
fn wycheproof() {
    check(TestName::Gmac, "wycheproof-gmac", 414, &Gmac::backends(), gmac::<16>);
    check(TestName::Vmac64, "wycheproof-vmac64", 764, &Vmac64::backends(), vmac::<8>);
    check(TestName::Vmac128, "wycheproof-vmac128", 764, &Vmac128::backends(), vmac::<16>);
}

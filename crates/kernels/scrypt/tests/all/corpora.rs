//! The test vectors of other libraries, RFC 7914's among them, on every backend.

use parcrypt_runtime::Serial;
use parcrypt_scrypt::{Params, Scrypt};
use parcrypt_testkit::backends;
use parcrypt_testkit::corpus::{corpus, passed};

#[test]
fn libraries() {
    let here = backends("parcrypt-scrypt", &Scrypt::backends());
    let long = std::env::var_os("PARCRYPT_LONG_TESTS").is_some();
    for name in ["scrypt-go", "scrypt-libsodium", "scrypt-passlib"] {
        let mut cases = corpus(name);
        // A key of N = 2^20 takes a GiB and some seconds.
        cases.retain(|case| long || case.number::<u64>("n") < 1 << 20);
        for (i, case) in cases.iter().enumerate() {
            let [password, salt, key] = ["password", "salt", "key"].map(|column| case.bytes(column));
            let (n, r, p) = (case.number("n"), case.number("r"), case.number("p"));
            let params = Params::new(n, r, p);
            assert_eq!(params.is_err(), key.is_empty(), "{name} {i}: {params:?}");
            let Ok(params) = params else { continue };
            for &backend in &here {
                let plan = Scrypt::new(backend.into(), 2 << 30).unwrap();
                let mut out = vec![0; key.len()];
                plan.derive(&Serial, params, &password, &salt, &mut out).unwrap();
                assert_eq!(out, key, "{name} {i}, {backend}: N = {n}, r = {r}, p = {p}");
            }
        }
        passed(name, cases.len(), &here);
    }
}

//! Checks the machine code: no branch or address depends on passwords or keys, except as `secrets.supp` says. See
//! `parcrypt_testkit::valgrind`.

use std::process::ExitCode;

use parcrypt_runtime::Serial;
use parcrypt_scrypt::{Item, Params, Scrypt};
use parcrypt_testkit::valgrind::{conclude, errors, secret};

fn main() -> ExitCode {
    let (mut password, mut found) = (vec![7; 100], 0);
    secret(&mut password);
    let params = Params::new(16, 2, 1).expect("parameters");
    for backend in Scrypt::backends().into_iter().filter(|backend| backend.is_available()) {
        let plan = Scrypt::new(backend.into(), 1 << 20).expect("available");
        // One lane, and full vectors with lanes left over; passwords that HMAC hashes, and others.
        for (items, len) in [(1, 100), (19, 10)] {
            let items = vec![Item { password: &password[..len], salt: b"salt" }; items];
            found += errors(&format!("scrypt {backend}, {} passwords of {len} bytes", items.len()), || {
                let mut keys = vec![0; 40 * items.len()];
                plan.derive_many(&Serial, params, &items, &mut keys).expect("keys");
                keys
            });
        }
    }
    conclude(found)
}

//! Checks the machine code: no branch and no address depends on keys, messages or tags. See
//! `parcrypt_testkit::valgrind`.

use std::process::ExitCode;

use parcrypt_cpu::Backend;
use parcrypt_mac::{Error, Gmac, Vmac};
use parcrypt_testkit::Eager;
use parcrypt_testkit::valgrind::{conclude, errors, secret};

const NONCE: [u8; 12] = [9; 12];

/// Makes a key and a tag, and checks the tag.
type Function = fn(Backend, &[u8], &[u8]) -> Result<bool, Error>;

fn gmac(backend: Backend, key: &[u8], message: &[u8]) -> Result<bool, Error> {
    let mac = Gmac::new(backend.into(), key)?;
    mac.verify(&Eager, &NONCE, message, &mac.tag(&Eager, &NONCE, message)?)
}

fn vmac<const BYTES: usize>(backend: Backend, key: &[u8], message: &[u8]) -> Result<bool, Error> {
    let mac = Vmac::<BYTES>::new(backend.into(), key)?;
    mac.verify(&Eager, &NONCE, message, &mac.tag(&Eager, &NONCE, message)?)
}

fn main() -> ExitCode {
    let (mut key, mut message, mut found) = (vec![7; 32], vec![8; 300_000], 0);
    secret(&mut key);
    secret(&mut message);
    let functions: [(_, _, Function); 3] = [
        ("gmac", Gmac::backends(), gmac),
        ("vmac-64", Vmac::<8>::backends(), vmac::<8>),
        ("vmac-128", Vmac::<16>::backends(), vmac::<16>),
    ];
    for (name, backends, function) in functions {
        for backend in backends.into_iter().filter(|backend| backend.is_available()) {
            // Keys of each length; messages of three pieces, of vectors with bytes after them, and short ones.
            for (key_len, len) in [(16, 300_000), (24, 2500), (32, 7)] {
                found += errors(&format!("{name} {backend}, key of {key_len} bytes, {len} bytes"), || {
                    function(backend, &key[..key_len], &message[..len]).expect("a tag")
                });
            }
        }
    }
    conclude(found)
}

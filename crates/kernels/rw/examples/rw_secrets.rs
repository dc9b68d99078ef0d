//! Checks the machine code: no branch and no address depends on primes, apart from what `secrets.supp` has. See
//! `parcrypt_testkit::valgrind`.

use std::process::ExitCode;

use parcrypt_runtime::Serial;
use parcrypt_rw::SecretKey;
use parcrypt_testkit::valgrind::{conclude, errors, public, secret};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{CryptoRng, RngCore, SeedableRng};

/// A generator of secrets.
struct Secret(ChaCha20Rng);

impl RngCore for Secret {
    fn next_u32(&mut self) -> u32 {
        self.0.next_u32()
    }
    fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }
    fn fill_bytes(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
        secret(bytes);
    }
}

impl CryptoRng for Secret {}

fn main() -> ExitCode {
    let mut found = 0;
    for bits in [1024, 2048] {
        for backend in SecretKey::backends(bits).into_iter().filter(|backend| backend.is_available()) {
            let mut key = None;
            found += errors(&format!("key of {bits} bits, {backend}"), || {
                let mut rng = Secret(ChaCha20Rng::seed_from_u64(bits as u64));
                key = Some(SecretKey::generate(&Serial, backend.into(), bits, &mut rng).expect("a key"));
            });
            let key = key.expect("a key");
            for message in 0..4u8 {
                found += errors(&format!("signature of {bits} bits, {backend}"), || {
                    public(&key.sign(&Serial, &[message]).expect("a signature"));
                });
            }
        }
    }
    conclude(found)
}

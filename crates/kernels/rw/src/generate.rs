//! Key generation.

use chacha20::ChaCha20Rng;
use chacha20::rand_core::{Rng, SeedableRng};
use parcrypt_cpu::Request;
use parcrypt_runtime::{Cost, Runtime, join};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

use crate::bn::{self, Num, Origin, Scratch};
use crate::costs::search_ns;
use crate::{Error, Prime, SecretKey, check_bits, dispatch};

impl SecretKey {
    /// Returns a new key of `bits` bits: 1024 (too few for security) to 16384, a multiple of 128.
    ///
    /// The primes are searched in parallel if that pays, each with its own generator (ChaCha20 seeded with 32
    /// bytes of `rng`), so that the same `rng` gives the same key on every runtime. Candidates are drawn
    /// independently, uniform among the numbers of the right residue with the two highest bits set; the time reveals
    /// the number of rejected ones and nothing else. 2048 bits take some 50 ms, 4096 half a second, 16384 a minute.
    ///
    /// # Errors
    /// [`Error::Bits`], [`Error::Backend`], [`Error::OutOfMemory`].
    pub fn generate(
        rt: &dyn Runtime,
        request: Request,
        bits: usize,
        rng: &mut dyn CryptoRng,
    ) -> Result<Self, Error> {
        check_bits(bits)?;
        // An unavailable backend is an error before the search for primes.
        parcrypt_cpu::select(dispatch::rows(bits), request)?;
        loop {
            let mut seed = Zeroizing::new([0; 32]);
            rng.fill_bytes(&mut *seed);
            let cost = Cost::ns(2 * search_ns(bits / 2));
            let (p, q) =
                join(rt, cost, || find(Prime::P, bits / 16, &seed), || find(Prime::Q, bits / 16, &seed));
            match SecretKey::from_known_primes(request, &p?, &q?) {
                // Primes that agree in 100 bits: in practice this does not occur.
                Err(Error::PrimesTooClose) => {}
                result => return result,
            }
        }
    }
}

/// Returns a prime of `bytes` bytes; each of the two has its own stream from the seed.
fn find(prime: Prime, bytes: usize, seed: &[u8; 32]) -> Result<Zeroizing<Vec<u8>>, Error> {
    const fn is_cleared_when_dropped<T: zeroize::ZeroizeOnDrop>() {}
    const { is_cleared_when_dropped::<ChaCha20Rng>() };
    let mut rng = ChaCha20Rng::from_seed(*seed);
    rng.set_stream(prime.residue().into());
    let scratch = &mut Scratch::new()?;
    let mut candidate = Zeroizing::new(vec![0; bytes]);
    loop {
        rng.fill_bytes(&mut candidate);
        candidate[0] |= 0xc0;
        candidate[bytes - 1] = candidate[bytes - 1] & !7 | prime.residue();
        if bn::is_prime(&Num::from_be(&candidate)?, Origin::Drawn, scratch)? {
            return Ok(candidate);
        }
    }
}

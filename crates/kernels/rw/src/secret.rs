//! Secret keys, and signing.

use parcrypt_cpu::{Backend, Request, Row};
use parcrypt_runtime::{Cost, Runtime, join, map};
use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use zeroize::Zeroizing;

use crate::bn::{self, Modulus, Num, Origin, Power, Scratch};
use crate::costs::{exponentiation_ns, primality_ns};
use crate::dispatch::{self, Exponentiations};
use crate::jacobi;
use crate::public::Tweak;
use crate::{Error, Prime, PublicKey, check_bits};

/// A secret key. Its memory is overwritten when it is dropped. It has no `Debug`.
pub struct SecretKey {
    public: PublicKey,
    p: PrimeFactor,
    q: PrimeFactor,
    row: &'static Row<Exponentiations>,
}

/// One of the primes, here called m, and the values for signing that depend on it.
struct PrimeFactor {
    bytes: Zeroizing<Vec<u8>>,
    modulus: Modulus,
    /// (m − 3)/4.
    exponent: Num,
    /// For each tweak the number, modulo n and in Montgomery form, whose product with a root of h modulo m is that
    /// root's part of a root of h/(e·f) modulo n.
    table: [Zeroizing<Vec<u8>>; 4],
}

/// The blinded hash: the output of [`PrimeFactor::blind`] for [`PrimeFactor::root`].
struct Blinded {
    /// h·r², the base of the exponentiation.
    base: Num,
    /// r in Montgomery's form.
    r: Num,
    /// h in Montgomery's form.
    h: Num,
}

impl SecretKey {
    /// Returns the backends for keys of this number of bits, in rising order of preference; the machine may not have
    /// them all.
    ///
    /// `aws-lc` is one exponentiation after the other, or on two threads at once, by the library's integer code.
    /// `ifma` is both at once in one thread's vectors; there is such code for 2048, 3072 and 4096 bits.
    pub fn backends(bits: usize) -> Vec<Backend> {
        parcrypt_cpu::backends(dispatch::rows(bits))
    }

    /// Returns the key of two primes in bytes, most significant first, without leading zeros.
    ///
    /// Everything is checked; primality takes 64 exponentiations for each prime: 20 ms for 2048 bits, 0.2 s for 4096.
    ///
    /// # Errors
    /// [`Error::Bits`], [`Error::PrimeBits`], [`Error::PrimeResidue`], [`Error::PrimesTooClose`], [`Error::Composite`],
    /// [`Error::Backend`], [`Error::OutOfMemory`].
    pub fn from_primes(rt: &dyn Runtime, request: Request, p: &[u8], q: &[u8]) -> Result<Self, Error> {
        let key = Self::from_known_primes(request, p, q)?;
        let check = |prime, factor: &PrimeFactor| {
            let is_prime = bn::is_prime(factor.modulus.number(), Origin::Given, &mut Scratch::new()?)?;
            if is_prime { Ok(()) } else { Err(Error::Composite { prime }) }
        };
        let cost = Cost::ns(2 * primality_ns(key.public.bits() / 2));
        let (first, second) = join(rt, cost, || check(Prime::P, &key.p), || check(Prime::Q, &key.q));
        first.and(second).and(Ok(key))
    }

    /// Returns the key as [`SecretKey::from_primes`], without the test of primality.
    pub(crate) fn from_known_primes(request: Request, p: &[u8], q: &[u8]) -> Result<Self, Error> {
        // The lengths are public, so errors may distinguish them.
        let bits = 16 * p.len();
        check_bits(bits)?;
        let row = parcrypt_cpu::select(dispatch::rows(bits), request)?;
        for (prime, bytes) in [(Prime::P, p), (Prime::Q, q)] {
            if bytes.len() != p.len() || bytes[0] < 0xc0 {
                return Err(Error::PrimeBits { prime, bits: bits / 2 });
            }
            if bytes[bytes.len() - 1] % 8 != prime.residue() {
                return Err(Error::PrimeResidue { prime });
            }
        }
        let scratch = &mut Scratch::new()?;
        let (mut p, mut q) = (PrimeFactor::new(p, scratch)?, PrimeFactor::new(q, scratch)?);
        if close(&p.bytes, &q.bytes) {
            return Err(Error::PrimesTooClose);
        }
        // Both are at least 3·2^(bits/2 − 2), so that the product has all its bits.
        let n = bn::product(p.modulus.number(), q.modulus.number(), scratch)?;
        let public = PublicKey::from_modulus(&n.to_be(bits / 8)?)?;
        p.fill_table(Prime::P, &q, &public, scratch)?;
        q.fill_table(Prime::Q, &p, &public, scratch)?;
        Ok(SecretKey { public, p, q, row })
    }

    /// Returns the backend that computes signatures.
    pub fn backend(&self) -> Backend {
        self.row.backend()
    }

    /// Returns the public key.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// Returns p and q.
    pub(crate) fn primes(&self) -> (&[u8], &[u8]) {
        (&self.p.bytes, &self.q.bytes)
    }

    /// Returns the signature of a message: [`PublicKey::signature_len`] bytes, always the same for the same key and
    /// message.
    ///
    /// It takes two exponentiations of half the size. Backend `aws-lc` shares them between two threads where that
    /// pays; for backend `ifma` that never pays, because one thread computes both in the time of one. Both are
    /// blinded by new random numbers, and the signature is verified before it is returned. The time depends on no
    /// secret except the length of the message.
    ///
    /// # Errors
    /// [`Error::Random`], [`Error::Fault`], [`Error::OutOfMemory`].
    pub fn sign(&self, rt: &dyn Runtime, message: &[u8]) -> Result<Vec<u8>, Error> {
        let scratch = &mut Scratch::new()?;
        let h = self.public.hash(message, scratch)?;
        let half = self.p.bytes.len();
        let mut random = Zeroizing::new(vec![0; 2 * half]);
        getrandom::fill(&mut random)?;
        let (random_p, random_q) = random.split_at_mut(half);
        let [(root_p, square_p), (root_q, square_q)] =
            (self.row.roots)(rt, self, &h, [random_p, random_q], scratch)?;
        // 2 is a square modulo q, so e = −1 if h is not; f = 2 if h is a square modulo one of the primes alone.
        let negative = u8::conditional_select(&Tweak::NEGATIVE, &0, square_q);
        let twice = u8::conditional_select(&0, &Tweak::TWICE, square_p ^ square_q);
        let tweak = negative | twice;
        let n = self.public.inside();
        let part_p = n.mul(&root_p.widen(2 * half)?, &self.p.part(tweak)?, scratch)?;
        let part_q = n.mul(&root_q.widen(2 * half)?, &self.q.part(tweak)?, scratch)?;
        let principal = n.add(&part_p, &part_q)?;
        let negated = n.sub(&Num::from_be(&[0])?, &principal)?;
        let (s, minus_s) = (principal.to_be(2 * half)?, negated.to_be(2 * half)?);
        let mask = mask(less(self.public.half(), &s));
        let mut signature = Vec::with_capacity(1 + 2 * half);
        signature.push(tweak);
        signature.extend(s.iter().zip(&*minus_s).map(|(s, minus_s)| s & !mask | minus_s & mask));
        self.checked(signature, &h, scratch)
    }

    /// Returns a signature of the hash `h`, or an error if it is wrong. That is a branch, as no other function of a
    /// signature has: `secrets.supp` names this one.
    ///
    /// A root that is wrong modulo one prime alone would reveal the factors. One that is negated there satisfies the
    /// equation: of the four roots only the principal one and its negative have Jacobi's symbol 1, because −1 is a
    /// square neither modulo p nor q.
    #[inline(never)]
    fn checked(&self, signature: Vec<u8>, h: &Num, scratch: &mut Scratch) -> Result<Vec<u8>, Error> {
        let is_root = self.public.holds(h, Tweak(signature[0]), &Num::from_be(&signature[1..])?, scratch)?;
        let is_principal = jacobi::is_one(&signature[1..], self.public.modulus());
        if (is_root & Choice::from(u8::from(is_principal))).into() {
            return Ok(signature);
        }
        drop(Zeroizing::new(signature));
        Err(Error::Fault)
    }

    /// Returns the signatures of many messages, as [`sign`](SecretKey::sign), in order, computed in parallel where
    /// that pays.
    ///
    /// # Errors
    /// Errors of [`sign`](SecretKey::sign).
    pub fn sign_many(&self, rt: &dyn Runtime, messages: &[&[u8]]) -> Result<Vec<Vec<u8>>, Error> {
        let cost = Cost::ns(self.row.in_sequence * exponentiation_ns(self.public.bits() / 2));
        map(rt, messages.len(), cost, |i| self.sign(rt, messages[i])).into_iter().collect()
    }

    /// Returns both roots from one exponentiation after the other, or on two threads at once if that pays.
    pub(crate) fn roots_aws_lc(
        rt: &dyn Runtime,
        key: &SecretKey,
        h: &Num,
        [random_p, random_q]: [&mut [u8]; 2],
        _: &mut Scratch,
    ) -> Result<[(Num, Choice); 2], Error> {
        let by = |factor: &PrimeFactor, random: &mut [u8]| {
            let scratch = &mut Scratch::new()?;
            let blinded = factor.blind(h, random, scratch)?;
            let y = factor.modulus.pow(&blinded.base, &factor.exponent, scratch)?;
            factor.root(&blinded, &y, scratch)
        };
        let cost = Cost::ns(2 * exponentiation_ns(8 * key.p.bytes.len()));
        let (p, q) = join(rt, cost, || by(&key.p, random_p), || by(&key.q, random_q));
        Ok([p?, q?])
    }

    /// Returns both roots from two exponentiations in the vectors of one thread.
    pub(crate) fn roots_ifma(
        _: &dyn Runtime,
        key: &SecretKey,
        h: &Num,
        [random_p, random_q]: [&mut [u8]; 2],
        scratch: &mut Scratch,
    ) -> Result<[(Num, Choice); 2], Error> {
        let p = key.p.blind(h, random_p, scratch)?;
        let q = key.q.blind(h, random_q, scratch)?;
        let (y_p, y_q) = bn::pow_both(key.p.power(&p), key.q.power(&q), scratch)?;
        Ok([key.p.root(&p, &y_p, scratch)?, key.q.root(&q, &y_q, scratch)?])
    }
}

impl PrimeFactor {
    fn new(bytes: &[u8], scratch: &mut Scratch) -> Result<Self, Error> {
        let modulus = Modulus::new(bytes, scratch)?;
        // m ≡ 3 (mod 4), so that (m − 3)/4 is m without its two lowest bits, which are both set.
        let mut carry = 0;
        let exponent = bytes.iter().map(|byte| {
            let shifted = carry << 6 | byte >> 2;
            carry = byte & 3;
            shifted
        });
        let exponent = Num::from_be(&Zeroizing::new(exponent.collect::<Vec<u8>>()))?;
        let table = [(); 4].map(|()| Zeroizing::default());
        Ok(PrimeFactor { bytes: Zeroizing::new(bytes.to_vec()), modulus, exponent, table })
    }

    /// Returns x^((m + 1)/4) mod m, the principal root if x is a square.
    fn principal(&self, x: &Num, scratch: &mut Scratch) -> Result<Num, Error> {
        let y = self.modulus.pow(x, &self.exponent, scratch)?;
        self.modulus.mul(&self.modulus.enter(&y, scratch)?, x, scratch)
    }

    /// Computes the table, whose entry for (e, f) is C·(1/(e·f))^((m + 1)/4), C ≡ 1 modulo this factor and 0 modulo
    /// the `other`.
    fn fill_table(
        &mut self,
        prime: Prime,
        other: &PrimeFactor,
        public: &PublicKey,
        scratch: &mut Scratch,
    ) -> Result<(), Error> {
        let (m, n, len) = (&self.modulus, public.inside(), self.bytes.len());
        // 1/x = x^(m − 2) = (x^((m − 3)/4))^4·x, by Fermat.
        let inverse = |x: &Num, scratch: &mut Scratch| {
            let y = m.enter(&m.pow(x, &self.exponent, scratch)?, scratch)?;
            let square = m.mul(&y, &y, scratch)?;
            let fourth = m.mul(&square, &square, scratch)?;
            m.mul(&fourth, x, scratch)
        };
        let other_number = other.modulus.number();
        let inverse_other = inverse(&m.reduce(other_number, scratch)?, scratch)?;
        let two = Num::from_be(&two(len))?;
        let root_of_half = self.principal(&inverse(&two, scratch)?, scratch)?;
        let with_half = m.mul(&m.enter(&inverse_other, scratch)?, &root_of_half, scratch)?;
        for (tweak, factor) in [(0, &inverse_other), (Tweak::TWICE, &with_half)] {
            let plain = bn::product(other_number, factor, scratch)?;
            let inside = n.enter(&plain, scratch)?;
            let negated = n.sub(&Num::from_be(&[0])?, &inside)?;
            // (−1)^((m + 1)/4): p + 1 is an odd multiple of 4, q + 1 an even one.
            let negative = if prime == Prime::P { &negated } else { &inside };
            self.table[usize::from(tweak)] = inside.to_be(2 * len)?;
            self.table[usize::from(tweak | Tweak::NEGATIVE)] = negative.to_be(2 * len)?;
        }
        Ok(())
    }

    /// Returns h modulo m times r², where r = t² for a random t.
    fn blind(&self, h: &Num, random: &mut [u8], scratch: &mut Scratch) -> Result<Blinded, Error> {
        let m = &self.modulus;
        // Below 2^(8·len − 1), and so below m; odd, and so not zero.
        random[0] &= 0x7f;
        random[random.len() - 1] |= 1;
        let t = Num::from_be(random)?;
        // h is below n = p·q, and q is below R.
        let h = m.enter(&m.reduce(h, scratch)?, scratch)?;
        // t·t/R, read as the Montgomery form of (t/R)², is that of a square, whatever t is.
        let r = m.mul(&t, &t, scratch)?;
        let square = m.mul(&r, &r, scratch)?;
        let base = m.leave(&m.mul(&h, &square, scratch)?, scratch)?;
        Ok(Blinded { base, r, h })
    }

    /// Returns the power that [`PrimeFactor::root`] takes as y.
    fn power<'a>(&'a self, blinded: &'a Blinded) -> Power<'a> {
        Power { base: &blinded.base, exponent: &self.exponent, modulus: &self.modulus }
    }

    /// Returns h^((m + 1)/4) mod m and whether h is a square, from y = (h·r²)^((m − 3)/4).
    ///
    /// With χ for Legendre's symbol, r^((m − 3)/2) = χ(r)/r = 1/r, since r is a square: unblinding needs no division.
    /// Then z = y·r = h^((m − 3)/4), x = z·h is the root, and x·z = h^((m − 1)/2) = χ(h).
    fn root(&self, blinded: &Blinded, y: &Num, scratch: &mut Scratch) -> Result<(Num, Choice), Error> {
        let (m, len) = (&self.modulus, self.bytes.len());
        let z = m.mul(y, &blinded.r, scratch)?;
        let x = m.mul(&z, &blinded.h, scratch)?;
        let symbol = m.mul(&m.enter(&x, scratch)?, &z, scratch)?;
        let mut one = vec![0; len];
        one[len - 1] = 1;
        Ok((x, symbol.to_be(len)?.ct_eq(&one)))
    }

    /// Returns the entry of the table for a tweak; it reads all entries.
    fn part(&self, tweak: u8) -> Result<Num, Error> {
        let mut chosen = Zeroizing::new(vec![0; 2 * self.bytes.len()]);
        for (i, entry) in (0u8..).zip(&self.table) {
            let mask = mask(i.ct_eq(&tweak));
            chosen.iter_mut().zip(&**entry).for_each(|(to, from)| *to |= from & mask);
        }
        Num::from_be(&chosen)
    }
}

/// Returns 2 in `len` bytes.
fn two(len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    bytes[len - 1] = 2;
    bytes
}

/// Returns 255 for true and 0 for false. The compiler does not know the values of a `Choice`, so it inserts no branch.
fn mask(choice: Choice) -> u8 {
    choice.unwrap_u8().wrapping_neg()
}

/// Returns whether a < b, for numbers of the same length, most significant byte first, in constant time: the borrow of
/// a − b.
fn less(a: &[u8], b: &[u8]) -> Choice {
    let borrow = a.iter().zip(b).rev().fold(0, |borrow, (a, b)| {
        let difference = u16::from(*a).wrapping_sub(u16::from(*b)).wrapping_sub(borrow);
        difference >> 15
    });
    Choice::from(borrow as u8)
}

/// Returns whether the primes differ by at most 2^(bits of a prime − 100), as FIPS 186-4, B.3.1 forbids; in a simpler
/// and stricter way: their highest 104 bits differ by at most 16.
fn close(p: &[u8], q: &[u8]) -> bool {
    let top = |bytes: &[u8]| bytes[..13].iter().fold(0u128, |top, byte| top << 8 | u128::from(*byte));
    top(p).abs_diff(top(q)) <= 16
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::{Mutex, OnceLock};

    use num_bigint::BigUint;
    use parcrypt_runtime::Serial;
    use parcrypt_testkit::freed;
    use parcrypt_testkit::rand::SeedableRng;

    use super::*;
    use crate::dispatch::Roots;

    /// Returns a key for each backend with changed tables, and its public key.
    fn spoilt(bits: usize, spoil: impl Fn(&mut SecretKey, &BigUint)) -> Vec<SecretKey> {
        let make = |backend: &Backend| {
            let mut rng = parcrypt_testkit::rand::rngs::StdRng::seed_from_u64(bits as u64);
            let mut key = SecretKey::generate(&Serial, (*backend).into(), bits, &mut rng).unwrap();
            let n = BigUint::from_bytes_be(key.public.modulus());
            spoil(&mut key, &n);
            key
        };
        parcrypt_testkit::backends("rw", &SecretKey::backends(bits)).iter().map(make).collect()
    }

    fn assert_fault(key: &SecretKey) {
        for message in 0..20u8 {
            assert!(matches!(key.sign(&Serial, &[message]), Err(Error::Fault)), "message {message}");
        }
    }

    /// Replaces each entry x of the table by n − x.
    fn negate(factor: &mut PrimeFactor, n: &BigUint) {
        for entry in &mut factor.table {
            let bytes = (n - BigUint::from_bytes_be(entry)).to_bytes_be();
            let len = entry.len();
            entry[..len - bytes.len()].fill(0);
            entry[len - bytes.len()..].copy_from_slice(&bytes);
        }
    }

    #[test]
    fn a_root_that_is_negated_modulo_one_prime_is_withheld() {
        for bits in [1024, 2048] {
            spoilt(bits, |key, n| negate(&mut key.p, n)).iter().for_each(assert_fault);
            spoilt(bits, |key, n| negate(&mut key.q, n)).iter().for_each(assert_fault);
            // As after a fault in the index: e has the wrong sign for p only.
            let exchange = |key: &mut SecretKey, _: &BigUint| {
                key.p.table.swap(0, 1);
                key.p.table.swap(2, 3);
            };
            spoilt(bits, exchange).iter().for_each(assert_fault);
            // Negated modulo both primes it is the negative of the root, and the smaller of the two is the same.
            let both = |key: &mut SecretKey, n: &BigUint| {
                negate(&mut key.p, n);
                negate(&mut key.q, n);
            };
            for (whole, key) in spoilt(bits, |_, _| {}).iter().zip(spoilt(bits, both)) {
                assert_eq!(key.sign(&Serial, b"x").unwrap(), whole.sign(&Serial, b"x").unwrap());
            }
        }
    }

    #[test]
    fn a_signature_that_is_no_root_is_withheld() {
        for bits in [1024, 2048] {
            let flip = |factor: &mut PrimeFactor| factor.table.iter_mut().for_each(|entry| entry[70] ^= 1);
            spoilt(bits, |key, _| flip(&mut key.p)).iter().for_each(assert_fault);
            spoilt(bits, |key, _| flip(&mut key.q)).iter().for_each(assert_fault);
        }
    }

    /// A signature that is withheld would reveal the factors in freed memory.
    #[test]
    fn a_withheld_signature_is_cleared() {
        for key in spoilt(1024, |key, n| negate(&mut key.p, n)) {
            let sign = || assert!(matches!(key.sign(&Serial, b"x"), Err(Error::Fault)));
            let withheld = freed(key.public.signature_len(), sign);
            assert_eq!(withheld, [[0; 1 + 128]], "tweak and root");
            // Roots, their negatives, random numbers and entries of the tables.
            assert!(freed(128, sign).iter().all(|block| *block == [0; 128]));
        }
        // What is returned is not cleared, and is the caller's.
        for key in spoilt(1024, |_, _| {}) {
            let left = freed(key.public.signature_len(), || drop(key.sign(&Serial, b"x")));
            assert!(left.len() == 1 && key.public.verify(b"x", &left[0]).unwrap());
        }
    }

    /// Each exponentiation has a random number of its own, and its base depends on it.
    #[test]
    fn blinding_is_new_for_each_exponentiation() {
        static RANDOM: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());
        let record: Roots = |rt, key, h, random, scratch| {
            RANDOM.lock().unwrap().extend(random.iter().map(|bytes| bytes.to_vec()));
            SecretKey::roots_aws_lc(rt, key, h, random, scratch)
        };
        static ROW: OnceLock<Row<Exponentiations>> = OnceLock::new();
        let mut keys = spoilt(1024, |_, _| {});
        let key = &mut keys[0];
        key.row =
            ROW.get_or_init(|| Row::new(Backend::AwsLc, Exponentiations { roots: record, in_sequence: 2 }));
        let signed: HashSet<Vec<u8>> = (0..4).map(|_| key.sign(&Serial, b"x").unwrap()).collect();
        assert_eq!(signed.len(), 1);
        let random = std::mem::take(&mut *RANDOM.lock().unwrap());
        let different: HashSet<&[u8]> = random.iter().map(|bytes| &bytes[8..56]).collect();
        assert!(random.len() == 8 && different.len() == 8, "{} of {}", different.len(), random.len());

        let scratch = &mut Scratch::new().unwrap();
        let h = key.public.hash(b"x", scratch).unwrap();
        for factor in [&key.p, &key.q] {
            let len = factor.bytes.len();
            let m = BigUint::from_bytes_be(&factor.bytes);
            let plain = BigUint::from_bytes_be(&h.to_be(2 * len).unwrap()) % &m;
            // Montgomery's R, by which the square of t is divided, and the inverse of it.
            let inverse = (BigUint::from(1u8) << (8 * len)).modpow(&(&m - 2u8), &m);
            let mut bases = HashSet::new();
            for random in &random {
                let mut bytes = random.clone();
                let blinded = factor.blind(&h, &mut bytes, scratch).unwrap();
                let t = BigUint::from_bytes_be(&bytes) * &inverse % &m;
                let base = BigUint::from_bytes_be(&blinded.base.to_be(len).unwrap());
                assert_eq!(base, &plain * t.modpow(&BigUint::from(4u8), &m) % &m, "h·t⁴");
                assert!(base != plain && bases.insert(base));
            }
        }
    }
}

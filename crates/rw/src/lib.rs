//! Rabin-Williams signatures: keys, signing, verification, over any runtime.
//!
//! It must not know which runtime runs it, nor where keys are kept. Numbers of the library are in `bn`, the only file that calls C; the
//! encoding of messages is in `encoding`, the form of keys in `asn1`; a faster exponentiation is a function of `bn` and a row in
//! [`SecretKey::offered`].
//!
//! # The scheme
//! Source: Bernstein, "RSA signatures and Rabin–Williams signatures: the state of the art" (2008).
//!
//! - **Key.** Primes p ≡ 3 (mod 8) and q ≡ 7 (mod 8) of half as many bits each; n = p·q is public.
//! - **Hash.** Let `‖` join bytes, I4(x) be x in four bytes and N be n in `bits`/8 bytes, highest first.
//!   K = SHA-256("parcrypt-rw-fdh-sha256-v1" ‖ 0x00 ‖ I4(bits) ‖ N) ties the hash to the scheme and the key;
//!   M = SHA-256(K ‖ message); h is the first `bits`/8 + 16 bytes of SHA-256(M ‖ I4(0)) ‖ SHA-256(M ‖ I4(1)) ‖ … (MGF1 of RFC 8017,
//!   B.2.1), taken as a number, highest byte first, modulo n. The 16 bytes more than n has make it uniform within 2^-128. No
//!   salt: a message has one h for a key.
//! - **Signature.** e ∈ {1, −1}, f ∈ {1, 2} and s with e·f·s² ≡ h (mod n) and 1 ≤ s ≤ (n − 1)/2. For each h that shares no factor
//!   with n there is one pair (e, f) for which h/(e·f) is a square, because −1 is none modulo p nor q, and 2 is one modulo q alone.
//!   Of the four roots s is |principal|: the one that is itself a square modulo p and q, or n less that, whichever is smaller.
//!   The bytes are one of tweak (bit 0: e = −1; bit 1: f = 2) and `bits`/8 of s, highest first.
//! - **Verification.** The length is right, the tweak is at most 3, 1 ≤ s ≤ (n − 1)/2, and e·f·s² ≡ h (mod n).
//!
//! **Why the root must be a fixed function of key and message.** Two roots of the same number that are neither equal nor opposite
//! give a factor: gcd(s − s', n). A signer who drew the root by lot would give the key away with the second signature of a message, and
//! so would two versions of a program that take different roots. |principal| depends on n and h alone. That s is the
//! smaller of s and n − s can be checked by everybody, so nobody makes a second signature out of a first.
//!
//! **What it rests on.** Forging is as hard as factoring n in the random-oracle model, with a reduction that loses a factor of the
//! number of hashes, as RSA with a full-domain hash does. Collisions of SHA-256 take 2^128, so keys above 3072 bits
//! gain nothing against those.
//!
//! **1024 bits are too few** for anything that must last: such numbers are within reach of those with money. They are allowed to
//! compare with figures that others published.
//!
//! ```
//! use parcrypt_cpu::Request;
//! use parcrypt_runtime::Serial;
//! use parcrypt_rw::{PublicKey, SecretKey};
//! # use parcrypt_testkit::rand::SeedableRng;
//! # let mut rng = parcrypt_testkit::rand::rngs::StdRng::seed_from_u64(1);
//!
//! let secret = SecretKey::generate(&Serial, Request::Auto, 2048, &mut rng)?;
//! let signature = secret.sign(&Serial, b"message")?;
//! let public = PublicKey::from_pem(&secret.public().to_pem()?)?;
//! assert!(public.verify(b"message", &signature)?);
//! assert!(!public.verify(b"massage", &signature)?);
//! # Ok::<(), parcrypt_rw::Error>(())
//! ```
//!
//! `docs/explanation/rw.md` describes how it works, what limits its speed and what was tried.

mod asn1;
mod bn;
mod dispatch;
mod encoding;
mod generate;
mod jacobi;
mod public;
mod secret;

pub use public::PublicKey;
pub use secret::SecretKey;

/// The fewest bits of n. They are too few for security: see the crate's documentation.
pub const LEAST_BITS: usize = 1024;
/// The most bits of n.
pub const MOST_BITS: usize = 16384;
/// Bits of n come in this step, so that the primes fill whole words.
pub const STEP_BITS: usize = 128;

/// One of the two primes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prime {
    /// p ≡ 3 (mod 8).
    P,
    /// q ≡ 7 (mod 8).
    Q,
}

impl Prime {
    /// Its residue modulo 8.
    pub const fn residue(self) -> u8 {
        match self {
            Prime::P => 3,
            Prime::Q => 7,
        }
    }
}

/// Why there is no key, no signature or no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A size that is not supported.
    #[error("a modulus of {bits} bits: it must have {LEAST_BITS} to {MOST_BITS}, in steps of {STEP_BITS}")]
    Bits {
        /// The bits of the modulus, or those that were asked for.
        bits: usize,
    },
    /// The modulus is none of this scheme: p·q ≡ 5 (mod 8).
    #[error("the modulus is {residue} modulo 8, and that of a Rabin-Williams key is 5")]
    ModulusResidue {
        /// What it is modulo 8.
        residue: u8,
    },
    /// A prime has not half as many bits as the modulus, the two highest set.
    #[error("prime {prime:?} does not have {bits} bits of which the two highest are set")]
    PrimeBits {
        /// Which.
        prime: Prime,
        /// Half of the bits of the modulus.
        bits: usize,
    },
    /// A prime is in the wrong class.
    #[error("prime {prime:?} is not {} modulo 8", prime.residue())]
    PrimeResidue {
        /// Which.
        prime: Prime,
    },
    /// What should be a prime is none.
    #[error("{prime:?} is not prime")]
    Composite {
        /// Which.
        prime: Prime,
    },
    /// The primes agree in their highest 100 bits, so n can be factored.
    #[error("the primes are too close to each other")]
    Close,
    /// p·q is not n.
    #[error("the modulus is not the product of the primes")]
    Product,
    /// A signature that is not one byte longer than the modulus.
    #[error("a signature has {expected} bytes for this key, this one has {got}")]
    SignatureLength {
        /// What is right.
        expected: usize,
        /// What was given.
        got: usize,
    },
    /// The encoding of a key is of another version.
    #[error("key of version {got}: this library knows version 0")]
    Version {
        /// What was found.
        got: u8,
    },
    /// A key is not in DER, or not of the documented form.
    #[error("DER: {0}")]
    Der(#[from] der::Error),
    /// A key is not in PEM.
    #[error("PEM: {0}")]
    Pem(der::pem::Error),
    /// PEM of something else.
    #[error("PEM of a `{got}`, where a `{expected}` was expected")]
    Label {
        /// The label that is right.
        expected: &'static str,
        /// The label that was found.
        got: String,
    },
    /// The backend that is forced is not offered for keys of this size, or not available.
    #[error(transparent)]
    Backend(#[from] parcrypt_cpu::Error),
    /// The system gave no random bytes for the blinding.
    #[error("no random bytes: {0}")]
    Random(#[from] getrandom::Error),
    /// A signature that was just made is wrong, so it was not given out: the machine made a mistake, or somebody made it make one.
    #[error("a signature was computed wrongly and is withheld: the hardware is faulty or under attack")]
    Fault,
    /// The big-number library had no memory.
    #[error("the big-number library failed: no memory")]
    Library,
}

/// Whether a modulus can have so many bits.
fn check_bits(bits: usize) -> Result<(), Error> {
    let fits = (LEAST_BITS..=MOST_BITS).contains(&bits) && bits.is_multiple_of(STEP_BITS);
    if fits { Ok(()) } else { Err(Error::Bits { bits }) }
}

//! Rabin-Williams signatures: keys, signing and verification, over any runtime.
//!
//! ```
//! use parcrypt_cpu::Request;
//! use parcrypt_runtime::Serial;
//! use parcrypt_rw::{PublicKey, SecretKey};
//! use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};
//!
//! let secret = SecretKey::generate(&Serial, Request::Auto, 2048, &mut ChaCha20Rng::from_os_rng())?;
//! let signature = secret.sign(&Serial, b"message")?;
//! let public = PublicKey::from_pem(&secret.public().to_pem()?)?;
//! assert!(public.verify(b"message", &signature)?);
//! assert!(!public.verify(b"massage", &signature)?);
//! # Ok::<(), parcrypt_rw::Error>(())
//! ```
//!
//! It depends on `parcrypt-cpu`, `parcrypt-runtime` and AWS-LC, which only `bn` calls. Add a faster exponentiation as
//! a function of `bn` and a row in `dispatch`. `docs/explanation/rw.md` describes how it works, what limits its speed
//! and what was tried.
//!
//! # The scheme
//! Source: Bernstein, "RSA signatures and Rabin–Williams signatures: the state of the art" (2008).
//!
//! - **Key.** Primes p ≡ 3 (mod 8) and q ≡ 7 (mod 8) of half the bits each; n = p·q is public.
//! - **Hash.** Let `‖` concatenate bytes, I4(x) be x in four bytes and N be n in `bits`/8 bytes, most significant
//!   first. K = SHA-256("parcrypt-rw-fdh-sha256-v1" ‖ 0x00 ‖ I4(bits) ‖ N) ties the hash to the scheme and the key; M =
//!   SHA-256(K ‖ message); h is the first `bits`/8 + 16 bytes of SHA-256(M ‖ I4(0)) ‖ SHA-256(M ‖ I4(1)) ‖ … (MGF1 of
//!   RFC 8017, B.2.1), read as a big-endian number, modulo n. The 16 bytes beyond the length of n make it uniform
//!   within 2^-128. There is no salt: a message has one h under a key.
//! - **Signature.** e ∈ {1, −1}, f ∈ {1, 2} and s with e·f·s² ≡ h (mod n) and 1 ≤ s ≤ (n − 1)/2. For each h coprime to
//!   n there is one pair (e, f) for which h/(e·f) is a square, because −1 is a square neither modulo p nor modulo q,
//!   and 2 is one modulo q only. Of the four roots s is |principal|: the one that is itself a square modulo p and q, or
//!   n minus that, whichever is smaller. The bytes are one of tweak (bit 0: e = −1; bit 1: f = 2) and `bits`/8 of s,
//!   most significant first.
//! - **Verification.** The length is correct, the tweak is at most 3, 1 ≤ s ≤ (n − 1)/2, and e·f·s² ≡ h (mod n).
//!
//! **Why the root is a fixed function of key and message.** Two roots of the same number that are neither equal nor
//! opposite give a factor: gcd(s − s', n). Random roots would reveal the key with the second signature of a message,
//! and so would two versions of a program that return different roots. |principal| depends on n and h only.
//! Verification checks that s is the smaller of s and n − s, so a second signature cannot be made from a first.
//!
//! **Security.** Forging is as hard as factoring n in the random-oracle model, with a reduction that loses a factor
//! of the number of hashes, as RSA with a full-domain hash does. Collisions of SHA-256 take 2^128, so keys above 3072
//! bits gain nothing against those.
//!
//! **1024 bits are too few** for security: such numbers can be factored at a high cost. They are allowed for
//! comparison with published figures.

mod asn1;
mod bn;
mod costs;
mod dispatch;
mod encoding;
mod generate;
mod jacobi;
mod public;
mod secret;

#[cfg(test)]
#[global_allocator]
static ALLOCATOR: parcrypt_testkit::Watched = parcrypt_testkit::Watched;

pub use public::PublicKey;
pub use secret::SecretKey;

/// Minimum number of bits of n, too few for security: see the crate's documentation.
pub const MIN_MODULUS_BITS: usize = 1024;
/// Maximum number of bits of n.
pub const MAX_MODULUS_BITS: usize = 16384;
/// The number of bits of n is a multiple of this, so that the primes fill whole words.
pub const MODULUS_BITS_STEP: usize = 128;

/// One of the two primes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prime {
    /// p ≡ 3 (mod 8).
    P,
    /// q ≡ 7 (mod 8).
    Q,
}

impl Prime {
    /// Returns the prime's residue modulo 8.
    pub(crate) const fn residue(self) -> u8 {
        match self {
            Prime::P => 3,
            Prime::Q => 7,
        }
    }
}

/// The reason why a key, signature or verification failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each field is in its variant's text")]
pub enum Error {
    /// A modulus with a number of bits that is not supported.
    #[error(
        "a modulus of {bits} bits: it must have {MIN_MODULUS_BITS} to {MAX_MODULUS_BITS}, in steps of {MODULUS_BITS_STEP}"
    )]
    Bits { bits: usize },
    /// The modulus does not fit the scheme: p·q ≡ 5 (mod 8).
    #[error("the modulus is {residue} modulo 8, and that of a Rabin-Williams key is 5")]
    ModulusResidue { residue: u8 },
    /// A prime does not have half the bits of the modulus, which is `bits`, with the two highest set.
    #[error("prime {prime:?} does not have {bits} bits of which the two highest are set")]
    PrimeBits { prime: Prime, bits: usize },
    /// A prime is in the wrong class.
    #[error("prime {prime:?} is not {} modulo 8", prime.residue())]
    PrimeResidue { prime: Prime },
    /// A number that should be prime is composite.
    #[error("{prime:?} is not prime")]
    Composite { prime: Prime },
    /// The primes agree in their highest 100 bits, so that n can be factored.
    #[error("the primes are too close to each other")]
    PrimesTooClose,
    /// p·q is not n.
    #[error("the modulus is not the product of the primes")]
    ModulusMismatch,
    /// A signature that is not one byte longer than the modulus.
    #[error("a signature has {expected} bytes for this key, this one has {got}")]
    SignatureLength { expected: usize, got: usize },
    /// The encoding of a key is of another version.
    #[error("key of version {got}: this library knows version 0")]
    Version { got: u8 },
    /// A key is not in DER, or not of the documented form.
    #[error("DER: {0}")]
    Der(#[from] der::Error),
    /// A key is not in PEM.
    #[error("PEM: {0}")]
    Pem(der::pem::Error),
    /// PEM with another label.
    #[error("PEM of a `{got}`, where a `{expected}` was expected")]
    Label { expected: &'static str, got: String },
    /// The requested backend is not offered for keys of this size, or not available.
    #[error(transparent)]
    Backend(#[from] parcrypt_cpu::Error),
    /// The system returned no random bytes for the blinding.
    #[error("no random bytes: {0}")]
    Random(#[from] getrandom::Error),
    /// A computed signature is wrong and was not returned: the machine made an error, or an attacker induced one.
    #[error("a signature was computed wrongly and is withheld: the hardware is faulty or under attack")]
    Fault,
    /// The big-number library had no memory.
    #[error("the big-number library failed: no memory")]
    OutOfMemory,
}

/// Returns an error if a modulus cannot have this number of bits.
fn check_bits(bits: usize) -> Result<(), Error> {
    let fits =
        (MIN_MODULUS_BITS..=MAX_MODULUS_BITS).contains(&bits) && bits.is_multiple_of(MODULUS_BITS_STEP);
    if fits { Ok(()) } else { Err(Error::Bits { bits }) }
}

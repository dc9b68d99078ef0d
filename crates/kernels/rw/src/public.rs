//! Public keys, and verification.

use std::sync::Arc;

use parcrypt_runtime::{Cost, Runtime, for_each};
use subtle::{Choice, ConstantTimeEq};

use crate::bn::{Modulus, Num, Scratch};
use crate::costs::verify_ns;
use crate::{Error, check_bits, encoding};

/// e and f of a signature, as encoded in its first byte.
#[derive(Clone, Copy)]
pub(crate) struct Tweak(pub(crate) u8);

impl Tweak {
    pub(crate) const NEGATIVE: u8 = 1;
    pub(crate) const TWICE: u8 = 2;
}

/// A public key: the modulus n. Cloning it is cheap.
#[derive(Clone)]
pub struct PublicKey(Arc<Inner>);

struct Inner {
    bytes: Vec<u8>,
    /// (n − 1)/2.
    half: Vec<u8>,
    modulus: Modulus,
    prefix: [u8; 32],
}

impl PublicKey {
    /// Returns the key of a modulus in bytes, most significant first; leading zeros are skipped.
    ///
    /// # Errors
    /// [`Error::Bits`], [`Error::ModulusResidue`]. Whether n has two prime factors in the right classes cannot be
    /// checked.
    pub fn from_modulus(bytes: &[u8]) -> Result<Self, Error> {
        let zeros = bytes.iter().take_while(|byte| **byte == 0).count();
        let bytes = &bytes[zeros..];
        let bits = 8 * bytes.len() - bytes.first().map_or(0, |byte| byte.leading_zeros() as usize);
        check_bits(bits)?;
        let residue = bytes.last().map_or(0, |byte| byte % 8);
        if residue != 5 {
            return Err(Error::ModulusResidue { residue });
        }
        let modulus = Modulus::new(bytes, &mut Scratch::new()?)?;
        let mut carry = 0;
        let half = bytes.iter().map(|byte| {
            let shifted = carry << 7 | byte >> 1;
            carry = byte & 1;
            shifted
        });
        let (half, prefix) = (half.collect(), encoding::key_prefix(bytes));
        Ok(PublicKey(Arc::new(Inner { bytes: bytes.to_vec(), half, modulus, prefix })))
    }

    /// Returns the modulus n in `bits`/8 bytes, most significant first.
    pub fn modulus(&self) -> &[u8] {
        &self.0.bytes
    }

    /// Returns the number of bits of n.
    pub fn bits(&self) -> usize {
        8 * self.0.bytes.len()
    }

    /// Returns the number of bytes of a signature: 1 + `bits`/8.
    pub fn signature_len(&self) -> usize {
        1 + self.0.bytes.len()
    }

    /// Returns whether `signature` is a signature of `message`; `Ok(false)` for any wrong bytes of the right length.
    ///
    /// It takes one squaring modulo n, 3 to 30 µs for 1024 to 4096 bits. All its inputs are public.
    ///
    /// # Errors
    /// [`Error::SignatureLength`].
    pub fn verify(&self, message: &[u8], signature: &[u8]) -> Result<bool, Error> {
        self.check_len(signature)?;
        let scratch = &mut Scratch::new()?;
        let (tweak, root) = signature.split_at(1);
        // Numbers of the same length compare like their bytes.
        let in_range = root <= &self.0.half[..] && root.iter().any(|byte| *byte != 0);
        if tweak[0] > (Tweak::NEGATIVE | Tweak::TWICE) || !in_range {
            return Ok(false);
        }
        let h = self.hash(message, scratch)?;
        Ok(self.holds(&h, Tweak(tweak[0]), &Num::from_be(root)?, scratch)?.into())
    }

    /// Returns the results of [`verify`](PublicKey::verify) for pairs of a message and a signature, in order,
    /// computed in parallel if that pays.
    ///
    /// # Errors
    /// [`Error::SignatureLength`] if any signature has a wrong length; no signature is then verified.
    pub fn verify_many(&self, rt: &dyn Runtime, pairs: &[(&[u8], &[u8])]) -> Result<Vec<bool>, Error> {
        /// Pairs of a piece.
        const GRAIN: usize = 8;
        pairs.iter().try_for_each(|(_, signature)| self.check_len(signature))?;
        let mut answers: Vec<Result<bool, Error>> = pairs.iter().map(|_| Ok(false)).collect();
        let pieces = pairs.chunks(GRAIN).zip(answers.chunks_mut(GRAIN)).collect();
        for_each(rt, pieces, Cost::ns(GRAIN as u64 * verify_ns(self.bits())), |(pairs, answers)| {
            for ((message, signature), answer) in pairs.iter().zip(answers) {
                *answer = self.verify(message, signature);
            }
        });
        answers.into_iter().collect()
    }

    fn check_len(&self, signature: &[u8]) -> Result<(), Error> {
        let (expected, got) = (self.signature_len(), signature.len());
        if expected == got { Ok(()) } else { Err(Error::SignatureLength { expected, got }) }
    }

    pub(crate) fn inside(&self) -> &Modulus {
        &self.0.modulus
    }

    /// Returns (n − 1)/2.
    pub(crate) fn half(&self) -> &[u8] {
        &self.0.half
    }

    /// Returns h of a message.
    pub(crate) fn hash(&self, message: &[u8], scratch: &mut Scratch) -> Result<Num, Error> {
        let long = encoding::expand(&self.0.prefix, message, self.0.bytes.len());
        // Below 2^(bits + 128), and n·R is at least 2^(2·bits − 1).
        self.0.modulus.reduce(&Num::from_be(&long)?, scratch)
    }

    /// Returns whether e·f·s² ≡ h (mod n), for h and s below n. The tweak is public; the numbers are compared in
    /// constant time.
    pub(crate) fn holds(
        &self,
        h: &Num,
        tweak: Tweak,
        s: &Num,
        scratch: &mut Scratch,
    ) -> Result<Choice, Error> {
        let (n, len) = (&self.0.modulus, self.0.bytes.len());
        let square = n.mul(s, s, scratch)?;
        let mut left = n.enter(&square, scratch)?;
        if tweak.0 & Tweak::TWICE != 0 {
            left = n.add(&left, &left)?;
        }
        if tweak.0 & Tweak::NEGATIVE != 0 {
            left = n.sub(&Num::from_be(&[0])?, &left)?;
        }
        Ok(left.to_be(len)?.ct_eq(&h.to_be(len)?))
    }
}

impl PartialEq for PublicKey {
    fn eq(&self, other: &Self) -> bool {
        self.0.bytes == other.0.bytes
    }
}

impl Eq for PublicKey {}

impl std::fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hex: String = self.0.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        f.debug_struct("PublicKey").field("bits", &self.bits()).field("modulus", &hex).finish()
    }
}

//! Keys in DER and PEM.
//!
//! ```text
//! RabinWilliamsPublicKey ::= SEQUENCE {
//!     version  INTEGER,   -- 0
//!     modulus  INTEGER    -- n
//! }
//! RabinWilliamsPrivateKey ::= SEQUENCE {
//!     version  INTEGER,   -- 0
//!     modulus  INTEGER,   -- n
//!     prime3   INTEGER,   -- p, 3 modulo 8
//!     prime7   INTEGER    -- q, 7 modulo 8
//! }
//! ```
//!
//! PEM is RFC 7468 with the labels below. No object identifier has been assigned to this scheme, hence no
//! SubjectPublicKeyInfo.

use der::asn1::UintRef;
use der::pem::{self, LineEnding};
use der::{Decode, Encode, Sequence};
use parcrypt_cpu::Request;
use parcrypt_runtime::Runtime;
use zeroize::Zeroizing;

use crate::{Error, PublicKey, SecretKey};

/// The label of a public key in PEM.
const PUBLIC: &str = "RABIN WILLIAMS PUBLIC KEY";
/// The label of a secret key in PEM.
const PRIVATE: &str = "RABIN WILLIAMS PRIVATE KEY";

#[derive(Sequence)]
struct PublicForm<'a> {
    version: u8,
    modulus: UintRef<'a>,
}

#[derive(Sequence)]
struct PrivateForm<'a> {
    version: u8,
    modulus: UintRef<'a>,
    prime3: UintRef<'a>,
    prime7: UintRef<'a>,
}

impl PublicKey {
    /// Returns the key in DER: `SEQUENCE { version INTEGER (0), modulus INTEGER }`.
    ///
    /// # Errors
    /// [`Error::Der`], which no key can cause.
    pub fn to_der(&self) -> Result<Vec<u8>, Error> {
        Ok(PublicForm { version: 0, modulus: UintRef::new(self.modulus())? }.to_der()?)
    }

    /// Returns the key from DER of exactly the form that [`to_der`](PublicKey::to_der) writes.
    ///
    /// # Errors
    /// [`Error::Der`], [`Error::Version`], and those of [`PublicKey::from_modulus`].
    pub fn from_der(der: &[u8]) -> Result<Self, Error> {
        let form = PublicForm::from_der(der)?;
        check_version(form.version)?;
        PublicKey::from_modulus(form.modulus.as_bytes())
    }

    /// Returns the key in PEM, with the label `RABIN WILLIAMS PUBLIC KEY`.
    ///
    /// # Errors
    /// As for [`to_der`](PublicKey::to_der).
    pub fn to_pem(&self) -> Result<String, Error> {
        pem::encode_string(PUBLIC, LineEnding::LF, &self.to_der()?).map_err(Error::Pem)
    }

    /// Returns the key from PEM.
    ///
    /// # Errors
    /// [`Error::Pem`], [`Error::Label`], and those of [`from_der`](PublicKey::from_der).
    pub fn from_pem(pem: &str) -> Result<Self, Error> {
        PublicKey::from_der(&decode(PUBLIC, pem)?)
    }
}

impl SecretKey {
    /// Returns the key in DER: `SEQUENCE { version INTEGER (0), modulus INTEGER, prime3 INTEGER, prime7 INTEGER }`. It
    /// is not encrypted.
    ///
    /// # Errors
    /// [`Error::Der`], which no key can cause.
    pub fn to_der(&self) -> Result<Zeroizing<Vec<u8>>, Error> {
        let (p, q) = self.primes();
        let modulus = UintRef::new(self.public().modulus())?;
        let form = PrivateForm { version: 0, modulus, prime3: UintRef::new(p)?, prime7: UintRef::new(q)? };
        Ok(Zeroizing::new(form.to_der()?))
    }

    /// Returns the key from DER of exactly the form that [`to_der`](SecretKey::to_der) writes. Everything is checked,
    /// as in [`SecretKey::from_primes`], and that n is the product.
    ///
    /// # Errors
    /// [`Error::Der`], [`Error::Version`], [`Error::ModulusMismatch`], and those of [`SecretKey::from_primes`].
    pub fn from_der(rt: &dyn Runtime, request: Request, der: &[u8]) -> Result<Self, Error> {
        let form = PrivateForm::from_der(der)?;
        check_version(form.version)?;
        let (p, q) = (form.prime3.as_bytes(), form.prime7.as_bytes());
        // This check is cheap and comes first: it finds most damage without a test of primality.
        let key = SecretKey::from_known_primes(request, p, q)?;
        if key.public().modulus() != form.modulus.as_bytes() {
            return Err(Error::ModulusMismatch);
        }
        SecretKey::from_primes(rt, request, p, q)
    }

    /// Returns the key in PEM, with the label `RABIN WILLIAMS PRIVATE KEY`. It is not encrypted.
    ///
    /// # Errors
    /// As for [`to_der`](SecretKey::to_der).
    pub fn to_pem(&self) -> Result<Zeroizing<String>, Error> {
        pem::encode_string(PRIVATE, LineEnding::LF, &self.to_der()?).map(Zeroizing::new).map_err(Error::Pem)
    }

    /// Returns the key from PEM.
    ///
    /// # Errors
    /// [`Error::Pem`], [`Error::Label`], and those of [`from_der`](SecretKey::from_der).
    pub fn from_pem(rt: &dyn Runtime, request: Request, pem: &str) -> Result<Self, Error> {
        SecretKey::from_der(rt, request, &decode(PRIVATE, pem)?)
    }
}

fn decode(expected: &'static str, text: &str) -> Result<Zeroizing<Vec<u8>>, Error> {
    let (got, der) = pem::decode_vec(text.as_bytes()).map_err(Error::Pem)?;
    let der = Zeroizing::new(der);
    if got == expected { Ok(der) } else { Err(Error::Label { expected, got: got.to_owned() }) }
}

fn check_version(got: u8) -> Result<(), Error> {
    if got == 0 { Ok(()) } else { Err(Error::Version { got }) }
}

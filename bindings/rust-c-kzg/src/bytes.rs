//! Arrays of bytes as types of their own. They have the layout of arrays, as c-kzg's types do; some users rely on it.

use std::ops::{Deref, DerefMut};

use parcrypt_kzg::{BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_COMMITMENT, BYTES_PER_PROOF};

use crate::Error;

/// Returns bytes from hexadecimal digits, with `0x` before them or without.
fn from_hex(digits: &str) -> Result<Vec<u8>, Error> {
    let digits = digits.strip_prefix("0x").unwrap_or(digits);
    hex::decode(digits).map_err(|why| Error::InvalidHexFormat(format!("Failed to decode hex: {why}")))
}

fn array<const N: usize>(bytes: &[u8], error: fn(String) -> Error) -> Result<[u8; N], Error> {
    let length = || error(format!("Invalid byte length. Expected {N} got {}", bytes.len()));
    bytes.try_into().map_err(|_| length())
}

/// Defines types of arrays of bytes.
macro_rules! arrays {
    ($($(#[$about:meta])* $name:ident [$length:expr])+) => {$(
        $(#[$about])*
        #[derive(Debug)]
        #[repr(transparent)]
        pub struct $name {
            pub(crate) bytes: [u8; $length],
        }

        impl Default for $name {
            fn default() -> Self {
                $name { bytes: [0; $length] }
            }
        }
    )+};
}

arrays! {
    /// 4096 field elements of 32 bytes, most significant byte first; not checked.
    #[derive(Clone, Hash, PartialEq, Eq)]
    Blob[BYTES_PER_BLOB]
    /// A field element, most significant byte first; not checked.
    #[derive(Clone, Copy, Hash, PartialEq, Eq)]
    Bytes32[32]
    /// A commitment or a proof; not checked.
    #[derive(Clone, Copy, Hash, PartialEq, Eq)]
    Bytes48[48]
    /// 64 field elements of 32 bytes; not checked.
    #[derive(Clone, Copy, Hash, PartialEq, Eq)]
    Cell[BYTES_PER_CELL]
    /// A commitment: a compressed point of G1.
    #[derive(Clone, Copy)]
    KZGCommitment[BYTES_PER_COMMITMENT]
    /// A proof: a compressed point of G1.
    #[derive(Clone, Copy)]
    KZGProof[BYTES_PER_PROOF]
}

/// Defines the conversions from bytes of what is not checked.
macro_rules! from_bytes {
    ($($name:ident [$length:expr])+) => {$(
        impl $name {
            /// Returns these bytes.
            pub const fn new(bytes: [u8; $length]) -> Self {
                Self { bytes }
            }

            /// Returns a copy of bytes.
            ///
            /// # Errors
            /// [`Error::InvalidBytesLength`] for another number of bytes.
            pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
                array(bytes, Error::InvalidBytesLength).map(Self::new)
            }

            /// Returns the bytes of hexadecimal digits, with `0x` before them or without.
            ///
            /// # Errors
            /// [`Error::InvalidHexFormat`] for other text; [`Error::InvalidBytesLength`] for another number of bytes.
            pub fn from_hex(digits: &str) -> Result<Self, Error> {
                Self::from_bytes(&from_hex(digits)?)
            }
        }

        #[cfg(feature = "arbitrary")]
        impl arbitrary::Arbitrary<'_> for $name {
            fn arbitrary(u: &mut arbitrary::Unstructured<'_>) -> arbitrary::Result<Self> {
                let mut bytes = [0; $length];
                u.fill_buffer(&mut bytes)?;
                Ok(Self::new(bytes))
            }
        }
    )+};
}

from_bytes! { Blob[BYTES_PER_BLOB] Bytes32[32] Bytes48[48] Cell[BYTES_PER_CELL] }

/// Defines the conversions of a commitment or proof.
macro_rules! points {
    ($($name:ident [$length:expr] $error:ident)+) => {$(
        impl $name {
            /// Returns a copy of bytes, which are not checked to be a point.
            ///
            /// # Errors
            #[doc = concat!("[`Error::", stringify!($error), "`] for another number of bytes.")]
            pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
                array(bytes, Error::$error).map(|bytes| Self { bytes })
            }

            /// Returns the bytes.
            pub fn to_bytes(&self) -> Bytes48 {
                Bytes48 { bytes: self.bytes }
            }

            /// Returns the bytes as hexadecimal digits, without `0x`.
            pub fn as_hex_string(&self) -> String {
                hex::encode(self.bytes)
            }
        }
    )+};
}

points! { KZGCommitment[BYTES_PER_COMMITMENT] InvalidKzgCommitment KZGProof[BYTES_PER_PROOF] InvalidKzgProof }

/// Defines what dereferences to its array, and is made from one.
macro_rules! derefs {
    ($($name:ident [$length:expr])+) => {$(
        impl From<[u8; $length]> for $name {
            fn from(bytes: [u8; $length]) -> Self {
                Self { bytes }
            }
        }

        impl Deref for $name {
            type Target = [u8; $length];

            fn deref(&self) -> &Self::Target {
                &self.bytes
            }
        }
    )+};
}

derefs! {
    Blob[BYTES_PER_BLOB] Bytes32[32] Bytes48[48] KZGCommitment[BYTES_PER_COMMITMENT] KZGProof[BYTES_PER_PROOF]
}

impl DerefMut for Blob {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.bytes
    }
}

impl DerefMut for Bytes48 {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.bytes
    }
}

impl AsRef<[u8]> for Blob {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl AsRef<[u8; 32]> for Bytes32 {
    fn as_ref(&self) -> &[u8; 32] {
        &self.bytes
    }
}

impl AsRef<[u8; 48]> for Bytes48 {
    fn as_ref(&self) -> &[u8; 48] {
        &self.bytes
    }
}

impl Blob {
    /// Returns the array.
    pub fn into_inner(self) -> [u8; BYTES_PER_BLOB] {
        self.bytes
    }
}

impl Bytes48 {
    /// Returns the array.
    pub fn into_inner(self) -> [u8; 48] {
        self.bytes
    }
}

impl Cell {
    /// Returns the array.
    pub fn to_bytes(&self) -> [u8; BYTES_PER_CELL] {
        self.bytes
    }
}

//! The functions of a library that the workloads use.

mod aws_lc;
#[cfg(feature = "botan")]
mod botan;
mod concrete_ntt;
#[cfg(feature = "libscrypt")]
mod libscrypt;
#[cfg(feature = "libsodium")]
mod libsodium;
#[cfg(native)]
mod native;
#[cfg(not(native))]
mod native {
    //! Why this program was built without them.

    pub(super) fn mlkem() -> Result<super::Library, String> {
        Err(concat!("this program was built without mlkem-native: ", env!("WHY_NOT_NATIVE")).to_owned())
    }

    pub(super) fn mldsa() -> Result<super::Library, String> {
        Err(concat!("this program was built without mldsa-native: ", env!("WHY_NOT_NATIVE")).to_owned())
    }
}
#[cfg(feature = "openssl")]
mod openssl;
mod ring;
mod rustcrypto;

/// Bytes of a password, and of a salt.
pub(crate) const SECRET: usize = 32;
/// Bytes of a derived key.
pub(crate) const DERIVED: usize = 64;
/// Bytes of a tag.
pub(crate) const TAG: usize = 16;
/// Bytes of a nonce.
pub(crate) const NONCE: usize = 12;
/// Coefficients of a polynomial of ML-KEM and ML-DSA.
pub(crate) const N: usize = 256;

/// Parameters of scrypt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cost {
    /// Logarithm of N.
    pub(crate) log_n: u8,
    pub(crate) r: u32,
    pub(crate) p: u32,
}

/// A library's error, which no workload should cause.
#[derive(Debug, thiserror::Error)]
#[error("{library}: {what}")]
pub(crate) struct Failure {
    pub(crate) library: &'static str,
    pub(crate) what: String,
}

impl Failure {
    fn new(library: &'static str, what: impl ToString) -> Self {
        Failure { library, what: what.to_string() }
    }
}

/// Derives a key of [`DERIVED`] bytes from a password and a salt.
pub(crate) type Scrypt = Box<dyn FnMut(&[u8], &[u8], &mut [u8]) -> Result<(), Failure> + Send>;
/// Computes the tag of a message with a nonce; the key is given before.
pub(crate) type Gmac = Box<dyn FnMut(&[u8; NONCE], &[u8], &mut [u8]) -> Result<(), Failure> + Send>;

/// Multiplies two polynomials with coefficients below the modulus, modulo X^n + 1.
pub(crate) type Product = Box<dyn FnMut(&[u32], &[u32], &mut [u32]) -> Result<(), Failure> + Send>;

/// Writes the output for the key, message or product with an index.
pub(crate) type Task = Box<dyn FnMut(usize, &mut [u8]) -> Result<(), Failure> + Send>;

/// A ring of polynomials with [`N`] coefficients, modulo X^[`N`] + 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lattice {
    MlKem,
    MlDsa,
}

impl Lattice {
    pub(crate) fn modulus(self) -> u32 {
        match self {
            Lattice::MlKem => 3329,
            Lattice::MlDsa => 8_380_417,
        }
    }

    /// Returns the bytes of a coefficient in the output of a library.
    pub(crate) fn word(self) -> usize {
        match self {
            Lattice::MlKem => size_of::<u16>(),
            Lattice::MlDsa => size_of::<u32>(),
        }
    }
}

/// A matrix of polynomials, one row after the other, and a vector to multiply it by. All coefficients are below the
/// modulus. The matrix is transformed once, when the task is made.
#[cfg_attr(not(native), expect(dead_code, reason = "only mlkem-native and mldsa-native read it"))]
pub(crate) struct Matrix<'a> {
    pub(crate) lattice: Lattice,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) entries: &'a [u32],
    pub(crate) vector: &'a [u32],
}

/// Numbers that begin at a multiple of 64 bytes.
pub(crate) struct Lines<T> {
    all: Vec<T>,
    /// Index of the first of them.
    first: usize,
}

impl<T: Copy + bytemuck::Zeroable> Lines<T> {
    pub(crate) fn new(numbers: impl Iterator<Item = T>) -> Self {
        let numbers: Vec<T> = numbers.collect();
        let spare = 64 / size_of::<T>();
        let mut all = vec![T::zeroed(); numbers.len() + spare];
        let first = all.as_ptr().align_offset(64);
        all[first..first + numbers.len()].copy_from_slice(&numbers);
        all.truncate(first + numbers.len());
        Lines { all, first }
    }
}

impl<T> std::ops::Deref for Lines<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.all[self.first..]
    }
}

impl<T> std::ops::DerefMut for Lines<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.all[self.first..]
    }
}

/// Returns the worker for a key of 16, 24 or 32 bytes; `None` if the library does not support keys of that length.
pub(crate) type MakeGmac = fn(&[u8]) -> Result<Option<Gmac>, Failure>;
/// Returns the worker for a number of threads.
pub(crate) type MakeScrypt = fn(Cost, usize) -> Result<Scrypt, Failure>;

/// Returns the worker for a modulus and a number of coefficients; `None` if the library does not support them.
pub(crate) type MakeProduct = fn(u32, usize) -> Result<Option<Product>, Failure>;
/// Returns the product of a matrix by a vector; `None` if the library has no functions for the ring and the number of
/// columns.
pub(crate) type MakeMatrix = fn(Matrix<'_>) -> Result<Option<Task>, Failure>;

/// The functions of a library; each creates as many workers as there are threads.
#[derive(Default)]
pub(crate) struct Library {
    /// Name of the library in messages.
    pub(crate) name: &'static str,
    pub(crate) version: String,
    pub(crate) scrypt: Option<MakeScrypt>,
    /// The runtime by which scrypt uses several threads itself, if it does.
    pub(crate) scrypt_runtime: Option<&'static str>,
    pub(crate) gmac: Option<MakeGmac>,
    pub(crate) product: Option<MakeProduct>,
    pub(crate) matrix: Option<MakeMatrix>,
}

/// Returns a library, or the reason why it cannot be used.
pub(crate) type Load = fn() -> Result<Library, String>;

/// The libraries by their names on the command line; `None` if this program was built without one.
pub(crate) const LIBRARIES: [(&str, Option<Load>); 10] = [
    ("rustcrypto", Some(|| Ok(rustcrypto::library()))),
    ("aws-lc-rs", Some(|| Ok(aws_lc::library()))),
    ("ring", Some(|| Ok(ring::library()))),
    ("concrete-ntt", Some(|| Ok(concrete_ntt::library()))),
    ("mlkem-native", Some(native::mlkem)),
    ("mldsa-native", Some(native::mldsa)),
    #[cfg(feature = "openssl")]
    ("openssl", Some(|| Ok(openssl::library()))),
    #[cfg(not(feature = "openssl"))]
    ("openssl", None),
    #[cfg(feature = "botan")]
    ("botan", Some(|| Ok(botan::library()))),
    #[cfg(not(feature = "botan"))]
    ("botan", None),
    #[cfg(feature = "libsodium")]
    ("libsodium", Some(libsodium::library)),
    #[cfg(not(feature = "libsodium"))]
    ("libsodium", None),
    #[cfg(feature = "libscrypt")]
    ("libscrypt", Some(|| Ok(libscrypt::library()))),
    #[cfg(not(feature = "libscrypt"))]
    ("libscrypt", None),
];

//! Errors, with c-kzg's names.

use std::fmt;

use parcrypt_kzg::ArithmeticError as Arithmetic;

/// Error of this crate.
#[derive(Debug)]
pub enum Error {
    /// Wrong number of bytes.
    InvalidBytesLength(String),
    /// Text that is not hexadecimal.
    InvalidHexFormat(String),
    /// Bytes that are not a proof.
    InvalidKzgProof(String),
    /// Bytes that are not a commitment.
    InvalidKzgCommitment(String),
    /// A trusted setup that was refused, and why.
    InvalidTrustedSetup(String),
    /// Lists of different lengths.
    MismatchLength(String),
    /// The text of a trusted setup cannot be read.
    LoadingTrustedSetupFailed(KzgErrors),
    /// What c-kzg's C functions return for an input that they refuse.
    CError(CkzgError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::InvalidBytesLength(why) => write!(f, "{why}"),
            Error::InvalidHexFormat(why) => write!(f, "{why}"),
            Error::InvalidKzgProof(why) => write!(f, "{why}"),
            Error::InvalidKzgCommitment(why) => write!(f, "{why}"),
            Error::InvalidTrustedSetup(why) => write!(f, "{why}"),
            Error::MismatchLength(why) => write!(f, "{why}"),
            Error::LoadingTrustedSetupFailed(why) => write!(f, "KzgErrors: {why:?}"),
            Error::CError(why) => write!(f, "{why:?}"),
        }
    }
}

impl std::error::Error for Error {}

/// Why the text of a trusted setup cannot be read. The last three and [`KzgErrors::FileFormatError`] occur.
#[derive(Debug)]
pub enum KzgErrors {
    /// No current directory.
    FailedCurrentDirectory,
    /// No such path.
    PathNotExists,
    /// Error of the system.
    IOError,
    /// Not a file.
    NotValidFile,
    /// Text that ends too early, or goes on after the last point.
    FileFormatError,
    /// Text that is neither a number nor a point.
    ParseError,
    /// Another number of points than mainnet has.
    MismatchedNumberOfPoints,
}

impl From<KzgErrors> for Error {
    fn from(error: KzgErrors) -> Self {
        Error::LoadingTrustedSetupFailed(error)
    }
}

/// What a C function of c-kzg returns.
#[expect(non_camel_case_types, reason = "the names of c-kzg")]
#[derive(Clone, Copy, Debug, Hash, PartialEq, Eq)]
#[repr(C)]
pub enum CkzgError {
    /// Success.
    C_KZG_OK = 0,
    /// An input is invalid.
    C_KZG_BADARGS = 1,
    /// Internal error.
    C_KZG_ERROR = 2,
    /// No memory.
    C_KZG_MALLOC = 3,
}

impl From<parcrypt_kzg::Error> for CkzgError {
    fn from(error: parcrypt_kzg::Error) -> Self {
        match error {
            parcrypt_kzg::Error::Arithmetic(Arithmetic::Memory { .. } | Arithmetic::Allocation { .. }) => {
                CkzgError::C_KZG_MALLOC
            }
            parcrypt_kzg::Error::Arithmetic(_) => CkzgError::C_KZG_ERROR,
            _ => CkzgError::C_KZG_BADARGS,
        }
    }
}

impl From<parcrypt_kzg::Error> for Error {
    fn from(error: parcrypt_kzg::Error) -> Self {
        Error::CError(error.into())
    }
}

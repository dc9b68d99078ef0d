//! The table of backends for the two exponentiations of a signature.

use parcrypt_cpu::{Backend, Row};
use parcrypt_runtime::Runtime;
use subtle::Choice;

use crate::bn::{Num, Scratch};
use crate::{Error, SecretKey};

/// Computes the principal roots of h modulo p and modulo q, and whether h is a square there. The random bytes blind it.
pub(crate) type Roots =
    fn(&dyn Runtime, &SecretKey, &Num, [&mut [u8]; 2], &mut Scratch) -> Result<[(Num, Choice); 2], Error>;

/// The functions of a backend.
pub(crate) struct Exponentiations {
    pub(crate) roots: Roots,
    /// Exponentiations on one thread that take the time of `roots` there.
    pub(crate) in_sequence: u64,
}

/// The rows in rising order of preference.
static ROWS: &[Row<Exponentiations>] = &[
    Row::new(Backend::AwsLc, Exponentiations { roots: SecretKey::roots_aws_lc, in_sequence: 2 }),
    Row::new(Backend::Ifma, Exponentiations { roots: SecretKey::roots_ifma, in_sequence: 1 }),
];

/// Returns the rows for keys of that many bits: the library has vector code for three sizes, on x86-64.
pub(crate) fn rows(bits: usize) -> &'static [Row<Exponentiations>] {
    let vectors = cfg!(target_arch = "x86_64") && matches!(bits, 2048 | 3072 | 4096);
    if vectors { ROWS } else { &ROWS[..1] }
}

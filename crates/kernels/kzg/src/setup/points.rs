//! The points of a setup.

use std::fmt;

use parcrypt_bls12_381::{G1Affine, G2Affine};

use crate::{FIELD_ELEMENTS_PER_BLOB, FIELD_ELEMENTS_PER_CELL, FIELD_ELEMENTS_PER_EXT_BLOB};

/// Number of powers of τ in G1, and of points of the Lagrange form.
pub(crate) const G1_POINTS: usize = FIELD_ELEMENTS_PER_BLOB;
/// Number of powers of τ in G2: up to the degree of the polynomial that vanishes on a cell.
pub(crate) const G2_POINTS: usize = FIELD_ELEMENTS_PER_CELL + 1;
/// Number of points for FK20.
pub(crate) const FK20_POINTS: usize = FIELD_ELEMENTS_PER_EXT_BLOB;

/// Origin of a setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// A ceremony, as far as the points can show it.
    Ceremony,
    /// A known secret: proofs have no meaning. For tests only.
    KnownSecret,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Origin::Ceremony => "from a ceremony",
            Origin::KnownSecret => "INSECURE, from a known secret, for tests alone",
        })
    }
}

/// The points of a setup, in the order of the files: of the powers, and of the powers of the root of unity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Points {
    /// τ^i·G₁.
    pub(crate) g1_monomial: Vec<G1Affine>,
    /// L_i(τ)·G₁.
    pub(crate) g1_lagrange: Vec<G1Affine>,
    /// τ^i·G₂.
    pub(crate) g2_monomial: Vec<G2Affine>,
}

/// A checked setup, with the points for FK20.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setup {
    pub(crate) points: Points,
    /// See [`super::columns::of`].
    pub(crate) fk20: Vec<G1Affine>,
    pub(crate) origin: Origin,
    /// Digest, which is the same for the same points in any form.
    pub(crate) digest: [u8; 32],
}

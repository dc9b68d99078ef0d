//! Cells of extended blobs, their proofs and their recovery (EIP-7594; polynomial-commitments-sampling.md of the
//! consensus specifications for Fulu).
//!
//! The values of a blob's polynomial P at the 8192 roots of unity, in bit-reversed order, are cut into 128 cells of 64.
//! Cell c has the values of P where X^64 = y_c, for the 128th root of unity y_c that has the same index in its domain.
//! So a cell is the remainder of P modulo X^64 − y_c in another form: a transform of 64 elements converts one into the
//! other. The coefficients j of all remainders are the values, at the y_c, of the polynomial with the coefficients
//! j, j + 64, j + 128, … of P: so a transform of 128 elements for each j gives the coefficients of P. Proofs of cells
//! and recovery work on remainders.

mod challenge;
#[cfg(feature = "compute")]
mod compute;
#[cfg(feature = "compute")]
mod extension;
#[cfg(feature = "compute")]
mod fk20;
#[cfg(feature = "compute")]
pub(crate) mod polynomial;
#[cfg(feature = "compute")]
mod recovery;
mod verifier;
mod verify;

pub use verifier::{CellClaim, CellVerifier};
pub use verify::{find_wrong_cells, verify_cell_kzg_proof_batch};
#[cfg(feature = "compute")]
pub use {
    compute::{
        CellsAndProofs, Want, compute_cells, compute_cells_and_kzg_proofs, compute_wanted,
        recover_cells_and_kzg_proofs, recover_wanted,
    },
    recovery::Samples,
};

//! The groups G1 and G2, their compressed form, batch affine addition, and the pairing.

#[cfg(feature = "compute")]
pub(crate) mod batch_affine;
#[cfg(feature = "compute")]
pub(crate) mod eisenstein;
#[cfg(feature = "compute")]
pub(crate) mod endomorphism;
#[cfg(feature = "compute")]
pub(crate) mod final_exponentiation;
pub mod g1;
pub mod g2;
#[cfg(feature = "compute")]
pub(crate) mod miller_loop;
#[cfg(feature = "compute")]
pub(crate) mod point;
pub(crate) mod validation;
#[cfg(feature = "compute")]
pub(crate) mod windows;

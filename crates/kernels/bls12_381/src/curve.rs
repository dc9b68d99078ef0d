//! The groups G1 and G2, their compressed form, batch affine addition, and the pairing.

pub(crate) mod batch_affine;
pub(crate) mod eisenstein;
pub(crate) mod endomorphism;
pub(crate) mod final_exponentiation;
pub mod g1;
pub mod g2;
pub(crate) mod miller_loop;
pub(crate) mod point;
pub(crate) mod validation;
pub(crate) mod windows;

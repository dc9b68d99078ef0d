//! The kernels for 64-bit RISC-V.

pub(crate) mod rvv;

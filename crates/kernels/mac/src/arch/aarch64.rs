//! The kernels for 64-bit ARM.
//!
//! VHASH has no row: 16 bytes take a load, two sums, `mul`, `umulh` and two sums with a carry, and vectors, which have
//! products of 32 bits only, take four products and more sums.

pub(crate) mod pmull;

//! Times of the operations in ns, on one core of 2023 or 2024: the costs from which [`parcrypt_runtime::Cost`]s are summed.

/// One affine addition of a large batch by blst's multiplication.
pub(crate) const BLST_ADD_NS: u64 = 220;
/// One affine addition of a large batch in lanes of AVX-512 IFMA.
pub(crate) const IFMA_ADD_NS: u64 = 60;

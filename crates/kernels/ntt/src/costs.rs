//! Times by which the runtime decides when parallel pays. The plan `ntt-x86` measures the products.

use parcrypt_cpu::Backend;

use crate::tuned::roots::Shape;

/// Returns the time of a product in a tuned ring, in ns.
pub(crate) fn product_ns(shape: &Shape, backend: Backend) -> u64 {
    let [small, ml_kem, ml_dsa] = match backend {
        Backend::Avx2 => [60, 130, 590],
        Backend::Avx512 => [40, 70, 230],
        // Estimated from counts, not measured: 1.5 instructions a cycle at 3 GHz.
        Backend::Neon => [410, 1140, 2200],
        // Estimated from counts, not measured: 1350, 3800 and 8700 cycles of a C908 (`riscv/README.md`) at 1.6 GHz, and
        // for ML-KEM the product of transforms.
        Backend::Rvv => [900, 5000, 5500],
        _ => [1000, 2300, 3700],
    };
    match (shape.q, shape.n) {
        (3329, 128) => small,
        (3329, _) => ml_kem,
        _ => ml_dsa,
    }
}

/// Time to convert the three polynomials of a product in `Small` between words of 32 bits and of 16, in ns.
pub(crate) const SMALL_CONVERSION_NS: u64 = 50;
/// Time of the same for ML-KEM's ring, which has twice the coefficients.
pub(crate) const ML_KEM_CONVERSION_NS: u64 = 2 * SMALL_CONVERSION_NS;
/// Time to copy the polynomials of a product in ML-DSA's ring, whose words need no conversion.
pub(crate) const ML_DSA_COPY_NS: u64 = 20;

/// Returns the time of a product of n coefficients in any other ring, in ns: three transforms of log₂(n) layers with
/// n/2 butterflies, and the rest.
pub(crate) fn any_product_ns(n: usize, backend: Backend) -> u64 {
    // Of a butterfly, and of the rest for each coefficient, in ps.
    let [butterfly, coefficient] = match backend {
        Backend::Avx2 => [200, 600],
        Backend::Avx512 => [100, 300],
        // Estimated as above.
        Backend::Neon => [600, 2000],
        _ => [1000, 4000],
    };
    n as u64 * (3 * u64::from(n.trailing_zeros()) * butterfly / 2 + coefficient) / 1000
}

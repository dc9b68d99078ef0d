//! Times by which the runtime decides when parallel pays, in ns. The plan `ntt-x86` measures the products.

/// Time of a product in the ring `Small` with backend `portable`.
pub(crate) const SMALL_PORTABLE_NS: u64 = 1000;
/// Time of a product in ML-KEM's ring with backend `portable`.
pub(crate) const ML_KEM_PORTABLE_NS: u64 = 2300;
/// Time of a product in ML-DSA's ring with backend `portable`.
pub(crate) const ML_DSA_PORTABLE_NS: u64 = 3700;

/// Time of a product in the ring `Small` with backend `avx2`.
#[cfg(target_arch = "x86_64")]
pub(crate) const SMALL_AVX2_NS: u64 = 60;
/// Time of a product in ML-KEM's ring with backend `avx2`.
#[cfg(target_arch = "x86_64")]
pub(crate) const ML_KEM_AVX2_NS: u64 = 130;
/// Time of a product in ML-DSA's ring with backend `avx2`.
#[cfg(target_arch = "x86_64")]
pub(crate) const ML_DSA_AVX2_NS: u64 = 590;

/// Time of a product in the ring `Small` with backend `avx512`.
#[cfg(target_arch = "x86_64")]
pub(crate) const SMALL_AVX512_NS: u64 = 40;
/// Time of a product in ML-KEM's ring with backend `avx512`.
#[cfg(target_arch = "x86_64")]
pub(crate) const ML_KEM_AVX512_NS: u64 = 70;
/// Time of a product in ML-DSA's ring with backend `avx512`.
#[cfg(target_arch = "x86_64")]
pub(crate) const ML_DSA_AVX512_NS: u64 = 230;

// Estimated from counts, not measured: 1.5 instructions a cycle at 3 GHz.
/// Time of a product in the ring `Small` with backend `neon`.
#[cfg(target_arch = "aarch64")]
pub(crate) const SMALL_NEON_NS: u64 = 320;
/// Time of a product in ML-KEM's ring with backend `neon`.
#[cfg(target_arch = "aarch64")]
pub(crate) const ML_KEM_NEON_NS: u64 = 820;
/// Time of a product in ML-DSA's ring with backend `neon`.
#[cfg(target_arch = "aarch64")]
pub(crate) const ML_DSA_NEON_NS: u64 = 1500;

/// Time of a product in the ring `Small` with backend `rvv`, estimated from counts, not measured: 1350 cycles of a C908
/// (`riscv/README.md`) at 1.6 GHz.
#[cfg(target_arch = "riscv64")]
pub(crate) const SMALL_RVV_NS: u64 = 900;
/// Time of a product in ML-KEM's ring with backend `rvv`, estimated in the same way: 3800 cycles, and the product of
/// transforms.
#[cfg(target_arch = "riscv64")]
pub(crate) const ML_KEM_RVV_NS: u64 = 5000;
/// Time of a product in ML-DSA's ring with backend `rvv`, estimated in the same way: 8700 cycles.
#[cfg(target_arch = "riscv64")]
pub(crate) const ML_DSA_RVV_NS: u64 = 5500;

/// Time to convert the three polynomials of a product in `Small` between words of 32 bits and of 16.
pub(crate) const SMALL_CONVERSION_NS: u64 = 50;
/// Time of the same for ML-KEM's ring, which has twice the coefficients.
pub(crate) const ML_KEM_CONVERSION_NS: u64 = 2 * SMALL_CONVERSION_NS;
/// Time to copy the polynomials of a product in ML-DSA's ring, whose words need no conversion.
pub(crate) const ML_DSA_COPY_NS: u64 = 20;

/// Times for rings without kernels of their own, in ps: of a butterfly, and of the rest of a product for each
/// coefficient.
pub(crate) const ANY_PORTABLE_PS: [u64; 2] = [1000, 4000];
/// The same with backend `avx2`.
#[cfg(target_arch = "x86_64")]
pub(crate) const ANY_AVX2_PS: [u64; 2] = [200, 600];
/// The same with backend `avx512`.
#[cfg(target_arch = "x86_64")]
pub(crate) const ANY_AVX512_PS: [u64; 2] = [100, 300];
/// The same with backend `neon`, estimated as above.
#[cfg(target_arch = "aarch64")]
pub(crate) const ANY_NEON_PS: [u64; 2] = [600, 2000];

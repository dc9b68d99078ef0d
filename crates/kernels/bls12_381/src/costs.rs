//! Costs of the operations, in nanoseconds of one thread on a core of 2023.
//!
//! They decide what runs in parallel ([`parcrypt_runtime::Cost`]) and select between ways that give the same result; no
//! result depends on them. Sums are derived from their parts; `cargo run --release -p parcrypt-bls12-381 --example
//! point_costs` prints them beside measured values. The cost of a multi-scalar multiplication is in
//! [`FixedMsm::msm_ns`](crate::FixedMsm::msm_ns), the cost of a transform in [`Domain::fft_ns`](crate::Domain::fft_ns).

use crate::curve::cubes::ROWS;
use crate::dispatch::{FpRow, FrRow, PairingRow};

/// A multiplication in Fr.
pub const FR_PRODUCT_NS: u64 = 17;
/// A multiplication in Fr in one of four lanes of AVX2.
pub(crate) const FR_PRODUCT_AVX2_NS: f64 = 9.0;
/// A multiplication in Fr in one of four lanes of AVX-IFMA: twice the time of one in eight lanes of AVX-512 IFMA.
pub(crate) const FR_PRODUCT_AVX_IFMA_NS: f64 = 5.0;
/// A multiplication in Fr in one of eight lanes of AVX-512.
pub(crate) const FR_PRODUCT_AVX512_NS: f64 = 5.0;
/// A multiplication in Fr in one of eight lanes of AVX-512 IFMA.
pub(crate) const FR_PRODUCT_IFMA_NS: f64 = 2.5;
/// An addition or a subtraction in Fr.
pub const FR_SUM_NS: u64 = 3;
/// Times of a butterfly over Fr (a product, a sum and a difference), and of reading or writing 32 bytes, in products.
const BUTTERFLY_PRODUCTS: f64 = 1.4;
const ENCODING_PRODUCTS: f64 = 1.2;
/// Splitting an element of Fr into its digits of radix 2^c.
pub(crate) const FR_DIGITS_NS: u64 = 300;
/// Reading an element of Fr or a point from anywhere in memory.
pub(crate) const GATHER_NS: u64 = 3;

/// A multiplication in Fp by blst.
pub(crate) const FP_PRODUCT_NS: f64 = 35.0;
/// A multiplication in Fp in one of eight lanes of AVX-512 IFMA.
pub(crate) const FP_PRODUCT_IFMA_NS: f64 = 5.0;
/// An affine addition in a batch, with its operands from memory.
pub(crate) const G1_ADD_BLST_NS: f64 = ADD_PRODUCTS * FP_PRODUCT_NS;
/// The same in four lanes of AVX2.
pub(crate) const G1_ADD_AVX2_NS: f64 = 160.0;
/// The same in eight lanes of AVX-512.
pub(crate) const G1_ADD_AVX512_NS: f64 = 95.0;
/// The same in eight lanes of AVX-512 IFMA.
pub(crate) const G1_ADD_IFMA_NS: f64 = ADD_PRODUCTS * FP_PRODUCT_IFMA_NS + 30.0;
/// An addition of points in Jacobian coordinates by blst: 16 products.
pub const G1_SUM_NS: u64 = (16.0 * FP_PRODUCT_NS) as u64;
/// A constant-time product of a point and a scalar by blst: 127 doublings of 7 products and 52 additions of 16.
pub const G1_PRODUCT_NS: u64 = ((127 * 7 + 52 * 16) as f64 * FP_PRODUCT_NS) as u64;
/// An addition of points of G2: a product in the extension takes three in Fp.
pub const G2_SUM_NS: u64 = 3 * G1_SUM_NS;
/// Decompressing a point of G2 and checking its subgroup by blst.
pub const G2_DECOMPRESS_NS: u64 = 200_000;

/// Products in Fp of an affine addition in a batch: 6, and the inversion that 512 additions share.
const ADD_PRODUCTS: f64 = 6.2;
/// Products in Fp of a decompression without the check of membership: 378 squarings and 38 multiplications for the
/// root.
const ROOT_PRODUCTS: f64 = (378 + 38) as f64;
/// Products in Fp of the check of membership: 126 doublings of 7 products and 10 additions of 11.
const MEMBERSHIP_PRODUCTS: f64 = (126 * 7 + 10 * 11) as f64;
/// Products in Fp of the test for a cube: 388 squarings and 44 multiplications.
const CUBE_PRODUCTS: f64 = (388 + 44) as f64;
/// Products in Fp of a multiplication by a scalar (`msm/glv.rs`): of the table, by 10 affine additions, of 126
/// doublings by 7 products each, and of 38 additions by 11.
const MULTIPLY_PRODUCTS: [f64; 3] = [10.0 * ADD_PRODUCTS, (126 * 7) as f64, (38 * 11) as f64];

/// Costs of the parts of a product of pairings, in ns.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairingCosts {
    /// The lines of a prepared pairing in a Miller loop.
    pub(crate) lines: u64,
    /// The squarings of a Miller loop, which several pairings share.
    pub(crate) squares: u64,
    /// The final exponentiation.
    pub(crate) final_exponentiation: u64,
}

/// Costs with blst.
pub(crate) const PAIRING_BLST: PairingCosts =
    PairingCosts { lines: 70_000, squares: 70_000, final_exponentiation: 220_000 };
/// Costs in four lanes of AVX2.
pub(crate) const PAIRING_AVX2: PairingCosts =
    PairingCosts { lines: 41_000, squares: 48_000, final_exponentiation: 240_000 };
/// Costs in eight lanes of AVX-512 IFMA.
pub(crate) const PAIRING_IFMA: PairingCosts =
    PairingCosts { lines: 15_000, squares: 17_000, final_exponentiation: 84_000 };

/// # Costs
///
/// In nanoseconds of one thread; see [`costs`](crate::costs).
impl PairingRow {
    /// Returns the cost of the Miller loops of this number of pairs that share their squarings.
    pub fn miller_loops_ns(&self, pairs: usize) -> u64 {
        self.costs.squares + pairs as u64 * self.costs.lines
    }

    /// Returns the cost of a product of this number of pairings that share their squarings.
    pub fn product_ns(&self, pairs: usize) -> u64 {
        self.miller_loops_ns(pairs) + self.costs.final_exponentiation
    }
}

/// # Costs
///
/// In nanoseconds for each of many, on one thread; see [`costs`](crate::costs).
impl FrRow {
    /// Returns the cost of this number of products.
    pub fn products_ns(&self, products: usize) -> u64 {
        (products as f64 * self.product_ns) as u64
    }

    /// Returns the cost of a transform of this number of elements, a power of two.
    pub fn transform_ns(&self, elements: usize) -> u64 {
        let butterflies = elements / 2 * elements.max(1).ilog2() as usize;
        (butterflies as f64 * BUTTERFLY_PRODUCTS * self.product_ns) as u64
    }

    /// Returns the cost of reading or writing the 32 bytes of this number of elements.
    pub fn encodings_ns(&self, elements: usize) -> u64 {
        (elements as f64 * ENCODING_PRODUCTS * self.product_ns) as u64
    }
}

/// # Costs
///
/// In nanoseconds for each of many, on one thread; see [`costs`](crate::costs).
impl FpRow {
    /// Returns the cost of an affine addition in a batch, with its operands from memory.
    pub fn add_ns(&self) -> f64 {
        self.add_ns
    }

    /// Returns the cost of decompressing a point of G1 and checking that it is in the subgroup.
    pub fn decompress_ns(&self) -> f64 {
        self.root_ns() + self.membership_ns()
    }

    /// Returns the cost of decompressing a point of the curve.
    pub(crate) fn root_ns(&self) -> f64 {
        ROOT_PRODUCTS * self.product_ns
    }

    /// Returns the cost of checking that a point is in G1.
    pub(crate) fn membership_ns(&self) -> f64 {
        MEMBERSHIP_PRODUCTS * self.product_ns
    }

    /// Returns the cost of testing whether an element is a cube.
    pub(crate) fn cube_ns(&self) -> f64 {
        CUBE_PRODUCTS * self.product_ns
    }

    /// Returns the cost of multiplying the products of all rows by powers of an element, which in lanes is one product
    /// for two elements: half of the time goes to choosing it.
    pub(crate) fn weighted_ns(&self) -> f64 {
        ROWS as f64 * 0.65 * self.product_ns
    }

    /// Returns the cost of multiplying a point of G1 by a scalar.
    pub fn multiply_ns(&self) -> f64 {
        MULTIPLY_PRODUCTS.iter().sum::<f64>() * self.product_ns
    }

    /// Returns the cost of the sum of this number of points times scalars that have a part of all digits: each vector
    /// has doublings of its own, and without lanes all points share them.
    pub(crate) fn few_ns(&self, points: usize, part: f64) -> f64 {
        let [table, doublings, additions] = MULTIPLY_PRODUCTS;
        let filled = points.next_multiple_of(self.decompress_lanes) as f64;
        let doubled = if self.decompress_lanes == 1 { 1.0 } else { filled };
        (filled * (table + part * additions) + doubled * part * doublings) * self.product_ns
    }
}

//! Costs of the operations, of one thread on a core of 2023.
//!
//! They decide what runs in parallel ([`parcrypt_runtime::Cost`]) and select between ways that give the same result; no
//! result depends on them. A row of [`dispatch`](crate::dispatch) holds its costs. Sums are derived from their parts;
//! `cargo run --release -p parcrypt-bls12-381 --example point_costs` prints most of them next to measured
//! times; affine additions are timed only within sums of many points.

use parcrypt_runtime::Cost;

/// A multiplication in Fr by blst.
pub const FR_PRODUCT: Cost = Cost::ns(17);
/// An addition or a subtraction in Fr.
pub const FR_SUM: Cost = Cost::ns(3);
/// Splitting an element of Fr into its digits of radix 2^c.
pub(crate) const FR_DIGITS: Cost = Cost::ns(300);
/// Reading an element of Fr or a point from anywhere in memory.
pub(crate) const GATHER: Cost = Cost::ns(3);
/// A coin of a batched check of membership: a few bytes of a hash, and a place in a list; in ns.
pub(crate) const COIN_NS: f64 = 20.0;

/// The sum of many products of a point and a scalar by blst, and each of them, in ns.
pub(crate) const BLST_MSM_NS: [f64; 2] = [100_000.0, 15_000.0];
/// A multiplication in Fp by blst, in ns.
const FP_PRODUCT_NS: f64 = 35.0;
/// An addition of points in Jacobian coordinates by blst: 16 products.
pub(crate) const G1_SUM: Cost = Cost::ns((16.0 * FP_PRODUCT_NS) as u64);
/// A constant-time product of a point and a scalar by blst: 127 doublings of 7 products and 52 additions of 16.
pub const G1_PRODUCT: Cost = Cost::ns(((127 * 7 + 52 * 16) as f64 * FP_PRODUCT_NS) as u64);
/// An addition of points of G2: a product in the extension takes three in Fp.
pub(crate) const G2_SUM: Cost = Cost::ns(3 * G1_SUM.as_ns());
/// Decompressing a point of G2 and checking its subgroup by blst.
pub const G2_DECOMPRESSION: Cost = Cost::ns(200_000);

/// Products in Fp of an affine addition in a batch: 6, and the inversion that 512 additions share.
const ADD_PRODUCTS: f64 = 6.2;

/// Costs of arithmetic in Fp and G1 with one backend, for each of many, in ns.
#[derive(Clone, Copy, Debug)]
pub struct FpCosts {
    /// A multiplication in Fp.
    pub(crate) product: f64,
    /// An affine addition in a batch, with its operands from memory.
    pub(crate) add: f64,
    /// Number of points that are decompressed in the time of one.
    pub(crate) lanes: usize,
    /// A multiplication in Fp in a multiplication by a scalar.
    scalar_product: f64,
    /// Number of points that are multiplied by scalars in the time of one.
    scalar_lanes: usize,
}

impl FpCosts {
    pub(crate) const BLST: FpCosts = FpCosts::new(FP_PRODUCT_NS, ADD_PRODUCTS * FP_PRODUCT_NS, 1);
    /// Additions and validation in two lanes, and the rest by blst, in WebAssembly: the times of a product, and
    /// estimates from them. There these only select between ways of computing.
    #[cfg(target_feature = "simd128")]
    pub(crate) const SIMD128: FpCosts =
        FpCosts { scalar_product: 270.0, scalar_lanes: 1, ..FpCosts::new(80.0, ADD_PRODUCTS * 80.0, 2) };
    /// Additions and validation in four lanes, and the rest by blst.
    pub(crate) const AVX2: FpCosts = FpCosts { product: 24.0, add: 160.0, lanes: 4, ..FpCosts::BLST };
    /// Additions and validation in eight lanes, and the rest by blst.
    pub(crate) const AVX512: FpCosts = FpCosts { product: 13.0, add: 95.0, lanes: 8, ..FpCosts::BLST };
    /// Four lanes, twice the time of eight.
    pub(crate) const AVX_IFMA: FpCosts = FpCosts::new(10.0, ADD_PRODUCTS * 10.0 + 30.0, 4);
    /// Eight lanes.
    pub(crate) const IFMA: FpCosts = FpCosts::new(5.0, ADD_PRODUCTS * 5.0 + 30.0, 8);

    const fn new(product: f64, add: f64, lanes: usize) -> Self {
        FpCosts { product, add, lanes, scalar_product: product, scalar_lanes: lanes }
    }

    /// Returns the cost of this number of affine additions in a batch.
    pub fn additions(&self, count: usize) -> Cost {
        ns(count as f64 * self.add)
    }

    /// Returns the cost of multiplying a point of G1 by a scalar.
    pub fn multiplication(&self) -> Cost {
        ns(MULTIPLY_PRODUCTS.iter().sum::<f64>() * self.scalar_product)
    }

    /// Returns the time to decompress a point of the curve: 378 squarings and 38 multiplications for the root.
    pub(crate) fn root(&self) -> f64 {
        (378 + 38) as f64 * self.product
    }

    /// Returns the time to check that a point is in G1: 126 doublings of 7 products and 10 additions of 11.
    pub(crate) fn membership(&self) -> f64 {
        (126 * 7 + 10 * 11) as f64 * self.product
    }

    /// Returns the time of the sum of this number of points times scalars that have a part of all digits: each vector
    /// has doublings of its own, and without lanes all points share them.
    pub(crate) fn few(&self, points: usize, part: f64) -> f64 {
        let [table, doublings, additions] = MULTIPLY_PRODUCTS;
        let filled = points.next_multiple_of(self.scalar_lanes) as f64;
        let doubled = if self.scalar_lanes == 1 { 1.0 } else { filled };
        (filled * (table + part * additions) + doubled * part * doublings) * self.scalar_product
    }
}

/// Products in Fp of a multiplication by a scalar (`msm/glv.rs`): of the table, by 10 affine additions, of 126
/// doublings by 7 products each, and of 38 additions by 11.
const MULTIPLY_PRODUCTS: [f64; 3] = [10.0 * ADD_PRODUCTS, (126 * 7) as f64, (38 * 11) as f64];

/// Costs of arithmetic in Fr with one backend, for each of many.
#[derive(Clone, Copy, Debug)]
pub struct FrCosts {
    /// A multiplication, in ns.
    product: f64,
    /// A term of a sum of products, in ns. Limbs of 52 bits reduce such a sum once.
    term: f64,
}

impl FrCosts {
    pub(crate) const BLST: FrCosts =
        FrCosts { product: FR_PRODUCT.as_ns() as f64, term: (FR_PRODUCT.as_ns() + FR_SUM.as_ns()) as f64 };
    #[cfg(target_feature = "simd128")]
    pub(crate) const SIMD128: FrCosts = FrCosts { product: 45.0, term: 45.0 };
    pub(crate) const AVX2: FrCosts = FrCosts { product: 9.0, term: 9.0 };
    /// Twice the time of eight lanes of AVX-512 IFMA.
    pub(crate) const AVX_IFMA: FrCosts = FrCosts { product: 5.0, term: 3.0 };
    pub(crate) const AVX512: FrCosts = FrCosts { product: 5.0, term: 5.0 };
    pub(crate) const IFMA: FrCosts = FrCosts { product: 2.5, term: 1.5 };

    /// Returns the cost of this number of products.
    pub fn products(&self, count: usize) -> Cost {
        ns(count as f64 * self.product)
    }

    /// Returns the cost of sums of products, with this number of terms in all.
    pub fn terms(&self, count: usize) -> Cost {
        ns(count as f64 * self.term)
    }

    /// Returns the cost of a transform of this number of elements, a power of two.
    pub fn transform(&self, elements: usize) -> Cost {
        /// Time of a butterfly (a product, a sum and a difference), in products.
        const BUTTERFLY: f64 = 1.4;
        let butterflies = elements / 2 * elements.max(1).ilog2() as usize;
        ns(butterflies as f64 * BUTTERFLY * self.product)
    }

    /// Returns the cost of reading or writing the 32 bytes of this number of elements.
    pub fn encodings(&self, elements: usize) -> Cost {
        /// Time of one, in products.
        const ENCODING: f64 = 1.2;
        ns(elements as f64 * ENCODING * self.product)
    }
}

/// Costs of the parts of a product of pairings with one backend, in ns.
#[derive(Clone, Copy, Debug)]
pub struct PairingCosts {
    /// The lines of a prepared pairing in a Miller loop.
    lines: u64,
    /// The squarings of a Miller loop, which several pairings share.
    squares: u64,
    final_exponentiation: u64,
    /// Whether points that are used once are prepared too, because blst's Miller loop would take longer; not measured
    /// in WebAssembly.
    pub(crate) prepares_once: bool,
}

impl PairingCosts {
    pub(crate) const BLST: PairingCosts =
        PairingCosts { lines: 70_000, squares: 70_000, final_exponentiation: 220_000, prepares_once: false };
    #[cfg(target_feature = "simd128")]
    pub(crate) const SIMD128: PairingCosts = PairingCosts {
        lines: 300_000,
        squares: 350_000,
        final_exponentiation: 1_500_000,
        prepares_once: true,
    };
    pub(crate) const AVX2: PairingCosts =
        PairingCosts { lines: 41_000, squares: 48_000, final_exponentiation: 240_000, prepares_once: false };
    /// Twice the times of eight lanes.
    pub(crate) const AVX_IFMA: PairingCosts =
        PairingCosts { lines: 30_000, squares: 34_000, final_exponentiation: 168_000, prepares_once: true };
    pub(crate) const AVX512: PairingCosts =
        PairingCosts { lines: 50_000, squares: 50_000, final_exponentiation: 240_000, prepares_once: false };
    pub(crate) const IFMA: PairingCosts =
        PairingCosts { lines: 15_000, squares: 17_000, final_exponentiation: 84_000, prepares_once: true };

    /// Returns the cost of the Miller loops of this number of pairs that share their squarings.
    pub(crate) fn miller_loops(&self, pairs: usize) -> Cost {
        Cost::ns(self.squares) + pairs * Cost::ns(self.lines)
    }

    /// Returns the cost of a product of this number of pairings that share their squarings.
    pub fn product(&self, pairs: usize) -> Cost {
        self.miller_loops(pairs) + Cost::ns(self.final_exponentiation)
    }
}

/// Returns the cost of this many nanoseconds.
pub(crate) fn ns(ns: f64) -> Cost {
    Cost::ns(ns as u64)
}

//! The extension Fp4 = Fp2\[s\] / (s² − ξ) of the base field, with the four coefficients of an element in four lanes.
//!
//! An element is x₀ + x₁·i + (x₂ + x₃·i)·s, where i² = −1 and ξ = 1 + i. A vector of eight lanes has one element in
//! each half, or the same in both. Formulas compute [`Two`] elements at once: in one vector of eight lanes, or in two
//! vectors of four.

use parcrypt_simd::Call;

use super::Words;
use super::fp::{Element, Factor, FpLimbs, MAX_COUNT, Order, above, order};
use crate::field::fp::{self, power_of_two};

/// An element between two operations.
pub(crate) type Reduced<F> = Element<F, 1, 1>;

const IN_ORDER: u32 = order([0, 1, 2, 3]);
const SWAP_FP: u32 = order([1, 0, 3, 2]);
const SWAP_FP2: u32 = order([2, 3, 0, 1]);
const SWAP_BOTH: u32 = order([3, 2, 1, 0]);

/// Lanes of the first coefficients of both halves, of the second ones, and so on.
const FIRST: u8 = 0b0001_0001;
const SECOND: u8 = FIRST << 1;
const THIRD: u8 = FIRST << 2;

/// The upper half of eight lanes.
const HIGH: u8 = 0b1111_0000;

impl<F: FpLimbs, const L: u64, const K: u64> Element<F, L, K> {
    /// Returns the lanes in the order `FROM`, plus or minus (in the lanes of the masks) the lanes in the order `MORE`.
    #[inline(always)]
    fn combined<
        const FROM: u32,
        const MORE: u32,
        const PLUS: u8,
        const MINUS: u8,
        const LO: u64,
        const KO: u64,
    >(
        &self,
    ) -> Element<F, LO, KO> {
        const { assert!(LO > 2 * L && KO > 2 * K && PLUS & MINUS == 0 && LO * F::LIMB < F::ROOM) };
        let (above, limbs) = (const { above::<F>(L, K) }, self.0.all());
        let mut sums = [F::Word::all(0); MAX_COUNT];
        // The body is too large to be inlined as a closure.
        for i in 0..F::COUNT {
            let more = limbs[i].permute::<MORE>();
            let added =
                F::Word::all(0).select::<PLUS>(more).select::<MINUS>(F::Word::all(above[i]).minus(more));
            sums[i] = limbs[i].permute::<FROM>().plus(added);
        }
        Element(F::each(|i| sums[i]))
    }

    /// Returns i times the element.
    #[inline(always)]
    pub(crate) fn i_times<const LO: u64, const KO: u64>(&self) -> Element<F, LO, KO> {
        self.permuted::<SWAP_FP>().negative_in(FIRST | THIRD)
    }

    /// Returns s times the element.
    #[inline(always)]
    pub(crate) fn s_times<const LO: u64, const KO: u64>(&self) -> Element<F, LO, KO> {
        self.combined::<SWAP_FP2, SWAP_BOTH, SECOND, FIRST, LO, KO>()
    }

    /// Returns the element below 2·p.
    #[inline(always)]
    pub(crate) fn reduced(&self) -> Reduced<F> {
        const { assert!(K * F::VALUE <= F::MAX_REDUCED && L * F::LIMB < F::ROOM) };
        Element(F::formula(Reduce(&self.0)))
    }
}

impl<F: FpLimbs, const K: u64> Element<F, 1, K> {
    /// Returns the multiples by 1, i, s and i·s.
    #[inline(always)]
    pub(crate) fn multiples(&self) -> [Factor<F, 4, 6>; 4] {
        const { assert!(K <= 2) };
        let x: Element<F, 1, 2> = self.widen();
        let i: Element<F, 2, 3> = x.i_times();
        let s: Element<F, 3, 5> = x.s_times();
        let i_s: Element<F, 4, 6> = s.i_times();
        [x.factor().widen(), i.factor().widen(), s.factor().widen(), i_s.factor()]
    }
}

impl<F: FpLimbs> Reduced<F> {
    /// Returns 1.
    #[inline(always)]
    pub(crate) fn one() -> Self {
        Self::constant(&const { power_of_two(F::R) }).only_in(FIRST)
    }

    /// Returns the square.
    ///
    /// Its coefficients are (x₀ + x₁)·(x₀ − x₁) + (x₂ − x₃)·x₂ − (x₂ + x₃)·x₃, 2·x₀·x₁ + (x₂ + x₃)·x₂ + (x₂ − x₃)·x₃,
    /// 2·x₀·x₂ − 2·x₃·x₁ and 2·x₀·x₃ + 2·x₂·x₁: at most three products in each lane.
    #[inline(always)]
    pub(crate) fn square(&self) -> Element<F, 3, 1> {
        F::formula(Square(self))
    }
}

/// Orders of lanes by which the second and the third vector of a square are multiplied.
struct InSquare;

impl Order for InSquare {
    #[inline(always)]
    fn ordered<W: Words>(vector: &W, product: usize) -> W {
        match product {
            0 => *vector,
            1 => vector.permute::<{ order([2, 2, 1, 1]) }>(),
            _ => vector.permute::<{ order([3; 4]) }>(),
        }
    }
}

/// One lane of each four for each product.
struct EachLane;

impl Order for EachLane {
    #[inline(always)]
    fn ordered<W: Words>(vector: &W, lane: usize) -> W {
        match lane {
            _ if W::LANES == 4 => vector.broadcast(lane),
            0 => vector.permute::<{ order([0; 4]) }>(),
            1 => vector.permute::<{ order([1; 4]) }>(),
            2 => vector.permute::<{ order([2; 4]) }>(),
            _ => vector.permute::<{ order([3; 4]) }>(),
        }
    }
}

impl<F: FpLimbs> Element<F, 4, 4> {
    /// Returns the square of an element that is in both halves: each coefficient has two products, one in each half.
    #[inline(always)]
    pub(crate) fn square_of_same(&self) -> Element<F, 5, 5> {
        if F::LANES == 4 {
            return self.reduced().square().widen();
        }
        // E = (x₂ + x₃)·(x₂ − x₃), F = 2·x₃·x₂, 2·x₃·x₁ and 2·x₂·x₁ are in the upper half; the coefficients are
        // (x₀ + x₁)·(x₀ − x₁) + E − F, 2·x₀·x₁ + F + E, 2·x₀·x₂ − 2·x₃·x₁ and 2·x₀·x₃ + 2·x₂·x₁.
        let a: Element<F, 8, 8> = self.permuted::<0o2332_0000>().plus(&self.permuted::<0o2333_0001>());
        let b: Element<F, 9, 9> = self.combined::<0o1122_3210, 0o0003_0001, 0, FIRST, 9, 9>();
        let products = a.carried().product(&b.carried());
        let high = products.permuted::<0o7654_7654>();
        // E − F, F + E
        let both: Element<F, 3, 3> = high.combined::<IN_ORDER, SWAP_FP, SECOND, FIRST, 3, 3>();
        let both: Element<F, 4, 4> = both.negative_in(THIRD);
        products.permuted::<0o3210_3210>().plus(&both)
    }
}

/// The calls of [`Two::import_times`] and [`Two::export`] for a vector.
struct Import<'a, F> {
    words: &'a [&'a fp::Words; 8],
    factor: &'a Reduced<F>,
}

impl<F: FpLimbs> Call for Import<'_, F> {
    type Result = Reduced<F>;

    #[inline(always)]
    fn call(self) -> Reduced<F> {
        Reduced::from_words(&F::Word::gather(self.words)).factor().product(&self.factor.carried())
    }
}

struct Export<'a, F, const L: u64, const K: u64>(&'a Element<F, L, K>);

impl<F: FpLimbs, const L: u64, const K: u64> Call for Export<'_, F, L, K> {
    type Result = [fp::Words; 8];

    #[inline(always)]
    fn call(self) -> [fp::Words; 8] {
        let factor = Reduced::constant(&const { power_of_two(384) });
        let product = self.0.carried().product(&factor.factor()).canonical().to_words();
        let mut words = [[0; 6]; 8];
        F::Word::scatter(product, &mut words);
        words
    }
}

/// The call of [`FpLimbs::reduced`].
struct Reduce<'a, F>(&'a F);

impl<F: FpLimbs> Call for Reduce<'_, F> {
    type Result = F;

    #[inline(always)]
    fn call(self) -> F {
        self.0.reduced()
    }
}

/// The call of [`Element::square`].
struct Square<'a, F>(&'a Reduced<F>);

impl<F: FpLimbs> Call for Square<'_, F> {
    type Result = Element<F, 3, 1>;

    #[inline(always)]
    fn call(self) -> Element<F, 3, 1> {
        let x = self.0;
        let (x0, x0_or_1) = (x.permuted::<{ order([0; 4]) }>(), x.permuted::<{ order([1, 0, 0, 0]) }>());
        let a: Element<F, 2, 2> = x0.plus(&x0_or_1);
        let b: Element<F, 3, 3> = x.combined::<IN_ORDER, SWAP_FP, 0, FIRST, 3, 3>();
        // x₂ − x₃, x₂ + x₃, 2·x₃ and 2·x₂
        let c: Element<F, 3, 3> =
            x.combined::<{ order([2, 2, 3, 2]) }, { order([3, 3, 3, 2]) }, { !FIRST }, FIRST, 3, 3>();
        let d: Element<F, 4, 4> = c.permuted::<SWAP_FP>().only_in(FIRST | SECOND).negative_in(FIRST);
        let c: Element<F, 4, 4> = c.negative_in(THIRD);
        const { assert!(3 * 2 + 2 * 4 <= F::MAX_LIMBS && 4 <= F::MAX_LIMB && 3 * F::LIMB < F::ROOM) };
        const { assert!(3 * 2 + 2 * 4 <= F::MAX_VALUES) };
        let (a, b, c, d, x) = (a.factor(), b.factor(), c.factor(), d.factor(), x.factor());
        Element(F::sum_of_products::<InSquare, 3>([[&b.0, &a.0], [&c.0, &x.0], [&d.0, &x.0]]))
    }
}

/// The coefficients of x and of y in a line x + s + y·w².
pub(crate) type Line<F> = Factor<F, 1, 1>;

/// The call for p·x + q·y + `more` with the coefficients of a line.
pub(crate) struct LineProduct<'a, F> {
    pub(crate) p: &'a Reduced<F>,
    pub(crate) q: &'a Element<F, 3, 3>,
    pub(crate) line: &'a Line<F>,
    pub(crate) more: &'a Element<F, 3, 3>,
}

impl<F: FpLimbs> Call for LineProduct<'_, F> {
    type Result = Reduced<F>;

    #[inline(always)]
    fn call(self) -> Reduced<F> {
        let (i_p, i_q): (Element<F, 2, 2>, Element<F, 4, 4>) = (self.p.i_times(), self.q.i_times());
        let multiples =
            [self.p.factor().widen(), i_p.factor().widen(), self.q.factor().widen(), i_q.factor()];
        let sum: Element<F, 7, 4> = dot::<F, 4, 4, 1>(&multiples, self.line).plus(self.more);
        sum.reduced()
    }
}

/// Returns the sum of the products of four vectors and the coefficients of a factor.
#[inline(always)]
pub(crate) fn dot<F: FpLimbs, const L: u64, const K: u64, const K2: u64>(
    [a, b, c, d]: &[Factor<F, L, K>; 4],
    factor: &Factor<F, 1, K2>,
) -> Element<F, 4, 1> {
    const { assert!(4 * L <= F::MAX_LIMBS && L <= F::MAX_LIMB && 4 * K * K2 <= F::MAX_VALUES) };
    let factor = &factor.0;
    Element(F::sum_of_products::<EachLane, 4>([
        [&a.0, factor],
        [&b.0, factor],
        [&c.0, factor],
        [&d.0, factor],
    ]))
}

/// Two elements, in one vector of eight lanes or in two vectors of four. A single operand is in both halves of a vector
/// of eight lanes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Two<F, const N: usize, const L: u64, const K: u64>(pub(crate) [Element<F, L, K>; N]);

impl<F: FpLimbs, const N: usize, const L: u64, const K: u64> Two<F, N, L, K> {
    /// Returns 0 and 0.
    #[inline(always)]
    pub(crate) fn zero() -> Self {
        const { assert!(N * F::LANES == 8) };
        Two([Element::zero(); N])
    }

    /// Returns these elements.
    #[inline(always)]
    pub(crate) fn new(low: &Element<F, L, K>, high: &Element<F, L, K>) -> Self {
        let mut two = Two([*low; N]);
        two.0[N - 1] = if N == 2 { *high } else { low.select(HIGH, high) };
        two
    }

    /// Returns the same elements with weaker bounds.
    #[inline(always)]
    pub(crate) fn widen<const L2: u64, const K2: u64>(&self) -> Two<F, N, L2, K2> {
        let mut out = Two::zero();
        for (out, a) in out.0.iter_mut().zip(&self.0) {
            *out = a.widen();
        }
        out
    }

    /// Returns the first element.
    #[inline(always)]
    pub(crate) fn low(&self) -> Element<F, L, K> {
        if N == 2 { self.0[0] } else { self.0[0].permuted::<0o3210_3210>() }
    }

    /// Returns the second element.
    #[inline(always)]
    pub(crate) fn high(&self) -> Element<F, L, K> {
        if N == 2 { self.0[1] } else { self.0[0].permuted::<0o7654_7654>() }
    }

    /// Returns the sum of both elements.
    #[inline(always)]
    pub(crate) fn sum<const LO: u64, const KO: u64>(&self) -> Element<F, LO, KO> {
        if N == 2 { self.0[0].plus(&self.0[1]) } else { self.0[0].plus(&self.0[0].permuted::<0o3210_7654>()) }
    }

    /// Returns self + other.
    #[inline(always)]
    pub(crate) fn plus<const L2: u64, const K2: u64, const LO: u64, const KO: u64>(
        &self,
        other: &Two<F, N, L2, K2>,
    ) -> Two<F, N, LO, KO> {
        let mut sums = Two::zero();
        for (sum, (a, b)) in sums.0.iter_mut().zip(self.0.iter().zip(&other.0)) {
            *sum = a.plus(b);
        }
        sums
    }

    /// Returns −self in the lanes of a mask, self in the others.
    #[inline(always)]
    pub(crate) fn negative_in<const LO: u64, const KO: u64>(&self, mask: u8) -> Two<F, N, LO, KO> {
        let mut out = Two::zero();
        for (i, (out, a)) in out.0.iter_mut().zip(&self.0).enumerate() {
            *out = a.negative_in(mask >> (i * F::LANES));
        }
        out
    }

    /// Returns the elements below 2·p.
    #[inline(always)]
    pub(crate) fn reduced(&self) -> Two<F, N, 1, 1> {
        let mut out = Two::zero();
        for (out, a) in out.0.iter_mut().zip(&self.0) {
            *out = a.reduced();
        }
        out
    }

    /// Returns the coefficients in the Montgomery form of blst.
    #[inline(always)]
    pub(crate) fn export(&self) -> [fp::Words; 8] {
        let mut words = [[0; 6]; 8];
        for (a, words) in self.0.iter().zip(words.chunks_mut(F::LANES)) {
            words.copy_from_slice(&F::formula(Export(a))[..F::LANES]);
        }
        words
    }
}

impl<F: FpLimbs, const N: usize> Two<F, N, 1, 1> {
    /// Returns the elements with these coefficients, in the Montgomery form of blst.
    #[inline(always)]
    pub(crate) fn import(words: [&fp::Words; 8]) -> Self {
        let factor = Reduced::constant(&const { power_of_two(2 * F::R - 384) });
        Self::import_times(words, &Two([factor; N]))
    }

    /// Returns the factor of [`Two::import_times`] with these coefficients, in the Montgomery form of blst.
    #[inline(always)]
    pub(crate) fn import_factor(words: [&fp::Words; 8]) -> Self {
        let factor = Reduced::constant(&const { power_of_two(3 * F::R - 2 * 384) });
        Self::import_times(words, &Two([factor; N]))
    }

    /// Returns the elements with these coefficients, in the Montgomery form of blst, times the factor's coefficients,
    /// lane by lane.
    #[inline(always)]
    pub(crate) fn import_times(words: [&fp::Words; 8], factors: &Self) -> Self {
        let [a, b, c, d, e, f, g, h] = words;
        let mut out = Two::zero();
        for (i, (out, factor)) in out.0.iter_mut().zip(&factors.0).enumerate() {
            let words = if i == 0 { words } else { [e, f, g, h, a, b, c, d] };
            *out = F::formula(Import { words: &words, factor });
        }
        out
    }

    /// Returns the squares.
    #[inline(always)]
    pub(crate) fn squares(&self) -> Two<F, N, 3, 1> {
        let mut squares = Two::zero();
        for (square, a) in squares.0.iter_mut().zip(&self.0) {
            *square = a.square();
        }
        squares
    }
}

impl<F: FpLimbs, const N: usize> Two<F, N, 2, 2> {
    /// Returns the products by an element.
    #[inline(always)]
    pub(crate) fn times(&self, x: &Reduced<F>) -> Two<F, N, 4, 1> {
        let multiples = x.multiples();
        let mut products = Two::zero();
        for (product, a) in products.0.iter_mut().zip(&self.0) {
            *product = dot(&multiples, &a.carried());
        }
        products
    }

    /// Returns the products of the first elements and of the second ones.
    #[inline(always)]
    pub(crate) fn times_each(&self, other: &Self) -> Two<F, N, 4, 1> {
        let mut products = Two::zero();
        for (product, (a, b)) in products.0.iter_mut().zip(self.0.iter().zip(&other.0)) {
            *product = dot(&a.carried().element().multiples(), &b.carried());
        }
        products
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::array;
    use std::marker::PhantomData;

    use ark_bls12_381::{Fq, Fq2};
    use ark_ff::{AdditiveGroup, BigInt, Field};
    use blst::blst_fp12;
    use parcrypt_cpu::{Backend, Row};
    use parcrypt_testkit::rand::Rng;
    use parcrypt_testkit::{rng, skip};

    use super::*;
    use crate::constants::P;
    use crate::costs::PairingCosts;
    use crate::curve::final_exponentiation::hard_part_compressed;
    use crate::curve::miller_loop::Pair;
    use crate::dispatch::{self, PairingFunctions, PairingRow};
    use crate::lanes::fp::limbs28::Limbs28;
    use crate::lanes::fp::limbs52::Limbs52;
    use crate::lanes::fp::tests::{Lane, element, lanes_within, power_of_two, values};
    use crate::lanes::pairing::{self, PairingLanes};

    /// The models as backends, with limbs of each size, with the hard part in lanes and not.
    #[derive(Debug)]
    struct Model<F, const N: usize>(PhantomData<fn() -> F>);

    impl<F: FpLimbs + 'static, const N: usize> PairingLanes for Model<F, N> {
        fn miller_loops(&self, pairs: &[Pair]) -> blst_fp12 {
            pairing::miller_loops::<F, N>(pairs)
        }

        fn hard_part(&self, g: &blst_fp12) -> blst_fp12 {
            match F::BITS {
                28 => hard_part_compressed(g, &pairing::squares::<F, N>),
                _ => pairing::hard_part_in_lanes::<F, N>(g),
            }
        }
    }

    const fn model<F: FpLimbs + 'static, const N: usize>(model: &'static Model<F, N>) -> PairingRow {
        Row::new(Backend::Portable, PairingFunctions::in_lanes(model, PairingCosts::BLST))
    }

    static MODELS: [PairingRow; 4] = [
        model(&Model::<Limbs28<[u64; 4]>, 2>(PhantomData)),
        model(&Model::<Limbs28<[u64; 8]>, 1>(PhantomData)),
        model(&Model::<Limbs52<[u64; 4]>, 2>(PhantomData)),
        model(&Model::<Limbs52<[u64; 8]>, 1>(PhantomData)),
    ];

    /// Returns all rows that can run here, and the models; says which cannot.
    pub(crate) fn rows() -> Vec<&'static PairingRow> {
        let mut rows: Vec<_> = MODELS.iter().collect();
        for backend in dispatch::PAIRING_BACKENDS {
            match dispatch::select_pairing((*backend).into()) {
                Ok(row) => rows.push(row),
                Err(why) => skip("parcrypt-bls12-381", backend.name(), &why.to_string()),
            }
        }
        rows
    }

    /// An element of Fp4.
    type Fq4 = [Fq2; 2];

    /// Returns the product in Fp4, by its definition.
    fn product([a, b]: Fq4, [c, d]: Fq4) -> Fq4 {
        [a * c + Fq2::new(Fq::ONE, Fq::ONE) * b * d, a * d + b * c]
    }

    fn sum([a, b]: Fq4, [c, d]: Fq4) -> Fq4 {
        [a + c, b + d]
    }

    /// Returns both elements of lanes that begin with the first.
    #[inline(always)]
    fn two<F: FpLimbs, const N: usize, const L: u64, const K: u64>(lanes: &[Lane]) -> Two<F, N, L, K> {
        let mut two = Two::zero();
        for (vector, lanes) in two.0.iter_mut().zip(lanes.chunks(F::LANES)) {
            *vector = element(lanes);
        }
        two
    }

    /// Returns both elements, after a check of the bounds.
    #[inline(always)]
    fn elements<F: FpLimbs, const N: usize, const L: u64, const K: u64>(two: &Two<F, N, L, K>) -> [Fq4; 2] {
        let mut lanes = Vec::new();
        for vector in &two.0 {
            lanes.extend(values(vector));
        }
        array::from_fn(|i| array::from_fn(|j| Fq2::new(lanes[4 * i + 2 * j], lanes[4 * i + 2 * j + 1])))
    }

    /// Returns the element, which is the same in both halves if there are two.
    #[inline(always)]
    fn same<F: FpLimbs, const L: u64, const K: u64>(element: &Element<F, L, K>) -> Fq4 {
        let lanes = values(element);
        assert!(lanes.chunks(4).all(|half| *half == lanes[..4]));
        [Fq2::new(lanes[0], lanes[1]), Fq2::new(lanes[2], lanes[3])]
    }

    /// Checks products and squares, and all operations without products, with arkworks as the oracle.
    #[inline(always)]
    pub(crate) fn fp4_agrees_with_arkworks<F: FpLimbs, const N: usize>() {
        let mut rng = rng();
        let rng = &mut rng;
        let (all, wide) = (lanes_within::<F>(rng, 1, 1), lanes_within::<F>(rng, 2, 2));
        let third = lanes_within::<F>(rng, 3, 3);
        for step in 0..32 {
            let pick = |list: &[Lane], stride: usize| -> Vec<Lane> {
                // The first cases have extremes in all lanes at once.
                (0..8).map(|i| list[if step == 0 { 1 } else { (step + i * stride) % 64 }].clone()).collect()
            };
            let x: Two<F, N, 1, 1> = two(&pick(&all, 1));
            linear(&x);
            let (y, z): (Two<F, N, 2, 2>, Two<F, N, 2, 2>) = (two(&pick(&wide, 3)), two(&pick(&wide, 5)));
            let q: Two<F, N, 3, 3> = two(&pick(&third, 7));
            products(&x, &y, &z, &q);
        }
        for _ in 0..20 {
            let given: [fp::Words; 9] = array::from_fn(|_| {
                let mut words: fp::Words = rng.random();
                words[5] %= P[5];
                words
            });
            let eight: [&fp::Words; 8] = array::from_fn(|i| &given[i]);
            assert_eq!(Two::<F, N, 1, 1>::import(eight).export().each_ref(), eight);
            let factor = Two::<F, N, 1, 1>::import_factor([&given[8]; 8]);
            let found = Two::import_times(eight, &factor).export();
            let value = |words: &fp::Words| Fq::from(BigInt(*words));
            let scaled = |words| value(words) * value(&given[8]) * power_of_two(384).inverse().unwrap();
            assert_eq!(found.each_ref().map(value), eight.map(scaled));
        }
        let one = Fq2::new(power_of_two(F::R), Fq::ZERO);
        assert_eq!(same(&Reduced::<F>::one()), [one, Fq2::ZERO]);
    }

    /// Checks operations with products, which divide by 2^R.
    #[inline(always)]
    fn products<F: FpLimbs, const N: usize>(
        x: &Two<F, N, 1, 1>,
        y: &Two<F, N, 2, 2>,
        z: &Two<F, N, 2, 2>,
        q: &Two<F, N, 3, 3>,
    ) {
        let r = Fq2::new(power_of_two(F::R), Fq::ZERO);
        let times_r = |x: Fq4| x.map(|x| x * r);
        let ([a, b], [c, d], [e, f], [g, h]) = (elements(x), elements(y), elements(z), elements(q));
        assert_eq!(elements(&x.squares()).map(times_r), [product(a, a), product(b, b)]);
        assert_eq!(times_r(same(&x.low().widen().square_of_same())), product(a, a));
        assert_eq!(elements(&y.times(&x.high())).map(times_r), [product(c, b), product(d, b)]);
        assert_eq!(elements(&y.times_each(z)).map(times_r), [product(c, e), product(d, f)]);
        let line = x.low();
        let mut found: Two<F, N, 1, 1> = Two::zero();
        for (i, found) in found.0.iter_mut().enumerate() {
            let (p, q) = (&x.0[i], &q.0[i]);
            *found = LineProduct { p, q, line: &line.carried(), more: q }.call();
        }
        let expected = |p: Fq4, q: Fq4| {
            let both = sum(product(p, [a[0], Fq2::ZERO]), product(q, [a[1], Fq2::ZERO]));
            sum(both, times_r(q))
        };
        assert_eq!(elements(&found).map(times_r), [expected(a, g), expected(b, h)]);
    }

    /// Checks operations without products.
    #[inline(always)]
    fn linear<F: FpLimbs, const N: usize>(x: &Two<F, N, 1, 1>) {
        let [a, b] = elements(x);
        let (s, i) = ([Fq2::ZERO, Fq2::ONE], [Fq2::new(Fq::ZERO, Fq::ONE), Fq2::ZERO]);
        assert_eq!(same(&x.low().s_times::<3, 3>()), product(s, a));
        assert_eq!(same(&x.high().i_times::<2, 2>()), product(i, b));
        assert_eq!([same(&x.low()), same(&x.high())], [a, b]);
        assert_eq!(elements(&Two::<F, N, 1, 1>::new(&x.high(), &x.low())), [b, a]);
        assert_eq!(same(&x.sum::<2, 2>()), sum(a, b));
        assert_eq!(elements(&x.plus::<1, 1, 2, 2>(x)), [sum(a, a), sum(b, b)]);
        assert_eq!(elements(&x.widen::<2, 2>().reduced()), [a, b]);
        assert_eq!(elements(&x.negative_in::<2, 2>(0b1100_0011)), [[-a[0], a[1]], [b[0], -b[1]]]);
        for (multiple, by) in x.low().multiples().iter().zip([[Fq2::ONE, Fq2::ZERO], i, s, product(i, s)]) {
            assert_eq!(same(&multiple.element()), product(by, a));
        }
    }

    #[test]
    fn fp4_of_the_models_agrees_with_arkworks() {
        fp4_agrees_with_arkworks::<Limbs28<[u64; 4]>, 2>();
        fp4_agrees_with_arkworks::<Limbs28<[u64; 8]>, 1>();
        fp4_agrees_with_arkworks::<Limbs52<[u64; 4]>, 2>();
        fp4_agrees_with_arkworks::<Limbs52<[u64; 8]>, 1>();
    }
}

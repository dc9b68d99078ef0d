//! The extension Fp4 = Fp2\[s\] / (s² − ξ) of the base field, with the four coefficients of an element in four lanes.
//!
//! An element is x₀ + x₁·i + (x₂ + x₃·i)·s, where i² = −1 and ξ = 1 + i. The product by y is the sum of y₀·x,
//! y₁·(i·x), y₂·(s·x) and y₃·(i·s·x), four products lane by lane, whose columns are added up before one reduction
//! ([`fp`](super::fp)).

use super::fp::limbs28::{BITS, COUNT, Limbs, Limbs28, Words28, last_shift};
use super::fp::{Constant, Element, FpLimbs, constant, split};
use crate::field::fp::{self, power_of_two};

/// Vectors of four lanes.
pub(crate) trait Fp4Words: Words28 {
    /// Returns the vector of these words.
    #[inline(always)]
    fn of_lanes(words: [u64; 4]) -> Self {
        Self::load(&words)
    }

    /// Returns one lane in all lanes.
    #[inline(always)]
    fn splat(&self, lane: usize) -> Self {
        self.broadcast(lane)
    }

    /// Returns lanes 1, 0, 3, 2.
    #[inline(always)]
    fn swap(self) -> Self {
        self.exchange::<1>()
    }

    /// Returns lanes 2, 3, 0, 1.
    #[inline(always)]
    fn swap_halves(self) -> Self {
        self.exchange::<2>()
    }

    /// Returns the lanes with lanes 0 and 2 of the other.
    #[inline(always)]
    fn with_even(self, other: Self) -> Self {
        self.select::<0b0101>(other)
    }

    /// Returns the lanes with lanes 0 and 1 of the other.
    #[inline(always)]
    fn with_low(self, other: Self) -> Self {
        self.select::<0b0011>(other)
    }

    /// Returns the sum of the products of each four multiples and the coefficients of a factor, divided by 2^392.
    #[inline(always)]
    fn uncarried_dot<const N: usize>(
        multiples: &[[&Limbs<Self>; 4]; N],
        factors: &[&Limbs<Self>; N],
    ) -> Limbs<Self> {
        let mut sums = [Self::all(0); COUNT];
        #[allow(clippy::needless_range_loop, reason = "the limb of each factor")]
        for limb in 0..COUNT {
            for (i, multiple) in multiples.as_flattened().iter().enumerate() {
                Self::add_products(&mut sums, multiple, factors[i / 4][limb].splat(i % 4));
            }
            if limb < COUNT - 1 {
                Self::shift(&mut sums);
            }
        }
        last_shift(&mut sums);
        sums
    }
}

/// Four coefficients.
pub(crate) type Fp4<W, const L: u64, const K: u64> = Element<Limbs28<W>, L, K>;

/// An element between two operations.
pub(crate) type Reduced<W> = Fp4<W, 1, 1>;

/// An element times 1, i, s and i·s, or a factor of all of these.
pub(crate) type Multiples<W, const L: u64> = [Fp4<W, L, 4>; 4];

impl<W: Fp4Words, const L: u64, const K: u64> Fp4<W, L, K> {
    #[inline(always)]
    fn swap_halves(&self) -> Self {
        Element(Limbs28::each(|i| self.0.0[i].swap_halves()))
    }

    /// Returns lanes 0 and 1, and 0 in the others.
    #[inline(always)]
    fn low(&self) -> Self {
        Element(Limbs28::each(|i| W::all(0).with_low(self.0.0[i])))
    }
}

impl<W: Fp4Words> Reduced<W> {
    /// Returns 1.
    #[inline(always)]
    pub(crate) fn one() -> Self {
        Element(Limbs28::each(|i| W::of_lanes([POWERS.one[i], 0, 0, 0])))
    }

    /// Returns the element with these coefficients in the Montgomery form of blst, divided by 2^8.
    #[inline(always)]
    fn of_words(words: [&fp::Words; 4]) -> Fp4<W, 1, 1> {
        let [u, v, w, x] = words;
        let word = |i: usize| W::of_lanes([u[i], v[i], w[i], x[i]]);
        Element::from_words(&[word(0), word(1), word(2), word(3), word(4), word(5)])
    }

    /// Returns the element with these coefficients, in the Montgomery form of blst.
    #[inline(always)]
    pub(crate) fn import(words: [&fp::Words; 4]) -> Self {
        Self::import_times(words, &Element(constant(&POWERS.import)))
    }

    /// Returns the element with these coefficients, in the Montgomery form of blst, times those of a factor for it,
    /// lane by lane.
    #[inline(always)]
    pub(crate) fn import_times(words: [&fp::Words; 4], factor: &Self) -> Self {
        products(&Self::of_words(words), factor)
    }

    /// Returns the factor of [`Fp4::import_times`] with these coefficients, in the Montgomery form of blst.
    #[inline(always)]
    pub(crate) fn import_factor(words: [&fp::Words; 4]) -> Self {
        Self::import_times(words, &Element(constant(&POWERS.import_factor)))
    }

    /// Returns the coefficients in the Montgomery form of blst.
    #[inline(always)]
    pub(crate) fn export(&self) -> [fp::Words; 4] {
        let element = products(self, &Element(constant(&POWERS.export)));
        let mut words = [[0; 6]; 4];
        for (i, limb) in element.0.all().iter().enumerate() {
            let mut lanes = [0; 4];
            limb.store(&mut lanes);
            let (word, bit) = (i * BITS as usize / 64, i * BITS as usize % 64);
            for (words, limb) in words.iter_mut().zip(lanes) {
                words[word] |= limb << bit;
                // The highest limb ends before the last word does.
                if bit + BITS as usize > 64 && word < 5 {
                    words[word + 1] |= limb >> (64 - bit);
                }
            }
        }
        // Below 2·p.
        words.map(|words| fp::add(&words, &[0; 6]))
    }

    /// Returns the multiples by 1, i, s and i·s.
    #[inline(always)]
    pub(crate) fn multiples(&self) -> Multiples<W, 4> {
        let negative: Fp4<W, 2, 2> = self.negative();
        let i: Fp4<W, 2, 2> =
            Element(Limbs28::each(|limb| self.0.0[limb].swap().with_even(negative.0.0[limb].swap())));
        let s: Fp4<W, 3, 3> = self.swap_halves().plus(&i.swap_halves().low());
        let i_s: Fp4<W, 4, 4> = i.swap_halves().plus(&negative.swap_halves().low());
        [self.widen(), i.widen(), s.widen(), i_s]
    }

    /// Returns the multiples by 1, i, s and i·s, and those by s, i·s, s² and i·s².
    #[inline(always)]
    pub(crate) fn s_multiples(&self) -> [Multiples<W, 4>; 2] {
        let multiples = self.multiples();
        let negative: Fp4<W, 2, 2> = self.negative();
        // s² is 1 + i, and i·s² is i − 1. `multiples` returned the one by i within these bounds.
        let i: Fp4<W, 2, 2> = Element(multiples[1].0);
        let (xi, i_xi): (Fp4<W, 3, 3>, Fp4<W, 4, 4>) = (i.plus(self), i.plus(&negative));
        [multiples, [multiples[2], multiples[3], xi.widen(), i_xi]]
    }

    /// Returns 2·x̄, where the bar changes the sign of s.
    #[inline(always)]
    pub(crate) fn twice_conjugate(&self) -> Fp4<W, 4, 4> {
        let negative: Fp4<W, 2, 2> = self.negative();
        let conjugate: Fp4<W, 2, 2> = Element(Limbs28::each(|i| negative.0.0[i].with_low(self.0.0[i])));
        conjugate.plus(&conjugate)
    }

    /// Returns −2·x̄.
    #[inline(always)]
    pub(crate) fn minus_twice_conjugate(&self) -> Fp4<W, 4, 4> {
        let negative: Fp4<W, 2, 2> = self.negative();
        let conjugate: Fp4<W, 2, 2> = Element(Limbs28::each(|i| self.0.0[i].with_low(negative.0.0[i])));
        conjugate.plus(&conjugate)
    }
}

/// Returns the sum of the products of each four multiples and the coefficients of a factor, divided by 2^392, plus
/// `more`.
#[inline(always)]
pub(crate) fn dot<
    W: Fp4Words,
    const N: usize,
    const L: u64,
    const LF: u64,
    const K: u64,
    const LM: u64,
    const KM: u64,
>(
    multiples: [[&Fp4<W, L, 4>; 4]; N],
    factors: [&Fp4<W, LF, K>; N],
    more: &Fp4<W, LM, KM>,
) -> Reduced<W> {
    const {
        let products = 4 * N as u64;
        let (limbs, values) = (products * L * LF, products * 4 * K);
        assert!(limbs <= Limbs28::<W>::MAX_LIMBS && values <= Limbs28::<W>::MAX_VALUES && LM <= 15 && KM <= 7)
    };
    let multiples = multiples.map(|multiples| multiples.map(|multiple| &multiple.0.0));
    let factors = factors.map(|factor| &factor.0.0);
    let sums = W::uncarried_dot(&multiples, &factors);
    Element(end_of_reduction(sums, &more.0.0))
}

/// Returns the products, lane by lane, divided by 2^392.
#[inline(always)]
fn products<W: Fp4Words>(a: &Reduced<W>, b: &Reduced<W>) -> Reduced<W> {
    Element(end_of_reduction(W::uncarried_product(&a.0.0, &b.0.0), &[W::all(0); COUNT]))
}

/// Returns sums and `more` below 2·p, in limbs of 28 bits.
#[inline(always)]
fn end_of_reduction<W: Fp4Words>(mut sums: Limbs<W>, more: &Limbs<W>) -> Limbs28<W> {
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum = sum.plus(*more);
    }
    Limbs28(sums).reduced()
}

/// Exponent of the factor of the Montgomery form.
const R: i32 = <Limbs28<[u64; 4]>>::R;

/// Powers of two modulo p, in limbs.
struct Powers {
    /// 2^392: 1.
    one: Constant,
    /// 2^400: with it a number times 2^384 becomes one times 2^392.
    import: Constant,
    /// 2^408: with it one times 2^384 becomes one times 2^400.
    import_factor: Constant,
    /// 2^384: with it one times 2^392 becomes one times 2^384.
    export: Constant,
}

const POWERS: Powers = Powers {
    one: split::<Limbs28<[u64; 4]>>(&power_of_two(R)),
    import: split::<Limbs28<[u64; 4]>>(&power_of_two(2 * R - 384)),
    import_factor: split::<Limbs28<[u64; 4]>>(&power_of_two(3 * R - 2 * 384)),
    export: split::<Limbs28<[u64; 4]>>(&power_of_two(384)),
};

#[cfg(test)]
pub(in crate::lanes) mod bounds;

#[cfg(test)]
pub(crate) mod tests {
    use std::array;

    use ark_bls12_381::Fq;
    use blst::blst_fp12;
    use parcrypt_cpu::{Backend, Row};
    use parcrypt_testkit::rand::{Rng, RngCore};
    use parcrypt_testkit::{rng, skip};

    use super::*;
    use crate::constants::P;
    use crate::costs::PairingCosts;
    use crate::curve::final_exponentiation::hard_part_compressed;
    use crate::curve::miller_loop::Pair;
    use crate::dispatch::{self, PairingFunctions, PairingRow};
    use crate::lanes::fp::tests::{self, Lane, element, values};
    use crate::lanes::pairing::{self, PairingLanes};
    use crate::tower::Fp2;

    /// Four lanes in plain Rust: the model of the others.
    impl Fp4Words for [u64; 4] {}

    /// The model as a backend.
    impl PairingLanes for () {
        fn miller_loops(&self, pairs: &[Pair]) -> blst_fp12 {
            pairing::miller_loops::<[u64; 4]>(pairs)
        }

        fn hard_part(&self, g: &blst_fp12) -> blst_fp12 {
            hard_part_compressed(g, &pairing::squares::<[u64; 4]>)
        }
    }

    static MODEL: PairingRow =
        Row::new(Backend::Portable, PairingFunctions::in_lanes(&(), PairingCosts::BLST));

    /// Returns all rows that can run here, and the models; says which cannot.
    pub(crate) fn rows() -> Vec<&'static PairingRow> {
        let mut rows = vec![&MODEL];
        #[cfg(target_arch = "x86_64")]
        rows.push(&crate::arch::x86_64::ifma::pairing::tests::MODEL);
        for backend in dispatch::PAIRING_BACKENDS {
            match dispatch::select_pairing((*backend).into()) {
                Ok(row) => rows.push(row),
                Err(why) => skip("parcrypt-bls12-381", backend.name(), &why.to_string()),
            }
        }
        rows
    }

    /// Returns limbs within the bounds.
    fn lanes_within(rng: &mut impl RngCore, l: u64, k: u64) -> Vec<Lane> {
        tests::lanes_within::<Limbs28<[u64; 4]>>(rng, l, k)
    }

    /// Checks a sum of N products of random and extreme limbs.
    #[inline(always)]
    fn sums<
        W: Fp4Words,
        const N: usize,
        const L: u64,
        const LF: u64,
        const K: u64,
        const LM: u64,
        const KM: u64,
    >(
        rng: &mut impl RngCore,
    ) {
        let (x, y, more) = (lanes_within(rng, L, 4), lanes_within(rng, LF, K), lanes_within(rng, LM, KM));
        let factor = tests::power_of_two(R);
        // The first are all extremes at once.
        for step in 0..12 {
            let pick = |list: &[Lane], stride: usize| -> Vec<Lane> {
                let index = |i| if step == 0 { 1 } else { (step * 4 + i * stride) % 64 };
                (0..16 * N).map(|i| list[index(i)].clone()).collect()
            };
            let (a, b, c) = (pick(&x, 1), pick(&y, 7), pick(&more, 5));
            let multiples: [[Fp4<W, L, 4>; 4]; N] =
                array::from_fn(|i| array::from_fn(|j| element(&a[16 * i + 4 * j..])));
            let factors: [Fp4<W, LF, K>; N] = array::from_fn(|i| element(&b[4 * i..]));
            let given = multiples.each_ref().map(|four| four.each_ref());
            let found = values(&dot(given, factors.each_ref(), &element::<_, LM, KM>(&c)));
            let integer = |lane: &Lane| tests::integer::<Limbs28<W>>(lane);
            for lane in 0..4 {
                let products = (0..4 * N).map(|i| integer(&a[4 * i + lane]) * integer(&b[i]));
                let expected = integer(&c[lane]) * factor + products.sum::<Fq>();
                assert_eq!(found[lane] * factor, expected, "4 · {N} products, lane {lane}");
            }
        }
    }

    /// Checks operations of vectors with those of the model, and all others with plain arithmetic.
    #[inline(always)]
    pub(crate) fn fp4_agrees_with_the_tower<W: Fp4Words>() {
        let mut rng = rng();
        let rng = &mut rng;
        let stored = |vector: W| {
            let mut words = [0; 4];
            vector.store(&mut words);
            words
        };
        for _ in 0..20 {
            let (a, b): ([u64; 4], [u64; 4]) = (rng.random(), rng.random());
            let (x, y) = (W::of_lanes(a), W::of_lanes(b));
            assert_eq!(stored(x), a);
            assert_eq!([0, 1, 2, 3].map(|lane| stored(x.splat(lane))), a.map(|w| [w; 4]));
            assert_eq!([x.swap(), x.swap_halves()].map(stored), [a.swap(), a.swap_halves()]);
            assert_eq!([x.with_even(y), x.with_low(y)].map(stored), [a.with_even(b), a.with_low(b)]);
        }
        sums::<W, 1, 4, 1, 2, 1, 4>(rng);
        sums::<W, 1, 4, 1, 9, 4, 4>(rng);
        sums::<W, 2, 2, 1, 4, 1, 2>(rng);
        sums::<W, 4, 1, 1, 2, 15, 7>(rng);
        let (x, y) = (lanes_within(rng, 1, 1), lanes_within(rng, 1, 1));
        for (x, y) in x.chunks(4).zip(y.chunks(4).rev()) {
            let (x, y): (Reduced<W>, Reduced<W>) = (element(x), element(y));
            let (found, a, b) = (values(&products(&x, &y)), values(&x), values(&y));
            let expected = (0..4).map(|lane| a[lane] * b[lane]);
            assert!(found.into_iter().map(|found| found * tests::power_of_two(R)).eq(expected));
            multiples_are_products(&x);
        }
        for _ in 0..20 {
            let [a, b, c, d, factor]: [fp::Words; 5] = array::from_fn(|_| {
                let mut words: fp::Words = rng.random();
                words[5] %= P[5];
                words
            });
            let given = [&a, &b, &c, &d];
            let imported = Reduced::<W>::import(given);
            assert_eq!(imported.export().each_ref(), given);
            let factors = Reduced::<W>::import_factor([&factor; 4]);
            let mut expected = [Fp2::of_words([a, b]), Fp2::of_words([c, d])];
            for element in &mut expected {
                let given = *element;
                element.set_scaled(&given, &factor);
            }
            let found = Reduced::<W>::import_times(given, &factors).export();
            assert_eq!(found.each_ref().to_vec(), expected.iter().flat_map(Fp2::words).collect::<Vec<_>>());
        }
        let one = Reduced::<W>::one().export();
        assert_eq!(one, [power_of_two(384), [0; 6], [0; 6], [0; 6]]);
    }

    /// Checks the multiples, by the definition of products in Fp4.
    #[inline(always)]
    fn multiples_are_products<W: Fp4Words>(x: &Reduced<W>) {
        let [a, b, c, d]: [Fq; 4] = values(x).try_into().unwrap();
        let multiples = x.multiples();
        let expected = [[a, b, c, d], [-b, a, -d, c], [c - d, c + d, a, b], [-(c + d), c - d, -b, a]];
        assert_eq!(multiples.each_ref().map(values), expected);
        let xi = [a - b, a + b, c - d, c + d];
        let i_xi = [-xi[1], xi[0], -xi[3], xi[2]];
        let [again, s_multiples] = x.s_multiples();
        assert_eq!(again.each_ref().map(values), expected);
        assert_eq!(s_multiples.each_ref().map(values), [expected[2], expected[3], xi, i_xi]);
        let [a, b, c, d] = [a, b, c, d].map(|word| word + word);
        assert_eq!(values(&x.twice_conjugate()), [a, b, -c, -d]);
        assert_eq!(values(&x.minus_twice_conjugate()), [-a, -b, c, d]);
    }

    #[test]
    fn quads_of_the_model_are_right() {
        fp4_agrees_with_the_tower::<[u64; 4]>();
    }
}

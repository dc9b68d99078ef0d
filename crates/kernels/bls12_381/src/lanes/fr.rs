//! Elements of Fr in lanes, in limbs.
//!
//! All limbs together have some bits more than r, which let sums and differences go without any reduction until they
//! are multiplied. In Montgomery form an element is times 2^s, where s is the number of bits of all limbs.

use super::combination::TERMS;
use super::{MAX_LANES, Words};
use crate::Fr;
use crate::constants::R;
use crate::field::limbs;

/// An integer in each lane, as limbs of a certain size, in vectors of an instruction set.
pub(crate) trait Limbs: Copy + std::fmt::Debug {
    /// A vector of one limb in each lane.
    type Word: Words;
    /// The number of lanes.
    const LANES: usize = Self::Word::LANES;
    /// Number of limbs.
    const COUNT: usize;
    /// Bits of a limb.
    const BITS: u32;
    /// A limb of ones.
    const MASK: u64 = (1 << Self::BITS) - 1;
    /// A product of factors below A·r and B·r is below 2·r where A·B is at most this: 2^(COUNT·BITS) / r, rounded down.
    const MAX: u64;

    /// Returns limbs by their numbers.
    fn each(limb: impl Fn(usize) -> Self::Word) -> Self;

    /// Returns the limbs, the lowest first.
    fn all(&self) -> &[Self::Word];

    /// Returns the limbs, the lowest first.
    fn all_mut(&mut self) -> &mut [Self::Word];

    /// Returns the bits of each limb above the lowest BITS.
    fn above(limb: Self::Word) -> Self::Word;

    /// Returns the limbs of words, the least significant first.
    fn from_words(words: [Self::Word; 4]) -> Self;

    /// Returns the limbs of words times 2^(COUNT·BITS − 256), which is at most 32.
    fn from_shifted_words(words: [Self::Word; 4]) -> Self;

    /// Returns the words, the least significant first, of limbs up to MASK.
    fn to_words(self) -> [Self::Word; 4];

    /// Returns a·b / 2^(COUNT·BITS) modulo r, plus `more`, in limbs up to MASK, where those of a are at most L·MASK, of
    /// b L2·MASK, and of `more` 7·MASK.
    fn product<const L: u64, const L2: u64>(a: &Self, b: &Self, more: &Self) -> Self;

    /// Returns a² / 2^(COUNT·BITS) modulo r, in limbs up to MASK as those of a.
    fn square(a: &Self) -> Self;

    /// Returns Σ a_i·b_i / 2^(COUNT·BITS) modulo r, below 3·r, in limbs up to MASK, for at most
    /// [`TERMS`](super::combination::TERMS) factors below r, a in limbs up to MASK and b in words that are the same in
    /// all lanes.
    #[inline(always)]
    fn dot(a: &[Self], b: &[Fr]) -> Self {
        debug_assert!(a.len() == b.len() && a.len() <= TERMS);
        let mut sum = Self::each(|_| Self::Word::all(0));
        // Each product adds less than 2·r to what was reduced to 2·r.
        for (a, b) in a.chunks(8).zip(b.chunks(8)) {
            for (a, b) in a.iter().zip(b) {
                sum = Self::product::<1, 1>(a, &Self::from_words(b.words().map(Self::Word::all)), &sum);
            }
            sum = sum.reduced();
        }
        sum
    }

    /// Returns limbs up to 7·MASK of integers up to 32·r, less a multiple of r that leaves less than 2·r, in limbs up
    /// to MASK.
    fn reduced(&self) -> Self;
}

/// The largest number of limbs.
pub(super) const MAX_COUNT: usize = 9;

/// Constants, in limbs of which there may be more than a size has; these are 0.
pub(crate) type Constant = [u64; MAX_COUNT];

/// r.
pub(crate) const fn modulus<V: Limbs>() -> Constant {
    limbs::<V>(&R)
}

/// 2^(COUNT·BITS) − r.
pub(crate) const fn minus_modulus<V: Limbs>() -> Constant {
    limbs::complement(&modulus::<V>(), V::COUNT, V::BITS)
}

/// Returns the limbs of an integer below 2^256.
pub(crate) const fn limbs<V: Limbs>(words: &[u64; 4]) -> Constant {
    limbs::split(words, V::COUNT, V::BITS)
}

/// Returns (k + 1)·r, of which limbs up to l·MASK of what is below k·r are subtracted without a borrow.
const fn above<V: Limbs>(l: u64, k: u64) -> Constant {
    limbs::above(&modulus::<V>(), V::COUNT, V::BITS, l, k)
}

/// Carries the bits above BITS of each limb but the highest to the next one.
#[inline(always)]
pub(crate) fn carry<V: Limbs>(limbs: &mut [V::Word]) {
    let mask = V::Word::all(V::MASK);
    for i in 1..limbs.len() {
        limbs[i] = limbs[i].plus(V::above(limbs[i - 1]));
        limbs[i - 1] = limbs[i - 1].and(mask);
    }
}

/// Returns the words of the element's Montgomery form.
pub(crate) fn montgomery_words<V: Limbs>(element: Fr) -> [u64; 4] {
    // That of `Fr` is times 2^256.
    *(element * Fr::from(1 << (V::COUNT as u32 * V::BITS - 256))).words()
}

/// An element, or the integer of an encoding: each lane is below K·r, and each limb at most L·MASK.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element<V, const L: u64, const K: u64>(V);

impl<V: Limbs> Element<V, 1, 32> {
    /// Returns the same element in all lanes, in Montgomery form.
    #[inline(always)]
    pub(crate) fn constant(element: Fr) -> Self {
        // That of `Fr` is times 2^256.
        let [a, b, c, d] = element.words();
        let all = V::Word::all;
        Element(V::from_shifted_words([all(*a), all(*b), all(*c), all(*d)]))
    }
}

impl<V: Limbs> Element<V, 1, 1> {
    /// Returns the element of these words in all lanes.
    #[inline(always)]
    pub(crate) fn all([a, b, c, d]: &[u64; 4]) -> Self {
        let all = V::Word::all;
        Self::from_words([all(*a), all(*b), all(*c), all(*d)])
    }

    /// Returns the element of each lane from its words: all lanes of the first word, then all of the second.
    #[inline(always)]
    pub(crate) fn load(words: &[u64]) -> Self {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| &words[i * V::LANES..]);
        let load = V::Word::load;
        Self::from_words([load(a), load(b), load(c), load(d)])
    }

    /// Returns the integers of four words, least significant first, which are below r.
    #[inline(always)]
    pub(crate) fn from_words(words: [V::Word; 4]) -> Self {
        Element(V::from_words(words))
    }

    /// Returns the integers as four words, least significant first.
    #[inline(always)]
    pub(crate) fn to_words(self) -> [V::Word; 4] {
        self.0.to_words()
    }
}

impl<V: Limbs> Element<V, 1, 2> {
    /// Returns the element below r.
    #[inline(always)]
    pub(crate) fn canonical(&self) -> Element<V, 1, 1> {
        let (limbs, minus) = (self.0.all(), const { minus_modulus::<V>() });
        let mut less = [V::Word::all(0); MAX_COUNT];
        for i in 0..V::COUNT {
            less[i] = limbs[i].plus(V::Word::all(minus[i]));
        }
        carry::<V>(&mut less[..V::COUNT]);
        // Without a carry beyond the highest limb the element is below r already.
        let last = V::COUNT - 1;
        let keep = V::above(less[last]).minus(V::Word::all(1));
        less[last] = less[last].and(V::Word::all(V::MASK));
        Element(V::each(|i| less[i].plus(limbs[i].minus(less[i]).and(keep))))
    }
}

impl<V: Limbs> Element<V, 1, 3> {
    /// Returns Σ a_i·b_i / 2^(COUNT·BITS), as [`Limbs::dot`] does.
    #[inline(always)]
    pub(crate) fn dot(a: &[V], b: &[Fr]) -> Self {
        Element(V::dot(a, b))
    }
}

impl<V: Limbs, const L: u64, const K: u64> Element<V, L, K> {
    /// Returns 0.
    #[inline(always)]
    pub(crate) fn none() -> Self {
        Element(V::each(|_| V::Word::all(0)))
    }

    /// Returns the same element with weaker bounds.
    #[inline(always)]
    pub(crate) fn widen<const L2: u64, const K2: u64>(self) -> Element<V, L2, K2> {
        const { assert!(L2 >= L && K2 >= K) };
        Element(self.0)
    }

    /// Returns self + other.
    #[inline(always)]
    pub(crate) fn plus<const L2: u64, const K2: u64, const LO: u64, const KO: u64>(
        &self,
        other: &Element<V, L2, K2>,
    ) -> Element<V, LO, KO> {
        const { assert!(LO >= L + L2 && KO >= K + K2 && LO <= 7) };
        let (a, b) = (self.0.all(), other.0.all());
        Element(V::each(|i| a[i].plus(b[i])))
    }

    /// Returns self − other.
    #[inline(always)]
    pub(crate) fn minus<const L2: u64, const K2: u64, const LO: u64, const KO: u64>(
        &self,
        other: &Element<V, L2, K2>,
    ) -> Element<V, LO, KO> {
        const { assert!(LO > L + L2 && KO > K + K2 && LO <= 7) };
        let above = const { above::<V>(L2, K2) };
        let (a, b) = (self.0.all(), other.0.all());
        Element(V::each(|i| a[i].plus(V::Word::all(above[i]).minus(b[i]))))
    }

    /// Returns self · other / 2^(COUNT·BITS) + more.
    #[inline(always)]
    pub(crate) fn times_plus<const L2: u64, const K2: u64, const L3: u64, const K3: u64, const KO: u64>(
        &self,
        other: &Element<V, L2, K2>,
        more: &Element<V, L3, K3>,
    ) -> Element<V, 1, KO> {
        const { assert!(K * K2 <= V::MAX && KO >= 2 + K3 && KO <= V::MAX && L3 <= 7) };
        Element(V::product::<L, L2>(&self.0, &other.0, &more.0))
    }

    /// Returns self · other / 2^(COUNT·BITS).
    #[inline(always)]
    pub(crate) fn times<const L2: u64, const K2: u64>(&self, other: &Element<V, L2, K2>) -> Element<V, 1, 2> {
        self.times_plus(other, &Element::<V, 0, 0>(V::each(|_| V::Word::all(0))))
    }

    /// Returns the element less a multiple of r.
    #[inline(always)]
    pub(crate) fn reduced(&self) -> Element<V, 1, 2> {
        const { assert!(K <= 32 && L <= 7) };
        Element(self.0.reduced())
    }
}

impl<V: Limbs, const K: u64> Element<V, 1, K> {
    /// Returns self² / 2^(COUNT·BITS).
    #[inline(always)]
    pub(crate) fn squared(&self) -> Element<V, 1, 2> {
        const { assert!(K * K <= V::MAX) };
        Element(V::square(&self.0))
    }

    /// Writes the integer of each lane modulo r.
    pub(crate) fn store(&self, elements: &mut [Fr]) {
        let mut words = vec![0; V::COUNT * V::LANES];
        self.0.all().iter().zip(words.chunks_mut(V::LANES)).for_each(|(limb, words)| limb.store(words));
        let base = Fr::from(1 << V::BITS);
        for (lane, element) in elements.iter_mut().enumerate() {
            let limbs = words.iter().skip(lane).step_by(V::LANES);
            *element = limbs.rev().fold(Fr::zero(), |value, limb| value * base + Fr::from(*limb));
        }
    }
}

/// Transposes a square: lane j of element i becomes lane i of element j.
#[inline(always)]
pub(crate) fn transpose<V: Limbs, const L: u64, const K: u64>(square: &mut [Element<V, L, K>]) {
    for limb in 0..V::COUNT {
        let mut vectors = [V::Word::all(0); MAX_LANES];
        for (vector, element) in vectors.iter_mut().zip(square.iter()) {
            *vector = element.0.all()[limb];
        }
        V::Word::transpose(&mut vectors[..square.len()]);
        for (vector, element) in vectors.iter().zip(square.iter_mut()) {
            element.0.all_mut()[limb] = *vector;
        }
    }
}

#[cfg(test)]
mod bounds;

#[cfg(test)]
pub(crate) mod tests {
    use parcrypt_testkit::rand::{Rng, RngCore};
    use parcrypt_testkit::rng;

    use super::*;
    use crate::lanes::limbs29::{Limbs29, Words29};

    /// Limbs of one lane.
    type Lane = Vec<u64>;

    /// Returns the factor of the Montgomery form.
    fn montgomery_factor<V: Limbs>() -> Fr {
        Fr::from(2).pow_vartime(V::COUNT as u64 * u64::from(V::BITS))
    }

    /// Returns the integer modulo r.
    fn value<V: Limbs>(lane: &[u64]) -> Fr {
        lane.iter().rev().fold(Fr::zero(), |sum, limb| sum * Fr::from(1 << V::BITS) + Fr::from(*limb))
    }

    /// Returns limbs within the bounds: extreme ones, and others.
    fn lanes_within<V: Limbs>(rng: &mut impl RngCore, l: u64, k: u64) -> Vec<Lane> {
        let r = &modulus::<V>()[..V::COUNT];
        let each = |limb: &mut dyn FnMut(usize) -> u64| -> Lane { (0..V::COUNT).map(limb).collect() };
        // With a highest limb up to this, the value is below k·r whatever the others are.
        let most = each(&mut |i| if i + 1 < V::COUNT { l * V::MASK } else { k * r[i] - l });
        let mut all = vec![vec![0; V::COUNT], most.clone(), r.to_vec()];
        all.extend((0..V::COUNT).map(|i| each(&mut |j| if j == i { most[j] } else { 0 })));
        all.extend((0..V::COUNT).map(|i| each(&mut |j| if j == i { 0 } else { most[j] })));
        all.extend((0..40).map(|_| each(&mut |i| rng.random_range(0..=most[i]))));
        all.extend((0..20).map(|_| each(&mut |i| if rng.random() { most[i] } else { most[i] & 7 })));
        all.truncate(all.len() / 8 * 8);
        all
    }

    #[inline(always)]
    fn element<V: Limbs, const L: u64, const K: u64>(lanes: &[Lane]) -> Element<V, L, K> {
        Element(V::each(|i| {
            let words: Vec<u64> = lanes.iter().map(|lane| lane[i]).collect();
            V::Word::load(&words)
        }))
    }

    /// Returns the values of all lanes, after a check of the bounds.
    #[inline(always)]
    fn values<V: Limbs, const L: u64, const K: u64>(element: &Element<V, L, K>) -> Vec<Fr> {
        let mut words = vec![0; V::COUNT * V::LANES];
        for (limb, words) in element.0.all().iter().zip(words.chunks_mut(V::LANES)) {
            limb.store(words);
        }
        let mut all = Vec::new();
        for lane in 0..V::LANES {
            let limbs: Lane = words.iter().skip(lane).step_by(V::LANES).copied().collect();
            assert!(limbs.iter().all(|limb| *limb <= L * V::MASK), "{limbs:x?}");
            // Of carried limbs the highest says how large the value is.
            let highest = modulus::<V>()[V::COUNT - 1];
            assert!(L > 1 || limbs[V::COUNT - 1] <= K * (highest + 1), "{limbs:x?}");
            all.push(value::<V>(&limbs));
        }
        all
    }

    #[inline(always)]
    fn product<V: Limbs, const L: u64, const K: u64, const L2: u64, const K2: u64>(rng: &mut impl RngCore) {
        let (all, other, more) =
            (lanes_within::<V>(rng, L, K), lanes_within::<V>(rng, L2, K2), lanes_within::<V>(rng, 7, 30));
        let over = montgomery_factor::<V>().inverse().unwrap();
        for step in 0..3 * all.len() / V::LANES {
            let pick = |list: &[Lane], stride: usize| -> Vec<Lane> {
                (0..V::LANES)
                    .map(|lane| list[(step * V::LANES + lane) * stride % list.len()].clone())
                    .collect()
            };
            let (a, b, c) = (pick(&all, 1), pick(&other, 7), pick(&more, 11));
            let (x, y) = (element::<V, L, K>(&a), element::<V, L2, K2>(&b));
            let expected = |lane: usize| value::<V>(&a[lane]) * value::<V>(&b[lane]) * over;
            let found = values(&x.times(&y));
            assert!(found.iter().enumerate().all(|(lane, found)| *found == expected(lane)));
            let found = values(&x.times_plus::<L2, K2, 7, 30, 32>(&y, &element(&c)));
            assert!(found.iter().enumerate().all(|(lane, v)| *v == expected(lane) + value::<V>(&c[lane])));
        }
    }

    #[inline(always)]
    fn one_operand<V: Limbs, const K: u64>(rng: &mut impl RngCore) {
        for lanes in lanes_within::<V>(rng, 1, K).chunks(V::LANES) {
            let x = element::<V, 1, K>(lanes);
            assert_eq!(values(&x), lanes.iter().map(|lane| value::<V>(lane)).collect::<Vec<_>>());
            let reduced = x.reduced();
            assert_eq!(values(&reduced), values(&x));
            let mut stored = vec![Fr::zero(); V::LANES];
            reduced.store(&mut stored);
            assert_eq!(stored, values(&x));
            assert_eq!(canonical_values(&reduced), values(&x));
        }
    }

    /// Returns the values of all lanes, after a check that each has one form, which its words have too.
    #[inline(always)]
    fn canonical_values<V: Limbs>(element: &Element<V, 1, 2>) -> Vec<Fr> {
        let canonical = element.canonical();
        let mut words = vec![[0; 4]; V::LANES];
        V::Word::store_elements(canonical.to_words(), &mut words, 1);
        let all = values(&canonical);
        for (words, value) in words.iter().zip(&all) {
            let bytes: Vec<u8> = words.iter().rev().flat_map(|word| word.to_be_bytes()).collect();
            assert_eq!(Fr::from_bytes(bytes.as_slice().try_into().unwrap()), Ok(*value));
        }
        let again = Element::<V, 1, 1>::from_words(V::Word::load_elements(&words, 1));
        assert_eq!(values(&again), all);
        all
    }

    /// Checks the reduction of limbs that were not carried.
    #[inline(always)]
    fn uncarried<V: Limbs, const L: u64, const K: u64>(rng: &mut impl RngCore) {
        for lanes in lanes_within::<V>(rng, L, K).chunks(V::LANES) {
            let expected: Vec<Fr> = lanes.iter().map(|lane| value::<V>(lane)).collect();
            assert_eq!(canonical_values(&element::<V, L, K>(lanes).reduced()), expected);
        }
    }

    /// Checks all operations, with extreme limbs, against those of [`Fr`].
    #[inline(always)]
    pub(crate) fn agrees_with_fr<V: Limbs>() {
        let mut rng = rng();
        let rng = &mut rng;
        product::<V, 3, 9, 1, 2>(rng);
        product::<V, 1, 1, 1, 1>(rng);
        product::<V, 6, 35, 1, 1>(rng);
        product::<V, 2, 7, 3, 5>(rng);
        one_operand::<V, 2>(rng);
        one_operand::<V, 10>(rng);
        one_operand::<V, 32>(rng);
        uncarried::<V, 2, 2>(rng);
        uncarried::<V, 7, 11>(rng);
        uncarried::<V, 7, 32>(rng);
        let over = montgomery_factor::<V>().inverse().unwrap();
        for lanes in lanes_within::<V>(rng, 1, 5).chunks(V::LANES) {
            let squares: Vec<Fr> =
                lanes.iter().map(|lane| value::<V>(lane) * value::<V>(lane) * over).collect();
            assert_eq!(values(&element::<V, 1, 5>(lanes).squared()), squares);
        }
        let (a, b) = (lanes_within::<V>(rng, 2, 3), lanes_within::<V>(rng, 4, 5));
        for (a, b) in a.chunks(V::LANES).zip(b.chunks(V::LANES).rev()) {
            let (x, y) = (element::<V, 2, 3>(a), element::<V, 4, 5>(b));
            let pairs = || a.iter().map(|lane| value::<V>(lane)).zip(b.iter().map(|lane| value::<V>(lane)));
            assert!(values(&x.plus::<4, 5, 6, 8>(&y)).into_iter().eq(pairs().map(|(a, b)| a + b)));
            assert!(values(&x.minus::<4, 5, 7, 9>(&y)).into_iter().eq(pairs().map(|(a, b)| a - b)));
            assert!(values(&y.minus::<2, 3, 7, 9>(&x)).into_iter().eq(pairs().map(|(a, b)| b - a)));
        }
        let words =
            [[0; 4], [1, 0, 0, 0], [R[0] - 1, R[1], R[2], R[3]], [u64::MAX, u64::MAX, u64::MAX, R[3] - 1]];
        for first in 0..words.len() {
            let lanes: Vec<[u64; 4]> =
                (0..V::LANES).map(|lane| words[(first + lane) % words.len()]).collect();
            let bytes: Vec<u8> = lanes
                .iter()
                .flat_map(|words| words.iter().rev().flat_map(|word| word.to_be_bytes()))
                .collect();
            let found = values(&Element::<V, 1, 1>::from_words(V::Word::from_big_endian(&bytes, 32)));
            let expected = bytes.as_chunks().0.iter().map(|bytes| Fr::from_bytes(bytes).unwrap());
            assert!(found.into_iter().eq(expected));
        }
        let number = Fr::from(12345) * over;
        let words = montgomery_words::<V>(number);
        let table: Vec<u64> = words.iter().flat_map(|word| vec![*word; V::LANES]).collect();
        assert!(values(&Element::<V, 1, 1>::load(&table)).iter().all(|value| *value == Fr::from(12345)));
        assert!(values(&Element::<V, 1, 1>::all(&words)).iter().all(|value| *value == Fr::from(12345)));
        for number in (0..20).map(|_| Fr::from_bytes_reduced(&rng.random::<[u8; 32]>())).chain([-Fr::one()]) {
            let found = values(&Element::<V, 1, 32>::constant(number * over));
            assert!(found.iter().all(|value| *value == number));
        }
        let square: Vec<Lane> =
            (0..V::LANES * V::LANES).map(|i| (0..V::COUNT).map(|j| (16 * i + j) as u64).collect()).collect();
        let mut transposed: Vec<Element<V, 1, 1>> = Vec::new();
        for row in square.chunks(V::LANES) {
            transposed.push(element(row));
        }
        transpose(&mut transposed);
        for (i, element) in transposed.iter().enumerate() {
            let column = (0..V::LANES).map(|j| value::<V>(&square[j * V::LANES + i]));
            assert!(values(element).into_iter().eq(column));
        }
        constants_have_their_documented_values::<V>();
    }

    fn constants_have_their_documented_values<V: Limbs>() {
        assert_eq!(value::<V>(&modulus::<V>()), Fr::zero());
        assert_eq!(value::<V>(&minus_modulus::<V>()), montgomery_factor::<V>());
        for (l, k) in [(1, 1), (1, 4), (2, 3), (4, 5), (6, 60)] {
            assert_eq!(value::<V>(&above::<V>(l, k)), Fr::zero());
        }
        // 2^(COUNT·BITS) / r, from the highest words of both.
        let exact = 2f64.powi(V::COUNT as i32 * V::BITS as i32 - 192) / R[3] as f64;
        assert_eq!(V::MAX, exact as u64);
    }

    /// Checks products at the bounds that nine limbs of 29 bits allow, which five of 52 do not.
    #[inline(always)]
    pub(crate) fn limbs29_products_agree_with_fr<W: Words29>() {
        let mut rng = rng();
        product::<Limbs29<W>, 6, 35, 1, 2>(&mut rng);
        product::<Limbs29<W>, 2, 10, 3, 7>(&mut rng);
    }

    #[test]
    fn elements_of_the_model_are_right() {
        agrees_with_fr::<Limbs29<[u64; 4]>>();
        limbs29_products_agree_with_fr::<[u64; 4]>();
    }
}

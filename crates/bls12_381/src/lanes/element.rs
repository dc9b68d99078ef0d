//! Elements of Fr in lanes, in nine limbs of 29 bits.
//!
//! Products of limbs have 58 bits, so that a column of eighteen fits into a word of 64 bits without a carry; nine limbs
//! have 261 bits, six more than r. These let sums and differences go without any reduction until they are multiplied.
//! In Montgomery form elements are times 2^261. r is 1 modulo 2^29, so that each digit of the reduction is the negative
//! of the lowest limb.

use std::array;

use super::{MOST_LANES, Words};
use crate::Fr;
use crate::constants::R;

/// Limbs of an element.
pub(crate) const LIMBS: usize = 9;
/// Bits of a limb.
const BITS: i32 = 29;
const MASK: u64 = (1 << BITS) - 1;

/// r in limbs.
const R_LIMBS: [u64; LIMBS] = limbs(&R);

/// 2^261 − r in limbs.
const MINUS_R: [u64; LIMBS] = {
    let mut minus = [0; LIMBS];
    let mut i = 0;
    while i < LIMBS {
        // The lowest limb of r is not 0, so the complement of the others takes the borrow.
        minus[i] = (if i == 0 { MASK + 1 } else { MASK }) - R_LIMBS[i];
        i += 1;
    }
    minus
};

/// Bits of a quotient's estimate from the highest limb, and 2^50 divided by the highest limb of r plus 1.
const QUOTIENT_BITS: i32 = 50;
const RECIPROCAL: u64 = (1 << QUOTIENT_BITS) / (R_LIMBS[LIMBS - 1] + 1);

/// An element, or the integer of an encoding: each lane is below K·r, and each limb at most L·(2^29 − 1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element<W, const L: u64, const K: u64>([W; LIMBS]);

impl<W: Words> Element<W, 1, 1> {
    /// Returns the same element in all lanes, in Montgomery form.
    #[inline(always)]
    pub(crate) fn constant(element: Fr) -> Self {
        Self::all(&montgomery_limbs(element))
    }

    /// Returns the element of these limbs in all lanes.
    #[inline(always)]
    pub(crate) fn all(limbs: &[u32; LIMBS]) -> Self {
        Element(array::from_fn(|i| W::all(limbs[i].into())))
    }

    /// Returns the element of each lane from its limbs: all lanes of the first limb, then all of the second.
    #[inline(always)]
    pub(crate) fn load(limbs: &[u32]) -> Self {
        Element(array::from_fn(|i| W::widened(&limbs[i * W::LANES..(i + 1) * W::LANES])))
    }

    /// Returns the integers of four words, least significant first, which are below r.
    #[inline(always)]
    pub(crate) fn from_words([a, b, c, d]: [W; 4]) -> Self {
        let mask = W::all(MASK);
        Element([
            a.and(mask),
            a.right::<29>().and(mask),
            a.right::<58>().or(b.left::<6>()).and(mask),
            b.right::<23>().and(mask),
            b.right::<52>().or(c.left::<12>()).and(mask),
            c.right::<17>().and(mask),
            c.right::<46>().or(d.left::<18>()).and(mask),
            d.right::<11>().and(mask),
            d.right::<40>(),
        ])
    }

    /// Returns the integers as four words, least significant first.
    #[inline(always)]
    pub(crate) fn to_words(self) -> [W; 4] {
        let [a, b, c, d, e, f, g, h, i] = self.0;
        [
            a.or(b.left::<29>()).or(c.left::<58>()),
            c.right::<6>().or(d.left::<23>()).or(e.left::<52>()),
            e.right::<12>().or(f.left::<17>()).or(g.left::<46>()),
            g.right::<18>().or(h.left::<11>()).or(i.left::<40>()),
        ]
    }
}

impl<W: Words> Element<W, 1, 2> {
    /// Returns the element below r.
    #[inline(always)]
    pub(crate) fn canonical(&self) -> Element<W, 1, 1> {
        let mut less: [W; LIMBS] = array::from_fn(|i| self.0[i].plus(W::all(MINUS_R[i])));
        carry(&mut less);
        // Without a carry beyond 2^261 the element is below r already.
        let keep = less[LIMBS - 1].right::<BITS>().minus(W::all(1));
        less[LIMBS - 1] = less[LIMBS - 1].and(W::all(MASK));
        Element(array::from_fn(|i| less[i].plus(self.0[i].minus(less[i]).and(keep))))
    }
}

impl<W: Words, const L: u64, const K: u64> Element<W, L, K> {
    /// Returns the same element with weaker bounds.
    #[inline(always)]
    pub(crate) fn widen<const L2: u64, const K2: u64>(self) -> Element<W, L2, K2> {
        const { assert!(L2 >= L && K2 >= K) };
        Element(self.0)
    }

    /// Returns self + other.
    #[inline(always)]
    pub(crate) fn plus<const L2: u64, const K2: u64, const LO: u64, const KO: u64>(
        &self,
        other: &Element<W, L2, K2>,
    ) -> Element<W, LO, KO> {
        const { assert!(LO >= L + L2 && KO >= K + K2 && LO <= 7) };
        Element(array::from_fn(|i| self.0[i].plus(other.0[i])))
    }

    /// Returns self − other.
    #[inline(always)]
    pub(crate) fn minus<const L2: u64, const K2: u64, const LO: u64, const KO: u64>(
        &self,
        other: &Element<W, L2, K2>,
    ) -> Element<W, LO, KO> {
        const { assert!(LO > L + L2 && KO > K + K2 && LO <= 7) };
        let above = const { above(L2, K2) };
        Element(array::from_fn(|i| self.0[i].plus(W::all(above[i]).minus(other.0[i]))))
    }

    /// Returns self · other / 2^261 + more.
    #[inline(always)]
    pub(crate) fn times_plus<const L2: u64, const K2: u64, const L3: u64, const K3: u64, const KO: u64>(
        &self,
        other: &Element<W, L2, K2>,
        more: &Element<W, L3, K3>,
    ) -> Element<W, 1, KO> {
        // A column has at most nine products of factors and eight of the reduction, carries and a limb of `more`.
        const { assert!(L * L2 <= 6 && K * K2 <= MOST && KO >= 2 + K3 && KO <= MOST && L3 <= 7) };
        Element(W::fr_product(&self.0, &other.0, &more.0))
    }

    /// Returns self · other / 2^261.
    #[inline(always)]
    pub(crate) fn times<const L2: u64, const K2: u64>(&self, other: &Element<W, L2, K2>) -> Element<W, 1, 2> {
        self.times_plus(other, &Element::<W, 0, 0>([W::all(0); LIMBS]))
    }

    /// Returns the element less a multiple of r.
    #[inline(always)]
    pub(crate) fn reduced(&self) -> Element<W, 1, 2> {
        // The estimate of the quotient by r is exact or 1 less: the carries that the highest limb lacks, up to L, and K
        // are small against the highest limb of r, of 23 bits.
        const { assert!(K <= 32 && L <= 7) };
        let quotient = self.0[LIMBS - 1].times_low(W::all(RECIPROCAL)).right::<QUOTIENT_BITS>();
        let mut limbs: [W; LIMBS] =
            array::from_fn(|i| self.0[i].plus(quotient.times_low(W::all(MINUS_R[i]))));
        carry(&mut limbs);
        // Modulo 2^261.
        limbs[LIMBS - 1] = limbs[LIMBS - 1].and(W::all(MASK));
        Element(limbs)
    }
}

impl<W: Words, const K: u64> Element<W, 1, K> {
    /// Returns self² / 2^261.
    #[inline(always)]
    pub(crate) fn squared(&self) -> Element<W, 1, 2> {
        const { assert!(K * K <= MOST) };
        Element(square(&self.0))
    }

    /// Writes the integer of each lane modulo r.
    pub(crate) fn store(&self, elements: &mut [Fr]) {
        let mut words = vec![0; LIMBS * W::LANES];
        self.0.iter().zip(words.chunks_mut(W::LANES)).for_each(|(limb, words)| limb.store(words));
        let base = Fr::from(1 << BITS);
        for (lane, element) in elements.iter_mut().enumerate() {
            let limbs = words.iter().skip(lane).step_by(W::LANES);
            *element = limbs.rev().fold(Fr::zero(), |value, limb| value * base + Fr::from(*limb));
        }
    }
}

/// A product of factors below A·r and B·r is below 2·r where A·B is at most this: 2^261 / r, rounded down.
const MOST: u64 = 70;

/// Returns the limbs of the element's Montgomery form.
pub(crate) fn montgomery_limbs(element: Fr) -> [u32; LIMBS] {
    // That of `Fr` is times 2^256.
    limbs((element * Fr::from(1 << 5)).words()).map(|limb| limb as u32)
}

/// Transposes a square: lane j of element i becomes lane i of element j.
#[inline(always)]
pub(crate) fn transpose<W: Words, const L: u64, const K: u64>(square: &mut [Element<W, L, K>]) {
    for limb in 0..LIMBS {
        let mut vectors = [W::all(0); MOST_LANES];
        for (vector, element) in vectors.iter_mut().zip(square.iter()) {
            *vector = element.0[limb];
        }
        W::transpose(&mut vectors[..square.len()]);
        for (vector, element) in vectors.iter().zip(square.iter_mut()) {
            element.0[limb] = *vector;
        }
    }
}

/// Returns the limbs of an integer below 2^256.
const fn limbs(words: &[u64; 4]) -> [u64; LIMBS] {
    let mut limbs = [0; LIMBS];
    let mut i = 0;
    while i < LIMBS {
        let (word, bit) = (i * BITS as usize / 64, i * BITS as usize % 64);
        let high = if word < 3 { words[word + 1] } else { 0 };
        limbs[i] = (((high as u128) << 64 | words[word] as u128) >> bit) as u64 & MASK;
        i += 1;
    }
    limbs
}

/// Returns (k + 1)·r in limbs of which each is at least l·(2^29 − 1), but for the highest, and at most (l + 1)·(2^29 −
/// 1): what is below k·r, in limbs up to l·(2^29 − 1), is subtracted from it without a borrow.
const fn above(l: u64, k: u64) -> [u64; LIMBS] {
    let mut above = [0; LIMBS];
    let (mut carry, mut i) = (0, 0);
    while i < LIMBS {
        let limb = R_LIMBS[i] * (k + 1) + carry;
        (above[i], carry) = if i + 1 < LIMBS { (limb & MASK, limb >> BITS) } else { (limb, 0) };
        i += 1;
    }
    // l times 2^29 moves from each limb to the one below.
    i = 0;
    while i < LIMBS {
        if i + 1 < LIMBS {
            above[i] += l << BITS;
        }
        if i > 0 {
            above[i] -= l;
        }
        assert!(above[i] <= (l + 1) * MASK);
        i += 1;
    }
    assert!(above[LIMBS - 1] >= R_LIMBS[LIMBS - 1] * k + k);
    above
}

/// Returns a · b / 2^261 modulo r, plus `more`, in limbs below 2^29.
#[inline(always)]
pub(crate) fn product<W: Words>(a: &[W; LIMBS], b: &[W; LIMBS], more: &[W; LIMBS]) -> [W; LIMBS] {
    let mut sums = [W::all(0); LIMBS];
    // Sums of a row and of a step of the reduction are in registers, and the loop is short.
    for factor in a {
        for j in 0..LIMBS {
            sums[j] = sums[j].plus(factor.times_low(b[j]));
        }
        reduce(&mut sums);
    }
    for (sum, more) in sums.iter_mut().zip(more) {
        *sum = sum.plus(*more);
    }
    carry(&mut sums);
    sums
}

/// Returns a² / 2^261 modulo r, for limbs below 2^31, in limbs below 2^29.
#[inline(always)]
fn square<W: Words>(a: &[W; LIMBS]) -> [W; LIMBS] {
    let mut sums = [W::all(0); LIMBS];
    square_row::<W, 0>(&mut sums, a);
    square_row::<W, 1>(&mut sums, a);
    square_row::<W, 2>(&mut sums, a);
    square_row::<W, 3>(&mut sums, a);
    square_row::<W, 4>(&mut sums, a);
    square_row::<W, 5>(&mut sums, a);
    square_row::<W, 6>(&mut sums, a);
    square_row::<W, 7>(&mut sums, a);
    square_row::<W, 8>(&mut sums, a);
    carry(&mut sums);
    sums
}

/// Adds the products of limb I with itself and, twice, with later ones; those with earlier ones are added before. Then
/// a step of the reduction.
#[inline(always)]
fn square_row<W: Words, const I: usize>(sums: &mut [W; LIMBS], a: &[W; LIMBS]) {
    sums[I] = sums[I].plus(a[I].times_low(a[I]));
    let twice = a[I].plus(a[I]);
    for j in I + 1..LIMBS {
        sums[j] = sums[j].plus(twice.times_low(a[j]));
    }
    reduce(sums);
}

/// Adds the multiple of r that makes the low bits of the sums zero, and divides them by 2^29 (a step of Montgomery's
/// reduction).
#[inline(always)]
fn reduce<W: Words>(sums: &mut [W; LIMBS]) {
    let mask = W::all(MASK);
    // The lowest limb of r is 1: the sum becomes sum + digit, a multiple of 2^29.
    let digit = W::all(0).minus(sums[0]).and(mask);
    let carry = sums[0].plus(mask).right::<BITS>();
    for j in 1..LIMBS {
        sums[j - 1] = sums[j].plus(digit.times_low(W::all(R_LIMBS[j])));
    }
    sums[LIMBS - 1] = W::all(0);
    sums[0] = sums[0].plus(carry);
}

/// Carries the bits above bit 29 of each limb but the highest to the next one.
#[inline(always)]
fn carry<W: Words>(limbs: &mut [W; LIMBS]) {
    for i in 1..LIMBS {
        limbs[i] = limbs[i].plus(limbs[i - 1].right::<BITS>());
        limbs[i - 1] = limbs[i - 1].and(W::all(MASK));
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use parcrypt_testkit::rand::{Rng, RngCore};
    use parcrypt_testkit::rng;

    use super::*;

    /// Limbs of one lane.
    type Lane = [u64; LIMBS];

    /// Returns 2^261, the factor of the Montgomery form.
    fn montgomery_factor() -> Fr {
        Fr::from(2).pow_vartime(LIMBS as u64 * BITS as u64)
    }

    /// Returns the integer modulo r.
    fn value(lane: &Lane) -> Fr {
        lane.iter().rev().fold(Fr::zero(), |sum, limb| sum * Fr::from(1 << BITS) + Fr::from(*limb))
    }

    /// Returns limbs within the bounds: extreme ones, and others.
    fn lanes_within(rng: &mut impl RngCore, l: u64, k: u64) -> Vec<Lane> {
        // With a highest limb up to this, the value is below k·r whatever the others are.
        let most: Lane = array::from_fn(|i| if i + 1 < LIMBS { l * MASK } else { k * R_LIMBS[i] - l });
        let mut all = vec![[0; LIMBS], most, R_LIMBS];
        all.extend((0..LIMBS).map(|i| array::from_fn(|j| if j == i { most[j] } else { 0 })));
        all.extend((0..LIMBS).map(|i| array::from_fn(|j| if j == i { 0 } else { most[j] })));
        all.extend((0..40).map(|_| array::from_fn(|i| rng.random_range(0..=most[i]))));
        all.extend((0..20).map(|_| array::from_fn(|i| if rng.random() { most[i] } else { most[i] & 7 })));
        all.truncate(all.len() / 8 * 8);
        all
    }

    #[inline(always)]
    fn element<W: Words, const L: u64, const K: u64>(lanes: &[Lane]) -> Element<W, L, K> {
        Element(array::from_fn(|i| {
            let mut bytes = vec![0; 32 * W::LANES];
            for (bytes, lane) in bytes.chunks_mut(32).zip(lanes) {
                bytes[24..].copy_from_slice(&lane[i].to_be_bytes());
            }
            W::from_big_endian(&bytes, 32)[0]
        }))
    }

    /// Returns the values of all lanes, after a check of the bounds.
    #[inline(always)]
    fn values<W: Words, const L: u64, const K: u64>(element: &Element<W, L, K>) -> Vec<Fr> {
        let mut words = vec![0; LIMBS * W::LANES];
        element.0.iter().zip(words.chunks_mut(W::LANES)).for_each(|(limb, words)| limb.store(words));
        let limbs = |lane: usize| -> Lane { array::from_fn(|i| words[i * W::LANES + lane]) };
        let all: Vec<Lane> = (0..W::LANES).map(limbs).collect();
        for lane in &all {
            assert!(lane.iter().all(|limb| *limb <= L * MASK), "{lane:x?}");
            // Of carried limbs the highest says how large the value is.
            assert!(L > 1 || lane[LIMBS - 1] <= K * (R_LIMBS[LIMBS - 1] + 1), "{lane:x?}");
        }
        all.iter().map(value).collect()
    }

    #[inline(always)]
    fn product<W: Words, const L: u64, const K: u64, const L2: u64, const K2: u64>(rng: &mut impl RngCore) {
        let (all, other, more) =
            (lanes_within(rng, L, K), lanes_within(rng, L2, K2), lanes_within(rng, 7, 30));
        let over = montgomery_factor().inverse().unwrap();
        for step in 0..3 * all.len() / W::LANES {
            let pick = |list: &[Lane], stride: usize| -> Vec<Lane> {
                (0..W::LANES).map(|lane| list[(step * W::LANES + lane) * stride % list.len()]).collect()
            };
            let (a, b, c) = (pick(&all, 1), pick(&other, 7), pick(&more, 11));
            let (x, y) = (element::<W, L, K>(&a), element::<W, L2, K2>(&b));
            let expected = |lane: usize| value(&a[lane]) * value(&b[lane]) * over;
            let found = values(&x.times(&y));
            assert!(found.iter().enumerate().all(|(lane, found)| *found == expected(lane)));
            let found = values(&x.times_plus::<L2, K2, 7, 30, 32>(&y, &element(&c)));
            assert!(found.iter().enumerate().all(|(lane, v)| *v == expected(lane) + value(&c[lane])));
        }
    }

    #[inline(always)]
    fn one_operand<W: Words, const K: u64>(rng: &mut impl RngCore) {
        for lanes in lanes_within(rng, 1, K).chunks(W::LANES) {
            let x = element::<W, 1, K>(lanes);
            assert_eq!(values(&x), lanes.iter().map(value).collect::<Vec<_>>());
            let reduced = x.reduced();
            assert_eq!(values(&reduced), values(&x));
            let mut stored = vec![Fr::zero(); W::LANES];
            reduced.store(&mut stored);
            assert_eq!(stored, values(&x));
            assert_eq!(canonical_values(&reduced), values(&x));
        }
    }

    /// Returns the values of all lanes, after a check that each has one form, which its words have too.
    #[inline(always)]
    fn canonical_values<W: Words>(element: &Element<W, 1, 2>) -> Vec<Fr> {
        let canonical = element.canonical();
        let mut words = vec![[0; 4]; W::LANES];
        W::store_elements(canonical.to_words(), &mut words, 1);
        let all = values(&canonical);
        for (words, value) in words.iter().zip(&all) {
            let bytes: Vec<u8> = words.iter().rev().flat_map(|word| word.to_be_bytes()).collect();
            assert_eq!(Fr::from_bytes(bytes.as_slice().try_into().unwrap()), Ok(*value));
        }
        let again = Element::<W, 1, 1>::from_words(W::load_elements(&words, 1));
        assert_eq!(values(&again), all);
        all
    }

    /// Checks the reduction of limbs that were not carried.
    #[inline(always)]
    fn uncarried<W: Words, const L: u64, const K: u64>(rng: &mut impl RngCore) {
        for lanes in lanes_within(rng, L, K).chunks(W::LANES) {
            let expected: Vec<Fr> = lanes.iter().map(value).collect();
            assert_eq!(canonical_values(&element::<W, L, K>(lanes).reduced()), expected);
        }
    }

    /// Checks all operations, with extreme limbs, against those of [`Fr`].
    #[inline(always)]
    pub(crate) fn agrees_with_fr<W: Words>() {
        let mut rng = rng();
        let rng = &mut rng;
        product::<W, 3, 9, 1, 2>(rng);
        product::<W, 1, 1, 1, 1>(rng);
        product::<W, 6, 35, 1, 2>(rng);
        product::<W, 2, 10, 3, 7>(rng);
        one_operand::<W, 2>(rng);
        one_operand::<W, 10>(rng);
        one_operand::<W, 32>(rng);
        uncarried::<W, 2, 2>(rng);
        uncarried::<W, 7, 11>(rng);
        uncarried::<W, 7, 32>(rng);
        let over = montgomery_factor().inverse().unwrap();
        for lanes in lanes_within(rng, 1, 8).chunks(W::LANES) {
            let squares: Vec<Fr> = lanes.iter().map(|lane| value(lane) * value(lane) * over).collect();
            assert_eq!(values(&element::<W, 1, 8>(lanes).squared()), squares);
        }
        let (a, b) = (lanes_within(rng, 2, 3), lanes_within(rng, 4, 5));
        for (a, b) in a.chunks(W::LANES).zip(b.chunks(W::LANES).rev()) {
            let (x, y) = (element::<W, 2, 3>(a), element::<W, 4, 5>(b));
            let pairs = || a.iter().map(value).zip(b.iter().map(value));
            assert!(values(&x.plus::<4, 5, 6, 8>(&y)).into_iter().eq(pairs().map(|(a, b)| a + b)));
            assert!(values(&x.minus::<4, 5, 7, 9>(&y)).into_iter().eq(pairs().map(|(a, b)| a - b)));
            assert!(values(&y.minus::<2, 3, 7, 9>(&x)).into_iter().eq(pairs().map(|(a, b)| b - a)));
        }
        let words =
            [[0; 4], [1, 0, 0, 0], [R[0] - 1, R[1], R[2], R[3]], [u64::MAX, u64::MAX, u64::MAX, R[3] - 1]];
        for first in 0..words.len() {
            let lanes: Vec<[u64; 4]> =
                (0..W::LANES).map(|lane| words[(first + lane) % words.len()]).collect();
            let bytes: Vec<u8> = lanes
                .iter()
                .flat_map(|words| words.iter().rev().flat_map(|word| word.to_be_bytes()))
                .collect();
            let found = values(&Element::<W, 1, 1>::from_words(W::from_big_endian(&bytes, 32)));
            let expected = bytes.as_chunks().0.iter().map(|bytes| Fr::from_bytes(bytes).unwrap());
            assert!(found.into_iter().eq(expected));
        }
        let number = Fr::from(12345) * over;
        let table: Vec<u32> =
            montgomery_limbs(number).iter().flat_map(|limb| vec![*limb; W::LANES]).collect();
        for element in [Element::<W, 1, 1>::load(&table), Element::constant(number)] {
            assert!(values(&element).iter().all(|value| *value == Fr::from(12345)));
        }
        let square: Vec<Lane> =
            (0..W::LANES * W::LANES).map(|i| array::from_fn(|j| (16 * i + j) as u64)).collect();
        let mut transposed: Vec<Element<W, 1, 1>> = square.chunks(W::LANES).map(element).collect();
        transpose(&mut transposed);
        for (i, element) in transposed.iter().enumerate() {
            let column = (0..W::LANES).map(|j| value(&square[j * W::LANES + i]));
            assert!(values(element).into_iter().eq(column));
        }
    }

    #[test]
    fn elements_of_the_model_are_right() {
        agrees_with_fr::<[u64; 4]>();
    }

    #[test]
    fn constants_have_their_documented_values() {
        assert_eq!(value(&R_LIMBS), Fr::zero());
        assert_eq!(value(&MINUS_R), montgomery_factor());
        assert_eq!(R_LIMBS[0], 1, "each digit of the reduction is the negative of a limb");
        for (l, k) in [(1, 1), (1, 4), (2, 3), (4, 5), (6, 60)] {
            assert_eq!(value(&above(l, k)), Fr::zero());
        }
    }
}

//! Elements of Fp in lanes, in fourteen limbs of 28 bits, for instruction sets that multiply integers of 32 bits.
//!
//! Products of limbs have 56 bits, so that a column of 17 products of elements, with the digits of the reduction, fits
//! into 64 bits; and 392 bits are eleven more than p, which let sums and differences go without any reduction until
//! they are multiplied.

use parcrypt_simd::Call;

use super::Words;
use crate::constants::P;
use crate::field::{fp, limbs};

/// Limbs of an element.
pub(crate) const LIMBS: usize = 14;
/// Bits of a limb.
pub(crate) const BITS: i32 = 28;
pub(crate) const MASK: u64 = (1 << BITS) - 1;
/// Bits of all limbs.
pub(super) const ALL_BITS: i32 = LIMBS as i32 * BITS;

/// p in limbs.
pub(crate) const P_LIMBS: [u64; LIMBS] = limbs(&P);

/// 2^392 − p in limbs.
pub(super) const MINUS_P: [u64; LIMBS] = limbs::complement(&P_LIMBS, LIMBS, BITS.cast_unsigned());

/// 1/p modulo 2^28.
const INVERSE: u64 = limbs::inverse(P[0]) & MASK;

/// −1/p modulo 2^28: the lowest limb of a sum times this is the digit that makes it 0.
pub(crate) const MINUS_INVERSE: u64 = MASK + 1 - INVERSE;

/// 2^−28 modulo p, in limbs.
pub(crate) const OVER_BASE: [u64; LIMBS] = {
    // (m·p + 1) / 2^28, where m is −1/p modulo 2^28.
    let (mut over, mut i, mut carry) = ([0; LIMBS], 0, 1);
    while i <= LIMBS {
        let column = carry + if i < LIMBS { P_LIMBS[i] * MINUS_INVERSE } else { 0 };
        if i > 0 {
            over[i - 1] = column & MASK;
        }
        carry = column >> BITS;
        i += 1;
    }
    over
};

/// Bits of a quotient's estimate from the highest limb, and 2^44 divided by the highest limb of p plus 1.
pub(super) const QUOTIENT_BITS: i32 = 44;
pub(super) const RECIPROCAL: u64 = (1 << QUOTIENT_BITS) / (P_LIMBS[LIMBS - 1] + 1);

/// A sum of products of factors below A·p and B·p is below 3.01·p after its reduction where the sum of A·B is at most
/// this: 2^392 / p, rounded down.
pub(super) const MOST: u64 = 2520;
/// Columns have room for this many products of limbs of 28 bits for each limb, and the digits of the reduction.
pub(super) const MOST_PRODUCTS: u64 = 17;
/// Limbs of factors have 32 bits.
pub(super) const MOST_LIMB: u64 = 15;

/// Vectors with the steps of a product.
pub(crate) trait Words28: Words {
    /// Adds products by one vector.
    #[inline(always)]
    fn add_products(sums: &mut Limbs<Self>, limbs: &Limbs<Self>, factor: Self) {
        for i in 0..LIMBS {
            sums[i] = sums[i].plus(limbs[i].times_low(factor));
        }
    }

    /// Divides by 2^28 modulo p: the low 28 bits of the lowest sum are multiplied by [`OVER_BASE`], and the others move
    /// down. That needs no quotient, but the value is less than the sums / 2^28 + 2^28·p only.
    #[inline(always)]
    fn shift(sums: &mut Limbs<Self>) {
        let (digit, carry) = (sums[0].and(Self::all(MASK)), sums[0].right::<BITS>());
        for i in 0..LIMBS - 1 {
            sums[i] = sums[i + 1].plus(digit.times_low(Self::all(OVER_BASE[i])));
        }
        sums[LIMBS - 1] = digit.times_low(Self::all(OVER_BASE[LIMBS - 1]));
        sums[0] = sums[0].plus(carry);
    }

    /// Returns the products, lane by lane, divided by 2^392.
    #[inline(always)]
    fn uncarried_product(a: &Limbs<Self>, b: &Limbs<Self>) -> Limbs<Self> {
        let mut sums = [Self::all(0); LIMBS];
        for limb in &b[..LIMBS - 1] {
            Self::add_products(&mut sums, a, *limb);
            Self::shift(&mut sums);
        }
        Self::add_products(&mut sums, a, b[LIMBS - 1]);
        last_shift(&mut sums);
        sums
    }

    /// Returns what [`product`] does, by a function that need not be inlined.
    #[inline(always)]
    fn product(a: &Limbs<Self>, b: &Limbs<Self>) -> Limbs<Self> {
        Self::outlined(Product { a, b })
    }

    /// Returns the product of limbs up to 4·(2^28 − 1) with themselves.
    #[inline(always)]
    fn square(a: &Limbs<Self>) -> Limbs<Self> {
        Self::product(a, a)
    }

    /// Returns what [`sum_of_products`] does, by a function that need not be inlined.
    #[cfg(any(test, target_feature = "simd128"))]
    fn sum_of_products(a: [&Limbs<Self>; 2], b: [&Limbs<Self>; 2]) -> Limbs<Self> {
        sum_of_products(a, b)
    }
}

/// The limbs of numbers, one in each lane.
pub(crate) type Limbs<W> = [W; LIMBS];

/// The call of [`product`].
struct Product<'a, W> {
    a: &'a Limbs<W>,
    b: &'a Limbs<W>,
}

impl<W: Words28> Call for Product<'_, W> {
    type Result = Limbs<W>;

    #[inline(always)]
    fn call(self) -> Limbs<W> {
        product(self.a, self.b)
    }
}

/// An element: each lane is at most K·p, and each limb at most L·(2^28 − 1).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element<W, const L: u64, const K: u64>(pub(super) Limbs<W>);

impl<W: Words28, const L: u64, const K: u64> Element<W, L, K> {
    /// Returns 0.
    #[inline(always)]
    pub(crate) fn zero() -> Self {
        Element([W::all(0); LIMBS])
    }

    /// Returns the same element with weaker bounds.
    #[inline(always)]
    pub(crate) fn widen<const L2: u64, const K2: u64>(&self) -> Element<W, L2, K2> {
        const { assert!(L2 >= L && K2 >= K) };
        Element(self.0)
    }

    /// Returns self + other.
    #[inline(always)]
    pub(crate) fn plus<const L2: u64, const K2: u64, const LO: u64, const KO: u64>(
        &self,
        other: &Element<W, L2, K2>,
    ) -> Element<W, LO, KO> {
        const { assert!(LO >= L + L2 && KO >= K + K2 && LO < 1 << 20) };
        Element(each_limb(|i| self.0[i].plus(other.0[i])))
    }

    /// Returns −self.
    #[inline(always)]
    pub(crate) fn minus<const LO: u64, const KO: u64>(&self) -> Element<W, LO, KO> {
        const { assert!(LO > L && KO > K && LO < 1 << 20) };
        let above = const { above(L, K) };
        Element(each_limb(|i| W::all(above[i]).minus(self.0[i])))
    }

    /// Returns self − other.
    #[inline(always)]
    pub(crate) fn less<const L2: u64, const K2: u64, const LO: u64, const KO: u64>(
        &self,
        other: &Element<W, L2, K2>,
    ) -> Element<W, LO, KO> {
        const { assert!(LO > L + L2 && KO > K + K2 && LO < 1 << 20) };
        let above = const { above(L2, K2) };
        Element(each_limb(|i| self.0[i].plus(W::all(above[i]).minus(other.0[i]))))
    }

    /// Returns 2^BY times the element.
    #[inline(always)]
    pub(crate) fn doubled<const BY: i32, const LO: u64, const KO: u64>(&self) -> Element<W, LO, KO> {
        const { assert!(LO >= L << BY && KO >= K << BY && LO < 1 << 20) };
        Element(each_limb(|i| self.0[i].left::<BY>()))
    }

    /// Returns the element in limbs of 28 bits.
    #[inline(always)]
    pub(crate) fn carried(mut self) -> Element<W, 1, K> {
        // A highest limb of as many bits as the others: with K·p below 2^392.
        const { assert!(K <= MOST) };
        carry(&mut self.0);
        Element(self.0)
    }

    /// Returns the product, divided by 2^392.
    #[inline(always)]
    pub(crate) fn times<const L2: u64, const K2: u64>(&self, other: &Element<W, L2, K2>) -> Element<W, 1, 4> {
        const { assert!(L * L2 <= MOST_PRODUCTS && L <= MOST_LIMB && L2 <= MOST_LIMB && K * K2 <= MOST) };
        Element(W::product(&self.0, &other.0))
    }

    /// Returns the square, divided by 2^392.
    #[inline(always)]
    pub(crate) fn square(&self) -> Element<W, 1, 4> {
        const { assert!(L <= 4 && L * L <= MOST_PRODUCTS && K * K <= MOST) };
        Element(W::square(&self.0))
    }

    /// Returns self · factor + a · b, divided by 2^392.
    #[cfg(any(test, target_feature = "simd128"))]
    #[inline(always)]
    pub(crate) fn times_plus<
        const L2: u64,
        const K2: u64,
        const L3: u64,
        const K3: u64,
        const L4: u64,
        const K4: u64,
    >(
        &self,
        factor: &Element<W, L2, K2>,
        a: &Element<W, L3, K3>,
        b: &Element<W, L4, K4>,
    ) -> Element<W, 1, 4> {
        const { assert!(L <= MOST_LIMB && L2 <= MOST_LIMB && L3 <= MOST_LIMB && L4 <= MOST_LIMB) };
        const { assert!(L * L2 + L3 * L4 <= MOST_PRODUCTS && K * K2 + K3 * K4 <= MOST) };
        Element(W::sum_of_products([&self.0, &a.0], [&factor.0, &b.0]))
    }

    /// Returns the element below p.
    #[inline(always)]
    pub(crate) fn canonical(&self) -> Element<W, 1, 1> {
        const { assert!(K <= 100 && L < 1 << 20) };
        let mut limbs = self.0;
        reduce_estimated(&mut limbs);
        // Most often below p already: the estimate is 1 less than the quotient for about one value in 2^10.
        let most = W::all(P_LIMBS[LIMBS - 1] - 1);
        if most.minus(limbs[LIMBS - 1]).has_high_bit() {
            limbs = without_p(limbs);
        }
        Element(limbs)
    }

    /// Returns ones in the lanes that may be 0 modulo p: all that are, and about K in 2^28 of the others; 0 in the
    /// others.
    #[inline(always)]
    pub(crate) fn may_be_zero(&self) -> W {
        // k·p gives k.
        let k = self.0[0].times_low(W::all(INVERSE)).and(W::all(MASK));
        negative(k.minus(W::all(K + 1)))
    }

    /// Returns `other` in the lanes of a mask, self in the others.
    #[inline(always)]
    pub(crate) fn or_in(&self, mask: W, other: &Self) -> Self {
        Element(each_limb(|i| self.0[i].plus(other.0[i].minus(self.0[i]).and(mask))))
    }
}

impl<W: Words28> Element<W, 1, 1> {
    /// Returns the integers of words, the least significant first.
    #[inline(always)]
    pub(crate) fn from_words([a, b, c, d, e, f]: &[W; 6]) -> Self {
        let mask = W::all(MASK);
        Element([
            a.and(mask),
            a.right::<28>().and(mask),
            a.right::<56>().or(b.left::<8>()).and(mask),
            b.right::<20>().and(mask),
            b.right::<48>().or(c.left::<16>()).and(mask),
            c.right::<12>().and(mask),
            c.right::<40>().or(d.left::<24>()).and(mask),
            d.right::<4>().and(mask),
            d.right::<32>().and(mask),
            d.right::<60>().or(e.left::<4>()).and(mask),
            e.right::<24>().and(mask),
            e.right::<52>().or(f.left::<12>()).and(mask),
            f.right::<16>().and(mask),
            f.right::<44>(),
        ])
    }

    /// Returns the words, the least significant first.
    #[inline(always)]
    pub(crate) fn to_words(self) -> [W; 6] {
        let l = &self.0;
        [
            l[0].or(l[1].left::<28>()).or(l[2].left::<56>()),
            l[2].right::<8>().or(l[3].left::<20>()).or(l[4].left::<48>()),
            l[4].right::<16>().or(l[5].left::<12>()).or(l[6].left::<40>()),
            l[6].right::<24>().or(l[7].left::<4>()).or(l[8].left::<32>()).or(l[9].left::<60>()),
            l[9].right::<4>().or(l[10].left::<24>()).or(l[11].left::<52>()),
            l[11].right::<12>().or(l[12].left::<16>()).or(l[13].left::<44>()),
        ]
    }

    /// Returns the same element in all lanes.
    #[inline(always)]
    pub(crate) fn constant(words: &fp::Words) -> Self {
        let limbs = limbs(words);
        Element(each_limb(|i| W::all(limbs[i])))
    }

    /// Returns ones in the lanes in which both are the same, and 0 in the others.
    #[inline(always)]
    pub(crate) fn equals(&self, other: &Self) -> W {
        // a | b less a & b is 0 where both are the same.
        let different = |i: usize| self.0[i].or(other.0[i]).minus(self.0[i].and(other.0[i]));
        Element::<W, 1, 1>(each_limb(different)).zeros()
    }

    /// Returns ones in the lanes that are 0, and 0 in the others.
    #[inline(always)]
    pub(crate) fn zeros(&self) -> W {
        let mut any = self.0[0];
        for limb in &self.0[1..] {
            any = any.or(*limb);
        }
        negative(any.minus(W::all(1)))
    }

    /// Returns ones in the lanes that are odd as integers, and 0 in the others.
    #[cfg(any(test, target_feature = "simd128"))]
    #[inline(always)]
    pub(crate) fn odd(&self) -> W {
        W::all(0).minus(self.0[0].and(W::all(1)))
    }

    /// Returns ones in the lanes whose lowest limb is 0, and 0 in the others.
    #[inline(always)]
    pub(crate) fn may_be_zeros(&self) -> W {
        negative(self.0[0].minus(W::all(1)))
    }
}

/// Returns ones in the lanes whose highest bit is 1, and 0 in the others.
#[inline(always)]
fn negative<W: Words>(word: W) -> W {
    W::all(0).minus(word.right::<63>())
}

/// Returns the products, lane by lane, divided by 2^392, in limbs of 28 bits.
#[inline(always)]
pub(crate) fn product<W: Words28>(a: &Limbs<W>, b: &Limbs<W>) -> Limbs<W> {
    let mut sums = W::uncarried_product(a, b);
    carry(&mut sums);
    sums
}

/// Returns the sum of two products, lane by lane, divided by 2^392, in limbs of 28 bits.
#[cfg(any(test, target_feature = "simd128"))]
#[inline(always)]
fn sum_of_products<W: Words28>(a: [&Limbs<W>; 2], b: [&Limbs<W>; 2]) -> Limbs<W> {
    let mut sums = [W::all(0); LIMBS];
    for (i, (first, second)) in b[0].iter().zip(b[1]).enumerate() {
        W::add_products(&mut sums, a[0], *first);
        W::add_products(&mut sums, a[1], *second);
        if i < LIMBS - 1 {
            W::shift(&mut sums);
        }
    }
    last_shift(&mut sums);
    carry(&mut sums);
    sums
}

/// Adds the multiple of p that makes the lowest bits zero, and divides by 2^28 (a step of Montgomery's reduction).
///
/// After thirteen steps by [`Words28::shift`] the value is less than the product / 2^364 + (2^28 + 2)·p, and now it is
/// less than the product / 2^392 + 2.01·p.
#[inline(always)]
pub(super) fn last_shift<W: Words28>(sums: &mut Limbs<W>) {
    let digit = sums[0].times_low(W::all(MINUS_INVERSE)).and(W::all(MASK));
    let carry = sums[0].plus(digit.times_low(W::all(P_LIMBS[0]))).right::<BITS>();
    for i in 0..LIMBS - 1 {
        sums[i] = sums[i + 1].plus(digit.times_low(W::all(P_LIMBS[i + 1])));
    }
    sums[LIMBS - 1] = W::all(0);
    sums[0] = sums[0].plus(carry);
}

/// Subtracts a multiple of p that leaves less than 2·p, in limbs of 28 bits.
#[inline(always)]
pub(super) fn reduce_estimated<W: Words28>(limbs: &mut Limbs<W>) {
    // The carry of the limb before the highest is enough for an estimate of the quotient by p that is exact or 1 less:
    // what it lacks, by the carries of the limbs below, is less than 5, and the highest limb of p has 17 bits.
    let high = limbs[LIMBS - 1].plus(limbs[LIMBS - 2].right::<BITS>());
    let quotient = high.times_low(W::all(RECIPROCAL)).right::<QUOTIENT_BITS>();
    W::add_products(limbs, &constant(&MINUS_P), quotient);
    carry(limbs);
    // Modulo 2^392.
    limbs[LIMBS - 1] = limbs[LIMBS - 1].and(W::all(MASK));
}

/// Subtracts p in the lanes that are not below it, from limbs of 28 bits of values below 2·p.
#[cold]
#[inline(always)]
fn without_p<W: Words28>(limbs: Limbs<W>) -> Limbs<W> {
    let mut less = limbs;
    for (limb, minus) in less.iter_mut().zip(MINUS_P) {
        *limb = limb.plus(W::all(minus));
    }
    carry(&mut less);
    // Without a carry beyond the highest limb the value is below p already.
    let keep = less[LIMBS - 1].right::<BITS>().minus(W::all(1));
    less[LIMBS - 1] = less[LIMBS - 1].and(W::all(MASK));
    for (less, limb) in less.iter_mut().zip(limbs) {
        *less = less.plus(limb.minus(*less).and(keep));
    }
    less
}

/// Returns limbs by their numbers.
// Closures that `map` and `from_fn` of arrays call are not always inlined into functions of an instruction set.
#[inline(always)]
pub(super) fn each_limb<W: Words28>(limb: impl Fn(usize) -> W) -> Limbs<W> {
    let mut limbs = [W::all(0); LIMBS];
    for (i, out) in limbs.iter_mut().enumerate() {
        *out = limb(i);
    }
    limbs
}

/// Returns the same limbs in all lanes.
#[inline(always)]
pub(super) fn constant<W: Words28>(limbs: &[u64; LIMBS]) -> Limbs<W> {
    each_limb(|i| W::all(limbs[i]))
}

/// Carries the bits above bit 28 of each limb but the highest to the next one.
#[inline(always)]
pub(super) fn carry<W: Words28>(limbs: &mut Limbs<W>) {
    for i in 1..LIMBS {
        limbs[i] = limbs[i].plus(limbs[i - 1].right::<BITS>());
        limbs[i - 1] = limbs[i - 1].and(W::all(MASK));
    }
}

/// Returns the limbs of an integer below 2^384.
pub(super) const fn limbs(words: &fp::Words) -> [u64; LIMBS] {
    limbs::split(words, LIMBS, BITS.cast_unsigned())
}

/// Returns (k + 1)·p, of which limbs up to l·(2^28 − 1) of what is below k·p are subtracted without a borrow.
pub(super) const fn above(l: u64, k: u64) -> [u64; LIMBS] {
    limbs::above(&P_LIMBS, LIMBS, BITS.cast_unsigned(), l, k)
}

#[cfg(test)]
pub(crate) mod tests {
    use parcrypt_testkit::rand::{Rng, RngCore};
    use parcrypt_testkit::rng;

    use super::*;
    use crate::field::fp::power_of_two;

    /// Lanes in plain Rust: the model of the others.
    impl<const N: usize> Words28 for [u64; N] {}

    /// Limbs of one lane.
    pub(crate) type Lane = [u64; LIMBS];

    /// Returns a·b modulo p.
    pub(crate) fn product_of_words(a: &fp::Words, b: &fp::Words) -> fp::Words {
        let bits = b.iter().rev().flat_map(|word| (0..64).rev().map(move |bit| word >> bit & 1 == 1));
        bits.fold([0; 6], |sum, bit| {
            let double = fp::add(&sum, &sum);
            if bit { fp::add(&double, a) } else { double }
        })
    }

    /// Returns the integer modulo p.
    pub(crate) fn value(lane: &Lane) -> fp::Words {
        lane.iter().rev().fold([0; 6], |sum, limb| {
            let shifted = (0..BITS).fold(sum, |sum, _| fp::add(&sum, &sum));
            fp::add(&shifted, &[*limb, 0, 0, 0, 0, 0])
        })
    }

    /// Returns limbs within the bounds: extreme ones, and others.
    pub(crate) fn lanes_within(rng: &mut impl RngCore, l: u64, k: u64) -> Vec<Lane> {
        // With a highest limb up to this, the value is below k·p whatever the others are.
        let most: Lane = std::array::from_fn(|i| if i + 1 < LIMBS { l * MASK } else { k * P_LIMBS[i] - l });
        let mut all = vec![[0; LIMBS], most];
        all.extend((0..LIMBS).map(|i| std::array::from_fn(|j| if j == i { most[j] } else { 0 })));
        all.extend((0..LIMBS).map(|i| std::array::from_fn(|j| if j == i { 0 } else { most[j] })));
        all.extend((0..20).map(|_| std::array::from_fn(|i| rng.random_range(0..=most[i]))));
        all.extend(
            (0..14).map(|_| std::array::from_fn(|i| if rng.random() { most[i] } else { most[i] & 7 })),
        );
        assert_eq!(all.len(), 64);
        all
    }

    /// Returns an element whose lanes are the first of these.
    #[inline(always)]
    pub(crate) fn element<W: Words28, const L: u64, const K: u64>(lanes: &[Lane]) -> Element<W, L, K> {
        let mut limbs = [W::all(0); LIMBS];
        for (i, limb) in limbs.iter_mut().enumerate() {
            let words: Vec<u64> = lanes.iter().take(W::LANES).map(|lane| lane[i]).collect();
            *limb = W::load(&words);
        }
        Element(limbs)
    }

    /// Returns the integer of each lane modulo p, after a check of the bounds.
    #[inline(always)]
    pub(crate) fn values<W: Words28, const L: u64, const K: u64>(
        element: &Element<W, L, K>,
    ) -> Vec<fp::Words> {
        let mut lanes = vec![[0; LIMBS]; W::LANES];
        for (i, limb) in element.0.iter().enumerate() {
            let mut words = vec![0; W::LANES];
            limb.store(&mut words);
            lanes.iter_mut().zip(words).for_each(|(lane, word)| lane[i] = word);
        }
        for lane in &lanes {
            assert!(lane.iter().all(|limb| *limb <= L * MASK), "{lane:x?}");
            // Of carried limbs the highest says how large the value is.
            assert!(L > 1 || lane[LIMBS - 1] <= K * (P_LIMBS[LIMBS - 1] + 1), "{lane:x?}");
        }
        lanes.iter().map(value).collect()
    }

    /// Checks products with limbs and values up to these bounds.
    #[inline(always)]
    fn products<W: Words28, const L: u64, const K: u64, const L2: u64, const K2: u64>(
        rng: &mut impl RngCore,
    ) {
        let (all, other) = (lanes_within(rng, L, K), lanes_within(rng, L2, K2));
        for step in 0..64 {
            let pick = |list: &[Lane], stride: usize| -> Vec<Lane> {
                (0..W::LANES).map(|lane| list[(step + lane * stride) % 64]).collect()
            };
            let (a, b) = (pick(&all, 1), pick(&other, step));
            let product = element::<W, L, K>(&a).times(&element::<W, L2, K2>(&b));
            for (lane, found) in values(&product).iter().enumerate() {
                let expected = product_of_words(&value(&a[lane]), &value(&b[lane]));
                assert_eq!(product_of_words(found, &power_of_two(ALL_BITS)), expected, "lane {lane}");
            }
        }
    }

    /// Checks squares with limbs and values up to these bounds.
    #[inline(always)]
    fn squares<W: Words28, const L: u64, const K: u64>(rng: &mut impl RngCore) {
        for lanes in lanes_within(rng, L, K).chunks(W::LANES) {
            let square = element::<W, L, K>(lanes).square();
            for (found, lane) in values(&square).iter().zip(lanes) {
                let expected = product_of_words(&value(lane), &value(lane));
                assert_eq!(product_of_words(found, &power_of_two(ALL_BITS)), expected);
            }
        }
    }

    /// Checks sums of two products with extreme limbs.
    #[inline(always)]
    fn sums_of_products<W: Words28>(rng: &mut impl RngCore) {
        let (a, b) = (lanes_within(rng, 3, 12), lanes_within(rng, 2, 54));
        let (c, d) = (lanes_within(rng, 11, 33), lanes_within(rng, 1, 50));
        for step in 0..64 {
            let pick = |list: &[Lane], stride: usize| -> Vec<Lane> {
                (0..W::LANES).map(|lane| list[(step * stride + lane) % 64]).collect()
            };
            let (a, b, c, d) = (pick(&a, 1), pick(&b, 3), pick(&c, 5), pick(&d, 7));
            let (c_of_all, d_of_all) = (element::<W, 11, 33>(&c), element::<W, 1, 50>(&d));
            let sum = element::<W, 3, 12>(&a).times_plus(&element::<W, 2, 54>(&b), &c_of_all, &d_of_all);
            for (lane, found) in values(&sum).iter().enumerate() {
                let products =
                    [(&a, &b), (&c, &d)].map(|(x, y)| product_of_words(&value(&x[lane]), &value(&y[lane])));
                let expected = fp::add(&products[0], &products[1]);
                assert_eq!(product_of_words(found, &power_of_two(ALL_BITS)), expected, "lane {lane}");
            }
        }
    }

    /// Checks the canonical form, its words and the tests for zero, of limbs and values up to these bounds.
    #[inline(always)]
    fn canonical_forms<W: Words28, const L: u64, const K: u64>(rng: &mut impl RngCore) {
        let mut all = lanes_within(rng, L, K);
        // Multiples of p and their neighbours.
        for k in 0..K.min(8) {
            let mut lane = P_LIMBS.map(|limb| limb * k);
            (1..LIMBS).for_each(|i| {
                lane[i] += lane[i - 1] >> BITS;
                lane[i - 1] &= MASK;
            });
            for near in [0, 1, MASK - lane[0]] {
                let mut lane = lane;
                lane[0] += near;
                all.push(lane);
            }
            if k > 0 {
                lane[0] -= 1;
                all.push(lane);
            }
        }
        all.truncate(all.len() / 8 * 8);
        for lanes in all.chunks(W::LANES) {
            let found = element::<W, L, K>(lanes);
            let expected: Vec<fp::Words> = lanes.iter().map(value).collect();
            let canonical = found.canonical();
            let mut odd = vec![0; W::LANES];
            canonical.odd().store(&mut odd);
            assert!(
                odd.iter().zip(&expected).all(|(odd, expected)| *odd == 0u64.wrapping_sub(expected[0] & 1))
            );
            let mut zeros = [vec![0; W::LANES], vec![0; W::LANES], vec![0; W::LANES]];
            canonical.zeros().store(&mut zeros[0]);
            canonical.may_be_zeros().store(&mut zeros[1]);
            found.may_be_zero().store(&mut zeros[2]);
            let words = canonical.to_words();
            let again = Element::<W, 1, 1>::from_words(&words);
            assert_eq!(values(&again), expected);
            let mut stored = [vec![0; W::LANES], vec![0; W::LANES]];
            for (i, word) in words.into_iter().enumerate() {
                word.store(&mut stored[0]);
                again.to_words()[i].store(&mut stored[1]);
                for (lane, expected) in expected.iter().enumerate() {
                    assert_eq!([stored[0][lane], stored[1][lane]], [expected[i]; 2]);
                }
            }
            for (lane, expected) in expected.iter().enumerate() {
                let zero = if fp::is_zero(expected) { u64::MAX } else { 0 };
                assert_eq!(zeros[0][lane], zero);
                // Of these numbers none but 0 and multiples of p pass.
                assert!(zeros[1][lane] == zero || expected[0] & MASK == 0);
                assert!(zero == 0 || zeros[2][lane] == zero);
            }
        }
    }

    /// Checks all operations, with extreme limbs, against plain arithmetic.
    #[inline(always)]
    pub(crate) fn elements_agree_with_words<W: Words28>() {
        let mut rng = rng();
        let rng = &mut rng;
        products::<W, 1, 4, 1, 4>(rng);
        products::<W, 1, 1, 15, 300>(rng);
        products::<W, 3, 63, 5, 40>(rng);
        products::<W, 8, 2500, 2, 1>(rng);
        squares::<W, 1, 50>(rng);
        squares::<W, 4, 9>(rng);
        sums_of_products::<W>(rng);
        canonical_forms::<W, 1, 2>(rng);
        canonical_forms::<W, 20, 100>(rng);
        canonical_forms::<W, 70, 90>(rng);
        let (all, other) = (lanes_within(rng, 3, 3), lanes_within(rng, 5, 7));
        for (a, b) in all.chunks(W::LANES).zip(other.chunks(W::LANES).rev()) {
            let (x, y) = (element::<W, 3, 3>(a), element::<W, 5, 7>(b));
            let pairs = || a.iter().map(value).zip(b.iter().map(value));
            assert!(values(&x.plus::<5, 7, 8, 10>(&y)).into_iter().eq(pairs().map(|(a, b)| fp::add(&a, &b))));
            assert!(values(&x.less::<5, 7, 9, 11>(&y)).into_iter().eq(pairs().map(|(a, b)| fp::sub(&a, &b))));
            assert!(values(&y.minus::<6, 8>()).into_iter().eq(pairs().map(|(_, b)| fp::neg(&b))));
            assert!(values(&y.carried()).into_iter().eq(pairs().map(|(_, b)| b)));
            let double = |b| fp::add(&b, &b);
            let times_4 = values(&y.doubled::<2, 20, 28>());
            assert!(times_4.into_iter().eq(pairs().map(|(_, b)| double(double(b)))));
            let mut mask = vec![0; W::LANES];
            mask.iter_mut().skip(1).step_by(3).for_each(|lane| *lane = u64::MAX);
            let mixed = values(&x.widen::<5, 7>().or_in(W::load(&mask), &y));
            let expected = pairs().zip(&mask).map(|((a, b), mask)| if *mask == 0 { a } else { b });
            assert!(mixed.into_iter().eq(expected));
        }
    }

    #[test]
    fn elements_of_the_model_are_right() {
        elements_agree_with_words::<[u64; 4]>();
        elements_agree_with_words::<[u64; 8]>();
    }

    #[test]
    fn constants_have_their_documented_values() {
        assert_eq!(value(&P_LIMBS), [0; 6]);
        assert_eq!(value(&MINUS_P), power_of_two(ALL_BITS));
        assert_eq!((P[0].wrapping_mul(MINUS_INVERSE) + 1) & MASK, 0);
        assert_eq!(product_of_words(&value(&OVER_BASE), &power_of_two(28)), [1, 0, 0, 0, 0, 0]);
        for (l, k) in [(1, 1), (1, 2), (2, 3), (4, 6), (14, 30), (20, 60)] {
            assert_eq!(value(&above(l, k)), [0; 6]);
        }
    }
}

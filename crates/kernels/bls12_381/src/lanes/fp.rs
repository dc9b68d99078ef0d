//! Elements of Fp in lanes, in limbs of a certain size.
//!
//! All limbs together have a few bits more than p, so that sums and differences need no reduction before they are
//! multiplied. The Montgomery form of x is x·2^R, where R is the number of bits of all limbs.
//!
//! Bounds are types: an [`Element`] can be added, a [`Factor`] multiplied. Their unit is the
//! bound of a product: a product of two factors has the bounds (1, 1), and a sum has the sums of the bounds of its
//! terms. The bound of a product is a constant of the limbs, so one formula serves limbs of every size.

pub(crate) mod limbs28;
pub(crate) mod limbs52;

use parcrypt_simd::{Call, Mask};

use super::Words;
use crate::constants::P;
use crate::field::{fp, limbs};

/// An integer in each lane, as limbs of a certain size, in vectors of an instruction set.
pub(crate) trait FpLimbs: Copy + std::fmt::Debug {
    /// A vector of one limb in each lane.
    type Word: Words;
    /// Number of lanes.
    const LANES: usize = Self::Word::LANES;
    /// Number of limbs.
    const COUNT: usize;
    /// Bits of a limb.
    const BITS: u32;
    /// A limb of ones.
    const MASK: u64 = (1 << Self::BITS) - 1;
    /// Exponent of the factor of the Montgomery form.
    const R: i32 = Self::COUNT as i32 * Self::BITS as i32;
    /// Exponent of the factor of elements in memory, at most R.
    const FORM: i32 = Self::R;

    /// Maximum of the limbs of a product before carries, in units of MASK.
    const LIMB: u64;
    /// Maximum of a product, in units of p.
    const VALUE: u64;
    /// Maximum of Σ L·L2 of the factors of a sum of products.
    const MAX_LIMBS: u64;
    /// Maximum of L of a factor.
    const MAX_LIMB: u64;
    /// Maximum of Σ K·K2 of the factors of a sum of products, whose values are below K·VALUE·p.
    const MAX_VALUES: u64;
    /// Maximum of K·VALUE of an element that is reduced.
    const MAX_REDUCED: u64;
    /// Limit of the limbs of sums, in units of MASK.
    const ROOM: u64 = 1 << if Self::BITS > 42 { 62 - Self::BITS } else { 20 };

    /// Returns limbs by their numbers.
    fn each(limb: impl Fn(usize) -> Self::Word) -> Self;

    /// Returns the limbs, the lowest first.
    fn all(&self) -> &[Self::Word];

    /// Returns the bits of a limb above the lowest BITS.
    fn above(limb: Self::Word) -> Self::Word;

    /// Returns the limbs of words, the least significant first.
    fn from_words(words: &[Self::Word; 6]) -> Self;

    /// Returns the words, the least significant first, of limbs up to MASK.
    fn to_words(&self) -> [Self::Word; 6];

    /// Runs a call in a function that is compiled for the instruction set and not inlined.
    #[inline(always)]
    fn outlined<C: Call>(call: C) -> C::Result {
        Self::Word::outlined(call)
    }

    /// Runs a formula: in a function of its own if its code is larger than its products' code.
    #[inline(always)]
    fn formula<C: Call>(call: C) -> C::Result {
        Self::outlined(call)
    }

    /// Returns the limbs as a product reads them, without carries that it does not need.
    #[inline(always)]
    fn factor(&self) -> Self {
        *self
    }

    /// Returns the limbs as a product reads them, carried: up to MASK, if a product does not ignore the bits above.
    #[inline(always)]
    fn carried(&self) -> Self {
        carried(self)
    }

    /// Returns the limbs of a factor without the bits that products ignore.
    #[inline(always)]
    fn masked(&self) -> Self {
        *self
    }

    /// Returns a·b / 2^R modulo p, as a factor.
    fn product(a: &Self, b: &Self) -> Self;

    /// Returns a·b / 2^R modulo p, plus `more`.
    #[inline(always)]
    fn product_plus(a: &Self, b: &Self, more: &Self) -> Self {
        let product = Self::product(a, b);
        Self::each(|i| product.all()[i].plus(more.all()[i]))
    }

    /// Returns a·b / 2^R modulo p, times 2^((R − FORM) / 2), plus `more`. The limbs are up to 16·LIMB·MASK plus
    /// the limbs of `more`.
    #[inline(always)]
    fn product_in_form(a: &Self, b: &Self, more: &Self) -> Self {
        const { assert!(Self::FORM == Self::R) };
        Self::product_plus(a, b, more)
    }

    /// Returns a² / 2^R modulo p, as a factor. Limbs are up to 4·MASK.
    #[inline(always)]
    fn square(a: &Self) -> Self {
        Self::product(a, a)
    }

    /// Returns a² / 2^R modulo p, plus `more`. Limbs of a are up to 4·MASK.
    #[inline(always)]
    fn square_plus(a: &Self, more: &Self) -> Self {
        let square = Self::square(a);
        Self::each(|i| square.all()[i].plus(more.all()[i]))
    }

    /// Returns the sum of the products of each two factors, the second with its lanes in an order, / 2^R modulo p, in
    /// limbs up to N·LIMB·MASK.
    fn sum_of_products<O: Order, const N: usize>(factors: [[&Self; 2]; N]) -> Self;

    /// Returns the integer modulo p, below p and in limbs up to MASK, for limbs that [`FpLimbs::reduced`] returned.
    #[inline(always)]
    fn canonical(&self) -> Self {
        Canonical(self).call()
    }

    /// Returns the number k, modulo 2^BITS, for which k·p has this lowest limb.
    #[inline(always)]
    fn multiple_of_p(lowest: Self::Word) -> Self::Word {
        lowest.times_low(Self::Word::all(inverse::<Self>())).and(Self::Word::all(Self::MASK))
    }

    /// Returns the integer minus a multiple of p, below 2·p and in limbs up to MASK, for limbs below ROOM·MASK.
    #[inline(always)]
    fn reduced(&self) -> Self {
        let (limbs, last) = (self.all(), Self::COUNT - 1);
        let word = Self::Word::all;
        // The carry of the limb before the highest is enough for an estimate of the quotient by p that is exact or 1
        // less: what it lacks, by the carries of the limbs below, is less than 5, and the highest limb of p has 17
        // bits.
        let high = limbs[last].plus(Self::above(limbs[last - 1]));
        let quotient = high.times_low(word(const { reciprocal::<Self>() })).right::<QUOTIENT_BITS>();
        let minus_p = const { minus_p::<Self>() };
        let less = carried(&Self::each(|i| limbs[i].plus(quotient.times_low(word(minus_p[i])))));
        // Modulo 2^R.
        Self::each(|i| if i < last { less.all()[i] } else { less.all()[i].and(word(Self::MASK)) })
    }
}

/// The call of [`FpLimbs::canonical`].
struct Canonical<'a, F>(&'a F);

impl<F: FpLimbs> Call for Canonical<'_, F> {
    type Result = F;

    #[inline(always)]
    fn call(self) -> F {
        let limbs = self.0.reduced();
        // Usually below p already: the estimate is 1 too small for about one value in 2^10.
        let most = F::Word::all(const { p::<F>()[F::COUNT - 1] - 1 });
        if most.minus(limbs.all()[F::COUNT - 1]).has_high_bit() { without_p(&limbs) } else { limbs }
    }
}

/// Bits of the highest limb that estimate a quotient.
pub(crate) const QUOTIENT_BITS: i32 = 44;

/// 2^44 divided by the highest limb of p plus 1.
pub(crate) const fn reciprocal<F: FpLimbs>() -> u64 {
    (1 << QUOTIENT_BITS) / (p::<F>()[F::COUNT - 1] + 1)
}

/// The largest number of limbs.
pub(crate) const MAX_COUNT: usize = 15;

/// Constants in [`MAX_LIMBS`] limbs, of which the highest are 0 if a size has fewer.
pub(crate) type Constant = [u64; MAX_COUNT];

/// p.
pub(crate) const fn p<F: FpLimbs>() -> Constant {
    split::<F>(&P)
}

/// 2^R − p.
pub(crate) const fn minus_p<F: FpLimbs>() -> Constant {
    limbs::complement(&p::<F>(), F::COUNT, F::BITS)
}

/// 1/p modulo 2^BITS.
pub(crate) const fn inverse<F: FpLimbs>() -> u64 {
    limbs::inverse(P[0]) & F::MASK
}

/// −1/p modulo 2^BITS: the lowest limb of a sum times this is the digit that makes it 0.
pub(crate) const fn minus_inverse<F: FpLimbs>() -> u64 {
    F::MASK + 1 - inverse::<F>()
}

/// Returns the limbs of an integer below 2^384.
pub(crate) const fn split<F: FpLimbs>(words: &fp::Words) -> Constant {
    limbs::split(words, F::COUNT, F::BITS)
}

/// Returns a multiple of p above k·VALUE·p, from which limbs up to l·LIMB·MASK of an integer up to k·VALUE·p are
/// subtracted without a borrow.
pub(crate) const fn above<F: FpLimbs>(l: u64, k: u64) -> Constant {
    limbs::above(&p::<F>(), F::COUNT, F::BITS, l * F::LIMB, k * F::VALUE)
}

/// Returns the order of all lanes, for [`Words::permute`], in which each four lanes have this order.
pub(crate) const fn order(lanes: [u32; 4]) -> u32 {
    let four = lanes[0] | lanes[1] << 3 | lanes[2] << 6 | lanes[3] << 9;
    four | (four + 0o4444) << 12
}

/// Orders of lanes for the products of a sum.
pub(crate) trait Order {
    /// Returns the lanes of a vector in the order for this product.
    fn ordered<W: Words>(vector: &W, product: usize) -> W;
}

/// Lanes as they are.
pub(crate) struct InOrder;

impl Order for InOrder {
    #[inline(always)]
    fn ordered<W: Words>(vector: &W, _: usize) -> W {
        *vector
    }
}

/// Returns the same limbs in all lanes.
#[inline(always)]
pub(crate) fn constant<F: FpLimbs>(limbs: &Constant) -> F {
    F::each(|i| F::Word::all(limbs[i]))
}

/// Carries the bits above BITS of each limb but the highest to the next one.
#[inline(always)]
pub(crate) fn carried<F: FpLimbs>(limbs: &F) -> F {
    let (limbs, mut carry) = (limbs.all(), F::Word::all(0));
    let mut out = [F::Word::all(0); MAX_COUNT];
    for i in 0..F::COUNT {
        let limb = if i > 0 { limbs[i].plus(carry) } else { limbs[i] };
        carry = F::above(limb);
        out[i] = if i + 1 < F::COUNT { limb.and(F::Word::all(F::MASK)) } else { limb };
    }
    F::each(|i| out[i])
}

/// An element: each lane is at most K·VALUE·p, and each limb at most L·LIMB·MASK.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element<F, const L: u64, const K: u64>(pub(super) F);

/// An element that can be multiplied: each lane is at most K·VALUE·p, and L tells how large limbs are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factor<F, const L: u64, const K: u64>(pub(super) F);

impl<F: FpLimbs, const L: u64, const K: u64> Element<F, L, K> {
    /// Returns 0.
    #[inline(always)]
    pub(crate) fn zero() -> Self {
        Element(F::each(|_| F::Word::all(0)))
    }

    /// Returns the same element with weaker bounds.
    #[inline(always)]
    pub(crate) fn widen<const L2: u64, const K2: u64>(&self) -> Element<F, L2, K2> {
        const { assert!(L2 >= L && K2 >= K) };
        Element(self.0)
    }

    /// Returns self + other.
    #[inline(always)]
    pub(crate) fn plus<const L2: u64, const K2: u64, const LO: u64, const KO: u64>(
        &self,
        other: &Element<F, L2, K2>,
    ) -> Element<F, LO, KO> {
        const { assert!(LO >= L + L2 && KO >= K + K2 && LO * F::LIMB < F::ROOM) };
        let (a, b) = (self.0.all(), other.0.all());
        Element(F::each(|i| a[i].plus(b[i])))
    }

    /// Returns −self.
    #[inline(always)]
    pub(crate) fn negative<const LO: u64, const KO: u64>(&self) -> Element<F, LO, KO> {
        const { assert!(LO > L && KO > K && LO * F::LIMB < F::ROOM) };
        let (above, a) = (const { above::<F>(L, K) }, self.0.all());
        Element(F::each(|i| F::Word::all(above[i]).minus(a[i])))
    }

    /// Returns self − other.
    #[inline(always)]
    pub(crate) fn minus<const L2: u64, const K2: u64, const LO: u64, const KO: u64>(
        &self,
        other: &Element<F, L2, K2>,
    ) -> Element<F, LO, KO> {
        const { assert!(LO > L + L2 && KO > K + K2 && LO * F::LIMB < F::ROOM) };
        let (above, a, b) = (const { above::<F>(L2, K2) }, self.0.all(), other.0.all());
        Element(F::each(|i| a[i].plus(F::Word::all(above[i]).minus(b[i]))))
    }

    /// Returns −self in the lanes of a mask, self in the others.
    #[inline(always)]
    pub(crate) fn negative_in<const LO: u64, const KO: u64>(&self, mask: u8) -> Element<F, LO, KO> {
        self.widen().select(mask, &self.negative())
    }

    /// Returns 2^BY times the element.
    #[inline(always)]
    pub(crate) fn doubled<const BY: i32, const LO: u64, const KO: u64>(&self) -> Element<F, LO, KO> {
        const { assert!(LO >= L << BY && KO >= K << BY && LO * F::LIMB < F::ROOM) };
        let a = self.0.all();
        Element(F::each(|i| a[i].left::<BY>()))
    }

    /// Returns the element as a factor, with the bounds of its limbs.
    #[inline(always)]
    pub(crate) fn factor(&self) -> Factor<F, L, K> {
        const { assert!(K <= F::MAX_VALUES) };
        Factor(self.0.factor())
    }

    /// Returns the element as a factor, in small limbs.
    #[inline(always)]
    pub(crate) fn carried(&self) -> Factor<F, 1, K> {
        // The highest limb has room for its bits: K·VALUE·p is below 2^R.
        const { assert!(K * F::VALUE <= F::MAX_VALUES * F::VALUE) };
        Factor(self.0.carried())
    }

    /// Returns the element below p, in limbs up to MASK.
    #[inline(always)]
    pub(crate) fn canonical(&self) -> Element<F, 1, 1> {
        const { assert!(K * F::VALUE <= F::MAX_REDUCED && L * F::LIMB < F::ROOM) };
        Element(self.0.canonical())
    }

    /// Returns the lanes that may be 0 modulo p: all that are 0, and about K·VALUE in 2^BITS of the others.
    #[inline(always)]
    pub(crate) fn may_be_zero(&self) -> u8 {
        F::multiple_of_p(self.0.all()[0]).minus(F::Word::all(K * F::VALUE + 1)).high_bits()
    }

    /// Returns the lanes in another order.
    #[inline(always)]
    pub(crate) fn permuted<const ORDER: u32>(&self) -> Self {
        let limbs = self.0.all();
        Element(F::each(|i| limbs[i].permute::<ORDER>()))
    }

    /// Returns `other` in the lanes of a mask, self in the others.
    #[inline(always)]
    pub(crate) fn select(&self, mask: u8, other: &Self) -> Self {
        let (a, b, mask) = (self.0.all(), other.0.all(), Mask::from_bits(mask));
        Element(F::each(|i| a[i].or_in(mask, b[i])))
    }

    /// Returns self in the lanes of a mask, 0 in the others.
    #[inline(always)]
    pub(crate) fn only_in(&self, mask: u8) -> Self {
        Self::zero().select(mask, self)
    }

    /// Returns the lanes that are 0, of canonical limbs.
    #[inline(always)]
    pub(crate) fn zeros(&self) -> u8 {
        let mut any = self.0.all()[0];
        for limb in &self.0.all()[1..] {
            any = any.or(*limb);
        }
        any.zeros().bits()
    }

    /// Returns the lanes whose lowest limb is 0.
    #[inline(always)]
    pub(crate) fn may_be_zeros(&self) -> u8 {
        self.0.all()[0].zeros().bits()
    }
}

impl<F: FpLimbs> Element<F, 1, 1> {
    /// Returns the integers below p of words, the least significant first.
    #[inline(always)]
    pub(crate) fn from_words(words: &[F::Word; 6]) -> Self {
        Element(F::from_words(words))
    }

    /// Returns the words, the least significant first, of canonical limbs.
    #[inline(always)]
    pub(crate) fn to_words(self) -> [F::Word; 6] {
        self.0.to_words()
    }

    /// Returns the same element in all lanes.
    #[inline(always)]
    pub(crate) fn constant(words: &fp::Words) -> Self {
        Element(constant(&split::<F>(words)))
    }

    /// Returns the lanes in which two canonical elements are equal.
    #[inline(always)]
    pub(crate) fn equals(&self, other: &Self) -> u8 {
        let (a, b) = (self.0.all(), other.0.all());
        Element::<F, 1, 1>(F::each(|i| a[i].minus(b[i]))).zeros()
    }

    /// Returns the lanes that are odd integers, of canonical limbs.
    #[inline(always)]
    pub(crate) fn odd(&self) -> u8 {
        self.0.all()[0].left::<63>().high_bits()
    }
}

impl<F: FpLimbs, const L: u64, const K: u64> Factor<F, L, K> {
    /// Returns the same factor with weaker bounds.
    #[inline(always)]
    pub(crate) fn widen<const L2: u64, const K2: u64>(&self) -> Factor<F, L2, K2> {
        const { assert!(L2 >= L && K2 >= K) };
        Factor(self.0)
    }

    /// Returns the element.
    #[inline(always)]
    pub(crate) fn element(&self) -> Element<F, L, K> {
        Element(self.0.masked())
    }

    /// Returns self · other, divided by 2^R.
    #[inline(always)]
    pub(crate) fn times<const L2: u64, const K2: u64>(&self, other: &Factor<F, L2, K2>) -> Factor<F, 1, 1> {
        const { assert_product::<F>(L * L2, K * K2, L, L2) };
        Factor(F::product(&self.0, &other.0))
    }

    /// Returns self · other, divided by 2^R, as an element.
    #[inline(always)]
    pub(crate) fn product<const L2: u64, const K2: u64>(
        &self,
        other: &Factor<F, L2, K2>,
    ) -> Element<F, 1, 1> {
        self.times_plus(other, &Element::<F, 0, 0>::zero())
    }

    /// Returns self · other, divided by 2^R, plus `more`.
    #[inline(always)]
    pub(crate) fn times_plus<
        const L2: u64,
        const K2: u64,
        const L3: u64,
        const K3: u64,
        const LO: u64,
        const KO: u64,
    >(
        &self,
        other: &Factor<F, L2, K2>,
        more: &Element<F, L3, K3>,
    ) -> Element<F, LO, KO> {
        const { assert_product::<F>(L * L2, K * K2, L, L2) };
        const { assert!(LO > L3 && KO > K3 && LO * F::LIMB < F::ROOM) };
        Element(F::product_plus(&self.0, &other.0, &more.0))
    }

    /// Returns self · other, divided by 2^R, times 2^((R − FORM) / 2), plus `more`.
    #[inline(always)]
    pub(crate) fn times_in_form_plus<
        const L2: u64,
        const K2: u64,
        const L3: u64,
        const K3: u64,
        const LO: u64,
        const KO: u64,
    >(
        &self,
        other: &Factor<F, L2, K2>,
        more: &Element<F, L3, K3>,
    ) -> Element<F, LO, KO> {
        const { assert_product::<F>(L * L2, K * K2, L, L2) };
        const { assert!(LO >= 16 + L3 && KO >= 16 + K3 && LO * F::LIMB < F::ROOM) };
        Element(F::product_in_form(&self.0, &other.0, &more.0))
    }

    /// Returns the square, divided by 2^R.
    #[inline(always)]
    pub(crate) fn square(&self) -> Factor<F, 1, 1> {
        const { assert_product::<F>(L * L, K * K, L, L) };
        const { assert!(L <= 4) };
        Factor(F::square(&self.0))
    }

    /// Returns the square, divided by 2^R, as an element.
    #[inline(always)]
    pub(crate) fn squared(&self) -> Element<F, 1, 1> {
        self.square_plus(&Element::<F, 0, 0>::zero())
    }

    /// Returns the square, divided by 2^R, plus `more`.
    #[inline(always)]
    pub(crate) fn square_plus<const L3: u64, const K3: u64, const LO: u64, const KO: u64>(
        &self,
        more: &Element<F, L3, K3>,
    ) -> Element<F, LO, KO> {
        const { assert_product::<F>(L * L, K * K, L, L) };
        const { assert!(L <= 4 && LO > L3 && KO > K3 && LO * F::LIMB < F::ROOM) };
        Element(F::square_plus(&self.0, &more.0))
    }

    /// Returns self · factor + a · b, divided by 2^R.
    #[inline(always)]
    pub(crate) fn times_plus_product<
        const L2: u64,
        const K2: u64,
        const L3: u64,
        const K3: u64,
        const L4: u64,
        const K4: u64,
    >(
        &self,
        factor: &Factor<F, L2, K2>,
        a: &Factor<F, L3, K3>,
        b: &Factor<F, L4, K4>,
    ) -> Element<F, 2, 1> {
        const { assert_product::<F>(L * L2 + L3 * L4, K * K2 + K3 * K4, L, L2) };
        const { assert!(L3 <= F::MAX_LIMB && L4 <= F::MAX_LIMB && 2 * F::LIMB < F::ROOM) };
        Element(F::sum_of_products::<InOrder, 2>([[&self.0, &factor.0], [&a.0, &b.0]]))
    }

    /// Returns the lanes in another order.
    #[inline(always)]
    pub(crate) fn permuted<const ORDER: u32>(&self) -> Self {
        Factor(Element::<F, L, K>(self.0).permuted::<ORDER>().0)
    }

    /// Returns `other` in the lanes of a mask, self in the others.
    #[inline(always)]
    pub(crate) fn select(&self, mask: u8, other: &Self) -> Self {
        Factor(Element::<F, L, K>(self.0).select(mask, &Element(other.0)).0)
    }
}

/// Asserts that sums of products have room.
const fn assert_product<F: FpLimbs>(limbs: u64, values: u64, a: u64, b: u64) {
    assert!(limbs <= F::MAX_LIMBS && a <= F::MAX_LIMB && b <= F::MAX_LIMB && values <= F::MAX_VALUES);
}

/// Subtracts p in the lanes that are at least p, from limbs up to MASK of values below 2·p. Not `cold`: closures in a
/// cold function are not inlined into one of the instruction set.
#[inline(always)]
fn without_p<F: FpLimbs>(limbs: &F) -> F {
    let (minus, last) = (const { minus_p::<F>() }, F::COUNT - 1);
    let less = carried(&F::each(|i| limbs.all()[i].plus(F::Word::all(minus[i]))));
    // Without a carry beyond the highest limb the value is below p already.
    let keep = F::above(less.all()[last]).zeros();
    let mask = F::Word::all(F::MASK);
    F::each(|i| if i < last { less.all()[i] } else { less.all()[i].and(mask) }.or_in(keep, limbs.all()[i]))
}

#[cfg(test)]
pub(crate) mod tests;

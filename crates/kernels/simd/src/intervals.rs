//! A model of vectors in which a lane is an interval: each operation panics where it could overflow 64 bits, borrow, or
//! cut bits off a factor, for any words of the intervals. A formula that runs in it on the largest intervals of its
//! arguments cannot overflow for any input.
//!
//! An interval does not record relations between limbs. A reduction subtracts a quotient times the modulus that it
//! estimates from the highest limb itself, so the interval of the rest is too large; [`Reduction::TOP`] is used in its
//! place, which tests prove for each quotient.

use std::marker::PhantomData;

use crate::{Call, LaneMask, MAX_LANES, Words, Words52};

/// Constants of the arithmetic that runs in the model.
pub trait Reduction: Copy + std::fmt::Debug {
    /// A limb of ones.
    const MASK: u64;
    /// The highest limb of the number whose product with the quotient is added. No other constant is equal.
    const MINUS_HIGHEST: u64;
    /// The largest highest limb after a reduction.
    const TOP: u64;
    /// The factor of digits of Montgomery's reduction, whose products are cut on purpose.
    const DIGIT: u64;
}

/// The words from `low` to `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The smallest word.
    pub low: u64,
    /// The largest word.
    pub high: u64,
    /// Whether a multiple of [`Reduction::MINUS_HIGHEST`] has been added.
    reduced: bool,
}

impl Interval {
    const ALL: Self = Interval::new(0, u64::MAX);

    /// Returns the words from `low` to `high`.
    pub const fn new(low: u64, high: u64) -> Self {
        Interval { low, high, reduced: false }
    }

    /// Returns the interval that contains both.
    fn or(self, other: Self) -> Self {
        let reduced = self.reduced | other.reduced;
        Interval { low: self.low.min(other.low), high: self.high.max(other.high), reduced }
    }

    fn exact(self) -> Option<u64> {
        (self.low == self.high).then_some(self.low)
    }

    fn plus(self, other: Self) -> Self {
        let high = self.high.checked_add(other.high);
        let high = high.unwrap_or_else(|| panic!("{self:x?} + {other:x?} may overflow"));
        Interval { low: self.low + other.low, high, reduced: self.reduced | other.reduced }
    }

    fn minus(self, other: Self) -> Self {
        if let (Some(a), Some(b)) = (self.exact(), other.exact()) {
            // A mask.
            return Interval::new(a.wrapping_sub(b), a.wrapping_sub(b));
        }
        if self.exact() == Some(0) {
            // The negative modulo 2^64.
            return Interval::new(0, u64::MAX);
        }
        let low = self.low.checked_sub(other.high);
        Interval::new(
            low.unwrap_or_else(|| panic!("{self:x?} - {other:x?} may borrow")),
            self.high - other.low,
        )
    }

    /// Returns the lowest bits, as many as in the mask, of each word.
    fn cut<R: Reduction>(self, mask: u64) -> Self {
        assert!((mask + 1).is_power_of_two());
        match (self.low & !mask) == (self.high & !mask) {
            true => Interval::new(self.low & mask, self.high & mask),
            false if self.reduced && mask == R::MASK => Interval::new(0, R::TOP),
            false => Interval::new(0, mask),
        }
    }

    /// Returns the smallest and the largest product.
    fn product(self, other: Self) -> [u128; 2] {
        [(self.low, other.low), (self.high, other.high)].map(|(a, b)| u128::from(a) * u128::from(b))
    }

    fn times_quotient<R: Reduction>(self, other: Self) -> bool {
        let one = |a: Self, b: Self| a.exact() == Some(R::MINUS_HIGHEST) && b.exact().is_none();
        one(self, other) || one(other, self)
    }
}

/// N intervals.
#[derive(Clone, Copy, Debug)]
pub struct Intervals<R, const N: usize>(pub [Interval; N], PhantomData<R>);

impl<R: Reduction, const N: usize> Intervals<R, N> {
    /// Returns all words from `low` to `high` in each lane.
    pub fn between(low: u64, high: u64) -> Self {
        Self::of(|_| Interval::new(low, high))
    }

    /// Returns the lanes by their numbers.
    pub fn of(lane: impl FnMut(usize) -> Interval) -> Self {
        Intervals(std::array::from_fn(lane), PhantomData)
    }

    /// Returns the largest word of all lanes.
    pub fn most(&self) -> u64 {
        self.0.iter().map(|lane| lane.high).max().unwrap_or_default()
    }

    fn with(self, other: Self, f: impl Fn(Interval, Interval) -> Interval) -> Self {
        Self::of(|lane| f(self.0[lane], other.0[lane]))
    }
}

const NOT_OF_INTERVALS: &str = "intervals are not read or written";

// Formulas are inlined whole: with these operations in them, their code took minutes to compile.
impl<R: Reduction, const N: usize> Words for Intervals<R, N> {
    const LANES: usize = N;

    type Mask = LaneMask<Self>;

    fn all(word: u64) -> Self {
        Self::between(word, word)
    }

    fn load(words: &[u64]) -> Self {
        Self::of(|lane| Interval::new(words[lane], words[lane]))
    }

    fn from_big_endian(_: &[u8], _: usize) -> [Self; 4] {
        unreachable!("{NOT_OF_INTERVALS}")
    }

    fn load_elements(_: &[[u64; 4]], _: usize) -> [Self; 4] {
        unreachable!("{NOT_OF_INTERVALS}")
    }

    fn store_elements(_: [Self; 4], _: &mut [[u64; 4]], _: usize) {
        unreachable!("{NOT_OF_INTERVALS}")
    }

    fn gather(_: &[&[u64; 6]; MAX_LANES]) -> [Self; 6] {
        unreachable!("{NOT_OF_INTERVALS}")
    }

    fn scatter(_: [Self; 6], _: &mut [[u64; 6]; MAX_LANES]) {
        unreachable!("{NOT_OF_INTERVALS}")
    }

    fn transpose(_: &mut [Self]) {
        unreachable!("{NOT_OF_INTERVALS}")
    }

    fn store(self, _: &mut [u64]) {
        unreachable!("{NOT_OF_INTERVALS}")
    }

    fn high_bits(self) -> u8 {
        unreachable!("{NOT_OF_INTERVALS}")
    }

    #[inline(never)]
    fn plus(self, other: Self) -> Self {
        self.with(other, Interval::plus)
    }

    #[inline(never)]
    fn minus(self, other: Self) -> Self {
        self.with(other, Interval::minus)
    }

    #[inline(never)]
    fn times_low(self, other: Self) -> Self {
        self.with(other, |a, b| {
            const MAX: u64 = u32::MAX as u64;
            if [a, b].iter().any(|factor| factor.exact() == Some(R::DIGIT)) {
                return Interval::new(0, MAX * R::DIGIT);
            }
            assert!(a.high <= MAX && b.high <= MAX, "{a:x?} · {b:x?} may lack bits");
            let [low, high] = a.product(b).map(|product| product as u64);
            Interval { low, high, reduced: a.times_quotient::<R>(b) }
        })
    }

    #[inline(never)]
    fn and(self, other: Self) -> Self {
        self.with(other, |a, b| match (a.exact(), b.exact()) {
            (Some(a), Some(b)) => Interval::new(a & b, a & b),
            (_, Some(mask)) => a.cut::<R>(mask),
            _ => unreachable!("masks are constants"),
        })
    }

    #[inline(never)]
    fn or(self, other: Self) -> Self {
        self.with(other, |a, b| match (a.exact(), b.exact()) {
            (Some(a), Some(b)) => Interval::new(a | b, a | b),
            _ => Interval::new(
                a.low.max(b.low),
                u64::MAX.checked_shr((a.high | b.high).leading_zeros()).unwrap_or(0),
            ),
        })
    }

    #[inline(never)]
    fn right<const BITS: i32>(self) -> Self {
        Self::of(|lane| Interval::new(self.0[lane].low >> BITS, self.0[lane].high >> BITS))
    }

    #[inline(never)]
    fn left<const BITS: i32>(self) -> Self {
        Self::of(|lane| match self.0[lane] {
            // The bits above are those of another limb.
            all if all.high.leading_zeros() < BITS as u32 => Interval::new(0, u64::MAX << BITS),
            some => Interval::new(some.low << BITS, some.high << BITS),
        })
    }

    fn xor(self, other: Self) -> Self {
        self.with(other, |a, b| match (a.exact(), b.exact()) {
            (Some(a), Some(b)) => Interval::new(a ^ b, a ^ b),
            _ => Interval::ALL,
        })
    }

    fn right_signed<const BITS: i32>(self) -> Self {
        Self::of(|lane| match self.0[lane] {
            some if some.high >> 63 == 0 => Interval::new(some.low >> BITS, some.high >> BITS),
            _ => Interval::ALL,
        })
    }

    fn zeros(self) -> Self::Mask {
        unknown()
    }

    fn exceeds(self, _: Self) -> Self::Mask {
        unknown()
    }

    fn negative(self) -> Self::Mask {
        unknown()
    }

    #[inline(never)]
    fn or_in(self, LaneMask(mask): Self::Mask, other: Self) -> Self {
        Self::of(|lane| match mask.0[lane].exact() {
            Some(0) => self.0[lane],
            Some(u64::MAX) => other.0[lane],
            _ => self.0[lane].or(other.0[lane]),
        })
    }

    fn select<const LANES: u8>(self, other: Self) -> Self {
        Self::of(|lane| if LANES >> lane & 1 == 0 { self.0[lane] } else { other.0[lane] })
    }

    fn exchange<const BIT: usize>(self) -> Self {
        Self::of(|lane| self.0[lane ^ BIT])
    }

    fn permute<const FROM: u32>(self) -> Self {
        Self::of(|lane| self.0[FROM as usize >> (3 * lane) & 7])
    }

    fn broadcast(&self, lane: usize) -> Self {
        Self::of(|_| self.0[lane])
    }

    #[inline(never)]
    fn outlined<C: Call>(call: C) -> C::Result {
        call.call()
    }
}

/// Returns lanes that a comparison may choose or not.
fn unknown<R: Reduction, const N: usize>() -> LaneMask<Intervals<R, N>> {
    LaneMask(Intervals::of(|_| Interval::ALL))
}

/// A limb of ones of the instructions, which ignore the bits above.
const MASK_52: u64 = (1 << 52) - 1;

impl<R: Reduction, const N: usize> Words52 for Intervals<R, N> {
    #[inline(never)]
    fn plus_low(self, a: Self, b: Self) -> Self {
        let product = a.with(b, |a, b| {
            let [low, high] = a.low_52().product(b.low_52());
            let cut = low >> 52 != high >> 52;
            let (low, high) = if cut { (0, MASK_52) } else { (low as u64 & MASK_52, high as u64 & MASK_52) };
            Interval { low, high, reduced: a.times_quotient::<R>(b) }
        });
        self.plus(product)
    }

    #[inline(never)]
    fn plus_high(self, a: Self, b: Self) -> Self {
        self.plus(a.with(b, |a, b| {
            let [low, high] = a.low_52().product(b.low_52());
            Interval::new((low >> 52) as u64, (high >> 52) as u64)
        }))
    }

    #[inline(never)]
    fn outlined_52<C: Call>(call: C) -> C::Result {
        call.call()
    }
}

impl Interval {
    fn low_52(self) -> Self {
        match self.low >> 52 == self.high >> 52 {
            true => Interval::new(self.low & MASK_52, self.high & MASK_52),
            false => Interval::new(0, MASK_52),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug)]
    struct Any;

    impl Reduction for Any {
        const MASK: u64 = MASK_52;
        const MINUS_HIGHEST: u64 = 12_345;
        const TOP: u64 = 99;
        const DIGIT: u64 = 7;
    }

    type One = Intervals<Any, 1>;

    /// Checks that results of words are within the results of their intervals.
    #[test]
    fn intervals_have_the_results_of_their_words() {
        let ends = [0, 1, 77, u64::from(u32::MAX), 1 << 40, MASK_52 - 5, MASK_52, MASK_52 + 9, 1 << 60];
        let intervals =
            || ends.iter().flat_map(|a| ends.iter().map(move |b| (*a, *b))).filter(|(a, b)| a <= b);
        for ((a, b), (c, d)) in intervals().flat_map(|x| intervals().map(move |y| (x, y))) {
            let (x, y) = (One::between(a, b), One::between(c, d));
            for (u, v) in [(a, c), (a, d), (b, c), (b, d), (a + (b - a) / 3, c + (d - c) / 3)] {
                let within = |found: One, word: [u64; 1]| {
                    let Interval { low, high, .. } = found.0[0];
                    assert!(low <= word[0] && word[0] <= high, "[{a:x}, {b:x}] [{c:x}, {d:x}]: {word:x?}");
                };
                let (u, v) = ([u], [v]);
                within(x.plus(y), u.plus(v));
                within(x.or(y), u.or(v));
                within(x.and(One::all(MASK_52)), u.and([MASK_52]));
                within(x.right::<28>(), u.right::<28>());
                within(x.left::<12>(), u.left::<12>());
                within(One::all(5).plus_low(x, y), [5].plus_low(u, v));
                within(One::all(5).plus_high(x, y), [5].plus_high(u, v));
                if b <= u64::from(u32::MAX) && d <= u64::from(u32::MAX) {
                    within(x.times_low(y), u.times_low(v));
                }
                if a >= d {
                    within(x.minus(y), u.minus(v));
                }
            }
        }
    }

    #[test]
    #[should_panic(expected = "may overflow")]
    fn an_overflow_is_found() {
        let _ = One::between(0, u64::MAX).plus(One::between(0, 1));
    }

    #[test]
    #[should_panic(expected = "may borrow")]
    fn a_borrow_is_found() {
        let _ = One::between(5, 9).minus(One::between(0, 6));
    }

    #[test]
    #[should_panic(expected = "may lack bits")]
    fn a_factor_that_is_too_long_is_found() {
        let _ = One::between(0, 1 << 32).times_low(One::all(3));
    }
}

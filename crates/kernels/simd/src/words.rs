//! Vectors of 64-bit words.

use std::array::from_fn;
use std::fmt::Debug;

/// The largest number of lanes.
pub const MAX_LANES: usize = 8;

/// A vector of 64-bit words, one in each lane.
pub trait Words: Copy + Debug {
    /// The number of lanes.
    const LANES: usize;

    /// Lanes that a comparison chose: a bit for each lane, or a word of ones.
    type Mask: Mask;

    /// Returns a word in all lanes.
    fn all(word: u64) -> Self;

    /// Returns the first words, as many as there are lanes.
    fn load(words: &[u64]) -> Self;

    /// Writes the words, as many as there are lanes.
    fn store(self, words: &mut [u64]);

    /// Returns the words, least significant first, of the big-endian numbers of 32 bytes at each `stride` bytes.
    fn from_big_endian(bytes: &[u8], stride: usize) -> [Self; 4];

    /// Returns the words of the elements 0, `stride`, 2·`stride`, …, as many as there are lanes.
    fn load_elements(elements: &[[u64; 4]], stride: usize) -> [Self; 4];

    /// Writes the words to the elements that [`Words::load_elements`] reads.
    fn store_elements(words: [Self; 4], elements: &mut [[u64; 4]], stride: usize);

    /// Returns the words of the element of each lane, the first of the list.
    fn gather(elements: &[&[u64; 6]; MAX_LANES]) -> [Self; 6];

    /// Writes the words of each lane to its element, the first of the list.
    fn scatter(words: [Self; 6], elements: &mut [[u64; 6]; MAX_LANES]);

    /// Transposes a square of as many vectors as there are lanes: lane j of vector i becomes lane i of vector j.
    fn transpose(square: &mut [Self]);

    /// Returns self + other modulo 2^64.
    fn plus(self, other: Self) -> Self;

    /// Returns self − other modulo 2^64.
    fn minus(self, other: Self) -> Self;

    /// Returns the products of the lower halves, 32 bits each.
    fn times_low(self, other: Self) -> Self;

    /// Returns the bits that both have.
    fn and(self, other: Self) -> Self;

    /// Returns the bits that one of them has, or both.
    fn or(self, other: Self) -> Self;

    /// Returns the bits that exactly one of them has.
    fn xor(self, other: Self) -> Self;

    /// Returns each word shifted to the right.
    fn right<const BITS: i32>(self) -> Self;

    /// Returns each word shifted to the right, with copies of its highest bit.
    fn right_signed<const BITS: i32>(self) -> Self;

    /// Returns each word shifted to the left.
    fn left<const BITS: i32>(self) -> Self;

    /// Returns the lanes that are 0.
    fn zeros(self) -> Self::Mask;

    /// Returns the lanes in which both are the same.
    #[inline(always)]
    fn equals(self, other: Self) -> Self::Mask {
        self.xor(other).zeros()
    }

    /// Returns the lanes in which self is larger, as signed words.
    fn exceeds(self, other: Self) -> Self::Mask;

    /// Returns the lanes whose highest bit is 1.
    fn negative(self) -> Self::Mask;

    /// Returns the highest bit of each lane, that of the first lane as the lowest.
    fn high_bits(self) -> u8;

    /// Returns whether the highest bit of a lane is 1.
    #[inline(always)]
    fn has_high_bit(self) -> bool {
        self.high_bits() != 0
    }

    /// Returns `other` in the lanes of a mask, self in the others.
    fn or_in(self, mask: Self::Mask, other: Self) -> Self;

    /// Returns self in the lanes of a mask, 0 in the others.
    #[inline(always)]
    fn only_in(self, mask: Self::Mask) -> Self {
        Self::all(0).or_in(mask, self)
    }

    /// Returns the lanes of `other` where the bit of `LANES` is 1, the lowest for the first lane, and those of self if
    /// it is 0.
    fn select<const LANES: u8>(self, other: Self) -> Self;

    /// Returns lane i ^ `BIT` in lane i, for 1, 2 or 4, below the number of lanes.
    fn exchange<const BIT: usize>(self) -> Self;

    /// Returns in lane i the lane whose number is octal digit i of `FROM`, from the lowest digit on.
    fn permute<const FROM: u32>(self) -> Self;

    /// Returns one lane in all lanes.
    fn broadcast(&self, lane: usize) -> Self;

    /// Makes a call by a function that is compiled for the instruction set, which is inlined if the compiler finds it
    /// worth its size.
    #[inline(always)]
    fn called<C: Call>(call: C) -> C::Result {
        call.call()
    }

    /// Makes a call by a function that is compiled for the instruction set, and not inlined.
    #[inline(always)]
    fn outlined<C: Call>(call: C) -> C::Result {
        call.call()
    }
}

/// Vectors with products of 52-bit integers.
pub trait Words52: Words {
    /// Returns self plus the low 52 bits of the product of the low 52 bits of both factors.
    fn plus_low(self, a: Self, b: Self) -> Self;

    /// Returns self plus the bits from 52 on of the product of the low 52 bits of both factors.
    fn plus_high(self, a: Self, b: Self) -> Self;

    /// Makes a call as [`Words::outlined`] does, by a function that is compiled for these products too.
    #[inline(always)]
    fn outlined_52<C: Call>(call: C) -> C::Result {
        call.call()
    }
}

/// Lanes of a vector.
pub trait Mask: Copy + Debug {
    /// Returns the lanes whose bits are 1, the lowest first.
    fn from_bits(bits: u8) -> Self;

    /// Returns a bit for each lane, the lowest first.
    fn bits(self) -> u8;

    /// Returns the lanes of both.
    fn and(self, other: Self) -> Self;

    /// Returns the lanes of one of them, or of both.
    fn or(self, other: Self) -> Self;

    /// Returns the other lanes.
    fn not(self) -> Self;

    /// Returns whether there are any.
    #[inline(always)]
    fn any(self) -> bool {
        self.bits() != 0
    }

    /// Returns whether these are all lanes.
    #[inline(always)]
    fn all(self) -> bool {
        !self.not().any()
    }
}

/// A function of vectors with its arguments, for [`Words::outlined`] and [`Words52::outlined_52`]. It has a type,
/// because closures are not always inlined into functions of an instruction set.
pub trait Call {
    /// The type of the result.
    type Result;

    /// Returns the result. Implementations are `#[inline(always)]`.
    fn call(self) -> Self::Result;
}

/// Lanes as words: ones in the lanes of the mask, and 0 in the others.
#[derive(Clone, Copy, Debug)]
pub struct LaneMask<W>(pub W);

impl<W: Words> Mask for LaneMask<W> {
    #[inline(always)]
    fn from_bits(bits: u8) -> Self {
        let mut words = [0; MAX_LANES];
        for (lane, word) in words.iter_mut().enumerate() {
            *word = u64::from(bits >> lane & 1).wrapping_neg();
        }
        LaneMask(W::load(&words))
    }

    #[inline(always)]
    fn bits(self) -> u8 {
        self.0.high_bits()
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        LaneMask(self.0.and(other.0))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        LaneMask(self.0.or(other.0))
    }

    #[inline(always)]
    fn not(self) -> Self {
        LaneMask(self.0.xor(W::all(u64::MAX)))
    }
}

/// Lanes in plain Rust: the model of the others.
impl<const N: usize> Words for [u64; N] {
    const LANES: usize = N;

    type Mask = LaneMask<Self>;

    fn all(word: u64) -> Self {
        [word; N]
    }

    fn load(words: &[u64]) -> Self {
        words.as_chunks().0[0]
    }

    fn store(self, words: &mut [u64]) {
        words.copy_from_slice(&self);
    }

    fn from_big_endian(bytes: &[u8], stride: usize) -> [Self; 4] {
        from_fn(|word| {
            from_fn(|lane| {
                let at = lane * stride + 24 - 8 * word;
                u64::from_be_bytes(from_fn(|i| bytes[at + i]))
            })
        })
    }

    fn load_elements(elements: &[[u64; 4]], stride: usize) -> [Self; 4] {
        from_fn(|word| from_fn(|lane| elements[lane * stride][word]))
    }

    fn store_elements(words: [Self; 4], elements: &mut [[u64; 4]], stride: usize) {
        for (lane, element) in elements.iter_mut().step_by(stride).take(N).enumerate() {
            *element = words.map(|word| word[lane]);
        }
    }

    fn gather(elements: &[&[u64; 6]; MAX_LANES]) -> [Self; 6] {
        from_fn(|word| from_fn(|lane| elements[lane][word]))
    }

    fn scatter(words: [Self; 6], elements: &mut [[u64; 6]; MAX_LANES]) {
        for (lane, element) in elements.iter_mut().take(N).enumerate() {
            *element = words.map(|word| word[lane]);
        }
    }

    fn transpose(square: &mut [Self]) {
        let before = square.to_vec();
        for (i, vector) in square.iter_mut().enumerate() {
            *vector = from_fn(|lane| before[lane][i]);
        }
    }

    fn plus(self, other: Self) -> Self {
        from_fn(|lane| self[lane].wrapping_add(other[lane]))
    }

    fn minus(self, other: Self) -> Self {
        from_fn(|lane| self[lane].wrapping_sub(other[lane]))
    }

    fn times_low(self, other: Self) -> Self {
        from_fn(|lane| (self[lane] & u64::from(u32::MAX)) * (other[lane] & u64::from(u32::MAX)))
    }

    fn and(self, other: Self) -> Self {
        from_fn(|lane| self[lane] & other[lane])
    }

    fn or(self, other: Self) -> Self {
        from_fn(|lane| self[lane] | other[lane])
    }

    fn xor(self, other: Self) -> Self {
        from_fn(|lane| self[lane] ^ other[lane])
    }

    fn right<const BITS: i32>(self) -> Self {
        self.map(|word| word >> BITS)
    }

    fn right_signed<const BITS: i32>(self) -> Self {
        self.map(|word| (word.cast_signed() >> BITS).cast_unsigned())
    }

    fn left<const BITS: i32>(self) -> Self {
        self.map(|word| word << BITS)
    }

    fn zeros(self) -> Self::Mask {
        LaneMask(self.map(|word| u64::from(word == 0).wrapping_neg()))
    }

    fn exceeds(self, other: Self) -> Self::Mask {
        let exceeds = |lane: usize| self[lane].cast_signed() > other[lane].cast_signed();
        LaneMask(from_fn(|lane| u64::from(exceeds(lane)).wrapping_neg()))
    }

    fn negative(self) -> Self::Mask {
        LaneMask(self.right_signed::<63>())
    }

    fn high_bits(self) -> u8 {
        self.iter().rev().fold(0, |bits, word| bits << 1 | (word >> 63) as u8)
    }

    fn or_in(self, LaneMask(mask): Self::Mask, other: Self) -> Self {
        from_fn(|lane| if mask[lane] == 0 { self[lane] } else { other[lane] })
    }

    fn select<const LANES: u8>(self, other: Self) -> Self {
        from_fn(|lane| if LANES >> lane & 1 == 0 { self[lane] } else { other[lane] })
    }

    fn exchange<const BIT: usize>(self) -> Self {
        from_fn(|lane| self[lane ^ BIT])
    }

    fn permute<const FROM: u32>(self) -> Self {
        from_fn(|lane| self[FROM as usize >> (3 * lane) & 7])
    }

    #[inline(never)]
    fn outlined<C: Call>(call: C) -> C::Result {
        call.call()
    }

    fn broadcast(&self, lane: usize) -> Self {
        [self[lane]; N]
    }
}

/// The model of the others.
impl<const N: usize> Words52 for [u64; N] {
    fn plus_low(self, a: Self, b: Self) -> Self {
        from_fn(|lane| self[lane].wrapping_add((a[lane] & MASK_52).wrapping_mul(b[lane] & MASK_52) & MASK_52))
    }

    fn plus_high(self, a: Self, b: Self) -> Self {
        let product = |lane: usize| u128::from(a[lane] & MASK_52) * u128::from(b[lane] & MASK_52);
        from_fn(|lane| self[lane].wrapping_add((product(lane) >> 52) as u64))
    }

    #[inline(never)]
    fn outlined_52<C: Call>(call: C) -> C::Result {
        call.call()
    }
}

/// 52 ones.
const MASK_52: u64 = (1 << 52) - 1;

#[cfg(test)]
pub(crate) mod tests {
    use parcrypt_testkit::rand::Rng;
    use parcrypt_testkit::rng;

    use super::*;

    fn stored<W: Words>(vector: W) -> Vec<u64> {
        let mut words = vec![0; W::LANES];
        vector.store(&mut words);
        words
    }

    /// Checks that each operation on random words does in each lane what it does in plain Rust.
    #[inline(always)]
    pub(crate) fn agrees_with_plain_words<W: Words>() {
        let mut rng = rng();
        let stride = 32 + 8;
        for _ in 0..200 {
            let bytes: Vec<u8> = (0..stride * W::LANES * 2).map(|_| rng.random()).collect();
            let words = |vectors: [W; 4]| vectors.map(stored);
            let number = |lane: usize, word: usize| {
                let at = lane * stride + 24 - 8 * word;
                u64::from_be_bytes(bytes[at..at + 8].try_into().unwrap())
            };
            let a = W::from_big_endian(&bytes, stride);
            for (word, found) in words(a).iter().enumerate() {
                assert!(found.iter().enumerate().all(|(lane, found)| *found == number(lane, word)), "{word}");
            }
            // Often 0, and often the same.
            let (x, y) = match rng.random_range(0..3) {
                0 => (a[0].only_in(W::Mask::from_bits(rng.random())), a[0]),
                _ => (a[0], a[3]),
            };
            let check = |found: W, expected: fn(u64, u64) -> u64| {
                let pairs = stored(x).into_iter().zip(stored(y));
                assert!(stored(found).into_iter().eq(pairs.map(|(x, y)| expected(x, y))));
            };
            check(x.plus(y), u64::wrapping_add);
            check(x.minus(y), u64::wrapping_sub);
            check(x.times_low(y), |x, y| (x & 0xffff_ffff) * (y & 0xffff_ffff));
            check(x.and(y), |x, y| x & y);
            check(x.or(y), |x, y| x | y);
            check(x.xor(y), |x, y| x ^ y);
            check(x.right::<29>(), |x, _| x >> 29);
            check(x.right_signed::<52>(), |x, _| ((x as i64) >> 52) as u64);
            check(y.left::<18>(), |_, y| y << 18);
            check(W::all(0x8000_0000_0000_0001), |_, _| 0x8000_0000_0000_0001);
            let ones = |mask: W::Mask| W::all(0).or_in(mask, W::all(u64::MAX));
            check(ones(x.zeros()), |x, _| u64::from(x == 0).wrapping_neg());
            check(ones(x.equals(y)), |x, y| u64::from(x == y).wrapping_neg());
            check(ones(x.exceeds(y)), |x, y| u64::from(x as i64 > y as i64).wrapping_neg());
            check(ones(x.negative()), |x, _| (x >> 63).wrapping_neg());
            check(x.or_in(x.exceeds(y), y), |x, y| (x as i64).min(y as i64) as u64);
            check(x.only_in(x.exceeds(y)), |x, y| if x as i64 > y as i64 { x } else { 0 });
            let numbers: Vec<u64> = (0..W::LANES + 1).map(|_| rng.random()).collect();
            assert_eq!(stored(W::load(&numbers)), numbers[..W::LANES]);
            masks(x, y);
            moves(x, y);
            elements::<W>(&mut rng);
            let numbers: Vec<u64> = (0..W::LANES * W::LANES).map(|_| rng.random()).collect();
            let mut square: Vec<W> = numbers.chunks(W::LANES).map(W::load).collect();
            W::transpose(&mut square);
            for (i, vector) in square.into_iter().enumerate() {
                assert!(numbers.iter().skip(i).step_by(W::LANES).eq(&stored(vector)));
            }
        }
        assert!(!W::all(u64::MAX >> 1).has_high_bit());
    }

    #[inline(always)]
    fn masks<W: Words>(x: W, y: W) {
        let every = ((1_u32 << W::LANES) - 1) as u8;
        let bit =
            |vector: W| stored(vector).iter().rev().fold(0, |bits, word| bits << 1 | (word >> 63) as u8);
        let (a, b) = (bit(x), bit(y));
        assert_eq!([x.high_bits(), x.negative().bits()], [a; 2]);
        assert_eq!(x.has_high_bit(), a != 0);
        let (m, n) = (W::Mask::from_bits(a), W::Mask::from_bits(b));
        assert_eq!(
            [m.bits(), m.and(n).bits(), m.or(n).bits(), m.not().bits()],
            [a, a & b, a | b, !a & every]
        );
        assert_eq!([m.any(), m.all()], [a != 0, a == every]);
        assert!(m.or(m.not()).all() && !m.and(m.not()).any());
    }

    #[inline(always)]
    fn moves<W: Words>(x: W, y: W) {
        let (a, b) = (stored(x), stored(y));
        let check = |found: W, expected: &dyn Fn(usize) -> u64| {
            assert!(stored(found).into_iter().enumerate().all(|(lane, word)| word == expected(lane)));
        };
        for (lane, word) in a.iter().enumerate() {
            check(x.broadcast(lane), &|_| *word);
        }
        check(x.select::<0b0101_0101>(y), &|lane| if lane % 2 == 0 { b[lane] } else { a[lane] });
        check(x.exchange::<1>(), &|lane| a[lane ^ 1]);
        check(x.permute::<0o1010_1010>(), &|lane| a[lane & 1]);
        if W::LANES > 2 {
            check(x.exchange::<2>(), &|lane| a[lane ^ 2]);
            check(x.select::<0b0011_1001>(y), &|lane| {
                if 0b0011_1001 >> lane & 1 == 1 { b[lane] } else { a[lane] }
            });
            check(x.permute::<0o0131_0131>(), &|lane| a[[1, 3, 1, 0][lane & 3]]);
            check(x.permute::<0o2203_2203>(), &|lane| a[[3, 0, 2, 2][lane & 3]]);
        }
        if W::LANES > 4 {
            check(x.exchange::<4>(), &|lane| a[lane ^ 4]);
            check(x.permute::<0o7214_6063>(), &|lane| a[[3, 6, 0, 6, 4, 1, 2, 7][lane]]);
        }
    }

    #[inline(always)]
    fn elements<W: Words>(rng: &mut impl Rng) {
        for stride in [1, 3] {
            let elements: Vec<[u64; 4]> = (0..W::LANES * stride).map(|_| rng.random()).collect();
            let loaded = W::load_elements(&elements, stride);
            for (word, found) in loaded.map(stored).iter().enumerate() {
                assert!(
                    elements.iter().step_by(stride).map(|element| element[word]).eq(found.iter().copied())
                );
            }
            let mut copy = vec![[7; 4]; elements.len()];
            W::store_elements(loaded, &mut copy, stride);
            for (i, (copy, element)) in copy.iter().zip(&elements).enumerate() {
                assert_eq!(*copy, if i % stride == 0 { *element } else { [7; 4] });
            }
        }
        let all: [[u64; 6]; MAX_LANES] = rng.random();
        let gathered = W::gather(&all.each_ref());
        for (word, found) in gathered.map(stored).iter().enumerate() {
            assert!(found.iter().zip(&all).all(|(found, element)| *found == element[word]));
        }
        let mut copy = [[7; 6]; MAX_LANES];
        W::scatter(gathered, &mut copy);
        assert_eq!(copy[..W::LANES], all[..W::LANES]);
        assert!(copy[W::LANES..].iter().all(|element| *element == [7; 6]));
    }

    /// Checks the products of random words, bit by bit.
    #[inline(always)]
    pub(crate) fn products_agree_with_plain_words<W: Words52>() {
        let mut rng = rng();
        for step in 0..400 {
            let mut random = || -> Vec<u64> {
                let word = |_| if step == 0 { u64::MAX } else { rng.random() };
                (0..W::LANES).map(word).collect()
            };
            let (sum, a, b) = (random(), random(), random());
            let low = stored(W::load(&sum).plus_low(W::load(&a), W::load(&b)));
            let high = stored(W::load(&sum).plus_high(W::load(&a), W::load(&b)));
            for lane in 0..W::LANES {
                let product = u128::from(a[lane] % (1 << 52)) * u128::from(b[lane] % (1 << 52));
                assert_eq!(low[lane], sum[lane].wrapping_add((product % (1 << 52)) as u64));
                assert_eq!(high[lane], sum[lane].wrapping_add((product >> 52) as u64));
            }
        }
    }

    #[test]
    fn the_model_agrees_with_plain_words() {
        agrees_with_plain_words::<[u64; 2]>();
        agrees_with_plain_words::<[u64; 4]>();
        agrees_with_plain_words::<[u64; 8]>();
        products_agree_with_plain_words::<[u64; 4]>();
    }
}

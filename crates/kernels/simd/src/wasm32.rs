//! Two words of WebAssembly's vectors of 128 bits, and four in two vectors.
//!
//! A module is compiled with these vectors or without, and an engine refuses it where it lacks them: nothing is
//! detected while it runs, and nothing stands for the instruction set.

use std::arch::wasm32::*;

use crate::{LaneMask, MAX_LANES, Words};

/// Two words.
#[derive(Clone, Copy, Debug)]
pub struct U64x2(pub v128);

/// Four words.
#[derive(Clone, Copy, Debug)]
pub struct U64x4(pub [U64x2; 2]);

/// Implements operations on vectors by instructions.
macro_rules! instructions {
    ($($name:ident $(<const $N:ident: $T:ty>)? ($a:ident $(, $operand:ident)*) = $result:expr;)*) => {$(
        #[inline(always)]
        fn $name $(<const $N: $T>)? (self $(, $operand: Self)*) -> Self {
            let ($a, $($operand),*) = (self.0, $($operand.0),*);
            U64x2($result)
        }
    )*};
}

impl Words for U64x2 {
    const LANES: usize = 2;

    type Mask = LaneMask<Self>;

    #[inline(always)]
    fn all(word: u64) -> Self {
        U64x2(u64x2_splat(word))
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        U64x2(u64x2(words[0], words[1]))
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        words.copy_from_slice(&[u64x2_extract_lane::<0>(self.0), u64x2_extract_lane::<1>(self.0)]);
    }

    #[inline(always)]
    fn from_big_endian(bytes: &[u8], stride: usize) -> [Self; 4] {
        let numbers: [&[[u8; 8]]; 2] = [bytes, &bytes[stride..]].map(|lane| &lane.as_chunks().0[..4]);
        [3, 2, 1, 0].map(|word| {
            let [low, high] = numbers.map(|lane| u64::from_le_bytes(lane[word]));
            let reversed = u64x2(low, high);
            U64x2(u8x16_shuffle::<7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8>(reversed, reversed))
        })
    }

    #[inline(always)]
    fn load_elements(elements: &[[u64; 4]], stride: usize) -> [Self; 4] {
        let (low, high) = (&elements[0], &elements[stride]);
        [0, 1, 2, 3].map(|word| U64x2(u64x2(low[word], high[word])))
    }

    #[inline(always)]
    fn store_elements(words: [Self; 4], elements: &mut [[u64; 4]], stride: usize) {
        elements[0] = words.map(|word| u64x2_extract_lane::<0>(word.0));
        elements[stride] = words.map(|word| u64x2_extract_lane::<1>(word.0));
    }

    #[inline(always)]
    fn gather(elements: &[&[u64; 6]; MAX_LANES]) -> [Self; 6] {
        [0, 1, 2, 3, 4, 5].map(|word| U64x2(u64x2(elements[0][word], elements[1][word])))
    }

    #[inline(always)]
    fn scatter(words: [Self; 6], elements: &mut [[u64; 6]; MAX_LANES]) {
        elements[0] = words.map(|word| u64x2_extract_lane::<0>(word.0));
        elements[1] = words.map(|word| u64x2_extract_lane::<1>(word.0));
    }

    #[inline(always)]
    fn transpose(square: &mut [Self]) {
        let [a, b]: &mut [Self; 2] = &mut square.as_chunks_mut().0[0];
        (*a, *b) = (U64x2(u64x2_shuffle::<0, 2>(a.0, b.0)), U64x2(u64x2_shuffle::<1, 3>(a.0, b.0)));
    }

    instructions! {
        plus(a, b) = u64x2_add(a, b);
        minus(a, b) = u64x2_sub(a, b);
        times_low(a, b) = u64x2_extmul_low_u32x4(low_halves(a, a), low_halves(b, b));
        and(a, b) = v128_and(a, b);
        or(a, b) = v128_or(a, b);
        xor(a, b) = v128_xor(a, b);
        right<const BITS: i32>(a) = u64x2_shr(a, BITS.cast_unsigned());
        right_signed<const BITS: i32>(a) = i64x2_shr(a, BITS.cast_unsigned());
        left<const BITS: i32>(a) = u64x2_shl(a, BITS.cast_unsigned());
        select<const LANES: u8>(a, b) = match LANES & 3 {
            0 => a,
            1 => u64x2_shuffle::<2, 1>(a, b),
            2 => u64x2_shuffle::<0, 3>(a, b),
            _ => b,
        };
    }

    #[inline(always)]
    fn zeros(self) -> Self::Mask {
        LaneMask(U64x2(i64x2_eq(self.0, u64x2_splat(0))))
    }

    #[inline(always)]
    fn exceeds(self, other: Self) -> Self::Mask {
        LaneMask(U64x2(i64x2_gt(self.0, other.0)))
    }

    #[inline(always)]
    fn negative(self) -> Self::Mask {
        LaneMask(self.right_signed::<63>())
    }

    #[inline(always)]
    fn high_bits(self) -> u8 {
        i64x2_bitmask(self.0)
    }

    #[inline(always)]
    fn or_in(self, LaneMask(mask): Self::Mask, other: Self) -> Self {
        U64x2(v128_bitselect(other.0, self.0, mask.0))
    }

    #[inline(always)]
    fn only_in(self, LaneMask(mask): Self::Mask) -> Self {
        self.and(mask)
    }

    #[inline(always)]
    fn exchange<const BIT: usize>(self) -> Self {
        debug_assert_eq!(BIT, 1);
        U64x2(u64x2_shuffle::<1, 0>(self.0, self.0))
    }

    #[inline(always)]
    fn permute<const FROM: u32>(self) -> Self {
        let lane = |at: usize| self.broadcast((FROM >> (3 * at) & 1) as usize);
        lane(0).select::<2>(lane(1))
    }

    #[inline(always)]
    fn broadcast(&self, lane: usize) -> Self {
        match lane {
            0 => U64x2(u64x2_shuffle::<0, 0>(self.0, self.0)),
            _ => U64x2(u64x2_shuffle::<1, 1>(self.0, self.0)),
        }
    }
}

/// Returns the lower halves of two words, then of two others.
#[inline(always)]
fn low_halves(first: v128, second: v128) -> v128 {
    u32x4_shuffle::<0, 2, 4, 6>(first, second)
}

impl U64x4 {
    #[inline(always)]
    fn from_both(each: impl Fn(usize) -> U64x2) -> Self {
        U64x4([each(0), each(1)])
    }

    #[inline(always)]
    fn mask(of: impl Fn(usize) -> LaneMask<U64x2>) -> LaneMask<Self> {
        LaneMask(U64x4([of(0).0, of(1).0]))
    }
}

/// Implements operations on four words by those on each two.
macro_rules! halves {
    ($($name:ident $(<const $N:ident: $T:ty>)? (self $(, $operand:ident)*);)*) => {$(
        #[inline(always)]
        fn $name $(<const $N: $T>)? (self $(, $operand: Self)*) -> Self {
            U64x4::from_both(|half| self.0[half].$name $(::<$N>)? ($($operand.0[half]),*))
        }
    )*};
}

impl Words for U64x4 {
    const LANES: usize = 4;

    type Mask = LaneMask<Self>;

    #[inline(always)]
    fn all(word: u64) -> Self {
        U64x4([U64x2::all(word); 2])
    }

    #[inline(always)]
    fn load(words: &[u64]) -> Self {
        U64x4([U64x2::load(words), U64x2::load(&words[2..])])
    }

    #[inline(always)]
    fn store(self, words: &mut [u64]) {
        self.0[0].store(&mut words[..2]);
        self.0[1].store(&mut words[2..]);
    }

    #[inline(always)]
    fn from_big_endian(bytes: &[u8], stride: usize) -> [Self; 4] {
        let (low, high) =
            (U64x2::from_big_endian(bytes, stride), U64x2::from_big_endian(&bytes[2 * stride..], stride));
        [0, 1, 2, 3].map(|word| U64x4([low[word], high[word]]))
    }

    #[inline(always)]
    fn load_elements(elements: &[[u64; 4]], stride: usize) -> [Self; 4] {
        let (low, high) =
            (U64x2::load_elements(elements, stride), U64x2::load_elements(&elements[2 * stride..], stride));
        [0, 1, 2, 3].map(|word| U64x4([low[word], high[word]]))
    }

    #[inline(always)]
    fn store_elements(words: [Self; 4], elements: &mut [[u64; 4]], stride: usize) {
        U64x2::store_elements(words.map(|word| word.0[0]), elements, stride);
        U64x2::store_elements(words.map(|word| word.0[1]), &mut elements[2 * stride..], stride);
    }

    #[inline(always)]
    fn gather(elements: &[&[u64; 6]; MAX_LANES]) -> [Self; 6] {
        let word = |word: usize| [0, 1, 2, 3].map(|lane| elements[lane][word]);
        [0, 1, 2, 3, 4, 5].map(|i| U64x4::load(&word(i)))
    }

    #[inline(always)]
    fn scatter(words: [Self; 6], elements: &mut [[u64; 6]; MAX_LANES]) {
        for (i, vector) in words.into_iter().enumerate() {
            let mut lanes = [0; 4];
            vector.store(&mut lanes);
            for (element, word) in elements.iter_mut().zip(lanes) {
                element[i] = word;
            }
        }
    }

    #[inline(always)]
    fn transpose(square: &mut [Self]) {
        let square: &mut [Self; 4] = &mut square.as_chunks_mut().0[0];
        let [a, b, c, d] = square.map(|row| row.0);
        let mut quarters = [[a[0], b[0]], [c[0], d[0]], [a[1], b[1]], [c[1], d[1]]];
        quarters.iter_mut().for_each(|quarter| U64x2::transpose(quarter));
        let [aa, cc, bb, dd] = quarters;
        *square =
            [U64x4([aa[0], cc[0]]), U64x4([aa[1], cc[1]]), U64x4([bb[0], dd[0]]), U64x4([bb[1], dd[1]])];
    }

    halves! {
        plus(self, other);
        minus(self, other);
        times_low(self, other);
        and(self, other);
        or(self, other);
        xor(self, other);
        right<const BITS: i32>(self);
        right_signed<const BITS: i32>(self);
        left<const BITS: i32>(self);
    }

    #[inline(always)]
    fn zeros(self) -> Self::Mask {
        U64x4::mask(|half| self.0[half].zeros())
    }

    #[inline(always)]
    fn exceeds(self, other: Self) -> Self::Mask {
        U64x4::mask(|half| self.0[half].exceeds(other.0[half]))
    }

    #[inline(always)]
    fn negative(self) -> Self::Mask {
        U64x4::mask(|half| self.0[half].negative())
    }

    #[inline(always)]
    fn high_bits(self) -> u8 {
        self.0[0].high_bits() | self.0[1].high_bits() << 2
    }

    #[inline(always)]
    fn has_high_bit(self) -> bool {
        self.0[0].or(self.0[1]).has_high_bit()
    }

    #[inline(always)]
    fn or_in(self, LaneMask(mask): Self::Mask, other: Self) -> Self {
        U64x4::from_both(|half| self.0[half].or_in(LaneMask(mask.0[half]), other.0[half]))
    }

    #[inline(always)]
    fn select<const LANES: u8>(self, other: Self) -> Self {
        U64x4::from_both(|half| {
            let (a, b) = (self.0[half], other.0[half]);
            match LANES >> (2 * half) & 3 {
                0 => a,
                1 => a.select::<1>(b),
                2 => a.select::<2>(b),
                _ => b,
            }
        })
    }

    #[inline(always)]
    fn exchange<const BIT: usize>(self) -> Self {
        debug_assert!(BIT == 1 || BIT == 2);
        match BIT {
            1 => U64x4::from_both(|half| self.0[half].exchange::<1>()),
            _ => U64x4([self.0[1], self.0[0]]),
        }
    }

    #[inline(always)]
    fn permute<const FROM: u32>(self) -> Self {
        let lane = |at: usize| self.broadcast((FROM >> (3 * at) & 3) as usize).0[0];
        U64x4([lane(0).select::<2>(lane(1)), lane(2).select::<2>(lane(3))])
    }

    #[inline(always)]
    fn broadcast(&self, lane: usize) -> Self {
        U64x4([self.0[lane / 2].broadcast(lane % 2); 2])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::tests::agrees_with_plain_words;

    #[test]
    fn vectors_agree_with_plain_words() {
        agrees_with_plain_words::<U64x2>();
        agrees_with_plain_words::<U64x4>();
    }
}

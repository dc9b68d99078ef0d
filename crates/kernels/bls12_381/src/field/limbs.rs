//! Integers in limbs of fewer than 64 bits, as the vector code multiplies them; for constants, at compile time.
//!
//! A list may have more limbs than `count`, which then are 0.

/// Returns an integer of `words` as `count` limbs of `bits` bits.
pub(crate) const fn split<const W: usize, const N: usize>(
    words: &[u64; W],
    count: usize,
    bits: u32,
) -> [u64; N] {
    let mut limbs = [0; N];
    let mut i = 0;
    while i < count {
        let (word, bit) = (i * bits as usize / 64, i * bits as usize % 64);
        let high = if word + 1 < W { words[word + 1] } else { 0 };
        limbs[i] = (((high as u128) << 64 | words[word] as u128) >> bit) as u64 & mask(bits);
        i += 1;
    }
    limbs
}

/// Returns 2^(`count` · `bits`) − m for limbs of m, of which the lowest is not 0.
pub(crate) const fn complement<const N: usize>(m: &[u64; N], count: usize, bits: u32) -> [u64; N] {
    let mut complement = [0; N];
    let mut i = 0;
    while i < count {
        // The lowest limb takes the borrow of the others.
        complement[i] = mask(bits) - m[i] + (i == 0) as u64;
        i += 1;
    }
    complement
}

/// Returns (k + 1)·m in limbs of which each is at least l·(2^bits − 1), but for the highest, and at most
/// (l + 1)·(2^bits − 1): what is at most k·m, in limbs up to l·(2^bits − 1), is subtracted from it without a borrow.
pub(crate) const fn above<const N: usize>(m: &[u64; N], count: usize, bits: u32, l: u64, k: u64) -> [u64; N] {
    let (mut above, last) = ([0; N], count - 1);
    let (mut carry, mut i) = (0, 0);
    while i < count {
        let limb = m[i] as u128 * (k as u128 + 1) + carry;
        // The highest limb has room for all that is left.
        (above[i], carry) =
            if i < last { (limb as u64 & mask(bits), limb >> bits) } else { (limb as u64, 0) };
        i += 1;
    }
    // l times 2^bits moves from each limb to the one below.
    i = 0;
    while i < count {
        if i < last {
            above[i] += l << bits;
        }
        if i > 0 {
            above[i] -= l;
        }
        assert!(above[i] <= (l + 1) * mask(bits));
        i += 1;
    }
    // The highest limb of what is subtracted is at most that of k·m.
    assert!(above[last] >= m[last] * k + k);
    above
}

/// Returns 1 / `odd` modulo 2^64.
pub(crate) const fn inverse(odd: u64) -> u64 {
    // A square of an odd number is 1 modulo 8, and each step doubles the number of right bits (Newton).
    let (mut inverse, mut bits) = (odd, 3);
    while bits < 64 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse
}

const fn mask(bits: u32) -> u64 {
    (1 << bits) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns limbs of 8 bits as an integer.
    fn value(limbs: [u64; 4]) -> u64 {
        limbs.iter().rev().fold(0, |sum, limb| (sum << 8) + limb)
    }

    #[test]
    fn limbs_are_those_of_the_integer() {
        let limbs = split::<2, 4>(&[0x0123_4567_89ab_cdef, 0xfe], 3, 28);
        assert_eq!(limbs, [0x9ab_cdef, 0x234_5678, 0xfe01, 0]);
    }

    #[test]
    fn constants_have_their_documented_values() {
        let m = split::<1, 4>(&[0x05f3_5681], 4, 8);
        assert_eq!((m, value(m)), ([0x81, 0x56, 0xf3, 5], 0x05f3_5681));
        assert_eq!(value(complement(&m, 4, 8)), (1 << 32) - 0x05f3_5681);
        for (l, k) in [(1, 1), (3, 5), (5, 3)] {
            let above = above(&m, 4, 8, l, k);
            assert_eq!(value(above), (k + 1) * 0x05f3_5681);
            assert!(above[..3].iter().all(|limb| (l * 0xff..=(l + 1) * 0xff).contains(limb)), "{above:?}");
        }
        for odd in [1, 3, 0x89f3_fffc_fffc_fffd, u64::MAX] {
            assert_eq!(inverse(odd).wrapping_mul(odd), 1);
        }
    }
}

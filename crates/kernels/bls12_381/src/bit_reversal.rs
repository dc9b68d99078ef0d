//! The bit reversal permutation of lists whose length is a power of two.

/// Returns `index`, which is below 2^`bits`, with the order of its `bits` bits reversed.
///
/// ```
/// use parcrypt_bls12_381::bit_reversal::reverse;
/// assert_eq!([0, 1, 2, 3].map(|index| reverse(index, 2)), [0, 2, 1, 3]);
/// assert_eq!(reverse(0, 0), 0);
/// ```
#[inline]
pub const fn reverse(index: usize, bits: u32) -> usize {
    debug_assert!(bits == usize::BITS || index >> bits == 0);
    // A shift by the whole width, for a single element, is not defined.
    if bits == 0 { 0 } else { index.reverse_bits() >> (usize::BITS - bits) }
}

/// Moves element i to index [`reverse`]`(i, log₂ n)`, in place; applying it twice restores the list.
///
/// ```
/// use parcrypt_bls12_381::bit_reversal::permute;
/// let mut list = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
/// permute(&mut list);
/// assert_eq!(list, ['a', 'e', 'c', 'g', 'b', 'f', 'd', 'h']);
/// ```
///
/// # Panics
/// If the length is not a power of two.
pub fn permute<T>(list: &mut [T]) {
    assert!(list.len().is_power_of_two(), "{} elements: the length must be a power of two", list.len());
    let bits = list.len().ilog2();
    for i in 0..list.len() {
        let j = reverse(i, bits);
        if i < j {
            list.swap(i, j);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reversal_is_by_single_bits_and_its_own_inverse() {
        for bits in 0..10 {
            for index in 0..1usize << bits {
                let expected = (0..bits).fold(0, |all, bit| all << 1 | (index >> bit & 1));
                assert_eq!(reverse(index, bits), expected);
                assert_eq!(reverse(expected, bits), index);
            }
            let identity: Vec<usize> = (0..1 << bits).collect();
            let mut list = identity.clone();
            permute(&mut list);
            assert!(list.iter().enumerate().all(|(i, from)| *from == reverse(i, bits)));
            permute(&mut list);
            assert_eq!(list, identity);
        }
    }

    #[test]
    #[should_panic(expected = "power of two")]
    fn other_lengths_are_refused() {
        permute(&mut [0; 3]);
    }
}

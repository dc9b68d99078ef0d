//! A further size: all that limbs of 26 bits need.

use super::*;

#[derive(Clone, Copy, Debug)]
struct Limbs26<W>([W; 15]);

impl<W: Words> FpLimbs for Limbs26<W> {
    type Word = W;
    const COUNT: usize = 15;
    const BITS: u32 = 26;
    const LIMB: u64 = 1;
    const VALUE: u64 = 2;
    const MAX_LIMBS: u64 = 200;
    const MAX_LIMB: u64 = 32;
    // 2^390 / p is 630.
    const MAX_VALUES: u64 = 157;
    const MAX_REDUCED: u64 = 100;

    fn each(limb: impl Fn(usize) -> W) -> Self {
        Limbs26(std::array::from_fn(limb))
    }

    fn all(&self) -> &[W] {
        &self.0
    }

    fn above(limb: W) -> W {
        limb.right::<26>()
    }

    fn from_words(words: &[W; 6]) -> Self {
        let words = words.map(stored);
        let limbs = |lane: usize| split::<Self>(&words.each_ref().map(|word| word[lane]));
        Self::each(|i| W::load(&(0..W::LANES).map(|lane| limbs(lane)[i]).collect::<Vec<_>>()))
    }

    fn to_words(&self) -> [W; 6] {
        let limbs = self.0.map(stored);
        let shifted = |limb: u64, by: i32| if by < 0 { limb >> by.min(0).abs().min(63) } else { limb << by };
        let word = |word: i32, lane: usize| {
            let within = (0..15).filter(|i| (-26..64).contains(&(26 * i - 64 * word)));
            within.fold(0, |sum, i| sum | shifted(limbs[i as usize][lane], 26 * i - 64 * word))
        };
        std::array::from_fn(|i| W::load(&(0..W::LANES).map(|lane| word(i as i32, lane)).collect::<Vec<_>>()))
    }

    fn product(a: &Self, b: &Self) -> Self {
        Self::sum(&[[a, b]])
    }

    fn sum_of_products<O: Order, const N: usize>(factors: [[&Self; 2]; N]) -> Self {
        let ordered: [Self; N] =
            std::array::from_fn(|i| Self::each(|limb| O::ordered(&factors[i][1].0[limb], i)));
        Self::sum(&std::array::from_fn::<_, N, _>(|i| [factors[i][0], &ordered[i]]))
    }
}

impl<W: Words> Limbs26<W> {
    fn sum(products: &[[&Self; 2]]) -> Self {
        let (p, mut sums) = (constant::<Self>(&p::<Self>()).0, [W::all(0); 16]);
        for limb in 0..15 {
            for [a, b] in products {
                (0..15).for_each(|i| sums[i] = sums[i].plus(a.0[i].times_low(b.0[limb])));
            }
            let digit = sums[0].times_low(W::all(minus_inverse::<Self>())).and(W::all(Self::MASK));
            (0..15).for_each(|i| sums[i] = sums[i].plus(digit.times_low(p[i])));
            sums[1] = sums[1].plus(Self::above(sums[0]));
            sums.rotate_left(1);
            sums[15] = W::all(0);
        }
        carried(&Self::each(|i| sums[i]))
    }
}

fn stored<W: Words>(vector: W) -> Vec<u64> {
    let mut words = vec![0; W::LANES];
    vector.store(&mut words);
    words
}

#[test]
fn limbs_of_26_bits_agree_with_arkworks() {
    agrees_with_arkworks::<Limbs26<[u64; 4]>>();
}

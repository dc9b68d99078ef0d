//! One suite for limbs of every size, with arkworks as the oracle.

use ark_bls12_381::Fq;
use ark_ff::{Field, PrimeField, Zero};
use parcrypt_testkit::rand::{Rng, RngCore};
use parcrypt_testkit::rng;

use super::*;

pub(crate) mod bounds;
mod limbs26;

/// Limbs of one lane.
pub(crate) type Lane = Vec<u64>;

/// Returns the integer modulo p.
pub(crate) fn integer<F: FpLimbs>(lane: &[u64]) -> Fq {
    lane.iter().rev().fold(Fq::zero(), |sum, limb| sum * Fq::from(1u64 << F::BITS) + Fq::from(*limb))
}

/// Returns 2^exponent.
pub(crate) fn power_of_two(exponent: i32) -> Fq {
    Fq::from(2u64).pow([exponent as u64])
}

/// Returns 64 numbers within the bounds: extreme limbs, and others.
pub(crate) fn lanes_within<F: FpLimbs>(rng: &mut impl RngCore, l: u64, k: u64) -> Vec<Lane> {
    let (p, l, k) = (p::<F>(), l * F::LIMB, k * F::VALUE);
    let each = |limb: &mut dyn FnMut(usize) -> u64| -> Lane { (0..F::COUNT).map(limb).collect() };
    // With a highest limb up to this, the value is below k·p whatever the others are.
    let most = each(&mut |i| if i + 1 < F::COUNT { l * F::MASK } else { k * p[i] - l });
    let mut all = vec![vec![0; F::COUNT], most.clone()];
    all.extend((0..F::COUNT).map(|i| each(&mut |j| if j == i { most[j] } else { 0 })));
    all.extend((0..F::COUNT).map(|i| each(&mut |j| if j == i { 0 } else { most[j] })));
    // Multiples of p in full limbs, if the bounds allow them.
    all.extend((1..=k.min(l)).rev().take(6).map(|multiple| each(&mut |i| multiple * p[i])));
    while all.len() < 64 {
        let extreme = all.len() % 3 == 0;
        all.push(each(&mut |i| match rng.random() {
            _ if !extreme => rng.random_range(0..=most[i]),
            true => most[i],
            false => most[i] & 7,
        }));
    }
    all
}

/// Returns an element whose lanes are the first of these.
#[inline(always)]
pub(crate) fn element<F: FpLimbs, const L: u64, const K: u64>(lanes: &[Lane]) -> Element<F, L, K> {
    Element(F::each(|i| {
        let words: Vec<u64> = lanes.iter().take(F::LANES).map(|lane| lane[i]).collect();
        F::Word::load(&words)
    }))
}

/// Returns the integer of each lane modulo p, after a check of the bounds.
#[inline(always)]
pub(crate) fn values<F: FpLimbs, const L: u64, const K: u64>(element: &Element<F, L, K>) -> Vec<Fq> {
    let mut limbs = vec![0; F::COUNT * F::LANES];
    for (limb, words) in element.0.all().iter().zip(limbs.chunks_mut(F::LANES)) {
        limb.store(words);
    }
    let lanes = (0..F::LANES).map(|lane| {
        let lane: Lane = limbs.iter().skip(lane).step_by(F::LANES).copied().collect();
        assert!(lane.iter().all(|limb| *limb <= L * F::LIMB * F::MASK), "{L}: {lane:x?}");
        // The lane less 1, minus the bound, carried through; the last limb has the sign.
        let difference = lane.iter().zip(p::<F>()).fold(-1 << F::BITS, |carry: i128, (limb, p)| {
            (carry >> F::BITS) + i128::from(*limb) - i128::from(K * F::VALUE) * i128::from(p)
        });
        assert!(difference < 0, "{K}: {lane:x?}");
        integer::<F>(&lane)
    });
    lanes.collect()
}

/// Checks products of factors within these bounds, as limbs are and carried.
#[inline(always)]
fn products<F: FpLimbs, const L: u64, const K: u64, const L2: u64, const K2: u64>(rng: &mut impl RngCore) {
    let (all, other) = (lanes_within::<F>(rng, L, K), lanes_within::<F>(rng, L2, K2));
    let more = lanes_within::<F>(rng, 3, 5);
    for step in 0..64 {
        let pick = |list: &[Lane], stride: usize| -> Vec<Lane> {
            (0..F::LANES).map(|lane| list[(step + lane * stride) % 64].clone()).collect()
        };
        let (a, b) = (element::<F, L, K>(&pick(&all, 1)), element::<F, L2, K2>(&pick(&other, step)));
        let more = element::<F, 3, 5>(&pick(&more, 7));
        let (x, y, z) = (values(&a), values(&b), values(&more));
        let expected = |scale: i32, sum: bool| -> Vec<Fq> {
            let over_r = power_of_two(F::R).inverse().unwrap() * power_of_two(scale);
            let more = |lane: usize| if sum { z[lane] } else { Fq::zero() };
            (0..F::LANES).map(|lane| x[lane] * y[lane] * over_r + more(lane)).collect()
        };
        let sum: Element<F, 4, 6> = a.factor().times_plus(&b.carried(), &more);
        assert_eq!(values(&a.factor().times(&b.factor()).element()), expected(0, false));
        assert_eq!(values(&a.carried().product(&b.factor())), expected(0, false));
        assert_eq!(values(&sum), expected(0, true));
        let sum: Element<F, 19, 21> = a.factor().times_in_form_plus(&b.factor(), &more);
        assert_eq!(values(&sum), expected((F::R - F::FORM) / 2, true));
    }
}

/// Checks squares of numbers within these bounds.
#[inline(always)]
fn squares<F: FpLimbs, const L: u64, const K: u64>(rng: &mut impl RngCore) {
    let over_r = power_of_two(F::R).inverse().unwrap();
    for (lanes, more) in
        lanes_within::<F>(rng, L, K).chunks(F::LANES).zip(lanes_within::<F>(rng, 3, 5).chunks(F::LANES).rev())
    {
        let (a, more) = (element::<F, L, K>(lanes), element::<F, 3, 5>(more));
        let squares: Vec<Fq> = values(&a).into_iter().map(|x| x * x * over_r).collect();
        assert_eq!(values(&a.factor().square().element()), squares);
        assert_eq!(values(&a.carried().squared()), squares);
        let sum: Element<F, 4, 6> = a.factor().square_plus(&more);
        let sums = squares.iter().zip(values(&more)).map(|(square, more)| *square + more);
        assert!(values(&sum).into_iter().eq(sums));
    }
}

/// Checks sums of two products with extreme limbs.
#[inline(always)]
fn sums_of_products<F: FpLimbs>(rng: &mut impl RngCore) {
    let over_r = power_of_two(F::R).inverse().unwrap();
    let (a, b) = (lanes_within::<F>(rng, 3, 3), lanes_within::<F>(rng, 2, 15));
    let (c, d) = (lanes_within::<F>(rng, 9, 9), lanes_within::<F>(rng, 1, 12));
    for step in 0..64 {
        let pick = |list: &[Lane], stride: usize| -> Vec<Lane> {
            (0..F::LANES).map(|lane| list[(step * stride + lane) % 64].clone()).collect()
        };
        let (a, b) = (element::<F, 3, 3>(&pick(&a, 1)), element::<F, 2, 15>(&pick(&b, 3)));
        let (c, d) = (element::<F, 9, 9>(&pick(&c, 5)), element::<F, 1, 12>(&pick(&d, 7)));
        let sum = a.factor().times_plus_product(&b.factor(), &c.factor(), &d.factor());
        let (a, b, c, d) = (values(&a), values(&b), values(&c), values(&d));
        let expected = (0..F::LANES).map(|i| (a[i] * b[i] + c[i] * d[i]) * over_r);
        assert!(values(&sum).into_iter().eq(expected));
    }
}

/// Checks the canonical form, its words and the tests for zero, of limbs and values up to these bounds.
#[inline(always)]
fn canonical_forms<F: FpLimbs, const L: u64, const K: u64>(rng: &mut impl RngCore) {
    let mut all = lanes_within::<F>(rng, L, K);
    // Multiples of p and their neighbours.
    for k in 0..(K * F::VALUE).min(8) {
        let mut lane: Lane = p::<F>()[..F::COUNT].iter().map(|limb| limb * k).collect();
        (1..F::COUNT).for_each(|i| {
            lane[i] += lane[i - 1] >> F::BITS;
            lane[i - 1] &= F::MASK;
        });
        for near in [0, 1, F::MASK - lane[0], 0u64.wrapping_sub(u64::from(k > 0))] {
            let mut lane = lane.clone();
            lane[0] = lane[0].wrapping_add(near);
            all.push(lane);
        }
    }
    for lanes in all.chunks_exact(F::LANES) {
        let (found, expected) = (element::<F, L, K>(lanes), lanes.iter().map(|lane| integer::<F>(lane)));
        let canonical = found.canonical();
        let words = canonical.to_words();
        let again = Element::<F, 1, 1>::from_words(&words);
        assert_eq!(again.equals(&canonical), u8::MAX >> (8 - F::LANES));
        let mut stored = [const { Vec::new() }; 6];
        for (stored, word) in stored.iter_mut().zip(words) {
            stored.resize(F::LANES, 0);
            word.store(stored);
        }
        for (lane, expected) in expected.enumerate() {
            let (number, is) = (expected.into_bigint().0, |mask: u8| mask >> lane & 1 == 1);
            assert_eq!(stored.each_ref().map(|words| words[lane]), number);
            let zero = expected.is_zero();
            assert_eq!([is(canonical.zeros()), is(canonical.odd())], [zero, number[0] & 1 == 1]);
            // Of these numbers none but 0 and multiples of p pass.
            assert!(is(canonical.may_be_zeros()) == zero || number[0] & F::MASK == 0);
            assert!(!zero || is(found.may_be_zero()) && is(found.factor().element().may_be_zero()));
        }
    }
}

/// Checks sums, differences and what masks select.
#[inline(always)]
fn sums<F: FpLimbs>(rng: &mut impl RngCore) {
    let (all, other) = (lanes_within::<F>(rng, 3, 3), lanes_within::<F>(rng, 5, 7));
    for (a, b) in all.chunks(F::LANES).zip(other.chunks(F::LANES).rev()) {
        let (x, y) = (element::<F, 3, 3>(a), element::<F, 5, 7>(b));
        let (a, b) = (values(&x), values(&y));
        let each = |f: &dyn Fn(usize) -> Fq| -> Vec<Fq> { (0..F::LANES).map(f).collect() };
        assert_eq!(values(&x.plus::<5, 7, 8, 10>(&y)), each(&|i| a[i] + b[i]));
        assert_eq!(values(&x.minus::<5, 7, 9, 11>(&y)), each(&|i| a[i] - b[i]));
        assert_eq!(values(&y.minus::<3, 3, 9, 11>(&x)), each(&|i| b[i] - a[i]));
        assert_eq!(values(&y.negative::<6, 8>()), each(&|i| -b[i]));
        assert_eq!(values(&y.doubled::<2, 20, 28>()), each(&|i| b[i] * Fq::from(4)));
        assert_eq!(values(&y.carried().element()), b);
        assert_eq!(values(&y.factor().element()), b);
        let mask = 0b0101_1010 & u8::MAX >> (8 - F::LANES);
        let is = |lane: usize| mask >> lane & 1 == 1;
        assert_eq!(values(&x.widen::<5, 7>().select(mask, &y)), each(&|i| if is(i) { b[i] } else { a[i] }));
        assert_eq!(values(&y.negative_in::<6, 8>(mask)), each(&|i| if is(i) { -b[i] } else { b[i] }));
        assert_eq!(values(&y.only_in(mask)), each(&|i| if is(i) { b[i] } else { Fq::zero() }));
        assert!(x.canonical().equals(&x.canonical()) == u8::MAX >> (8 - F::LANES));
    }
}

/// Checks all operations, with extreme limbs.
#[inline(always)]
pub(crate) fn agrees_with_arkworks<F: FpLimbs>() {
    let mut rng = rng();
    let rng = &mut rng;
    products::<F, 1, 1, 1, 1>(rng);
    products::<F, 3, 15, 5, 10>(rng);
    products::<F, 15, 20, 1, 7>(rng);
    squares::<F, 1, 12>(rng);
    squares::<F, 4, 9>(rng);
    sums_of_products::<F>(rng);
    canonical_forms::<F, 1, 1>(rng);
    canonical_forms::<F, 20, 25>(rng);
    canonical_forms::<F, 31, 22>(rng);
    sums::<F>(rng);
    for number in [0, 1, 2, 0x1234_5678_9abc_def0] {
        let found = values(&Element::<F, 1, 1>::constant(&[number, 0, 0, 0, 0, 7]));
        let expected = Fq::from(number) + Fq::from(7u64) * power_of_two(320);
        assert!(found.iter().all(|found| *found == expected));
    }
    assert!(integer::<F>(&p::<F>()).is_zero());
    assert_eq!(integer::<F>(&minus_p::<F>()[..F::COUNT]), power_of_two(F::R));
    for (l, k) in [(1, 1), (1, 2), (2, 3), (9, 9), (20, 22)] {
        assert!(integer::<F>(&above::<F>(l, k)).is_zero());
    }
}

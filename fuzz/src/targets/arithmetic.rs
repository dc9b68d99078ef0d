//! Sums, products by scalars, transforms, decompression and pairings, by the public functions of `parcrypt-bls12-381`.
//!
//! Each is compared with a definition that shares no algorithm with it: points whose discrete logarithms are known are
//! added as numbers modulo r, transforms are sums over all pairs, and blst decompresses and pairs one point at a time.

use std::sync::LazyLock;

use blst::{BLST_ERROR, blst_p1_affine, blst_p2_affine};
use parcrypt_bls12_381::dispatch::{self, FpRow, PairingRow};
use parcrypt_bls12_381::pairing::{Gt, multi_pairing, product_is_identity};
use parcrypt_bls12_381::{
    Backend, BitReversedDomain, Decomposition, Domain, Error, FixedMsm, Fr, G1, G1Affine, G2, G2Affine,
    G2Prepared, Membership, Request, decompress, msm,
};
use parcrypt_oracles::spoil::spoil;
use parcrypt_oracles::{Kind, OUTSIDE};
use sha2::{Digest, Sha256};

use crate::input::{Input, runtime};

/// A point with its discrete logarithm, and the same in G2.
struct Known {
    scalar: Fr,
    g1: G1Affine,
    g2: G2Affine,
    prepared: G2Prepared,
}

/// Infinity, the generators and their negatives, multiples of these by small numbers, and others.
static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let small = [0, 1, 2, 3, 4, 8].map(Fr::from);
    let mut scalars = small.to_vec();
    scalars.extend(small.iter().skip(1).map(|scalar| -*scalar));
    scalars.extend((0..13u64).map(|i| Fr::from_bytes_reduced(&Sha256::digest(i.to_be_bytes()))));
    let known = |scalar: Fr| {
        let g2 = (G2::generator() * scalar).to_affine();
        Known { scalar, g1: (G1::generator() * scalar).to_affine(), g2, prepared: g2.prepare() }
    };
    scalars.into_iter().map(known).collect()
});

/// The rows that this machine can run.
static FP: LazyLock<Vec<&'static FpRow>> = LazyLock::new(|| available(dispatch::BACKENDS, dispatch::select));
static PAIRINGS: LazyLock<Vec<&'static PairingRow>> =
    LazyLock::new(|| available(dispatch::PAIRING_BACKENDS, dispatch::select_pairing));

fn available<R>(
    backends: &[Backend],
    select: impl Fn(Request) -> Result<&'static R, Error>,
) -> Vec<&'static R> {
    backends.iter().filter_map(|backend| select((*backend).into()).ok()).collect()
}

/// Returns a known point; one of the first, for input that has ended.
fn known(input: &mut Input<'_>) -> &'static Known {
    &KNOWN[(input.below(KNOWN.len()) + 1) % KNOWN.len()]
}

/// Returns the choice of one of these.
fn choice<T: Copy>(input: &mut Input<'_>, all: &[T]) -> T {
    all[all.len() - 1 - input.below(all.len())]
}

/// x², a sixth root of unity.
fn zeta() -> Fr {
    let x = Fr::from(0xd201_0000_0001_0000);
    x * x
}

/// Returns u + v·ζ of small u and v with signs.
fn small_eisenstein(input: &mut Input<'_>, bits: usize) -> Fr {
    let part = |input: &mut Input<'_>| {
        let number = Fr::from(input.below(1 << bits) as u64);
        if input.below(2) == 1 { -number } else { number }
    };
    part(input) + part(input) * zeta()
}

/// Returns a scalar: any, a small one, one near a power of two, or one with chosen digits of a radix in Z[ζ].
fn scalar(input: &mut Input<'_>) -> Fr {
    let small = |input: &mut Input<'_>| Fr::from(input.below(256) as u64);
    match input.below(8) {
        0 => Fr::from_bytes_reduced(&Sha256::digest(input.number().to_be_bytes())),
        1 => small(input),
        2 => -small(input),
        3 => Fr::from(2).pow_vartime(input.below(256) as u64) - small(input),
        4 => Fr::root_of_unity(input.below(33) as u32).expect("there are 2^32"),
        5 => Fr::from_glv_halves(input.number(), input.number()),
        _ => {
            // From the highest digit on; all the same, or each another one.
            let (bits, count) = (2 + input.below(7), 1 + input.below(64));
            let (radix, same) = (Fr::from(1 << bits), input.below(2) == 0);
            let mut digit = small_eisenstein(input, bits);
            (0..count * bits / 2).step_by(bits).fold(Fr::zero(), |sum, _| {
                if !same {
                    digit = small_eisenstein(input, bits);
                }
                sum * radix + digit
            })
        }
    }
}

/// Returns scalars for this number of points: each another one, or a few that repeat, so that they share buckets.
fn scalars(input: &mut Input<'_>, count: usize) -> Vec<Fr> {
    let different = choice(input, &[3, 1, 16, count.max(1)]).min(count.max(1));
    let some: Vec<Fr> = (0..different).map(|_| scalar(input)).collect();
    let order = input.below(256);
    (0..count).map(|i| some[(i * (order | 1) + i / different) % different]).collect()
}

fn sum<'a>(points: impl IntoIterator<Item = &'a Known>, scalars: &[Fr]) -> G1 {
    let of = points.into_iter().zip(scalars).fold(Fr::zero(), |sum, (point, s)| sum + point.scalar * *s);
    G1::generator() * of
}

/// Returns up to `most` known points.
fn points(input: &mut Input<'_>, most: usize) -> Vec<&'static Known> {
    let count = match input.below(4) {
        0 => input.below(4),
        1 => input.below(40),
        _ => input.below(most),
    };
    let (first, step, mixed) = (input.below(KNOWN.len()), input.below(KNOWN.len()), input.below(2) == 0);
    let of = |i: usize| &KNOWN[(first + i * step) % KNOWN.len()];
    (0..count).map(|i| if mixed { of(i) } else { known(input) }).collect()
}

/// Compares sums of any points and products of each.
pub fn sums(data: &[u8]) {
    let mut input = Input(data);
    let (rt, row) = (runtime(&mut input), choice(&mut input, &FP));
    let points = points(&mut input, 600);
    let scalars = scalars(&mut input, points.len());
    let affine: Vec<G1Affine> = points.iter().map(|point| point.g1).collect();
    let expected = sum(points.iter().copied(), &scalars);
    assert_eq!(msm::msm_vartime(rt, row, &affine, &scalars), Ok(expected));
    if points.len() < 50 {
        assert_eq!(msm::msm_few_vartime(row, &affine, &scalars), Ok(expected));
    }
    let longer = [&scalars[..], &[Fr::one()]].concat();
    let error = Error::Scalars { points: points.len(), scalars: longer.len() };
    assert_eq!(msm::msm_vartime(rt, row, &affine, &longer), Err(error.clone()));
    assert_eq!(msm::msm_few_vartime(row, &affine, &longer), Err(error));
}

/// Compares sums of points with tables, in groups.
pub fn fixed_sums(data: &[u8]) {
    let mut input = Input(data);
    let (rt, backend) = (runtime(&mut input), choice(&mut input, &backends()));
    let (groups, len) = (1 + input.below(16), 1 + input.below(48));
    let (first, step) = (input.below(KNOWN.len()), input.below(KNOWN.len()));
    let points: Vec<&Known> = (0..groups * len).map(|i| &KNOWN[(first + i * step) % KNOWN.len()]).collect();
    let affine: Vec<G1Affine> = points.iter().map(|point| point.g1).collect();
    let budget = input.below(50) * 144 * points.len();
    let fixed = FixedMsm::new(rt, backend.into(), &affine, groups, budget).expect("the groups are equal");
    assert!(fixed.table_bytes() <= budget.max(144 * points.len()));
    let lists: Vec<Vec<Fr>> = (0..input.below(4)).map(|_| scalars(&mut input, points.len())).collect();
    let expected: Vec<G1> = lists
        .iter()
        .flat_map(|list| points.chunks(len).zip(list.chunks(len)).map(|(p, s)| sum(p.iter().copied(), s)))
        .collect();
    let slices: Vec<&[Fr]> = lists.iter().map(Vec::as_slice).collect();
    assert_eq!(fixed.msm_vartime(rt, &slices).as_ref(), Ok(&expected));
}

/// Returns the backends of points, and of polynomials, that this machine can run.
fn backends() -> Vec<Backend> {
    let all = dispatch::BACKENDS.iter().copied();
    all.filter(|backend| dispatch::select((*backend).into()).is_ok()).collect()
}

fn fr_backends() -> Vec<Backend> {
    let all = dispatch::FR_BACKENDS.iter().copied();
    all.filter(|backend| dispatch::select_fr((*backend).into()).is_ok()).collect()
}

/// Compares products of points by scalars with chosen digits with blst's.
pub fn recoding(data: &[u8]) {
    let mut input = Input(data);
    let row = choice(&mut input, &FP);
    let count = 1 + input.below(20);
    let points: Vec<&Known> = (0..count).map(|_| known(&mut input)).collect();
    let scalars: Vec<Fr> = (0..count).map(|_| scalar(&mut input)).collect();
    let mut products: Vec<G1> = points.iter().map(|point| point.g1.into()).collect();
    msm::multiply_vartime(row, &mut products, &scalars).expect("there is a scalar for each");
    for ((point, scalar), product) in points.iter().zip(&scalars).zip(products) {
        assert_eq!(product, G1::from(point.g1) * *scalar);
    }
    let affine: Vec<G1Affine> = points.iter().map(|point| point.g1).collect();
    let sum = sum(points.iter().copied(), &scalars);
    assert_eq!(msm::msm_few_vartime(row, &affine, &scalars), Ok(sum));
}

/// The transforms in natural order.
const DECOMPOSITIONS: [Decomposition; 3] =
    [Decomposition::Recursive, Decomposition::RecursiveParallelButterflies, Decomposition::Iterative];

/// Returns the value of a polynomial, by Horner's rule.
fn value(polynomial: &[Fr], at: Fr) -> Fr {
    polynomial.iter().rev().fold(Fr::zero(), |sum, coefficient| sum * at + *coefficient)
}

/// Compares transforms over Fr, in both orders, with values by Horner's rule.
pub fn fft(data: &[u8]) {
    let mut input = Input(data);
    let (rt, backend) = (runtime(&mut input), choice(&mut input, &fr_backends()));
    let (log_n, more) = (input.below(9) as u32, input.below(3) as u32);
    let (n, scale) = (1usize << log_n, log_n + more);
    let polynomial = scalars(&mut input, n);
    let natural = Domain::new(choice(&mut input, &backends()).into(), scale).expect("there are such roots");
    let decomposition = choice(&mut input, &DECOMPOSITIONS);
    let root = Fr::root_of_unity(log_n).expect("there are such roots");
    let mut values = vec![Fr::zero(); n];
    natural.fft(rt, decomposition, &polynomial, &mut values).expect("a power of two");
    let powers = std::iter::successors(Some(Fr::one()), |power| Some(*power * root));
    for (found, at) in values.iter().zip(powers) {
        assert_eq!(*found, value(&polynomial, at));
    }
    let mut again = vec![Fr::zero(); n];
    natural.inverse_fft(rt, decomposition, &values, &mut again).expect("a power of two");
    assert_eq!(again, polynomial);
    // Of any block of the points in bit-reversed order.
    let reversed = BitReversedDomain::with_transforms(backend.into(), scale).expect("there are such roots");
    let block = input.below(1 << more);
    let mut values = polynomial.clone();
    reversed.forward(block, log_n, &mut values);
    for (i, found) in values.iter().enumerate() {
        assert_eq!(*found, value(&polynomial, reversed.point(block * n + i)));
    }
    reversed.inverse(block, log_n, &mut values);
    let scaled = polynomial.iter().map(|coefficient| *coefficient * Fr::from(n as u64));
    assert!(values.into_iter().eq(scaled));
}

/// Compares transforms over points with those of their discrete logarithms.
pub fn fft_points(data: &[u8]) {
    let mut input = Input(data);
    let (rt, backend) = (runtime(&mut input), choice(&mut input, &backends()));
    let (log_n, more) = (input.below(6) as u32, input.below(2) as u32);
    let n = 1usize << log_n;
    let domain = Domain::new(backend.into(), log_n + more).expect("there are such roots");
    let decomposition = choice(&mut input, &DECOMPOSITIONS);
    let given: Vec<&Known> = (0..n).map(|_| known(&mut input)).collect();
    let logarithms: Vec<Fr> = given.iter().map(|point| point.scalar).collect();
    let points: Vec<G1> = given.iter().map(|point| point.g1.into()).collect();
    let mut out = vec![G1::identity(); n];
    domain.fft(rt, decomposition, &points, &mut out).expect("a power of two");
    let root = Fr::root_of_unity(log_n).expect("there are such roots");
    let powers = std::iter::successors(Some(Fr::one()), |power| Some(*power * root));
    for (found, at) in out.iter().zip(powers) {
        assert_eq!(*found, G1::generator() * value(&logarithms, at));
    }
    let mut again = vec![G1::identity(); n];
    domain.inverse_fft(rt, decomposition, &out, &mut again).expect("a power of two");
    assert_eq!(again, points);
}

/// Returns what blst says about a compressed point.
fn by_blst(bytes: &[u8; 48]) -> Result<[u8; 48], Error> {
    let mut point = blst_p1_affine::default();
    // SAFETY: reads 48 bytes and writes one point, and reads it.
    match unsafe {
        (
            blst::blst_p1_uncompress(&raw mut point, bytes.as_ptr()),
            blst::blst_p1_affine_in_g1(&raw const point),
        )
    } {
        (BLST_ERROR::BLST_SUCCESS, true) => {}
        (BLST_ERROR::BLST_SUCCESS, false) | (BLST_ERROR::BLST_POINT_NOT_IN_GROUP, _) => {
            return Err(Error::NotInSubgroup);
        }
        _ => return Err(Error::NotOnCurve),
    }
    let mut again = [0; 48];
    // SAFETY: reads one point and writes 48 bytes.
    unsafe { blst::blst_p1_affine_compress(again.as_mut_ptr(), &raw const point) };
    Ok(again)
}

/// Compares points, and the errors of invalid ones and of those of another order, in lists that are checked together or
/// one by one.
pub fn decompression(data: &[u8]) {
    let mut input = Input(data);
    let (rt, row) = (runtime(&mut input), choice(&mut input, &FP));
    let count = match input.below(4) {
        0 => 1 + input.below(20),
        1 => input.below(4),
        // Batches are checked together from some 150 points on.
        _ => 200 + input.below(200),
    };
    let mut compressed: Vec<[u8; 48]> =
        (0..count).map(|i| KNOWN[i % KNOWN.len()].g1.to_compressed()).collect();
    for _ in 0..input.below(8).min(count) {
        let at = input.below(count);
        let valid = known(&mut input).g1.to_compressed();
        let way = input.below(Kind::Point.ways());
        let point = if input.below(2) == 0 {
            OUTSIDE.to_vec()
        } else {
            spoil(&mut input, Kind::Point, way, &valid).1
        };
        compressed[at] = point[..].try_into().unwrap_or(compressed[at]);
    }
    let slices: Vec<&[u8; 48]> = compressed.iter().collect();
    let expected: Vec<_> = compressed.iter().map(by_blst).collect();
    for membership in [Membership::Batched, Membership::Exact] {
        let found = decompress(rt, row, membership, &slices);
        let found: Vec<_> = found.into_iter().map(|point| point.map(|point| point.to_compressed())).collect();
        assert_eq!(found, expected, "{membership:?}");
    }
}

/// Compares products of pairings with blst's Miller loops and final exponentiation, and with the product of all
/// discrete logarithms.
pub fn pairings(data: &[u8]) {
    let mut input = Input(data);
    let (rt, row) = (runtime(&mut input), choice(&mut input, &PAIRINGS));
    let count = if input.below(4) == 0 { 1 + input.below(3) } else { input.below(20) };
    let mut pairs: Vec<(&Known, &Known)> =
        (0..count).map(|_| (known(&mut input), known(&mut input))).collect();
    // Often a product that is 1: each pair next to the one with the opposite first point, if that is known.
    if input.below(2) == 1 {
        let opposite = |of: &Known| KNOWN.iter().find(|other| other.scalar == -of.scalar);
        let more: Vec<_> = pairs.iter().filter_map(|(p, q)| Some((opposite(p)?, *q))).collect();
        pairs.extend(more);
    }
    let given: Vec<_> = pairs.iter().map(|(p, q)| (p.g1, &q.prepared)).collect();
    let found = multi_pairing(rt, row, &given).expect("all are in the subgroups");
    let exponent = pairs.iter().fold(Fr::zero(), |sum, (p, q)| sum + p.scalar * q.scalar);
    let one = exponent == Fr::zero();
    assert_eq!((found == Gt::one(), product_is_identity(rt, row, &given)), (one, one));
    // The same as one pairing.
    let (p, q) = ((G1::generator() * exponent).to_affine(), G2Affine::generator());
    assert_eq!(multi_pairing(rt, row, &[(p, &q.prepare())]), Ok(found));
    assert_eq!(found == Gt::one(), by_blst_is_one(&pairs));
}

fn by_blst_is_one(pairs: &[(&Known, &Known)]) -> bool {
    let finite = pairs.iter().filter(|(p, q)| !p.g1.is_identity() && !q.g2.is_identity());
    let product = finite.fold(blst::blst_fp12::default(), |product, (p, q)| {
        let (mut a, mut b) = (blst_p1_affine::default(), blst_p2_affine::default());
        // SAFETY: each reads one compressed point and writes one.
        unsafe {
            blst::blst_p1_uncompress(&raw mut a, p.g1.to_compressed().as_ptr());
            blst::blst_p2_uncompress(&raw mut b, q.g2.to_compressed().as_ptr());
        }
        product * blst::blst_fp12::miller_loop(&b, &a)
    });
    product.final_exp() == blst::blst_fp12::default()
}

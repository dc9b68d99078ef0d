//! The provider next to revm's default, and the vectors of EIP-2537.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use ark_ff::{BigInteger, PrimeField};
use parcrypt_bls12_381::{Fr, G1, G2};
use parcrypt_revm::Parcrypt;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use revm_precompile::bls12_381::{
    G1Point, G2Point, g1_add, g1_msm, g2_add, g2_msm, map_fp_to_g1, map_fp2_to_g2, pairing,
};
use revm_precompile::{Crypto, DefaultCrypto, EthPrecompileResult, PrecompileHalt};

/// p, big-endian.
const P: &str =
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab";

fn number(value: u8) -> [u8; 48] {
    let mut bytes = [0; 48];
    bytes[47] = value;
    bytes
}

fn random_scalar(rng: &mut StdRng) -> Fr {
    Fr::from_bytes_reduced(&rng.random::<[u8; 32]>())
}

fn g1_point(scalar: Fr) -> G1Point {
    let [x, y] = (G1::generator() * scalar).to_affine().to_coordinates();
    (x, y)
}

fn g2_point(scalar: Fr) -> G2Point {
    let [x0, x1, y0, y1] = (G2::generator() * scalar).to_affine().to_coordinates();
    (x0, x1, y0, y1)
}

/// Points of G1: random ones, infinity, of the curve outside of the subgroup, of no curve, with a coordinate of p.
fn g1_points(rng: &mut StdRng) -> Vec<G1Point> {
    let mut points: Vec<G1Point> = (0..3).map(|_| g1_point(random_scalar(rng))).collect();
    let negative = (G1::generator() * -Fr::from(3)).to_affine().to_coordinates();
    points.extend([g1_point(Fr::from(3)), (negative[0], negative[1])]);
    let p: [u8; 48] = hex::decode(P).unwrap().try_into().unwrap();
    // (0, 2) is on y² = x³ + 4, and has order 3.
    points.extend([
        (number(0), number(0)),
        (number(0), number(2)),
        (number(1), number(2)),
        (p, number(2)),
        (number(0), p),
    ]);
    let mut above = p;
    above[47] += 1;
    points.extend([(above, number(2)), ([0xff; 48], [0xff; 48])]);
    points
}

fn g2_points(rng: &mut StdRng) -> Vec<G2Point> {
    let mut points: Vec<G2Point> = (0..2).map(|_| g2_point(random_scalar(rng))).collect();
    let zero = number(0);
    let p: [u8; 48] = hex::decode(P).unwrap().try_into().unwrap();
    points.extend([(zero, zero, zero, zero), (number(1), zero, number(2), zero), (p, zero, zero, zero)]);
    points.push(outside_of_g2());
    points
}

/// Returns a point of the twist outside of G2.
fn outside_of_g2() -> G2Point {
    let with_x = |x: u64| ark_bls12_381::G2Affine::get_point_from_x_unchecked(x.into(), false);
    let outside = |point: &ark_bls12_381::G2Affine| !point.is_in_correct_subgroup_assuming_on_curve();
    let point = (1..).filter_map(with_x).find(outside).unwrap();
    let bytes = |element: ark_bls12_381::Fq| element.into_bigint().to_bytes_be().try_into().unwrap();
    (bytes(point.x.c0), bytes(point.x.c1), bytes(point.y.c0), bytes(point.y.c1))
}

#[test]
fn sums_are_the_same() {
    let (ours, mut rng) = (Parcrypt::new().unwrap(), StdRng::seed_from_u64(2537));
    let points = g1_points(&mut rng);
    let mut sums = 0;
    for a in &points {
        for b in &points {
            let (ours, theirs) = (ours.bls12_381_g1_add(*a, *b), DefaultCrypto.bls12_381_g1_add(*a, *b));
            assert_eq!(ours, theirs, "{a:02x?} + {b:02x?}");
            sums += usize::from(ours.is_ok());
        }
    }
    // All pairs of points of the curve, those outside of the subgroup too.
    assert_eq!(sums, 7 * 7);
}

#[test]
fn sums_of_multiples_are_the_same() {
    let (ours, mut rng) = (Parcrypt::new().unwrap(), StdRng::seed_from_u64(2538));
    let mut good = 0;
    for length in [0, 1, 2, 3, 7, 8, 9, 16, 17, 40, 128, 129] {
        for bad in 0..4 {
            let points = g1_points(&mut rng);
            let all: Vec<(G1Point, [u8; 32])> = (0..length)
                .map(|i| {
                    let scalar = match i % 4 {
                        0 => [0xff; 32],
                        1 if i > 4 => [0; 32],
                        _ => rng.random(),
                    };
                    // The last ones are no points of the group.
                    let kinds = if i * 4 > length * 3 && bad > 0 { points.len() } else { 6 };
                    (points[rng.random_range(0..kinds)], scalar)
                })
                .collect();
            let padded = |i: usize| {
                if bad == 3 && i + 2 == length { Err(PrecompileHalt::OutOfGas) } else { Ok(all[i]) }
            };
            let found = ours.bls12_381_g1_msm(&mut (0..length).map(padded));
            let expected = DefaultCrypto.bls12_381_g1_msm(&mut (0..length).map(padded));
            assert_eq!(found, expected, "{length} points, {bad}");
            good += usize::from(found.is_ok());
        }
    }
    assert!((12..48).contains(&good), "{good}");
}

#[test]
fn pairings_are_the_same() {
    let (ours, mut rng) = (Parcrypt::new().unwrap(), StdRng::seed_from_u64(2539));
    let (p, q) = (g1_points(&mut rng), g2_points(&mut rng));
    let mut answers = [0; 3];
    let mut check = |pairs: &[(G1Point, G2Point)]| {
        let found = ours.bls12_381_pairing_check(pairs);
        assert_eq!(found, DefaultCrypto.bls12_381_pairing_check(pairs), "{pairs:02x?}");
        answers[match found {
            Ok(false) => 0,
            Ok(true) => 1,
            Err(_) => 2,
        }] += 1;
    };
    check(&[]);
    for p in &p {
        for q in &q {
            check(&[(*p, *q)]);
        }
    }
    // e(a·P, Q) · e(−a·P, Q) = 1.
    let (a, b) = (random_scalar(&mut rng), random_scalar(&mut rng));
    for length in [2, 4, 8, 9] {
        let mut pairs = Vec::new();
        for i in 0..length {
            pairs.push((g1_point(if i % 2 == 0 { a } else { -a }), g2_point(b)));
        }
        check(&pairs);
        pairs.push((g1_points(&mut rng)[5], g2_point(a)));
        check(&pairs);
    }
    assert!(answers.iter().all(|count| *count > 3), "{answers:?}");
}

#[test]
fn evaluations_are_the_same() {
    let (ours, settings) =
        (Parcrypt::new().unwrap(), parcrypt_kzg::Settings::mainnet(parcrypt_kzg::Request::Auto).unwrap());
    let mut blob = vec![0; parcrypt_kzg::BYTES_PER_BLOB];
    blob.iter_mut().skip(31).step_by(32).zip(0u8..=255).for_each(|(byte, value)| *byte = value);
    let rt = parcrypt_runtime::Serial;
    let commitment = parcrypt_kzg::blob_to_kzg_commitment(&rt, &settings, &blob).unwrap();
    let (proof, y) = parcrypt_kzg::compute_kzg_proof(&rt, &settings, &blob, &[9; 32]).unwrap();
    assert_eq!(ours.verify_kzg_proof(&[9; 32], &y, &commitment, &proof), Ok(()));
    for (z, y, commitment, proof) in [
        ([9; 32], y, commitment, proof),
        ([8; 32], y, commitment, proof),
        ([0xff; 32], y, commitment, proof),
        ([9; 32], y, proof, commitment),
        ([9; 32], y, [0; 48], proof),
    ] {
        let found = ours.verify_kzg_proof(&z, &y, &commitment, &proof);
        assert_eq!(found, DefaultCrypto.verify_kzg_proof(&z, &y, &commitment, &proof));
    }
}

type Run = fn(&[u8], u64) -> EthPrecompileResult;

/// The files of an operation's vectors in go-ethereum, and the precompile. Those in G2 and the maps are the default's.
const OPERATIONS: [(&str, Run); 9] = [
    ("blsG1Add", g1_add::g1_add),
    ("blsG2Add", g2_add::g2_add),
    ("blsG1Mul", g1_msm::g1_msm),
    ("blsG2Mul", g2_msm::g2_msm),
    ("blsG1MultiExp", g1_msm::g1_msm),
    ("blsG2MultiExp", g2_msm::g2_msm),
    ("blsPairing", pairing::pairing),
    ("blsMapG1", map_fp_to_g1::map_fp_to_g1),
    ("blsMapG2", map_fp2_to_g2::map_fp2_to_g2),
];

/// A case of the files; no output is expected of an input that is refused.
#[derive(serde::Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Case {
    input: String,
    expected: Option<String>,
    name: String,
}

#[test]
fn corpora_of_eip_2537() {
    let Some(folder) = parcrypt_testkit::corpus::find("eip-2537") else { return };
    assert!(parcrypt_revm::install().unwrap());
    assert!(!parcrypt_revm::install().unwrap(), "once");
    let mut passed = 0;
    for (file, run) in OPERATIONS {
        for refused in [false, true] {
            let path = folder.join(format!("{}{file}.json", if refused { "fail-" } else { "" }));
            let cases: Vec<Case> = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            assert!(!cases.is_empty(), "{}", path.display());
            for Case { input, expected, name } in cases {
                let found = run(&hex::decode(input).unwrap(), u64::MAX);
                assert_eq!(expected.is_none(), refused, "{name}");
                match expected {
                    Some(expected) => assert_eq!(hex::encode(found.unwrap().bytes), expected, "{name}"),
                    None => assert!(found.is_err(), "{name}"),
                }
                passed += 1;
            }
        }
    }
    parcrypt_testkit::corpus::passed("eip-2537", passed, &["revm's provider"]);
}

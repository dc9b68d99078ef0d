//! Multi-scalar multiplication against its definition, at every size where its shape changes.

use parcrypt_bls12_381::dispatch::{BACKENDS, FpRow, select};
use parcrypt_bls12_381::msm::{Scalars, msm_fastest_vartime, msm_vartime};
use parcrypt_bls12_381::{Error, FixedMsm, Fr, G1, G1Affine, Request};
use parcrypt_runtime::Serial;
use parcrypt_testkit::rand::{Rng, RngCore};
use parcrypt_testkit::{backends, rng, runtimes};

fn scalar(rng: &mut impl RngCore) -> Fr {
    let mut bytes = [0; 32];
    rng.fill_bytes(&mut bytes);
    Fr::from_bytes_reduced(&bytes)
}

fn points(rng: &mut impl RngCore, count: usize) -> Vec<G1Affine> {
    // A chain of doublings and additions gives different points without a scalar multiplication each.
    let (mut point, step) = (G1::generator() * scalar(rng), G1::generator() * scalar(rng));
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        all.push(point);
        point = point.double() + step;
    }
    G1::batch_to_affine(&all)
}

/// Returns scalars and points that an adversary would choose: each mixture puts many into the same bucket.
fn mixtures(rng: &mut impl RngCore, count: usize) -> Vec<(&'static str, Vec<G1Affine>, Vec<Fr>)> {
    let points = points(rng, count);
    let any: Vec<Fr> = (0..count).map(|_| scalar(rng)).collect();
    let minus_one = -Fr::one();
    let few = [Fr::zero(), Fr::one(), minus_one, Fr::from(2)];
    let alternating = |i: usize| if i.is_multiple_of(2) { points[i / 2] } else { -points[i / 2] };
    let mut holes = points.clone();
    holes.iter_mut().step_by(3).for_each(|p| *p = G1Affine::identity());
    vec![
        ("random", points.clone(), any.clone()),
        ("zero scalars", points.clone(), vec![Fr::zero(); count]),
        ("scalars r − 1", points.clone(), vec![minus_one; count]),
        ("equal scalars", points.clone(), vec![scalar(rng); count]),
        ("few scalars", points.clone(), (0..count).map(|i| few[i % 4]).collect()),
        ("equal points", vec![points.first().copied().unwrap_or_default(); count], any.clone()),
        (
            "equal points and scalars",
            vec![points.first().copied().unwrap_or_default(); count],
            vec![minus_one; count],
        ),
        ("P beside −P", (0..count).map(alternating).collect(), vec![scalar(rng); count]),
        ("infinity in between", holes, any.clone()),
        ("infinity alone", vec![G1Affine::identity(); count], any),
    ]
}

/// Returns the rows that this machine can run.
pub(super) fn rows() -> Vec<&'static FpRow> {
    let backends = backends("parcrypt-bls12-381", BACKENDS);
    backends.into_iter().map(|backend| select(backend.into()).unwrap()).collect()
}

/// Returns the row that is selected by default.
fn best() -> &'static FpRow {
    select(Request::Auto).unwrap()
}

/// Returns each item of one slice with each of the other.
fn pairs<'a, A, B: Copy>(all: &'a [A], others: &'a [B]) -> impl Iterator<Item = (&'a A, B)> {
    all.iter().flat_map(move |item| others.iter().map(move |other| (item, *other)))
}

fn definition(points: &[G1Affine], scalars: &[Fr]) -> G1 {
    points.iter().zip(scalars).fold(G1::identity(), |sum, (p, s)| sum + G1::from(*p) * *s)
}

#[test]
fn any_points_agree_with_the_definition() {
    let mut rng = rng();
    let sizes = (0..12).chain([15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 128, 255, 257, 600]);
    for count in sizes {
        for (name, points, scalars) in mixtures(&mut rng, count) {
            let expected = definition(&points, &scalars);
            for row in rows() {
                let sum = msm_vartime(&Serial, row, &points, &scalars).unwrap();
                assert_eq!(sum, expected, "{name}, {count}, {row:?}");
                let sum = msm_fastest_vartime(&Serial, row, Scalars::Full, &points, &scalars).unwrap();
                assert_eq!(sum, expected, "{name}, {count}, {row:?}, the fastest");
            }
        }
        let points = points(&mut rng, count);
        let halves: Vec<Fr> = (0..count).map(|_| Fr::from_glv_halves(rng.random(), rng.random())).collect();
        let expected = definition(&points, &halves);
        for row in rows() {
            let sum = msm_fastest_vartime(&Serial, row, Scalars::Half, &points, &halves).unwrap();
            assert_eq!(sum, expected, "{count}, {row:?}, halves");
        }
    }
}

#[test]
fn every_table_agrees_with_the_definition() {
    const TABLES: [usize; 11] = [0, 1, 2, 3, 5, 9, 13, 26, 43, 65, 1000];
    let (mut rng, backends) = (rng(), backends("parcrypt-bls12-381", BACKENDS));
    // Each mixture with a third of the tables, and each number of tables with a third of the mixtures.
    let each = if std::env::var_os("PARCRYPT_LONG_TESTS").is_some() { 1 } else { 3 };
    for (groups, len) in [(1, 1), (1, 2), (3, 5), (1, 64), (8, 16), (2, 200)] {
        for (number, (name, points, scalars)) in mixtures(&mut rng, groups * len).into_iter().enumerate() {
            let tables: Vec<usize> = TABLES.iter().copied().skip(number % each).step_by(each).collect();
            let parts = points.chunks(len).zip(scalars.chunks(len));
            let expected: Vec<G1> = parts.map(|(p, s)| definition(p, s)).collect();
            for (backend, tables) in pairs(&backends, &tables) {
                let budget = tables * 144 * points.len();
                let fixed = FixedMsm::new(&Serial, (*backend).into(), &points, groups, budget).unwrap();
                assert!(fixed.table_bytes() <= budget.max(144 * points.len()), "{tables} tables");
                let sums = fixed.msm_vartime(&Serial, &[&scalars, &scalars]).unwrap();
                assert_eq!(sums, [&expected[..], &expected[..]].concat(), "{backend} {name} {tables}");
            }
        }
    }
}

#[test]
fn every_runtime_gives_the_same() {
    let mut rng = rng();
    let points = points(&mut rng, 4096);
    let scalars: Vec<Fr> = points.iter().map(|_| scalar(&mut rng)).collect();
    let expected = msm_vartime(&Serial, best(), &points, &scalars).unwrap();
    let fixed = FixedMsm::new(&Serial, Request::Auto, &points, 1, 64 << 20).unwrap();
    let groups = FixedMsm::new(&Serial, Request::Auto, &points, 64, 64 << 20).unwrap();
    let of_groups = groups.msm_vartime(&Serial, &[&scalars]).unwrap();
    assert_eq!(of_groups.iter().fold(G1::identity(), |sum, group| sum + *group), expected);
    for rt in runtimes("parcrypt-bls12-381") {
        assert_eq!(msm_vartime(&*rt, best(), &points, &scalars).unwrap(), expected, "{}", rt.name());
        assert_eq!(fixed.msm_vartime(&*rt, &[&scalars]).unwrap(), [expected], "{}", rt.name());
        assert_eq!(groups.msm_vartime(&*rt, &[&scalars]).unwrap(), of_groups, "{}", rt.name());
        let tables = FixedMsm::new(&*rt, Request::Auto, &points, 1, 64 << 20).unwrap();
        assert_eq!(tables.msm_vartime(&*rt, &[&scalars]).unwrap(), [expected], "{}", rt.name());
    }
}

#[test]
fn lengths_are_checked() {
    let points = [G1Affine::generator(); 6];
    let wrong = Error::Scalars { points: 6, scalars: 5 };
    assert_eq!(msm_vartime(&Serial, best(), &points, &[Fr::one(); 5]), Err(wrong.clone()));
    let fixed = FixedMsm::new(&Serial, Request::Auto, &points, 2, 0).unwrap();
    assert_eq!(fixed.msm_vartime(&Serial, &[&[Fr::one(); 6], &[Fr::one(); 5]]), Err(wrong));
    assert_eq!(fixed.msm_vartime(&Serial, &[]), Ok(vec![]));
    for groups in [0, 4, 7] {
        let error = FixedMsm::new(&Serial, Request::Auto, &points, groups, 0).unwrap_err();
        assert_eq!(error, Error::Groups { points: 6, groups });
    }
    let none = FixedMsm::new(&Serial, Request::Auto, &[], 3, usize::MAX).unwrap();
    assert_eq!(none.msm_vartime(&Serial, &[&[]]), Ok(vec![G1::identity(); 3]));
}

#[test]
fn more_points_than_a_pass_takes() {
    let mut rng = rng();
    let few = points(&mut rng, 64);
    let count = (1 << 18) + 3;
    let points: Vec<G1Affine> = (0..count).map(|i| few[i % 64]).collect();
    let scalars: Vec<Fr> = (0..count).map(|_| Fr::from(rng.random::<u64>())).collect();
    let mut by_point = vec![Fr::zero(); 64];
    scalars.iter().enumerate().for_each(|(i, s)| by_point[i % 64] += *s);
    assert_eq!(msm_vartime(&Serial, best(), &points, &scalars).unwrap(), definition(&few, &by_point));
}

//! All proofs in one batch against single proofs.

use parcrypt_bls12_381::{Fr, G1Affine, Request, bit_reversal};
use parcrypt_kzg10::{Error, FftSettings, Fk20, Group, KzgSettings, PowersOfTau};
use parcrypt_runtime::Serial;
use parcrypt_testkit::{rng, runtimes};

use crate::{polynomials, random_fr, random_polynomial, reference};

const SCALE: u32 = 4;

fn settings(secret: Fr) -> (PowersOfTau, KzgSettings) {
    let n = 1 << SCALE;
    let powers = PowersOfTau::insecure(&Serial, secret, n, n + 1).unwrap();
    let fft = FftSettings::new(Request::Auto, SCALE + 1).unwrap();
    (powers.clone(), KzgSettings::new(fft, powers).unwrap())
}

#[test]
fn all_proofs_are_the_proofs_one_by_one() {
    let mut rng = rng();
    let secret = random_fr(&mut rng);
    let (powers, settings) = settings(secret);
    for (n, l) in (0..=SCALE).flat_map(|scale| (0..=scale).map(move |of| (1 << scale, 1 << of))) {
        let fk20 = Fk20::new(&Serial, Request::Auto, &powers, n, l, 0).unwrap();
        for p in polynomials(&mut rng, n) {
            let one = |x| settings.prove_multi(&Serial, &p, x, l).unwrap().0;
            let expected: Vec<G1Affine> = (0..n / l).map(|i| one(reference::root(n, i))).collect();
            assert_eq!(fk20.proofs(&Serial, &p).unwrap(), expected, "n = {n}, l = {l}");
            let k = 2 * n / l;
            let order = (0..k).map(|i| reference::reversed(k, i));
            let expected: Vec<G1Affine> = order.map(|i| one(reference::root(2 * n, i))).collect();
            assert_eq!(fk20.proofs_da(&Serial, &p).unwrap(), expected, "n = {n}, l = {l}");
        }
    }
}

#[test]
fn proofs_at_single_points_verify() {
    let mut rng = rng();
    let secret = random_fr(&mut rng);
    let (powers, settings) = settings(secret);
    let n = 1 << SCALE;
    let fk20 = Fk20::new(&Serial, Request::Auto, &powers, n, 1, 1 << 20).unwrap();
    let p = random_polynomial(&mut rng, n);
    let commitment = settings.commit(&Serial, &p).unwrap();
    let proofs = fk20.proofs(&Serial, &p).unwrap();
    assert_eq!(proofs.len(), n);
    for (i, proof) in proofs.iter().enumerate() {
        let x = reference::root(n, i);
        assert_eq!(*proof, reference::proof(&p, secret, x, 1));
        let y = reference::evaluate(&p, x);
        assert_eq!(settings.check(&Serial, &commitment, x, y, proof), Ok(true));
    }
}

#[test]
fn proofs_and_values_lie_side_by_side() {
    let mut rng = rng();
    let (powers, settings) = settings(random_fr(&mut rng));
    let (n, l) = (1 << SCALE, 4);
    let fk20 = Fk20::new(&Serial, Request::Auto, &powers, n, l, 0).unwrap();
    let p = random_polynomial(&mut rng, n);
    let commitment = settings.commit(&Serial, &p).unwrap();
    let proofs = fk20.proofs_da(&Serial, &p).unwrap();
    let fft = FftSettings::new(Request::Auto, SCALE + 1).unwrap();
    let mut values = p.values(&Serial, &fft, 2 * n).unwrap();
    bit_reversal::permute(&mut values);
    assert_eq!(proofs.len(), 2 * n / l);
    for (i, (proof, values)) in proofs.iter().zip(values.chunks(l)).enumerate() {
        let x = reference::root(2 * n, reference::reversed(2 * n / l, i));
        let mut ys = values.to_vec();
        bit_reversal::permute(&mut ys);
        assert_eq!(settings.check_multi(&Serial, &commitment, x, &ys, proof), Ok(true), "proof {i}");
        let next = &proofs[(i + 1) % proofs.len()];
        assert_eq!(settings.check_multi(&Serial, &commitment, x, &ys, next), Ok(false), "proof {i}");
    }
}

#[test]
fn bad_sizes_are_errors() {
    let powers = PowersOfTau::insecure(&Serial, Fr::from(7), 8, 1).unwrap();
    let multi = |n, l| Fk20::new(&Serial, Request::Auto, &powers, n, l, 0).map(|_| ());
    for n in [0, 3, 12, (1 << 32), usize::MAX] {
        assert_eq!(multi(n, 1), Err(Error::Length { len: n, least: 1, most: 1 << 31 }));
    }
    for l in [0, 3, 16, usize::MAX] {
        assert_eq!(multi(8, l), Err(Error::Length { len: l, least: 1, most: 8 }));
    }
    for n in [16, 1 << 31] {
        let error = Error::SetupTooShort { group: Group::G1, needed: n, got: 8 };
        assert_eq!(multi(n, 2), Err(error));
    }
    let fk20 = Fk20::new(&Serial, Request::Auto, &powers, 8, 2, 0).unwrap();
    let p = random_polynomial(&mut rng(), 9);
    let error = Error::TooManyCoefficients { len: 9, most: 8 };
    assert_eq!(fk20.proofs(&Serial, &p), Err(error.clone()));
    assert_eq!(fk20.proofs_da(&Serial, &p), Err(error));
}

#[test]
fn every_runtime_and_budget_gives_the_same() {
    let mut rng = rng();
    let (powers, _) = settings(random_fr(&mut rng));
    let n = 1 << SCALE;
    let p = random_polynomial(&mut rng, n);
    for l in [1, 4] {
        let expected = Fk20::new(&Serial, Request::Auto, &powers, n, l, 0).unwrap();
        let expected = (expected.proofs(&Serial, &p).unwrap(), expected.proofs_da(&Serial, &p).unwrap());
        for rt in runtimes("parcrypt-kzg") {
            for budget in [0, 1 << 16, 1 << 22] {
                let fk20 = Fk20::new(&*rt, Request::Auto, &powers, n, l, budget).unwrap();
                let found = (fk20.proofs(&*rt, &p).unwrap(), fk20.proofs_da(&*rt, &p).unwrap());
                assert!(found == expected, "{} with {} threads", rt.name(), rt.threads());
            }
        }
    }
}

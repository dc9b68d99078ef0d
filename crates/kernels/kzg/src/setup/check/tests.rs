//! Forging: setups whose wrong points cancel for everyone who knows the challenge before the points are fixed.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use parcrypt_runtime::Serial;

use parcrypt_bls12_381::G1Affine;

use super::*;
use crate::{Request, Settings};

/// Returns the points of mainnet's setup in the order of the files.
fn mainnet() -> (Rows, Points) {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let points = Points {
        g1_monomial: settings.g1_monomial.clone(),
        g1_lagrange: crate::settings::bit_reversed(&settings.g1_lagrange),
        g2_monomial: settings.g2_monomial.clone(),
    };
    (settings.rows, points)
}

/// Adds multiples of the generator to two points of G1.
fn add(list: &mut [G1Affine], [(i, a), (j, b)]: [(usize, Fr); 2]) {
    for (at, multiple) in [(i, a), (j, b)] {
        list[at] = (G1::generator() * multiple + list[at]).to_affine();
    }
}

/// The forgery with each challenge that an attacker may know: none, and those of two other setups.
fn cannot_be_forged(relation: Relation, forge: impl Fn(&mut Points, Fr)) {
    let (rows, honest) = mainnet();
    let mut swapped = honest.clone();
    swapped.g1_lagrange.swap(1, 2);
    for (of, known) in [
        ("nothing", Fr::one()),
        ("the honest setup", challenge(&honest)),
        ("another setup", challenge(&swapped)),
    ] {
        let mut forged = honest.clone();
        forge(&mut forged, known);
        let with_known = relations(&Serial, rows, Form::Compressed, &forged, known);
        assert_eq!(with_known, Ok(()), "challenge of {of}: the forgery is one");
        let Err(Error::Setup(error)) = all(&Serial, rows, Form::Compressed, &forged) else {
            panic!("challenge of {of}: accepted");
        };
        assert_eq!(error.defect, Defect::Relation(relation), "challenge of {of}");
    }
}

/// M_1 + P and M_2 − P/ρ leave Σ ρ^i·M_i as it is, over all points and over the first 65.
#[test]
fn wrong_powers_in_g1_do_not_cancel() {
    cannot_be_forged(Relation::G1Powers, |points, challenge| {
        add(&mut points.g1_monomial, [(1, Fr::one()), (2, -challenge.inverse().unwrap())]);
    });
}

#[test]
fn wrong_powers_in_g2_do_not_cancel() {
    cannot_be_forged(Relation::G2Powers, |points, challenge| {
        for (at, multiple) in [(2, Fr::one()), (3, -challenge.inverse().unwrap())] {
            let sum = G2::generator() * multiple + G2::from(points.g2_monomial[at]);
            points.g2_monomial[at] = sum.to_affine();
        }
    });
}

/// L_0 + p(ω)·P and L_1 − p(1)·P leave Σ p(ω^i)·L_i as it is, where p(x) = Σ ρ^i·x^i.
#[test]
fn wrong_points_in_lagrange_form_do_not_cancel() {
    let (rows, _) = mainnet();
    cannot_be_forged(Relation::Lagrange, |points, challenge| {
        let values = values(&Serial, rows, &powers(challenge)).unwrap();
        add(&mut points.g1_lagrange, [(0, values[1]), (1, -values[0])]);
    });
}

//! That no function starts a thread of blst: its pool is the program's, which may use blst itself. A program of its
//! own, because it counts the threads of the process.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use parcrypt_bls12_381::{Fr, G1, G1Affine, G2, G2Prepared, Request, dispatch, msm, pairing};
use parcrypt_runtime::Serial;

fn threads() -> usize {
    std::fs::read_dir("/proc/self/task").unwrap().count()
}

#[test]
fn the_threads_of_blst_are_not_started() {
    let before = threads();
    // From 768 points on, blst would use its pool; it would start it for one.
    let mut points: Vec<G1> = vec![G1::generator(); 2000];
    for i in 1..points.len() {
        points[i] = points[i - 1].double();
    }
    (points[0], points[1500], points[1999]) = (G1::identity(), G1::identity(), G1::identity());
    let affine = G1::batch_to_affine(&points);
    assert!(affine.iter().zip(&points).all(|(affine, point)| *affine == point.to_affine()));
    assert_eq!(affine.len(), points.len());
    assert_eq!(G1::batch_to_affine(&[]), []);

    let (fp, in_lanes) =
        (dispatch::select(Request::Auto).unwrap(), dispatch::select_pairing(Request::Auto).unwrap());
    let scalars: Vec<Fr> = (0..points.len() as u64).map(Fr::from).collect();
    assert!(G1Affine::are_in_subgroup(fp, &affine));
    let sum = msm::msm_vartime(&Serial, fp, &affine, &scalars).unwrap().to_affine();
    let q: G2Prepared = G2::generator().to_affine().prepare();
    assert!(pairing::product_is_identity(&Serial, in_lanes, &[(sum, &q), (-sum, &q)]));
    assert_eq!(threads(), before);
}

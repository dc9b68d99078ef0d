//! Powers of a known secret.

use parcrypt_bls12_381::{Fr, G1, G1Affine, G2Affine, Request, dispatch, pairing};
use parcrypt_kzg10::{Error, PowersOfTau};
use parcrypt_runtime::Serial;

#[test]
fn powers_of_a_known_secret_have_any_size() {
    let secret = Fr::from(0x1234_5678_9abc_def1);
    for (n1, n2) in [(0, 0), (1, 0), (0, 1), (2, 2), (255, 3), (256, 5), (300, 300)] {
        let PowersOfTau { g1, g2 } = PowersOfTau::insecure(&Serial, secret, n1, n2).unwrap();
        assert_eq!((g1.len(), g2.len()), (n1, n2));
        let power = |i: usize| secret.pow_vartime(i as u64);
        g1.iter()
            .enumerate()
            .step_by(37)
            .for_each(|(i, p)| assert_eq!(G1::from(*p), G1::generator() * power(i)));
        let generator = G2Affine::generator().prepare();
        for (i, point) in g2.iter().enumerate().step_by(29) {
            let expected = (G1::generator() * -power(i)).to_affine();
            assert!(pairing::product_is_identity(
                &Serial,
                dispatch::select_pairing(Request::Auto).unwrap(),
                &[(G1Affine::generator(), &point.prepare()), (expected, &generator)]
            ));
        }
    }
    let too_many = PowersOfTau::insecure(&Serial, secret, usize::MAX / 64, 0);
    assert!(matches!(too_many, Err(Error::Memory { .. })), "no error");
}

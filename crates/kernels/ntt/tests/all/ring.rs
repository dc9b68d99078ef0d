//! Any ring against schoolbook and against the definition of the transform, and invalid input.

use parcrypt_cpu::{Backend, Request};
use parcrypt_ntt::Convolution::{Cyclic, Negacyclic};
use parcrypt_ntt::{Convolution, Error, Ring, schoolbook};
use parcrypt_testkit::rand::{Rng, RngCore};
use parcrypt_testkit::{Untouched, backends, rng, runtimes};

const CRATE: &str = "parcrypt-ntt";

/// Small primes, primes of schemes, and the largest with many roots, with few, and with one; the largest below 2^30 and
/// 2^31 with roots for all lengths here; the largest below 2^31 whose slots have two values with 16, 32, 64 and 512
/// coefficients. From 2^32/3 on three times the modulus is no word.
const PRIMES: [u32; 28] = [
    2, 3, 5, 7, 11, 13, 17, 97, 193, 257, 3329, 7681, 12289, 40961, 65537, 786433, 8380417, 998244353,
    1073707009, 2013265921, 2130706433, 2147473409, 2147483137, 2147483249, 2147483489, 2147482817,
    2147483629, 2147483647,
];

/// Returns the degree of a slot that the ring must have: 1 or 2; `None` if there must be no ring.
fn degree(q: u32, n: usize, convolution: Convolution) -> Option<usize> {
    // Whether X^(n/d) = ±1 has as many solutions as its degree.
    let splits = |slots: usize| {
        let order = if convolution == Cyclic { slots } else { 2 * slots };
        slots == 1 || (q as usize - 1).is_multiple_of(order)
    };
    (1..=2.min(n)).find(|degree| splits(n / degree))
}

/// Returns the transform by its definition: slot i is the polynomial modulo X^degree − ω^e(i), see [`Ring`].
fn transform(ring: &Ring, polynomial: &[u32]) -> Vec<u32> {
    let (q, degree) = (u64::from(ring.modulus()), ring.degree());
    let slots = ring.n() / degree;
    let value = |i: usize| {
        let reversed = if slots == 1 { 0 } else { (i / degree).reverse_bits() >> (64 - slots.ilog2()) };
        let exponent = if ring.convolution() == Cyclic { reversed } else { 2 * reversed + 1 };
        let point = (0..exponent).fold(1 % q, |power, _| power * u64::from(ring.root()) % q);
        let coefficients = polynomial[i % degree..].iter().step_by(degree).rev();
        coefficients.fold(0, |value, &x| (value * point + u64::from(x)) % q) as u32
    };
    (0..ring.n()).map(value).collect()
}

/// Returns the ring in plain Rust.
fn portable(q: u32, n: usize, convolution: Convolution) -> Result<Ring, Error> {
    Ring::any(Backend::Portable.into(), q, n, convolution)
}

/// Returns polynomials at the ends of every range, and random ones.
fn polynomials(rng: &mut impl RngCore, q: u32, n: usize) -> Vec<Vec<u32>> {
    let mut all: Vec<Vec<u32>> = vec![vec![0; n], vec![q - 1; n], vec![1 % q; n], vec![q / 2; n]];
    let ends = [0, 1 % q, q - 1];
    all.push((0..n).map(|i| [0, q - 1][i % 2]).collect());
    all.push((0..n).map(|i| [q - 1, 0][i * 2 / n.max(2) % 2]).collect());
    all.push((0..n).map(|i| if i == n - 1 { q - 1 } else { 0 }).collect());
    for _ in 0..3 {
        all.push((0..n).map(|_| ends[rng.random_range(0..3)]).collect());
        all.push((0..n).map(|_| rng.random_range(0..q)).collect());
    }
    all
}

/// Returns the ring with the kernels for any modulus, on each backend that the machine has.
fn on_each_backend(q: u32, n: usize, convolution: Convolution) -> Vec<Ring> {
    let offered = backends(CRATE, &Ring::backends(n));
    offered.into_iter().map(|backend| Ring::any(backend.into(), q, n, convolution).expect("valid")).collect()
}

fn check(rng: &mut impl RngCore, ring: &Ring) {
    let (q, n, convolution) = (ring.modulus(), ring.n(), ring.convolution());
    let what = format!("modulus {q}, {n} coefficients, {convolution}, {}", ring.backend());
    let all = polynomials(rng, q, n);
    for (i, a) in all.iter().enumerate() {
        let mut transformed = a.clone();
        ring.forward(&mut transformed).expect("valid");
        if n <= 512 {
            assert_eq!(transformed, transform(ring, a), "transform, {what}");
        }
        let mut back = transformed.clone();
        ring.inverse(&mut back).expect("valid");
        assert_eq!(&back, a, "inverse, {what}");

        let b = &all[(i * 5 + 3) % all.len()];
        let expected = schoolbook::product_vartime(q, convolution, a, b).expect("valid");
        let mut out = vec![0; n];
        ring.product(a, b, &mut out).expect("valid");
        assert_eq!(out, expected, "product, {what}");

        let mut other = b.clone();
        ring.forward(&mut other).expect("valid");
        ring.pointwise(&transformed, &other, &mut out).expect("valid");
        ring.inverse(&mut out).expect("valid");
        assert_eq!(out, expected, "pointwise, {what}");
    }
    // Every slot at its end, which transforms of polynomials do not reach.
    let (mut end, mut out) = (vec![q - 1; n], vec![0; n]);
    ring.pointwise(&end, &end, &mut out).expect("valid");
    ring.inverse(&mut out).expect("valid");
    ring.inverse(&mut end).expect("valid");
    let expected = schoolbook::product_vartime(q, convolution, &end, &end).expect("valid");
    assert_eq!(out, expected, "pointwise of q − 1, {what}");
}

#[test]
fn every_small_ring_or_its_error() {
    let mut rng = rng();
    let (mut complete, mut incomplete) = (0, 0);
    for q in PRIMES {
        for n in (0..=9).map(|log| 1 << log) {
            for convolution in [Cyclic, Negacyclic] {
                match (portable(q, n, convolution), degree(q, n, convolution)) {
                    (Ok(_), Some(degree)) => {
                        for ring in on_each_backend(q, n, convolution) {
                            assert_eq!(ring.degree(), degree, "{q} {n} {convolution}");
                            assert_eq!((ring.modulus(), ring.n(), ring.convolution()), (q, n, convolution));
                            check(&mut rng, &ring);
                        }
                        if degree == 1 { complete += 1 } else { incomplete += 1 }
                    }
                    (Err(error), None) => {
                        assert_eq!(error, Error::NoRoots { modulus: q, n, convolution });
                    }
                    (ring, degree) => panic!("{q} {n} {convolution}: {ring:?}, expected {degree:?}"),
                }
            }
        }
    }
    assert!(complete > 100 && incomplete > 20, "{complete} {incomplete}");
}

#[test]
fn long_rings() {
    let mut rng = rng();
    for (q, n, convolution) in
        [(12289, 2048, Cyclic), (2013265921, 2048, Negacyclic), (12289, 4096, Negacyclic)]
    {
        on_each_backend(q, n, convolution).iter().for_each(|ring| check(&mut rng, ring));
    }
    // Too long for schoolbook: products by few terms.
    let most = Ring::MAX_N;
    for (q, n, convolution, degree) in [
        (65537, most, Cyclic, 1),
        (65537, most, Negacyclic, 2),
        (2013265921, most, Negacyclic, 1),
        (998244353, most, Cyclic, 1),
        (12289, 8192, Cyclic, 2),
    ] {
        let rings = on_each_backend(q, n, convolution);
        assert_eq!(rings[0].degree(), degree);
        let a: Vec<u32> = (0..n).map(|_| rng.random_range(0..q)).collect();
        let terms = [(0, 1), (1, q - 1), (n / 2 + 1, rng.random_range(0..q)), (n - 1, q - 2)];
        let mut b = vec![0; n];
        terms.iter().for_each(|(i, x)| b[*i] = *x);
        let mut out = vec![0; n];
        rings[0].product(&a, &b, &mut out).unwrap();
        for (k, out) in out.iter().enumerate() {
            let term = |&(i, x): &(usize, u32)| {
                let sign = if i > k && convolution == Negacyclic { -1 } else { 1 };
                sign * i128::from(x) * i128::from(a[(n + k - i) % n])
            };
            let sum: i128 = terms.iter().map(term).sum();
            assert_eq!(i128::from(*out), sum.rem_euclid(i128::from(q)), "{q} {convolution} coefficient {k}");
        }
        let mut transform = out.clone();
        rings[0].forward(&mut transform).unwrap();
        for ring in rings {
            let (mut product, mut other) = (vec![0; n], out.clone());
            ring.product(&a, &b, &mut product).unwrap();
            assert_eq!(out, product, "{q} {convolution} {}", ring.backend());
            ring.forward(&mut other).unwrap();
            assert_eq!(transform, other, "{q} {convolution} {}", ring.backend());
            ring.inverse(&mut other).unwrap();
            assert_eq!(out, other, "{q} {convolution} {}", ring.backend());
        }
    }
}

#[test]
fn every_runtime_gives_the_same() {
    let mut rng = rng();
    for (q, n, convolution) in [
        (8380417, 256, Negacyclic),
        (3329, 512, Cyclic),
        (2, 2, Cyclic),
        (97, 1, Cyclic),
        (998244353, 4096, Cyclic),
    ] {
        let ring = Ring::any(Request::Auto, q, n, convolution).unwrap();
        for count in [0, 1, 2, 3, 300_000 / n + 1] {
            let mut random = || (0..count * n).map(|_| rng.random_range(0..q)).collect::<Vec<u32>>();
            let (a, b) = (random(), random());
            let mut expected = vec![0; count * n];
            for ((a, b), out) in a.chunks(n).zip(b.chunks(n)).zip(expected.chunks_mut(n)) {
                ring.product(a, b, out).unwrap();
            }
            for rt in runtimes(CRATE) {
                let mut out = vec![0; count * n];
                ring.products(&*rt, &a, &b, &mut out).unwrap();
                assert_eq!(out, expected, "{q} {n} {} {}", rt.name(), rt.threads());
            }
        }
    }
}

#[test]
fn invalid_rings() {
    let new = |q, n| Ring::new(Request::Auto, q, n, Negacyclic).unwrap_err();
    for n in [0, 3, 6, 255, 1 << 17, usize::MAX, 1 << 63] {
        assert_eq!(new(3329, n), Error::Size { n });
    }
    for modulus in [0, 1, 4, 3327, 3328, 2147483646] {
        assert_eq!(new(modulus, 4), Error::NotPrime { modulus });
    }
    for modulus in [1 << 31, u32::MAX] {
        assert_eq!(new(modulus, 4), Error::ModulusTooLarge { modulus });
    }
    assert_eq!(new(3329, 512), Error::NoRoots { modulus: 3329, n: 512, convolution: Negacyclic });
    let text = new(3329, 512).to_string();
    assert_eq!(
        text,
        "the field of 3329 elements lacks the roots of unity for a negacyclic transform of 512 coefficients"
    );
}

/// Checks that each function refuses a bad slice in each place, and writes nothing.
fn refuses(ring: &Ring, bad: &[u32], error: impl Fn(usize) -> Error) {
    let good = [1; 8];
    let (mut out, mut right) = (bad.to_vec(), [5; 8]);
    assert_eq!(ring.forward(&mut out), Err(error(0)));
    assert_eq!(ring.inverse(&mut out), Err(error(0)));
    for f in [Ring::product, Ring::pointwise] {
        assert_eq!(f(ring, bad, &good, &mut right), Err(error(0)));
        assert_eq!(f(ring, &good, bad, &mut right), Err(error(1)));
    }
    assert_eq!((&out[..], right), (bad, [5; 8]));
}

#[test]
fn bad_slices_are_refused_and_nothing_is_written() {
    let q = 12289;
    let ring = portable(q, 8, Negacyclic).unwrap();
    let good = [1; 8];
    for ring in on_each_backend(q, 64, Negacyclic) {
        for (index, value) in
            (0..64).flat_map(|index| [q, q + 1, 1 << 31, u32::MAX].map(|value| (index, value)))
        {
            let mut bad = [q - 1; 64];
            bad[index] = value;
            let before = bad;
            let error = Error::NotReduced { operand: 0, index, modulus: q };
            assert_eq!((ring.forward(&mut bad), bad), (Err(error), before), "{}", ring.backend());
        }
    }
    for got in [0, 1, 7, 9, 16] {
        let error = |operand| Error::Length { operand, expected: 8, got };
        refuses(&ring, &vec![0; got], error);
        let mut out = vec![0; got];
        for f in [Ring::product, Ring::pointwise] {
            assert_eq!(f(&ring, &good, &good, &mut out), Err(error(2)));
        }
        assert_eq!(out, vec![0; got]);
    }
    for value in [q, q + 1, 2 * q, 1 << 31, u32::MAX] {
        for index in 0..8 {
            let mut bad = good;
            bad[index..].fill(value);
            refuses(&ring, &bad, |operand| Error::NotReduced { operand, index, modulus: q });
            let many = [good, good, bad, good].concat();
            let mut products = vec![7; 32];
            let error = |operand| Err(Error::NotReduced { operand, index: 16 + index, modulus: q });
            let rt = parcrypt_runtime::Serial;
            assert_eq!(ring.products(&rt, &many, &[1; 32], &mut products), error(0));
            assert_eq!(ring.products(&rt, &[1; 32], &many, &mut products), error(1));
            assert_eq!(products, vec![7; 32]);
        }
    }
    let rt = parcrypt_runtime::Serial;
    let products = |a, b, out| ring.products(&rt, &vec![0; a], &vec![0; b], &mut vec![0; out]);
    assert_eq!(products(12, 12, 12), Err(Error::Length { operand: 0, expected: 16, got: 12 }));
    assert_eq!(products(16, 8, 16), Err(Error::Length { operand: 1, expected: 16, got: 8 }));
    assert_eq!(products(16, 16, 24), Err(Error::Length { operand: 2, expected: 16, got: 24 }));
}

#[test]
fn the_reference_refuses_what_it_cannot_take() {
    let product = |q, a: &[u32], b: &[u32]| schoolbook::product_vartime(q, Negacyclic, a, b);
    assert_eq!(product(0, &[], &[]), Err(Error::NotPrime { modulus: 0 }));
    assert_eq!(product(1 << 31, &[0], &[0]), Err(Error::ModulusTooLarge { modulus: 1 << 31 }));
    assert_eq!(product(5, &[1, 2], &[1]), Err(Error::Length { operand: 1, expected: 2, got: 1 }));
    assert_eq!(product(5, &[1, 5], &[1, 1]), Err(Error::NotReduced { operand: 0, index: 1, modulus: 5 }));
    assert_eq!(product(5, &[1, 4], &[9, 1]), Err(Error::NotReduced { operand: 1, index: 0, modulus: 5 }));
    assert_eq!(product(5, &[], &[]), Ok(vec![]));
    // Any modulus and any length: (1 + X + X²)² = 1 + 2X + 3X² + 2X³ + X⁴, and X³ = −1.
    assert_eq!(product(6, &[1, 1, 1], &[1, 1, 1]), Ok(vec![5, 1, 3]));
    assert_eq!(product(1, &[0, 0], &[0, 0]), Ok(vec![0, 0]));
}

#[test]
fn one_thread_more_is_not_used_for_small_batches() {
    let ring = portable(8380417, 256, Negacyclic).unwrap();
    ring.products(&Untouched, &[1; 2048], &[1; 2048], &mut [0; 2048]).unwrap();
}

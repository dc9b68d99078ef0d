//! ML-KEM's and ML-DSA's transforms: no crate exports its own, so these tests compute whole functions of FIPS 203 and
//! 204 with ours and compare the bytes with independent crates. Matrices are sampled as transforms there, so that a key
//! is correct only with the transform of the standard, its order, and its products.

use ml_dsa::{MlDsa44, MlDsa65, MlDsa87, SigningKey};
use ml_kem::{KeyExport, MlKem512, MlKem768, MlKem1024};
use parcrypt_cpu::Backend;
use parcrypt_ntt::Convolution::Negacyclic;
use parcrypt_ntt::{MlDsa, MlKem, Ring};
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::{backends, rng};
use sha3::{Digest, Sha3_256, Sha3_512};
use shake::digest::{ExtendableOutput, Update, XofReader};
use shake::{Shake128, Shake256};

const CRATE: &str = "parcrypt-ntt";

type Polynomial = [u32; 256];

/// Returns the ring on every backend, and in plain Rust.
fn rings(modulus: u32) -> Vec<Ring> {
    let offered = if modulus == 3329 { MlKem::backends() } else { MlDsa::backends() };
    let tuned = backends(CRATE, &offered).into_iter();
    let tuned = tuned.map(|backend: Backend| Ring::new(backend.into(), modulus, 256, Negacyclic));
    tuned
        .chain([Ring::any(Backend::Portable.into(), modulus, 256, Negacyclic)])
        .map(|ring| ring.expect("a ring"))
        .collect()
}

/// Returns the sum of the products of transforms.
fn dot(ring: &Ring, a: &[Polynomial], b: &[Polynomial]) -> Polynomial {
    let mut sum = [0; 256];
    for (a, b) in a.iter().zip(b) {
        let mut product = [0; 256];
        ring.pointwise(a, b, &mut product).expect("transforms");
        sum = add(ring, &sum, &product);
    }
    sum
}

fn add(ring: &Ring, a: &Polynomial, b: &Polynomial) -> Polynomial {
    std::array::from_fn(|i| (a[i] + b[i]) % ring.modulus())
}

fn forward(ring: &Ring, polynomials: &[Polynomial]) -> Vec<Polynomial> {
    let mut all = polynomials.to_vec();
    all.iter_mut().for_each(|x| ring.forward(x).expect("a polynomial"));
    all
}

fn inverse(ring: &Ring, transform: &Polynomial) -> Polynomial {
    let mut polynomial = *transform;
    ring.inverse(&mut polynomial).expect("a transform");
    polynomial
}

/// Returns values of `bits` bits each, from the lowest bit of the first byte on: FIPS 203, algorithms 3 to 6; FIPS
/// 204, algorithm 16.
fn pack(values: &[u32], bits: usize) -> Vec<u8> {
    let mut bytes = vec![0; values.len() * bits / 8];
    for i in 0..values.len() * bits {
        bytes[i / 8] |= ((values[i / bits] >> (i % bits) & 1) as u8) << (i % 8);
    }
    bytes
}

fn unpack(bytes: &[u8], bits: usize) -> Polynomial {
    let bit = |i: usize| u32::from(bytes[i / 8] >> (i % 8) & 1);
    std::array::from_fn(|i| (0..bits).map(|j| bit(i * bits + j) << j).sum())
}

fn read<const N: usize>(xof: &mut impl XofReader) -> [u8; N] {
    let mut bytes = [0; N];
    xof.read(&mut bytes);
    bytes
}

fn shake<H: Default + Update + ExtendableOutput>(parts: &[&[u8]]) -> H::Reader {
    let mut hash = H::default();
    parts.iter().for_each(|part| hash.update(part));
    hash.finalize_xof()
}

mod ml_kem_functions {
    use super::*;

    const Q: u32 = 3329;

    /// A key of K-PKE; the secret as transforms.
    struct Key {
        secret: Vec<Polynomial>,
        /// The public key.
        public: Vec<u8>,
    }

    fn g(parts: &[&[u8]]) -> ([u8; 32], [u8; 32]) {
        let hash = Sha3_512::digest(parts.concat());
        (std::array::from_fn(|i| hash[i]), std::array::from_fn(|i| hash[32 + i]))
    }

    /// Algorithm 7.
    fn sample_ntt(seed: &[u8], j: usize, i: usize) -> Polynomial {
        let mut xof = shake::<Shake128>(&[seed, &[j as u8, i as u8]]);
        let mut values = Vec::new();
        while values.len() < 256 {
            let [a, b, c] = read::<3>(&mut xof).map(u32::from);
            values.extend([a + 256 * (b % 16), b / 16 + 16 * c].into_iter().filter(|d| *d < Q));
        }
        std::array::from_fn(|i| values[i])
    }

    /// Algorithm 8, of PRF(seed, number).
    fn sample_cbd(eta: usize, seed: &[u8], number: usize) -> Polynomial {
        let mut bytes = vec![0; 64 * eta];
        shake::<Shake256>(&[seed, &[number as u8]]).read(&mut bytes);
        let bit = |i: usize| u32::from(bytes[i / 8] >> (i % 8) & 1);
        std::array::from_fn(|i| {
            let half = |from: usize| (0..eta).map(|j| bit(2 * i * eta + from + j)).sum::<u32>();
            (half(0) + Q - half(eta)) % Q
        })
    }

    /// K-PKE.KeyGen, algorithm 13.
    fn key(ring: &Ring, k: usize, eta: usize, d: &[u8]) -> Key {
        let (rho, sigma) = g(&[d, &[k as u8]]);
        let sample = |first: usize| (0..k).map(|i| sample_cbd(eta, &sigma, first + i)).collect::<Vec<_>>();
        let secret = forward(ring, &sample(0));
        let error = forward(ring, &sample(k));
        let mut public = Vec::new();
        for (i, error) in error.iter().enumerate() {
            let row: Vec<_> = (0..k).map(|j| sample_ntt(&rho, j, i)).collect();
            public.extend(pack(&add(ring, &dot(ring, &row, &secret), error), 12));
        }
        public.extend(rho);
        Key { secret, public }
    }

    /// K-PKE.Decrypt, algorithm 15.
    fn decrypt(ring: &Ring, key: &Key, du: usize, dv: usize, ciphertext: &[u8]) -> Vec<u8> {
        let expand = |bits: usize, x: Polynomial| x.map(|x| (Q * x + (1 << (bits - 1))) >> bits);
        let (first, second) = ciphertext.split_at(32 * du * key.secret.len());
        let u: Vec<_> = first.chunks(32 * du).map(|u| expand(du, unpack(u, du))).collect();
        let noise = inverse(ring, &dot(ring, &key.secret, &forward(ring, &u)));
        let v = expand(dv, unpack(second, dv));
        let bits: Polynomial = std::array::from_fn(|i| {
            // Compress to one bit: ⌊2x/q⌉ modulo 2.
            (2 * ((v[i] + Q - noise[i]) % Q) + Q / 2) / Q % 2
        });
        pack(&bits, 1)
    }

    macro_rules! agrees {
        ($name:ident, $set:ty, k = $k:literal, eta = $eta:literal, du = $du:literal, dv = $dv:literal) => {
            #[test]
            fn $name() {
                let mut rng = rng();
                let rings = rings(Q);
                for _ in 0..20 {
                    let [d, z, m]: [[u8; 32]; 3] = std::array::from_fn(|_| rng.random());
                    let seed = std::array::from_fn::<u8, 64, _>(|i| if i < 32 { d[i] } else { z[i - 32] });
                    let theirs = ml_kem::DecapsulationKey::<$set>::from_seed(seed.into());
                    let public = theirs.encapsulation_key();
                    let (ciphertext, shared) = public.encapsulate_deterministic(&m.into());
                    for ring in &rings {
                        let ours = key(ring, $k, $eta, &d);
                        assert_eq!(&ours.public[..], &public.to_bytes()[..], "key by {}", ring.backend());
                        let message = decrypt(ring, &ours, $du, $dv, &ciphertext);
                        assert_eq!(message, m, "message by {}", ring.backend());
                        let (secret, _) = g(&[&message, &Sha3_256::digest(&ours.public)]);
                        assert_eq!(&secret[..], &shared[..]);
                    }
                }
            }
        };
    }

    agrees!(of_512, MlKem512, k = 2, eta = 3, du = 10, dv = 4);
    agrees!(of_768, MlKem768, k = 3, eta = 2, du = 10, dv = 4);
    agrees!(of_1024, MlKem1024, k = 4, eta = 2, du = 11, dv = 5);
}

mod ml_dsa_functions {
    use super::*;

    const Q: u32 = 8380417;

    /// RejNTTPoly, algorithm 30.
    fn sample_ntt(seed: &[u8], s: usize, r: usize) -> Polynomial {
        let mut xof = shake::<Shake128>(&[seed, &[s as u8, r as u8]]);
        std::array::from_fn(|_| {
            loop {
                let [a, b, c] = read::<3>(&mut xof).map(u32::from);
                let z = a + (b << 8) + ((c & 0x7f) << 16);
                if z < Q {
                    return z;
                }
            }
        })
    }

    /// RejBoundedPoly, algorithm 31.
    fn sample_bounded(eta: u32, seed: &[u8], number: usize) -> Polynomial {
        let mut xof = shake::<Shake256>(&[seed, &[number as u8, 0]]);
        let mut values = Vec::new();
        while values.len() < 256 {
            let [z] = read::<1>(&mut xof).map(u32::from);
            for half in [z % 16, z / 16] {
                match eta {
                    2 if half < 15 => values.push((Q + 2 - half % 5) % Q),
                    4 if half < 9 => values.push((Q + 4 - half) % Q),
                    _ => {}
                }
            }
        }
        std::array::from_fn(|i| values[i])
    }

    /// The public key of ML-DSA.KeyGen_internal, algorithm 6.
    fn public_key(ring: &Ring, k: usize, l: usize, eta: u32, xi: &[u8]) -> Vec<u8> {
        let mut hash = shake::<Shake256>(&[xi, &[k as u8, l as u8]]);
        let (rho, rho_prime) = (read::<32>(&mut hash), read::<64>(&mut hash));
        let sample = |i: usize| sample_bounded(eta, &rho_prime, i);
        let s1 = forward(ring, &(0..l).map(sample).collect::<Vec<_>>());
        let mut key = rho.to_vec();
        for r in 0..k {
            let row: Vec<_> = (0..l).map(|s| sample_ntt(&rho, s, r)).collect();
            let t = add(ring, &inverse(ring, &dot(ring, &row, &s1)), &sample(l + r));
            // Power2Round, algorithm 35: the remainder of t₁·2^13 lies in (−2^12, 2^12].
            key.extend(pack(&t.map(|t| (t + (1 << 12) - 1) >> 13), 10));
        }
        key
    }

    macro_rules! agrees {
        ($name:ident, $set:ty, k = $k:literal, l = $l:literal, eta = $eta:literal) => {
            #[test]
            fn $name() {
                let mut rng = rng();
                let rings = rings(Q);
                for _ in 0..20 {
                    let xi: [u8; 32] = rng.random();
                    let theirs = SigningKey::<$set>::from_seed(&xi.into());
                    let theirs = AsRef::<ml_dsa::VerifyingKey<$set>>::as_ref(&theirs).encode();
                    for ring in &rings {
                        let ours = public_key(ring, $k, $l, $eta, &xi);
                        assert_eq!(&ours[..], &theirs[..], "key by {}", ring.backend());
                    }
                }
            }
        };
    }

    agrees!(of_44, MlDsa44, k = 4, l = 4, eta = 2);
    agrees!(of_65, MlDsa65, k = 6, l = 5, eta = 4);
    agrees!(of_87, MlDsa87, k = 8, l = 7, eta = 2);
}

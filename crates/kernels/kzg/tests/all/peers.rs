//! Every function of EIP-4844 and EIP-7594 against c-kzg-4844 and rust_eth_kzg: on random inputs, and on inputs with
//! special cases or chosen by an adversary.
//!
//! All three must return the same value or verdict, or all must refuse. The other two differ from each other in one
//! case, which `peers/recover.rs` describes: cells that do not lie on one polynomial.

pub(crate) mod oracle;
mod recover;
mod spoil;
mod verify;

use std::fmt::Write;
use std::sync::Arc;

use ark_ff::{BigInteger, PrimeField};
use parcrypt_bls12_381::Fr;
use parcrypt_kzg::{CellsAndProofs, FieldBytes, Request, Settings};
use parcrypt_runtime::Serial;
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::rand::seq::index::sample;
use parcrypt_testkit::rng;
use rust_eth_kzg::{DASContext, TrustedSetup, UsePrecomp};
use sha2::{Digest, Sha256};

use super::common::slices;
use oracle::{
    INFINITY, Libraries, MAINNET, SAMPLES, Sample, TWO, blob_of, bytes_of, called, random_fr, same,
};

/// Blobs with an invalid field element, or of another length.
fn bad_blobs() -> Vec<Vec<u8>> {
    let good = &SAMPLES[0].blob;
    let mut blobs: Vec<Vec<u8>> = [0, 511, 512, 4095]
        .into_iter()
        .zip(spoil::not_canonical(good.first_chunk().unwrap()))
        .map(|(element, (_, bytes))| {
            let mut blob = good.clone();
            blob[32 * element..][..32].copy_from_slice(&bytes);
            blob
        })
        .collect();
    blobs.extend([vec![], good[1..].to_vec(), [good, &[0][..]].concat()]);
    blobs
}

/// The blobs of all samples, with invalid ones among them.
fn all_blobs() -> Vec<Vec<u8>> {
    let mut blobs: Vec<Vec<u8>> = SAMPLES.iter().map(|sample| sample.blob.clone()).collect();
    bad_blobs().into_iter().enumerate().for_each(|(i, blob)| blobs.insert(2 * i + 1, blob));
    blobs
}

/// Returns the results of the other libraries for each of these blobs. Results for samples are known.
fn expected<T: Clone>(
    blobs: &[Vec<u8>],
    known: impl Fn(&Sample) -> T,
    ask: impl Fn(&[u8]) -> Option<T>,
) -> Vec<Option<T>> {
    let of = |blob: &Vec<u8>| SAMPLES.iter().find(|sample| sample.blob == *blob);
    blobs.iter().map(|blob| of(blob).map(&known).or_else(|| ask(blob))).collect()
}

#[test]
fn commitments() {
    let blobs = all_blobs();
    let theirs = expected(&blobs, |sample| sample.commitment, |blob| MAINNET.blob_to_kzg_commitment(blob));
    assert_eq!(
        theirs.iter().flatten().count(),
        SAMPLES.len(),
        "the others take all good blobs and no bad one"
    );
    let together = parcrypt_kzg::blob_to_kzg_commitment_many(&*TWO, &MAINNET.ours, &slices(&blobs));
    assert_eq!(together.len(), blobs.len());
    for ((blob, ours), theirs) in blobs.iter().zip(together).zip(&theirs) {
        same("many blobs", ours, theirs);
        same("one blob", parcrypt_kzg::blob_to_kzg_commitment(&Serial, &MAINNET.ours, blob), theirs);
    }
}

#[test]
fn proofs_of_blobs() {
    let mut rng = rng();
    // Each blob with its commitment, then with other commitments and with invalid bytes.
    let mut items: Vec<(Vec<u8>, Vec<u8>)> =
        SAMPLES.iter().map(|sample| (sample.blob.clone(), sample.commitment.to_vec())).collect();
    let wrong = spoil::points(&mut rng, &SAMPLES[0].commitment);
    items.extend(wrong.into_iter().map(|(_, point)| (SAMPLES[0].blob.clone(), point.to_vec())));
    items.extend(bad_blobs().into_iter().map(|blob| (blob, SAMPLES[0].commitment.to_vec())));
    let lengths = [0, 47, 49, 96].map(|len| (SAMPLES[1].blob.clone(), vec![0xc0; len]));
    items.extend(lengths);
    let (blobs, commitments): (Vec<_>, Vec<_>) = items.into_iter().unzip();
    let (blobs, commitments) = (slices(&blobs), slices(&commitments));
    let ours = &MAINNET.ours;
    let together = parcrypt_kzg::compute_blob_kzg_proof_many(&*TWO, ours, &blobs, &commitments).unwrap();
    assert_eq!(together.len(), blobs.len());
    for ((blob, commitment), many) in blobs.iter().zip(commitments).zip(together) {
        let theirs = MAINNET.compute_blob_kzg_proof(blob, commitment);
        same("many proofs", many, &theirs);
        let ours = parcrypt_kzg::compute_blob_kzg_proof(&Serial, &MAINNET.ours, blob, commitment);
        same("one proof", ours, &theirs);
    }
}

/// Returns evaluation points: small numbers, roots of unity where blobs have a value and where only their extension has
/// one, and random ones.
fn places(rng: &mut impl Rng) -> Vec<(String, FieldBytes)> {
    let root = |scale, exponent| Fr::root_of_unity(scale).unwrap().pow_vartime(exponent);
    let mut places: Vec<(String, Fr)> = vec![
        ("0".into(), Fr::zero()),
        ("1".into(), Fr::one()),
        ("2".into(), Fr::from(2)),
        ("r − 1".into(), -Fr::one()),
        ("the root of order 4".into(), root(2, 1)),
        ("the first root of order 4096".into(), root(12, 1)),
        ("the last root of order 4096".into(), root(12, 4095)),
        ("a root of the other half".into(), root(13, 2 * rng.random_range(0..4096) + 1)),
        ("anywhere".into(), random_fr(rng)),
    ];
    let exponent = rng.random_range(0..4096);
    places.push((format!("root {exponent} of 4096"), root(12, exponent)));
    places.into_iter().map(|(name, z)| (name, z.to_bytes())).collect()
}

#[test]
fn proofs_of_values() {
    let mut rng = rng();
    let places = places(&mut rng);
    let check = |sample: &Sample, name: &str, z: &[u8]| {
        let ours = parcrypt_kzg::compute_kzg_proof(&*TWO, &MAINNET.ours, &sample.blob, z);
        let theirs = MAINNET.compute_kzg_proof(&sample.blob, z);
        same(&format!("{} at {name}", sample.name), ours, &theirs);
        theirs
    };
    for (i, sample) in SAMPLES.iter().enumerate() {
        // Each blob at an evaluation point of its own, the first at all of them.
        let here = if i == 0 { places.len() } else { 1 };
        for (name, z) in places.iter().cycle().skip(i).take(here) {
            assert!(check(sample, name, z).is_some());
        }
    }
    for (name, z) in spoil::not_canonical(&places[8].1) {
        assert_eq!(check(&SAMPLES[0], &name, &z), None);
    }
    for len in [0, 31, 33] {
        assert_eq!(check(&SAMPLES[0], "a z of another length", &vec![0; len]), None);
    }
    for blob in bad_blobs() {
        let ours = parcrypt_kzg::compute_kzg_proof(&Serial, &MAINNET.ours, &blob, &places[8].1);
        same("a bad blob", ours, &MAINNET.compute_kzg_proof(&blob, &places[8].1));
    }
}

#[test]
fn cells() {
    let blobs = all_blobs();
    let theirs = expected(&blobs, |sample| sample.cells.clone(), |blob| MAINNET.compute_cells(blob));
    assert_eq!(theirs.iter().flatten().count(), SAMPLES.len());
    let together = parcrypt_kzg::compute_cells_many(&*TWO, &MAINNET.ours, &slices(&blobs));
    assert_eq!(together.len(), blobs.len());
    for ((blob, ours), theirs) in blobs.iter().zip(together).zip(&theirs) {
        same("many blobs", ours, theirs);
        same("one blob", parcrypt_kzg::compute_cells(&Serial, &MAINNET.ours, blob), theirs);
    }
    // The other libraries have a separate function for cells without proofs.
    assert_eq!(MAINNET.compute_cells(&SAMPLES[0].blob).as_ref(), Some(&SAMPLES[0].cells));
}

#[test]
fn cells_and_proofs() {
    let blobs = all_blobs();
    let known =
        |sample: &Sample| CellsAndProofs { cells: sample.cells.clone(), proofs: sample.proofs.clone() };
    let theirs = expected(&blobs, known, |blob| MAINNET.compute_cells_and_kzg_proofs(blob));
    let together = parcrypt_kzg::compute_cells_and_kzg_proofs_many(&*TWO, &MAINNET.ours, &slices(&blobs));
    assert_eq!(together.len(), blobs.len());
    for (i, ((blob, many), theirs)) in blobs.iter().zip(together).zip(&theirs).enumerate() {
        same("many blobs", many, theirs);
        // This is slow, so not all of the valid ones.
        if i % 8 == 0 || theirs.is_none() {
            let ours = parcrypt_kzg::compute_cells_and_kzg_proofs(&Serial, &MAINNET.ours, blob);
            same("one blob", ours, theirs);
        }
    }
}

/// Returns a setup from a known secret in all three libraries: so polynomials with chosen values at the secret, and
/// with them chosen proofs, can be constructed.
fn with_known_secret(secret: Fr) -> Libraries {
    let ours = Settings::insecure(&*TWO, Request::Auto, &secret.to_bytes()).unwrap();
    let g1 = |points: &[parcrypt_bls12_381::G1Affine]| -> Vec<[u8; 48]> {
        points.iter().map(parcrypt_bls12_381::G1Affine::to_compressed).collect()
    };
    let monomial = g1(ours.g1_monomial());
    let lagrange = g1(ours.g1_lagrange());
    // Settings have it in bit-reversed order.
    let lagrange: Vec<u8> = (0..4096u16).flat_map(|i| lagrange[usize::from(i.reverse_bits() >> 4)]).collect();
    let g2: Vec<[u8; 96]> = ours.g2_monomial().iter().map(|point| point.to_compressed()).collect();
    let c_kzg =
        c_kzg::KzgSettings::load_trusted_setup(monomial.as_flattened(), &lagrange, g2.as_flattened(), 0);
    let hex = |bytes: &[u8]| {
        bytes.iter().fold("0x".to_owned(), |mut text, byte| {
            write!(text, "{byte:02x}").unwrap();
            text
        })
    };
    let monomial: Vec<String> = monomial.iter().map(|point| hex(point)).collect();
    let g2: Vec<String> = g2.iter().map(|point| hex(point)).collect();
    let json = format!("{{\"g1_monomial\": {monomial:?}, \"g2_monomial\": {g2:?}}}");
    let eth_kzg = DASContext::new(&TrustedSetup::from_json_unchecked(&json), UsePrecomp::No);
    Libraries { ours, c_kzg: Arc::new(c_kzg.unwrap()), eth_kzg }
}

#[test]
fn infinity_where_only_the_secret_can_place_it() {
    let mut rng = rng();
    let secret = random_fr(&mut rng);
    let libraries = with_known_secret(secret);

    // With P = Σ p_k·X^(64·k), the proof of cell c is (Σ h_i·y_c^i)·G₁, where h_i = Σ p_k·τ^(64·(k − i − 1)) over k >
    // i. So constants p_k give any polynomial h of degree below 63: here one with 62 zeros at the y_c of some cells.
    let chosen: Vec<usize> = sample(&mut rng, 128, 62).into_vec();
    let root = Fr::root_of_unity(7).unwrap();
    let mut h = vec![Fr::one()];
    for cell in &chosen {
        let y = root.pow_vartime(u64::from((*cell as u8).reverse_bits() >> 1));
        // Times X − y.
        h.insert(0, Fr::zero());
        (0..h.len() - 1).for_each(|i| h[i] = h[i] - y * h[i + 1]);
    }
    let step = secret.pow_vartime(64);
    let mut coefficients = vec![Fr::zero(); 4096];
    coefficients[0] = random_fr(&mut rng);
    for i in 0..63 {
        coefficients[64 * (i + 1)] = h[i] - step * h.get(i + 1).copied().unwrap_or_default();
    }
    let some = Sample::new(&libraries, "62 proofs at infinity", blob_of(&coefficients));
    let at_infinity: Vec<usize> = (0..128).filter(|cell| some.proofs[*cell] == INFINITY).collect();
    let mut chosen = chosen;
    chosen.sort_unstable();
    assert_eq!(at_infinity, chosen, "the others have these proofs at infinity and no others");

    // X − τ has a commitment at infinity as 0 has, and is not 0. Its quotient by X − z is 1.
    let line = Sample::new(&libraries, "X − τ", blob_of(&[-secret, Fr::one()]));
    assert_eq!(line.commitment, INFINITY);

    for sample in [&some, &line] {
        let Sample { blob, commitment, proof, cells, proofs, name } = sample;
        let ours = &libraries.ours;
        same(name, parcrypt_kzg::blob_to_kzg_commitment(&Serial, ours, blob), &Some(*commitment));
        same(name, parcrypt_kzg::compute_blob_kzg_proof(&Serial, ours, blob, commitment), &Some(*proof));
        let both = CellsAndProofs { cells: cells.clone(), proofs: proofs.clone() };
        same(name, parcrypt_kzg::compute_cells_and_kzg_proofs(&Serial, ours, blob), &Some(both));
        // At the secret itself the pairing compares infinity with infinity.
        let z = secret.to_bytes();
        let theirs = libraries.compute_kzg_proof(blob, &z);
        same(name, parcrypt_kzg::compute_kzg_proof(&Serial, ours, blob, &z), &theirs);
        let (proof, y) = theirs.unwrap();
        for proof in [proof, INFINITY, some.commitment] {
            let verdict = libraries.verify_kzg_proof(commitment, &z, &y, &proof);
            assert_eq!(verdict, Some(true), "at the secret any proof will do");
            same(name, parcrypt_kzg::verify_kzg_proof(&Serial, ours, commitment, &z, &y, &proof), &verdict);
        }
        let indices: Vec<u64> = (0..128).collect();
        let cells: Vec<&[u8]> = cells.iter().map(|cell| &cell[..]).collect();
        for infinite in [false, true] {
            // The correct proofs, and all proofs at infinity, where only some of them are.
            let proofs: Vec<&[u8]> =
                proofs.iter().map(|proof| if infinite { &INFINITY[..] } else { &proof[..] }).collect();
            let commitments = vec![&commitment[..]; 128];
            let verdict = libraries.verify_cell_kzg_proof_batch(&commitments, &indices, &cells, &proofs);
            assert_eq!(verdict, Some(!infinite || *name == "X − τ"));
            let ours = parcrypt_kzg::verify_cell_kzg_proof_batch(
                &Serial,
                ours,
                &commitments,
                &indices,
                &cells,
                &proofs,
            );
            same(name, ours, &verdict);
        }
    }
}

/// Returns the SHA-256 of all parts, modulo r, as in the specifications.
fn hash(parts: &[&[u8]]) -> FieldBytes {
    let mut hash = Sha256::new();
    parts.iter().for_each(|part| hash.update(part));
    let reduced = ark_bls12_381::Fr::from_be_bytes_mod_order(&hash.finalize());
    reduced.into_bigint().to_bytes_be().try_into().unwrap()
}

/// The other libraries have no function for the challenge, but they open a blob at it: so `compute_blob_kzg_proof` must
/// be `compute_kzg_proof` at our challenge.
#[test]
fn challenges_of_blobs() {
    for (i, sample) in SAMPLES.iter().enumerate() {
        let commitment = SAMPLES[(i + i % 2) % SAMPLES.len()].commitment;
        let z = parcrypt_kzg::compute_challenge(&sample.blob, &commitment).unwrap();
        let degree = 4096u128.to_be_bytes();
        assert_eq!(z, hash(&[b"FSBLOBVERIFY_V1_", &degree, &sample.blob, &commitment]), "{}", sample.name);
        let at_ours = MAINNET.compute_kzg_proof(&sample.blob, &z).unwrap().0;
        let at_theirs = MAINNET.compute_blob_kzg_proof(&sample.blob, &commitment).unwrap();
        assert_eq!(at_ours, at_theirs, "{}", sample.name);
    }
}

/// Checks `compute_verify_cell_kzg_proof_batch_challenge` of the specification, which the other libraries do not
/// export.
#[test]
fn challenges_of_cells() {
    let mut rng = rng();
    for cells in [0, 1, 2, 64, 129] {
        let distinct = rng.random_range(1..SAMPLES.len());
        let commitments: Vec<&[u8]> =
            SAMPLES[..distinct].iter().map(|sample| &sample.commitment[..]).collect();
        let of: Vec<u64> = (0..cells).map(|_| rng.random_range(0..distinct as u64)).collect();
        let indices: Vec<u64> = (0..cells).map(|_| rng.random_range(0..128)).collect();
        let both = || of.iter().zip(&indices).map(|(of, index)| (&SAMPLES[*of as usize], *index as usize));
        let some: Vec<&[u8]> = both().map(|(sample, index)| &sample.cells[index][..]).collect();
        let proofs: Vec<&[u8]> = both().map(|(sample, index)| &sample.proofs[index][..]).collect();
        let counts = [4096, 64, distinct as u64, cells].map(u64::to_be_bytes);
        let numbers: Vec<[[u8; 8]; 2]> =
            of.iter().zip(&indices).map(|(of, index)| [of.to_be_bytes(), index.to_be_bytes()]).collect();
        let mut parts: Vec<&[u8]> = vec![b"RCKZGCBATCH__V1_", counts.as_flattened()];
        parts.extend(&commitments);
        for (k, numbers) in numbers.iter().enumerate() {
            parts.extend([numbers.as_flattened(), some[k], proofs[k]]);
        }
        let ours = parcrypt_kzg::compute_verify_cell_kzg_proof_batch_challenge(
            &commitments,
            &of,
            &indices,
            &some,
            &proofs,
        );
        assert_eq!(ours.unwrap(), hash(&parts), "{cells} cells of {distinct} blobs");
    }
}

/// Checks that the samples have the properties in their names, so that the other tests cover them.
#[test]
fn samples_have_the_properties_in_their_names() {
    assert_eq!(called("all 0").commitment, INFINITY);
    assert_eq!(called("all r − 1").blob, bytes_of(&[-Fr::one(); 4096]));
    // The second value of X is the root of order 2.
    assert_eq!(called("X").blob[32..64], (-Fr::one()).to_bytes());
    // The proof of a cell is the quotient by a polynomial of degree 64: 0 below that degree, a constant at it.
    let at_infinity = |name| called(name).proofs.iter().filter(|proof| **proof == INFINITY).count();
    for name in ["all 0", "all r − 1", "X", "degree 63"] {
        assert_eq!(at_infinity(name), 128, "{name}");
    }
    for name in ["random", "0 but for the first", "degree 64", "degree 4094", "X^4095"] {
        assert_eq!(at_infinity(name), 0, "{name}");
    }
    let constant = &called("degree 64").proofs;
    assert!(constant.iter().all(|proof| *proof == constant[0]));
}

//! With only the feature `verify`: the official vectors of the functions that verify, and c-kzg's methods.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use c_kzg::{Blob, Bytes32, Bytes48, Cell, ethereum_kzg_settings};
use parcrypt_kzg::{Error, Request, Settings};
use parcrypt_runtime::Serial;
use parcrypt_testkit::corpus::vectors;

/// Compares the result of each vector of a function with the expected one, `null` for an error.
fn check(function: &str, verify: impl Fn(&Settings, &[Vec<Vec<u8>>]) -> Result<bool, Error>) {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let names = settings.backends().map(|(_, backend)| backend.name());
    assert!(names.iter().all(|name| ["blst", "sha2", "sha-ni"].contains(name)), "{names:?}");
    for vector in vectors(function) {
        let verdict = verify(&settings, &vector.inputs);
        let verdict = verdict.map_or("null".to_owned(), |verdict| verdict.to_string());
        assert_eq!([verdict.into_bytes()], vector.output[..], "{}", vector.name);
    }
}

fn slices(all: &[Vec<u8>]) -> Vec<&[u8]> {
    all.iter().map(Vec::as_slice).collect()
}

#[test]
fn verify_kzg_proof() {
    check("verify_kzg_proof", |settings, input| {
        let [commitment, z, y, proof] = [0, 1, 2, 3].map(|i| &input[i][0]);
        parcrypt_kzg::verify_kzg_proof(&Serial, settings, commitment, z, y, proof)
    });
}

#[test]
fn verify_blob_kzg_proof() {
    check("verify_blob_kzg_proof", |settings, input| {
        let [blob, commitment, proof] = [0, 1, 2].map(|i| &input[i][0]);
        parcrypt_kzg::verify_blob_kzg_proof(&Serial, settings, blob, commitment, proof)
    });
}

#[test]
fn verify_blob_kzg_proof_batch() {
    check("verify_blob_kzg_proof_batch", |settings, input| {
        let [blobs, commitments, proofs] = [0, 1, 2].map(|i| slices(&input[i]));
        parcrypt_kzg::verify_blob_kzg_proof_batch(&Serial, settings, &blobs, &commitments, &proofs)
    });
}

#[test]
fn verify_cell_kzg_proof_batch() {
    check("verify_cell_kzg_proof_batch", |settings, input| {
        let [commitments, cells, proofs] = [0, 2, 3].map(|i| slices(&input[i]));
        let number = |index: &Vec<u8>| u64::from_be_bytes(index.as_slice().try_into().unwrap());
        let indices: Vec<u64> = input[1].iter().map(number).collect();
        parcrypt_kzg::verify_cell_kzg_proof_batch(&Serial, settings, &commitments, &indices, &cells, &proofs)
    });
}

/// The polynomial 1: its commitment is the generator, and all proofs are infinity.
#[test]
fn methods_of_c_kzg() {
    const GENERATOR: &str =
        "97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb";
    let (settings, commitment) = (ethereum_kzg_settings(8), Bytes48::from_hex(GENERATOR).unwrap());
    let mut proof = Bytes48::new([0; 48]);
    proof[0] = 0xc0;
    let [one, two] = [1, 2].map(|last| Bytes32::new(std::array::from_fn(|i| if i == 31 { last } else { 0 })));
    let ones = |count: usize| one.repeat(count);
    let blob = Blob::from_bytes(&ones(4096)).unwrap();
    assert!(settings.verify_kzg_proof(&commitment, &two, &one, &proof).unwrap());
    assert!(!settings.verify_kzg_proof(&commitment, &one, &two, &proof).unwrap());
    assert!(settings.verify_blob_kzg_proof(&blob, &commitment, &proof).unwrap());
    assert!(!settings.verify_blob_kzg_proof(&blob, &proof, &commitment).unwrap());
    let cells = [Cell::from_bytes(&ones(64)).unwrap(), Cell::new([0; 2048])];
    let verify = |cells| settings.verify_cell_kzg_proof_batch(&[commitment], &[77], cells, &[proof]);
    assert!(verify(&cells[..1]).unwrap() && !verify(&cells[1..]).unwrap());
    assert!(settings.verify_cell_kzg_proof_batch(&[commitment], &[128], &cells[..1], &[proof]).is_err());
}

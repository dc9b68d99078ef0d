//! The two other libraries, c-kzg-4844 and rust_eth_kzg, with one interface. They share only blst with ours.

use std::fmt::Debug;
use std::num::NonZeroUsize;
use std::sync::{Arc, LazyLock};

use c_kzg::{Blob, Bytes32, Bytes48, KzgSettings};
use parcrypt_bls12_381::{Decomposition, Domain, Fr, Request};
use parcrypt_kzg::{Cell, CellsAndProofs, Commitment, Error, FieldBytes, Proof, Settings};
use parcrypt_runtime::{Cost, Rayon, Serial, map};
use parcrypt_testkit::rand::Rng;
use parcrypt_testkit::rng;
use rust_eth_kzg::{DASContext, TrustedSetup, UsePrecomp};

/// The point at infinity, compressed.
pub(crate) const INFINITY: [u8; 48] = {
    let mut bytes = [0; 48];
    bytes[0] = 0xc0;
    bytes
};

/// Two threads of Rayon, for the functions on many items.
pub(crate) static TWO: LazyLock<Rayon> = LazyLock::new(|| Rayon::new(NonZeroUsize::new(2).unwrap()).unwrap());

/// All three libraries on mainnet's setup.
pub(crate) static MAINNET: LazyLock<Libraries> = LazyLock::new(|| Libraries {
    ours: Settings::mainnet(Request::Auto).unwrap(),
    c_kzg: c_kzg::ethereum_kzg_settings_arc(0),
    eth_kzg: DASContext::new(&TrustedSetup::default(), UsePrecomp::No),
});

/// Three libraries with one setup.
pub(crate) struct Libraries {
    pub(crate) ours: Settings,
    pub(crate) c_kzg: Arc<KzgSettings>,
    pub(crate) eth_kzg: DASContext,
}

/// Returns the result of the other libraries, `None` for a refusal; panics where they differ.
#[track_caller]
pub(crate) fn both<T: PartialEq + Debug>(what: &str, c_kzg: Option<T>, eth_kzg: Option<T>) -> Option<T> {
    if c_kzg != eth_kzg {
        panic!("{what}: c-kzg returns {}, rust_eth_kzg {}", short(&c_kzg), short(&eth_kzg));
    }
    c_kzg
}

/// Returns the start of a value with its bytes in hexadecimal: the cells of a blob would fill many screens.
fn short<T: Debug>(value: &T) -> String {
    format!("{value:02x?}").chars().take(400).collect()
}

/// Checks that our result is the others' result: the same value, or a refusal.
#[track_caller]
pub(crate) fn same<T: PartialEq + Debug>(what: &str, ours: Result<T, Error>, theirs: &Option<T>) {
    match (&ours, theirs) {
        (Ok(ours), Some(theirs)) if ours == theirs => {}
        (Ok(ours), Some(theirs)) => {
            panic!("{what}: parcrypt returns {}, c-kzg and rust_eth_kzg {}", short(ours), short(theirs))
        }
        (Ok(ours), None) => panic!("{what}: parcrypt returns {}, c-kzg and rust_eth_kzg refuse", short(ours)),
        (Err(why), Some(theirs)) => {
            panic!("{what}: parcrypt refuses ({why}), c-kzg and rust_eth_kzg return {}", short(theirs))
        }
        (Err(_), None) => {}
    }
}

/// Returns the verdict of rust_eth_kzg: it returns an error for a proof that does not verify, where the specifications
/// return `false`.
fn verdict(answer: Result<(), rust_eth_kzg::Error>) -> Option<bool> {
    match answer {
        Ok(()) => Some(true),
        Err(error) => error.is_proof_invalid().then_some(false),
    }
}

fn blob(bytes: &[u8]) -> Option<Box<Blob>> {
    Blob::from_bytes(bytes).ok().map(Box::new)
}

/// Returns the arrays of a list of bytes, where each has this length.
fn arrays<'a, const N: usize>(all: &[&'a [u8]]) -> Option<Vec<&'a [u8; N]>> {
    all.iter().map(|bytes| (*bytes).try_into().ok()).collect()
}

fn points(all: &[&[u8]]) -> Option<Vec<Bytes48>> {
    all.iter().map(|bytes| Bytes48::from_bytes(bytes).ok()).collect()
}

fn cells(all: &[&[u8]]) -> Option<Vec<c_kzg::Cell>> {
    all.iter().map(|bytes| c_kzg::Cell::from_bytes(bytes).ok()).collect()
}

type TheirCells = (Box<[c_kzg::Cell; 128]>, Box<[c_kzg::KzgProof; 128]>);

fn from_c_kzg((cells, proofs): TheirCells) -> CellsAndProofs {
    CellsAndProofs {
        cells: cells.iter().map(c_kzg::Cell::to_bytes).collect(),
        proofs: proofs.iter().map(|proof| proof.to_bytes().into_inner()).collect(),
    }
}

fn from_eth_kzg(
    (cells, proofs): ([rust_eth_kzg::Cell; 128], [rust_eth_kzg::KZGProof; 128]),
) -> CellsAndProofs {
    CellsAndProofs { cells: cells.iter().map(|cell| **cell).collect(), proofs: proofs.to_vec() }
}

/// Results of the other libraries, by the names of our functions.
impl Libraries {
    pub(crate) fn blob_to_kzg_commitment(&self, bytes: &[u8]) -> Option<Commitment> {
        let c_kzg = blob(bytes).and_then(|blob| self.c_kzg.blob_to_kzg_commitment(&blob).ok());
        let eth_kzg = bytes.try_into().ok().and_then(|blob| self.eth_kzg.blob_to_kzg_commitment(blob).ok());
        both("blob_to_kzg_commitment", c_kzg.map(|point| point.to_bytes().into_inner()), eth_kzg)
    }

    pub(crate) fn compute_kzg_proof(&self, bytes: &[u8], z: &[u8]) -> Option<(Proof, FieldBytes)> {
        let c_kzg = || self.c_kzg.compute_kzg_proof(&*blob(bytes)?, &Bytes32::from_bytes(z).ok()?).ok();
        let c_kzg = c_kzg().map(|(proof, y)| (proof.to_bytes().into_inner(), *y));
        let eth_kzg = || self.eth_kzg.compute_kzg_proof(bytes.try_into().ok()?, z.try_into().ok()?).ok();
        both("compute_kzg_proof", c_kzg, eth_kzg())
    }

    pub(crate) fn compute_blob_kzg_proof(&self, bytes: &[u8], commitment: &[u8]) -> Option<Proof> {
        let c_kzg = || {
            let commitment = Bytes48::from_bytes(commitment).ok()?;
            let proof = self.c_kzg.compute_blob_kzg_proof(&*blob(bytes)?, &commitment).ok()?;
            Some(proof.to_bytes().into_inner())
        };
        let eth_kzg =
            || self.eth_kzg.compute_blob_kzg_proof(bytes.try_into().ok()?, commitment.try_into().ok()?).ok();
        both("compute_blob_kzg_proof", c_kzg(), eth_kzg())
    }

    pub(crate) fn verify_kzg_proof(
        &self,
        commitment: &[u8],
        z: &[u8],
        y: &[u8],
        proof: &[u8],
    ) -> Option<bool> {
        let c_kzg = || {
            let (commitment, proof) =
                (Bytes48::from_bytes(commitment).ok()?, Bytes48::from_bytes(proof).ok()?);
            let (z, y) = (Bytes32::from_bytes(z).ok()?, Bytes32::from_bytes(y).ok()?);
            self.c_kzg.verify_kzg_proof(&commitment, &z, &y, &proof).ok()
        };
        let eth_kzg = || {
            let (commitment, proof) = (commitment.try_into().ok()?, proof.try_into().ok()?);
            let (z, y) = (z.try_into().ok()?, y.try_into().ok()?);
            verdict(self.eth_kzg.verify_kzg_proof(commitment, z, y, proof))
        };
        both("verify_kzg_proof", c_kzg(), eth_kzg())
    }

    pub(crate) fn verify_blob_kzg_proof(
        &self,
        bytes: &[u8],
        commitment: &[u8],
        proof: &[u8],
    ) -> Option<bool> {
        let c_kzg = || {
            let (commitment, proof) =
                (Bytes48::from_bytes(commitment).ok()?, Bytes48::from_bytes(proof).ok()?);
            self.c_kzg.verify_blob_kzg_proof(&*blob(bytes)?, &commitment, &proof).ok()
        };
        let eth_kzg = || {
            let (commitment, proof) = (commitment.try_into().ok()?, proof.try_into().ok()?);
            verdict(self.eth_kzg.verify_blob_kzg_proof(bytes.try_into().ok()?, commitment, proof))
        };
        both("verify_blob_kzg_proof", c_kzg(), eth_kzg())
    }

    pub(crate) fn verify_blob_kzg_proof_batch(
        &self,
        blobs: &[&[u8]],
        commitments: &[&[u8]],
        proofs: &[&[u8]],
    ) -> Option<bool> {
        let c_kzg = || {
            let blobs: Option<Vec<Blob>> = blobs.iter().map(|bytes| Blob::from_bytes(bytes).ok()).collect();
            self.c_kzg.verify_blob_kzg_proof_batch(&blobs?, &points(commitments)?, &points(proofs)?).ok()
        };
        let eth_kzg = || {
            let (blobs, commitments, proofs) = (arrays(blobs)?, arrays(commitments)?, arrays(proofs)?);
            verdict(self.eth_kzg.verify_blob_kzg_proof_batch(blobs, commitments, proofs))
        };
        both("verify_blob_kzg_proof_batch", c_kzg(), eth_kzg())
    }

    pub(crate) fn compute_cells(&self, bytes: &[u8]) -> Option<Vec<Cell>> {
        let c_kzg = blob(bytes).and_then(|blob| self.c_kzg.compute_cells(&blob).ok());
        let c_kzg = c_kzg.map(|cells| cells.iter().map(c_kzg::Cell::to_bytes).collect());
        let eth_kzg = bytes.try_into().ok().and_then(|blob| self.eth_kzg.compute_cells(blob).ok());
        both("compute_cells", c_kzg, eth_kzg.map(|cells| cells.iter().map(|cell| **cell).collect()))
    }

    pub(crate) fn compute_cells_and_kzg_proofs(&self, bytes: &[u8]) -> Option<CellsAndProofs> {
        let c_kzg = blob(bytes).and_then(|blob| self.c_kzg.compute_cells_and_kzg_proofs(&blob).ok());
        let eth_kzg = bytes.try_into().ok();
        let eth_kzg = eth_kzg.and_then(|blob| self.eth_kzg.compute_cells_and_kzg_proofs(blob).ok());
        both("compute_cells_and_kzg_proofs", c_kzg.map(from_c_kzg), eth_kzg.map(from_eth_kzg))
    }

    pub(crate) fn recover_cells_and_kzg_proofs(
        &self,
        indices: &[u64],
        cells: &[&[u8]],
    ) -> Option<CellsAndProofs> {
        let (c_kzg, eth_kzg) =
            (self.recover_by_c_kzg(indices, cells), self.recover_by_eth_kzg(indices, cells));
        both("recover_cells_and_kzg_proofs", c_kzg, eth_kzg)
    }

    pub(crate) fn recover_by_c_kzg(&self, indices: &[u64], some: &[&[u8]]) -> Option<CellsAndProofs> {
        self.c_kzg.recover_cells_and_kzg_proofs(indices, &cells(some)?).ok().map(from_c_kzg)
    }

    pub(crate) fn recover_by_eth_kzg(&self, indices: &[u64], some: &[&[u8]]) -> Option<CellsAndProofs> {
        let recovered = self.eth_kzg.recover_cells_and_kzg_proofs(indices.to_vec(), arrays(some)?);
        recovered.ok().map(from_eth_kzg)
    }

    pub(crate) fn verify_cell_kzg_proof_batch(
        &self,
        commitments: &[&[u8]],
        indices: &[u64],
        some: &[&[u8]],
        proofs: &[&[u8]],
    ) -> Option<bool> {
        let c_kzg = || {
            let (commitments, proofs) = (points(commitments)?, points(proofs)?);
            self.c_kzg.verify_cell_kzg_proof_batch(&commitments, indices, &cells(some)?, &proofs).ok()
        };
        let eth_kzg = || {
            let (commitments, some, proofs) = (arrays(commitments)?, arrays(some)?, arrays(proofs)?);
            verdict(self.eth_kzg.verify_cell_kzg_proof_batch(commitments, indices, some, proofs))
        };
        both("verify_cell_kzg_proof_batch", c_kzg(), eth_kzg())
    }
}

/// A blob and the results of the other libraries for it.
pub(crate) struct Sample {
    pub(crate) name: &'static str,
    pub(crate) blob: Vec<u8>,
    pub(crate) commitment: Commitment,
    pub(crate) proof: Proof,
    pub(crate) cells: Vec<Cell>,
    pub(crate) proofs: Vec<Proof>,
}

impl Sample {
    pub(crate) fn new(libraries: &Libraries, name: &'static str, blob: Vec<u8>) -> Self {
        let commitment = libraries.blob_to_kzg_commitment(&blob).unwrap();
        let proof = libraries.compute_blob_kzg_proof(&blob, &commitment).unwrap();
        let CellsAndProofs { cells, proofs } = libraries.compute_cells_and_kzg_proofs(&blob).unwrap();
        Sample { name, blob, commitment, proof, cells, proofs }
    }
}

/// Returns the sample with this name.
pub(crate) fn called(name: &str) -> &'static Sample {
    SAMPLES.iter().find(|sample| sample.name == name).unwrap()
}

/// Random blobs, and blobs with special cases: a commitment or proofs at infinity, equal ones, degrees at an edge of
/// the cells or of the blob.
pub(crate) static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let mut rng = rng();
    let minus_one = -Fr::one();
    let only = |at: usize, value: Fr| {
        let mut values = vec![Fr::zero(); 4096];
        values[at] = value;
        bytes_of(&values)
    };
    let mut power = vec![Fr::zero(); 4096];
    power[4095] = Fr::one();
    let blobs = vec![
        ("random", random_blob(&mut rng)),
        ("another random one", random_blob(&mut rng)),
        ("all 0", vec![0; 131_072]),
        ("all r − 1", bytes_of(&[minus_one; 4096])),
        ("0 but for the first", only(0, random_fr(&mut rng))),
        ("0 but for the last, which is r − 1", only(4095, minus_one)),
        ("X", blob_of(&[Fr::zero(), Fr::one()])),
        ("degree 63", blob_of(&random_polynomial(&mut rng, 63))),
        ("degree 64", blob_of(&random_polynomial(&mut rng, 64))),
        ("degree 4094", blob_of(&random_polynomial(&mut rng, 4094))),
        ("X^4095", blob_of(&power)),
    ];
    let infinite = Cost::ns(u64::MAX / 1024);
    map(&*TWO, blobs.len(), infinite, |i| Sample::new(&MAINNET, blobs[i].0, blobs[i].1.clone()))
});

pub(crate) fn random_fr(rng: &mut impl Rng) -> Fr {
    Fr::from_bytes_reduced(&rng.random::<[u8; 32]>())
}

/// Returns the coefficients of a polynomial of exactly this degree.
pub(crate) fn random_polynomial(rng: &mut impl Rng, degree: usize) -> Vec<Fr> {
    let mut coefficients: Vec<Fr> = (0..degree).map(|_| random_fr(rng)).collect();
    coefficients.push(Fr::from(rng.random_range(1..=u64::MAX)));
    coefficients
}

pub(crate) fn random_blob(rng: &mut impl Rng) -> Vec<u8> {
    bytes_of(&(0..4096).map(|_| random_fr(rng)).collect::<Vec<_>>())
}

pub(crate) fn bytes_of(values: &[Fr]) -> Vec<u8> {
    values.iter().flat_map(Fr::to_bytes).collect()
}

/// Returns the blob of a polynomial with these coefficients.
pub(crate) fn blob_of(coefficients: &[Fr]) -> Vec<u8> {
    let mut all = coefficients.to_vec();
    all.resize(4096, Fr::zero());
    let mut values = vec![Fr::zero(); 4096];
    Domain::new(Request::Auto, 12)
        .unwrap()
        .fft(&Serial, Decomposition::Iterative, &all, &mut values)
        .unwrap();
    let reversed: Vec<Fr> = (0..4096u16).map(|i| values[usize::from(i.reverse_bits() >> 4)]).collect();
    bytes_of(&reversed)
}

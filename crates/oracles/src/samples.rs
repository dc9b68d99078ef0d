//! Blobs with known commitments, proofs and cells.

use std::sync::{LazyLock, OnceLock};

use parcrypt_bls12_381::{Decomposition, Domain, Fr, Request};
use parcrypt_runtime::Serial;
use parcrypt_testkit::rand::RngCore;
use parcrypt_testkit::rng;

use crate::{CellsAndProofs, Commitment, FieldBytes, Kzg, Libraries, MAINNET, Proof};

/// A blob and the results of c-kzg for it, each computed when it is asked for. Tests compare c-kzg and rust_eth_kzg
/// with each other on all samples.
pub struct Sample {
    /// What is special about it.
    pub name: &'static str,
    /// 4096 field elements.
    pub blob: Vec<u8>,
    libraries: &'static Libraries,
    commitment: OnceLock<Commitment>,
    proof: OnceLock<Proof>,
    cells_and_proofs: OnceLock<CellsAndProofs>,
    openings: [OnceLock<Opening>; 4],
}

/// A point z, the value there, and its proof.
pub struct Opening {
    /// The point.
    pub z: FieldBytes,
    /// The value.
    pub y: FieldBytes,
    /// The proof.
    pub proof: Proof,
}

impl Sample {
    /// Returns a blob, whose results are computed by these libraries.
    pub fn new(libraries: &'static Libraries, name: &'static str, blob: Vec<u8>) -> Self {
        let (commitment, proof, cells_and_proofs, openings) = Default::default();
        Sample { name, blob, libraries, commitment, proof, cells_and_proofs, openings }
    }

    /// Returns the commitment.
    pub fn commitment(&self) -> Commitment {
        let compute = || self.libraries.c_kzg.blob_to_kzg_commitment(&self.blob).unwrap();
        *self.commitment.get_or_init(compute)
    }

    /// Returns the proof for the challenge.
    pub fn proof(&self) -> Proof {
        let compute = || self.libraries.c_kzg.compute_blob_kzg_proof(&self.blob, &self.commitment()).unwrap();
        *self.proof.get_or_init(compute)
    }

    /// Returns cells and proofs, which take 0.2 s at the first call.
    pub fn cells_and_proofs(&self) -> &CellsAndProofs {
        self.cells_and_proofs
            .get_or_init(|| self.libraries.c_kzg.compute_cells_and_kzg_proofs(&self.blob).unwrap())
    }

    /// Returns the opening at 0, at 1, at a root of unity where the blob has an element, or elsewhere.
    pub fn opening(&self, which: usize) -> &Opening {
        self.openings[which].get_or_init(|| {
            let root = Fr::root_of_unity(12).unwrap().pow_vartime(5);
            let z = [Fr::zero(), Fr::one(), root, Fr::from(123_456)][which].to_bytes();
            let (proof, y) = self.libraries.c_kzg.compute_kzg_proof(&self.blob, &z).unwrap();
            Opening { z, y, proof }
        })
    }
}

/// Returns the sample with this name.
pub fn called(name: &str) -> &'static Sample {
    SAMPLES.iter().find(|sample| sample.name == name).unwrap()
}

/// Samples from a random seed, or from that in `PARCRYPT_SEED`.
pub static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| samples(&mut rng()));

/// Returns random blobs, and blobs with special cases: a commitment or proofs at infinity, equal ones, degrees at an
/// edge of the cells or of the blob.
pub fn samples(rng: &mut impl RngCore) -> Vec<Sample> {
    let only = |at: usize, value: Fr| {
        let mut values = vec![Fr::zero(); 4096];
        values[at] = value;
        values
    };
    let blobs = [
        ("random", random_blob(rng)),
        ("another random one", random_blob(rng)),
        ("all 0", vec![0; 131_072]),
        ("all r − 1", bytes_of(&[-Fr::one(); 4096])),
        ("X", blob_of(&[Fr::zero(), Fr::one()])),
        ("degree 63", blob_of(&random_polynomial(rng, 63))),
        ("degree 64", blob_of(&random_polynomial(rng, 64))),
        ("degree 4094", blob_of(&random_polynomial(rng, 4094))),
        ("0 but for the first", bytes_of(&only(0, random_fr(rng)))),
        ("0 but for the last, which is r − 1", bytes_of(&only(4095, -Fr::one()))),
        ("X^4095", blob_of(&only(4095, Fr::one()))),
    ];
    blobs.into_iter().map(|(name, blob)| Sample::new(&MAINNET, name, blob)).collect()
}

/// Returns a random field element.
pub fn random_fr(rng: &mut (impl RngCore + ?Sized)) -> Fr {
    let mut bytes = [0; 48];
    rng.fill_bytes(&mut bytes);
    Fr::from_bytes_reduced(&bytes)
}

/// Returns the coefficients of a polynomial of this degree.
fn random_polynomial(rng: &mut impl RngCore, degree: usize) -> Vec<Fr> {
    (0..=degree).map(|_| random_fr(rng)).collect()
}

/// Returns a blob of random field elements.
pub fn random_blob(rng: &mut impl RngCore) -> Vec<u8> {
    bytes_of(&random_polynomial(rng, 4095))
}

/// Returns the encodings of field elements.
pub fn bytes_of(values: &[Fr]) -> Vec<u8> {
    values.iter().flat_map(Fr::to_bytes).collect()
}

/// Returns the blob of a polynomial with these coefficients.
pub fn blob_of(coefficients: &[Fr]) -> Vec<u8> {
    let mut all = coefficients.to_vec();
    all.resize(4096, Fr::zero());
    let mut values = vec![Fr::zero(); 4096];
    let domain = Domain::new(Request::Auto, 12).unwrap();
    domain.fft(&Serial, Decomposition::Iterative, &all, &mut values).unwrap();
    let reversed: Vec<Fr> = (0..4096u16).map(|i| values[usize::from(i.reverse_bits() >> 4)]).collect();
    bytes_of(&reversed)
}

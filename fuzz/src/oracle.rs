//! The oracles: c-kzg-4844, rust_eth_kzg for verdicts, and the definition if these have no such function.

use std::sync::{LazyLock, OnceLock};

use c_kzg::{Blob, Bytes32, Bytes48, Cell, KzgProof, KzgSettings};
use parcrypt_kzg::{CellsAndProofs, Request, Settings};
use rust_eth_kzg::{DASContext, TrustedSetup, UsePrecomp};
use sha2::{Digest, Sha256};

/// r, big-endian.
pub const MODULUS: [u8; 32] = [
    0x73, 0xed, 0xa7, 0x53, 0x29, 0x9d, 0x7d, 0x48, 0x33, 0x39, 0xd8, 0x08, 0x09, 0xa1, 0xd8, 0x05, 0x53,
    0xbd, 0xa4, 0x02, 0xff, 0xfe, 0x5b, 0xfe, 0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x01,
];

/// Our settings.
pub static OURS: LazyLock<Settings> =
    LazyLock::new(|| Settings::mainnet(Request::Auto).expect("the setup inside the library is whole"));

/// c-kzg's settings for the same setup.
pub fn theirs() -> &'static KzgSettings {
    c_kzg::ethereum_kzg_settings(0)
}

/// rust_eth_kzg's settings for the same setup, for verification.
pub static ETH_KZG: LazyLock<DASContext> =
    LazyLock::new(|| DASContext::new(&TrustedSetup::default(), UsePrecomp::No));

/// Returns the verdict of rust_eth_kzg: it returns an error for a proof that does not verify.
pub fn verdict(answer: Result<(), rust_eth_kzg::Error>) -> Option<bool> {
    match answer {
        Ok(()) => Some(true),
        Err(error) => error.is_proof_invalid().then_some(false),
    }
}

/// Returns the arrays of a list of bytes, if each has this length.
pub fn arrays<const N: usize>(all: &[Vec<u8>]) -> Option<Vec<&[u8; N]>> {
    all.iter().map(|bytes| bytes.as_slice().try_into().ok()).collect()
}

/// Panics unless our result is the oracle's: the same value, or an error of both.
pub fn agree<T: PartialEq + std::fmt::Debug, E: std::fmt::Debug>(ours: Result<T, E>, theirs: Option<T>) {
    // The cells of a blob would fill many screens.
    let short = |value: &T| format!("{value:?}").chars().take(400).collect::<String>();
    match (&ours, &theirs) {
        (Ok(ours), Some(theirs)) if ours == theirs => {}
        (Ok(ours), Some(theirs)) => panic!("we say {}, the oracle {}", short(ours), short(theirs)),
        (Ok(ours), None) => panic!("we say {}, the oracle refuses", short(ours)),
        (Err(why), Some(theirs)) => panic!("we refuse, since {why:?}; the oracle says {}", short(theirs)),
        (Err(_), None) => {}
    }
}

/// Panics unless our results for a list, and the one for only its first item, are the oracle's.
pub fn agree_on_all<T: Clone + PartialEq + std::fmt::Debug, E: std::fmt::Debug>(
    ours: Vec<Result<T, E>>,
    first: Option<Result<T, E>>,
    theirs: Vec<Option<T>>,
) {
    assert_eq!(ours.len(), theirs.len());
    first.into_iter().zip(theirs.first().cloned()).for_each(|(ours, theirs)| agree(ours, theirs));
    ours.into_iter().zip(theirs).for_each(|(ours, theirs)| agree(ours, theirs));
}

/// Returns bytes as c-kzg's type, if they have the right length.
pub fn blob(bytes: &[u8]) -> Option<Box<Blob>> {
    Blob::from_bytes(bytes).ok().map(Box::new)
}

/// Returns the same as [`blob`] for a list.
pub fn blobs(all: &[Vec<u8>]) -> Option<Vec<Blob>> {
    all.iter().map(|bytes| Blob::from_bytes(bytes).ok()).collect()
}

/// Returns the same as [`blob`] for 32 bytes.
pub fn bytes_32(bytes: &[u8]) -> Option<Bytes32> {
    Bytes32::from_bytes(bytes).ok()
}

/// Returns the same as [`blob`] for 48 bytes.
pub fn bytes_48(bytes: &[u8]) -> Option<Bytes48> {
    Bytes48::from_bytes(bytes).ok()
}

/// Returns the same as [`blob`] for a list of points.
pub fn points(all: &[Vec<u8>]) -> Option<Vec<Bytes48>> {
    all.iter().map(|bytes| bytes_48(bytes)).collect()
}

/// Returns the same as [`blob`] for a list of cells.
pub fn cells(all: &[Vec<u8>]) -> Option<Vec<Cell>> {
    all.iter().map(|bytes| Cell::from_bytes(bytes).ok()).collect()
}

/// Returns the sample with this blob.
fn known(bytes: &[u8]) -> Option<&'static Sample> {
    SAMPLES.iter().find(|sample| sample.blob[..] == *bytes)
}

/// Returns the commitment to a blob.
pub fn commitment(bytes: &[u8]) -> Option<[u8; 48]> {
    if let Some(sample) = known(bytes) {
        return Some(sample.commitment);
    }
    Some(theirs().blob_to_kzg_commitment(&*blob(bytes)?).ok()?.to_bytes().into_inner())
}

/// Returns the proof for a blob's challenge with any commitment.
pub fn blob_proof(bytes: &[u8], commitment: &[u8]) -> Option<[u8; 48]> {
    match known(bytes) {
        Some(sample) if sample.commitment == commitment => Some(sample.proof),
        _ => {
            let proof = theirs().compute_blob_kzg_proof(&*blob(bytes)?, &bytes_48(commitment)?).ok()?;
            Some(proof.to_bytes().into_inner())
        }
    }
}

/// Returns the cells of a blob.
pub fn cells_of(bytes: &[u8]) -> Option<Vec<[u8; 2048]>> {
    if let Some(sample) = known(bytes) {
        return Some(sample.cells_and_proofs().cells.clone());
    }
    Some(theirs().compute_cells(&*blob(bytes)?).ok()?.iter().map(Cell::to_bytes).collect())
}

/// Returns c-kzg's cells and proofs in the form of ours.
fn both(cells: &[Cell], proofs: &[KzgProof]) -> CellsAndProofs {
    let proofs = proofs.iter().map(|proof| proof.to_bytes().into_inner());
    CellsAndProofs { cells: cells.iter().map(Cell::to_bytes).collect(), proofs: proofs.collect() }
}

/// Returns the cells of a blob and their proofs.
pub fn cells_and_proofs(bytes: &[u8]) -> Option<CellsAndProofs> {
    if let Some(sample) = known(bytes) {
        return Some(sample.cells_and_proofs().clone());
    }
    let (cells, proofs) = theirs().compute_cells_and_kzg_proofs(&*blob(bytes)?).ok()?;
    Some(both(&cells[..], &proofs[..]))
}

/// Returns whether 32 bytes are a field element: a number below r.
fn is_canonical(bytes: &[u8]) -> bool {
    bytes < &MODULUS[..]
}

/// Returns the SHA-256 of all parts, modulo r.
fn hash(parts: &[&[u8]]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    parts.iter().for_each(|part| hasher.update(part));
    let mut number: [u8; 32] = hasher.finalize().into();
    while !is_canonical(&number) {
        let mut borrow = false;
        for (digit, less) in number.iter_mut().zip(MODULUS).rev() {
            let (difference, under) = digit.overflowing_sub(less);
            let (difference, under_again) = difference.overflowing_sub(u8::from(borrow));
            (*digit, borrow) = (difference, under || under_again);
        }
    }
    number
}

/// Returns the challenge of a blob: `compute_challenge` of the specification of EIP-4844.
pub fn challenge(blob: &[u8], commitment: &[u8]) -> Option<[u8; 32]> {
    (blob.len() == 131_072 && commitment.len() == 48).then(|| {
        let degree = 4096u128.to_be_bytes();
        hash(&[b"FSBLOBVERIFY_V1_", &degree, blob, commitment])
    })
}

/// Returns the challenge of a batch: `compute_verify_cell_kzg_proof_batch_challenge` of the specification of EIP-7594.
pub fn cells_challenge(
    commitments: &[Vec<u8>],
    commitment_indices: &[u64],
    cell_indices: &[u64],
    cells: &[Vec<u8>],
    proofs: &[Vec<u8>],
) -> Option<[u8; 32]> {
    let n = cells.len();
    if [commitment_indices.len(), cell_indices.len(), proofs.len()] != [n; 3] {
        return None;
    }
    let lengths = commitments.iter().chain(proofs).all(|point| point.len() == 48);
    let indices = commitment_indices.iter().all(|i| *i < commitments.len() as u64);
    if !lengths || !indices || cells.iter().any(|cell| cell.len() != 2048) {
        return None;
    }
    if cell_indices.iter().any(|i| *i >= 128) {
        return None;
    }
    let counts = [4096, 64, commitments.len() as u64, n as u64].map(u64::to_be_bytes);
    let mut parts: Vec<&[u8]> = vec![b"RCKZGCBATCH__V1_"];
    parts.extend(counts.iter().map(|count| &count[..]));
    parts.extend(commitments.iter().map(Vec::as_slice));
    let indices: Vec<_> = commitment_indices.iter().zip(cell_indices).collect();
    let indices: Vec<_> = indices.iter().map(|(a, b)| [a.to_be_bytes(), b.to_be_bytes()].concat()).collect();
    for ((index, cell), proof) in indices.iter().zip(cells).zip(proofs) {
        parts.extend([index, cell, proof].map(Vec::as_slice));
    }
    Some(hash(&parts))
}

/// Returns all cells and proofs, concatenated, that c-kzg computes from the first 64 of the given cells, if these
/// are valid and lie on one polynomial with all others. c-kzg ignores the others if there are more than it needs.
pub fn recover(indices: &[u64], cells: &[Vec<u8>]) -> Option<CellsAndProofs> {
    let rise = indices.windows(2).all(|pair| pair[0] < pair[1]);
    let enough = (64..=128).contains(&indices.len()) && cells.len() == indices.len();
    if !rise || !enough || indices.iter().any(|i| *i >= 128) {
        return None;
    }
    let canonical = |cell: &Vec<u8>| cell.len() == 2048 && cell.chunks(32).all(is_canonical);
    if !cells.iter().all(canonical) {
        return None;
    }
    let known = SAMPLES.iter().find(|sample| {
        indices.iter().zip(cells).all(|(i, cell)| cell[..] == sample.cells_and_proofs().cells[*i as usize])
    });
    if let Some(sample) = known {
        return Some(sample.cells_and_proofs().clone());
    }
    let first: Vec<Cell> = cells[..64].iter().filter_map(|cell| Cell::from_bytes(cell).ok()).collect();
    let (all, proofs) = theirs().recover_cells_and_kzg_proofs(&indices[..64], &first).ok()?;
    let all = both(&all[..], &proofs[..]);
    indices.iter().zip(cells).all(|(i, cell)| all.cells[*i as usize] == cell[..]).then_some(all)
}

/// A blob and c-kzg's results for it.
pub struct Sample {
    /// 4096 field elements.
    pub blob: Box<Blob>,
    /// The commitment.
    pub commitment: [u8; 48],
    /// The proof for the challenge.
    pub proof: [u8; 48],
    cells_and_proofs: OnceLock<CellsAndProofs>,
    openings: [OnceLock<Opening>; POINTS],
}

/// A point z, the value there, and its proof.
pub struct Opening {
    /// The point.
    pub z: [u8; 32],
    /// The value.
    pub y: [u8; 32],
    /// The proof.
    pub proof: [u8; 48],
}

/// Number of points z of a sample.
pub const POINTS: usize = 4;

impl Sample {
    fn new(element: impl Fn(u64) -> [u8; 32]) -> Self {
        let bytes: Vec<u8> = (0..4096).flat_map(element).collect();
        let blob = blob(&bytes).expect("4096 elements");
        let settings = theirs();
        let commitment = settings.blob_to_kzg_commitment(&blob).expect("all are below r").to_bytes();
        let proof = settings.compute_blob_kzg_proof(&blob, &commitment).expect("both are valid");
        let (commitment, proof) = (commitment.into_inner(), proof.to_bytes().into_inner());
        Sample { blob, commitment, proof, cells_and_proofs: OnceLock::new(), openings: Default::default() }
    }

    /// Returns cells and proofs, which are computed at the first call: 0.2 s.
    pub fn cells_and_proofs(&self) -> &CellsAndProofs {
        self.cells_and_proofs.get_or_init(|| {
            let (cells, proofs) =
                theirs().compute_cells_and_kzg_proofs(&self.blob).expect("the blob is valid");
            both(&cells[..], &proofs[..])
        })
    }

    /// Returns the opening at 0, at 1, at a root of unity where the blob has an element, or elsewhere.
    pub fn opening(&self, which: usize) -> &Opening {
        self.openings[which].get_or_init(|| {
            let root = parcrypt_bls12_381::Fr::root_of_unity(12).expect("there is one").pow_vartime(5);
            let z = [small(0), small(1), root.to_bytes(), small(123_456)][which];
            let (proof, y) = theirs().compute_kzg_proof(&self.blob, &Bytes32::from(z)).expect("z is below r");
            Opening { z, y: *y, proof: proof.to_bytes().into_inner() }
        })
    }
}

/// Returns the field element of a small number.
fn small(number: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[24..].copy_from_slice(&number.to_be_bytes());
    bytes
}

/// A random blob, and three special ones: 0, a constant, one whose highest coefficients are 0.
pub static SAMPLES: LazyLock<Vec<Sample>> = LazyLock::new(|| {
    let random = |i: u64| {
        let mut bytes: [u8; 32] = Sha256::digest(i.to_be_bytes()).into();
        bytes[0] &= 0x3f;
        bytes
    };
    // The polynomial X + 3: the values are the roots of unity in bit-reversed order.
    let root = parcrypt_bls12_381::Fr::root_of_unity(12).expect("there is one");
    let line = |i: u64| {
        let at = root.pow_vartime(u64::from((i as u16).reverse_bits() >> 4));
        (at + parcrypt_bls12_381::Fr::from(3)).to_bytes()
    };
    vec![Sample::new(random), Sample::new(line), Sample::new(|_| small(7)), Sample::new(|_| small(0))]
});

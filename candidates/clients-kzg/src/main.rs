//! Candidates of the lab: what a client does with the blobs of a block, by the API of c-kzg and of rust_eth_kzg.
//!
//! | argument and workload | work of an iteration |
//! |---|---|
//! | `client-blobs` | an execution client on a transaction's sidecar: the versioned hash of each commitment, then one verification of all blobs (c-kzg) |
//! | `client-evaluation` | the precompile of EIP-4844: the versioned hash, then one verification of a value (c-kzg) |
//! | `client-columns` | a consensus client on 8 columns of data: one verification of 8 cells of each blob (rust_eth_kzg) |
//!
//! The parameter `blobs` is the number of blobs; the input is their bytes, of which the two highest bits of each field
//! element are cleared. The output is two bytes, each 1 for yes and 0 for no: the verdict on the true claim, and on the
//! claim with one bit flipped.

use std::process::ExitCode;

use c_kzg::{BYTES_PER_BLOB, Blob, Bytes32, ethereum_kzg_settings};
use parcrypt_protocol::{Prepare, WorkerError, candidate, input, run};
use rust_eth_kzg::{Cell, DASContext, TrustedSetup, UsePrecomp};
use sha2::{Digest, Sha256};

/// Size of tables, as clients choose it.
const PRECOMPUTE: u8 = 8;
/// Columns that a node verifies at once; a node keeps at least 8 of them.
const COLUMNS: u64 = 8;

/// A claim that is verified in each iteration, and the verdict on the claim with one bit flipped.
struct Claim {
    verify: Box<dyn Fn() -> bool>,
    wrong: bool,
}

impl Claim {
    /// Returns the claim about a value; `flip` flips one bit of it, or flips it back.
    fn new<T: 'static>(mut of: T, flip: impl Fn(&mut T), verify: impl Fn(&T) -> bool + 'static) -> Self {
        flip(&mut of);
        let wrong = verify(&of);
        flip(&mut of);
        Claim { wrong, verify: Box::new(move || verify(&of)) }
    }
}

/// Reads the input of a workload, and prepares what it verifies.
type Preparation = fn(&Prepare) -> Result<Claim, WorkerError>;

fn main() -> ExitCode {
    let workload = std::env::args().nth(1).unwrap_or_default();
    let (name, prepare): (_, Preparation) = match workload.as_str() {
        "client-blobs" => ("c-kzg", sidecar),
        "client-evaluation" => ("c-kzg", evaluation),
        "client-columns" => ("rust_eth_kzg", columns),
        other => {
            eprintln!("clients-kzg: `{other}` is none of client-blobs, client-evaluation, client-columns");
            return ExitCode::from(2);
        }
    };
    let work = |claim: &mut Claim| [(claim.verify)(), claim.wrong];
    run(&mut candidate(name, &workload, prepare, work, |verdicts: &[bool; 2]| {
        verdicts.map(u8::from).to_vec()
    }))
}

fn failed(error: impl std::fmt::Debug) -> WorkerError {
    WorkerError::other(std::io::Error::other(format!("{error:?}")))
}

/// Returns the blobs of the input.
fn blobs(request: &Prepare) -> Result<Vec<Blob>, WorkerError> {
    let count = request.required("blobs", 1, 128)?;
    let mut bytes = input::read(request.input()?, count * BYTES_PER_BLOB as u64)?;
    bytes.iter_mut().step_by(32).for_each(|byte| *byte &= 0x3f);
    bytes.chunks(BYTES_PER_BLOB).map(|blob| Blob::from_bytes(blob).map_err(failed)).collect()
}

/// Returns the versioned hash of a commitment (EIP-4844).
fn versioned_hash(commitment: &[u8; 48]) -> [u8; 32] {
    let mut hash: [u8; 32] = Sha256::digest(commitment).into();
    hash[0] = 1;
    hash
}

/// Prepares the blobs of a block with their commitments and proofs, and the hashes in its transactions.
fn sidecar(request: &Prepare) -> Result<Claim, WorkerError> {
    let settings = ethereum_kzg_settings(u64::from(PRECOMPUTE));
    let blobs = blobs(request)?;
    let (mut commitments, mut proofs, mut hashes) = (Vec::new(), Vec::new(), Vec::new());
    for blob in &blobs {
        let commitment = settings.blob_to_kzg_commitment(blob).map_err(failed)?.to_bytes();
        proofs.push(settings.compute_blob_kzg_proof(blob, &commitment).map_err(failed)?.to_bytes());
        hashes.push(versioned_hash(commitment.as_ref()));
        commitments.push(commitment);
    }
    let last = blobs.len() - 1;
    let flip = move |blobs: &mut Vec<Blob>| blobs[last][BYTES_PER_BLOB - 1] ^= 1;
    Ok(Claim::new(blobs, flip, move |blobs| {
        let found = commitments.iter().map(|commitment| versioned_hash(commitment.as_ref()));
        found.eq(hashes.iter().copied())
            && settings.verify_blob_kzg_proof_batch(blobs, &commitments, &proofs).unwrap_or(false)
    }))
}

/// Prepares the input of the precompile of EIP-4844.
fn evaluation(request: &Prepare) -> Result<Claim, WorkerError> {
    let settings = ethereum_kzg_settings(u64::from(PRECOMPUTE));
    let blob = &blobs(request)?[0];
    let z = Bytes32::from_bytes(&blob[BYTES_PER_BLOB - 32..]).map_err(failed)?;
    let commitment = settings.blob_to_kzg_commitment(blob).map_err(failed)?.to_bytes();
    let (proof, y) = settings.compute_kzg_proof(blob, &z).map_err(failed)?;
    let (proof, hash) = (proof.to_bytes(), versioned_hash(commitment.as_ref()));
    let flip = |z: &mut Bytes32| {
        let mut bytes = **z;
        bytes[31] ^= 1;
        *z = Bytes32::new(bytes);
    };
    Ok(Claim::new(z, flip, move |z| {
        versioned_hash(commitment.as_ref()) == hash
            && settings.verify_kzg_proof(&commitment, z, &y, &proof).unwrap_or(false)
    }))
}

/// Prepares cells of 8 columns of a block's blobs, each with its index, its blob's commitment and its proof.
fn columns(request: &Prepare) -> Result<Claim, WorkerError> {
    let precompute = UsePrecomp::Yes { width: usize::from(PRECOMPUTE) };
    let context = DASContext::new(&TrustedSetup::default(), precompute);
    let mut of_blobs = Vec::new();
    for blob in blobs(request)? {
        let commitment = context.blob_to_kzg_commitment(&blob).map_err(failed)?;
        of_blobs.push((commitment, context.compute_cells_and_kzg_proofs(&blob).map_err(failed)?));
    }
    let mut cells: Vec<(u64, [u8; 48], Cell, [u8; 48])> = Vec::new();
    for column in (0..COLUMNS).map(|i| 13 * i + 5) {
        for (commitment, (of_blob, proofs)) in &of_blobs {
            let at = usize::try_from(column).map_err(failed)?;
            cells.push((column, *commitment, of_blob[at].clone(), proofs[at]));
        }
    }
    let last = cells.len() - 1;
    Ok(Claim::new(
        cells,
        move |cells| cells[last].2[2047] ^= 1,
        move |all| {
            let indices: Vec<u64> = all.iter().map(|(index, ..)| *index).collect();
            let commitments = all.iter().map(|(_, commitment, ..)| commitment).collect();
            let cells = all.iter().map(|(_, _, cell, _)| &**cell).collect();
            let proofs = all.iter().map(|(.., proof)| proof).collect();
            context.verify_cell_kzg_proof_batch(commitments, &indices, cells, proofs).is_ok()
        },
    ))
}

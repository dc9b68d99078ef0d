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

use c_kzg::{BYTES_PER_BLOB, Blob, Bytes32, Bytes48, KzgSettings, ethereum_kzg_settings};
use parcrypt_protocol::{Prepare, WorkerError, candidate, input, run};
use rust_eth_kzg::{Cell, DASContext, TrustedSetup, UsePrecomp};
use sha2::{Digest, Sha256};

/// Size of tables, as clients choose it.
const PRECOMPUTE: u8 = 8;
/// Columns that a node verifies at once; a node keeps at least 8 of them.
const COLUMNS: u64 = 8;

/// The verdict on a true claim, and on the claim with one bit flipped.
type Verdicts = (bool, bool);

fn main() -> ExitCode {
    let output = |&(right, wrong): &Verdicts| vec![u8::from(right), u8::from(wrong)];
    let workload = std::env::args().nth(1).unwrap_or_default();
    match workload.as_str() {
        "client-blobs" => run(&mut candidate("c-kzg", &workload, Sidecar::prepare, Sidecar::work, output)),
        "client-evaluation" => {
            run(&mut candidate("c-kzg", &workload, Evaluation::prepare, Evaluation::work, output))
        }
        "client-columns" => {
            run(&mut candidate("rust_eth_kzg", &workload, Columns::prepare, Columns::work, output))
        }
        other => {
            eprintln!("clients-kzg: `{other}` is none of client-blobs, client-evaluation, client-columns");
            ExitCode::from(2)
        }
    }
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

/// The blobs of a block with their commitments and proofs, and the hashes in its transactions.
struct Sidecar {
    settings: &'static KzgSettings,
    blobs: Vec<Blob>,
    commitments: Vec<Bytes48>,
    proofs: Vec<Bytes48>,
    hashes: Vec<[u8; 32]>,
    wrong: bool,
}

impl Sidecar {
    fn prepare(request: &Prepare) -> Result<Self, WorkerError> {
        let settings = ethereum_kzg_settings(u64::from(PRECOMPUTE));
        let mut sidecar = Sidecar {
            settings,
            blobs: blobs(request)?,
            commitments: Vec::new(),
            proofs: Vec::new(),
            hashes: Vec::new(),
            wrong: false,
        };
        for blob in &sidecar.blobs {
            let commitment = settings.blob_to_kzg_commitment(blob).map_err(failed)?.to_bytes();
            sidecar
                .proofs
                .push(settings.compute_blob_kzg_proof(blob, &commitment).map_err(failed)?.to_bytes());
            sidecar.hashes.push(versioned_hash(commitment.as_ref()));
            sidecar.commitments.push(commitment);
        }
        let last = sidecar.blobs.len() - 1;
        sidecar.blobs[last][BYTES_PER_BLOB - 1] ^= 1;
        sidecar.wrong = sidecar.verdict();
        sidecar.blobs[last][BYTES_PER_BLOB - 1] ^= 1;
        Ok(sidecar)
    }

    fn verdict(&self) -> bool {
        let hashes = self.commitments.iter().map(|commitment| versioned_hash(commitment.as_ref()));
        hashes.eq(self.hashes.iter().copied())
            && self
                .settings
                .verify_blob_kzg_proof_batch(&self.blobs, &self.commitments, &self.proofs)
                .unwrap_or(false)
    }

    fn work(&mut self) -> Verdicts {
        (self.verdict(), self.wrong)
    }
}

/// The input of the precompile of EIP-4844.
struct Evaluation {
    settings: &'static KzgSettings,
    hash: [u8; 32],
    z: Bytes32,
    y: Bytes32,
    commitment: Bytes48,
    proof: Bytes48,
    wrong: bool,
}

impl Evaluation {
    fn prepare(request: &Prepare) -> Result<Self, WorkerError> {
        let settings = ethereum_kzg_settings(u64::from(PRECOMPUTE));
        let blob = &blobs(request)?[0];
        let z = Bytes32::from_bytes(&blob[BYTES_PER_BLOB - 32..]).map_err(failed)?;
        let commitment = settings.blob_to_kzg_commitment(blob).map_err(failed)?.to_bytes();
        let (proof, y) = settings.compute_kzg_proof(blob, &z).map_err(failed)?;
        let hash = versioned_hash(commitment.as_ref());
        let mut evaluation =
            Evaluation { settings, hash, z, y, commitment, proof: proof.to_bytes(), wrong: false };
        let mut flipped = *z;
        flipped[31] ^= 1;
        evaluation.z = Bytes32::new(flipped);
        evaluation.wrong = evaluation.verdict();
        evaluation.z = z;
        Ok(evaluation)
    }

    fn verdict(&self) -> bool {
        let Evaluation { settings, z, y, commitment, proof, .. } = self;
        versioned_hash(commitment.as_ref()) == self.hash
            && settings.verify_kzg_proof(commitment, z, y, proof).unwrap_or(false)
    }

    fn work(&mut self) -> Verdicts {
        (self.verdict(), self.wrong)
    }
}

/// Cells of 8 columns of a block's blobs.
struct Columns {
    context: DASContext,
    /// For each cell of each column: its index, the commitment of its blob, itself and its proof.
    cells: Vec<(u64, [u8; 48], Cell, [u8; 48])>,
    wrong: bool,
}

impl Columns {
    fn prepare(request: &Prepare) -> Result<Self, WorkerError> {
        let precompute = UsePrecomp::Yes { width: usize::from(PRECOMPUTE) };
        let context = DASContext::new(&TrustedSetup::default(), precompute);
        let mut of_blobs = Vec::new();
        for blob in blobs(request)? {
            let commitment = context.blob_to_kzg_commitment(&blob).map_err(failed)?;
            of_blobs.push((commitment, context.compute_cells_and_kzg_proofs(&blob).map_err(failed)?));
        }
        let mut cells = Vec::new();
        for column in (0..COLUMNS).map(|i| 13 * i + 5) {
            for (commitment, (of_blob, proofs)) in &of_blobs {
                let at = usize::try_from(column).map_err(failed)?;
                cells.push((column, *commitment, of_blob[at].clone(), proofs[at]));
            }
        }
        let mut columns = Columns { context, cells, wrong: false };
        let last = columns.cells.len() - 1;
        columns.cells[last].2[2047] ^= 1;
        columns.wrong = columns.verdict();
        columns.cells[last].2[2047] ^= 1;
        Ok(columns)
    }

    fn verdict(&self) -> bool {
        let indices: Vec<u64> = self.cells.iter().map(|(index, ..)| *index).collect();
        let commitments = self.cells.iter().map(|(_, commitment, ..)| commitment).collect();
        let cells = self.cells.iter().map(|(_, _, cell, _)| &**cell).collect();
        let proofs = self.cells.iter().map(|(.., proof)| proof).collect();
        self.context.verify_cell_kzg_proof_batch(commitments, &indices, cells, proofs).is_ok()
    }

    fn work(&mut self) -> Verdicts {
        (self.verdict(), self.wrong)
    }
}

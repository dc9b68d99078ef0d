//! The KZG workloads: the functions of EIP-4844 and EIP-7594 with the trusted setup of mainnet.
//!
//! `docs/reference/workloads.md` says what they are, for programs in any language. `candidates/peers-kzg` does the same work with
//! the libraries of others and shares no code with this. It has over 800 lines because the list of workloads is one table.

#[cfg(feature = "mpi")]
mod ranks;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::{Arc, Mutex, PoisonError};

use parcrypt_bls12_381::{Decomposition, Domain, Fr, G1, G1Affine, Request, bit_reversal, dispatch, msm};
use parcrypt_cpu::Backend;
use parcrypt_kzg::{
    BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_FIELD_ELEMENT, CELLS_PER_EXT_BLOB, Cell, CellsAndProofs,
    FIELD_ELEMENTS_PER_CELL, FieldBytes, Proof, Samples, Settings,
};
use parcrypt_runtime::{Runtime, Serial};

#[cfg(feature = "mpi")]
use crate::workload::Spread;
use crate::workload::params::{Effect, Kind, Parameter, Values};
use crate::workload::{self, Error, Known, Prepared, Stream, Workload, filled};

const BLOBS: Parameter = Parameter {
    name: "blobs",
    about: "how many blobs there are",
    kind: Kind::Number { least: 1, most: 4096, default: None },
    effect: Effect::Answer,
};

const TABLES: Parameter = Parameter {
    name: "tables-mib",
    about: "MiB that tables for the fixed points may take; no use to a verifier",
    kind: Kind::Number { least: 0, most: 4096, default: Some(0) },
    effect: Effect::Way,
};

const SEVERAL: &[Parameter] = &[BLOBS, TABLES];
const ONE: &[Parameter] = &[TABLES];

/// Those of the additions of points; KZG has none of its own.

const INPUT: &str = "131072 * blobs bytes. Of each group of 32 bytes the two highest bits of the first are cleared; what \
                     is left is a big-endian field element. 4096 of them are a blob.";
const ONE_INPUT: &str = "131072 bytes. Of each group of 32 bytes the two highest bits of the first are cleared; what is \
                         left is a big-endian field element. They are one blob.";
const MULTIPLES: &str = "131072 bytes. Of each group of 32 bytes the two highest bits of the first are cleared; what is \
                         left is a big-endian field element. They are one blob B; the blobs are 1*B, 2*B, ... blobs*B, \
                         element by element.";
const CELLS: &str = "For each blob its 128 cells in order, 2048 bytes each.";
const CELLS_AND_PROOFS: &str =
    "For each blob its 128 cells in order, 2048 bytes each, then their 128 proofs, 48 bytes each.";

// The known answers are those of c-kzg 2.1.8 and rust_eth_kzg 0.10.0, which agree: candidates/peers-kzg has the same
// digests in src/answers.rs, and its tests make them again. By hand, with the input of `Stream::Hashes` from Python:
//     b''.join(sha256(i.to_bytes(8, 'little')).digest() for i in range(4096 * blobs))
// and in candidates/peers-kzg, with LIBRARY c-kzg or rust-eth-kzg:
//     printf '%s\n' '{"prepare":{"workload":"kzg-commit","params":{"blobs":1},"threads":1,"input":"FILE"}}' \
//         '{"sample":{"iterations":1}}' '{"digest":{}}' | cargo run --release -- --library LIBRARY

/// The verdicts 'yes' on what is right and 'no' on what was spoiled: SHA-256 of the bytes 1 and 0.
const YES_AND_NO: &str = "47dc540c94ceb704a23875c11273e16bb0b8a87aed84de911f2133568115f254";

const fn hashes(params: &'static str, sha256: &'static str) -> Known {
    Known { params, input: Stream::Hashes, sha256 }
}

/// A polynomial that is constant: its proofs are the point at infinity, and with byte 0 so is its commitment.
const fn constant(byte: u8, params: &'static str, sha256: &'static str) -> Known {
    Known { params, input: Stream::Byte(byte), sha256 }
}

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "kzg-commit",
        about: "Commitments to blobs (EIP-4844, blob_to_kzg_commitment).",
        params: SEVERAL,
        table: "fp",
        backends: || dispatch::BACKENDS.to_vec(),
        input: INPUT,
        answer: "The commitments in order, 48 bytes each.",
        input_bytes: blobs_in_input,
        memory: |values| needed(values, values.number("blobs"), 1 << 20),
        prepare: |values, input, rt, backend| {
            Work::ready(values, rt, backend, |_, _| Ok(Task::Commit { blobs: canonical(input) }))
        },
        reference: |_, input| {
            let settings = settings(&Serial, Request::Baseline, 0)?;
            let all = canonical(input.to_vec());
            let commitment = |blob| Ok(by_monomials(&settings, &coefficients(blob)?)?.to_vec());
            Ok(all.chunks(BYTES_PER_BLOB).map(commitment).collect::<Result<Vec<_>, Error>>()?.concat())
        },
        small: &["blobs=1 tables-mib=3"],
        known: &[
            hashes("blobs=1", "88102906c9177a48ddb2bb022c5b349c4407ade7c27951040815fda9f57c375f"),
            hashes(
                "blobs=2 tables-mib=8",
                "9c2b746b8d85892087f9b71540252984e5a671de6a336f658c72f1cfaa4ca72b",
            ),
            constant(0, "blobs=1", "5f0657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014"),
            constant(255, "blobs=1", "f67eecb9e59dd982c631bb127e502db0230b5643e67977b38fc58528ff06a559"),
        ],
    },
    Workload {
        name: "kzg-blob-proof",
        about: "Proofs of blobs against their commitments (EIP-4844, compute_blob_kzg_proof).",
        params: SEVERAL,
        table: "fp",
        backends: || dispatch::BACKENDS.to_vec(),
        input: INPUT,
        answer: "The proofs in order, 48 bytes each.",
        input_bytes: blobs_in_input,
        memory: |values| needed(values, values.number("blobs"), 1 << 20),
        prepare: |values, input, rt, backend| {
            Work::ready(values, rt, backend, |settings, rt| {
                let blobs = canonical(input);
                let commitments = commitments(rt, settings, &blobs)?;
                Ok(Task::BlobProof { blobs, commitments })
            })
        },
        reference: |_, input| {
            let settings = settings(&Serial, Request::Baseline, 0)?;
            let all = canonical(input.to_vec());
            let proof = |blob: &[u8]| {
                let coefficients = coefficients(blob)?;
                let commitment = by_monomials(&settings, &coefficients)?;
                let z = parcrypt_kzg::compute_challenge(blob, &commitment).map_err(other)?;
                let quotient = divided(&coefficients, 1, Fr::from_bytes(&z).map_err(arithmetic)?);
                Ok(by_monomials(&settings, &quotient)?.to_vec())
            };
            Ok(all.chunks(BYTES_PER_BLOB).map(proof).collect::<Result<Vec<_>, Error>>()?.concat())
        },
        small: &["blobs=1 tables-mib=3"],
        known: &[
            hashes("blobs=1", "aaa87e2145c4e9c9cbd4a00597af369d324c2f014b087435c4058e7a4add1c89"),
            constant(255, "blobs=1", "5f0657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014"),
        ],
    },
    Workload {
        name: "kzg-verify-proof",
        about: "Verification of one value of a polynomial (EIP-4844, verify_kzg_proof).",
        params: ONE,
        table: "fp",
        backends: || dispatch::BACKENDS.to_vec(),
        input: ONE_INPUT,
        answer: "Two bytes, 1 for yes and 0 for no: the verdict on the proof at z, the blob's last field element; and on \
                 the same with the lowest bit of z turned over.",
        input_bytes: |_| BYTES_PER_BLOB as u64,
        memory: |values| needed(values, 1, 0),
        prepare: |values, input, rt, backend| {
            Work::ready(values, rt, backend, |settings, rt| {
                let blob = canonical(input);
                let commitment = parcrypt_kzg::blob_to_kzg_commitment(rt, settings, &blob).map_err(other)?;
                let z = *blob.last_chunk().ok_or_else(no_blob)?;
                let (proof, y) = parcrypt_kzg::compute_kzg_proof(rt, settings, &blob, &z).map_err(other)?;
                Ok(Task::VerifyProof { commitment, z, y, proof })
            })
        },
        // With a blob of zeros the polynomial is 0 at any z.
        reference: |_, input| Ok(vec![1, u8::from(input.iter().all(|byte| *byte == 0))]),
        small: &[],
        known: &[
            hashes("", YES_AND_NO),
            constant(0, "", "9dcf97a184f32623d11a73124ceb99a5709b083721e878a16d78f596718ba7b2"),
        ],
    },
    Workload {
        name: "kzg-verify-blob",
        about: "Verification of a blob against its commitment (EIP-4844, verify_blob_kzg_proof).",
        params: ONE,
        table: "fp",
        backends: || dispatch::BACKENDS.to_vec(),
        input: ONE_INPUT,
        answer: "Two bytes, 1 for yes and 0 for no: the verdict on the blob with its commitment and proof; and on the \
                 same with the lowest bit of its last field element turned over.",
        input_bytes: |_| BYTES_PER_BLOB as u64,
        memory: |values| needed(values, 1, 1 << 20),
        prepare: |values, input, rt, backend| {
            Work::ready(values, rt, backend, |settings, rt| {
                Batch::new(rt, settings, input, 1).map(Task::VerifyBlob)
            })
        },
        reference: |_, _| Ok(vec![1, 0]),
        small: &[],
        known: &[hashes("", YES_AND_NO), constant(255, "", YES_AND_NO)],
    },
    Workload {
        name: "kzg-verify-blob-batch",
        about: "Verification of many blobs at once (EIP-4844, verify_blob_kzg_proof_batch).",
        params: SEVERAL,
        table: "fp",
        backends: || dispatch::BACKENDS.to_vec(),
        input: MULTIPLES,
        answer: "Two bytes, 1 for yes and 0 for no: the verdict on all blobs with their commitments and proofs in one \
                 call; and on the same with the lowest bit of the last blob's last field element turned over.",
        input_bytes: |_| BYTES_PER_BLOB as u64,
        memory: |values| needed(values, values.number("blobs"), 1 << 20),
        prepare: |values, input, rt, backend| {
            Work::ready(values, rt, backend, |settings, rt| {
                Batch::new(rt, settings, input, values.number("blobs")).map(Task::VerifyBlobs)
            })
        },
        reference: |_, _| Ok(vec![1, 0]),
        small: &[],
        known: &[hashes("blobs=3", YES_AND_NO), constant(255, "blobs=2", YES_AND_NO)],
    },
    Workload {
        name: "kzg-cells",
        about: "The cells of blobs, without proofs (EIP-7594, compute_cells).",
        params: SEVERAL,
        table: "fp",
        backends: || dispatch::BACKENDS.to_vec(),
        input: INPUT,
        answer: CELLS,
        input_bytes: blobs_in_input,
        memory: |values| needed(values, values.number("blobs"), 1 << 20),
        prepare: |values, input, rt, backend| {
            Work::ready(values, rt, backend, |_, _| Ok(Task::Cells { blobs: canonical(input) }))
        },
        reference: |_, input| {
            let all = canonical(input.to_vec());
            Ok(all.chunks(BYTES_PER_BLOB).map(extended).collect::<Result<Vec<_>, Error>>()?.concat())
        },
        small: &["blobs=2"],
        known: &[
            hashes("blobs=1", "14c12732d7f7119f6e41da52a0810eea9f6bb6bf99f22c24821392736405e595"),
            constant(255, "blobs=1", "65c4f49ef37c95262f2d84d1e12734f7a595d3d258d6ef52c5d737e803d835f3"),
        ],
    },
    Workload {
        name: "kzg-cells-and-proofs",
        about: "The cells of blobs with a proof for each (EIP-7594, compute_cells_and_kzg_proofs).",
        params: SEVERAL,
        table: "fp",
        backends: || dispatch::BACKENDS.to_vec(),
        input: INPUT,
        answer: CELLS_AND_PROOFS,
        input_bytes: blobs_in_input,
        memory: |values| needed(values, values.number("blobs"), 2 << 20),
        prepare: |values, input, rt, backend| {
            Work::ready(values, rt, backend, |_, _| Ok(Task::CellsAndProofs { blobs: canonical(input) }))
        },
        reference: |_, input| extended_and_proven(&canonical(input.to_vec())),
        // The definition takes seconds; a test holds it against the known answers.
        small: &[],
        known: &[
            hashes("blobs=1", "505548cf7e1578d2a4624ff433c98f5dcf081bf841e2263207e3fbbd5bab00de"),
            hashes(
                "blobs=1 tables-mib=8",
                "505548cf7e1578d2a4624ff433c98f5dcf081bf841e2263207e3fbbd5bab00de",
            ),
            constant(255, "blobs=1", "b99e9ab97772df3ce048a38fba489287ddfb87304ae2ee058cf03699a92f2a8e"),
        ],
    },
    Workload {
        name: "kzg-recover-cells",
        about: "The cells of blobs from half of them, without proofs (EIP-7594, the first part of recovery).",
        params: SEVERAL,
        table: "fp",
        backends: || dispatch::BACKENDS.to_vec(),
        input: INPUT,
        answer: CELLS,
        input_bytes: blobs_in_input,
        memory: |values| needed(values, values.number("blobs"), 2 << 20),
        prepare: |values, input, rt, backend| {
            Work::ready(values, rt, backend, |settings, rt| {
                Ok(Task::RecoverCells(Halves::new(rt, settings, &canonical(input))?))
            })
        },
        reference: |_, input| {
            let all = canonical(input.to_vec());
            Ok(all.chunks(BYTES_PER_BLOB).map(extended).collect::<Result<Vec<_>, Error>>()?.concat())
        },
        small: &["blobs=2"],
        known: &[hashes("blobs=1", "14c12732d7f7119f6e41da52a0810eea9f6bb6bf99f22c24821392736405e595")],
    },
    Workload {
        name: "kzg-recover",
        about: "The cells of blobs and their proofs from half of the cells (EIP-7594, recover_cells_and_kzg_proofs).",
        params: SEVERAL,
        table: "fp",
        backends: || dispatch::BACKENDS.to_vec(),
        input: INPUT,
        answer: CELLS_AND_PROOFS,
        input_bytes: blobs_in_input,
        memory: |values| needed(values, values.number("blobs"), 2 << 20),
        prepare: |values, input, rt, backend| {
            Work::ready(values, rt, backend, |settings, rt| {
                Ok(Task::Recover(Halves::new(rt, settings, &canonical(input))?))
            })
        },
        reference: |_, input| extended_and_proven(&canonical(input.to_vec())),
        small: &[],
        known: &[hashes("blobs=1", "505548cf7e1578d2a4624ff433c98f5dcf081bf841e2263207e3fbbd5bab00de")],
    },
    Workload {
        name: "kzg-verify-cells",
        about: "Verification of all cells of blobs at once (EIP-7594, verify_cell_kzg_proof_batch).",
        params: SEVERAL,
        table: "fp",
        backends: || dispatch::BACKENDS.to_vec(),
        input: MULTIPLES,
        answer: "Two bytes, 1 for yes and 0 for no: the verdict on all 128 cells of all blobs, blob by blob, in one \
                 call; and on the same with the lowest bit of the last cell's last field element turned over.",
        input_bytes: |_| BYTES_PER_BLOB as u64,
        memory: |values| needed(values, values.number("blobs"), 2 << 20),
        prepare: |values, input, rt, backend| {
            Work::ready(values, rt, backend, |settings, rt| {
                Ok(Task::VerifyCells(CellBatch::new(rt, settings, input, values.number("blobs"))?))
            })
        },
        reference: |_, _| Ok(vec![1, 0]),
        small: &[],
        known: &[hashes("blobs=2", YES_AND_NO), constant(255, "blobs=1", YES_AND_NO)],
    },
    Workload {
        name: "kzg-load",
        about: "Loading the trusted setup, with tables for its fixed points.",
        params: ONE,
        table: "fp",
        backends: || dispatch::BACKENDS.to_vec(),
        input: ONE_INPUT,
        answer: "The blob's commitment by the setup that was loaded last, 48 bytes.",
        input_bytes: |_| BYTES_PER_BLOB as u64,
        memory: |values| needed(values, 1, 1 << 20),
        prepare: |values, input, _, backend| {
            workload::forget_peak();
            let tables = values.number("tables-mib");
            Ok(Box::new(Load { blob: canonical(input), backend, tables, settings: None }))
        },
        reference: |_, input| {
            let blob = canonical(input.to_vec());
            Ok(by_monomials(&*settings(&Serial, Request::Baseline, 0)?, &coefficients(&blob)?)?.to_vec())
        },
        small: &[],
        known: &[
            hashes("", "88102906c9177a48ddb2bb022c5b349c4407ade7c27951040815fda9f57c375f"),
            hashes("tables-mib=8", "88102906c9177a48ddb2bb022c5b349c4407ade7c27951040815fda9f57c375f"),
        ],
    },
];

fn blobs_in_input(values: &Values) -> u64 {
    BYTES_PER_BLOB as u64 * values.number("blobs")
}

/// The setup with its tables, which take as much again while they are made, and the blobs with what each of them needs.
fn needed(values: &Values, blobs: u64, per_blob: u64) -> u64 {
    const SETUP: u64 = 8 << 20;
    SETUP + 2 * (values.number("tables-mib") << 20) + blobs * (2 * BYTES_PER_BLOB as u64 + per_blob)
}

/// Makes field elements out of any bytes: what is left of each is below 2^254 and so below the group's order.
fn canonical(mut input: Vec<u8>) -> Vec<u8> {
    input.chunks_mut(BYTES_PER_FIELD_ELEMENT).for_each(|element| element[0] &= 0x3f);
    input
}

/// The same with the lowest bit of the last field element turned over.
fn spoiled(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.iter_mut().next_back().into_iter().for_each(|byte| *byte ^= 1);
    bytes
}

fn parts(bytes: &[u8], len: usize) -> Vec<&[u8]> {
    bytes.chunks(len).collect()
}

fn refs<const N: usize>(all: &[[u8; N]]) -> Vec<&[u8]> {
    all.iter().map(|one| &one[..]).collect()
}

fn other(error: parcrypt_kzg::Error) -> Error {
    Error::Other { what: error.to_string() }
}

fn arithmetic(error: parcrypt_bls12_381::Error) -> Error {
    Error::Other { what: error.to_string() }
}

fn no_blob() -> Error {
    Error::Other { what: "there is no blob".to_owned() }
}

/// What a prepared workload computed.
///
/// # Panics
/// With the library's reason where it refused what was prepared for it: the row is lost, and the lab shows why.
fn done<T>(result: Result<T, parcrypt_kzg::Error>) -> T {
    result.unwrap_or_else(|why| panic!("the library refuses what was prepared for it: {why}"))
}

/// Mainnet's setup with tables of at most so many MiB. They are kept, because `verify` asks for the same few again and
/// again; it is `kzg-load` that makes them each time on every runtime.
fn settings(rt: &dyn Runtime, fp: Request, tables_mib: u64) -> Result<Arc<Settings>, Error> {
    type Kept = Vec<((Request, u64), Arc<Settings>)>;
    static KEPT: Mutex<Kept> = Mutex::new(Vec::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let key = (fp, tables_mib);
    if let Some((_, settings)) = kept.iter().find(|(known, _)| *known == key) {
        return Ok(Arc::clone(settings));
    }
    let settings = Arc::new(load(rt, fp, tables_mib)?);
    kept.push((key, Arc::clone(&settings)));
    Ok(settings)
}

fn load(rt: &dyn Runtime, fp: Request, tables_mib: u64) -> Result<Settings, Error> {
    let mut settings = Settings::mainnet(fp).map_err(other)?;
    if tables_mib > 0 {
        settings.build_tables(rt, tables_mib as usize).map_err(other)?;
    }
    Ok(settings)
}

fn commitments(rt: &dyn Runtime, settings: &Settings, blobs: &[u8]) -> Result<Vec<Proof>, Error> {
    let blobs = parts(blobs, BYTES_PER_BLOB);
    let all = parcrypt_kzg::blob_to_kzg_commitment_many(rt, settings, &blobs);
    all.into_iter().collect::<Result<_, _>>().map_err(other)
}

/// 1, 2, … `count` times each of the points.
fn multiples(points: &[Proof], count: u64) -> Result<Vec<Vec<Proof>>, Error> {
    let once = points.iter().map(|point| G1Affine::from_compressed(point).map(G1::from));
    let once = once.collect::<Result<Vec<G1>, _>>().map_err(arithmetic)?;
    let mut sums = once.clone();
    let all = (0..count).map(|_| {
        let compressed = G1::compress_all(&sums);
        sums.iter_mut().zip(&once).for_each(|(sum, point)| *sum += *point);
        compressed
    });
    Ok(all.collect())
}

/// 1, 2, … `count` times each of the field elements, one list after the other.
fn element_multiples(bytes: &[u8], count: u64) -> Result<Vec<u8>, Error> {
    let once = elements(bytes)?;
    let mut sums = once.clone();
    let mut all = Vec::with_capacity(bytes.len() * count as usize);
    for _ in 0..count {
        sums.iter().for_each(|sum| all.extend_from_slice(&sum.to_bytes()));
        sums.iter_mut().zip(&once).for_each(|(sum, element)| *sum += *element);
    }
    Ok(all)
}

fn elements(bytes: &[u8]) -> Result<Vec<Fr>, Error> {
    bytes.as_chunks().0.iter().map(|element| Fr::from_bytes(element).map_err(arithmetic)).collect()
}

/// Blobs to be verified: multiples of one.
struct Batch {
    blobs: Vec<u8>,
    commitments: Vec<Proof>,
    proofs: Vec<Proof>,
}

impl Batch {
    fn new(rt: &dyn Runtime, settings: &Settings, input: Vec<u8>, count: u64) -> Result<Self, Error> {
        let one = canonical(input);
        let commitments = multiples(&commitments(rt, settings, &one)?, count)?.concat();
        let blobs = element_multiples(&one, count)?;
        let all = parcrypt_kzg::compute_blob_kzg_proof_many(
            rt,
            settings,
            &parts(&blobs, BYTES_PER_BLOB),
            &refs(&commitments),
        );
        let proofs = all.and_then(|all| all.into_iter().collect()).map_err(other)?;
        Ok(Batch { blobs, commitments, proofs })
    }

    fn verify(&self, rt: &dyn Runtime, settings: &Settings, blobs: &[&[u8]]) -> bool {
        let (commitments, proofs) = (refs(&self.commitments), refs(&self.proofs));
        done(parcrypt_kzg::verify_blob_kzg_proof_batch(rt, settings, blobs, &commitments, &proofs))
    }

    fn verify_first(&self, rt: &dyn Runtime, settings: &Settings, blob: &[u8]) -> bool {
        let (commitment, proof) = (&self.commitments[0], &self.proofs[0]);
        done(parcrypt_kzg::verify_blob_kzg_proof(rt, settings, blob, commitment, proof))
    }
}

/// Cells to be verified: all those of multiples of one blob.
struct CellBatch {
    /// One for each cell.
    commitments: Vec<Proof>,
    indices: Vec<u64>,
    cells: Vec<u8>,
    proofs: Vec<Proof>,
}

impl CellBatch {
    fn new(rt: &dyn Runtime, settings: &Settings, input: Vec<u8>, count: u64) -> Result<Self, Error> {
        let one = canonical(input);
        let made = parcrypt_kzg::compute_cells_and_kzg_proofs(rt, settings, &one).map_err(other)?;
        let commitments = multiples(&commitments(rt, settings, &one)?, count)?.concat();
        let per_cell = |commitment| std::iter::repeat_n(commitment, CELLS_PER_EXT_BLOB);
        let cells = element_multiples(&made.cells.concat(), count)?;
        Ok(CellBatch {
            commitments: commitments.into_iter().flat_map(per_cell).collect(),
            indices: (0..CELLS_PER_EXT_BLOB as u64).cycle().take(cells.len() / BYTES_PER_CELL).collect(),
            cells,
            proofs: multiples(&made.proofs, count)?.concat(),
        })
    }

    fn verify(&self, rt: &dyn Runtime, settings: &Settings, cells: &[&[u8]]) -> bool {
        let (commitments, proofs) = (refs(&self.commitments), refs(&self.proofs));
        done(parcrypt_kzg::verify_cell_kzg_proof_batch(
            rt,
            settings,
            &commitments,
            &self.indices,
            cells,
            &proofs,
        ))
    }
}

/// Those cells of blobs whose index has an odd number of bits that are 1. It is half of them, in each half of the extended
/// blob and without a structure that a recovery could live on.
struct Halves {
    indices: Vec<u64>,
    /// The cells of each blob.
    cells: Vec<Vec<Cell>>,
}

impl Halves {
    fn new(rt: &dyn Runtime, settings: &Settings, blobs: &[u8]) -> Result<Self, Error> {
        let present: Vec<usize> = (0..CELLS_PER_EXT_BLOB).filter(|i| i.count_ones() % 2 == 1).collect();
        let all = parcrypt_kzg::compute_cells_many(rt, settings, &parts(blobs, BYTES_PER_BLOB));
        let all: Vec<Vec<Cell>> = all.into_iter().collect::<Result<_, _>>().map_err(other)?;
        let cells = all.iter().map(|cells| present.iter().map(|i| cells[*i]).collect()).collect();
        Ok(Halves { indices: present.iter().map(|i| *i as u64).collect(), cells })
    }

    /// Calls `recover` with the samples of all blobs.
    fn with<T>(&self, recover: impl FnOnce(&[Samples<'_>]) -> Vec<Result<T, parcrypt_kzg::Error>>) -> Vec<T> {
        let cells: Vec<Vec<&[u8]>> = self.cells.iter().map(|cells| refs(cells)).collect();
        let samples = cells.iter().map(|cells| Samples { cell_indices: &self.indices, cells });
        recover(&samples.collect::<Vec<_>>()).into_iter().map(done).collect()
    }
}

/// What is done again and again, with all that it needs.
enum Task {
    Commit { blobs: Vec<u8> },
    BlobProof { blobs: Vec<u8>, commitments: Vec<Proof> },
    VerifyProof { commitment: Proof, z: FieldBytes, y: FieldBytes, proof: Proof },
    VerifyBlob(Batch),
    VerifyBlobs(Batch),
    Cells { blobs: Vec<u8> },
    CellsAndProofs { blobs: Vec<u8> },
    RecoverCells(Halves),
    Recover(Halves),
    VerifyCells(CellBatch),
}

/// What came out last.
enum Answer {
    Nothing,
    Points(Vec<Proof>),
    Cells(Vec<Vec<Cell>>),
    CellsAndProofs(Vec<CellsAndProofs>),
    Verdict(bool),
}

struct Work {
    settings: Arc<Settings>,
    #[cfg(feature = "mpi")]
    tables_mib: usize,
    task: Task,
    answer: Answer,
}

impl Work {
    /// Loads the setup and makes the task with it.
    fn ready(
        values: &Values,
        rt: &dyn Runtime,
        backend: Backend,
        make: impl FnOnce(&Settings, &dyn Runtime) -> Result<Task, Error>,
    ) -> Result<Box<dyn Prepared>, Error> {
        let tables_mib = values.number("tables-mib");
        let settings = settings(rt, backend.into(), tables_mib)?;
        let task = make(&settings, rt)?;
        workload::forget_peak();
        Ok(Box::new(Work {
            settings,
            #[cfg(feature = "mpi")]
            tables_mib: tables_mib as usize,
            task,
            answer: Answer::Nothing,
        }))
    }

    /// A verifier also says what it makes of the same with one bit turned over, so that one which always agrees is
    /// found out.
    fn verdict_on_spoiled(&self) -> bool {
        let settings = &self.settings;
        let with_last = |bytes: &[u8], len: usize, verify: &dyn Fn(&[&[u8]]) -> bool| {
            let mut all = parts(bytes, len);
            let last = spoiled(all.pop().unwrap_or_default());
            all.push(&last);
            verify(&all)
        };
        match &self.task {
            Task::VerifyProof { commitment, z, y, proof } => {
                done(parcrypt_kzg::verify_kzg_proof(&Serial, settings, commitment, &spoiled(z), y, proof))
            }
            Task::VerifyBlob(batch) => batch.verify_first(&Serial, settings, &spoiled(&batch.blobs)),
            Task::VerifyBlobs(batch) => {
                with_last(&batch.blobs, BYTES_PER_BLOB, &|blobs| batch.verify(&Serial, settings, blobs))
            }
            Task::VerifyCells(batch) => {
                with_last(&batch.cells, BYTES_PER_CELL, &|cells| batch.verify(&Serial, settings, cells))
            }
            _ => unreachable!("only a verifier has a verdict"),
        }
    }
}

impl Prepared for Work {
    fn iterate(&mut self, rt: &dyn Runtime) {
        // The last answer's memory is not kept beside the next one's.
        self.answer = Answer::Nothing;
        let settings = black_box(&*self.settings);
        let all = |results: Vec<Result<_, _>>| results.into_iter().map(done).collect();
        self.answer = black_box(match black_box(&self.task) {
            Task::Commit { blobs } => Answer::Points(all(parcrypt_kzg::blob_to_kzg_commitment_many(
                rt,
                settings,
                &parts(blobs, BYTES_PER_BLOB),
            ))),
            Task::BlobProof { blobs, commitments } => {
                Answer::Points(all(done(parcrypt_kzg::compute_blob_kzg_proof_many(
                    rt,
                    settings,
                    &parts(blobs, BYTES_PER_BLOB),
                    &refs(commitments),
                ))))
            }
            Task::VerifyProof { commitment, z, y, proof } => {
                Answer::Verdict(done(parcrypt_kzg::verify_kzg_proof(rt, settings, commitment, z, y, proof)))
            }
            Task::VerifyBlob(batch) => Answer::Verdict(batch.verify_first(rt, settings, &batch.blobs)),
            Task::VerifyBlobs(batch) => {
                Answer::Verdict(batch.verify(rt, settings, &parts(&batch.blobs, BYTES_PER_BLOB)))
            }
            Task::Cells { blobs } => {
                let blobs = parts(blobs, BYTES_PER_BLOB);
                let cells = parcrypt_kzg::compute_cells_many(rt, settings, &blobs);
                Answer::Cells(cells.into_iter().map(done).collect())
            }
            Task::CellsAndProofs { blobs } => {
                let blobs = parts(blobs, BYTES_PER_BLOB);
                let made = parcrypt_kzg::compute_cells_and_kzg_proofs_many(rt, settings, &blobs);
                Answer::CellsAndProofs(made.into_iter().map(done).collect())
            }
            Task::RecoverCells(halves) => {
                Answer::Cells(halves.with(|samples| parcrypt_kzg::recover_cells_many(rt, settings, samples)))
            }
            Task::Recover(halves) => Answer::CellsAndProofs(
                halves.with(|samples| parcrypt_kzg::recover_cells_and_kzg_proofs_many(rt, settings, samples)),
            ),
            Task::VerifyCells(batch) => {
                Answer::Verdict(batch.verify(rt, settings, &parts(&batch.cells, BYTES_PER_CELL)))
            }
        });
    }

    fn answer(&self, take: &mut dyn FnMut(&[u8])) {
        match &self.answer {
            Answer::Nothing => {}
            Answer::Points(points) => points.iter().for_each(|point| take(point)),
            Answer::Cells(all) => all.iter().flatten().for_each(|cell| take(cell)),
            Answer::CellsAndProofs(all) => {
                for CellsAndProofs { cells, proofs } in all {
                    cells.iter().for_each(|cell| take(cell));
                    proofs.iter().for_each(|proof| take(proof));
                }
            }
            Answer::Verdict(verdict) => take(&[u8::from(*verdict), u8::from(self.verdict_on_spoiled())]),
        }
    }

    #[cfg(feature = "mpi")]
    fn spread(&mut self) -> Option<&mut dyn Spread> {
        if self.items().is_some() { Some(self) } else { None }
    }

    fn counts(&self) -> BTreeMap<String, u64> {
        workload::peak_count()
    }
}

/// The load of the setup, which all other workloads have behind them.
struct Load {
    blob: Vec<u8>,
    backend: Backend,
    tables: u64,
    settings: Option<Settings>,
}

impl Prepared for Load {
    fn iterate(&mut self, rt: &dyn Runtime) {
        self.settings = None;
        let loaded = load(rt, self.backend.into(), black_box(self.tables));
        self.settings =
            Some(black_box(loaded.unwrap_or_else(|why| panic!("the setup does not load: {why}"))));
    }

    fn answer(&self, take: &mut dyn FnMut(&[u8])) {
        let commit = |settings| done(parcrypt_kzg::blob_to_kzg_commitment(&Serial, settings, &self.blob));
        self.settings.iter().for_each(|settings| take(&commit(settings)));
    }

    fn counts(&self) -> BTreeMap<String, u64> {
        workload::peak_count()
    }
}

// --- The definition, by way of the coefficients, which no fast path takes ---

/// The coefficients of a blob's polynomial.
fn coefficients(blob: &[u8]) -> Result<Vec<Fr>, Error> {
    let values = elements(blob)?;
    let scale = values.len().ilog2();
    let in_order: Vec<Fr> = (0..values.len()).map(|i| values[bit_reversal::reverse(i, scale)]).collect();
    let mut coefficients = filled(in_order.len())?;
    let domain = Domain::new(Request::Baseline, scale).map_err(arithmetic)?;
    domain
        .inverse_fft(&Serial, Decomposition::Iterative, &in_order, &mut coefficients)
        .map_err(arithmetic)?;
    Ok(coefficients)
}

/// The commitment to a polynomial, by the powers of the secret.
fn by_monomials(settings: &Settings, coefficients: &[Fr]) -> Result<Proof, Error> {
    let points = &settings.g1_monomial()[..coefficients.len()];
    let row = dispatch::select(Request::Baseline).map_err(arithmetic)?;
    Ok(msm::msm_vartime(&Serial, row, points, coefficients).map_err(arithmetic)?.to_compressed())
}

/// The quotient of a polynomial by X^degree − constant, without the remainder.
fn divided(coefficients: &[Fr], degree: usize, constant: Fr) -> Vec<Fr> {
    let len = coefficients.len().saturating_sub(degree);
    let mut quotient = vec![Fr::zero(); len];
    for i in (0..len).rev() {
        let above = quotient.get(i + degree).copied().unwrap_or_default();
        quotient[i] = coefficients[i + degree] + constant * above;
    }
    quotient
}

/// The values of a blob's polynomial at twice as many places: its cells, one after the other.
fn extended(blob: &[u8]) -> Result<Vec<u8>, Error> {
    let mut coefficients = coefficients(blob)?;
    let len = 2 * coefficients.len();
    coefficients.resize(len, Fr::zero());
    let mut values = filled(len)?;
    let domain = Domain::new(Request::Baseline, len.ilog2()).map_err(arithmetic)?;
    domain.fft(&Serial, Decomposition::Iterative, &coefficients, &mut values).map_err(arithmetic)?;
    Ok((0..len).flat_map(|i| Fr::to_bytes(&values[bit_reversal::reverse(i, len.ilog2())])).collect())
}

/// Cells and proofs. The proof of a cell commits to the quotient by X^64 − h^64, where h is the place of the cell's first
/// value.
fn extended_and_proven(blobs: &[u8]) -> Result<Vec<u8>, Error> {
    const SCALE: u32 = (CELLS_PER_EXT_BLOB * FIELD_ELEMENTS_PER_CELL).ilog2();
    let settings = settings(&Serial, Request::Baseline, 0)?;
    let root = Fr::root_of_unity(SCALE).map_err(arithmetic)?;
    let mut answer = Vec::new();
    for blob in blobs.chunks(BYTES_PER_BLOB) {
        answer.extend(extended(blob)?);
        let coefficients = coefficients(blob)?;
        for cell in 0..CELLS_PER_EXT_BLOB {
            let first = bit_reversal::reverse(cell * FIELD_ELEMENTS_PER_CELL, SCALE);
            let constant = root.pow_vartime((first * FIELD_ELEMENTS_PER_CELL) as u64);
            let quotient = divided(&coefficients, FIELD_ELEMENTS_PER_CELL, constant);
            answer.extend(by_monomials(&settings, &quotient)?);
        }
    }
    Ok(answer)
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::text::hex;
    use crate::workload::params::parse;

    #[test]
    fn the_definition_gives_the_answers_of_the_other_libraries() {
        for kernel in WORKLOADS {
            // It does not depend on tables.
            for known in kernel.known.iter().filter(|known| !known.params.contains("tables")) {
                let values = kernel.values(&parse(known.params)).unwrap();
                let input = known.input.bytes((kernel.input_bytes)(&values) as usize);
                let answer = (kernel.reference)(&values, &input).unwrap();
                assert_eq!(hex(&Sha256::digest(answer)), known.sha256, "{} {known:?}", kernel.name);
            }
        }
    }

    #[test]
    fn half_of_the_cells_are_there_in_each_half() {
        let blob = canonical(Stream::Hashes.bytes(BYTES_PER_BLOB));
        let halves = Halves::new(&Serial, &settings(&Serial, Request::Baseline, 0).unwrap(), &blob).unwrap();
        assert_eq!((halves.indices.len(), halves.cells[0].len()), (64, 64));
        assert_eq!(halves.indices.iter().filter(|i| **i < 64).count(), 32);
        assert_eq!(halves.indices[..6], [1, 2, 4, 7, 8, 11]);
        // The second cell of the extended blob is the second of the blob.
        assert_eq!(halves.cells[0][0][..], blob[BYTES_PER_CELL..2 * BYTES_PER_CELL]);
    }

    #[test]
    fn multiples_of_elements_wrap_around_the_order() {
        let negative = |n: u64| (Fr::zero() - Fr::from(n)).to_bytes();
        let all = element_multiples(&negative(1), 3).unwrap();
        assert_eq!(all, [negative(1), negative(2), negative(3)].concat());
        assert!(element_multiples(&[0xff; 32], 1).is_err());
    }
}

//! The KZG workloads: the functions of EIP-4844 and EIP-7594 with the trusted setup of mainnet.
//!
//! `docs/reference/workloads.md` defines them for programs in any language. `candidates/peers-kzg` does the same work
//! with other libraries and shares no code with this.

mod inputs;
#[cfg(feature = "mpi")]
mod ranks;
mod task;

use std::hint::black_box;

use parcrypt_bls12_381::dispatch;
use parcrypt_cpu::Backend;
use parcrypt_kzg::{BYTES_PER_BLOB, CELLS_PER_EXT_BLOB, Settings};
use parcrypt_runtime::{Runtime, Serial};

use crate::workload::params::{Parameter, Values};
use crate::workload::{self, Error, Work, Workload};
use inputs::{Batch, CellBatch, Columns, Halves, canonical, commitments, done, spread};
use task::{PreparedTask, Task, load};

const BLOBS: Parameter = Parameter::number("blobs", "how many blobs there are", 1..=4096, None);

const TABLES: Parameter = Parameter::number(
    "tables-mib",
    "MiB that tables for the fixed points may take; no use to a verifier",
    0..=64,
    Some(0),
)
.way();

const COLUMNS: Parameter =
    Parameter::number("columns", "how many columns there are, at equal distances", 1..=128, Some(8));

const WRONG: Parameter = Parameter::number(
    "wrong",
    "how many cells are wrong, at equal distances; at most all",
    0..=4096 * CELLS_PER_EXT_BLOB as u64,
    Some(1),
);

const COLUMN: usize = 77;

const SEVERAL: &[Parameter] = &[BLOBS, TABLES];
const ONE: &[Parameter] = &[TABLES];

/// The tables of the settings besides the table of points, which is the first.
const OTHER_TABLES: &[(&str, &[Backend])] = parcrypt_kzg::TABLES.split_at(1).1;

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

/// Returns the function `prepare` of a workload that makes a task with the loaded setup.
macro_rules! ready {
    (|$settings:pat_param, $rt:pat_param, $values:ident, $input:ident| $task:expr) => {
        |$values, $input, rt, rows| PreparedTask::ready($values, rt, rows, |$settings, $rt| $task)
    };
}

/// The fields of a workload whose output follows from each blob of its input; others replace what differs.
const OF_EACH_BLOB: Workload = Workload {
    name: "kzg-commit",
    about: "Commitments to blobs (EIP-4844, blob_to_kzg_commitment).",
    params: SEVERAL,
    table: "fp",
    backends: |_| dispatch::BACKENDS.to_vec(),
    other_tables: OTHER_TABLES,
    input: INPUT,
    output: "The commitments in order, 48 bytes each.",
    input_bytes: |values| BYTES_PER_BLOB as u64 * values.number("blobs"),
    memory: |values| needed(values, values.number("blobs"), 1 << 20),
    prepare: ready!(|_, _, values, input| Ok(Task::Commit { blobs: canonical(&input) })),
    // The proofs of a constant polynomial are the point at infinity; with byte 0 so is its commitment.
};

/// [`OF_EACH_BLOB`] for one blob.
const OF_ONE_BLOB: Workload =
    Workload { params: ONE, input: ONE_INPUT, input_bytes: |_| BYTES_PER_BLOB as u64, ..OF_EACH_BLOB };

/// [`OF_EACH_BLOB`] for two verdicts on multiples of one blob: yes, and no.
const OF_MULTIPLES: Workload =
    Workload { input: MULTIPLES, input_bytes: |_| BYTES_PER_BLOB as u64, ..OF_EACH_BLOB };

pub(super) const WORKLOADS: &[Workload] = &[
    OF_EACH_BLOB,
    Workload {
        name: "kzg-blob-proof",
        about: "Proofs of blobs against their commitments (EIP-4844, compute_blob_kzg_proof).",
        output: "The proofs in order, 48 bytes each.",
        prepare: ready!(|settings, rt, values, input| {
            let blobs = canonical(&input);
            let commitments = commitments(rt, settings, &blobs)?;
            Ok(Task::BlobProof { blobs, commitments })
        }),
        ..OF_EACH_BLOB
    },
    Workload {
        name: "kzg-verify-proof",
        about: "Verification of one value of a polynomial (EIP-4844, verify_kzg_proof).",
        output: "Two bytes, 1 for yes and 0 for no: the verdict on the proof at z, the blob's last field element; and on \
                 the same with the lowest bit of z turned over.",
        memory: |values| needed(values, 1, 0),
        prepare: ready!(|settings, rt, values, input| {
            let blob = canonical(&input);
            let commitment = parcrypt_kzg::blob_to_kzg_commitment(rt, settings, &blob)?;
            let z = *blob.last_chunk().ok_or_else(|| Error::wrong("no blob"))?;
            let (proof, y) = parcrypt_kzg::compute_kzg_proof(rt, settings, &blob, &z)?;
            Ok(Task::VerifyProof { commitment, z, y, proof })
        }),
        ..OF_ONE_BLOB
    },
    Workload {
        name: "kzg-verify-blob",
        about: "Verification of a blob against its commitment (EIP-4844, verify_blob_kzg_proof).",
        output: "Two bytes, 1 for yes and 0 for no: the verdict on the blob with its commitment and proof; and on the \
                 same with the lowest bit of its last field element turned over.",
        memory: |values| needed(values, 1, 1 << 20),
        prepare: ready!(|settings, rt, values, input| {
            Batch::new(rt, settings, &input, 1).map(Task::VerifyBlob)
        }),
        ..OF_ONE_BLOB
    },
    Workload {
        name: "kzg-verify-blob-batch",
        about: "Verification of many blobs at once (EIP-4844, verify_blob_kzg_proof_batch).",
        output: "Two bytes, 1 for yes and 0 for no: the verdict on all blobs with their commitments and proofs in one \
                 call; and on the same with the lowest bit of the last blob's last field element turned over.",
        prepare: ready!(|settings, rt, values, input| {
            Batch::new(rt, settings, &input, values.number("blobs")).map(Task::VerifyBlobs)
        }),
        ..OF_MULTIPLES
    },
    Workload {
        name: "kzg-cells",
        about: "The cells of blobs, without proofs (EIP-7594, compute_cells).",
        output: CELLS,
        prepare: ready!(|_, _, values, input| Ok(Task::Cells {
            blobs: canonical(&input),
            proofs: false,
            columns: None
        })),
        ..OF_EACH_BLOB
    },
    Workload {
        name: "kzg-cells-and-proofs",
        about: "The cells of blobs with a proof for each (EIP-7594, compute_cells_and_kzg_proofs).",
        output: CELLS_AND_PROOFS,
        memory: |values| needed(values, values.number("blobs"), 2 << 20),
        prepare: ready!(|_, _, values, input| {
            Ok(Task::Cells { blobs: canonical(&input), proofs: true, columns: None })
        }),
        ..OF_EACH_BLOB
    },
    Workload {
        name: "kzg-recover-cells",
        about: "The cells of blobs from half of them, without proofs (EIP-7594, the first part of recovery).",
        output: CELLS,
        memory: |values| needed(values, values.number("blobs"), 2 << 20),
        prepare: ready!(|settings, rt, values, input| {
            Ok(Task::Recover { halves: Halves::new(rt, settings, &canonical(&input))?, proofs: false })
        }),
        ..OF_EACH_BLOB
    },
    Workload {
        name: "kzg-recover",
        about: "The cells of blobs and their proofs from half of the cells (EIP-7594, recover_cells_and_kzg_proofs).",
        output: CELLS_AND_PROOFS,
        memory: |values| needed(values, values.number("blobs"), 2 << 20),
        prepare: ready!(|settings, rt, values, input| {
            Ok(Task::Recover { halves: Halves::new(rt, settings, &canonical(&input))?, proofs: true })
        }),
        ..OF_EACH_BLOB
    },
    Workload {
        name: "kzg-verify-cells",
        about: "Verification of all cells of blobs at once (EIP-7594, verify_cell_kzg_proof_batch).",
        output: "Two bytes, 1 for yes and 0 for no: the verdict on all 128 cells of all blobs, blob by blob, in one \
                 call; and on the same with the lowest bit of the last cell's last field element turned over.",
        memory: |values| needed(values, values.number("blobs"), 2 << 20),
        prepare: ready!(|settings, rt, values, input| {
            CellBatch::new(rt, settings, &input, values, &all_columns()).map(Task::VerifyCells)
        }),
        ..OF_MULTIPLES
    },
    Workload {
        name: "kzg-verify-column",
        about: "Verification of one column, the cell with index 77 of each blob (EIP-7594, verify_cell_kzg_proof_batch).",
        output: "Two bytes, 1 for yes and 0 for no: the verdict on the cells of all blobs in one call; and on the same \
                 with the lowest bit of the last cell's last field element turned over.",
        memory: |values| needed(values, values.number("blobs"), 1 << 14),
        prepare: ready!(|settings, rt, values, input| {
            CellBatch::new(rt, settings, &input, values, &[COLUMN]).map(Task::VerifyCells)
        }),
        ..OF_MULTIPLES
    },
    Workload {
        name: "kzg-some-cells",
        about: "The cells of some columns of blobs, without proofs (for getBlobsV4 of the Engine API).",
        params: &[BLOBS, COLUMNS, TABLES],
        output: "For each blob its cells of the columns, 2048 bytes each. Column i of n has the index (2i + 1)·64/n, \
                 rounded down.",
        prepare: ready!(|_, _, values, input| {
            let indices = spread(values.number("columns") as usize, CELLS_PER_EXT_BLOB);
            let indices = indices.into_iter().map(|index| index as u64).collect();
            Ok(Task::Cells { blobs: canonical(&input), proofs: false, columns: Some(indices) })
        }),
        ..OF_EACH_BLOB
    },
    Workload {
        name: "kzg-verify-columns",
        about: "Verification of some columns as they come, each alone, with the same commitments (EIP-7594).",
        params: &[BLOBS, COLUMNS, TABLES],
        output: "Two bytes, 1 for yes and 0 for no: whether each column verifies by itself; and the same with the \
                 lowest bit of the last cell's last field element turned over.",
        memory: |values| needed(values, values.number("blobs"), values.number("columns") << 13),
        prepare: ready!(|settings, rt, values, input| {
            let columns = spread(values.number("columns") as usize, CELLS_PER_EXT_BLOB);
            let batch = CellBatch::new(rt, settings, &input, values, &columns)?;
            Ok(Task::VerifyColumns(Columns::new(batch, columns.len())))
        }),
        ..OF_MULTIPLES
    },
    Workload {
        name: "kzg-find-wrong",
        about: "The wrong ones among all cells of blobs, given as one batch (EIP-7594).",
        params: &[BLOBS, WRONG, TABLES],
        output: "The numbers of the wrong cells, blob by blob, 4 bytes each, big-endian. Wrong cell i of n among m cells \
                 has the number (2i + 1)·m/(2n), rounded down; the lowest bit of its last field element is turned over.",
        memory: |values| needed(values, values.number("blobs"), 2 << 20),
        prepare: ready!(|settings, rt, values, input| {
            let mut batch = CellBatch::new(rt, settings, &input, values, &all_columns())?;
            batch.spoil((values.number("wrong") as usize).min(batch.indices.len()));
            Ok(Task::FindWrong(batch))
        }),
        ..OF_MULTIPLES
    },
    Workload {
        name: "kzg-load",
        about: "Loading the trusted setup, with tables for its fixed points.",
        output: "The blob's commitment by the setup that was loaded last, 48 bytes.",
        memory: |values| needed(values, 1, 1 << 20),
        prepare: |values, input, _, rows| {
            workload::forget_peak();
            let (blob, requests, tables) = (canonical(&input), rows.requests(), values.number("tables-mib"));
            let iterate = move |settings: &mut Option<Settings>, rt: &dyn Runtime| {
                *settings = None;
                let loaded = load(rt, &requests, black_box(tables));
                *settings =
                    black_box(Some(loaded.unwrap_or_else(|why| panic!("the setup does not load: {why}"))));
            };
            let work = Work::new(None, iterate, move |settings, take| {
                let commit = |settings| done(parcrypt_kzg::blob_to_kzg_commitment(&Serial, settings, &blob));
                settings.iter().for_each(|settings| take(&commit(settings)));
            });
            Ok(Box::new(Work { counts_peak: true, ..work }))
        },
        ..OF_ONE_BLOB
    },
];

fn all_columns() -> Vec<usize> {
    (0..CELLS_PER_EXT_BLOB).collect()
}

/// Returns the memory of the setup with its tables, twice their size while they are built, and of the blobs with the
/// data of each.
fn needed(values: &Values, blobs: u64, per_blob: u64) -> u64 {
    const SETUP: u64 = 8 << 20;
    SETUP + 2 * (values.number("tables-mib") << 20) + blobs * (2 * BYTES_PER_BLOB as u64 + per_blob)
}

#[cfg(test)]
mod tests {
    use parcrypt_bls12_381::{Fr, Request};
    use parcrypt_kzg::BYTES_PER_CELL;

    use super::inputs::element_multiples;
    use super::task::settings;
    use super::*;
    use crate::workload::Stream;

    #[cfg(feature = "mpi")]
    #[test]
    fn ranks_share_whole_blobs_of_cells_and_no_column() {
        let shared = |name: &str| {
            let workload = WORKLOADS.iter().find(|workload| workload.name == name).unwrap();
            let values = workload.values(&crate::workload::params::parse("blobs=2")).unwrap();
            let input =
                crate::workload::Aligned::new(Stream::Hashes.bytes((workload.input_bytes)(&values) as usize));
            let rows = workload.rows(None, None).unwrap();
            (workload.prepare)(&values, input, &Serial, &rows).unwrap().spread().is_some()
        };
        assert_eq!(["kzg-verify-cells", "kzg-verify-column"].map(shared), [true, false]);
    }

    #[test]
    fn half_of_the_cells_are_given_in_each_half() {
        let blob = canonical(&Stream::Hashes.bytes(BYTES_PER_BLOB));
        let halves =
            Halves::new(&Serial, &settings(&Serial, &Request::Baseline.into(), 0).unwrap(), &blob).unwrap();
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

//! Prints the costs that the functions state beside measured times: `cargo run --release -p parcrypt-kzg --example
//! costs`.
#![allow(clippy::unwrap_used, reason = "an example fails by a panic")]

use std::hint::black_box;

use parcrypt_kzg::{
    BYTES_PER_BLOB, CELLS_PER_EXT_BLOB, Request, Settings, blob_to_kzg_commitment,
    blob_to_kzg_commitment_many, compute_blob_kzg_proof, compute_blob_kzg_proof_many, compute_cells,
    compute_cells_and_kzg_proofs, compute_cells_and_kzg_proofs_subset, compute_cells_subset,
    compute_cells_subset_many, recover_cells, recover_cells_subset, verify_blob_kzg_proof_batch,
    verify_cell_kzg_proof_batch,
};
use parcrypt_runtime::{Recorder, Serial};

/// Prints the cost that a call of `f` states, the shortest of some times of its pieces, both in µs, and their ratio. On
/// a busy machine the measured time is too long: the example should have a core of its own.
fn row<T>(name: &str, f: impl Fn(&Recorder) -> T) {
    let works = (0..9).map(|_| {
        let recorder = Recorder::default();
        black_box(f(&recorder));
        recorder.take()
    });
    let work = works.min_by_key(|work| work.measured_ns).unwrap();
    let [cost, measured] = [work.stated_ns, work.measured_ns].map(|ns| ns as f64 / 1e3);
    println!("{name:<44} {cost:>12.0} {measured:>12.0}   {:>5.2}", cost / measured);
}

fn main() {
    const BLOBS: usize = 16;
    let rt = &Serial;
    let blobs: Vec<Vec<u8>> = (0..BLOBS)
        .map(|b| (0..BYTES_PER_BLOB).map(|i| if i % 32 == 0 { 0 } else { (i * i / 7 + b) as u8 }).collect())
        .collect();
    let all: Vec<&[u8]> = blobs.iter().map(Vec::as_slice).collect();
    println!("{:<44} {:>12} {:>12}   cost / measured", "µs, one thread", "cost", "measured");
    for tables_mib in [0, 64] {
        let mut settings = Settings::mainnet(Request::Auto).unwrap();
        let report = settings.build_tables(rt, tables_mib).unwrap();
        println!("{report}; {:?}", settings.backends());
        let s = &settings;
        let commitments: Vec<_> = all.iter().map(|b| blob_to_kzg_commitment(rt, s, b).unwrap()).collect();
        let commitments: Vec<&[u8]> = commitments.iter().map(|c| &c[..]).collect();
        let proofs = compute_blob_kzg_proof_many(rt, s, &all, &commitments).unwrap();
        let proofs: Vec<_> = proofs.into_iter().map(Result::unwrap).collect();
        let proofs: Vec<&[u8]> = proofs.iter().map(|p| &p[..]).collect();
        let extended = compute_cells_and_kzg_proofs(rt, s, all[0]).unwrap();
        let cells: Vec<&[u8]> = extended.cells.iter().map(|c| &c[..]).collect();
        let cell_proofs: Vec<&[u8]> = extended.proofs.iter().map(|p| &p[..]).collect();
        let indices: Vec<u64> = (0..CELLS_PER_EXT_BLOB as u64).collect();
        let of_cells = vec![commitments[0]; CELLS_PER_EXT_BLOB];

        row("commitment", |rt| blob_to_kzg_commitment(rt, s, all[0]));
        row("16 commitments", |rt| blob_to_kzg_commitment_many(rt, s, &all));
        row("proof of a blob", |rt| compute_blob_kzg_proof(rt, s, all[0], commitments[0]));
        row("cells", |rt| compute_cells(rt, s, all[0]));
        for n in [0, 1, 2, 4, 8, 16] {
            row(&format!("{n} further cells"), |rt| {
                compute_cells_subset(rt, s, all[0], &indices[64..64 + n])
            });
        }
        row("8 further cells of 16 blobs", |rt| compute_cells_subset_many(rt, s, &all, &indices[64..72]));
        for n in [1, 2, 4] {
            row(&format!("{n} cells with proofs"), |rt| {
                compute_cells_and_kzg_proofs_subset(rt, s, all[0], &indices[64..64 + n])
            });
        }
        row("cells and their proofs", |rt| compute_cells_and_kzg_proofs(rt, s, all[0]));
        for missing in [0, 1, 4, 8, 12] {
            let some = missing..64 + missing;
            row(&format!("recovery with {missing} of 64 missing"), |rt| {
                recover_cells(rt, s, &indices[some.clone()], &cells[some.clone()])
            });
        }
        row("recovery from the last 64 cells", |rt| recover_cells(rt, s, &indices[64..], &cells[64..]));
        row("recovery from cells 32 to 95", |rt| recover_cells(rt, s, &indices[32..96], &cells[32..96]));
        row("recovery of one cell from the blob", |rt| {
            recover_cells_subset(rt, s, &indices[..64], &cells[..64], &[99])
        });
        for n in [1, BLOBS] {
            row(&format!("verification of {n} blobs"), |rt| {
                verify_blob_kzg_proof_batch(rt, s, &all[..n], &commitments[..n], &proofs[..n])
            });
        }
        for n in [1, 8, CELLS_PER_EXT_BLOB] {
            row(&format!("verification of {n} cells of a blob"), |rt| {
                verify_cell_kzg_proof_batch(
                    rt,
                    s,
                    &of_cells[..n],
                    &indices[..n],
                    &cells[..n],
                    &cell_proofs[..n],
                )
            });
        }
    }
}

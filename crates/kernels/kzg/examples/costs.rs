//! Prints the costs of `parcrypt_kzg::costs` beside measured times: `cargo run --release -p parcrypt-kzg --example
//! costs`.
#![allow(clippy::unwrap_used, reason = "an example fails by a panic")]

use std::hint::black_box;
use std::time::Instant;

use parcrypt_kzg::{
    BYTES_PER_BLOB, CELLS_PER_EXT_BLOB, Request, Settings, blob_to_kzg_commitment,
    blob_to_kzg_commitment_many, compute_blob_kzg_proof, compute_blob_kzg_proof_many, compute_cells,
    compute_cells_and_kzg_proofs, compute_challenge, costs, recover_cells, verify_blob_kzg_proof_batch,
    verify_cell_kzg_proof_batch,
};
use parcrypt_runtime::Serial;

/// Prints a cost, the least of some measured times of `f`, both in µs, and their ratio. On a busy machine the
/// measured time is too long: the example should have a core of its own.
fn row<T>(name: &str, cost_ns: u64, f: impl Fn() -> T) {
    let times = (0..9).map(|_| {
        let begun = Instant::now();
        black_box(f());
        begun.elapsed().as_nanos() as f64
    });
    let measured = times.min_by(f64::total_cmp).unwrap();
    let cost = cost_ns as f64;
    println!("{name:<44} {:>12.0} {:>12.0}   {:>5.2}", cost / 1e3, measured / 1e3, cost / measured);
}

/// Prints the parts of the next function: their costs in µs, their shares and their numbers.
fn parts(parts: &[costs::Part]) {
    let all: u64 = parts.iter().map(|part| part.ns).sum();
    for part in parts {
        let share = 100 * part.ns / all;
        println!("  {:<42} {:>12.0} {share:>3} %  ({})", part.name, part.ns as f64 / 1e3, part.count);
    }
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

        row("challenge of a blob", costs::CHALLENGE_NS, || compute_challenge(all[0], commitments[0]));
        row("commitment", s.commitments_ns(1), || blob_to_kzg_commitment(rt, s, all[0]));
        row("16 commitments", s.commitments_ns(BLOBS), || blob_to_kzg_commitment_many(rt, s, &all));
        row("proof of a blob", s.blob_proofs_ns(1), || compute_blob_kzg_proof(rt, s, all[0], commitments[0]));
        row("cells", s.cells_ns(1), || compute_cells(rt, s, all[0]));
        row("cells and their proofs", s.cells_ns(1) + s.cell_proofs_ns(1), || {
            compute_cells_and_kzg_proofs(rt, s, all[0])
        });
        row("recovery from half of the cells", s.recovery_ns(1), || {
            recover_cells(rt, s, &indices[64..], &cells[64..])
        });
        for n in [1, BLOBS] {
            row(&format!("verification of {n} blobs"), s.verify_blobs_ns(n), || {
                verify_blob_kzg_proof_batch(rt, s, &all[..n], &commitments[..n], &proofs[..n])
            });
        }
        for n in [1, 8, CELLS_PER_EXT_BLOB] {
            parts(&s.verify_cells_parts(n, 1));
            row(&format!("verification of {n} cells of a blob"), s.verify_cells_ns(n, 1), || {
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

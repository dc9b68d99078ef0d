//! One call of a function, for counts of the cache lines that it touches. In the root of the repository, on x86-64:
//!
//! ```text
//! cargo build --release -p parcrypt-kzg --example cache_lines
//! for library in parcrypt c-kzg; do for work in proof blob blobs cell column commitment cells; do
//!   for state in cold hot; do
//!     echo $library $work $state
//!     valgrind --tool=callgrind --callgrind-out-file=/dev/null --instr-atstart=no --cache-sim=yes \
//!       --I1=32768,8,64 --D1=32768,8,64 --LL=67108864,16,64 \
//!       target/release/examples/cache_lines $library $work $state 2>&1 | grep misses
//!   done
//! done; done
//! ```
//!
//! A cold call comes after 128 MiB were written: then `LLi misses` are the lines of code that it touches, and
//! `LLd misses` the lines of data, those that it reads first and those that it writes first. `I1 misses` of a hot call
//! are lines of code from the second cache, each as often as it comes. Valgrind has no AVX-512, so Parcrypt has AVX2.
#![allow(clippy::unwrap_used, reason = "an example fails by a panic")]

use std::hint::black_box;

use c_kzg::{Blob, Bytes32, Bytes48, Cell, ethereum_kzg_settings};
use parcrypt_kzg::{
    Request, Settings, blob_to_kzg_commitment, compute_blob_kzg_proof, compute_cells,
    compute_cells_and_kzg_proofs, compute_kzg_proof, verify_blob_kzg_proof, verify_blob_kzg_proof_batch,
    verify_cell_kzg_proof_batch, verify_kzg_proof,
};
use parcrypt_runtime::Serial;
use parcrypt_testkit::valgrind::request;

/// Requests of Valgrind's callgrind.h: to count from now on, to begin again at 0, to count no longer.
const START: usize = 0x4354_0004;
const ZERO: usize = 0x4354_0001;
const STOP: usize = 0x4354_0005;

/// Blobs of the batch and of the column.
const BATCH: usize = 6;
const COLUMN: usize = 21;
/// The cells' index.
const CELL: usize = 77;

#[inline(never)]
fn measure(call: &dyn Fn() -> bool, is_cold: bool) {
    assert!(call() && call());
    request(START, &[]);
    if is_cold {
        let mut memory = vec![0u8; 128 << 20];
        memory.iter_mut().step_by(64).for_each(|byte| *byte = black_box(1));
        black_box(memory);
    } else {
        call();
    }
    request(ZERO, &[]);
    black_box(call());
    request(STOP, &[]);
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [library, work, state] = &*words else { panic!("arguments: LIBRARY WORK STATE") };
    let ours = Settings::mainnet(Request::Auto).unwrap();
    eprintln!("{:?}", ours.backends());
    let (count, columns) = match &**work {
        "blobs" => (BATCH, 0),
        "column" => (COLUMN, COLUMN),
        "cell" => (1, 1),
        _ => (1, 0),
    };
    let blob = |number: usize| {
        Blob::new(std::array::from_fn(|i| if i % 32 == 0 { 0 } else { (i * i / 7 + number) as u8 }))
    };
    let blobs: Vec<Blob> = (0..count).map(blob).collect();
    let commitments: Vec<Bytes48> =
        blobs.iter().map(|blob| blob_to_kzg_commitment(&Serial, &ours, &**blob).unwrap().into()).collect();
    let proof = |(blob, commitment): (&Blob, &Bytes48)| {
        compute_blob_kzg_proof(&Serial, &ours, &**blob, &**commitment).unwrap().into()
    };
    let proofs: Vec<Bytes48> = blobs.iter().zip(&commitments).map(proof).collect();
    let z = Bytes32::new([9; 32]);
    let (opening, y) = compute_kzg_proof(&Serial, &ours, &*blobs[0], &*z).unwrap();
    let (opening, y) = (Bytes48::new(opening), Bytes32::new(y));
    let cell = |blob: &Blob| {
        let all = compute_cells_and_kzg_proofs(&Serial, &ours, &**blob).unwrap();
        (Cell::new(all.cells[CELL]), Bytes48::new(all.proofs[CELL]))
    };
    let (cells, cell_proofs): (Vec<Cell>, Vec<Bytes48>) = blobs[..columns].iter().map(cell).unzip();
    let indices = vec![CELL as u64; columns];
    if library == "c-kzg" {
        let theirs = ethereum_kzg_settings(0);
        let call = || match &**work {
            "proof" => theirs.verify_kzg_proof(&commitments[0], &z, &y, &opening).unwrap(),
            "blob" => theirs.verify_blob_kzg_proof(&blobs[0], &commitments[0], &proofs[0]).unwrap(),
            "blobs" => theirs.verify_blob_kzg_proof_batch(&blobs, &commitments, &proofs).unwrap(),
            "cell" | "column" => {
                theirs.verify_cell_kzg_proof_batch(&commitments, &indices, &cells, &cell_proofs).unwrap()
            }
            "commitment" => *theirs.blob_to_kzg_commitment(&blobs[0]).unwrap().to_bytes() == *commitments[0],
            "cells" => black_box(theirs.compute_cells(&blobs[0]).unwrap()).len() == 128,
            other => panic!("no work is called {other}"),
        };
        return measure(&call, state == "cold");
    }
    let blobs: Vec<&[u8]> = blobs.iter().map(|blob| &**blob as &[u8]).collect();
    let commitments: Vec<&[u8]> = commitments.iter().map(|one| &**one as &[u8]).collect();
    let proofs: Vec<&[u8]> = proofs.iter().map(|one| &**one as &[u8]).collect();
    let cell_proofs: Vec<&[u8]> = cell_proofs.iter().map(|one| &**one as &[u8]).collect();
    let cell_bytes: Vec<[u8; 2048]> = cells.iter().map(Cell::to_bytes).collect();
    let cells: Vec<&[u8]> = cell_bytes.iter().map(|one| &one[..]).collect();
    let call = || match &**work {
        "proof" => verify_kzg_proof(&Serial, &ours, commitments[0], &*z, &*y, &*opening).unwrap(),
        "blob" => verify_blob_kzg_proof(&Serial, &ours, blobs[0], commitments[0], proofs[0]).unwrap(),
        "blobs" => verify_blob_kzg_proof_batch(&Serial, &ours, &blobs, &commitments, &proofs).unwrap(),
        "cell" | "column" => {
            verify_cell_kzg_proof_batch(&Serial, &ours, &commitments, &indices, &cells, &cell_proofs).unwrap()
        }
        "commitment" => blob_to_kzg_commitment(&Serial, &ours, blobs[0]).unwrap() == commitments[0],
        "cells" => black_box(compute_cells(&Serial, &ours, blobs[0]).unwrap()).len() == 128,
        other => panic!("no work is called {other}"),
    };
    measure(&call, state == "cold");
}

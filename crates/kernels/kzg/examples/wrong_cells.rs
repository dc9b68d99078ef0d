//! Prints the time of naming the wrong cells of a batch of 8,192, next to the times of a batch without wrong cells and
//! of verifying each cell by itself: `cargo run --release -p parcrypt-kzg --example wrong_cells`. Times are the
//! shortest of rounds in which all take turns.
#![allow(clippy::unwrap_used, reason = "an example fails by a panic")]

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::time::Instant;

use parcrypt_kzg::{
    BYTES_PER_BLOB, Request, Settings, blob_to_kzg_commitment, compute_cells_and_kzg_proofs,
    verify_cell_kzg_proof_batch, verify_cell_kzg_proof_batch_which,
};
use parcrypt_runtime::{Kind, Runtime, Serial};

const BLOBS: usize = 64;
const CELLS: usize = 128 * BLOBS;

/// Returns the time of a call in ms.
fn time<T>(f: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    black_box(f());
    start.elapsed().as_secs_f64() * 1e3
}

fn main() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    println!("{CELLS} cells of {BLOBS} blobs; {:?}", settings.backends());
    let (mut commitments, mut indices, mut cells, mut proofs) = (vec![], vec![], vec![], vec![]);
    for blob in 0..BLOBS {
        let byte = |i: usize| if i.is_multiple_of(32) { 0 } else { (i * i / 7 + blob) as u8 };
        let bytes: Vec<u8> = (0..BYTES_PER_BLOB).map(byte).collect();
        commitments.extend([blob_to_kzg_commitment(&Serial, &settings, &bytes).unwrap(); 128]);
        let all = compute_cells_and_kzg_proofs(&Serial, &settings, &bytes).unwrap();
        indices.extend(0..128);
        cells.extend(all.cells);
        proofs.extend(all.proofs);
    }
    // Cell k with another proof, of the next cell.
    let batch = |wrong: &dyn Fn(usize) -> bool| {
        let mut proofs = proofs.clone();
        (0..CELLS).filter(|k| wrong(*k)).for_each(|k| proofs.swap(k, (k + 1) % CELLS));
        proofs
    };
    let scattered = |k: usize| k * 2_654_435_761 % CELLS;
    // An exchange makes two cells wrong.
    let mut one = proofs.clone();
    one[5000] = one[5001];
    let cases: Vec<(String, Vec<_>)> = vec![
        ("0".into(), proofs.clone()),
        ("1".into(), one),
        ("4, in two neighbouring pairs".into(), batch(&|k| k == 1234 || k == 6000)),
        ("4, scattered".into(), {
            let mut proofs = proofs.clone();
            (1..5).for_each(|i| proofs[scattered(i)] = proofs[0]);
            proofs
        }),
        ("64, scattered".into(), {
            let mut proofs = proofs.clone();
            (1..65).for_each(|i| proofs[scattered(i)] = proofs[0]);
            proofs
        }),
        ("4096".into(), batch(&|k| k % 4 == 0)),
    ];
    let slices = |all: &'_ [[u8; 48]]| -> Vec<Vec<u8>> { all.iter().map(|one| one.to_vec()).collect() };
    let commitments = slices(&commitments);
    let commitments: Vec<&[u8]> = commitments.iter().map(Vec::as_slice).collect();
    let cells: Vec<&[u8]> = cells.iter().map(|cell| &cell[..]).collect();
    let two: Box<dyn Runtime> = Kind::Rayon.build(NonZeroUsize::new(2).unwrap()).unwrap();
    for (threads, rt) in [(1, &Serial as &dyn Runtime), (2, &*two)] {
        let mut best = vec![f64::MAX; cases.len() + 2];
        for round in 0..5 {
            let honest: Vec<&[u8]> = proofs.iter().map(|proof| &proof[..]).collect();
            let verify = |k: std::ops::Range<usize>| {
                let (c, p) = (&commitments[k.clone()], &honest[k.clone()]);
                verify_cell_kzg_proof_batch(rt, &settings, c, &indices[k.clone()], &cells[k], p).unwrap()
            };
            best[0] = best[0].min(time(|| verify(0..CELLS)));
            for (i, (name, proofs)) in cases.iter().enumerate().filter(|(i, _)| *i < 5 || round < 2) {
                let proofs: Vec<&[u8]> = proofs.iter().map(|proof| &proof[..]).collect();
                let which = || {
                    verify_cell_kzg_proof_batch_which(rt, &settings, &commitments, &indices, &cells, &proofs)
                };
                best[1 + i] = best[1 + i].min(time(|| {
                    let found = which().unwrap().len();
                    assert_eq!(found.to_string(), name.split(',').next().unwrap());
                }));
            }
            if round < 2 {
                let last = best.len() - 1;
                best[last] = best[last].min(time(|| (0..CELLS).for_each(|k| assert!(verify(k..k + 1)))));
            }
        }
        println!("threads: {threads}");
        println!("{:<40} {:>10} {:>10}", "wrong cells", "ms", "/ batch");
        let names = cases.iter().map(|(name, _)| name.as_str());
        let names = std::iter::once("0, by the batch").chain(names).chain(["each cell by itself"]);
        for (name, ms) in names.zip(&best) {
            println!("{name:<40} {ms:>10.1} {:>10.2}", ms / best[0]);
        }
    }
}

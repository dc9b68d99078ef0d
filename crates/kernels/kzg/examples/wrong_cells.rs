//! Prints the time of finding the wrong cells of a batch, next to the time of a batch without wrong cells and of
//! verifying each cell by itself: `cargo run --release -p parcrypt-kzg --example wrong_cells`. Times are medians of
//! rounds in which all take turns.
#![allow(clippy::unwrap_used, reason = "an example fails by a panic")]

use std::hint::black_box;
use std::time::Instant;

use parcrypt_kzg::{
    BYTES_PER_BLOB, Request, Settings, blob_to_kzg_commitment, compute_cells_and_kzg_proofs,
    find_wrong_cells, verify_cell_kzg_proof_batch,
};
use parcrypt_runtime::Serial;

const ROUNDS: usize = 15;

fn main() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    println!("{:?}, {ROUNDS} rounds, one thread", settings.backends());
    println!("{:>6} {:>8} {:>10} {:>8}", "cells", "wrong", "ms", "/ batch");
    for blobs in [1, 6, 64] {
        let (mut commitments, mut indices, mut cells, mut proofs) = (vec![], vec![], vec![], vec![]);
        for blob in 0..blobs {
            let byte = |i: usize| if i.is_multiple_of(32) { 0 } else { (i * i / 7 + blob) as u8 };
            let bytes: Vec<u8> = (0..BYTES_PER_BLOB).map(byte).collect();
            commitments.extend([blob_to_kzg_commitment(&Serial, &settings, &bytes).unwrap(); 128]);
            let all = compute_cells_and_kzg_proofs(&Serial, &settings, &bytes).unwrap();
            indices.extend(0..128);
            cells.extend(all.cells);
            proofs.extend(all.proofs);
        }
        let n = cells.len();
        let commitments: Vec<&[u8]> = commitments.iter().map(|commitment| &commitment[..]).collect();
        let cells: Vec<&[u8]> = cells.iter().map(|cell| &cell[..]).collect();
        let honest: Vec<&[u8]> = proofs.iter().map(|proof| &proof[..]).collect();
        // Wrong cells have the proof of the next one, and are at places without a pattern.
        let with_wrong = |count: usize| {
            let places = (1..=count).map(|i| i * 2_654_435_761 % n);
            places.fold(honest.clone(), |mut proofs, k| {
                proofs[k] = honest[(k + 1) % n];
                proofs
            })
        };
        let wrong = [0, 1, 4, 64];
        let batches = wrong.map(with_wrong);
        let mut times = vec![Vec::new(); 2 + wrong.len()];
        for _ in 0..ROUNDS {
            let mut time = |i: usize, f: &dyn Fn()| {
                let start = Instant::now();
                f();
                times[i].push(start.elapsed().as_secs_f64() * 1e3);
            };
            let verify = |k: std::ops::Range<usize>| {
                let (c, p) = (&commitments[k.clone()], &honest[k.clone()]);
                let verdict =
                    verify_cell_kzg_proof_batch(&Serial, &settings, c, &indices[k.clone()], &cells[k], p);
                assert!(black_box(verdict).unwrap());
            };
            time(0, &|| verify(0..n));
            for (i, proofs) in batches.iter().enumerate() {
                time(1 + i, &|| {
                    let found = find_wrong_cells(&Serial, &settings, &commitments, &indices, &cells, proofs);
                    assert_eq!(found.unwrap().len(), wrong[i]);
                });
            }
            if blobs < 64 {
                time(1 + wrong.len(), &|| (0..n).for_each(|k| verify(k..k + 1)));
            }
        }
        let names = ["batch".to_owned()].into_iter().chain(wrong.map(|count| count.to_string()));
        let medians = times.iter_mut().map(|times| {
            times.sort_by(f64::total_cmp);
            times.get(times.len() / 2).copied()
        });
        let medians: Vec<Option<f64>> = medians.collect();
        for (name, ms) in names.chain(["each".to_owned()]).zip(&medians) {
            if let (Some(ms), Some(batch)) = (ms, medians[0]) {
                println!("{n:>6} {name:>8} {ms:>10.2} {:>8.2}", ms / batch);
            }
        }
    }
}

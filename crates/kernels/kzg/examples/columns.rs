//! Prints times to verify a column, as one batch and by a verifier that has read the commitments, in turns, and to
//! verify all columns of many blobs, each by itself: `cargo run --release -p parcrypt-kzg --example columns --
//! [BACKEND]`.
#![allow(clippy::unwrap_used, reason = "an example fails by a panic")]

use std::num::NonZeroUsize;
use std::thread;
use std::time::{Duration, Instant};

use parcrypt_kzg::{
    BYTES_PER_BLOB, CELLS_PER_EXT_BLOB, CellClaim, CellVerifier, CellsAndProofs, Request, Settings,
    blob_to_kzg_commitment_many, compute_cells_and_kzg_proofs_many, verify_cell_kzg_proof_batch,
};
use parcrypt_runtime::Serial;

const BLOBS: usize = 72;
const RUNS: usize = 600;

/// Returns the claims about a column.
fn claims(sent: &[CellsAndProofs], column: usize) -> Vec<CellClaim<'_>> {
    let claim = |i: usize| CellClaim {
        commitment_index: i as u64,
        cell_index: column as u64,
        cell: &sent[i].cells[column],
        proof: &sent[i].proofs[column],
    };
    (0..sent.len()).map(claim).collect()
}

fn main() {
    let request = std::env::args().nth(1).map(|backend| Request::Exactly(backend.parse().unwrap()));
    let mut settings = Settings::mainnet(request.unwrap_or_default()).unwrap();
    settings.build_tables(&Serial, 64).unwrap();
    let settings = &settings;
    println!("{:?}", settings.backends());
    let blob =
        |b: usize| (0..BYTES_PER_BLOB).map(move |i| if i % 32 == 0 { 0 } else { (i * i / 7 + b) as u8 });
    let blobs: Vec<Vec<u8>> = (0..BLOBS).map(|b| blob(b).collect()).collect();
    let blobs: Vec<&[u8]> = blobs.iter().map(Vec::as_slice).collect();
    let commitments = blob_to_kzg_commitment_many(&Serial, settings, &blobs).into_iter();
    let commitments: Vec<_> = commitments.map(Result::unwrap).collect();
    let commitments: Vec<&[u8]> = commitments.iter().map(|commitment| &commitment[..]).collect();
    let sent = compute_cells_and_kzg_proofs_many(&Serial, settings, &blobs).into_iter();
    let sent: Vec<CellsAndProofs> = sent.map(Result::unwrap).collect();
    let any = NonZeroUsize::MAX;
    let new = |blobs: usize| CellVerifier::new(&Serial, settings, &commitments[..blobs]).unwrap();

    println!("µs, one thread, the shortest of {RUNS}    as a batch     verifier   ratio  stated");
    for blobs in [1, 6, 21, BLOBS] {
        let mut shortest = [Duration::MAX; 2];
        let mut verifier = new(blobs);
        for run in 0..RUNS {
            let column = run % CELLS_PER_EXT_BLOB;
            if column == 0 {
                verifier = new(blobs);
            }
            let all = claims(&sent[..blobs], column);
            let indices = vec![column as u64; blobs];
            let cells: Vec<&[u8]> = all.iter().map(|claim| claim.cell).collect();
            let proofs: Vec<&[u8]> = all.iter().map(|claim| claim.proof).collect();
            let begun = Instant::now();
            let (c, s) = (&commitments[..blobs], settings);
            assert!(verify_cell_kzg_proof_batch(&Serial, s, c, &indices, &cells, &proofs).unwrap());
            shortest[0] = shortest[0].min(begun.elapsed());
            let begun = Instant::now();
            verifier.add(&all).unwrap();
            assert_eq!(verifier.verify_next(&Serial, settings, any).unwrap().verified.len(), blobs);
            shortest[1] = shortest[1].min(begun.elapsed());
        }
        let stated = verifier.cost(settings, blobs).as_secs_f64() * 1e6;
        let [batch, next] = shortest.map(|time| time.as_secs_f64() * 1e6);
        println!(
            "a column of {blobs:<3} blobs {batch:>24.0} {next:>12.0}   {:>5.2} {stated:>7.0}",
            next / batch
        );
    }
    for threads in [1, 2] {
        let times = (0..3).map(|_| {
            let verifier = new(BLOBS);
            let columns = 0..CELLS_PER_EXT_BLOB;
            columns.for_each(|column| verifier.add(&claims(&sent, column)).unwrap());
            let begun = Instant::now();
            let verify = || {
                let next = || verifier.verify_next(&Serial, settings, any).unwrap();
                std::iter::repeat_with(next)
                    .map(|v| v.verified.len())
                    .take_while(|cells| *cells > 0)
                    .sum::<usize>()
            };
            let cells: usize = thread::scope(|scope| {
                let threads: Vec<_> = (0..threads).map(|_| scope.spawn(verify)).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).sum()
            });
            assert_eq!(cells, BLOBS * CELLS_PER_EXT_BLOB);
            (begun.elapsed(), verifier.memory())
        });
        let (time, memory) = times.min().unwrap();
        let ms = time.as_secs_f64() * 1e3;
        println!(
            "128 columns of {BLOBS} blobs, each alone, {threads} threads: {ms:.0} ms; {memory} bytes remain"
        );
    }
}

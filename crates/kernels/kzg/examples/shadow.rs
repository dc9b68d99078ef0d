//! Prints the time of each function of KZG and of its second opinion, and what a shadow of one in 1000 calls adds.
//!
//! `cargo run --release -p parcrypt-kzg --example shadow`. Calls without a shadow and calls of which each is checked
//! take turns on one thread, and the shortest of each counts: 'in line' is (checked − plain) / (1000 · plain). For
//! 'queued', a call only copies its inputs into the queue. Last is what a call adds that is not checked: with a shadow
//! of one in 2^32 − 1 calls, a call that refuses its input.

use std::num::{NonZeroU32, NonZeroUsize};
use std::time::{Duration, Instant};

use parcrypt_kzg::{
    BYTES_PER_BLOB, Request, Settings, Shadow, blob_to_kzg_commitment, compute_blob_kzg_proof, compute_cells,
    compute_cells_and_kzg_proofs, recover_cells_and_kzg_proofs, verify_blob_kzg_proof_batch,
    verify_cell_kzg_proof_batch,
};
use parcrypt_runtime::Serial;

const TURNS: usize = 20;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rt = &Serial;
    let plain = Settings::mainnet(Request::Auto)?.with_precompute(rt, 8)?;
    let every = Shadow::one_in(NonZeroU32::MIN);
    let checked = plain.clone().with_shadow(every.clone())?;
    let (shadow, queue) = every.queue(NonZeroUsize::MIN);
    let queued = plain.clone().with_shadow(shadow)?;
    println!("{plain}\n{:<34} {:>10} {:>10} {:>9} {:>9}", "", "plain", "second", "in line", "queued");

    let blob: Vec<u8> =
        (0..BYTES_PER_BLOB).map(|i| if i % 32 == 0 { 0 } else { (i * i / 7) as u8 }).collect();
    let commitment = blob_to_kzg_commitment(rt, &plain, &blob)?;
    let proof = compute_blob_kzg_proof(rt, &plain, &blob, &commitment)?;
    let both = compute_cells_and_kzg_proofs(rt, &plain, &blob)?;
    let cells: Vec<&[u8]> = both.cells.iter().map(|cell| &cell[..]).collect();
    let proofs: Vec<&[u8]> = both.proofs.iter().map(|proof| &proof[..]).collect();
    let all: Vec<u64> = (0..128).collect();

    type Call<'a> = Box<dyn Fn(&Settings) -> bool + 'a>;
    let calls: [(&str, Call<'_>); 8] = [
        ("blob_to_kzg_commitment", Box::new(|s| blob_to_kzg_commitment(rt, s, &blob).is_ok())),
        ("compute_blob_kzg_proof", Box::new(|s| compute_blob_kzg_proof(rt, s, &blob, &commitment).is_ok())),
        ("compute_cells", Box::new(|s| compute_cells(rt, s, &blob).is_ok())),
        ("compute_cells_and_kzg_proofs", Box::new(|s| compute_cells_and_kzg_proofs(rt, s, &blob).is_ok())),
        (
            "recover_cells_and_kzg_proofs, half",
            Box::new(|s| recover_cells_and_kzg_proofs(rt, s, &all[64..], &cells[64..]).is_ok()),
        ),
        (
            "verify_blob_kzg_proof_batch, 1",
            Box::new(|s| verify_blob_kzg_proof_batch(rt, s, &[&blob], &[&commitment], &[&proof]) == Ok(true)),
        ),
        (
            "verify_blob_kzg_proof_batch, 6",
            Box::new(|s| {
                let (blobs, commitments, proofs) = ([&blob[..]; 6], [&commitment[..]; 6], [&proof[..]; 6]);
                verify_blob_kzg_proof_batch(rt, s, &blobs, &commitments, &proofs) == Ok(true)
            }),
        ),
        (
            "verify_cell_kzg_proof_batch, 128",
            Box::new(|s| {
                let commitments = [&commitment[..]; 128];
                verify_cell_kzg_proof_batch(rt, s, &commitments, &all, &cells, &proofs) == Ok(true)
            }),
        ),
    ];
    for (name, call) in &calls {
        let mut least = [Duration::MAX; 3];
        for _ in 0..TURNS {
            for (settings, least) in [&plain, &checked, &queued].into_iter().zip(&mut least) {
                let begun = Instant::now();
                assert!(call(settings), "{name}");
                *least = begun.elapsed().min(*least);
                queue.run_waiting(rt);
            }
        }
        let [plain, checked, queued] = least.map(|time| time.as_secs_f64());
        let share = |time: f64| format!("{:.3} %", (time - plain).max(0.0) / plain / 10.0);
        let ms = |time: f64| format!("{:.2} ms", 1e3 * time);
        println!(
            "{name:<34} {:>10} {:>10} {:>9} {:>9}",
            ms(plain),
            ms(checked - plain),
            share(checked),
            share(queued)
        );
    }

    let seldom = plain.clone().with_shadow(Shadow::one_in(NonZeroU32::MAX))?;
    let mut least = [f64::MAX; 2];
    for _ in 0..TURNS {
        for (settings, least) in [&plain, &seldom].into_iter().zip(&mut least) {
            let begun = Instant::now();
            for _ in 0..10_000 {
                assert!(blob_to_kzg_commitment(rt, settings, &blob[1..]).is_err());
            }
            *least = least.min(begun.elapsed().as_secs_f64() / 1e4);
        }
    }
    println!("a call that is not checked: {:.1} ns more", 1e9 * (least[1] - least[0]));
    Ok(())
}

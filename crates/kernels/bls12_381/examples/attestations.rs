//! Prints times to verify n aggregate attestations of k messages (public keys in G1, signatures in G2, as in Ethereum)
//! with this crate and with blst's `verify_multiple_aggregate_signatures`, in turns on one processor:
//! `taskset -c 0 cargo run --release -p parcrypt-bls12-381 --example attestations`.
//!
//! For keys Kᵢ, signatures Sᵢ and random factors rᵢ it checks that the product of e(Σ rᵢ·Kᵢ, H(m)) over the messages m,
//! each sum over the attestations of m, is e(G, Σ rᵢ·Sᵢ): a hash and a pairing for each message. blst takes both for
//! each attestation. Factors have 64 bits and come from the operating system. The row `blst` shows what grouping gains.
#![allow(clippy::unwrap_used, reason = "an example fails by a panic")]
#![allow(unsafe_code, reason = "blst has no safe function for a hash to G2")]

use std::array::from_fn;
use std::collections::BTreeMap;
use std::time::Instant;

use blst::min_pk::{AggregateSignature, PublicKey, SecretKey, Signature};
use blst::{BLST_ERROR::BLST_SUCCESS, MultiPoint, blst_hash_to_g2, blst_p2, blst_scalar};
use parcrypt_bls12_381::dispatch::{FpRow, PairingRow, select, select_pairing};
use parcrypt_bls12_381::{Backend, Fr, G1Affine, G2Affine, Membership, decompress, msm, pairing};
use parcrypt_runtime::Serial;

const DST: &[u8] = b"BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_";
type Rows = (&'static FpRow, &'static PairingRow);

#[derive(Clone)]
struct Attestation {
    key: [u8; 48],
    message: [u8; 32],
    signature: [u8; 96],
}

/// Returns n valid attestations of k messages.
fn honest(n: usize, k: usize) -> Vec<Attestation> {
    let attestation = |i: usize| {
        let secret = SecretKey::key_gen(&[&i.to_le_bytes()[..]; 4].concat(), &[]).unwrap();
        let message = from_fn(|byte| (i % k + byte) as u8);
        let signature = secret.sign(&message, DST, &[]).compress();
        Attestation { key: secret.sk_to_pk().compress(), message, signature }
    };
    (0..n).map(attestation).collect()
}

/// Replaces a by a + b, or by a − b for `sign` 0x20, the flag of the sign.
fn add(a: &mut [u8; 96], mut b: [u8; 96], sign: u8) {
    b[0] ^= sign;
    let [p, q] = [*a, b].map(|bytes| Signature::from_bytes(&bytes).unwrap());
    *a = AggregateSignature::aggregate(&[&p, &q], false).unwrap().to_signature().compress();
}

/// Returns an encoding with a first byte of flags and a small x that `is_point` accepts.
fn small<const N: usize>(flags: u8, is_point: impl Fn(&[u8; N]) -> bool) -> [u8; N] {
    (0..).map(|x| from_fn(|i| if i == 0 { flags } else { u8::from(i == N - 1) * x })).find(is_point).unwrap()
}

/// Returns a list in which an attestation is not valid; only in the way 0 it takes random factors to find out.
fn spoiled(honest: &[Attestation], way: usize) -> Vec<Attestation> {
    let mut all = honest.to_vec();
    let [a, b, c, ..] = &mut all[..] else { unreachable!("three messages") };
    let outside_g2 = small(0x80, |x| Signature::from_bytes(x).is_ok());
    let mut cancel = |point| {
        add(&mut a.signature, point, 0);
        add(&mut b.signature, point, 0x20);
    };
    match way {
        0 => cancel(c.signature),
        1 => cancel(outside_g2),
        2 => a.signature = c.signature,
        3 => a.signature = outside_g2,
        4 => a.key = small(0x80, |x| PublicKey::from_bytes(x).is_ok()),
        5 => std::mem::swap(&mut a.message, &mut b.message),
        6 => (a.key, a.signature) = (small(0xc0, |_| true), small(0xc0, |_| true)),
        7 => a.signature = small(0xc0, |_| true),
        _ => a.signature[0] = 0,
    }
    all
}

/// Returns whether all are valid, by blst.
fn blst_verify(keys: &[PublicKey], all: &[Attestation], factors: &[u64]) -> Option<bool> {
    let signatures = all.iter().map(|a| Signature::from_bytes(&a.signature));
    let signatures = signatures.collect::<Result<Vec<_>, _>>().ok()?;
    let messages: Vec<&[u8]> = all.iter().map(|a| &a.message[..]).collect();
    let scalar = |f: &u64| blst_scalar { b: from_fn(|i| f.to_le_bytes().get(i).copied().unwrap_or(0)) };
    let scalars: Vec<blst_scalar> = factors.iter().map(scalar).collect();
    let (keys, signatures): (Vec<_>, Vec<_>) = keys.iter().zip(&signatures).unzip();
    let verify = Signature::verify_multiple_aggregate_signatures;
    Some(verify(&messages, DST, &keys, false, &signatures, true, &scalars, 64) == BLST_SUCCESS)
}

/// Returns the keys in vector lanes; `None` if one is not a finite point of G1.
fn keys(row: &'static FpRow, all: &[Attestation]) -> Option<Vec<G1Affine>> {
    let compressed: Vec<&[u8; 48]> = all.iter().map(|a| &a.key).collect();
    let keys = decompress(&Serial, row, Membership::Batched, &compressed).into_iter();
    keys.map(|key| key.ok().filter(|key| !key.is_identity())).collect()
}

/// Returns a finite point of blst.
fn point(signature: &Signature) -> Option<G2Affine> {
    let bytes = signature.serialize();
    let [x1, x0, y1, y0] = bytes.as_chunks().0.try_into().ok()?;
    G2Affine::from_coordinates([&x0, &x1, &y0, &y1]).ok()
}

/// Returns whether all are valid, and the begin and the end of each part; `None` if bytes are no signature.
fn verify(rows: Rows, keys: &[G1Affine], all: &[Attestation], r: &[u64]) -> Option<(bool, [Instant; 6])> {
    let begun = Instant::now();
    let signatures = all.iter().map(|a| Signature::sig_validate(&a.signature, false).ok());
    let signatures: Vec<Signature> = signatures.collect::<Option<_>>()?;
    let read = Instant::now();
    let bytes: Vec<u8> = r.iter().flat_map(|factor| factor.to_le_bytes()).collect();
    let signature = point(&signatures.mult(&bytes, 64).to_signature())?;
    let signatures_added = Instant::now();
    let mut groups: BTreeMap<&[u8; 32], (Vec<G1Affine>, Vec<Fr>)> = BTreeMap::new();
    for ((attestation, key), factor) in all.iter().zip(keys).zip(r) {
        let (keys, factors) = groups.entry(&attestation.message).or_default();
        keys.push(*key);
        factors.push(Fr::from(*factor));
    }
    let sum = |(keys, factors): &(Vec<_>, Vec<_>)| {
        msm::msm_fastest_vartime(&Serial, rows.0, msm::Scalars::Half, keys, factors).map(G1Affine::from).ok()
    };
    let sums: Vec<_> = groups.values().map(sum).collect::<Option<_>>()?;
    let keys_added = Instant::now();
    let hash = |message: &&[u8; 32]| {
        let mut hash = blst_p2::default();
        let ((m, len), (dst, dst_len)) = ((message.as_ptr(), message.len()), (DST.as_ptr(), DST.len()));
        // SAFETY: reads `len` and `dst_len` bytes, which the slices have, and none of the last; writes one point.
        unsafe { blst_hash_to_g2(&mut hash, m, len, dst, dst_len, std::ptr::null(), 0) };
        point(&AggregateSignature::from(hash).to_signature())
    };
    let pairs = groups.keys().zip(sums).map(|(message, sum)| Some((sum, hash(message)?)));
    let pairs = pairs.chain([Some((-G1Affine::generator(), signature))]).collect::<Option<Vec<_>>>()?;
    let hashed = Instant::now();
    let valid = pairing::product_of_points_is_identity(rows.1, &pairs);
    Some((valid, [begun, read, signatures_added, keys_added, hashed, Instant::now()]))
}

/// Prints the shortest of 15 times of two functions, for each of n attestations, and the median of the ratio of a turn.
/// The interval misses it with a probability of 2·(1 + 15 + 105) / 2^15 < 0.01.
fn print_row(name: &str, n: usize, functions: [&mut dyn FnMut(); 2]) {
    let mut turns = [[0.0; 2]; 15];
    for (i, turn) in turns.iter_mut().enumerate() {
        for which in [i % 2, 1 - i % 2] {
            let begun = Instant::now();
            functions[which]();
            turn[which] = begun.elapsed().as_secs_f64() * 1e6 / n as f64;
        }
    }
    let [ours, blst] = [0, 1].map(|which| turns.iter().map(|turn| turn[which]).fold(f64::INFINITY, f64::min));
    let mut ratios = turns.map(|[ours, blst]| ours / blst);
    ratios.sort_by(f64::total_cmp);
    println!("{name:<32} {ours:>5.0} {blst:>5.0} {:>8.3} [{:.3}, {:.3}]", ratios[7], ratios[2], ratios[12]);
}

fn main() {
    let blst_keys = |all: &[Attestation]| -> Option<Vec<PublicKey>> {
        all.iter().map(|a| PublicKey::key_validate(&a.key).ok()).collect()
    };
    let factors = |n| (0..n).map(|_| getrandom::u64().unwrap()).collect::<Vec<u64>>();
    let backends = [Backend::Blst, Backend::Avx2, Backend::Ifma];
    for backend in parcrypt_testkit::backends("attestations", &backends) {
        let rows = (select(backend.into()).unwrap(), select_pairing(backend.into()).unwrap());
        let check = |all: &[Attestation], factors: &[u64], expected| {
            let ours = keys(rows.0, all).and_then(|keys| verify(rows, &keys, all, factors));
            let blst = blst_keys(all).and_then(|keys| blst_verify(&keys, all, factors));
            let verdicts = [ours.is_some_and(|(valid, _)| valid), blst == Some(true)];
            assert_eq!(verdicts, [expected; 2], "{backend}");
        };
        let all = honest(24, 3);
        check(&all, &factors(24), true);
        for way in 0..9 {
            check(&spoiled(&all, way), &factors(24), false);
            check(&spoiled(&all, way), &[1; 24], way == 0);
        }
        println!("{backend}: verdicts agree for honest and spoiled lists");
        if cfg!(debug_assertions) || std::thread::available_parallelism().unwrap().get() > 1 {
            parcrypt_testkit::skip("attestations", "times", "blst uses all processors; try `taskset -c 0`");
            continue;
        }
        println!("{:<32} {:>5} {:>5} {:>8}", "µs for each attestation", "ours", "blst", "ratio");
        let all = honest(256, 1);
        let mut ours = || assert!(keys(rows.0, &all).is_some());
        print_row("read 256 keys", 256, [&mut ours, &mut || assert!(blst_keys(&all).is_some())]);
        for (n, k) in [(64, 64), (64, 8), (64, 1), (256, 8)] {
            let all = honest(n, k);
            let (our_keys, keys) = (keys(rows.0, &all).unwrap(), blst_keys(&all).unwrap());
            let mut parts = ["read", "add signatures", "add keys", "hash", "pair"].map(|p| (p, 1e9_f64));
            let mut ours = || {
                let Some((true, ends)) = verify(rows, &our_keys, &all, &factors(n)) else {
                    panic!("refused")
                };
                for ((_, time), ends) in parts.iter_mut().zip(ends.windows(2)) {
                    *time = time.min((ends[1] - ends[0]).as_secs_f64() * 1e6 / n as f64);
                }
            };
            let mut blst = || assert_eq!(blst_verify(&keys, &all, &factors(n)), Some(true));
            print_row(&format!("{n} attestations, {k} messages"), n, [&mut ours, &mut blst]);
            parts.iter().for_each(|(part, time)| println!("  {part:<30} {time:>5.0}"));
        }
    }
}

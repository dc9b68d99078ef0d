//! Compares Parcrypt on each row of this machine with c-kzg and rust_eth_kzg: `make differential SEED=1 N=1000`.
//!
//! Input `i` of a seed is the same for every N; a third each is honest, corrupted and adversarial. Prints one line with
//! the numbers of inputs and answers. Exit code: 0 if all agree, 1 at the first difference, which is reported with the
//! command that repeats it, 2 for wrong arguments.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use parcrypt_oracles::Function::*;
use parcrypt_oracles::{
    Answer, Call, Function, MAINNET, Parcrypt, Sample, adversarial, corrupted, honest, rows, samples,
};
use parcrypt_testkit::rand::RngCore;
use parcrypt_testkit::rng_from;

/// Returns an input of a function.
type Make = fn(&mut dyn RngCore, &[Sample], Function) -> Call;

/// Kinds of inputs, which take turns.
const KINDS: [(&str, Make); 3] = [("honest", honest), ("corrupted", corrupted), ("adversarial", adversarial)];

/// Functions that verify and that compute: three of four calls verify.
const VERIFY: [Function; 3] = [VerifyCells, VerifyBlobs, VerifyProof];
const COMPUTE: [Function; 6] =
    [BlobToCommitment, ComputeProof, ComputeCells, ComputeBlobProof, ComputeCellsAndProofs, Recover];

/// Number of inputs with the same random blobs.
const INPUTS_OF_BLOBS: u64 = 240;

fn main() -> ExitCode {
    let (seed, n, first) = match numbers() {
        Ok(numbers) => numbers,
        Err(why) => {
            eprintln!("differential: {why}; for example: make differential SEED=1 N=1000");
            return ExitCode::from(2);
        }
    };
    let rows = rows();
    let (mut blobs, mut kinds, mut answers) = (Vec::new(), [0; 3], [0; 4]);
    for i in first..first + n {
        if i == first || i % INPUTS_OF_BLOBS == 0 {
            blobs = samples(&mut rng_from(seed, u64::MAX - i / INPUTS_OF_BLOBS));
        }
        let (kind, turn) = ((i % 3) as usize, (i / 3) as usize);
        let function = *VERIFY.get(turn % 4).unwrap_or(&COMPUTE[turn / 4 % 6]);
        let call = || KINDS[kind].1(&mut rng_from(seed, i), &blobs, function);
        match catch_unwind(AssertUnwindSafe(|| answer(&rows, &call()))) {
            Ok(answer) if kind > 0 || !matches!(answer, Answer::Invalid | Answer::Refused(_)) => {
                kinds[kind] += 1;
                answers[match answer {
                    Answer::Value(_) => 0,
                    Answer::Valid => 1,
                    Answer::Invalid => 2,
                    Answer::Refused(_) => 3,
                }] += 1;
            }
            other => {
                let why = if other.is_ok() {
                    "an honest input is invalid or refused"
                } else {
                    "a difference, see above"
                };
                eprintln!("differential: seed {seed}, input {i}, {} {function:?}: {why}", KINDS[kind].0);
                eprintln!("To repeat it: make differential SEED={seed} N=1 FIRST={i}");
                return ExitCode::FAILURE;
            }
        }
    }
    let ([honest, corrupted, adversarial], [values, valid, invalid, refused]) = (kinds, answers);
    let names: Vec<&str> = rows.iter().map(|(name, _)| &name[..]).collect();
    println!(
        "differential: seed {seed}, {n} inputs from {first}: {honest} honest, {corrupted} corrupted, {adversarial} \
         adversarial; {values} values, {valid} valid, {invalid} invalid, {refused} refused; no difference between \
         c-kzg, rust_eth_kzg and {}",
        names.join(", ")
    );
    ExitCode::SUCCESS
}

/// Returns the seed, the number of inputs and the first of them, from the arguments.
fn numbers() -> Result<(u64, u64, u64), String> {
    let number = |text: String| text.parse().map_err(|_| format!("'{text}' is not a number below 2^64"));
    match std::env::args().skip(1).map(number).collect::<Result<Vec<u64>, _>>()?[..] {
        [seed, n, first] if n > 0 && first.checked_add(n).is_some() => Ok((seed, n, first)),
        _ => Err("SEED, N and FIRST are needed, N at least 1 and FIRST + N below 2^64".into()),
    }
}

/// Returns the answer of c-kzg and rust_eth_kzg to a call.
///
/// # Panics
/// If one of them, or Parcrypt on a row, has another one, or if two rows name different errors.
fn answer(rows: &[(String, Parcrypt)], call: &Call) -> Answer {
    let right = MAINNET.answer("the other libraries", call);
    let ours: Vec<Answer> = rows.iter().map(|(_, kzg)| call.ask(kzg)).collect();
    for ((row, _), answer) in rows.iter().zip(&ours) {
        assert!(answer.agrees(&right), "{row} returns {answer:?}, the other libraries {right:?}");
        assert_eq!(*answer, ours[0], "{row} and {}", rows[0].0);
    }
    right
}

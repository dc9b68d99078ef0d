//! Proves that routines of a static library compute what is claimed of them.
//!
//! SOUNDNESS.md, "Proofs of machine code", says what that means and what it does not.

mod changes;
mod claims;
mod code;
mod instructions;
mod machine;
mod native;
mod reduced;
mod rings;
mod scalars;
#[cfg(test)]
mod tests;
mod values;

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use claims::{Claim, Proof};
use code::Routine;
use values::Refused;

const USAGE: &str = "\
Proves that routines of a static library compute what is claimed of them, and prints a table.

Usage: parcrypt-proofs LIBRARY [--changes N] [--calls N]

  LIBRARY      a static library or an rlib of a release build
  --changes N  also changes each routine and claim: up to N changes of each of five kinds have to be refused
  --calls N    also calls each routine that this processor can run, for N lanes or coefficients at the edges of its bounds

Exit code: 0 if each claim is proved for a routine and each change is refused, 1 if not, 2 for a wrong argument.
";

/// What was shown for a claim, by a thread.
type Shown = Mutex<Option<Result<Vec<Row>, Refused>>>;

/// What was shown for a routine.
struct Row {
    routine: Routine,
    proof: Proof,
    seconds: f64,
    refused: usize,
    calls: Option<usize>,
}

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (mut library, mut changes, mut calls) = (None, 0, 0);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().and_then(|n| n.parse().ok());
        match argument.as_str() {
            "-h" | "--help" => {
                print!("{USAGE}");
                return ExitCode::SUCCESS;
            }
            "--changes" | "--calls" => match number() {
                Some(n) if argument == "--calls" => calls = n,
                Some(n) => changes = n,
                None => return wrong(&format!("{argument} needs a number")),
            },
            path if library.is_none() && !path.starts_with('-') => library = Some(path.to_owned()),
            other => return wrong(&format!("unexpected argument {other}")),
        }
    }
    let Some(library) = library else { return wrong("no library") };
    let routines = std::fs::read(&library).map_err(|why| why.to_string());
    match routines.and_then(|archive| code::routines(&archive, &["outlined", "::enabled"])) {
        Ok(routines) if routines.is_empty() => wrong(&format!("{library} has no routines of Parcrypt")),
        Ok(routines) => prove(&routines, changes, calls),
        Err(why) => wrong(&format!("{library}: {why}")),
    }
}

fn wrong(why: &str) -> ExitCode {
    eprintln!("parcrypt-proofs: {why}\n\n{USAGE}");
    ExitCode::from(2)
}

/// Proves all claims on all processors, and prints the table.
fn prove(routines: &[Routine], changes: usize, calls: usize) -> ExitCode {
    fn boxed<C: Claim + 'static>(claims: Vec<C>) -> impl Iterator<Item = Box<dyn Claim>> {
        claims.into_iter().map(|claim| Box::new(claim) as _)
    }
    let fields = boxed(claims::claims()).chain(boxed(reduced::claims())).chain(boxed(scalars::claims()));
    let claims: Vec<_> = fields.chain(boxed(rings::claims())).collect();
    let next = AtomicUsize::new(0);
    let results: Vec<Shown> = claims.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let number = next.fetch_add(1, Ordering::Relaxed)
                    && let (Some(claim), Some(result)) = (claims.get(number), results.get(number))
                {
                    let shown = show(claim.as_ref(), routines, changes, calls);
                    if let Ok(mut result) = result.lock() {
                        *result = Some(shown);
                    }
                }
            });
        }
    });
    println!("<!-- Written by `make proofs`: edits are lost. -->\n\n# Proofs of machine code\n");
    println!(
        "What routines of the C library compute; [SOUNDNESS.md](../../SOUNDNESS.md#proofs-of-machine-code) explains it. A routine"
    );
    println!(
        "has its vectors and the first digits of the SHA-256 of its bytes and constants. The processor was called if it has"
    );
    println!("the instructions.\n");
    println!("| what | claim | routine | bytes | instructions, steps | seconds | changes refused | calls |");
    println!("|---|---|---|--:|--:|--:|--:|--:|");
    let (mut failed, mut proved) = (0, Vec::new());
    for (claim, result) in claims.iter().zip(results) {
        match result.into_inner() {
            Ok(Some(Ok(rows))) => {
                rows.iter().for_each(|row| print(claim.as_ref(), row));
                proved.extend(rows.iter().map(|row| row.routine.digest()));
            }
            Ok(Some(Err(why))) => {
                failed += 1;
                eprintln!("REFUSED {}, {}: {why}", claim.subject(), claim.statement());
            }
            _ => failed += 1,
        }
    }
    let others: Vec<_> = routines.iter().filter(|routine| !proved.contains(&routine.digest())).collect();
    let bytes: usize = others.iter().map(|routine| routine.bytes.len()).sum();
    println!(
        "\n{} other routines of the vector rows, of {bytes} bytes in all, have no claim that was proved.",
        others.len()
    );
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn print(claim: &dyn Claim, Row { routine, proof, seconds, refused, calls }: &Row) {
    let names = ["U64x8", "U64x4", "AvxIfma", "Avx512", "Avx2", "Ifma"];
    let name = names.into_iter().find(|set| routine.name.contains(set)).unwrap_or("");
    let executed = proof.seen.iter().filter(|seen| **seen).count();
    println!(
        "| {} | {} | {name} `{}` | {} | {executed} of {}, {} | {seconds:.1} | {refused} | {} |",
        claim.subject(),
        claim.statement(),
        &routine.digest()[..16],
        routine.bytes.len(),
        routine.instructions.len(),
        proof.steps,
        calls.map_or("SKIP".to_owned(), |calls| calls.to_string()),
    );
}

/// Returns what was shown for the routines of a claim. At least one has to compute it, or each of such a name.
fn show(claim: &dyn Claim, routines: &[Routine], changes: usize, calls: usize) -> Result<Vec<Row>, Refused> {
    let (mut rows, mut reasons) = (Vec::new(), Vec::new());
    for routine in routines.iter().filter(|routine| claim.is_for(&routine.name)) {
        let start = Instant::now();
        match prove_at_all_entries(claim, routine) {
            Ok(proof) => {
                let seconds = start.elapsed().as_secs_f64();
                let refused = change(claim, routine, &proof, changes)?;
                let calls = call(claim, routine, calls)?;
                rows.push(Row { routine: routine.clone(), proof, seconds, refused, calls });
            }
            Err(why) => reasons.push(why),
        }
    }
    match reasons.last() {
        Some(why) if rows.is_empty() || claim.is_for_all() => Err(why.clone()),
        None if rows.is_empty() => Err("no routine has such a name".to_owned()),
        _ => Ok(rows),
    }
}

/// Proves a claim for each place that the stack may have, if the routine aligns it.
fn prove_at_all_entries(claim: &dyn Claim, routine: &Routine) -> Result<Proof, Refused> {
    let aligns = |other: &iced_x86::Instruction| {
        other.mnemonic() == iced_x86::Mnemonic::And && other.op_register(0) == iced_x86::Register::RSP
    };
    if routine.instructions.iter().any(aligns) {
        for entry in [24, 40, 56] {
            claim.prove(&Routine { entry, ..routine.clone() })?;
        }
    }
    claim.prove(routine)
}

/// Returns how many changed routines and claims were refused; an error if one was not. A change that computes the same,
/// such as a shuffle of equal constants, is not counted.
fn change(claim: &dyn Claim, routine: &Routine, proof: &Proof, count: usize) -> Result<usize, Refused> {
    if count == 0 {
        return Ok(0);
    }
    let mut refused = 0;
    for (what, wrong) in claim.wrong() {
        if wrong.prove(routine).is_ok() {
            return Err(format!("accepted with {what}"));
        }
        refused += 1;
    }
    let all = changes::changes(routine, &proof.seen, claim.checks(), count);
    if all.len() < 4 {
        return Err("nothing could be changed".to_owned());
    }
    for (what, changed) in all {
        if claim.prove(&changed).is_err() {
            refused += 1;
            continue;
        }
        let mut random = random();
        for _ in 0..20 {
            let buffers = claim.inputs(&mut random);
            let results =
                [routine, &changed].map(|routine| instructions::evaluate(routine, &claim.layout(), &buffers));
            if results[0] != results[1] || results[0].is_err() {
                return Err(format!("accepted {what}"));
            }
        }
        eprintln!("SKIP a change that computes the same: {}, {what}", claim.subject());
    }
    Ok(refused)
}

/// Returns a generator of random words, the same each time (xorshift64*).
fn random() -> impl FnMut() -> u64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move || {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
}

/// Returns how many calls were right; `None` if this processor cannot run the routine.
fn call(claim: &dyn Claim, routine: &Routine, count: usize) -> Result<Option<usize>, Refused> {
    if !native::is_supported(routine) {
        return Ok(None);
    }
    let layout = claim.layout();
    let results = layout.buffers[0];
    let native = native::Native::new(routine, layout).map_err(|why| why.to_string())?;
    let mut random = random();
    let calls = count.div_ceil(results.max(1));
    for i in 0..calls {
        let mut buffers = claim.inputs(&mut random);
        let before = buffers.clone();
        native.call(&mut buffers);
        // The model of the instructions, on the same numbers.
        if i < 50 && instructions::evaluate(routine, &claim.layout(), &before)? != buffers[0] {
            return Err(format!("the processor computes something else than the model: {before:x?}"));
        }
        if !claim.holds(&before, &buffers[0]) {
            return Err(format!("call {i} is wrong: {before:x?} {:x?}", buffers[0]));
        }
    }
    Ok(Some(calls))
}

//! Proves that routines of an archive compute what they claim.
mod claims;
mod code;
mod instructions;
mod machine;
mod rings;
mod values;

use std::time::Instant;
use claims::Claim;

fn main() {
    let path = std::env::args().nth(1).expect("an archive");
    let archive = std::fs::read(&path).expect("read");
    let claims: Vec<Box<dyn Claim>> = claims::claims().into_iter().map(|c| Box::new(c) as Box<dyn Claim>).chain(rings::claims().into_iter().map(|c| Box::new(c) as Box<dyn Claim>)).collect();
    let routines = code::routines(&archive, &["outlined", "::enabled"]).expect("routines");
    for routine in &routines {
        let start = Instant::now();
        for claim in &claims {
            if !claim.is_for(&routine.name) { continue; }
            if let Ok(proof) = claim.prove(routine) {
                    println!("PROVED {} {} bytes {} instr {}: {} | {} steps {} atoms {:?}", routine.name, routine.bytes.len(), routine.instructions.len(), claim.subject(), claim.statement(), proof.steps, proof.atoms, start.elapsed());
                    for (what, wrong) in claim.wrong() { if wrong.prove(routine).is_ok() { println!("  ACCEPTED {what}"); } }
            }
        }
    }
}

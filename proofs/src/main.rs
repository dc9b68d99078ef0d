//! Proves that routines of an archive compute what they claim.
mod claims;
mod code;
mod instructions;
mod machine;
mod values;

use std::time::Instant;

fn main() {
    let path = std::env::args().nth(1).expect("an archive");
    let archive = std::fs::read(&path).expect("read");
    let start = Instant::now();
    let routines = code::routines(&archive, &["outlined", "called", "limbs29"]).expect("routines");
    println!("{} routines, {:?}", routines.len(), start.elapsed());
    let claims = claims::claims();
    for routine in &routines {
        let mut best: (usize, String) = (0, String::new());
        let start = Instant::now();
        let mut done = false;
        for claim in &claims {
            match claim.prove(routine) {
                Ok(proof) => {
                    println!("PROVED {} {} bytes {} instr {}: {} lanes {} | {} steps {} atoms {:?}", routine.name, routine.bytes.len(), routine.instructions.len(), claim.field.name, claim.lanes, claim.statement(), proof.steps, proof.atoms, start.elapsed());
                    done = true;
                }
                Err(why) => { let n = why.find(" at 0x").and_then(|i| usize::from_str_radix(why[i+6..].split(':').next()?, 16).ok()).unwrap_or(999999); if n > best.0 { best = (n, format!("{} {}: {why}", claim.field.name, claim.statement())) } }
            }
        }
        if !done { println!("no {} {} instr: {} {:?}", routine.name, routine.instructions.len(), best.1, start.elapsed()); }
    }
}

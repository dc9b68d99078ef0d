//! Proves that routines of an archive compute what they claim.
mod claims;
mod code;
mod instructions;
mod machine;
mod rings;
mod values;

use std::time::Instant;

fn main() {
    let path = std::env::args().nth(1).expect("an archive");
    let archive = std::fs::read(&path).expect("read");
    let start = Instant::now();
    let routines = code::routines(&archive, &["outlined", "called", "limbs29"]).expect("routines");
    println!("{} routines, {:?}", routines.len(), start.elapsed());
    let wanted = std::env::args().nth(2).unwrap_or_default();
    for ring in rings::RINGS { for function in [rings::Function::Forward, rings::Function::Inverse, rings::Function::Pointwise] {
        let claim = rings::RingClaim { ring, function };
        let (module, symbol) = claim.symbol();
        for routine in code::routines(&archive, &[symbol]).expect("routines").iter().filter(|r| r.name.contains(&format!("::{module}::")) && r.name.contains(&wanted)) {
            let start = Instant::now();
            match claim.prove(routine) {
                Ok(proof) => println!("PROVED {} {} {} steps {} atoms {} {:?}", ring.name, routine.name, claim.statement(), proof.steps, proof.atoms, start.elapsed()),
                Err(why) => println!("no {} {}: {}", ring.name, routine.name, why),
            }
        }
    }}
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

//! The work of an audit: kernels of this program, each with another limit.

use parcrypt_lab::audit::Class;
use parcrypt_machine::Machine;
use parcrypt_runtime::Kind;
use parlab::audit::{Classes, USUAL_SECONDS, data_caches, sums};

/// Threads of the class `threads`.
const THREADS: usize = 2;

/// Returns the classes with their sizes on this machine.
pub(super) fn all() -> Classes {
    let machine = Machine::detect();
    let available =
        |kind: Kind| kind.build(std::num::NonZeroUsize::MIN).map(drop).map_err(|error| error.to_string());
    sized(&data_caches(&machine), machine.memory, parcrypt_cpu::cores().get(), &available)
}

/// Returns the classes for a machine with caches of these levels and bytes; `runtime` says why one cannot be used.
fn sized(
    caches: &[(u8, u64)],
    memory: Option<u64>,
    cores: usize,
    runtime: &dyn Fn(Kind) -> Result<(), String>,
) -> Classes {
    let serial = "runtime = \"serial\"";
    let portable = "runtime = \"serial\"\nbackend = \"portable\"";
    let class = |name: &str, about: String, case: String, candidate: &str, other: Option<&str>| Class {
        name: name.to_owned(),
        about,
        case,
        candidate: candidate.to_owned(),
        other: other.map(str::to_owned),
        beside: Vec::new(),
        seconds: USUAL_SECONDS,
    };
    let mut classes = vec![class(
        "compute",
        "8 products in the ring of ML-DSA, 24 KiB, on one thread".to_owned(),
        "workload = \"ntt-product\"\nparams = { ring = \"ml-dsa\", products = 8 }\ninput = { bytes = 16384 }\nthreads = [1]"
            .to_owned(),
        serial,
        Some(portable),
    )];
    classes.extend(sums(caches, memory, serial, Some(portable)));
    // Long enough to go parallel, and short enough for samples of which 1 % is one iteration.
    let batch = |threads: &str| {
        format!(
            "workload = \"ntt-product\"\nparams = {{ ring = \"small\", algorithm = \"generic\", products = 64 }}\n\
             input = {{ bytes = 65536 }}\nthreads = [{threads}]"
        )
    };
    let (mut skipped, mut beside) = (Vec::new(), Vec::new());
    for kind in [Kind::OpenMp, Kind::Rayon] {
        let name = format!("threads-{}", kind.name());
        let usable = match cores {
            ..THREADS => Err(format!("it needs {THREADS} cores, and there is {cores}")),
            _ => runtime(kind),
        };
        match usable {
            Err(why) => skipped.push((name, why)),
            Ok(()) => {
                let candidate = format!("runtime = \"{}\"\nentered = true", kind.name());
                let about = format!("64 products modulo 3329, 64 KiB, on {THREADS} threads");
                let case = batch(&THREADS.to_string());
                classes.push(class(&name, about, case, &candidate, None));
                beside.push(candidate);
            }
        }
    }
    // What stands before a turn matters most where candidates of several threads take part.
    let about = format!(
        "64 products modulo 3329, 64 KiB, on one thread, while others take turns on one and on {THREADS}"
    );
    match beside[..] {
        [] => skipped.push(("many".to_owned(), "it needs a runtime on several threads".to_owned())),
        _ => {
            let candidate = format!("{serial}\nthreads = [1]");
            let case = batch(&format!("1, {THREADS}"));
            let many = class("many", about, case, &candidate, None);
            classes.push(Class { beside, ..many });
        }
    }
    Classes { classes, skipped }
}

#[cfg(test)]
mod tests;

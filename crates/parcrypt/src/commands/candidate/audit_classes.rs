//! The work of an audit of the lab that needs this program's kernels: vectors, and several threads.

use std::collections::BTreeMap;

use parcrypt_protocol::AuditClass;
use parcrypt_runtime::Kind;

/// Threads of the class `threads`.
const THREADS: usize = 2;

/// Time of a trial with a planted difference, in s.
const SECONDS: u32 = 10;

/// Returns the classes, and why others are missing on this machine, by name.
pub(super) fn classes() -> (Vec<AuditClass>, BTreeMap<String, String>) {
    let available =
        |kind: Kind| kind.build(std::num::NonZeroUsize::MIN).map(drop).map_err(|error| error.to_string());
    on(parcrypt_cpu::cores().get(), &available)
}

/// Returns the classes on a number of cores; `runtime` says why one cannot be used.
fn on(
    cores: usize,
    runtime: &dyn Fn(Kind) -> Result<(), String>,
) -> (Vec<AuditClass>, BTreeMap<String, String>) {
    let serial = "runtime = \"serial\"";
    let class = |name: &str, about: String, case: String, candidate: &str| AuditClass {
        name: name.to_owned(),
        about,
        case,
        candidate: candidate.to_owned(),
        other: None,
        beside: Vec::new(),
        seconds: SECONDS,
    };
    let vectors = class(
        "vectors",
        "8 products in the ring of ML-DSA, 24 KiB, on one thread".to_owned(),
        "workload = \"ntt-product\"\nparams = { ring = \"ml-dsa\", products = 8 }\ninput = { bytes = 16384 }\nthreads = [1]"
            .to_owned(),
        serial,
    );
    let mut classes =
        vec![AuditClass { other: Some(format!("{serial}\nbackend = \"portable\"")), ..vectors }];
    // Long enough to go parallel, and short enough for samples of which 1 % is one iteration.
    let batch = |threads: &str| {
        format!(
            "workload = \"ntt-product\"\nparams = {{ ring = \"small\", algorithm = \"generic\", products = 64 }}\n\
             input = {{ bytes = 65536 }}\nthreads = [{threads}]"
        )
    };
    let (mut skipped, mut beside) = (BTreeMap::new(), Vec::new());
    for kind in [Kind::OpenMp, Kind::Rayon] {
        let name = format!("threads-{}", kind.name());
        let usable = match cores {
            ..THREADS => Err(format!("it needs {THREADS} cores, and this machine has {cores}")),
            _ => runtime(kind),
        };
        match usable {
            Err(why) => drop(skipped.insert(name, why)),
            Ok(()) => {
                let candidate = format!("runtime = \"{}\"\nentered = true", kind.name());
                let about = format!("64 products modulo 3329, 64 KiB, on {THREADS} threads");
                classes.push(class(&name, about, batch(&THREADS.to_string()), &candidate));
                beside.push(candidate);
            }
        }
    }
    // What stands before a turn matters most if candidates of several threads take part.
    let about = format!(
        "64 products modulo 3329, 64 KiB, on one thread, while others take turns on one and on {THREADS}"
    );
    match beside[..] {
        [] => drop(skipped.insert("many".to_owned(), "it needs a runtime on several threads".to_owned())),
        _ => {
            let candidate = format!("{serial}\nthreads = [1]");
            let many = class("many", about, batch(&format!("1, {THREADS}")), &candidate);
            classes.push(AuditClass { beside, ..many });
        }
    }
    (classes, skipped)
}

#[cfg(test)]
mod tests;

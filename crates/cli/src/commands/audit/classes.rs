//! The work of an audit: each class has another limit.

use std::collections::BTreeMap;

use parcrypt_lab::audit::Class;
use parcrypt_machine::{CacheKind, Machine};
use parcrypt_runtime::Kind;

use crate::error::CommandError;
use crate::text::size;

/// All classes of this machine.
pub(super) struct Classes {
    classes: Vec<Class>,
    /// Names of those that this machine or build cannot run, with the reason.
    pub(super) skipped: Vec<(String, String)>,
}

/// Time of a trial with a planted difference in s.
const USUAL_SECONDS: f64 = 10.0;
/// The same where memory is the limit.
const MEMORY_SECONDS: f64 = 20.0;

/// Logarithms of sizes in bytes: the second cache where it is not known, the least array that is read from memory, and
/// the part of it that an iteration reads.
const SECOND_CACHE: u32 = 19;
const LEAST_MEMORY: u32 = 26;
const SLICE: u32 = 17;

/// Threads of the class `threads`.
const THREADS: usize = 2;

/// Returns the classes with their sizes on this machine.
pub(super) fn all() -> Classes {
    let machine = Machine::detect();
    let available =
        |kind: Kind| kind.build(std::num::NonZeroUsize::MIN).map(drop).map_err(|error| error.to_string());
    let data = machine.caches.iter().filter(|cache| cache.kind != CacheKind::Instruction);
    let caches: Vec<(u8, u64)> = data.map(|cache| (cache.level, cache.bytes)).collect();
    sized(&caches, machine.memory, parcrypt_cpu::cores().get(), &available)
}

/// Returns the classes for a machine with caches of these levels and bytes; `runtime` says why one cannot be used.
fn sized(
    caches: &[(u8, u64)],
    memory: Option<u64>,
    cores: usize,
    runtime: &dyn Fn(Kind) -> Result<(), String>,
) -> Classes {
    let second =
        caches.iter().find(|cache| cache.0 == 2).map_or(SECOND_CACHE, |cache| cache.1.max(2).ilog2());
    let last = caches.iter().max_by_key(|cache| cache.0).map_or(0, |cache| cache.1);
    let half = second.saturating_sub(1);
    let array = array(last, memory);
    let twice = if 1 << array < 2 * last { "; twice the last cache does not fit" } else { "" };
    let serial = "runtime = \"serial\"";
    let portable = "runtime = \"serial\"\nbackend = \"portable\"".to_owned();
    let class =
        |name: &str, about: String, case: String, candidate: &str, other: Option<String>, seconds: f64| {
            let candidate = candidate.to_owned();
            Class { name: name.to_owned(), about, case, candidate, other, beside: Vec::new(), seconds }
        };
    let mut classes = vec![
        class(
            "compute",
            "8 products in the ring of ML-DSA, 24 KiB, on one thread".to_owned(),
            "workload = \"ntt-product\"\nparams = { ring = \"ml-dsa\", products = 8 }\ninput = { bytes = 16384 }\nthreads = [1]"
                .to_owned(),
            serial,
            Some(portable.clone()),
            USUAL_SECONDS,
        ),
        class(
            "cache",
            format!("the sum of {}, half of the second cache, on one thread", size(1 << half)),
            format!("workload = \"sum\"\nparams = {{ scale = {half} }}\ninput = {{ bytes = {} }}\nthreads = [1]", 1u64 << half),
            serial,
            Some(portable),
            USUAL_SECONDS,
        ),
        class(
            "memory",
            format!("the sum of {} in slices of {}, on one thread{twice}", size(1 << array), size(1 << SLICE)),
            format!(
                "workload = \"sum\"\nparams = {{ scale = {array}, slice = {SLICE} }}\ninput = {{ bytes = {} }}\nthreads = [1]",
                1u64 << array
            ),
            serial,
            None,
            MEMORY_SECONDS,
        ),
    ];
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
                classes.push(class(&name, about, case, &candidate, None, USUAL_SECONDS));
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
            let many = class("many", about, case, &candidate, None, USUAL_SECONDS);
            classes.push(Class { beside, ..many });
        }
    }
    Classes { classes, skipped }
}

/// Returns the logarithm of the length of an array that no cache holds, at most an eighth of the memory: two candidates
/// have a copy each while they read the file, and a file in memory may be a third.
fn array(last_cache: u64, memory: Option<u64>) -> u32 {
    let wanted = (2 * last_cache).max(1 << LEAST_MEMORY).next_power_of_two().ilog2();
    let most = memory.map_or(wanted, |memory| (memory / 8).max(1).ilog2());
    wanted.min(most.max(LEAST_MEMORY))
}

/// Returns whether a user who gives this name means the class: `threads` is both of its runtimes.
pub(super) fn is_named(class: &str, given: &str) -> bool {
    class == given
        || class.strip_prefix(given).is_some_and(|rest| given == "threads" && rest.starts_with('-'))
}

impl Classes {
    /// Returns the classes of these names; all where there are none.
    ///
    /// # Errors
    /// A name of no class.
    pub(super) fn choose(&self, names: &[String]) -> Result<Vec<Class>, CommandError> {
        let all =
            || self.classes.iter().map(|class| &class.name).chain(self.skipped.iter().map(|(name, _)| name));
        if let Some(unknown) = names.iter().find(|given| !all().any(|name| is_named(name, given))) {
            let known: Vec<&str> = all().map(String::as_str).collect();
            return Err(CommandError::new(format!(
                "--class {unknown}: there is no such class; it can be {}, or threads",
                known.join(", ")
            )));
        }
        let chosen =
            |class: &&Class| names.is_empty() || names.iter().any(|given| is_named(&class.name, given));
        Ok(self.classes.iter().filter(chosen).cloned().collect())
    }

    /// Returns the work of each class by name.
    pub(super) fn works(&self) -> BTreeMap<String, String> {
        self.classes.iter().map(|class| (class.name.clone(), class.about.clone())).collect()
    }
}

#[cfg(test)]
mod tests;

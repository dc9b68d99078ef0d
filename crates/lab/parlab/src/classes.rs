//! The work of an audit: each class has another limit.

use std::collections::BTreeMap;

use parcrypt_lab::audit::Class;
use parcrypt_machine::{CacheKind, Machine};

use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::text::size;

/// All classes of a program on this machine.
#[derive(Debug, Default)]
pub(crate) struct Classes {
    /// Those that can be measured here.
    pub(crate) classes: Vec<Class>,
    /// Names of those that this machine or build cannot run, with the reason.
    pub(crate) skipped: Vec<(String, String)>,
}

/// Usual time of a trial with a planted difference in s.
pub(crate) const USUAL_SECONDS: u32 = 10;
/// The same if memory is the limit.
const MEMORY_SECONDS: u32 = 20;

/// Logarithms of sizes in bytes: the second cache if it is not known, the smallest array that is read from memory, and
/// the part of it that an iteration reads.
const SECOND_CACHE: u32 = 19;
const LEAST_MEMORY: u32 = 26;
const SLICE: u32 = 17;

/// Returns the levels and sizes in bytes of a machine's caches for data.
pub(crate) fn data_caches(machine: &Machine) -> Vec<(u8, u64)> {
    let data = machine.caches.iter().filter(|cache| cache.kind != CacheKind::Instruction);
    data.map(|cache| (cache.level, cache.bytes)).collect()
}

/// Returns the classes `cache` and `memory` for a machine with these caches and bytes of memory: sums of bytes on one
/// thread, by a candidate with these keys in a plan, whose workload `sum` has the parameters `scale` and `slice`, the
/// logarithms of the bytes of the array and of the part that an iteration reads.
pub(crate) fn sums(caches: &[(u8, u64)], memory: Option<u64>, candidate: &str) -> [Class; 2] {
    let second =
        caches.iter().find(|cache| cache.0 == 2).map_or(SECOND_CACHE, |cache| cache.1.max(2).ilog2());
    let last = caches.iter().max_by_key(|cache| cache.0).map_or(0, |cache| cache.1);
    let half = second.saturating_sub(1);
    let array = array(last, memory);
    let twice = if 1 << array < 2 * last { "; twice the last cache does not fit" } else { "" };
    let case = |params: &str, scale: u32| {
        format!(
            "workload = \"sum\"\nparams = {{ {params} }}\ninput = {{ bytes = {} }}\nthreads = [1]",
            1u64 << scale
        )
    };
    let cache = Class {
        name: "cache".to_owned(),
        about: format!("the sum of {}, half of the second cache, on one thread", size(1 << half)),
        case: case(&format!("scale = {half}"), half),
        candidate: candidate.to_owned(),
        other: None,
        beside: Vec::new(),
        seconds: USUAL_SECONDS,
    };
    let memory = Class {
        name: "memory".to_owned(),
        about: format!(
            "the sum of {} in slices of {}, on one thread{twice}",
            size(1 << array),
            size(1 << SLICE)
        ),
        case: case(&format!("scale = {array}, slice = {SLICE}"), array),
        seconds: MEMORY_SECONDS,
        ..cache.clone()
    };
    [cache, memory]
}

/// Returns the logarithm of the length of an array that no cache holds, at most an eighth of the memory: two candidates
/// have a copy each while they read the file, and a file in memory may be a third.
fn array(last_cache: u64, memory: Option<u64>) -> u32 {
    let wanted = (2 * last_cache).max(1 << LEAST_MEMORY).next_power_of_two().ilog2();
    let most = memory.map_or(wanted, |memory| (memory / 8).max(1).ilog2());
    wanted.min(most.max(LEAST_MEMORY))
}

/// Returns whether a user who gives this name means the class: `threads` is all classes `threads-…`.
pub(crate) fn is_named(class: &str, given: &str) -> bool {
    class == given
        || class.strip_prefix(given).is_some_and(|rest| given == "threads" && rest.starts_with('-'))
}

impl Classes {
    /// Returns the classes of these names; all if there are none.
    ///
    /// # Errors
    /// A name of no class.
    pub(crate) fn choose(&self, names: &[String]) -> Result<Vec<Class>, CommandError> {
        let all =
            || self.classes.iter().map(|class| &class.name).chain(self.skipped.iter().map(|(name, _)| name));
        if let Some(unknown) = names.iter().find(|given| !all().any(|name| is_named(name, given))) {
            let mut known: Vec<&str> = all().map(String::as_str).collect();
            if known.iter().any(|name| is_named(name, "threads")) {
                known.push("threads");
            }
            let last = known.pop().unwrap_or_default();
            return Err(CommandError::new(format!(
                "--class {unknown}: no such class; it can be {}, or {last}",
                known.join(", ")
            )));
        }
        let chosen =
            |class: &&Class| names.is_empty() || names.iter().any(|given| is_named(&class.name, given));
        Ok(self.classes.iter().filter(chosen).cloned().collect())
    }

    /// Returns the work of each class by name.
    pub(crate) fn works(&self) -> BTreeMap<String, String> {
        self.classes.iter().map(|class| (class.name.clone(), class.about.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn sizes_follow_the_caches_and_the_memory() {
        let about =
            |caches: &[(u8, u64)], memory| sums(caches, memory, "command = [\"x\"]").map(|class| class.about);
        let [cache, memory] = about(&[(1, 32 << 10), (2, MIB), (3, 32 * MIB)], Some(16 << 30));
        assert!(cache.contains("512 KiB"), "{cache}");
        assert!(memory.contains("64 MiB in slices of 128 KiB"), "{memory}");
        let large = [(2, 2 * MIB), (3, 100 * MIB)];
        let [cache, memory] = about(&large, Some(64 << 30));
        assert!(cache.contains("1 MiB") && memory.contains("256 MiB"), "{cache}, {memory}");
        let [_, small] = about(&large, Some(1 << 30));
        assert!(small.contains("128 MiB") && small.contains("twice the last cache does not fit"), "{small}");
        assert!(about(&[], None)[1].contains("64 MiB"));
    }

    #[test]
    fn classes_are_chosen_by_name() {
        let class = |name: &str| Class { name: name.to_owned(), ..sums(&[], None, "")[0].clone() };
        let all = Classes {
            classes: ["compute", "threads-a", "threads-b"].map(class).to_vec(),
            skipped: vec![("many".to_owned(), "one core".to_owned())],
        };
        let names = |given: &[&str]| -> Vec<String> {
            let given: Vec<String> = given.iter().map(|name| (*name).to_owned()).collect();
            all.choose(&given).unwrap().into_iter().map(|class| class.name).collect()
        };
        assert_eq!(names(&[]).len(), 3);
        assert_eq!(names(&["threads", "compute"]), ["compute", "threads-a", "threads-b"]);
        assert_eq!(names(&["threads-b", "many"]), ["threads-b"]);
        for wrong in ["mem", "thread", ""] {
            let said = all.choose(&[wrong.to_owned()]).unwrap_err().to_string();
            assert!(said.ends_with("it can be compute, threads-a, threads-b, many, or threads"), "{said}");
        }
    }
}

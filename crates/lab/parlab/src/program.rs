//! The program with workloads and plans of its own that a plan or the user names, and the facts about this machine and
//! this build for records.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::Path;

use parcrypt_lab::plan::{EntryPlan, Here};
use parcrypt_lab::record::Machine;
use parcrypt_protocol::{Description, Refusal};

use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::interrupt;

/// Name of this program.
const PARLAB: &str = "parlab";

/// A program that answers the protocol as `PROGRAM candidate`, and what it says about itself.
pub(crate) struct Program {
    /// Its path, or its name if the PATH finds it.
    path: String,
    /// What it says about itself.
    pub(crate) description: Description,
}

impl Program {
    /// Asks a program that the user or a plan names to describe itself; a path is taken from `folder`.
    pub(crate) fn named(name: &str, folder: &Path) -> Result<Self, CommandError> {
        let path = parcrypt_lab::plan::resolve(name, folder);
        let description = parcrypt_lab::describe(&path, interrupt::flag())?;
        Ok(Program { path, description })
    }
}

/// Returns the place where a plan runs, on this machine.
pub(crate) fn here<'a>(
    program: Option<&'a Program>,
    check: &'a dyn Fn(&EntryPlan) -> Result<Option<u64>, Refusal>,
) -> Here<'a> {
    Here {
        cores: cores(),
        memory: parcrypt_machine::memory_available(),
        program: program.map(|program| program.path.as_str()),
        check,
    }
}

/// Returns the number of threads of this process that can run at once.
pub(crate) fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Returns the name that this program was called by: `parcrypt`, where `parcrypt bench` has called it.
pub(crate) fn called() -> String {
    let called = std::env::args_os().next();
    let name = called.as_deref().map(Path::new).and_then(Path::file_name);
    name.map_or_else(|| PARLAB.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Returns the command line, with the name that this program was called by. A program that has called it by its own name
/// is not named again.
pub(crate) fn command_line(program: Option<&Program>) -> Vec<String> {
    let mut words: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let name = called();
    if program.is_some_and(|program| program.description.name == name)
        && let Some(option) = words.iter().position(|word| word == "--program")
    {
        words.drain(option..words.len().min(option + 2));
    }
    if let Some(path) = words.first_mut() {
        *path = name;
    }
    words
}

/// Returns the facts about this machine for records.
pub(crate) fn machine(program: Option<&Program>) -> Machine {
    let machine = parcrypt_machine::Machine::detect();
    Machine {
        processor: machine.processor,
        arch: machine.arch.into(),
        cores: cores().get(),
        memory: machine.memory.unwrap_or(0),
        backends: program.map_or_else(Vec::new, |program| program.description.backends.clone()),
        caches: machine.caches.iter().map(|cache| (cache.to_string(), cache.bytes)).collect(),
        system: [Some(machine.system), machine.kernel].into_iter().flatten().collect::<Vec<_>>().join(", "),
        virtual_machine: machine.hypervisor.is_some(),
    }
}

/// Returns the facts about this build, and those of a program, for records.
pub(crate) fn build(program: Option<&Program>) -> BTreeMap<String, String> {
    // The profile of .ci/run is also called release by cargo; its times mean little.
    let profile = match cfg!(debug_assertions) {
        true => concat!(env!("PARCRYPT_PROFILE"), ", with assertions"),
        false => env!("PARCRYPT_PROFILE"),
    };
    // The version of the lab is Parcrypt's.
    let facts = [
        ("parcrypt", env!("CARGO_PKG_VERSION")),
        ("commit", env!("PARCRYPT_COMMIT")),
        ("compiler", env!("PARCRYPT_RUSTC")),
        ("target", env!("PARCRYPT_TARGET")),
        ("profile", profile),
        ("rustflags", env!("PARCRYPT_RUSTFLAGS")),
    ];
    let known = facts.into_iter().filter(|(_, value)| !value.is_empty());
    let mut all: BTreeMap<String, String> =
        known.map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
    all.extend(program.into_iter().flat_map(|program| program.description.build.clone()));
    all
}

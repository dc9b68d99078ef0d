//! The program with workloads and plans of its own that a plan or the user names, and the facts about this machine and
//! this build for records.

use std::collections::BTreeMap;
use std::ffi::OsStr;
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
    ///
    /// # Errors
    /// It is missing, does not answer, or has a plan that cannot be used.
    pub(crate) fn named(name: &str, folder: &Path) -> Result<Self, CommandError> {
        Self::at(parcrypt_lab::plan::resolve(name, folder))
    }

    /// [`Program::named`] of a path, or of a name that the PATH finds.
    ///
    /// # Errors
    /// As [`Program::named`].
    pub(crate) fn at(path: String) -> Result<Self, CommandError> {
        let description = parcrypt_lab::describe(&path, interrupt::flag())?;
        let wrong = |what: String| Err(CommandError::new(format!("`{path}` describes {what}")));
        // The name of a plan becomes the name of files.
        let is_plain = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        };
        if let Some(plan) = description.plans.iter().find(|plan| !is_plain(&plan.name)) {
            return wrong(format!("a plan `{}`: a name has letters, digits, - and _ only", plan.name));
        }
        Ok(Program { path, description })
    }

    /// Returns the name of its file.
    pub(crate) fn name(&self) -> &str {
        Path::new(&self.path).file_name().and_then(OsStr::to_str).unwrap_or(&self.path)
    }

    /// Returns the folder that has it, if it is known by its path.
    pub(crate) fn folder(&self) -> Option<&Path> {
        Path::new(&self.path).parent().filter(|folder| folder.is_absolute())
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

/// Returns the name that this program was called by: `parcrypt`, if `parcrypt bench` has called it.
pub(crate) fn called() -> String {
    let called = std::env::args_os().next();
    let name = called.as_deref().map(Path::new).and_then(Path::file_name);
    name.map_or_else(|| PARLAB.to_owned(), |name| name.to_string_lossy().into_owned())
}

/// Returns the command line without the paths of this machine: the name that this program was called by, and the name
/// of the program of --program, which is left out if it has called this one by its own name.
pub(crate) fn command_line(program: Option<&Program>) -> Vec<String> {
    let mut words: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let Some(first) = words.first_mut() else { return words };
    *first = called();
    let is_caller = program.is_some_and(|program| program.name() == *first);
    if let Some(at) = words.iter().position(|word| word == "--program").filter(|at| at + 1 < words.len()) {
        match is_caller {
            true => drop(words.drain(at..at + 2)),
            false => words[at + 1] = program.map_or(String::new(), |program| program.name().to_owned()),
        }
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
        caches: machine.caches.into_iter().map(|cache| (cache.name, cache.bytes)).collect(),
        system: [Some(machine.system), machine.kernel].into_iter().flatten().collect::<Vec<_>>().join(", "),
        virtual_machine: machine.hypervisor.is_some(),
    }
}

/// Returns the facts about this build and about a program's, for records. What a program says otherwise than this
/// one, as another commit, has its name in front.
pub(crate) fn build(program: Option<&Program>) -> BTreeMap<String, String> {
    let mut all = parcrypt_terminal::build::facts();
    let own = all.clone();
    for (key, value) in program.iter().flat_map(|program| &program.description.build) {
        match own.get(key) {
            Some(known) if known == value => {}
            Some(_) => {
                drop(all.insert(format!("{}.{key}", program.map_or("", Program::name)), value.clone()))
            }
            None => drop(all.insert(key.clone(), value.clone())),
        }
    }
    all
}

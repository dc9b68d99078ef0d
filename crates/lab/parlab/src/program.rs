//! The program with workloads and plans of its own that a plan or the user names, and the facts about this machine and
//! this build for records.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::path::Path;

use parcrypt_lab::record::Machine;
use parcrypt_protocol::Description;

use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::interrupt;

/// Name of this program.
const PARLAB: &str = "parlab";

/// A program that answers the protocol as `PROGRAM candidate`, and what it says about itself.
#[derive(Clone)]
pub(crate) struct Program {
    /// Its path, or its name if the PATH finds it.
    pub(crate) path: String,
    /// What it says about itself.
    pub(crate) description: Description,
}

impl Program {
    /// Asks a program to describe itself.
    pub(crate) fn at(path: String) -> Result<Self, CommandError> {
        let description = parcrypt_lab::describe(&path, interrupt::flag())?;
        // The name of a plan becomes the name of files.
        let is_plain = |name: &str| {
            !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))
        };
        if let Some(plan) = description.plans.iter().find(|plan| !is_plain(&plan.name)) {
            let why = "a name has letters, digits, - and _ only";
            return Err(CommandError::new(format!("`{path}` describes a plan `{}`: {why}", plan.name)));
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

/// Returns the command line without the paths of this machine: programs have their names, and `parcrypt bench` has no
/// --program.
pub(crate) fn command_line(program: Option<&Program>) -> Vec<String> {
    let rest = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
    let mut words: Vec<String> = std::iter::once(called()).chain(rest).collect();
    let at = words.iter().position(|word| word == "--program").filter(|at| at + 1 < words.len());
    match at.zip(program) {
        Some((at, program)) if program.name() == words[0] => drop(words.drain(at..at + 2)),
        Some((at, program)) => program.name().clone_into(&mut words[at + 1]),
        None => {}
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

/// Returns the facts about this build and a program's, for records. A different fact of the program, such as another
/// commit, has its name in front.
pub(crate) fn build(program: Option<&Program>) -> BTreeMap<String, String> {
    let own = parcrypt_terminal::build::facts();
    let mut all = own.clone();
    if let Some(program) = program {
        all.extend(program.description.build.iter().map(|(key, value)| {
            let is_other = own.get(key).is_some_and(|known| known != value);
            let key = if is_other { format!("{}.{key}", program.name()) } else { key.clone() };
            (key, value.clone())
        }));
    }
    all
}

//! The program around the commands, and the facts about it and about the machine for records.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use parcrypt_lab::Host;
use parcrypt_lab::record::Machine;

use crate::audit::Classes;
use crate::error::CommandError;

/// The program around the commands: what differs between one without kernels and one with kernels of its own.
pub trait Program: Host {
    /// Name on the command line and in texts.
    fn name(&self) -> &'static str;

    /// Work of an audit on this machine.
    fn classes(&self) -> Classes;

    /// Name and text of each built-in plan.
    fn plans(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// Names of the backends of its kernels that this machine can run.
    fn backends(&self) -> Vec<String> {
        Vec::new()
    }

    /// Returns how its kernels are compared with other libraries, in a line for the end of results, for a user who
    /// called it by this name; empty where it has no kernels.
    fn other_libraries(&self, called: &str) -> String {
        let _ = called;
        String::new()
    }

    /// Properties of its build for records, besides those of the lab.
    fn build(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    /// Checks the environment of its own candidates, before a candidate is started.
    ///
    /// # Errors
    /// A variable with an invalid value.
    fn check_environment(&self) -> Result<(), CommandError> {
        Ok(())
    }
}

/// Returns the number of threads of this process that can run at once.
pub(crate) fn cores() -> NonZeroUsize {
    std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN)
}

/// Returns the facts about this machine for records.
pub(crate) fn machine(program: &dyn Program) -> Machine {
    let machine = parcrypt_machine::Machine::detect();
    Machine {
        processor: machine.processor,
        arch: machine.arch.into(),
        cores: cores().get(),
        memory: machine.memory.unwrap_or(0),
        backends: program.backends(),
        caches: machine.caches.iter().map(|cache| (cache.to_string(), cache.bytes)).collect(),
        system: [Some(machine.system), machine.kernel].into_iter().flatten().collect::<Vec<_>>().join(", "),
        virtual_machine: machine.hypervisor.is_some(),
    }
}

/// Returns the facts about this build for records.
pub(crate) fn build(program: &dyn Program) -> BTreeMap<String, String> {
    // The profile of .ci/run is also called release by cargo; its times mean little.
    let profile = match cfg!(debug_assertions) {
        true => concat!(env!("PARCRYPT_PROFILE"), ", with assertions"),
        false => env!("PARCRYPT_PROFILE"),
    };
    // The version of the lab is Parcrypt's, in whatever program it is.
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
    all.extend(program.build());
    all
}

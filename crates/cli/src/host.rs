//! The program around the lab and its commands: this one, which is itself the candidate for its workloads.

mod classes;
mod plans;

use std::collections::BTreeMap;

use parcrypt_lab::record::Params;
use parcrypt_lab::{CheckError, Host, OwnCandidate};
use parcrypt_runtime::{Kind, MAX_THREADS, OpenMp};
use parlab::Program;
use parlab::audit::Classes;

use crate::error::CommandError;
use crate::idle_runtime::RuntimeState;
use crate::profile;
use crate::requests;
use crate::runtimes::{self, Choice};
use crate::workload::Error;
use crate::workload::params::Effect;
use crate::workloads;

pub(crate) use plans::PLANS;

/// This program, with its workloads.
#[derive(Clone, Debug)]
pub(crate) struct Parcrypt {
    /// Path of this program's file.
    program: String,
}

impl Parcrypt {
    /// Finds the path of this program, which is the command of its own candidates.
    ///
    /// # Errors
    /// The path is unknown, or not UTF-8, as the command line of a record has to be.
    pub(crate) fn find() -> Result<Self, std::io::Error> {
        let program = std::env::current_exe()?.into_os_string().into_string().map_err(|path| {
            std::io::Error::other(format!(
                "{} is not UTF-8: move the program to a folder whose path is",
                path.display()
            ))
        })?;
        Ok(Parcrypt { program })
    }
}

impl Host for Parcrypt {
    fn command(&self, own: &OwnCandidate) -> Vec<String> {
        let mut command = [&self.program, "candidate", "--runtime", &own.runtime].map(str::to_owned).to_vec();
        if let Some(backend) = &own.backend {
            command.extend(["--backend".to_owned(), backend.clone()]);
        }
        if let Some(idle_runtime) = &own.idle_runtime {
            command.extend(["--idle-runtime".to_owned(), idle_runtime.clone()]);
        }
        if own.entered {
            command.push("--entered".to_owned());
        }
        command
    }

    fn can_use(&self, own: &OwnCandidate, threads: usize) -> bool {
        own.runtime != Kind::Serial.name() || threads == 1
    }

    /// A known runtime or backend that is unavailable here is not an error: its entry is skipped when it runs.
    fn check(
        &self,
        own: &OwnCandidate,
        workload: &str,
        params: &Params,
        threads: usize,
    ) -> Result<u64, CheckError> {
        own.runtime.parse::<Choice>().map_err(|e| CheckError::Candidate(e.to_string()))?;
        if let Some(backend) = &own.backend {
            requests::parse(backend).map_err(|e| CheckError::Candidate(e.to_string()))?;
        }
        if let Some(idle_runtime) = &own.idle_runtime {
            idle_runtime.parse::<RuntimeState>().map_err(CheckError::Candidate)?;
        }
        if threads == 0 || threads > MAX_THREADS {
            return Err(CheckError::Threads(runtimes::Error::Threads { asked: threads }.to_string()));
        }
        let of_the_workload = |error: Error| match &error {
            // Parameters that do not change the output belong to the candidate.
            Error::Param(param) if param.effect() == Some(Effect::Way) => {
                CheckError::Candidate(error.to_string())
            }
            _ => CheckError::Workload(error.to_string()),
        };
        let workload = match workloads::find(workload) {
            Err(Error::Feature { .. }) => return Ok(0),
            found => found.map_err(of_the_workload)?,
        };
        let values = workload.values(params).map_err(of_the_workload)?;
        workload.check_memory(&values, self.memory_available()).map_err(of_the_workload)?;
        Ok((workload.memory)(&values))
    }

    fn memory_available(&self) -> Option<u64> {
        parcrypt_machine::memory_available()
    }
}

impl Program for Parcrypt {
    fn name(&self) -> &'static str {
        "parcrypt"
    }

    fn classes(&self) -> Classes {
        classes::all()
    }

    fn plans(&self) -> &'static [(&'static str, &'static str)] {
        PLANS
    }

    fn backends(&self) -> Vec<String> {
        parcrypt_cpu::Backend::available().iter().map(ToString::to_string).collect()
    }

    fn other_libraries(&self, called: &str) -> String {
        format!("Compare with other libraries: make peers, then {called} bench kzg-peers (or mac-peers)\n")
    }

    fn build(&self) -> BTreeMap<String, String> {
        let openmp = match OpenMp::library() {
            Ok(library) => {
                format!("{} (_OPENMP {}), {}", library.name, library.version, library.wait_policy)
            }
            Err(why) => why.to_string(),
        };
        let mut build = BTreeMap::from([("openmp".to_owned(), openmp)]);
        if let Ok(Some(handed)) = profile::handed_over() {
            build.insert("profile".to_owned(), format!("{}, {}", handed.digest, handed.path.display()));
        }
        build
    }

    /// With an invalid request all candidates of this program would fail, and with an invalid profile those of `auto`.
    fn check_environment(&self) -> Result<(), CommandError> {
        requests::from_environment()?;
        Ok(profile::handed_over().map(drop)?)
    }
}

#[cfg(test)]
mod tests {
    use parcrypt_cpu::Backend;

    use super::*;
    use crate::workload::params::parse;

    fn own(runtime: &str, backend: Option<&str>) -> OwnCandidate {
        OwnCandidate {
            runtime: runtime.to_owned(),
            backend: backend.map(str::to_owned),
            idle_runtime: None,
            entered: false,
        }
    }

    #[test]
    fn a_candidate_is_this_program_again() {
        let host = Parcrypt::find().unwrap();
        let command = host.command(&own("openmp", Some("avx2")));
        assert_eq!(command[1..], ["candidate", "--runtime", "openmp", "--backend", "avx2"]);
        assert!(std::path::Path::new(&command[0]).is_absolute());
        assert_eq!(host.command(&own("serial", None))[1..], ["candidate", "--runtime", "serial"]);
        let beside = OwnCandidate { idle_runtime: Some("idle".to_owned()), ..own("rayon", None) };
        assert_eq!(host.command(&beside)[1..], ["candidate", "--runtime", "rayon", "--idle-runtime", "idle"]);
        let entered = OwnCandidate { entered: true, ..own("openmp", None) };
        assert_eq!(host.command(&entered)[1..], ["candidate", "--runtime", "openmp", "--entered"]);
        assert!(host.can_use(&own("serial", None), 1) && !host.can_use(&own("serial", None), 2));
        assert!(host.can_use(&own("rayon", None), 2));
    }

    #[test]
    fn errors_name_the_part_of_the_plan() {
        let host = Parcrypt::find().unwrap();
        let check = |runtime, backend, workload, params, threads| {
            host.check(&own(runtime, backend), workload, &parse(params), threads)
        };
        assert_eq!(check("rayon", None, "sum", "scale=10", 2), Ok(1024));
        for backend in Backend::ALL {
            assert!(check("openmp", Some(backend.name()), "fft-fr", "scale=3", 1024).is_ok());
        }
        let candidate = |found| matches!(found, Err(CheckError::Candidate(_)));
        assert!(candidate(check("tbb", None, "sum", "scale=10", 1)));
        assert!(candidate(check("rayon", Some("neon"), "sum", "scale=10", 1)));
        assert!(candidate(check("rayon", None, "fft-fr", "scale=3 decomposition=thirds", 1)));
        let gone = OwnCandidate { idle_runtime: Some("gone".to_owned()), ..own("rayon", None) };
        assert!(candidate(host.check(&gone, "sum", &parse("scale=10"), 1)));
        let workload = |found| match found {
            Err(CheckError::Workload(why)) => why,
            other => panic!("{other:?}"),
        };
        let unknown = workload(check("rayon", None, "product", "", 1));
        let why =
            "unknown workload `product` (did you mean `fr-product`?): it can be `sum`, `read`, `fft-g1`, ";
        assert!(unknown.starts_with(why), "{unknown}");
        let far = workload(check("rayon", None, "xyz", "", 1));
        assert!(far.starts_with("unknown workload `xyz`: it can be"), "{far}");
        assert!(workload(check("rayon", None, "sum", "", 1)).contains("needs the parameter `scale`"));
        assert!(workload(check("rayon", None, "sum", "scale=41", 1)).contains("0 to 40"));
        assert!(workload(check("rayon", None, "sum", "size=41", 1)).contains("no parameter `size`"));
        if host.memory_available().is_some_and(|bytes| bytes < 1 << 40) {
            assert!(
                workload(check("rayon", None, "fft-g1", "scale=32", 1)).contains("largest scale that fits")
            );
        }
        for threads in [0, 1025, usize::MAX] {
            assert!(matches!(check("rayon", None, "sum", "scale=1", threads), Err(CheckError::Threads(_))));
        }
    }
}

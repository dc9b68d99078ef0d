//! What the lab asks of the program that it is part of.

use parcrypt_cpu::Backend;
use parcrypt_lab::record::Params;
use parcrypt_lab::{House, Own, Wrong};
use parcrypt_runtime::{Kind, MAX_THREADS};

use crate::kernel::{Error, Kernel};
use crate::params::Effect;
use crate::presence::Presence;

/// This program, with its kernels.
#[derive(Clone, Debug)]
pub(crate) struct Parcrypt {
    /// The file that this program was started from.
    program: String,
}

impl Parcrypt {
    /// Finds out where this program is, so that it can start itself as a contestant.
    ///
    /// # Errors
    /// Where the system does not say it, or the path is not UTF-8, which the command line of a record has to be.
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

impl House for Parcrypt {
    fn command(&self, own: &Own) -> Vec<String> {
        let mut command =
            [&self.program, "contestant", "--runtime", &own.runtime].map(str::to_owned).to_vec();
        if let Some(backend) = &own.backend {
            command.extend(["--backend".to_owned(), backend.clone()]);
        }
        if let Some(presence) = &own.presence {
            command.extend(["--presence".to_owned(), presence.clone()]);
        }
        command
    }

    fn can_use(&self, own: &Own, threads: usize) -> bool {
        own.runtime != Kind::Serial.name() || threads == 1
    }

    /// A runtime or backend that has a name but is not in this build, or not on this machine, is no mistake of the
    /// plan: such a row says so when it runs, and is skipped.
    fn check(&self, own: &Own, workload: &str, params: &Params, threads: usize) -> Result<u64, Wrong> {
        own.runtime.parse::<Kind>().map_err(|e| Wrong::Contestant(e.to_string()))?;
        if let Some(backend) = &own.backend {
            backend.parse::<Backend>().map_err(|e| Wrong::Contestant(e.to_string()))?;
        }
        if let Some(presence) = &own.presence {
            presence.parse::<Presence>().map_err(Wrong::Contestant)?;
        }
        if threads == 0 || threads > MAX_THREADS {
            return Err(Wrong::Threads(Error::Threads { asked: threads }.to_string()));
        }
        let of_the_workload = |error: Error| match &error {
            // What changes only the way to the answer is what contestants differ in.
            Error::Param(param) if param.effect() == Some(Effect::Way) => {
                Wrong::Contestant(error.to_string())
            }
            _ => Wrong::Workload(error.to_string()),
        };
        let kernel = Kernel::find(workload).map_err(of_the_workload)?;
        let values = kernel.values(params).map_err(of_the_workload)?;
        kernel.check_memory(&values, self.memory_available()).map_err(of_the_workload)?;
        Ok((kernel.memory)(&values))
    }

    fn memory_available(&self) -> Option<u64> {
        parcrypt_cpu::memory_available()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::parse;

    fn own(runtime: &str, backend: Option<&str>) -> Own {
        Own { runtime: runtime.to_owned(), backend: backend.map(str::to_owned), presence: None }
    }

    #[test]
    fn a_contestant_is_this_program_again() {
        let house = Parcrypt::find().unwrap();
        let command = house.command(&own("openmp", Some("avx2")));
        assert_eq!(command[1..], ["contestant", "--runtime", "openmp", "--backend", "avx2"]);
        assert!(std::path::Path::new(&command[0]).is_absolute());
        assert_eq!(house.command(&own("serial", None))[1..], ["contestant", "--runtime", "serial"]);
        let beside = Own { presence: Some("idle".to_owned()), ..own("rayon", None) };
        assert_eq!(house.command(&beside)[1..], ["contestant", "--runtime", "rayon", "--presence", "idle"]);
        assert!(house.can_use(&own("serial", None), 1) && !house.can_use(&own("serial", None), 2));
        assert!(house.can_use(&own("rayon", None), 2));
    }

    #[test]
    fn what_is_wrong_is_blamed_where_it_stands() {
        let house = Parcrypt::find().unwrap();
        let check = |runtime, backend, workload, params, threads| {
            house.check(&own(runtime, backend), workload, &parse(params), threads)
        };
        assert_eq!(check("rayon", None, "sum", "scale=10", 2), Ok(1024));
        for backend in Backend::ALL {
            assert!(check("openmp", Some(backend.name()), "fft-fr", "scale=3", 1024).is_ok());
        }
        let contestant = |found| matches!(found, Err(Wrong::Contestant(_)));
        assert!(contestant(check("tbb", None, "sum", "scale=10", 1)));
        assert!(contestant(check("rayon", Some("neon"), "sum", "scale=10", 1)));
        assert!(contestant(check("rayon", None, "fft-fr", "scale=3 decomposition=thirds", 1)));
        let gone = Own { presence: Some("gone".to_owned()), ..own("rayon", None) };
        assert!(contestant(house.check(&gone, "sum", &parse("scale=10"), 1)));
        let workload = |found| match found {
            Err(Wrong::Workload(why)) => why,
            other => panic!("{other:?}"),
        };
        let unknown = workload(check("rayon", None, "product", "", 1));
        assert!(unknown.starts_with("unknown workload `product`: it can be `sum`, `read`, `fft-g1`, "));
        assert!(workload(check("rayon", None, "sum", "", 1)).contains("needs the parameter `scale`"));
        assert!(workload(check("rayon", None, "sum", "scale=41", 1)).contains("0 to 40"));
        assert!(workload(check("rayon", None, "sum", "size=41", 1)).contains("no parameter `size`"));
        if house.memory_available().is_some_and(|bytes| bytes < 1 << 40) {
            assert!(
                workload(check("rayon", None, "fft-g1", "scale=32", 1)).contains("largest scale that fits")
            );
        }
        for threads in [0, 1025, usize::MAX] {
            assert!(matches!(check("rayon", None, "sum", "scale=1", threads), Err(Wrong::Threads(_))));
        }
    }
}

//! The file of a machine profile, which `parcrypt tune` writes, and the one that was handed over, by an environment
//! variable that is read only here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use parcrypt_cpu::Backend;
use parcrypt_machine::Machine;
use parcrypt_runtime::{ForkCost, KernelProfile, Kind, OpenMp, Profile};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::files::read_regular;
use crate::machine;
use crate::text::{counted, hex};

/// The environment variable with the path of the profile.
pub(crate) const ENVIRONMENT: &str = "PARCRYPT_PROFILE";

/// The version of the file's format.
const SCHEMA: u32 = 1;

/// Maximum size of the file, in bytes. It has about a thousand.
const MOST: usize = 64 << 10;

/// The machine and the program of a profile. What was measured holds only where all of it is the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Identity {
    /// Version of Parcrypt, because the stated costs are its own.
    parcrypt: String,
    /// The processor's brand.
    processor: String,
    /// Cores of the machine that are online.
    cores: usize,
    /// Cores that the process may use, with which it was measured. Fewer are used on the same machine, as where the lab
    /// binds a candidate to some.
    threads: usize,
    /// Backends that this processor can run.
    backends: Vec<String>,
    /// Parallel runtimes of this build: the version of Rayon, the OpenMP library.
    runtimes: Vec<String>,
}

impl Identity {
    /// Returns that of this process.
    pub(crate) fn here() -> Self {
        let rayon = machine::rayon().ok().map(|version| format!("rayon {version}"));
        let openmp = OpenMp::library().ok().map(|library| library.name);
        let (machine, threads) = (Machine::detect(), parcrypt_cpu::cores().get());
        Identity {
            parcrypt: env!("CARGO_PKG_VERSION").to_owned(),
            processor: machine.processor,
            cores: machine.cores_online.unwrap_or(threads),
            threads,
            backends: Backend::available().iter().map(ToString::to_string).collect(),
            runtimes: rayon.into_iter().chain(openmp).collect(),
        }
    }

    /// Returns what differs from another, as `4 cores and not 2`; empty where they are the same.
    fn differences(&self, here: &Identity) -> Vec<String> {
        let list = |what: &str, all: &[String]| format!("{what} {}", all.join(", "));
        // That there are fewer here is no difference.
        let threads = self.threads.max(here.threads);
        let parts = |of: &Identity, threads| {
            [
                format!("Parcrypt {}", of.parcrypt),
                format!("the processor {}", of.processor),
                counted(of.cores, "core"),
                counted(threads, "thread"),
                list("the backends", &of.backends),
                list("the runtimes", &of.runtimes),
            ]
        };
        let both = parts(self, self.threads).into_iter().zip(parts(here, threads));
        both.filter(|(there, here)| there != here)
            .map(|(there, here)| format!("{there} and not {here}"))
            .collect()
    }
}

/// The contents of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Contents {
    schema: u32,
    machine: Identity,
    #[serde(default)]
    runtimes: BTreeMap<Kind, ForkCost>,
    #[serde(default)]
    kernels: BTreeMap<String, KernelProfile>,
}

/// The only part of the file that all versions have.
#[derive(Deserialize)]
struct Version {
    schema: u32,
}

/// A profile of this machine, from a file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Handed {
    /// The file.
    pub(crate) path: PathBuf,
    /// The first 8 digits of the SHA-256 of the file in hexadecimal, by which records name it.
    pub(crate) digest: String,
    /// What was measured.
    pub(crate) profile: Profile,
}

/// A profile that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("machine profile {}: {defect}", path.display())]
pub(crate) struct ProfileError {
    path: PathBuf,
    defect: Defect,
}

/// Reason why a profile cannot be used.
#[derive(Debug, thiserror::Error)]
enum Defect {
    /// It cannot be read, is not a regular file, or is too long.
    #[error(transparent)]
    Read(#[from] std::io::Error),
    /// It is not text.
    #[error("it is not UTF-8, so `parcrypt tune` did not write it")]
    Encoding(#[from] std::str::Utf8Error),
    /// It is not TOML, or has other fields.
    #[error("it is not as `parcrypt tune` writes it: {}", .0.message())]
    Contents(#[from] toml::de::Error),
    /// It was written by another version.
    #[error("it has schema {found}, and this program reads {SCHEMA}: `parcrypt tune` writes a new one")]
    Schema {
        /// The schema of the file.
        found: u32,
    },
    /// It was measured elsewhere.
    #[error("it was measured with {}: `parcrypt tune` writes one for this machine", .differences.join("; with "))]
    OtherMachine {
        /// What differs.
        differences: Vec<String>,
    },
    /// A factor is not a positive number.
    #[error("the factor of `{kernel}` is {factor}: it must be a number above 0")]
    Factor {
        /// The kernel.
        kernel: String,
        /// The factor.
        factor: f64,
    },
}

/// Returns the text of the file of a profile that was measured here.
///
/// # Errors
/// A cost above 2^63 ns, which TOML cannot hold.
pub(crate) fn text(machine: Identity, profile: &Profile) -> Result<String, toml::ser::Error> {
    let Profile { runtimes, kernels } = profile.clone();
    toml::to_string(&Contents { schema: SCHEMA, machine, runtimes, kernels })
}

/// Reads a profile, which must have been measured on a machine like this one.
///
/// # Errors
/// A file that cannot be read, is no profile, or is one of another version or machine.
pub(crate) fn read(path: &Path, here: &Identity) -> Result<Handed, ProfileError> {
    let handed = || -> Result<Handed, Defect> {
        let bytes = read_regular(path, MOST)?;
        let profile = parse(std::str::from_utf8(&bytes)?, here)?;
        let digest = hex(&Sha256::digest(&bytes)[..4]);
        Ok(Handed { path: path.to_owned(), digest, profile })
    };
    handed().map_err(|defect| ProfileError { path: path.to_owned(), defect })
}

fn parse(text: &str, here: &Identity) -> Result<Profile, Defect> {
    let Version { schema } = toml::from_str(text)?;
    if schema != SCHEMA {
        return Err(Defect::Schema { found: schema });
    }
    let Contents { machine, runtimes, kernels, .. } = toml::from_str(text)?;
    let differences = machine.differences(here);
    if !differences.is_empty() {
        return Err(Defect::OtherMachine { differences });
    }
    let wrong = kernels.iter().find(|(_, kernel)| !(kernel.factor.is_finite() && kernel.factor > 0.0));
    match wrong {
        Some((kernel, wrong)) => Err(Defect::Factor { kernel: kernel.clone(), factor: wrong.factor }),
        None => Ok(Profile { runtimes, kernels }),
    }
}

/// Returns the profile that the environment hands over; it is read once.
///
/// # Errors
/// Those of [`read`].
pub(crate) fn handed_over() -> Result<Option<&'static Handed>, &'static ProfileError> {
    static HANDED: OnceLock<Result<Option<Handed>, ProfileError>> = OnceLock::new();
    let handed = HANDED.get_or_init(|| environment().map(|path| read(&path, &Identity::here())).transpose());
    handed.as_ref().map(Option::as_ref)
}

/// Returns the path that the environment has, if it is set.
pub(crate) fn environment() -> Option<PathBuf> {
    std::env::var_os(ENVIRONMENT).filter(|path| !path.is_empty()).map(PathBuf::from)
}

/// Returns the path where `parcrypt tune` writes, by the XDG base directory specification; `None` without a home.
pub(crate) fn default_path() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let config = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")));
    Some(config?.join("parcrypt").join("machine.toml"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity() -> Identity {
        Identity {
            parcrypt: "0.1.0".to_owned(),
            processor: "Z80".to_owned(),
            cores: 4,
            threads: 3,
            backends: vec!["portable".to_owned(), "avx2".to_owned()],
            runtimes: vec!["libgomp".to_owned()],
        }
    }

    fn profile() -> Profile {
        let cost = ForkCost { spinning_ns: 2_500, asleep_ns: 48_000 };
        let kernel = |factor, runtime| KernelProfile { factor, runtime };
        Profile {
            runtimes: [(Kind::Rayon, cost), (Kind::OpenMp, ForkCost { spinning_ns: 0, ..cost })].into(),
            kernels: [
                ("fft-g1".to_owned(), kernel(1.25, Kind::OpenMp)),
                ("sum".to_owned(), kernel(0.1, Kind::Serial)),
            ]
            .into(),
        }
    }

    #[test]
    fn a_profile_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("machine.toml");
        let written = text(identity(), &profile()).unwrap();
        assert!(written.starts_with("schema = 1\n") && written.contains("[runtimes.rayon]\n"), "{written}");
        std::fs::write(&path, &written).unwrap();
        let handed = read(&path, &identity()).unwrap();
        assert_eq!((&handed.profile, &handed.path), (&profile(), &path));
        assert!(handed.digest.len() == 8 && hex(&Sha256::digest(written)).starts_with(&handed.digest));
        assert_eq!(
            parse(&text(identity(), &Profile::default()).unwrap(), &identity()).unwrap(),
            Profile::default()
        );
    }

    #[test]
    fn another_machine_is_refused_and_what_differs_is_named() {
        let written = text(identity(), &profile()).unwrap();
        let why = |here: Identity| parse(&written, &here).unwrap_err().to_string();
        assert_eq!(
            why(Identity { cores: 1, processor: "6502".to_owned(), ..identity() }),
            "it was measured with the processor Z80 and not the processor 6502; with 4 cores and not 1 core: \
             `parcrypt tune` writes one for this machine"
        );
        for (here, part) in [
            (
                Identity { parcrypt: "0.2.0".to_owned(), ..identity() },
                "Parcrypt 0.1.0 and not Parcrypt 0.2.0",
            ),
            (Identity { backends: vec!["portable".to_owned()], ..identity() }, "portable, avx2 and not"),
            (Identity { runtimes: Vec::new(), ..identity() }, "the runtimes libgomp and not"),
            (Identity { threads: 4, ..identity() }, "with 3 threads and not 4 threads"),
        ] {
            let why = why(here);
            assert!(why.contains(part), "{why}");
        }
        // The lab binds candidates to some of the cores.
        assert!(parse(&written, &Identity { threads: 1, ..identity() }).is_ok());
    }

    #[test]
    fn what_is_not_a_profile_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("machine.toml");
        let missing = read(&path, &identity()).unwrap_err().to_string();
        assert!(missing.starts_with(&format!("machine profile {}: ", path.display())), "{missing}");
        assert!(read(folder.path(), &identity()).unwrap_err().to_string().ends_with("not a regular file"));
        let written = text(identity(), &profile()).unwrap();
        let long = format!("{written}#{}\n", "x".repeat(MOST));
        let other = written.replace("schema = 1", "schema = 2");
        let newer = format!("{}\n[future]\nx = 1\n", other);
        for (bytes, part) in [
            (&b"\xff\xfe"[..], "UTF-8"),
            (b"", "not as `parcrypt tune` writes it: missing field `schema`"),
            (b"{\"schema\":1}", "not as"),
            (&written.as_bytes()[..written.len() / 2], "not as"),
            (long.as_bytes(), "longer than 65536 bytes"),
            (other.as_bytes(), "schema 2, and this program reads 1"),
            (newer.as_bytes(), "schema 2, and this program reads 1"),
            (
                written.replace("1.25", "0.0").as_bytes(),
                "the factor of `fft-g1` is 0: it must be a number above 0",
            ),
            (written.replace("1.25", "nan").as_bytes(), "is NaN"),
            (written.replace("1.25", "-inf").as_bytes(), "is -inf"),
            (written.replace("48000", "-1").as_bytes(), "not as"),
            (written.replace("\"openmp\"", "\"tbb\"").as_bytes(), "not as"),
            (written.replace("asleep-ns", "sleeping-ns").as_bytes(), "unknown field"),
        ] {
            std::fs::write(&path, bytes).unwrap();
            let why = read(&path, &identity()).unwrap_err().to_string();
            assert!(why.contains(part), "{part}: {why}");
        }
    }
}

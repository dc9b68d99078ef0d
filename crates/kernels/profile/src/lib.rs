#![doc = include_str!("../README.md")]
//!
//! It depends on `cpu`, `machine` and `runtime`, and reads no environment variable. A field of the file is a field of
//! `Contents`, and a fact that has to be the same one of [`Identity`].

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use parcrypt_cpu::Backend;
use parcrypt_machine::Machine;
use parcrypt_runtime::{ForkCost, KernelProfile, Kind, OpenMp, Profile};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The version of the file's format.
const SCHEMA: u32 = 1;

/// Maximum size of the file, in bytes. It has about a thousand.
const MOST: u64 = 64 << 10;

/// The machine and the program of a profile. What was measured holds only where all of it is the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
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
    /// Parallel runtimes of this build: `rayon`, the name of the OpenMP library. A program that has fewer can use the
    /// profile too.
    runtimes: Vec<String>,
}

impl Identity {
    /// Returns that of this process.
    pub fn here() -> Self {
        let rayon = Kind::Rayon.is_available().then(|| Kind::Rayon.name().to_owned());
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
        // That there are fewer threads or runtimes here is no difference.
        let threads = self.threads.max(here.threads);
        let added = here.runtimes.iter().any(|runtime| !self.runtimes.contains(runtime));
        let runtimes = if added { &here.runtimes } else { &self.runtimes };
        let parts = |of: &Identity, threads, runtimes: &[String]| {
            [
                format!("Parcrypt {}", of.parcrypt),
                format!("the processor {}", of.processor),
                counted(of.cores, "core"),
                counted(threads, "thread"),
                list("the backends", &of.backends),
                list("the runtimes", runtimes),
            ]
        };
        let measured = parts(self, self.threads, &self.runtimes);
        let both = measured.into_iter().zip(parts(here, threads, runtimes));
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
pub struct MachineProfile {
    /// The file.
    pub path: PathBuf,
    /// The first 8 digits of the SHA-256 of the file in hexadecimal, by which records name it.
    pub digest: String,
    /// What was measured.
    pub profile: Profile,
}

/// A profile that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("machine profile {}: {defect}", path.display())]
pub struct ProfileError {
    path: PathBuf,
    defect: Defect,
}

impl ProfileError {
    /// Returns whether the file cannot be read, or is none; otherwise what is in it cannot be used.
    pub fn is_io(&self) -> bool {
        matches!(self.defect, Defect::Read(_))
    }
}

/// Reason why a profile cannot be used.
#[derive(Debug, thiserror::Error)]
enum Defect {
    #[error(transparent)]
    Read(#[from] std::io::Error),
    #[error("it is not UTF-8, so `parcrypt tune` did not write it")]
    Encoding(#[from] std::str::Utf8Error),
    #[error("it is not as `parcrypt tune` writes it: {}", .0.message())]
    Contents(#[from] toml::de::Error),
    #[error("it has schema {found}, and this program reads {SCHEMA}: `parcrypt tune` writes a new one")]
    Schema { found: u32 },
    #[error("it was measured with {}: `parcrypt tune` writes one for this machine", .differences.join("; with "))]
    OtherMachine { differences: Vec<String> },
    #[error("the factor of `{kernel}` is {factor}: it must be a number above 0")]
    Factor { kernel: String, factor: f64 },
}

/// Returns the text of the file of a profile that was measured here.
///
/// # Errors
/// A cost above 2^63 ns, which TOML cannot hold.
pub fn to_toml(machine: Identity, profile: &Profile) -> Result<String, toml::ser::Error> {
    let Profile { runtimes, kernels } = profile.clone();
    toml::to_string(&Contents { schema: SCHEMA, machine, runtimes, kernels })
}

/// Reads a profile, which must have been measured on a machine like this one.
///
/// # Errors
/// A file that cannot be read, is no profile, or is one of another version or machine.
pub fn read(path: &Path, here: &Identity) -> Result<MachineProfile, ProfileError> {
    let handed = || -> Result<MachineProfile, Defect> {
        let bytes = read_regular(path)?;
        let profile = parse(std::str::from_utf8(&bytes)?, here)?;
        let digest = digest(&bytes);
        Ok(MachineProfile { path: path.to_owned(), digest, profile })
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

/// Reads a whole regular file of at most [`MOST`] bytes; a pipe is not waited for.
fn read_regular(path: &Path) -> std::io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MOST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST {
        return Err(std::io::Error::other(format!("it is longer than {MOST} bytes")));
    }
    Ok(bytes)
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes)[..4].iter().map(|byte| format!("{byte:02x}")).collect()
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
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
        let written = to_toml(identity(), &profile()).unwrap();
        assert!(written.starts_with("schema = 1\n") && written.contains("[runtimes.rayon]\n"), "{written}");
        std::fs::write(&path, &written).unwrap();
        let handed = read(&path, &identity()).unwrap();
        assert_eq!((&handed.profile, &handed.path), (&profile(), &path));
        assert_eq!(handed.digest, digest(written.as_bytes()));
        // Of the empty text, as FIPS 180-4 has it.
        assert_eq!(digest(b""), "e3b0c442");
        assert_eq!(
            parse(&to_toml(identity(), &Profile::default()).unwrap(), &identity()).unwrap(),
            Profile::default()
        );
    }

    #[test]
    fn another_machine_is_refused_and_what_differs_is_named() {
        let written = to_toml(identity(), &profile()).unwrap();
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
            (
                Identity { runtimes: vec!["rayon".to_owned(), "libgomp".to_owned()], ..identity() },
                "the runtimes libgomp and not the runtimes rayon, libgomp",
            ),
            (Identity { threads: 4, ..identity() }, "with 3 threads and not 4 threads"),
        ] {
            let why = why(here);
            assert!(why.contains(part), "{why}");
        }
        // The lab binds candidates to some of the cores, and a library may be built without OpenMP.
        assert!(parse(&written, &Identity { threads: 1, ..identity() }).is_ok());
        assert!(parse(&written, &Identity { runtimes: Vec::new(), ..identity() }).is_ok());
    }

    #[test]
    fn what_is_not_a_profile_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("machine.toml");
        let missing = read(&path, &identity()).unwrap_err();
        assert!(missing.is_io());
        let missing = missing.to_string();
        assert!(missing.starts_with(&format!("machine profile {}: ", path.display())), "{missing}");
        assert!(read(folder.path(), &identity()).unwrap_err().to_string().ends_with("not a regular file"));
        let written = to_toml(identity(), &profile()).unwrap();
        let long = format!("{written}#{}\n", "x".repeat(MOST as usize));
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
            let error = read(&path, &identity()).unwrap_err();
            let why = error.to_string();
            assert!(why.contains(part) && error.is_io() == why.contains("longer"), "{part}: {why}");
        }
    }
}

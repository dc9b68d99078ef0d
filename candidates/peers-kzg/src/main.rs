//! The KZG libraries c-kzg and rust_eth_kzg as candidates of the lab, and sums of points of blst and arkworks.
//!
//! Protocol and workloads are defined in `docs/reference/protocol.md` and `docs/reference/workloads.md`. Of Parcrypt's
//! crates it uses only the protocol, so that equal digests come from independent code. `library` defines the functions
//! that a library provides; another library is a file in `library/` and a line in [`Choice`].

mod candidate;
mod library;
mod load;
mod msm;
mod workload;

#[cfg(test)]
mod answers;

use std::io::Write;
use std::process::ExitCode;

const USAGE: &str = "\
usage: peers-kzg --library c-kzg|rust-eth-kzg|blst|arkworks

A candidate of the Parcrypt lab: it reads one JSON request a line on standard input and answers each on standard output
(docs/reference/protocol.md). Parameters of all its workloads: `precompute`, the width of the windows of the library's tables,
from 1 to 15, or 0 for none (default 0). blst and arkworks have one workload, `msm`, with the parameter `scale`.

Exit codes: 0 when standard input ends or after `quit`, 2 for a request that makes no sense.
";

/// The library that does the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// c-kzg, on one thread.
    CKzg,
    /// rust_eth_kzg, on any number of threads up to the number of processors.
    RustEthKzg,
}

impl Choice {
    const ALL: [Choice; 2] = [Choice::CKzg, Choice::RustEthKzg];

    /// Returns the name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Choice::CKzg => "c-kzg",
            Choice::RustEthKzg => "rust-eth-kzg",
        }
    }

    fn parse(name: &str) -> Option<Self> {
        Choice::ALL.into_iter().find(|choice| choice.name() == name)
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        ["--library", name] => match Choice::parse(name) {
            Some(choice) => return parcrypt_protocol::run(&mut candidate::Kzg::new(choice)),
            None => match msm::Adder::parse(name) {
                Some(adder) => return parcrypt_protocol::run(&mut msm::Sums::new(adder)),
                None => {
                    Err(format!("unknown library `{name}`: it can be c-kzg, rust-eth-kzg, blst or arkworks"))
                }
            },
        },
        // Started by this program for the workload kzg-load; not for users.
        ["--library", name, "load", precompute, threads] => {
            match (Choice::parse(name), precompute.parse(), threads.parse()) {
                (Some(choice), Ok(precompute), Ok(threads)) => load::child(choice, precompute, threads),
                _ => Err("`load` takes the width of windows and the number of threads".to_owned()),
            }
        }
        _ => Err(format!("`{}`: these arguments make no sense\n{USAGE}", words.join(" "))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            let _ = writeln!(std::io::stderr(), "error: {}", why.trim_end());
            ExitCode::from(2)
        }
    }
}

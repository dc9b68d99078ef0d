//! The KZG libraries c-kzg and rust_eth_kzg as candidates of the lab, and sums of points of blst and arkworks.
//!
//! Protocol and workloads are defined in `docs/reference/protocol.md` and `docs/reference/workloads.md`. Of Parcrypt's
//! crates it uses only the protocol, so that equal digests come from independent code. `library` defines the functions
//! that a library provides; another library is a file in `library/` and a line in [`main`].

mod candidate;
mod library;
mod load;
mod msm;
mod workload;

#[cfg(test)]
mod answers;

use std::io::Write;
use std::process::ExitCode;

use parcrypt_protocol::{STATUS_ERROR, run};

use candidate::Peer;
use library::{CKzg, Library, RustEthKzg};

const USAGE: &str = "\
usage: peers-kzg --library c-kzg|rust-eth-kzg|blst|arkworks

A candidate of the Parcrypt lab: it reads one JSON request a line on standard input and answers each on standard output
(docs/reference/protocol.md). Parameters of all its workloads: `precompute`, the width of the windows of the library's tables,
from 1 to 15, or 0 for none (default 0). blst and arkworks have one workload, `msm`, with the parameter `scale`.

Exit codes: 0 when standard input ends or after `quit`, 2 for an invalid request.
";

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words[..] {
        ["--help" | "-h"] => {
            print!("{USAGE}");
            Ok(ExitCode::SUCCESS)
        }
        ["--library", "c-kzg", ref rest @ ..] => run_library::<CKzg>(rest),
        ["--library", "rust-eth-kzg", ref rest @ ..] => run_library::<RustEthKzg>(rest),
        ["--library", "blst"] => Ok(run(&mut Peer::new(|request| {
            msm::prepare(request, ["blst", env!("VERSION_OF_BLST"), "threads"], msm::blst)
        }))),
        ["--library", "arkworks"] => Ok(run(&mut Peer::new(|request| {
            msm::prepare(request, ["arkworks", env!("VERSION_OF_ARK_EC"), "rayon"], msm::arkworks)
        }))),
        ["--library", name] => {
            Err(format!("unknown library `{name}`: it can be c-kzg, rust-eth-kzg, blst or arkworks"))
        }
        _ => Err(invalid(&words)),
    };
    outcome.unwrap_or_else(|why| {
        let _ = writeln!(std::io::stderr(), "error: {}", why.trim_end());
        ExitCode::from(STATUS_ERROR)
    })
}

fn run_library<L: Library>(words: &[&str]) -> Result<ExitCode, String> {
    match words {
        [] => Ok(run(&mut Peer::new(candidate::prepare::<L>))),
        // Started by this program for the workload kzg-load; not for users.
        ["load", precompute, threads] => match (precompute.parse(), threads.parse()) {
            (Ok(precompute), Ok(threads)) => {
                load::child::<L>(precompute, threads).map(|()| ExitCode::SUCCESS)
            }
            _ => Err("`load` takes the width of windows and the number of threads".to_owned()),
        },
        _ => Err(invalid(words)),
    }
}

fn invalid(words: &[&str]) -> String {
    format!("invalid arguments `{}`\n{USAGE}", words.join(" "))
}

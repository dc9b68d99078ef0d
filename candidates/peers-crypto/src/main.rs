//! scrypt, GMAC and products of polynomials of other libraries as candidates of the lab.
//!
//! Protocol and workloads are defined in `docs/reference/protocol.md` and `docs/reference/workloads.md`. Of Parcrypt's
//! crates it uses only the protocol, so that equal digests come from independent code. `library` defines the functions
//! that a library provides; another library is a file in `library/` and a line in [`LIBRARIES`].

mod candidate;
mod library;

use std::io::Write;
use std::process::ExitCode;

use library::LIBRARIES;

const USAGE: &str = "\
usage: peers-crypto --library LIBRARY

LIBRARY is rustcrypto, aws-lc-rs, ring, concrete-ntt, mlkem-native, mldsa-native, openssl, botan, libsodium or libscrypt.

A candidate of the Parcrypt lab: it reads one JSON request a line on standard input and answers each on standard output
(docs/reference/protocol.md). Its workloads are scrypt, gmac, ntt-product and ntt-matrix, as far as the library has them.
A parameter of its own, `loop`, says how several keys, messages or products are done: `serial`, one after the other (default), or
`threads`, in parts, one for each of the caller's threads.

Exit codes: 0 when standard input ends or after `quit`, 2 for an invalid request.
";

fn main() -> ExitCode {
    let arguments: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let why = match words[..] {
        ["--help" | "-h"] => {
            print!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        ["--library", name] => match LIBRARIES.iter().find(|(known, _)| *known == name) {
            Some(&(_, library)) => return parcrypt_protocol::run(&mut candidate::Peer::new(name, library)),
            None => {
                format!(
                    "unknown library `{name}`: it can be {}",
                    LIBRARIES.map(|(known, _)| known).join(", ")
                )
            }
        },
        _ => format!("invalid arguments `{}`\n{USAGE}", words.join(" ")),
    };
    let _ = writeln!(std::io::stderr(), "error: {}", why.trim_end());
    ExitCode::from(parcrypt_protocol::STATUS_ERROR)
}

//! A candidate of the lab: the sum of a file's bytes over ranks, by MPI's C bindings, with the calls of
//! `../../c/ranks.c`.

mod ranks;

use std::process::ExitCode;

fn main() -> ExitCode {
    let (mut ranks, start_ns) = ranks::Bindings::start();
    let code = parallel_sum::run(&mut ranks, start_ns);
    ranks.finish();
    code
}

//! `parcrypt scaling`: the time of `parcrypt kzg cells --mpi` on more machines, predicted by the model of
//! `parcrypt-cluster`, and the error of the model on this one.

#[cfg(feature = "mpi")]
mod findings;
#[cfg(feature = "mpi")]
mod report;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use crate::error::fail;
use crate::progress::Bar;
use crate::text::{Printed, print};
#[cfg(feature = "mpi")]
use report::report;

/// Predict the time of cells and proofs on many machines, and compare the prediction with ranks on this one
#[derive(Args, Debug)]
#[command(after_help = "\
It measures for about a minute what the model is made of, with a few blobs that it
makes itself, then how long the command takes on some numbers of ranks here, and
prints that beside the model's prediction; then what the model says of other
machines. docs/explanation/cluster.md explains the model. Each value is a median with
the least and the greatest of its repetitions. A warning says where they are far apart,
as on a busy machine, and where a prediction is outside of them.

Examples:
  parcrypt scaling
  parcrypt scaling --ranks 1,2 --blobs 16 --repeat 5
  parcrypt scaling --nodes 4,16,64 --cores 64 --latency 1ms --gbit 1
  parcrypt scaling --json

Exit codes: 0 done; 2 an error, as where there is no MPI.")]
pub(crate) struct Arguments {
    /// Numbers of ranks on this machine, with one thread each
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1,2,3,4",
          value_parser = clap::value_parser!(u16).range(1..=64))]
    ranks: Vec<u16>,
    /// Blobs that are computed here
    #[arg(long, value_name = "N", default_value = "32", value_parser = clap::value_parser!(u16).range(1..=1000))]
    blobs: u16,
    /// Measurements of each; the median counts
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u16).range(1..=100))]
    repeat: u16,
    /// Numbers of machines to predict for
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "1,10,100,1000",
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    nodes: Vec<u32>,
    /// Numbers of blobs to predict for
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "72,1000,1000000",
          value_parser = clap::value_parser!(u32).range(1..))]
    jobs: Vec<u32>,
    /// Cores of each of these machines
    #[arg(long, value_name = "N", default_value = "16", value_parser = clap::value_parser!(u16).range(1..=4096))]
    cores: u16,
    /// One way of a short message between them
    #[arg(long, value_name = "TIME", default_value = "50us", value_parser = humantime::parse_duration)]
    latency: Duration,
    /// Gigabits per second of each one's link
    #[arg(long, value_name = "N", default_value = "10", value_parser = gbit)]
    gbit: f64,
    /// The launcher of MPI
    #[arg(long, value_name = "PROGRAM", default_value = "mpiexec")]
    launcher: PathBuf,
    /// Print JSON with all measurements
    #[arg(long)]
    json: bool,
}

fn gbit(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|e| format!("{e}"))?;
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err("it must be above 0".to_owned()) }
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let bar = Bar::spinner();
    let text = report(arguments, &bar);
    drop(bar);
    match text {
        Ok(text) if arguments.json => Printed::Json(&text).code(),
        Ok(text) => print(&text),
        Err(problem) => fail(problem),
    }
}

/// Returns the error that this build has no MPI.
#[cfg(not(feature = "mpi"))]
fn report(_: &Arguments, _: &Bar) -> Result<String, crate::ranks::Error> {
    Err(crate::ranks::Error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_have_a_speed() {
        assert_eq!(gbit("2.5"), Ok(2.5));
        assert!(["0", "-1", "inf", "NaN", "ten", ""].iter().all(|text| gbit(text).is_err()));
    }
}

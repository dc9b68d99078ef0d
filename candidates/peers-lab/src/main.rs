//! A program for hyperfine: `peers-lab PLANTED CALLS` runs the work so many times and prints nothing.

use std::process::ExitCode;

use peers_lab::{Error, Work, planted};

fn run(words: &[String]) -> Result<(), Error> {
    let [thousandths, calls] = words else {
        return Err(Error::Planted { given: words.join(" ") });
    };
    let mut work = Work::new(planted(thousandths)?)?;
    for _ in 0..planted(calls)? {
        work.call()?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}\nusage: peers-lab THOUSANDTHS CALLS");
            ExitCode::from(2)
        }
    }
}

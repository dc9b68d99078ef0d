//! A program for tools that start processes: `peers-lab THOUSANDTHS CALLS` runs the work so many times and prints
//! nothing. Without arguments it is a candidate.

use std::process::ExitCode;

use parcrypt_protocol::{WorkerError, candidate};
use peers_lab::{Error, Work, whole};

fn run(words: &[String]) -> Result<(), Error> {
    let [thousandths, calls] = words else {
        return Err(Error::Number { given: words.join(" ") });
    };
    let mut work = Work::new(whole(thousandths)?)?;
    for _ in 0..whole(calls)? {
        work.call()?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if words.is_empty() {
        let prepare = |_: &_| Work::new(0).map_err(WorkerError::other);
        let work = |work: &mut Work| work.call().ok();
        let output = |last: &Option<u32>| format!("{last:?}").into_bytes();
        return parcrypt_protocol::run(&mut candidate("peers-lab", "product", prepare, work, output));
    }
    match run(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}\nusage: peers-lab [THOUSANDTHS CALLS]");
            ExitCode::from(2)
        }
    }
}

//! The computation of keys: the runtime, the limit on memory, and the progress.

use std::ops::ControlFlow;

use clap::Args;
use parcrypt_cpu::Request;
use parcrypt_runtime::{Kind, Runtime};
use parcrypt_scrypt::{Item, Params, Scrypt};
use zeroize::Zeroizing;

use super::Secret;
use crate::error::CommandError;
use crate::progress::Bar;
use crate::text::size;
use crate::{interrupt, requests, runtimes};

/// Runtime and memory, which do not change a key.
#[derive(Args, Debug)]
#[command(next_help_heading = "How to compute")]
pub(super) struct EngineArguments {
    /// Maximum memory of all lanes; if fewer fit, fewer are computed at once [default: half of the available memory]
    #[arg(long, value_name = "SIZE", value_parser = memory)]
    memory: Option<u64>,
    /// Threads [default: the cores that this process may use]
    #[arg(long, value_name = "N", next_line_help = false)]
    threads: Option<usize>,
    /// The parallel runtime: serial, rayon or openmp [default: rayon; serial with 1 thread, or in a build without
    /// Rayon]
    #[arg(long, value_name = "NAME")]
    runtime: Option<Kind>,
}

/// Parses a size such as `1GiB`, `512MiB`, `64 KiB`; a letter alone is the same unit.
fn memory(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let power = match text[digits.len()..].trim() {
        "B" => Some(0),
        "KiB" | "K" => Some(10),
        "MiB" | "M" => Some(20),
        "GiB" | "G" => Some(30),
        "TiB" | "T" => Some(40),
        _ => None,
    };
    let bytes = power.and_then(|power| digits.parse::<u64>().ok()?.checked_mul(1 << power));
    bytes.filter(|bytes| (1..=1 << 50).contains(bytes)).ok_or_else(|| {
        "a size is a whole number with a unit: B, KiB, MiB, GiB or TiB, such as 512MiB, up to 1024TiB"
            .to_owned()
    })
}

pub(super) struct Engine {
    runtime: Box<dyn Runtime>,
    scrypt: Scrypt,
    limit: u64,
    limit_is: &'static str,
    available: Option<u64>,
}

impl Engine {
    /// Makes the runtime and the plan. `available` was read before the process started threads: what they reserve of
    /// the address space differs from run to run.
    pub(super) fn new(arguments: &EngineArguments, available: Option<u64>) -> Result<Self, CommandError> {
        let runtime = runtimes::choose(arguments.runtime, arguments.threads, 1)?;
        let row = requests::rows(&[("scrypt", &Scrypt::backends())], None)?[0];
        let (limit, limit_is) = match (arguments.memory, available) {
            (Some(given), Some(available)) if given > available => (available, "are available"),
            (Some(given), _) => (given, "are allowed by --memory"),
            (None, Some(available)) => (available / 2, "are half of what is available"),
            (None, None) => (1 << 30, "are taken because the available memory is not known"),
        };
        Ok(Engine { runtime, scrypt: Scrypt::new(Request::from(row), limit)?, limit, limit_is, available })
    }

    /// Checks that one lane fits the limit, before any memory is taken for it.
    pub(super) fn check(&self, params: Params) -> Result<(), CommandError> {
        if params.memory() <= self.limit {
            return Ok(());
        }
        let advice = match self.available.is_some_and(|available| params.memory() > available) {
            true => "; it is more than is available",
            false => ", or allow it with --memory",
        };
        Err(CommandError::new(format!(
            "N = 2^{}, r = {} needs {} of memory for one lane, and {} {}: lower N{advice}",
            params.n().ilog2(),
            params.r(),
            size(params.memory()),
            size(self.limit),
            self.limit_is
        )))
    }

    /// Returns the keys of the items, of `length` bytes each, one after the other.
    pub(super) fn derive(
        &self,
        params: Params,
        items: &[Item<'_>],
        length: usize,
    ) -> Result<Secret, CommandError> {
        let mut keys = Zeroizing::new(vec![0; items.len() * length]);
        let bar = Bar::delayed();
        let watch = |progress: parcrypt_scrypt::Progress| {
            bar.set(progress.done, progress.total);
            if interrupt::requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        self.scrypt.derive_watched(&*self.runtime, params, items, &mut keys, &watch)?;
        Ok(keys)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in
            [("1GiB", 1 << 30), ("512 MiB", 512 << 20), ("7K", 7 << 10), ("3B", 3), ("1024TiB", 1 << 50)]
        {
            assert_eq!(memory(text), Ok(bytes), "{text}");
        }
        for text in
            ["", "1", "GiB", "1GB", "-1GiB", "1.5GiB", "0MiB", "1025TiB", "99999999999999999999KiB", "1 é"]
        {
            assert!(memory(text).is_err(), "{text}");
        }
    }
}

//! The cost of a key: the parameters, the bound on memory, and the choice of N by time.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use clap::Args;
use parcrypt_cpu::{Request, Requests};
use parcrypt_machine::AvailableMemory;
use parcrypt_runtime::{Kind, Runtime};
use parcrypt_scrypt::{Error, Item, Params, Progress, Scrypt};

use super::{MOST_LENGTH, limits};
use crate::error::CommandError;
use crate::text::{seconds, size};
use crate::{requests, runtimes};

/// Default N, r and p, as OWASP recommends for passwords.
const LOG_N: u8 = 17;
const R: u32 = 8;
const P: u32 = 1;

/// log2 of the least N that `--time` chooses: below it a key costs almost nothing.
const LEAST_LOG_N: u32 = 10;

/// The parameters of a key.
#[derive(Args, Debug)]
#[command(next_help_heading = "Parameters")]
pub(super) struct CostArguments {
    /// log2 of N, the cost in time and memory: 128·r·N bytes for a lane [default: 17]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u8).range(1..=63))]
    log_n: Option<u8>,
    /// N itself, a power of two
    #[arg(long, value_name = "N", conflicts_with = "log_n")]
    n: Option<u64>,
    /// Choose the largest N that takes at most this time on this machine and fits in memory, and print it
    #[arg(long, value_name = "TIME", value_parser = time, conflicts_with_all = ["log_n", "n", "batch"])]
    time: Option<Duration>,
    /// Block size, in 128 bytes [default: 8]
    #[arg(short, value_name = "R", next_line_help = false)]
    r: Option<u32>,
    /// Lanes: more take longer and allow more parallelism, with the same memory for each [default: 1]
    #[arg(short, value_name = "P", next_line_help = false)]
    p: Option<u32>,
    /// Allow an N of 2^(16·r) or more, which RFC 7914 forbids but some files have, such as key files of Ethereum with
    /// -r 1
    #[arg(long)]
    allow_n_beyond_rfc: bool,
    /// Bytes of the key, from 1 to 1048576 [default: 64; 32 with --output phc; with --verify as in the file]
    #[arg(long, value_name = "BYTES", value_parser = length)]
    pub(super) length: Option<usize>,
}

/// Whether N may be beyond the bound of RFC 7914, 2^(16·r).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Rfc,
    Lifted,
}

/// Reason why parameters are not allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum CostError {
    /// The library's reason, with the flag of this command instead of the library's option.
    #[error(
        "N = {n} with r = {r}: RFC 7914 requires N below 2^(16 r); --allow-n-beyond-rfc lifts this limit"
    )]
    NBeyondRfc { n: u64, r: u32 },
    #[error(transparent)]
    Other(Error),
}

impl From<Error> for CostError {
    fn from(error: Error) -> Self {
        match error {
            Error::NBeyondRfc { n, r } => CostError::NBeyondRfc { n, r },
            error => CostError::Other(error),
        }
    }
}

impl Bound {
    /// Returns the parameters.
    pub(super) fn params(self, n: u64, r: u32, p: u32) -> Result<Params, CostError> {
        let new = match self {
            Bound::Rfc => Params::new,
            Bound::Lifted => Params::allow_n_beyond_rfc,
        };
        new(n, r, p).map_err(CostError::from)
    }

    /// Returns parameters with N = 2^log_n; an exponent beyond 63 is an error of the library.
    pub(super) fn params_of_log(self, log_n: u64, r: u32, p: u32) -> Result<Params, CostError> {
        let n = u32::try_from(log_n).ok().and_then(|log_n| 1u64.checked_shl(log_n));
        self.params(n.unwrap_or(0), r, p)
    }
}

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
    /// The backend to use, in the grammar of PARCRYPT_BACKEND [default: the best available]
    #[arg(long, value_name = "NAME", value_parser = requests::parse)]
    backend: Option<Requests>,
}

/// The runtime, the plan and the bound on memory.
pub(super) struct Engine {
    pub(super) runtime: Box<dyn Runtime>,
    pub(super) scrypt: Scrypt,
    request: Request,
    /// The bound on the rows of lanes, in bytes, and its source.
    bound: u64,
    bound_is: &'static str,
    /// The memory that was available before the runtime started threads.
    room: AvailableMemory,
}

fn time(text: &str) -> Result<Duration, String> {
    let right = "a time is a number with a unit such as 500ms, 1s or 1m 30s, from 1 ms to 1 hour";
    let time = humantime::parse_duration(text).map_err(|_| right.to_owned())?;
    let range = Duration::from_millis(1)..=Duration::from_secs(3600);
    if range.contains(&time) { Ok(time) } else { Err(right.to_owned()) }
}

fn length(text: &str) -> Result<usize, String> {
    let length = text.parse().ok().filter(|length| (1..=MOST_LENGTH).contains(length));
    length.ok_or_else(|| format!("a key has from 1 to {MOST_LENGTH} bytes"))
}

/// Parses a size as `1GiB`, `512MiB`, `64 KiB`; a letter alone is the same unit.
fn memory(text: &str) -> Result<u64, String> {
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    let power = match text[digits.len()..].trim() {
        "B" => 0,
        "KiB" | "K" => 10,
        "MiB" | "M" => 20,
        "GiB" | "G" => 30,
        "TiB" | "T" => 40,
        _ => {
            return Err(
                "a size is a whole number with a unit: B, KiB, MiB, GiB or TiB, such as 512MiB".to_owned()
            );
        }
    };
    let number: u64 =
        digits.parse().map_err(|_| "a size begins with a whole number, such as 512MiB".to_owned())?;
    let bytes = number.checked_mul(1 << power).filter(|bytes| *bytes <= 1 << 50);
    match bytes {
        Some(0) => Err("a size must be above 0".to_owned()),
        Some(bytes) => Ok(bytes),
        None => Err("a size is at most 1024 TiB".to_owned()),
    }
}

/// Returns a size that [`memory`] parses, rounded up.
fn flag(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let exact = units.into_iter().find(|(power, _)| bytes.is_multiple_of(1 << power));
    let (power, unit) = exact.unwrap_or((10, "KiB"));
    format!("{}{unit}", bytes.div_ceil(1 << power))
}

impl CostArguments {
    /// Returns the given parameters, for a key whose N is not chosen by time.
    pub(super) fn params(&self) -> Result<Params, CommandError> {
        match self.n {
            Some(n) => self.bound().params(n, self.r(), self.p()).map_err(|error| {
                let above = n.checked_next_power_of_two();
                match (error, above) {
                    (CostError::Other(Error::N { .. }), Some(above)) if n > 2 && above != n => {
                        CommandError::new(format!(
                            "--n {n}: not a power of two; {} and {above} are",
                            above / 2
                        ))
                    }
                    (error, _) => error.into(),
                }
            }),
            None => {
                let log_n = self.log_n.unwrap_or(LOG_N).into();
                self.bound().params_of_log(log_n, self.r(), self.p()).map_err(CommandError::from)
            }
        }
    }

    /// Returns whether N may be beyond the bound of RFC 7914.
    pub(super) fn bound(&self) -> Bound {
        if self.allow_n_beyond_rfc { Bound::Lifted } else { Bound::Rfc }
    }

    /// Returns log2 of N, for arguments that [`CostArguments::params`] has accepted.
    pub(super) fn log_n(&self) -> u8 {
        self.n.map_or(self.log_n.unwrap_or(LOG_N), |n| n.ilog2() as u8)
    }

    pub(super) fn r(&self) -> u32 {
        self.r.unwrap_or(R)
    }

    pub(super) fn p(&self) -> u32 {
        self.p.unwrap_or(P)
    }

    /// Returns whether a parameter or the length is given.
    pub(super) fn is_given(&self) -> bool {
        let Self { log_n, n, time: _, r, p, allow_n_beyond_rfc: _, length } = self;
        log_n.is_some() || n.is_some() || r.is_some() || p.is_some() || length.is_some()
    }

    /// Returns the time by which N is chosen.
    pub(super) fn time(&self) -> Option<Duration> {
        self.time
    }
}

impl Engine {
    /// Makes the runtime and the plan. `room` was read before the process started threads: what they reserve of the
    /// address space differs from run to run.
    ///
    /// # Errors
    /// An unavailable runtime, number of threads or backend.
    pub(super) fn new(arguments: &EngineArguments, room: AvailableMemory) -> Result<Self, CommandError> {
        let runtime = runtimes::choose(arguments.runtime, arguments.threads, 1)
            .map_err(|error| CommandError::new(limits::of_threads(error)))?;
        let row = requests::rows(&[("scrypt", &Scrypt::backends())], arguments.backend.as_ref())?[0];
        let request = Request::from(row);
        let (bound, bound_is) = match (arguments.memory, room.min()) {
            (Some(given), Some(available)) if given > available => (available, "are available"),
            (Some(given), _) => (given, "are allowed by --memory"),
            (None, Some(available)) => (available / 2, "are half of what is available"),
            (None, None) => (1 << 30, "are taken because the available memory is not known"),
        };
        let scrypt = Scrypt::new(request, bound)?;
        Ok(Engine { runtime, scrypt, request, bound, bound_is, room })
    }

    /// Checks that one lane fits the bound.
    ///
    /// # Errors
    /// A lane that does not fit, with the memory that it needs and the flag that allows it.
    pub(super) fn check(&self, params: Params) -> Result<(), CommandError> {
        if params.memory() <= self.bound {
            return Ok(());
        }
        let advice = match self.room.min() {
            Some(available) if params.memory() > available => match limits::of_address_space(self.room) {
                Some(limit) => format!("; {limit}"),
                None => "; it is more than is available".to_owned(),
            },
            _ => format!(", or allow it with --memory {}", flag(params.memory())),
        };
        Err(CommandError::new(format!(
            "N = 2^{}, r = {} needs {} of memory for one lane, and {} {}: lower N{advice}",
            params.n().ilog2(),
            params.r(),
            size(params.memory()),
            size(self.bound),
            self.bound_is
        )))
    }

    /// Chooses N, and returns the parameters with a note for the user.
    ///
    /// It measures N = 2^10, 2^11, … until one takes an eighth of the time, and extrapolates linearly, because scrypt
    /// is linear in N. Each is measured with new memory, as in a process that derives one key.
    ///
    /// # Errors
    /// Parameters that are not allowed; a bound that is too small for any N; a time that is too short; a stop by the
    /// user.
    pub(super) fn choose(
        &self,
        cost: &CostArguments,
        time: Duration,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<(Params, String), CommandError> {
        let of = |log_n| cost.bound().params_of_log(u64::from(log_n), cost.r(), cost.p());
        let first = of(LEAST_LOG_N)?;
        self.check(first)?;
        let watch = |_: Progress| if stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        let measure = |params| {
            let scrypt = Scrypt::new(self.request, self.bound)?;
            let begun = Instant::now();
            let item = Item { password: b"a password to measure with", salt: b"a salt" };
            scrypt.derive_watched(&*self.runtime, params, &[item], &mut [0; 64], &watch)?;
            Ok::<_, Error>(begun.elapsed())
        };
        // The first run takes longer.
        measure(first)?;
        let (mut log_n, mut params, mut taken) = (LEAST_LOG_N, first, measure(first)?);
        if taken > time {
            return Err(CommandError::new(format!(
                "--time {}: too short; N = 2^{LEAST_LOG_N}, the smallest that it chooses, takes {}",
                humantime::format_duration(time),
                seconds(taken.as_secs_f64())
            )));
        }
        let mut held = None;
        loop {
            // Below 10 ms the costs other than N matter.
            let measured_enough = taken * 8 >= time && taken >= Duration::from_millis(10);
            if taken * 2 > time {
                break;
            }
            let next = match of(log_n + 1) {
                Ok(next) if next.memory() <= self.bound => next,
                Ok(_) => {
                    held = Some(format!(
                        "memory ({} {}), not by the time; a larger -p takes longer without more memory",
                        size(self.bound),
                        self.bound_is
                    ));
                    break;
                }
                // r and p were valid before.
                Err(_) => {
                    let rfc = "RFC 7914 (N < 2^(16·r)), not by the time; a larger -r or -p takes longer";
                    held = Some(rfc.to_owned());
                    break;
                }
            };
            (log_n, params) = (log_n + 1, next);
            taken = if measured_enough { taken * 2 } else { measure(params)? };
            if taken > time {
                (log_n, taken) = (log_n - 1, taken / 2);
                params = of(log_n)?;
                break;
            }
        }
        let mut text = format!(
            "chosen: --log-n {log_n} -r {} -p {}   (N = {}, about {}, {} a lane)",
            cost.r(),
            cost.p(),
            params.n(),
            seconds(taken.as_secs_f64()),
            size(params.memory())
        );
        if let Some(held) = held {
            text += &format!("\nnote: N is limited by {held}");
        }
        Ok((params, text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times() {
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
        for bytes in [1 << 30, 3 << 29, 5 << 20, 1 << 10, 1, (1 << 30) + 1] {
            let given = memory(&flag(bytes)).unwrap();
            assert!(given >= bytes && given < bytes + 1024, "{bytes} {given}");
        }
        assert_eq!(
            (time("500ms"), time("1m 30s")),
            (Ok(Duration::from_millis(500)), Ok(Duration::from_secs(90)))
        );
        for text in ["", "1", "0s", "2h", "-1s", "soon"] {
            assert!(time(text).is_err(), "{text}");
        }
    }

    #[test]
    fn one_gibibyte_is_enough_for_n_of_2_to_the_20() {
        let params = Bound::Rfc.params_of_log(20, 8, 1).unwrap();
        let scrypt = Scrypt::new(Request::Auto, 1 << 30).unwrap();
        assert_eq!(scrypt.requirements(&parcrypt_runtime::Serial, params, 1).unwrap().lanes, 1);
    }

    #[test]
    fn an_n_of_2_to_the_64_is_refused() {
        for bound in [Bound::Rfc, Bound::Lifted] {
            assert!(bound.params_of_log(64, 8, 1).is_err() && bound.params_of_log(u64::MAX, 8, 1).is_err());
        }
    }

    #[test]
    fn an_n_beyond_the_rfc_names_the_flag() {
        let error = Bound::Rfc.params_of_log(16, 1, 1).unwrap_err().to_string();
        assert!(error.contains("2^(16 r)") && error.contains("--allow-n-beyond-rfc"), "{error}");
        assert_eq!(Bound::Lifted.params_of_log(16, 1, 1).map(|params| params.n()), Ok(1 << 16));
    }
}

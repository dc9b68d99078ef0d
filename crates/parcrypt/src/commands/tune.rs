//! `parcrypt tune`: measures the costs of the runtimes and of some kernels on this machine, and writes its profile.

mod break_even;
mod kernels;

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use parcrypt_runtime::{ForkCost, Kind, Profile};

use super::fork_cost;
use crate::error::{CommandError, INTERRUPTED, fail};
use crate::machine_profile::{self, Identity};
use crate::progress::Bar;
use crate::text::{paragraph, print, seconds, shown, tell};
use crate::{files, interrupt, requests};
use break_even::{BreakEven, State};
use kernels::Size;

/// Measure this machine, and write the profile by which the runtime `auto` chooses
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  parcrypt tune --out machine.toml --for 2s             a short look; 60s is the default
  PARCRYPT_PROFILE=$PWD/machine.toml parcrypt doctor    shows the profile
  PARCRYPT_PROFILE=$PWD/machine.toml parcrypt scrypt --help

Without --out the file is $XDG_CONFIG_HOME/parcrypt/machine.toml, or
~/.config/parcrypt/machine.toml. A profile is used only if the environment variable
PARCRYPT_PROFILE has its absolute path: by the runtime `auto`, which is then the
default of `kzg` and `scrypt`. It is refused on another machine.

It measures with all cores that this process may use; other work on them makes
the costs too high. Kernels run on the backends of PARCRYPT_BACKEND.

Exit codes: 0 done, 2 an error, 130 stopped by Ctrl-C; then nothing is written.")]
pub(crate) struct Arguments {
    /// Write the profile to this file, which is overwritten
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Time to measure, without the preparation of the kernels
    #[arg(long = "for", value_name = "TIME", default_value = "60s", value_parser = humantime::parse_duration)]
    time: Duration,
}

/// Reason why no profile was written.
enum Stop {
    Interrupted,
    Failed(CommandError),
}

impl<E: std::error::Error> From<E> for Stop {
    fn from(error: E) -> Self {
        Stop::Failed(error.into())
    }
}

/// Part of the time for the costs of forks and of pieces, with which the rest is then measured.
const FOR_COSTS: f64 = 0.3;

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    interrupt::listen("without writing a profile");
    match tune(arguments) {
        Ok(text) => print(&text),
        Err(Stop::Failed(error)) => fail(error),
        Err(Stop::Interrupted) => {
            tell("stopped: no profile was written");
            ExitCode::from(INTERRUPTED)
        }
    }
}

/// Measures, writes the profile, and returns what was found.
fn tune(arguments: &Arguments) -> Result<String, Stop> {
    requests::from_environment()?;
    let path = arguments.out.clone().or_else(machine_profile::default_path);
    let path = path.ok_or_else(|| {
        Stop::Failed(CommandError::new(
            "neither XDG_CONFIG_HOME nor HOME is a folder: name a file with --out",
        ))
    })?;
    // A relative path would be refused when it is handed over.
    let path = std::path::absolute(path)?;
    let failed = |what: std::io::Error| Stop::Failed(CommandError::new(format!("{}: {what}", shown(&path))));
    if path.is_dir() {
        return Err(failed(std::io::ErrorKind::IsADirectory.into()));
    }
    // Before a minute of measurements, and not after them.
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder)).map_err(failed)?;
    }
    let (begun, waited) = (Instant::now(), run_delay());
    let measured = Measured::here(arguments.time)?;
    if let Some(warning) =
        disturbance(run_delay().saturating_sub(waited), begun.elapsed(), &measured.profile.runtimes)
    {
        tell(&format!("warning: {warning}"));
    }
    let text = machine_profile::to_toml(Identity::here(), &measured.profile)?;
    files::write_atomic(&path, text.as_bytes()).map_err(failed)?;
    let (path, variable) = (shown(&path), machine_profile::ENVIRONMENT);
    Ok(measured.text() + &format!("\nWritten to {path}. To use it:\n\n  export {variable}={path}\n"))
}

/// Returns the time for which this thread was ready and waited for a processor; 0 if the system does not tell.
fn run_delay() -> Duration {
    // proc(5): time running, time waiting for a processor, time slices.
    let stat = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let waited = stat.split_whitespace().nth(1).and_then(|ns| ns.parse().ok());
    Duration::from_nanos(waited.unwrap_or(0))
}

/// Part of the time that the measuring thread may wait for a processor, on a machine that has nothing else to do.
const QUIET: f64 = 0.02;

/// Returns why measurements of that time say too little of the machine, if they do.
fn disturbance(waited: Duration, time: Duration, runtimes: &BTreeMap<Kind, ForkCost>) -> Option<String> {
    const ADVICE: &str =
        "costs are too high, and choices may be wrong: measure again when the machine is idle";
    let share = waited.as_secs_f64() / time.as_secs_f64().max(f64::MIN_POSITIVE);
    if share > QUIET {
        return Some(format!(
            "other work ran on these processors, and this program waited {:.0} % of the time; {ADVICE}",
            100.0 * share
        ));
    }
    let odd = runtimes.iter().find(|(_, cost)| cost.spinning_ns > 2 * cost.asleep_ns)?;
    Some(format!(
        "a call of {} took longer with spinning workers than with sleeping workers; {ADVICE}",
        odd.0
    ))
}

/// The time of a part of the measurements.
struct Part<'b> {
    bar: &'b Bar,
    what: &'static str,
    begun: Instant,
    time: Duration,
    /// Begin and time of all parts.
    all: (Instant, Duration),
}

impl Part<'_> {
    /// Returns whether there is time for another measurement.
    fn goes_on(&self) -> Result<bool, Stop> {
        if interrupt::requested() {
            return Err(Stop::Interrupted);
        }
        let (begun, all) = self.all;
        let done = begun.elapsed().as_secs_f64() / all.as_secs_f64().max(f64::MIN_POSITIVE);
        self.bar.of_lab(done, all.saturating_sub(begun.elapsed()), self.what);
        Ok(self.begun.elapsed() < self.time)
    }
}

/// The break-even of each runtime.
type BreakEvens = BTreeMap<(Kind, State), BreakEven>;

/// Everything that was measured.
struct Measured {
    threads: NonZeroUsize,
    profile: Profile,
    sizes: Vec<Size>,
    break_even: BreakEvens,
}

impl Measured {
    fn here(time: Duration) -> Result<Self, Stop> {
        let threads = parcrypt_cpu::cores();
        let parallel = |kind: &Kind| *kind != Kind::Serial && kind.is_available() && threads.get() > 1;
        let kinds: Vec<Kind> = Kind::ALL.into_iter().filter(parallel).collect();
        let mut sizes = {
            let spinner = Bar::spinner();
            spinner.set_message("preparing the kernels");
            kernels::prepare(|| match interrupt::requested() {
                true => Err(Stop::Interrupted),
                false => Ok(()),
            })?
        };
        let bar = Bar::percent();
        let all = (Instant::now(), time);
        let part =
            |what, share| Part { bar: &bar, what, begun: Instant::now(), time: time.mul_f64(share), all };
        let first = part("costs of calls and of pieces", FOR_COSTS);
        let (mut profile, break_even) = costs(&first, &kinds, threads, &mut sizes)?;
        compare(&part("kernels on all runtimes", 1.0 - FOR_COSTS), &kinds, threads, &profile, &mut sizes)?;
        kernels::choose(&sizes, &mut profile.kernels);
        Ok(Measured { threads, profile, sizes, break_even })
    }

    fn text(&self) -> String {
        let short = |ns: f64| seconds(ns / 1e9);
        let mut text = String::new();
        if !self.profile.runtimes.is_empty() {
            text += &format!(
                "A call of {} threads, and the work from which it is faster than one\n",
                self.threads
            );
            text += &format!(
                "  {:<9}{:<10}{:>10}{:>14}{:>14}\n",
                "", "workers", "cost", "faster from", "decides from"
            );
        }
        let threads = self.threads.get() as f64;
        for ((kind, state), found) in &self.break_even {
            let cost = self.profile.fork_cost(*kind, "");
            let cost = match state {
                State::Spinning => cost.spinning_ns,
                State::Asleep => cost.asleep_ns,
            } as f64;
            let least = found.least().map_or_else(|| "none".to_owned(), short);
            let rule = short(2.0 * cost * threads / (threads - 1.0));
            let (kind, state) = (kind.name(), state.name());
            text += &format!("  {kind:<9}{state:<10}{:>10}{least:>14}{rule:>14}\n", short(cost));
        }
        text += "\nKernels: time on one thread, measured over stated, and speed in parallel with workers\nspinning/asleep\n";
        text += &format!("  {:<36}{:>10}{:>8}", "", "serial", "stated");
        for kind in self.profile.runtimes.keys() {
            text += &format!("{:>12}", kind.name());
        }
        text += "\n";
        for size in &self.sizes {
            let name = format!("{} {}", size.workload.name, size.params);
            let serial = size.serial_ns();
            let factor = size.factor().map_or_else(|| "–".to_owned(), |factor| format!("{factor:.2}"));
            text += &format!("  {name:<36}{:>10}{factor:>8}", serial.map_or_else(String::new, short));
            for kind in self.profile.runtimes.keys() {
                let speed = |state| Some(1.0 / size.relative_time(state, *kind)?);
                let speeds = State::ALL.into_iter().filter_map(speed).map(|speed| format!("{speed:.2}"));
                text += &format!("{:>12}", speeds.collect::<Vec<_>>().join("/") + "×");
            }
            text += "\n";
        }
        text += "\nThe runtime that `auto` chooses, and the stated work from which it goes parallel\n";
        for (name, kernel) in &self.profile.kernels {
            let cost = self.profile.fork_cost(kernel.runtime, name).asleep_ns as f64;
            text += &match kernel.runtime {
                Kind::Serial => paragraph(name, "serial"),
                kind => {
                    paragraph(name, &format!("{kind}, {}", short(2.0 * cost * threads / (threads - 1.0))))
                }
            };
        }
        text
    }
}

/// Measures the costs of forks, their break-even and the factors of the kernels: each once, and then while there is
/// time. Rounds spread what disturbs the machine for a while over all of them.
fn costs(
    part: &Part<'_>,
    kinds: &[Kind],
    threads: NonZeroUsize,
    sizes: &mut [Size],
) -> Result<(Profile, BreakEvens), Stop> {
    let mut forks: BTreeMap<Kind, Vec<ForkCost>> = BTreeMap::new();
    let mut break_even = BreakEvens::new();
    for round in 0.. {
        for kind in kinds {
            let runtime = kind.build(threads)?;
            if part.goes_on()? || round == 0 {
                forks.entry(*kind).or_default().push(fork_cost::measure(&*runtime));
            }
            for state in State::ALL {
                if part.goes_on()? || round == 0 {
                    break_even.entry((*kind, state)).or_default().measure(&*runtime, state);
                }
            }
            drop(runtime);
            kernels::settle(*kind);
        }
        for size in &mut *sizes {
            if part.goes_on()? || round == 0 {
                size.record();
            }
        }
        if !part.goes_on()? {
            break;
        }
    }
    let cost = |kind: Kind, all: &[ForkCost]| {
        let ns = |state, of: fn(&ForkCost) -> u64| {
            let empty = lower_quartile(&all.iter().map(|cost| of(cost) as f64).collect::<Vec<_>>());
            let least = break_even.get(&(kind, state)).map_or(0.0, |found| found.least_cost(threads));
            empty.max(least) as u64
        };
        let spinning_ns = ns(State::Spinning, |cost| cost.spinning_ns);
        ForkCost { spinning_ns, asleep_ns: ns(State::Asleep, |cost| cost.asleep_ns) }
    };
    let runtimes = forks.iter().map(|(kind, all)| (*kind, cost(*kind, all))).collect();
    Ok((Profile { runtimes, kernels: kernels::factors(sizes) }, break_even))
}

/// Measures the kernels on all runtimes with the costs of `profile`, in rounds as [`costs`].
fn compare(
    part: &Part<'_>,
    kinds: &[Kind],
    threads: NonZeroUsize,
    profile: &Profile,
    sizes: &mut [Size],
) -> Result<(), Stop> {
    let mut order: Vec<Kind> = std::iter::once(Kind::Serial).chain(kinds.iter().copied()).collect();
    for round in 0.. {
        for size in &mut *sizes {
            for kind in &order {
                if part.goes_on()? || round == 0 {
                    let threads = if *kind == Kind::Serial { NonZeroUsize::MIN } else { threads };
                    let cost = profile.fork_cost(*kind, size.workload.name);
                    size.time(*kind, &*kind.build_with(threads, cost)?);
                    kernels::settle(*kind);
                }
            }
        }
        if !part.goes_on()? {
            return Ok(());
        }
        // So that a drift meets all alike.
        order.reverse();
    }
    Ok(())
}

/// Returns the lower quartile: what disturbs a measurement only makes it longer, and on a virtual machine it may be
/// most of them. NaN for no values.
fn lower_quartile(values: &[f64]) -> f64 {
    let mut values = values.to_vec();
    values.sort_by(f64::total_cmp);
    values.get(values.len().saturating_sub(1) / 4).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_of_a_busy_machine_is_reported() {
        let ms = Duration::from_millis;
        let forks = |spinning_ns, asleep_ns| [(Kind::Rayon, ForkCost { spinning_ns, asleep_ns })].into();
        assert_eq!(disturbance(ms(19), ms(1000), &forks(5_000, 40_000)), None);
        let why = disturbance(ms(250), ms(1000), &forks(5_000, 40_000)).unwrap();
        assert!(why.contains("waited 25 % of the time"), "{why}");
        let why = disturbance(ms(0), ms(1000), &forks(15_500_000, 620_000)).unwrap();
        assert!(why.starts_with("a call of rayon took longer"), "{why}");
        assert_eq!(disturbance(ms(0), ms(0), &BTreeMap::new()), None);
    }

    #[test]
    fn the_time_waited_rises() {
        assert!(run_delay() <= run_delay());
    }

    #[test]
    fn lower_quartiles() {
        assert_eq!(lower_quartile(&[3.0, 1.0, 2.0]), 1.0);
        assert_eq!(lower_quartile(&[5.0, 1.0, 4.0, 2.0, 3.0]), 2.0);
        assert!(lower_quartile(&[]).is_nan());
    }
}

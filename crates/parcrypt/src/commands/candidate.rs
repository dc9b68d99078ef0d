//! `parcrypt candidate`: this program's workloads as a candidate of the lab, by the protocol on standard input and
//! output.

#[cfg(all(unix, feature = "flame"))]
mod flame;
mod idle_runtime;

use std::hint::black_box;
use std::io::{IsTerminal, Write};
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use parcrypt_cpu::{Backend, Requests};
use parcrypt_protocol::{
    Description, Fits, NamedPlan, OutputDigest, Part, Prepare, Ready, Refusal, Sample, Value, Worker,
    WorkerError, nanoseconds,
};
use parcrypt_runtime::{Kind, OpenMp, Runtime, Serial};

use super::plans::PLANS;
use crate::error::fail;
use crate::ranks::{self, Session};
use crate::requests;
use crate::runtimes;
use crate::workload::params::Effect;
use crate::workload::{self, Error, Prepared};
use crate::workloads;
use idle_runtime::{IdleRuntime, RuntimeState};

/// Time after which a silent rank is treated as lost.
const SILENCE: Duration = Duration::from_secs(60);

const THREADS_PER_RANK: &str = "threads-per-rank";

/// Run as a candidate of a benchmark, with the protocol on standard input and output
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Each line of standard input is a request, one JSON object; each gets one line of response with its id:

  {\"id\":1,\"prepare\":{\"protocol\":2,\"workload\":\"sum\",\"params\":{\"scale\":20},\"threads\":2,\"input\":\"FILE\"}}
  {\"id\":2,\"sample\":{\"iterations\":3}}
  {\"id\":3,\"digest\":{}}
  {\"id\":4,\"quit\":{}}

`parcrypt bench` starts candidates itself. To try one by hand:

  head -c 1048576 /dev/zero > zeros
  echo -n '{\"id\":1,\"prepare\":{\"protocol\":2,\"workload\":\"sum\",\"params\":{\"scale\":20},' > request
  echo '\"threads\":1,\"input\":\"zeros\"}}' >> request
  parcrypt candidate --runtime serial < request

Exit codes: 0 when standard input ends or after `quit`, 2 for a request that cannot be answered.")]
pub(crate) struct Arguments {
    /// The parallel runtime: serial, rayon or openmp [default: serial for one thread, else rayon]
    #[arg(long, value_name = "NAME")]
    runtime: Option<Kind>,
    /// Compute over the ranks that mpiexec has started, for KZG: `threads` is then their number, and the parameter
    /// threads-per-rank is the number of threads of each [default: 1]
    #[arg(long)]
    mpi: bool,
    /// The backend to use: a name that `parcrypt list` prints, or baseline, or rows of single tables such as
    /// fr=avx2,sha256=sha2 [default: the best available]
    #[arg(long, value_name = "NAME", value_parser = requests::parse)]
    backend: Option<Requests>,
    /// Run the workload only on the caller's thread, while the runtime is absent (not started), idle (its threads
    /// wait) or used (an untimed parallel section of 40 µs ends before each 50 µs of the workload)
    #[arg(long, value_name = "STATE", requires = "runtime", conflicts_with = "mpi")]
    idle_runtime: Option<RuntimeState>,
    /// Write a flame graph of the samples as SVG when standard input ends
    #[cfg(all(unix, feature = "flame"))]
    #[arg(long, value_name = "FILE")]
    flame: Option<std::path::PathBuf>,
}

struct Current {
    prepared: Box<dyn Prepared>,
    runtime: Box<dyn Runtime>,
    /// An idle runtime that the work does not use.
    idle: Option<IdleRuntime>,
    samples: usize,
}

enum Ranks<'s> {
    None,
    Some(&'s mut Session),
    /// Ranks were requested but are missing, with the reason.
    Missing(String),
}

/// The command as a worker of the protocol.
struct Workloads<'s> {
    arguments: &'s Arguments,
    ranks: Ranks<'s>,
    current: Option<Current>,
    /// The profiler, from the first sample on.
    #[cfg(all(unix, feature = "flame"))]
    flame: Option<flame::Flame>,
}

impl Worker for Workloads<'_> {
    fn prepare(&mut self, request: &Prepare) -> Result<Ready, WorkerError> {
        // The memory of the previous workload is freed first.
        self.current = None;
        let (current, ready) = prepare(self.arguments, &mut self.ranks, request)?;
        self.current = Some(current);
        Ok(ready)
    }

    fn sample(&mut self, iterations: u64) -> Result<Sample, WorkerError> {
        let current = self.current.as_mut().ok_or(WorkerError::NotPrepared { request: "sample" })?;
        #[cfg(all(unix, feature = "flame"))]
        if let (None, Some(file)) = (&self.flame, &self.arguments.flame) {
            self.flame = Some(flame::Flame::begin(file).map_err(WorkerError::other)?);
        }
        sample(current, &mut self.ranks, iterations).map_err(WorkerError::other)
    }

    fn digest(&mut self) -> Result<OutputDigest, WorkerError> {
        let current = self.current.as_ref().ok_or(WorkerError::NotPrepared { request: "digest" })?;
        Ok(OutputDigest(workload::digest(&*current.prepared)))
    }

    fn check(&mut self, request: &Prepare) -> Result<Result<Fits, Refusal>, WorkerError> {
        Ok(check(request))
    }

    fn describe(&mut self) -> Result<Description, WorkerError> {
        // All candidates would fail with an invalid request of the environment.
        requests::from_environment().map_err(WorkerError::other)?;
        Ok(describe())
    }
}

/// A rank that was lost while a sample was taken.
#[derive(Debug, thiserror::Error)]
#[error("--mpi: {0}")]
struct RankError(#[from] ranks::Error);

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    if !arguments.mpi {
        return talk(arguments, Ranks::None);
    }
    let make = |threads: Option<NonZeroUsize>, _| {
        runtime(arguments, threads.map_or(1, NonZeroUsize::get)).map_err(|error| error.to_string())
    };
    let lead = |session: &mut Session| talk(arguments, Ranks::Some(session));
    ranks::over(SILENCE, &make, lead)
        .unwrap_or_else(|error| talk(arguments, Ranks::Missing(format!("--mpi: {error}"))))
}

fn talk(arguments: &Arguments, ranks: Ranks<'_>) -> ExitCode {
    if std::io::stdin().is_terminal() {
        let _ = writeln!(
            std::io::stderr(),
            "parcrypt candidate is started by `parcrypt bench` and waits for JSON requests (Ctrl-D to quit)"
        );
    }
    let mut workloads = Workloads {
        arguments,
        ranks,
        current: None,
        #[cfg(all(unix, feature = "flame"))]
        flame: None,
    };
    let served = parcrypt_protocol::serve(&mut workloads);
    #[cfg(all(unix, feature = "flame"))]
    if let Some(Err(error)) = workloads.flame.take().map(flame::Flame::end) {
        return fail(error);
    }
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(error),
    }
}

/// Checks names, bounds and memory. A known runtime or backend that is unavailable here is not an error: its entry is
/// skipped when it runs.
fn check(request: &Prepare) -> Result<Fits, Refusal> {
    runtimes::check_threads(request.threads)
        .map_err(|error| Refusal { part: Part::Threads, why: error.to_string() })?;
    let refusal = |error: Error| {
        // Parameters that do not change the output belong to the candidate.
        let is_way = matches!(&error, Error::Param(param) if param.effect == Some(Effect::Way));
        Refusal { part: if is_way { Part::Candidate } else { Part::Workload }, why: error.to_string() }
    };
    let workload = match workloads::find(&request.workload) {
        Err(Error::Unsupported(_)) => return Ok(Fits::default()),
        found => found.map_err(refusal)?,
    };
    let values = workload.values(&request.params).map_err(refusal)?;
    workload.check_memory(&values, parcrypt_machine::memory_available()).map_err(refusal)?;
    Ok(Fits { memory: (workload.memory)(&values) })
}

fn describe() -> Description {
    let openmp = match OpenMp::library() {
        Ok(library) => format!("{} (_OPENMP {}), {}", library.name, library.version, library.wait_policy),
        Err(why) => why.to_string(),
    };
    Description {
        name: "parcrypt".to_owned(),
        backends: Backend::available().iter().map(ToString::to_string).collect(),
        build: parcrypt_terminal::build::facts().into_iter().chain([("openmp".to_owned(), openmp)]).collect(),
        plans: PLANS
            .iter()
            .map(|(name, text)| NamedPlan { name: (*name).to_owned(), text: (*text).to_owned() })
            .collect(),
        hint: "Compare with other libraries: make peers, then {bench} kzg-peers (or mac-peers)".to_owned(),
    }
}

fn runtime(arguments: &Arguments, threads: usize) -> Result<Box<dyn Runtime>, Error> {
    let kind = match arguments.runtime {
        Some(kind) => kind,
        None if threads == 1 => Kind::Serial,
        None => Kind::Rayon,
    };
    runtimes::build(kind, threads)
}

fn prepare(
    arguments: &Arguments,
    ranks: &mut Ranks<'_>,
    request: &Prepare,
) -> Result<(Current, Ready), Error> {
    let workload = workloads::find(&request.workload)?;
    let mut params = request.params.clone();
    let threads = match ranks {
        Ranks::None => request.threads,
        Ranks::Missing(why) => return Err(Error::Unsupported(why.clone())),
        Ranks::Some(session) if session.ranks() != request.threads => {
            let (asked, there) = (request.threads, session.ranks());
            return Err(Error::Unsupported(format!("{asked} ranks were requested, but {there} are running")));
        }
        Ranks::Some(_) => match params.remove(THREADS_PER_RANK) {
            None => 1,
            Some(Value::Number(threads)) => usize::try_from(threads).unwrap_or(usize::MAX),
            Some(Value::Text(_)) => 0,
        },
    };
    let values = workload.values(&params)?;
    let idle = match (arguments.idle_runtime, arguments.runtime) {
        (Some(idle_runtime), Some(kind)) => Some(IdleRuntime::new(kind, idle_runtime, threads)?),
        _ => None,
    };
    let runtime = match idle {
        Some(_) => Box::new(Serial),
        None => runtime(arguments, threads)?,
    };
    let rows = workload.rows(Some(&values), arguments.backend.as_ref())?;
    workload.check_memory(&values, parcrypt_machine::memory_available())?;
    let begun = Instant::now();
    let input = workload.read_input(&values, request.input.as_deref())?;
    let read = begun.elapsed();
    #[cfg_attr(not(feature = "mpi"), expect(unused_mut, reason = "only ranks set it up"))]
    let mut prepared = (workload.prepare)(&values, input, &*runtime, &rows)?;
    let phases = [("read", read), ("prepare", begun.elapsed() - read)];
    let mut ready = Ready {
        name: "parcrypt".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        runtime: runtime.name().to_owned(),
        backend: prepared.backend().map_or_else(|| rows.text(), |backend| backend.to_string()),
        threads: runtime.threads().get(),
        phases: phases.map(|(name, time)| (name.to_owned(), nanoseconds(time))).into(),
        ..Ready::default()
    };
    if let Some(idle) = &idle {
        ready.runtime = format!("serial, {}", idle.about);
    }
    #[cfg(feature = "mpi")]
    if let Ranks::Some(session) = ranks {
        let why = || format!("`{}` cannot be shared by ranks", workload.name);
        let connecting = begun.elapsed();
        let spread = prepared.spread().ok_or_else(|| Error::Unsupported(why()))?;
        spread.set_up(session, &*runtime).map_err(Error::wrong)?;
        let connected = nanoseconds(begun.elapsed() - connecting);
        ready.phases.insert("connect".to_owned(), connected);
        ready.runtime = "mpi".to_owned();
        ready.threads = session.ranks();
    }
    Ok((Current { prepared, runtime, idle, samples: 0 }, ready))
}

fn sample(current: &mut Current, ranks: &mut Ranks<'_>, iterations: u64) -> Result<Sample, RankError> {
    let Current { prepared, runtime, idle, samples } = current;
    let elapsed = match idle {
        Some(idle) => idle.time(iterations, || black_box(&mut *prepared).iterate(&**runtime)),
        None => on_moved_stack(samples, || {
            let begun = Instant::now();
            for _ in 0..iterations {
                iterate(black_box(&mut **prepared), ranks, &**runtime)?;
            }
            Ok::<_, RankError>(begun.elapsed())
        })?,
    };
    #[cfg(feature = "mpi")]
    if let Ranks::Some(session) = ranks {
        session.pause()?;
    }
    let mut counts = current.prepared.counts();
    counts.extend(current.idle.as_ref().and_then(IdleRuntime::count));
    Ok(Sample { elapsed_ns: Some(nanoseconds(elapsed)), phases: Default::default(), counts })
}

/// Calls `time` on a stack that is moved in another way for each sample.
fn on_moved_stack<T>(samples: &mut usize, mut time: impl FnMut() -> T) -> T {
    *samples += 1;
    alloca::with_alloca(stack_offset(*samples), |moved| {
        black_box(moved);
        time()
    })
}

/// Returns the bytes by which the stack of a sample is moved: another multiple of 16 below 4096 each time.
///
/// Where the stack lies relative to cache lines and to other memory can change the time of a kernel by some percent. It
/// is drawn once for a process; moved for each sample, its luck averages out within a process. (As the tool Stabilizer
/// does: C. Curtsinger and E. Berger, 'Stabilizer: statistically sound performance evaluation', ASPLOS 2013.)
fn stack_offset(samples: usize) -> usize {
    // The top bits of a multiple of the golden ratio: 256 places, whichever samples are measured.
    (samples as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(8) as usize % 256 * 16
}

fn iterate(prepared: &mut dyn Prepared, ranks: &mut Ranks<'_>, rt: &dyn Runtime) -> Result<(), RankError> {
    #[cfg(feature = "mpi")]
    if let Ranks::Some(session) = &mut *ranks
        && let Some(spread) = prepared.spread()
    {
        return Ok(spread.iterate_over(session, rt)?);
    }
    #[cfg(not(feature = "mpi"))]
    let _ = ranks;
    prepared.iterate(rt);
    Ok(())
}

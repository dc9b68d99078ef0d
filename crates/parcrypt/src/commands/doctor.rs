//! `parcrypt doctor`: the machine, the backends, the runtimes and the optional tools.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use parcrypt_cpu::{Backend, Requests, cores, select};
use parcrypt_machine::{Cache, Machine};
use parcrypt_runtime::{ForkCost, Kind, OpenMp, OpenMpLibrary, Runtime};
use serde_json::{Value, json};

use super::{fork_cost, machine};
use crate::files;
use crate::requests::{self, ENVIRONMENT};
use crate::text::{WIDTH, cut, print, print_json, size};
use crate::workloads;

/// Show the machine, the backends, the runtimes and the optional tools in 11 lines, with what is missing
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  parcrypt doctor
  parcrypt doctor --json     tables of backends, costs of calls, and how to install tools

It changes nothing, and takes about a second to measure the cost of a parallel call.
Missing parts are not an error: the exit code is 0.")]
pub(crate) struct Arguments {
    /// Print JSON, with everything
    #[arg(long)]
    json: bool,
}

/// The optional programs: the command, what it is needed for, and how to install it.
const TOOLS: [[&str; 3]; 10] = [
    [
        "mpiexec",
        "KZG over ranks, and the sum over ranks",
        "`make mpi` in the source tree, or Debian packages mpich and libmpich-dev",
    ],
    ["julia", "candidates in Julia", "`make ranks` in the source tree, or its own project"],
    [
        "qemu-riscv64",
        "RISC-V kernels on another processor",
        "`make riscv` in the source tree, or Debian package qemu-user",
    ],
    [
        "clang-19",
        "building the RISC-V kernels",
        "`make riscv` in the source tree, or Debian packages clang-19 and lld-19",
    ],
    ["aarch64-linux-gnu-gcc", "building for 64-bit ARM", "Debian package gcc-aarch64-linux-gnu"],
    ["qemu-aarch64", "running programs for 64-bit ARM on another processor", "Debian package qemu-user"],
    ["valgrind", "counting instructions, and tests of the C libraries", "Debian package valgrind"],
    [
        "objcopy",
        "hiding the inner symbols of the static libraries, and symbols apart from programs",
        "Debian package binutils",
    ],
    ["chromium", "tests of the pages of reports", "Debian package chromium"],
    ["python3", "candidates in Python", "Debian package python3"],
];

type Found = (PathBuf, Option<String>);

struct Table {
    name: &'static str,
    rows: Vec<Backend>,
    selected: Result<Backend, parcrypt_cpu::Error>,
}

struct Facts {
    machine: Machine,
    requests: Result<Requests, parcrypt_cpu::Error>,
    tables: Vec<Table>,
    openmp: Result<OpenMpLibrary, parcrypt_runtime::Error>,
    forks: Vec<(Box<dyn Runtime>, ForkCost)>,
    tools: Vec<([&'static str; 3], Option<Found>)>,
}

pub(crate) fn run(arguments: &Arguments) -> ExitCode {
    let facts = Facts::gather();
    if arguments.json { print_json(&facts.json()) } else { print(&facts.summary()) }
}

impl Facts {
    fn gather() -> Self {
        let tools = std::thread::scope(|scope| {
            let asked = TOOLS.map(|tool| (tool, scope.spawn(move || find(tool[0]))));
            asked.into_iter().map(|(tool, found)| (tool, found.join().unwrap_or(None))).collect()
        });
        // Measured after the tools have run, which would disturb the measurement.
        let threads = cores().max(NonZeroUsize::MIN.saturating_add(1));
        let forks = [Kind::Rayon, Kind::OpenMp].into_iter().filter_map(|kind| kind.build(threads).ok());
        let measure = |runtime: Box<dyn Runtime>| {
            let cost = fork_cost::measure(&*runtime);
            (runtime, cost)
        };
        let requests = requests::from_environment();
        Facts {
            machine: Machine::detect(),
            tables: tables(&requests),
            requests,
            openmp: OpenMp::library(),
            forks: forks.map(measure).collect(),
            tools,
        }
    }

    /// Returns 11 lines, of at most 80 columns if nothing is wrong.
    fn summary(&self) -> String {
        let machine = &self.machine;
        let hypervisor = match machine.hypervisor.as_deref() {
            None => String::new(),
            Some("unknown") => ", in a virtual machine".to_owned(),
            Some(name) => format!(", in a virtual machine ({name})"),
        };
        let quota = machine.quota.map_or_else(|| "no quota".to_owned(), |quota| format!("quota {quota:.2}"));
        // Instructions have a cache of their own, of which no kernel fills much.
        let caches = machine.caches.iter().filter(|cache| cache.name != "L1i");
        let caches = caches.map(|cache| format!("{} {}", cache.name, size(cache.bytes)));
        let caches = caches.collect::<Vec<_>>().join(", ");
        let [available, absent] = machine::backend_names().map(|names| names.join(" "));
        let (requests, is_wrong) = self.requests_text();
        let runtimes = match (machine::rayon(), &self.openmp) {
            (Ok(rayon), Ok(openmp)) => {
                format!("serial; Rayon {rayon} and {}, {} threads each", openmp.name, cores())
            }
            (Ok(rayon), Err(why)) => format!("serial; Rayon {rayon}, {} threads; OpenMP: {why}", cores()),
            (Err(_), Ok(openmp)) => {
                format!("serial; {}, {} threads; no Rayon in this build", openmp.name, cores())
            }
            (Err(_), Err(why)) => format!("serial; no Rayon in this build; OpenMP: {why}"),
        };
        let call = |(runtime, cost): &(Box<dyn Runtime>, ForkCost)| {
            format!("{} {} µs", runtime.name(), us(cost.spinning_ns))
        };
        let calls = match &self.forks[..] {
            [] => "no parallel runtime to measure".to_owned(),
            forks => {
                let threads = forks[0].0.threads();
                let calls = forks.iter().map(call).collect::<Vec<_>>().join(", ");
                format!("{calls} for a parallel call on {threads} threads")
            }
        };
        let tools = |here: bool| {
            let tools = self.tools.iter().filter(|(_, found)| found.is_some() == here);
            tools.map(|([command, ..], _)| *command).collect::<Vec<_>>().join(" ")
        };
        let tools = match (tools(false), tools(true)) {
            (missing, here) if missing.is_empty() => {
                format!("all {} optional ones: {here}", self.tools.len())
            }
            (missing, here) if here.is_empty() => format!("missing: {missing}"),
            (missing, here) => format!("missing: {missing}; here: {here}"),
        };
        let caches = if caches.is_empty() { "caches not known".to_owned() } else { caches };
        let memory = format!("{}; {caches}", self.memory());
        let lines = [
            ("processor", format!("{}, {}{hypervisor}", machine.processor, machine.arch), false),
            ("system", self.system(), false),
            ("cores", format!("{} used, {quota}", cores()), false),
            ("memory", memory, false),
            ("backends", available, false),
            ("not here", absent, false),
            ("requests", requests, is_wrong),
            ("runtimes", runtimes, self.openmp.is_err()),
            ("calls", calls, false),
            ("tools", tools, false),
            ("more", "`parcrypt doctor --json` has all of it, and how to install tools".to_owned(), false),
        ];
        let line = |(label, text, is_whole): &(&str, String, bool)| {
            let text = if *is_whole { text.clone() } else { cut(text, WIDTH - 13) };
            format!("  {label:<11}{text}\n")
        };
        lines.iter().map(line).collect()
    }

    fn system(&self) -> String {
        let Machine { system, kernel, .. } = &self.machine;
        kernel.as_ref().map_or_else(|| system.clone(), |kernel| format!("{system}, {kernel}"))
    }

    fn memory(&self) -> String {
        let [all, available] = [self.machine.memory, self.machine.memory_available]
            .map(|bytes| bytes.map_or_else(|| "?".to_owned(), size));
        format!("{all}, {available} available")
    }

    fn requests_text(&self) -> (String, bool) {
        match &self.requests {
            Ok(requests) if *requests == Requests::default() => {
                (format!("{ENVIRONMENT} is not set: each table takes its last available row"), false)
            }
            Ok(_) => {
                let wrong = self.tables.iter().find_map(|table| table.selected.as_ref().err());
                let wrong_text = wrong.map(|why| format!(": {why}")).unwrap_or_default();
                let value = requests::environment().unwrap_or_default();
                (format!("{ENVIRONMENT}={value}{wrong_text}"), wrong.is_some())
            }
            Err(error) => (format!("{ENVIRONMENT} is invalid: {error}"), true),
        }
    }

    fn json(&self) -> Value {
        let machine = &self.machine;
        let cache = |c: &Cache| json!({ "name": c.name, "bytes": c.bytes, "shared_by": c.shared_by });
        let table = |Table { name, rows, selected }: &Table| {
            json!({
                "name": name,
                "rows": rows.iter().map(|row| row.name()).collect::<Vec<_>>(),
                "selected": selected.as_ref().ok().map(|row| row.name()),
                "error": selected.as_ref().err().map(ToString::to_string),
            })
        };
        let openmp = match &self.openmp {
            Ok(library) => json!({
                "available": true,
                "threads": cores(),
                "library": library.name,
                "file": library.file,
                "_OPENMP": library.version,
                "wait_policy": library.wait_policy,
            }),
            Err(why) => json!({ "available": false, "why": why.to_string() }),
        };
        let rayon = match machine::rayon() {
            Ok(version) => json!({ "available": true, "threads": cores(), "version": version }),
            Err(why) => json!({ "available": false, "why": why }),
        };
        let costs = |c: &ForkCost| json!({ "spinning_ns": c.spinning_ns, "asleep_ns": c.asleep_ns });
        let fork = |(runtime, measured): &(Box<dyn Runtime>, ForkCost)| {
            json!({
                "runtime": runtime.name(),
                "threads": runtime.threads(),
                "measured_now": costs(measured),
                "decided_with": costs(&runtime.fork_cost()),
            })
        };
        let tool = |([command, needed_for, get], found): &([&str; 3], Option<Found>)| {
            json!({
                "command": command,
                "available": found.is_some(),
                "file": found.as_ref().map(|(file, _)| file.display().to_string()),
                "version": found.as_ref().and_then(|(_, version)| version.clone()),
                "needed_for": needed_for,
                "get": get,
            })
        };
        json!({
            "version": env!("CARGO_PKG_VERSION"),
            "machine": {
                "processor": machine.processor,
                "arch": machine.arch,
                "hypervisor": machine.hypervisor,
                "system": machine.system,
                "kernel": machine.kernel,
                "cores": cores(),
                "cores_online": machine.cores_online,
                "cores_allowed": machine.cores_allowed,
                "quota": machine.quota,
                "memory": machine.memory,
                "memory_limit": machine.memory_limit,
                "memory_available": machine.memory_available,
                "caches": machine.caches.iter().map(cache).collect::<Vec<_>>(),
            },
            "backends": Backend::ALL.map(|b| json!({
                "name": b.name(),
                "available": b.is_available(),
                "needs": b.requirement(),
            })),
            "tables": self.tables.iter().map(table).collect::<Vec<_>>(),
            "requests": requests::environment(),
            "requests_error": self.requests.as_ref().err().map(ToString::to_string),
            "runtimes": {
                "serial": { "available": true, "threads": 1 },
                "rayon": rayon,
                "openmp": openmp,
                "mpi": { "available": cfg!(feature = "mpi") },
            },
            "fork_cost": self.forks.iter().map(fork).collect::<Vec<_>>(),
            "tools": self.tools.iter().map(tool).collect::<Vec<_>>(),
        })
    }
}

/// Returns each table with its rows and the row that runs. A backend without a table is requested of every object: one
/// with several tables uses it in those that have it.
fn tables(requests: &Result<Requests, parcrypt_cpu::Error>) -> Vec<Table> {
    let all = workloads::tables();
    let objects: Vec<Vec<&str>> = workloads::all().map(|workload| workload.tables()).collect();
    let row = |(table, rows): &(&'static str, Vec<Backend>)| {
        let object = objects.iter().filter(|object| object.contains(table)).max_by_key(|object| object.len());
        // The table first, then the others of its object.
        let others = all
            .iter()
            .filter(|(other, _)| other != table && object.is_some_and(|object| object.contains(other)));
        let of_object: Vec<(&str, &[Backend])> = std::iter::once((*table, &rows[..]))
            .chain(others.map(|(name, rows)| (*name, &rows[..])))
            .collect();
        let found = requests.clone().and_then(|requests| requests.for_all(&of_object));
        let selected = found.and_then(|found| select(rows, found[0]).copied());
        Table { name: table, rows: rows.clone(), selected }
    };
    all.iter().map(row).collect()
}

fn us(ns: u64) -> String {
    let us = ns as f64 / 1000.0;
    if us < 100.0 { format!("{us:.1}") } else { format!("{us:.0}") }
}

fn find(command: &str) -> Option<Found> {
    let path = std::env::var_os("PATH")?;
    let name = format!("{command}{}", std::env::consts::EXE_SUFFIX);
    let file =
        std::env::split_paths(&path).map(|folder| folder.join(&name)).find(|file| files::is_program(file))?;
    let version = version(&file);
    Some((file, version))
}

/// Returns the first line with a digit that `--version` prints within three seconds.
fn version(file: &Path) -> Option<String> {
    const LIMIT: Duration = Duration::from_secs(3);
    const TICK: Duration = Duration::from_millis(10);
    let mut child = Command::new(file)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    let begun = Instant::now();
    // The text fits into the pipe, so it can be read after the process has ended.
    while child.try_wait().ok()?.is_none() {
        if begun.elapsed() > LIMIT {
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(TICK);
    }
    let output = child.wait_with_output().ok()?.stdout;
    let text = String::from_utf8_lossy(&output);
    let line = text.lines().find(|line| line.contains(|c: char| c.is_ascii_digit()))?;
    Some(line.split_whitespace().collect::<Vec<_>>().join(" "))
}

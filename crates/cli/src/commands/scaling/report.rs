//! The report of `parcrypt scaling`: the measured constants of the model, and its predictions.

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use parcrypt_cluster::model::{Costs, Machines};
use parcrypt_kzg::{
    BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_PROOF, CELLS_PER_EXT_BLOB, CellsAndProofs, Settings,
    compute_cells_and_kzg_proofs, compute_cells_and_kzg_proofs_many, compute_cells_many,
};
use parcrypt_runtime::{Kind, Runtime, Serial};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::Arguments;
use crate::error::CommandError;
use crate::progress::Bar;
use crate::requests;
use crate::runtimes;
use crate::text::{self, seconds};

/// Memory for tables in every measurement, in MiB.
const TABLES: usize = 64;

/// Blobs of a small and a large job, whose difference is the cost of a blob.
const FEW: usize = 16;
const MANY: usize = 144;
/// Processes of the launcher that are started to measure the cost of one.
const LAUNCHED: usize = 33;

pub(super) fn report(arguments: &Arguments, bar: &Bar) -> Result<String, CommandError> {
    let bench = Bench::new(arguments)?;
    let cores = parcrypt_cpu::cores().get();
    bar.set_message("measuring what a blob costs");
    let (costs, further) = bench.costs(cores)?;
    let mut text = constants(&costs, cores, further);

    let blobs = usize::from(arguments.blobs);
    let _ = write!(
        text,
        "\nOn this machine, the cells and proofs of {blobs} blobs, one thread a rank, the median of {}:\n\n\
         {:>7} {:>11} {:>11} {:>22}\n",
        arguments.repeat, "ranks", "predicted", "measured", "measured / predicted"
    );
    for ranks in arguments.ranks.iter().map(|ranks| usize::from(*ranks)) {
        bar.set_message(format!("{blobs} blobs on {ranks} ranks"));
        let measured =
            bench.median(arguments.repeat, || Ok(bench.job(ranks, blobs, Work::CellsAndProofs)?.wall))?;
        let here = Machines { nodes: 1, cores: ranks.min(cores), latency: 0.0, bandwidth: f64::INFINITY };
        let predicted = costs.predict(&here, blobs).seconds + (ranks - 1) as f64 * further;
        let _ = writeln!(
            text,
            "{ranks:>7} {:>11} {:>11} {:>22.2}",
            seconds(predicted),
            seconds(measured),
            measured / predicted
        );
    }
    text += &predictions(arguments, &costs);
    Ok(text)
}

/// Returns the table of the measured constants.
fn constants(costs: &Costs, cores: usize, further: f64) -> String {
    let Costs { compute, serial, serve, sent, returned, ready, launch } = *costs;
    let rows = [
        (
            "compute",
            seconds(compute),
            format!("one thread's time for the cells and proofs of a blob, {cores} threads at work"),
        ),
        ("serial", format!("{:.0} %", 100.0 * serial), "the share of it that is not parallel".to_owned()),
        ("serve", seconds(serve), "other time of a blob: read, send, receive, write".to_owned()),
        ("sent", text::size(sent as u64), "a blob on its way to a rank".to_owned()),
        ("returned", text::size(returned as u64), "its cells and proofs on their way back".to_owned()),
        (
            "ready",
            seconds(ready),
            format!("start-up of one rank: launcher, MPI, setup, {TABLES} MiB of tables at most"),
        ),
        ("rank", seconds(further), "added by each further rank on this machine".to_owned()),
        ("launch", seconds(launch), "the launcher's part of it, for each rank".to_owned()),
    ];
    let mut text = "Measured here:\n\n".to_owned();
    for (name, value, what) in rows {
        let _ = writeln!(text, "  {name:<9} {value:>10}   {what}");
    }
    text
}

/// Returns the table of the predictions.
fn predictions(arguments: &Arguments, costs: &Costs) -> String {
    let machines = |nodes: usize| Machines {
        nodes,
        cores: arguments.cores.into(),
        latency: arguments.latency.as_secs_f64(),
        bandwidth: arguments.gbit * 1e9 / 8.0,
    };
    let mut text = format!(
        "\nPredicted for machines with {} such cores each, {} and {} Gbit/s apart, with what limits the job:\n\n{:>9}",
        arguments.cores,
        humantime::format_duration(arguments.latency),
        arguments.gbit,
        "blobs"
    );
    for nodes in &arguments.nodes {
        let _ =
            write!(text, " {:>22}", format!("{nodes} {}", if *nodes == 1 { "machine" } else { "machines" }));
    }
    text += "   enough\n";
    for blobs in arguments.jobs.iter().map(|blobs| *blobs as usize) {
        let _ = write!(text, "{blobs:>9}");
        for nodes in &arguments.nodes {
            let said = costs.predict(&machines(*nodes as usize), blobs);
            let _ = write!(text, " {:>22}", format!("{} ({})", seconds(said.seconds), said.bound.name()));
        }
        let _ = writeln!(text, " {:>8}", costs.enough_nodes(&machines(1), blobs));
    }
    text += "\nenough: twice as many machines save less than a tenth of the time.\n";
    text
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    Cells,
    CellsAndProofs,
}

/// The time of a job, in seconds.
struct Spent {
    wall: f64,
    /// Processor time of all its processes.
    processor: f64,
}

/// A folder with blobs, and the command for jobs over them.
struct Bench {
    folder: TempDir,
    blobs: Vec<PathBuf>,
    /// The cells and proofs of the first blob.
    first: CellsAndProofs,
    program: PathBuf,
    launcher: PathBuf,
    repeat: u16,
}

impl Bench {
    fn new(arguments: &Arguments) -> Result<Self, CommandError> {
        let folder =
            tempfile::tempdir().map_err(|e| CommandError::new(format!("a folder for blobs: {e}")))?;
        let count = usize::from(arguments.blobs).max(MANY);
        let blobs = (0..count).map(|i| folder.path().join(format!("{i:04}.blob"))).collect::<Vec<_>>();
        for (i, path) in blobs.iter().enumerate() {
            std::fs::write(path, blob(i))
                .map_err(|e| CommandError::new(format!("{}: {e}", path.display())))?;
        }
        let program =
            std::env::current_exe().map_err(|e| CommandError::new(format!("this program's path: {e}")))?;
        let first = compute_cells_and_kzg_proofs(
            &Serial,
            &Settings::mainnet(requests::from_environment()?)?,
            &blob(0),
        )?;
        Ok(Bench {
            folder,
            blobs,
            first,
            program,
            launcher: arguments.launcher.clone(),
            repeat: arguments.repeat,
        })
    }

    /// Runs the command on this number of blobs and ranks.
    fn job(&self, ranks: usize, blobs: usize, work: Work) -> Result<Spent, CommandError> {
        let out = self.folder.path().join("out");
        let mut command = Command::new(&self.launcher);
        command.args(["-n", &ranks.to_string()]).arg(&self.program).args([
            "kzg",
            "cells",
            "--mpi",
            "--threads",
            "1",
        ]);
        match work {
            Work::Cells => command.arg("--no-proofs"),
            Work::CellsAndProofs => command.args(["--tables", &TABLES.to_string()]),
        };
        command.arg("--out").arg(&out).args(&self.blobs[..blobs]).stdin(Stdio::null()).stdout(Stdio::null());
        let (before, begun) = (processor_time(), Instant::now());
        let ended = command.stderr(Stdio::piped()).output();
        let (wall, processor) = (begun.elapsed().as_secs_f64(), processor_time() - before);
        let ended = ended.map_err(|e| {
            let launcher = self.launcher.display();
            let not_there = e.kind() == io::ErrorKind::NotFound;
            let hint = if not_there { "; --launcher names another" } else { "" };
            CommandError::new(format!("the launcher {launcher}: {e}{hint}"))
        })?;
        if !ended.status.success() {
            let said = String::from_utf8_lossy(&ended.stderr);
            return Err(CommandError::new(format!("{ranks} ranks: {}: {}", ended.status, said.trim_end())));
        }
        self.check(&out, blobs, work)?;
        std::fs::remove_dir_all(&out).map_err(|e| CommandError::new(format!("{}: {e}", out.display())))?;
        Ok(Spent { wall, processor })
    }

    /// Checks that the results of all blobs exist and begin with the blob, and that the results of the first equal
    /// those without ranks.
    fn check(&self, out: &Path, blobs: usize, work: Work) -> Result<(), CommandError> {
        let read = |name: String| {
            let path = out.join(name);
            std::fs::read(&path).map_err(|e| CommandError::new(format!("{}: {e}", path.display())))
        };
        let wrong = |what: &str| Err(CommandError::new(format!("a job over ranks returned wrong {what}")));
        for i in 0..blobs {
            let cells = read(format!("{i:04}.blob.cells"))?;
            if cells.len() != CELLS_PER_EXT_BLOB * BYTES_PER_CELL || !cells.starts_with(&blob(i)) {
                return wrong("cells");
            }
        }
        if read("0000.blob.cells".to_owned())? != self.first.cells.as_flattened() {
            return wrong("cells");
        }
        if work == Work::CellsAndProofs
            && read("0000.blob.proofs".to_owned())? != self.first.proofs.as_flattened()
        {
            return wrong("proofs");
        }
        Ok(())
    }

    /// Returns the median of several measurements.
    fn median(
        &self,
        repeat: u16,
        measure: impl Fn() -> Result<f64, CommandError>,
    ) -> Result<f64, CommandError> {
        let mut all = (0..repeat).map(|_| measure()).collect::<Result<Vec<f64>, CommandError>>()?;
        all.sort_by(f64::total_cmp);
        Ok(all[all.len() / 2])
    }

    /// Measures the constants of the model, and the start-up time that each further rank adds on this machine.
    fn costs(&self, cores: usize) -> Result<(Costs, f64), CommandError> {
        let mut settings = Settings::mainnet(requests::from_environment()?)?;
        let serial = runtimes::build(Kind::Serial, None, 1)?;
        settings.build_tables(&*serial, TABLES)?;
        let blobs: Vec<Vec<u8>> = (0..8 * cores).map(blob).collect();
        let blobs: Vec<&[u8]> = blobs.iter().map(|blob| &blob[..]).collect();
        // Time of a blob: on one thread, of many blobs on all threads, of one blob on all threads.
        let time = |rt: &dyn Runtime, blobs: &[&[u8]], work: Work| {
            self.median(self.repeat, || {
                let begun = Instant::now();
                match work {
                    Work::Cells => {
                        compute_cells_many(rt, &settings, blobs).into_iter().try_for_each(|r| r.map(drop))
                    }
                    Work::CellsAndProofs => compute_cells_and_kzg_proofs_many(rt, &settings, blobs)
                        .into_iter()
                        .try_for_each(|r| r.map(drop)),
                }?;
                Ok(begun.elapsed().as_secs_f64())
            })
        };
        // A warm-up, which touches the memory and wakes up the processor.
        time(&*serial, &blobs[..4], Work::CellsAndProofs)?;
        let alone = time(&*serial, &blobs[..1], Work::CellsAndProofs)?;
        let (compute, share) = if cores == 1 {
            (alone, 0.0)
        } else {
            let all = runtimes::build(Kind::Rayon, None, cores)?;
            let threads = cores as f64;
            let shared = time(&*all, &blobs[..1], Work::CellsAndProofs)?;
            let share = (threads * shared / alone - 1.0) / (threads - 1.0);
            (time(&*all, &blobs, Work::CellsAndProofs)? * threads / blobs.len() as f64, share.clamp(0.0, 1.0))
        };
        // Without proofs little is computed: the cost of a further blob, less its computation, is the cost of serving
        // it.
        let per_blob = self.median(self.repeat, || {
            let many = self.job(2, MANY, Work::Cells)?.processor;
            Ok((many - self.job(2, FEW, Work::Cells)?.processor) / (MANY - FEW) as f64)
        })?;
        let serve = per_blob - time(&*serial, &blobs, Work::Cells)? / blobs.len() as f64;
        let start = self.start(1)?;
        let costs = Costs {
            compute,
            serial: share,
            serve: serve.max(0.0),
            sent: BYTES_PER_BLOB as f64,
            returned: (CELLS_PER_EXT_BLOB * (BYTES_PER_CELL + BYTES_PER_PROOF)) as f64,
            ready: (start - alone).max(0.0),
            launch: ((self.launch(LAUNCHED)? - self.launch(1)?) / (LAUNCHED - 1) as f64).max(0.0),
        };
        Ok((costs, ((self.start(4)? - start) / 3.0).max(0.0)))
    }

    /// Returns the time of a job of one blob.
    fn start(&self, ranks: usize) -> Result<f64, CommandError> {
        self.median(self.repeat, || Ok(self.job(ranks, 1, Work::CellsAndProofs)?.wall))
    }

    /// Returns the time of the launcher for processes that do nothing.
    fn launch(&self, ranks: usize) -> Result<f64, CommandError> {
        self.median(self.repeat, || {
            let mut command = Command::new(&self.launcher);
            command.args(["-n", &ranks.to_string(), "true"]).stdin(Stdio::null()).stdout(Stdio::null());
            let begun = Instant::now();
            let ended = command.stderr(Stdio::null()).status();
            match ended {
                Ok(status) if status.success() => Ok(begun.elapsed().as_secs_f64()),
                Ok(status) => {
                    Err(CommandError::new(format!("the launcher, with {ranks} processes: {status}")))
                }
                Err(e) => Err(CommandError::new(format!("the launcher: {e}"))),
            }
        })
    }
}

/// Returns the processor time of all ended children, in seconds.
fn processor_time() -> f64 {
    let Ok(usage) = getrusage(UsageWho::RUSAGE_CHILDREN) else { return 0.0 };
    let all = [usage.user_time(), usage.system_time()];
    all.iter().map(|time| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6).sum()
}

/// Returns a blob of hashes, with the highest byte of each field element zero.
fn blob(number: usize) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(BYTES_PER_BLOB);
    for element in 0..BYTES_PER_BLOB / 32 {
        let mut hash: [u8; 32] = Sha256::digest(format!("{number} {element}")).into();
        hash[0] = 0;
        bytes.extend(hash);
    }
    bytes
}

//! The measurements of `parcrypt scaling`: the constants of the model, and jobs on this machine.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use nix::sys::resource::{UsageWho, getrusage};
use parcrypt_kzg::{
    BYTES_PER_BLOB, BYTES_PER_CELL, BYTES_PER_PROOF, CELLS_PER_EXT_BLOB, CellsAndProofs, Settings,
    compute_cells_and_kzg_proofs, compute_cells_and_kzg_proofs_many, compute_cells_many,
};
use parcrypt_lab::TempFolder;
use parcrypt_runtime::{Kind, Runtime, Serial};
use sha2::{Digest, Sha256};

use super::Arguments;
use super::findings::{Constants, Findings, Spread};
use crate::error::CommandError;
use crate::progress::Bar;
use crate::requests;
use crate::runtimes;

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
    let (constants, raw) = bench.constants(cores)?;
    let blobs = usize::from(arguments.blobs);
    let mut runs = Vec::new();
    for ranks in arguments.ranks.iter().map(|ranks| usize::from(*ranks)) {
        bar.set_message(format!("{blobs} blobs on {ranks} ranks"));
        runs.push((ranks, bench.repeated(|| Ok(bench.job(ranks, blobs, Work::CellsAndProofs)?.wall))?));
    }
    let findings = Findings::new(arguments, cores, constants, raw, runs);
    if arguments.json { Ok(findings.json()?) } else { Ok(findings.text(TABLES)) }
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
    folder: TempFolder,
    blobs: Vec<PathBuf>,
    /// The cells and proofs of the first blob.
    first: CellsAndProofs,
    program: PathBuf,
    launcher: PathBuf,
    repeat: u16,
}

impl Bench {
    fn new(arguments: &Arguments) -> Result<Self, CommandError> {
        let folder = TempFolder::new().map_err(|e| CommandError::new(format!("a folder for blobs: {e}")))?;
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

    /// Returns all repetitions of a measurement in order.
    fn repeated(&self, measure: impl Fn() -> Result<f64, CommandError>) -> Result<Vec<f64>, CommandError> {
        (0..self.repeat).map(|_| measure()).collect()
    }

    /// Measures the constants of the model, and the start-up time that each further rank adds on this machine. Returns
    /// them with the measurements by name.
    fn constants(&self, cores: usize) -> Result<(Constants, BTreeMap<&'static str, Vec<f64>>), CommandError> {
        let mut settings = Settings::mainnet(requests::from_environment()?)?;
        let serial = runtimes::build(Kind::Serial, None, 1)?;
        settings.build_tables(&*serial, TABLES)?;
        let blobs: Vec<Vec<u8>> = (0..8 * cores).map(blob).collect();
        let blobs: Vec<&[u8]> = blobs.iter().map(|blob| &blob[..]).collect();
        let mut raw = BTreeMap::new();
        let mut kept = |name, all: Vec<f64>| {
            let spread = Spread::of(&all);
            raw.insert(name, all);
            spread
        };
        // Time of a blob: on one thread, of many blobs on all threads, of one blob on all threads.
        let time = |rt: &dyn Runtime, blobs: &[&[u8]], work: Work| {
            self.repeated(|| {
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
        let alone = kept("one_blob_one_thread", time(&*serial, &blobs[..1], Work::CellsAndProofs)?);
        let (compute, share) = if cores == 1 {
            (alone, Spread { value: 0.0, least: 0.0, greatest: 0.0 })
        } else {
            let all = runtimes::build(Kind::Rayon, None, cores)?;
            let threads = cores as f64;
            let shared = kept("one_blob_all_threads", time(&*all, &blobs[..1], Work::CellsAndProofs)?);
            let share = shared.over(alone).map(|part| (threads * part - 1.0) / (threads - 1.0));
            let many = kept("blobs_all_threads", time(&*all, &blobs, Work::CellsAndProofs)?);
            (many.map(|many| many * threads / blobs.len() as f64), share.map(|share| share.clamp(0.0, 1.0)))
        };
        // Without proofs little is computed: the cost of a further blob, less its computation, is the cost of serving
        // it.
        let per_blob = kept(
            "further_blob_without_proofs",
            self.repeated(|| {
                let many = self.job(2, MANY, Work::Cells)?.processor;
                Ok((many - self.job(2, FEW, Work::Cells)?.processor) / (MANY - FEW) as f64)
            })?,
        );
        let cells = kept("blobs_without_proofs_one_thread", time(&*serial, &blobs, Work::Cells)?);
        let start = kept("job_of_one_blob_1_rank", self.start(1)?);
        let start_4 = kept("job_of_one_blob_4_ranks", self.start(4)?);
        let (few, many) = (kept("launch_1", self.launch(1)?), kept("launch_33", self.launch(LAUNCHED)?));
        let constants = Constants {
            compute,
            serial: share,
            serve: per_blob - cells.map(|all| all / blobs.len() as f64),
            sent: BYTES_PER_BLOB as f64,
            returned: (CELLS_PER_EXT_BLOB * (BYTES_PER_CELL + BYTES_PER_PROOF)) as f64,
            ready: start - alone,
            rank: (start_4 - start).map(|three| three / 3.0),
            launch: (many - few).map(|all| all / (LAUNCHED - 1) as f64),
        };
        Ok((constants, raw))
    }

    /// Returns the times of jobs of one blob.
    fn start(&self, ranks: usize) -> Result<Vec<f64>, CommandError> {
        self.repeated(|| Ok(self.job(ranks, 1, Work::CellsAndProofs)?.wall))
    }

    /// Returns the times of the launcher for processes that do nothing.
    fn launch(&self, ranks: usize) -> Result<Vec<f64>, CommandError> {
        self.repeated(|| {
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

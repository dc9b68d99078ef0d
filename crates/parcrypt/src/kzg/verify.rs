//! `parcrypt kzg verify` and `verify-cells`: verification of blobs, openings and cells against commitments.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use parcrypt_kzg::jobs::Operation;
use parcrypt_kzg::{BYTES_PER_FIELD_ELEMENT, BYTES_PER_PROOF};
use serde::Deserialize;

use super::engine::{Engine, EngineArguments};
use super::entries::{Entry, Found, Want, not_read};
use super::pipeline::{self, Job, Work};
use super::store::result_path;
use super::{InputError, StreamArguments, input, shown};
use crate::error::CommandError;
use crate::files::{read_at_most, without_mark};
use crate::ranks::Session;

const PROVE: &str = "`parcrypt kzg prove` writes commitments and proofs; --results FOLDER reads others";
const COMMIT: &str = "`parcrypt kzg commit` writes commitments; --commitments FOLDER reads others";

const MAX_OPENING: usize = 4096;

/// `NAME.opening`: the value of a blob's polynomial at a point, with its proof. Other fields are ignored.
#[derive(Deserialize)]
struct Opening {
    commitment: String,
    z: String,
    y: String,
    proof: String,
}

impl Opening {
    fn parse(text: &[u8]) -> Result<Work, String> {
        let opening = serde_json::from_slice(without_mark(text)).map_err(|e| e.to_string());
        let Opening { commitment, z, y, proof } = opening?;
        fn bytes<const N: usize>(name: &str, text: &str) -> Result<Vec<u8>, String> {
            input::value::<N>(text).map(Vec::from).map_err(|why| format!("`{name}`: {why}"))
        }
        let z_and_y =
            [bytes::<BYTES_PER_FIELD_ELEMENT>("z", &z)?, bytes::<BYTES_PER_FIELD_ELEMENT>("y", &y)?];
        Ok(Work {
            data: z_and_y.concat(),
            commitment: bytes::<BYTES_PER_PROOF>("commitment", &commitment)?,
            proofs: bytes::<BYTES_PER_PROOF>("proof", &proof)?,
            ..Work::default()
        })
    }
}

/// Verify blobs against their commitments, or openings
#[derive(Args, Debug)]
#[command(after_help = "\
For each blob NAME it reads NAME.commitment and NAME.proof, which `commit` and
`prove` have written, and checks that they match. With --openings it reads the files
NAME.opening instead of blobs.

Examples (the blobs are from `parcrypt kzg --help`):
  parcrypt kzg prove blobs
  parcrypt kzg verify blobs                       results next to the blobs
  parcrypt kzg prove blobs --out results
  parcrypt kzg verify blobs --results results     results elsewhere
  parcrypt kzg prove blobs --z $(printf %064x 7)
  parcrypt kzg verify blobs --openings --json

Exit codes: 0 all are right; 1 one is wrong, or its file is damaged; 2 a file is missing
or cannot be read; 130 stopped by Ctrl-C.")]
pub(super) struct VerifyArguments {
    /// Blobs, and folders of blobs
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Verify openings instead of blobs: files NAME.opening, and folders of them
    #[arg(long, conflicts_with = "results")]
    openings: bool,
    /// Folder with NAME.commitment and NAME.proof [default: next to the blobs]
    #[arg(long, value_name = "FOLDER")]
    results: Option<PathBuf>,
    #[command(flatten)]
    stream: StreamArguments,
    #[command(flatten)]
    pub(super) engine: EngineArguments,
}

pub(super) fn verify(
    arguments: &VerifyArguments,
    session: Option<&mut Session>,
) -> Result<ExitCode, CommandError> {
    let VerifyArguments { paths, openings, results, stream, .. } = arguments;
    let found = Found::new(paths, if *openings { Want::Openings } else { Want::Blobs }, results.as_deref())?;
    if results.is_none() && found.entries.iter().any(Entry::is_stdin) {
        return Err(CommandError::new(
            "a blob from standard input has no files of results: give the folder of stdin.commitment and stdin.proof with --results",
        ));
    }
    let engine = Engine::new(&arguments.engine, session)?;
    let job = match openings {
        true => Job {
            operation: Operation::VerifyOpenings,
            split: false,
            read: Box::new(|entry| {
                let path = shown(&entry.path);
                let text = read_at_most(&entry.path, MAX_OPENING)
                    .map_err(|e| InputError::file(format!("{path}: {e}")))?;
                Opening::parse(&text).map_err(|why| InputError::damage(format!("{path}: {why}")))
            }),
        },
        false => Job {
            operation: Operation::VerifyBlobs,
            split: false,
            read: Box::new(|entry| {
                let data = input::read_blob(entry)?;
                let find = |suffix, what| {
                    let path = result_path(results.as_deref(), entry, suffix).unwrap_or_default();
                    input::read_result(&path, BYTES_PER_PROOF, what, PROVE)
                };
                let commitment = find(".commitment", "a commitment")?;
                let proofs = find(".proof", "a proof")?;
                Ok(Work { data, commitment, proofs, ..Work::default() })
            }),
        },
    };
    Ok(pipeline::run(&job, &found, engine, *stream))
}

/// Verify cells against the commitments of their blobs
#[derive(Args, Debug)]
#[command(after_help = "\
For the file NAME.cells it reads NAME.proofs; for the folder NAME.cells the proofs in
it, and any number of the cells is enough. A set of cells is right only if all of it is;
the cells that are wrong are named.

Examples (the blobs are from `parcrypt kzg --help`):
  parcrypt kzg commit blobs
  parcrypt kzg cells blobs
  parcrypt kzg verify-cells blobs                           commitments next to them
  parcrypt kzg cells blobs --out single --split
  parcrypt kzg verify-cells single --commitments blobs      commitments elsewhere

Exit codes: 0 all are right; 1 one is wrong, or its file is damaged; 2 a file is missing
or cannot be read; 130 stopped by Ctrl-C.")]
pub(super) struct VerifyCellsArguments {
    /// Sets of cells, NAME.cells, and folders of them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Folder with NAME.commitment [default: next to the cells]
    #[arg(long, value_name = "FOLDER")]
    commitments: Option<PathBuf>,
    #[command(flatten)]
    stream: StreamArguments,
    #[command(flatten)]
    pub(super) engine: EngineArguments,
}

pub(super) fn verify_cells(
    arguments: &VerifyCellsArguments,
    session: Option<&mut Session>,
) -> Result<ExitCode, CommandError> {
    let found = Found::new(&arguments.paths, Want::Cells, None)?;
    let engine = Engine::new(&arguments.engine, session)?;
    let job = Job {
        operation: Operation::VerifyCells,
        split: false,
        read: Box::new(|entry| {
            let folder = arguments.commitments.as_deref();
            let commitment = result_path(folder, entry, ".commitment").unwrap_or_default();
            let commitment = input::read_result(&commitment, BYTES_PER_PROOF, "a commitment", COMMIT)?;
            let mut cells = input::read_cells(&entry.path)?;
            if let Some(error) = cells.error() {
                return Err(error);
            }
            let proofs = result_path(None, entry, ".proofs").unwrap_or_default();
            let proofs = input::read_proofs(&proofs, &cells)?;
            let warnings = not_read(&cells.others, input::CELL_FILES).into_iter().collect();
            let (data, indices) = (cells.bytes, cells.indices);
            Ok(Work { data, indices, commitment, proofs, warnings, ..Work::default() })
        }),
    };
    Ok(pipeline::run(&job, &found, engine, arguments.stream))
}

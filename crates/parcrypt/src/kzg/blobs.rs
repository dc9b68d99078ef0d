//! `parcrypt kzg commit` and `prove`: commitments to blobs, proofs that blobs match them, and openings of their
//! polynomials at a point.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use parcrypt_bls12_381::Fr;
use parcrypt_kzg::jobs::Operation;
use parcrypt_kzg::{BYTES_PER_FIELD_ELEMENT, FieldBytes};
use sha2::{Digest, Sha256};

use super::entries::{Found, Want};
use super::pipeline::{Job, Work};
use super::store::{Contents, State};
use super::{JobArguments, hex0x, input};
use crate::error::CommandError;
use crate::hex;
use crate::ranks::Session;

/// Commit to blobs
#[derive(Args, Debug)]
#[command(after_help = "\
Each commitment goes to NAME.commitment, and is printed with the path of its blob.
Complete results are not computed again. With --json no file is written.

Examples (the blobs are from `parcrypt kzg --help`):
  parcrypt kzg commit blobs                        next to the blobs
  parcrypt kzg commit blobs --out results          elsewhere
  parcrypt kzg commit blobs --json                 only on standard output
  cat blobs/a.blob | parcrypt kzg commit -         from standard input")]
pub(super) struct CommitArguments {
    /// Blobs, and folders of blobs; `-` is standard input, and a pipe is waited for
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    pub(super) job: JobArguments,
}

pub(super) fn commit(
    arguments: &CommitArguments,
    session: Option<&mut Session>,
) -> Result<ExitCode, CommandError> {
    let found = Found::new(&arguments.paths, Want::Blobs, arguments.job.out.as_deref())?;
    arguments.job.run(&found, session, |store| Job {
        operation: Operation::Commit,
        split: false,
        read: Box::new(move |entry| {
            let data = input::read_blob(entry)?;
            let slots = vec![store.look(entry, ".commitment", "commitment", Some(&Sha256::digest(&data)))?];
            Ok(Work { data, slots, ..Work::default() })
        }),
    })
}

/// Prove that blobs match their commitments, or the value of their polynomials at a point
#[derive(Args, Debug)]
#[command(after_help = "\
Without --z, each proof goes to NAME.proof and is printed with the path of its
blob. With --z, NAME.opening gets a JSON object with commitment, z, y and proof,
which is printed too; another z replaces it. If NAME.commitment is missing, it is
computed and written. Complete results are not computed again. With --json no file
is written.

Examples (the blobs are from `parcrypt kzg --help`):
  parcrypt kzg prove blobs                           next to the blobs
  parcrypt kzg prove blobs --out results             elsewhere
  parcrypt kzg prove blobs --json                    only on standard output
  parcrypt kzg prove blobs --z $(printf %064x 7)     the value at 7")]
pub(super) struct ProveArguments {
    /// Blobs, and folders of blobs; `-` is standard input, and a pipe is waited for
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// Open the polynomial at this point: 32 bytes in hexadecimal, big-endian, below the modulus
    #[arg(long, value_name = "HEX", value_parser = input::value::<BYTES_PER_FIELD_ELEMENT>)]
    z: Option<FieldBytes>,
    #[command(flatten)]
    pub(super) job: JobArguments,
}

pub(super) fn prove(
    arguments: &ProveArguments,
    session: Option<&mut Session>,
) -> Result<ExitCode, CommandError> {
    let z = arguments.z;
    if let Some(z) = &z {
        Fr::from_bytes(z).map_err(|e| CommandError::new(format!("--z {}: {e}", hex0x(z))))?;
    }
    let found = Found::new(&arguments.paths, Want::Blobs, arguments.job.out.as_deref())?;
    arguments.job.run(&found, session, |store| Job {
        operation: Operation::Prove { z },
        split: false,
        read: Box::new(move |entry| {
            let data = input::read_blob(entry)?;
            let blob = Sha256::digest(&data);
            let first = store.look(entry, ".commitment", "commitment", Some(&blob))?;
            let commitment = match &first.state {
                State::Done(Contents::File(text)) => hex::decode(text).unwrap_or_default(),
                _ => Vec::new(),
            };
            let (suffix, how) = match z {
                None => (".proof", "proof".to_owned()),
                Some(z) => (".opening", format!("opening:{}", hex0x(z))),
            };
            let slots = vec![first, store.look(entry, suffix, &how, Some(&blob))?];
            Ok(Work { data, commitment, slots, ..Work::default() })
        }),
    })
}

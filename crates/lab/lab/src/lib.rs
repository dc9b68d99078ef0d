//! Measures candidates that do the same work in turns, checks that their outputs agree, and estimates their ratios.
//!
//! A candidate is a program that speaks the protocol of [`parcrypt_protocol`]. A plan names the work and the
//! candidates; a run makes a record; statistics are computed from a record alone.
//!
//! ```
//! use parcrypt_lab::Checks;
//! use parcrypt_lab::plan::{Choices, Here, Matrix, Plan};
//!
//! let text = r#"
//! schema = 2
//! title = "Two programs"
//! [[case]]
//! workload = "sum"
//! params = { scale = [10, 20] }
//! threads = [1]
//! input = { bytes = 1, times = "2^scale" }
//! [[candidate]]
//! name = "a"
//! command = ["./a"]
//! [[candidate]]
//! name = "b"
//! command = ["./b"]
//! "#;
//! let plan = Plan::parse("two.toml".as_ref(), ".".into(), text.to_owned())?;
//! let cores = std::thread::available_parallelism()?;
//! let stop = std::sync::atomic::AtomicBool::new(false);
//! let checks = Checks::new(&plan.folder, &stop);
//! let here = Here { cores, memory: None, program: None, check: &|entry| checks.check(entry) };
//! let matrix = Matrix::new(&plan, &Choices::default(), &here)?;
//! assert_eq!((matrix.cases.len(), matrix.entries()), (2, 4));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! It depends on `parcrypt-protocol` and `parcrypt-stats`. A key of plans is added in [`plan`], a statistic in
//! [`stats`]; tables and figures are in the crate `parcrypt-report`.

mod candidate;
pub mod command;
pub mod condition;
mod file;
mod input;
mod leftover;
pub mod method;
mod owner;
mod placement;
pub mod plan;
mod process_tree;
mod program;
pub mod question;
pub mod record;
mod run;
pub mod stats;
pub mod suite;
mod system;

pub use file::{RecordError, write_derived, write_new};
pub use input::{InputError, Inputs};
pub use leftover::{TempFolder, is_stale, remove_stale};
pub use method::{METHOD, outdated};
pub use process_tree::{in_a_session, run_in_session};
pub use program::{Checks, ProgramError, describe};
pub use run::{Probe, RunError, Setting, Watch, probe, run};

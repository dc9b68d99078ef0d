//! The lab: it lets candidates do the same work in turn, checks that they agree, and says which is faster.
//!
//! It must not know any kernel: candidates are programs that speak the protocol of [`protocol`].
//! Add a statistic in `stats`, a key of plans in `plan`; figures and tables are in the crate `parcrypt-report`.

mod candidate;
mod host;
mod input;
pub mod plan;
mod process_tree;
pub mod question;
pub mod record;
mod run;
pub mod stats;

/// The example of the README, so that it is compiled and run.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use host::{CheckError, Host, OwnCandidate};
pub use record::{write_derived, write_whole};
pub use run::{Outcome, Probe, RunError, Setting, Watch, probe, run};

//! Plans, runs, records, audits and statistics of the lab.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod audit;
mod honesty;
mod host;
mod noise;
mod plan;
mod python;
mod record;
mod run;
mod stats;

//! Plans, runs, records and statistics of the lab.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod plan;
mod record;
mod run;
mod stats;

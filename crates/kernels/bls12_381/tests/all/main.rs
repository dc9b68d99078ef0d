//! Fields, groups, transforms and sums of BLS12-381 on every backend and runtime.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

mod fft;
mod group;
mod msm;

//! Fr in eight lanes of AVX-512, with products of 52 bits.
#![allow(
    unsafe_code,
    reason = "functions for an instruction set are called behind the check that it is there"
)]

use super::super::avx512::Vector;
use super::Ifma;
use crate::Fr;
use crate::lanes::transform::Roots;
use crate::lanes::wide::Wide;

fr_lanes!(Ifma, "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma", Wide<Vector>);

//! Fr in eight lanes of AVX-512, with products of 52 bits.

use super::super::avx512::Vector;
use super::Ifma;
use crate::Fr;
use crate::lanes::transform::Roots;
use crate::lanes::wide::Wide;

fr_lanes!(Ifma, "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma", Wide<Vector<Here>>);

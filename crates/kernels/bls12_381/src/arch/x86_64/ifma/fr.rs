//! Fr in eight lanes of AVX-512, with products of 52 bits.

use super::super::avx512::Vector;
use super::Ifma;
use crate::Fr;
use crate::lanes::limbs52::Limbs52;
use crate::lanes::transform::Roots;

fr_lanes!(Ifma, "avx512f,avx512bw,avx512vl,avx512dq,avx512ifma", Limbs52<Vector<Here>>);

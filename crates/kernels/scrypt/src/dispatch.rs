//! The table of backends, and the selection of a row.
#![allow(
    unsafe_code,
    reason = "functions for an instruction set are called after the check that the machine has it"
)]

use parcrypt_cpu::{Backend, Request};

use crate::arch::generic::{Group, romix_portable};
#[cfg(target_arch = "x86_64")]
use crate::arch::x86_64::{
    avx2::{clear_avx2, romix_avx2},
    avx512::{clear_avx512, romix_avx512},
    single_vectors::{romix_single_avx2, romix_single_avx512},
    vectors_take_two_cycles,
};
use crate::costs;
use crate::memory::{Block, is_cached};

/// One row: the functions of a backend.
struct Row {
    backend: Backend,
    /// scryptROMix for i + 1 lanes at once; may be called only if `backend` is available.
    romix: &'static [unsafe fn(Group<'_>) -> bool],
    /// Times of `romix` for one block of each of i + 1 lanes, in ps.
    block_ps: &'static [u64],
    /// Maximum number of lanes at once that pays where vectors take one cycle for an addition. Where they take two, as
    /// on AMD family 1Ah, more lanes hide the latency: by the estimates in `costs`, not by a measurement.
    usual: usize,
    /// Lanes of a register.
    width: usize,
    /// Fills with zeros; may be called only if `backend` is available.
    clear: unsafe fn(&mut [Block]),
}

/// The rows in rising order of preference.
static ROWS: &[Row] = &[
    Row {
        backend: Backend::Portable,
        romix: &[romix_portable],
        block_ps: costs::PORTABLE_BLOCK_PS,
        usual: 1,
        width: 1,
        clear: clear_portable,
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        backend: Backend::Avx2,
        romix: &[
            romix_single_avx2,
            romix_avx2::<2, 1>,
            romix_avx2::<3, 2>,
            romix_avx2::<4, 2>,
            romix_avx2::<5, 3>,
            romix_avx2::<6, 3>,
        ],
        block_ps: costs::AVX2_BLOCK_PS,
        usual: 4,
        width: 2,
        clear: clear_avx2,
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        backend: Backend::Avx512,
        romix: &[
            romix_single_avx512,
            romix_avx512::<2, 1>,
            romix_avx512::<3, 1>,
            romix_avx512::<4, 1>,
            romix_avx512::<5, 2>,
            romix_avx512::<6, 2>,
            romix_avx512::<7, 2>,
            romix_avx512::<8, 2>,
            romix_avx512::<9, 3>,
            romix_avx512::<10, 3>,
            romix_avx512::<11, 3>,
            romix_avx512::<12, 3>,
            romix_avx512::<13, 4>,
            romix_avx512::<14, 4>,
            romix_avx512::<15, 4>,
            romix_avx512::<16, 4>,
        ],
        block_ps: costs::AVX512_BLOCK_PS,
        usual: 8,
        width: 4,
        clear: clear_avx512,
    },
];

impl parcrypt_cpu::Row for Row {
    fn backend(&self) -> Backend {
        self.backend
    }
}

fn clear_portable(blocks: &mut [Block]) {
    blocks.fill(Block([0; 16]));
    // The zeros are not read before the memory is freed, so the compiler might leave them out.
    std::hint::black_box(blocks);
}

/// A row whose backend is available. Only [`Kernel::select`] makes one, so its calls are sound.
#[derive(Clone, Copy)]
pub(crate) struct Kernel(&'static Row);

impl Kernel {
    pub(crate) fn select(request: Request) -> Result<Self, parcrypt_cpu::Error> {
        parcrypt_cpu::select(ROWS, request).map(Kernel)
    }

    /// Returns the backends of the rows.
    pub(crate) fn backends() -> Vec<Backend> {
        parcrypt_cpu::backends(ROWS)
    }

    pub(crate) fn backend(self) -> Backend {
        self.0.backend
    }

    /// Returns the maximum number of lanes that [`Kernel::romix`] computes at once.
    pub(crate) fn most_lanes(self) -> usize {
        self.0.romix.len()
    }

    /// Returns the maximum number of lanes at once that pays on this processor.
    pub(crate) fn usual_lanes(self) -> usize {
        #[cfg(target_arch = "x86_64")]
        if vectors_take_two_cycles() {
            return self.most_lanes();
        }
        self.0.usual
    }

    /// Returns the time for one block of each of `lanes` lanes, in ps.
    pub(crate) fn block_ps(self, lanes: usize) -> u64 {
        self.0.block_ps[lanes - 1]
    }

    /// Returns the number of blocks that [`Kernel::romix`] needs besides the rows of V and B, for a row of `row`
    /// blocks: X and Y.
    pub(crate) fn scratch(self, lanes: usize, row: usize) -> usize {
        // A group of one lane is computed without places for others.
        2 * row * if lanes == 1 { 1 } else { lanes.next_multiple_of(self.0.width) }
    }

    /// Computes scryptROMix for as many lanes as `group.b` has rows; returns `false` if the tick stopped it.
    pub(crate) fn romix(self, group: Group<'_>) -> bool {
        let lanes = group.b.len() / group.row;
        assert_eq!(group.b.len(), lanes * group.row);
        assert_eq!(group.v.len(), lanes * group.row * group.rows);
        assert_eq!(group.scratch.len(), self.scratch(lanes, group.row));
        // SAFETY: `select` returned this row because `Backend::is_available` said that the machine has its features,
        // which are all that the function enables.
        unsafe { (self.0.romix[lanes - 1])(group) }
    }

    /// Fills with zeros.
    pub(crate) fn clear(self, blocks: &mut [Block]) {
        if is_cached(blocks) {
            return clear_portable(blocks);
        }
        // SAFETY: as in `romix`.
        unsafe { (self.0.clear)(blocks) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_group_has_its_cost() {
        assert!(ROWS.iter().all(|row| row.romix.len() == row.block_ps.len()));
    }
}

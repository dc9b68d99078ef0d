//! The table of backends, and the selection of a row.

use parcrypt_cpu::rows;

use crate::arch::generic::{Group, romix_portable};
#[cfg(target_arch = "x86_64")]
use crate::arch::x86_64::vectors_take_two_cycles;
use crate::costs;
use crate::memory::{Block, is_cached};

/// The functions of a backend.
pub(crate) trait Functions: Sync {
    /// Computes scryptROMix for a number of lanes; returns `false` if the tick stopped it.
    fn romix(&self, lanes: usize, group: Group<'_>) -> bool;

    /// Fills with zeros.
    fn clear(&self, blocks: &mut [Block]);
}

/// One row: the functions of a backend.
pub(crate) struct Kernel {
    functions: &'static dyn Functions,
    /// Times of `romix` for one block of each of i + 1 lanes, in ps.
    block_ps: &'static [u64],
    /// Maximum number of lanes at once that pays where vectors take one cycle for an addition. Where they take two, as
    /// on AMD family 1Ah, more lanes hide the latency: by the estimates in `costs`, not by a measurement.
    usual: usize,
    /// Lanes of a register.
    width: usize,
}

rows! {
    /// The rows in rising order of preference.
    pub(crate) ROWS: Kernel;
    Portable => Kernel { functions: &Portable, block_ps: costs::PORTABLE_BLOCK_PS, usual: 1, width: 1 };
    Avx2(AVX2) => Kernel { functions: &AVX2, block_ps: costs::AVX2_BLOCK_PS, usual: 4, width: 2 };
    Avx512(AVX512) => Kernel { functions: &AVX512, block_ps: costs::AVX512_BLOCK_PS, usual: 8, width: 4 };
}

struct Portable;

impl Functions for Portable {
    fn romix(&self, _: usize, group: Group<'_>) -> bool {
        romix_portable(group)
    }

    fn clear(&self, blocks: &mut [Block]) {
        clear_portable(blocks);
    }
}

fn clear_portable(blocks: &mut [Block]) {
    blocks.fill(Block([0; 16]));
    // The zeros are not read before the memory is freed, so the compiler might leave them out.
    std::hint::black_box(blocks);
}

impl Kernel {
    /// Returns the maximum number of lanes that [`Kernel::romix`] computes at once.
    pub(crate) fn most_lanes(&self) -> usize {
        self.block_ps.len()
    }

    /// Returns the maximum number of lanes at once that pays on this processor.
    pub(crate) fn usual_lanes(&self) -> usize {
        #[cfg(target_arch = "x86_64")]
        if vectors_take_two_cycles() {
            return self.most_lanes();
        }
        self.usual
    }

    /// Returns the time for one block of each of `lanes` lanes, in ps.
    pub(crate) fn block_ps(&self, lanes: usize) -> u64 {
        self.block_ps[lanes - 1]
    }

    /// Returns the number of blocks that [`Kernel::romix`] needs besides the rows of V and B, for a row of `row`
    /// blocks: X and Y.
    pub(crate) fn scratch(&self, lanes: usize, row: usize) -> usize {
        // A group of one lane is computed without places for others.
        2 * row * if lanes == 1 { 1 } else { lanes.next_multiple_of(self.width) }
    }

    /// Computes scryptROMix for as many lanes as `group.b` has rows; returns `false` if the tick stopped it.
    pub(crate) fn romix(&self, group: Group<'_>) -> bool {
        let lanes = group.b.len() / group.row;
        assert!(lanes <= self.most_lanes() && group.b.len() == lanes * group.row);
        assert_eq!(group.v.len(), lanes * group.row * group.rows);
        assert_eq!(group.scratch.len(), self.scratch(lanes, group.row));
        self.functions.romix(lanes, group)
    }

    /// Fills with zeros.
    pub(crate) fn clear(&self, blocks: &mut [Block]) {
        if is_cached(blocks) {
            return clear_portable(blocks);
        }
        self.functions.clear(blocks);
    }
}

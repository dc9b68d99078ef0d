//! The table of backends, and the choice out of it.
#![allow(
    unsafe_code,
    reason = "functions for an instruction set are called behind the check that it is there"
)]

use parcrypt_cpu::{Backend, Request};

#[cfg(target_arch = "x86_64")]
use crate::arch::x86_64::{
    avx2::{clear_avx2, romix_avx2},
    avx512::{clear_avx512, romix_avx512},
    single::romix_single,
};
use crate::memory::Block;
use crate::scalar::{Group, romix_scalar};

/// One row: what a backend has to give.
struct Row {
    backend: Backend,
    /// scryptROMix for i + 1 lanes at once; to be called where `backend` is available and nowhere else.
    romix: &'static [unsafe fn(Group<'_>) -> bool],
    /// Picoseconds that `romix` for i + 1 lanes takes for one block of all of them; `examples/scrypt_measure.rs` shows it.
    block_ps: &'static [u64],
    /// Lanes of a register.
    width: usize,
    /// Fills with zeros; to be called where `backend` is available and nowhere else.
    clear: unsafe fn(&mut [Block]),
}

/// The rows in rising order of preference.
static ROWS: &[Row] = &[
    Row {
        backend: Backend::Portable,
        romix: &[romix_scalar],
        block_ps: &[32_000],
        width: 1,
        clear: clear_scalar,
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        backend: Backend::Avx2,
        romix: &[romix_single, romix_avx2::<2, 1>, romix_avx2::<3, 2>, romix_avx2::<4, 2>],
        block_ps: &[32_000, 62_000, 66_000, 66_000],
        width: 2,
        clear: clear_avx2,
    },
    #[cfg(target_arch = "x86_64")]
    Row {
        backend: Backend::Avx512,
        romix: &[
            romix_single,
            romix_avx512::<2, 1>,
            romix_avx512::<3, 1>,
            romix_avx512::<4, 1>,
            romix_avx512::<5, 2>,
            romix_avx512::<6, 2>,
            romix_avx512::<7, 2>,
            romix_avx512::<8, 2>,
        ],
        block_ps: &[32_000, 49_500, 49_500, 49_500, 53_000, 53_000, 53_000, 53_000],
        width: 4,
        clear: clear_avx512,
    },
];

impl parcrypt_cpu::Row for Row {
    fn backend(&self) -> Backend {
        self.backend
    }
}

fn clear_scalar(blocks: &mut [Block]) {
    blocks.fill(Block([0; 16]));
    // Nobody reads the zeros before the memory is given back, so the compiler might leave them out.
    std::hint::black_box(blocks);
}

/// A row whose backend is available: only [`Kernel::select`] makes one, and that is what makes its calls sound.
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

    /// The most lanes that [`Kernel::romix`] takes at once.
    pub(crate) fn most_lanes(self) -> usize {
        self.0.romix.len()
    }

    /// Picoseconds for one block of each of `lanes` lanes.
    pub(crate) fn block_ps(self, lanes: usize) -> u64 {
        self.0.block_ps[lanes - 1]
    }

    /// Blocks that [`Kernel::romix`] needs beside the rows of V and B, for a row of `row` blocks: X and Y.
    pub(crate) fn scratch(self, lanes: usize, row: usize) -> usize {
        // A group of one lane is scalar.
        2 * row * if lanes == 1 { 1 } else { lanes.next_multiple_of(self.0.width) }
    }

    /// scryptROMix for as many lanes as `group.b` has rows; `false` where the tick said to stop.
    pub(crate) fn romix(self, group: Group<'_>) -> bool {
        let lanes = group.b.len() / group.row;
        assert_eq!(group.b.len(), lanes * group.row);
        assert_eq!(group.v.len(), lanes * group.row * group.rows);
        assert_eq!(group.scratch.len(), self.scratch(lanes, group.row));
        // SAFETY: `select` returned this row because `Backend::is_available` said that the machine has its features, which
        // are all that the function enables.
        unsafe { (self.0.romix[lanes - 1])(group) }
    }

    /// Fills with zeros.
    pub(crate) fn clear(self, blocks: &mut [Block]) {
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

//! Memory for the rows: mapped, aligned for huge pages, kept between keys and cleared after each.

use std::sync::{Mutex, PoisonError};

use bytemuck::{Pod, Zeroable};
use memmap2::{MmapMut, MmapOptions};

use crate::Error;

/// A block of Salsa20: 16 words of 32 bits, on a cache line of its own.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [u32; 16]);

impl Block {
    /// All zero.
    #[cfg(test)]
    pub(crate) const ZERO: Block = Block([0; 16]);
}

/// Returns whether `blocks` are few enough that they are written through the caches, where the next pass finds them.
/// More of them would only displace each other: they are written past the caches.
pub(crate) fn is_cached(blocks: &[Block]) -> bool {
    blocks.len() <= CACHED
}

/// Blocks of 16 MiB. With 4 and 8 lanes on a Zen 4 with 32 MiB of L3 cache, V of 4 to 16 MiB is faster by 10 to 14 %
/// and V of 64 MiB not.
const CACHED: usize = (16 << 20) / size_of::<Block>();

/// Bytes of a huge page of x86-64 and AArch64.
const HUGE: usize = 2 << 20;

/// Mapped memory, zero at first.
pub(crate) struct Arena {
    map: MmapMut,
    /// Bytes before the first huge page.
    skip: usize,
    blocks: usize,
}

impl Arena {
    /// Returns mapped memory for `blocks` blocks. No page is touched, so that only addresses are used.
    fn map(blocks: usize) -> Result<Arena, Error> {
        let refused = Error::Allocation { bytes: blocks as u64 * size_of::<Block>() as u64 };
        let Some(bytes) = blocks.checked_mul(size_of::<Block>()) else { return Err(refused) };
        // Small arenas need no huge pages, and a whole one must fit after the first boundary.
        let slack = if bytes < HUGE { 0 } else { HUGE };
        let Some(len) = bytes.checked_add(slack) else { return Err(refused) };
        let Ok(map) = MmapOptions::new().len(len).map_anon() else { return Err(refused) };
        let skip = if slack == 0 { 0 } else { map.as_ptr().align_offset(HUGE) };
        if slack != 0 {
            // All advice is a request: without huge pages, small pages work, but slower.
            #[cfg(target_os = "linux")]
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        // Core dumps must not contain data derived from passwords.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::DontDump);
        Ok(Arena { map, skip, blocks })
    }

    /// Returns all blocks.
    pub(crate) fn blocks(&mut self) -> &mut [Block] {
        let bytes = &mut self.map[self.skip..self.skip + self.blocks * size_of::<Block>()];
        bytemuck::cast_slice_mut(bytes)
    }
}

/// The arenas of a plan that are not in use.
#[derive(Default)]
pub(crate) struct Pool(Mutex<Vec<Arena>>);

impl Pool {
    /// Returns the smallest arena that is large enough, or a new one after freeing those that are too small.
    pub(crate) fn take(&self, blocks: usize) -> Result<Arena, Error> {
        let too_small = {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let fits = kept.iter().enumerate().filter(|(_, arena)| arena.blocks >= blocks);
            match fits.min_by_key(|(_, arena)| arena.blocks).map(|(i, _)| i) {
                Some(i) => return Ok(kept.swap_remove(i)),
                None => std::mem::take(&mut *kept),
            }
        };
        drop(too_small);
        Arena::map(blocks)
    }

    /// Keeps a cleared arena for the next key, if it is the only one or if all kept arenas together stay within
    /// `bound` bytes.
    ///
    /// A single one may exceed the bound by the rows that [`crate::Params::memory`] does not count.
    pub(crate) fn keep(&self, arena: Arena, bound: u64) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all: usize = kept.iter().map(|arena| arena.blocks).sum();
        if kept.is_empty() || (all + arena.blocks) as u64 <= bound / size_of::<Block>() as u64 {
            kept.push(arena);
        }
    }

    /// Removes and returns all arenas.
    #[cfg(test)]
    pub(crate) fn drain(&self) -> Vec<Arena> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

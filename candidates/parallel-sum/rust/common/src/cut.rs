//! The division of bytes and messages among the ranks, by the definition of `../../README.md`, without sending
//! messages.

use std::ops::Range;

use crate::{Algorithm, LINE};

/// An input that is divided into one part for each rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Length of the whole input.
    pub bytes: u64,
    /// Number of ranks; at least 1.
    pub ranks: usize,
}

impl Cut {
    /// Returns the beginning of the part of `rank`; for `rank` = `ranks` the end of the input.
    ///
    /// Each part has q = bytes div ranks bytes, and each of the first (bytes mod ranks) parts one more.
    pub fn begin(self, rank: usize) -> u64 {
        let (p, r) = (self.ranks as u64, rank as u64);
        self.bytes / p * r + r.min(self.bytes % p)
    }

    /// Returns the number of bytes of the part of `rank`.
    pub fn part(self, rank: usize) -> usize {
        (self.begin(rank + 1) - self.begin(rank)) as usize
    }

    /// Returns the step s at which a rank gets its bytes from rank − s; on rank 0 the first step without a rank to send
    /// to.
    ///
    /// It is the largest power of two that divides the rank, and its subtree is `rank..min(rank + s, ranks)`.
    fn step(self, rank: usize) -> usize {
        if rank == 0 { self.ranks.next_power_of_two() } else { 1 << rank.trailing_zeros() }
    }

    /// Returns the rank above `rank` in the binomial tree.
    pub fn parent(self, rank: usize) -> Option<usize> {
        (rank != 0).then(|| rank - self.step(rank))
    }

    /// Returns the ranks directly below `rank`, the one with the largest subtree last.
    pub fn children(self, rank: usize) -> impl DoubleEndedIterator<Item = usize> + Clone {
        let steps = self.step(rank).trailing_zeros();
        (0..steps).map(move |i| rank + (1 << i)).filter(move |child| *child < self.ranks)
    }

    /// Returns the bytes of the subtree of `rank`, counted from the beginning of the input.
    pub fn subtree(self, rank: usize) -> Range<u64> {
        self.begin(rank)..self.begin(self.ranks.min(rank + self.step(rank)))
    }

    /// Returns the number of bytes that `rank` needs room for.
    pub fn room(self, algorithm: Algorithm, rank: usize) -> usize {
        match algorithm {
            Algorithm::Tree => length(&self.subtree(rank)),
            Algorithm::Collective if rank == 0 => self.place(algorithm, self.ranks),
            Algorithm::Collective => whole_lines(self.part(rank)),
            Algorithm::Window => self.part(rank),
        }
    }

    /// Returns the position of the part of a rank in the data of rank 0. A scatter takes each part from a cache line of
    /// its own.
    pub fn place(self, algorithm: Algorithm, rank: usize) -> usize {
        match algorithm {
            Algorithm::Collective => rank * whole_lines(self.part(0)),
            Algorithm::Tree | Algorithm::Window => self.begin(rank) as usize,
        }
    }

    /// Returns counts and displacements of a scatter, in lines. The part of rank 0 is not moved: its count is 0.
    pub fn scatter(self) -> (Vec<i32>, Vec<i32>) {
        // Below 2^31, by `MAX_BYTES`.
        let lines = |bytes: usize| (bytes / LINE) as i32;
        let counts = (0..self.ranks).map(|r| if r == 0 { 0 } else { lines(whole_lines(self.part(r))) });
        let places = (0..self.ranks).map(|r| lines(self.place(Algorithm::Collective, r)));
        (counts.collect(), places.collect())
    }
}

fn length(range: &Range<u64>) -> usize {
    (range.end - range.start) as usize
}

fn whole_lines(bytes: usize) -> usize {
    bytes.next_multiple_of(LINE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scatter_takes_lines_that_do_not_overlap_and_counts_them_in_31_bits() {
        for ranks in [1, 2, 3, 64] {
            for bytes in [0, 1, 63, 64, 65, 4097, crate::MAX_BYTES] {
                let cut = Cut { bytes, ranks };
                let (counts, places) = cut.scatter();
                for rank in 1..ranks {
                    assert!(counts[rank] as usize * LINE >= cut.part(rank));
                    assert!(places[rank] >= places[rank - 1] + counts[rank - 1]);
                    assert_eq!(counts[rank] as usize * LINE, cut.room(Algorithm::Collective, rank));
                }
                let end = (places[ranks - 1] as usize + counts[ranks - 1] as usize) * LINE;
                assert!(end <= cut.room(Algorithm::Collective, 0));
            }
        }
    }
}

//! Orders in which entries start and take turns: balanced, and drawn by a hash of the round.

use crate::stats::BLOCK;

/// Returns the order in which entries start in a round: drawn for each block, and opposite in its two rounds.
pub(super) fn start_order(entries: usize, round: usize) -> Vec<usize> {
    drawn(entries, hash(u64::MAX, (round / BLOCK) as u64), round % BLOCK == 1)
}

/// Returns the order of the entries in one of the samples of a round: drawn for each two samples, and backwards in the
/// second, so that a drift of the machine affects all alike. So nothing that repeats itself, such as the time slices of
/// another program, favours an entry, and each follows every other equally often: after an entry on two threads,
/// another takes up to 0.5 % longer. A single one is the opposite of that in the other round of the block.
pub(super) fn order(entries: usize, round: usize, sample: usize, samples: usize) -> Vec<usize> {
    let (of, at) = if samples == 1 { (round / BLOCK, round % BLOCK) } else { (round, sample) };
    drawn(entries, hash(of as u64, at as u64 / 2), at % 2 == 1)
}

/// Returns a hash (SplitMix64): chance that a record repeats without keeping it.
pub(super) fn hash(first: u64, second: u64) -> u64 {
    let mut hash = (first << 32 | second).wrapping_add(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

/// Returns the entries in a random order (Fisher and Yates), or backwards in it.
pub(super) fn drawn(entries: usize, seed: u64, backwards: bool) -> Vec<usize> {
    let mut order: Vec<usize> = (0..entries).collect();
    for last in (1..entries).rev() {
        order.swap(last, (hash(0, seed ^ last as u64) % (last as u64 + 1)) as usize);
    }
    if backwards {
        order.reverse();
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The order in one of several samples.
    fn turn_order(entries: usize, round: usize, sample: usize) -> Vec<usize> {
        order(entries, round, sample, 8)
    }

    #[test]
    fn orders_are_balanced_and_drawn() {
        assert_eq!(turn_order(0, 5, 1), [] as [usize; 0]);
        for entries in 1..6 {
            // In each two samples every entry has the same mean place: drift cancels. So it is with starts.
            for (round, pair) in [(0, 0), (2, 7), (9, 3)] {
                let mut places = vec![[0; 2]; entries];
                for at in [0, 1] {
                    let turns = turn_order(entries, round, 2 * pair + at);
                    turns.iter().enumerate().for_each(|(place, entry)| places[*entry][0] += place);
                    let starts = start_order(entries, 2 * round + at);
                    starts.iter().enumerate().for_each(|(place, entry)| places[*entry][1] += place);
                }
                assert!(places.iter().all(|p| *p == [entries - 1; 2]), "{places:?}");
            }
        }
    }

    #[test]
    fn single_samples_are_opposite_in_the_rounds_of_a_block() {
        for round in [0, 2, 10] {
            let (first, second) = (order(5, round, 0, 1), order(5, round + 1, 0, 1));
            assert!(first.iter().eq(second.iter().rev()), "{first:?} {second:?}");
        }
    }

    #[test]
    fn each_entry_follows_every_other_equally_often() {
        const ENTRIES: usize = 5;
        for order in [turn_order as fn(usize, usize, usize) -> Vec<usize>, |n, block, at| {
            start_order(n, 100 * block + at)
        }] {
            let mut after = [[0u32; ENTRIES]; ENTRIES];
            let mut first = [0u32; ENTRIES];
            for round in 0..100 {
                for sample in 0..100 {
                    let order = order(ENTRIES, round, sample);
                    first[order[0]] += 1;
                    order.windows(2).for_each(|pair| after[pair[1]][pair[0]] += 1);
                }
            }
            // 10,000 orders: an entry is first in a fifth of them, and follows each other one in a fifth.
            assert!(first.iter().all(|count| (1800..2200).contains(count)), "{first:?}");
            for (entry, before) in after.iter().enumerate() {
                let others = before.iter().enumerate().filter(|(other, _)| *other != entry);
                assert!(others.map(|(_, count)| count).all(|c| (1800..2200).contains(c)), "{after:?}");
            }
        }
    }
}

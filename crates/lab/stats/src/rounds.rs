//! From the turns of a round to the values of its processes, and how many rounds are a replicate.

use crate::estimate::{last_look, median_of_sorted};
use crate::{Basis, EQUAL_COUNTS, MIN_REPLICATES};

/// Rounds of a block: on the same processors, with both orders of start.
pub const BLOCK: usize = 2;

/// Minimum number of memory layouts of a program that has several: the number of replicates at the first look of a run
/// that looks at its intervals.
pub const MIN_LAYOUTS: usize = MIN_REPLICATES + 1;

/// Minimum number of rounds for an interval. With eight rounds the interval is their range, and it excludes a ratio if
/// all rounds lie on one side of it: the sign test, which is wrong in 1 of 128 runs.
pub const MIN_ROUNDS: usize = MIN_REPLICATES;
/// Number of rounds from which on a block is a replicate. With fewer, a round is.
pub const ROUNDS_OF_BLOCKS: usize = BLOCK * MIN_REPLICATES;
/// Minimum number of rounds for an interval if the run looks at it more than once.
pub const MIN_ROUNDS_TO_LOOK: usize = BLOCK * (MIN_REPLICATES + 1);

/// Returns the median; `None` if there are no values.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    (!values.is_empty()).then(|| median_of_sorted(&values))
}

/// Returns the turns of a round that count, given which samples of each turn were disturbed: all but the disturbed
/// ones. All of them count if most are disturbed, because the rest is no better, and if one entry is disturbed
/// far more often than the others: then it disturbs itself, and its slow samples belong to it.
fn turns_that_count(disturbed: &[Vec<bool>]) -> Vec<usize> {
    let all = || (0..disturbed.len()).collect();
    let calm: Vec<usize> = (0..disturbed.len()).filter(|turn| !disturbed[*turn].contains(&true)).collect();
    let entries = disturbed.first().map_or(0, Vec::len);
    let counts = (0..entries).map(|r| disturbed.iter().filter(|turn| turn[r]).count());
    let (most, sum) = (counts.clone().max().unwrap_or(0), counts.sum::<usize>());
    let of_others = (sum - most) as f64 / entries.saturating_sub(1).max(1) as f64;
    let by_itself = most as f64 > 2.0 + 3.0 * of_others;
    if by_itself || 2 * calm.len() < disturbed.len() { all() } else { calm }
}

/// Returns the value of each entry from the logarithms of those that were measured in turn, a row for each turn: the
/// median of its effects, which are the distances from the means of the rows, and the median of these means.
fn centred(rows: Vec<Vec<f64>>) -> Vec<Option<f64>> {
    let means: Vec<f64> = rows.iter().map(|row| row.iter().sum::<f64>() / row.len() as f64).collect();
    let effect = |place| median(rows.iter().zip(&means).map(|(row, mean)| row[place] - mean).collect());
    let level = median(means.clone());
    let entries = rows.first().map_or(0, Vec::len);
    (0..entries).map(|place| Some((level? + effect(place)?).exp())).collect()
}

/// Values of the entries of a round that took turns with each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// Value of each entry.
    pub values: Vec<Option<f64>>,
    /// Number of turns that were left out, because something disturbed them.
    pub dropped: usize,
    /// Number of disturbed turns that count all the same.
    pub disturbed: usize,
}

impl Round {
    /// Returns the values of entries, given their values in each turn and whether that was disturbed. Turns without a
    /// value of each entry do not count; `None` if no other is left.
    pub fn of_turns(turns: &[Vec<Option<f64>>], disturbed: &[Vec<bool>]) -> Option<Self> {
        let kept = turns_that_count(disturbed);
        let logs = |turn: &usize| turns[*turn].iter().map(|value| Some((*value)?.ln())).collect();
        let rows: Vec<Vec<f64>> = kept.iter().filter_map(logs).collect();
        let is_disturbed = |turn: &&usize| disturbed[**turn].contains(&true);
        (!rows.is_empty()).then(|| Round {
            values: centred(rows),
            dropped: turns.len() - kept.len(),
            disturbed: kept.iter().filter(is_disturbed).count(),
        })
    }
}

/// How the rounds of a case become replicates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Design {
    /// Whether counts are compared and not times.
    pub is_count: bool,
    /// Whether the run can end because of what was measured.
    pub sequential: bool,
    /// Number of memory layouts that blocks take in turn; 0 if programs have only the one that they were built with.
    pub layouts: usize,
}

impl Design {
    /// Returns what an interval depends on after a number of rounds.
    pub fn basis(self, rounds: usize) -> Basis {
        let blocks = (self.layouts > 0 && !self.is_count).then_some(rounds / BLOCK);
        Basis { is_count: self.is_count, sequential: self.sequential, blocks }
    }

    /// Returns the number of rounds from which on there is an interval; of counts, if they do not vary.
    pub fn rounds_for_interval(self) -> usize {
        match (self.is_count, self.sequential, self.layouts > 0) {
            (true, ..) => EQUAL_COUNTS,
            (_, true, _) => MIN_ROUNDS_TO_LOOK,
            (_, false, true) => ROUNDS_OF_BLOCKS,
            (_, false, false) => MIN_ROUNDS,
        }
    }

    /// Returns the rounds of each replicate: of a layout, a block, or a single one.
    pub fn replicates(self, rounds: usize) -> Vec<Vec<usize>> {
        // A count does not vary with the process.
        let of_layouts = self.layouts > 0 && !self.is_count;
        if of_layouts && rounds >= BLOCK {
            let blocks = rounds / BLOCK;
            // Of a run that looks, those up to the last look.
            let blocks = if self.sequential { last_look(blocks, self.layouts.min(blocks)).0 } else { blocks };
            let of_layout = |layout| {
                let own = (layout..blocks).step_by(self.layouts);
                own.flat_map(|block| block * BLOCK..(block + 1) * BLOCK).collect()
            };
            return (0..self.layouts.min(blocks)).map(of_layout).collect();
        }
        let of_blocks = !self.is_count && (self.sequential || rounds >= ROUNDS_OF_BLOCKS || of_layouts);
        let length = if of_blocks { BLOCK.min(rounds.max(1)) } else { 1 };
        (0..rounds / length).map(|part| (part * length..(part + 1) * length).collect()).collect()
    }

    /// Returns the value of each entry in each replicate, given its value in each round. The entries took turns with
    /// each other. One has no value in a replicate if it has none in one of its rounds.
    pub fn values(self, entries: &[Vec<Option<f64>>]) -> Vec<Vec<Option<f64>>> {
        let rounds = entries.iter().map(Vec::len).max().unwrap_or(0);
        let mut found = vec![Vec::new(); entries.len()];
        for own in self.replicates(rounds) {
            let mean = |values: &Vec<Option<f64>>| match own[..] {
                [one] => values[one],
                _ => {
                    let logs: Option<Vec<f64>> = own.iter().map(|round| Some(values[*round]?.ln())).collect();
                    logs.map(|logs| (logs.iter().sum::<f64>() / logs.len() as f64).exp())
                }
            };
            let mut values: Vec<Option<f64>> = entries.iter().map(mean).collect();
            if self.layouts > 0 && !self.is_count && rounds >= BLOCK {
                let present: Vec<usize> = (0..entries.len()).filter(|r| values[*r].is_some()).collect();
                let logs =
                    |round: &usize| present.iter().filter_map(|r| Some(entries[*r][*round]?.ln())).collect();
                let centred = centred(own.iter().map(logs).collect());
                present.iter().zip(centred).for_each(|(r, value)| values[*r] = value);
            }
            found.iter_mut().zip(values).for_each(|(all, value)| all.push(value));
        }
        found
    }
}

/// Variances of the logarithm of a ratio.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    /// Of one pair of samples within a process.
    pub within: f64,
    /// Between processes, without what comes from within.
    pub between: f64,
}

impl Noise {
    /// Returns the variances from the logarithms of the pairs of samples in each round; `None` of fewer than two.
    pub fn of(rounds: &[Vec<f64>]) -> Option<Self> {
        let within = median(rounds.iter().filter_map(|pairs| spread(pairs)).collect())?.powi(2);
        let count = rounds.iter().map(Vec::len).sum::<usize>() as f64 / rounds.len() as f64;
        let centres: Vec<f64> = rounds.iter().cloned().filter_map(median).collect();
        let all = spread(&centres)?.powi(2);
        let between = (all - std::f64::consts::FRAC_PI_2 * within / count).max(0.0);
        (rounds.len() > 1).then_some(Noise { within, between })
    }
}

/// Returns the standard deviation of normal values with this median absolute deviation.
fn spread(values: &[f64]) -> Option<f64> {
    let centre = median(values.to_vec())?;
    median(values.iter().map(|value| (value - centre).abs()).collect()).map(|mad| 1.4826 * mad)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_that_disturbs_itself_keeps_its_turns() {
        let turns = |first: &[usize], second: &[usize]| -> Vec<Vec<bool>> {
            (0..20).map(|turn| vec![first.contains(&turn), second.contains(&turn)]).collect()
        };
        let kept = |first: &[usize], second: &[usize]| turns_that_count(&turns(first, second)).len();
        assert_eq!(kept(&[3, 4], &[9, 4]), 17, "both are disturbed now and then");
        assert_eq!(kept(&[1, 2, 3, 4, 5, 6], &[]), 20, "one alone is, in many turns");
        assert_eq!(
            kept(&(0..12).collect::<Vec<_>>(), &(0..12).collect::<Vec<_>>()),
            20,
            "most turns are disturbed"
        );
        assert_eq!(turns_that_count(&[]), [] as [usize; 0]);
    }
}

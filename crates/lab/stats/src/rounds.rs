//! From the turns of a round to the values of its processes, and how many rounds are a replicate.

use crate::LEAST_REPLICATES;

/// Rounds of a block: on the same processors, with both orders of start.
pub const BLOCK: usize = 2;

/// Minimum number of memory layouts of a program that has several: the number of replicates at the first look of a run
/// that looks at its intervals.
pub const LEAST_LAYOUTS: usize = LEAST_REPLICATES + 1;

/// Minimum number of rounds for an interval. With eight rounds the interval is their range, and it excludes a ratio if
/// all rounds lie on one side of it: the sign test, which is wrong in 1 of 128 runs.
pub const LEAST_ROUNDS: usize = LEAST_REPLICATES;
/// Number of rounds from which on a block is a replicate. With fewer, a round is.
pub const ROUNDS_OF_BLOCKS: usize = BLOCK * LEAST_REPLICATES;
/// Minimum number of rounds for an interval if the run looks at it more than once.
pub const LEAST_ROUNDS_TO_LOOK: usize = BLOCK * (LEAST_REPLICATES + 1);

/// Returns the number of rounds after which a case can have an interval, if the run looks at it more than once
/// (`sequential`), or its programs have several memory layouts, with which a block is always a replicate.
pub fn rounds_for_interval(sequential: bool, has_layouts: bool) -> usize {
    match (sequential, has_layouts) {
        (true, _) => LEAST_ROUNDS_TO_LOOK,
        (false, true) => ROUNDS_OF_BLOCKS,
        (false, false) => LEAST_ROUNDS,
    }
}

pub(crate) fn median_of_sorted(values: &[f64]) -> f64 {
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

/// Returns the median; `None` if there are no values.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_unstable_by(f64::total_cmp);
    (!values.is_empty()).then(|| median_of_sorted(&values))
}

/// Returns the turns of a round that count, given which samples of each turn were disturbed: all but the disturbed
/// ones. All of them count if most are disturbed, because the rest is no better, and if one entry is disturbed
/// far more often than the others: then it disturbs itself, and its slow samples belong to it.
pub fn turns_that_count(disturbed: &[Vec<bool>]) -> Vec<usize> {
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
pub fn centred(rows: Vec<Vec<f64>>) -> Vec<Option<f64>> {
    let means: Vec<f64> = rows.iter().map(|row| row.iter().sum::<f64>() / row.len() as f64).collect();
    let effect = |place| median(rows.iter().zip(&means).map(|(row, mean)| row[place] - mean).collect());
    let level = median(means.clone());
    let entries = rows.first().map_or(0, Vec::len);
    (0..entries).map(|place| Some((level? + effect(place)?).exp())).collect()
}

/// Returns the standard deviation of normal values with this median absolute deviation.
pub fn spread(values: &[f64]) -> Option<f64> {
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

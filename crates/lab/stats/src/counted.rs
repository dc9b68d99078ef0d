//! Counts of single iterations, which are compared as they are.

use std::cmp::Ordering;

use crate::{EQUAL_COUNTS, MIN_REPLICATES};

/// A count of an iteration, over the iterations of several processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The lowest count.
    pub low: u64,
    /// The highest count.
    pub high: u64,
    /// Number of processes.
    pub processes: usize,
    /// Iterations that all processes did, and the sum of their counts, if these are the same in each process: all, or
    /// one after the other, as when a buffer grows.
    pub repeated: Option<(usize, u64)>,
}

impl Counted {
    /// Returns what the counts of an iteration in each process show; `None` of fewer than [`EQUAL_COUNTS`] processes,
    /// or without an iteration in each.
    pub fn of(processes: &[Vec<u64>]) -> Option<Self> {
        let all = || processes.iter().flatten().copied();
        // One that takes long may have done fewer.
        let common = processes.iter().map(Vec::len).min().filter(|common| *common > 0)?;
        let is_repeated = processes.iter().all(|counts| counts[..common] == processes[0][..common]);
        let sum = processes[0][..common].iter().fold(0, |sum: u64, count| sum.saturating_add(*count));
        let repeated = is_repeated.then_some((common, sum));
        let found = Counted { low: all().min()?, high: all().max()?, processes: processes.len(), repeated };
        (found.processes >= EQUAL_COUNTS).then_some(found)
    }

    /// Returns whether the count varies from process to process.
    pub fn varies(&self) -> bool {
        self.repeated.is_none()
    }

    /// Returns the ratio of this count to the `old` one if both are known: 1 if they are equal, infinite if only the
    /// old one is 0.
    pub fn ratio(&self, old: &Counted) -> Option<f64> {
        let ((iterations, sum), (of_old, old_sum)) = (self.repeated?, old.repeated?);
        let is_same_always = [self, old].iter().all(|one| one.low == one.high);
        let (sum, old_sum) = match is_same_always {
            true => (self.low, old.low),
            false if iterations == of_old => (sum, old_sum),
            false => return None,
        };
        Some(if sum == old_sum { 1.0 } else { sum as f64 / old_sum as f64 })
    }

    /// Returns whether the count is greater or less than the `old` one, or the same; `None` if that is not known.
    ///
    /// Counts that do not vary from process to process are known. Otherwise ranges of [`MIN_REPLICATES`] processes
    /// are, if they do not overlap: of equal programs the ranges of eight and eight processes lie apart by chance once
    /// in 6435 times, 2 / C(16, 8).
    pub fn compared(&self, old: &Counted) -> Option<Ordering> {
        if let Some(ratio) = self.ratio(old) {
            return Some(ratio.total_cmp(&1.0));
        }
        let are_apart = self.low > old.high || self.high < old.low;
        (are_apart && self.processes.min(old.processes) >= MIN_REPLICATES).then(|| self.low.cmp(&old.low))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The count of these processes.
    fn of(processes: &[&[u64]]) -> Counted {
        Counted::of(&processes.iter().map(|counts| counts.to_vec()).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn a_count_is_known_if_two_processes_have_the_same() {
        assert_eq!(of(&[&[3, 3], &[3]]).repeated, Some((1, 3)));
        assert!(of(&[&[3, 3], &[3, 4]]).varies() && of(&[&[2], &[3]]).varies());
        let found = Counted { low: 1, high: 5, processes: 2, repeated: None };
        assert_eq!(of(&[&[2, 5], &[1, 3]]), found);
        assert_eq!(Counted::of(&[vec![3]]), None, "one process shows nothing");
    }

    #[test]
    fn counts_that_vary_are_compared_after_eight_processes() {
        let one = |counts: &[u64], processes| of(&vec![counts; processes]);
        // The first process differs.
        let range = |low, high, processes| {
            let mut all: Vec<&[u64]> = vec![&[0, 0]; processes];
            let (first, others) = ([high, low], [low, high]);
            all.fill(&others);
            all[0] = &first;
            of(&all)
        };
        for (new, old, expected) in [
            (one(&[0, 0], 2), one(&[0], 2), Some(Ordering::Equal)),
            (one(&[1], 2), one(&[0], 2), Some(Ordering::Greater)),
            (one(&[1], 2), one(&[7], 8), Some(Ordering::Less)),
            // A buffer that grows now and then.
            (one(&[1, 0, 2], 2), one(&[1, 0, 2], 2), Some(Ordering::Equal)),
            (one(&[1, 1, 2], 2), one(&[1, 0, 2], 2), Some(Ordering::Greater)),
            (one(&[1, 0], 2), one(&[1, 0, 2], 2), None),
            (range(4, 5, 8), range(1, 3, 8), Some(Ordering::Greater)),
            (one(&[0], 8), range(1, 3, 8), Some(Ordering::Less)),
            (range(4, 5, 8), range(1, 3, 7), None),
            (range(4, 5, 2), one(&[1], 2), None),
            (range(3, 5, 8), range(1, 3, 8), None),
            (range(1, 3, 8), range(1, 3, 8), None),
        ] {
            assert_eq!(new.compared(&old), expected, "{new:?} {old:?}");
        }
    }
}

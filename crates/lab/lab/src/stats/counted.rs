//! Counts of single iterations, which are compared as they are.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::LEAST_REPLICATES;
use crate::record::Entry;

/// Number of processes, or rounds, whose equal counts show that what follows from a program does not vary.
pub const EQUAL_COUNTS: usize = 2;

/// A count of an iteration, over the iterations of several processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The lowest count.
    pub low: u64,
    /// The highest count.
    pub high: u64,
    /// Number of processes.
    pub processes: usize,
}

impl Counted {
    /// Returns whether the count was the same in all iterations.
    pub fn is_exact(&self) -> bool {
        self.low == self.high
    }

    /// Returns whether the count is greater or less than the `old` one, or the same; `None` if that is not known.
    ///
    /// Counts that do not vary are known. Otherwise ranges of [`LEAST_REPLICATES`] processes are, if they do not
    /// overlap: of equal programs the ranges of eight and eight processes lie apart by chance once in 6435 times,
    /// 2 / C(16, 8).
    pub fn compared(&self, old: &Counted) -> Option<Ordering> {
        if self.is_exact() && old.is_exact() {
            return Some(self.low.cmp(&old.low));
        }
        let are_apart = self.low > old.high || self.high < old.low;
        (are_apart && self.processes.min(old.processes) >= LEAST_REPLICATES).then(|| self.low.cmp(&old.low))
    }
}

/// Returns the counts of single iterations of an entry by name. Empty if it was not counted in [`EQUAL_COUNTS`]
/// processes.
pub fn counted(entry: &Entry) -> BTreeMap<&str, Counted> {
    let mut all: BTreeMap<&str, Counted> = BTreeMap::new();
    let processes = entry.counted.len();
    if processes < EQUAL_COUNTS || entry.not_counted.is_some() {
        return all;
    }
    for (name, count) in entry.counted.iter().flatten().flatten() {
        let one = all.entry(name).or_insert(Counted { low: *count, high: *count, processes });
        (one.low, one.high) = (one.low.min(*count), one.high.max(*count));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The count of these processes.
    fn of(processes: &[&[u64]]) -> Counted {
        let maps = |counts: &&[u64]| counts.iter().map(|n| [("n".to_owned(), *n)].into()).collect();
        let entry = Entry { counted: processes.iter().map(maps).collect(), ..Entry::default() };
        counted(&entry)["n"]
    }

    #[test]
    fn a_count_is_exact_if_it_is_the_same_in_all_iterations_of_two_processes() {
        assert!(of(&[&[3, 3], &[3]]).is_exact());
        assert!(!of(&[&[3, 3], &[3, 4]]).is_exact() && !of(&[&[2], &[3]]).is_exact());
        assert_eq!(of(&[&[2, 5], &[1, 3]]), Counted { low: 1, high: 5, processes: 2 });
        let one = Entry { counted: vec![vec![[("n".to_owned(), 3)].into()]], ..Entry::default() };
        assert!(counted(&one).is_empty(), "one process shows nothing");
    }

    #[test]
    fn counts_that_vary_are_compared_after_eight_processes() {
        let same = |n: u64, processes| Counted { low: n, high: n, processes };
        for (new, old, expected) in [
            (same(0, 2), same(0, 2), Some(Ordering::Equal)),
            (same(1, 2), same(0, 2), Some(Ordering::Greater)),
            (same(1, 2), same(7, 8), Some(Ordering::Less)),
        ] {
            assert_eq!(new.compared(&old), expected);
        }
        let range = |low, high, processes| Counted { low, high, processes };
        for (new, old, expected) in [
            (range(4, 5, 8), range(1, 3, 8), Some(Ordering::Greater)),
            (range(0, 0, 8), range(1, 3, 8), Some(Ordering::Less)),
            (range(4, 5, 8), range(1, 3, 7), None),
            (range(4, 5, 2), range(1, 1, 2), None),
            (range(3, 5, 8), range(1, 3, 8), None),
            (range(1, 3, 8), range(1, 3, 8), None),
        ] {
            assert_eq!(new.compared(&old), expected, "{new:?} {old:?}");
        }
    }
}

//! The exit code of a run: which of its entries failed or were skipped.

use parcrypt_lab::Probe;
use parcrypt_lab::plan::Matrix;
use parcrypt_lab::record::{FailureKind, Record, Role};

use parcrypt_terminal::error::NEGATIVE;
use parcrypt_terminal::text::{counted, on_one_line, tell};

/// What became of the entries of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Outcomes {
    failed: usize,
    skipped: usize,
    /// Candidates with a result, without controls and limits.
    measured: usize,
    /// Candidates that neither failed nor have a result, because the run was stopped.
    open: usize,
}

impl Outcomes {
    pub(super) fn of_record(record: &Record) -> Self {
        let mut outcomes = Outcomes::default();
        for entry in record.cases.iter().flat_map(|case| &case.entries) {
            let measured = entry.thinned.is_some() || entry.rounds.iter().any(|round| !round.is_empty());
            outcomes.count(entry.role, entry.failure.as_ref().map(|failure| failure.kind), measured);
        }
        outcomes
    }

    pub(super) fn of_probes(matrix: &Matrix, probes: &[Probe]) -> Self {
        // Those that were not tried are open.
        let mut outcomes = Outcomes { open: matrix.entries() - probes.len(), ..Outcomes::default() };
        for probe in probes {
            let entry = &matrix.cases[probe.case].entries[probe.entry];
            outcomes.count(entry.role, probe.found.as_ref().err().map(|failure| failure.kind), true);
        }
        outcomes
    }

    fn count(&mut self, role: Role, failure: Option<FailureKind>, measured: bool) {
        match failure {
            Some(FailureKind::Unsupported) => self.skipped += 1,
            Some(_) => self.failed += 1,
            None if role != Role::Candidate => {}
            None if measured => self.measured += 1,
            None => self.open += 1,
        }
    }

    /// Returns the reasons for which the run is a negative result.
    fn reasons(&self, strict: bool) -> Vec<String> {
        let mut reasons = Vec::new();
        if self.failed > 0 {
            reasons.push(format!("{} failed", counted(self.failed, "entry")));
        }
        let skipped = counted(self.skipped, "entry");
        if self.measured == 0 && self.open == 0 {
            reasons.push(match (self.failed, self.skipped) {
                (0, 1..) => format!("no candidate was measured, because all were skipped ({skipped})"),
                _ => "no candidate was measured".to_owned(),
            });
        } else if strict && self.skipped > 0 {
            let were = if self.skipped == 1 { "was" } else { "were" };
            reasons.push(format!("{skipped} {were} skipped, which --strict counts as a failure"));
        }
        reasons
    }

    /// Says on standard error why the run is a negative result, and returns its exit code.
    pub(super) fn tell(&self, strict: bool) -> u8 {
        let reasons = self.reasons(strict);
        reasons.iter().for_each(|reason| tell(&format!("negative: {}", on_one_line(reason))));
        if reasons.is_empty() { 0 } else { NEGATIVE }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_in_words() {
        let good = Outcomes { measured: 2, ..Outcomes::default() };
        assert!(good.reasons(true).is_empty());
        let one_skipped = Outcomes { skipped: 1, ..good };
        assert!(one_skipped.reasons(false).is_empty());
        assert_eq!(one_skipped.reasons(true), ["1 entry was skipped, which --strict counts as a failure"]);
        let all_skipped = Outcomes { skipped: 3, ..Outcomes::default() };
        let said = "no candidate was measured, because all were skipped (3 entries)";
        for strict in [false, true] {
            assert_eq!(all_skipped.reasons(strict), [said]);
        }
        let stopped = Outcomes { open: 1, skipped: 1, ..Outcomes::default() };
        assert!(stopped.reasons(false).is_empty());
        let bad = Outcomes { failed: 2, ..one_skipped };
        assert_eq!(bad.reasons(false), ["2 entries failed"]);
    }
}

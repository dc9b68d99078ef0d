//! The cases of a record with their entries: each value, its ratio to the baseline with the verdict, and the best of
//! them in a sentence.

use std::collections::{BTreeMap, BTreeSet};

use parcrypt_lab::record::{Case, Entry, Record, Role};
use parcrypt_lab::stats::{self, Asked, BLOCK, Basis, Estimate, Judged, RESOLUTION, Verdict, verdicts};

use super::{case_title, heading, is_skip, kind, value};
use crate::format;
use crate::say::{self, Length, Ratio};

/// An entry with its values.
pub(super) struct EntryView<'a> {
    pub(super) entry: &'a Entry,
    /// Index in the record.
    pub(super) index: usize,
    pub(super) is_baseline: bool,
    /// Name of the candidate, with its labels if the name alone is not unique.
    pub(super) candidate: String,
    /// The same name with the role and, if the case has several numbers, with the threads.
    pub(super) name: String,
    /// Time in nanoseconds, or count.
    pub(super) value: Option<Estimate>,
    /// Value over the baseline's; `None` for the baseline itself.
    pub(super) ratio: Option<Ratio<'a>>,
    /// What the verdict follows from if it is corrected for the number of comparisons of the record.
    pub(super) judged: Option<Judged>,
    /// Counts by name, without those that a case compares.
    pub(super) counts: BTreeMap<&'a str, f64>,
}

/// A case with its entries.
pub(super) struct Work<'a> {
    pub(super) case: &'a Case,
    pub(super) title: String,
    /// Name of the baseline.
    pub(super) baseline: String,
    /// From the best to the worst, in the order of the plan if they are steps or commands; then entries without a
    /// result.
    pub(super) entries: Vec<EntryView<'a>>,
    pub(super) floor: Option<f64>,
    /// Number of rounds that an interval needs; counts that vary need as many as times.
    pub(super) needs: usize,
    /// What may decide it if it is open.
    pub(super) more: &'static str,
}

/// Returns the name of a role, empty for a candidate.
pub(super) fn role(role: Role) -> &'static str {
    match role {
        Role::Candidate => "",
        Role::Control => "A/A control",
        Role::Limit => "limit",
    }
}

/// Returns the cases of a record. Verdicts on commands and benchmarks are corrected for the number of comparisons,
/// since the time of the run follows from what they need. Each case of a plan is a question of its own, for a number of
/// rounds that the plan says.
pub(super) fn works(record: &Record) -> Vec<Work<'_>> {
    let mut labels: BTreeMap<&str, BTreeSet<&BTreeMap<String, String>>> = BTreeMap::new();
    for entry in record.cases.iter().flat_map(|case| &case.entries) {
        labels.entry(&entry.candidate).or_default().insert(&entry.labels);
    }
    let name = |entry: &Entry| {
        let labels = entry.labels.iter().filter(|_| labels[&*entry.candidate].len() > 1);
        let labels: Vec<String> = labels.map(|(key, value)| format!("{key} {value}")).collect();
        let labels = if labels.is_empty() { String::new() } else { format!(" ({})", labels.join(", ")) };
        format::one_line(&(entry.candidate.clone() + &labels))
    };
    let mut works: Vec<Work<'_>> =
        record.cases.iter().map(|case| Work::new(case, &name, record.rounds.is_some())).collect();
    // Of several quantities of the same work, each is named, and stands in a table of its own.
    let titles: Vec<String> = works.iter().map(|work| work.title.clone()).collect();
    let measured: Vec<&str> = record.cases.iter().filter_map(|case| case.measure.count()).collect();
    for work in &mut works {
        if record.suite.is_none() && titles.iter().filter(|title| **title == work.title).count() > 1 {
            let what = heading(&work.case.measure);
            work.title = if work.title == "command" { what } else { format!("{}: {what}", work.title) };
        }
        work.entries.iter_mut().for_each(|entry| entry.counts.retain(|name, _| !measured.contains(name)));
    }
    let of_commands =
        record.cases.iter().all(Case::is_of_commands).then_some(Asked { threshold: RESOLUTION, gate: None });
    if let Some(asked) = record.suite.map(|suite| suite.asked()).or(of_commands) {
        let mut found = judged(&works.iter().collect::<Vec<_>>(), asked).into_iter();
        for entry in works.iter_mut().flat_map(|work| &mut work.entries).filter(|entry| entry.is_compared()) {
            entry.judged = found.next().flatten();
            if let Some(ratio) = &mut entry.ratio {
                ratio.verdict = entry.judged.map_or(Verdict::Open, |judged| judged.verdict);
                // The interval of a benchmark is corrected too.
                let corrected = entry.judged.filter(|_| record.suite.is_some());
                ratio.estimate = corrected.map_or(ratio.estimate, |judged| judged.ratio);
            }
        }
    }
    works
}

/// Returns what each candidate that is compared shows, corrected for their number.
pub(super) fn judged(works: &[&Work<'_>], asked: Asked) -> Vec<Option<Judged>> {
    let row = |(work, entry): (&Work<'_>, &EntryView<'_>)| -> (Basis, Vec<f64>) {
        let baseline = work.case.entries.get(work.case.baseline);
        let logs = baseline.map(|baseline| stats::log_ratios(entry.entry, baseline));
        (work.case.into(), logs.unwrap_or_default())
    };
    verdicts(&compared(works).map(row).collect::<Vec<_>>(), asked)
}

/// Returns the candidates that are compared with the baselines of their cases.
pub(super) fn compared<'w, 'a>(
    works: &[&'w Work<'a>],
) -> impl Iterator<Item = (&'w Work<'a>, &'w EntryView<'a>)> {
    let of = |work: &&'w Work<'a>| (*work, work.entries.iter().filter(|entry| entry.is_compared()));
    works.iter().map(of).flat_map(|(work, entries)| entries.map(move |entry| (work, entry)))
}

/// Returns what the brackets in the rows are, and that verdicts are corrected for the number of rows, if they are.
pub(super) fn correction(works: &[Work<'_>], is_suite: bool) -> Option<String> {
    let all: Vec<&EntryView<'_>> =
        works.iter().flat_map(|work| &work.entries).filter(|entry| entry.is_compared()).collect();
    let ratios = || all.iter().filter_map(|entry| entry.ratio);
    let intervals = || ratios().filter_map(|ratio| Some((ratio.verdict, ratio.estimate.interval?)));
    if !intervals().any(|(_, of)| of.low < of.high) {
        return None;
    }
    let changed = ratios().filter(|ratio| ratio.verdict.is_change()).count();
    let error = stats::selected_error(changed, all.len());
    let decimals = (-(100.0 * error).log10()).ceil().clamp(0.0, 9.0) as usize;
    let of_changed = format!(" ({:.decimals$} % for benchmarks that changed)", 100.0 * (1.0 - error));
    let of_changed = if is_suite && (1..all.len()).contains(&changed) { &of_changed } else { "" };
    let mut text = format!("Brackets are {} intervals{of_changed}.", say::confidence());
    if all.len() > 1 && all.iter().any(|entry| entry.judged.is_some()) {
        let number = format::counted(all.len(), if is_suite { "benchmark" } else { "comparison" });
        text += &format!(" Verdicts are corrected for {number} (Benjamini-Hochberg).");
        match intervals().filter(|(verdict, of)| *verdict == Verdict::Open && !of.holds(1.0)).count() {
            0 => {}
            waits => {
                text += &format!(
                    " {waits} more would be called different without that: more rounds may settle it."
                )
            }
        }
    }
    Some(text)
}

/// Returns the verdicts on the commands of a case, in sentences, each with the parameters of its case.
pub fn sentences(record: &Record, at: usize) -> Vec<String> {
    let work = &works(record)[at];
    let params: String = work.case.params.iter().map(|(name, value)| format!("{name}={value}: ")).collect();
    let said = |entry: &EntryView<'_>| {
        let [said, bounds] = entry.ratio?.say(Length::Sentence(&entry.name, &work.baseline));
        Some(format::one_line(format!("{params}{said} {bounds}").trim_end()))
    };
    work.in_order().filter(|entry| entry.competes()).filter_map(said).collect()
}

impl EntryView<'_> {
    /// Returns why there is no result, and whether that is a failure.
    pub(super) fn missing(&self) -> Option<(String, bool)> {
        match &self.entry.failure {
            Some(failure) if is_skip(failure) => Some((format!("SKIP {}", failure.why), false)),
            Some(failure) => Some((format!("FAILED {}: {}", kind(failure.kind), failure.why), true)),
            None => self.value.is_none().then(|| ("not measured".to_owned(), false)),
        }
        .map(|(why, failed)| (format::one_line(&why), failed))
    }

    /// Returns whether the entry is a candidate that was compared with the baseline.
    pub(super) fn is_compared(&self) -> bool {
        self.ratio.is_some() && self.entry.role == Role::Candidate
    }

    /// Returns whether the entry is a candidate with a result.
    pub(super) fn competes(&self) -> bool {
        self.entry.role == Role::Candidate && self.value.is_some()
    }
}

impl<'a> Work<'a> {
    fn new(case: &'a Case, candidate: &impl Fn(&Entry) -> String, has_rounds: bool) -> Self {
        let threads: BTreeSet<usize> = case.entries.iter().map(|entry| entry.threads).collect();
        let name = |entry: &Entry| {
            let on = format!(" on {}", format::counted(entry.threads, "thread"));
            let on = if threads.len() > 1 { on } else { String::new() };
            match role(entry.role) {
                "" => candidate(entry) + &on,
                part => format!("{}{on} ({part})", candidate(entry)),
            }
        };
        let done = case.entries.iter().map(Entry::rounds_done).max().unwrap_or(0);
        let needs = match stats::design(case).rounds_for_interval() {
            few if case.measure.is_time() || done < few => few,
            _ => stats::MIN_REPLICATES,
        };
        let more = match (has_rounds, case.layouts()) {
            (true, _) => "use more --rounds",
            // A layout is one replicate, however many rounds it has.
            (false, layouts @ 1..) if done > BLOCK * layouts => "use a longer --for, or more --layouts",
            (false, _) => "use a longer --for",
        };
        let baseline = case.entries.get(case.baseline);
        let title = case_title(case);
        let floor = stats::noise_floor(case);
        let mut work = Work {
            case,
            title,
            baseline: baseline.map(name).unwrap_or_default(),
            entries: Vec::new(),
            floor,
            needs,
            more,
        };
        let view = |(index, entry): (usize, &'a Entry)| EntryView {
            entry,
            index,
            is_baseline: index == case.baseline,
            candidate: candidate(entry),
            name: name(entry),
            value: stats::value(case, entry),
            ratio: baseline.filter(|_| index != case.baseline).and_then(|other| work.ratio(entry, other)),
            judged: None,
            counts: stats::counts(entry),
        };
        let mut entries: Vec<EntryView<'a>> = case.entries.iter().enumerate().map(view).collect();
        let order = |entry: &EntryView<'_>| match entry.value {
            None => f64::INFINITY,
            Some(_) if case.steps || case.is_of_commands() => 0.0,
            Some(value) => value.value,
        };
        entries.sort_by(|a, b| order(a).total_cmp(&order(b)));
        work.entries = entries;
        work
    }

    /// Returns the ratio of two entries with what its words depend on.
    pub(super) fn ratio(&self, entry: &Entry, other: &Entry) -> Option<Ratio<'a>> {
        let done = entry.rounds_done().min(other.rounds_done());
        let ratio = stats::ratio(self.case, entry, other)?;
        Some(Ratio::new(ratio, &self.case.measure, self.floor, [done, self.needs]))
    }

    /// Returns the speed of an entry as a part of the speed of the limit with the same number of threads.
    pub(super) fn of_limit(&self, of: &EntryView<'_>) -> Option<Estimate> {
        let limits = self.case.entries.iter().filter(|_| of.entry.role != Role::Limit);
        let limit = limits
            .filter(|entry| entry.role == Role::Limit)
            .find(|limit| limit.threads == of.entry.threads)?;
        stats::ratio(self.case, limit, of.entry)
    }

    /// Returns the entries in the order of the record.
    pub(super) fn in_order(&self) -> impl Iterator<Item = &EntryView<'a>> {
        let mut entries: Vec<&EntryView<'_>> = self.entries.iter().collect();
        entries.sort_by_key(|entry| entry.index);
        entries.into_iter()
    }

    /// Returns whether every entry was skipped, because nothing here can run it.
    pub(super) fn is_skipped(&self) -> bool {
        !self.entries.is_empty() && self.entries.iter().all(|e| e.entry.failure.as_ref().is_some_and(is_skip))
    }

    /// Returns the candidates with a result, from the best to the worst.
    pub(super) fn candidates(&self) -> Vec<&EntryView<'a>> {
        let mut all: Vec<&EntryView<'_>> = self.entries.iter().filter(|entry| entry.competes()).collect();
        let value = |entry: &EntryView<'_>| entry.value.map_or(f64::INFINITY, |value| value.value);
        all.sort_by(|a, b| value(a).total_cmp(&value(b)));
        all
    }

    /// Returns the numbers of threads of the candidates with a result.
    pub(super) fn threads(&self) -> BTreeSet<usize> {
        self.candidates().iter().map(|entry| entry.entry.threads).collect()
    }

    /// Returns the best candidate: the fastest of those that are shown to be faster than the baseline, or else the
    /// baseline. `None` if no two have an interval.
    pub(super) fn leader(&self) -> Option<&EntryView<'a>> {
        let all = self.candidates();
        all.iter().find(|entry| entry.ratio.is_some_and(|ratio| ratio.estimate.interval.is_some()))?;
        let baseline = all.iter().find(|entry| entry.is_baseline);
        let is_better = |ratio: Ratio<'_>| ratio.verdict == Verdict::Faster;
        all.iter().find(|entry| entry.ratio.is_some_and(is_better)).or(baseline).copied()
    }

    /// Returns the candidates that are not shown to be worse than the leader.
    pub(super) fn ties(&self, leader: &EntryView<'_>) -> Vec<&EntryView<'a>> {
        let is_tie = |entry: &&EntryView<'_>| {
            let ratio = match leader.is_baseline {
                true => entry.ratio,
                false if entry.is_baseline => return false,
                false => self.ratio(entry.entry, leader.entry),
            };
            entry.index != leader.index && ratio.is_none_or(|ratio| ratio.verdict != Verdict::Slower)
        };
        self.candidates().into_iter().filter(is_tie).collect()
    }

    /// Returns the verdict on the case in one sentence, of which the second part is the answer.
    pub(super) fn verdict(&self) -> [String; 3] {
        let plain = |before: &str, answer: String, after: String| [before.to_owned(), answer, after];
        let shown =
            |entry: &EntryView<'_>| entry.value.map_or(String::new(), |v| value(&self.case.measure, v.value));
        let all = self.candidates();
        let (best, last) = match &all[..] {
            [] => {
                let why = ": every entry failed, was skipped or was not measured.";
                return plain("", "No result".to_owned(), why.to_owned());
            }
            [one] => {
                let is_candidate = |entry: &&EntryView<'_>| entry.entry.role == Role::Candidate;
                let others = self.entries.iter().filter(is_candidate).count() > 1;
                let bounds =
                    one.value.filter(|_| self.case.measure.is_time()).and_then(|value| value.interval);
                let bounds = bounds.map_or(String::new(), |of| {
                    format!(" ({} interval {})", say::confidence(), format::time_interval(of))
                });
                let rest = if others { "; no other has a result" } else { "" };
                return plain("", format!("{}: {}", one.name, shown(one)), format!("{bounds}{rest}."));
            }
            [first, .., last] => (first, last),
        };
        if self.case.steps {
            let steps: Vec<&EntryView<'_>> = self.entries.iter().filter(|entry| entry.competes()).collect();
            let (first, last) = (steps[0], steps[steps.len() - 1]);
            let many = format::counted(steps.len() - 1, "step");
            let said = self.ratio(last.entry, first.entry).map(|ratio| {
                let [said, bounds] = ratio.say(Length::Sentence(&last.name, &first.name));
                plain("", said, format!(" {bounds}, in {many}: {} after {}.", shown(last), shown(first)))
            });
            return said.unwrap_or_default();
        }
        let others: Vec<&&EntryView<'_>> = all.iter().filter(|entry| !entry.is_baseline).collect();
        // With one rival, few rounds say something too.
        if let ([other], Some(ratio)) = (&others[..], others[0].ratio) {
            return ratio.verdict(&other.name, &self.baseline, &[]);
        }
        let Some(leader) = self.leader() else {
            if best.ratio.is_none() && !best.is_baseline {
                let why = format!(", {}; the baseline, {}, has no result.", shown(best), self.baseline);
                return plain("Best: ", best.name.clone(), why);
            }
            let done = best.entry.rounds_done().min(last.entry.rounds_done());
            return plain("Best so far: ", best.name.clone(), format!(" ({done} of {} rounds).", self.needs));
        };
        let ties: Vec<String> = self.ties(leader).iter().map(|tie| tie.name.clone()).collect();
        let next = others[0].ratio.map(|ratio| (&*others[0].name, ratio));
        match leader.ratio {
            Some(ratio) => ratio.verdict(&leader.name, &self.baseline, &ties),
            None => say::unbeaten(&leader.name, &ties, next),
        }
    }
}

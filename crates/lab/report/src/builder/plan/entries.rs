//! A case of a plan with its entries: their values, the best of them, and their tables.

use std::collections::{BTreeMap, BTreeSet};

use parcrypt_lab::command;
use parcrypt_lab::record::{Case, Entry, FailureKind, Measure, Record, Role};
use parcrypt_lab::stats::{self, Asked, Basis, Estimate, RESOLUTION, Speedup, Verdict, verdicts};
use serde_json::{Value as Json, json};

use crate::builder::{
    Names, case_title, compared, grouped, heading, is_skip, kind, rounds_for_interval, unit, value,
};
use crate::format;
use crate::plot::{self, Figure};
use crate::say::{self, Leader, Length, Ratio};
use crate::sheet::{Cell, Column, Part, Row, Table, Tone, fields};

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
    pub(super) ratio: Option<Estimate>,
    /// Verdict on the ratio, corrected for the number of comparisons of the record.
    pub(super) verdict: Verdict,
    /// Value over the step before's, in a sequence of steps; `None` for the first.
    pub(super) step: Option<Estimate>,
    pub(super) speedup: Option<Speedup>,
    /// Input bytes per second, if the case asks for that.
    pub(super) throughput: Option<Estimate>,
    /// Fraction of the speed of the limit with the same number of threads.
    pub(super) limit: Option<Estimate>,
    pub(super) counts: BTreeMap<&'a str, f64>,
    /// Parts of the value by name.
    pub(super) phases: BTreeMap<&'a str, f64>,
    /// Times before the measured work by name, in ns.
    pub(super) before: BTreeMap<&'a str, f64>,
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
}

/// Returns the cell of an entry with a result.
pub(super) type Value<'s> = Box<dyn Fn(&EntryView<'_>) -> Cell + 's>;

/// Returns the name of a role, empty for a candidate.
pub(super) fn role(role: Role) -> &'static str {
    match role {
        Role::Candidate => "",
        Role::Control => "A/A control",
        Role::Limit => "limit",
    }
}

/// Returns the cases of a record. Verdicts on commands are corrected for the number of comparisons, since the time of
/// the run follows from what they need. Each case of a plan is a question of its own, for a number of rounds that the
/// plan says.
pub(super) fn works(record: &Record) -> Vec<Work<'_>> {
    let names = Names::new(record);
    let mut works: Vec<Work<'_>> = record.cases.iter().map(|case| Work::new(case, &names)).collect();
    // Of several quantities of the same work, each is named, and stands in a table of its own.
    let titles: Vec<String> = works.iter().map(|work| work.title.clone()).collect();
    let measured: Vec<&str> = record.cases.iter().filter_map(|case| case.measure.count()).collect();
    for work in &mut works {
        if titles.iter().filter(|title| **title == work.title).count() > 1 {
            let what = heading(&work.case.measure);
            work.title = if work.title == "command" { what } else { format!("{}: {what}", work.title) };
        }
        work.entries.iter_mut().for_each(|entry| entry.counts.retain(|name, _| !measured.contains(name)));
    }
    if is_of_commands(record) {
        let rows = works.iter().map(|work| work.logs()).collect::<Vec<_>>().concat();
        let mut found = verdicts(&rows, Asked { threshold: RESOLUTION, gate: None }).into_iter();
        let compared =
            works.iter_mut().flat_map(|work| &mut work.entries).filter(|entry| entry.is_compared());
        compared.zip(&mut found).for_each(|(entry, judged)| {
            entry.verdict = judged.map_or(Verdict::Open, |judged| judged.verdict);
        });
    }
    works
}

/// Returns whether a record is of commands, and not of a plan.
pub(super) fn is_of_commands(record: &Record) -> bool {
    record.cases.iter().all(Case::is_of_commands)
}

/// Returns the largest noise floor of the cases that compare this quantity or, of times, another clock's.
pub(super) fn floor(works: &[Work<'_>], measure: &Measure) -> Option<f64> {
    let like = works.iter().filter(|work| work.case.measure.is_time() == measure.is_time());
    like.filter_map(|work| work.floor).max_by(f64::total_cmp)
}

impl EntryView<'_> {
    /// Returns the runtime and backend that the candidate reported, such as `openmp, avx512`.
    pub(super) fn runs_as(&self) -> String {
        let Some(ready) = &self.entry.ready else { return String::new() };
        let mut parts = vec![ready.runtime.clone(), ready.backend.clone()];
        if ready.threads != 0 && ready.threads != self.entry.threads {
            parts.push(format!("really on {}", format::counted(ready.threads, "thread")));
        }
        parts.retain(|part| !part.is_empty());
        format::one_line(&parts.join(", "))
    }

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

    /// Returns the standard deviation of the rounds over the value; `None` of fewer than two rounds.
    pub(super) fn spread(&self) -> Option<f64> {
        let values: Vec<f64> = self.entry.replicates.iter().filter_map(|one| one.value).collect();
        let count = values.len() as f64;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        (count >= 2.0).then(|| (squares / (count - 1.0)).sqrt() / mean)
    }
}

impl<'a> Work<'a> {
    pub(super) fn new(case: &'a Case, names: &Names) -> Self {
        let threads: BTreeSet<usize> = case.entries.iter().map(|entry| entry.threads).collect();
        let name = |entry: &Entry| {
            let mut name = names.of(entry);
            if threads.len() > 1 {
                name += &format!(" on {}", format::counted(entry.threads, "thread"));
            }
            match role(entry.role) {
                "" => name,
                part => format!("{name} ({part})"),
            }
        };
        let baseline = case.entries.get(case.baseline);
        let limit = |entry: &Entry| {
            let mut limits = case.entries.iter().filter(|other| other.role == Role::Limit);
            let limit = limits.find(|limit| limit.threads == entry.threads)?;
            if entry.role == Role::Limit { None } else { stats::ratio(case, limit, entry) }
        };
        let view = |(index, entry): (usize, &'a Entry)| EntryView {
            entry,
            index,
            is_baseline: index == case.baseline,
            candidate: names.of(entry),
            name: name(entry),
            value: stats::value(case, entry),
            ratio: baseline.filter(|_| index != case.baseline).and_then(|b| stats::ratio(case, entry, b)),
            verdict: Verdict::Open,
            step: None,
            speedup: stats::speedup(case, index).filter(|_| entry.role != Role::Limit),
            throughput: stats::value(case, entry)
                .filter(|_| case.throughput)
                .map(|time| time.inverse().times(1e9 * case.input_bytes as f64)),
            limit: limit(entry),
            counts: stats::counts(entry),
            phases: stats::phases(entry),
            before: stats::before(entry),
        };
        let mut entries: Vec<EntryView<'a>> = case.entries.iter().enumerate().map(view).collect();
        for entry in &mut entries {
            entry.verdict = entry.ratio.map_or(Verdict::Open, |ratio| Verdict::of(&ratio, RESOLUTION));
        }
        let order = |entry: &EntryView<'_>| match entry.value {
            None => f64::INFINITY,
            Some(_) if case.steps || case.is_of_commands() => 0.0,
            Some(value) => value.value,
        };
        entries.sort_by(|a, b| order(a).total_cmp(&order(b)));
        if case.steps {
            let mut before: Option<&Entry> = None;
            for entry in entries.iter_mut().filter(|entry| entry.competes()) {
                entry.step = before.and_then(|before| stats::ratio(case, entry.entry, before));
                before = Some(entry.entry);
            }
        }
        let baseline = baseline.map(name).unwrap_or_default();
        Work { case, title: case_title(case), baseline, entries, floor: stats::noise_floor(case) }
    }

    /// Returns what the verdicts on the candidates follow from, in the order of the entries.
    pub(super) fn logs(&self) -> Vec<(Basis, Vec<f64>)> {
        let Some(baseline) = self.case.entries.get(self.case.baseline) else { return Vec::new() };
        let compared = self.entries.iter().filter(|entry| entry.is_compared());
        compared.map(|entry| (self.case.into(), stats::log_ratios(entry.entry, baseline))).collect()
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
        all.sort_by(|a, b| {
            a.value
                .map(|v| v.value)
                .partial_cmp(&b.value.map(|v| v.value))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        all
    }

    /// Returns the numbers of threads of the candidates with a result.
    pub(super) fn threads(&self) -> BTreeSet<usize> {
        self.entries.iter().filter(|entry| entry.competes()).map(|entry| entry.entry.threads).collect()
    }

    /// Returns a ratio to the baseline with what its words depend on.
    pub(super) fn ratio(&self, entry: &EntryView<'_>, estimate: &Estimate) -> Ratio<'a> {
        Ratio { verdict: entry.verdict, ..self.other_ratio(estimate) }
    }

    /// Returns a ratio of two entries with what its words depend on.
    pub(super) fn other_ratio(&self, estimate: &Estimate) -> Ratio<'a> {
        let (estimate, verdict) = (*estimate, Verdict::of(estimate, RESOLUTION));
        Ratio {
            estimate,
            measure: &self.case.measure,
            verdict,
            floor: self.floor,
            needs: rounds_for_interval(self.case),
        }
    }

    /// Returns the best candidate: the fastest of those that are shown to be faster than the baseline, or else the
    /// baseline. `None` if no two have an interval.
    pub(super) fn leader(&self) -> Option<&EntryView<'a>> {
        let all = self.candidates();
        let has_interval =
            |entry: &&&EntryView<'_>| entry.ratio.is_some_and(|ratio| ratio.interval.is_some());
        all.iter().find(has_interval)?;
        let baseline = all.iter().find(|entry| entry.is_baseline);
        all.iter()
            .find(|entry| entry.verdict == Verdict::Faster && entry.ratio.is_some())
            .or(baseline)
            .copied()
    }

    /// Returns the candidates that are not shown to be worse than the leader.
    pub(super) fn ties(&self, leader: &EntryView<'_>) -> Vec<&EntryView<'a>> {
        let is_tie = |entry: &&EntryView<'_>| {
            let verdict = match leader.is_baseline {
                true => Some(entry.verdict),
                false if entry.is_baseline => Some(Verdict::Slower),
                false => {
                    stats::ratio(self.case, entry.entry, leader.entry).map(|r| Verdict::of(&r, RESOLUTION))
                }
            };
            entry.index != leader.index && verdict != Some(Verdict::Slower)
        };
        self.candidates().into_iter().filter(is_tie).collect()
    }

    /// Returns the verdict on the case in one sentence, of which the second part is the answer.
    pub(super) fn verdict(&self) -> [String; 3] {
        let all = self.candidates();
        let plain = |before: &str, answer: String, after: String| [before.to_owned(), answer, after];
        let shown =
            |entry: &EntryView<'_>| entry.value.map_or(String::new(), |v| value(&self.case.measure, v.value));
        let (best, last) = match &all[..] {
            [] => {
                return plain(
                    "",
                    "No result".to_owned(),
                    ": every entry failed, was skipped or was not measured.".to_owned(),
                );
            }
            [one] => {
                let others =
                    self.entries.iter().filter(|entry| entry.entry.role == Role::Candidate).count() > 1;
                let bounds =
                    one.value.and_then(|value| value.interval).filter(|_| self.case.measure.is_time());
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
            let Some(ratio) = stats::ratio(self.case, last.entry, first.entry) else {
                return [const { String::new() }; 3];
            };
            let [said, bounds] = self.other_ratio(&ratio).say(Length::Sentence(&last.name, &first.name));
            let many = format::counted(steps.len() - 1, "step");
            return plain("", said, format!(" {bounds}, in {many}: {} after {}.", shown(last), shown(first)));
        }
        let others: Vec<&&EntryView<'_>> = all.iter().filter(|entry| !entry.is_baseline).collect();
        let Some(leader) = self.leader() else {
            // Only one rival, of which few rounds say something too.
            if let ([other], Some(ratio)) = (&others[..], others[0].ratio) {
                let [said, bounds] =
                    self.ratio(other, &ratio).say(Length::Sentence(&other.name, &self.baseline));
                return plain("", said, format!(" {bounds}."));
            }
            if best.ratio.is_none() && !best.is_baseline {
                let why = format!(", {}; the baseline, {}, has no result.", shown(best), self.baseline);
                return plain("Best: ", best.name.clone(), why);
            }
            let (done, needs) =
                (best.entry.rounds_done().min(last.entry.rounds_done()), rounds_for_interval(self.case));
            return plain("Best so far: ", best.name.clone(), format!(" ({done} of {needs} rounds)."));
        };
        let ties = self.ties(leader);
        let next = match &others[..] {
            [other] => Some(**other),
            _ => all
                .iter()
                .find(|e| e.index != leader.index && !ties.iter().any(|tie| tie.index == e.index))
                .copied(),
        };
        let next = next.filter(|_| leader.is_baseline);
        Leader {
            name: &leader.name,
            ratio: leader.ratio.map(|ratio| (&*self.baseline, self.ratio(leader, &ratio))),
            ties: ties.iter().map(|tie| tie.name.clone()).collect(),
            next: next.and_then(|entry| Some((&*entry.name, self.ratio(entry, &entry.ratio?)))),
            has_others: others.len() > 1,
        }
        .verdict()
    }

    /// Returns the table of the entries.
    pub(super) fn entries_table<'s>(&'s self) -> Table {
        let mut table = Table {
            what: if self.case.is_of_commands() { "command" } else { "candidate" },
            ..Table::default()
        };
        let measure = &self.case.measure;
        let mut values: Vec<(Column, Value<'s>)> = Vec::new();
        let is_commands = self.case.is_of_commands();
        let mut add = |column, value: Value<'s>| values.push((column, value));
        // How many threads a command starts is not known.
        if !is_commands {
            add(
                Column::number("threads", "threads").leaving(7),
                Box::new(|entry| Cell::new(entry.entry.threads.to_string())),
            );
        }
        add(
            Column::number("value", heading(measure)),
            Box::new(|entry| {
                let interval = entry.value.and_then(|value| value.interval).filter(|_| measure.is_time());
                let small = interval.map(format::time_interval).unwrap_or_default();
                Cell { small, ..Cell::of(entry.value, |of| value(measure, of.value)) }
            }),
        );
        if measure.is_time() {
            let part = |part: f64| Estimate { value: part, interval: None, replicates: 0 };
            let spread = move |entry: &EntryView<'_>| {
                Cell::of(entry.spread().map(part), |of| format!("±{}", format::percent(of.value)))
            };
            add(Column::number("spread", "spread").leaving(4), Box::new(spread));
        }
        let mut counted: BTreeSet<&str> =
            self.entries.iter().flat_map(|entry| entry.counts.keys().copied()).collect();
        measure.count().map(|name| counted.remove(name));
        for name in counted {
            let column =
                Column::number(name, format::counted_name(name)).leaving(if is_commands { 7 } else { 5 });
            let count = |value: &f64| Estimate { value: *value, interval: None, replicates: 0 };
            add(
                column,
                Box::new(move |entry| {
                    Cell::of(entry.counts.get(name).map(count), |of| format::count(name, of.value))
                }),
            );
        }
        if self.case.throughput {
            let interval = |rate: Estimate| Some(format::rate_interval(rate.value, rate.interval?));
            add(
                Column::number("throughput", "throughput").leaving(6),
                Box::new(move |entry| Cell {
                    small: entry.throughput.and_then(interval).unwrap_or_default(),
                    ..Cell::of(entry.throughput, |rate| format::rate(rate.value))
                }),
            );
        }
        if self.threads().len() > 1 {
            let times =
                |entry: &EntryView<'_>| Cell::of(entry.speedup.map(|s| s.times), |t| format::factor(t.value));
            let share =
                |entry: &EntryView<'_>| Cell::of(entry.speedup.map(|s| s.efficiency), |e| format::share(&e));
            add(Column::number("speedup", "speed-up").leaving(2), Box::new(times));
            add(Column::number("efficiency", "efficiency").leaving(2), Box::new(share));
        }
        if self.entries.iter().any(|entry| entry.limit.is_some()) {
            let limit = |entry: &EntryView<'_>| Cell::of(entry.limit, |share| format::share(&share));
            add(Column::number("limit", "of the limit").leaving(3), Box::new(limit));
        }
        let pair = move |entry: &EntryView<'_>, ratio: Option<Estimate>| match ratio {
            Some(ratio) if entry.ratio == Some(ratio) => compared(&self.ratio(entry, &ratio)),
            Some(ratio) => compared(&self.other_ratio(&ratio)),
            None => [const { "–" }; 2].map(|dash| Cell { tone: Tone::Muted, ..Cell::new(dash) }),
        };
        if self.entries.iter().any(|entry| entry.ratio.is_some()) {
            let against = format!("against {}", self.baseline);
            let baseline = || Cell { tone: Tone::Muted, ..Cell::new("baseline") };
            let ratio = move |entry: &EntryView<'_>| match entry.is_baseline {
                true => baseline(),
                false => pair(entry, entry.ratio)[0].clone(),
            };
            add(Column::text("ratio", against), Box::new(ratio));
            let verdict = move |entry: &EntryView<'_>| match entry.is_baseline {
                true => Cell::default(),
                false => pair(entry, entry.ratio)[1].clone(),
            };
            add(Column::text("verdict", "verdict"), Box::new(verdict));
        }
        if self.case.steps {
            add(
                Column::text("step", "against the step before").leaving(8),
                Box::new(move |entry| pair(entry, entry.step)[0].clone()),
            );
        }
        if self.entries.iter().any(|entry| !entry.runs_as().is_empty()) {
            add(Column::text("runs_as", "runs as").leaving(1), Box::new(|entry| Cell::new(entry.runs_as())));
        }
        table.rows = self.entries.iter().map(|entry| self.row(entry, &values)).collect();
        table.columns = values.into_iter().map(|(column, _)| column).collect();
        table
    }

    pub(super) fn row(&self, entry: &EntryView<'_>, values: &[(Column, Value<'_>)]) -> Row {
        let missing = entry.missing();
        let labels = &entry.entry.labels;
        Row {
            what: entry.candidate.clone(),
            tag: role(entry.entry.role),
            about: format::one_line(&entry.entry.about),
            cells: if missing.is_some() {
                Vec::new()
            } else {
                values.iter().map(|(_, value)| value(entry)).collect()
            },
            verdict: entry.ratio.filter(|_| entry.is_compared()).map(|_| entry.verdict),
            missing,
            is_baseline: entry.is_baseline,
            is_folded: false,
            facts: fields([
                ("threads", json!(entry.entry.threads)),
                ("role", json!(entry.entry.role)),
                ("baseline", json!(entry.is_baseline)),
                ("labels", if labels.is_empty() { Json::Null } else { json!(labels) }),
            ]),
        }
    }

    /// Returns the tables of the parts of the values, and of the times before the measured work.
    pub(super) fn further_tables(&self) -> Vec<Table> {
        let measure = &self.case.measure;
        let where_it_goes = match measure.is_time() {
            true => "Where the time goes, and its share of the whole:".to_owned(),
            false => format!("Where the {} are, and their share of the whole:", heading(measure)),
        };
        let phase = |entry: &EntryView<'_>, part: f64| {
            let share = entry.value.map(|whole| format!(" ({:.0} %)", 100.0 * part / whole.value));
            value(measure, part) + &share.unwrap_or_default()
        };
        let before = |_: &EntryView<'_>, part: f64| format::nanoseconds(part);
        let phases = self.parts(where_it_goes, 2, |entry| &entry.phases, phase);
        let before = self.parts(
            "Before the measured work, once for each process:".to_owned(),
            1,
            |e| &e.before,
            before,
        );
        phases.into_iter().chain(before).collect()
    }

    /// Returns the table of the parts of those entries that have at least `least`, in descending order of the last
    /// entry's; `None` if no entry has.
    pub(super) fn parts(
        &self,
        title: String,
        least: usize,
        parts: impl for<'b> Fn(&'b EntryView<'a>) -> &'b BTreeMap<&'a str, f64>,
        words: impl Fn(&EntryView<'_>, f64) -> String,
    ) -> Option<Table> {
        let having: Vec<&EntryView<'_>> =
            self.entries.iter().filter(|entry| parts(entry).len() >= least).collect();
        let last = having.last()?;
        let names: BTreeSet<&str> = having.iter().flat_map(|entry| parts(entry).keys().copied()).collect();
        let mut names: Vec<&str> = names.into_iter().collect();
        names.sort_by(|a, b| {
            let size = |name: &str| parts(last).get(name).copied().unwrap_or(0.0);
            size(b).total_cmp(&size(a))
        });
        let cell = |entry: &EntryView<'a>, name: &str| {
            let part =
                parts(entry).get(name).map(|part| Estimate { value: *part, interval: None, replicates: 0 });
            Cell::of(part, |part| words(entry, part.value))
        };
        let row = |entry: &&EntryView<'a>| Row {
            what: entry.name.clone(),
            cells: names.iter().map(|name| cell(entry, name)).collect(),
            ..Row::default()
        };
        // The smallest leaves first, and the largest stays.
        let leaves = |at: usize| if at > 0 { (names.len() - at).min(255) as u8 } else { 0 };
        let column = |(at, name): (usize, &&str)| {
            Column::number(*name, format::counted_name(name)).leaving(leaves(at))
        };
        let columns = names.iter().enumerate().map(column).collect();
        Some(Table { title, what: "candidate", columns, rows: having.iter().map(row).collect() })
    }

    /// Returns what the reader has to know of the entries: outputs, noise floor, samples, what is undecided.
    pub(super) fn notes(&self) -> Vec<String> {
        let mut notes = self.agreement();
        let in_sample = self.case.entries.iter().flat_map(|entry| entry.rounds.iter().flatten());
        let most = in_sample.map(|sample| sample.iterations).max().unwrap_or(1);
        if self.case.is_of_commands() && most > 1 {
            notes.push(format!("Runs are so short that up to {most} are one sample."));
        }
        if self.is_drifted() {
            let said = "The verdict pairs runs of the same round; these times are over all rounds, so their ratio can differ.";
            notes.push(said.to_owned());
        }
        notes.extend(self.undecided());
        notes
    }

    /// Returns whether a ratio of two values that are shown is outside of the interval of their ratio, or without an
    /// interval on the other side of 1.
    pub(super) fn is_drifted(&self) -> bool {
        let Some(baseline) = self.entries.iter().find(|entry| entry.is_baseline).and_then(|b| b.value) else {
            return false;
        };
        self.case.measure.is_time()
            && self.entries.iter().filter(|entry| entry.competes()).any(|entry| {
                entry.ratio.zip(entry.value).is_some_and(|(ratio, value)| {
                    let shown = value.value / baseline.value;
                    let is_apart = (shown - 1.0) * (ratio.value - 1.0) < 0.0;
                    ratio.interval.map_or(is_apart, |interval| !interval.holds(shown))
                })
            })
    }

    /// Returns whether outputs agreed, in a sentence if there are any to compare.
    pub(super) fn agreement(&self) -> Vec<String> {
        let is_wrong =
            |e: &&EntryView<'_>| e.entry.failure.as_ref().is_some_and(|f| f.kind == FailureKind::WrongDigest);
        let wrong: Vec<String> =
            self.entries.iter().filter(is_wrong).map(|entry| entry.name.clone()).collect();
        let good = self.entries.iter().filter(|view| view.entry.failure.is_none());
        let digests: Vec<&String> = good.filter_map(|view| view.entry.digest.as_ref()).collect();
        let groups = digests.iter().collect::<BTreeSet<_>>().len();
        match (wrong.is_empty(), digests.len()) {
            // The failures say it.
            (false, _) => Vec::new(),
            _ if !command::compares_outputs(self.case) => Vec::new(),
            (_, all) if groups == all => Vec::new(),
            (_, all) if groups == 1 => vec![format!("All {all} outputs agreed.")],
            (_, all) => vec![format!("{all} outputs in {groups} groups; those within a group agreed.")],
        }
    }

    /// Returns what time in all may decide between the baseline and the entries that are open, in a sentence; `None` if
    /// all are decided, or close to 1.
    pub(super) fn undecided(&self) -> Option<String> {
        let spent = self.case.cost?.rounds_ns as f64 / 1e9;
        let rounds = self.case.entries.iter().map(Entry::rounds_done).max().unwrap_or(0).max(1) as f64;
        let needs = rounds_for_interval(self.case) as f64;
        let more = |entry: &EntryView<'_>| {
            let ratio = entry.ratio.as_ref().filter(|_| entry.verdict == Verdict::Open)?;
            let growth = match ratio.interval {
                Some(_) => stats::growth_to_decide(ratio)?,
                None => (needs / rounds).max(1.0),
            };
            (growth > 1.0).then(|| format!("{} in {}", entry.name, format::seconds(spent * growth)))
        };
        let open: Vec<String> =
            self.entries.iter().filter(|entry| entry.competes()).filter_map(more).collect();
        (!open.is_empty()).then(|| format!("A longer run may decide: {}.", format::listed(&open)))
    }

    /// Returns the part of a page about the case.
    pub(super) fn part(&self) -> Part {
        let digest = |entry: &EntryView<'_>| Some((entry.entry.digest.clone()?, entry.name.clone()));
        let outputs = grouped(self.entries.iter().filter_map(digest));
        let outputs = outputs.into_iter().map(|(digest, names)| (names.join(", "), digest));
        let input = (!self.case.input_digest.is_empty()).then(|| {
            (format!("input, {}", format::bytes(self.case.input_bytes)), self.case.input_digest.clone())
        });
        let floor = self.floor.map(|floor| format!("Noise floor {}.", format::percent(floor)));
        Part {
            title: self.title.clone(),
            verdict: self.verdict(),
            tables: std::iter::once(self.entries_table()).chain(self.further_tables()).collect(),
            notes: self.notes().into_iter().chain(floor).collect(),
            digests: input.into_iter().chain(outputs).collect(),
            facts: fields([
                ("workload", json!(self.case.workload)),
                ("params", json!(self.case.params)),
                ("measure", json!(self.case.measure)),
                ("unit", json!(unit(&self.case.measure))),
                ("noise_floor", json!(self.floor)),
            ]),
        }
    }

    /// Returns the forest of the entries against the baseline; `None` if none has a ratio.
    pub(super) fn figure(&self) -> Option<Figure> {
        let rows =
            self.entries.iter().filter_map(|entry| Some((entry.name.as_str(), entry.ratio?, entry.verdict)));
        let axis = say::axis(&self.case.measure, &self.baseline);
        plot::forest(
            &format!("{axis}: {}", self.title),
            &axis,
            rows,
            self.floor.map(|of| ("noise floor", of)),
        )
    }
}

//! Verdicts: for each entry of a case one sentence that compares its time with the baseline's, and conditions on their
//! ratio.
//!
//! 'B is 12.3 % faster than A' says that B takes 12.3 % less time than A, and 'slower' that it takes more. Counts have
//! words of their own: 'B executes 3.2 % fewer instructions than A'.

mod words;

use std::str::FromStr;

use parcrypt_lab::record::{Case, Entry, FailureKind, Measure, PEAK_MEMORY, Record, Role};
use parcrypt_lab::stats::{self, Border, Estimate, Interval, LEAST_REPLICATES, RESOLUTION, Verdict};

use crate::format;
pub(crate) use words::in_words;

/// An entry compared with the baseline of its case.
#[derive(Clone, Debug)]
pub struct Pair<'a> {
    pub(crate) case: &'a Case,
    pub(crate) baseline: &'a Entry,
    /// The other entry.
    pub entry: &'a Entry,
    /// Time or count of the entry over the baseline's.
    pub ratio: Option<Estimate>,
    /// The verdict; `None` if one of the two has no result.
    verdict: Option<Verdict>,
}

/// Returns a pair for each entry of each case that is compared with a baseline, in the order of the record.
pub fn pairs(record: &Record) -> Vec<Pair<'_>> {
    record.cases.iter().flat_map(pairs_of).collect()
}

/// [`pairs`] of one case.
pub fn pairs_of(case: &Case) -> Vec<Pair<'_>> {
    let Some(baseline) = case.entries.get(case.baseline) else { return Vec::new() };
    let others = case.entries.iter().enumerate();
    let others = others.filter(|(r, entry)| *r != case.baseline && entry.role == Role::Candidate);
    others.map(|(_, entry)| pair(case, baseline, entry)).collect()
}

fn pair<'a>(case: &'a Case, baseline: &'a Entry, entry: &'a Entry) -> Pair<'a> {
    let failed = [baseline, entry].iter().any(|entry| entry.failure.is_some());
    let ratio = stats::ratio(case, entry, baseline);
    let verdict = match &ratio {
        _ if failed => None,
        None => Some(Verdict::Open),
        Some(ratio) => Some(Verdict::of(ratio, RESOLUTION)),
    };
    Pair { case, baseline, entry, ratio, verdict }
}

/// Returns the name in JSON and CSV: `faster`, `slower`, `no-difference` or `cannot-tell`; of counts `fewer` and
/// `more`.
pub(crate) fn verdict_name(verdict: Verdict, measure: &Measure) -> &'static str {
    match verdict {
        Verdict::Faster if measure.is_time() => "faster",
        Verdict::Faster => "fewer",
        Verdict::Slower if measure.is_time() => "slower",
        Verdict::Slower => "more",
        Verdict::Same => "no-difference",
        Verdict::Open => "cannot-tell",
    }
}

impl Pair<'_> {
    /// Returns the name of the verdict in JSON: [`verdict_name`], or `failed`.
    pub(crate) fn name(&self) -> &'static str {
        self.verdict.map_or("failed", |verdict| verdict_name(verdict, &self.case.measure))
    }

    /// Returns what is compared.
    pub fn measure(&self) -> &Measure {
        &self.case.measure
    }

    /// Returns the verdict as a sentence, without the parameters of the case.
    pub fn sentence(&self) -> String {
        let (a, b) = (format::one_line(&self.baseline.candidate), format::one_line(&self.entry.candidate));
        let failed = |entry: &Entry| entry.failure.is_some();
        let Some(ratio) = &self.ratio else {
            return match (failed(self.baseline), failed(self.entry)) {
                (true, _) => format!("no verdict on {b}: {a} failed"),
                (_, true) => format!("no verdict on {b}: {}", how_it_failed(self.entry)),
                _ => format!("cannot tell: {b} and {a} were not measured together"),
            };
        };
        match ratio.interval {
            Some(interval) => in_words(&self.case.measure, &b, &a, ratio, interval),
            None => format!("cannot tell after {}", self.without_interval(&b, &a, ratio)),
        }
    }

    /// Returns what the rounds were like if there are too few for an interval, and how long the others would take.
    fn without_interval(&self, b: &str, a: &str, ratio: &Estimate) -> String {
        let done = ratio.replicates;
        let all = stats::replicate_ratios(self.entry, self.baseline);
        let bound = |better: fn(f64, f64) -> f64| all.iter().copied().reduce(better);
        let range = bound(f64::min).zip(bound(f64::max)).map(|(low, high)| Interval { low, high });
        let range = range.map(|range| words::of_rounds(&self.case.measure, b, a, range, done));
        let rounds = self.entry.rounds_done().max(1) as f64;
        let round_s = self.case.cost.map_or(0.0, |cost| cost.rounds_ns as f64 / 1e9 / rounds);
        let missing = LEAST_REPLICATES.saturating_sub(done) as f64 * round_s;
        let further = match missing {
            0.0 => String::new(),
            seconds => format!(
                "; the others would take about {} (--rounds {LEAST_REPLICATES} waits for them)",
                format::seconds(seconds)
            ),
        };
        let range = range.map_or_else(|| format!(": {b} and {a}"), |range| format!(": {range}"));
        format!("{done} of {LEAST_REPLICATES} rounds{range}{further}")
    }
}

/// Returns how an entry failed, in the words of a verdict.
fn how_it_failed(entry: &Entry) -> &'static str {
    match entry.failure.as_ref() {
        Some(failure) if failure.kind == FailureKind::WrongDigest => "its output or exit code differs",
        Some(failure) if failure.kind == FailureKind::Timeout => "it was ended by the time limit",
        _ => "it failed",
    }
}

/// A condition on the time or the count of an entry, compared with the baseline's: `slower than 2%`, `faster than
/// 0.5%`; of counts `more than 2%`, `fewer than 0.5%`, or with what is counted, `more than 5% memory`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gate {
    direction: Direction,
    of: Kind,
    /// Name of the count, if the condition has one.
    counted: Option<&'static str>,
    /// Part of the baseline's time or count, from 0.
    part: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Less,
    More,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Time,
    Count,
}

/// The words of each direction of each kind; the first of each is the one that is printed.
const WORDS: [(&str, Kind, Direction); 5] = [
    ("slower", Kind::Time, Direction::More),
    ("faster", Kind::Time, Direction::Less),
    ("more", Kind::Count, Direction::More),
    ("fewer", Kind::Count, Direction::Less),
    ("less", Kind::Count, Direction::Less),
];

/// Counts that a condition can name, each with its name in records.
const COUNTS: [(&str, &str); 3] =
    [("memory", PEAK_MEMORY), ("instructions", "instructions"), ("allocations", "allocations")];

/// Whether a [`Gate`] holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Holds {
    /// The condition does not hold for any time in the interval.
    No,
    /// The interval has times on both sides, or there is none.
    CannotTell,
    /// The condition holds for the whole interval.
    Yes,
}

impl Holds {
    /// Returns the answer in words, which is also its name in JSON: `no`, `cannot tell`, `yes`.
    pub fn name(self) -> &'static str {
        match self {
            Holds::No => "no",
            Holds::CannotTell => "cannot tell",
            Holds::Yes => "yes",
        }
    }
}

/// A text that is not a [`Gate`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "write it as 'slower than 2%' or 'faster than 2%', of counts as 'more than 2%', 'fewer than 2%' or 'more than 2% \
     memory' (instructions, allocations), with a number from 0 to 1000 ('faster', 'fewer': below 100)"
)]
pub struct GateError;

impl FromStr for Gate {
    type Err = GateError;

    fn from_str(text: &str) -> Result<Self, GateError> {
        let (word, rest) = text.trim().split_once(" than ").ok_or(GateError)?;
        let (_, of, direction) = *WORDS.iter().find(|(known, ..)| *known == word).ok_or(GateError)?;
        let (number, name) = rest.split_once('%').unwrap_or((rest, ""));
        let counted = COUNTS.iter().find(|(known, _)| *known == name.trim()).map(|(_, count)| *count);
        let is_known = name.trim().is_empty() || counted.is_some() && of == Kind::Count;
        let percent: f64 = number.trim().parse().ok().filter(|_| is_known).ok_or(GateError)?;
        let most = if direction == Direction::Less { 100.0 } else { 1000.0 };
        let within = percent >= 0.0 && (percent < most || direction == Direction::More && percent == most);
        if within { Ok(Gate { direction, of, counted, part: percent / 100.0 }) } else { Err(GateError) }
    }
}

impl std::fmt::Display for Gate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let word = self.word(self.of);
        // The number may have digits of a rounding.
        write!(f, "{word} than {}%", (self.part * 1e8).round() / 1e6)?;
        let name = COUNTS.iter().find(|(_, count)| Some(*count) == self.counted);
        name.map_or(Ok(()), |(name, _)| write!(f, " {name}"))
    }
}

impl Gate {
    /// Returns the condition on times with this border.
    pub(crate) fn on_times(border: Border) -> Self {
        Gate::on(Kind::Time, border)
    }

    /// Returns the condition on counts with this border.
    pub(crate) fn on_counts(border: Border) -> Self {
        Gate::on(Kind::Count, border)
    }

    fn on(of: Kind, border: Border) -> Self {
        match border {
            Border::Above(ratio) => Gate { direction: Direction::More, of, counted: None, part: ratio - 1.0 },
            Border::Below(ratio) => Gate { direction: Direction::Less, of, counted: None, part: 1.0 - ratio },
        }
    }

    /// Returns whether the condition is on counts, and not on times.
    pub fn is_on_counts(&self) -> bool {
        self.of == Kind::Count
    }

    /// Returns the part of the baseline's time or count, such as 0.02 for 'slower than 2%'.
    pub fn part(&self) -> f64 {
        self.part
    }

    fn word(&self, of: Kind) -> &'static str {
        let found = WORDS.iter().find(|(_, kind, direction)| (*kind, *direction) == (of, self.direction));
        found.map_or("", |(word, ..)| word)
    }

    /// Returns whether the condition is on what a case compares: `more than 2%` is on any count.
    pub fn is_on(&self, measure: &Measure) -> bool {
        let is_named = self.counted.is_none_or(|name| measure.count() == Some(name));
        measure.is_time() == (self.of == Kind::Time) && is_named
    }

    /// Returns the same condition in the words for what is measured, if it has those for another quantity: 'slower'
    /// and 'faster' are said of times, 'more' and 'fewer' of counts.
    pub fn in_words_of(&self, measure: &Measure) -> Option<Gate> {
        let of = if measure.is_time() { Kind::Time } else { Kind::Count };
        (!self.is_on(measure)).then_some(Gate { of, counted: None, ..*self })
    }

    /// Returns the border of the ratios for which the condition holds.
    pub fn border(&self) -> Border {
        match self.direction {
            Direction::More => Border::Above(1.0 + self.part),
            Direction::Less => Border::Below(1.0 - self.part),
        }
    }

    /// Returns whether the condition holds for the ratio of an entry's time or count to the baseline's.
    pub(crate) fn holds(&self, ratio: Option<&Estimate>) -> Holds {
        let Some(interval) = ratio.and_then(|ratio| ratio.interval) else { return Holds::CannotTell };
        match [interval.low, interval.high].map(|ratio| self.border().is_crossed_by(ratio)) {
            [true, true] => Holds::Yes,
            [false, false] => Holds::No,
            _ => Holds::CannotTell,
        }
    }

    /// Returns the answer for all ratios: yes if it is yes for one, no if it is no for each.
    pub fn holds_for_one<'e>(&self, ratios: impl IntoIterator<Item = Option<&'e Estimate>>) -> Holds {
        ratios.into_iter().map(|ratio| self.holds(ratio)).max().unwrap_or(Holds::CannotTell)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use parcrypt_lab::record::{Failure, FailureKind, Summary};

    use super::*;

    fn estimate(value: f64, low: f64, high: f64) -> Estimate {
        Estimate { value, interval: Some(Interval { low, high }), replicates: 8 }
    }

    #[test]
    fn the_interval_decides() {
        for (low, high, verdict) in [
            (0.8, 0.9, "faster"),
            (1.0001, 1.1, "slower"),
            (1.0, 1.01, "no-difference"),
            (0.96, 1.0, "no-difference"),
            (0.94, 1.01, "cannot-tell"),
            (0.99, 1.06, "cannot-tell"),
        ] {
            let found = Verdict::of(&estimate(1.0, low, high), RESOLUTION);
            assert_eq!(verdict_name(found, &Measure::Time), verdict, "{low} to {high}");
        }
        let none = Verdict::of(&Estimate { value: 9.0, interval: None, replicates: 7 }, RESOLUTION);
        assert_eq!(verdict_name(none, &Measure::Time), "cannot-tell");
    }

    #[test]
    fn conditions_have_three_answers() {
        let holds =
            |text: &str, low, high| text.parse::<Gate>().unwrap().holds(Some(&estimate(1.0, low, high)));
        assert_eq!(holds("slower than 2%", 1.021, 1.03), Holds::Yes);
        assert_eq!(holds("slower than 2 %", 1.01, 1.02), Holds::No);
        assert_eq!(holds("slower than 2", 0.5, 0.6), Holds::No);
        assert_eq!(holds("slower than 2%", 1.019, 1.021), Holds::CannotTell);
        assert_eq!(holds("slower than 0%", 0.99, 1.01), Holds::CannotTell);
        assert_eq!(holds("slower than 0%", 0.9, 1.0), Holds::No);
        assert_eq!(holds("faster than 10%", 0.8, 0.89), Holds::Yes);
        assert_eq!(holds("faster than 10%", 0.91, 1.2), Holds::No);
        assert_eq!(holds("faster than 10%", 0.89, 0.91), Holds::CannotTell);
        assert_eq!("slower than 0.5 %".parse::<Gate>().unwrap().holds(None), Holds::CannotTell);
        for text in [
            "slower",
            "slower than",
            "slower than x%",
            "slower than -1%",
            "quicker than 2%",
            "faster than 100%",
            "slower than 2% memory",
            "more than 2% of it",
        ] {
            assert_eq!(text.parse::<Gate>(), Err(GateError), "{text}");
        }
        assert_eq!("slower than 0.3%".parse::<Gate>().unwrap().to_string(), "slower than 0.3%");
        for text in ["more than 5% memory", "fewer than 1% instructions"] {
            assert_eq!(text.parse::<Gate>().unwrap().to_string(), text);
        }
        let memory: Gate = "less than 5 % memory".parse().unwrap();
        let named = |name: &str| memory.is_on(&Measure::from(name.to_owned()));
        assert_eq!([named(PEAK_MEMORY), named("instructions"), named("time")], [true, false, false]);
        assert_eq!(holds("more than 2%", 1.021, 1.021), Holds::Yes);
        assert_eq!(holds("fewer than 2%", 0.99, 0.99), Holds::No);
        let count = Measure::Count("instructions".to_owned());
        let other = |text: &str, measure: &Measure| {
            text.parse::<Gate>().unwrap().in_words_of(measure).map(|gate| gate.to_string())
        };
        assert_eq!(other("slower than 2%", &count).as_deref(), Some("more than 2%"));
        assert_eq!(other("fewer than 2%", &Measure::OwnTime).as_deref(), Some("faster than 2%"));
        assert_eq!([other("slower than 2%", &Measure::Time), other("more than 2%", &count)], [None, None]);
    }

    pub(crate) fn failure() -> Failure {
        Failure { kind: FailureKind::Crash, why: String::new(), stderr: String::new() }
    }

    /// A case of two commands, the second of which takes `ratio` times as long in each replicate, give or take
    /// `noise`.
    fn case(replicates: usize, ratio: f64, noise: f64) -> Case {
        let entry = |name: &str, value: &dyn Fn(usize) -> f64| {
            let replicates = (0..replicates).map(|i| Summary { value: Some(value(i)), ..Summary::default() });
            Entry {
                candidate: name.to_owned(),
                threads: 1,
                replicates: replicates.collect(),
                ..Entry::default()
            }
        };
        let wobble = |i: usize| 1.0 + noise * ((i % 5) as f64 - 2.0) / 2.0;
        let entries = vec![entry("A", &|_| 100.0), entry("B", &|i| 100.0 * ratio * wobble(i))];
        Case { workload: "command".to_owned(), entries, ..Case::default() }
    }

    /// A record of such a case.
    pub(crate) fn record(replicates: usize, ratio: f64, noise: f64) -> Record {
        let text = r#"{"schema":3,"plan":"p","title":"t","about":"","plan_text":"","command":[],"started":"",
            "took_s":1,"partial":null,"machine":{"processor":"p","arch":"a","cores":0,"memory":0,
            "backends":[],"caches":[],"system":"","virtual_machine":false},"build":{},"questions":[],"cases":[]}"#;
        let mut record: Record = serde_json::from_str(text).unwrap();
        record.cases.push(case(replicates, ratio, noise));
        record
    }

    #[test]
    fn sentences() {
        let sentence = |case: Case| pairs_of(&case)[0].sentence();
        assert_eq!(
            sentence(case(20, 0.877, 0.0)),
            "B is 12.3 % faster than A (99 % interval 12.3 to 12.3 %)"
        );
        assert_eq!(sentence(case(20, 1.25, 0.0)), "B is 25.0 % slower than A (99 % interval 25.0 to 25.0 %)");
        assert_eq!(
            sentence(case(20, 0.25, 0.0)),
            "B is 4.00 times as fast as A (99 % interval 4.00 to 4.00)"
        );
        assert_eq!(
            sentence(case(20, 3.0, 0.0)),
            "B takes 3.00 times as long as A (99 % interval 3.00 to 3.00)"
        );
        let none = sentence(case(20, 1.0, 0.01));
        assert!(none.starts_with("no difference found: B takes from 0."), "{none}");
        let wide = sentence(case(20, 1.0, 0.5));
        assert!(wide.starts_with("cannot tell: B takes from "), "{wide}");
        assert!(
            wide.contains(" % less to ") && wide.ends_with(" % more time than A (99 % interval)"),
            "{wide}"
        );
        let few = sentence(case(7, 2.0, 0.0));
        assert_eq!(
            few,
            "cannot tell after 7 of 8 rounds: B took 2.00 times as long as A in each (equal commands: by chance in 1 of \
             64 runs)"
        );
        let few = sentence(case(3, 1.0, 0.01));
        assert_eq!(few, "cannot tell after 3 of 8 rounds: B took from 1.0 % less to no more time than A");
    }
}

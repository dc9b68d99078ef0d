//! Sentences of a report: which entry is faster, by how much, and with what confidence.

mod machine;
mod run;
mod short;
mod verdict;

pub(crate) use machine::processor;
pub(crate) use run::{busy, circumstances, counted_rounds, method, missing, noise_floor};
pub(crate) use run::{of_build, partial, turns};
pub(crate) use short::{either, machine, means_in_short, skipped_entries};
pub(crate) use verdict::{About, RecordVerdict, alarms, skipped, verdict_of};

use crate::format;
use crate::view::{CaseView, EntryView, RecordView, size, within_noise};
use parcrypt_lab::question::{Answer, Group};
use parcrypt_lab::record::{Case, Measure, Question, Record, Value};
use parcrypt_lab::stats::{
    self, CONFIDENCE, Estimate, Interval, LEAST_ROUNDS, MeanRatio, RESOLUTION, Verdict,
};

/// Returns the confidence, such as `99 %`.
pub(crate) fn confidence() -> String {
    format!("{:.0} %", 100.0 * CONFIDENCE)
}

/// Returns the heading of the column for the quantity that a case compares.
pub(crate) fn column(measure: &Measure) -> String {
    match measure {
        Measure::Time => "median time".to_string(),
        Measure::OwnTime => "median time by its own clock".to_string(),
        Measure::Count(name) => format::counted_name(name),
    }
}

/// Returns the name of the count that a case compares; `None` if it compares time.
pub(crate) fn count_name(measure: &Measure) -> Option<String> {
    match measure {
        Measure::Time | Measure::OwnTime => None,
        Measure::Count(name) => Some(format::counted_name(name)),
    }
}

/// Returns the axis for the quantity that a case compares: its title, and the format of its values.
pub(crate) fn axis(measure: &Measure) -> (String, fn(f64) -> String) {
    match measure {
        Measure::Time => ("time of one iteration".to_string(), crate::figures::drawing::short_time),
        Measure::OwnTime => {
            ("time of one iteration by its own clock".to_string(), crate::figures::drawing::short_time)
        }
        Measure::Count(name) => (format::counted_name(name), |value| format::count("", value)),
    }
}

/// Returns `times as fast as`, or the corresponding words for a count.
pub(crate) fn times_as(measure: &Measure) -> &'static str {
    if measure.is_time() { "times as fast as" } else { "times as few as" }
}

/// Returns a value with its unit.
pub(crate) fn value(measure: &Measure, value: f64) -> String {
    match measure {
        Measure::Time | Measure::OwnTime => format::nanoseconds(value),
        Measure::Count(name) => format::count(name, value),
    }
}

/// Returns the sentence above the table of phases.
pub(crate) fn phases(measure: &Measure) -> String {
    match measure {
        Measure::Time | Measure::OwnTime => "Where the time goes, and its share of the whole:".to_string(),
        Measure::Count(name) => {
            format!("Where the {} are, and their share of the whole:", format::counted_name(name))
        }
    }
}

/// Sentence above the table of times before the measured work.
pub(crate) const BEFORE: &str = "Before the measured work, once for each process:";

/// Note on how to read a count.
pub(crate) const COUNTED: &str =
    "These are counts, not times: they do not say how long a processor takes for what was counted.";

/// A figure in words, with its interval apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct InWords {
    /// The figure, such as `1.97× as fast`.
    pub(crate) what: String,
    /// The interval, such as `[1.94, 2.00]`; may be empty.
    pub(crate) bounds: String,
}

impl std::fmt::Display for InWords {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let space = if self.bounds.is_empty() { "" } else { " " };
        write!(f, "{}{space}{}", self.what, self.bounds)
    }
}

/// Returns the inverse of a ratio of times, a speed, with its interval, such as `3.41× [3.20, 3.66]`.
pub(crate) fn times(ratio: &Estimate) -> InWords {
    let speed = ratio.inverse();
    let words = |factor: String, bounds| InWords { what: format!("{factor}×"), bounds };
    match speed.interval {
        None => words(format::factor(speed.value), String::new()),
        Some(known) if known.low == known.high => words(format::known_factor(speed.value), String::new()),
        Some(interval) => {
            let (low, high) = format::factor_bounds(speed.value, interval);
            words(format::factor(speed.value), format!("[{low}, {high}]"))
        }
    }
}

/// Returns a ratio to the baseline for a table: `1.97× as fast [1.94, 2.00]`, or 'no difference found'.
pub(crate) fn against(measure: &Measure, ratio: &Estimate, floor: Option<f64>) -> InWords {
    let words = |what: String, bounds: String| InWords { what, bounds };
    if is_exact(measure, ratio) {
        let word = if ratio.value < 1.0 { "fewer" } else { "more" };
        let what = match ratio.value {
            1.0 => "the same".to_string(),
            near if is_near(near) => format!("{} {word}", format::percent(near - 1.0)),
            value => format!("{}× {word}", format::factor(value.max(value.recip()))),
        };
        return words(what, String::new());
    }
    let (better, worse) = if measure.is_time() { ("as fast", "the time") } else { ("fewer", "more") };
    let verdict = Verdict::of(ratio, RESOLUTION);
    let shown = if matches!(verdict, Verdict::Slower) { *ratio } else { ratio.inverse() };
    let bounds = shown.interval.map(|i| format::factor_bounds(shown.value, i));
    let bounds = bounds.map_or(String::new(), |(low, high)| format!("[{low}, {high}]"));
    let value = format::factor(shown.value);
    let noise = if within_noise(ratio, floor) { ", within noise" } else { "" };
    match verdict {
        Verdict::Faster => words(format!("{value}× {better}"), bounds + noise),
        Verdict::Slower => words(format!("{value}× {worse}"), bounds + noise),
        Verdict::Same => words("no difference found".to_string(), bounds),
        Verdict::Open if ratio.interval.is_none() => {
            words(format!("{value}×, too few rounds"), String::new())
        }
        Verdict::Open => words("cannot tell".to_string(), bounds),
    }
}

/// Returns whether a ratio is of two counts that were the same in all rounds, and so without an error.
fn is_exact(measure: &Measure, ratio: &Estimate) -> bool {
    !measure.is_time() && ratio.interval.is_some_and(|interval| interval.low == interval.high)
}

/// Returns whether a factor is so near to 1 that percents say more.
fn is_near(factor: f64) -> bool {
    (factor - 1.0).abs() < 0.02
}

/// A ratio in percent of time, or of a count.
pub(crate) struct Change {
    /// The change, such as `14.2 % less time`.
    pub(crate) what: String,
    /// Its interval, such as `13.8 to 14.6 %`, or why there is none.
    pub(crate) range: String,
    pub(crate) has_interval: bool,
    /// Text after the interval if the change is within the noise floor; empty elsewhere.
    pub(crate) noise: &'static str,
}

impl Change {
    /// Returns the interval with its confidence, or why there is none.
    pub(crate) fn sure(&self) -> String {
        match self.has_interval {
            true => format!("{} interval {}", confidence(), self.range),
            false => self.range.clone(),
        }
    }

    /// Returns the change for a table, with its interval apart.
    pub(crate) fn in_words(&self) -> InWords {
        let bounds =
            if self.has_interval { format!("[{}]", self.range) } else { format!("({})", self.range) };
        InWords { what: self.what.clone(), bounds: bounds + self.noise }
    }
}

/// Returns a ratio in percent of time, or of a count.
pub(crate) fn change(measure: &Measure, ratio: &Estimate, floor: Option<f64>) -> Change {
    let (less, what) = match measure {
        Measure::Time => ("less", "time".to_string()),
        Measure::OwnTime => ("less", "time by its own clock".to_string()),
        Measure::Count(name) => ("fewer", format::counted_name(name)),
    };
    let change = ratio.value - 1.0;
    // As everywhere, a time of half or less is said as a speed, so that one fact has one form.
    let is_speed = measure.is_time() && ratio.value <= 0.5;
    let own = if *measure == Measure::OwnTime { " by its own clock" } else { "" };
    let words = match change {
        _ if is_speed => format!("{} times as fast{own}", format::factor(ratio.value.recip())),
        c if c >= 1.0 => format!("{} times the {what}", format::factor(ratio.value)),
        c if c >= 0.0 => format!("{} more {what}", format::percent(c)),
        c => format!("{} {less} {what}", format::percent(c)),
    };
    let factors = |value: f64, i: Interval| {
        let (low, high) = format::factor_bounds(value, i);
        format!("{low} to {high}")
    };
    let range = |i: Interval| match change {
        _ if is_speed => factors(ratio.value.recip(), Interval { low: 1.0 / i.high, high: 1.0 / i.low }),
        c if c >= 1.0 => factors(ratio.value, i),
        _ => format::percents(change, i.low - 1.0, i.high - 1.0),
    };
    let noise = if within_noise(ratio, floor) { ", within the noise floor" } else { "" };
    if is_exact(measure, ratio) {
        let words = if change == 0.0 { format!("no difference in {what}") } else { words };
        return Change {
            what: words,
            range: "the same in all rounds".into(),
            has_interval: false,
            noise: "",
        };
    }
    let (what, range) = match (Verdict::of(ratio, RESOLUTION), ratio.interval) {
        (verdict @ (Verdict::Same | Verdict::Open), Some(i)) => {
            let most = format::percent((i.high - 1.0).max(0.0));
            let least = format::percent((i.low - 1.0).min(0.0));
            let found = if verdict == Verdict::Same { "no difference found" } else { "cannot tell" };
            (found.to_string(), format!("{most} more to {least} {less} {what}"))
        }
        (_, Some(i)) => (words, range(i)),
        (_, None) => (words, "too few rounds for an interval".to_string()),
    };
    Change { what, range, has_interval: ratio.interval.is_some(), noise }
}

/// Sentence on the fastest entry of a case.
#[derive(Clone, Debug)]
pub(crate) struct Headline {
    /// Text before the name.
    pub(crate) before: &'static str,
    /// Name of the fastest entry, if there is one.
    pub(crate) name: String,
    /// Text after the name: the factor, its confidence, and the entries that are as fast.
    pub(crate) after: String,
    /// The fastest entry, then those that are not shown to be slower; empty if no two were compared with an
    /// interval.
    pub(crate) fastest: Vec<String>,
}

impl std::fmt::Display for Headline {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}{}", self.before, self.name, self.after)
    }
}

/// Returns the sentence on the first and the last of a sequence of steps; `entries` are in the order of its steps.
pub(crate) fn steps(case: &Case, entries: &[EntryView<'_>]) -> Headline {
    let steps: Vec<&EntryView<'_>> = entries.iter().filter(|entry| entry.competes()).collect();
    let (Some(first), Some(last)) = (steps.first(), steps.last()) else { return no_result() };
    let what = |entry: &EntryView<'_>| entry.value.map_or(String::new(), |v| value(&case.measure, v.value));
    let many = format::counted(steps.len().saturating_sub(1), "step");
    let times = stats::ratio(case, first.entry, last.entry)
        .map(|r| format!(": {} {} the first, in {many}", format::factor(r.value), times_as(&case.measure)));
    let unit = if case.measure.is_time() { String::new() } else { format!(" {}", column(&case.measure)) };
    let after =
        format!(", {}{unit}, from {}, {}{}.", what(last), first.name, what(first), times.unwrap_or_default());
    Headline { before: "The last step is ", name: last.name.clone(), after, fastest: vec![last.name.clone()] }
}

fn no_result() -> Headline {
    let after = "No result: every entry failed, was skipped or was not measured.".to_string();
    Headline { before: "", name: String::new(), after, fastest: vec![] }
}

/// Returns the sentence on the best entry; `entries` are sorted from the best to the worst.
pub(crate) fn headline(
    case: &Case,
    entries: &[EntryView<'_>],
    baseline: &str,
    floor: Option<f64>,
) -> Headline {
    let measure = &case.measure;
    let competitors: Vec<&EntryView<'_>> = entries.iter().filter(|entry| entry.competes()).collect();
    let (first, others) = match competitors.split_first() {
        None => return no_result(),
        Some((only, [])) => {
            let time = only.value.map_or(String::new(), |t| value(measure, t.value));
            let after = format!(" has a result, {time}: nothing to compare it with.");
            return Headline { before: "Only ", name: only.name.clone(), after, fastest: vec![] };
        }
        Some((first, others)) => (*first, others),
    };
    let least = if measure.is_time() { "Least time: " } else { "Least: " };
    // Ratios of the others to the first, paired like all ratios.
    let rivals: Vec<(&EntryView<'_>, Option<Estimate>)> =
        others.iter().map(|other| (*other, stats::ratio(case, other.entry, first.entry))).collect();
    let unsure = |estimate: &Option<Estimate>| estimate.is_none_or(|e| e.interval.is_none());
    if rivals.iter().all(|(_, estimate)| unsure(estimate)) {
        let how = match (&first.ratio, first.is_baseline) {
            (Some(r), _) => {
                format!(", {} {} {baseline}", format::factor(1.0 / r.value), times_as(measure))
            }
            (None, true) => ", the baseline".to_string(),
            (None, false) => String::new(),
        };
        let rounds = first.entry.rounds_done();
        let before = if measure.is_time() { "Fastest so far: " } else { least };
        let after = format!("{how} ({rounds} of the {LEAST_ROUNDS} rounds that an interval needs).");
        return Headline { before, name: first.name.clone(), after, fastest: vec![] };
    }
    let named = |of: &dyn Fn(Option<Verdict>, bool) -> bool| -> Vec<String> {
        let said = |estimate: &Option<Estimate>| {
            let is_same = estimate.is_some_and(|e| is_exact(measure, &e) && e.value == 1.0);
            of(estimate.map(|e| Verdict::of(&e, RESOLUTION)), is_same)
        };
        rivals.iter().filter(|(_, e)| said(e)).map(|(entry, _)| entry.name.clone()).collect()
    };
    let same = named(&|_, is_same| is_same);
    let equal = named(&|verdict, is_same| verdict == Some(Verdict::Same) && !is_same);
    let unknown = named(&|verdict, _| matches!(verdict, None | Some(Verdict::Open)));
    let ties = [&same[..], &equal, &unknown].concat();
    let how = match &first.ratio {
        _ if first.is_baseline => ", the baseline".to_string(),
        None => {
            let time = first.value.map_or(String::new(), |t| value(measure, t.value));
            format!(", {time}; the baseline, {baseline}, has no result to compare it with")
        }
        // A factor would read as a difference.
        Some(_) if ties.iter().any(|tie| tie == baseline) => String::new(),
        Some(ratio) => as_fast(measure, ratio, baseline, floor),
    };
    let next = rivals.iter().find(|(entry, _)| !ties.contains(&entry.name));
    let after = match (ties.as_slice(), next) {
        ([], Some((next, Some(estimate)))) if first.is_baseline => {
            let change = change(measure, estimate, floor);
            format!("{how}. Next: {}, {} ({}){}.", next.name, change.what, change.sure(), change.noise)
        }
        ([], _) => format!("{how}."),
        _ => {
            let sentence = |what: &str, names: &[String]| match names {
                [] => String::new(),
                names => format!(" {what} {}.", format::listed(names)),
            };
            let same = sentence("The same:", &same);
            let equal = sentence("No difference found between it and", &equal);
            format!("{how}.{same}{equal}{}", sentence("Cannot tell it from", &unknown))
        }
    };
    let before = match (ties.iter().any(|tie| tie == baseline), measure) {
        (true, Measure::Time | Measure::OwnTime) => {
            "Nothing found that is faster than the baseline. Least time: "
        }
        (false, Measure::Time | Measure::OwnTime) => "Fastest: ",
        (_, Measure::Count(_)) => least,
    };
    let fastest = std::iter::once(first.name.clone()).chain(ties).collect();
    Headline { before, name: first.name.clone(), after, fastest }
}

/// Returns `, 1.97 times as fast as serial (99 % interval 1.94 to 2.00)`.
fn as_fast(measure: &Measure, ratio: &Estimate, baseline: &str, floor: Option<f64>) -> String {
    let speed = ratio.inverse();
    let value = format::factor(speed.value);
    let noise = if within_noise(ratio, floor) { ", within the noise floor" } else { "" };
    let interval = speed.interval.map_or("too few rounds for an interval".to_string(), |i| {
        let (low, high) = format::factor_bounds(speed.value, i);
        format!("{} interval {low} to {high}", confidence())
    });
    if is_exact(measure, ratio) {
        return match is_near(ratio.value) {
            true => format!(", {} than {baseline}", change(measure, ratio, floor).what),
            false => format!(", {value} {} {baseline}", times_as(measure)),
        };
    }
    format!(", {value} {} {baseline} ({interval}){noise}", times_as(measure))
}

/// Returns the sentence above the table of means, which may have rates.
pub(crate) fn means(rates: bool) -> String {
    let rates = match rates {
        true => ", and of the throughput in bytes of input per second, over the cases that have one",
        false => "",
    };
    format!(
        "Geometric means over the timed cases, taken within each round: of the time relative to the named baseline, over \
         the cases with this baseline{rates}."
    )
}

/// Returns the mean of the times against the baselines, such as `1.002× the time [1.001, 1.004], 8 cases`.
pub(crate) fn mean_against(mean: &MeanRatio, floor: Option<f64>) -> InWords {
    over(against(&Measure::Time, &mean.ratio, floor), mean.pairs)
}

/// Returns the mean throughput, such as `8.45 GiB/s [8.41 to 8.49 GiB/s], 5 cases`.
pub(crate) fn mean_rate(mean: &MeanRatio) -> InWords {
    let interval = mean.ratio.interval.map(|i| format!("[{}]", format::rate_interval(mean.ratio.value, i)));
    let what = format::rate(mean.ratio.value);
    over(InWords { what, bounds: interval.unwrap_or_default() }, mean.pairs)
}

/// Returns a mean with the number of its cases.
fn over(words: InWords, cases: usize) -> InWords {
    let cases = format::counted(cases, "case");
    let bounds =
        if words.bounds.is_empty() { format!("({cases})") } else { format!("{}, {cases}", words.bounds) };
    InWords { what: words.what, bounds }
}

/// Returns the two sides of a question, such as `runtime openmp against rayon`.
pub(crate) fn sides(question: &Question) -> String {
    let mut to = question.to.iter();
    let mut from = question.from.iter();
    if let (Some((key, to)), None, Some((other, from)), None) =
        (to.next(), to.next(), from.next(), from.next())
        && key == other
    {
        return format!("{key} {} against {}", quoted(to), quoted(from));
    }
    let side = |labels: &std::collections::BTreeMap<String, String>| {
        let all: Vec<String> = labels.iter().map(|(k, v)| format!("{k} {}", quoted(v))).collect();
        if all.is_empty() { "any".to_string() } else { all.join(", ") }
    };
    format!("{} against {}", side(&question.to), side(&question.from))
}

/// Returns a value of a list, in quotation marks if it has a comma itself.
fn quoted(value: &str) -> String {
    if value.contains(',') { format!("'{value}'") } else { value.to_string() }
}

/// The answer to a question in words, in parts.
pub(crate) struct AnswerWords {
    /// What was compared, such as `runtime openmp against rayon where threads=2`.
    pub(crate) sides: String,
    /// The answer.
    pub(crate) change: Change,
    /// Number of pairs and of replicates.
    pub(crate) pairs: String,
    /// What the question claims and whether that is kept, in a sentence; may be empty.
    pub(crate) claim: String,
}

/// Returns the answer to a question in words, next to the noise floor of what it compares; `None` if no pair was
/// measured.
pub(crate) fn answer_words(question: &Question, answer: &Answer, floor: Option<f64>) -> Option<AnswerWords> {
    let mean = answer.overall.as_ref()?;
    let change = change(&answer.measure, &mean.ratio, floor);
    let kept = question.at_most.zip(answer.claim);
    let how = if is_exact(&answer.measure, &mean.ratio) { "" } else { " by the whole interval" };
    let claim =
        kept.map_or(String::new(), |(most, claim)| claimed(&answer.measure, most, (claim, &mean.ratio), how));
    let pairs = pairs(mean, answer.pairs);
    Some(AnswerWords { sides: compared(question), change, pairs, claim })
}

/// Returns the two sides of a question and the entries it is restricted to.
fn compared(question: &Question) -> String {
    let only = match question.only.as_slice() {
        [] => String::new(),
        only => format!(" where {}", only.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ")),
    };
    sides(question) + &only
}

/// Returns the answer to a question in a sentence.
pub(crate) fn answer(question: &Question, answer: &Answer, floor: Option<f64>) -> String {
    match answer_words(question, answer, floor) {
        Some(AnswerWords { sides, change: Change { what, range, noise, .. }, pairs, claim }) => {
            let space = if claim.is_empty() { "" } else { " " };
            format!("With all else equal, {sides}: {what} ({range}; {pairs}){noise}.{space}{claim}")
        }
        None => unanswered(question, answer),
    }
}

/// Returns why a question without a measured pair has no answer, in a sentence.
pub(crate) fn unanswered(question: &Question, answer: &Answer) -> String {
    let sides = compared(question);
    match answer.pairs {
        0 => format!("No two entries are equal in all but {sides}, so the question has no answer."),
        _ => format!("No pair of {sides} was measured, so the question has no answer."),
    }
}

/// Returns what a question claims and whether that is kept, in a sentence, and `how`.
fn claimed(measure: &Measure, most: f64, (claim, ratio): (Verdict, &Estimate), how: &str) -> String {
    let verdict = match claim {
        Verdict::Open if ratio.interval.is_none() => "it takes more rounds to say".to_string(),
        Verdict::Same | Verdict::Faster => format!("kept{how}"),
        Verdict::Slower => format!("broken{how}"),
        Verdict::Open => "the interval is too wide to say".to_string(),
    };
    format!("Claimed: {}; {verdict}.", bound(measure, most))
}

/// Returns the bound that a question claims, such as `at most 5.0 % more time` or `no more time`.
pub(crate) fn bound(measure: &Measure, most: f64) -> String {
    let known = Estimate { value: most, interval: None, replicates: 0 };
    // Less is better, so a fraction of it is a least gain.
    let what = change(measure, &known, None).what;
    match what.split_once(" % ").filter(|_| most == 1.0) {
        Some((_, more)) => format!("no {more}"),
        None if most < 1.0 => format!("at least {what}"),
        None => format!("at most {what}"),
    }
}

/// Returns the number of pairs of a mean and of their replicates, such as `12 of 14 pairs of 8 replicates`.
fn pairs(mean: &MeanRatio, asked: usize) -> String {
    let pairs = match mean.pairs {
        measured if measured < asked => format!("{measured} of {}", format::counted(asked, "pair")),
        measured => format::counted(measured, "pair"),
    };
    format!("{pairs} of {}", format::counted(mean.ratio.replicates, "replicate"))
}

/// Returns the answer for those pairs that share a value, such as `decomposition layers: 14.2 % less time (13.8 to 14.6
/// %; …)`.
pub(crate) fn group(measure: &Measure, group: &Group, floor: Option<f64>) -> String {
    let Change { what, range, noise, .. } = change(measure, &group.mean.ratio, floor);
    let pairs = pairs(&group.mean, group.mean.pairs);
    format!("{}: {what} ({range}; {pairs}){noise}", group_name(group))
}

/// Returns the value that the pairs of a group share, such as `scale 7`.
pub(crate) fn group_name(group: &Group) -> String {
    match group.key.as_str() {
        "threads" => format::counted(group.value.parse().unwrap_or(0), "thread"),
        "workload" => group.value.clone(),
        key => match group.value.parse() {
            Ok(number) => size(key, &Value::Number(number)),
            Err(_) => format!("{key} {}", group.value),
        },
    }
}

/// Returns the number of questions of the plan that no entries of the record answer; `None` if there are none.
pub(crate) fn unasked(view: &RecordView<'_>) -> Option<String> {
    let left = view.answers.len() - view.asked().len();
    let others = format::counted(left, "other question");
    (left > 0).then(|| format!("The plan has {others}, of entries that are not in this record."))
}

/// Returns whether outputs agreed, the noise floor, and what is not decided, for the end of a case.
pub(crate) fn end_of_case(case: &CaseView<'_>) -> String {
    let floor = case.floor.map(|floor| format!(" Noise floor {}.", format::percent(floor)));
    let more = undecided(case).map(|more| format!(" {more}")).unwrap_or_default();
    case.agreement() + &floor.unwrap_or_default() + &more
}

/// Returns how much more time would decide between those entries and the baseline for which it cannot be told, if
/// the estimates are right, in a sentence; `None` if all are decided, or close to 1.
pub(crate) fn undecided(case: &CaseView<'_>) -> Option<String> {
    let spent = case.case.cost?.rounds_ns as f64 / 1e9;
    let more = |entry: &EntryView<'_>| {
        let ratio = entry.ratio.as_ref()?;
        let growth = stats::growth_to_decide(ratio)?;
        let is_open = Verdict::of(ratio, RESOLUTION) == Verdict::Open && ratio.interval.is_some();
        is_open.then(|| format!("{}: {}", entry.name, format::seconds(spent * (growth - 1.0))))
    };
    let open: Vec<String> = case.entries.iter().filter(|entry| entry.competes()).filter_map(more).collect();
    (!open.is_empty())
        .then(|| format!("Undecided; estimated further time needed: {}.", format::listed(&open)))
}

/// Returns the paragraphs of a text, each on one line.
pub(crate) fn paragraphs(text: &str) -> Vec<String> {
    let joined = |paragraph: &str| paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
    text.split("\n\n").map(joined).filter(|paragraph| !paragraph.is_empty()).collect()
}

/// Returns whether the command of a record read a plan, so that the same command may do another thing later.
pub(crate) fn reads_a_plan(record: &Record) -> bool {
    !record.plan_text.is_empty() && record.command.get(1).is_some_and(|word| word == "bench")
}

/// Sentence for a record without cases.
pub(crate) const NO_CASES: &str = "The record holds no cases: nothing was measured.";

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(low: f64, value: f64, high: f64) -> Estimate {
        Estimate { value, interval: Some(Interval { low, high }), replicates: 20 }
    }

    #[test]
    fn ratios_in_a_table() {
        let none = estimate(0.99, 1.001, 1.012);
        assert_eq!(against(&Measure::Time, &none, None).to_string(), "no difference found [0.9881, 1.0101]");
        assert_eq!(
            against(&Measure::Time, &estimate(0.49, 0.5, 0.51), None).to_string(),
            "2.00× as fast [1.96, 2.04]"
        );
        assert_eq!(
            against(&Measure::Time, &estimate(1.2, 1.25, 1.3), Some(0.02)).to_string(),
            "1.25× the time [1.20, 1.30]"
        );
        assert_eq!(
            against(&Measure::Time, &estimate(1.005, 1.01, 1.015), Some(0.02)).to_string(),
            "1.0100× the time [1.0050, 1.0150], within noise"
        );
        let few = Estimate { interval: None, ..none };
        assert_eq!(against(&Measure::Time, &few, Some(0.02)).to_string(), "0.9990×, too few rounds");
    }

    #[test]
    fn changes_of_time() {
        let say = |estimate| {
            let change = change(&Measure::Time, &estimate, Some(0.05));
            format!("{} ({}){}", change.what, change.range, change.noise)
        };
        assert_eq!(say(estimate(0.854, 0.858, 0.862)), "14.2 % less time (13.8 to 14.6 %)");
        assert_eq!(
            say(estimate(1.02, 1.031, 1.04)),
            "3.1 % more time (2.0 to 4.0 %), within the noise floor"
        );
        assert_eq!(say(estimate(2.4, 2.5, 2.6)), "2.50 times the time (2.40 to 2.60)");
        assert_eq!(
            say(estimate(0.991, 0.998, 1.003)),
            "no difference found (0.30 % more to 0.90 % less time)"
        );
    }

    #[test]
    fn changes_of_counts_that_are_known() {
        let measure = Measure::Count("instructions".into());
        let known = |value| estimate(value, value, value);
        let say = |value| change(&measure, &known(value), None).in_words().to_string();
        assert_eq!(say(1.0), "no difference in instructions (the same in all rounds)");
        assert_eq!(say(1.0 - 1.4e-6), "0.00014 % fewer instructions (the same in all rounds)");
        let table =
            [1.0, 1.0 - 2.2e-5, 1.001, 0.5, 3.0].map(|of| against(&measure, &known(of), None).to_string());
        assert_eq!(table, ["the same", "0.0022 % fewer", "0.10 % more", "2.00× fewer", "3.00× more"]);
        assert_eq!(as_fast(&measure, &known(0.999), "a", None), ", 0.10 % fewer instructions than a");
        assert_eq!(as_fast(&measure, &known(0.5), "a", None), ", 2.00 times as few as a");
        // Without an interval nothing is known, and the number of replicates is said elsewhere.
        let few = Estimate { interval: None, replicates: 2, ..known(0.9) };
        assert_eq!(
            change(&measure, &few, None).in_words().to_string(),
            "10.0 % fewer instructions (too few rounds for an interval)"
        );
    }

    #[test]
    fn sides_of_questions() {
        let map = |of: &[(&str, &str)]| of.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
        let asked = |from: &[(&str, &str)], to: &[(&str, &str)]| {
            sides(&Question { ask: "?".into(), from: map(from), to: map(to), only: vec![], at_most: None })
        };
        assert_eq!(
            asked(&[("candidate", "mpi, 2 threads"), ("threads", "1")], &[("candidate", "mpi")]),
            "candidate mpi against candidate 'mpi, 2 threads', threads 1"
        );
        assert_eq!(asked(&[("name", "a, b")], &[("name", "c d")]), "name c d against 'a, b'");
    }
}

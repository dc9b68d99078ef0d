//! The words for a ratio, which are those of every format: 'B is 12.3 % faster than A' says that B takes 12.3 % less
//! time than A. Counts have words of their own: 'B executes 3.2 % fewer instructions than A'.

use parcrypt_lab::record::Measure;
use parcrypt_lab::stats::{CONFIDENCE, Estimate, Interval, RESOLUTION, Verdict};

use crate::format;

/// A ratio of times or counts, with all that its words depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ratio<'a> {
    /// Value of one side over the value of the other, which is the baseline.
    pub(crate) estimate: Estimate,
    /// What was compared.
    pub(crate) measure: &'a Measure,
    /// The verdict, corrected for the number of rows.
    pub(crate) verdict: Verdict,
    /// Noise floor of what was compared.
    pub(crate) floor: Option<f64>,
    /// Number of rounds that it has, and that an interval takes.
    pub(crate) rounds: [usize; 2],
}

/// Length of the words.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Length<'a> {
    /// For a cell of a table: `-12.3 %` and `[-12.7, -11.9]`.
    Cell,
    /// For an answer: `12.3 % less time` and `[11.9 to 12.7 %]`.
    Clause,
    /// With the names of both sides: `B is 12.3 % faster than A` and `(99 % interval 11.9 to 12.7 %)`.
    Sentence(&'a str, &'a str),
}

/// What is said of a comparison that has none.
pub(crate) const NO_WINNER: &str = "no clear winner";

/// Returns the confidence, such as `99 %`.
pub(crate) fn confidence() -> String {
    format!("{:.0} %", 100.0 * CONFIDENCE)
}

/// How a ratio is said: a part of the baseline's, or if it is far from 1 a factor of it, or of its speed.
enum Scale {
    Part,
    Times,
    Speed,
}

/// Words for what was compared.
struct Nouns {
    less: &'static str,
    many: &'static str,
    does: &'static str,
    what: String,
    clock: &'static str,
}

impl Nouns {
    fn new(measure: &Measure) -> Self {
        let of = |less, many, does, what, clock| Nouns { less, many, does, what, clock };
        match measure {
            Measure::Time => of("less", "long", "takes", "time".to_owned(), ""),
            Measure::OwnTime => of("less", "long", "takes", "time".to_owned(), " by their own clocks"),
            Measure::Count(name) => match (name.as_str(), format::counted_name(name)) {
                ("instructions", what) => of("fewer", "many", "executes", what, ""),
                (name, what) if name.ends_with("-bytes") => of("less", "much", "uses", what, ""),
                (name, what) if name.ends_with("-ns") => of("less", "much", "takes", what, ""),
                (_, what) => of("fewer", "many", "has", what, ""),
            },
        }
    }
}

impl<'a> Ratio<'a> {
    /// Returns a ratio with the verdict that it has as the only one of a comparison.
    pub(crate) fn new(
        estimate: Estimate,
        measure: &'a Measure,
        floor: Option<f64>,
        rounds: [usize; 2],
    ) -> Self {
        Ratio { estimate, measure, verdict: Verdict::of(&estimate, RESOLUTION), floor, rounds }
    }

    /// Returns whether both counts were the same in all rounds, or the programs are identical, so that the ratio is
    /// known.
    pub(crate) fn is_exact(&self) -> bool {
        let is_known = !self.measure.is_time() || self.estimate.value == 1.0;
        is_known && self.estimate.interval.is_some_and(|of| of.low == of.high)
    }

    /// Returns whether no difference is shown by an interval. One that excludes 1 may wait for its correction.
    fn is_undecided(&self, of: Interval) -> bool {
        self.verdict == Verdict::Same || self.verdict == Verdict::Open && of.holds(1.0)
    }

    fn scale(&self) -> Scale {
        match self.estimate.value {
            far if far >= 2.0 => Scale::Times,
            near if near <= 0.5 && self.measure.is_time() => Scale::Speed,
            _ => Scale::Part,
        }
    }

    /// Returns both ends of the interval, the smaller change first.
    fn range(&self, of: Interval) -> String {
        let value = self.estimate.value;
        match self.scale() {
            Scale::Part => format::percents(value - 1.0, of.low - 1.0, of.high - 1.0),
            Scale::Times => format::factors(value, of),
            Scale::Speed => {
                format::factors(value.recip(), Interval { low: of.high.recip(), high: of.low.recip() })
            }
        }
    }

    /// Returns the range of changes of an interval that contains none, such as `0.9 % less to 0.3 % more time`.
    fn both_ways(&self, of: Interval, nouns: &Nouns) -> String {
        let part = |ratio: f64| match ratio - 1.0 {
            part if part < 0.0 => format!("{} {}", format::percent(part), nouns.less),
            part => format!("{} more", format::percent(part)),
        };
        format!("{} to {} {}", part(of.low), part(of.high), nouns.what)
    }

    /// Returns the ratio in words, and its interval or why it has none.
    pub(crate) fn say(&self, length: Length<'_>) -> [String; 2] {
        let nouns = Nouns::new(self.measure);
        let text = match length {
            Length::Cell => self.cell(&nouns),
            Length::Clause => self.clause(&nouns),
            Length::Sentence(b, a) => self.sentence(&nouns, b, a),
        };
        [text, self.bounds(length, &nouns)]
    }

    /// Returns the ratio in one sentence, of which the second part is the answer, and those that are not shown to be
    /// worse than `b` in another.
    pub(crate) fn verdict(&self, b: &str, a: &str, ties: &[String]) -> [String; 3] {
        let [said, bounds] = self.say(Length::Sentence(b, a));
        let ties = match ties {
            [] => String::new(),
            ties => format!(" No clear winner between it and {}.", format::listed(ties)),
        };
        let bounds = if bounds.is_empty() { bounds } else { format!(" {bounds}") };
        [String::new(), said, format!("{bounds}.{ties}")]
    }

    fn bounds(&self, length: Length<'_>, nouns: &Nouns) -> String {
        let is_cell = matches!(length, Length::Cell);
        let Some(of) = self.estimate.interval else {
            let [done, needs] = self.rounds;
            let rounds = format!("{} of {needs} rounds", done.min(needs));
            return if is_cell { rounds } else { format!("({rounds})") };
        };
        if self.is_exact() {
            let said = if is_cell || self.measure.is_time() { "" } else { "(the same in all rounds)" };
            return said.to_owned();
        }
        let is_within = |floor: f64| self.estimate.value.ln().abs() <= floor.ln_1p();
        let noise = match self.verdict.is_change() && self.floor.is_some_and(is_within) {
            true if is_cell => ", within noise",
            true => ", within the noise floor",
            false => "",
        };
        let range = match (length, self.scale()) {
            (Length::Cell, Scale::Part) => format::signed_percents(self.estimate.value, Some(of)).1,
            (Length::Cell, _) => self.range(of).replace(" to ", ", "),
            (Length::Clause, _) if self.is_undecided(of) => self.both_ways(of, nouns),
            (Length::Sentence(..), _) if self.is_undecided(of) => String::new(),
            _ => self.range(of),
        };
        match length {
            Length::Sentence(..) => {
                format!("({}){noise}", format!("{} interval {range}", confidence()).trim_end())
            }
            _ => format!("[{range}]{noise}"),
        }
    }

    fn cell(&self, nouns: &Nouns) -> String {
        let value = self.estimate.value;
        let times = if self.measure.is_time() { "the time".to_owned() } else { format!("as {}", nouns.many) };
        match self.scale() {
            Scale::Part if self.is_exact() && value == 1.0 => "the same".to_owned(),
            Scale::Part => {
                let varies = self.estimate.interval.filter(|_| !self.is_exact());
                format!("{} %", format::signed_percents(value, varies).0)
            }
            Scale::Times => format!("{}× {times}", format::factor(value)),
            Scale::Speed => format!("{}× as fast", format::factor(value.recip())),
        }
    }

    fn clause(&self, nouns: &Nouns) -> String {
        let Nouns { what, less, clock, .. } = nouns;
        let value = self.estimate.value;
        match (self.verdict, self.estimate.interval, self.scale()) {
            (Verdict::Same, Some(_), _) if self.is_exact() => format!("no difference in {what}"),
            (Verdict::Same, Some(_), _) => "no difference found".to_owned(),
            (Verdict::Open, Some(of), _) if of.holds(1.0) => NO_WINNER.to_owned(),
            (.., Scale::Part) => {
                let word = if value < 1.0 { less } else { "more" };
                format!("{} {word} {what}{clock}", format::percent(value - 1.0))
            }
            (.., Scale::Times) => format!("{} times the {what}{clock}", format::factor(value)),
            (.., Scale::Speed) => format!("{} times as fast{clock}", format::factor(value.recip())),
        }
    }

    fn sentence(&self, nouns: &Nouns, b: &str, a: &str) -> String {
        let Nouns { less, many, does, what, clock } = nouns;
        let (value, is_time) = (self.estimate.value, self.measure.is_time());
        let as_much = if is_time { (*many).to_owned() } else { format!("{many} {what}") };
        if self.verdict == Verdict::Same && self.is_exact() {
            let same = match self.measure {
                Measure::Time => "is the same program as".to_owned(),
                _ => format!("{does} as {as_much} as"),
            };
            return format!("No difference: {b} {same} {a}");
        }
        if let Some(of) = self.estimate.interval.filter(|of| self.is_undecided(*of)) {
            let found = if self.verdict == Verdict::Same { "No difference found" } else { "No clear winner" };
            return format!("{found}: {b} {does} from {} than {a}{clock}", self.both_ways(of, nouns));
        }
        let part = format::percent(value - 1.0);
        let said = match (self.scale(), value < 1.0) {
            (Scale::Speed, _) => format!("is {} times as fast as", format::factor(value.recip())),
            (Scale::Times, _) => format!("{does} {} times as {as_much} as", format::factor(value)),
            (Scale::Part, true) if is_time => format!("is {part} faster than"),
            (Scale::Part, false) if is_time => format!("is {part} slower than"),
            (Scale::Part, true) => format!("{does} {part} {less} {what} than"),
            (Scale::Part, false) => format!("{does} {part} more {what} than"),
        };
        let so_far = if self.verdict == Verdict::Open { "Undecided; so far " } else { "" };
        format!("{so_far}{b} {said} {a}{clock}")
    }
}

/// Returns a verdict in one word.
pub(crate) fn word(verdict: Verdict, measure: &Measure) -> &'static str {
    let nouns = Nouns::new(measure);
    match verdict {
        Verdict::Slower if measure.is_time() => "slower",
        Verdict::Slower => "more",
        Verdict::Faster if measure.is_time() => "faster",
        Verdict::Faster => nouns.less,
        Verdict::Same => "same",
        Verdict::Open => "open",
    }
}

/// Returns how many ratios have each verdict, such as `2 slower, 1 open`; `threshold` is the part up to which a time is
/// the same.
pub(crate) fn tally<'r>(ratios: impl Iterator<Item = &'r Ratio<'r>>, threshold: f64) -> String {
    let mut words: Vec<(&str, usize)> = Vec::new();
    for word in ratios.map(|ratio| word(ratio.verdict, ratio.measure)) {
        match words.iter_mut().find(|(known, _)| *known == word) {
            Some((_, count)) => *count += 1,
            None => words.push((word, 1)),
        }
    }
    let part = |(word, count): (&str, usize)| match word {
        "same" => format!("{count} the same (within {})", format::chosen_percent(threshold)),
        "open" => format!("{count} undecided"),
        word => format!("{count} {word}"),
    };
    words.into_iter().map(part).collect::<Vec<_>>().join(", ")
}

/// Returns the verdict on a baseline that no other beats, given the names of those that are not shown to be worse, and
/// the best of the others with its ratio.
pub(crate) fn unbeaten(name: &str, ties: &[String], next: Option<(&str, Ratio<'_>)>) -> [String; 3] {
    let Some((next, ratio)) = next.filter(|_| ties.is_empty()) else {
        let names: Vec<String> = std::iter::once(name.to_owned()).chain(ties.iter().cloned()).collect();
        let names = format::listed(&names);
        return [String::new(), "No clear winner".to_owned(), format!(" between {names}.")];
    };
    let Nouns { less, does, what, .. } = Nouns::new(ratio.measure);
    let best = match (ratio.measure.is_time(), less) {
        (true, _) => "is the fastest".to_owned(),
        (false, "less") => format!("{does} the least {what}"),
        (false, _) => format!("{does} the fewest {what}"),
    };
    let after = format!(". Next: {}", ratio.verdict(next, name, &[]).concat());
    [String::new(), format!("{name} {best}"), after]
}

/// Returns whether a claim of at most this ratio is kept, in a sentence.
pub(crate) fn claimed(ratio: &Ratio<'_>, most: f64, verdict: Verdict) -> String {
    let known = Estimate { value: most, interval: None, replicates: 0 };
    let [what, _] = Ratio { estimate: known, ..*ratio }.say(Length::Clause);
    let bound = match what.split_once(" % ").filter(|_| most == 1.0) {
        Some((_, more)) => format!("no {more}"),
        // Less is better, so a fraction of it is a minimum gain.
        None if most < 1.0 => format!("at least {what}"),
        None => format!("at most {what}"),
    };
    let how = if ratio.is_exact() { "" } else { " by the whole interval" };
    let found = match (verdict, ratio.estimate.interval) {
        (Verdict::Same | Verdict::Faster, _) => format!("kept{how}"),
        (Verdict::Slower, _) => format!("broken{how}"),
        (Verdict::Open, None) => "it takes more rounds to say".to_owned(),
        (Verdict::Open, Some(_)) => "the interval is too wide to say".to_owned(),
    };
    format!("Claimed: {bound}; {found}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Measure, ratio and interval; the words in three lengths.
    const SAID: &str = "\
time 0.877 0.87 0.88 | -12.3 % [-13.0, -12.0] | 12.3 % less time [12.0 to 13.0 %] | B is 12.3 % faster than A (99 % interval 12.0 to 13.0 %)
time 1.031 1.02 1.04 | +3.1 % [+2.0, +4.0], within noise | 3.1 % more time [2.0 to 4.0 %], within the noise floor | B is 3.1 % slower than A (99 % interval 2.0 to 4.0 %), within the noise floor
time 0.25 0.24 0.26 | 4.00× as fast [3.85, 4.17] | 4.00 times as fast [3.85 to 4.17] | B is 4.00 times as fast as A (99 % interval 3.85 to 4.17)
own-time 2.5 2.4 2.6 | 2.50× the time [2.40, 2.60] | 2.50 times the time by their own clocks [2.40 to 2.60] | B takes 2.50 times as long as A by their own clocks (99 % interval 2.40 to 2.60)
time 1 0.99 1.01 | 0.00 % [-1.00, +1.00] | no difference found [1.0 % less to 1.0 % more time] | No difference found: B takes from 1.0 % less to 1.0 % more time than A (99 % interval)
time 1 0.9 1.1 | 0.00 % [-10.00, +10.00] | no clear winner [10.0 % less to 10.0 % more time] | No clear winner: B takes from 10.0 % less to 10.0 % more time than A (99 % interval)
time 0.9 | -10.0 % 7 of 8 rounds | 10.0 % less time (7 of 8 rounds) | Undecided; so far B is 10.0 % faster than A (7 of 8 rounds)
instructions 0.968 0.968 0.968 | -3.2 % | 3.2 % fewer instructions (the same in all rounds) | B executes 3.2 % fewer instructions than A (the same in all rounds)
instructions 1 1 1 | the same | no difference in instructions (the same in all rounds) | No difference: B executes as many instructions as A (the same in all rounds)
instructions 0.25 0.25 0.25 | -75.0 % | 75.0 % fewer instructions (the same in all rounds) | B executes 75.0 % fewer instructions than A (the same in all rounds)
cache-misses 2.5 2.5 2.5 | 2.50× as many | 2.50 times the cache misses (the same in all rounds) | B has 2.50 times as many cache misses as A (the same in all rounds)
peak-memory-bytes 0.9 0.89 0.91 | -10.0 % [-11.0, -9.0] | 10.0 % less peak memory [9.0 to 11.0 %] | B uses 10.0 % less peak memory than A (99 % interval 9.0 to 11.0 %)";

    #[test]
    fn ratios_in_three_lengths() {
        for line in SAID.lines() {
            let (of, said) = line.split_once(" | ").unwrap();
            let mut of = of.split(' ');
            let measure = Measure::from(of.next().unwrap().to_owned());
            let mut numbers = of.map(|number| number.parse::<f64>().unwrap());
            let value = numbers.next().unwrap();
            let interval = numbers.next().zip(numbers.next()).map(|(low, high)| Interval { low, high });
            let estimate = Estimate { value, interval, replicates: 7 };
            let verdict = Verdict::of(&estimate, RESOLUTION);
            let ratio = Ratio { estimate, measure: &measure, verdict, floor: Some(0.04), rounds: [7, 8] };
            let words =
                [Length::Cell, Length::Clause, Length::Sentence("B", "A")].map(|of| ratio.say(of).join(" "));
            assert_eq!(words.map(|words| words.trim_end().to_owned()).join(" | "), said);
        }
    }
}

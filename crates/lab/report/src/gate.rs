//! Conditions of the user on the rows of a sheet, such as 'slower than 2%', and their answers, corrected for the number
//! of rows.

use std::str::FromStr;

use parcrypt_lab::record::{Measure, PEAK_MEMORY};
use parcrypt_lab::stats::{Border, Interval, Verdict};
use serde_json::json;

use crate::format;
use crate::sheet::{Answer, Tone};

/// A condition on the time or the count of a row, compared with the baseline's: `slower than 2%`, `faster than 0.5%`;
/// of counts `more than 2%`, `fewer than 0.5%`, or with what is counted, `more than 5% memory`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gate {
    border: Border,
    is_on_counts: bool,
    /// Name of the count, if the condition has one.
    counted: Option<&'static str>,
}

/// Counts that a condition can name, each with its name in records.
const COUNTS: [(&str, &str); 3] =
    [("memory", PEAK_MEMORY), ("instructions", "instructions"), ("allocations", "allocations")];

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
        let (is_on_counts, is_more) = match word {
            "slower" => (false, true),
            "faster" => (false, false),
            "more" => (true, true),
            "fewer" | "less" => (true, false),
            _ => return Err(GateError),
        };
        let (number, name) = rest.split_once('%').unwrap_or((rest, ""));
        let counted = COUNTS.iter().find(|(known, _)| *known == name.trim()).map(|(_, count)| *count);
        let is_known = name.trim().is_empty() || counted.is_some() && is_on_counts;
        let percent: f64 = number.trim().parse().ok().filter(|_| is_known).ok_or(GateError)?;
        let border = match is_more {
            true if (0.0..=1000.0).contains(&percent) => Border::Above(1.0 + percent / 100.0),
            false if (0.0..100.0).contains(&percent) => Border::Below(1.0 - percent / 100.0),
            _ => return Err(GateError),
        };
        Ok(Gate { border, is_on_counts, counted })
    }
}

impl std::fmt::Display for Gate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = COUNTS.iter().find(|(_, count)| Some(*count) == self.counted);
        let name = name.map_or(String::new(), |(name, _)| format!(" {name}"));
        // The number may have digits of a rounding.
        write!(f, "{} than {}%{name}", self.word(), (self.part() * 1e8).round() / 1e6)
    }
}

impl Gate {
    /// Returns the condition with this border on times, or on counts.
    pub(crate) fn new(border: Border, is_on_counts: bool) -> Self {
        Gate { border, is_on_counts, counted: None }
    }

    /// Returns the border of the ratios for which the condition holds.
    pub fn border(&self) -> Border {
        self.border
    }

    /// Returns the bound of an interval that is furthest on the side of the condition.
    pub(crate) fn reach(&self, of: Interval) -> f64 {
        if matches!(self.border, Border::Above(_)) { of.high } else { of.low }
    }

    /// Returns whether the condition is on counts, and not on times.
    pub fn is_on_counts(&self) -> bool {
        self.is_on_counts
    }

    /// Returns the part of the baseline's time or count, such as 0.02 for 'slower than 2%'.
    pub fn part(&self) -> f64 {
        (self.border.ratio() - 1.0).abs()
    }

    /// Returns whether the condition is on what a case compares: `more than 2%` is on any count.
    pub fn is_on(&self, measure: &Measure) -> bool {
        let is_named = self.counted.is_none_or(|name| measure.count() == Some(name));
        measure.is_time() != self.is_on_counts && is_named
    }

    /// Returns the same condition in the words for what is measured, if it has those for another quantity.
    pub fn in_words_of(&self, measure: &Measure) -> Option<Gate> {
        (!self.is_on(measure)).then_some(Gate::new(self.border, !measure.is_time()))
    }

    fn word(&self) -> &'static str {
        match (self.border, self.is_on_counts) {
            (Border::Above(_), false) => "slower",
            (Border::Below(_), false) => "faster",
            (Border::Above(_), true) => "more",
            (Border::Below(_), true) if self.counted == Some(PEAK_MEMORY) => "less",
            (Border::Below(_), true) => "fewer",
        }
    }

    /// Returns the condition as it is said of a row: `slower than 2 %`, of counts `with over 2 % more allocations`.
    fn said(&self, counted: &str) -> String {
        match (self.is_on_counts, self.part() > 0.0) {
            (true, true) => {
                format!("with over {} {} {counted}", format::chosen_percent(self.part()), self.word())
            }
            (true, false) => format!("with {} {counted}", self.word()),
            (false, _) => self.to_string().replace('%', " %"),
        }
    }
}

/// What a row says about a condition.
pub(crate) struct Asked {
    /// Name of the row.
    pub(crate) name: String,
    /// Whether the condition holds for it, corrected for the number of rows; `None` if that is not shown.
    pub(crate) holds: Option<bool>,
    /// How it changed.
    pub(crate) how: String,
    /// The bound of its interval on the side of the condition; `None` without an interval, and of exact counts.
    pub(crate) reach: Option<f64>,
    /// What may decide it.
    pub(crate) more: &'static str,
}

/// The rows that a condition is asked of.
pub(crate) struct Rows<'a> {
    /// What a row is, such as `benchmark`.
    pub(crate) noun: &'a str,
    /// What a condition on counts is about.
    pub(crate) counted: &'a str,
    /// The rows with a result.
    pub(crate) asked: Vec<Asked>,
    /// Number of rows that were not measured because the run ended.
    pub(crate) not_measured: usize,
    /// Number of rows of which only the baseline has a result.
    pub(crate) failed: usize,
}

/// Names that a sentence has; JSON has all.
const NAMES: usize = 8;

/// Returns the first names, and how many more there are.
pub(crate) fn listed(names: &[String]) -> String {
    match names.len().saturating_sub(NAMES) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..NAMES].join(", ")),
    }
}

impl Rows<'_> {
    /// Returns the answer to a condition, whose verdict is `Slower` if it holds for a row, `Same` if it does not hold
    /// for any, and `Open` if that is not shown or no row was compared.
    pub(crate) fn answer(&self, gate: &Gate) -> Answer {
        let with = |holds| self.asked.iter().filter(|row| row.holds == holds).collect::<Vec<&Asked>>();
        let names = |rows: &[&Asked]| rows.iter().map(|row| row.name.clone()).collect::<Vec<_>>();
        let (found, open) = (with(Some(true)), with(None));
        let others = if open.is_empty() { &with(Some(false)) } else { &open };
        let furthest =
            |a: f64, b: f64| if matches!(gate.border, Border::Above(_)) { a.max(b) } else { a.min(b) };
        let reach = others.iter().filter_map(|row| row.reach).reduce(furthest);
        let why = reach.map_or(String::new(), |ratio| {
            format!(" (their intervals reach {} %)", format::signed_percents(ratio, None).0)
        });
        let (noun, what) = (self.noun, gate.said(self.counted));
        let (number, asked) = (found.len(), format::counted(self.asked.len(), noun));
        let is_whole = open.len() + self.not_measured + self.failed == 0;
        let (verdict, answer, text) = if number > 0 {
            let rows: Vec<String> = found.iter().map(|row| format!("{} ({})", row.name, row.how)).collect();
            let text = format!("gate failed: {number} of {asked} {what}: {}", listed(&rows));
            (Verdict::Slower, "yes", text)
        } else if is_whole && self.asked.is_empty() {
            (Verdict::Open, "open", format!("gate undecided: no {noun} was compared"))
        } else if is_whole {
            let text = format!("gate passed: no {noun} {what}; {} compared{why}", self.asked.len());
            (Verdict::Same, "no", text)
        } else {
            let mut text = format!("gate undecided: no {noun} shown {what}");
            // Exact counts do not become more exact with time.
            let helps = |row: &&&Asked| row.reach.is_some() || !gate.is_on_counts;
            let more = open.iter().find(helps).map_or(String::new(), |row| format!(": {}", row.more));
            for (count, how) in [
                (open.len(), format!("of {asked} undecided{why}{more}")),
                (self.not_measured, "not measured: use a longer --for".to_owned()),
                (self.failed, "failed".to_owned()),
            ] {
                text += &if count > 0 { format!("; {count} {how}") } else { String::new() };
            }
            (Verdict::Open, "open", text)
        };
        Answer {
            text: [text, String::new()],
            verdict: Some(verdict),
            tone: if verdict == Verdict::Slower { Tone::Worse } else { Tone::Plain },
            facts: crate::sheet::fields([
                ("condition", json!(gate.to_string())),
                ("answer", json!(answer)),
                ("rows", json!(names(&found))),
                ("open", json!(names(&open))),
                ("reach", json!(reach)),
            ]),
            ..Answer::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_read_and_written() {
        let not = "slower|slower than|slower than x%|slower than -1%|slower than NaN%|quicker than 2%|faster than 100%|\
                   slower than 2% memory|more than 2% of it";
        not.split('|').for_each(|text| assert_eq!(text.parse::<Gate>(), Err(GateError), "{text}"));
        let measures = ["time", PEAK_MEMORY, "instructions"].map(|name| Measure::from(name.to_owned()));
        for (text, written, is_on, other) in [
            ("slower than 0.3%", "slower than 0.3%", [true, false, false], "more than 0.3%"),
            (" faster than 2 ", "faster than 2%", [true, false, false], "fewer than 2%"),
            ("more than 5% memory", "more than 5% memory", [false, true, false], "more than 5%"),
            ("less than 1 %", "fewer than 1%", [false, true, true], ""),
        ] {
            let gate: Gate = text.parse().unwrap();
            let words = gate.in_words_of(&measures[2]).map_or(String::new(), |gate| gate.to_string());
            let on = measures.each_ref().map(|of| gate.is_on(of));
            assert_eq!((&*gate.to_string(), on, &*words), (written, is_on, other), "{text}");
        }
    }
}

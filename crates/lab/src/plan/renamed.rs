//! Keys and values of plans of schema 1, and their names since schema 2.

use std::fmt;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A key or value that has another name since schema 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Renamed {
    /// Lines of the plan that have it, from 1.
    pub lines: Vec<usize>,
    /// The old name, as written in the plan.
    pub old: String,
    /// The new name.
    pub new: String,
}

impl fmt::Display for Renamed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.lines.iter().map(ToString::to_string).collect();
        let noun = if lines.len() == 1 { "line" } else { "lines" };
        write!(f, "{noun} {}: `{}` is `{}`", lines.join(", "), self.old, self.new)
    }
}

/// Position of a table in a plan.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Root,
    Case,
    Candidate,
    Question,
    Params,
    Other,
}

/// Renamed keys by position: old and new name.
const KEYS: [(Place, &str, &str); 8] = [
    (Place::Case, "contestants", "candidates"),
    (Place::Case, "ladder", "steps"),
    (Place::Case, "together", "turns"),
    (Place::Candidate, "presence", "idle-runtime"),
    (Place::Question, "contestant", "candidate"),
    (Place::Question, "presence", "idle-runtime"),
    (Place::Root, "cell", "case"),
    (Place::Root, "contestant", "candidate"),
];

/// Renamed decompositions: old and new name.
const DECOMPOSITIONS: [(&str, &str); 3] = [
    ("halves", "recursive"),
    ("halves-and-butterflies", "recursive-parallel-butterflies"),
    ("layers", "iterative"),
];

/// Renamed parts of words in commands, names and conditions.
const PARTS: [(&str, &str); 7] = [
    ("contestants/", "candidates/"),
    ("riscv/contestant", "riscv/candidate"),
    ("riscv/ladder", "riscv/steps"),
    ("--presence", "--idle-runtime"),
    ("{presence}", "{idle-runtime}"),
    ("presence=", "idle-runtime="),
    ("contestant=", "candidate="),
];

/// Returns all old names in the text of a plan, in the order of their first lines. Empty where the text is not TOML.
pub(super) fn find(text: &str) -> Vec<Renamed> {
    let mut finder = Finder { text, found: Vec::new() };
    if let Ok(table) = DeTable::parse(text) {
        finder.table(Place::Root, table.get_ref());
    }
    finder.found.sort_by_key(|renamed| renamed.lines[0]);
    finder.found
}

struct Finder<'a> {
    text: &'a str,
    found: Vec<Renamed>,
}

impl Finder<'_> {
    fn note(&mut self, offset: usize, old: impl Into<String>, new: impl Into<String>) {
        let line = self.text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1;
        let (old, new) = (old.into(), new.into());
        match self.found.iter_mut().find(|known| known.old == old && known.new == new) {
            Some(known) if known.lines.contains(&line) => {}
            Some(known) => known.lines.push(line),
            None => self.found.push(Renamed { lines: vec![line], old, new }),
        }
    }

    fn table(&mut self, place: Place, table: &DeTable<'_>) {
        for (key, value) in table.iter() {
            let name: &str = key.get_ref();
            if let Some((.., new)) = KEYS.iter().find(|(at, old, _)| *at == place && *old == name) {
                if let (Place::Root, DeValue::Array(tables)) = (place, value.get_ref()) {
                    for table in tables.iter() {
                        self.note(table.span().start, format!("[[{name}]]"), format!("[[{new}]]"));
                    }
                } else {
                    self.note(key.span().start, name, *new);
                }
            }
            let inside = match (place, name) {
                (Place::Root, "cell" | "case") => Place::Case,
                (Place::Root, "contestant" | "candidate") => Place::Candidate,
                (Place::Root, "question") => Place::Question,
                (_, "params") => Place::Params,
                (Place::Question, "from" | "to") => Place::Question,
                _ => Place::Other,
            };
            self.value(inside, name, value);
        }
    }

    fn value(&mut self, place: Place, key: &str, value: &Spanned<DeValue<'_>>) {
        match value.get_ref() {
            DeValue::Table(table) => self.table(place, table),
            DeValue::Array(values) => values.iter().for_each(|value| self.value(place, key, value)),
            DeValue::String(text) => self.text(key, value.span().start, text),
            _ => {}
        }
    }

    fn text(&mut self, key: &str, offset: usize, text: &str) {
        let whole = match key {
            "backend" if text == "scalar" => Some("portable` (or `blst`, `aws-lc`, `sha2`: `parcrypt list"),
            "decomposition" => DECOMPOSITIONS.iter().find(|(old, _)| *old == text).map(|(_, new)| *new),
            "command" if text == "contestant" => Some("candidate"),
            "only" | "filter" if text == "backend=scalar" => Some("backend=portable"),
            _ => None,
        };
        if let Some(new) = whole {
            return self.note(offset, text, new);
        }
        if matches!(key, "command" | "name" | "contestants" | "baseline" | "only" | "filter") {
            for (old, new) in PARTS {
                if text.contains(old) {
                    self.note(offset, old, new);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_old_name_is_found_with_its_lines() {
        let text = r#"schema = 1
title = "t"
[[cell]]
workload = "fft-fr"
contestants = ["a {presence}"]
ladder = true
together = "threads"
params = { decomposition = ["halves", "layers"] }
[[cell]]
workload = "sum"
together = "all"
[[contestant]]
name = "a {presence}"
runtime = "serial"
backend = ["scalar", "avx2"]
presence = ["idle"]
[[contestant]]
name = "b"
command = ["../contestants/x", "contestant"]
[[question]]
ask = "?"
from = { contestant = "b" }
to = { presence = "idle" }
only = ["presence=idle"]
"#;
        let found: Vec<String> = find(text).iter().map(ToString::to_string).collect();
        for expected in [
            "lines 3, 9: `[[cell]]` is `[[case]]`",
            "lines 12, 17: `[[contestant]]` is `[[candidate]]`",
            "line 5: `contestants` is `candidates`",
            "line 6: `ladder` is `steps`",
            "lines 7, 11: `together` is `turns`",
            "line 8: `halves` is `recursive`",
            "line 8: `layers` is `iterative`",
            "lines 5, 13: `{presence}` is `{idle-runtime}`",
            "line 15: `scalar` is `portable` (or `blst`, `aws-lc`, `sha2`: `parcrypt list`",
            "lines 16, 23: `presence` is `idle-runtime`",
            "line 19: `contestants/` is `candidates/`",
            "lines 19, 22: `contestant` is `candidate`",
            "line 24: `presence=` is `idle-runtime=`",
        ] {
            assert!(found.iter().any(|line| line == expected), "{expected}: {found:#?}");
        }
        assert_eq!(found.len(), 13, "{found:#?}");
        let first: Vec<usize> = find(text).iter().map(|renamed| renamed.lines[0]).collect();
        assert!(first.is_sorted());
        assert_eq!(find("schema = 2\n[[case]]\nworkload = \"sum\"\n"), []);
        assert_eq!(find("schema = "), []);
    }
}

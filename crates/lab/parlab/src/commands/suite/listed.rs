//! The benchmarks that a program has, by its own list.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::{Duration, Instant};

use serde::Deserialize;

use parcrypt_lab::plan::PROGRAM;
use parcrypt_lab::suite::{LIST, Program, VARIABLE};
use parcrypt_report::head_and_tail;
use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::text::quoted;

use crate::processes::finish;

/// A line of a list.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// Name of a benchmark.
    benchmark: Option<String>,
    /// Why it cannot be measured.
    skip: Option<String>,
    /// Why what has this name failed, and may have benchmarks that are not listed.
    failed: Option<String>,
    /// Number of benchmarks, in the last line.
    end: Option<usize>,
}

/// The benchmarks of a program, in its order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct List {
    /// Each with the reason why it cannot be measured, if there is one.
    pub(super) benchmarks: Vec<(String, Option<String>)>,
    /// What failed while it was listed, with the reason, such as a function with benchmarks.
    pub(super) failed: Vec<(String, String)>,
    /// Why the list is not whole, if it is not.
    pub(super) wrong: Option<String>,
}

/// Asks a program for its benchmarks, for at most `limit`.
pub(super) fn list(program: &Program, limit: Duration) -> Result<List, CommandError> {
    let begun = Instant::now();
    let Some((first, rest)) = program.command.split_first() else { return Ok(List::default()) };
    let mut command = Command::new(if first == PROGRAM { std::env::current_exe()? } else { first.into() });
    command.args(rest);
    command.current_dir(&program.folder).envs(&program.env).env(VARIABLE, LIST);
    let mut late = false;
    let done = finish(command, |_| {
        late = begun.elapsed() > limit;
        late
    });
    let done = match done {
        Err(_) if late => {
            let why = format!("it was still listing its benchmarks after {} s (--timeout)", limit.as_secs());
            return Ok(List { wrong: Some(why), ..List::default() });
        }
        done => done?,
    };
    let mut list = read(&done.stdout);
    if !done.status.success() {
        let lines = quoted(&head_and_tail(&done.stderr));
        list.wrong = Some(format!("it ended before the end of its list: {}{lines}", done.status));
    }
    Ok(list)
}

/// Reads a list. Names that occur twice cannot be told apart.
fn read(text: &str) -> List {
    let mut list = List { wrong: Some("its list has no end".to_owned()), ..List::default() };
    for line in text.lines() {
        match serde_json::from_str(line) {
            Ok(Line { benchmark: Some(name), failed: Some(why), end: None, .. }) => {
                list.failed.push((name, why))
            }
            Ok(Line { benchmark: Some(name), skip, end: None, .. }) => list.benchmarks.push((name, skip)),
            Ok(Line { benchmark: None, end: Some(count), .. })
                if count == list.benchmarks.len() + list.failed.len() =>
            {
                list.wrong = None;
            }
            _ => list.wrong = Some(format!("its list has the line `{line}`")),
        }
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    list.benchmarks.iter().for_each(|(name, _)| *counts.entry(name.clone()).or_default() += 1);
    // Each name once, at its first place.
    list.benchmarks.retain_mut(|(name, skip)| {
        let Some(count) = counts.remove(name) else { return false };
        if count > 1 {
            *skip = Some(format!("{count} benchmarks have this name"));
        }
        true
    });
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_says_what_is_wrong_with_it() {
        let a = "{\"benchmark\":\"a\"}\n";
        let list = read(&format!("{a}{{\"benchmark\":\"b\",\"skip\":\"no\"}}\n{a}{{\"end\":3}}\n"));
        let with = |name: &str, why: &str| (name.to_owned(), Some(why.to_owned()));
        assert_eq!(list.benchmarks, [with("a", "2 benchmarks have this name"), with("b", "no")]);
        assert_eq!(list.wrong, None);
        for (text, part) in [
            ("", "no end"),
            (a, "no end"),
            ("{\"end\":1}\n", "has the line"),
            ("hello\n", "`hello`"),
            ("{\"benchmark\":\"a\",\"color\":1}\n", "color"),
        ] {
            let wrong = read(text).wrong.expect("it is wrong");
            assert!(wrong.contains(part), "{wrong}");
        }
    }
}

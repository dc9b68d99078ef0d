//! `audit --suite`: the suite of a project, built twice from one revision, against itself, and how often a benchmark is
//! called changed.

use parcrypt_lab::audit::suite::{Alarms, Rate, Repeat, alarms};
use parcrypt_lab::stats::many::RATE;
use parcrypt_lab::{TempFolder, stats};
use parcrypt_terminal::error::{CommandError, INTERRUPTED, NEGATIVE};
use parcrypt_terminal::interrupt;
use parcrypt_terminal::text::{Printed, counted, on_one_line, tell};

use super::Arguments;
use super::tables::{Table, answer, percent};
use crate::commands::suite::found::{Choice, Extent, Found, Live};
use crate::commands::suite::trees;
use crate::program::machine;

/// What was counted, in JSON.
#[derive(serde::Serialize)]
struct Results<'a> {
    schema: u32,
    /// The revision, as it was given, with its commit.
    revision: &'a str,
    correction: &'static str,
    /// Share of alarms that is promised at most.
    promised: f64,
    /// Repeats that were asked for.
    wanted: usize,
    /// Benchmarks that were left out of all repeats.
    skipped: usize,
    #[serde(flatten)]
    alarms: Alarms,
}

/// Measures the suite against itself and prints what was counted; returns the exit code.
pub(super) fn audit(arguments: &Arguments) -> Result<u8, CommandError> {
    let by_default = Choice::default();
    let choice = arguments.choice.as_ref().unwrap_or(&by_default);
    let extent = Extent { time: arguments.most, rounds: arguments.rounds.map(usize::from), counts: None };
    let revision = arguments.revision.as_deref().unwrap_or("HEAD");
    let trees = trees(&[revision.to_owned(), revision.to_owned()])?;
    let temporary = TempFolder::new().map_err(|e| CommandError::new(format!("a temporary folder: {e}")))?;
    let mut found = Found::build(trees, temporary.path(), extent, choice)?;
    found.link(extent, choice)?;
    found.tell_skipped();
    let (judgement, wanted) = (choice.judgement(None), arguments.repeats);
    let mut repeats = Vec::new();
    for number in 1..=wanted {
        let mut live = Live::new(format!("repeat {number} of {wanted}, "));
        let record = found.measure(extent, judgement, temporary.path().join("record.json"), &mut live)?;
        // Of a repeat that was stopped, the benchmarks that are missing might have been called.
        if interrupt::requested() {
            break;
        }
        let repeat = Repeat::of(&record).ok_or_else(|| {
            CommandError::new("no benchmark has enough rounds for a comparison: give more time by --for")
        })?;
        drop(live);
        tell(&format!(
            "repeat {number} of {wanted}: {} of {} called changed",
            repeat.changed.len(),
            counted(repeat.compared, "benchmark")
        ));
        repeats.push(repeat);
    }
    let results = Results {
        schema: 1,
        revision: &found.suite.revisions[0],
        correction: judgement.correction.name(),
        promised: 1.0 - stats::CONFIDENCE,
        wanted,
        skipped: found.skipped.len(),
        alarms: alarms(&repeats),
    };
    if arguments.json {
        Printed::Json(&(serde_json::to_string_pretty(&results)? + "\n")).write()?;
    } else {
        Printed::Plain(&text(&results, arguments.markdown)).write()?;
    }
    Ok(match results.alarms.suites.is_compatible() {
        _ if interrupt::requested() => INTERRUPTED,
        false => NEGATIVE,
        true => 0,
    })
}

/// Returns what was counted as a table, and the benchmarks that were called changed.
fn text(results: &Results<'_>, markdown: bool) -> String {
    let Results { alarms, revision, wanted, .. } = results;
    let machine = machine(None);
    let done = alarms.suites.trials;
    let stopped = if done < *wanted { format!(" of {wanted}") } else { String::new() };
    let mut text = format!(
        "{}Suite of {} against itself on {}, {} cores: {done}{stopped} repeats.\n\n",
        if markdown { "# " } else { "" },
        on_one_line(revision),
        machine.processor,
        machine.cores,
    );
    let row = |name: &str, rate: &Rate| {
        let [low, high] = rate.share.map(|share| percent(share, 1));
        let kept = answer(rate.is_compatible(), rate.is_kept());
        vec![
            name.to_owned(),
            rate.trials.to_string(),
            rate.alarms.to_string(),
            format!("{low} to {high}"),
            format!("at most {}", percent(RATE, 0)),
            format!("{kept} (p = {:.2})", rate.p),
        ]
    };
    let table = Table {
        title: "False alarms: a suite against itself".to_owned(),
        head: vec!["called changed", "trials", "alarms", "share (99 %)", "promised", "kept"],
        rows: vec![
            row("suites", &alarms.suites),
            row("benchmarks", &alarms.benchmarks),
            row("benchmarks, without correction", &alarms.alone),
        ],
    };
    text += &if markdown { table.markdown() } else { table.terminal() };
    text += &format!("\n{}\n", conclusion(&alarms.suites));
    let mark = if markdown { "- " } else { "  " };
    let called = alarms.called.iter().map(|one| {
        let changes: Vec<String> =
            one.ratios.iter().map(|ratio| format!("{:+.2} %", 100.0 * (ratio - 1.0))).collect();
        format!("{mark}{}: {}\n", on_one_line(&one.benchmark), changes.join(", "))
    });
    let called: String = called.collect();
    if !called.is_empty() {
        text += &format!("\nCalled changed, in the repeats that did so:\n\n{called}");
    }
    text
}

/// Returns what the number of suites with an alarm excludes.
fn conclusion(suites: &Rate) -> String {
    let Rate { alarms, trials, p, .. } = suites;
    let [low, high] = suites.share.map(|share| percent(share, 1));
    let rates =
        if *alarms == 0 { format!("rates up to {high}") } else { format!("rates from {low} to {high}") };
    let promised = percent(RATE, 0);
    let then = match (suites.is_compatible(), suites.is_kept()) {
        (false, _) => format!("with a rate of {promised}, as many have a probability of {p:.1e}"),
        (true, true) => format!("so that it is at most {promised}"),
        (true, false) => format!(
            "that it is at most {promised} takes {} repeats to show, without an alarm (--repeats)",
            Rate::LEAST_TRIALS
        ),
    };
    format!("{alarms} of {} had an alarm, which fits {rates}: {then}.", counted(*trials, "repeat"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alarms_are_shown_with_their_share_and_their_names() {
        let quiet = Repeat { compared: 20, alone: 1, changed: Vec::new() };
        let alarm = Repeat { changed: vec![("a/b".to_owned(), 1.021)], ..quiet.clone() };
        let results = |repeats: &[Repeat]| Results {
            schema: 1,
            revision: "HEAD (0123)",
            correction: "false-discovery",
            promised: 0.01,
            wanted: 4,
            skipped: 0,
            alarms: alarms(repeats),
        };
        let [quiet, alarm] = [vec![quiet.clone(); 4], vec![alarm, quiet]].map(|repeats| results(&repeats));
        let said = text(&quiet, false);
        assert!(said.starts_with("Suite of HEAD (0123) against itself on "), "{said}");
        assert!(said.contains(" cores: 4 repeats.\n") && !said.contains("in the repeats"), "{said}");
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        let lines: Vec<String> = said.lines().map(words).collect();
        for line in [
            "suites 4 0 0.0 % to 73.4 % at most 1 % undecided (p = 1.00)",
            "benchmarks 80 0 0.0 % to 6.4 % at most 1 % undecided (p = 1.00)",
            "benchmarks, without correction 80 4 0.9 % to 14.9 % at most 1 % no (p = 0.01)",
        ] {
            assert!(lines.iter().any(|found| found == line), "{line}\n{said}");
        }
        let conclusion =
            "0 of 4 repeats had an alarm, which fits rates up to 73.4 %: that it is at most 1 % takes 528";
        assert!(said.contains(conclusion), "{said}");
        let said = text(&alarm, true);
        assert!(said.contains("\n1 of 2 repeats had an alarm, which fits rates from "), "{said}");
        assert!(said.starts_with("# Suite of ") && said.contains(": 2 of 4 repeats."), "{said}");
        assert!(said.ends_with("Called changed, in the repeats that did so:\n\n- a/b: +2.10 %\n"), "{said}");
        let json = serde_json::to_value(&alarm).unwrap();
        assert_eq!((&json["suites"]["alarms"], &json["called"][0]["benchmark"]), (&1.into(), &"a/b".into()));
    }
}

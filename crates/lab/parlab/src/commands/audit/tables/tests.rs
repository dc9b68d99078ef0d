use parcrypt_lab::audit::summary::{CarryOverSummary, ClassSummary, FalseAlarms, Power, Smallest, Width};
use parcrypt_lab::record::Machine;

use super::*;

fn found() -> Summary {
    let class = ClassSummary {
        class: "compute".to_owned(),
        about: "products".to_owned(),
        null: vec![FalseAlarms {
            seconds: 2.0,
            took_s: 4.0,
            trials: 1000,
            alarms: 19,
            undecided: 1,
            at_most: 0.031,
            chance: 0.007,
            rms: 0.0006,
            half_width: Some(0.003),
        }],
        planted: vec![Power {
            percent: 0.5,
            seconds: 10.0,
            took_s: 10.4,
            trials: 100,
            found: 97,
            wrong: 1,
            at_least: 0.9,
            bias: -0.0001,
            rms: 0.0008,
            half_width: Some(0.0021),
        }],
        widths: vec![
            Width { seconds: 0.0, half_width: 0.5, trials: 3 },
            Width { seconds: 2.5, half_width: 0.004, trials: 100 },
        ],
        smallest: vec![Smallest { seconds: 10.0, percent: Some(0.354), trials: 100 }],
    };
    let change = |estimate, interval| Some(Change { estimate, interval, replicates: 40 });
    Summary {
        started: "2026-01-01T00:00:00Z".to_owned(),
        machine: Machine { processor: "P".to_owned(), cores: 2, ..Machine::default() },
        version: "0.1.0".to_owned(),
        commit: "abc".to_owned(),
        classes: vec![class],
        carry_over: vec![CarryOverSummary {
            class: "cache".to_owned(),
            sample_ms: 4.0,
            same_program: change(1.0001, Some([0.9999, 1.0003])),
            other_program: change(1.02, None),
            other_against_itself: None,
        }],
    }
}

#[test]
fn every_number_is_in_both_forms() {
    for markdown in [false, true] {
        let text = text(&found(), markdown, "parlab");
        for part in [
            "Audit of parlab 0.1.0 (abc) on P, 2 cores, since 2026-01-01",
            "found in 90 % of trials",
            "0.35 %",
            "1000, 1 without an interval",
            "no (p = 0.01)",
            "3.1 %",
            "2 s (took 4.0 s)",
            "97 of 100, 1 with the wrong sign",
            "-0.01 %",
            "0.08 %",
            "2.5 s",
            "+0.01 % [-0.01, +0.03]",
            "+2.00 %",
            "open",
        ] {
            assert!(text.contains(part), "`{part}` is not in\n{text}");
        }
        assert!(!text.contains("took 10"), "{text}");
        assert!(!text.contains("50.00 %"), "rounds have no time: {text}");
        assert!(text.lines().all(|line| line.trim_end() == line), "{text}");
    }
}

#[test]
fn markdown_tables_have_a_rule_and_equal_columns() {
    let text = text(&found(), true, "parlab");
    let mut columns = 0;
    for line in text.lines() {
        let bars = line.matches('|').count();
        assert!(bars == 0 || columns == 0 || bars == columns, "{line}");
        columns = bars;
    }
    assert_eq!(text.lines().filter(|line| line.starts_with("|---")).count(), 5, "{text}");
}

#[test]
fn columns_of_a_terminal_are_aligned() {
    let text = text(&found(), false, "parlab");
    let head = text.lines().find(|line| line.contains("at most (99 %)")).unwrap();
    let row = text.lines().find(|line| line.contains("without an interval")).unwrap();
    let column = |line: &str, part: &str| line.find(part).unwrap();
    assert_eq!(column(head, "alarms"), column(row, "19"));
    assert_eq!(column(head, "rms error"), column(row, "0.06 %"));
}

#[test]
fn without_trials_it_says_so() {
    let empty = Summary { classes: Vec::new(), carry_over: Vec::new(), ..found() };
    assert!(text(&empty, false, "parlab").contains("no trials yet"));
}

//! The results of an audit as tables, aligned for a terminal or as Markdown.

use parcrypt_lab::audit::summary::{Change, LEAST_TRIALS, Matters, NEGLIGIBLE, POWER, Summary};
use parcrypt_lab::stats::many::RATE;

/// A table: its title, its head and its rows.
pub(super) struct Table {
    pub(super) title: String,
    pub(super) head: Vec<&'static str>,
    pub(super) rows: Vec<Vec<String>>,
}

/// Returns whether alarms are at most as frequent as promised: 'no' if their number is not compatible with that, 'yes'
/// if it shows that.
pub(super) fn answer(is_compatible: bool, is_kept: bool) -> &'static str {
    match (is_compatible, is_kept) {
        (false, _) => "no",
        (true, true) => "yes",
        (true, false) => "undecided",
    }
}

/// Returns all tables that have rows.
pub(super) fn text(found: &Summary, markdown: bool, program: &str) -> String {
    let machine = &found.machine;
    let version = match &found.commit {
        commit if commit.is_empty() => found.version.clone(),
        commit => format!("{} ({commit})", found.version),
    };
    let virtual_machine = if machine.virtual_machine { ", a virtual machine" } else { "" };
    let (processor, cores, started) = (&machine.processor, machine.cores, &found.started);
    let mut text = format!(
        "{}Audit of {program} {version} on {processor}, {cores} cores{virtual_machine}, since {started}.\n",
        if markdown { "# " } else { "" }
    );
    if found.classes.is_empty() && found.carry_over.is_empty() {
        return text + "\nThere are no trials yet.\n";
    }
    if markdown {
        text += "\n";
        found.classes.iter().for_each(|class| text += &format!("- `{}`: {}\n", class.class, class.about));
    } else {
        text += "\n";
        found.classes.iter().for_each(|class| text += &format!("  {:<16} {}\n", class.class, class.about));
    }
    for table in tables(found) {
        if !table.rows.is_empty() {
            text += "\n";
            text += &if markdown { table.markdown() } else { table.terminal() };
        }
    }
    text
}

fn tables(found: &Summary) -> Vec<Table> {
    let power = percent(POWER, 0);
    let mut smallest = Table {
        title: format!("The smallest difference found in {power} of trials"),
        head: vec!["class", "time", "difference", "trials"],
        rows: Vec::new(),
    };
    let mut null = Table {
        title: "False alarms: a program against itself".to_owned(),
        head: vec![
            "class",
            "time",
            "trials",
            "alarms",
            "at most (99 %)",
            "1 % kept",
            "rms error",
            "half width",
        ],
        rows: Vec::new(),
    };
    let mut planted = Table {
        title: "Planted differences".to_owned(),
        head: vec!["class", "time", "planted", "found", "at least (99 %)", "bias", "rms error", "half width"],
        rows: Vec::new(),
    };
    let mut widths = Table {
        title: "Half width of the interval over time".to_owned(),
        head: vec!["class", "after", "half width", "trials"],
        rows: Vec::new(),
    };
    for class in &found.classes {
        let name = || class.class.clone();
        let width = |width: Option<f64>| width.map_or("none".to_owned(), |width| percent(width, 2));
        for one in &class.smallest {
            let difference = one.percent.map_or("none".to_owned(), |found| format!("{found:.2} %"));
            smallest.rows.push(vec![name(), time(one.seconds), difference, one.trials.to_string()]);
        }
        if class.smallest.is_empty() {
            smallest.rows.push(vec![
                name(),
                String::new(),
                format!("not known: it needs {LEAST_TRIALS} trials"),
                String::new(),
            ]);
        }
        for one in &class.null {
            let kept = answer(found.is_compatible(one), one.at_most <= RATE);
            let undecided = match one.undecided {
                0 => String::new(),
                some => format!(", {some} without an interval"),
            };
            null.rows.push(vec![
                name(),
                asked_and_took(one.seconds, one.took_s),
                format!("{}{undecided}", one.trials),
                one.alarms.to_string(),
                percent(one.at_most, 1),
                format!("{kept} (p = {:.2})", one.chance),
                percent(one.rms, 2),
                width(one.half_width),
            ]);
        }
        for one in &class.planted {
            let wrong =
                if one.wrong > 0 { format!(", {} with the wrong sign", one.wrong) } else { String::new() };
            planted.rows.push(vec![
                name(),
                asked_and_took(one.seconds, one.took_s),
                format!("{} %", one.percent),
                format!("{} of {}{wrong}", one.found, one.trials),
                percent(one.at_least, 0),
                format!("{:+.2} %", 100.0 * one.bias),
                percent(one.rms, 2),
                width(one.half_width),
            ]);
        }
        for one in class.widths.iter().filter(|one| one.seconds > 0.0) {
            let row = vec![name(), time(one.seconds), percent(one.half_width, 2), one.trials.to_string()];
            widths.rows.push(row);
        }
    }
    let mut before = Table {
        title: format!("What stands before a turn, which may change it by {}", percent(NEGLIGIBLE, 1)),
        head: vec![
            "class",
            "sample",
            "another process",
            "other vectors",
            "other vectors, against itself",
            "matters",
        ],
        rows: Vec::new(),
    };
    for one in &found.carry_over {
        let matters = match one.matters() {
            Matters::No => "no",
            Matters::Yes => "yes",
            Matters::Open => "open",
        };
        let [same, other, far] =
            [&one.same_program, &one.other_program, &one.other_against_itself].map(change);
        before.rows.push(vec![
            one.class.clone(),
            format!("{} ms", one.sample_ms),
            same,
            other,
            far,
            matters.to_owned(),
        ]);
    }
    vec![smallest, null, planted, widths, before]
}

fn change(change: &Option<Change>) -> String {
    let part = |ratio: f64| format!("{:+.2}", 100.0 * (ratio - 1.0));
    match change {
        None => "none".to_owned(),
        Some(Change { estimate, interval: None, .. }) => format!("{} %", part(*estimate)),
        Some(Change { estimate, interval: Some([low, high]), .. }) => {
            format!("{} % [{}, {}]", part(*estimate), part(*low), part(*high))
        }
    }
}

pub(super) fn percent(share: f64, digits: usize) -> String {
    format!("{:.digits$} %", 100.0 * share)
}

/// Returns the time of a trial, and what it took on average if that is more by a quarter.
fn asked_and_took(seconds: f64, took_s: f64) -> String {
    match seconds > 0.0 && took_s > 1.25 * seconds {
        true => format!("{} (took {took_s:.1} s)", time(seconds)),
        false => time(seconds),
    }
}

fn time(seconds: f64) -> String {
    if seconds > 0.0 { format!("{seconds} s") } else { "rounds".to_owned() }
}

impl Table {
    pub(super) fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let head: Vec<String> = self.head.iter().map(|name| (*name).to_owned()).collect();
        let rule: Vec<String> = self.head.iter().map(|_| "---".to_owned()).collect();
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        format!("## {}\n\n{}{}{rows}", self.title, line(&head), line(&rule).replace(' ', ""))
    }

    pub(super) fn terminal(&self) -> String {
        let length = |text: &str| text.chars().count();
        let width = |column: usize| {
            let cells = self.rows.iter().map(|row| length(&row[column]));
            cells.chain([length(self.head[column])]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.head.len()).map(width).collect();
        let line = |cells: &mut dyn Iterator<Item = &str>| {
            let padded = cells.zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            format!("  {}", padded.collect::<Vec<_>>().join("  ")).trim_end().to_owned() + "\n"
        };
        let rows: String = self.rows.iter().map(|row| line(&mut row.iter().map(String::as_str))).collect();
        format!("{}\n{}{rows}", self.title, line(&mut self.head.iter().copied()))
    }
}

#[cfg(test)]
mod tests;

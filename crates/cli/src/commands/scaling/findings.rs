//! What `parcrypt scaling` measured and predicts: as text, and as JSON with all raw values.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::Sub;

use parcrypt_cluster::model::{Costs, Machines};
use serde::Serialize;

use super::Arguments;
use crate::text::{self, seconds};

/// Spread of the repetitions, over their median, from which a value is called uncertain.
const LARGE: f64 = 0.2;

/// Median, least and greatest of some repetitions, or what follows from them.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Spread {
    pub(super) value: f64,
    pub(super) least: f64,
    pub(super) greatest: f64,
}

impl Spread {
    /// Returns the spread of some measurements, at least one.
    pub(super) fn of(measurements: &[f64]) -> Self {
        let mut all = measurements.to_vec();
        all.sort_by(f64::total_cmp);
        let at = |index: usize| all.get(index).copied().unwrap_or(f64::NAN);
        Spread { value: at(all.len() / 2), least: at(0), greatest: at(all.len().saturating_sub(1)) }
    }

    pub(super) fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Spread { value: f(self.value), least: f(self.least), greatest: f(self.greatest) }
    }

    /// Returns the quotient of two positive values.
    pub(super) fn over(self, other: Spread) -> Self {
        Spread {
            value: self.value / other.value,
            least: self.least / other.greatest,
            greatest: self.greatest / other.least,
        }
    }

    /// Returns the width over the value; infinite where the value is 0.
    fn relative(self) -> f64 {
        if self.greatest <= self.least { 0.0 } else { (self.greatest - self.least) / self.value.abs() }
    }

    fn holds(self, value: f64) -> bool {
        (self.least..=self.greatest).contains(&value)
    }
}

impl Sub for Spread {
    type Output = Spread;

    /// Returns the difference of two independent values.
    fn sub(self, other: Spread) -> Spread {
        Spread {
            value: self.value - other.value,
            least: self.least - other.greatest,
            greatest: self.greatest - other.least,
        }
    }
}

/// The constants of the model, each with its spread, and what each further rank on this machine adds.
#[derive(Clone, Copy, Debug, Serialize)]
pub(super) struct Constants {
    pub(super) compute: Spread,
    pub(super) serial: Spread,
    pub(super) serve: Spread,
    pub(super) sent: f64,
    pub(super) returned: f64,
    pub(super) ready: Spread,
    pub(super) rank: Spread,
    pub(super) launch: Spread,
}

impl Constants {
    /// Returns the constants of the model: the values, or one end of their spreads. None is below 0, which is where a
    /// difference of two noisy times may lie.
    fn costs(&self, end: impl Fn(Spread) -> f64) -> Costs {
        let at_least_0 = |spread| end(spread).max(0.0);
        Costs {
            compute: at_least_0(self.compute),
            serial: at_least_0(self.serial).min(1.0),
            serve: at_least_0(self.serve),
            sent: self.sent,
            returned: self.returned,
            ready: at_least_0(self.ready),
            launch: at_least_0(self.launch),
        }
    }

    /// Returns the predicted time of a job on this machine.
    fn predict_here(&self, ranks: usize, cores: usize, blobs: usize, end: impl Fn(Spread) -> f64) -> f64 {
        let here = Machines { nodes: 1, cores: ranks.min(cores), latency: 0.0, bandwidth: f64::INFINITY };
        let further = end(self.rank).max(0.0);
        self.costs(end).predict(&here, blobs).seconds + ranks.saturating_sub(1) as f64 * further
    }
}

/// A job on this machine.
#[derive(Clone, Debug, Serialize)]
struct Run {
    ranks: usize,
    predicted_s: Spread,
    measured_s: Spread,
    /// All measurements in order.
    all_s: Vec<f64>,
}

/// A prediction for other machines.
#[derive(Clone, Debug, Serialize)]
struct Predicted {
    blobs: usize,
    machines: usize,
    s: Spread,
    bound: &'static str,
}

/// All results.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Findings {
    /// Blobs of each job on this machine.
    blobs: usize,
    cores: usize,
    repeat: u16,
    constants: Constants,
    /// Measurements behind the constants by name, in order, in s.
    raw_s: BTreeMap<&'static str, Vec<f64>>,
    runs: Vec<Run>,
    /// The machines that are predicted for.
    machines: MachinesOf,
    predictions: Vec<Predicted>,
    /// Number of machines by number of blobs, above which twice as many save less than a tenth of the time.
    enough: BTreeMap<usize, usize>,
    warnings: Vec<String>,
}

#[derive(Clone, Copy, Debug, Serialize)]
struct MachinesOf {
    cores: usize,
    latency_s: f64,
    bytes_per_s: f64,
}

impl Findings {
    /// Computes the predictions and the warnings. `runs` are the numbers of ranks with their times in s.
    pub(super) fn new(
        arguments: &Arguments,
        cores: usize,
        constants: Constants,
        raw_s: BTreeMap<&'static str, Vec<f64>>,
        runs: Vec<(usize, Vec<f64>)>,
    ) -> Self {
        let blobs = usize::from(arguments.blobs);
        let machines = MachinesOf {
            cores: arguments.cores.into(),
            latency_s: arguments.latency.as_secs_f64(),
            bytes_per_s: arguments.gbit * 1e9 / 8.0,
        };
        let with = |nodes: usize| Machines {
            nodes,
            cores: machines.cores,
            latency: machines.latency_s,
            bandwidth: machines.bytes_per_s,
        };
        let [value, least, greatest] = [|s: Spread| s.value, |s: Spread| s.least, |s: Spread| s.greatest]
            .map(|end| constants.costs(end));
        let runs = runs.into_iter().map(|(ranks, all_s)| Run {
            ranks,
            predicted_s: Spread {
                value: constants.predict_here(ranks, cores, blobs, |s| s.value),
                least: constants.predict_here(ranks, cores, blobs, |s| s.least),
                greatest: constants.predict_here(ranks, cores, blobs, |s| s.greatest),
            },
            measured_s: Spread::of(&all_s),
            all_s,
        });
        let mut predictions = Vec::new();
        for blobs in arguments.jobs.iter().map(|blobs| *blobs as usize) {
            for nodes in arguments.nodes.iter().map(|nodes| *nodes as usize) {
                let said = value.predict(&with(nodes), blobs);
                let s = Spread {
                    value: said.seconds,
                    least: least.predict(&with(nodes), blobs).seconds,
                    greatest: greatest.predict(&with(nodes), blobs).seconds,
                };
                predictions.push(Predicted { blobs, machines: nodes, s, bound: said.bound.name() });
            }
        }
        let enough = |blobs: &u32| (*blobs as usize, value.enough_nodes(&with(1), *blobs as usize));
        let mut findings = Findings {
            blobs,
            cores,
            repeat: arguments.repeat,
            constants,
            raw_s,
            runs: runs.collect(),
            machines,
            predictions,
            enough: arguments.jobs.iter().map(enough).collect(),
            warnings: Vec::new(),
        };
        findings.warnings = findings.find_warnings();
        findings
    }

    fn find_warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        if self.repeat == 1 {
            warnings.push(
                "each was measured once, so its spread is not known: give --repeat 3 or more".to_owned(),
            );
        }
        let Constants { compute, serve, ready, rank, launch, .. } = self.constants;
        let named =
            [("compute", compute), ("serve", serve), ("ready", ready), ("rank", rank), ("launch", launch)];
        let unknown: Vec<&str> =
            named.iter().filter(|(_, spread)| spread.least <= 0.0).map(|(name, _)| *name).collect();
        if !unknown.is_empty() {
            warnings
                .push(format!("{} may be 0: the measurements vary by more than that", unknown.join(", ")));
        }
        let uncertain = |(_, spread): &&(&str, Spread)| spread.least > 0.0 && spread.relative() > LARGE;
        let uncertain: Vec<String> = named
            .iter()
            .filter(uncertain)
            .map(|(name, spread)| format!("{name} by {:.0} %", 100.0 * spread.relative()))
            .collect();
        if !uncertain.is_empty() {
            warnings.push(format!("what was measured varies much: {}", uncertain.join(", ")));
        }
        let ranks = |chosen: &dyn Fn(&Run) -> bool| -> Vec<String> {
            self.runs.iter().filter(|run| chosen(run)).map(|run| run.ranks.to_string()).collect()
        };
        let varying = ranks(&|run| run.measured_s.relative() > LARGE);
        if !varying.is_empty() {
            warnings.push(format!(
                "the times on {} ranks vary by more than {:.0} %: other programs may be using this machine",
                varying.join(", "),
                100.0 * LARGE
            ));
        }
        let apart = ranks(&|run| !run.measured_s.holds(run.predicted_s.value));
        if !apart.is_empty() && self.repeat > 1 {
            let factor = |run: &Run| (run.measured_s.value / run.predicted_s.value).ln().abs();
            let most = self.runs.iter().map(factor).fold(0.0, f64::max).exp_m1();
            warnings.push(format!(
                "the predictions on {} ranks lie outside of what was measured; the greatest difference of a prediction from \
                 its median is {:.0} %",
                apart.join(", "),
                100.0 * most
            ));
        }
        warnings
    }

    pub(super) fn json(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    pub(super) fn text(&self, tables_mib: usize) -> String {
        let mut text = self.constants_text(tables_mib);
        let _ = write!(
            text,
            "\nOn this machine, the cells and proofs of {} blobs, one thread a rank, the median of {} with the least\n\
             and the greatest:\n\n{:>7} {:>11} {:>11} {:>22} {:>22}\n",
            self.blobs,
            self.repeat,
            "ranks",
            "predicted",
            "measured",
            "least to greatest",
            "measured / predicted"
        );
        for Run { ranks, predicted_s, measured_s, .. } in &self.runs {
            let ratio = measured_s.value / predicted_s.value;
            let _ = writeln!(
                text,
                "{ranks:>7} {:>11} {:>11} {:>22} {ratio:>22.2}",
                seconds(predicted_s.value),
                seconds(measured_s.value),
                range(*measured_s),
            );
        }
        text += &self.predictions_text();
        for warning in &self.warnings {
            text += "\n";
            text += &wrapped(&format!("warning: {warning}"));
        }
        text
    }

    /// Returns the table of the measured constants.
    fn constants_text(&self, tables_mib: usize) -> String {
        let Constants { compute, serial, serve, sent, returned, ready, rank, launch } = self.constants;
        let timed = |spread: Spread| {
            let shown = spread.map(|s| s.max(0.0));
            (seconds(shown.value), range(shown))
        };
        let percent = |share: f64| format!("{:.0} %", 100.0 * share.clamp(0.0, 1.0));
        let bytes = |bytes: f64| (text::size(bytes as u64), String::new());
        let share =
            (percent(serial.value), format!("{} to {}", percent(serial.least), percent(serial.greatest)));
        let rows = [
            (
                "compute",
                timed(compute),
                format!(
                    "one thread's time for the cells and proofs of a blob, {} threads at work",
                    self.cores
                ),
            ),
            ("serial", share, "the share of it that is not parallel".to_owned()),
            ("serve", timed(serve), "other time of a blob: read, send, receive, write".to_owned()),
            ("sent", bytes(sent), "a blob on its way to a rank".to_owned()),
            ("returned", bytes(returned), "its cells and proofs on their way back".to_owned()),
            (
                "ready",
                timed(ready),
                format!("start-up of one rank: launcher, MPI, setup, {tables_mib} MiB of tables at most"),
            ),
            ("rank", timed(rank), "added by each further rank on this machine".to_owned()),
            ("launch", timed(launch), "the launcher's part of it, for each rank".to_owned()),
        ];
        let mut text = "Measured here, with the least and the greatest:\n\n".to_owned();
        for (name, (value, range), what) in rows {
            let _ = writeln!(text, "  {name:<9} {value:>10} {range:>22}   {what}");
        }
        text
    }

    /// Returns the table of the predictions.
    fn predictions_text(&self) -> String {
        let mut text = format!(
            "\nPredicted for machines with {} such cores each, {} and {} Gbit/s apart, with what limits the job:\n\n{:>9}",
            self.machines.cores,
            seconds(self.machines.latency_s),
            self.machines.bytes_per_s * 8.0 / 1e9,
            "blobs"
        );
        let of_first =
            |one: &&Predicted| self.predictions.first().is_some_and(|first| first.blobs == one.blobs);
        for nodes in self.predictions.iter().filter(of_first).map(|one| one.machines) {
            let _ = write!(text, " {:>22}", text::counted(nodes, "machine"));
        }
        text += "   enough\n";
        for of_blobs in self.predictions.chunk_by(|a, b| a.blobs == b.blobs) {
            let blobs = of_blobs.first().map_or(0, |one| one.blobs);
            let _ = write!(text, "{blobs:>9}");
            for one in of_blobs {
                let _ = write!(text, " {:>22}", format!("{} ({})", seconds(one.s.value), one.bound));
            }
            let _ = writeln!(text, " {:>8}", self.enough.get(&blobs).copied().unwrap_or_default());
        }
        text += "\nenough: twice as many machines save less than a tenth of the time.\n";
        let most = self.predictions.iter().map(|one| one.s.greatest / one.s.value - 1.0).fold(0.0, f64::max);
        let least = self.predictions.iter().map(|one| 1.0 - one.s.least / one.s.value).fold(0.0, f64::max);
        text += &wrapped(&format!(
            "As far as the measurements vary, a prediction may be up to {:.0} % too small or {:.0} % too large.",
            100.0 * most,
            100.0 * least
        ));
        text
    }
}

/// Returns a spread, as `1.02 s to 1.05 s`; empty where there is none.
fn range(spread: Spread) -> String {
    match spread.greatest > spread.least {
        true => format!("{} to {}", seconds(spread.least), seconds(spread.greatest)),
        false => String::new(),
    }
}

/// Returns a text in lines of at most 100 columns.
fn wrapped(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.is_empty() => line.push_str(word),
            Some(line) if line.chars().count() + 1 + word.chars().count() <= 100 => {
                *line += &format!(" {word}")
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        arguments: Arguments,
    }

    fn arguments(words: &[&str]) -> Arguments {
        Line::parse_from([&["scaling"], words].concat()).arguments
    }

    fn known(value: f64) -> Spread {
        Spread { value, least: value * 0.99, greatest: value * 1.01 }
    }

    fn constants() -> Constants {
        Constants {
            compute: known(0.03),
            serial: known(0.1),
            serve: known(1e-3),
            sent: 131_072.0,
            returned: 268_288.0,
            ready: known(0.15),
            rank: known(0.17),
            launch: known(5e-4),
        }
    }

    fn findings(constants: Constants, words: &[&str], factor: &[f64]) -> Findings {
        let predicted = constants.predict_here(2, 2, 32, |s| s.value);
        let times = factor.iter().map(|factor| factor * predicted).collect();
        let raw = BTreeMap::from([("alone", vec![0.03, 0.031])]);
        Findings::new(&arguments(words), 2, constants, raw, vec![(2, times)])
    }

    #[test]
    fn spreads() {
        let spread = Spread::of(&[3.0, 1.0, 2.0]);
        assert_eq!(spread, Spread { value: 2.0, least: 1.0, greatest: 3.0 });
        assert_eq!(spread - known(1.0), Spread { value: 1.0, least: 1.0 - 1.01, greatest: 3.0 - 0.99 });
        assert_eq!(Spread::of(&[4.0]).over(spread), Spread { value: 2.0, least: 4.0 / 3.0, greatest: 4.0 });
        assert_eq!((spread.relative(), Spread::of(&[1.0]).relative()), (1.0, 0.0));
        assert_eq!(range(spread), "1.00 s to 3.00 s");
    }

    #[test]
    fn a_calm_machine_has_no_warning_and_a_busy_one_has() {
        let calm = findings(constants(), &[], &[1.02, 0.99, 1.0]);
        assert_eq!(calm.warnings, [] as [&str; 0]);
        let text = calm.text(64);
        for part in [
            "  compute      30.0 ms     29.7 ms to 30.3 ms   one thread's time",
            "  serial          10 %           10 % to 10 %   the share",
            "least to greatest   measured / predicted",
            "                   1.00\n",
            "a prediction may be up to 1 % too small or 1 % too large.",
        ] {
            assert!(text.contains(part), "{part}\n{text}");
        }
        let busy = Spread { value: 0.03, least: 0.02, greatest: 0.09 };
        let lost = Spread { value: -1e-4, least: -1e-3, greatest: 1e-3 };
        let busy = Constants { compute: busy, launch: lost, ..constants() };
        let busy = findings(busy, &[], &[2.0, 1.2, 1.3]);
        assert_eq!(
            busy.warnings,
            [
                "launch may be 0: the measurements vary by more than that",
                "what was measured varies much: compute by 233 %",
                "the times on 2 ranks vary by more than 20 %: other programs may be using this machine",
                "the predictions on 2 ranks lie outside of what was measured; the greatest difference of a prediction from its \
                 median is 30 %",
            ]
        );
        assert!(busy.text(64).contains("\nwarning: what was measured varies much: compute by 233 %\n"));
        assert!(
            busy.predictions.iter().all(|one| one.s.least <= one.s.value && one.s.value < one.s.greatest)
        );
        let once = findings(constants(), &["--repeat", "1"], &[1.5]);
        assert!(once.warnings.len() == 1 && once.warnings[0].contains("--repeat 3"), "{:?}", once.warnings);
    }

    #[test]
    fn json_has_all_raw_values() {
        let found = findings(constants(), &["--nodes", "1,4", "--jobs", "72"], &[1.0, 1.1]);
        let json: serde_json::Value = serde_json::from_str(&found.json().unwrap()).unwrap();
        assert_eq!(json["raw_s"]["alone"], serde_json::json!([0.03, 0.031]));
        assert_eq!(json["runs"][0]["all_s"].as_array().unwrap().len(), 2);
        assert_eq!(json["constants"]["compute"]["value"], 0.03);
        let predictions = json["predictions"].as_array().unwrap();
        assert_eq!((predictions.len(), predictions[1]["machines"].as_u64()), (2, Some(4)));
        assert!(json["enough"]["72"].as_u64().is_some_and(|machines| machines > 0));
    }
}

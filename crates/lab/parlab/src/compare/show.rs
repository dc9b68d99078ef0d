//! The results of a comparison in the form that is asked for.

use parcrypt_lab::record::Record;
use parcrypt_lab::stats::Estimate;
use parcrypt_report as report;
use parcrypt_report::verdict::{Gate, Holds, Pair, pairs};
use serde_json::{Value, json};

use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::text::{Printed, on_one_line, shown, tell};

use super::Arguments;
use crate::bench::names::Names;

/// Prints the results, and writes the page beside the record if it is kept.
pub(super) fn print(
    record: &Record,
    names: &Names,
    answer: Option<(Gate, Holds)>,
    arguments: &Arguments,
) -> Result<(), CommandError> {
    let files = match arguments.out {
        Some(_) => write(record, names)?,
        None => String::new(),
    };
    let pairs = pairs(record);
    let sentences = || pairs.iter().map(|pair| on_one_line(&sentence(pair)));
    if arguments.json {
        let text = serde_json::to_string_pretty(&in_json(record, &pairs, answer)?)?;
        Printed::Json(&(text + "\n")).write()?;
    } else if arguments.csv {
        Printed::Plain(&report::csv(std::slice::from_ref(record))).write()?;
    } else if arguments.markdown {
        let list: String =
            sentences().map(|sentence| format!("- {}\n", report::markdown_text(&sentence))).collect();
        Printed::Plain(&format!("{list}\n{}", report::commands_markdown(record))).write()?;
    } else {
        let list: String = sentences().map(|sentence| sentence + "\n").collect();
        let (width, colour) = crate::report::screen();
        let gap = if list.is_empty() && files.is_empty() { "" } else { "\n" };
        let text = format!("{}{gap}{list}{files}", report::commands(record, width, colour));
        return Printed::Coloured(&text).write();
    }
    if !files.is_empty() {
        tell(files.trim_end());
    }
    Ok(())
}

/// Returns the verdict on a pair, with the parameters of its case.
fn sentence(pair: &Pair<'_>) -> String {
    let params: Vec<String> =
        pair.case.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let place = if params.is_empty() { String::new() } else { format!("{}: ", params.join(" ")) };
    place + &pair.sentence()
}

/// Writes the pages of a record, and returns the lines that name its files.
fn write(record: &Record, names: &Names) -> Result<String, CommandError> {
    names.write("html", &report::html_with_files(&[(record, &names.file("json"))]))?;
    names.write("md", &report::markdown(record))?;
    let [record, page] = ["json", "html"].map(|ending| shown(&names.path(ending)));
    Ok(format!("record: {record}\npage:   {page}\n"))
}

/// Returns a ratio of two times, or two counts, for JSON.
pub(super) fn ratio(of: &Estimate) -> Value {
    json!({
        "estimate": of.value,
        "low": of.interval.map(|interval| interval.low),
        "high": of.interval.map(|interval| interval.high),
        "replicates": of.replicates,
    })
}

/// Returns the answer to `--fail-if` for JSON; null where nothing was asked.
pub(super) fn answer(of: Option<(Gate, Holds)>) -> Value {
    of.map_or(
        Value::Null,
        |(condition, answer)| json!({ "condition": condition.to_string(), "answer": answer.name() }),
    )
}

fn in_json(
    record: &Record,
    pairs: &[Pair<'_>],
    outcome: Option<(Gate, Holds)>,
) -> Result<Value, CommandError> {
    let verdict = |pair: &Pair<'_>| {
        json!({
            "params": pair.case.params,
            "baseline": pair.baseline.candidate,
            "command": pair.entry.candidate,
            "measure": pair.case.measure,
            "verdict": pair.name(),
            "time_ratio": pair.ratio.as_ref().filter(|_| pair.case.measure.is_time()).map(ratio),
            "count_ratio": pair.ratio.as_ref().filter(|_| !pair.case.measure.is_time()).map(ratio),
            "sentence": pair.sentence(),
        })
    };
    let estimates: Value = serde_json::from_str(&report::json(std::slice::from_ref(record))?)?;
    Ok(json!({
        "schema": 1,
        "verdicts": pairs.iter().map(verdict).collect::<Vec<_>>(),
        "fail_if": answer(outcome),
        "estimates": estimates,
    }))
}

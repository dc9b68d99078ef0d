//! The results of a comparison in the form that is asked for.

use parcrypt_lab::record::Record;
use parcrypt_lab::write_new;
use parcrypt_report::verdict::{Pair, pairs};
use parcrypt_report::{self as report};
use serde_json::{Value, json};

use crate::error::CommandError;
use crate::text::{Printed, on_one_line, shown, tell};

use super::super::bench::names::Names;
use super::Arguments;

/// Prints the results, and writes the page beside the record where it is kept.
pub(super) fn print(record: &Record, names: &Names, arguments: &Arguments) -> Result<(), CommandError> {
    let files = match arguments.out {
        Some(_) => write(record, names)?,
        None => String::new(),
    };
    let pairs = pairs(record);
    let sentences = || pairs.iter().map(|pair| on_one_line(&sentence(pair)));
    if arguments.json {
        let text = serde_json::to_string_pretty(&json(record, &pairs, arguments)?)?;
        Printed::Json(&(text + "\n")).write()?;
    } else if arguments.csv {
        Printed::Plain(&report::csv(std::slice::from_ref(record))).write()?;
    } else if arguments.markdown {
        let list: String =
            sentences().map(|sentence| format!("- {}\n", report::markdown_text(&sentence))).collect();
        Printed::Plain(&format!("{list}\n{}", report::markdown(record))).write()?;
    } else {
        let list: String = sentences().map(|sentence| sentence + "\n").collect();
        let text = format!("{}\n{list}{files}", super::super::report::terminal(record));
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
    let save = |ending: &str, text: String| {
        let path = names.path(ending);
        write_new(&path, text.as_bytes()).map_err(|e| CommandError::new(format!("{}: {e}", path.display())))
    };
    save("html", report::html(std::slice::from_ref(record)))?;
    save("md", report::markdown(record))?;
    let [record, page] = ["json", "html"].map(|ending| shown(&names.path(ending)));
    Ok(format!("record: {record}\npage:   {page}\n"))
}

fn json(record: &Record, pairs: &[Pair<'_>], arguments: &Arguments) -> Result<Value, CommandError> {
    let verdict = |pair: &Pair<'_>| {
        let interval = pair.ratio.and_then(|ratio| ratio.interval);
        json!({
            "params": pair.case.params,
            "baseline": pair.baseline.candidate,
            "command": pair.entry.candidate,
            "verdict": pair.verdict.name(),
            "time_ratio": pair.ratio.map(|ratio| json!({
                "estimate": ratio.value,
                "low": interval.map(|interval| interval.low),
                "high": interval.map(|interval| interval.high),
                "replicates": ratio.replicates,
            })),
            "sentence": pair.sentence(),
        })
    };
    let estimates: Value = serde_json::from_str(&report::json(std::slice::from_ref(record))?)?;
    let fail_if = arguments.fail_if.map(|condition| {
        json!({ "condition": condition.to_string(), "answer": condition.holds_for_one(pairs).name() })
    });
    Ok(json!({
        "schema": 1,
        "verdicts": pairs.iter().map(verdict).collect::<Vec<_>>(),
        "fail_if": fail_if,
        "estimates": estimates,
    }))
}

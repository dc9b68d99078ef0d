//! Verdicts on commands, as texts and as JSON.

use parcrypt_lab::record::Record;
use parcrypt_lab::stats::Estimate;
use serde_json::{Value, json};

use crate::document::{Block, strong};
use crate::export::screen::Screen;
use crate::export::{json as results, markdown};
use crate::verdict::{Gate, Holds, Pair, pairs};
use crate::view::RecordView;
use crate::{commands, format, suite};

/// Form of verdicts. A suite has its conditions in its record.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// Text for a terminal.
    Terminal(Screen),
    /// Markdown, with a condition and whether it holds.
    Markdown(Option<(Gate, Holds)>),
    /// JSON, with a condition and whether it holds.
    Json(Option<(Gate, Holds)>),
}

/// Returns the table of each case and the verdict on each pair; of a suite its table.
pub(crate) fn verdicts(record: &Record, form: Form) -> Result<String, serde_json::Error> {
    if let Some(suite) = suite::of(record) {
        return suite.verdicts(form);
    }
    let view = &RecordView::new(record);
    Ok(match form {
        Form::Terminal(screen) => on_screen(view, screen),
        Form::Markdown(answer) => {
            let answer =
                answer.map(|(condition, answer)| strong(format!("{condition}? {}", answer.name()), ""));
            let blocks: Vec<Block> = commands::of(view).into_iter().chain(answer).collect();
            sentences(view.record, form) + "\n" + &markdown::document(&blocks)
        }
        Form::Json(answer) => {
            let answer = answer.map(
                |(condition, answer)| json!({ "condition": condition.to_string(), "answer": answer.name() }),
            );
            let verdicts: Vec<Value> = pairs(view.record).iter().map(verdict).collect();
            let estimates = [results::results(view)];
            let all = json!({ "schema": 1, "verdicts": verdicts, "fail_if": answer, "estimates": estimates });
            serde_json::to_string_pretty(&all)? + "\n"
        }
    })
}

/// [`verdicts`] for a terminal.
pub(crate) fn on_screen(view: &RecordView<'_>, screen: Screen) -> String {
    let tables = screen.document(&commands::of(view));
    match sentences(view.record, Form::Terminal(screen)) {
        list if list.is_empty() => tables,
        list => tables + "\n" + &list,
    }
}

/// Returns the verdict on each pair, with the parameters of its case: on a line of a terminal, or as an item of a list
/// in Markdown.
pub(crate) fn sentences(record: &Record, form: Form) -> String {
    let line = |pair: &Pair<'_>| match form {
        Form::Markdown(_) => format!("- {}\n", markdown::plain(&sentence(pair))),
        _ => format::one_line(&sentence(pair)) + "\n",
    };
    pairs(record).iter().map(line).collect()
}

/// Returns the verdict on a pair, with the parameters of its case.
fn sentence(pair: &Pair<'_>) -> String {
    let params: Vec<String> =
        pair.case.params.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let place = if params.is_empty() { String::new() } else { format!("{}: ", params.join(" ")) };
    place + &pair.sentence()
}

fn verdict(pair: &Pair<'_>) -> Value {
    let is_time = pair.case.measure.is_time();
    json!({
        "params": pair.case.params,
        "baseline": pair.baseline.candidate,
        "command": pair.entry.candidate,
        "measure": pair.case.measure,
        "verdict": pair.name(),
        "time_ratio": pair.ratio.as_ref().filter(|_| is_time).map(ratio),
        "count_ratio": pair.ratio.as_ref().filter(|_| !is_time).map(ratio),
        "sentence": pair.sentence(),
    })
}

fn ratio(of: &Estimate) -> Value {
    json!(results::Value::from(*of))
}

//! `compare --records`: what has changed between two runs.

use std::path::Path;

use parcrypt_lab::record::Record;
use parcrypt_report::verdict::{Compared, Gate, Holds, Outcome, compared};
use serde_json::{Value, json};

use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::text::{Printed, on_one_line, tell};

use super::{Arguments, exit_code};

/// Prints the verdict on each entry of two records, and returns the exit code.
pub(super) fn compare(old: &Path, new: &Path, arguments: &Arguments) -> Result<u8, CommandError> {
    let (old, new) = (Record::read(old)?, Record::read(new)?);
    let all = compared(&old, &new);
    if all.is_empty() {
        return Err(CommandError::new("--records: the records have no candidates"));
    }
    let ratios = all.iter().map(|one| match &one.outcome {
        Outcome::Ratio(ratio, ..) => Some(ratio),
        Outcome::NotComparable(_) => None,
    });
    let answer = arguments.fail_if.map(|condition| (condition, condition.holds_for_one(ratios)));
    if arguments.json {
        let text = serde_json::to_string_pretty(&in_json(&all, answer))?;
        Printed::Json(&(text + "\n")).write()?;
    } else {
        let mark = if arguments.markdown { "- " } else { "" };
        let text = |one: &Compared| match arguments.markdown {
            true => parcrypt_report::markdown_text(&one.sentence()),
            false => on_one_line(&one.sentence()),
        };
        let lines: String = all.iter().map(|one| format!("{mark}{}\n", text(one))).collect();
        Printed::Plain(&lines).write()?;
    }
    if all.iter().all(|one| matches!(one.outcome, Outcome::NotComparable(_))) {
        return Err(CommandError::new("--records: nothing in the two records is comparable"));
    }
    tell(
        "note: the intervals do not have what the machine did between the two runs; --rev measures in one run",
    );
    Ok(exit_code(answer))
}

fn in_json(all: &[Compared], answer: Option<(Gate, Holds)>) -> Value {
    let one = |one: &Compared| {
        let (verdict, ratio, why) = match &one.outcome {
            Outcome::Ratio(ratio, verdict, measure) => {
                (verdict.name(measure), Some(super::show::ratio(ratio)), None)
            }
            Outcome::NotComparable(why) => ("not-comparable", None, Some(why)),
        };
        json!({
            "entry": one.entry,
            "verdict": verdict,
            "time_ratio": ratio,
            "why": why,
            "sentence": one.sentence(),
        })
    };
    json!({
        "schema": 1,
        "verdicts": all.iter().map(one).collect::<Vec<_>>(),
        "fail_if": super::show::answer(answer),
    })
}

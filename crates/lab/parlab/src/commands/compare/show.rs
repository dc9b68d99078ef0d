//! The results of a comparison in the form that is asked for.

use parcrypt_lab::record::Record;
use parcrypt_report::verdict::{Gate, Holds};
use parcrypt_report::{Form, Format};

use parcrypt_terminal::error::CommandError;
use parcrypt_terminal::text::{shown, tell};

use super::Arguments;
use crate::commands::bench::names::Names;
use crate::commands::report;

/// Prints the results, and writes the page next to the record if it is kept.
pub(super) fn print(
    record: &Record,
    names: &Names,
    answer: Option<(Gate, Holds)>,
    arguments: &Arguments,
) -> Result<(), CommandError> {
    let mut files = String::new();
    if arguments.out.is_some() {
        report::pages(record, names).into_iter().collect::<Result<(), _>>()?;
        let [record, page] = ["json", "html"].map(|ending| shown(&names.path(ending)));
        files = format!("record: {record}\npage:   {page}\n");
    }
    let path = names.path("json");
    let (records, form) = ([(record, &*path)], form(answer, arguments));
    if matches!(form, Form::Terminal(_)) && !arguments.csv {
        let gap = if files.is_empty() { "" } else { "\n" };
        return report::print(&records, Format::Verdicts(form), |text| text + gap + &files);
    }
    let format = if arguments.csv { Format::Csv } else { Format::Verdicts(form) };
    report::print(&records, format, |text| text)?;
    if !files.is_empty() {
        tell(files.trim_end());
    }
    Ok(())
}

/// Returns the form of verdicts that is asked for.
fn form(answer: Option<(Gate, Holds)>, arguments: &Arguments) -> Form {
    match arguments {
        Arguments { json: true, .. } => Form::Json(answer),
        Arguments { markdown: true, .. } => Form::Markdown(answer),
        _ => Form::Terminal(report::screen()),
    }
}

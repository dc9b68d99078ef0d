//! The rows of sheets as CSV (RFC 4180): a line for each number of each row.

use std::fmt::Write;

use crate::format;
use crate::sheet::{Row, Sheet, Table};

/// Returns the header, and a line for each number of each row of some sheets.
pub(crate) fn sheets(sheets: &[Sheet]) -> String {
    let mut out = "plan,case,row,threads,column,estimate,low,high,replicates,verdict,missing\n".to_owned();
    for sheet in sheets {
        let plan = sheet.run.fields.get("plan").and_then(|plan| plan.as_str()).unwrap_or_default();
        let cases =
            sheet.cases.iter().flat_map(|part| part.tables.iter().map(|table| (part.title.as_str(), table)));
        let whole = std::iter::once(("", &sheet.rows)).filter(|_| sheet.cases.is_empty());
        for (case, table) in whole.chain(cases) {
            table.rows.iter().for_each(|row| lines(&mut out, [plan, case], table, row));
        }
    }
    out
}

fn lines(out: &mut String, place: [&str; 2], table: &Table, row: &Row) {
    let threads = row.facts.get("threads").map(ToString::to_string).unwrap_or_default();
    let verdict = serde_json::to_value(row.verdict).ok();
    let verdict = verdict.as_ref().and_then(|verdict| verdict.as_str()).unwrap_or_default();
    let mut line = |column: &str, numbers: [String; 4], missing: &str| {
        let names = place.into_iter().chain([row.what.as_str(), &threads, column]).map(quoted);
        let all = names.chain(numbers).chain([verdict.to_owned(), quoted(missing)]);
        let _ = writeln!(out, "{}", all.collect::<Vec<_>>().join(","));
    };
    if let Some((why, _)) = &row.missing {
        line("", [const { String::new() }; 4], why);
    }
    for (column, value) in
        table.columns.iter().zip(&row.cells).filter_map(|(column, cell)| Some((column, cell.value?)))
    {
        let bound = |bound: Option<f64>| bound.map_or(String::new(), |bound| bound.to_string());
        let [low, high] = [value.interval.map(|i| i.low), value.interval.map(|i| i.high)].map(bound);
        line(&column.name, [value.value.to_string(), low, high, value.replicates.to_string()], "");
    }
}

/// Returns an untrusted field on one line, in quotation marks if it needs them.
fn quoted(field: &str) -> String {
    let field = format::one_line(field);
    match field.contains([',', '"']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field,
    }
}

//! The rows of sheets as CSV (RFC 4180): a line for each number of each row, with the values of JSON.

use std::fmt::Write;

use serde_json::Value;

use crate::export::json;
use crate::format;
use crate::sheet::Sheet;

/// Returns the header, and a line for each number of each row of some sheets.
pub(crate) fn sheets(sheets: &[Sheet]) -> String {
    let mut out = "plan,case,row,threads,column,estimate,low,high,replicates,verdict,missing\n".to_owned();
    for all in sheets.iter().map(json::sheet) {
        let cases = all["cases"].as_array().into_iter().flatten();
        let tables = cases.flat_map(|case| {
            let tables = case["tables"].as_array().into_iter().flatten();
            tables.map(move |table| (&case["title"], table))
        });
        let has_cases = tables.clone().next().is_some();
        let whole = (!has_cases).then_some((&Value::Null, &all));
        for (case, table) in whole.into_iter().chain(tables) {
            let rows = table["rows"].as_array().into_iter().flatten();
            rows.for_each(|row| lines(&mut out, [&all["plan"], case], row));
        }
    }
    out
}

fn lines(out: &mut String, [plan, case]: [&Value; 2], row: &Value) {
    let mut line = |column: &str, of: &Value, missing: &Value| {
        let column = Value::from(column);
        let names = [plan, case, &row["what"], &row["threads"], &column];
        let numbers = ["estimate", "low", "high", "replicates"].map(|name| &of[name]);
        let all = names.into_iter().chain(numbers).chain([&row["verdict"], missing]).map(field);
        let _ = writeln!(out, "{}", all.collect::<Vec<_>>().join(","));
    };
    if let Some(why) = row.get("missing") {
        line("", &Value::Null, why);
    }
    for (column, value) in row.as_object().into_iter().flatten() {
        if value.get("estimate").is_some() {
            line(column, value, &Value::Null);
        }
    }
}

/// Returns an untrusted field on one line, in quotation marks if it needs them.
fn field(value: &Value) -> String {
    let number = value.as_f64().map_or(String::new(), |number| number.to_string());
    let text = value.as_str().map_or(number, format::one_line);
    match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text,
    }
}

//! Sheets as JSON, one schema for all commands: docs/reference/results.md lists the fields, which a test compares.

use serde_json::{Map, Value, json};

use crate::sheet::{Answer, Cell, Column, Note, Part, Row, Sheet, Table, number};

/// Version of the schema.
const SCHEMA: u32 = 1;

/// Returns sheets as JSON, a single one not in an array.
pub(crate) fn sheets(sheets: &[Sheet]) -> String {
    let all: Vec<Value> = sheets.iter().map(sheet).collect();
    if let [one] = &all[..] { format!("{one:#}\n") } else { format!("{:#}\n", Value::Array(all)) }
}

pub(crate) fn sheet(sheet: &Sheet) -> Value {
    let part = |part: &Part| {
        let tables: Vec<Value> = part.tables.iter().map(table).collect();
        let (title, verdict, notes) = (&part.title, part.verdict.concat(), &part.notes);
        let own = json!({ "title": title, "verdict": verdict, "tables": tables, "notes": notes });
        Value::Object(with(part.facts.clone(), own))
    };
    let answer = |answer: &Answer| {
        let (text, verdict, claim) = (answer.text.join(" "), answer.verdict, &answer.claim);
        let own = json!({ "ask": answer.ask, "text": text.trim_end(), "verdict": verdict, "claim": claim });
        let mut all = with(answer.facts.clone(), own);
        all.retain(|_, value| !value.is_null() && value.as_str() != Some(""));
        Value::Object(all)
    };
    let note = |note: &Note| json!({ "text": note.text, "output": note.output });
    let run = with(Map::from_iter([("schema".to_owned(), json!(SCHEMA))]), json!(sheet.run.fields));
    let own = json!({
        "verdict": sheet.head.verdict.concat(),
        "warnings": sheet.head.warnings,
        "rows": rows(&sheet.rows),
        "answers": sheet.answers.iter().chain(&sheet.conditions).map(answer).collect::<Vec<_>>(),
        "notes": sheet.notes.iter().map(note).collect::<Vec<_>>(),
        "tables": sheet.tables.iter().map(table).collect::<Vec<_>>(),
        "cases": sheet.cases.iter().map(part).collect::<Vec<_>>(),
    });
    Value::Object(with(run, own))
}

fn with(mut all: Map<String, Value>, own: Value) -> Map<String, Value> {
    all.extend(own.as_object().cloned().unwrap_or_default());
    all
}

fn table(of: &Table) -> Value {
    json!({ "title": of.title, "rows": rows(of) })
}

fn rows(of: &Table) -> Vec<Value> {
    of.rows.iter().map(|one| row(of, one)).collect()
}

fn row(of: &Table, row: &Row) -> Value {
    let cell = |cell: &Cell| cell.value.map_or_else(|| json!(cell.text), number);
    let has_field = |(column, cell): &(&Column, &Cell)| {
        !column.name.is_empty() && (cell.value.is_some() || cell.text != "–")
    };
    let columns = of.columns.iter().zip(&row.cells).filter(has_field);
    let mut all = Map::from_iter([("what".to_owned(), json!(row.what))]);
    all.extend(columns.map(|(column, one)| (column.name.clone(), cell(one))));
    all.extend(row.facts.clone());
    all.insert("verdict".to_owned(), json!(row.verdict));
    if let Some((why, _)) = &row.missing {
        all.insert("missing".to_owned(), json!(why));
    }
    Value::Object(all)
}

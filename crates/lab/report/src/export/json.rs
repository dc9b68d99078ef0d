//! Sheets as JSON, one schema for all commands: docs/reference/results.md lists the fields, which a test compares.

use serde_json::{Map, Value, json};

use crate::sheet::{Cell, Row, Sheet, Table, number};

/// Version of the schema.
const SCHEMA: u32 = 1;

/// Returns sheets as JSON, a single one not in an array.
pub(crate) fn sheets(sheets: &[Sheet]) -> String {
    let all: Vec<Value> = sheets.iter().map(sheet).collect();
    if let [one] = &all[..] { format!("{one:#}\n") } else { format!("{:#}\n", Value::Array(all)) }
}

fn sheet(sheet: &Sheet) -> Value {
    let part = |part: &crate::sheet::Part| {
        let tables: Vec<Value> = part.tables.iter().map(table).collect();
        let mut all = part.facts.clone();
        let own = json!({ "title": part.title, "verdict": part.verdict.concat(), "tables": tables, "notes": part.notes });
        extend(&mut all, own);
        Value::Object(all)
    };
    let answer = |answer: &crate::sheet::Answer| {
        let text = answer.text.join(" ");
        let mut all = answer.facts.clone();
        extend(
            &mut all,
            json!({ "ask": answer.ask, "text": text.trim_end(), "verdict": answer.verdict, "claim": answer.claim }),
        );
        all.retain(|_, value| !value.is_null() && value.as_str() != Some(""));
        Value::Object(all)
    };
    let note = |note: &crate::sheet::Note| json!({ "text": note.text, "output": note.output });
    let mut all = Map::new();
    extend(&mut all, json!({ "schema": SCHEMA }));
    extend(&mut all, Value::Object(sheet.run.fields.clone()));
    let own = json!({
        "verdict": sheet.head.verdict.concat(),
        "warnings": sheet.head.warnings,
        "rows": rows(&sheet.rows),
        "answers": sheet.answers.iter().map(answer).collect::<Vec<_>>(),
        "notes": sheet.notes.iter().map(note).collect::<Vec<_>>(),
        "tables": sheet.tables.iter().map(table).collect::<Vec<_>>(),
        "cases": sheet.cases.iter().map(part).collect::<Vec<_>>(),
    });
    extend(&mut all, own);
    Value::Object(all)
}

fn extend(all: &mut Map<String, Value>, fields: Value) {
    if let Value::Object(fields) = fields {
        all.extend(fields);
    }
}

fn table(of: &Table) -> Value {
    json!({ "title": of.title, "rows": rows(of) })
}

fn rows(of: &Table) -> Vec<Value> {
    of.rows.iter().map(|one| row(of, one)).collect()
}

fn row(of: &Table, row: &Row) -> Value {
    let cell = |cell: &Cell| cell.value.map_or_else(|| json!(cell.text), number);
    let columns =
        of.columns.iter().zip(&row.cells).filter(|(_, cell)| cell.value.is_some() || cell.text != "–");
    let mut all = Map::from_iter([("what".to_owned(), json!(row.what))]);
    all.extend(columns.map(|(column, one)| (column.name.clone(), cell(one))));
    all.extend(row.facts.clone());
    all.insert("verdict".to_owned(), json!(row.verdict));
    if let Some((why, _)) = &row.missing {
        all.insert("missing".to_owned(), json!(why));
    }
    Value::Object(all)
}

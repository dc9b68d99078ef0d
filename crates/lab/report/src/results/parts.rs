//! Parts of a document that are written from records, besides the picture and the mean speeds: a table of a client's
//! work, and the output of a run.

use parcrypt_lab::record::{Case, Entry, Value};
use parcrypt_lab::stats;

use super::speed::after_end;
use super::{Source, command};
use crate::comparison::Form;
use crate::error::FrontError;
use crate::export::markdown;
use crate::export::screen::{Colour, Screen};
use crate::view::RecordView;
use crate::{comparison, format, sentences, summary};

/// Start of each part; its name and [`CLOSE`] follow.
pub(super) const BEGIN: &str = "<!-- generated: ";
const CLOSE: &str = " -->";
/// Name of the table.
const WORK: &str = "work of a client";
/// Beginning of the name of an output; the name of the record follows.
const OUTPUT: &str = "output of ";
/// Beginning of the name of the last lines of an output of `compare`.
const VERDICT: &str = "verdict of ";

/// Name of the plan whose newest record is that table, and its candidates: the baseline, ours in the best vectors of
/// the machine, and ours in AVX2.
const PLAN: &str = "block-blobs";
const CANDIDATES: [&str; 3] = ["c-kzg", "parcrypt", "parcrypt, AVX2"];

/// Number of columns of an output.
const WIDTH: u16 = 100;

/// Work in words, with its workload and number of blobs.
const ROWS: [(&str, &str, u64); 4] = [
    ("a block's 6 blobs verified", "kzg-verify-blob-batch", 6),
    ("a block's 21 blobs verified", "kzg-verify-blob-batch", 21),
    ("a column of 21 blobs verified", "kzg-verify-column", 21),
    ("cells and proofs of a blob", "kzg-cells-and-proofs", 1),
];

/// Name of the table of a node's duties, and the plan whose newest record is that table.
const DUTIES: &str = "duties of a node";
const CELLS: &str = "cells";
/// Parcrypt's candidates of that plan, on one thread and on two.
const OURS: [(&str, usize); 2] = [("serial", 1), ("rayon", 2)];

/// Duties: who has it, what it is, its workload, and its parameter besides the number of blobs.
type Duty = (&'static str, &'static str, &'static str, Option<(&'static str, u64)>);
const ALL_DUTIES: [Duty; 7] = [
    ("full node", "verify 8 columns, each as it comes", "kzg-verify-columns", Some(("columns", 8))),
    ("supernode", "verify 128 columns, each as it comes", "kzg-verify-columns", Some(("columns", 128))),
    ("supernode", "recover all cells and proofs from half of the cells", "kzg-recover", None),
    ("builder", "compute all cells and proofs", "kzg-cells-and-proofs", None),
    ("execution client", "verify all cells in one call", "kzg-verify-cells", None),
    ("execution client", "return 8 columns of the cells", "kzg-some-cells", Some(("columns", 8))),
    ("every node", "name one wrong cell among all", "kzg-find-wrong", Some(("wrong", 1))),
];
/// Numbers of blobs in a slot.
const BLOBS: [u64; 3] = [6, 21, 72];

/// Returns `text` with each table and each output between its start and `<!-- end -->`. A part is empty if no record
/// has it. `folder` is the path from the text to the results.
///
/// # Errors
/// [`FrontError::NoEnd`].
pub(super) fn with_parts(text: &str, sources: &[Source<'_>], folder: &str) -> Result<String, FrontError> {
    let (mut done, mut rest) = (String::new(), text);
    while let Some((before, part)) = rest.split_once(BEGIN) {
        let (name, old) =
            part.split_once(CLOSE).ok_or_else(|| FrontError::NoEnd { begin: BEGIN.trim_end().into() })?;
        let contents = match (name.strip_prefix(OUTPUT), name.strip_prefix(VERDICT)) {
            (Some(record), _) => output(record, sources, Extent::Whole),
            (_, Some(record)) => output(record, sources, Extent::Verdict),
            _ if name == WORK => work(sources, folder),
            _ if name == DUTIES => duties(sources, folder),
            _ => {
                done += &format!("{before}{BEGIN}{name}{CLOSE}");
                rest = old;
                continue;
            }
        };
        done += &format!("{before}{BEGIN}{name}{CLOSE}\n{contents}");
        rest = after_end(old, &format!("{BEGIN}{name}{CLOSE}"))?;
    }
    Ok(done + rest)
}

/// Which lines of an output are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    Verdict,
}

/// Returns what the command printed that made a record, as a block of code.
fn output(name: &str, sources: &[Source<'_>], extent: Extent) -> String {
    let Some(source) = sources.iter().find(|source| source.name == name) else { return String::new() };
    let record = &source.record;
    let mut text = format!("$ {}\n", command(record));
    let screen = Screen { width: Some(WIDTH), colour: Colour::Plain };
    let view = RecordView::new(record);
    text += &match (record.plan.as_str(), extent) {
        ("compare", Extent::Whole) => comparison::on_screen(&view, screen),
        ("compare", Extent::Verdict) => comparison::sentences(record, Form::Terminal(screen)),
        (_, Extent::Whole) => screen.screen(&summary::of(&view)),
        (_, Extent::Verdict) => String::new(),
    };
    let lines: String = text.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    format!("```text\n{lines}```\n")
}

/// Returns the table of a client's work, in the best vectors of a machine and in AVX2; empty without a record.
fn work(sources: &[Source<'_>], folder: &str) -> String {
    let of_plan = sources.iter().filter(|source| source.record.plan == PLAN);
    let Some(source) = of_plan.max_by(|a, b| a.record.started.cmp(&b.record.started)) else {
        return String::new();
    };
    let machine = markdown::plain(&sentences::processor(&source.record.machine));
    let row = |(words, workload, blobs): (&str, &str, u64)| {
        let is_it = |case: &&Case| {
            case.workload == workload && case.params.get("blobs") == Some(&Value::Number(blobs))
        };
        let case = source.record.cases.iter().find(is_it)?;
        let [theirs, ours, narrow] = CANDIDATES
            .map(|name| case.entries.iter().find(|entry| entry.candidate == name && entry.threads == 1));
        let time = |entry| Some(format::nanoseconds(stats::value(case, entry)?.value));
        let both = |entry| {
            let ratio = stats::ratio(case, entry, theirs?).filter(|ratio| ratio.interval.is_some())?;
            let times = sentences::times(&ratio);
            Some(format!(
                "{} | {}",
                time(entry)?,
                markdown::plain(&format!("{} {}", times.what, times.bounds))
            ))
        };
        let narrow = narrow.and_then(both).unwrap_or("– | –".into());
        Some(format!(
            "| {words} | {} | {} | {narrow} | [{machine}]({folder}{}.md) |\n",
            time(theirs?)?,
            both(ours?)?,
            source.name
        ))
    };
    let rows: String = ROWS.into_iter().filter_map(row).collect();
    if rows.is_empty() {
        return rows;
    }
    format!(
        "| on one thread | c-kzg | Parcrypt | times as fast | Parcrypt, AVX2 only | times as fast | machine |\n\
         |---|--:|--:|---|--:|---|---|\n{rows}"
    )
}

/// Returns the table of a node's duties; empty without a record.
fn duties(sources: &[Source<'_>], folder: &str) -> String {
    let of_plan = sources.iter().filter(|source| source.record.plan == CELLS);
    let Some(source) = of_plan.max_by(|a, b| a.record.started.cmp(&b.record.started)) else {
        return String::new();
    };
    let row = |(who, what, workload, own): Duty, blobs: u64| {
        let given =
            |case: &Case, name: &str, value: u64| case.params.get(name) == Some(&Value::Number(value));
        let is_it = |case: &&Case| {
            case.workload == workload
                && given(case, "blobs", blobs)
                && own.is_none_or(|(name, value)| given(case, name, value))
        };
        let case = source.record.cases.iter().find(is_it)?;
        let value = |entry: &Entry| Some(stats::value(case, entry)?.value);
        let ours = OURS.map(|(name, threads)| {
            case.entries.iter().find(|entry| entry.candidate == name && entry.threads == threads)
        });
        let others = case
            .entries
            .iter()
            .filter(|entry| entry.labels.get("library").is_some_and(|library| library != "parcrypt"));
        let others = others.filter_map(|entry| Some((value(entry)?, entry)));
        let other = others.min_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, entry)| entry);
        let time = |entry: Option<&Entry>| entry.and_then(value).map_or("–".to_owned(), format::nanoseconds);
        let times = ours[0].zip(other).map(|(ours, other)| stats::ratio(case, ours, other));
        let times =
            times.flatten().filter(|ratio| ratio.interval.is_some()).map_or("–".to_owned(), |ratio| {
                let times = sentences::times(&ratio);
                markdown::plain(&format!("{} {}", times.what, times.bounds))
            });
        let name = other.map_or("–".to_owned(), |entry| markdown::plain(&entry.candidate));
        Some(format!(
            "| {who} | {what} | {blobs} | {} | {} | {} | {name} | {times} |\n",
            time(ours[0]),
            time(ours[1]),
            time(other)
        ))
    };
    let rows = ALL_DUTIES.into_iter().flat_map(|duty| BLOBS.map(|blobs| row(duty, blobs)));
    let rows: String = rows.flatten().collect();
    let machine = markdown::plain(&sentences::processor(&source.record.machine));
    let partial = sentences::partial(&source.record).map_or(String::new(), |why| format!(" {why}"));
    format!(
        "On {machine} ([the record]({folder}{}.md)). The ratio is of one thread.{partial}\n\n\
         | who | what | blobs | Parcrypt, one thread | two threads | fastest other, one thread | it is | times as fast |\n\
         |---|---|--:|--:|--:|--:|---|---|\n{rows}",
        source.name
    )
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::path::Path;

    use parcrypt_lab::record::Record;

    use super::*;

    fn source(name: &str) -> Source<'static> {
        let path = format!("{}/../../../docs/results/{name}.json.gz", env!("CARGO_MANIFEST_DIR"));
        let record = Record::read(Path::new(&path)).unwrap();
        Source { name: name.into(), file: String::new(), note: String::new(), record: Cow::Owned(record) }
    }

    const TEXT: &str = "a <!-- generated: work of a client -->old<!-- end --> b <!-- generated: speed of x -->1<!-- end -->\n";

    #[test]
    fn work_of_a_client_has_four_rows_with_their_machine() {
        let sources = ["kzg-peers", "block-blobs"].map(source);
        let filled = with_parts(TEXT, &sources, "docs/results/").unwrap();
        assert_eq!(with_parts(&filled, &sources, "docs/results/").as_ref(), Ok(&filled));
        let rows: Vec<&str> =
            filled.lines().filter(|line| line.contains("](docs/results/block-blobs.md) |")).collect();
        assert_eq!(rows.len(), ROWS.len(), "{filled}");
        for (row, (words, ..)) in rows.iter().zip(ROWS) {
            assert!(row.starts_with(&format!("| {words} | ")) && row.contains("AVX"), "{row}");
            // Both ratios have an interval.
            assert_eq!((row.matches("× ").count(), row.matches(" ms |").count() >= 2), (2, true), "{row}");
        }
        assert!(
            !filled.contains("old") && filled.ends_with("b <!-- generated: speed of x -->1<!-- end -->\n")
        );
    }

    #[test]
    fn duties_have_a_row_for_each_case_that_was_measured() {
        const TEXT: &str = "<!-- generated: duties of a node -->\nold\n<!-- end -->\n";
        let mut peers = source("kzg-peers");
        let record = peers.record.to_mut();
        record.plan = CELLS.into();
        let case = record.cases.iter_mut().find(|case| case.workload == "kzg-verify-cells").unwrap();
        case.params.insert("blobs".into(), Value::Number(21));
        let filled = with_parts(TEXT, &[peers, source("quick")], "").unwrap();
        let rows: Vec<&str> = filled.lines().filter(|line| line.contains("| execution client |")).collect();
        let [row] = rows[..] else { panic!("{filled}") };
        assert!(row.starts_with("| execution client | verify all cells in one call | 21 | "), "{row}");
        // The time of the fastest other library, and a ratio with an interval.
        assert!(row.contains(" ms | constantine 0 | ") && row.contains("× ["), "{row}");
        assert!(
            !filled.contains("old") && with_parts(TEXT, &[source("quick")], "").unwrap().lines().count() == 2
        );
    }

    #[test]
    fn a_part_without_a_record_is_empty() {
        let text = "<!-- generated: output of gone -->\nold\n<!-- end -->\n";
        let filled = with_parts(&(text.to_owned() + TEXT), &[], "").unwrap();
        assert!(!filled.contains("old") && !filled.contains('|') && !filled.contains("```"), "{filled}");
        let no_end = with_parts("<!-- generated: output of gone -->\n", &[], "");
        assert!(matches!(no_end, Err(FrontError::NoEnd { begin }) if begin.contains("output of gone")));
    }

    #[test]
    fn a_command_names_no_folder_of_its_machine() {
        let mut record = source("quick").record.into_owned();
        let words = ["/a/parlab", "compare", "--out", "/b", "--rev", "A", "--", "./tool", "--out", "c"];
        record.command = words.map(String::from).to_vec();
        assert_eq!(command(&record), "parlab compare --rev A -- ./tool --out c");
        record.command.truncate(3);
        assert_eq!(command(&record), "parlab compare");
    }

    #[test]
    fn an_output_is_what_the_command_printed() {
        let quick = source("quick");
        let text = "<!-- generated: output of quick -->\n<!-- end -->\n";
        let filled = with_parts(text, std::slice::from_ref(&quick), "").unwrap();
        assert!(
            filled.contains("\n```text\n$ parcrypt bench\n") && filled.contains("\n```\n<!-- end -->"),
            "{filled}"
        );
        assert!(filled.lines().all(|line| line.chars().count() <= 100 && line == line.trim_end()));
        let text = "<!-- generated: verdict of compare-example -->\n<!-- end -->\n";
        let filled = with_parts(text, &[source("compare-example")], "").unwrap();
        assert!(
            filled.contains(" than gzip -6 -c Cargo.lock (99 % interval ") && filled.lines().count() < 14,
            "{filled}"
        );
    }
}

//! Parts of a document that are written from records, besides the picture and the mean speeds: a table of a client's
//! work, and the output of a run.

use parcrypt_lab::record::{Case, Entry, Role, Value};
use parcrypt_lab::stats::{self, Estimate};

use super::Source;
use super::speed::{FrontError, after_end};
use crate::export::markdown;
use crate::export::text::Colour;
use crate::{format, sentences, verdict};

/// Start of each part; its name and [`CLOSE`] follow.
pub(super) const BEGIN: &str = "<!-- generated: ";
const CLOSE: &str = " -->";
/// Name of the table.
const WORK: &str = "work of a client";
/// Beginning of the name of an output; the name of the record follows.
const OUTPUT: &str = "output of ";
/// Beginning of the name of the last lines of an output of `compare`.
const VERDICT: &str = "verdict of ";

/// Labels of Parcrypt's candidates.
const OURS: [(&str, &str); 2] = [("library", "parcrypt"), ("implementation", "parcrypt")];

/// Number of columns of an output.
const WIDTH: u16 = 100;

/// Work in words, with the workloads that are it and their number of blobs.
const ROWS: [(&str, &[&str], u64); 4] = [
    ("a block's 6 blobs verified", &["client-blobs", "kzg-verify-blob-batch"], 6),
    ("a block's 21 blobs verified", &["client-blobs", "kzg-verify-blob-batch"], 21),
    ("a column of 21 blobs verified", &["kzg-verify-column"], 21),
    ("cells and proofs of a blob", &["kzg-cells-and-proofs"], 1),
];

/// Instruction sets that have rows, by a backend that a machine has, and by one that it lacks.
const SETS: [(&str, &str); 2] = [("ifma", ""), ("avx2", "avx512")];

/// Returns `text` with each table and each output between its start and `<!-- end -->`. A part is empty if no record
/// has it. `folder` is the path from the text to the results.
///
/// # Errors
/// [`FrontError::NoEnd`].
pub(super) fn with_parts(text: &str, sources: &[Source], folder: &str) -> Result<String, FrontError> {
    let (mut done, mut rest) = (String::new(), text);
    while let Some((before, part)) = rest.split_once(BEGIN) {
        let (name, old) =
            part.split_once(CLOSE).ok_or_else(|| FrontError::NoEnd { begin: BEGIN.trim_end().into() })?;
        let contents = match (name.strip_prefix(OUTPUT), name.strip_prefix(VERDICT)) {
            (Some(record), _) => output(record, sources, Extent::Whole),
            (_, Some(record)) => output(record, sources, Extent::Verdict),
            _ if name == WORK => work(sources, folder),
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
fn output(name: &str, sources: &[Source], extent: Extent) -> String {
    let Some(source) = sources.iter().find(|source| source.name == name) else { return String::new() };
    let record = &source.record;
    let mut words = record.command.clone();
    if let Some(program) = words.first_mut() {
        *program = program.rsplit('/').next().unwrap_or_default().to_owned();
    }
    // Where the files were written does not matter to a reader.
    if let Some(at) = words.iter().position(|word| word == "--out") {
        words.drain(at..words.len().min(at + 2));
    }
    let mut text = format!("$ {}\n", format::command_line(&words));
    if extent == Extent::Whole {
        let printed = if record.plan == "compare" { crate::commands } else { crate::summary };
        text += &printed(record, Some(WIDTH), Colour::Plain);
    }
    if record.plan == "compare" {
        let pairs = verdict::pairs(record);
        let sentences: String = pairs.iter().map(|pair| format::one_line(&pair.sentence()) + "\n").collect();
        text += if extent == Extent::Whole { "\n" } else { "" };
        text += &sentences;
    }
    let lines: String = text.lines().map(|line| format!("{}\n", line.trim_end())).collect();
    format!("```text\n{lines}```\n")
}

fn is_of_parcrypt(entry: &Entry) -> bool {
    OURS.iter().any(|(label, value)| entry.labels.get(*label).is_some_and(|is| is == value))
}

/// Our entry and c-kzg's fastest one in a case, on one thread each.
struct Pair<'a> {
    source: &'a Source,
    case: &'a Case,
    ours: &'a Entry,
    theirs: &'a Entry,
    ratio: Estimate,
}

/// Returns the table of a client's work, on the widest vectors and on AVX2 alone; empty without a record.
fn work(sources: &[Source], folder: &str) -> String {
    let mut newest: Vec<&Source> = sources.iter().collect();
    newest.sort_by(|a, b| b.record.started.cmp(&a.record.started));
    let has =
        |source: &Source, backend: &str| source.record.machine.backends.iter().any(|one| one == backend);
    let of_set = |(set, lacks): (&str, &str)| -> Vec<&Source> {
        newest.iter().copied().filter(|source| has(source, set) && !has(source, lacks)).collect()
    };
    let [wide, narrow] = SETS.map(of_set);
    let row = |(words, workloads, blobs): (&str, &[&str], u64)| {
        // One workload for all machines if possible, before another one of a newer record.
        let pair = |of: &[&'_ Source]| -> Option<[String; 4]> {
            let found =
                workloads.iter().find_map(|name| of.iter().find_map(|source| pair(source, name, blobs)))?;
            found.in_words(folder)
        };
        let [theirs, ours, times, machine] = pair(&wide)?;
        let narrow = pair(&narrow)
            .map(|[theirs, ours, times, machine]| format!("{times}: {theirs} → {ours} on {machine}"));
        Some(format!(
            "| {words} | {theirs} | {ours} | {times} on {machine} | {} |\n",
            narrow.unwrap_or("–".into())
        ))
    };
    let rows: String = ROWS.into_iter().filter_map(row).collect();
    if rows.is_empty() {
        return rows;
    }
    format!(
        "| on one thread | c-kzg | Parcrypt | times as fast | with AVX2 only |\n|---|--:|--:|---|---|\n{rows}"
    )
}

impl Pair<'_> {
    /// Returns the times of both, how many times as fast ours is, and the machine with a link to the record's page.
    fn in_words(&self, folder: &str) -> Option<[String; 4]> {
        let time = |entry| Some(format::nanoseconds(stats::value(self.case, entry)?.value));
        let times = sentences::times(&self.ratio);
        let machine = markdown::plain(&sentences::processor(&self.source.record.machine));
        let link = format!("[{machine}]({folder}{}.md)", self.source.name);
        Some([
            time(self.theirs)?,
            time(self.ours)?,
            markdown::plain(&format!("{} {}", times.what, times.bounds)),
            link,
        ])
    }
}

fn pair<'a>(source: &'a Source, workload: &str, blobs: u64) -> Option<Pair<'a>> {
    let is_it = |case: &&Case| {
        case.workload == workload
            && case.params.get("blobs") == Some(&Value::Number(blobs))
            && case.measure.is_time()
    };
    let case = source.record.cases.iter().find(is_it)?;
    let alone = || case.entries.iter().filter(|entry| entry.threads == 1 && entry.role == Role::Candidate);
    let baseline = case.entries.get(case.baseline);
    let ours = alone().filter(|entry| is_of_parcrypt(entry));
    // Ours is not chosen by its speed.
    let ours = ours
        .clone()
        .find(|entry| baseline.is_some_and(|one| std::ptr::eq(*entry, one)))
        .or_else(|| ours.clone().next())?;
    let is_ckzg = |entry: &&Entry| !is_of_parcrypt(entry) && entry.candidate.starts_with("c-kzg");
    let timed = alone().filter(is_ckzg).filter_map(|entry| Some((entry, stats::value(case, entry)?.value)));
    let (theirs, _) = timed.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let ratio = stats::ratio(case, ours, theirs).filter(|ratio| ratio.interval.is_some())?;
    Some(Pair { source, case, ours, theirs, ratio })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use parcrypt_lab::record::Record;

    use super::*;

    fn source(name: &str) -> Source {
        let path = format!("{}/../../docs/results/{name}.json.gz", env!("CARGO_MANIFEST_DIR"));
        let record = Record::read(Path::new(&path)).unwrap();
        Source { name: name.into(), file: String::new(), note: String::new(), record }
    }

    const TEXT: &str = "a <!-- generated: work of a client -->old<!-- end --> b <!-- generated: speed of x -->1<!-- end -->\n";

    #[test]
    fn work_of_a_client_has_four_rows_of_the_widest_vectors_and_of_avx2() {
        let sources = ["kzg-peers", "clients", "kzg-peers-avx2"].map(source);
        let filled = with_parts(TEXT, &sources, "docs/results/").unwrap();
        assert_eq!(with_parts(&filled, &sources, "docs/results/").as_ref(), Ok(&filled));
        let rows: Vec<&str> =
            filled.lines().filter(|line| line.starts_with("| a ") || line.starts_with("| cells")).collect();
        let [six, many, column, cells] = rows[..] else { panic!("{filled}") };
        for (row, parts) in [
            (six, ["6 blobs", "AVX-512 IFMA](docs/results/clients.md)", "| – |"]),
            (many, ["21 blobs", "AVX-512 IFMA](docs/results/clients.md)", "| – |"]),
            (column, ["21 blobs", "AVX-512 IFMA](docs/results/kzg-peers.md)", "| – |"]),
            (
                cells,
                [
                    "cells",
                    "AVX-512 IFMA](docs/results/kzg-peers.md)",
                    "AVX2](docs/results/kzg-peers-avx2.md)",
                ],
            ),
        ] {
            parts.iter().for_each(|part| assert!(row.contains(part), "{part}: {row}"));
        }
        // c-kzg's tables count where they help: 219.3 ms with them and 347.9 ms without.
        assert!(cells.contains("219.3 ms → ") && !filled.contains("old"), "{cells}");
        assert!(filled.ends_with("b <!-- generated: speed of x -->1<!-- end -->\n"));
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

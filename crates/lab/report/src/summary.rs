//! A record on one screen of a terminal: a row for each case, and sentences that answer the plan's title.

use std::collections::BTreeSet;

use parcrypt_lab::question::Answer;
use parcrypt_lab::record::{Question, Record, Role};
use parcrypt_lab::stats::{Estimate, Interval, RESOLUTION, Verdict};

use crate::document::{Block, Span, partial, sentence, strong, title};
use crate::format;
use crate::sentences::{self, InWords};
use crate::view::tables::{Cell, Column, Leaves, Row, Table, Tone, number, text};
use crate::view::{self, CaseView, EntryView, RecordView, within_noise};

/// Number of names, questions or claims that are listed; the page has the others.
const FEW: usize = 4;
/// Number of characters of a reason for a skipped entry that are shown.
const WHY: usize = 100;

/// Returns the blocks of the screen.
pub(crate) fn of(view: &RecordView<'_>) -> Vec<Block> {
    let mut blocks = vec![Block::Heading(2, title(view.record)), sentence(sentences::machine(view.record))];
    partial(view, &mut blocks);
    let measured: Vec<&CaseView<'_>> = view.cases.iter().filter(|case| !case.is_unsupported()).collect();
    match measured.is_empty() {
        true if view.cases.is_empty() => blocks.push(sentence(sentences::NO_CASES)),
        true => {}
        false => blocks.push(Block::Table(cases(&measured))),
    }
    blocks.extend(answers(view, &measured));
    blocks.extend(failures(view));
    blocks.extend(sentences::skipped_entries(view).map(sentence));
    blocks.extend(sentences::skipped(view).map(sentence));
    blocks
}

/// What the two columns of values show.
enum Columns {
    /// The best value on the smallest and on the largest number of threads.
    Threads(usize, usize),
    /// The baseline's value, and the best of the others.
    Baseline,
}

/// Returns the table of cases.
fn cases(cases: &[&CaseView<'_>]) -> Table {
    let competitors = || cases.iter().flat_map(|case| case.entries.iter().filter(|entry| entry.competes()));
    let threads: BTreeSet<usize> = competitors().map(|entry| entry.entry.threads).collect();
    let baselines: BTreeSet<String> = cases
        .iter()
        .flat_map(|case| baseline(case))
        .map(|entry| format::one_line(&entry.candidate))
        .collect();
    let baseline = match baselines.iter().collect::<Vec<_>>()[..] {
        [one] => one.clone(),
        _ => "baseline".to_string(),
    };
    let (columns, first, second) = match (threads.first(), threads.last()) {
        (Some(low), Some(high)) if low != high => {
            let on = |threads: &usize| format::counted(*threads, "thread");
            (Columns::Threads(*low, *high), on(low), on(high))
        }
        _ => {
            let others: BTreeSet<&str> = competitors()
                .filter(|entry| !entry.is_baseline)
                .map(|entry| entry.candidate.as_str())
                .collect();
            let other = match others.into_iter().collect::<Vec<_>>()[..] {
                [one] => format::one_line(one),
                _ => "best other".to_string(),
            };
            (Columns::Baseline, baseline.clone(), other)
        }
    };
    let times = |heading| Column { leaves: Some(Leaves::Times), ..number(heading) };
    let speed = Column { heading: format!("speed ({baseline} = 1)"), ..text("") };
    let mut shown = vec![text("work"), times(first), times(second), speed, text("fastest")];
    let mut rows: Vec<Row> = cases.iter().map(|case| row(case, &columns)).collect();
    let limit = |case: &CaseView<'_>| {
        let competitors = case.entries.iter().filter(|entry| entry.competes());
        competitors.filter_map(|entry| entry.limit).max_by(|a, b| a.value.total_cmp(&b.value))
    };
    if cases.iter().all(|case| limit(case).is_some()) {
        shown.push(Column { leaves: Some(Leaves::Limit), ..number("of the limit") });
        for (row, case) in rows.iter_mut().zip(cases) {
            row.cells.extend(limit(case).map(|share| Cell::new(format::share(&share))));
        }
    }
    Table { title: "Results of all cases".to_string(), columns: shown, rows }
}

/// Returns the baseline of a case, if it has a result.
fn baseline<'v, 'a>(case: &'v CaseView<'a>) -> Option<&'v EntryView<'a>> {
    case.entries.iter().find(|entry| entry.is_baseline && entry.value.is_some())
}

fn row(case: &CaseView<'_>, columns: &Columns) -> Row {
    let work = Cell::new(format::one_line(&case.title));
    // From the best to the worst, also if they are steps.
    let mut entries: Vec<&EntryView<'_>> = case.entries.iter().filter(|entry| entry.competes()).collect();
    let value_of = |entry: &EntryView<'_>| entry.value.map_or(f64::INFINITY, |value| value.value);
    entries.sort_by(|a, b| value_of(a).total_cmp(&value_of(b)));
    let Some(best) = entries.first() else {
        let why = case.entries.iter().find_map(EntryView::no_result).unwrap_or("no result".to_string());
        let cell = Cell { tone: Tone::Failed, ..Cell::new(format::cut(&format::one_line(&why), 40)) };
        let dash = || Cell::new("–");
        return Row { cells: vec![work, dash(), dash(), cell, dash()], ..Row::default() };
    };
    let value = |entry: Option<&&EntryView<'_>>| {
        let value = entry.and_then(|entry| entry.value);
        Cell::new(value.map_or("–".to_string(), |value| sentences::value(&case.case.measure, value.value)))
    };
    let on = |threads: usize| {
        let mut there = entries.iter().filter(|entry| entry.entry.threads == threads);
        there.clone().find(|entry| entry.is_baseline).or_else(|| there.next())
    };
    let challenger = entries.iter().find(|entry| !entry.is_baseline);
    let (first, second) = match *columns {
        Columns::Threads(low, high) => (on(low), on(high)),
        Columns::Baseline => (entries.iter().find(|entry| entry.is_baseline), challenger),
    };
    let ratio = challenger.and_then(|entry| entry.ratio);
    let speed = match &ratio {
        None => Cell { tone: Tone::Muted, ..Cell::new("–") },
        Some(ratio) if !case.case.measure.is_time() => {
            Cell::with(sentences::against(&case.case.measure, ratio, case.floor), tone(ratio))
        }
        Some(ratio) => Cell::with(speed(ratio, case.floor), tone(ratio)),
    };
    let fastest = Cell { tone: Tone::Plain, ..Cell::new(fastest(case, best, columns)) };
    Row { cells: vec![work, value(first), value(second), speed, fastest], ..Row::default() }
}

fn tone(ratio: &Estimate) -> Tone {
    match Verdict::of(ratio, RESOLUTION) {
        Verdict::Faster => Tone::Better,
        Verdict::Slower => Tone::Worse,
        Verdict::Same | Verdict::Open => Tone::Muted,
    }
}

/// Returns the inverse of a ratio of times with few digits, such as `1.96× [1.94, 1.98]`.
fn speed(ratio: &Estimate, floor: Option<f64>) -> InWords {
    let speed = ratio.inverse();
    let Some(Interval { low, high }) = speed.interval else {
        return InWords {
            what: format!("{}×", format::factor(speed.value)),
            bounds: "too few rounds".into(),
        };
    };
    let decimals = match speed.value {
        100.0.. => 0,
        10.0.. => 1,
        // Differences of a thousandth can be told apart.
        0.98..1.02 => 3,
        _ => 2,
    };
    let noise = if within_noise(ratio, floor) { ", within noise" } else { "" };
    InWords {
        what: format!("{:.decimals$}×", speed.value),
        bounds: format!("[{low:.decimals$}, {high:.decimals$}]{noise}"),
    }
}

/// Returns the names of the fastest entries of a case, which are several if they are not told apart.
fn fastest(case: &CaseView<'_>, best: &EntryView<'_>, columns: &Columns) -> String {
    if case.headline.fastest.is_empty() {
        // Nothing was compared with an interval.
        return "–".to_string();
    }
    let entries = fastest_entries(case, best);
    if all_tied(case, &entries) {
        return NOT_TOLD_APART.to_string();
    }
    let mut names: Vec<String> = Vec::new();
    for entry in entries {
        let threads = entry.entry.threads;
        let on = match *columns {
            // Baselines on the smallest number and others on the greatest are what one expects.
            Columns::Threads(low, high) => match if entry.is_baseline { low } else { high } {
                expected if expected == threads => String::new(),
                _ => format!(" on {threads}"),
            },
            Columns::Baseline => String::new(),
        };
        let open = if is_open(entry, best) { "?" } else { "" };
        names.push(format::one_line(&entry.candidate) + &on + open);
    }
    sentences::either(&names, FEW)
}

/// Returns the entries of a case that are not shown to be slower than the best, in the order of the plan.
fn fastest_entries<'v, 'a>(case: &'v CaseView<'a>, best: &'v EntryView<'a>) -> Vec<&'v EntryView<'a>> {
    let is_first = |entry: &&EntryView<'_>| {
        entry.index == best.index || entry.competes() && case.headline.fastest.contains(&entry.name)
    };
    let mut entries: Vec<&EntryView<'_>> = case.entries.iter().filter(is_first).collect();
    entries.sort_by_key(|entry| entry.index);
    entries
}

/// Returns whether an entry is among the fastest only because its interval is wide: it is not shown to be faster than
/// the baseline, and the best is.
fn is_open(entry: &EntryView<'_>, best: &EntryView<'_>) -> bool {
    let verdict = |entry: &EntryView<'_>| entry.ratio.as_ref().map(|ratio| Verdict::of(ratio, RESOLUTION));
    verdict(entry) == Some(Verdict::Open) && matches!(verdict(best), Some(Verdict::Faster))
}

/// Words instead of the names of the fastest if no two entries are told apart.
const NOT_TOLD_APART: &str = "not told apart";

/// Returns whether the fastest are all entries of the case, and several.
fn all_tied(case: &CaseView<'_>, fastest: &[&EntryView<'_>]) -> bool {
    fastest.len() > 1 && fastest.len() == case.entries.iter().filter(|entry| entry.competes()).count()
}

/// Maximum number of rows of the table of a page, and of answers on it.
const ROWS: usize = 24;
const ANSWERS: usize = 6;

/// Returns the short page of a record: its verdict, a figure with its path and caption, one table, the answers to the
/// plan's questions, and how to repeat the run; the record has the rest. `file` is the name of its file.
pub(crate) fn page(
    view: &RecordView<'_>,
    figure: Option<(String, String)>,
    file: Option<&str>,
) -> Vec<Block> {
    let record = view.record;
    let mut blocks =
        vec![Block::Heading(1, sentences::verdict_of(view).to_string()), strong(title(record), "")];
    blocks.extend(sentences::alarms(view).into_iter().map(|alarm| strong(alarm, "")));
    partial(view, &mut blocks);
    blocks.extend(sentences::paragraphs(&record.about).into_iter().map(sentence));
    blocks.extend(figure.map(|(path, caption)| Block::Figure(path, caption)));
    let of_build = |commit: &String| format!(" · {} {commit}", sentences::of_build(record, "commit"));
    let build = record.build.get("commit").map(of_build).unwrap_or_default();
    blocks.push(sentence(format!("{}{build}", sentences::circumstances(record))));
    let shown: Vec<&CaseView<'_>> = view.shown().into_iter().map(|index| &view.cases[index]).collect();
    match shown.as_slice() {
        [] => {}
        [one] => blocks.push(Block::Table(crate::view::tables::entries(one))),
        all if all.len() <= ROWS => blocks.push(Block::Table(cases(all))),
        all => {
            let mut chiefs: Vec<&CaseView<'_>> =
                view.series.iter().filter_map(|series| view.chief(series)).collect();
            chiefs.retain(|case| !case.is_unsupported());
            chiefs.truncate(ROWS);
            blocks.push(sentence(format!("{} of {} cases:", chiefs.len(), all.len())));
            blocks.push(Block::Table(cases(&chiefs)));
        }
    }
    let mut lines = answer_lines(view);
    let more = lines.len().saturating_sub(ANSWERS);
    lines.truncate(ANSWERS);
    if more > 0 {
        lines.push(format!("{} in the record", format::counted(more, "further answer")));
    }
    blocks.extend((!lines.is_empty()).then_some(Block::List(lines)));
    if shown.iter().any(|case| case.case.measure.is_time()) {
        let floor = view.floor.map_or("not known".to_string(), format::percent);
        blocks.push(sentence(format!(
            "Brackets are {} intervals. Noise floor: {floor}.",
            sentences::confidence()
        )));
    }
    blocks.extend(sentences::skipped(view).map(sentence));
    let file = file.unwrap_or("RECORD");
    let repeat = match record.command.is_empty() {
        true => String::new(),
        false => format!("To repeat it: {}. ", command(record)),
    };
    let all = ["parlab", "report", file].map(String::from);
    blocks.push(sentence(format!("{repeat}All entries and rounds: {}.", format::command_line(&all))));
    blocks
}

/// Returns the command line that made a record, without paths of the machine: the folder of the program, and the one
/// into which the files were written.
fn command(record: &Record) -> String {
    let mut words = record.command.clone();
    if let Some(program) = words.first_mut() {
        *program = program.rsplit('/').next().unwrap_or_default().to_owned();
    }
    // What follows `--` belongs to a command that was compared.
    let mut own = words.iter().take_while(|word| *word != "--");
    if let Some(at) = own.position(|word| word == "--out" || word.starts_with("--out=")) {
        let of_option = if words[at] == "--out" { 2 } else { 1 };
        words.drain(at..words.len().min(at + of_option));
    }
    format::command_line(&words)
}

/// Returns the answers to the plan's questions, each in a line.
fn answer_lines(view: &RecordView<'_>) -> Vec<String> {
    let line = |(question, answer): &(&Question, Answer)| {
        let floor = view.floor_of(&answer.measure);
        let words = sentences::answer_words(question, answer, floor)?;
        let claim = if words.claim.is_empty() { String::new() } else { format!(". {}", words.claim) };
        let ask = question.ask.trim_end_matches([':', '.']);
        Some(format!("{ask}: {}{claim}", words.change.in_words()).replacen("?: ", "? ", 1))
    };
    view.asked().into_iter().filter_map(line).collect()
}

/// Returns the sentences that answer the title: the fastest by the number of cases, the means over cases, and the
/// plan's questions.
fn answers(view: &RecordView<'_>, measured: &[&CaseView<'_>]) -> Vec<Block> {
    let mut blocks = Vec::new();
    match measured {
        [] => {}
        [one] => blocks.push(crate::document::headline(one)),
        _ => {
            blocks.extend(wins(measured).map(|wins| strong(wins, "")));
            blocks.extend(sentences::means_in_short(view).map(sentence));
        }
    }
    let mut lines = answer_lines(view);
    let more = lines.len().saturating_sub(FEW);
    lines.truncate(FEW);
    if more > 0 {
        lines.push(format!("{} in the page", format::counted(more, "further answer")));
    }
    if !lines.is_empty() {
        blocks.push(Block::List(lines));
    }
    blocks
}

/// Cases with the same fastest candidates.
struct Wins {
    /// The candidates; `None` if none are told apart.
    fastest: Option<String>,
    several: bool,
    titles: Vec<String>,
}

/// Returns which candidates are the fastest in how many cases, in a sentence; `None` if no case says.
fn wins(cases: &[&CaseView<'_>]) -> Option<String> {
    let mut groups: Vec<Wins> = Vec::new();
    for case in cases.iter().filter(|case| !case.headline.fastest.is_empty()) {
        let best = case.entries.iter().find(|entry| entry.name == case.headline.fastest[0]);
        let Some(best) = best else { continue };
        let entries = fastest_entries(case, best);
        let names = |open: bool| -> Vec<String> {
            let of = entries.iter().filter(|entry| is_open(entry, best) == open);
            of.map(|entry| format::one_line(&entry.name)).collect()
        };
        let (names, open) = (names(false), names(true));
        let fastest = (!all_tied(case, &entries)).then(|| match open.is_empty() {
            true => sentences::either(&names, FEW),
            false => {
                format!("{}, or perhaps {},", sentences::either(&names, FEW), sentences::either(&open, FEW))
            }
        });
        match groups.iter_mut().find(|known| known.fastest == fastest) {
            Some(known) => known.titles.push(case.title.clone()),
            None => {
                groups.push(Wins { fastest, several: names.len() > 1, titles: vec![case.title.clone()] });
            }
        }
    }
    let decided: usize = groups.iter().map(|group| group.titles.len()).sum();
    let few = |case: &&&CaseView<'_>| {
        let mut ratios = case.entries.iter().filter_map(|entry| entry.ratio);
        case.headline.fastest.is_empty() && ratios.any(|ratio| ratio.interval.is_none())
    };
    let too_few = cases.iter().filter(few).count();
    let all = decided + too_few;
    // Those that are told apart come first.
    groups.sort_by_key(|group| (group.fastest.is_none(), std::cmp::Reverse(group.titles.len())));
    let rest: usize = groups.iter().skip(FEW).map(|group| group.titles.len()).sum();
    let part = |(at, group): (usize, &Wins)| {
        let (what, verb) = match &group.fastest {
            None if at == 0 => ("Nothing is told apart", ""),
            None => ("nothing is told apart", ""),
            Some(name) if at > 0 => (name.as_str(), ""),
            Some(name) if group.several => (name.as_str(), " are the fastest, and not told apart,"),
            Some(name) => (name.as_str(), " is the fastest"),
        };
        let of = if at == 0 { format!(" of {}", format::counted(all, "case")) } else { String::new() };
        let which = match group.titles.as_slice() {
            [one] if at > 0 => format!(" ({})", format::one_line(one)),
            _ => String::new(),
        };
        format!("{what}{verb} in {}{of}{which}", group.titles.len())
    };
    let mut parts: Vec<String> = groups.iter().take(FEW).enumerate().map(part).collect();
    if rest > 0 {
        parts.push(format!("others in {rest}"));
    }
    if too_few > 0 && decided > 0 {
        parts.push(format!("too few rounds in {too_few}: give it more time"));
    }
    (!parts.is_empty()).then(|| parts.join("; ") + ".")
}

/// Returns a line for each entry that failed.
fn failures(view: &RecordView<'_>) -> Vec<Block> {
    let line = |one: &view::FailureView<'_>| {
        let why = format::cut(one.failure.why.trim_end_matches('.'), 2 * WHY);
        let kind = view::kind(one.failure.kind);
        let control = if one.entry.entry.role == Role::Control { " (A/A control)" } else { "" };
        let name = &one.entry.candidate;
        let text = format!("FAILED {name}{control}, in {}: {kind}: {why}", one.cases.join("; "));
        Block::Paragraph(vec![Span::Failed(text)])
    };
    view.failures().iter().map(line).collect()
}

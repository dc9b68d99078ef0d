//! The sheet of the cases of a plan, or of commands: a row for each entry of the only case, or for each of several
//! cases.

mod entries;
mod means;
mod series;

use std::collections::{BTreeMap, BTreeSet};

use parcrypt_lab::question::{self, Answer as Found};
use parcrypt_lab::record::{Question, Record, Role};
use parcrypt_lab::stats::{self, Asked, Judged, MeanRatio, RESOLUTION, Verdict, verdicts};
use serde_json::json;

use self::entries::{EntryView, Work, floor, is_of_commands, works};
use super::{compared, grouped, heading, is_skip, size, tone, value};
use crate::format;
use crate::gate::{self, Gate};
use crate::say::{self, Length, Ratio};
use crate::sheet::{Answer, Cell, Column, Note, Row, Sheet, Table, Tone, fields, number};

/// Number of cases whose rows a page for a pull request does not fold.
const ROWS: usize = 24;

/// Returns the sheet of a record, with the answers to conditions of the user on it.
pub(crate) fn sheet(record: &Record, gates: &[Gate]) -> Sheet {
    let works = works(record);
    let shown: Vec<&Work<'_>> = works.iter().filter(|work| !work.is_skipped()).collect();
    let series = series::series(&works);
    let chiefs: Vec<&Work<'_>> =
        series.iter().filter_map(series::Series::chief).filter(|work| !work.is_skipped()).collect();
    let asked = question::answers(record);
    let means = means::Means::new(&shown);
    let mut sheet = Sheet::default();
    let has_answers = asked.iter().any(|answer| answer.overall.is_some());
    let mut answers: Vec<Answer> = Vec::new();
    for (question, found) in record.questions.iter().zip(&asked) {
        answers.extend(answer(question, found, floor(&works, &found.measure)));
    }
    sheet.head.verdict = match &shown[..] {
        _ if answers.first().is_some_and(|answer| !answer.text[0].is_empty()) => {
            let Answer { ask, text: [text, bounds], .. } = &answers[0];
            let ask = ask.trim_end_matches([':', '.']);
            let before = if ask.ends_with('?') { format!("{ask} ") } else { format!("{ask}: ") };
            [before, text.clone(), format!(" {bounds}.")]
        }
        [one] => one.verdict(),
        [first, ..] => means.verdict().unwrap_or_else(|| {
            let chief = chiefs.iter().find(|work| work.leader().is_some()).unwrap_or(first);
            let [before, answer, after] = chief.verdict();
            [format!("{}: {before}", chief.title), answer, after]
        }),
        [] => [String::new(), "Nothing was measured".to_owned(), ".".to_owned()],
    };
    let title = if record.title.trim().is_empty() { &record.plan } else { &record.title };
    let names = |work: &Work<'_>| work.in_order().map(|e| e.candidate.clone()).collect::<Vec<_>>().join(", ");
    let says_the_same = shown.iter().any(|work| work.case.is_of_commands() && names(work) == title.trim());
    if !says_the_same {
        sheet.head.title = format::one_line(title.trim());
    }
    sheet.rows = match &shown[..] {
        [one] => one.entries_table(),
        all => overview(all, &chiefs),
    };
    sheet.cases = works.iter().map(Work::part).collect();
    if let [one] = &works[..] {
        sheet.notes.extend(one.notes().into_iter().map(Note::new));
        sheet.tables = one.further_tables();
    }
    sheet.tables.extend(means.table().filter(|_| !has_answers));
    sheet.notes.extend(notes(&works, &shown, is_of_commands(record)));
    let unanswered = asked.iter().filter(|found| found.pairs == 0).count();
    if has_answers && unanswered > 0 {
        let others = format::counted(unanswered, "other question");
        sheet
            .notes
            .push(Note::new(format!("The plan has {others}, of entries that are not in this record.")));
    }
    let chief = series::questions(record, &asked, &works)
        .or_else(|| means.figure().filter(|_| !has_answers))
        .or_else(|| chiefs.first()?.figure());
    sheet.figures = chief.into_iter().chain(series.iter().flat_map(series::Series::figures)).collect();
    sheet.answers = answers;
    sheet.answers.extend(gates.iter().map(|gate| gate_answer(&works, gate)));
    sheet
}

/// Returns the verdicts on the commands of a case, in sentences, each with the parameters of its case.
pub fn sentences(record: &Record, at: usize) -> Vec<String> {
    let work = &works(record)[at];
    let params: String = work.case.params.iter().map(|(name, value)| format!("{name}={value}: ")).collect();
    let said = |entry: &EntryView<'_>| {
        let [said, bounds] =
            work.ratio(entry, &entry.ratio?).say(Length::Sentence(&entry.name, &work.baseline));
        Some(format::one_line(&format!("{params}{said} {bounds}")))
    };
    work.in_order().filter(|entry| entry.competes()).filter_map(said).collect()
}

/// Returns the table of several cases: the baseline, the best of the others, and their ratio.
fn overview(works: &[&Work<'_>], chiefs: &[&Work<'_>]) -> Table {
    let competitors = || works.iter().flat_map(|work| work.entries.iter().filter(|entry| entry.competes()));
    let only = |is_baseline: bool, several: &str| {
        let names = competitors().filter(|entry| entry.is_baseline == is_baseline);
        match names.map(|entry| &*entry.candidate).collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>()[..]
        {
            [one] => one.to_owned(),
            _ => several.to_owned(),
        }
    };
    let baseline = only(true, "baseline");
    let mut columns = vec![
        Column::number("first", baseline.clone()).leaving(7),
        Column::number("second", only(false, "best other")).leaving(7),
        Column::text("ratio", format!("against {baseline}")),
        Column::text("verdict", "verdict"),
    ];
    let has_limit = works.iter().all(|work| work.entries.iter().any(|e| e.competes() && e.limit.is_some()));
    let best_other = works.iter().any(|work| work.candidates().len() > 2);
    columns.extend(best_other.then(|| Column::text("best", "best")));
    columns
        .extend((has_limit && !works.is_empty()).then(|| Column::number("limit", "of the limit").leaving(3)));
    let row = |work: &&Work<'_>| {
        let all = work.candidates();
        let challenger = all.iter().find(|entry| !entry.is_baseline);
        let side = |entry: Option<&&EntryView<'_>>| {
            Cell::of(entry.and_then(|entry| entry.value), |of| value(&work.case.measure, of.value))
        };
        let leader = work.leader().filter(|leader| !leader.is_baseline);
        let shown = leader.or(challenger.copied());
        let ratio = shown.and_then(|entry| Some(work.ratio(entry, &entry.ratio?)));
        let mut cells = [all.iter().find(|entry| entry.is_baseline), challenger].map(side).to_vec();
        cells.extend(ratio.as_ref().map_or_else(|| [Cell::new("–"), Cell::new("–")], compared));
        if best_other {
            cells.push(Cell::new(best(work)));
        }
        if has_limit {
            let limits = all.iter().filter_map(|entry| entry.limit);
            cells.push(Cell::of(limits.max_by(|a, b| a.value.total_cmp(&b.value)), |share| {
                format::share(&share)
            }));
        }
        let why = work.entries.iter().find_map(EntryView::missing);
        Row {
            what: work.title.clone(),
            missing: all.is_empty().then_some(why).flatten(),
            cells: if all.is_empty() { Vec::new() } else { cells },
            verdict: ratio.map(|ratio| ratio.verdict),
            is_folded: works.len() > ROWS && !chiefs.iter().any(|chief| std::ptr::eq(*chief, *work)),
            ..Row::default()
        }
    };
    Table { title: String::new(), what: "work", columns, rows: works.iter().map(row).collect() }
}

/// Returns the name of the best entry of a case, or of two without a clear winner.
fn best(work: &Work<'_>) -> String {
    let Some(leader) = work.leader() else { return "–".to_owned() };
    match &work.ties(leader)[..] {
        [] => leader.name.clone(),
        [tie] if work.candidates().len() > 2 => format!("{} or {}", leader.name, tie.name),
        _ => say::NO_WINNER.to_owned(),
    }
}

/// Returns the notes of all cases: failures, and what was skipped.
fn notes(works: &[Work<'_>], shown: &[&Work<'_>], is_of_commands: bool) -> Vec<Note> {
    let several = works.len() > 1;
    let failed = works.iter().flat_map(|work| {
        let failure = |entry: &EntryView<'_>| entry.entry.failure.clone().filter(|failure| !is_skip(failure));
        let place = if several { work.title.clone() } else { String::new() };
        work.entries
            .iter()
            .filter_map(move |e| Some((e.name.clone(), place.clone(), failure(e)?)))
            .collect::<Vec<_>>()
    });
    let mut notes = super::failures(failed);
    // Entries that were skipped in cases in which others were not, then whole cases, by reason.
    let reason = |entry: &EntryView<'_>| {
        let failure = entry.entry.failure.as_ref().filter(|failure| is_skip(failure));
        failure.map(|failure| failure.why.trim_end_matches('.').to_owned())
    };
    let entries = shown.iter().flat_map(|work| &work.entries).filter(|e| e.entry.role != Role::Control);
    let entries = entries.filter_map(|entry| Some((reason(entry)?, entry.candidate.clone())));
    let cases = works.iter().filter(|work| work.is_skipped());
    let cases = cases.filter_map(|work| Some((reason(work.entries.first()?)?, work.title.clone())));
    for (why, names) in grouped(entries).into_iter().chain(grouped(cases)) {
        let names: Vec<String> = names.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        let text = format!("Skipped: {} ({why}).", format::listed(&names));
        notes.push(Note::new(format::one_line(&text)));
    }
    let compared = || works.iter().flat_map(|w| &w.entries).filter(|entry| entry.is_compared());
    let waits = compared().filter(|entry| {
        entry.verdict == Verdict::Open && entry.ratio.and_then(|r| r.interval).is_some_and(|i| !i.holds(1.0))
    });
    let (all, brackets) = (compared().count(), format!("Brackets are {} intervals", say::confidence()));
    let is_shown = |entry: &EntryView<'_>| {
        entry.ratio.and_then(|ratio| ratio.interval).is_some_and(|of| of.low < of.high)
    };
    let has_interval = compared().any(is_shown);
    let corrected = is_of_commands && all > 1;
    notes.extend(
        has_interval
            .then(|| match (corrected, waits.count()) {
                (false, _) => format!("{brackets}."),
                (true, waits) => {
                    let more = if waits > 0 {
                        format!(" {waits} more would have a verdict without that: more time decides.")
                    } else {
                        String::new()
                    };
                    format!(
                        "{brackets}. Verdicts are corrected for {} (Benjamini-Hochberg).{more}",
                        format::counted(all, "comparison")
                    )
                }
            })
            .map(Note::new),
    );
    notes
}

/// Returns the answer to a question; `None` if no entries of the record are what it is about.
fn answer(question: &Question, found: &Found, floor: Option<f64>) -> Option<Answer> {
    let words = |mean: &MeanRatio| {
        let verdict = Verdict::of(&mean.ratio, RESOLUTION);
        let (estimate, measure) = (mean.ratio, &found.measure);
        let needs = if measure.is_time() { stats::LEAST_REPLICATES } else { stats::EQUAL_COUNTS };
        Ratio { estimate, measure, verdict, floor, needs }
    };
    let sides = sides(question);
    let ask = format::one_line(&question.ask);
    let number_of = |mean: &MeanRatio, asked: usize| {
        let of = if mean.pairs < asked { format!("{} of ", mean.pairs) } else { String::new() };
        let pairs = format::counted(asked, "pair");
        format!("{of}{pairs} of {}", format::counted(mean.ratio.replicates, "replicate"))
    };
    let Some(mean) = found.overall.as_ref().filter(|_| found.pairs > 0) else {
        let why = format!("No pair of {sides} was measured, so the question has no answer.");
        return (found.pairs > 0).then(|| Answer { ask, basis: why, ..Answer::default() });
    };
    let ratio = words(mean);
    let group = |group: &question::Group| {
        let [text, bounds] = words(&group.mean).say(Length::Clause);
        format!("{}: {text} {bounds}", group_name(&group.key, &group.value))
    };
    let claim = question.at_most.zip(found.claim).map(|(most, verdict)| say::claimed(&ratio, most, verdict));
    let negative = found.claim == Some(Verdict::Slower);
    Some(Answer {
        ask,
        text: ratio.say(Length::Clause),
        basis: format!("With all else equal, {sides}; {}.", number_of(mean, found.pairs)),
        claim: claim.unwrap_or_default(),
        groups: found.groups.iter().map(group).collect(),
        verdict: found.claim,
        is_condition: false,
        tone: if negative { Tone::Worse } else { tone(ratio.verdict) },
        facts: fields([
            ("from", json!(question.from)),
            ("to", json!(question.to)),
            ("ratio", number(mean.ratio)),
            ("pairs", json!(found.pairs)),
            ("at_most", json!(question.at_most)),
        ]),
    })
}

/// Returns the two sides of a question, and the entries that it is restricted to, such as `runtime openmp against rayon
/// where threads=2`.
fn sides(question: &Question) -> String {
    let quoted = |value: &String| if value.contains(',') { format!("'{value}'") } else { value.clone() };
    let side = |labels: &BTreeMap<String, String>| {
        let all: Vec<String> = labels.iter().map(|(key, value)| format!("{key} {}", quoted(value))).collect();
        if all.is_empty() { "any".to_owned() } else { all.join(", ") }
    };
    let only: Vec<String> = question.only.iter().map(ToString::to_string).collect();
    let only = if only.is_empty() { String::new() } else { format!(" where {}", only.join(" and ")) };
    format!("{} against {}{only}", side(&question.to), side(&question.from))
}

/// Returns the answer to a condition of the user on the commands of a record.
fn gate_answer(works: &[Work<'_>], gate: &Gate) -> Answer {
    let on: Vec<&Work<'_>> = works.iter().filter(|work| gate.is_on(&work.case.measure)).collect();
    let rows = on.iter().map(|work| work.logs()).collect::<Vec<_>>().concat();
    let judged = verdicts(&rows, Asked { threshold: RESOLUTION, gate: Some(gate.border()) });
    let entries =
        on.iter().flat_map(|work| work.entries.iter().filter(|e| e.is_compared()).map(move |e| (work, e)));
    let asked = |((work, entry), judged): ((&&Work<'_>, &EntryView<'_>), Option<Judged>)| gate::Asked {
        name: match work.case.params.is_empty() {
            true => entry.name.clone(),
            false => format!(
                "{} with {}",
                entry.name,
                work.case.params.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(" ")
            ),
        },
        holds: judged.and_then(|judged| judged.gate),
        how: entry.ratio.map_or(String::new(), |r| format!("{} %", format::signed_percents(r.value, None).0)),
        reach: entry.ratio.and_then(|r| r.interval).map(|i| gate.reach(i)),
    };
    let candidates = on
        .iter()
        .flat_map(|work| work.entries.iter().filter(|e| e.entry.role == Role::Candidate && !e.is_baseline));
    let lost = candidates.filter(|entry| entry.ratio.is_none());
    let (failed, not_measured): (Vec<_>, Vec<_>) = lost.partition(|entry| entry.entry.failure.is_some());
    let counted = on.first().map_or_else(String::new, |work| heading(&work.case.measure));
    gate::Rows {
        noun: "comparison",
        counted: &counted,
        asked: entries.zip(judged).map(asked).collect(),
        not_measured: not_measured.len(),
        failed: failed.len(),
    }
    .answer(gate)
}

/// Returns the value that the pairs of a group share, such as `scale 7`.
fn group_name(key: &str, value: &str) -> String {
    match key {
        "threads" => format::counted(value.parse().unwrap_or(0), "thread"),
        "workload" => value.to_owned(),
        key => match value.parse() {
            Ok(number) => size(key, &parcrypt_lab::record::Value::Number(number)),
            Err(_) => format!("{key} {value}"),
        },
    }
}

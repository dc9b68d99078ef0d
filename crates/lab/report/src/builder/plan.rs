//! The sheet of the cases of a plan, or of commands: a row for each entry of the only case, or for each of several
//! cases.

mod entries;
mod means;
mod series;

use std::collections::{BTreeMap, BTreeSet};

use parcrypt_lab::question::{self, Answer as Found};
use parcrypt_lab::record::{Failure, FailureKind, Question, Role, Value};
use parcrypt_lab::stats::{self, Estimate, MeanRatio, Verdict};
use serde_json::json;

use super::works::{EntryView, Work};
use super::{asked, compare, grouped, head_and_tail, heading, is_skip, kind, shown, size, tone};
use crate::format;
use crate::gate::{Gate, Rows};
use crate::plot;
use crate::say::{self, Length, Ratio};
use crate::sheet::{Answer, Cell, Column, Head, Note, Row, Sheet, Table, Tone, fields, number};

/// Number of cases whose rows a page for a pull request does not fold.
const ROWS: usize = 24;

/// Returns the sheet of some cases, with the answers to the questions of the plan and to conditions of the user.
pub(super) fn sheet(works: &[Work<'_>], questions: &[Question], found: &[Found], gates: &[Gate]) -> Sheet {
    let shown: Vec<&Work<'_>> = works.iter().filter(|work| !work.is_skipped()).collect();
    let conditions = gates.iter().map(|gate| condition(works, gate)).collect();
    let asked: Vec<Asked<'_>> =
        questions.iter().zip(found).map(|(one, found)| Asked::new(one, found, works)).collect();
    let answered: Vec<&Asked<'_>> = asked.iter().filter(|one| one.found.overall.is_some()).collect();
    let answers: Vec<Answer> = asked.iter().filter_map(Asked::answer).collect();
    let mut notes = notes(works, &shown);
    let unanswered = asked.iter().filter(|one| one.found.pairs == 0).count();
    if !answered.is_empty() && unanswered > 0 {
        let others = format::counted(unanswered, "other question");
        notes.push(Note::new(format!("The plan has {others}, of entries that are not in this record.")));
    }
    let mut chiefs = series::chiefs(works);
    chiefs.retain(|work| !work.is_skipped());
    let means = means::Means::new(&shown);
    let first = answers.first().filter(|first| !first.text[0].is_empty());
    let verdict = match (first, &shown[..]) {
        (Some(answer), _) => {
            let [text, bounds] = &answer.text;
            [answer.asked(), text.clone(), format!(" {bounds}.")]
        }
        (None, []) => [String::new(), "Nothing was measured".to_owned(), ".".to_owned()],
        (None, [one]) => one.verdict(),
        (None, [first, ..]) => means.as_ref().and_then(means::Means::verdict).unwrap_or_else(|| {
            let chief = chiefs.iter().find(|work| work.leader().is_some()).unwrap_or(first);
            let [before, answer, after] = chief.verdict();
            [format!("{}: {before}", chief.title), answer, after]
        }),
    };
    let of_case = |work: &&Work<'_>| {
        let rows: Vec<_> = work.entries.iter().filter_map(|of| Some((&*of.name, of.ratio?))).collect();
        plot::forest(&work.title, &work.baseline, &rows, None)
    };
    let of_means = means.filter(|_| answered.is_empty());
    let chief = figure(&answered)
        .or_else(|| of_means.as_ref()?.figure())
        .or_else(|| chiefs.first().and_then(of_case));
    let only = works.iter().filter(|_| works.len() == 1);
    Sheet {
        head: Head { verdict, ..Head::default() },
        rows: match &shown[..] {
            [one] => entries::table(one),
            all => overview(all, &chiefs),
        },
        answers,
        conditions,
        notes: only.clone().flat_map(entries::notes).map(Note::new).chain(notes).collect(),
        cases: works.iter().map(entries::part).collect(),
        tables: only
            .flat_map(entries::further_tables)
            .chain(of_means.iter().map(means::Means::table))
            .collect(),
        figure: chief,
        ..Sheet::default()
    }
}

/// Returns the table of several cases: the baseline, the best of the others, and their ratio.
fn overview(works: &[&Work<'_>], chiefs: &[&Work<'_>]) -> Table {
    let only = |is_baseline: bool, several: &str| {
        let found = works.iter().flat_map(|work| work.candidates());
        let found = found.filter(|entry| entry.is_baseline == is_baseline);
        let names: BTreeSet<&str> = found.map(|entry| &*entry.candidate).collect();
        names.first().filter(|_| names.len() == 1).unwrap_or(&several).to_string()
    };
    let side =
        |work: &Work<'_>, of: Option<&EntryView<'_>>| shown(&work.case.measure, of.and_then(|of| of.value));
    let row = |work: &&Work<'_>| {
        let has_result = work.entries.iter().any(EntryView::competes);
        let why = work.entries.iter().find_map(EntryView::missing);
        Row {
            what: work.title.clone(),
            missing: why.filter(|_| !has_result),
            verdict: rival(work).and_then(|rival| rival.ratio).map(|ratio| ratio.verdict),
            is_folded: works.len() > ROWS && !chiefs.iter().any(|chief| std::ptr::eq(*chief, *work)),
            ..Row::default()
        }
    };
    let baseline = only(true, "baseline");
    let against = format!("against {baseline}");
    let mut table = Table::new("work", works, row);
    let of_baseline =
        |work: &&Work<'_>| side(work, work.candidates().into_iter().find(|entry| entry.is_baseline));
    table.add(Column::number("first", baseline).leaving(7), works, of_baseline);
    let other = Column::number("second", only(false, "best other")).leaving(7);
    table.add(other, works, |work| side(work, rival(work)));
    compare(&mut table, against, works, |work| rival(work)?.ratio);
    if works.iter().any(|work| work.candidates().len() > 2) {
        table.add(Column::text("best", "best"), works, |work| Cell::new(best(work)));
    }
    let limit = |work: &Work<'_>| {
        let limits = work.candidates().into_iter().filter_map(|entry| work.of_limit(entry));
        limits.max_by(|a, b| a.value.total_cmp(&b.value))
    };
    if works.iter().all(|work| limit(work).is_some()) {
        let column = Column::number("limit", "of the limit").leaving(3);
        table.add(column, works, |work| Cell::of(limit(work), format::share));
    }
    table
}

/// Returns the entry of a case that is compared with the baseline: the best that is shown to be better, or else the
/// best of the others.
fn rival<'w, 'a>(work: &'w Work<'a>) -> Option<&'w EntryView<'a>> {
    let others = || work.candidates().into_iter().filter(|entry| !entry.is_baseline);
    work.leader().filter(|leader| !leader.is_baseline).or_else(|| others().next())
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
fn notes(works: &[Work<'_>], shown: &[&Work<'_>]) -> Vec<Note> {
    let entries = works.iter().flat_map(|work| work.entries.iter().map(move |entry| (work, entry)));
    let failed = entries.filter_map(|(work, entry)| {
        let failure = entry.entry.failure.as_ref().filter(|failure| !is_skip(failure))?;
        Some(((&*entry.name, failure), work.title.clone()))
    });
    let note = |((name, failure), cases): ((&str, &Failure), Vec<String>)| {
        let place = format!(", in {}", format::listed(&cases));
        let place = if works.len() > 1 { &place } else { "" };
        let why = failure.why.trim_end_matches('.');
        // The record has the digests.
        let why = match failure.kind {
            FailureKind::WrongDigest if why.contains(", the others have ") => {
                "its output or exit code differs from the others'".to_owned()
            }
            other => format!("{}: {why}", kind(other)),
        };
        let text = format::one_line(&format!("FAILED {name}{place}: {why}."));
        Note { text, output: head_and_tail(&failure.stderr), tone: Tone::Failed }
    };
    let mut notes: Vec<Note> = grouped(failed).into_iter().map(note).collect();
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
    notes
}

/// A question with what was found, and the noise floor of what it compares.
struct Asked<'q> {
    question: &'q Question,
    found: &'q Found,
    floor: Option<f64>,
}

impl<'q> Asked<'q> {
    fn new(question: &'q Question, found: &'q Found, works: &[Work<'_>]) -> Self {
        let is_like = |work: &&Work<'_>| work.case.measure.is_time() == found.measure.is_time();
        let floors = works.iter().filter(is_like).filter_map(|work| work.floor);
        Asked { question, found, floor: floors.max_by(f64::total_cmp) }
    }

    fn ratio(&self, estimate: Estimate) -> Ratio<'q> {
        let measure = &self.found.measure;
        let needs = if measure.is_time() { stats::MIN_REPLICATES } else { stats::EQUAL_COUNTS };
        Ratio::new(estimate, measure, self.floor, [estimate.replicates, needs])
    }

    /// Returns the answer; `None` if no entries of the record are what the question is about.
    fn answer(&self) -> Option<Answer> {
        let Asked { question, found, .. } = self;
        let ask = format::one_line(&question.ask);
        let sides = sides(question);
        if found.pairs == 0 {
            return None;
        }
        let Some(mean) = found.overall else {
            let why = format!("No pair of {sides} was measured, so the question has no answer.");
            return Some(Answer { ask, basis: why, ..Answer::default() });
        };
        let ratio = self.ratio(mean.ratio);
        let group = |group: &question::Group| {
            let [text, bounds] = self.ratio(group.mean.ratio).say(Length::Clause);
            format!("{}: {text} {bounds}", group_name(group))
        };
        let MeanRatio { pairs, ratio: Estimate { replicates, .. } } = mean;
        let of = if pairs < found.pairs { format!("{pairs} of ") } else { String::new() };
        let (pairs, replicates) =
            (format::counted(found.pairs, "pair"), format::counted(replicates, "replicate"));
        let claim = question.at_most.zip(found.claim);
        let tone = if found.claim == Some(Verdict::Slower) { Tone::Worse } else { tone(ratio.verdict) };
        Some(Answer {
            ask,
            text: ratio.say(Length::Clause),
            basis: format!("With all else equal, {sides}; {of}{pairs} of {replicates}."),
            claim: claim.map_or(String::new(), |(most, verdict)| say::claimed(&ratio, most, verdict)),
            groups: found.groups.iter().map(group).collect(),
            verdict: found.claim,
            tone,
            facts: fields([
                ("from", json!(question.from)),
                ("to", json!(question.to)),
                ("ratio", number(mean.ratio)),
                ("pairs", json!(found.pairs)),
                ("at_most", json!(question.at_most)),
            ]),
        })
    }
}

/// Returns the answers to those questions that compare what the first compares, or of a single one the answers for
/// parts of its pairs, in one forest.
fn figure(answered: &[&Asked<'_>]) -> Option<plot::Figure> {
    let first = answered.first()?;
    let alike = answered.iter().filter(|one| one.found.measure == first.found.measure);
    let alike: Vec<(&str, Ratio<'_>)> =
        alike.filter_map(|one| Some((&*one.question.ask, one.ratio(one.found.overall?.ratio)))).collect();
    let groups: Vec<(String, Ratio<'_>)> =
        first.found.groups.iter().map(|group| (group_name(group), first.ratio(group.mean.ratio))).collect();
    let (what, rows) = match &alike[..] {
        [_] => {
            let rows = groups.iter().map(|(name, ratio)| (&**name, *ratio)).collect();
            (format::one_line(&sides(first.question)), rows)
        }
        _ => ("all questions".to_owned(), alike),
    };
    plot::forest(&what, "the other side", &rows, None)
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

/// Returns the value that the pairs of a group share, such as `scale 7`.
fn group_name(question::Group { key, value, .. }: &question::Group) -> String {
    match &**key {
        "threads" => format::counted(value.parse().unwrap_or(0), "thread"),
        "workload" => value.to_owned(),
        key => match value.parse() {
            Ok(number) => size(key, &Value::Number(number)),
            Err(_) => format!("{key} {value}"),
        },
    }
}

/// Returns the answer to a condition of the user on the commands of a record.
fn condition(works: &[Work<'_>], gate: &Gate) -> Answer {
    let on: Vec<&Work<'_>> = works.iter().filter(|work| gate.is_on(&work.case.measure)).collect();
    let entries = on.iter().flat_map(|work| &work.entries);
    let candidates = entries.filter(|entry| entry.entry.role == Role::Candidate && !entry.is_baseline);
    let lost = candidates.filter(|entry| entry.ratio.is_none());
    let (failed, not_measured): (Vec<_>, Vec<_>) = lost.partition(|entry| entry.entry.failure.is_some());
    let counted = on.first().map_or_else(String::new, |work| heading(&work.case.measure));
    let asked = asked(&on, gate, |work, entry| match work.case.params.is_empty() {
        true => entry.name.clone(),
        false => {
            let params = work.case.params.iter().map(|(key, value)| format!("{key}={value}"));
            format!("{} with {}", entry.name, params.collect::<Vec<_>>().join(" "))
        }
    });
    Rows {
        noun: "comparison",
        counted: &counted,
        asked,
        not_measured: not_measured.len(),
        failed: failed.len(),
    }
    .answer(gate)
}

//! One self-contained page of HTML for any number of records, without network. Its script sorts and filters tables, and
//! without it nothing is missing.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use parcrypt_lab::question::Answer;
use parcrypt_lab::record::{FailureKind, Question, Record};
use parcrypt_lab::stats::Verdict;

use super::markdown::address;
use super::svg;
use crate::document::title;
use crate::figures::{self, Figure, capital};
use crate::format;
use crate::output::GENERATOR;
use crate::sentences::{
    self, About, AnswerWords, Change, RecordVerdict, busy, circumstances, counted_rounds, missing,
    paragraphs, partial,
};
use crate::suite::{self, SuiteView};
use crate::view::tables::{self, Cell, Column, Row, Table, Tone};
use crate::view::{self, CaseView, FailureView, Outputs, RecordView, Series};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// Returns the page of some records, with a link to the file of each if its path is known.
pub(crate) fn page(records: &[(&Record, Option<&str>)]) -> Markup {
    let views: Vec<RecordView<'_>> = records.iter().map(|(record, _)| RecordView::new(record)).collect();
    let heading = match views.as_slice() {
        [one] => title(one.record),
        all => format!("{} of the lab", format::counted(all.len(), "record")),
    };
    let files = records.iter().map(|(_, file)| *file);
    let body = html! {
        @if views.len() != 1 { (head(&heading)) }
        @if views.len() > 1 {
            nav { ul { @for (index, view) in views.iter().enumerate() {
                li { a href=(format!("#r{index}")) { (title(view.record)) } }
            } } }
        }
        @if views.is_empty() { p { "There are no records to show." } }
        @for (index, (view, file)) in views.iter().zip(files).enumerate() {
            (record(view, index, file))
        }
    };
    frame(&heading, &body)
}

fn head(heading: &str) -> Markup {
    html! { header.page { p.eyebrow { "Parcrypt lab" } h1 { (heading) } } }
}

fn frame(heading: &str, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="generator" content=(GENERATOR);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (heading) " · Parcrypt" }
                // The style sheet has other values of the same variables for print.
                style { (PreEscaped(svg::page_rules())) (PreEscaped(STYLE)) }
            }
            body {
                main { (body) }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

/// A part of a record with its heading.
struct Section {
    /// Last part of its anchor.
    anchor: String,
    title: String,
    body: Markup,
}

impl Section {
    fn new(anchor: impl Into<String>, title: impl Into<String>, body: Markup) -> Self {
        Section { anchor: anchor.into(), title: title.into(), body }
    }
}

fn record(view: &RecordView<'_>, index: usize, file: Option<&str>) -> Markup {
    let record = view.record;
    let verdict = sentences::verdict_of(view);
    let suite = suite::of(record);
    let mut sections = match &suite {
        Some(suite) => vec![benchmarks(suite)],
        None => results(view, &verdict, index),
    };
    if !paragraphs(&record.about).is_empty() {
        sections.push(Section::new(
            "about",
            "What was measured",
            html! { div.prose { (about(&record.about)) } },
        ));
    }
    sections.push(method(view, suite.as_ref()));
    sections.extend(circumstances_in_full(view, suite.as_ref(), file));
    html! {
        article id=(format!("r{index}")) {
            header.top {
                (heading(view, &verdict, index))
                @if let Some(chief) = figures::chief(view) { (figure(&chief)) }
            }
            nav.contents { details {
                summary { "Contents" }
                ul { @for section in &sections {
                    li { a href=(format!("#r{index}-{}", section.anchor)) { (section.title) } }
                } }
            } }
            @for section in &sections {
                section id=(format!("r{index}-{}", section.anchor)) { h2 { (section.title) } (section.body) }
            }
            @if let Some(skipped) = sentences::skipped(view).filter(|_| suite.is_none()) { p.note { (sentence(&skipped)) } }
        }
    }
}

/// Returns what the cases of a record show.
fn results(view: &RecordView<'_>, verdict: &RecordVerdict, index: usize) -> Vec<Section> {
    let mut sections: Vec<Section> = questions(view, verdict.about).into_iter().collect();
    let whole = matches!(verdict.about, About::Case(_)) && view.shown().len() == 1;
    for (number, series) in view.series.iter().enumerate() {
        if !series.cases.iter().all(|index| view.cases[*index].is_unsupported()) {
            // The verdict has said of the only case what its title and its sentence would.
            let title = if whole { "All entries".to_string() } else { format::one_line(&series.title) };
            let body = self::series(view, series, &format!("r{index}-s{number}"), whole);
            sections.push(Section::new(format!("s{number}"), title, body));
        }
    }
    sections.extend(means(view));
    sections
}

/// Returns the table of a suite.
fn benchmarks(suite: &SuiteView<'_>) -> Section {
    let body = html! {
        @for answer in suite.answers() { p { strong { (sentence(&answer.to_string())) } } }
        @if let Some(mean) = suite.mean() { p { (sentence(&mean)) } }
        (table(&suite.whole_table()))
        @for line in suite.others() { p.note { (sentence(&line)) } }
        @if let Some(correction) = suite.correction() { p.note { (sentence(&correction)) } }
        @if let Some(counts) = suite.of_iterations(None) {
            p { strong { (sentence(&counts.answer)) } (sentence(&counts.after)) }
            @if let Some(of_all) = &counts.table { (table(of_all)) }
            @for line in &counts.not_counted { p.note { (sentence(line)) } }
        }
    };
    Section::new("benchmarks", "Benchmarks", body)
}

/// Number of lines on failures below the verdict; the rest are in their section.
const ALARMS: usize = 4;

/// Returns the question, the verdict on it, what failed, and the circumstances.
fn heading(view: &RecordView<'_>, verdict: &RecordVerdict, index: usize) -> Markup {
    let record = view.record;
    let alarms = sentences::alarms(view);
    let (shown, more) = alarms.split_at(ALARMS.min(alarms.len()));
    let asked = match verdict.about {
        About::Question(index) => view.asked().get(index).copied(),
        _ => None,
    };
    let answered = asked.and_then(|(question, answer)| {
        Some((answer, sentences::answer_words(question, answer, view.floor_of(&answer.measure))?))
    });
    html! {
        div {
            p.eyebrow { (sentence(&title(record))) }
            @if let Some(partial) = partial(record) { p.warning role="note" { (format::lines(&partial)) } }
            @if let Some(missing) = missing(view.record) { p.warning role="note" { (format::lines(&missing)) } }
            @if let Some(busy) = busy(record).filter(|_| record.suite.is_some()) { p.warning role="note" { (busy) } }
            h1.verdict data-ask=[asked.map(|(question, _)| format::one_line(&question.ask))] {
                (sentence(&verdict.before)) strong { (sentence(&verdict.answer)) }
                span.sure { (sentence(&verdict.after)) }
            }
            @for alarm in shown { p.failed { (sentence(alarm)) } }
            @if !more.is_empty() {
                p.failed { a href=(format!("#r{index}-failures")) { "and " (more.len()) " more" } }
            }
            @if let Some((answer, words)) = &answered { (basis(view, answer, words)) }
            p.facts { (format::one_line(&circumstances(record))) }
        }
    }
}

fn about(text: &str) -> Markup {
    html! { @for paragraph in paragraphs(text) { p.about { (sentence(&paragraph)) } } }
}

/// Number of cards that are shown at once; the others are folded.
const CARDS: usize = 9;

/// A question of the plan with its answer.
type Asked<'a> = (&'a Question, Answer);

/// Returns the plan's questions with their answers, without the one that the verdict is about; `None` if that leaves
/// nothing to say.
fn questions(view: &RecordView<'_>, about: About) -> Option<Section> {
    let asked: Vec<&Asked<'_>> = view
        .asked()
        .into_iter()
        .enumerate()
        .filter_map(|(index, asked)| (about != About::Question(index)).then_some(asked))
        .collect();
    let (shown, others) = asked.split_at(CARDS.min(asked.len()));
    let cards = |of: &[&Asked<'_>]| html! { div.short { @for asked in of { (card(view, asked)) } } };
    let unasked = sentences::unasked(view);
    let body = html! {
        (cards(shown))
        @if !others.is_empty() {
            details { summary { (format::counted(others.len(), "more question")) } (cards(others)) }
        }
        @if let Some(unasked) = &unasked { p.note { (unasked) } }
    };
    let title = if matches!(about, About::Question(_)) { "Other questions" } else { "Questions" };
    (!asked.is_empty() || unasked.is_some()).then(|| Section::new("questions", title, body))
}

/// Returns a question with its answer and how sure that is.
fn card(view: &RecordView<'_>, (question, answer): &Asked<'_>) -> Markup {
    let words = sentences::answer_words(question, answer, view.floor_of(&answer.measure));
    html! {
        div.card {
            h3 { (sentence(&question.ask)) }
            @match words {
                None => p { (sentence(&sentences::unanswered(question, answer))) },
                Some(words) => {
                    @let Change { what, noise, .. } = &words.change;
                    p.verdict {
                        strong { (sentence(what)) } " "
                        span.sure { "(" (sentence(&words.change.sure())) ")" (noise) }
                    }
                    (basis(view, answer, &words))
                }
            }
        }
    }
}

/// Returns what the answer to a question compares, whether its claim is kept, and the answer for parts of its pairs.
fn basis(view: &RecordView<'_>, answer: &Answer, words: &AnswerWords) -> Markup {
    let floor = view.floor_of(&answer.measure);
    html! {
        @if !words.claim.is_empty() { p.slower[answer.claim == Some(Verdict::Slower)] { (sentence(&words.claim)) } }
        p.note { (sentence(&format!("With all else equal, {}; {}.", words.sides, words.pairs))) }
        @if !answer.groups.is_empty() {
            details {
                summary { "By each label, number of threads and size" }
                ul { @for group in &answer.groups {
                    li { (sentence(&sentences::group(&answer.measure, group, floor))) }
                } }
            }
        }
    }
}

fn headline(case: &CaseView<'_>) -> Markup {
    let headline = &case.headline;
    html! { (headline.before) strong { (headline.name) } (sentence(&headline.after)) }
}

/// Returns a sentence with no-break spaces between numbers and percent signs, and what is in backticks as code.
fn sentence(text: &str) -> Markup {
    let text = format::one_line(text).replace(" %", "\u{a0}%");
    html! { @for (is_code, part) in format::spans(&text) {
        @if is_code { code { (part) } } @else { (part) }
    } }
}

/// Returns the sentence on whether the fastest candidate of the chief case is also the fastest at the other sizes;
/// `None` if no two candidates were compared with an interval, there or there.
fn other_sizes(view: &RecordView<'_>, series: &Series, chief: &CaseView<'_>) -> Option<String> {
    let key = series.key.as_ref().filter(|_| !chief.case.steps)?;
    let first = chief.headline.fastest.first()?;
    let size = |case: &CaseView<'_>| case.case.params.get(key).map_or(String::new(), |v| view::size(key, v));
    let others: Vec<&CaseView<'_>> = series
        .cases
        .iter()
        .map(|index| &view.cases[*index])
        .filter(|case| !std::ptr::eq(*case, chief) && !case.headline.fastest.is_empty())
        .collect();
    // Fastest candidates of the other cases, with their sizes.
    let rest = others.iter().filter(|case| !case.headline.fastest.contains(first));
    let rest = view::grouped(rest.filter_map(|case| Some((case.headline.fastest.first()?, size(case)))));
    let same = others.len() - rest.iter().map(|(_, sizes)| sizes.len()).sum::<usize>();
    let rest: Vec<String> =
        rest.into_iter().map(|(leader, sizes)| format!("{leader} at {}", format::listed(&sizes))).collect();
    let among = match sentences::count_name(&chief.case.measure) {
        None => "the fastest".to_string(),
        Some(count) => format!("those with the least {count}"),
    };
    let lead = format!("{first} is among {among} at {}", size(chief));
    let rest = rest.join("; ");
    Some(match (same, others.as_slice()) {
        (_, []) => return None,
        (1, [one]) => format!("{lead} and at {}.", size(one)),
        (0, _) => format!("{lead} only. The first at other sizes: {rest}."),
        (2, [_, _]) => format!("{lead} and at both other sizes."),
        (same, all) if same == all.len() => format!("{lead} and at all {same} other sizes."),
        (same, all) => {
            format!("{lead} and at {same} of the {} other sizes. The first elsewhere: {rest}.", all.len())
        }
    })
}

/// Returns a line on whether outputs agreed and entries failed, over a series.
fn health(view: &RecordView<'_>, series: &Series) -> String {
    let cases: Vec<&CaseView<'_>> = series.cases.iter().map(|i| &view.cases[*i]).collect();
    let failures = || cases.iter().flat_map(|c| &c.entries).filter_map(|r| r.entry.failure.as_ref());
    let skipped = failures().filter(|f| f.kind == FailureKind::Unsupported).count();
    let wrong = failures().filter(|f| f.kind == FailureKind::WrongDigest).count();
    let failed = failures().count() - skipped;
    let agreed = cases.iter().filter(|case| matches!(case.outputs(), Outputs::Agreed { .. })).count();
    let mut parts = vec![match (wrong, agreed) {
        (0, 0) => "outputs were not compared".to_string(),
        (0, all) if all == cases.len() => "outputs agreed".to_string(),
        (0, some) => {
            format!("outputs agreed in {some} of {} cases, and were not compared in others", cases.len())
        }
        (wrong, _) => format!("{} wrong", format::counted(wrong, "output")),
    }];
    if failed > 0 {
        parts.push(format!("{} failed", format::counted(failed, "entry")));
    }
    if skipped > 0 {
        parts.push(format!("{} skipped", format::counted(skipped, "entry")));
    }
    if cases.iter().all(|case| !case.case.measure.is_time()) {
        parts.push("counted, not timed".to_string());
        return parts.join(" · ");
    }
    parts.push(match floor_of(view, series) {
        Some(floor) => format!("noise floor {}", format::percent(floor)),
        None => "noise floor not known".to_string(),
    });
    parts.join(" · ")
}

/// Returns the highest noise floor of the cases of a series.
fn floor_of(view: &RecordView<'_>, series: &Series) -> Option<f64> {
    series.cases.iter().filter_map(|index| view.cases[*index].floor).max_by(f64::total_cmp)
}

/// Returns the means over cases; `None` if the record has none.
fn means(view: &RecordView<'_>) -> Option<Section> {
    let means = tables::means(view)?;
    let body = html! { (table(&means)) p.note { (sentence(&sentences::means(view.means.has_rates()))) } };
    Some(Section::new("means", "Means", body))
}

/// Number of figures that are shown at once; the others are folded.
const SHOWN: usize = 4;

/// Returns figures side by side.
fn gallery(figures: &[Figure]) -> Markup {
    let (shown, others) = figures.split_at(SHOWN.min(figures.len()));
    html! {
        @if !shown.is_empty() { div.figures { @for one in shown { (figure(one)) } } }
        @if !others.is_empty() {
            details {
                summary { (format::counted(others.len(), "more figure")) }
                div.figures { @for one in others { (figure(one)) } }
            }
        }
    }
}

fn figure(figure: &Figure) -> Markup {
    html! { figure { (svg::inline(&figure.drawing)) figcaption { (sentence(&figure.caption)) } } }
}

/// Returns the cases of a series; `is_said` says that the verdict is about its only case.
fn series(view: &RecordView<'_>, series: &Series, id: &str, is_said: bool) -> Markup {
    let chief = view.chief(series);
    let cases: Vec<&CaseView<'_>> = series.cases.iter().map(|index| &view.cases[*index]).collect();
    html! {
        @if let Some(note) = chief.and_then(|chief| other_sizes(view, series, chief)) { p.note { (sentence(&note)) } }
        @if cases.len() > 1 { p.note { (sentence(&health(view, series))) } }
        (gallery(&figures::of_series(view, series)))
        @if let [one] = cases.as_slice() {
            div.case {
                @if !is_said { p.says { (headline(one)) } }
                (case(view, series, one))
            }
        } @else {
            @for (number, one) in cases.into_iter().enumerate().filter(|(_, case)| !case.is_unsupported()) {
                @let open = chief.is_some_and(|chief| std::ptr::eq(chief, one));
                details.case id=(format!("{id}-c{number}")) open[open] {
                    summary {
                        @if let Some(size) = size_of(series, one) { span.size { (size) } }
                        span.says { (headline(one)) }
                    }
                    (case(view, series, one))
                }
            }
        }
    }
}

/// Returns the size of a case in its series.
fn size_of(series: &Series, case: &CaseView<'_>) -> Option<String> {
    let key = series.key.as_ref()?;
    Some(format::one_line(&view::size(key, case.case.params.get(key)?)))
}

fn case(view: &RecordView<'_>, series: &Series, case: &CaseView<'_>) -> Markup {
    // One figure is next to the verdict.
    let chief = figures::chief(view).map(|chief| chief.name);
    let mut figures = figures::of_case(series, case);
    figures.retain(|figure| Some(&figure.name) != chief.as_ref());
    html! {
        (gallery(&figures))
        (table(&tables::entries(case)))
        @if let Some(phases) = tables::phases(case) {
            p.note { (sentence(&sentences::phases(&case.case.measure))) }
            (table(&phases))
        }
        @if let Some(before) = tables::before(case) { p.note { (sentences::BEFORE) } (table(&before)) }
        p.note { (sentence(&sentences::end_of_case(case))) }
    }
}

fn method(view: &RecordView<'_>, suite: Option<&SuiteView<'_>>) -> Section {
    let body = html! {
        div.prose {
            @if view.has_counts() {
                p { strong { "Counts." } " " (sentence(sentences::COUNTED)) }
            }
            @if view.cases.is_empty() || view.cases.iter().any(|case| case.case.measure.is_time()) {
                @let floor = view.floor.map_or("not known".to_string(), format::percent);
                @if suite.is_none() { p { strong { "Noise floor: " (floor) "." } " " (sentence(&sentences::noise_floor(view.record, view.floor))) } }
                p { strong { "Statistics." } " " (sentence(&sentences::method(view.record))) }
            }
        }
    };
    Section::new("method", "How to read this", body)
}

/// Returns the machine, the build, the command line, the plan, the record's file, failures and digests.
fn circumstances_in_full(
    view: &RecordView<'_>,
    suite: Option<&SuiteView<'_>>,
    file: Option<&str>,
) -> Vec<Section> {
    let record = view.record;
    let machine = &record.machine;
    let caches: Vec<String> =
        machine.caches.iter().map(|(name, size)| format!("{name} {}", format::bytes(*size))).collect();
    let facts: Vec<(&str, String)> = vec![
        ("Processor", machine.processor.clone()),
        ("Architecture", machine.arch.clone()),
        ("Cores", if machine.cores > 0 { machine.cores.to_string() } else { String::new() }),
        ("Memory", if machine.memory > 0 { format::bytes(machine.memory) } else { String::new() }),
        ("Caches", caches.join(", ")),
        ("Backends", machine.backends.join(", ")),
        ("System", machine.system.clone()),
        (
            "Virtual machine",
            if machine.virtual_machine { "yes" } else { "none that shows itself" }.to_string(),
        ),
    ];
    let facts = facts.into_iter().filter(|(_, value)| !value.is_empty());
    let revisions =
        suite.iter().flat_map(|suite| ["Old revision", "New revision"].into_iter().zip(suite.revisions()));
    let machine = html! {
        div.columns {
            dl { @for (name, value) in facts { dt { (name) } dd { (format::one_line(&value)) } } }
            dl {
                @for (name, revision) in revisions { dt { (name) } dd { (revision) } }
                @for (name, value) in &record.build {
                    dt { (format::one_line(&sentences::of_build(record, name))) } dd { (format::one_line(value)) }
                }
            }
        }
    };
    let repeat = html! {
        p { (counted_rounds(record)) "." }
        @if !record.command.is_empty() {
            pre tabindex="0" { code { (format::lines(&format::command_line(&record.command))) } }
        }
        @if sentences::reads_a_plan(record) {
            p.note {
                "The plan's file may have changed since. The plan as it ran is below, and in the record: save it next \
                 to that file and run it."
            }
        }
        @if !record.plan_text.is_empty() {
            details {
                summary { "The plan as it ran" }
                pre tabindex="0" { code { (format::lines(&record.plan_text)) } }
            }
        }
        @if let Some(file) = file { (values(file)) }
    };
    let mut sections = vec![
        Section::new("machine", "Machine and build", machine),
        Section::new("repeat", "Repeat it", repeat),
    ];
    sections.extend(failures(view));
    sections.extend(digests(view));
    sections
}

/// Returns a link to the file of a record, with the commands that print its values.
fn values(file: &str) -> Markup {
    let name = file.rsplit('/').next().unwrap_or(file);
    let words = ["parlab", "report", name, "--json"].map(str::to_string);
    html! {
        p {
            "The record, with all that this page is made from: "
            a href=(format!("./{}", address(file))) { (format::one_line(name)) }
            ". Each value with its interval, as JSON, or as a table by " code.flag { "--csv" } ":"
        }
        pre tabindex="0" { code { (format::lines(&format::command_line(&words))) } }
    }
}

/// Returns the entries without a result, with their commands and their standard error.
fn failures(view: &RecordView<'_>) -> Option<Section> {
    let failures = view.failures();
    let body = html! {
        @for FailureView { entry, failure, cases } in &failures {
            details {
                summary {
                    strong { (entry.name) } ", " (view::kind(failure.kind)) ": " (sentence(&failure.why))
                }
                p.note { "In " (format::one_line(&cases.join("; "))) "." }
                @if !entry.entry.command.is_empty() {
                    pre tabindex="0" { code { (format::lines(&format::command_line(&entry.entry.command))) } }
                }
                @if failure.stderr.trim().is_empty() { p.note { "It wrote nothing to standard error." } }
                @else { pre tabindex="0" { code { (format::lines(&failure.stderr)) } } }
            }
        }
    };
    (!failures.is_empty()).then(|| Section::new("failures", "Entries without a result", body))
}

fn digests(view: &RecordView<'_>) -> Option<Section> {
    let body = html! {
        details {
            summary { "Digests of every case" }
            @for case in &view.cases {
                h3 { (format::one_line(&case.title)) }
                @if !case.case.input_digest.is_empty() {
                    p.digest { "input, " (format::bytes(case.case.input_bytes)) ": "
                        code { (format::one_line(&case.case.input_digest)) } }
                }
                @for (digest, names) in tables::digests(case) {
                    p.digest { (names.join(", ")) ": " code { (format::one_line(&digest)) } }
                }
            }
        }
    };
    // The benchmarks of a suite have none.
    let has_some = !view.cases.is_empty() && view.record.suite.is_none();
    has_some.then(|| Section::new("digests", "Inputs and outputs", body))
}

/// Number of rows of a table that is shown without a height of its own.
const LONG: usize = 24;

fn table(of: &Table) -> Markup {
    html! {
        div.scroll.long[of.rows.len() > LONG] tabindex="0" role="region" aria-label=(of.title) {
            table {
                thead { tr { @for column in &of.columns {
                    th.number[column.number] scope="col" { (capital(&column.heading)) }
                } } }
                tbody { @for row in &of.rows { (self::row(row, &of.columns)) } }
            }
        }
    }
}

fn row(row: &Row, columns: &[Column]) -> Markup {
    let mut next = 0;
    let placed: Vec<(&Column, &Cell)> = row
        .cells
        .iter()
        .map(|cell| {
            let column = &columns[next.min(columns.len() - 1)];
            next += cell.columns.max(1);
            (column, cell)
        })
        .collect();
    html! {
        tr.baseline[row.is_baseline] { @for (index, (column, cell)) in placed.into_iter().enumerate() {
            @if index == 0 {
                th scope="row" { (contents(cell, "interval about")) }
            } @else if cell.columns > 1 {
                td.reason.failed[cell.tone == Tone::Failed] colspan=(cell.columns) { (sentence(&cell.text)) }
            } @else {
                td.number[column.number] data-value=[cell.value] { (contents(cell, "interval")) }
            }
        } }
    }
}

fn contents(cell: &Cell, small: &str) -> Markup {
    let tone = match cell.tone {
        Tone::Plain | Tone::Failed => None,
        Tone::Better => Some("faster"),
        Tone::Worse => Some("slower"),
        Tone::Muted => Some("muted"),
    };
    html! {
        @match tone {
            Some(tone) => span class=(tone) { (cell.text) },
            None => (sentence(&cell.text)),
        }
        @if !cell.tag.is_empty() { " " span.tag { (cell.tag) } }
        @if !cell.bounds.is_empty() { span.interval { (cell.bounds) } }
        @if !cell.small.is_empty() { span class=(small) { (cell.small) } }
    }
}

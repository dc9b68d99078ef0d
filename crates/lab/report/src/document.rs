//! A record as a sequence of headings, sentences and tables, which terminal and Markdown show in this order.

use parcrypt_lab::record::Record;

use crate::view::tables::{self, Table};
use crate::view::{CaseView, EntryView, FailureView, RecordView};
use crate::{format, sentences, view};

/// A part of a document. Its texts are the unescaped texts of a record; each exporter escapes them for its format.
pub(crate) enum Block {
    /// A heading: level 1 for the document, or a lower one.
    Heading(usize, String),
    Paragraph(Vec<Span>),
    List(Vec<String>),
    /// Lines of a program's output, shown as they are.
    Output(Vec<String>),
    Table(Table),
    /// A figure in a file: its path from the document, and its caption.
    Figure(String, String),
    /// Blocks that are folded under a summary.
    Details(String, Vec<Block>),
}

/// A part of a paragraph.
pub(crate) enum Span {
    Plain(String),
    Strong(String),
    /// A failure.
    Failed(String),
}

/// Returns a paragraph of plain text.
pub(crate) fn sentence(text: impl Into<String>) -> Block {
    Block::Paragraph(vec![Span::Plain(text.into())])
}

/// Returns a paragraph that begins with emphasised text.
pub(crate) fn strong(first: impl Into<String>, then: impl Into<String>) -> Block {
    Block::Paragraph(vec![Span::Strong(first.into()), Span::Plain(then.into())])
}

/// Returns the document of a whole record.
pub(crate) fn of(view: &RecordView<'_>) -> Vec<Block> {
    let record = view.record;
    let mut blocks = vec![Block::Heading(1, title(record))];
    head(view, &mut blocks);
    blocks.push(sentence(sentences::circumstances(record)));
    if view.cases.is_empty() {
        blocks.push(sentence(sentences::NO_CASES));
    }
    for case in view.cases.iter().filter(|case| !case.is_unsupported()) {
        // The title of the record has the commands of its only case already.
        if !case.case.is_of_commands() || view.cases.len() > 1 {
            blocks.push(Block::Heading(2, case.title.clone()));
        }
        blocks.push(headline(case));
        tables_of(case, &mut blocks);
    }
    over_cases(view, &mut blocks);
    questions(view, &mut blocks);
    failures(view, &mut blocks);
    trust(view, &mut blocks);
    blocks.extend(sentences::skipped(view).map(sentence));
    blocks
}

/// Adds the entries that failed, with the end of their standard error. Those that are skipped say why in their tables.
fn failures(view: &RecordView<'_>, blocks: &mut Vec<Block>) {
    let failures = view.failures();
    if !failures.is_empty() {
        blocks.push(Block::Heading(2, "Failures".into()));
    }
    for FailureView { entry, failure, cases } in failures {
        let stderr = view::stderr_tail(&failure.stderr);
        let said = match stderr.is_empty() {
            true => "It wrote nothing to standard error.",
            false => "The end of its standard error:",
        };
        let why = failure.why.trim_end_matches('.');
        let kind = view::kind(failure.kind);
        blocks.push(strong(&entry.name, format!(", in {}: {kind}: {why}. {said}", cases.join("; "))));
        if !stderr.is_empty() {
            blocks.push(Block::Output(stderr));
        }
    }
}

/// Adds the notice of a partial record, and the plan's description.
fn head(view: &RecordView<'_>, blocks: &mut Vec<Block>) {
    partial(view, blocks);
    blocks.extend(sentences::paragraphs(&view.record.about).into_iter().map(sentence));
}

/// Adds the notices of a partial record, and of what the system lacked.
pub(crate) fn partial(view: &RecordView<'_>, blocks: &mut Vec<Block>) {
    blocks.extend(sentences::partial(view.record).map(|partial| strong(partial, "")));
    blocks.extend(sentences::missing(view.record).map(sentence));
}

/// Adds the means over cases.
fn over_cases(view: &RecordView<'_>, blocks: &mut Vec<Block>) {
    if let Some(means) = tables::means(view) {
        blocks.extend([
            Block::Heading(2, "Means".into()),
            sentence(sentences::means(view.means.has_rates())),
            Block::Table(means),
        ]);
    }
}

/// Adds the notes on counts and on the noise floor.
fn trust(view: &RecordView<'_>, blocks: &mut Vec<Block>) {
    if view.has_counts() {
        blocks.push(sentence(sentences::COUNTED));
    }
    // A suite has no control.
    if view.record.suite.is_none() && view.cases.iter().any(|case| case.case.measure.is_time()) {
        let floor = view.floor.map_or("not known".to_string(), format::percent);
        let then = format!(" {}", sentences::noise_floor(view.record, view.floor));
        blocks.push(strong(format!("Noise floor: {floor}."), then));
    }
    if let Some(turns) = sentences::turns(view.record) {
        blocks.push(strong("Turns.", format!(" {turns}")));
    }
}

/// Returns the title of a record, or its plan's name.
pub(crate) fn title(record: &Record) -> String {
    let title = if record.title.trim().is_empty() { &record.plan } else { &record.title };
    match format::one_line(title).trim() {
        "" => "A record without a title".to_string(),
        title => title.to_string(),
    }
}

/// Returns the paragraph that names the fastest entry of a case.
pub(crate) fn headline(case: &CaseView<'_>) -> Block {
    let headline = &case.headline;
    Block::Paragraph(vec![
        Span::Plain(headline.before.into()),
        Span::Strong(headline.name.clone()),
        Span::Plain(headline.after.clone()),
    ])
}

/// Adds the tables of a case, and the sentence on whether the outputs agreed.
fn tables_of(case: &CaseView<'_>, blocks: &mut Vec<Block>) {
    blocks.push(Block::Table(tables::entries(case)));
    let said = case.entries.iter().filter(|entry| !entry.entry.about.is_empty());
    let said: Vec<String> =
        said.map(|entry: &EntryView<'_>| format!("{}: {}", entry.candidate, entry.entry.about)).collect();
    if !said.is_empty() {
        blocks.push(Block::List(said));
    }
    if let Some(phases) = tables::phases(case) {
        blocks.extend([sentence(sentences::phases(&case.case.measure)), Block::Table(phases)]);
    }
    if let Some(before) = tables::before(case) {
        blocks.extend([sentence(sentences::BEFORE), Block::Table(before)]);
    }
    blocks.push(sentence(sentences::end_of_case(case)));
}

/// Adds the plan's questions with their answers; those that no entries of the record answer are counted.
fn questions(view: &RecordView<'_>, blocks: &mut Vec<Block>) {
    if !view.answers.is_empty() {
        blocks.push(Block::Heading(2, "Questions".into()));
    }
    for (question, answer) in view.asked() {
        blocks.push(Block::Heading(3, question.ask.clone()));
        let floor = view.floor_of(&answer.measure);
        blocks.push(sentence(sentences::answer(question, answer, floor)));
        let group = |group| sentences::group(&answer.measure, group, floor);
        let groups: Vec<String> = answer.groups.iter().map(group).collect();
        if !groups.is_empty() {
            blocks.push(Block::List(groups));
        }
    }
    blocks.extend(sentences::unasked(view).map(sentence));
}

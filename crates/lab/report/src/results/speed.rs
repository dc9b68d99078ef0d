//! Speed compared with the best other library, for those plans whose candidates have the label `library`.

use parcrypt_lab::record::{Case, Entry, Role};
use parcrypt_lab::stats::{self, Estimate, MeanRatio};

use super::{Page, Source, parts, shown};
use crate::document::{Block, Span, sentence};
use crate::error::{FrontError, ROWS};
use crate::export::markdown;
use crate::figures::Figure;
use crate::figures::drawing::{Drawing, Forest, ForestRow};
use crate::output::GENERATED;
use crate::view::RecordView;
use crate::view::tables::{Cell, Row, Table, Tone, number, text};
use crate::{format, sentences};

/// The label that names the library of a candidate, and its value for Parcrypt.
const LIBRARY: (&str, &str) = ("library", "parcrypt");

/// Starts of the generated parts of a front page, and their end.
const PICTURE: &str = "<!-- generated: picture -->\n";
const SPEED: (&str, &str) = ("<!-- generated: speed of ", " -->");
const END: &str = "<!-- end -->";

const TITLE: &str = "times as fast as the best other library, on one thread";

/// All comparisons, by record.
pub(super) struct Speeds<'a>(Vec<Library<'a>>);

/// The comparisons of one record, which measures one crate.
struct Library<'a> {
    source: &'a Source<'a>,
    pairs: Vec<Pair<'a>>,
}

/// Our entry and the entry of the fastest other library in a case, on one thread each.
struct Pair<'a> {
    case: &'a Case,
    title: String,
    ours: &'a Entry,
    other: &'a Entry,
    ratio: Estimate,
}

impl<'a> Speeds<'a> {
    /// Returns the comparisons of those records that have any with an interval. If one of several records of
    /// a plan, as from other machines, is named after the plan, only that one counts.
    pub(super) fn new(sources: &'a [Source<'a>]) -> Self {
        let library = |source: &'a Source<'a>| {
            let view = RecordView::new(&source.record);
            let pairs = source.record.cases.iter().zip(&view.cases);
            let pairs = pairs.filter_map(|(case, view)| pair_of(case, &view.title)).collect();
            Library { source, pairs }
        };
        let is_named = |source: &Source<'_>| source.name == source.record.plan;
        let counts = |source: &&Source<'_>| {
            let mut others = sources.iter().filter(|other| other.record.plan == source.record.plan);
            is_named(source) || !others.any(is_named)
        };
        Speeds(
            sources.iter().filter(counts).map(library).filter(|library| !library.pairs.is_empty()).collect(),
        )
    }
}

/// Returns our entry and the fastest of all others. Ours is the baseline, or the first of ours: it is not chosen by its
/// speed.
fn pair_of<'a>(case: &'a Case, title: &str) -> Option<Pair<'a>> {
    if !case.measure.is_time() {
        return None;
    }
    let (label, own) = LIBRARY;
    let entries = || {
        let alone = |entry: &&Entry| entry.threads == 1 && entry.role == Role::Candidate;
        case.entries.iter().filter(alone).filter(|entry| entry.labels.contains_key(label))
    };
    let is_ours = |entry: &&Entry| entry.labels[label] == own;
    let baseline = case.entries.get(case.baseline);
    let ours = entries().filter(is_ours).find(|entry| baseline.is_some_and(|b| std::ptr::eq(*entry, b)));
    let ours = ours.or_else(|| entries().find(is_ours))?;
    let time = |entry: &Entry| stats::value(case, entry).map(|time| time.value);
    let others = entries().filter(|entry| !is_ours(entry)).filter_map(|entry| Some((entry, time(entry)?)));
    let (other, _) = others.min_by(|(_, a), (_, b)| a.total_cmp(b))?;
    let ratio = stats::ratio(case, ours, other).filter(|ratio| ratio.interval.is_some())?;
    Some(Pair { case, title: title.to_string(), ours, other, ratio })
}

impl<'a> Library<'a> {
    /// Returns the crate's name: the plan's, without `-peers`.
    fn name(&self) -> &'a str {
        let plan = self.source.record.plan.as_str();
        plan.strip_suffix("-peers").unwrap_or(plan)
    }

    /// Returns processor, generation and instruction set of the record.
    fn machine(&self) -> String {
        format::one_line(&sentences::processor(&self.source.record.machine))
    }

    /// Returns the libraries that are the fastest other one in any case.
    fn others(&self) -> Vec<String> {
        names(&self.pairs)
    }

    /// Returns the cases of each workload.
    fn workloads(&self) -> Vec<(&'a str, Vec<&Pair<'a>>)> {
        crate::view::grouped(self.pairs.iter().map(|pair| (pair.case.workload.as_str(), pair)))
    }
}

/// Returns the names of the other libraries of some pairs, each once.
fn names<'a>(pairs: impl IntoIterator<Item = &'a Pair<'a>>) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for pair in pairs {
        let name = format::one_line(&pair.other.labels[LIBRARY.0]);
        if !found.contains(&name) {
            found.push(name);
        }
    }
    found
}

fn mean<'a>(pairs: impl IntoIterator<Item = &'a Pair<'a>>) -> Option<MeanRatio> {
    let pairs: Vec<&Pair<'_>> = pairs.into_iter().collect();
    let case = pairs.first()?.case;
    stats::mean_ratio(case, &pairs.iter().map(|pair| (pair.ours, pair.other)).collect::<Vec<_>>())
}

/// Returns `speed.md` and the picture of the front page.
pub(super) fn pages(speeds: &Speeds<'_>, rows: &str) -> Result<Vec<Page>, FrontError> {
    let mut blocks = vec![
        Block::Heading(1, "Speed next to other libraries".into()),
        sentence(format!(
            "Each case compares Parcrypt's baseline, on one thread, with the entry of another library that takes the least \
             time there, with {} intervals. Means are geometric. Cases without an interval, and those without another library \
             on one thread, are left out.",
            sentences::confidence()
        )),
    ];
    let mut pages = Vec::new();
    if let Some(figure) = front(speeds, rows)? {
        let (page, block) = shown(&figure, "");
        pages.push(page);
        blocks.push(block);
    }
    blocks.push(Block::Table(summary(speeds, "")));
    for library in &speeds.0 {
        blocks.push(Block::Heading(2, library.name().into()));
        blocks.push(Block::Paragraph(vec![
            Span::Plain("From ".into()),
            Span::Link(library.source.name.clone(), format!("{}.md", library.source.name)),
            Span::Plain(format!(": {}", sentences::circumstances(&library.source.record))),
        ]));
        blocks.push(Block::Table(table(library)));
    }
    pages.push(Page { path: "speed.md".into(), text: GENERATED.to_string() + &markdown::document(&blocks) });
    Ok(pages)
}

/// Returns the picture of the front page, of one machine: the cases that `rows` names in words, or a row for each
/// workload of the first machine if `rows` is empty.
fn front(speeds: &Speeds<'_>, rows: &str) -> Result<Option<Figure>, FrontError> {
    let lines: Vec<&str> = rows.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let (machine, rows) = match lines.as_slice() {
        [] => speeds.by_workload(),
        lines if lines.len() > ROWS => return Err(FrontError::TooManyRows { rows: lines.len() }),
        lines => speeds.named(lines)?,
    };
    let Some(mut forest) = Forest::new(format!("Parcrypt: {TITLE}"), TITLE, rows, None) else {
        return Ok(None);
    };
    let confidence = sentences::confidence();
    let machine = if machine.is_empty() { machine } else { format!("{machine}: ") };
    forest.heading = format!(
        "{machine}Parcrypt next to the best other library, which each row names, with {confidence} intervals"
    );
    forest.wide = true;
    let caption = format!("{machine}how many {TITLE}.");
    Ok(Some(Figure { name: "front".into(), caption, drawing: Drawing::Forest(forest) }))
}

impl<'a> Speeds<'a> {
    /// Returns the machine of the first record, and a row for each workload of all records of that machine, at most
    /// [`ROWS`].
    fn by_workload(&self) -> (String, Vec<ForestRow>) {
        let Some(first) = self.0.first() else { return (String::new(), Vec::new()) };
        let row = |(workload, pairs): (&str, Vec<&Pair<'_>>)| {
            let cases = if pairs.len() > 1 { format!(", {} cases", pairs.len()) } else { String::new() };
            let note = names(pairs.iter().copied()).join(", ");
            let ratio = mean(pairs).map(|mean| mean.ratio);
            ForestRow { note, ..ForestRow::new(&format!("{workload}{cases}"), ratio) }
        };
        let machine = first.machine();
        let here = self.0.iter().filter(|library| library.machine() == machine);
        let rows = here.flat_map(Library::workloads).map(row).filter(|row| row.ratio.is_some());
        let rows = rows.take(ROWS).collect();
        (machine, rows)
    }

    /// Returns the machine, and a row for each of some lines as `WORDS = RECORD: CASE`.
    fn named(&self, lines: &[&str]) -> Result<(String, Vec<ForestRow>), FrontError> {
        let mut machine = None;
        let mut rows = Vec::new();
        for line in lines {
            let unknown = || FrontError::UnknownRow { line: (*line).into() };
            let (words, of) = line.split_once(" = ").ok_or_else(unknown)?;
            let (record, case) = of.split_once(": ").ok_or_else(unknown)?;
            let library = self.0.iter().find(|library| library.source.name == record).ok_or_else(unknown)?;
            let pair = library.pairs.iter().find(|pair| pair.title == case).ok_or_else(unknown)?;
            if *machine.get_or_insert_with(|| library.machine()) != library.machine() {
                return Err(FrontError::OtherMachine { line: (*line).into() });
            }
            let time = |entry| {
                let time = stats::value(pair.case, entry);
                time.map(|time| format::nanoseconds(time.value)).unwrap_or_default()
            };
            let note = format!("{}, {} {}", time(pair.ours), names([pair]).concat(), time(pair.other));
            rows.push(ForestRow { note, ..ForestRow::new(words.trim(), Some(pair.ratio)) });
        }
        Ok((machine.unwrap_or_default(), rows))
    }
}

/// Returns a table with a row for each crate. `folder` is the path to the pages.
fn summary(speeds: &Speeds<'_>, folder: &str) -> Table {
    let row = |library: &Library<'_>| {
        let by = |a: &&Pair<'_>, b: &&Pair<'_>| b.ratio.value.total_cmp(&a.ratio.value);
        let cell = |pair: Option<&Pair<'_>>| {
            pair.map(|pair| Cell::with(sentences::times(&pair.ratio), Tone::Plain)).unwrap_or_default()
        };
        let (least, most) = (cell(library.pairs.iter().min_by(by)), cell(library.pairs.iter().max_by(by)));
        let page =
            Cell { link: Some(format!("{folder}{}.md", library.source.name)), ..Cell::new(library.name()) };
        let mean = mean(&library.pairs).map(|mean| Cell::with(sentences::times(&mean.ratio), Tone::Plain));
        let others = Cell::new(format::listed(&library.others()));
        let cases = Cell::new(library.pairs.len().to_string());
        Row { cells: vec![page, others, mean.unwrap_or_default(), cases, least, most], ..Row::default() }
    };
    Table {
        title: "Speed of each crate next to the best other library".into(),
        columns: vec![
            text("crate"),
            text("best of"),
            text("times as fast, mean"),
            number("cases"),
            text("least"),
            text("most"),
        ],
        rows: speeds.0.iter().map(row).collect(),
    }
}

/// Returns a table with a row for each case of a record.
fn table(library: &Library<'_>) -> Table {
    let time = |case: &Case, entry: &Entry| {
        let value = stats::value(case, entry);
        Cell::new(value.map_or("–".to_string(), |time| format::nanoseconds(time.value)))
    };
    let row = |pair: &Pair<'_>| {
        let other = Cell::new(format::one_line(&pair.other.candidate));
        let cells = vec![
            Cell::new(&pair.title),
            time(pair.case, pair.ours),
            other,
            time(pair.case, pair.other),
            Cell::with(sentences::times(&pair.ratio), Tone::Plain),
        ];
        Row { cells, ..Row::default() }
    };
    Table {
        title: format!("Cases of {}", library.name()),
        columns: vec![
            text("case"),
            number("Parcrypt"),
            text("best other"),
            number("its time"),
            text("times as fast"),
        ],
        rows: library.pairs.iter().map(row).collect(),
    }
}

/// Returns `text` with the picture of the speeds between `<!-- generated: picture -->` and `<!-- end -->`, and the mean
/// speed of a crate, with a link to its page, between each `<!-- generated: speed of NAME -->` and `<!-- end -->`. So
/// also a table of a client's work (`work of a client`), and the output of a run or its last lines (`output of RECORD`,
/// `verdict of RECORD`), if there is a record. `folder` is the path from the text to the results, such as
/// `docs/results/`, and `rows` as in [`results`](super::results).
///
/// # Errors
/// [`FrontError`], if all parts are missing, or one does not end, or names a crate without a speed, and for the rows.
pub(crate) fn with_speed(
    text: &str,
    sources: &[Source<'_>],
    rows: &str,
    folder: &str,
) -> Result<String, FrontError> {
    let speeds = Speeds::new(sources);
    let Some((before, rest)) = text.split_once(PICTURE) else {
        // A document further down has other parts.
        return if text.contains(parts::BEGIN) {
            parts::with_parts(text, sources, folder)
        } else {
            Err(FrontError::NoPicture)
        };
    };
    let after = after_end(rest, PICTURE.trim_end())?;
    let figure = |figure: Figure| markdown::figure(&format!("{folder}{}.svg", figure.name), &figure.caption);
    let picture = front(&speeds, rows)?.map(figure).unwrap_or_default();
    let mut rest = format!("{before}{PICTURE}\n{picture}\n{after}");
    let mut done = String::new();
    let (begin, close) = SPEED;
    while let Some((before, named)) = rest.split_once(begin) {
        let no_end = || FrontError::NoEnd { begin: begin.trim_end().into() };
        let (name, value) = named.split_once(close).ok_or_else(no_end)?;
        let library = speeds.0.iter().find(|library| library.name() == name).ok_or_else(|| {
            let names = speeds.0.iter().map(|library| library.name().into()).collect();
            FrontError::UnknownName { name: name.into(), names }
        })?;
        let mean = mean(&library.pairs).map(|mean| sentences::times(&mean.ratio));
        let mean = mean.map(|speed| format!("{} {}", speed.what, speed.bounds)).unwrap_or_default();
        let cell = format!("[{}]({folder}{}.md)", markdown::plain(&mean), library.source.name);
        done += &format!("{before}{begin}{name}{close}{cell}");
        rest = after_end(value, &format!("{begin}{name}{close}"))?.to_string();
    }
    parts::with_parts(&(done + &rest), sources, folder)
}

/// Returns the rest of a text from the next end of a generated part.
pub(super) fn after_end<'a>(text: &'a str, begin: &str) -> Result<&'a str, FrontError> {
    text.find(END).map(|at| &text[at..]).ok_or_else(|| FrontError::NoEnd { begin: begin.into() })
}

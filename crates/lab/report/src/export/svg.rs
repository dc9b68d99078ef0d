//! Drawings as SVG, written through maud.
//!
//! These figures need intervals, a noise band, marks that are hollow if no difference was found, and colours by CSS
//! class, so that one file is readable on light and dark pages. No plotting library that was tried draws them
//! without edits to its output: plotters writes fixed colours and whole pixels; charts-rs has no intervals; poloto has
//! classes, but neither logarithmic axes nor intervals; kuva is the closest, with forest plots, but has fixed colours
//! and no noise band; charming and plotly draw by scripts in the page. Few elements are needed, so they are written
//! directly.
//!
//! Each drawing has a title for screen readers. The output is deterministic: coordinates have one decimal, and there
//! is no timestamp.

use maud::{Markup, Render, html};
use parcrypt_lab::stats::{Estimate, Verdict};

use crate::figures::drawing::{ASIDE, Axis, Chart, Drawing, Forest, Line, Pen, Point, Spread, Strip};
use crate::figures::joined;
use crate::sentences;

/// Width of a figure; its text can be read on a phone, where it is shown about 350 pixels wide.
const WIDTH: f64 = 420.0;
/// Width of a figure for a whole page.
const WIDE: f64 = 760.0;
/// Height of a chart without its legend, with one line of heading and one of the title of its values.
const HEIGHT: f64 = 306.0;
const FONT: f64 = 12.0;
/// Upper estimate of the width of a character over the size of the font.
const CHARACTER: f64 = 0.58;
/// Height of a line of text.
const LINE: f64 = 15.0;
/// Maximum number of characters of a line of text.
const LABEL: usize = 56;
/// Number of full lines that a text may fill before its middle is left out.
const LINES: usize = 4;
/// Maximum number of characters of a name to the left of its row in a forest of the minimum width; longer names are
/// above their rows.
const LEFT: usize = 25;
/// Maximum distance by which lines step aside.
const MOST_ASIDE: f64 = 8.0;
/// Height of a row of a strip plot.
const STRIP: f64 = 32.0;
/// Width of the line sample in a legend, and height of the legend's rows.
const SWATCH: f64 = 22.0;
const LEGEND_ROW: f64 = 18.0;

/// Colours of lines by their pen. People with any colour vision can tell them apart, after M. Okabe and K. Ito, 'Color
/// Universal Design' (2008); the light colours are darker here, so that they are visible on white. The first candidate
/// is usually the baseline, in ink.
const PENS: [&str; 8] = ["ink", "c1", "c2", "c3", "c4", "c5", "c6", "c7"];

/// Names of colours, with their values on light and on dark backgrounds.
const COLOURS: [(&str, &str, &str); 12] = [
    ("paper", "#ffffff", "#14171a"),
    ("ink", "#1a1a1a", "#e8eaed"),
    ("muted", "#5c6166", "#a3aab2"),
    ("grid", "#e8eaed", "#2a2f35"),
    ("band", "#dfe2e6", "#333a42"),
    ("c1", "#0072b2", "#4aa8e0"),
    ("c2", "#d55e00", "#f2834a"),
    ("c3", "#009e73", "#2fc49a"),
    ("c4", "#b5578c", "#e09cc4"),
    ("c5", "#3d9fd6", "#8fd0f5"),
    ("c6", "#cf8600", "#f0b840"),
    ("c7", "#a79a00", "#f0e442"),
];

/// Where a drawing is shown, which decides whether it names its case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// In a page, under the title of its case.
    Page,
    /// Anywhere.
    Alone,
}

impl Place {
    /// Returns the heading of a drawing.
    fn heading(self, of: &str, heading: &str) -> String {
        let of = if self == Place::Alone { of } else { "" };
        joined(&[of, heading])
    }
}

/// CSS rules of lines and dots.
const STROKES: &str = ".line{fill:none;stroke-width:2}.thin{fill:none;stroke-width:1}\
                       .dots{fill:none;stroke-width:3.6;stroke-linecap:round}";

/// Returns the CSS rules of a page, with the colours as variables: `--ink`, `--c1`. An inline figure has no rules: they
/// would apply to the whole page.
pub(crate) fn page_rules() -> String {
    let (light, dark) = schemes(|name, value| format!("--{name}:{value};"));
    let rules: String = COLOURS.iter().map(|(name, ..)| rule(name, &format!("var(--{name})"))).collect();
    format!(":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}{rules}{STROKES}")
}

/// Returns the CSS rules of a file: the light colours, and the dark ones for a reader who prefers them. Programs that
/// know no media queries, such as those that draw PNG and PDF, take the light ones.
fn file_rules() -> String {
    let (light, dark) = schemes(rule);
    format!("{light}{STROKES}@media (prefers-color-scheme:dark){{{dark}}}")
}

/// Returns the CSS of all colours by name and value, for light and for dark.
fn schemes(css: impl Fn(&str, &str) -> String) -> (String, String) {
    COLOURS.iter().map(|(name, light, dark)| (css(name, light), css(name, dark))).unzip()
}

fn rule(name: &str, value: &str) -> String {
    format!(".f-{name}{{fill:{value}}}.s-{name}{{stroke:{value}}}")
}

/// Returns a drawing for a page that has [`page_rules`], as wide as the page allows.
pub(crate) fn inline(drawing: &Drawing) -> Markup {
    let (width, height, body) = drawn(drawing, Place::Page);
    let title = title(drawing);
    html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {width} {height}")) font-size=(N(FONT))
            stroke-linejoin="round" role=[(!title.is_empty()).then_some("img")] aria-hidden=[title.is_empty().then_some("true")] {
            @if !title.is_empty() { title { (title) } }
            (body)
        }
    }
}

/// Returns a drawing as a file: with a size, and with colours and background for light and dark.
pub(crate) fn file(drawing: &Drawing, place: Place) -> String {
    let (width, height, body) = drawn(drawing, place);
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(height) viewBox=(format!("0 0 {width} {height}"))
            font-family="sans-serif" font-size=(N(FONT)) stroke-linejoin="round" role="img" {
            title { (title(drawing)) }
            style { (file_rules()) }
            rect.f-paper width=(width) height=(height) rx="6" {}
            (body)
        }
    };
    svg.into_string() + "\n"
}

fn title(drawing: &Drawing) -> &str {
    match drawing {
        Drawing::Chart(chart) => &chart.title,
        Drawing::Forest(forest) => &forest.title,
        Drawing::Strip(strip) => &strip.title,
    }
}

/// Returns width, height and elements of a drawing.
fn drawn(drawing: &Drawing, place: Place) -> (f64, f64, Markup) {
    match drawing {
        Drawing::Chart(chart) => {
            let head = Head::new(chart, place);
            let height = HEIGHT + head.extra();
            (WIDTH, height + legend_height(chart), self::chart(chart, &head, height))
        }
        Drawing::Forest(forest) => {
            let layout = Rows::of_forest(forest, place);
            (layout.width, layout.height, self::forest(forest, &layout))
        }
        Drawing::Strip(strip) => {
            let layout = Rows::of_strip(strip, place);
            (layout.width, layout.height, self::strip(strip, &layout))
        }
    }
}

/// A coordinate with one decimal, or without decimals if that is 0.
struct N(f64);

impl Render for N {
    fn render_to(&self, buffer: &mut String) {
        let text = format!("{:.1}", self.0);
        let text = text.strip_suffix(".0").unwrap_or(&text);
        buffer.push_str(if text == "-0" { "0" } else { text });
    }
}

type At = (f64, f64);

fn line(class: &str, from: At, to: At) -> Markup {
    html! { line class=(class) x1=(N(from.0)) y1=(N(from.1)) x2=(N(to.0)) y2=(N(to.1)) {} }
}

fn bar(class: &str, from: At, to: At) -> Markup {
    html! { rect class=(class) x=(N(from.0)) y=(N(from.1)) width=(N(to.0 - from.0)) height=(N(to.1 - from.1)) {} }
}

fn points(points: &[At]) -> String {
    points.iter().map(|(x, y)| html! { (N(*x)) "," (N(*y)) }.into_string()).collect::<Vec<_>>().join(" ")
}

/// Side of its position on which a text is placed.
#[derive(Clone, Copy)]
enum Anchor {
    Start,
    Middle,
    End,
}

/// Returns a text whose middle line goes through `at`.
fn text(class: &str, at: At, anchor: Anchor, text: &str) -> Markup {
    let anchor = match anchor {
        Anchor::Start => None,
        Anchor::Middle => Some("middle"),
        Anchor::End => Some("end"),
    };
    html! { text class=(class) x=(N(at.0)) y=(N(at.1 + 0.35 * FONT)) text-anchor=[anchor] { (text) } }
}

/// Returns an upper estimate of the width of `characters` characters.
fn width_of(characters: usize) -> f64 {
    FONT * CHARACTER * characters as f64
}

fn width_of_text(text: &str) -> f64 {
    width_of(text.chars().count())
}

/// Returns a text with its middle left out if it is too long.
fn shortened(text: &str, most: usize) -> String {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() <= most {
        return text.to_string();
    }
    let half = (most - 1) / 2;
    let start: String = characters[..half].iter().collect();
    let end: String = characters[characters.len() - half..].iter().collect();
    format!("{start}…{end}")
}

/// Returns the mark of a candidate: seven shapes, so that with eight colours fifty-six candidates look different.
fn mark(pen: Pen, (x, y): At) -> Markup {
    let colour = PENS[pen % PENS.len()];
    let around = |corners: &[At]| points(&corners.iter().map(|(a, b)| (x + a, y + b)).collect::<Vec<_>>());
    let polygon =
        |corners: &[At]| html! { polygon class=(format!("f-{colour}")) points=(around(corners)) {} };
    let cross = |a: &[At], b: &[At]| {
        let class = format!("line s-{colour}");
        html! { polyline class=(class) points=(around(a)) {} polyline class=(class) points=(around(b)) {} }
    };
    match pen % 7 {
        0 => html! { circle class=(format!("f-{colour}")) cx=(N(x)) cy=(N(y)) r="3.6" {} },
        1 => polygon(&[(-3.3, -3.3), (3.3, -3.3), (3.3, 3.3), (-3.3, 3.3)]),
        2 => polygon(&[(0.0, -4.4), (4.2, 3.0), (-4.2, 3.0)]),
        3 => polygon(&[(0.0, -4.8), (4.8, 0.0), (0.0, 4.8), (-4.8, 0.0)]),
        4 => polygon(&[(0.0, 4.4), (4.2, -3.0), (-4.2, -3.0)]),
        5 => cross(&[(-3.4, -3.4), (3.4, 3.4)], &[(-3.4, 3.4), (3.4, -3.4)]),
        _ => cross(&[(-4.4, 0.0), (4.4, 0.0)], &[(0.0, -4.4), (0.0, 4.4)]),
    }
}

/// Returns a text in lines of at most `most` characters; if it is too long for that, its middle is left out.
fn wrapped(text: &str, most: usize) -> Vec<String> {
    let text = shortened(text, LINES * most);
    let lines = textwrap::wrap(&text, most).into_iter().map(|line| line.into_owned());
    lines.filter(|line| !line.is_empty()).collect()
}

/// Returns the lines of a text from `at` down.
fn text_lines(class: &str, at: At, anchor: Anchor, lines: &[String]) -> Markup {
    html! { @for (index, line) in lines.iter().enumerate() {
        (text(class, (at.0, at.1 + LINE * index as f64), anchor, line))
    } }
}

/// Returns the names in the legend: of the lines and of the guide.
fn names(chart: &Chart) -> impl Iterator<Item = &String> {
    chart.lines.iter().map(|line| &line.name).chain(chart.guide.iter().map(|guide| &guide.name))
}

/// Returns the number of columns of the legend, and the width of each.
fn legend_columns(chart: &Chart) -> (usize, f64) {
    let longest = names(chart).map(|name| name.chars().count().min(LABEL)).max().unwrap_or(0);
    let columns = ((WIDTH - 8.0) / (SWATCH + 8.0 + width_of(longest))).floor().clamp(1.0, 4.0);
    (columns as usize, (WIDTH - 8.0) / columns)
}

fn legend_height(chart: &Chart) -> f64 {
    match names(chart).count() {
        0 => 0.0,
        names => names.div_ceil(legend_columns(chart).0) as f64 * LEGEND_ROW + 8.0,
    }
}

/// Returns the names of the lines and of the guide, from `top` down.
fn legend(chart: &Chart, top: f64) -> Markup {
    let (columns, width) = legend_columns(chart);
    html! {
        @for (index, name) in names(chart).enumerate() {
            @let x = 6.0 + width * (index % columns) as f64;
            @let y = top + 10.0 + LEGEND_ROW * (index / columns) as f64;
            @match chart.lines.get(index) {
                Some(of) => {
                    (line(&format!("line s-{}", PENS[of.pen % PENS.len()]), (x, y), (x + SWATCH, y)))
                    (mark(of.pen, (x + SWATCH / 2.0, y)))
                },
                None => (dotted(&[(x, y), (x + SWATCH, y)])),
            }
            (text("f-ink", (x + SWATCH + 6.0, y), Anchor::Start, &shortened(name, LABEL)))
        }
    }
}

fn dotted(path: &[At]) -> Markup {
    html! { polyline.line.s-muted stroke-dasharray="2 3.5" points=(points(path)) {} }
}

/// The lines of text above a chart: its heading, and the title of its values.
struct Head {
    heading: Vec<String>,
    title: Vec<String>,
}

impl Head {
    fn new(chart: &Chart, place: Place) -> Self {
        Head {
            heading: wrapped(&place.heading(&chart.of, &chart.heading), LABEL),
            title: wrapped(&chart.y.title, LABEL),
        }
    }

    /// Returns the height of the lines after the first of each text.
    fn extra(&self) -> f64 {
        LINE * (self.heading.len() as f64 + self.title.len().max(1) as f64 - 2.0)
    }
}

fn chart(chart: &Chart, head: &Head, height: f64) -> Markup {
    let widest = chart.y.ticks.iter().map(|(_, label)| label.chars().count()).max().unwrap_or(1);
    let (left, right) = (width_of(widest) + 16.0, WIDTH - 14.0);
    let (top, bottom) = (48.0 + head.extra(), height - 44.0);
    let x = |value: f64| chart.x.at(value, left, right);
    let y = |value: f64| chart.y.at(value, bottom, top);
    // If marks are far apart, a part of their distance would move lines away from the guide.
    let most = MOST_ASIDE * (chart.x.high - chart.x.low) / (right - left).max(1.0);
    let aside = match chart.spread {
        Spread::None => 0.0,
        Spread::Apart => (ASIDE * chart.x.gap()).min(most),
    };
    let count = chart.lines.len() as f64;
    html! {
        (text_lines("f-ink", (4.0, 10.0), Anchor::Start, &head.heading))
        (text_lines("f-muted", (4.0, top - 4.0 - LINE * head.title.len() as f64), Anchor::Start, &head.title))
        @if let Some((low, high)) = chart.band { (bar("f-band", (left, y(high)), (right, y(low)))) }
        @for (value, _) in &chart.y.ticks { (line("thin s-grid", (left, y(*value)), (right, y(*value)))) }
        @for (at, label) in with_room(&chart.y.ticks, y, |_| FONT / 2.0, height) {
            (text("f-ink", (left - 7.0, at), Anchor::End, label))
        }
        @for (value, _) in &chart.x.ticks { (line("thin s-muted", (x(*value), bottom), (x(*value), bottom + 4.0))) }
        @for (at, label) in with_room(&chart.x.ticks, x, |label| width_of_text(label) / 2.0 + 2.0, WIDTH) {
            (text("f-ink", (at, bottom + 14.0), Anchor::Middle, label))
        }
        (line("thin s-muted", (left, bottom), (right, bottom)))
        (text("f-muted", ((left + right) / 2.0, height - 10.0), Anchor::Middle, &shortened(&chart.x.title, LABEL)))
        @if let Some(guide) = &chart.guide {
            (dotted(&guide.points.iter().map(|(px, py)| (x(*px), y(*py))).collect::<Vec<_>>()))
        }
        @for (index, of) in chart.lines.iter().enumerate() {
            @let colour = PENS[of.pen % PENS.len()];
            @let shift = (2.0 * index as f64 - (count - 1.0)) / count.max(3.0) * aside;
            @let path: Vec<At> = of.points.iter().map(|p| (x(p.x + shift), y(p.y))).collect();
            @if path.len() > 1 { polyline class=(format!("line s-{colour}")) points=(points(&path)) {} }
            @for (point, at) in of.points.iter().zip(&path) {
                g {
                    title { (said(chart, of, point)) }
                    @if let Some((low, high)) = point.interval {
                        (line(&format!("line s-{colour}"), (at.0, y(low)), (at.0, y(high))))
                    }
                    (mark(of.pen, *at))
                }
            }
        }
        (legend(chart, height))
    }
}

/// Returns a point in words, such as `rayon, 16 MiB: 1.97× [1.94×, 2.00×]`.
fn said(chart: &Chart, of: &Line, point: &Point) -> String {
    let label = |value| chart.y.label(value);
    let (shown, bounds) = match point.interval {
        Some((low, high)) if low < high => (label(point.y), format!(" [{}, {}]", label(low), label(high))),
        // The one that all others are compared with, or a count that never differed.
        Some(_) => (chart.y.known(point.y), String::new()),
        None if point.y == 0.0 => (chart.y.known(point.y), String::new()),
        None => (label(point.y), String::new()),
    };
    format!("{}, {}: {shown}{bounds}{}", of.name, chart.x.label(point.x), of.note)
}

/// Layout of the rows of a forest.
struct Rows {
    width: f64,
    height: f64,
    top: f64,
    bottom: f64,
    left: f64,
    right: f64,
    /// Right end of the values, where the margin begins.
    values: f64,
    /// Lines of the heading, of the names and of the title of the axis.
    heading: Vec<String>,
    labels: Vec<Vec<String>>,
    title: Vec<String>,
    /// Middle of each row.
    middles: Vec<f64>,
    /// Whether names are above their rows, not to the left.
    above: bool,
    /// Half of the height of a row without its name.
    half: f64,
}

/// What the layout of rows depends on.
struct RowTexts<'a> {
    heading: &'a str,
    labels: Vec<&'a str>,
    /// Texts in the margin after the values.
    notes: Vec<&'a str>,
    axis: &'a str,
    wide: bool,
    /// Height of a row without its name.
    pitch: f64,
    /// Width of the values.
    margin: f64,
}

impl Rows {
    fn of_forest(forest: &Forest, place: Place) -> Self {
        Rows::new(&RowTexts {
            heading: &place.heading(&forest.of, &forest.heading),
            labels: forest.rows.iter().map(|row| row.label.as_str()).collect(),
            notes: forest.rows.iter().map(|row| row.note.as_str()).collect(),
            axis: &forest.axis.title,
            wide: forest.wide,
            pitch: 20.0,
            margin: 54.0,
        })
    }

    fn of_strip(strip: &Strip, place: Place) -> Self {
        Rows::new(&RowTexts {
            heading: &place.heading(&strip.of, ""),
            labels: strip.rows.iter().map(|row| row.label.as_str()).collect(),
            notes: Vec::new(),
            axis: &strip.axis.title,
            wide: false,
            pitch: STRIP,
            margin: 66.0,
        })
    }

    fn new(texts: &RowTexts<'_>) -> Self {
        let (width, most) = if texts.wide { (WIDE, 2 * LABEL) } else { (WIDTH, LABEL) };
        let longest = texts.labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
        let above = longest as f64 > LEFT as f64 * width / WIDTH;
        let heading = wrapped(texts.heading, most);
        let top = if heading.is_empty() { 8.0 } else { 13.0 + LINE * heading.len() as f64 };
        let labels: Vec<Vec<String>> = texts.labels.iter().map(|label| wrapped(label, most)).collect();
        let mut end = top;
        let middle = |lines: &Vec<String>| {
            end += texts.pitch + if above { LINE * lines.len() as f64 + 2.0 } else { 0.0 };
            end - texts.pitch / 2.0 + 1.0
        };
        let middles: Vec<f64> = labels.iter().map(middle).collect();
        let bottom = end + 6.0;
        let left = if above { 14.0 } else { width_of(longest) + 14.0 };
        let notes = texts.notes.iter().map(|text| text.chars().count()).max().unwrap_or(0);
        let values = width - if notes > 0 { width_of(notes) + 12.0 } else { 4.0 };
        let title = wrapped(texts.axis, most);
        let height = bottom + 29.0 + LINE * title.len() as f64;
        let right = values - texts.margin;
        let half = texts.pitch / 2.0 - 1.0;
        Rows { width, height, top, bottom, left, right, values, heading, labels, title, middles, above, half }
    }

    /// Returns the middle of the title of the axis.
    fn middle_of_title(&self) -> f64 {
        let half = self.title.iter().map(|line| width_of_text(line) / 2.0).fold(0.0, f64::max);
        ((self.left + self.right) / 2.0).min(self.width - half).max(half)
    }

    /// Returns the vertical ranges that band and grid cover: if names are above their rows, without the names.
    fn spans(&self) -> Vec<(f64, f64)> {
        match self.above {
            false => vec![(self.top, self.bottom)],
            true => self.middles.iter().map(|middle| (middle - self.half, middle + self.half)).collect(),
        }
    }
}

/// Draws the noise band, the grid and the axis of rows; `zero` says whether the coordinate 0 has a line.
fn grid(axis: &Axis, band: Option<(f64, f64)>, zero: bool, rows: &Rows) -> Markup {
    let x = |value: f64| axis.at(value, rows.left, rows.right);
    let spans = rows.spans();
    let upright = |class: &str, value: f64| {
        html! { @for (from, to) in &spans { (line(class, (x(value), *from), (x(value), *to))) } }
    };
    html! {
        (text_lines("f-ink", (4.0, 10.0), Anchor::Start, &rows.heading))
        @if let Some((low, high)) = band {
            @for (from, to) in &spans { (bar("f-band", (x(low), *from), (x(high), *to))) }
        }
        @for (value, _) in &axis.ticks { (upright("thin s-grid", *value)) }
        @for (at, label) in with_room(&axis.ticks, x, |label| width_of_text(label) / 2.0 + 3.0, rows.width) {
            (text("f-ink", (at, rows.bottom + 12.0), Anchor::Middle, label))
        }
        @if zero { (upright("thin s-muted", 0.0)) }
        (text_lines("f-muted", (rows.middle_of_title(), rows.bottom + 34.0), Anchor::Middle, &rows.title))
    }
}

fn forest(forest: &Forest, rows: &Rows) -> Markup {
    let x = |value: f64| forest.axis.at(value, rows.left, rows.right);
    html! {
        (grid(&forest.axis, forest.band, true, rows))
        @for ((row, lines), y) in forest.rows.iter().zip(&rows.labels).zip(&rows.middles) {
            @let above = if rows.above { 2.0 + LINE * lines.len() as f64 } else { 0.0 };
            g {
                title { (row.label) @if let Some(ratio) = &row.ratio { ": " (sentences::times(ratio).to_string()) } }
                (text_lines("f-ink", (4.0, y - above), Anchor::Start, lines))
                @if row.from != 0.0 { (line("thin s-muted", (x(row.from), y - 15.0), (x(row.from), *y))) }
                (ratio(row.ratio.as_ref(), |value| x(row.from + value), *y, rows.values))
            }
            @if !row.note.is_empty() { (text("f-muted", (rows.values + 8.0, *y), Anchor::Start, &row.note)) }
        }
    }
}

/// Draws a dot for each round, the first round at the top of its row and the last at the bottom, and below them the
/// estimate with its interval.
fn strip(strip: &Strip, rows: &Rows) -> Markup {
    let x = |value: f64| strip.axis.at(value, rows.left, rows.right);
    html! {
        (grid(&strip.axis, strip.band, strip.zero, rows))
        @for ((row, lines), y) in strip.rows.iter().zip(&rows.labels).zip(&rows.middles) {
            @let above = if rows.above { (STRIP - 20.0) / 2.0 + 2.0 + LINE * lines.len() as f64 } else { 0.0 };
            @let (value, interval) = row.estimate;
            @let room = rows.half - 3.5;
            g {
                title {
                    (row.label) ": " (row.shown)
                    @if let Some((low, high)) = interval.filter(|(low, high)| low < high) {
                        " [" (strip.axis.label(low)) ", " (strip.axis.label(high)) "]"
                    }
                }
                (text_lines("f-ink", (4.0, y - above), Anchor::Start, lines))
                (dots(row.rounds.iter().map(|round| x(*round)), y - room, y + room - 5.0))
                @if let Some((low, high)) = interval { (line("line s-ink", (x(low), y + room), (x(high), y + room))) }
                (line("line s-ink", (x(value), y + room - 3.5), (x(value), y + room + 3.5)))
                (text("f-ink", (rows.values, *y), Anchor::End, &row.shown))
            }
        }
    }
}

/// Draws dots at some positions, one below the other. They are one path, because a page may have thousands.
fn dots(at: impl ExactSizeIterator<Item = f64>, top: f64, bottom: f64) -> Markup {
    let step = (bottom - top) / (at.len().max(2) - 1) as f64;
    let dot =
        |(index, x): (usize, f64)| html! { "M" (N(x)) " " (N(top + step * index as f64)) "h0" }.into_string();
    html! { path.dots.s-c1 stroke-opacity="0.7" d=(at.enumerate().map(dot).collect::<String>()) {} }
}

/// Returns the marks whose labels fit between 0 and `end`, where each takes `half` to both sides; the mark at 0, a
/// factor of 1, comes first.
fn with_room(
    ticks: &[(f64, String)],
    place: impl Fn(f64) -> f64,
    half: impl Fn(&str) -> f64,
    end: f64,
) -> Vec<(f64, &String)> {
    let mut ticks: Vec<&(f64, String)> = ticks.iter().collect();
    ticks.sort_by_key(|(value, _)| value.abs() > 1e-9);
    let mut taken: Vec<(f64, f64)> = Vec::new();
    let mut found = Vec::new();
    for (value, label) in ticks {
        let (at, half) = (place(*value), half(label));
        // A text that is cut at the edge reads as another number.
        let fits = at >= half && at + half <= end;
        if fits && taken.iter().all(|(from, to)| at + half < *from || at - half > *to) {
            taken.push((at - half, at + half));
            found.push((at, label));
        }
    }
    found
}

/// Draws a ratio as a bar from 1 with its interval on it, hollow if no difference was found, and its value in the
/// margin.
fn ratio(ratio: Option<&Estimate>, x: impl Fn(f64) -> f64, y: f64, margin: f64) -> Markup {
    let dot = |at: f64, fill: &str| {
        html! { circle class=(format!("f-{fill} s-muted")) stroke-width="1.2" cx=(N(at)) cy=(N(y)) r="2.8" {} }
    };
    let Some(ratio) = ratio else {
        return html! { (dot(x(0.0), "muted")) (text("f-muted", (margin, y), Anchor::End, "1")) };
    };
    let speed = ratio.inverse();
    let sure = matches!(Verdict::of(ratio), Verdict::Faster(_) | Verdict::Slower(_));
    let (inside, edge, middle_line) =
        if sure { ("ink", "ink", "paper") } else { ("paper", "muted", "muted") };
    let middle = x(speed.value.ln());
    let one = x(0.0);
    html! {
        rect.f-c1 fill-opacity="0.35" x=(N(one.min(middle))) y=(N(y - 4.2)) width=(N((middle - one).abs())) height="8.4" {}
        @match speed.interval {
            None => (dot(middle, "paper")),
            Some(interval) => {
                @let (low, high) = (x(interval.low.ln()), x(interval.high.ln()));
                // The bar is wide enough to be visible, and shows its estimate as a line if there is room.
                @let (from, to) = (low.min(middle - 1.4), high.max(middle + 1.4));
                (bar(&format!("f-{inside} s-{edge}"), (from, y - 4.2), (to, y + 4.2)))
                @if high - low > 10.0 { (line(&format!("thin s-{middle_line}"), (middle, y - 4.2), (middle, y + 4.2))) }
            }
        }
        (text(if sure { "f-ink" } else { "f-muted" }, (margin, y), Anchor::End, &sentences::times(ratio).what))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::screen::tests::contrast;

    #[test]
    fn texts_are_readable_in_both_schemes() {
        let value = |colour: &str| u32::from_str_radix(&colour[1..], 16).unwrap();
        let of = |name: &str| COLOURS.into_iter().find(|colour| colour.0 == name).unwrap();
        let (_, light, dark) = of("paper");
        for (name, on_light, on_dark) in ["ink", "muted"].map(of) {
            for (ink, paper) in [(on_light, light), (on_dark, dark)] {
                let found = contrast(value(ink), value(paper));
                assert!(found >= 4.5, "{name}: {ink} on {paper} has a contrast of {found:.2}");
            }
        }
    }

    #[test]
    fn long_names_lose_their_middle() {
        assert_eq!(shortened("abcdefghij", 7), "abc…hij");
        assert_eq!(shortened("äbc", 3), "äbc");
    }

    #[test]
    fn long_texts_are_wrapped() {
        assert_eq!(wrapped("times as fast as the other side", 12), ["times as", "fast as the", "other side"]);
        assert!(wrapped("", 12).is_empty());
        let long = wrapped(&"abcdef ".repeat(100), 20);
        assert!(long.len() <= 2 * LINES && long.iter().all(|line| line.chars().count() <= 20), "{long:?}");
    }

    #[test]
    fn coordinates_have_one_decimal_at_most() {
        let of = |value| html! { (N(value)) }.into_string();
        assert_eq!([of(1.25), of(3.04), of(-0.01)], ["1.2", "3", "0"]);
    }
}

//! Drawings as SVG, written through maud.
//!
//! These figures need intervals, a noise band, marks that are hollow if no difference was found, and colours by CSS
//! class, so that one file is readable on light and dark pages. Of plotters, charts-rs, poloto, kuva, charming and
//! plotly none draws them without edits to its output. Few elements are needed, so they are written directly.
//!
//! Each drawing has a title for screen readers. The output is deterministic: coordinates have one decimal, and there
//! is no timestamp.

use maud::{Markup, Render, html};

use crate::format;
use crate::plot::{Figure, ForestRow};

/// Width of a figure; its text can be read on a phone, where it is shown about 350 pixels wide.
const WIDTH: f64 = 420.0;
const FONT: f64 = 12.0;
/// Upper estimate of the width of a character over the size of the font.
const CHARACTER: f64 = 0.58;
/// Height of a line of text.
const LINE: f64 = 15.0;
/// Maximum number of characters of a line of text.
const LABEL: usize = 56;
/// Number of full lines that a text may fill before its end is left out.
const LINES: usize = 4;
/// Height of a row without its name, and width of the values.
const ROW: f64 = 20.0;
const VALUES: f64 = 54.0;
/// Names of colours, with their values on light and dark backgrounds. Text has a contrast (WCAG 2.2) of at least 4.5.
const COLOURS: [(&str, &str, &str); 6] = [
    ("paper", "#ffffff", "#14171a"),
    ("ink", "#1a1a1a", "#e8eaed"),
    ("muted", "#5c6166", "#a3aab2"),
    ("grid", "#e8eaed", "#2a2f35"),
    ("band", "#dfe2e6", "#333a42"),
    ("c1", "#0072b2", "#4aa8e0"),
];

/// CSS rules of lines.
const STROKES: &str = ".line{fill:none;stroke-width:2}.thin{fill:none;stroke-width:1}";

/// Returns the CSS rules of a page, with the colours as variables: `--ink`, `--c1`. An inline figure has no rules: they
/// would apply to the whole page.
pub(crate) fn page_rules() -> String {
    let (light, dark) = schemes(|name, value| format!("--{name}:{value};"));
    let rules: String = COLOURS.iter().map(|(name, ..)| rule(name, &format!("var(--{name})"))).collect();
    format!(":root{{{light}}}@media (prefers-color-scheme:dark){{:root{{{dark}}}}}{rules}{STROKES}")
}

/// Returns the CSS of all colours by name and value, for light and for dark.
fn schemes(css: impl Fn(&str, &str) -> String) -> (String, String) {
    COLOURS.iter().map(|(name, light, dark)| (css(name, light), css(name, dark))).unzip()
}

fn rule(name: &str, value: &str) -> String {
    format!(".f-{name}{{fill:{value}}}.s-{name}{{stroke:{value}}}")
}

/// Returns a figure for a page that has [`page_rules`], as wide as the page allows, under the title of its case.
pub(crate) fn inline(figure: &Figure) -> Markup {
    let (height, body) = forest(figure, 8.0);
    html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {WIDTH} {height}")) font-size=(N(FONT))
            stroke-linejoin="round" role="img" {
            title { (figure.title) }
            (body)
        }
    }
}

/// Returns a figure as a file: with its title, a size, and with colours and background for light and dark.
pub(crate) fn file(figure: &Figure) -> String {
    let heading = wrapped(&figure.title);
    let (height, body) = forest(figure, 13.0 + LINE * heading.len() as f64);
    // Programs that know no media queries take the light colours.
    let (light, dark) = schemes(rule);
    let svg = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(WIDTH) height=(height) viewBox=(format!("0 0 {WIDTH} {height}"))
            font-family="sans-serif" font-size=(N(FONT)) stroke-linejoin="round" role="img" {
            title { (figure.title) }
            style { (light) (STROKES) "@media (prefers-color-scheme:dark){" (dark) "}" }
            rect.f-paper width=(WIDTH) height=(height) rx="6" {}
            (text_lines("f-ink", (4.0, 10.0), START, &heading))
            (body)
        }
    };
    svg.into_string() + "\n"
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

/// Side of its position on which a text is placed.
type Anchor = Option<&'static str>;
const START: Anchor = None;
const MIDDLE: Anchor = Some("middle");
const END: Anchor = Some("end");

/// Returns a text whose middle line goes through `at`.
fn text(class: &str, at: At, anchor: Anchor, text: &str) -> Markup {
    html! { text class=(class) x=(N(at.0)) y=(N(at.1 + 0.35 * FONT)) text-anchor=[anchor] { (text) } }
}

/// Returns a text in lines; if it is too long for that, its end is left out.
fn wrapped(text: &str) -> Vec<String> {
    let text = format::cut(text, LINES * LABEL);
    let lines = textwrap::wrap(&text, LABEL).into_iter().map(|line| line.into_owned());
    lines.filter(|line| !line.is_empty()).collect()
}

/// Returns the lines of a text from `at` down.
fn text_lines(class: &str, at: At, anchor: Anchor, lines: &[String]) -> Markup {
    html! { @for (index, line) in lines.iter().enumerate() {
        (text(class, (at.0, at.1 + LINE * index as f64), anchor, line))
    } }
}

/// Returns the height of a forest, and its noise band, grid, axis and rows, each of which has its name above it.
fn forest(Figure { axis, rows: of, band, .. }: &Figure, top: f64) -> (f64, Markup) {
    let (left, right) = (14.0, WIDTH - 4.0 - VALUES);
    let x = |value: f64| axis.at(value, left, right);
    let width = |label: &str| FONT * CHARACTER * label.chars().count() as f64;
    let half = ROW / 2.0 - 1.0;
    let mut end = top;
    let row = |row: &ForestRow| {
        let lines = wrapped(&row.label);
        end += ROW + LINE * lines.len() as f64 + 2.0;
        (lines, end - half)
    };
    let rows: Vec<(Vec<String>, f64)> = of.iter().map(row).collect();
    let (bottom, title) = (end + 6.0, wrapped(&axis.title));
    let upright = |class: &str, value: f64| {
        html! { @for (_, y) in &rows { (line(class, (x(value), y - half), (x(value), y + half))) } }
    };
    let body = html! {
        @if let Some((low, high)) = *band {
            @for (_, y) in &rows { (bar("f-band", (x(low), y - half), (x(high), y + half))) }
        }
        @for (value, _) in &axis.ticks { (upright("thin s-grid", *value)) }
        @for (at, label) in with_room(&axis.ticks, x, |label| width(label) / 2.0 + 3.0, WIDTH) {
            (text("f-ink", (at, bottom + 12.0), MIDDLE, label))
        }
        (upright("thin s-muted", 0.0))
        (text_lines("f-muted", (WIDTH / 2.0, bottom + 34.0), MIDDLE, &title))
        @for (row, (lines, y)) in of.iter().zip(&rows) {
            (text_lines("f-ink", (4.0, y - 2.0 - LINE * lines.len() as f64), START, lines))
            (ratio(row, x, *y))
        }
    };
    (bottom + 29.0 + LINE * title.len() as f64, body)
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
fn ratio(row: &ForestRow, x: impl Fn(f64) -> f64, y: f64) -> Markup {
    let (speed, sure) = (row.speed, row.is_sure);
    let said = format!("{}×", format::factor(speed.value));
    let (inside, edge, middle_line) =
        if sure { ("ink", "ink", "paper") } else { ("paper", "muted", "muted") };
    let middle = x(speed.value.ln());
    let one = x(0.0);
    html! {
        rect.f-c1 fill-opacity="0.35" x=(N(one.min(middle))) y=(N(y - 4.2)) width=(N((middle - one).abs())) height="8.4" {}
        @match speed.interval {
            None => circle.f-paper.s-muted stroke-width="1.2" cx=(N(middle)) cy=(N(y)) r="2.8" {},
            Some(interval) => {
                @let (low, high) = (x(interval.low.ln()), x(interval.high.ln()));
                // The bar is wide enough to be visible, and shows its estimate as a line if there is room.
                @let (from, to) = (low.min(middle - 1.4), high.max(middle + 1.4));
                (bar(&format!("f-{inside} s-{edge}"), (from, y - 4.2), (to, y + 4.2)))
                @if high - low > 10.0 { (line(&format!("thin s-{middle_line}"), (middle, y - 4.2), (middle, y + 4.2))) }
            }
        }
        (text(if sure { "f-ink" } else { "f-muted" }, (WIDTH - 4.0, y), END, &said))
    }
}

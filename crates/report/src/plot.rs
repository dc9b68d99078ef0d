//! Figures as inline SVG, drawn with plotters.
//!
//! plotters rounds to whole pixels, so figures are drawn ten times as large as they are shown and scaled by `viewBox`.
//! Its colours become variables in `style.css`, which follow the reader's light or dark page; its root element
//! is replaced by one that scales with the page and has a title for those who cannot see it.

use plotters::coord::Shift;
use plotters::drawing::DrawingAreaErrorKind;
use plotters::element::{Circle, PathElement, Polygon, Rectangle, Text};
use plotters::prelude::{DrawingArea, IntoDrawingArea, RGBColor, SVGBackend, ShapeStyle};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontStyle, IntoFont, IntoTextStyle, TextStyle};

use crate::format;
use parcrypt_lab::stats::{Estimate, Verdict};

/// How far lines step aside at most, as a part of the distance of two marks of their axis.
const ASIDE: f64 = 0.18;

/// How far they step aside at most, in units of the `viewBox` as shown.
const MOST_ASIDE: i32 = 8;

/// Drawn units for each unit of the `viewBox` as shown.
const SCALE: i32 = 10;
/// Width of a figure; its text can be read on a telephone, where it is shown about 350 pixels wide.
const WIDTH: i32 = 420;
/// Height of a chart without its legend.
const HEIGHT: i32 = 306;
const FONT: i32 = 12;
/// Most characters of the title of an axis.
const TITLE: usize = 48;
/// Most characters of the name of an entry in a forest; above [`BESIDE`] names stand above their entries, not beside them.
const LABEL: usize = 56;
/// Most characters of a name beside its entry.
const BESIDE: usize = 25;
/// The same as plotters takes it: it divides by 1.24.
const FONT_SIZE: f64 = 1.24 * (FONT * SCALE) as f64;
/// Width of the piece of line in a legend, and the height of a legend's entry.
const SWATCH: i32 = 22;
const LEGEND_ROW: i32 = 18;
/// Width of a character of the page's font over its size, on the safe side.
const CHARACTER: f64 = 0.58;

/// Text and axes.
const INK: RGBColor = RGBColor(0x1A, 0x1A, 0x1A);
/// Titles of axes, and what is less important.
const MUTED: RGBColor = RGBColor(0x66, 0x66, 0x66);
/// Grid.
const GRID: RGBColor = RGBColor(0xE4, 0xE4, 0xE4);
/// The noise floor.
const BAND: RGBColor = RGBColor(0xDD, 0xDD, 0xDD);
/// Inside of hollow marks.
const PAPER: RGBColor = RGBColor(0xFF, 0xFF, 0xFF);

/// Colours that people with any colour vision can tell apart, after M. Okabe and K. Ito, 'Color Universal Design' (2008),
/// the light ones darker, so that they are seen on white;
/// the first candidate is usually the baseline and is drawn in ink.
const PALETTE: [RGBColor; 8] = [
    INK,
    RGBColor(0x00, 0x72, 0xB2),
    RGBColor(0xD5, 0x5E, 0x00),
    RGBColor(0x00, 0x9E, 0x73),
    RGBColor(0xB5, 0x57, 0x8C),
    RGBColor(0x3D, 0x9F, 0xD6),
    RGBColor(0xCF, 0x86, 0x00),
    RGBColor(0xA7, 0x9A, 0x00),
];

/// plotters knows no dots. A line of this width gets them when the figure is done.
const DOTTED: u32 = 21;
const DOTS: &str = "20 35";
/// Width of the lines of candidates.
const LINE: u32 = 20;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// How a candidate is drawn: its place among those of the figure gives colour and mark.
type Pen = usize;

fn colour(pen: Pen) -> RGBColor {
    PALETTE[pen % PALETTE.len()]
}

fn stroke(pen: Pen) -> ShapeStyle {
    colour(pen).stroke_width(LINE)
}

/// A candidate's line in a figure.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) pen: Pen,
    /// For the legend.
    pub(crate) name: String,
    pub(crate) points: Vec<Point>,
}

/// A value with its interval, both already on the scale of the axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) interval: Option<(f64, f64)>,
}

impl Point {
    /// A point whose second coordinate is the logarithm of an estimate.
    pub(crate) fn log(x: f64, estimate: &Estimate) -> Self {
        let interval = estimate.interval.map(|i| (i.low.ln(), i.high.ln()));
        Point { x, y: estimate.value.ln(), interval }
    }
}

/// An axis with its marks; coordinates are logarithms or not, as whoever made it chose.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    low: f64,
    high: f64,
    ticks: Vec<(f64, String)>,
    title: String,
}

impl Axis {
    /// Logarithms of values, which `label` writes on the axis.
    pub(crate) fn values(
        title: &str,
        label: fn(f64) -> String,
        values: impl Iterator<Item = f64>,
    ) -> Option<Self> {
        let (low, high) = range(values)?;
        let decades = (high - low) / 10f64.ln();
        let steps: &[f64] = if decades > 2.5 { &[1.0] } else { &[1.0, 2.0, 5.0] };
        let mut ticks = Vec::new();
        for exponent in (low / 10f64.ln()).floor() as i32..=(high / 10f64.ln()).ceil() as i32 {
            for step in steps {
                let value = step * 10f64.powi(exponent);
                ticks.push((value.ln(), label(value)));
            }
        }
        Some(Axis::with(low, high, ticks, title))
    }

    /// Logarithms of factors; 1 is always on the axis.
    pub(crate) fn factors(title: &str, values: impl Iterator<Item = f64>) -> Option<Self> {
        let (low, high) = range(values.chain([0.0]))?;
        let (from, to) = (low.exp(), high.exp());
        let mut ticks = Vec::new();
        if to / from >= 6.0 {
            let (first, last) = (low / 2f64.ln(), high / 2f64.ln());
            let stride = ((last - first) / 7.0).ceil().max(1.0) as i32;
            for exponent in (-64..=64).filter(|e| e % stride == 0) {
                let value = 2f64.powi(exponent);
                let label = if value < 0.1 {
                    format!("1/{}×", short(1.0 / value))
                } else {
                    format!("{}×", short(value))
                };
                ticks.push((value.ln(), label));
            }
        } else {
            let step = nice_step(to - from, 6.0);
            let decimals = (-step.log10().floor()).max(0.0) as usize;
            for multiple in (from / step).floor() as i64..=(to / step).ceil() as i64 {
                let value = multiple as f64 * step;
                if value > 0.0 {
                    ticks.push((value.ln(), format!("{value:.decimals$}×")));
                }
            }
        }
        Some(Axis::with(low, high, ticks, title))
    }

    /// Sizes of a parameter: a scale is a logarithm already, the logarithm of anything else is taken.
    pub(crate) fn sizes(key: &str, sizes: &[u64]) -> Option<Self> {
        let ticks = sizes.iter().map(|n| (size_coordinate(key, *n), size_label(key, *n))).collect();
        let title = if is_scale(key) { format!("size, 2^{key}") } else { key.to_string() };
        Axis::marked(ticks, title)
    }

    /// Logarithms of thread counts.
    pub(crate) fn threads(counts: impl Iterator<Item = usize>) -> Option<Self> {
        let ticks = counts.map(|n| ((n.max(1) as f64).ln(), n.to_string())).collect();
        Axis::marked(ticks, "threads".to_string())
    }

    /// An axis with data at its marks alone, and room for lines that step aside.
    fn marked(ticks: Vec<(f64, String)>, title: String) -> Option<Self> {
        let (low, high) = range(ticks.iter().map(|(x, _)| *x))?;
        let mut axis = Axis { low, high, ticks, title };
        let first = axis.ticks.iter().map(|(x, _)| *x).fold(f64::INFINITY, f64::min);
        let last = axis.ticks.iter().map(|(x, _)| *x).fold(f64::NEG_INFINITY, f64::max);
        let room = 1.3 * ASIDE * axis.gap();
        (axis.low, axis.high) = (low.min(first - room), high.max(last + room));
        Some(axis)
    }

    /// An axis that reaches a little farther than the data.
    fn with(low: f64, high: f64, mut ticks: Vec<(f64, String)>, title: &str) -> Self {
        ticks.retain(|(at, _)| (low..=high).contains(at));
        Axis { low, high, ticks, title: title.to_string() }
    }

    fn at(&self, value: f64, from: i32, to: i32) -> i32 {
        let part = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        from + (part * f64::from(to - from)).round() as i32
    }

    /// The least distance between neighbouring marks.
    fn gap(&self) -> f64 {
        let gaps = self.ticks.windows(2).map(|pair| (pair[1].0 - pair[0].0).abs());
        gaps.fold(self.high - self.low, f64::min)
    }
}

/// Where a size stands on its axis.
pub(crate) fn size_coordinate(key: &str, size: u64) -> f64 {
    if is_scale(key) { size as f64 } else { (size.max(1) as f64).log2() }
}

pub(crate) fn is_scale(key: &str) -> bool {
    key == "scale" || key.starts_with("log") || key.ends_with("_log2")
}

/// A size as an axis shows it.
pub(crate) fn size_label(key: &str, size: u64) -> String {
    match size {
        n if is_scale(key) => format::power_of_two(n),
        n if key == "bytes" => format::bytes(n),
        n if n.is_power_of_two() && n >= 1024 => format::power_of_two(u64::from(n.ilog2())),
        n => n.to_string(),
    }
}

/// The range of some values, a little wider, and never empty.
fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(|v| v.is_finite()) {
        (low, high) = (low.min(value), high.max(value));
    }
    let margin = (0.06 * (high - low)).max(0.015);
    (low <= high).then_some((low - margin, high + margin))
}

/// 1, 2 or 5 times a power of ten, so that `span` has at most `count` steps.
fn nice_step(span: f64, count: f64) -> f64 {
    let least = span / count;
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|s| s * power).find(|s| *s >= least).unwrap_or(10.0 * power)
}

fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

pub(crate) fn short_time(ns: f64) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")];
    let (scale, unit) = units.into_iter().find(|(scale, _)| ns * 1.000_001 >= *scale).unwrap_or((1.0, "ns"));
    format!("{} {unit}", short(ns / scale))
}

/// A dotted line to compare with.
pub(crate) struct Guide {
    /// What it is, and that it is dotted.
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// A figure with two axes.
pub(crate) struct Chart {
    /// What it shows, for those who cannot see it.
    pub(crate) title: String,
    /// The same for those who see it, in short: above the axes.
    pub(crate) heading: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    /// The noise floor, from its lower to its upper edge.
    pub(crate) band: Option<(f64, f64)>,
    /// What to compare the lines with.
    pub(crate) guide: Option<Guide>,
    pub(crate) lines: Vec<Line>,
    /// Whether lines step aside so that their intervals can be told apart.
    pub(crate) spread: Spread,
}

/// Whether the points of several lines at the same place step aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spread {
    /// Each stays where it is.
    None,
    /// Each line is moved by a part of the distance of two marks.
    Apart,
}

impl Chart {
    /// The figure as an SVG element; `None` where it could not be drawn.
    pub(crate) fn svg(&self) -> Option<String> {
        figure(WIDTH, HEIGHT + self.legend_height(), &self.title, |area| self.draw(area))
    }

    /// Columns of the legend, and the width of each.
    fn legend_columns(&self) -> (usize, i32) {
        let longest = self.lines.iter().map(|line| line.name.chars().count().min(LABEL)).max().unwrap_or(0);
        let widest = SWATCH + 8 + width_of(longest);
        let columns = ((WIDTH - 8) / widest).clamp(1, 4);
        (columns as usize, (WIDTH - 8) / columns)
    }

    fn legend_height(&self) -> i32 {
        match self.lines.len() {
            0 => 0,
            lines => lines.div_ceil(self.legend_columns().0) as i32 * LEGEND_ROW + 8,
        }
    }

    /// The names of the lines, beneath the axes.
    fn draw_legend(&self, area: &Area<'_>) -> Drawn {
        let (columns, width) = self.legend_columns();
        for (index, line) in self.lines.iter().enumerate() {
            let x = (6 + width * (index % columns) as i32) * SCALE;
            let y = (HEIGHT + 10 + LEGEND_ROW * (index / columns) as i32) * SCALE;
            let ends = vec![(x, y), (x + SWATCH * SCALE, y)];
            area.draw(&PathElement::new(ends, stroke(line.pen)))?;
            mark(area, line.pen, (x + SWATCH * SCALE / 2, y))?;
            let name = shortened(&line.name, LABEL);
            text(area, &name, (x + (SWATCH + 6) * SCALE, y), HPos::Left, VPos::Center, INK)?;
        }
        Ok(())
    }

    fn draw(&self, area: &Area<'_>) -> Drawn {
        let widest = self.y.ticks.iter().map(|(_, label)| label.chars().count()).max().unwrap_or(1);
        let (left, right) = ((width_of(widest) + 16) * SCALE, (WIDTH - 14) * SCALE);
        let (top, bottom) = (48 * SCALE, (HEIGHT - 44) * SCALE);
        let titles = 23 * SCALE;
        text(area, &shortened(&self.heading, LABEL), (4 * SCALE, 4 * SCALE), HPos::Left, VPos::Top, INK)?;
        let x = |value: f64| self.x.at(value, left, right);
        let y = |value: f64| self.y.at(value, bottom, top);

        if let Some((low, high)) = self.band {
            area.draw(&Rectangle::new([(left, y(high)), (right, y(low))], BAND.filled()))?;
        }
        let mut free = i32::MAX;
        for (value, label) in &self.y.ticks {
            area.draw(&PathElement::new(vec![(left, y(*value)), (right, y(*value))], GRID.stroke_width(10)))?;
            if y(*value) + FONT * SCALE < free {
                text(area, label, (left - 7 * SCALE, y(*value)), HPos::Right, VPos::Center, INK)?;
                free = y(*value);
            }
        }
        let mut free = i32::MIN;
        for (value, label) in &self.x.ticks {
            let at = x(*value);
            let half = (f64::from(FONT * SCALE) * CHARACTER * label.chars().count() as f64) as i32 / 2;
            area.draw(&PathElement::new(
                vec![(at, bottom), (at, bottom + 4 * SCALE)],
                MUTED.stroke_width(10),
            ))?;
            if at - half > free {
                text(area, label, (at, bottom + 8 * SCALE), HPos::Center, VPos::Top, INK)?;
                free = at + half + 4 * SCALE;
            }
        }
        area.draw(&PathElement::new(vec![(left, bottom), (right, bottom)], MUTED.stroke_width(10)))?;
        text(area, &shortened(&self.y.title, TITLE), (4 * SCALE, titles), HPos::Left, VPos::Top, MUTED)?;
        let middle = (left + right) / 2;
        text(
            area,
            &shortened(&self.x.title, TITLE),
            (middle, (HEIGHT - 4) * SCALE),
            HPos::Center,
            VPos::Bottom,
            MUTED,
        )?;

        // Where marks are far from each other, a part of their distance would move lines away from the guide.
        let most =
            f64::from(MOST_ASIDE * SCALE) * (self.x.high - self.x.low) / f64::from((right - left).max(1));
        let aside = (ASIDE * self.x.gap()).min(most);
        if let Some(guide) = &self.guide {
            let style = MUTED.stroke_width(DOTTED);
            let path: Vec<(i32, i32)> = guide.points.iter().map(|(px, py)| (x(*px), y(*py))).collect();
            area.draw(&PathElement::new(path, style))?;
            text(area, &guide.name, (right, titles), HPos::Right, VPos::Top, MUTED)?;
        }

        let count = self.lines.len() as f64;
        for (index, line) in self.lines.iter().enumerate() {
            let shift = match self.spread {
                Spread::None => 0.0,
                Spread::Apart => (2.0 * index as f64 - (count - 1.0)) / count.max(3.0) * aside,
            };
            let path: Vec<(i32, i32)> = line.points.iter().map(|p| (x(p.x + shift), y(p.y))).collect();
            if path.len() > 1 {
                area.draw(&PathElement::new(path.clone(), stroke(line.pen)))?;
            }
            for (point, at) in line.points.iter().zip(path) {
                if let Some((low, high)) = point.interval {
                    let ends = vec![(at.0, y(low)), (at.0, y(high))];
                    area.draw(&PathElement::new(ends, colour(line.pen).stroke_width(14)))?;
                }
                mark(area, line.pen, at)?;
            }
        }
        self.draw_legend(area)
    }
}

/// A entry of a [`Forest`].
pub(crate) struct ForestRow {
    pub(crate) label: String,
    /// The ratio of times; none for what all others are compared with.
    pub(crate) ratio: Option<Estimate>,
}

/// Ratios with their intervals, one above the other, around 1.
pub(crate) struct Forest {
    /// What it shows, for those who cannot see it.
    pub(crate) title: String,
    /// The same for those who see it, in short: above the entries; may be empty.
    pub(crate) heading: String,
    /// Title of the axis, as `times as fast as serial`.
    pub(crate) axis: String,
    pub(crate) entries: Vec<ForestRow>,
    /// The noise floor.
    pub(crate) floor: Option<f64>,
}

impl Forest {
    /// The figure as an SVG element; `None` where there is nothing to draw or it could not be drawn.
    pub(crate) fn svg(&self) -> Option<String> {
        if !self.entries.iter().any(|entry| entry.ratio.is_some()) {
            return None;
        }
        let band = self.floor.map(|floor| (-floor.ln_1p(), floor.ln_1p()));
        let speeds = self.entries.iter().filter_map(|entry| Some(entry.ratio?.inverse()));
        let values = speeds.flat_map(|e| match e.interval {
            Some(i) => [e.value.ln(), i.low.ln(), i.high.ln()],
            None => [e.value.ln(); 3],
        });
        let axis = Axis::factors(&self.axis, values.chain(band.into_iter().flat_map(|(a, b)| [a, b])))?;
        let height = self.entry_height() * self.entries.len() as i32 + 58 + self.heading_height();
        figure(WIDTH, height, &self.title, |area| self.draw(area, &axis, band, height))
    }

    fn heading_height(&self) -> i32 {
        if self.heading.is_empty() { 0 } else { 20 }
    }

    fn longest(&self) -> usize {
        self.entries.iter().map(|entry| entry.label.chars().count()).max().unwrap_or(0)
    }

    fn entry_height(&self) -> i32 {
        if self.longest() > BESIDE { 37 } else { 20 }
    }

    fn draw(&self, area: &Area<'_>, axis: &Axis, band: Option<(f64, f64)>, height: i32) -> Drawn {
        let left = match self.longest() {
            longest if longest <= BESIDE => width_of(longest) + 14,
            _ => 14,
        } * SCALE;
        let right = (WIDTH - 58) * SCALE;
        let (top, bottom) = ((8 + self.heading_height()) * SCALE, (height - 44) * SCALE);
        text(area, &shortened(&self.heading, LABEL), (4 * SCALE, 4 * SCALE), HPos::Left, VPos::Top, INK)?;
        let x = |value: f64| axis.at(value, left, right);
        let middle_of = |index: usize| top + (self.entry_height() * (index as i32 + 1) - 9) * SCALE;
        // Where names stand above their entries, band and grid leave out the lines of names.
        let spans: Vec<(i32, i32)> = match self.longest() {
            longest if longest <= BESIDE => vec![(top, bottom)],
            _ => (0..self.entries.len())
                .map(|i| (middle_of(i) - 9 * SCALE, middle_of(i) + 9 * SCALE))
                .collect(),
        };
        let uprights = |value: f64, style: ShapeStyle| -> Drawn {
            spans.iter().try_for_each(|(from, to)| {
                area.draw(&PathElement::new(vec![(x(value), *from), (x(value), *to)], style))
            })
        };

        if let Some((low, high)) = band {
            for (from, to) in &spans {
                area.draw(&Rectangle::new([(x(low), *from), (x(high), *to)], BAND.filled()))?;
            }
        }
        // 1 is named first, then whatever finds room.
        let mut taken: Vec<(i32, i32)> = Vec::new();
        let one = |tick: &&(f64, String)| tick.0.abs() > 1e-9;
        let mut ticks: Vec<&(f64, String)> = axis.ticks.iter().collect();
        ticks.sort_by_key(one);
        for (value, label) in ticks {
            let at = x(*value);
            let half =
                (f64::from(FONT * SCALE) * CHARACTER * label.chars().count() as f64) as i32 / 2 + 3 * SCALE;
            uprights(*value, GRID.stroke_width(10))?;
            if taken.iter().all(|(from, to)| at + half < *from || at - half > *to) {
                text(area, label, (at, bottom + 6 * SCALE), HPos::Center, VPos::Top, INK)?;
                taken.push((at - half, at + half));
            }
        }
        uprights(0.0, MUTED.stroke_width(12))?;
        let title = shortened(&self.axis, TITLE);
        let half = (f64::from(FONT * SCALE) * CHARACTER * title.chars().count() as f64) as i32 / 2;
        let middle = ((left + right) / 2).min(WIDTH * SCALE - half).max(half);
        text(area, &title, (middle, (height - 4) * SCALE), HPos::Center, VPos::Bottom, MUTED)?;

        for (index, entry) in self.entries.iter().enumerate() {
            let y = middle_of(index);
            let name_y = y - if self.longest() > BESIDE { 17 * SCALE } else { 0 };
            text(area, &shortened(&entry.label, LABEL), (4 * SCALE, name_y), HPos::Left, VPos::Center, INK)?;
            let Some(ratio) = entry.ratio else {
                dot(area, (x(0.0), y), MUTED, MUTED)?;
                text(area, "1", ((WIDTH - 4) * SCALE, y), HPos::Right, VPos::Center, MUTED)?;
                continue;
            };
            let speed = ratio.inverse();
            let sure = matches!(Verdict::of(&ratio), Verdict::Faster(_) | Verdict::Slower(_));
            let colour = if sure { INK } else { MUTED };
            let middle = x(speed.value.ln());
            match speed.interval {
                Some(i) => bar(area, (x(i.low.ln()), middle, x(i.high.ln())), y, sure)?,
                None => dot(area, (middle, y), colour, PAPER)?,
            }
            let value = format!("{}×", format::factor(speed.value));
            text(area, &value, ((WIDTH - 4) * SCALE, y), HPos::Right, VPos::Center, colour)?;
        }
        Ok(())
    }
}

/// The width of so many characters, on the safe side.
fn width_of(characters: usize) -> i32 {
    (f64::from(FONT) * CHARACTER * characters as f64) as i32
}

/// A text with its middle left out where it is too long.
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

fn text(area: &Area<'_>, text: &str, at: (i32, i32), h: HPos, v: VPos, colour: RGBColor) -> Drawn {
    let font = ("sans-serif", FONT_SIZE, FontStyle::Normal).into_font();
    let style: TextStyle<'_> = font.into_text_style(area).color(&colour).pos(Pos::new(h, v));
    area.draw(&Text::new(text.to_string(), at, style))
}

/// An interval as a bar, never thinner than can be seen, with its estimate as a line where there is room for it.
fn bar(area: &Area<'_>, (low, middle, high): (i32, i32, i32), y: i32, sure: bool) -> Drawn {
    let (left, right) = (low.min(middle - 14), high.max(middle + 14));
    let (top, bottom) = (y - 42, y + 42);
    let (inside, edge) = if sure { (INK, INK) } else { (PAPER, MUTED) };
    area.draw(&Rectangle::new([(left, top), (right, bottom)], inside.filled()))?;
    let outline = vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
    area.draw(&PathElement::new(outline, edge.stroke_width(10)))?;
    if high - low > 100 {
        let colour = if sure { PAPER } else { MUTED };
        area.draw(&PathElement::new(vec![(middle, top), (middle, bottom)], colour.stroke_width(9)))?;
    }
    Ok(())
}

fn dot(area: &Area<'_>, at: (i32, i32), edge: RGBColor, inside: RGBColor) -> Drawn {
    area.draw(&Circle::new(at, 28, inside.filled()))?;
    area.draw(&Circle::new(at, 28, edge.stroke_width(12)))
}

/// The mark of a candidate: seven shapes, so that with eight colours fifty-six candidates look different.
fn mark(area: &Area<'_>, pen: Pen, (x, y): (i32, i32)) -> Drawn {
    let (fill, stroke) = (colour(pen).filled(), colour(pen).stroke_width(18));
    let polygon = |points: &[(i32, i32)]| {
        area.draw(&Polygon::new(points.iter().map(|(a, b)| (x + a, y + b)).collect::<Vec<_>>(), fill))
    };
    let line = |from: (i32, i32), to: (i32, i32)| {
        area.draw(&PathElement::new(vec![(x + from.0, y + from.1), (x + to.0, y + to.1)], stroke))
    };
    match pen % 7 {
        0 => area.draw(&Circle::new((x, y), 36, fill)),
        1 => polygon(&[(-33, -33), (33, -33), (33, 33), (-33, 33)]),
        2 => polygon(&[(0, -44), (42, 30), (-42, 30)]),
        3 => polygon(&[(0, -48), (48, 0), (0, 48), (-48, 0)]),
        4 => polygon(&[(0, 44), (42, -30), (-42, -30)]),
        5 => line((-34, -34), (34, 34)).and_then(|()| line((-34, 34), (34, -34))),
        _ => line((-44, 0), (44, 0)).and_then(|()| line((0, -44), (0, 44))),
    }
}

/// A figure as a file of its own: with a size, and on paper.
pub(crate) fn standalone(svg: &str) -> String {
    let sized = svg.split_once(" viewBox=\"0 0 ").and_then(|(root, rest)| {
        let (view, rest) = rest.split_once('"')?;
        let (width, height) = view.split_once(' ')?;
        let [w, h] = [width, height].map(|n| n.parse::<i32>().unwrap_or_default() / SCALE);
        let (before, after) = rest.split_once("</title>")?;
        let RGBColor(r, g, b) = PAPER;
        let paper = format!("<rect width=\"{width}\" height=\"{height}\" fill=\"#{r:02X}{g:02X}{b:02X}\"/>");
        let size = format!("width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {view}\"");
        Some(format!("{root} {size}{before}</title>\n{paper}{after}"))
    });
    sized.unwrap_or_else(|| svg.to_string())
}

/// Draws with plotters and replaces its root element.
fn figure(width: i32, height: i32, title: &str, draw: impl FnOnce(&Area<'_>) -> Drawn) -> Option<String> {
    let mut raw = String::new();
    {
        let size = ((width * SCALE) as u32, (height * SCALE) as u32);
        let area = SVGBackend::with_string(&mut raw, size).into_drawing_area();
        draw(&area).ok()?;
        area.present().ok()?;
    }
    let (_, mut body) = raw.split_once(">\n").map(|(root, body)| (root, body.to_string()))?;
    // A quotation mark inside a text is escaped, so this finds attributes alone.
    let coded = format!("stroke-width=\"{DOTTED}\"");
    body = body.replace(&coded, &format!("stroke-width=\"{LINE}\" stroke-dasharray=\"{DOTS}\""));
    // What all elements share is said once.
    let font = FONT * SCALE;
    let (tree, opacity) = (" font-tree=\"sans-serif\"", " opacity=\"1\"");
    for shared in [tree, opacity, &format!(" font-size=\"{}\"", FONT_SIZE / 1.24)] {
        body = body.replace(shared, "");
    }
    let view = format!(
        "viewBox=\"0 0 {} {}\"{tree} font-size=\"{font}\" stroke-linejoin=\"round\"",
        width * SCALE,
        height * SCALE
    );
    let (role, title) = match title {
        "" => ("aria-hidden=\"true\"", String::new()),
        title => ("role=\"img\"", maud::html! { title { (title) } }.into_string()),
    };
    Some(format!("<svg xmlns=\"http://www.w3.org/2000/svg\" {view} {role}>{title}\n{body}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_style_sheet_knows_every_colour() {
        let style = include_str!("style.css");
        for colour in PALETTE.into_iter().chain([INK, MUTED, GRID, BAND, PAPER]) {
            let RGBColor(r, g, b) = colour;
            for attribute in ["fill", "stroke"] {
                let selector = format!("[{attribute}=\"#{r:02X}{g:02X}{b:02X}\"]");
                assert!(style.contains(&selector), "{selector}");
            }
        }
    }

    #[test]
    fn axes_have_marks_for_any_range() {
        for (low, high) in [(1.0, 1.0), (0.999, 1.001), (0.5, 2.5), (0.001, 4000.0), (1e-9, 1e12)] {
            let axis = Axis::factors("", [f64::ln(low), f64::ln(high)].into_iter()).unwrap();
            assert!((1..=20).contains(&axis.ticks.len()), "{low} {high}: {:?}", axis.ticks);
            let axis =
                Axis::values("", short_time, [f64::ln(low * 1e4), f64::ln(high * 1e4)].into_iter()).unwrap();
            assert!(axis.ticks.len() <= 40, "{low} {high}: {:?}", axis.ticks);
        }
        assert!(Axis::values("", short_time, std::iter::empty()).is_none());
        assert!(Axis::values("", short_time, [f64::NAN].into_iter()).is_none());
    }

    #[test]
    fn labels() {
        assert_eq!(shortened("abcdefghij", 7), "abc…hij");
        assert_eq!(shortened("äbc", 3), "äbc");
        assert_eq!(short_time(2e4), "20 µs");
        assert_eq!(short_time(0.5), "0.5 ns");
        assert_eq!(size_label("scale", 10), "2¹⁰");
        assert_eq!(size_label("bytes", 1 << 24), "16 MiB");
        assert_eq!(size_label("n", 4096), "2¹²");
        assert_eq!(nice_step(0.55, 6.0), 0.1);
    }
}

//! Figures: a forest of ratios around 1, in the coordinates of its axis.

use parcrypt_lab::stats::Estimate;

use crate::format;
use crate::say::{self, Ratio};

/// Maximum number of rows.
const ROWS: usize = 24;

/// A figure: ratios with their intervals, one above the other, around 1.
#[derive(Debug)]
pub struct Figure {
    /// Title for screen readers, and the heading in a file.
    pub(crate) title: String,
    pub(crate) caption: String,
    /// Logarithms of speeds.
    pub(crate) axis: Axis,
    pub(crate) rows: Vec<ForestRow>,
    /// Band of what does not matter, as two logarithms of speeds.
    pub(crate) band: Option<(f64, f64)>,
}

/// Returns a forest of the first ratios to the `other` side, each with its name, and a band around 1: the threshold of
/// a suite, or the noise floor. `None` without rows.
pub(crate) fn forest(
    what: &str,
    other: &str,
    rows: &[(&str, Ratio<'_>)],
    threshold: Option<f64>,
) -> Option<Figure> {
    let (_, first) = rows.first()?;
    let floor = first.floor.map(|floor| ("noise floor", floor));
    let band = threshold.map(|part| ("threshold", part)).or(floor);
    let axis = format!("times as {} as {other}", if first.measure.is_time() { "fast" } else { "few" });
    let row = |(label, ratio): &(&str, Ratio<'_>)| ForestRow {
        label: format::one_line(label),
        speed: ratio.estimate.inverse(),
        is_sure: ratio.verdict.is_change(),
    };
    let all = rows.len();
    let rows: Vec<ForestRow> = rows.iter().take(ROWS).map(row).collect();
    let which = if all > ROWS { format!(", the first {ROWS} of {all}") } else { String::new() };
    // What is the same in all rounds is known, not estimated.
    let mut intervals = rows.iter().filter_map(|row| row.speed.interval).peekable();
    let with = match (intervals.peek().is_some(), intervals.any(|of| of.low < of.high)) {
        (_, true) => format!(", with {} intervals; filled if a difference was found", say::confidence()),
        (true, false) => String::new(),
        (false, false) => ", without intervals, which take more rounds".to_owned(),
    };
    let of_band = band.map_or(String::new(), |(what, _)| format!(" Grey band: {what}."));
    let caption = format!("{}{which}{with}.{of_band}", format::capital(&axis));
    let band = band.map(|(_, part)| (-part.ln_1p(), part.ln_1p()));
    let values =
        rows.iter().flat_map(|row| ends(&row.speed)).chain(band.into_iter().flat_map(<[f64; 2]>::from));
    // The axis contains 1.
    let label = |factor| format!("{}×", short(factor));
    let title = format!("{axis}: {what}");
    Some(Figure { title, caption, axis: Axis::values(&axis, label, values.chain([0.0])), rows, band })
}

/// Returns the logarithms of an estimate's ends.
fn ends(of: &Estimate) -> [f64; 2] {
    of.interval.map_or([of.value; 2], |interval| [interval.low, interval.high]).map(f64::ln)
}

/// An axis with its marks; its coordinates are logarithms.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    low: f64,
    high: f64,
    /// Coordinates of the marks with their labels, which carry units.
    pub(crate) ticks: Vec<(f64, String)>,
    pub(crate) title: String,
}

impl Axis {
    /// Returns an axis of the logarithms of values, which `label` writes: at the beginning of each decade if there are
    /// three, at 1, 2 and 5 in each decade, or at equal distances.
    fn values(title: &str, label: fn(f64) -> String, values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = range(values);
        let decades = (low / 10f64.ln()).floor() as i32..=(high / 10f64.ln()).ceil() as i32;
        let in_decades = |steps: &[f64]| -> Vec<f64> {
            decades.clone().flat_map(|of| steps.iter().map(move |step| step * 10f64.powi(of))).collect()
        };
        let is_shown = |value: &f64| (low..=high).contains(&value.ln());
        let is_enough = |marks: &Vec<f64>| marks.iter().filter(|value| is_shown(value)).count() > 2;
        let coarse = (high - low > 2.5 * 10f64.ln()).then(|| in_decades(&[1.0])).filter(is_enough);
        let marks = coarse.or_else(|| Some(in_decades(&[1.0, 2.0, 5.0])).filter(is_enough));
        let marks = marks.unwrap_or_else(|| {
            let (from, to) = (low.exp(), high.exp());
            let step = nice_step(to - from, 6.0);
            ((from / step).floor() as i64..=(to / step).ceil() as i64).map(|n| n as f64 * step).collect()
        });
        let ticks = marks.into_iter().filter(is_shown).map(|value| (value.ln(), label(value))).collect();
        Axis { low, high, ticks, title: title.to_owned() }
    }

    /// Returns the position of a coordinate between `from` and `to`, which are the ends of the axis on the drawing.
    pub(crate) fn at(&self, value: f64, from: f64, to: f64) -> f64 {
        from + ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0) * (to - from)
    }
}

/// Returns the range of some values with a margin.
fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(|v| v.is_finite()) {
        (low, high) = (low.min(value), high.max(value));
    }
    // Of a number so large that adding less would not change it, it is larger.
    let margin = (0.06 * (high - low)).max(0.015).max(1e-9 * high.abs());
    (low - margin, high + margin)
}

/// Returns 1, 2 or 5 times a power of ten, so that `span` has at most `count` steps.
fn nice_step(span: f64, count: f64) -> f64 {
    let least = span / count;
    let power = 10f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|s| s * power).find(|s| *s >= least).unwrap_or(10.0 * power)
}

fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// A row of a forest.
#[derive(Debug)]
pub(crate) struct ForestRow {
    pub(crate) label: String,
    /// The speed as a factor of the other side's.
    pub(crate) speed: Estimate,
    /// Whether a difference was found.
    pub(crate) is_sure: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_marks_for_any_range() {
        for (low, high) in [(1.0, 1.0), (0.999, 1.001), (2.1, 4.8), (0.5, 2.5), (0.001, 4000.0), (1e-9, 1e12)]
        {
            let axis = Axis::values("", short, [low, high].map(f64::ln).into_iter());
            assert!((2..=40).contains(&axis.ticks.len()), "{low} {high}: {:?}", axis.ticks);
        }
        // Two decades begin within; 20, 40 and 60 would stand at its end alone.
        let axis = Axis::values("", short, [f64::ln(0.2), f64::ln(70.0)].into_iter());
        let labels: Vec<&str> = axis.ticks.iter().map(|(_, label)| label.as_str()).collect();
        assert_eq!(labels, ["0.2", "0.5", "1", "2", "5", "10", "20", "50"]);
        // Powers of the C library may be off by a unit in the last place.
        assert!((nice_step(0.55, 6.0) - 0.1).abs() < 1e-15);
    }
}

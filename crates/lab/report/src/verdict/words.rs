//! Verdicts as sentences.

use parcrypt_lab::record::Measure;
use parcrypt_lab::stats::{Estimate, Interval, RESOLUTION, Verdict};

use crate::format;
use crate::sentences::confidence;

/// Returns the verdict on `b` compared with `a` as a sentence, for a ratio of their times or counts with its interval.
pub(crate) fn in_words(measure: &Measure, b: &str, a: &str, ratio: &Estimate, interval: Interval) -> String {
    let (verdict, sure) = (Verdict::of(ratio, RESOLUTION), confidence());
    let by = if *measure == Measure::OwnTime { " by their own clocks" } else { "" };
    let count = match measure {
        Measure::Count(name) => Some(format::counted_name(name)),
        Measure::Time | Measure::OwnTime => None,
    };
    let does = if count.as_deref() == Some("instructions") { "executes" } else { "has" };
    let (many, fewer) = many_and_fewer(measure);
    // A count that was the same in all rounds is known.
    let is_exact = count.is_some() && interval.low == interval.high;
    let bounds = |text: String| match is_exact {
        true => "(the same in all rounds)".to_owned(),
        false => format!("({sure} interval {text})"),
    };
    if count.is_none() && interval.low == 1.0 && interval.high == 1.0 {
        return format!("no difference: {b} is the same program as {a}");
    }
    let change = ratio.value - 1.0;
    let times = |ratio: &Estimate| {
        let (low, high) =
            ratio.interval.map_or_else(Default::default, |i| format::factor_bounds(ratio.value, i));
        (format::factor(ratio.value), bounds(format!("{low} to {high}")))
    };
    match (verdict, &count) {
        (Verdict::Faster, None) if ratio.value <= 0.5 => {
            let (times, interval) = times(&ratio.inverse());
            format!("{b} is {times} times as fast as {a}{by} {interval}")
        }
        (Verdict::Slower, _) if ratio.value >= 2.0 => {
            let (times, interval) = times(ratio);
            match count {
                None => format!("{b} takes {times} times as long as {a}{by} {interval}"),
                Some(count) => format!("{b} {does} {times} times as {many} {count} as {a} {interval}"),
            }
        }
        (Verdict::Faster | Verdict::Slower, _) => {
            let percents = bounds(format::percents(change, interval.low - 1.0, interval.high - 1.0));
            let change = format::percent(change);
            let less = matches!(verdict, Verdict::Faster);
            match count {
                None => {
                    let direction = if less { "faster" } else { "slower" };
                    format!("{b} is {change} {direction} than {a}{by} {percents}")
                }
                Some(count) => {
                    let direction = if less { fewer } else { "more" };
                    format!("{b} {does} {change} {direction} {count} than {a} {percents}")
                }
            }
        }
        (_, Some(count)) if is_exact => {
            format!("no difference: {b} {does} as {many} {count} as {a} (the same in all rounds)")
        }
        (verdict, _) => {
            let part = |part: f64| match part {
                part if part < 0.0 => format!("{} {fewer}", format::percent(part)),
                part => format!("{} more", format::percent(part)),
            };
            let found = match verdict {
                Verdict::Same => "no difference found",
                _ => "cannot tell",
            };
            let (low, high) = (part(interval.low - 1.0), part(interval.high - 1.0));
            let (does, what) = match &count {
                None => ("takes", "time"),
                Some(count) => (does, count.as_str()),
            };
            format!("{found}: {b} {does} from {low} to {high} {what} than {a}{by} ({sure} interval)")
        }
    }
}

/// Returns the words for a quantity of what is counted: `many` and `fewer`, or `much` and `less` of an amount in bytes
/// and of time.
fn many_and_fewer(measure: &Measure) -> (&'static str, &'static str) {
    match measure {
        Measure::Count(name) if !name.ends_with("-bytes") => ("many", "fewer"),
        _ => ("much", "less"),
    }
}

/// Returns what all rounds have shown, if they are too few for an interval: the range of their ratios, and if all
/// lie on one side of 1, how often that happens by chance (the sign test).
pub(super) fn of_rounds(measure: &Measure, b: &str, a: &str, range: Interval, rounds: usize) -> String {
    let count = match measure {
        Measure::Count(name) => Some(format::counted_name(name)),
        Measure::Time | Measure::OwnTime => None,
    };
    let (many, less) = many_and_fewer(measure);
    let what = count.clone().unwrap_or_else(|| "time".to_owned());
    let part = |ratio: f64| match ratio - 1.0 {
        0.0 => "no more".to_owned(),
        part if part < 0.0 => format!("{} {less}", format::percent(part)),
        part => format!("{} more", format::percent(part)),
    };
    let many =
        if count.is_some() { format!("times as {many} {what} as") } else { "times as long as".to_owned() };
    let verb = if count.is_some() { "had" } else { "took" };
    let factors = |low: f64, high: f64| match (format::factor(low), format::factor(high)) {
        (low, high) if low == high => low,
        (low, high) => format!("{low} to {high}"),
    };
    let said = match range {
        Interval { low, high } if low >= 2.0 => format!("{b} {verb} {} {many} {a}", factors(low, high)),
        Interval { low, high } if high <= 0.5 && count.is_none() => {
            format!("{b} was {} times as fast as {a}", factors(high.recip(), low.recip()))
        }
        Interval { low, high } => match (part(low), part(high)) {
            (low, high) if low == high => format!("{b} {verb} {low} {what} than {a}"),
            (low, high) => format!("{b} {verb} from {low} to {high} {what} than {a}"),
        },
    };
    let one_sided = !range.holds(1.0);
    match rounds {
        5.. if one_sided => {
            let of = 1u64 << (rounds - 1).min(62);
            format!("{said} in each (equal commands: by chance in 1 of {of} runs)")
        }
        2.. if one_sided => format!("{said} in each"),
        _ => said,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_own_clocks_are_named() {
        let said = |measure: &str, value: f64, low: f64, high: f64| {
            let ratio = Estimate { value, interval: Some(Interval { low, high }), replicates: 8 };
            in_words(&Measure::from(measure.to_owned()), "B", "A", &ratio, Interval { low, high })
        };
        for (measure, [value, low, high], sentence) in [
            (
                "own-time",
                [0.88, 0.87, 0.89],
                "B is 12.0 % faster than A by their own clocks (99 % interval 11.0 to 13.0 %)",
            ),
            (
                "own-time",
                [2.5, 2.4, 2.6],
                "B takes 2.50 times as long as A by their own clocks (99 % interval 2.40 to 2.60)",
            ),
            (
                "own-time",
                [1.0, 0.99, 1.01],
                "no difference found: B takes from 1.0 % less to 1.0 % more time than A by their own clocks \
                 (99 % interval)",
            ),
            (
                "instructions",
                [0.968; 3],
                "B executes 3.2 % fewer instructions than A (the same in all rounds)",
            ),
            (
                "instructions",
                [2.5; 3],
                "B executes 2.50 times as many instructions as A (the same in all rounds)",
            ),
            (
                "instructions",
                [0.25; 3],
                "B executes 75.0 % fewer instructions than A (the same in all rounds)",
            ),
            (
                "instructions",
                [1.0; 3],
                "no difference: B executes as many instructions as A (the same in all rounds)",
            ),
            (
                "instructions",
                [1.1, 1.09, 1.11],
                "B executes 10.0 % more instructions than A (99 % interval 9.0 to 11.0 %)",
            ),
            (
                "instructions",
                [1.0, 0.99, 1.01],
                "no difference found: B executes from 1.0 % fewer to 1.0 % more instructions than A (99 % interval)",
            ),
            ("time", [1.0; 3], "no difference: B is the same program as A"),
            (
                "peak-memory-bytes",
                [0.9, 0.89, 0.91],
                "B has 10.0 % less peak memory than A (99 % interval 9.0 to 11.0 %)",
            ),
            ("cache-misses", [1.5; 3], "B has 50.0 % more cache misses than A (the same in all rounds)"),
        ] {
            assert_eq!(said(measure, value, low, high), sentence);
        }
    }
}

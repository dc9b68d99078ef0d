//! Numbers and untrusted texts, formatted for readers.

use parcrypt_lab::stats::{Estimate, Interval};
use parcrypt_protocol::escape::is_hidden;

/// Returns the parts of a text on one line, and of each whether it is code: what stands between two backticks. A
/// backtick without a second one becomes an apostrophe, so that no part has any.
pub(crate) fn spans(text: &str) -> Vec<(bool, String)> {
    let parts: Vec<&str> = text.split('`').collect();
    let paired = parts.len() - (parts.len() + 1) % 2;
    let mut found: Vec<(bool, String)> = Vec::new();
    for (index, part) in parts.iter().enumerate() {
        let is_code = index % 2 == 1 && index < paired && !part.trim().is_empty();
        let apostrophe = if index >= paired { "'" } else { "" };
        match found.last_mut().filter(|(code, _)| !code && !is_code) {
            Some((_, before)) => *before += &format!("{apostrophe}{part}"),
            None => found.push((is_code, format!("{apostrophe}{part}"))),
        }
    }
    found.retain(|(_, part)| !part.is_empty());
    found
}

/// Returns the beginning of a text of more than `most` characters.
pub(crate) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", text[..at].trim_end()),
        None => text.to_string(),
    }
}

/// Units of times in ns.
pub(crate) const TIMES: [&str; 4] = ["ns", "µs", "ms", "s"];

/// Returns a value in one of some units, each of which is `step` times the one before.
pub(crate) fn in_unit<'u>(value: f64, step: f64, units: &[&'u str]) -> (f64, &'u str) {
    let mut scaled = value;
    let mut unit = 0;
    // Rounded to four digits, 999.95 is 1000.
    while scaled >= 0.99995 * step && unit + 1 < units.len() {
        scaled /= step;
        unit += 1;
    }
    (scaled, units[unit])
}

/// Returns a time with four digits and a suitable unit, such as `58.91 ms`.
pub(crate) fn nanoseconds(ns: f64) -> String {
    match in_unit(ns, 1e3, &TIMES) {
        (0.0, _) => "0 ns".to_owned(),
        (scaled, unit) => format!("{} {unit}", digits(scaled, 4)),
    }
}

/// Returns an interval of times, such as `17.81 to 18.02 ms`; the unit appears once if it is the same.
pub(crate) fn time_interval(interval: Interval) -> String {
    let (low, high) = (nanoseconds(interval.low), nanoseconds(interval.high));
    match (low.split_once(' '), high.split_once(' ')) {
        (Some((number, unit)), Some((_, same))) if unit == same => format!("{number} to {high}"),
        _ => format!("{low} to {high}"),
    }
}

/// Returns a duration in seconds, such as `12 s` or `3 min 20 s`.
pub(crate) fn seconds(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0 => nanoseconds(seconds.max(0.0) * 1e9),
        1..60 => format!("{whole} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// Returns a number of bytes, such as `48 KiB`.
pub(crate) fn bytes(bytes: u64) -> String {
    let (scaled, unit) = in_unit(bytes as f64, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB"]);
    let text = if scaled.fract() < 0.005 { format!("{scaled:.0}") } else { digits(scaled, 3) };
    format!("{text} {unit}")
}

/// Returns the name of a count as a heading: `peak-memory-bytes` becomes `peak memory`.
pub(crate) fn counted_name(name: &str) -> String {
    let unit = ["-bytes", "-ns"].into_iter().find_map(|unit| name.strip_suffix(unit));
    one_line(&unit.unwrap_or(name).replace('-', " "))
}

/// Returns a count: a size if its name ends with `-bytes`, a time if it ends with `-ns`, else all digits of an
/// integer below 100,000, such as `97,216`, and four digits of any other, such as `12.35 M`.
pub(crate) fn quantity(name: &str, value: f64) -> String {
    if name.ends_with("-bytes") {
        return bytes(value.round() as u64);
    }
    if name.ends_with("-ns") {
        return nanoseconds(value);
    }
    // The value may have been computed through a logarithm.
    let whole = value.round();
    if whole < 1e5 && (value - whole).abs() <= 1e-9 * whole {
        return thousands(whole as u64);
    }
    let (scaled, unit) = in_unit(value, 1e3, &["", " k", " M", " G", " T"]);
    let text = if scaled.fract() == 0.0 { format!("{scaled:.0}") } else { digits(scaled, 4) };
    text + unit
}

/// Returns an integer with separators of thousands.
pub(crate) fn thousands(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", thousands(number / 1000), number % 1000),
    }
}

/// Units of throughputs in bytes per second.
const RATES: [&str; 4] = ["B/s", "KiB/s", "MiB/s", "GiB/s"];

/// Returns a throughput in bytes per second with three digits, such as `8.45 GiB/s`.
pub(crate) fn rate(per_second: f64) -> String {
    let (scaled, unit) = in_unit(per_second, 1024.0, &RATES);
    format!("{} {unit}", digits(scaled, 3))
}

/// Returns an interval of throughputs in the unit of `value`, such as `8.41 to 8.49 GiB/s`.
pub(crate) fn rate_interval(value: f64, interval: Interval) -> String {
    let (scaled, unit) = in_unit(value, 1024.0, &RATES);
    // The quotient of a throughput of 0 is NaN, which `min` ignores.
    let scale = (scaled / value).min(1.0);
    let [low, high] = [interval.low, interval.high].map(|bound| digits(bound * scale, 3));
    format!("{low} to {high} {unit}")
}

/// Returns a number with `digits` significant digits; the integral part is never rounded.
pub(crate) fn digits(value: f64, digits: i32) -> String {
    // The number is written with an exponent first, since rounding may add a digit: 0.99996 becomes 1.000.
    let rounded = format!("{:.*e}", (digits - 1).max(0) as usize, value);
    let before = rounded.rsplit_once('e').and_then(|(_, e)| e.parse::<i32>().ok()).unwrap_or(0) + 1;
    let decimals = (digits - before).clamp(0, 9) as usize;
    format!("{value:.decimals$}")
}

fn percent_decimals(part: f64) -> usize {
    match (100.0 * part).abs() {
        // Two digits that are not 0, as differences of counts have; less than a rounding error is 0.
        p if (1e-7..0.01).contains(&p) => (1.0 - p.log10().floor()) as usize,
        p if p < 0.995 => 2,
        p if p < 100.0 => 1,
        _ => 0,
    }
}

/// Returns a fraction of one in percent, without its sign, such as `14.2 %`.
pub(crate) fn percent(part: f64) -> String {
    format!("{:.*} %", percent_decimals(part), (100.0 * part).abs())
}

/// Returns two fractions of one in percent, without signs, smaller first, such as `13.8 to 14.6 %`; digits as fit
/// `value`.
pub(crate) fn percents(value: f64, one: f64, other: f64) -> String {
    let (one, other, decimals) = (100.0 * one.abs(), 100.0 * other.abs(), percent_decimals(value));
    format!("{:.decimals$} to {:.decimals$} %", one.min(other), one.max(other))
}

/// Returns a ratio as a change in percent with its sign, without the percent sign, and its interval, such as `+12.3`
/// and `+11.9, +12.7`.
pub(crate) fn signed_percents(ratio: f64, interval: Option<Interval>) -> (String, String) {
    // A difference that was estimated has no more than two decimals.
    let decimals = percent_decimals(ratio - 1.0).min(if interval.is_some() { 2 } else { 9 });
    let signed = |ratio: f64| {
        let text = format!("{:+.decimals$}", 100.0 * (ratio - 1.0));
        let is_zero = text.chars().all(|c| matches!(c, '+' | '-' | '0' | '.'));
        if is_zero { text[1..].to_owned() } else { text }
    };
    let bounds = interval.map(|of| format!("{}, {}", signed(of.low), signed(of.high)));
    (signed(ratio), bounds.unwrap_or_default())
}

/// Returns a factor, such as `1.97`, `1.031` or `1.0031`, with more digits if it is near 1.
pub(crate) fn factor(value: f64) -> String {
    let decimals = factor_decimals(value);
    format!("{value:.decimals$}")
}

fn factor_decimals(value: f64) -> usize {
    match value {
        // Differences of a thousandth can be told apart.
        v if (v - 1.0).abs() < 0.02 => 4,
        v if (v - 1.0).abs() < 0.1 => 3,
        // Two digits that are not 0.
        v if v > 0.0 && v < 0.01 => (1.0 - v.log10().floor()).min(15.0) as usize,
        v if v < 0.1 => 4,
        v if v < 10.0 => 2,
        v if v < 100.0 => 1,
        _ => 0,
    }
}

/// Returns both bounds of an interval of a factor, such as `1.92 to 2.01`, with the digits of its `value`.
pub(crate) fn factors(value: f64, interval: Interval) -> String {
    let decimals = factor_decimals(value);
    format!("{:.decimals$} to {:.decimals$}", interval.low, interval.high)
}

/// Returns an estimate of a fraction of one, such as `83 %`.
pub(crate) fn share(estimate: Estimate) -> String {
    format!("{:.0} %", 100.0 * estimate.value)
}

/// Returns a fraction of one that was chosen, in percent with the digits that it has, such as `1 %` or `0.5 %`.
pub(crate) fn chosen_percent(part: f64) -> String {
    format!("{} %", (part * 1e11).round() / 1e9)
}

/// Returns the text with its first letter in upper case.
pub(crate) fn capital(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or(String::new(), |first| first.to_uppercase().chain(rest).collect())
}

/// Returns an untrusted text on one line, its control characters replaced by spaces.
pub(crate) fn one_line(text: &str) -> String {
    text.chars().map(|c| if is_hidden(c) { ' ' } else { c }).collect()
}

/// Returns an untrusted text of several lines, its control characters other than line ends and tabs replaced by U+FFFD.
pub(crate) fn lines(text: &str) -> String {
    text.chars().map(|c| if c != '\n' && c != '\t' && is_hidden(c) { '\u{fffd}' } else { c }).collect()
}

/// Returns a command line that a shell reads as these words.
pub(crate) fn command_line(words: &[String]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,@%+".contains(c);
    let quote = |word: &String| match word.as_str() {
        word if !word.is_empty() && word.chars().all(plain) => word.to_string(),
        word => format!("'{}'", word.replace('\'', r"'\''")),
    };
    words.iter().map(quote).collect::<Vec<_>>().join(" ")
}

/// Returns `one`, `one and another`, `one, another and a third`; from five on, the rest is counted.
pub(crate) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] if names.len() <= 4 => format!("{} and {last}", first.join(", ")),
        _ => format!("{} and {} others", names[..3].join(", "), names.len() - 3),
    }
}

/// Returns a count with its noun, such as `1 thread` or `2 threads`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    match noun.strip_suffix('y') {
        _ if count == 1 => format!("1 {noun}"),
        Some(stem) => format!("{count} {stem}ies"),
        None => format!("{count} {noun}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_between_backticks() {
        let said = |text: &str| {
            let parts = spans(text).into_iter();
            parts.map(|(code, part)| if code { format!("<{part}>") } else { part }).collect::<String>()
        };
        for (text, parts) in [
            ("run `make peers` first", "run <make peers> first"),
            ("`a` and `b`", "<a> and <b>"),
            ("no code", "no code"),
            ("one ` only", "one ' only"),
            ("`a` and ` one", "<a> and ' one"),
            ("``", ""),
            ("`a``b`", "<a><b>"),
            ("", ""),
        ] {
            assert_eq!(said(text), parts, "{text}");
            assert!(spans(text).iter().all(|(_, part)| !part.contains('`')), "{text}");
        }
    }

    #[test]
    fn numbers() {
        assert_eq!(nanoseconds(999_960.0), "1.000 ms");
        assert_eq!(nanoseconds(0.0), "0 ns");
        assert_eq!(nanoseconds(12_345e9), "12345 s");
        assert_eq!(time_interval(Interval { low: 17.81e6, high: 18.02e6 }), "17.81 to 18.02 ms");
        assert_eq!(time_interval(Interval { low: 990.0, high: 1010.0 }), "990.0 ns to 1.010 µs");
        assert_eq!(seconds(200.2), "3 min 20 s");
        assert_eq!(seconds(7300.0), "2 h 1 min");
        assert_eq!(bytes(49_152), "48 KiB");
        assert_eq!(bytes(1_500_000), "1.43 MiB");
        assert_eq!(bytes(0), "0 B");
        assert_eq!(quantity("instructions", 12_345_678.0), "12.35 M");
        assert_eq!(quantity("instructions", 999.96), "1.000 k");
        assert_eq!(quantity("messages", 0.5), "0.5000");
        assert_eq!(quantity("user-time-ns", 1_500_000.0), "1.500 ms");
        assert_eq!(counted_name("user-time-ns"), "user time");
        assert_eq!(counted_name("-bytes"), "");
        assert_eq!(percent(-0.0004), "0.04 %");
        assert_eq!([percent(1.23e-6), percent(1e-12), percent(0.0)], ["0.00012 %", "0.00 %", "0.00 %"]);
        let signed = |ratio, low, high| {
            let (change, bounds) = signed_percents(ratio, Some(Interval { low, high }));
            format!("{change} [{bounds}]")
        };
        assert_eq!(signed(0.998, 0.997, 1.00004), "-0.20 [-0.30, 0.00]");
        assert_eq!(signed(1.000_01, 0.999_8, 1.000_2), "0.00 [-0.02, +0.02]");
        assert_eq!(signed(12.0, 11.5, 12.5), "+1100 [+1050, +1150]");
        assert_eq!(signed_percents(1.000_012, None), ("+0.0012".to_owned(), String::new()));
        assert_eq!(factor(0.000_031_4), "0.000031");
        assert_eq!(factor(0.0), "0.0000");
    }

    #[test]
    fn texts() {
        assert_eq!([1, 2].map(|of| counted(of, "entry")), ["1 entry", "2 entries"]);
        assert_eq!(one_line("a\u{1b}[31mb\nc"), "a [31mb c");
        assert_eq!(lines("a\r\nb\u{1b}"), "a\u{fffd}\nb\u{fffd}");
        let words = ["mpiexec", "-n", "2", "it's", ""].map(String::from);
        assert_eq!(command_line(&words), r"mpiexec -n 2 'it'\''s' ''");
        let names = ["a", "b", "c", "d", "e"].map(String::from);
        assert_eq!(listed(&names[..1]), "a");
        assert_eq!(listed(&names[..3]), "a, b and c");
        assert_eq!(listed(&names), "a, b, c and 2 others");
    }
}

//! Readers of text: the tree of divan, and the lines of Go.
//!
//! The tree has a line for each module, function, type and argument, with the times of those that ran.
//!
//! ```text
//! work                 fastest       │ slowest       │ median        │ mean          │ samples │ iters
//! ├─ add               0.542 ns      │ 0.544 ns      │ 0.544 ns      │ 0.543 ns      │ 100     │ 409600
//! ╰─ fib                             │               │               │               │         │
//!    ╰─ 12             372.7 ns      │ 374.1 ns      │ 372.8 ns      │ 373.3 ns      │ 100     │ 800
//! ```

use super::{Line, ReadError};
use crate::record::OWN_TIME;

/// Between the names of a path, which is what divan's filters match.
const SEPARATOR: &str = "::";

/// Returns the path of each line of a tree, such as `work::fib::12`, and its median with its unit, if it ran. What a
/// benchmark prints may be between its name and its times.
fn rows(text: &str) -> Vec<(String, Option<&str>)> {
    let mut all: Vec<(String, Option<&str>)> = Vec::new();
    let mut path: Vec<&str> = Vec::new();
    // A tree begins at the start of a line, and an empty line is between two of them.
    let mut may_begin = true;
    for line in text.lines() {
        match branch(line).filter(|(depth, _)| *depth <= path.len()) {
            Some((depth, rest)) => {
                path.truncate(depth);
                path.push(name(rest));
                all.push((path.join(SEPARATOR), None));
                may_begin = false;
            }
            None if may_begin && !line.is_empty() && !line.starts_with([' ', '│', '├', '╰']) => {
                path = vec![name(line)];
            }
            None => may_begin |= line.is_empty(),
        }
        // Of six columns; a name may have the character that separates them.
        let columns: Vec<&str> = line.rsplitn(6, '│').map(str::trim).collect();
        if let ([_, _, _, median, _, _], Some((_, found @ None))) = (&columns[..], all.last_mut())
            && !["", "median"].contains(median)
        {
            *found = Some(*median);
        }
    }
    all
}

/// Returns the depth of a line below the top of the tree, from 1, and the text after its branch.
fn branch(line: &str) -> Option<(usize, &str)> {
    let rest = line.trim_start_matches([' ', '│']);
    let level = line[..line.len() - rest.len()].chars().count();
    Some((level / 3 + 1, rest.strip_prefix("├─ ").or_else(|| rest.strip_prefix("╰─ "))?))
}

/// Returns the name at the start of a text, before its padding.
fn name(text: &str) -> &str {
    text.split("  ").next().unwrap_or(text).trim_end()
}

/// Returns the names of divan's list, with a name for each number of threads of those that the tree has on several.
pub(super) fn names(list: &str, tree: &str) -> Vec<String> {
    let rows = rows(tree);
    let names = |name: &str| -> Vec<String> {
        let paths = rows.iter().map(|(path, _)| path.clone());
        let on_threads: Vec<String> = paths.filter(|path| without_threads(path) == Some(name)).collect();
        if on_threads.is_empty() { vec![name.to_owned()] } else { on_threads }
    };
    list.lines().filter_map(|line| line.strip_suffix(": benchmark")).flat_map(names).collect()
}

/// Returns the name of a benchmark of divan without its number of threads, such as `::t=2`, if it has one.
pub(super) fn without_threads(name: &str) -> Option<&str> {
    let (of, threads) = name.rsplit_once(SEPARATOR)?;
    threads.strip_prefix("t=").is_some_and(|number| number.parse::<usize>().is_ok()).then_some(of)
}

/// Returns the medians of the benchmarks that ran.
pub(super) fn divan(output: &[u8]) -> Result<Vec<Line>, String> {
    let text = String::from_utf8_lossy(output);
    let rows = rows(&text);
    if rows.is_empty() {
        return Err("no line has a branch of its tree".to_owned());
    }
    let line = |(path, median): &(String, Option<&str>)| {
        let time = (*median)?;
        let parts = time.split_once(' ').and_then(|(number, unit)| Some((number.parse().ok()?, unit)));
        let why = || format!("has the time {time:?}, which is no number with a unit");
        Some(parts.map_or_else(|| Line::without(path, why()), |(ns, unit)| Line::time(path, ns, unit)))
    };
    Ok(rows.iter().filter_map(line).collect())
}

/// Returns the values in the lines of Go's package testing: a name, a number of iterations, and values with their
/// units, such as `BenchmarkSum/n=8-4  1000  7.25 ns/op  16 B/op  1 allocs/op`.
pub(super) fn go(output: &[u8]) -> Result<Vec<Line>, String> {
    let (mut all, mut begun, mut package) = (Vec::<(String, Line)>::new(), String::new(), String::new());
    for line in String::from_utf8_lossy(output).lines() {
        if let Some(name) = line.strip_prefix("pkg: ") {
            package = name.to_owned();
        }
        if let Some(name) = line.strip_prefix("--- FAIL: Benchmark") {
            let failed = Line::without(&format!("Benchmark{}", name.trim()), "failed".to_owned());
            all.push((package.clone(), failed));
            continue;
        }
        // The reason follows, with its place in the source.
        if let Some((_, Line { value: Err(ReadError::Benchmark { why, .. }), .. })) = all.last_mut()
            && line.starts_with("    ")
        {
            *why = format!("{why}: {}", line.trim());
        }
        let mut words = line.split_whitespace().peekable();
        // What a benchmark prints may be between its name and its values.
        begun = words.next_if(|word| word.starts_with("Benchmark")).map_or(begun, str::to_owned);
        let Some(Ok(_)) = words.next().map(str::parse::<u64>) else { continue };
        let words: Vec<&str> = words.collect();
        for pair in words.chunks_exact(2) {
            let Ok(value) = pair[0].parse::<f64>() else { break };
            let measure = match pair[1] {
                "ns/op" => OWN_TIME,
                "B/op" => "allocated-bytes",
                "allocs/op" => "allocations",
                // It follows from the time.
                "MB/s" => continue,
                unit => unit,
            };
            let line = match value.is_finite() && value >= 0.0 {
                true => Line { benchmark: begun.clone(), measure: measure.to_owned(), value: Ok(value) },
                false => Line::without(&begun, format!("has the value {value} {}", pair[1])),
            };
            all.push((package.clone(), line));
        }
    }
    if all.is_empty() {
        return Err("no line begins with the name of a benchmark, the number of iterations and ns/op".into());
    }
    let has_several = all.iter().any(|(package, _)| *package != all[0].0);
    let named = |(package, mut line): (String, Line)| {
        if has_several {
            line.benchmark = format!("{package}.{}", line.benchmark);
        }
        line
    };
    Ok(all.into_iter().map(named).collect())
}

/// Returns whether a benchmark of Go is meant by a name without its number of threads, which one that failed lacks
/// itself, or with its package.
pub(super) fn is_called(found: &str, name: &str) -> bool {
    let is_same = |found: &str, name: &str| {
        name.strip_suffix(found).is_some_and(|package| package.is_empty() || package.ends_with('.'))
    };
    without_procs(found) == name || is_same(found, name) || is_same(found, without_procs(name))
}

/// Returns the name of a benchmark of Go without the number of threads that it may have at its end, such as `-8`.
fn without_procs(name: &str) -> &str {
    let (before, number) = name.rsplit_once('-').unwrap_or((name, ""));
    if number.parse::<usize>().is_ok() { before } else { name }
}

/// Returns the pattern of one benchmark of Go: an expression for each part of its name, without its package.
pub(super) fn go_pattern(name: &str) -> String {
    let name = name.find(".Benchmark").map_or(name, |at| &name[at + 1..]);
    let (of, procs) = name.split_at(without_procs(name).len());
    let parts: Vec<String> = of.split('/').map(|part| super::escaped(part, r".[]\(){}*+?|^$")).collect();
    // What looks like a number of threads may be part of the name.
    let procs = if procs.is_empty() { String::new() } else { format!("({procs})?") };
    format!("^{}{procs}$", parts.join("$/^"))
}

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

/// A line of the tree with its path, such as `work::fib::12`.
struct Row<'t> {
    path: String,
    /// Median with its unit, if it ran.
    median: Option<&'t str>,
}

/// Returns the lines of a tree. What a benchmark prints may be between its name and its times.
fn rows(text: &str) -> Vec<Row<'_>> {
    let mut all: Vec<Row<'_>> = Vec::new();
    let mut path: Vec<&str> = Vec::new();
    // A tree begins at the start of a line, and an empty line is between two of them.
    let mut may_begin = true;
    for line in text.lines() {
        let columns = columns(line);
        if columns.is_some_and(|[fastest, _]| fastest.ends_with("fastest")) {
            path = vec![name(line, columns)];
            continue;
        }
        match branch(line).filter(|(depth, _)| *depth <= path.len()) {
            Some((depth, rest)) => {
                path.truncate(depth);
                path.push(name(rest, columns));
                all.push(Row { path: path.join(SEPARATOR), median: None });
                may_begin = false;
            }
            // A tree without times has no columns.
            None if may_begin && !line.is_empty() && !line.starts_with([' ', '│', '├', '╰']) => {
                path = vec![line.trim_end()];
            }
            None => {}
        }
        may_begin |= line.is_empty();
        if let (Some([_, median]), Some(row)) = (columns, all.last_mut())
            && row.median.is_none()
            && !median.is_empty()
        {
            row.median = Some(median);
        }
    }
    all
}

/// Returns the text up to the first column's end, and the median, of a line with divan's six columns.
fn columns(line: &str) -> Option<[&str; 2]> {
    // A name may have the character that separates columns.
    let mut columns = line.rsplitn(6, '│').map(str::trim);
    let (_iters, _samples, _mean, median) =
        (columns.next()?, columns.next()?, columns.next()?, columns.next()?);
    let (_slowest, fastest) = (columns.next()?, columns.next()?);
    Some([fastest, median])
}

/// Returns the depth of a line below the top of the tree, from 1, and the text after its branch.
fn branch(line: &str) -> Option<(usize, &str)> {
    let mut rest = line;
    for depth in 1.. {
        if let Some(found) = ["├─ ", "╰─ "].iter().find_map(|branch| rest.strip_prefix(branch)) {
            return Some((depth, found));
        }
        rest = ["│  ", "   "].iter().find_map(|level| rest.strip_prefix(level))?;
    }
    None
}

/// Returns the name that is before the padding and, with columns, the fastest time.
fn name<'t>(text: &'t str, columns: Option<[&str; 2]>) -> &'t str {
    /// Least padding after a name.
    const PADDING: &str = "  ";
    let found = match columns {
        Some(_) => {
            let first = text.rsplitn(6, '│').last().unwrap_or(text).trim_end();
            first.rsplit_once(PADDING).map_or(first, |(name, _)| name)
        }
        None => text.split(PADDING).next().unwrap_or(text),
    };
    found.trim_end()
}

/// Returns the names of divan's list, with a name for each number of threads of those that the tree has on several.
pub(super) fn names(list: &str, tree: &str) -> Vec<String> {
    let rows = rows(tree);
    let on_threads = |name: &str| -> Vec<String> {
        let paths = rows.iter().map(|row| &row.path);
        paths.filter(|path| without_threads(path) == Some(name)).cloned().collect()
    };
    let listed = list.lines().filter_map(|line| line.strip_suffix(": benchmark"));
    let all = listed.flat_map(|name| match on_threads(name) {
        rows if rows.is_empty() => vec![name.to_owned()],
        rows => rows,
    });
    all.collect()
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
    let line = |row: &Row<'_>| {
        let time = row.median?;
        let (number, unit) = time.split_once(' ').unwrap_or((time, ""));
        Some(match number.parse() {
            Ok(number) => Line::time(&row.path, number, unit),
            Err(_) => {
                Line::without(&row.path, format!("has the time {time:?}, which is no number with a unit"))
            }
        })
    };
    Ok(rows.iter().filter_map(line).collect())
}

/// Returns the values in the lines of Go's package testing: a name, a number of iterations, and values with their
/// units, such as `BenchmarkSum/n=8-4  1000  7.25 ns/op  16 B/op  1 allocs/op`.
pub(super) fn go(output: &[u8]) -> Result<Vec<Line>, String> {
    let (mut all, mut begun, mut package) = (Vec::new(), "".to_owned(), "".to_owned());
    let mut packages = Vec::new();
    for line in String::from_utf8_lossy(output).lines() {
        packages.resize(all.len(), package.clone());
        package = line.strip_prefix("pkg: ").map_or(package, str::to_owned);
        if let Some(name) = line.strip_prefix("--- FAIL: Benchmark") {
            all.push(Line::without(&format!("Benchmark{}", name.trim()), "failed".to_owned()));
            continue;
        }
        // The reason follows, with its place in the source.
        if let Some(Line { value: Err(ReadError::Benchmark { why, .. }), .. }) = all.last_mut()
            && line.starts_with("    ")
        {
            *why = format!("{why}: {}", line.trim());
        }
        let mut words = line.split_whitespace().peekable();
        // What a benchmark prints may be between its name and its values.
        begun = words.next_if(|word| word.starts_with("Benchmark")).map_or(begun, str::to_owned);
        let name = &begun;
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
            if !value.is_finite() || value < 0.0 {
                all.push(Line::without(name, format!("has the value {value} {}", pair[1])));
                continue;
            }
            all.push(Line { benchmark: name.clone(), measure: measure.to_owned(), value: Ok(value) });
        }
    }
    packages.resize(all.len(), package);
    if packages.iter().any(|package| *package != packages[0]) {
        all.iter_mut()
            .zip(&packages)
            .for_each(|(line, of)| line.benchmark = format!("{of}.{}", line.benchmark));
    }
    match all.is_empty() {
        true => {
            Err("no line begins with the name of a benchmark, the number of iterations and ns/op".to_owned())
        }
        false => Ok(all),
    }
}

/// Returns whether a benchmark of Go is meant by a name without its number of threads, or with its package.
pub(super) fn is_called(found: &str, name: &str) -> bool {
    without_procs(found) == name || name.strip_suffix(found).is_some_and(|package| package.ends_with('.'))
}

/// Returns the name of a benchmark of Go without the number of threads that it may have at its end, such as `-8`.
fn without_procs(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((before, number)) if number.parse::<usize>().is_ok() => before,
        _ => name,
    }
}

/// Returns the pattern of one benchmark of Go: an expression for each part of its name, without its package.
pub(super) fn go_pattern(name: &str) -> String {
    let name = name.find(".Benchmark").map_or(name, |at| &name[at + 1..]);
    let of = without_procs(name);
    let parts: Vec<String> = of.split('/').map(|part| super::escaped(part, r".[]\(){}*+?|^$")).collect();
    // What looks like a number of threads may be part of the name.
    let procs = match &name[of.len()..] {
        "" => String::new(),
        procs => format!("({procs})?"),
    };
    format!("^{}{procs}$", parts.join("$/^"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::readers::tests::by;
    use crate::command::readers::{Format, Reading, read};

    /// As divan 0.1.21 prints it, with two lines that a benchmark printed.
    const TREE: &str = "\
work                 fastest       │ slowest       │ median        │ mean          │ samples │ iters
├─ add               0.542 ns      │ 0.544 ns      │ 0.544 ns      │ 0.543 ns      │ 100     │ 409600
├─ fib                             │               │               │               │         │
│  ├─ 2              hello
 and more
2.975 ns      │ 2.984 ns      │ 2.984 ns      │ 2.983 ns      │ 100     │ 102400
│  ╰─ c::d           372.7 ns      │ 374.1 ns      │ 372.8 ns      │ 373.3 ns      │ 100     │ 800
├─ thr                             │               │               │               │         │
│  ├─ t=1            13.26 µs      │ 13.3 µs       │ 13.26 µs      │ 13.28 µs      │ 100     │ 25600
│  ╰─ t=2            13.26 µs      │ 13.84 µs      │ 13.3 µs       │ 13.33 µs      │ 100     │ 25600
╰─ inner                           │               │               │               │         │
   ├─ ign            (ignored)     │               │               │               │         │
   ╰─ Named group                  │               │               │               │         │
      ├─ odd │ name  3.042 ms      │ 5.671 ms      │ 3.096 ms      │ 3.176 ms      │ 10      │ 40960
      │              370.3 GB/s    │ 366.3 GB/s    │ 366.3 GB/s    │ 366.3 GB/s    │         │
      ╰─ Vec<u8>     1.2 m         │ 1.2 m         │ 1.2 m         │ 1.2 m         │ 1       │ 1

other                fastest       │ slowest       │ median        │ mean          │ samples │ iters
╰─ panics            ";

    #[test]
    fn a_tree_has_the_medians_of_its_benchmarks() {
        let time = |name: &str| by(Format::Divan, Some(name), TREE);
        for (name, ns) in [
            ("work::add", 0.544),
            ("work::fib::2", 2.984),
            ("work::fib::c::d", 372.8),
            ("work::thr::t=2", 13_300.0),
            ("work::inner::Named group::odd │ name", 3_096_000.0),
        ] {
            assert!((time(name).unwrap() - ns).abs() < 1e-6 * ns, "{name}");
        }
        let long = time("work::inner::Named group::Vec<u8>").unwrap_err();
        assert!(long.contains("has the unit \"m\": it must be ns"), "{long}");
        let lost = time("other::panics").unwrap_err();
        assert!(lost.contains("its output has no benchmark \"other::panics\", but \"work::add\""), "{lost}");
        assert_eq!(divan(TREE.as_bytes()).unwrap().len(), 7);
        let why = by(Format::Divan, None, "hello\n").unwrap_err();
        assert_eq!(why, "its output is not in the format of divan: no line has a branch of its tree");
    }

    #[test]
    fn a_tree_without_times_has_paths() {
        let tree = "hello\nwork\n├─ thr\n│  ├─ t=1 \n│  ╰─ t=2\n╰─ ign  (ignored)\n\nother\n╰─ a b\n";
        let paths: Vec<String> = rows(tree).into_iter().map(|row| row.path).collect();
        let listed = names("hello\nwork::thr: benchmark\nother::a b: benchmark\n", tree);
        assert_eq!(listed, ["work::thr::t=1", "work::thr::t=2", "other::a b"]);
        assert_eq!(paths, ["work::thr", "work::thr::t=1", "work::thr::t=2", "work::ign", "other::a b"]);
    }

    #[test]
    fn lines_of_go_have_times_and_counts() {
        // As Go 1.26 prints it, with what a benchmark printed, and with repetitions.
        let text = "goos: linux\npkg: example.com/sum\nhello\n\
            BenchmarkSum/n=8-2 \t 100\t 7.25 ns/op\t 464.58 MB/s\t 16 B/op\t 1 allocs/op\t 0.4 keys/op\n\
            BenchmarkSum/n=8-2 \t 100\t 7.75 ns/op\t 464.58 MB/s\t 16 B/op\t 2 allocs/op\t 2.6 keys/op\n\
            BenchmarkOne \t hello\n5 of them\n 1\t 120 ns/op\n\
            --- FAIL: BenchmarkBad/x\n    sum_test.go:19: boom\nFAIL\n";
        let reading =
            |name: &str| Reading { format: Format::Go, benchmark: Some(name.to_owned()), suite: None };
        let values = |name: &str| read(text.as_bytes(), &reading(name)).map_err(|why| why.to_string());
        let sum = values("BenchmarkSum/n=8-2").unwrap();
        let expected = [("allocated-bytes", 16), ("allocations", 2), ("keys/op", 2), (OWN_TIME, 7_500_000)];
        assert_eq!(sum, expected.map(|(name, value)| (name.to_owned(), value)).into());
        assert_eq!(values("BenchmarkSum/n=8").unwrap(), sum, "without the number of threads");
        assert_eq!(values("BenchmarkOne").unwrap()[OWN_TIME], 120_000_000);
        for (name, why) in [
            ("BenchmarkBad/x", "the benchmark \"BenchmarkBad/x\" failed: sum_test.go:19: boom"),
            ("BenchmarkSum", "its output has no benchmark \"BenchmarkSum\", but \"BenchmarkBad/x\", "),
        ] {
            let found = values(name).unwrap_err();
            assert!(found.starts_with(why), "{found}");
        }
        for (text, why) in [
            ("PASS\n", "no line begins with the name of a benchmark"),
            ("BenchmarkA 1 0 ns/op\n", "has the time 0 ns"),
            ("BenchmarkA 1 NaN ns/op\n", "has the value NaN ns/op"),
            ("BenchmarkA 1 -2 keys/op\n", "has the value -2 keys/op"),
            ("BenchmarkA 1 2 keys/op\n", "has no time"),
        ] {
            let found = by(Format::Go, None, text).unwrap_err();
            assert!(found.contains(why), "{found}");
        }
    }

    #[test]
    fn one_benchmark_of_go_has_a_pattern() {
        assert_eq!(go_pattern("BenchmarkA_b/x(y)/[1]-2"), r"^BenchmarkA_b$/^x\(y\)$/^\[1\](-2)?$");
        assert_eq!(["BenchmarkA", "a.org/b.BenchmarkA"].map(go_pattern), ["^BenchmarkA$"; 2]);
    }

    #[test]
    fn benchmarks_of_several_packages_have_their_names() {
        let text = "pkg: a.org/a\nBenchmarkX 1 7 ns/op 1 B/op\npkg: a.org/b\nBenchmarkX 1 8 ns/op\n";
        assert_eq!(by(Format::Go, Some("a.org/b.BenchmarkX"), text), Ok(8.0));
        assert!(
            by(Format::Go, Some("BenchmarkX"), text).unwrap_err().contains("has no benchmark \"BenchmarkX\"")
        );
        // Only one of the packages has it.
        assert_eq!(
            by(Format::Go, Some("a.org/b.BenchmarkX"), "pkg: a.org/b\nBenchmarkX 1 9 ns/op\n"),
            Ok(9.0)
        );
    }
}

//! The tree that divan prints: a line for each module, function, type and argument, with the times of those that ran.
//!
//! ```text
//! work                 fastest       │ slowest       │ median        │ mean          │ samples │ iters
//! ├─ add               0.542 ns      │ 0.544 ns      │ 0.544 ns      │ 0.543 ns      │ 100     │ 409600
//! ╰─ fib                             │               │               │               │         │
//!    ╰─ 12             372.7 ns      │ 374.1 ns      │ 372.8 ns      │ 373.3 ns      │ 100     │ 800
//! ```

use super::{Format, Found, OwnTimeError, nanoseconds};

/// Between the names of a path, which is what divan's filters match.
pub(in crate::command) const SEPARATOR: &str = "::";

/// A line of the tree with its path, such as `work::fib::12`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row<'t> {
    pub(super) path: String,
    /// Median with its unit, if it ran.
    median: Option<&'t str>,
}

/// Returns the lines of a tree. What a benchmark prints may be between its name and its times.
pub(super) fn rows(text: &str) -> Vec<Row<'_>> {
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
pub(in crate::command) fn names(list: &str, tree: &str) -> Vec<String> {
    let rows = rows(tree);
    let on_threads = |name: &str| -> Vec<String> {
        let of = |path: &str| {
            path.strip_prefix(name).and_then(|rest| rest.strip_prefix(SEPARATOR)).is_some_and(is_threads)
        };
        rows.iter().filter(|row| of(&row.path)).map(|row| row.path.clone()).collect()
    };
    let listed = list.lines().filter_map(|line| line.strip_suffix(": benchmark"));
    let all = listed.flat_map(|name| match on_threads(name) {
        rows if rows.is_empty() => vec![name.to_owned()],
        rows => rows,
    });
    all.collect()
}

/// Returns whether a name is a number of threads, such as `t=2`.
pub(in crate::command) fn is_threads(name: &str) -> bool {
    name.strip_prefix("t=").is_some_and(|number| number.parse::<usize>().is_ok())
}

/// Returns the benchmarks that ran.
pub(super) fn found(output: &[u8]) -> Result<Vec<Found>, OwnTimeError> {
    let text = String::from_utf8_lossy(output);
    let rows = rows(&text);
    if rows.is_empty() {
        return Err(OwnTimeError::OtherFormat {
            format: Format::Divan,
            why: "no line has a branch of its tree".to_owned(),
        });
    }
    let one = |row: &Row<'_>| Some(Found { times: time(&row.path, row.median?), name: row.path.clone() });
    Ok(rows.iter().filter_map(one).collect())
}

fn time(name: &str, text: &str) -> Result<Vec<f64>, OwnTimeError> {
    let unit = || OwnTimeError::Unit { name: name.to_owned(), unit: text.to_owned() };
    let (number, of) = text.split_once(' ').ok_or_else(unit)?;
    let number: f64 = number.parse().map_err(|_| unit())?;
    Ok(vec![number * nanoseconds(name, of).map_err(|_| unit())?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::own_time::{Reading, read};

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
        let time = |name: &str| {
            let benchmark = Some(name.to_owned());
            let reading = Reading { format: Format::Divan, benchmark, suite: None };
            read(TREE.as_bytes(), &reading).map_err(|why| why.to_string())
        };
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
        assert!(long.contains("has the unit \"1.2 m\""), "{long}");
        let lost = time("other::panics").unwrap_err();
        assert!(lost.contains("its output has no benchmark \"other::panics\", but \"work::add\""), "{lost}");
        assert_eq!(found(TREE.as_bytes()).unwrap().len(), 7);
        let why = found(b"hello\n").err().unwrap().to_string();
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
}

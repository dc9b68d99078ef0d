//! One benchmark of a suite: how a program is told to list its benchmarks and to run one of them, by the options of its
//! format. A value of a benchmark is a process of its own.

use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::json;

use super::own_time::{Format, Reading, divan};
use super::{Prepared, Quantity, WholeCommand, WholeCommandError, variable};
use crate::process_tree;
use crate::record::Params;
use crate::suite::VARIABLE;

/// Module that pytest loads: with the variable [`LIST`] it writes the benchmarks to a file, with [`ONE`] it keeps one.
const PLUGIN: &str = include_str!("of_suite/parlab_suite.py");
const MODULE: &str = "parlab_suite";
const LIST: &str = "PARLAB_SUITE_LIST";
const ONE: &str = "PARLAB_SUITE_BENCHMARK";

/// Time in s that a program measures by default: many short processes tell more than a few long ones.
const SECONDS: &str = "0.05";

/// A command for a program of benchmarks.
struct Asked {
    command: WholeCommand,
    /// File to which it writes its results, if that is not its standard output.
    results: Option<PathBuf>,
}

impl Asked {
    fn new(command: &WholeCommand) -> Self {
        Asked { command: command.clone(), results: None }
    }

    /// Adds arguments at the end.
    fn add<W: Into<String>>(&mut self, words: impl IntoIterator<Item = W>) {
        self.command.words.extend(words.into_iter().map(Into::into));
    }

    /// Adds an option, unless the user's words have it.
    fn add_default(&mut self, option: &str, value: &str) {
        let is_given = |word: &String| word.split('=').next() == Some(option);
        if !self.command.words.iter().any(is_given) {
            self.add([format!("{option}={value}")]);
        }
    }

    /// Sets a variable, before those that the user's words set.
    fn set(&mut self, name: &str, value: &str) {
        self.command.words.insert(0, format!("{name}={value}"));
    }

    /// Returns the value of a variable by the user's words or else by the environment.
    fn get(&self, name: &str) -> Option<String> {
        let set = self.command.words.iter().map_while(|word| variable(word));
        let set = set.filter(|(found, _)| *found == name).last().map(|(_, value)| value.to_owned());
        set.or_else(|| std::env::var(name).ok())
    }

    /// Makes pytest load our module.
    fn load_plugin(&mut self, folder: &Path) {
        const PATH: &str = "PYTHONPATH";
        let folders = self.get(PATH).into_iter().filter(|folders| !folders.is_empty());
        let folders: Vec<String> =
            std::iter::once(folder.to_string_lossy().into_owned()).chain(folders).collect();
        // After the user's, so that it wins.
        let at = self.command.words.iter().take_while(|word| variable(word).is_some()).count();
        self.command.words.insert(at, format!("{PATH}={}", folders.join(":")));
        self.add(["-p", MODULE, "--continue-on-collection-errors"]);
    }

    /// Tells a program of divan to measure, as Cargo does itself.
    fn add_bench(&mut self) {
        let program = self.command.words.iter().find(|word| variable(word).is_none());
        let is_cargo =
            program.is_some_and(|program| Path::new(program).file_stem().is_some_and(|stem| stem == "cargo"));
        self.add((!is_cargo).then_some("--bench"));
    }

    /// Returns the command, ready to run, which messages name without what was added to it.
    fn prepared(self, shown: String) -> Result<Prepared, WholeCommandError> {
        let mut prepared = Prepared::new(&self.command, &Params::new())?;
        prepared.shown = shown;
        prepared.results = self.results;
        Ok(prepared)
    }
}

/// Returns the file for the results of this process.
fn results(folder: &Path) -> PathBuf {
    folder.join(format!("{}.json", std::process::id()))
}

/// Returns the command that measures one benchmark, ready to run.
///
/// # Errors
/// Errors of [`Prepared::new`].
pub(super) fn one(
    command: &WholeCommand,
    reading: &Reading,
    folder: &Path,
    name: &str,
) -> Result<Prepared, WholeCommandError> {
    let mut asked = Asked::new(command);
    let file = results(folder);
    asked.command.quantity =
        Quantity::OwnTime(Reading { benchmark: Some(name.to_owned()), ..reading.clone() });
    match reading.format {
        Format::GoogleBenchmark => {
            asked.add([
                format!("--benchmark_filter=^{}$", escaped(name)),
                format!("--benchmark_out={}", file.display()),
                "--benchmark_out_format=json".to_owned(),
            ]);
            asked.add_default("--benchmark_min_time", SECONDS);
            asked.results = Some(file);
        }
        Format::PytestBenchmark => {
            asked.load_plugin(folder);
            asked.set(ONE, name);
            asked.add(["--benchmark-enable".to_owned(), format!("--benchmark-json={}", file.display())]);
            asked.add_default("--benchmark-max-time", SECONDS);
            asked.results = Some(file);
        }
        Format::Divan => {
            asked.add_bench();
            asked.add(["--exact", name]);
            // A filter matches the benchmark, which runs on each number of threads.
            asked.add(
                name.rsplit_once(divan::SEPARATOR)
                    .filter(|(_, last)| divan::is_threads(last))
                    .map(|(of, _)| of),
            );
            asked.set("DIVAN_MAX_TIME", &asked.get("DIVAN_MAX_TIME").unwrap_or_else(|| SECONDS.to_owned()));
        }
        // It has no filter, and all benchmarks run.
        Format::Criterion => {}
    }
    asked.prepared(super::join(&command.words))
}

/// Returns a text as a regular expression of Google Benchmark, which may be POSIX's: it knows no other escapes.
fn escaped(text: &str) -> String {
    const SPECIAL: &str = r".[\()*+?{|^$";
    text.chars().flat_map(|c| SPECIAL.contains(c).then_some('\\').into_iter().chain([c])).collect()
}

/// Writes the benchmarks of a program of a suite, as programs with our Criterion do: a JSON line for each, and one for
/// the end.
///
/// # Errors
/// The program cannot be started, fails, or prints something else; `to` cannot be written.
pub fn list(command: &WholeCommand, to: &mut dyn Write) -> Result<(), WholeCommandError> {
    let failed = |source| WholeCommandError::Output { source };
    let Quantity::OwnTime(reading @ Reading { suite: Some(folder), .. }) = &command.quantity else {
        return Ok(());
    };
    command.enter().map_err(failed)?;
    let lines: Vec<String> = match reading.format {
        Format::PytestBenchmark => pytest_lines(command, folder)?,
        _ => names(command, reading.format)?
            .iter()
            .map(|name| json!({ "benchmark": name }).to_string())
            .collect(),
    };
    lines.iter().try_for_each(|line| writeln!(to, "{line}")).map_err(failed)?;
    writeln!(to, "{}", json!({ "end": lines.len() })).map_err(failed)
}

/// Returns the names of the benchmarks that a program prints.
fn names(command: &WholeCommand, format: Format) -> Result<Vec<String>, WholeCommandError> {
    let mut asked = Asked::new(command);
    match format {
        Format::Divan => {
            let mut tested = Asked::new(command);
            // The list that cargo-nextest asks for has arguments, but not the numbers of threads.
            asked.set("NEXTEST", "1");
            asked.add(["--list", "--format", "terse"]);
            let listed = text(asked, command, &[0])?;
            tested.add(["--test"]);
            // If one fails, it says so when it is measured, and those after it have one number of threads.
            let tree = text(tested, command, &[]).unwrap_or_default();
            Ok(divan::names(&listed, &tree))
        }
        _ => {
            asked.add(["--benchmark_list_tests"]);
            Ok(text(asked, command, &[0])?.lines().map(str::to_owned).collect())
        }
    }
}

/// Returns the lines that our module of pytest writes.
fn pytest_lines(command: &WholeCommand, folder: &Path) -> Result<Vec<String>, WholeCommandError> {
    let failed = |source| WholeCommandError::Output { source };
    std::fs::write(folder.join(format!("{MODULE}.py")), PLUGIN).map_err(failed)?;
    let file = results(folder);
    let mut asked = Asked::new(command);
    asked.load_plugin(folder);
    asked.set(LIST, &file.to_string_lossy());
    asked.add(["--collect-only", "-q"]);
    // Tests failed, as files that are no module; interrupted; none collected.
    const CODES: [i32; 4] = [0, 1, 2, 5];
    text(asked, command, &CODES)?;
    let lines = std::fs::read_to_string(&file).map_err(failed)?;
    std::fs::remove_file(&file).map_err(failed)?;
    Ok(lines.lines().map(str::to_owned).collect())
}

/// Returns what a program prints that ends with one of these exit codes, or with any.
fn text(asked: Asked, command: &WholeCommand, codes: &[i32]) -> Result<String, WholeCommandError> {
    let prepared = asked.prepared(super::join(&command.words))?;
    let status = prepared.run()?.status;
    let is_expected = codes.is_empty() || status.code().is_some_and(|code| codes.contains(&code));
    if !is_expected {
        return Err(WholeCommandError::Exit { command: prepared.shown, how: process_tree::ended(status) });
    }
    Ok(String::from_utf8_lossy(&prepared.text()?).into_owned())
}

/// Returns whether a program was started to list its benchmarks.
pub fn is_asked_to_list() -> bool {
    std::env::var_os(VARIABLE).is_some_and(|asked| asked == crate::suite::LIST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_escaped_for_its_regular_expression() {
        assert_eq!(escaped("BM_T<a::b*>/8/x:2"), "BM_T<a::b\\*>/8/x:2");
        assert_eq!(escaped("f(a|b)[1]{2}"), "f\\(a\\|b\\)\\[1]\\{2}");
    }
}

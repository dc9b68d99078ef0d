//! The options of the command line that Cargo and its tests pass. Criterion's others are taken and have no effect.

use std::sync::OnceLock;

/// What a suite does by itself with each benchmark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    /// Nothing: the lab measures.
    Skip,
    List,
    /// Run it once.
    Test,
}

/// Options with a value, which is no filter.
const VALUED: [&str; 20] = [
    "-b",
    "--baseline",
    "--baseline-lenient",
    "-c",
    "--color",
    "--colour",
    "--confidence-level",
    "--format",
    "--load-baseline",
    "--measurement-time",
    "--noise-threshold",
    "--nresamples",
    "--output-format",
    "--plotting-backend",
    "--profile-time",
    "-s",
    "--sample-size",
    "--save-baseline",
    "--significance-level",
    "--warm-up-time",
];

/// The options of a command line.
#[derive(Debug, PartialEq)]
pub(crate) struct Args {
    pub(crate) mode: Mode,
    /// Text that the name of a benchmark has, or its whole name.
    filter: Option<String>,
    exact: bool,
    /// Whether nothing runs, because only what is ignored should.
    ignored: bool,
}

/// Returns the options of this process, which are read once.
pub(crate) fn get() -> &'static Args {
    static ARGS: OnceLock<Args> = OnceLock::new();
    ARGS.get_or_init(|| parse(std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned())))
}

fn parse(words: impl Iterator<Item = String>) -> Args {
    let (mut bench, mut test, mut list) = (false, false, false);
    let mut args = Args { mode: Mode::Test, filter: None, exact: false, ignored: false };
    let mut words = words;
    while let Some(word) = words.next() {
        match word.as_str() {
            "--bench" => bench = true,
            "--test" => test = true,
            "--list" => list = true,
            "--exact" => args.exact = true,
            "--ignored" => args.ignored = true,
            option if VALUED.contains(&option) => drop(words.next()),
            option if option.starts_with('-') => (),
            filter => args.filter = Some(filter.to_owned()),
        }
    }
    args.mode = match () {
        () if list => Mode::List,
        // Cargo passes `--bench` to `cargo bench`, and nothing to `cargo test --benches`.
        () if bench && !test => Mode::Skip,
        () => Mode::Test,
    };
    args
}

impl Args {
    pub(crate) fn accepts(&self, name: &str) -> bool {
        let is_it =
            |filter: &String| if self.exact { name == filter } else { name.contains(filter.as_str()) };
        !self.ignored && self.filter.as_ref().map_or(true, is_it)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_those_that_cargo_passes() {
        let parsed = |line: &str| parse(line.split_whitespace().map(str::to_owned));
        for (line, mode) in [
            ("", Mode::Test),
            ("--bench", Mode::Skip),
            ("--bench --test", Mode::Test),
            ("--list --format terse", Mode::List),
            ("--bench --sample-size 20 --jump", Mode::Skip),
        ] {
            assert_eq!(parsed(line).mode, mode, "{line}");
            assert!(parsed(line).accepts("add"), "{line}");
        }
        for (line, name, accepted) in [
            ("-s main dd", "add", true),
            ("-s main --exact add", "add", true),
            ("--exact dd", "add", false),
            ("b", "add", false),
            ("--ignored", "add", false),
        ] {
            assert_eq!(parsed(line).accepts(name), accepted, "{line}");
        }
    }
}

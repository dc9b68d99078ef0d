//! The options of the command line, which are Criterion's.

use std::fmt;
use std::sync::OnceLock;
use std::time::Duration;

use crate::baseline::Comparison;
use crate::settings::{BenchmarkFilter, Common};

/// What is done with each benchmark.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Mode {
    Measure,
    List,
    /// Run it once.
    Test,
    /// Run it for this time without measuring it.
    Profile(Duration),
}

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Output {
    Lines,
    /// Like the crate bencher, which other tools read.
    Bencher,
}

const HELP: &str = "\
Measures the benchmarks of this suite, and compares them with their last run.

Usage: cargo bench [--bench SUITE] -- [OPTION]... [FILTER]

FILTER is a text that the name of a benchmark has; it is no regular expression.

  --exact                     FILTER is a whole name
  --list                      list the benchmarks
  --test                      run each once, as `cargo test` does
  --profile-time SECONDS      run each for a time, for a profiler
  -s, --save-baseline NAME    compare with a baseline, and replace it [base]
  -b, --baseline NAME         compare with a baseline, which must exist
  --baseline-lenient NAME     compare with a baseline if there is one
  --load-baseline NAME        compare that baseline, and measure nothing
  --discard-baseline          keep no result
  --warm-up-time SECONDS      iterations before the samples [0.25]
  --measurement-time SECONDS  all samples [0.75]
  --sample-size NUMBER        number of samples, at least 10 [100]
  --quick                     a tenth of these times
  --noise-threshold FRACTION  a change that is none [0.01]
  --confidence-level FRACTION of intervals [0.95]
  --output-format FORMAT      criterion or bencher [criterion]
  --format FORMAT             of --list, as libtest's: pretty or terse, which are the same
  --ignored                   run nothing: no benchmark is ignored

Options without an effect, which are Criterion's or libtest's: --bench, --color, --include-ignored, --nocapture, --noplot,
--nresamples, --plotting-backend, --quiet, --show-output, --significance-level, --verbose.

To compare two revisions of a project, in turns and with few false alarms: parlab suite";

/// Wrong usage.
#[derive(Debug, PartialEq)]
pub(crate) enum ArgError {
    Unknown(String),
    /// An option that needs a value, or one that takes none.
    Value {
        option: String,
        needed: bool,
    },
    /// A value, and what it must be.
    Invalid {
        option: String,
        given: String,
        expected: &'static str,
    },
    /// Two options that exclude each other.
    Conflict(&'static str, &'static str),
    /// A second filter.
    Filters(String, String),
    /// `--load-baseline` without a baseline to compare with.
    NoBaseline,
    NotUtf8,
}

impl fmt::Display for ArgError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ArgError::Unknown(option) => write!(f, "unknown option `{option}`"),
            ArgError::Value { option, needed: true } => write!(f, "`{option}` needs a value"),
            ArgError::Value { option, needed: false } => write!(f, "`{option}` takes no value"),
            ArgError::Invalid { option, given, expected } => {
                write!(f, "`{option}` is `{given}`: it must be {expected}")
            }
            ArgError::Conflict(one, other) => write!(f, "`{one}` and `{other}` exclude each other"),
            ArgError::Filters(one, other) => write!(f, "two filters, `{one}` and `{other}`: it can be one"),
            ArgError::NoBaseline => {
                f.write_str("`--load-baseline` needs `--baseline` or `--baseline-lenient` to compare with")
            }
            ArgError::NotUtf8 => f.write_str("an argument is not UTF-8"),
        }
    }
}

/// The options of a command line; what is not given is `None`.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Args {
    help: bool,
    version: bool,
    bench: bool,
    test: bool,
    list: bool,
    exact: bool,
    ignored: bool,
    quick: bool,
    bencher: bool,
    discard: bool,
    filter: Option<String>,
    profile: Option<Duration>,
    save: Option<String>,
    strict: Option<String>,
    lenient: Option<String>,
    load: Option<String>,
    warm_up_time: Option<Duration>,
    measurement_time: Option<Duration>,
    sample_size: Option<usize>,
    noise_threshold: Option<f64>,
    confidence_level: Option<f64>,
}

/// Returns the options of this process, which are read once. Wrong usage ends it with exit code 2, and `--help` with 0.
pub(crate) fn get() -> &'static Args {
    static ARGS: OnceLock<Args> = OnceLock::new();
    ARGS.get_or_init(|| {
        let words = std::env::args_os().skip(1).map(|word| word.into_string().map_err(|_| ArgError::NotUtf8));
        let parsed = words.collect::<Result<Vec<_>, _>>().and_then(parse).unwrap_or_else(|error| {
            eprintln!("error: {error}; --help lists the options");
            std::process::exit(2)
        });
        if parsed.help || parsed.version {
            let version = concat!("parlab-criterion ", env!("CARGO_PKG_VERSION"));
            println!("{}", if parsed.help { HELP } else { version });
            std::process::exit(0)
        }
        parsed
    })
}

fn parse(words: Vec<String>) -> Result<Args, ArgError> {
    let mut args = Args::default();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if !word.starts_with('-') {
            if let Some(one) = args.filter.replace(word.clone()) {
                return Err(ArgError::Filters(one, word));
            }
            continue;
        }
        let (option, mut inline) = match word.split_once('=') {
            Some((option, value)) if word.starts_with("--") => (option, Some(value.to_owned())),
            _ => (word.as_str(), None),
        };
        let mut value = || {
            let missing = || ArgError::Value { option: option.to_owned(), needed: true };
            inline.take().or_else(|| words.next()).ok_or_else(missing)
        };
        let of = |given: String, expected| ArgError::Invalid { option: option.to_owned(), given, expected };
        let seconds = |given: String| {
            let time = given.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
            time.filter(|time| !time.is_zero()).ok_or_else(|| of(given, "a number of seconds above 0"))
        };
        match option {
            "-h" | "--help" => args.help = true,
            "-V" | "--version" => args.version = true,
            "--bench" => args.bench = true,
            "--test" => args.test = true,
            "--list" => args.list = true,
            "--exact" => args.exact = true,
            "--ignored" => args.ignored = true,
            "--quick" => args.quick = true,
            "--discard-baseline" => args.discard = true,
            "-s" | "--save-baseline" => args.save = Some(value()?),
            "-b" | "--baseline" => args.strict = Some(value()?),
            "--baseline-lenient" => args.lenient = Some(value()?),
            "--load-baseline" => args.load = Some(value()?),
            "--profile-time" => args.profile = Some(seconds(value()?)?),
            "--warm-up-time" => args.warm_up_time = Some(seconds(value()?)?),
            "--measurement-time" => args.measurement_time = Some(seconds(value()?)?),
            "--sample-size" => {
                let given = value()?;
                let size = given.parse().ok().filter(|size| *size >= 10);
                args.sample_size = Some(size.ok_or_else(|| of(given, "a whole number from 10"))?);
            }
            "--noise-threshold" => {
                let given = value()?;
                let threshold = given.parse().ok().filter(|threshold: &f64| *threshold >= 0.0);
                args.noise_threshold = Some(threshold.ok_or_else(|| of(given, "a fraction of at least 0"))?);
            }
            "--confidence-level" => {
                let given = value()?;
                let level = given.parse().ok().filter(|level| *level > 0.0 && *level < 1.0);
                args.confidence_level = Some(level.ok_or_else(|| of(given, "between 0 and 1"))?);
            }
            "--output-format" => match value()?.as_str() {
                "criterion" => args.bencher = false,
                "bencher" => args.bencher = true,
                given => return Err(of(given.to_owned(), "criterion or bencher")),
            },
            "--format" => match value()?.as_str() {
                "pretty" | "terse" => (),
                given => return Err(of(given.to_owned(), "pretty or terse")),
            },
            "-n" | "--noplot" | "-v" | "--verbose" | "--quiet" => (),
            "--include-ignored" | "--nocapture" | "--show-output" => (),
            "-c"
            | "--color"
            | "--colour"
            | "--nresamples"
            | "--plotting-backend"
            | "--significance-level" => {
                value()?;
            }
            other => return Err(ArgError::Unknown(other.to_owned())),
        }
        if inline.is_some() {
            return Err(ArgError::Value { option: option.to_owned(), needed: false });
        }
    }
    args.check()
}

impl Args {
    /// Returns the options if they go together.
    fn check(self) -> Result<Self, ArgError> {
        let given = [
            ("--list", self.list),
            ("--test", self.test),
            ("--profile-time", self.profile.is_some()),
            ("--save-baseline", self.save.is_some()),
            ("--baseline", self.strict.is_some()),
            ("--baseline-lenient", self.lenient.is_some()),
            ("--discard-baseline", self.discard),
        ];
        for group in [&given[..3], &given[3..]] {
            let mut names = group.iter().filter(|(_, given)| *given).map(|(name, _)| *name);
            if let (Some(one), Some(other)) = (names.next(), names.next()) {
                return Err(ArgError::Conflict(one, other));
            }
        }
        match self.load.is_some() && self.strict.is_none() && self.lenient.is_none() {
            true => Err(ArgError::NoBaseline),
            false => Ok(self),
        }
    }

    /// Changes what a suite has set to what the command line says.
    pub(crate) fn configure(&self, common: &mut Common) {
        common.mode = match (self.list, self.profile) {
            (true, _) => Mode::List,
            // Cargo passes `--bench` to `cargo bench`, and nothing to `cargo test --benches`.
            _ if self.test || !self.bench => Mode::Test,
            (_, Some(time)) => Mode::Profile(time),
            _ => Mode::Measure,
        };
        common.output = if self.bencher { Output::Bencher } else { Output::Lines };
        common.filter = match &self.filter {
            _ if self.ignored => BenchmarkFilter::RejectAll,
            None => BenchmarkFilter::AcceptAll,
            Some(name) if self.exact => BenchmarkFilter::Exact(name.clone()),
            Some(text) => BenchmarkFilter::Contains(text.clone()),
        };
        let usual = Comparison::default();
        let compared = self.save.as_ref().or(self.strict.as_ref()).or(self.lenient.as_ref());
        common.comparison = Comparison {
            baseline: compared.cloned().unwrap_or(usual.baseline),
            strict: self.strict.is_some(),
            save: self.strict.is_none() && self.lenient.is_none() && !self.discard,
            load: self.load.clone(),
        };
        let settings = &mut common.settings;
        if self.quick {
            settings.warm_up_time /= 10;
            settings.measurement_time /= 10;
        }
        settings.warm_up_time = self.warm_up_time.unwrap_or(settings.warm_up_time);
        settings.measurement_time = self.measurement_time.unwrap_or(settings.measurement_time);
        settings.sample_size = self.sample_size.unwrap_or(settings.sample_size);
        settings.noise_threshold = self.noise_threshold.unwrap_or(settings.noise_threshold);
        settings.confidence_level = self.confidence_level.unwrap_or(settings.confidence_level);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> Result<Args, ArgError> {
        parse(line.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn options_are_those_of_criterion() {
        let line = "--bench add --exact -s main --warm-up-time=0.5 --measurement-time 2 --sample-size 20 --noplot \
                    --noise-threshold 0.02 --confidence-level 0.99 --color never --nresamples=7 --output-format bencher";
        let expected = Args {
            bench: true,
            exact: true,
            bencher: true,
            filter: Some("add".to_owned()),
            save: Some("main".to_owned()),
            warm_up_time: Some(Duration::from_millis(500)),
            measurement_time: Some(Duration::from_secs(2)),
            sample_size: Some(20),
            noise_threshold: Some(0.02),
            confidence_level: Some(0.99),
            ..Args::default()
        };
        assert_eq!(parsed(line), Ok(expected));
    }

    #[test]
    fn wrong_usage_is_named() {
        for (line, text) in [
            ("--jump", "unknown option `--jump`"),
            ("-x", "unknown option `-x`"),
            ("--bench=1", "`--bench` takes no value"),
            ("--baseline", "`--baseline` needs a value"),
            ("a b", "two filters, `a` and `b`: it can be one"),
            ("--sample-size 9", "`--sample-size` is `9`: it must be a whole number from 10"),
            ("--warm-up-time 0", "`--warm-up-time` is `0`: it must be a number of seconds above 0"),
            (
                "--measurement-time inf",
                "`--measurement-time` is `inf`: it must be a number of seconds above 0",
            ),
            ("--noise-threshold nan", "`--noise-threshold` is `nan`: it must be a fraction of at least 0"),
            ("--confidence-level 1", "`--confidence-level` is `1`: it must be between 0 and 1"),
            ("--format json", "`--format` is `json`: it must be pretty or terse"),
            ("--list --test", "`--list` and `--test` exclude each other"),
            ("-s a -b b", "`--save-baseline` and `--baseline` exclude each other"),
            (
                "--load-baseline a",
                "`--load-baseline` needs `--baseline` or `--baseline-lenient` to compare with",
            ),
        ] {
            assert_eq!(parsed(line).map_err(|error| error.to_string()), Err(text.to_owned()), "{line}");
        }
    }

    #[test]
    fn every_option_of_the_help_exists() {
        let words = HELP.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
        let options = words.filter(|word| word.starts_with("--") && word.len() > 2);
        let mut count = 0;
        for option in options {
            // An option that exists, but lacks a value, or is at odds with nothing.
            assert!(!matches!(parsed(option), Err(ArgError::Unknown(_))), "{option}");
            count += 1;
        }
        assert!(count > 30, "{count}");
    }
}

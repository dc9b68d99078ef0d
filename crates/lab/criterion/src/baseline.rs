//! Results that are kept for later runs, one small file a benchmark and baseline.

use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::id;
use crate::json::{self, quoted};

/// The first line of a file.
const FORMAT: &str = "parlab-criterion 1";

/// With what results are compared, and whether they are kept.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Comparison {
    /// The name of the baseline.
    pub(crate) baseline: String,
    /// Whether it is an error if there is none.
    pub(crate) strict: bool,
    /// Whether the results become the baseline.
    pub(crate) save: bool,
    /// A baseline that is compared, in the place of new results.
    pub(crate) load: Option<String>,
}

impl Default for Comparison {
    fn default() -> Self {
        Comparison { baseline: "base".to_owned(), strict: false, save: true, load: None }
    }
}

/// The samples of a benchmark.
#[derive(Debug, PartialEq)]
pub(crate) struct Results {
    pub(crate) name: String,
    /// Unit of the values.
    pub(crate) unit: String,
    /// Iterations and value of each sample.
    pub(crate) samples: Vec<(u64, f64)>,
}

/// A file of results that cannot be read or written.
#[derive(Debug)]
pub(crate) enum BaselineError {
    File { path: PathBuf, source: std::io::Error },
    Line { path: PathBuf, number: usize, expected: &'static str },
}

impl fmt::Display for BaselineError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BaselineError::File { path, source } => write!(f, "{}: {source}", path.display()),
            BaselineError::Line { path, number, expected } => {
                write!(f, "{}, line {number}: not {expected}", path.display())
            }
        }
    }
}

/// Returns the folder for baselines of all suites of a workspace: `$CRITERION_HOME`, or `criterion` in the folder into
/// which Cargo built this program.
pub(crate) fn folder() -> PathBuf {
    let set = |name| std::env::var_os(name).map(PathBuf::from);
    let built = || {
        let program = std::env::current_exe().ok()?;
        // Cargo marks the folder with this file.
        program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").exists()).map(Path::to_owned)
    };
    set("CRITERION_HOME").unwrap_or_else(|| {
        set("CARGO_TARGET_DIR").or_else(built).unwrap_or_else(|| PathBuf::from("target")).join("criterion")
    })
}

fn path(folder: &Path, baseline: &str) -> PathBuf {
    folder.join(id::folder(baseline)).join("parlab.txt")
}

impl Results {
    /// Writes the file of a baseline, at once or not at all.
    ///
    /// # Errors
    /// The system refuses.
    pub(crate) fn save(&self, folder: &Path, baseline: &str) -> Result<(), BaselineError> {
        let path = path(folder, baseline);
        let mut text = format!("{FORMAT}\n{}\n{}\n", quoted(&self.name), quoted(&self.unit));
        for (iterations, value) in &self.samples {
            text.push_str(&format!("{iterations} {value}\n"));
        }
        let begun = path.with_extension("new");
        let written = fs::create_dir_all(folder.join(id::folder(baseline)))
            .and_then(|()| fs::write(&begun, text))
            .and_then(|()| fs::rename(&begun, &path));
        written.map_err(|source| BaselineError::File { path, source })
    }

    /// Returns the results of a baseline; nothing if there are none.
    ///
    /// # Errors
    /// The file cannot be read, or is none that [`save`](Results::save) wrote.
    pub(crate) fn load(folder: &Path, baseline: &str) -> Result<Option<Self>, BaselineError> {
        let path = path(folder, baseline);
        match fs::read_to_string(&path) {
            Ok(text) => parse(&text).map(Some).map_err(|(number, expected)| BaselineError::Line {
                path,
                number,
                expected,
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(source) => Err(BaselineError::File { path, source }),
        }
    }
}

/// Returns the results in the text of a file, or else the number of the line that is wrong, and what it should be.
fn parse(text: &str) -> Result<Results, (usize, &'static str)> {
    let mut lines = text.lines();
    if lines.next() != Some(FORMAT) {
        return Err((1, FORMAT));
    }
    let mut quoted = |number, expected| match lines.next().map(json::parse) {
        Some(Ok(json::Value::Text(text))) => Ok(text),
        _ => Err((number, expected)),
    };
    let (name, unit) = (quoted(2, "a name")?, quoted(3, "a unit")?);
    let mut samples = Vec::new();
    for (index, line) in lines.enumerate() {
        let sample = line
            .split_once(' ')
            .and_then(|(iterations, value)| Some((iterations.parse().ok()?, value.parse::<f64>().ok()?)));
        let positive =
            sample.filter(|&(iterations, value)| iterations > 0 && value.is_finite() && value >= 0.0);
        samples.push(positive.ok_or((index + 4, "a number of iterations and a value"))?);
    }
    match samples.is_empty() {
        true => Err((4, "a number of iterations and a value")),
        false => Ok(Results { name, unit, samples }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_back_from_their_file() {
        let folder = std::env::temp_dir().join(format!("parlab-criterion-{}", std::process::id()));
        let results = Results {
            name: "a/\"b\"\n/µ".to_owned(),
            unit: "ns".to_owned(),
            samples: vec![(1, 0.1), (u64::MAX, 1e300), (3, 123_456_789.0)],
        };
        assert_eq!(Results::load(&folder, "base").expect("no file is no error"), None);
        results.save(&folder, "base").expect("it is written");
        assert_eq!(Results::load(&folder, "base").expect("it is read"), Some(results));
        fs::remove_dir_all(&folder).expect("it is removed");
    }

    #[test]
    fn a_file_that_is_none_names_its_line() {
        for (text, line) in [
            ("", 1),
            ("parlab-criterion 2\n\"a\"\n\"ns\"\n1 1\n", 1),
            ("parlab-criterion 1\n", 2),
            ("parlab-criterion 1\na\n", 2),
            ("parlab-criterion 1\n\"a\"\n", 3),
            ("parlab-criterion 1\n\"a\"\n\"ns\"\n", 4),
            ("parlab-criterion 1\n\"a\"\n\"ns\"\n1 1\n0 1\n", 5),
            ("parlab-criterion 1\n\"a\"\n\"ns\"\n1 inf\n", 4),
            ("parlab-criterion 1\n\"a\"\n\"ns\"\n1 -1\n", 4),
            ("parlab-criterion 1\n\"a\"\n\"ns\"\n1\n", 4),
        ] {
            assert_eq!(parse(text).map_err(|(number, _)| number), Err(line), "{text:?}");
        }
    }
}

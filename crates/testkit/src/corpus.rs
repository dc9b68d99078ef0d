//! Test vectors of other projects in `../shared/corpora` next to the repository, or in `corpora/`. A file begins with
//! lines `# …` about its source, one of them `# commit: …`. The next line names the columns, and each further line is a
//! case, with a space between values. Bytes are hexadecimal, and an empty value is `-`.

use std::path::Path;

/// A case of a corpus: its values by the names of their columns.
pub struct Case(Vec<(String, String)>);

/// Returns the cases of `<name>.txt`, in order. Without that file it prints a line `SKIP` and returns none.
///
/// # Panics
/// If the file cannot be read, has no cases, or has a line with another number of values than columns.
pub fn corpus(name: &str) -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = ["../shared/corpora", "corpora"].map(|folder| root.join(format!("{folder}/{name}.txt")));
    let Some(file) = files.iter().find(|file| file.is_file()) else {
        crate::skip("corpora", name, "neither ../shared/corpora nor corpora has it");
        return Vec::new();
    };
    let text = std::fs::read_to_string(file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    let mut lines = text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split(' '));
    let columns: Vec<&str> = lines.next().expect("a line of columns").collect();
    let cases = lines.map(|values| {
        let values: Vec<&str> = values.collect();
        assert_eq!(values.len(), columns.len(), "{name}: {values:?}");
        let named =
            columns.iter().zip(values).map(|(column, value)| ((*column).to_owned(), value.to_owned()));
        Case(named.collect())
    });
    let cases: Vec<Case> = cases.collect();
    assert!(!cases.is_empty(), "{name} has no cases");
    cases
}

/// Prints what `make corpora` shows of a corpus whose cases have all passed, each on all of these rows or backends.
pub fn passed(name: &str, cases: usize, rows: &[impl ToString]) {
    let rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
    println!("CORPUS {name} {cases} {}", if cases == 0 { "not here".to_owned() } else { rows.join(", ") });
}

/// Returns the bytes of hexadecimal digits.
pub fn bytes(digits: &str) -> Vec<u8> {
    let digit = |c: u8| char::from(c).to_digit(16).expect("a hexadecimal digit") as u8;
    assert!(digits.len().is_multiple_of(2), "an odd number of digits");
    digits.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

/// Each method panics for a column that does not exist, and for a value of another kind.
impl Case {
    /// Returns a value as it is written; an empty text for `-`.
    pub fn text(&self, column: &str) -> &str {
        let value = self.0.iter().find(|(name, _)| name == column);
        let (_, value) = value.unwrap_or_else(|| panic!("no column {column}"));
        if value == "-" { "" } else { value }
    }

    /// Returns the bytes of a value.
    pub fn bytes(&self, column: &str) -> Vec<u8> {
        bytes(self.text(column))
    }

    /// Returns the bytes of each value of a list, which are separated by commas.
    pub fn lists(&self, column: &str) -> Vec<Vec<u8>> {
        self.text(column).split(',').map(bytes).collect()
    }

    /// Returns the number of a value.
    pub fn number<T: std::str::FromStr>(&self, column: &str) -> T {
        self.text(column).parse().unwrap_or_else(|_| panic!("{column}: no number: {}", self.text(column)))
    }
}

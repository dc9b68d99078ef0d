//! Test vectors of other projects, which `scripts/corpora get` puts into `target/corpora` from published packages. The
//! first line of a file names columns, and each further line is a case, with a space between values. Bytes are
//! hexadecimal, and an empty value is `-`.

use std::path::{Path, PathBuf};

/// A case of a corpus: its values by the names of their columns.
pub struct Case(Vec<(String, String)>);

/// Returns the file or folder of a corpus. Without it, prints a line `SKIP` and returns none.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/corpora").join(name);
    if !path.exists() {
        crate::skip("corpora", name, "target/corpora has none: `scripts/corpora get` gets it");
        return None;
    }
    Some(path)
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_else(|why| panic!("{}: {why}", file.display()))
}

/// Returns the cases of a corpus, in order, or none without it.
///
/// # Panics
/// If the file cannot be read, has no cases, or has a line with another number of values than columns.
pub fn corpus(name: &str) -> Vec<Case> {
    let Some(file) = find(name) else { return Vec::new() };
    let text = read(&file);
    let mut lines = text.lines().map(|line| line.split(' '));
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

/// An official vector of EIP-4844 or EIP-7594: the items of each input and of the output, where `true`, `false` and
/// `null` are these words, and a number is 8 bytes, big-endian. With the output `null` the call must return an error.
pub struct Vector {
    /// The name of its folder.
    pub name: String,
    /// A list for each input, in the order of the function.
    pub inputs: Vec<Vec<Vec<u8>>>,
    /// The items of the output.
    pub output: Vec<Vec<u8>>,
}

/// Returns the official vectors of a function, or none without the corpus `kzg`.
///
/// # Panics
/// If the function has none, or a file cannot be read or has another form.
pub fn vectors(function: &str) -> Vec<Vector> {
    let Some(folder) = find("kzg") else { return Vec::new() };
    let folder = folder.join(function).join("kzg-mainnet");
    let cases = std::fs::read_dir(&folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    let mut vectors: Vec<Vector> = cases.map(|case| vector(&case.expect("a folder").path())).collect();
    assert!(!vectors.is_empty(), "no vectors of {function}");
    vectors.sort_by(|a, b| a.name.cmp(&b.name));
    vectors
}

/// Parses the part of YAML that the vectors use: a line has perhaps a key, then items, with marks of lists around them.
fn vector(folder: &Path) -> Vector {
    let mut lists: Vec<Vec<Vec<u8>>> = Vec::new();
    let text = read(&folder.join("data.yaml"));
    let (input, rest) = text.split_once('\n').expect("lines");
    assert_eq!(input, "input:", "{}", folder.display());
    for line in rest.lines() {
        let items = line.split_once(':').map_or(line, |(_, items)| {
            lists.push(Vec::new());
            items
        });
        let words = items.split([' ', '-', ',', '[', ']', '\'']).filter(|word| !word.is_empty());
        let list = lists.last_mut().expect("a key before items");
        list.extend(words.map(|word| match (word.strip_prefix("0x"), word.parse::<u64>()) {
            (Some(digits), _) => bytes(digits),
            (None, Ok(number)) => number.to_be_bytes().into(),
            _ if ["true", "false", "null"].contains(&word) => word.into(),
            _ => panic!("{}: unknown word {word}", folder.display()),
        }));
    }
    let output = lists.pop().expect("an output");
    let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
    Vector { name, inputs: lists, output }
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

    /// Returns the number of a value.
    pub fn number<T: std::str::FromStr>(&self, column: &str) -> T {
        self.text(column).parse().unwrap_or_else(|_| panic!("{column}: no number: {}", self.text(column)))
    }
}

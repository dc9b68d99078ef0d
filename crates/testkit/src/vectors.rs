//! Official test vectors in a folder beside the repository: a folder for each function, in it a folder for each case
//! with a file `data.yaml`.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Once;

use crate::skip;

/// A test vector.
#[derive(Clone, Debug)]
pub struct Vector {
    /// The name of the vector's folder.
    pub name: String,
    /// The input.
    pub input: Value,
    /// The expected output; [`Value::Null`] if the call must return an error.
    pub output: Value,
}

/// A value in a vector's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// The null value.
    Null,
    /// A number, true, false or bytes, as they are written.
    Text(String),
    /// Values in order.
    List(Vec<Value>),
    /// Values with names.
    Map(Vec<(String, Value)>),
}

/// Returns the vectors in `folder`, for instance `kzg/verify_kzg_proof`, in order of their names.
///
/// It searches the folder that `PARCRYPT_VECTORS` names, or else in `../shared/vectors` beside the
/// repository. Without either it prints a line `SKIP` and returns none.
///
/// # Panics
/// If there are vectors but none in `folder`, or if one cannot be read.
pub fn vectors(krate: &str, folder: &str) -> Vec<Vector> {
    let root = match std::env::var_os("PARCRYPT_VECTORS") {
        Some(root) => PathBuf::from(root),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/vectors"),
    };
    if !root.is_dir() {
        // One line for all functions.
        static SAID: Once = Once::new();
        SAID.call_once(|| skip(krate, "vectors", &format!("{} is not there", root.display())));
        return Vec::new();
    }
    let mut files = Vec::new();
    find(&root.join(folder), &mut files);
    files.sort();
    assert!(!files.is_empty(), "no vectors in {}", root.join(folder).display());
    files.iter().map(|file| read(file)).collect()
}

fn find(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|why| panic!("{}: {why}", folder.display()));
    for entry in entries {
        let path = entry.unwrap_or_else(|why| panic!("{}: {why}", folder.display())).path();
        if path.is_dir() {
            find(&path, files);
        } else if path.file_name().is_some_and(|name| name == "data.yaml") {
            files.push(path);
        }
    }
}

fn read(file: &Path) -> Vector {
    let text = std::fs::read_to_string(file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    let name = file.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    Vector::parse(&name, &text)
}

impl Vector {
    /// Returns the vector of a file's text.
    pub fn parse(name: &str, text: &str) -> Self {
        let value = parse(text);
        Vector { input: value["input"].clone(), output: value["output"].clone(), name: name.to_owned() }
    }
}

/// Each method panics for a value of another kind.
impl Value {
    /// Returns the values of a list.
    pub fn list(&self) -> &[Value] {
        match self {
            Value::List(values) => values,
            other => panic!("no list: {other:?}"),
        }
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        match self {
            Value::Text(text) => text,
            other => panic!("no text: {other:?}"),
        }
    }

    /// Returns bytes that are written as `0x…`.
    pub fn bytes(&self) -> Vec<u8> {
        let digits = self.text().strip_prefix("0x").expect("bytes begin with 0x").as_bytes();
        let digit = |c: u8| char::from(c).to_digit(16).expect("a hexadecimal digit") as u8;
        assert!(digits.len().is_multiple_of(2), "an odd number of digits");
        digits.chunks(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
    }

    /// Returns the bytes of each value of a list.
    pub fn all_bytes(&self) -> Vec<Vec<u8>> {
        self.list().iter().map(Value::bytes).collect()
    }

    /// Returns the numbers of a list.
    pub fn numbers(&self) -> Vec<u64> {
        self.list().iter().map(|value| value.text().parse().expect("a number")).collect()
    }
}

impl std::ops::Index<&str> for Value {
    type Output = Value;
    fn index(&self, name: &str) -> &Value {
        let Value::Map(values) = self else { panic!("no map: {self:?}") };
        values.iter().find(|(key, _)| key == name).map_or_else(|| panic!("no {name}"), |(_, value)| value)
    }
}

/// Parses the part of YAML that the vectors use: maps and lists by indentation, lists in brackets, quoted and plain
/// text.
fn parse(text: &str) -> Value {
    let mut lines: Vec<(usize, String)> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match lines.last_mut() {
            // A list in brackets ends when they close.
            Some((_, open)) if open.contains('[') && !open.ends_with(']') => {
                open.push(' ');
                open.push_str(line.trim());
            }
            _ => lines.push((line.len() - line.trim_start().len(), line.trim().to_owned())),
        }
    }
    let mut lines = lines.into();
    block(&mut lines)
}

/// Parses the value whose first line is the first remaining one.
fn block(lines: &mut VecDeque<(usize, String)>) -> Value {
    let Some((indent, first)) = lines.front().cloned() else { return Value::Null };
    let dash = |(i, line): &(usize, String)| *i == indent && line.starts_with("- ");
    let mut list = Vec::new();
    while lines.front().is_some_and(dash) {
        let Some((_, line)) = lines.pop_front() else { break };
        // The text after the dash is a value with a larger indentation.
        lines.push_front((indent + 2, line[2..].to_owned()));
        list.push(block(lines));
    }
    if !list.is_empty() {
        return Value::List(list);
    }
    if !first.contains(':') {
        lines.pop_front();
        return scalar(&first);
    }
    let mut map = Vec::new();
    while lines.front().is_some_and(|line| line.0 == indent && !dash(line)) {
        let Some((_, line)) = lines.pop_front() else { break };
        let (name, rest) = line.split_once(':').expect("a name and a colon");
        // A list may have the indentation of its name.
        let nested = lines.front().is_some_and(|next| next.0 > indent || dash(next));
        let value = if rest.is_empty() && nested { block(lines) } else { scalar(rest.trim()) };
        map.push((name.to_owned(), value));
    }
    Value::Map(map)
}

fn scalar(text: &str) -> Value {
    if let Some(inner) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
        let parts = inner.split(',').map(str::trim).filter(|part| !part.is_empty());
        return Value::List(parts.map(scalar).collect());
    }
    match text {
        "" | "null" => Value::Null,
        text => Value::Text(text.trim_matches(['\'', '"']).to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_lists_and_scalars() {
        let value = parse(
            "input:\n  empty: []\n  numbers: [0, 1,\n      2]\n  cells:\n  - '0x0a'\n  - '0x0b'\n  nested:\n  - - '0x01'\n    - '0x02'\n  - - '0x03'\noutput:\n- - '0xff'\n- null\n",
        );
        let input = &value["input"];
        assert_eq!(input["empty"], Value::List(vec![]));
        assert_eq!(input["numbers"].numbers(), [0, 1, 2]);
        assert_eq!(input["cells"].all_bytes(), [[10], [11]]);
        assert_eq!(input["nested"].list()[0].all_bytes(), [[1], [2]]);
        assert_eq!(input["nested"].list()[1].all_bytes(), [[3]]);
        assert_eq!(value["output"].list()[0].all_bytes(), [[255]]);
        assert_eq!(value["output"].list()[1], Value::Null);
        assert_eq!(parse("input: 1\noutput: null\n")["output"], Value::Null);
    }
}

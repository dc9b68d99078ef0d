//! The compact form of the official vectors, which is in the repository: blobs are generated from their names, and
//! cells, proofs and commitments are computed from these. A hash of each case tells that all its bytes are the official
//! ones.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};

use parcrypt_bls12_381::Fr;
use parcrypt_kzg::{BYTES_PER_BLOB, BYTES_PER_CELL, CellsAndProofs, Commitment};
use parcrypt_runtime::Serial;
use parcrypt_testkit::{Value, Vector};
use sha2::{Digest, Sha256};

use super::{MAINNET, hex};

/// Written by `compact.py`.
const ALL: &str = include_str!("compact.txt");

/// Returns the vectors of a function.
pub(crate) fn vectors(function: &str) -> Vec<Vector> {
    let cases = ALL.split("== ").filter_map(|case| case.split_once('\n'));
    let vectors = cases.filter_map(|(title, text)| {
        let [of, name, digest]: [&str; 3] = title.split(' ').collect::<Vec<_>>().try_into().unwrap();
        (of == function).then(|| {
            let Vector { name, input, output } = Vector::parse(name, text);
            let all =
                Value::Map(vec![("input".into(), expanded(input)), ("output".into(), expanded(output))]);
            let mut hash = Sha256::new();
            add(&all, &mut hash);
            assert_eq!(super::hex(&hash.finalize()).text(), format!("0x{digest}"), "{name}");
            Vector { name, input: all["input"].clone(), output: all["output"].clone() }
        })
    });
    let vectors: Vec<Vector> = vectors.collect();
    assert!(!vectors.is_empty(), "no vectors of {function}");
    vectors
}

/// Adds a value to the hash of a case.
fn add(value: &Value, hash: &mut Sha256) {
    let mut add_text = |kind: &str, text: &str| {
        [kind, text, "\0"].iter().for_each(|part| hash.update(part));
    };
    match value {
        Value::Null => hash.update("n"),
        Value::Text(text) => add_text("t", text),
        Value::List(values) => {
            hash.update("[");
            values.iter().for_each(|value| add(value, hash));
            hash.update("]");
        }
        Value::Map(values) => {
            hash.update("{");
            for (key, value) in values {
                [key, "\0"].iter().for_each(|part| hash.update(part));
                add(value, hash);
            }
            hash.update("}");
        }
    }
}

fn expanded(value: Value) -> Value {
    match value {
        Value::Null => Value::Null,
        Value::Text(text) => texts(&text).swap_remove(0),
        Value::List(values) => {
            let expand = |value| match value {
                Value::Text(text) => texts(&text),
                other => vec![expanded(other)],
            };
            Value::List(values.into_iter().flat_map(expand).collect())
        }
        Value::Map(values) => {
            Value::Map(values.into_iter().map(|(key, value)| (key, expanded(value))).collect())
        }
    }
}

/// Returns the values of a text: one, or those of `N times TEXT`, `KIND BLOB FROM to TO` and `elements of TEXT`.
fn texts(text: &str) -> Vec<Value> {
    let words: Vec<&str> = text.split(' ').collect();
    match words[..] {
        [_] => vec![Value::Text(text.into())],
        [count, "times", ..] => {
            let (_, rest) = text.split_once(" times ").unwrap();
            let (count, all): (usize, _) = (count.parse().unwrap(), texts(rest));
            (0..count).flat_map(|_| all.clone()).collect()
        }
        [kind, of, first, "to", last] => {
            let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
            (first..=last).map(|i| hex(&bytes(&[kind, of, &i.to_string()]))).collect()
        }
        ["elements", "of", ref rest @ ..] => {
            vec![Value::List(bytes(rest).chunks(32).map(hex).collect())]
        }
        ref words => vec![hex(&bytes(words))],
    }
}

/// Returns the bytes of `KIND BLOB`, with an index for cells and proofs, and with a change at the end.
fn bytes(words: &[&str]) -> Vec<u8> {
    let (mut bytes, changes) = match *words {
        ["blob", of, ref rest @ ..] => (blob(of), rest),
        ["commitment", of, ref rest @ ..] => (commitment(of).to_vec(), rest),
        ["cell", of, i, ref rest @ ..] => {
            let (i, blob): (usize, _) = (i.parse().unwrap(), blob(of));
            // The first cells are the blob, which need not be valid.
            match blob.chunks(BYTES_PER_CELL).nth(i) {
                Some(cell) => (cell.to_vec(), rest),
                None => (cells_and_proofs(of).cells[i].to_vec(), rest),
            }
        }
        ["proof", of, i, ref rest @ ..] => {
            (cells_and_proofs(of).proofs[i.parse::<usize>().unwrap()].to_vec(), rest)
        }
        _ => panic!("unknown bytes: {words:?}"),
    };
    let literal = |text: &str| Value::Text(format!("0x{text}")).bytes();
    match *changes {
        [] => {}
        ["and", more] => bytes.extend(literal(more)),
        ["less", count] => bytes.truncate(bytes.len() - count.parse::<usize>().unwrap()),
        ["with", at, element] => {
            bytes[32 * at.parse::<usize>().unwrap()..][..32].copy_from_slice(&literal(element));
        }
        _ => panic!("unknown change: {changes:?}"),
    }
    bytes
}

/// Returns the blob of a name in `compact.py`.
fn blob(of: &str) -> Vec<u8> {
    let powers = |base: u64| {
        let (base, first) = (Fr::from(base), Fr::from(base).pow_vartime(256));
        let powers = std::iter::successors(Some(first), |power| Some(*power * base));
        powers.take(BYTES_PER_BLOB / 32).flat_map(|power| power.to_bytes()).collect()
    };
    let modulus = || {
        let mut modulus = (-Fr::one()).to_bytes();
        modulus[31] += 1;
        modulus
    };
    let one = |at: usize, element: [u8; 32]| {
        let mut blob = vec![0; BYTES_PER_BLOB];
        blob[32 * at..][..32].copy_from_slice(&element);
        blob
    };
    match of {
        "zeros" => vec![0; BYTES_PER_BLOB],
        "twos" => Fr::from(2).to_bytes().repeat(BYTES_PER_BLOB / 32),
        "largest" => (-Fr::one()).to_bytes().repeat(BYTES_PER_BLOB / 32),
        "bits-of-1" => vec![0xff; BYTES_PER_BLOB],
        "one-at-3211" => one(3211, Fr::one().to_bytes()),
        "modulus-at-2111" => one(2111, modulus()),
        _ => match of.strip_prefix("powers-of-").and_then(|base| base.parse().ok()) {
            Some(base) => powers(base),
            None => panic!("unknown blob: {of}"),
        },
    }
}

fn commitment(of: &str) -> Commitment {
    parcrypt_kzg::blob_to_kzg_commitment(&Serial, &MAINNET, &blob(of)).unwrap()
}

fn cells_and_proofs(of: &str) -> CellsAndProofs {
    static ALL: LazyLock<Mutex<BTreeMap<String, CellsAndProofs>>> = LazyLock::new(Mutex::default);
    let mut all = ALL.lock().unwrap();
    let compute = || parcrypt_kzg::compute_cells_and_kzg_proofs(&Serial, &MAINNET, &blob(of)).unwrap();
    all.entry(of.into()).or_insert_with(compute).clone()
}

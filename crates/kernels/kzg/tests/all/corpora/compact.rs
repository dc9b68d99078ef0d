//! Expands the compact form of the official vectors, `corpora/kzg.txt`, which `corpora/kzg.py` writes and describes:
//! blobs have names, and cells of blobs. A hash of each case tells that all its bytes are the official ones.

use std::collections::BTreeMap;
use std::sync::{LazyLock, Mutex};

use parcrypt_bls12_381::{Fr, bit_reversal};
use parcrypt_testkit::corpus::{self, corpus};
use sha2::{Digest, Sha256};

const BYTES_PER_BLOB: usize = 131_072;
const BYTES_PER_CELL: usize = 2048;

/// A test vector: a list for each input, and the items of the output, or the word `true`, `false` or `null`, which says
/// that the call must return an error.
pub(crate) struct Vector {
    pub(crate) name: String,
    pub(crate) inputs: Vec<Vec<Vec<u8>>>,
    pub(crate) output: Vec<Vec<u8>>,
}

/// Returns the vectors of a function.
pub(crate) fn vectors(function: &str) -> Vec<Vector> {
    let mut all = corpus("kzg");
    all.retain(|case| case.text("function") == function);
    assert!(!all.is_empty(), "no vectors of {function}");
    let expand = |text: &str| text.split(',').filter(|word| !word.is_empty()).flat_map(items).collect();
    let vectors = all.iter().map(|case| {
        let inputs: Vec<Vec<Vec<u8>>> = case.text("inputs").split(';').map(expand).collect();
        let (name, output): (_, Vec<Vec<u8>>) = (case.text("name").to_owned(), expand(case.text("output")));
        let mut hash = Sha256::new();
        for list in inputs.iter().chain([&output]) {
            list.iter().for_each(|item| hash.update(item));
            list.iter().for_each(|item| hash.update((item.len() as u32).to_be_bytes()));
            hash.update("end");
        }
        assert_eq!(hash.finalize()[..], case.bytes("sha256"), "{name}");
        Vector { name, inputs, output }
    });
    vectors.collect()
}

/// Returns the items of a word: one, or several for `N*ITEM` and `NAME:FIRST..LAST`.
fn items(word: &str) -> Vec<Vec<u8>> {
    if let Some((count, one)) = word.split_once('*') {
        return vec![item(one); count.parse().unwrap()];
    }
    let Some((first, last)) = word.split_once("..") else { return vec![item(word)] };
    let (name, first) = first.rsplit_once(':').unwrap();
    let (first, last): (usize, usize) = (first.parse().unwrap(), last.parse().unwrap());
    (first..=last).map(|i| item(&format!("{name}:{i}"))).collect()
}

fn item(word: &str) -> Vec<u8> {
    let (name, change) = word.split_at(word.find(['~', '+', '@']).unwrap_or(word.len()));
    let mut bytes = match name.split(':').collect::<Vec<_>>()[..] {
        ["null" | "true" | "false"] => name.into(),
        ["index", number] => number.parse::<u64>().unwrap().to_be_bytes().into(),
        ["blob", of] => all_cells(of)[..BYTES_PER_BLOB].into(),
        ["cell", of, i] => {
            all_cells(of)[BYTES_PER_CELL * i.parse::<usize>().unwrap()..][..BYTES_PER_CELL].into()
        }
        _ => corpus::bytes(name),
    };
    match (change.get(..1), change.get(1..).and_then(|change| change.split_once('='))) {
        (None, _) => {}
        (Some("~"), _) => bytes.truncate(bytes.len() - 1),
        (_, Some((at, element))) => {
            bytes[32 * at.parse::<usize>().unwrap()..][..32].copy_from_slice(&corpus::bytes(element));
        }
        _ => bytes.extend(corpus::bytes(&change[1..])),
    }
    bytes
}

/// Returns the blob of a name, and after it its cells from 64 on if all elements are canonical.
fn all_cells(of: &str) -> Vec<u8> {
    static ALL: LazyLock<Mutex<BTreeMap<String, Vec<u8>>>> = LazyLock::new(Mutex::default);
    ALL.lock().unwrap().entry(of.into()).or_insert_with(|| extended(blob(of))).clone()
}

/// Returns the blob of a name in `corpora/kzg.py`.
fn blob(of: &str) -> Vec<u8> {
    let elements =
        |element: &dyn Fn(u64) -> Fr| (0..4096).flat_map(|i| element(i).to_bytes()).collect::<Vec<u8>>();
    match of.rsplit_once('-').map_or((of, None), |(kind, last)| (kind, last.parse::<u64>().ok())) {
        ("zeros", _) => vec![0; BYTES_PER_BLOB],
        ("twos", _) => elements(&|_| Fr::from(2)),
        ("largest", _) => elements(&|_| -Fr::one()),
        ("bits-of", Some(1)) => vec![0xff; BYTES_PER_BLOB],
        ("powers-of", Some(base)) => elements(&|i| Fr::from(base).pow_vartime(i + 256)),
        ("one-at", Some(at)) => elements(&|i| if i == at { Fr::one() } else { Fr::zero() }),
        ("modulus-at", Some(at)) => {
            // r is one more than the largest element.
            let mut blob = elements(&|i| if i == at { -Fr::one() } else { Fr::zero() });
            blob[32 * at as usize + 31] += 1;
            blob
        }
        _ => panic!("unknown blob: {of}"),
    }
}

/// Returns the elements of all cells: the values of the blob's polynomial at twice as many points.
fn extended(blob: Vec<u8>) -> Vec<u8> {
    let elements = blob.as_chunks().0.iter().map(Fr::from_bytes);
    let Ok(mut values) = elements.collect::<Result<Vec<Fr>, _>>() else { return blob };
    let [root, double] = [12, 13].map(|scale| Fr::root_of_unity(scale).unwrap());
    bit_reversal::permute(&mut values);
    let mut coefficients = transform(&values, root.inverse().unwrap());
    coefficients.iter_mut().for_each(|c| *c *= Fr::from(4096).inverse().unwrap());
    coefficients.resize(8192, Fr::zero());
    let mut values = transform(&coefficients, double);
    bit_reversal::permute(&mut values);
    values.iter().flat_map(Fr::to_bytes).collect()
}

/// Returns the values at the powers of a root of unity of the polynomial with these coefficients.
fn transform(coefficients: &[Fr], root: Fr) -> Vec<Fr> {
    let [even, odd] = [0, 1].map(|first| coefficients.iter().skip(first).step_by(2).copied());
    if coefficients.len() == 1 {
        return coefficients.into();
    }
    let [even, mut odd] = [even, odd].map(|half| transform(&half.collect::<Vec<_>>(), root * root));
    let powers = std::iter::successors(Some(Fr::one()), |power| Some(*power * root));
    odd.iter_mut().zip(powers).for_each(|(value, power)| *value *= power);
    let both = || even.iter().copied().zip(odd.iter().copied());
    both().map(|(a, b)| a + b).chain(both().map(|(a, b)| a - b)).collect()
}

//! The forms of outputs: the contents of their files, and the line or the JSON object for an input.

use std::path::Path;

use parcrypt_kzg::jobs::{Operation, Output};
use parcrypt_kzg::{BYTES_PER_BLOB, Error, Input, Reason};
use serde_json::{Map, Value, json};

use super::store::Contents;
use super::{damage, hex0x, shown};

pub(super) fn contents(operation: Operation, split: bool, suffix: &str, output: &Output) -> Contents {
    let line = |bytes: &[u8]| Contents::File((hex0x(bytes) + "\n").into_bytes());
    match (suffix, output) {
        (".commitment", Output::Commitment(commitment) | Output::Proof { commitment, .. }) => {
            line(commitment)
        }
        (".proof", Output::Proof { proof, .. }) => line(proof),
        (".opening", output) => {
            Contents::File((Value::Object(fields(operation, output)).to_string() + "\n").into_bytes())
        }
        (".cells", Output::Cells { cells, proofs }) if split => {
            let part =
                |ending| move |(i, bytes): (usize, &[u8])| (format!("{i:03}.{ending}"), bytes.to_vec());
            let cells = cells.iter().map(|cell| &cell[..]).enumerate().map(part("cell"));
            let proofs = proofs.iter().flatten().map(|proof| &proof[..]).enumerate().map(part("proof"));
            Contents::Folder(cells.chain(proofs).collect())
        }
        (".proofs", Output::Cells { proofs, .. }) => {
            Contents::File(proofs.iter().flatten().flatten().copied().collect())
        }
        (".cells", Output::Cells { cells, .. }) => Contents::File(cells.as_flattened().to_vec()),
        // The first half of the cells is the blob.
        (_, Output::Cells { cells, .. }) => Contents::File(cells.as_flattened()[..BYTES_PER_BLOB].to_vec()),
        _ => Contents::File(Vec::new()),
    }
}

/// Returns the fields of an output, with the names of the consensus specifications.
pub(super) fn fields(operation: Operation, output: &Output) -> Map<String, Value> {
    let list = |all: &mut dyn Iterator<Item = &[u8]>| -> Value { all.map(hex0x).collect() };
    let object = match (output, operation) {
        (Output::Commitment(commitment), _) => json!({"commitment": hex0x(commitment)}),
        (Output::Proof { commitment, proof, y: Some(y) }, Operation::Prove { z: Some(z) }) => {
            json!({"commitment": hex0x(commitment), "z": hex0x(z), "y": hex0x(y), "proof": hex0x(proof)})
        }
        (Output::Proof { commitment, proof, .. }, _) => {
            json!({"commitment": hex0x(commitment), "proof": hex0x(proof)})
        }
        (Output::Cells { cells, proofs }, _) => {
            let mut object = json!({"cells": list(&mut cells.iter().map(|cell| &cell[..]))});
            if let Some(proofs) = proofs {
                object["proofs"] = list(&mut proofs.iter().map(|proof| &proof[..]));
            }
            object
        }
        (Output::Verified(right), _) => json!({"verified": right}),
        (Output::WrongCells(_), _) => json!({"verified": false}),
    };
    match object {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}

pub(super) fn verdict(right: bool) -> &'static str {
    if right { "verified" } else { "DOES NOT VERIFY" }
}

/// Returns what is wrong with a cell whose bytes are refused.
fn refused(cell: u64, error: &Error) -> String {
    damage(error, |_| Some(cell)).unwrap_or_else(|| format!("cell {cell}: {error}"))
}

pub(super) fn cells_text(indices: impl Iterator<Item = u64>) -> Option<String> {
    match &indices.map(|index| index.to_string()).collect::<Vec<_>>()[..] {
        [] => None,
        [one] => Some(format!("cell {one}")),
        many => Some(format!("cells {}", many.join(", "))),
    }
}

/// Returns the indices of the cells that do not verify, then the errors of the others.
pub(super) fn wrong_cells(cells: &[(u64, Reason)]) -> String {
    let refuted = cells.iter().filter(|(_, why)| !matches!(why, Reason::Malformed(_)));
    let mut parts: Vec<String> = Vec::from_iter(cells_text(refuted.map(|(cell, _)| *cell)));
    parts.extend(cells.iter().filter_map(|(cell, why)| match why {
        Reason::Malformed(error) => Some(refused(*cell, error)),
        _ => None,
    }));
    parts.dedup();
    parts.join("; ")
}

/// Returns an object for each wrong cell: its index, its file if the set is a folder, and the error of its bytes. The
/// file is the proof's if the error is in the proof.
pub(super) fn wrong_cells_json(set: &Path, cells: &[(u64, Reason)]) -> Value {
    let object = |(cell, why): &(u64, Reason)| {
        let mut object = json!({ "cell": cell });
        let kind = match why {
            Reason::Malformed(Error::Point { what: Input::Proof, .. }) => "proof",
            _ => "cell",
        };
        // An index has up to nine digits.
        let mut paths = (1..=9).map(|digits| set.join(format!("{cell:0digits$}.{kind}")));
        if let Some(file) = paths.find(|path| path.is_file()) {
            object["file"] = shown(&file).into();
        }
        if let Reason::Malformed(error) = why {
            object["error"] = refused(*cell, error).into();
        }
        object
    };
    cells.iter().map(object).collect()
}

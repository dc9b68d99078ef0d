//! The wrong cells of a set, as text and as JSON.

use std::path::Path;

use parcrypt_kzg::{Error, Input, Reason};
use serde_json::{Value, json};

use super::shown;

/// Returns the part of the set that is wrong and what is wrong with it, for a cell whose bytes are refused.
fn damage(cell: u64, error: &Error) -> String {
    match error {
        Error::NotCanonical { element, .. } => {
            format!("cell {cell}: field element {element} is not below the modulus")
        }
        // It is the same for all cells.
        Error::Point { what: Input::Commitment, why, .. } => format!("commitment: {why}"),
        Error::Point { why, .. } => format!("proof of cell {cell}: {why}"),
        error => format!("cell {cell}: {error}"),
    }
}

/// Returns the indices of the cells that do not verify, then the errors of the others.
pub(super) fn text(cells: &[(u64, Reason)]) -> String {
    let refuted = cells.iter().filter(|(_, why)| !matches!(why, Reason::Malformed(_)));
    let refuted: Vec<String> = refuted.map(|(cell, _)| cell.to_string()).collect();
    let mut parts: Vec<String> = match &refuted[..] {
        [] => vec![],
        [one] => vec![format!("cell {one}")],
        many => vec![format!("cells {}", many.join(", "))],
    };
    parts.extend(cells.iter().filter_map(|(cell, why)| match why {
        Reason::Malformed(error) => Some(damage(*cell, error)),
        _ => None,
    }));
    parts.dedup();
    parts.join("; ")
}

/// Returns an object for each wrong cell: its index, its file if the set is a folder, and the error of its bytes. The
/// file is the proof's if the error is in the proof.
pub(super) fn json(set: &Path, cells: &[(u64, Reason)]) -> Value {
    let object = |(cell, why): &(u64, Reason)| {
        let mut object = json!({ "cell": cell });
        let kind = match why {
            Reason::Malformed(Error::Point { what: Input::Proof, .. }) => "proof",
            _ => "cell",
        };
        if let Some(file) = file(set, *cell, kind) {
            object["file"] = file.into();
        }
        if let Reason::Malformed(error) = why {
            object["error"] = damage(*cell, error).into();
        }
        object
    };
    cells.iter().map(object).collect()
}

/// Returns the path of a cell's file of this kind if the set is a folder: its index has up to nine digits.
fn file(set: &Path, cell: u64, kind: &str) -> Option<String> {
    let paths = (1..=9).map(|digits| set.join(format!("{cell:0digits$}.{kind}")));
    paths.into_iter().find(|path| path.is_file()).map(|path| shown(&path).to_string())
}

//! Jobs and their outcomes as bytes. Numbers are little-endian; a list is preceded by its length in 4 bytes.
//!
//! A change of this format changes the number in `VERSION` of `session.rs`. The receiver checks all lengths.

use std::borrow::Cow;

use parcrypt_kzg::jobs::{Item, ItemError, Job, Operation, Outcome, Output};
use parcrypt_kzg::{ArithmeticError as Arithmetic, Error as Kzg, Input as What, Reason};

/// Maximum number of items whose memory is allocated before they are read.
const AT_FIRST: usize = 4096;

/// The items that an error can name, in the order of their numbers.
const WHATS: [What; 9] = [
    What::Blob,
    What::Cell,
    What::CellIndex,
    What::Commitment,
    What::CommitmentIndex,
    What::Proof,
    What::Z,
    What::Y,
    What::Secret,
];

/// The arithmetic errors that bytes can cause, in the order of their numbers.
const POINTS: [Arithmetic; 3] = [Arithmetic::NotCanonical, Arithmetic::NotOnCurve, Arithmetic::NotInSubgroup];

/// Returns the bytes of a job, which [`decode_job`] takes.
pub(crate) fn encode_job(job: &Job<'_>) -> Vec<u8> {
    let len = |item: &Item<'_>| {
        16 + item.data.len() + 8 * item.indices.len() + item.commitment.len() + item.proofs.len()
    };
    let mut out = Vec::with_capacity(64 + job.items.iter().map(len).sum::<usize>());
    match job.operation {
        Operation::Commit => out.push(0),
        Operation::Prove { z: None } => out.push(1),
        Operation::Prove { z: Some(z) } => {
            out.push(2);
            out.extend(z);
        }
        Operation::Cells { proofs } => out.push(3 + u8::from(proofs)),
        Operation::Recover { proofs } => out.push(5 + u8::from(proofs)),
        Operation::VerifyBlobs => out.push(7),
        Operation::VerifyOpenings => out.push(8),
        Operation::VerifyCells => out.push(9),
    }
    put_len(&mut out, job.items.len());
    for Item { data, indices, commitment, proofs } in &job.items {
        put_len(&mut out, indices.len());
        indices.iter().for_each(|index| out.extend(index.to_le_bytes()));
        for part in [data, commitment, proofs] {
            put(&mut out, part);
        }
    }
    out
}

/// Returns the job encoded by [`encode_job`]; `None` for other bytes.
pub(crate) fn decode_job(bytes: &[u8]) -> Option<Job<'_>> {
    let mut rest = Rest(bytes);
    let operation = match rest.byte()? {
        0 => Operation::Commit,
        1 => Operation::Prove { z: None },
        2 => Operation::Prove { z: Some(*rest.array()?) },
        operation @ 3..=4 => Operation::Cells { proofs: operation == 4 },
        operation @ 5..=6 => Operation::Recover { proofs: operation == 6 },
        7 => Operation::VerifyBlobs,
        8 => Operation::VerifyOpenings,
        9 => Operation::VerifyCells,
        _ => return None,
    };
    // An item has at least 16 bytes, which bounds the count before memory is allocated.
    let count = rest.len().filter(|count| *count <= rest.0.len() / 16)?;
    let mut items = Vec::with_capacity(count.min(AT_FIRST));
    for _ in 0..count {
        let indices = rest.len()?;
        let (indices, _) = rest.take(indices.checked_mul(8)?)?.as_chunks::<8>();
        let indices: Cow<'_, [u64]> = indices.iter().map(|index| u64::from_le_bytes(*index)).collect();
        let (data, commitment, proofs) = (rest.list()?, rest.list()?, rest.list()?);
        items.push(Item { data, indices, commitment, proofs });
    }
    rest.0.is_empty().then_some(Job { operation, items })
}

/// Returns the bytes of an outcome, which [`decode_outcome`] takes.
pub(crate) fn encode_outcome(results: &[Result<Output, ItemError>]) -> Vec<u8> {
    let len = |result: &Result<Output, ItemError>| match result {
        Ok(Output::Cells { cells, proofs }) => {
            size_of_val(&cells[..]) + proofs.as_ref().map_or(0, |proofs| size_of_val(&proofs[..]))
        }
        _ => 64,
    };
    let mut out = Vec::with_capacity(64 + results.iter().map(|result| len(result) + 64).sum::<usize>());
    put_len(&mut out, results.len());
    for result in results {
        match result {
            Ok(Output::Commitment(commitment)) => {
                out.push(0);
                out.extend(commitment);
            }
            Ok(Output::Proof { commitment, proof, y }) => {
                out.push(1 + u8::from(y.is_some()));
                out.extend(commitment);
                out.extend(proof);
                out.extend(y.iter().flatten());
            }
            Ok(Output::Cells { cells, proofs }) => {
                out.push(3 + u8::from(proofs.is_some()));
                put(&mut out, cells.as_flattened());
                proofs.iter().for_each(|proofs| put(&mut out, proofs.as_flattened()));
            }
            Ok(Output::Verified(verified)) => out.push(5 + u8::from(*verified)),
            Ok(Output::WrongCells(cells)) => {
                out.push(7);
                put_len(&mut out, cells.len());
                for (cell, why) in cells {
                    out.extend(cell.to_le_bytes());
                    match why {
                        Reason::Malformed(error) => put_error(&mut out, error),
                        _ => out.push(0),
                    }
                }
            }
            Err(ItemError::Kzg(error)) => put_error(&mut out, error),
            Err(error) => put_text(&mut out, &error.to_string()),
        }
    }
    out
}

/// Returns the outcome encoded by [`encode_outcome`]; `None` for other bytes.
pub(crate) fn decode_outcome(bytes: &[u8]) -> Option<Outcome> {
    let mut rest = Rest(bytes);
    let count = rest.len().filter(|count| *count <= rest.0.len())?;
    let mut results = Vec::with_capacity(count.min(AT_FIRST));
    for _ in 0..count {
        results.push(match rest.byte()? {
            0 => Ok(Output::Commitment(*rest.array()?)),
            kind @ 1..=2 => {
                let (commitment, proof) = (*rest.array()?, *rest.array()?);
                let y = if kind == 2 { Some(*rest.array()?) } else { None };
                Ok(Output::Proof { commitment, proof, y })
            }
            kind @ 3..=4 => {
                let cells = whole(rest.list()?)?;
                let proofs = if kind == 4 { Some(whole(rest.list()?)?) } else { None };
                Ok(Output::Cells { cells, proofs })
            }
            kind @ 5..=6 => Ok(Output::Verified(kind == 6)),
            7 => {
                // A cell has at least 9 bytes.
                let count = rest.len().filter(|count| *count <= rest.0.len() / 9)?;
                let cells = (0..count).map(|_| {
                    let (cell, kind) = (rest.long()?, rest.byte()?);
                    let why = if kind == 0 {
                        Reason::DoesNotVerify
                    } else {
                        Reason::Malformed(error(kind, &mut rest)?)
                    };
                    Some((cell, why))
                });
                Ok(Output::WrongCells(cells.collect::<Option<_>>()?))
            }
            TEXT => Err(ItemError::Other(String::from_utf8_lossy(rest.list()?).into_owned())),
            kind => Err(ItemError::Kzg(error(kind, &mut rest)?)),
        });
    }
    rest.0.is_empty().then_some(results)
}

const TEXT: u8 = 16;

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.push(TEXT);
    put(out, text.as_bytes());
}

/// Writes an error: one that an item can cause with its fields, any other as text.
fn put_error(out: &mut Vec<u8>, error: &Kzg) {
    let what = |what: &What| WHATS.iter().position(|other| other == what).map(|i| i as u64);
    let (kind, numbers) = match error {
        Kzg::Length { what: input, index, expected, got } => {
            (32, what(input).map(|w| vec![w, *index as u64, *expected as u64, *got as u64]))
        }
        Kzg::NotCanonical { what: input, index, element } => {
            (33, what(input).map(|w| vec![w, *index as u64, *element as u64]))
        }
        Kzg::Point { what: input, index, why } => {
            let why = POINTS.iter().position(|other| other == why);
            (34, what(input).zip(why).map(|(w, why)| vec![w, *index as u64, why as u64]))
        }
        Kzg::Count { what: input, expected, got } => {
            (35, what(input).map(|w| vec![w, *expected as u64, *got as u64]))
        }
        Kzg::CellIndex { index, cell_index } => (36, Some(vec![*index as u64, *cell_index])),
        Kzg::CellOrder { index, cell_index, before } => (37, Some(vec![*index as u64, *cell_index, *before])),
        Kzg::TooFewCells { got } => (38, Some(vec![*got as u64])),
        Kzg::Inconsistent => (39, Some(vec![])),
        _ => (TEXT, None),
    };
    match numbers {
        Some(numbers) => {
            out.push(kind);
            numbers.iter().for_each(|number| out.extend(number.to_le_bytes()));
        }
        None => put_text(out, &error.to_string()),
    }
}

fn error(kind: u8, rest: &mut Rest<'_>) -> Option<Kzg> {
    Some(match kind {
        32 => {
            Kzg::Length { what: rest.what()?, index: rest.size()?, expected: rest.size()?, got: rest.size()? }
        }
        33 => Kzg::NotCanonical { what: rest.what()?, index: rest.size()?, element: rest.size()? },
        34 => {
            let (what, index) = (rest.what()?, rest.size()?);
            Kzg::Point { what, index, why: POINTS.get(rest.size()?)?.clone() }
        }
        35 => Kzg::Count { what: rest.what()?, expected: rest.size()?, got: rest.size()? },
        36 => Kzg::CellIndex { index: rest.size()?, cell_index: rest.long()? },
        37 => Kzg::CellOrder { index: rest.size()?, cell_index: rest.long()?, before: rest.long()? },
        38 => Kzg::TooFewCells { got: rest.size()? },
        39 => Kzg::Inconsistent,
        _ => return None,
    })
}

fn put_len(out: &mut Vec<u8>, len: usize) {
    // A list longer than the maximum length of a message is refused with the message, before it is sent.
    out.extend((len.min(u32::MAX as usize) as u32).to_le_bytes());
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    put_len(out, bytes.len());
    out.extend(bytes);
}

/// Returns bytes as a list of arrays; `None` if bytes remain.
fn whole<const N: usize>(bytes: &[u8]) -> Option<Vec<[u8; N]>> {
    let (all, rest) = bytes.as_chunks();
    rest.is_empty().then(|| all.to_vec())
}

/// Bytes that are not read yet.
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<&'a [u8; N]> {
        self.take(N)?.try_into().ok()
    }

    fn byte(&mut self) -> Option<u8> {
        Some(self.take(1)?[0])
    }

    fn len(&mut self) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(*self.array()?)).ok()
    }

    fn list(&mut self) -> Option<&'a [u8]> {
        let len = self.len()?;
        self.take(len)
    }

    fn long(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(*self.array()?))
    }

    fn size(&mut self) -> Option<usize> {
        usize::try_from(self.long()?).ok()
    }

    fn what(&mut self) -> Option<What> {
        WHATS.get(self.size()?).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs() -> Vec<Job<'static>> {
        let item = Item {
            data: &[1, 2, 3],
            indices: Cow::Borrowed(&[5, u64::MAX]),
            commitment: &[7; 48],
            proofs: &[8; 96],
        };
        let operations = [
            Operation::Commit,
            Operation::Prove { z: None },
            Operation::Prove { z: Some([9; 32]) },
            Operation::Cells { proofs: false },
            Operation::Cells { proofs: true },
            Operation::Recover { proofs: false },
            Operation::Recover { proofs: true },
            Operation::VerifyBlobs,
            Operation::VerifyOpenings,
            Operation::VerifyCells,
        ];
        let items = [vec![], vec![item.clone()], vec![Item::default(), item]];
        operations
            .iter()
            .flat_map(|operation| items.clone().map(|items| Job { operation: *operation, items }))
            .collect()
    }

    fn results() -> Outcome {
        let mut all = vec![
            Ok(Output::Commitment([1; 48])),
            Ok(Output::Proof { commitment: [2; 48], proof: [3; 48], y: None }),
            Ok(Output::Proof { commitment: [2; 48], proof: [3; 48], y: Some([4; 32]) }),
            Ok(Output::Cells { cells: vec![[5; 2048]; 3], proofs: None }),
            Ok(Output::Cells { cells: vec![], proofs: Some(vec![[6; 48]; 2]) }),
            Ok(Output::Verified(true)),
            Ok(Output::Verified(false)),
            Ok(Output::WrongCells(vec![
                (3, Reason::DoesNotVerify),
                (127, Reason::Malformed(Kzg::NotCanonical { what: What::Cell, index: 1, element: 2 })),
                (u64::MAX, Reason::Malformed(Kzg::CellIndex { index: 2, cell_index: u64::MAX })),
            ])),
            Err(ItemError::Other("it failed".to_owned())),
            Err(ItemError::Kzg(Kzg::CellIndex { index: 1, cell_index: u64::MAX })),
            Err(ItemError::Kzg(Kzg::CellOrder { index: 1, cell_index: 2, before: 3 })),
            Err(ItemError::Kzg(Kzg::TooFewCells { got: 63 })),
            Err(ItemError::Kzg(Kzg::Inconsistent)),
        ];
        for what in WHATS {
            all.push(Err(ItemError::Kzg(Kzg::Length { what, index: 1, expected: 2, got: 3 })));
            all.push(Err(ItemError::Kzg(Kzg::NotCanonical { what, index: 4, element: 5 })));
            all.push(Err(ItemError::Kzg(Kzg::Count { what, expected: 6, got: 7 })));
            all.extend(POINTS.map(|why| Err(ItemError::Kzg(Kzg::Point { what, index: 8, why }))));
        }
        all
    }

    #[test]
    fn jobs_round_trip_or_are_refused() {
        for job in jobs() {
            let bytes = encode_job(&job);
            assert_eq!(decode_job(&bytes), Some(job.clone()));
            for len in 0..bytes.len() {
                assert_eq!(decode_job(&bytes[..len]), None, "{len} bytes of {job:?}");
            }
            assert_eq!(decode_job(&[&bytes[..], &[0]].concat()), None);
            for at in 0..bytes.len() {
                // Decoding any bytes must not allocate more memory than the message has.
                let mut bytes = bytes.clone();
                bytes[at] = 255;
                drop(decode_job(&bytes));
            }
        }
    }

    #[test]
    fn results_round_trip_or_are_refused() {
        let all = results();
        let bytes = encode_outcome(&all);
        assert_eq!(decode_outcome(&bytes), Some(all));
        for result in results() {
            let bytes = encode_outcome(std::slice::from_ref(&result));
            assert_eq!(decode_outcome(&bytes), Some(vec![result]));
            (0..bytes.len()).for_each(|len| assert_eq!(decode_outcome(&bytes[..len]), None));
            assert_eq!(decode_outcome(&[&bytes[..], &[0]].concat()), None);
        }
    }

    #[test]
    fn errors_without_a_number_travel_as_text() {
        let error = Kzg::Arithmetic(Arithmetic::Scale { scale: 40 });
        let bytes = encode_outcome(&[Err(ItemError::Kzg(error.clone()))]);
        assert_eq!(decode_outcome(&bytes), Some(vec![Err(ItemError::Other(error.to_string()))]));
    }
}

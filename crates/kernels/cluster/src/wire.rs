//! Jobs and their outcomes as bytes. Numbers are little-endian; a list is preceded by its length in 4 bytes.
//!
//! A change of this format changes the number in `VERSION` of `session.rs`. The receiver checks all lengths.

use std::borrow::Cow;

use parcrypt_kzg::jobs::{Item, ItemError, Job, Operation, Outcome, Output};
use parcrypt_kzg::{ArithmeticError as Arithmetic, Error as Kzg, Input as What, Reason};

/// Maximum number of items whose memory is allocated before they are read.
const AT_FIRST: usize = 4096;

/// The parts of an item that an error can name, in the order of their numbers.
const WHATS: [What; 6] = [What::Blob, What::Cell, What::Commitment, What::Proof, What::Z, What::Y];

/// The operations, in the order of their numbers; an evaluation point follows its number.
const OPERATIONS: [Operation; 10] = [
    Operation::Commit,
    Operation::Prove { z: None },
    Operation::Prove { z: Some([0; 32]) },
    Operation::Cells { proofs: false },
    Operation::Cells { proofs: true },
    Operation::Recover { proofs: false },
    Operation::Recover { proofs: true },
    Operation::VerifyBlobs,
    Operation::VerifyOpenings,
    Operation::VerifyCells,
];

/// The arithmetic errors that bytes can cause, in the order of their numbers.
const POINTS: [Arithmetic; 3] = [Arithmetic::NotCanonical, Arithmetic::NotOnCurve, Arithmetic::NotInSubgroup];

/// Returns the bytes of a job, which [`decode_job`] takes.
pub(crate) fn encode_job(job: &Job<'_>) -> Vec<u8> {
    let len = |item: &Item<'_>| {
        16 + item.data.len() + 8 * item.indices.len() + item.commitment.len() + item.proofs.len()
    };
    let mut out = Vec::with_capacity(64 + job.items.iter().map(len).sum::<usize>());
    let (known, z) = match job.operation {
        Operation::Prove { z: Some(z) } => (OPERATIONS[2], Some(z)),
        operation => (operation, None),
    };
    out.extend(OPERATIONS.iter().position(|other| *other == known).map(|number| number as u8));
    out.extend(z.iter().flatten());
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
    let operation = match *OPERATIONS.get(usize::from(rest.byte()?))? {
        Operation::Prove { z: Some(_) } => Operation::Prove { z: Some(*rest.array()?) },
        operation => operation,
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
                let numbered = cells.iter().map(|(cell, why)| match why {
                    Reason::Malformed(error) => Ok((*cell, numbers(error).ok_or(error)?)),
                    _ => Ok((*cell, [0; 4])),
                });
                match numbered.collect::<Result<Vec<_>, &Kzg>>() {
                    Ok(cells) => {
                        out.push(7);
                        put_len(&mut out, cells.len());
                        for (cell, why) in cells {
                            out.extend(cell.to_le_bytes());
                            out.extend(why.map(u64::to_le_bytes).as_flattened());
                        }
                    }
                    Err(error) => put_text(&mut out, error),
                }
            }
            Err(ItemError::Kzg(error)) => match numbers(error) {
                Some(numbers) => {
                    out.push(8);
                    out.extend(numbers.map(u64::to_le_bytes).as_flattened());
                }
                None => put_text(&mut out, error),
            },
            Err(error) => put_text(&mut out, error),
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
                // A cell has 40 bytes.
                let count = rest.len().filter(|count| *count <= rest.0.len() / 40)?;
                let cells = (0..count).map(|_| match (rest.long()?, rest.numbers()?) {
                    (cell, [0, ..]) => Some((cell, Reason::DoesNotVerify)),
                    (cell, why) => Some((cell, Reason::Malformed(error(why)?))),
                });
                Ok(Output::WrongCells(cells.collect::<Option<_>>()?))
            }
            8 => Err(ItemError::Kzg(error(rest.numbers()?)?)),
            TEXT => Err(ItemError::Other(String::from_utf8_lossy(rest.list()?).into_owned())),
            _ => return None,
        });
    }
    rest.0.is_empty().then_some(results)
}

/// Kind of an error whose text alone is sent.
const TEXT: u8 = 9;

fn put_text(out: &mut Vec<u8>, error: &dyn std::fmt::Display) {
    out.push(TEXT);
    put(out, error.to_string().as_bytes());
}

/// Returns the numbers of an error that a user is told the place of; the first is not 0.
fn numbers(error: &Kzg) -> Option<[u64; 4]> {
    let at = |what: &What| Some(WHATS.iter().position(|other| other == what)? as u64);
    Some(match error {
        Kzg::NotCanonical { what, index, element } => [1, at(what)?, *index as u64, *element as u64],
        Kzg::Point { what, index, why } => {
            [2, at(what)?, *index as u64, POINTS.iter().position(|other| other == why)? as u64]
        }
        _ => return None,
    })
}

fn error([kind, what, index, last]: [u64; 4]) -> Option<Kzg> {
    let [what, index, last] = [what, index, last].map(|number| usize::try_from(number).ok());
    let (what, index, last) = (*WHATS.get(what?)?, index?, last?);
    match kind {
        1 => Some(Kzg::NotCanonical { what, index, element: last }),
        2 => Some(Kzg::Point { what, index, why: POINTS.get(last)?.clone() }),
        _ => None,
    }
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

    fn numbers(&mut self) -> Option<[u64; 4]> {
        Some([self.long()?, self.long()?, self.long()?, self.long()?])
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
        let items = [vec![], vec![item.clone()], vec![Item::default(), item]];
        let at_z = Operation::Prove { z: Some([9; 32]) };
        let operations = OPERATIONS.into_iter().chain([at_z]);
        operations.flat_map(|operation| items.clone().map(|items| Job { operation, items })).collect()
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
            ])),
            Err(ItemError::Other("it failed".to_owned())),
        ];
        for what in WHATS {
            all.push(Err(ItemError::Kzg(Kzg::NotCanonical { what, index: 4, element: 5 })));
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
    fn errors_without_numbers_travel_as_text() {
        let error = Kzg::TooFewCells { got: 63 };
        let cells = vec![(1, Reason::DoesNotVerify), (2, Reason::Malformed(error.clone()))];
        for result in [Err(ItemError::Kzg(error.clone())), Ok(Output::WrongCells(cells))] {
            let bytes = encode_outcome(&[result]);
            assert_eq!(decode_outcome(&bytes), Some(vec![Err(ItemError::Other(error.to_string()))]));
        }
    }
}

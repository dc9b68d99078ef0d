//! Tasks and their results as bytes. Numbers are least significant byte first; a list has its length before it, in 4 bytes.
//!
//! Whoever changes this form changes the number in `VERSION` of `session.rs`. Both sides check all lengths: nothing that
//! arrives is taken at its word.

use std::borrow::Cow;

use parcrypt_bls12_381::Error as Arithmetic;
use parcrypt_kzg::{Error as Kzg, Input as What};

use crate::task::{Failure, Input, Made, Op, Results, Task, Verdict};

/// The most bytes of one message. MPI counts them in an `int`.
pub(crate) const MOST: usize = 1 << 30;

/// For how many items memory is asked for before they are seen.
const AT_FIRST: usize = 4096;

/// All inputs that an error can name, in the order of their numbers.
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

/// The errors of arithmetic that bytes can lead to, in the order of their numbers.
const POINTS: [Arithmetic; 3] = [Arithmetic::NotCanonical, Arithmetic::NotOnCurve, Arithmetic::NotInSubgroup];

impl Task<'_> {
    /// The bytes that [`Task::decode`] takes.
    pub(crate) fn encode(&self) -> Vec<u8> {
        let len = |input: &Input<'_>| {
            16 + input.data.len() + 8 * input.indices.len() + input.commitment.len() + input.proofs.len()
        };
        let mut out = Vec::with_capacity(64 + self.inputs.iter().map(len).sum::<usize>());
        match self.op {
            Op::Commit => out.push(0),
            Op::Prove { z: None } => out.push(1),
            Op::Prove { z: Some(z) } => {
                out.push(2);
                out.extend(z);
            }
            Op::Cells { proofs } => out.push(3 + u8::from(proofs)),
            Op::Recover { proofs } => out.push(5 + u8::from(proofs)),
            Op::VerifyBlobs => out.push(7),
            Op::VerifyOpenings => out.push(8),
            Op::VerifyCells => out.push(9),
        }
        put_len(&mut out, self.inputs.len());
        for Input { data, indices, commitment, proofs } in &self.inputs {
            put_len(&mut out, indices.len());
            indices.iter().for_each(|index| out.extend(index.to_le_bytes()));
            for part in [data, commitment, proofs] {
                put(&mut out, part);
            }
        }
        out
    }

    /// Undoes [`Task::encode`]; nothing for bytes that it does not give.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Task<'_>> {
        let mut rest = Rest(bytes);
        let op = match rest.byte()? {
            0 => Op::Commit,
            1 => Op::Prove { z: None },
            2 => Op::Prove { z: Some(*rest.array()?) },
            op @ 3..=4 => Op::Cells { proofs: op == 4 },
            op @ 5..=6 => Op::Recover { proofs: op == 6 },
            7 => Op::VerifyBlobs,
            8 => Op::VerifyOpenings,
            9 => Op::VerifyCells,
            _ => return None,
        };
        // An input has 16 bytes at least, so that a wrong count is seen before anything is made of it.
        let count = rest.len().filter(|count| *count <= rest.0.len() / 16)?;
        let mut inputs = Vec::with_capacity(count.min(AT_FIRST));
        for _ in 0..count {
            let indices = rest.len()?;
            let (indices, _) = rest.take(indices.checked_mul(8)?)?.as_chunks::<8>();
            let indices: Cow<'_, [u64]> = indices.iter().map(|index| u64::from_le_bytes(*index)).collect();
            let (data, commitment, proofs) = (rest.list()?, rest.list()?, rest.list()?);
            inputs.push(Input { data, indices, commitment, proofs });
        }
        rest.0.is_empty().then_some(Task { op, inputs })
    }
}

/// The bytes that [`decode_results`] takes.
pub(crate) fn encode_results(results: &[Result<Made, Failure>]) -> Vec<u8> {
    let len = |made: &Result<Made, Failure>| match made {
        Ok(Made::Cells { cells, proofs }) => {
            size_of_val(&cells[..]) + proofs.as_ref().map_or(0, |proofs| size_of_val(&proofs[..]))
        }
        _ => 64,
    };
    let mut out = Vec::with_capacity(64 + results.iter().map(|made| len(made) + 64).sum::<usize>());
    put_len(&mut out, results.len());
    for result in results {
        match result {
            Ok(Made::Commitment(commitment)) => {
                out.push(0);
                out.extend(commitment);
            }
            Ok(Made::Proof { commitment, proof, y }) => {
                out.push(1 + u8::from(y.is_some()));
                out.extend(commitment);
                out.extend(proof);
                out.extend(y.iter().flatten());
            }
            Ok(Made::Cells { cells, proofs }) => {
                out.push(3 + u8::from(proofs.is_some()));
                put(&mut out, cells.as_flattened());
                proofs.iter().for_each(|proofs| put(&mut out, proofs.as_flattened()));
            }
            Ok(Made::Verdict(verdict)) => out.push(5 + u8::from(*verdict == Verdict::Yes)),
            Err(Failure::Kzg(error)) => put_error(&mut out, error),
            Err(Failure::Other(text)) => put_text(&mut out, text),
        }
    }
    out
}

/// Undoes [`encode_results`]; nothing for bytes that it does not give.
pub(crate) fn decode_results(bytes: &[u8]) -> Option<Results> {
    let mut rest = Rest(bytes);
    let count = rest.len().filter(|count| *count <= rest.0.len())?;
    let mut results = Vec::with_capacity(count.min(AT_FIRST));
    for _ in 0..count {
        results.push(match rest.byte()? {
            0 => Ok(Made::Commitment(*rest.array()?)),
            kind @ 1..=2 => {
                let (commitment, proof) = (*rest.array()?, *rest.array()?);
                let y = if kind == 2 { Some(*rest.array()?) } else { None };
                Ok(Made::Proof { commitment, proof, y })
            }
            kind @ 3..=4 => {
                let cells = whole(rest.list()?)?;
                let proofs = if kind == 4 { Some(whole(rest.list()?)?) } else { None };
                Ok(Made::Cells { cells, proofs })
            }
            kind @ 5..=6 => Ok(Made::Verdict((kind == 6).into())),
            TEXT => Err(Failure::Other(String::from_utf8_lossy(rest.list()?).into_owned())),
            kind => Err(Failure::Kzg(error(kind, &mut rest)?)),
        });
    }
    rest.0.is_empty().then_some(results)
}

const TEXT: u8 = 16;

fn put_text(out: &mut Vec<u8>, text: &str) {
    out.push(TEXT);
    put(out, text.as_bytes());
}

/// What inputs can lead to is told as it is; what else there is, in words.
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
    // What is longer than a message may be is refused as a whole, before it is sent.
    out.extend((len.min(u32::MAX as usize) as u32).to_le_bytes());
}

fn put(out: &mut Vec<u8>, bytes: &[u8]) {
    put_len(out, bytes.len());
    out.extend(bytes);
}

/// Bytes as a list of arrays, where there is none too few.
fn whole<const N: usize>(bytes: &[u8]) -> Option<Vec<[u8; N]>> {
    let (all, rest) = bytes.as_chunks();
    rest.is_empty().then(|| all.to_vec())
}

/// What has not been read yet.
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

    fn tasks() -> Vec<Task<'static>> {
        let input = Input {
            data: &[1, 2, 3],
            indices: Cow::Borrowed(&[5, u64::MAX]),
            commitment: &[7; 48],
            proofs: &[8; 96],
        };
        let ops = [
            Op::Commit,
            Op::Prove { z: None },
            Op::Prove { z: Some([9; 32]) },
            Op::Cells { proofs: false },
            Op::Cells { proofs: true },
            Op::Recover { proofs: false },
            Op::Recover { proofs: true },
            Op::VerifyBlobs,
            Op::VerifyOpenings,
            Op::VerifyCells,
        ];
        let inputs = [vec![], vec![input.clone()], vec![Input::default(), input]];
        ops.iter().flat_map(|op| inputs.clone().map(|inputs| Task { op: *op, inputs })).collect()
    }

    fn results() -> Results {
        let mut all = vec![
            Ok(Made::Commitment([1; 48])),
            Ok(Made::Proof { commitment: [2; 48], proof: [3; 48], y: None }),
            Ok(Made::Proof { commitment: [2; 48], proof: [3; 48], y: Some([4; 32]) }),
            Ok(Made::Cells { cells: vec![[5; 2048]; 3], proofs: None }),
            Ok(Made::Cells { cells: vec![], proofs: Some(vec![[6; 48]; 2]) }),
            Ok(Made::Verdict(Verdict::Yes)),
            Ok(Made::Verdict(Verdict::No)),
            Err(Failure::Other("it fell over".to_owned())),
            Err(Failure::Kzg(Kzg::CellIndex { index: 1, cell_index: u64::MAX })),
            Err(Failure::Kzg(Kzg::CellOrder { index: 1, cell_index: 2, before: 3 })),
            Err(Failure::Kzg(Kzg::TooFewCells { got: 63 })),
            Err(Failure::Kzg(Kzg::Inconsistent)),
        ];
        for what in WHATS {
            all.push(Err(Failure::Kzg(Kzg::Length { what, index: 1, expected: 2, got: 3 })));
            all.push(Err(Failure::Kzg(Kzg::NotCanonical { what, index: 4, element: 5 })));
            all.push(Err(Failure::Kzg(Kzg::Count { what, expected: 6, got: 7 })));
            all.extend(POINTS.map(|why| Err(Failure::Kzg(Kzg::Point { what, index: 8, why }))));
        }
        all
    }

    #[test]
    fn tasks_come_back_as_they_were_or_not_at_all() {
        for task in tasks() {
            let bytes = task.encode();
            assert_eq!(Task::decode(&bytes), Some(task.clone()));
            for len in 0..bytes.len() {
                assert_eq!(Task::decode(&bytes[..len]), None, "{len} bytes of {task:?}");
            }
            assert_eq!(Task::decode(&[&bytes[..], &[0]].concat()), None);
            for at in 0..bytes.len() {
                // Whatever else it may be, it must not ask for more memory than a message has.
                let mut bytes = bytes.clone();
                bytes[at] = 255;
                drop(Task::decode(&bytes));
            }
        }
    }

    #[test]
    fn results_come_back_as_they_were_or_not_at_all() {
        let all = results();
        let bytes = encode_results(&all);
        assert_eq!(decode_results(&bytes), Some(all));
        for result in results() {
            let bytes = encode_results(std::slice::from_ref(&result));
            assert_eq!(decode_results(&bytes), Some(vec![result]));
            (0..bytes.len()).for_each(|len| assert_eq!(decode_results(&bytes[..len]), None));
            assert_eq!(decode_results(&[&bytes[..], &[0]].concat()), None);
        }
    }

    #[test]
    fn errors_that_have_no_number_are_told_in_words() {
        let error = Kzg::Arithmetic(Arithmetic::Scale { scale: 40 });
        let bytes = encode_results(&[Err(Failure::Kzg(error.clone()))]);
        assert_eq!(decode_results(&bytes), Some(vec![Err(Failure::Other(error.to_string()))]));
    }
}

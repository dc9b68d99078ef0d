//! The KZG workloads of the lab, over any library. `docs/reference/workloads.md` defines them, and
//! `crates/parcrypt/src/workloads/kzg.rs` does the same work with Parcrypt's own code.

use std::thread;

use blstrs::{G1Affine, G1Projective, Scalar};
use group::Curve;
use group::prime::PrimeCurveAffine;

use crate::library::{BLOB, CELL, CELLS, ELEMENT, Element, Library, Point, Refusal};

/// Names of the workloads, with their blobs.
pub(crate) const WORKLOADS: [(&str, Blobs); 12] = [
    ("kzg-commit", Blobs::InTheInput),
    ("kzg-blob-proof", Blobs::InTheInput),
    ("kzg-verify-proof", Blobs::One),
    ("kzg-verify-blob", Blobs::One),
    ("kzg-verify-blob-batch", Blobs::Multiples),
    ("kzg-cells", Blobs::InTheInput),
    ("kzg-cells-and-proofs", Blobs::InTheInput),
    ("kzg-recover-cells", Blobs::InTheInput),
    ("kzg-recover", Blobs::InTheInput),
    ("kzg-verify-cells", Blobs::Multiples),
    ("kzg-verify-column", Blobs::Multiples),
    ("kzg-load", Blobs::One),
];

/// Number and source of a workload's blobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blobs {
    /// One blob, without a parameter `blobs`.
    One,
    /// The number in the parameter, all in the input.
    InTheInput,
    /// The number in the parameter: once, twice, three times the one in the input. Their commitments and proofs are
    /// multiples too, so that a large batch for verification is prepared quickly; for a verifier they are like any
    /// others.
    Multiples,
}

/// The column of `kzg-verify-column`.
const COLUMN: usize = 77;

/// Maximum number of blobs; their cells with their commitments and proofs take about 1.5 GiB.
pub(crate) const MOST_BLOBS: u64 = 4096;

/// Prepared work that can be repeated.
pub(crate) trait Work {
    /// Does the work once.
    fn iterate(&mut self) -> Result<(), Refusal>;
    /// Passes the canonical bytes of the last output to `take`.
    fn answer(&mut self, take: &mut dyn FnMut(&[u8])) -> Result<(), Refusal>;
}

/// Returns field elements from any bytes: the two highest bits of each are cleared, so that it is below 2^254 and so
/// below the group's order.
pub(crate) fn canonical(mut input: Vec<u8>) -> Vec<u8> {
    input.chunks_mut(ELEMENT).for_each(|element| element[0] &= 0x3f);
    input
}

/// Returns the cells that are given for a recovery: those whose index has an odd number of bits that are 1. It is half
/// of them, in each half of the extended blob and without a structure that makes recovery easier.
pub(crate) fn present() -> impl Iterator<Item = usize> {
    (0..CELLS).filter(|index| index.count_ones() % 2 == 1)
}

/// Prepares the work of `workload`; `batch` is the number of blobs where they are multiples of the one in `input`.
/// `kzg-load` is not handled here.
pub(crate) fn prepare<L: Library + 'static>(
    workload: &str,
    library: L,
    input: Vec<u8>,
    batch: usize,
) -> Result<Box<dyn Work>, Refusal> {
    let input = canonical(input);
    let blobs = input.chunks(BLOB).map(L::blob).collect::<Result<Vec<_>, _>>()?;
    let task = match workload {
        "kzg-commit" => Task::Commit { blobs },
        "kzg-blob-proof" => {
            let commitments = many::<L, _, _>(&blobs, |blob| library.commit(blob))?;
            Task::BlobProof { blobs, commitments: commitments.iter().map(L::bytes48).collect() }
        }
        "kzg-verify-proof" => {
            let (blob, z) = (first(&blobs)?, last_element(&input)?);
            let commitment = L::bytes48(&library.commit(blob)?);
            let (proof, y) = library.proof(blob, &z)?;
            Task::VerifyProof { commitment, z, y, proof: L::bytes48(&proof) }
        }
        "kzg-verify-blob" | "kzg-verify-blob-batch" => {
            let commitments = multiples(&[library.commit(first(&blobs)?)?], batch)?.concat();
            let commitments: Vec<_> = commitments.iter().map(L::bytes48).collect();
            let bytes = element_multiples(&input, batch)?;
            let blobs = bytes.iter().map(|blob| L::blob(blob)).collect::<Result<Vec<_>, _>>()?;
            let pairs: Vec<_> = blobs.iter().zip(&commitments).collect();
            let proofs = many::<L, _, _>(&pairs, |(blob, commitment)| library.blob_proof(blob, commitment))?;
            let proofs = proofs.iter().map(L::bytes48).collect();
            let spoiled = L::blob(&spoil(bytes.last().ok_or_else(nothing)?))?;
            match workload {
                "kzg-verify-blob" => Task::VerifyBlob { blobs, commitments, proofs, spoiled },
                _ => Task::VerifyBlobs { blobs, commitments, proofs, spoiled },
            }
        }
        "kzg-cells" => Task::Cells { blobs },
        "kzg-cells-and-proofs" => Task::CellsAndProofs { blobs },
        "kzg-recover-cells" | "kzg-recover" => {
            let all = many::<L, _, _>(&blobs, |blob| library.cells(blob))?;
            let samples = all.iter().map(|cells| {
                let bytes = cell_bytes::<L>(cells);
                present().map(|index| L::cell(&bytes[index * CELL..][..CELL])).collect()
            });
            let samples = samples.collect::<Result<Vec<Vec<_>>, _>>()?;
            let indices: Vec<u64> = present().map(|index| index as u64).collect();
            match workload {
                "kzg-recover" => Task::Recover { indices, samples },
                _ => {
                    // The library may have no such function.
                    samples.first().map(|cells| library.recover_cells(&indices, cells)).transpose()?;
                    Task::RecoverCells { indices, samples }
                }
            }
        }
        "kzg-verify-cells" | "kzg-verify-column" => {
            let columns = if workload == "kzg-verify-cells" { 0..CELLS } else { COLUMN..COLUMN + 1 };
            let blob = first(&blobs)?;
            let (cells, proofs) = library.cells_and_proofs(blob)?;
            let commitments = multiples(&[library.commit(blob)?], batch)?.concat();
            let per_cell = |point| std::iter::repeat_n(L::bytes48(point), columns.len());
            let commitments = commitments.iter().flat_map(per_cell).collect();
            let proofs = multiples(&proofs[columns.clone()], batch)?;
            let proofs = proofs.iter().flatten().map(L::bytes48).collect();
            let bytes = &cell_bytes::<L>(&cells)[CELL * columns.start..CELL * columns.end];
            let bytes = element_multiples(bytes, batch)?.concat();
            let cells = bytes.chunks(CELL).map(L::cell).collect::<Result<Vec<_>, _>>()?;
            let indices = columns.cycle().map(|column| column as u64).take(cells.len()).collect();
            let spoiled = L::cell(&spoil(bytes.chunks(CELL).next_back().ok_or_else(nothing)?))?;
            Task::VerifyCells { commitments, indices, cells, proofs, spoiled }
        }
        other => return Err(Refusal::Unsupported(format!("there is no workload `{other}` here"))),
    };
    Ok(Box::new(Ready { library, task, answer: Answer::default() }))
}

/// Returns the bytes of cells, one after the other.
fn cell_bytes<L: Library>(cells: &L::Cells) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(CELLS * CELL);
    L::take_cells(cells, &mut |cell| bytes.extend_from_slice(cell));
    bytes
}

/// Returns the same bytes with the lowest bit of the last field element flipped.
fn spoil(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes.iter_mut().next_back().into_iter().for_each(|byte| *byte ^= 1);
    bytes
}

fn nothing() -> Refusal {
    Refusal::Unsupported("no blob".to_owned())
}

fn first<T>(all: &[T]) -> Result<&T, Refusal> {
    all.first().ok_or_else(nothing)
}

fn last<T>(all: &mut [T]) -> Result<&mut T, Refusal> {
    all.last_mut().ok_or_else(nothing)
}

fn last_element(input: &[u8]) -> Result<Element, Refusal> {
    input.last_chunk().copied().ok_or_else(nothing)
}

/// Returns 1, 2, … `count` times each of the points.
fn multiples(points: &[Point], count: usize) -> Result<Vec<Vec<Point>>, Refusal> {
    let foreign = || Refusal::Failed { library: "blstrs", what: "a point that is none".to_owned() };
    let once = points.iter().map(|point| Option::from(G1Affine::from_compressed(point)).ok_or_else(foreign));
    let once = once.collect::<Result<Vec<G1Affine>, _>>()?;
    let mut sums: Vec<G1Projective> = once.iter().map(G1Affine::to_curve).collect();
    let mut affine = once.clone();
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        G1Projective::batch_normalize(&sums, &mut affine);
        all.push(affine.iter().map(G1Affine::to_compressed).collect());
        sums.iter_mut().zip(&once).for_each(|(sum, point)| *sum += point);
    }
    Ok(all)
}

/// Returns 1, 2, … `count` times each of the field elements.
fn element_multiples(bytes: &[u8], count: usize) -> Result<Vec<Vec<u8>>, Refusal> {
    let foreign = || Refusal::Failed { library: "blstrs", what: "an element that is none".to_owned() };
    let once = bytes.as_chunks().0.iter();
    let once = once.map(|element| Option::from(Scalar::from_bytes_be(element)).ok_or_else(foreign));
    let once = once.collect::<Result<Vec<Scalar>, _>>()?;
    let mut sums = once.clone();
    let mut all = Vec::with_capacity(count);
    for _ in 0..count {
        all.push(sums.iter().flat_map(Scalar::to_bytes_be).collect());
        sums.iter_mut().zip(&once).for_each(|(sum, element)| *sum += element);
    }
    Ok(all)
}

/// Calls `make` for each, on all processors where that is faster: preparation is not measured.
fn many<L: Library, T: Sync, U: Send>(
    items: &[T],
    make: impl Fn(&T) -> Result<U, Refusal> + Sync,
) -> Result<Vec<U>, Refusal> {
    let callers = if L::MANY_CALLERS { thread::available_parallelism().map_or(1, |n| n.get()) } else { 1 };
    if callers == 1 {
        return items.iter().map(make).collect();
    }
    let make = &make;
    thread::scope(|scope| {
        let parts = items.chunks(items.len().div_ceil(callers).max(1));
        let parts: Vec<_> = parts
            .map(|part| scope.spawn(move || part.iter().map(make).collect::<Result<Vec<U>, _>>()))
            .collect();
        let mut all = Vec::with_capacity(items.len());
        for part in parts {
            match part.join() {
                Ok(part) => all.extend(part?),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        Ok(all)
    })
}

/// Work that is repeated, with its inputs.
enum Task<L: Library> {
    Commit {
        blobs: Vec<L::Blob>,
    },
    BlobProof {
        blobs: Vec<L::Blob>,
        commitments: Vec<L::Bytes48>,
    },
    VerifyProof {
        commitment: L::Bytes48,
        z: Element,
        y: Element,
        proof: L::Bytes48,
    },
    VerifyBlob {
        blobs: Vec<L::Blob>,
        commitments: Vec<L::Bytes48>,
        proofs: Vec<L::Bytes48>,
        /// Replacement of the last one for the negative verdict.
        spoiled: L::Blob,
    },
    VerifyBlobs {
        blobs: Vec<L::Blob>,
        commitments: Vec<L::Bytes48>,
        proofs: Vec<L::Bytes48>,
        /// Replacement of the last one for the negative verdict.
        spoiled: L::Blob,
    },
    Cells {
        blobs: Vec<L::Blob>,
    },
    CellsAndProofs {
        blobs: Vec<L::Blob>,
    },
    RecoverCells {
        indices: Vec<u64>,
        samples: Vec<Vec<L::Cell>>,
    },
    Recover {
        indices: Vec<u64>,
        samples: Vec<Vec<L::Cell>>,
    },
    VerifyCells {
        commitments: Vec<L::Bytes48>,
        indices: Vec<u64>,
        cells: Vec<L::Cell>,
        proofs: Vec<L::Bytes48>,
        /// Replacement of the last one for the negative verdict.
        spoiled: L::Cell,
    },
}

/// The last output.
struct Answer<L: Library> {
    points: Vec<Point>,
    cells: Vec<L::Cells>,
    cells_and_proofs: Vec<(L::Cells, Vec<Point>)>,
    verdict: Option<bool>,
}

impl<L: Library> Default for Answer<L> {
    fn default() -> Self {
        Answer { points: Vec::new(), cells: Vec::new(), cells_and_proofs: Vec::new(), verdict: None }
    }
}

struct Ready<L: Library> {
    library: L,
    task: Task<L>,
    answer: Answer<L>,
}

impl<L: Library> Work for Ready<L> {
    fn iterate(&mut self) -> Result<(), Refusal> {
        let (library, answer) = (&self.library, &mut self.answer);
        // The memory of the last output is freed before the next.
        *answer = Answer::default();
        match &self.task {
            Task::Commit { blobs } => {
                answer.points = blobs.iter().map(|blob| library.commit(blob)).collect::<Result<_, _>>()?;
            }
            Task::BlobProof { blobs, commitments } => {
                let pairs = blobs.iter().zip(commitments);
                let proofs = pairs.map(|(blob, commitment)| library.blob_proof(blob, commitment));
                answer.points = proofs.collect::<Result<_, _>>()?;
            }
            Task::VerifyProof { commitment, z, y, proof } => {
                answer.verdict = Some(library.verify_proof(commitment, z, y, proof)?);
            }
            Task::VerifyBlob { blobs, commitments, proofs, .. } => {
                answer.verdict =
                    Some(library.verify_blob(first(blobs)?, first(commitments)?, first(proofs)?)?);
            }
            Task::VerifyBlobs { blobs, commitments, proofs, .. } => {
                answer.verdict = Some(library.verify_blobs(blobs, commitments, proofs)?);
            }
            Task::Cells { blobs } => {
                answer.cells = blobs.iter().map(|blob| library.cells(blob)).collect::<Result<_, _>>()?;
            }
            Task::CellsAndProofs { blobs } => {
                let all = blobs.iter().map(|blob| library.cells_and_proofs(blob));
                answer.cells_and_proofs = all.collect::<Result<_, _>>()?;
            }
            Task::RecoverCells { indices, samples } => {
                let all = samples.iter().map(|cells| library.recover_cells(indices, cells));
                answer.cells = all.collect::<Result<_, _>>()?;
            }
            Task::Recover { indices, samples } => {
                let all = samples.iter().map(|cells| library.recover(indices, cells));
                answer.cells_and_proofs = all.collect::<Result<_, _>>()?;
            }
            Task::VerifyCells { commitments, indices, cells, proofs, .. } => {
                answer.verdict = Some(library.verify_cells(commitments, indices, cells, proofs)?);
            }
        }
        Ok(())
    }

    fn answer(&mut self, take: &mut dyn FnMut(&[u8])) -> Result<(), Refusal> {
        let (library, answer) = (&self.library, &self.answer);
        answer.points.iter().for_each(|point| take(point));
        answer.cells.iter().for_each(|cells| L::take_cells(cells, take));
        for (cells, proofs) in &answer.cells_and_proofs {
            L::take_cells(cells, take);
            proofs.iter().for_each(|proof| take(proof));
        }
        // A verifier also verifies the same with one bit flipped, so that one that always accepts is detected.
        let spoiled = match &mut self.task {
            Task::VerifyProof { commitment, z, y, proof } => {
                let z = Element::try_from(spoil(z)).unwrap_or(*z);
                Some(library.verify_proof(commitment, &z, y, proof)?)
            }
            Task::VerifyBlob { blobs, commitments, proofs, spoiled } => swapped(blobs, spoiled, |blobs| {
                library.verify_blob(first(blobs)?, first(commitments)?, first(proofs)?)
            })?,
            Task::VerifyBlobs { blobs, commitments, proofs, spoiled } => {
                swapped(blobs, spoiled, |blobs| library.verify_blobs(blobs, commitments, proofs))?
            }
            Task::VerifyCells { commitments, indices, cells, proofs, spoiled } => {
                swapped(cells, spoiled, |cells| library.verify_cells(commitments, indices, cells, proofs))?
            }
            _ => None,
        };
        for verdict in answer.verdict.into_iter().chain(spoiled) {
            take(&[u8::from(verdict)]);
        }
        Ok(())
    }
}

/// Returns the result of `verify` with another value instead of the last one. They are not all copied, because the
/// peak memory of the work is reported.
fn swapped<T>(
    all: &mut [T],
    other: &mut T,
    verify: impl FnOnce(&[T]) -> Result<bool, Refusal>,
) -> Result<Option<bool>, Refusal> {
    std::mem::swap(last(all)?, other);
    let verdict = verify(all);
    std::mem::swap(last(all)?, other);
    verdict.map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_cells_are_given_in_each_half() {
        let present: Vec<usize> = present().collect();
        assert_eq!(present.len(), CELLS / 2);
        assert_eq!(present.iter().filter(|index| **index < CELLS / 2).count(), CELLS / 4);
        assert_eq!(present[..6], [1, 2, 4, 7, 8, 11]);
    }

    #[test]
    fn multiples_of_elements_wrap_around_the_order() {
        let negative = |n: u64| (-Scalar::from(n)).to_bytes_be().to_vec();
        let all = element_multiples(&negative(1), 3).expect("an element");
        assert_eq!(all, [negative(1), negative(2), negative(3)]);
        assert!(element_multiples(&[0xff; 32], 1).is_err());
        assert!(multiples(&[[0; 48]], 1).is_err());
    }

    #[test]
    fn all_bytes_become_field_elements() {
        let elements = canonical(vec![0xff; 64]);
        assert_eq!((elements[0], elements[1], elements[32], elements[63]), (0x3f, 0xff, 0x3f, 0xff));
        assert_eq!(spoil(&[2, 2]), [2, 3]);
    }
}

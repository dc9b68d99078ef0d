//! The KZG workloads of the lab, over any library. `docs/reference/workloads.md` defines them, and
//! `crates/parcrypt/src/workloads/kzg.rs` does the same work with Parcrypt's own code.

use std::thread;

use blstrs::{G1Affine, G1Projective, Scalar};
use group::Curve;
use group::prime::PrimeCurveAffine;

use crate::library::{BLOB, CELL, CELLS, ELEMENT, Element, Library, Point, Refusal};

/// Names of the workloads, with their blobs.
pub(crate) const WORKLOADS: [(&str, Blobs); 15] = [
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
    ("kzg-some-cells", Blobs::InTheInput),
    ("kzg-verify-columns", Blobs::Multiples),
    ("kzg-find-wrong", Blobs::Multiples),
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

/// Returns the name of a workload's own parameter, and its largest value for this number of blobs; the least is 1.
pub(crate) fn parameter(workload: &str, blobs: u64) -> Option<(&'static str, u64)> {
    match workload {
        "kzg-some-cells" | "kzg-verify-columns" => Some(("columns", CELLS as u64)),
        "kzg-find-wrong" => Some(("wrong", blobs * CELLS as u64)),
        _ => None,
    }
}

/// Returns `count` of `all` numbers from 0 on, in rising order and at equal distances.
pub(crate) fn spread(count: usize, all: usize) -> Vec<usize> {
    (0..count).map(|i| (2 * i + 1) * all / (2 * count)).collect()
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

/// Prepares the work of `workload`; `batch` is the number of blobs if they are multiples of the one in `input`, `own`
/// the value of its [`parameter`].
/// `kzg-load` is not handled here.
pub(crate) fn prepare<L: Library + 'static>(
    workload: &str,
    library: L,
    input: Vec<u8>,
    batch: usize,
    own: usize,
) -> Result<Box<dyn Work>, Refusal> {
    let input = canonical(input);
    let blobs = input.chunks(BLOB).map(L::blob).collect::<Result<Vec<_>, _>>()?;
    let iterate: Iterate<L> = match workload {
        "kzg-commit" => points(move |library: &L| each(&blobs, |blob| library.commit(blob))),
        "kzg-blob-proof" => {
            let commitments = many::<L, _, _>(&blobs, |blob| library.commit(blob))?;
            let pairs: Vec<_> = blobs.into_iter().zip(commitments.iter().map(L::bytes48)).collect();
            points(move |library: &L| each(&pairs, |(blob, commitment)| library.blob_proof(blob, commitment)))
        }
        "kzg-verify-proof" => {
            let (blob, z) = (first(&blobs)?, last_element(&input)?);
            let commitment = L::bytes48(&library.commit(blob)?);
            let (proof, y) = library.proof(blob, &z)?;
            let proof = L::bytes48(&proof);
            let spoiled = Element::try_from(spoil(&z)).unwrap_or(z);
            verdict(vec![z], spoiled, move |library: &L, z| {
                library.verify_proof(&commitment, first(z)?, &y, &proof)
            })
        }
        "kzg-verify-blob" | "kzg-verify-blob-batch" => {
            let commitments = multiples(&[library.commit(first(&blobs)?)?], batch)?.concat();
            let commitments: Vec<_> = commitments.iter().map(L::bytes48).collect();
            let bytes = element_multiples(&input, batch)?;
            let blobs = each(&bytes, |blob| L::blob(blob))?;
            let pairs: Vec<_> = blobs.iter().zip(&commitments).collect();
            let proofs = many::<L, _, _>(&pairs, |(blob, commitment)| library.blob_proof(blob, commitment))?;
            let proofs: Vec<_> = proofs.iter().map(L::bytes48).collect();
            let spoiled = L::blob(&spoil(bytes.last().ok_or_else(nothing)?))?;
            let one = workload == "kzg-verify-blob";
            verdict(blobs, spoiled, move |library: &L, blobs| match one {
                true => library.verify_blob(first(blobs)?, first(&commitments)?, first(&proofs)?),
                false => library.verify_blobs(blobs, &commitments, &proofs),
            })
        }
        "kzg-cells" => cells(move |library: &L| each(&blobs, |blob| library.cells(blob))),
        "kzg-cells-and-proofs" => {
            cells_and_proofs(move |library: &L| each(&blobs, |blob| library.cells_and_proofs(blob)))
        }
        "kzg-recover-cells" | "kzg-recover" => {
            let all = many::<L, _, _>(&blobs, |blob| library.cells(blob))?;
            let samples = each(&all, |cells| {
                let bytes = cell_bytes::<L>(cells);
                present().map(|index| L::cell(&bytes[index * CELL..][..CELL])).collect::<Result<Vec<_>, _>>()
            })?;
            let indices: Vec<u64> = present().map(|index| index as u64).collect();
            if workload == "kzg-recover" {
                cells_and_proofs(move |library: &L| each(&samples, |cells| library.recover(&indices, cells)))
            } else {
                // The library may have no such function.
                samples.first().map(|cells| library.recover_cells(&indices, cells)).transpose()?;
                cells(move |library: &L| each(&samples, |cells| library.recover_cells(&indices, cells)))
            }
        }
        // Neither library computes only some of the cells.
        "kzg-some-cells" => Box::new(move |library: &L, _| {
            let bytes = each(&blobs, |blob| {
                let all = cell_bytes::<L>(&library.cells(blob)?);
                Ok(spread(own, CELLS)
                    .into_iter()
                    .map(|index| all[index * CELL..][..CELL].to_vec())
                    .collect::<Vec<_>>())
            })?;
            Ok(Answer::Bytes(bytes.concat().concat()))
        }),
        "kzg-verify-cells" | "kzg-verify-column" => {
            let columns = if workload == "kzg-verify-cells" { (0..CELLS).collect() } else { vec![COLUMN] };
            let (CellBatch { commitments, indices, cells, proofs }, spoiled) =
                CellBatch::new(&library, &blobs, batch, &columns, &[batch * columns.len() - 1])?;
            verdict(cells, first(&spoiled)?.clone(), move |library: &L, cells| {
                library.verify_cells(&commitments, &indices, cells, &proofs)
            })
        }
        "kzg-verify-columns" => {
            let columns = spread(own, CELLS);
            let last = (batch - 1) * own..batch * own;
            let (all, spoiled) =
                CellBatch::new(&library, &blobs, batch, &columns, &last.collect::<Vec<_>>())?;
            let batches: Vec<_> = (0..own).map(|column| all.part(column, own)).zip(spoiled).collect();
            Box::new(move |library: &L, negative| {
                let mut all = true;
                for (CellBatch { commitments, indices, cells, proofs }, spoiled) in &batches {
                    all &= if negative {
                        let mut cells = cells.clone();
                        *cells.last_mut().ok_or_else(nothing)? = spoiled.clone();
                        // A verifier that accepts any of them is detected.
                        !library.verify_cells(commitments, indices, &cells, proofs)?
                    } else {
                        library.verify_cells(commitments, indices, cells, proofs)?
                    };
                }
                Ok(Answer::Verdict(all != negative))
            })
        }
        // As programs do with these libraries: a batch, and then each cell of a batch that does not verify.
        "kzg-find-wrong" => {
            let wrong = spread(own, batch * CELLS);
            let columns: Vec<_> = (0..CELLS).collect();
            let (CellBatch { commitments, indices, mut cells, proofs }, spoiled) =
                CellBatch::new(&library, &blobs, batch, &columns, &wrong)?;
            wrong.into_iter().zip(spoiled).for_each(|(at, spoiled)| cells[at] = spoiled);
            Box::new(move |library: &L, _| {
                let mut found = Vec::new();
                if !library.verify_cells(&commitments, &indices, &cells, &proofs)? {
                    for k in 0..cells.len() {
                        let one = k..k + 1;
                        let (commitments, proofs) = (&commitments[one.clone()], &proofs[one.clone()]);
                        if !library.verify_cells(commitments, &indices[one.clone()], &cells[one], proofs)? {
                            found.extend((k as u32).to_be_bytes());
                        }
                    }
                }
                Ok(Answer::Bytes(found))
            })
        }
        other => return Err(Refusal::Unsupported(format!("no workload `{other}` here"))),
    };
    Ok(Box::new(Ready { library, iterate, answer: Answer::Nothing }))
}

/// The cells of some columns of multiples of one blob, blob by blob, with the claims about them.
struct CellBatch<L: Library> {
    commitments: Vec<L::Bytes48>,
    indices: Vec<u64>,
    cells: Vec<L::Cell>,
    proofs: Vec<L::Bytes48>,
}

impl<L: Library> CellBatch<L> {
    /// Returns the batch, and its cells with the numbers in `wrong`, in rising order, with the lowest bit of the last
    /// field element flipped.
    fn new(
        library: &L,
        blobs: &[L::Blob],
        batch: usize,
        columns: &[usize],
        wrong: &[usize],
    ) -> Result<(Self, Vec<L::Cell>), Refusal> {
        let blob = first(blobs)?;
        let (cells, proofs) = library.cells_and_proofs(blob)?;
        let commitments = multiples(&[library.commit(blob)?], batch)?.concat();
        let per_cell = |point| std::iter::repeat_n(L::bytes48(point), columns.len());
        let of_columns: Vec<_> = columns.iter().map(|column| proofs[*column]).collect();
        let bytes = cell_bytes::<L>(&cells);
        let bytes: Vec<_> = columns.iter().map(|column| &bytes[CELL * column..][..CELL]).collect();
        let bytes = element_multiples(&bytes.concat(), batch)?.concat();
        let cells = bytes.chunks(CELL).map(L::cell).collect::<Result<Vec<_>, _>>()?;
        let batch = CellBatch {
            commitments: commitments.iter().flat_map(per_cell).collect(),
            indices: columns.iter().cycle().map(|column| *column as u64).take(cells.len()).collect(),
            proofs: multiples(&of_columns, batch)?.iter().flatten().map(L::bytes48).collect(),
            cells,
        };
        let spoiled = each(wrong, |at| L::cell(&spoil(&bytes[CELL * at..][..CELL])))?;
        Ok((batch, spoiled))
    }

    /// Returns the cells of column `which` of `columns`, one of each blob.
    fn part(&self, which: usize, columns: usize) -> Self {
        fn every<T: Clone>(all: &[T], which: usize, columns: usize) -> Vec<T> {
            all.iter().skip(which).step_by(columns).cloned().collect()
        }
        CellBatch {
            commitments: every(&self.commitments, which, columns),
            indices: every(&self.indices, which, columns),
            cells: every(&self.cells, which, columns),
            proofs: every(&self.proofs, which, columns),
        }
    }
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

fn last_element(input: &[u8]) -> Result<Element, Refusal> {
    input.last_chunk().copied().ok_or_else(nothing)
}

/// Returns 1, 2, … `count` times each of the points.
fn multiples(points: &[Point], count: usize) -> Result<Vec<Vec<Point>>, Refusal> {
    let foreign = || Refusal::Failed { library: "blstrs", what: "invalid point".to_owned() };
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
    let foreign = || Refusal::Failed { library: "blstrs", what: "invalid field element".to_owned() };
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

/// Calls `make` for each, on all processors if that is faster: preparation is not measured.
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

/// The last output.
enum Answer<L: Library> {
    Nothing,
    Points(Vec<Point>),
    Cells(Vec<L::Cells>),
    CellsAndProofs(Vec<(L::Cells, Vec<Point>)>),
    Bytes(Vec<u8>),
    Verdict(bool),
}

/// Work that is repeated, with its inputs. With `true`, a verifier verifies the same with one bit flipped.
type Iterate<L> = Box<dyn FnMut(&L, bool) -> Result<Answer<L>, Refusal>>;

fn points<L: Library>(work: impl Fn(&L) -> Result<Vec<Point>, Refusal> + 'static) -> Iterate<L> {
    Box::new(move |library, _| work(library).map(Answer::Points))
}

fn cells<L: Library>(work: impl Fn(&L) -> Result<Vec<L::Cells>, Refusal> + 'static) -> Iterate<L> {
    Box::new(move |library, _| work(library).map(Answer::Cells))
}

fn cells_and_proofs<L: Library>(
    work: impl Fn(&L) -> Result<Vec<(L::Cells, Vec<Point>)>, Refusal> + 'static,
) -> Iterate<L> {
    Box::new(move |library, _| work(library).map(Answer::CellsAndProofs))
}

/// Verifies items, with `spoiled` instead of the last one for the negative verdict. They are not all copied, because
/// the peak memory of the work is reported.
fn verdict<L: Library, T: 'static>(
    mut items: Vec<T>,
    mut spoiled: T,
    verify: impl Fn(&L, &[T]) -> Result<bool, Refusal> + 'static,
) -> Iterate<L> {
    Box::new(move |library, negative| {
        if negative {
            std::mem::swap(items.last_mut().ok_or_else(nothing)?, &mut spoiled);
        }
        let verdict = verify(library, &items);
        if negative {
            std::mem::swap(items.last_mut().ok_or_else(nothing)?, &mut spoiled);
        }
        verdict.map(Answer::Verdict)
    })
}

fn each<T, U>(items: &[T], work: impl Fn(&T) -> Result<U, Refusal>) -> Result<Vec<U>, Refusal> {
    items.iter().map(work).collect()
}

struct Ready<L: Library> {
    library: L,
    iterate: Iterate<L>,
    answer: Answer<L>,
}

impl<L: Library> Work for Ready<L> {
    fn iterate(&mut self) -> Result<(), Refusal> {
        // The memory of the last output is freed before the next.
        self.answer = Answer::Nothing;
        self.answer = (self.iterate)(&self.library, false)?;
        Ok(())
    }

    fn answer(&mut self, take: &mut dyn FnMut(&[u8])) -> Result<(), Refusal> {
        match &self.answer {
            Answer::Nothing => {}
            Answer::Points(points) => points.iter().for_each(|point| take(point)),
            Answer::Cells(all) => all.iter().for_each(|cells| L::take_cells(cells, take)),
            Answer::CellsAndProofs(all) => {
                for (cells, proofs) in all {
                    L::take_cells(cells, take);
                    proofs.iter().for_each(|proof| take(proof));
                }
            }
            Answer::Bytes(bytes) => take(bytes),
            Answer::Verdict(verdict) => {
                take(&[u8::from(*verdict)]);
                // One that always accepts is detected by a claim with one bit flipped.
                if let Answer::Verdict(spoiled) = (self.iterate)(&self.library, true)? {
                    take(&[u8::from(spoiled)]);
                }
            }
        }
        Ok(())
    }
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
    fn numbers_are_spread_evenly() {
        assert_eq!(spread(8, 128), [8, 24, 40, 56, 72, 88, 104, 120]);
        assert_eq!(spread(1, 128), [64]);
        assert_eq!(spread(128, 128), (0..128).collect::<Vec<_>>());
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

//! The KZG workloads of the lab, over any library. `docs/reference/workloads.md` defines them, and
//! `crates/parcrypt/src/workloads/kzg.rs` does the same work with Parcrypt's own code.

use std::ops::Add;

use blstrs::{G1Affine, G1Projective, Scalar};
use group::Curve;
use group::prime::PrimeCurveAffine;
use parcrypt_protocol::Sample;
use rayon::prelude::*;

use crate::library::{BLOB, Blob, Bytes48, CELL, CELLS, ELEMENT, Library, Refusal};

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
pub(crate) const MAX_BLOBS: u64 = 4096;

/// Prepared work that can be repeated.
pub(crate) trait Work {
    /// Does the work once.
    fn iterate(&mut self) -> Result<(), Refusal>;
    /// Returns the canonical bytes of the last output.
    fn output(&mut self) -> Result<Vec<u8>, Refusal>;
    /// Does the work as often as asked, and measures it.
    fn sample(&mut self, iterations: u64) -> Result<Sample, Refusal> {
        Sample::time(iterations, || std::hint::black_box(&mut *self).iterate())
    }
}

/// Work on each of some items, whose outputs are one after the other.
struct Each<T, U, W, B> {
    items: Vec<T>,
    work: W,
    bytes: B,
    last: Vec<U>,
}

impl<T, U, W: FnMut(&T) -> Result<U, Refusal>, B: Fn(&U) -> Vec<u8>> Work for Each<T, U, W, B> {
    fn iterate(&mut self) -> Result<(), Refusal> {
        // The memory of the last output is freed before the next.
        self.last = Vec::new();
        self.last = self.items.iter().map(&mut self.work).collect::<Result<_, _>>()?;
        Ok(())
    }

    fn output(&mut self) -> Result<Vec<u8>, Refusal> {
        Ok(self.last.iter().flat_map(&self.bytes).collect())
    }
}

/// Returns work on each item, with the bytes of an output.
pub(crate) fn each<T: 'static, U: 'static>(
    items: Vec<T>,
    work: impl FnMut(&T) -> Result<U, Refusal> + 'static,
    bytes: impl Fn(&U) -> Vec<u8> + 'static,
) -> Box<dyn Work> {
    Box::new(Each { items, work, bytes, last: Vec::new() })
}

/// Claims that are verified one after the other. One verifier that always accepts is detected by claims with one bit
/// flipped, of which it is to accept none.
struct Claims<T, F, V> {
    claims: Vec<T>,
    /// Flips the bit, or flips it back. The claims are not copied, because the peak memory of the work is reported.
    flip: F,
    verify: V,
    accepted: bool,
}

impl<T, F: FnMut(&mut T), V: FnMut(&T) -> Result<bool, Refusal>> Work for Claims<T, F, V> {
    fn iterate(&mut self) -> Result<(), Refusal> {
        self.accepted = true;
        for claim in &self.claims {
            self.accepted &= (self.verify)(claim)?;
        }
        Ok(())
    }

    fn output(&mut self) -> Result<Vec<u8>, Refusal> {
        let mut any = false;
        for claim in &mut self.claims {
            (self.flip)(claim);
            any |= (self.verify)(claim)?;
            (self.flip)(claim);
        }
        Ok(vec![u8::from(self.accepted), u8::from(any)])
    }
}

fn claims<T: 'static>(
    claims: Vec<T>,
    flip: impl FnMut(&mut T) + 'static,
    verify: impl FnMut(&T) -> Result<bool, Refusal> + 'static,
) -> Box<dyn Work> {
    Box::new(Claims { claims, flip, verify, accepted: false })
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
pub(crate) fn prepare<L: Library>(
    workload: &str,
    library: L,
    input: Vec<u8>,
    batch: usize,
    own: usize,
) -> Result<Box<dyn Work>, Refusal> {
    let input = canonical(input);
    let blobs = read_blobs(&input)?;
    let cells_and_proofs = |(cells, proofs): &(L::Cells, Vec<Bytes48>)| {
        let mut bytes = L::bytes(cells);
        proofs.iter().for_each(|proof| bytes.extend_from_slice(&**proof));
        bytes
    };
    Ok(match workload {
        "kzg-commit" => each(blobs, move |blob| library.commit(blob), |point| point.to_vec()),
        "kzg-blob-proof" => {
            let commitments = many::<L, _, _>(&blobs, |blob| library.commit(blob))?;
            let pairs = blobs.into_iter().zip(commitments).collect();
            each(
                pairs,
                move |(blob, commitment)| library.blob_proof(blob, commitment),
                |point| point.to_vec(),
            )
        }
        "kzg-verify-proof" => {
            let z = *input.last_chunk().ok_or_else(|| invalid("input"))?;
            let commitment = library.commit(&blobs[0])?;
            let (proof, y) = library.proof(&blobs[0], &z)?;
            claims(vec![z], |z| flip(z), move |z| library.verify_proof(&commitment, z, &y, &proof))
        }
        "kzg-verify-blob" | "kzg-verify-blob-batch" => {
            let commitments = multiples(&[library.commit(&blobs[0])?], batch)?;
            let blobs = read_blobs(&element_multiples(&input, batch)?)?;
            let pairs: Vec<_> = blobs.iter().zip(&commitments).collect();
            let proofs = many::<L, _, _>(&pairs, |(blob, commitment)| library.blob_proof(blob, commitment))?;
            let one = workload == "kzg-verify-blob";
            let flip = move |blobs: &mut Vec<Blob>| flip(&mut *blobs[batch - 1]);
            claims(vec![blobs], flip, move |blobs| match one {
                true => library.verify_blob(&blobs[0], &commitments[0], &proofs[0]),
                false => library.verify_blobs(blobs, &commitments, &proofs),
            })
        }
        "kzg-cells" => each(blobs, move |blob| library.cells(blob), L::bytes),
        "kzg-cells-and-proofs" => each(blobs, move |blob| library.cells_and_proofs(blob), cells_and_proofs),
        "kzg-recover-cells" | "kzg-recover" => {
            let indices: Vec<u64> = present().map(|index| index as u64).collect();
            let given = many::<L, _, _>(&blobs, |blob| {
                let bytes = L::bytes(&library.cells(blob)?);
                let all = bytes.as_chunks().0;
                Ok(present().map(|index| L::cell(&all[index])).collect::<Vec<_>>())
            })?;
            if workload == "kzg-recover" {
                each(given, move |cells| library.recover(&indices, cells), cells_and_proofs)
            } else {
                // The library may have no such function.
                library.recover_cells(&indices, &given[0])?;
                each(given, move |cells| library.recover_cells(&indices, cells), L::bytes)
            }
        }
        // Neither library computes only some of the cells.
        "kzg-some-cells" => {
            let some = move |blob: &Blob| {
                let all = L::bytes(&library.cells(blob)?);
                Ok(spread(own, CELLS)
                    .iter()
                    .flat_map(|index| &all[index * CELL..][..CELL])
                    .copied()
                    .collect())
            };
            each(blobs, some, Vec::clone)
        }
        "kzg-verify-cells" | "kzg-verify-column" | "kzg-verify-columns" => {
            let columns = match workload {
                "kzg-verify-cells" => vec![(0..CELLS).collect()],
                "kzg-verify-column" => vec![vec![COLUMN]],
                _ => spread(own, CELLS).into_iter().map(|column| vec![column]).collect(),
            };
            let of_blob = Cells::new(&library, &blobs[0])?;
            let batches = columns.iter().map(|columns| {
                let (batch, mut spoiled) =
                    of_blob.batch::<L>(batch, columns, &[batch * columns.len() - 1])?;
                Ok((batch, spoiled.remove(0)))
            });
            let swap = |(batch, spoiled): &mut (Batch<L>, L::Cell)| {
                batch.cells.last_mut().into_iter().for_each(|last| std::mem::swap(last, spoiled));
            };
            claims(batches.collect::<Result<_, _>>()?, swap, move |(batch, _)| {
                library.verify_cells(&batch.commitments, &batch.indices, &batch.cells, &batch.proofs)
            })
        }
        // As programs do with these libraries: a batch, and then each cell of a batch that does not verify.
        "kzg-find-wrong" => {
            let wrong = spread(own, batch * CELLS);
            let columns: Vec<_> = (0..CELLS).collect();
            let (mut batch, spoiled) =
                Cells::new(&library, &blobs[0])?.batch::<L>(batch, &columns, &wrong)?;
            wrong.into_iter().zip(spoiled).for_each(|(at, spoiled)| batch.cells[at] = spoiled);
            let find = move |Batch { commitments, indices, cells, proofs }: &Batch<L>| {
                let mut found = Vec::new();
                if !library.verify_cells(commitments, indices, cells, proofs)? {
                    for k in 0..cells.len() {
                        let one = |points: &[Bytes48]| [points[k]];
                        let (commitments, proofs) = (one(commitments), one(proofs));
                        if !library.verify_cells(&commitments, &[indices[k]], &cells[k..=k], &proofs)? {
                            found.extend((k as u32).to_be_bytes());
                        }
                    }
                }
                Ok(found)
            };
            each(vec![batch], find, Vec::clone)
        }
        other => return Err(Refusal::Unsupported(format!("no workload `{other}` here"))),
    })
}

/// A blob's commitment, the bytes of its cells, and their proofs.
struct Cells {
    commitment: Bytes48,
    bytes: Vec<u8>,
    proofs: Vec<Bytes48>,
}

/// Cells blob by blob, with the claims about them.
struct Batch<L: Library> {
    commitments: Vec<Bytes48>,
    indices: Vec<u64>,
    cells: Vec<L::Cell>,
    proofs: Vec<Bytes48>,
}

impl Cells {
    fn new<L: Library>(library: &L, blob: &Blob) -> Result<Self, Refusal> {
        let (cells, proofs) = library.cells_and_proofs(blob)?;
        Ok(Cells { commitment: library.commit(blob)?, bytes: L::bytes(&cells), proofs })
    }

    /// Returns the cells of some columns of multiples of the blob, and those with the numbers in `wrong` with the
    /// lowest bit of the last field element flipped.
    fn batch<L: Library>(
        &self,
        blobs: usize,
        columns: &[usize],
        wrong: &[usize],
    ) -> Result<(Batch<L>, Vec<L::Cell>), Refusal> {
        let proofs: Vec<_> = columns.iter().map(|column| self.proofs[*column]).collect();
        let bytes = columns.iter().map(|column| &self.bytes[CELL * column..][..CELL]);
        let bytes = element_multiples(&bytes.collect::<Vec<_>>().concat(), blobs)?;
        let cells: &[[u8; CELL]] = bytes.as_chunks().0;
        let commitments = multiples(&[self.commitment], blobs)?;
        let batch = Batch {
            commitments: commitments
                .iter()
                .flat_map(|point| std::iter::repeat_n(*point, columns.len()))
                .collect(),
            indices: columns.iter().cycle().map(|column| *column as u64).take(cells.len()).collect(),
            cells: cells.iter().map(L::cell).collect(),
            proofs: multiples(&proofs, blobs)?,
        };
        let spoiled = wrong.iter().map(|at| {
            let mut cell = cells[*at];
            flip(&mut cell);
            L::cell(&cell)
        });
        Ok((batch, spoiled.collect()))
    }
}

/// Returns the blobs in these bytes.
fn read_blobs(bytes: &[u8]) -> Result<Vec<Blob>, Refusal> {
    bytes.chunks(BLOB).map(|blob| Blob::from_bytes(blob).map_err(|_| invalid("blob"))).collect()
}

/// Flips the lowest bit of the last field element.
fn flip(bytes: &mut [u8]) {
    bytes.last_mut().into_iter().for_each(|byte| *byte ^= 1);
}

fn invalid(what: &str) -> Refusal {
    Refusal::Failed { library: "preparation", what: format!("invalid {what}") }
}

/// Returns 1, 2, … `count` times each number or point.
fn sums<T: Copy + Add<Output = T>>(once: Vec<T>, count: usize) -> impl Iterator<Item = Vec<T>> {
    let first = once.clone();
    let next = move |sums: &Vec<T>| Some(sums.iter().zip(&once).map(|(sum, once)| *sum + *once).collect());
    std::iter::successors(Some(first), next).take(count)
}

/// Returns 1, 2, … `count` times each of the points.
fn multiples(points: &[Bytes48], count: usize) -> Result<Vec<Bytes48>, Refusal> {
    let read = |point: &Bytes48| Option::<G1Affine>::from(G1Affine::from_compressed(point));
    let once = points.iter().map(|point| Some(read(point)?.to_curve())).collect::<Option<Vec<_>>>();
    let mut affine = vec![G1Affine::identity(); points.len()];
    let all = sums(once.ok_or_else(|| invalid("point"))?, count).flat_map(|sums| {
        G1Projective::batch_normalize(&sums, &mut affine);
        affine.iter().map(|point| Bytes48::new(point.to_compressed())).collect::<Vec<_>>()
    });
    Ok(all.collect())
}

/// Returns 1, 2, … `count` times each of the field elements.
fn element_multiples(bytes: &[u8], count: usize) -> Result<Vec<u8>, Refusal> {
    let once = bytes.as_chunks().0.iter().map(|element| Option::from(Scalar::from_bytes_be(element)));
    let once = once.collect::<Option<Vec<Scalar>>>().ok_or_else(|| invalid("field element"))?;
    Ok(sums(once, count).flatten().flat_map(|sum| sum.to_bytes_be()).collect())
}

/// Calls `make` for each, on all processors if that is faster: preparation is not measured.
fn many<L: Library, T: Sync, U: Send>(
    items: &[T],
    make: impl Fn(&T) -> Result<U, Refusal> + Sync + Send,
) -> Result<Vec<U>, Refusal> {
    if !L::MANY_CALLERS {
        return items.iter().map(make).collect();
    }
    let pool = rayon::ThreadPoolBuilder::new().build().map_err(|error| invalid(&error.to_string()))?;
    pool.install(|| items.par_iter().map(make).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_of_the_cells_are_those_of_the_workloads() {
        let present: Vec<usize> = present().collect();
        assert_eq!((present.len(), &present[..6]), (CELLS / 2, &[1, 2, 4, 7, 8, 11][..]));
        assert_eq!(present.iter().filter(|index| **index < CELLS / 2).count(), CELLS / 4);
        assert_eq!(spread(8, 128), [8, 24, 40, 56, 72, 88, 104, 120]);
        assert_eq!(spread(1, 128), [64]);
    }

    #[test]
    fn multiples_of_elements_wrap_around_the_order() {
        let negative = |n: u64| (-Scalar::from(n)).to_bytes_be();
        let all = element_multiples(&negative(1), 3).expect("an element");
        assert_eq!(all, [negative(1), negative(2), negative(3)].concat());
        assert!(element_multiples(&[0xff; 32], 1).is_err());
        assert!(multiples(&[Bytes48::default()], 1).is_err());
    }
}

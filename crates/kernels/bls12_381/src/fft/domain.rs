//! [`Domain`]: transforms from natural order to natural order.

use parcrypt_cpu::{Backend, Request};
use parcrypt_runtime::{Cost, Runtime, enter, for_each, join};

use super::{Decomposition, Element};
use crate::bit_reversal::reverse;
use crate::costs::GATHER;
use crate::dispatch::{self, FpRow};
use crate::{Error, Fr};

/// The roots of unity for transforms of up to 2^scale elements, in 16 · 2^scale bytes, and the row for points.
#[derive(Clone, Debug)]
pub struct Domain {
    /// ω^k for k below half the size, but at least one, where ω has the order 2^scale.
    roots: Vec<Fr>,
    scale: u32,
    /// Multiplies points by roots.
    row: &'static FpRow,
}

impl Domain {
    /// Computes the roots, by 2^scale / 2 multiplications.
    ///
    /// # Errors
    /// [`Error::Scale`] above 32, [`Error::Memory`] if the table cannot be allocated, [`Error::Backend`] if
    /// the requested row, for transforms of points, is unavailable.
    pub fn new(request: Request, scale: u32) -> Result<Self, Error> {
        let row = dispatch::select(request)?;
        let root = Fr::root_of_unity(scale)?;
        let bytes = (size_of::<Fr>() as u64) << scale.saturating_sub(1);
        let memory = || Error::Memory { scale, bytes };
        let half = 1usize.checked_shl(scale.saturating_sub(1)).ok_or_else(memory)?;
        let mut roots = Vec::new();
        roots.try_reserve_exact(half).map_err(|_| memory())?;
        roots.extend(std::iter::successors(Some(Fr::one()), |w| Some(*w * root)).take(half));
        Ok(Domain { roots, scale, row })
    }

    /// Returns the largest number of elements of a transform, 2^scale.
    pub fn size(&self) -> usize {
        1 << self.scale
    }

    /// Returns the row whose functions multiply points by roots.
    pub fn row(&self) -> &'static FpRow {
        self.row
    }

    /// Returns the backend of [`Domain::row`].
    pub fn backend(&self) -> Backend {
        self.row.backend()
    }

    /// Returns the cost of a transform of `n` elements.
    pub fn cost<T: Element>(&self, n: usize) -> Cost {
        (0..n.ilog2()).map(|level| self.butterflies_cost::<T>(n / 2, 1 << level)).sum()
    }

    /// Writes output\[i\] = Σ_j input\[j\] · ω^(i·j) for the root ω of order n = `input.len()`, by n/2 · log₂ n
    /// butterflies.
    ///
    /// n may be any power of two up to [`Domain::size`].
    ///
    /// ```
    /// use parcrypt_bls12_381::{Decomposition, Domain, Fr, Request};
    /// let domain = Domain::new(Request::Auto, 2)?;
    /// let polynomial = [1, 2, 3, 4].map(Fr::from);
    /// let mut values = [Fr::zero(); 4];
    /// domain.fft(&parcrypt_runtime::Serial, Decomposition::Iterative, &polynomial, &mut values)?;
    /// assert_eq!(values[0], Fr::from(1 + 2 + 3 + 4), "the first value is the one at 1");
    /// # Ok::<(), parcrypt_bls12_381::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] for another length, [`Error::OutputLength`] if the output's differs.
    pub fn fft<T: Element>(
        &self,
        rt: &dyn Runtime,
        decomposition: Decomposition,
        input: &[T],
        output: &mut [T],
    ) -> Result<(), Error> {
        let n = input.len();
        if !n.is_power_of_two() || n > self.size() {
            return Err(Error::Length { len: n, most: self.size() });
        }
        if output.len() != n {
            return Err(Error::OutputLength { input: n, output: output.len() });
        }
        enter(rt, self.cost::<T>(n), || {
            gather_reversed(rt, input, output);
            match decomposition {
                Decomposition::Recursive => self.recursive(rt, &|block| self.butterflies(block), output),
                Decomposition::RecursiveParallelButterflies => {
                    self.recursive(rt, &|block| self.parallel_butterflies(rt, block), output);
                }
                Decomposition::Iterative => self.iterative(rt, output),
            }
        });
        Ok(())
    }

    /// Writes output\[i\] = n⁻¹ · Σ_j input\[j\] · ω^(−i·j), the inverse of [`Domain::fft`], by n further
    /// multiplications.
    ///
    /// # Errors
    /// As [`Domain::fft`].
    pub fn inverse_fft<T: Element>(
        &self,
        rt: &dyn Runtime,
        decomposition: Decomposition,
        input: &[T],
        output: &mut [T],
    ) -> Result<(), Error> {
        self.fft(rt, decomposition, input, output)?;
        // ω^(−i·j) = ω^((n − i)·j): the forward transform has the same sums, in the order 0, n − 1, …, 1.
        output[1..].reverse();
        // n is not 0 in Fr, so it has an inverse.
        let scale = Fr::from(input.len() as u64).inverse().unwrap_or_default();
        let grain = grain::<T>(rt, output.len());
        let cost = grain * T::product_cost(self.row);
        for_each(rt, output.chunks_mut(grain).collect(), cost, |part| {
            part.iter_mut().for_each(|x| *x = *x * scale);
        });
        Ok(())
    }

    /// Transforms both halves, which may run at once, and combines them.
    fn recursive<T: Element>(&self, rt: &dyn Runtime, combine: &(dyn Fn(Piece<T>) + Sync), data: &mut [T]) {
        let n = data.len();
        if n == 1 {
            return;
        }
        let (lo, hi) = data.split_at_mut(n / 2);
        let below = (0..n.ilog2() - 1).map(|level| self.butterflies_cost::<T>(n / 2, 1 << level)).sum();
        join(rt, below, || self.recursive(rt, combine, lo), || self.recursive(rt, combine, hi));
        combine(Piece { start: 0, half: n / 2, lo, hi });
    }

    /// Computes the levels in order, from butterflies of neighbours to butterflies over half the length.
    fn iterative<T: Element>(&self, rt: &dyn Runtime, data: &mut [T]) {
        let n = data.len();
        let grain = grain::<T>(rt, n / 2);
        for half in (0..n.ilog2()).map(|level| 1 << level) {
            if half < grain {
                // A task has several blocks. Both are powers of two, so each block is whole.
                let cost = self.butterflies_cost::<T>(grain, half);
                let stride = self.roots.len() / half;
                for_each(rt, data.chunks_mut(2 * grain).collect(), cost, |blocks| {
                    T::blocks(self.row, blocks, half, |i| self.roots[i * stride]);
                });
            } else {
                let blocks = data.chunks_mut(2 * half).map(|block| block.split_at_mut(half));
                let pieces =
                    blocks.flat_map(|(lo, hi)| Piece { start: 0, half, lo, hi }.cut(grain)).collect();
                let cost = self.butterflies_cost::<T>(grain, half);
                for_each(rt, pieces, cost, |piece| self.butterflies(piece));
            }
        }
    }

    /// Returns the cost of `count` butterflies in blocks of `half`: each adds and subtracts, all but the first of a
    /// block multiply.
    fn butterflies_cost<T: Element>(&self, count: usize, half: usize) -> Cost {
        2 * count * T::SUM_COST + (count - count / half) * T::product_cost(self.row)
    }

    /// Computes the butterflies of a block in tasks that may run at once.
    fn parallel_butterflies<T: Element>(&self, rt: &dyn Runtime, block: Piece<T>) {
        let (half, grain) = (block.half, grain::<T>(rt, block.half));
        let cost = self.butterflies_cost::<T>(grain, half);
        for_each(rt, block.cut(grain).collect(), cost, |piece| self.butterflies(piece));
    }

    /// Replaces (lo\[i\], hi\[i\]) by (lo\[i\] + w·hi\[i\], lo\[i\] − w·hi\[i\]) with w = ω^(start + i), ω of order
    /// 2·half.
    fn butterflies<T: Element>(&self, piece: Piece<T>) {
        let stride = self.roots.len() / piece.half;
        debug_assert!(stride * piece.half == self.roots.len(), "both are powers of two, half is the lesser");
        let Piece { start, mut lo, mut hi, .. } = piece;
        if start == 0
            && let (Some(lo), Some(hi)) = (lo.split_off_first_mut(), hi.split_off_first_mut())
        {
            // ω^0 = 1 is the twiddle of one butterfly of a block, but of all on the first level.
            (*lo, *hi) = (*lo + *hi, *lo - *hi);
        }
        T::butterflies(
            self.row,
            lo,
            hi,
            self.roots.iter().skip(start.max(1) * stride).step_by(stride).copied(),
        );
    }
}

/// Butterflies of a block of `half`: those from `start` on.
struct Piece<'a, T> {
    start: usize,
    half: usize,
    lo: &'a mut [T],
    hi: &'a mut [T],
}

impl<'a, T> Piece<'a, T> {
    /// Divides a whole block into pieces of `grain` butterflies.
    fn cut(self, grain: usize) -> impl Iterator<Item = Piece<'a, T>> {
        debug_assert_eq!(self.start, 0);
        let pairs = self.lo.chunks_mut(grain).zip(self.hi.chunks_mut(grain));
        let half = self.half;
        pairs.enumerate().map(move |(i, (lo, hi))| Piece { start: i * grain, half, lo, hi })
    }
}

/// Returns the butterflies in a task, where a level or a block has `butterflies`; both are powers of two.
fn grain<T: Element>(rt: &dyn Runtime, butterflies: usize) -> usize {
    /// Fewer butterflies leave vector lanes empty.
    const MIN: usize = 16;
    /// More tasks do not balance the work better, and each has a cost.
    const MAX_PIECES: usize = 256;
    // With fewer tasks threads would be idle.
    let for_each_thread = butterflies / rt.threads().get().next_power_of_two();
    T::GRAIN.min(for_each_thread.max(MIN)).min(butterflies).max(butterflies / MAX_PIECES).max(1)
}

/// Writes the input to the output in bit-reversed order.
fn gather_reversed<T: Element>(rt: &dyn Runtime, input: &[T], output: &mut [T]) {
    const GRAIN: usize = 1 << 14;
    let bits = input.len().ilog2();
    let pieces = output.chunks_mut(GRAIN).enumerate().collect();
    for_each(rt, pieces, GRAIN * GATHER, |(piece, output): (usize, &mut [T])| {
        for (i, out) in output.iter_mut().enumerate() {
            *out = input[reverse(piece * GRAIN + i, bits)];
        }
    });
}

//! The fast Fourier transform over [`Fr`] and over [`G1`], by decimation in time (Cooley and Tukey, 1965).
//!
//! Input is gathered in bit-reversed order; then log₂ n levels of butterflies (a, b) → (a + ω^k·b, a − ω^k·b) follow.
//! A [`Decomposition`] says only in which order, and what of it may run at once: every one does the same operations on
//! the same operands, so the results are equal to the bit.

use std::fmt;
use std::ops::{Add, Mul, Sub};
use std::str::FromStr;

use parcrypt_cpu::Backend;
use parcrypt_runtime::{Cost, Runtime, enter, for_each, join};

use crate::affine::{Additions, scalar::Scalar};
use crate::multiply::multiply;
use crate::{Error, Fr, G1, dispatch};

/// What can be transformed: sums, and products with elements of [`Fr`].
pub trait Element:
    Copy + Default + Send + Sync + Add<Output = Self> + Sub<Output = Self> + Mul<Fr, Output = Self>
{
    /// What a product costs, in nanoseconds, on a core of 2024.
    const TIMES_NS: u64;
    /// What a sum and a difference cost together, in nanoseconds.
    const SUMS_NS: u64;
    /// As many butterflies as make a piece where there are enough of them.
    const GRAIN: usize;

    /// (lo\[i\], hi\[i\]) → (lo\[i\] + w·hi\[i\], lo\[i\] − w·hi\[i\]) with the twiddle w for i. Twiddles are no secret.
    fn butterflies(backend: Backend, lo: &mut [Self], hi: &mut [Self], twiddles: impl Iterator<Item = Fr>) {
        let _ = backend;
        for ((lo, hi), twiddle) in lo.iter_mut().zip(hi).zip(twiddles) {
            let product = *hi * twiddle;
            (*lo, *hi) = (*lo + product, *lo - product);
        }
    }

    /// All butterflies of whole blocks of 2·`half` elements, with the twiddle `twiddle(i)` for i; that for 0 is 1.
    fn blocks(backend: Backend, data: &mut [Self], half: usize, twiddle: impl Fn(usize) -> Fr) {
        for block in data.chunks_mut(2 * half) {
            let (lo, hi) = block.split_at_mut(half);
            if let (Some(lo), Some(hi)) = (lo.first_mut(), hi.first_mut()) {
                // The twiddle 1 is one in a block, but all of them on the first level.
                (*lo, *hi) = (*lo + *hi, *lo - *hi);
            }
            Self::butterflies(backend, &mut lo[1..], &mut hi[1..], (1..half).map(&twiddle));
        }
    }
}

impl Element for Fr {
    const TIMES_NS: u64 = 20;
    const SUMS_NS: u64 = 6;
    const GRAIN: usize = 256;
}

impl Element for G1 {
    const TIMES_NS: u64 = 15_000;
    const SUMS_NS: u64 = 1_000;
    // They share the inversions for their tables, and fill vector lanes.
    const GRAIN: usize = 16;

    fn butterflies(backend: Backend, lo: &mut [Self], hi: &mut [Self], twiddles: impl Iterator<Item = Fr>) {
        let twiddles: Vec<Fr> = twiddles.take(hi.len()).collect();
        multiply(additions(backend), hi, &twiddles);
        for (lo, hi) in lo.iter_mut().zip(hi) {
            (*lo, *hi) = (*lo + *hi, *lo - *hi);
        }
    }

    fn blocks(backend: Backend, data: &mut [Self], half: usize, twiddle: impl Fn(usize) -> Fr) {
        // By twiddle, so that lanes beside each other have short ones together.
        let order =
            || (1..half).flat_map(|i| (half + i..data.len()).step_by(2 * half).map(move |at| (i, at)));
        let twiddles: Vec<Fr> = order().map(|(i, _)| twiddle(i)).collect();
        let places: Vec<usize> = order().map(|(_, at)| at).collect();
        let mut products: Vec<G1> = places.iter().map(|at| data[*at]).collect();
        multiply(additions(backend), &mut products, &twiddles);
        places.iter().zip(products).for_each(|(at, product)| data[*at] = product);
        for block in data.chunks_mut(2 * half) {
            let (lo, hi) = block.split_at_mut(half);
            for (lo, hi) in lo.iter_mut().zip(hi) {
                (*lo, *hi) = (*lo + *hi, *lo - *hi);
            }
        }
    }
}

/// What the backend gives, which [`Domain::with_backend`] has checked.
fn additions(backend: Backend) -> &'static dyn Additions {
    dispatch::additions(backend).unwrap_or(&Scalar)
}

/// How a transform is cut into pieces that may run at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decomposition {
    /// Recursion: both halves by `join`, the butterflies that combine them one after the other. On t threads the last
    /// levels, and with them much of the work, run on fewer than t.
    Halves,
    /// Recursion: both halves by `join`, and the butterflies that combine them in parallel too.
    HalvesAndButterflies,
    /// Level by level, the butterflies of each in parallel.
    Layers,
}

impl Decomposition {
    /// All of them.
    pub const ALL: [Decomposition; 3] =
        [Decomposition::Halves, Decomposition::HalvesAndButterflies, Decomposition::Layers];

    /// The one spelling that code, plans, records and documents use.
    pub fn name(self) -> &'static str {
        match self {
            Decomposition::Halves => "halves",
            Decomposition::HalvesAndButterflies => "halves-and-butterflies",
            Decomposition::Layers => "layers",
        }
    }
}

impl fmt::Display for Decomposition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Decomposition {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self, Error> {
        let found = Decomposition::ALL.into_iter().find(|d| d.name() == text);
        found.ok_or(Error::UnknownDecomposition)
    }
}

/// The roots of unity for transforms of up to 2^scale elements. 16 · 2^scale bytes.
#[derive(Clone, Debug)]
pub struct Domain {
    /// ω^k for k below half the size, where ω has the order 2^scale. At least one.
    roots: Vec<Fr>,
    scale: u32,
    /// What multiplies points by roots.
    backend: Backend,
}

impl Domain {
    /// Computes the roots, 2^scale / 2 multiplications.
    ///
    /// # Errors
    /// [`Error::Scale`] above 32, [`Error::Memory`] where the table cannot be allocated, [`Error::Backend`] where
    /// `PARCRYPT_BACKEND` forces one that does not run here.
    pub fn new(scale: u32) -> Result<Self, Error> {
        Domain::with_backend(scale, dispatch::choose()?)
    }

    /// [`Domain::new`] with a backend out of [`dispatch::BACKENDS`] for transforms of points.
    ///
    /// # Errors
    /// As there, and [`Error::Backend`] for a backend that does not run here.
    pub fn with_backend(scale: u32, backend: Backend) -> Result<Self, Error> {
        dispatch::additions(backend)?;
        let root = Fr::root_of_unity(scale)?;
        let bytes = (size_of::<Fr>() as u64) << scale.saturating_sub(1);
        let memory = || Error::Memory { scale, bytes };
        let half = 1usize.checked_shl(scale.saturating_sub(1)).ok_or_else(memory)?;
        let mut roots = Vec::new();
        roots.try_reserve_exact(half).map_err(|_| memory())?;
        roots.extend(std::iter::successors(Some(Fr::one()), |w| Some(*w * root)).take(half));
        Ok(Domain { roots, scale, backend })
    }

    /// The most elements that a transform over this domain may have: 2^scale.
    pub fn size(&self) -> usize {
        1 << self.scale
    }

    /// Which backend works on points.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// out\[i\] = Σ_j input\[j\] · ω^(i·j) for the root ω of order n = `input.len()`, in n/2 · log₂ n butterflies.
    ///
    /// n may be any power of two up to [`Domain::size`].
    ///
    /// ```
    /// use parcrypt_bls12_381::{Decomposition, Domain, Fr};
    /// let domain = Domain::new(2)?;
    /// let polynomial = [1, 2, 3, 4].map(Fr::from);
    /// let mut values = [Fr::zero(); 4];
    /// domain.fft(&parcrypt_runtime::Serial, Decomposition::Layers, &polynomial, &mut values)?;
    /// assert_eq!(values[0], Fr::from(1 + 2 + 3 + 4), "the first value is the one at 1");
    /// # Ok::<(), parcrypt_bls12_381::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Length`] for another length, [`Error::OutputLength`] where the output's differs.
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
        let all = (0..n.ilog2()).map(|level| butterflies_ns::<T>(n / 2, 1 << level)).sum();
        enter(rt, Cost::ns(all), || {
            gather_reversed(rt, input, output);
            match decomposition {
                Decomposition::Halves => self.halves(rt, &|block| self.butterflies(block), output),
                Decomposition::HalvesAndButterflies => {
                    self.halves(rt, &|block| self.butterflies_at_once(rt, block), output);
                }
                Decomposition::Layers => self.layers(rt, output),
            }
        });
        Ok(())
    }

    /// out\[i\] = n⁻¹ · Σ_j input\[j\] · ω^(−i·j): undoes [`Domain::fft`]. n multiplications more.
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
        // n is not 0 in Fr, so the inverse is there.
        let scale = Fr::from(input.len() as u64).inverse().unwrap_or_default();
        let grain = grain::<T>(output.len());
        let cost = Cost::ns(T::TIMES_NS.saturating_mul(grain as u64));
        for_each(rt, output.chunks_mut(grain).collect(), cost, |part| {
            part.iter_mut().for_each(|x| *x = *x * scale);
        });
        Ok(())
    }

    /// Transforms both halves, perhaps at once, and combines them.
    fn halves<T: Element>(&self, rt: &dyn Runtime, combine: &(dyn Fn(Piece<T>) + Sync), data: &mut [T]) {
        let n = data.len();
        if n == 1 {
            return;
        }
        let (lo, hi) = data.split_at_mut(n / 2);
        let below = (0..n.ilog2() - 1).map(|level| butterflies_ns::<T>(n / 2, 1 << level)).sum();
        join(rt, Cost::ns(below), || self.halves(rt, combine, lo), || self.halves(rt, combine, hi));
        combine(Piece { start: 0, half: n / 2, lo, hi });
    }

    /// All levels, from butterflies of neighbours to butterflies over half the length.
    fn layers<T: Element>(&self, rt: &dyn Runtime, data: &mut [T]) {
        let n = data.len();
        let grain = grain::<T>(n / 2);
        for half in (0..n.ilog2()).map(|level| 1 << level) {
            if half < grain {
                // Several blocks make one piece. Both are powers of two, so no block is cut.
                let cost = Cost::ns(butterflies_ns::<T>(grain, half));
                let stride = self.roots.len() / half;
                for_each(rt, data.chunks_mut(2 * grain).collect(), cost, |blocks| {
                    T::blocks(self.backend, blocks, half, |i| self.roots[i * stride]);
                });
            } else {
                let blocks = data.chunks_mut(2 * half).map(|block| block.split_at_mut(half));
                let pieces =
                    blocks.flat_map(|(lo, hi)| Piece { start: 0, half, lo, hi }.cut(grain)).collect();
                let cost = Cost::ns(butterflies_ns::<T>(grain, half));
                for_each(rt, pieces, cost, |piece| self.butterflies(piece));
            }
        }
    }

    /// The butterflies of a block in pieces that may run at once.
    fn butterflies_at_once<T: Element>(&self, rt: &dyn Runtime, block: Piece<T>) {
        let (half, grain) = (block.half, grain::<T>(block.half));
        let cost = Cost::ns(butterflies_ns::<T>(grain, half));
        for_each(rt, block.cut(grain).collect(), cost, |piece| self.butterflies(piece));
    }

    /// (lo\[i\], hi\[i\]) → (lo\[i\] + w·hi\[i\], lo\[i\] − w·hi\[i\]) with the root w of order 2·half to the power start + i.
    fn butterflies<T: Element>(&self, piece: Piece<T>) {
        let stride = self.roots.len() / piece.half;
        debug_assert!(stride * piece.half == self.roots.len(), "both are powers of two, half is the lesser");
        let Piece { start, mut lo, mut hi, .. } = piece;
        if start == 0
            && let (Some(lo), Some(hi)) = (lo.split_off_first_mut(), hi.split_off_first_mut())
        {
            // ω^0 = 1 is one butterfly in a block, but all of them on the first level.
            (*lo, *hi) = (*lo + *hi, *lo - *hi);
        }
        T::butterflies(
            self.backend,
            lo,
            hi,
            self.roots.iter().skip(start.max(1) * stride).step_by(stride).copied(),
        );
    }
}

/// Some of the butterflies of one block: those from `start` on, of `half` in all.
struct Piece<'a, T> {
    start: usize,
    half: usize,
    lo: &'a mut [T],
    hi: &'a mut [T],
}

impl<'a, T> Piece<'a, T> {
    /// Cuts a whole block into pieces of `grain` butterflies.
    fn cut(self, grain: usize) -> impl Iterator<Item = Piece<'a, T>> {
        debug_assert_eq!(self.start, 0);
        let pairs = self.lo.chunks_mut(grain).zip(self.hi.chunks_mut(grain));
        let half = self.half;
        pairs.enumerate().map(move |(i, (lo, hi))| Piece { start: i * grain, half, lo, hi })
    }
}

/// How many butterflies make a piece, where a level or a block has `butterflies`: a power of two, as they are.
fn grain<T: Element>(butterflies: usize) -> usize {
    /// Fewer pieces than this leave threads without work.
    const LEAST_PIECES: usize = 4;
    /// More pieces than this balance the work no better, and each costs its hand-out.
    const MOST_PIECES: usize = 256;
    T::GRAIN.min(butterflies / LEAST_PIECES).max(butterflies / MOST_PIECES).max(1)
}

/// What `count` butterflies in blocks of `half` cost: each adds and subtracts, all but the first of a block multiply.
fn butterflies_ns<T: Element>(count: usize, half: usize) -> u64 {
    let (count, half) = (count as u64, half as u64);
    count.saturating_mul(T::SUMS_NS).saturating_add((count - count / half).saturating_mul(T::TIMES_NS))
}

/// output\[i\] = input\[i with its log₂ n bits reversed\].
fn gather_reversed<T: Element>(rt: &dyn Runtime, input: &[T], output: &mut [T]) {
    const GRAIN: usize = 1 << 14;
    /// A read from anywhere.
    const ELEMENT_NS: u64 = 3;
    let unused_bits = usize::BITS - input.len().ilog2();
    let pieces = output.chunks_mut(GRAIN).enumerate().collect();
    for_each(rt, pieces, Cost::ns(GRAIN as u64 * ELEMENT_NS), |(piece, output): (usize, &mut [T])| {
        for (i, out) in output.iter_mut().enumerate() {
            // For a single element all bits are unused, and the shift would be by the whole width.
            let reversed = (piece * GRAIN + i).reverse_bits().checked_shr(unused_bits).unwrap_or(0);
            *out = input[reversed];
        }
    });
}

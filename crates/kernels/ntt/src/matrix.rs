//! Matrices and vectors of polynomials that are kept transformed, and their products.

use std::fmt::{self, Debug, Formatter};

use parcrypt_runtime::{Cost, Runtime, for_each};

use crate::{Error, Tuned};

/// Number of polynomials of a piece of a vector: 1 to 10 µs in vector instructions.
const GRAIN: usize = 32;

/// Returns the number of rows of a piece of a product, with about as many terms and inverses as twice [`GRAIN`]. It is
/// even, because kernels take two rows at a time.
fn rows_of_piece(columns: usize) -> usize {
    (2 * GRAIN / columns.saturating_add(2)).max(1).next_multiple_of(2)
}

/// What the coefficients of an argument are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Coefficients of polynomials.
    Polynomial,
    /// Transforms, as [`Tuned::forward`] returns them.
    Transform,
}

/// A value that begins at a multiple of 64 bytes.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Aligned<T>(pub(crate) T);

/// A matrix of polynomials that is kept transformed, in the order in which the kernels multiply: for the products of
/// many vectors by one matrix, or of many polynomials by one.
///
/// ```
/// use parcrypt_cpu::Request;
/// use parcrypt_ntt::{Form, Matrix, MlKem, Vector};
/// use parcrypt_runtime::Serial;
///
/// let ring = MlKem::new(Request::Auto)?;
/// // Two rows and three columns of constants 1 to 6, and a vector of three times X².
/// let constant = |c: u16| std::array::from_fn(|i| if i == 0 { c } else { 0 });
/// let entries: Vec<_> = (1..=6).map(constant).collect();
/// let matrix = Matrix::new(ring, 2, 3, Form::Polynomial, &entries)?;
/// let mut x2 = [0; 256];
/// x2[2] = 1;
/// let vector = Vector::new(&Serial, ring, &[x2; 3])?;
/// let mut product = [[0; 256]; 2];
/// matrix.product(&Serial, &vector, &mut product)?;
/// assert_eq!((product[0][2], product[1][2]), (1 + 2 + 3, 4 + 5 + 6));
/// # Ok::<(), parcrypt_ntt::Error>(())
/// ```
///
/// The memory is not erased.
#[derive(Clone)]
pub struct Matrix<T: 'static, const N: usize> {
    ring: Tuned<T, N>,
    rows: usize,
    columns: usize,
    entries: Vec<Aligned<[T; N]>>,
}

/// A vector of polynomials that is kept transformed, for the product of one vector by several matrices. Its memory is
/// not erased.
#[derive(Clone)]
pub struct Vector<T: 'static, const N: usize> {
    ring: Tuned<T, N>,
    entries: Vec<Aligned<[[T; N]; 2]>>,
}

impl<T: Debug, const N: usize> Debug for Matrix<T, N> {
    /// Writes the shape without the polynomials, which may be secret.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut shape = f.debug_struct("Matrix");
        shape.field("rows", &self.rows).field("columns", &self.columns).finish_non_exhaustive()
    }
}

impl<T: Debug, const N: usize> Debug for Vector<T, N> {
    /// Writes the length without the polynomials, which may be secret.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vector").field("len", &self.entries.len()).finish_non_exhaustive()
    }
}

impl<T: Copy + Debug + Default + Into<u32> + Send + Sync, const N: usize> Matrix<T, N> {
    /// Returns the matrix of `rows` times `columns` polynomials, one row after the other, which are transformed on the
    /// calling thread.
    ///
    /// # Errors
    /// [`Error::Length`] if there are not `rows` times `columns` entries, counted in coefficients,
    /// [`Error::NotReduced`] with an index through all of them, [`Error::Memory`].
    pub fn new(
        ring: Tuned<T, N>,
        rows: usize,
        columns: usize,
        form: Form,
        entries: &[[T; N]],
    ) -> Result<Self, Error> {
        length::<N>(0, rows.saturating_mul(columns), entries.len())?;
        let mut kept = aligned([T::default(); N], entries.len())?;
        ring.done_many(ring.kernels().keep(form, entries, &mut kept), [entries])?;
        Ok(Matrix { ring, rows, columns, entries: kept })
    }

    /// Returns the ring.
    pub fn ring(&self) -> Tuned<T, N> {
        self.ring
    }

    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Writes the product by a vector, as polynomials: for each row a sum of products with a single inverse transform.
    ///
    /// The work is divided into pieces of 2 to 32 rows, fewer of longer rows, which run in parallel if that pays.
    ///
    /// # Errors
    /// - [`Error::Length`] if the vector does not have as many polynomials as the matrix has columns (argument 0), or
    ///   the output does not have as many as the matrix has rows (argument 1), counted in coefficients.
    /// - [`Error::OtherBackend`] if another backend has made the vector.
    pub fn product(&self, rt: &dyn Runtime, vector: &Vector<T, N>, out: &mut [[T; N]]) -> Result<(), Error> {
        length::<N>(0, self.columns, vector.entries.len())?;
        length::<N>(1, self.rows, out.len())?;
        if self.ring.backend() != vector.ring.backend() {
            return Err(Error::OtherBackend { matrix: self.ring.backend(), vector: vector.ring.backend() });
        }
        if self.columns == 0 {
            out.fill([T::default(); N]);
            return Ok(());
        }
        let rows = |kept: &[Aligned<[T; N]>], out: &mut [[T; N]]| {
            debug_assert!(!vector.entries.is_empty() && kept.len() == vector.entries.len() * out.len());
            self.ring.kernels().rows(kept, &vector.entries, out);
        };
        let piece = rows_of_piece(self.columns);
        if out.len() <= piece {
            rows(&self.entries, out);
            return Ok(());
        }
        let pieces = self.entries.chunks(piece * self.columns).zip(out.chunks_mut(piece)).collect();
        // A term costs about a sixth of a product, and an inverse a third.
        let row = self.ring.product_ns() * (self.columns as u64 + 2) / 6;
        for_each(rt, pieces, Cost::ns(row * piece as u64), |(kept, out)| rows(kept, out));
        Ok(())
    }
}

impl<T: Copy + Debug + Default + Into<u32> + Send + Sync, const N: usize> Vector<T, N> {
    /// Returns the vector of these polynomials.
    ///
    /// # Errors
    /// [`Error::NotReduced`] with an index through all polynomials, [`Error::Memory`].
    pub fn new(rt: &dyn Runtime, ring: Tuned<T, N>, entries: &[[T; N]]) -> Result<Self, Error> {
        let mut vector = Vector { ring, entries: aligned([[T::default(); N]; 2], entries.len())? };
        vector.replace(rt, entries)?;
        Ok(vector)
    }

    /// Replaces the polynomials by as many others, without an allocation if there are up to 32.
    ///
    /// The work is divided into pieces of 32 polynomials, which run in parallel if that pays.
    ///
    /// # Errors
    /// [`Error::Length`] if their number differs, after which the vector is unchanged; [`Error::NotReduced`] with an
    /// index through all polynomials, after which all of the vector are 0.
    pub fn replace(&mut self, rt: &dyn Runtime, entries: &[[T; N]]) -> Result<(), Error> {
        length::<N>(0, self.entries.len(), entries.len())?;
        let kernels = self.ring.kernels();
        let taken = if entries.len() <= GRAIN {
            kernels.prepare(entries, &mut self.entries)
        } else {
            let mut taken = vec![true; entries.len().div_ceil(GRAIN)];
            let pieces = entries.chunks(GRAIN).zip(self.entries.chunks_mut(GRAIN)).zip(&mut taken).collect();
            type Piece<'a, P> = ((&'a [P], &'a mut [Aligned<[P; 2]>]), &'a mut bool);
            let cost = Cost::ns(self.ring.product_ns() / 3 * GRAIN as u64);
            for_each(rt, pieces, cost, |((from, to), taken): Piece<'_, [T; N]>| {
                *taken = kernels.prepare(from, to);
            });
            taken.iter().all(|taken| *taken)
        };
        if !taken {
            self.entries.fill(Aligned([[T::default(); N]; 2]));
        }
        self.ring.done_many(taken, [entries])
    }
}

/// Returns `polynomials` equal values.
fn aligned<T: Copy>(value: T, polynomials: usize) -> Result<Vec<Aligned<T>>, Error> {
    let mut all = Vec::new();
    all.try_reserve_exact(polynomials).map_err(|_| Error::Memory { polynomials })?;
    all.resize(polynomials, Aligned(value));
    Ok(all)
}

/// Returns an error if the numbers of polynomials differ, counted in coefficients.
pub(crate) fn length<const N: usize>(operand: usize, expected: usize, got: usize) -> Result<(), Error> {
    if got == expected {
        return Ok(());
    }
    Err(Error::Length { operand, expected: expected.saturating_mul(N), got: got * N })
}

//! `ntt-matrix`: products of a matrix of polynomials by a vector, in the rings of ML-KEM and ML-DSA.

use std::fmt::Debug;
use std::hint::black_box;

use parcrypt_cpu::Backend;
use parcrypt_ntt::{Form, Matrix, MlDsa, MlKem, Tuned, Vector};
use parcrypt_runtime::{Runtime, Serial};

use super::{WORD, ring, words, write};
use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Error, Prepared, Rows, Workload, filled};

const PARAMS: &[Parameter] = &[
    Parameter::one_name("ring", "ml-kem: Z_3329[X]/(X^256 + 1); ml-dsa: Z_8380417[X]/(X^256 + 1)", &["ml-kem", "ml-dsa"], None),
    Parameter::number("rows", "how many rows", 1..=4096, None),
    Parameter::number("columns", "how many columns", 1..=4096, None),
    Parameter::one_name("algorithm", "kept: the matrix is kept transformed; products: as many single products, whose sums are not measured", &["kept", "products"], Some("kept")).way(),
];

pub(super) const WORKLOAD: Workload = Workload {
    name: "ntt-matrix",
    about: "The product of a matrix of polynomials by a vector, in the ring of ML-KEM or of ML-DSA.",
    params: PARAMS,
    table: "ntt",
    backends,
    other_tables: &[],
    input: "1024 * columns * (rows + 1) bytes. Words of 4 bytes, little-endian, each reduced modulo q: the 256 coefficients of each \
            polynomial of the matrix, one row after the other, then of the vector.",
    output: "The 256 coefficients of the polynomial of each row in order, each as 4 bytes, little-endian, below q.",
    input_bytes,
    memory: |values| 5 * (input_bytes(values) + POLYNOMIAL * values.number("rows")),
    prepare,
};

/// Length of a polynomial in the input and in the output, in bytes.
const POLYNOMIAL: u64 = 256 * WORD as u64;

/// Returns the backends of a ring, or of the ring that has more.
fn backends(values: Option<&Values>) -> Vec<Backend> {
    match values.map(|values| values.name("ring")) {
        Some("ml-kem") => MlKem::backends(),
        Some(_) => MlDsa::backends(),
        None => [MlDsa::backends(), MlKem::backends()].into_iter().max_by_key(Vec::len).unwrap_or_default(),
    }
}

fn columns(values: &Values) -> usize {
    // At most 4096.
    values.number("columns") as usize
}

fn input_bytes(values: &Values) -> u64 {
    POLYNOMIAL * values.number("columns") * (values.number("rows") + 1)
}

fn add(sum: &mut [u32], product: &[u32], q: u32) {
    sum.iter_mut().zip(product).for_each(|(sum, c)| *sum = (*sum + c) % q);
}

fn prepare(
    values: &Values,
    data: Aligned<u8>,
    _: &dyn Runtime,
    rows: &Rows,
) -> Result<Box<dyn Prepared>, Error> {
    let words = words(&data, ring(values).0);
    Ok(match values.name("ring") {
        "ml-kem" => Box::new(InRing::new(values, MlKem::new(rows.backend().into())?, &words, |c| c as u16)?),
        _ => Box::new(InRing::new(values, MlDsa::new(rows.backend().into())?, &words, |c| c)?),
    })
}

/// A matrix and a vector in a ring.
struct InRing<T: 'static, const N: usize> {
    ring: Tuned<T, N>,
    matrix: Kept<T, N>,
    vector: Aligned<T>,
    out: Aligned<T>,
}

/// What is kept of a matrix, with memory for what is computed of the vector.
enum Kept<T: 'static, const N: usize> {
    Matrix { matrix: Matrix<T, N>, vector: Vector<T, N> },
    Products { matrix: Aligned<T>, products: Aligned<T> },
}

impl<T, const N: usize> InRing<T, N>
where
    T: Copy + Default + Debug + Into<u32> + Send + Sync,
{
    fn new(
        values: &Values,
        ring: Tuned<T, N>,
        words: &[u32],
        from: impl Fn(u32) -> T + Copy,
    ) -> Result<Self, Error> {
        let (columns, row) = (columns(values), N * columns(values));
        let coefficients = |words: &[u32]| -> Result<Aligned<T>, Error> {
            let mut to = filled(words.len())?;
            to.iter_mut().zip(words).for_each(|(to, word)| *to = from(*word));
            Ok(Aligned::new(to))
        };
        let (matrix, vector) = words.split_at(words.len() - row);
        let rows = matrix.len() / row;
        let (matrix, vector) = (coefficients(matrix)?, coefficients(vector)?);
        let matrix = match values.name("algorithm") {
            "kept" => Kept::Matrix {
                matrix: Matrix::new(ring, rows, columns, Form::Polynomial, polynomials(&matrix))?,
                // Of zeros, so that an answer is right only if each iteration replaces them.
                vector: Vector::new(&Serial, ring, polynomials(&filled(row)?))?,
            },
            _ => {
                let products = Aligned::new(filled(matrix.len())?);
                Kept::Products { matrix, products }
            }
        };
        Ok(InRing { ring, matrix, vector, out: Aligned::new(filled(rows * N)?) })
    }

    fn compute(&mut self, rt: &dyn Runtime) -> Result<(), parcrypt_ntt::Error> {
        let (ring, from) = (self.ring, polynomials(&self.vector));
        let (out, _) = self.out.as_chunks_mut::<N>();
        match &mut self.matrix {
            Kept::Matrix { matrix, vector } => {
                vector.replace(rt, from)?;
                matrix.product(rt, vector, out)
            }
            Kept::Products { matrix, products } => {
                let mut terms =
                    polynomials(matrix).iter().zip(from.iter().cycle()).zip(products.as_chunks_mut().0);
                terms.try_for_each(|((a, b), out)| ring.product(a, b, out))
            }
        }
    }
}

fn polynomials<T, const N: usize>(coefficients: &[T]) -> &[[T; N]] {
    coefficients.as_chunks().0
}

impl<T, const N: usize> Prepared for InRing<T, N>
where
    T: Copy + Default + Debug + Into<u32> + Send + Sync,
{
    fn iterate(&mut self, rt: &dyn Runtime) {
        assert!(black_box(&mut *self).compute(rt).is_ok(), "the operands were reduced");
    }

    fn output(&self, take: &mut dyn FnMut(&[u8])) {
        let Kept::Products { products, .. } = &self.matrix else { return write(&self.out, take) };
        for row in products.chunks(self.vector.len()) {
            let mut sum = [0; N];
            row.chunks(N).for_each(|product| {
                let product: Vec<u32> = product.iter().map(|c| (*c).into()).collect();
                add(&mut sum, &product, self.ring.modulus());
            });
            write(&sum, take);
        }
    }
}

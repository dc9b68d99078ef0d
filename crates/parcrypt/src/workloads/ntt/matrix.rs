//! `ntt-matrix`: products of a matrix of polynomials by a vector, in the rings of ML-KEM and ML-DSA.

use std::fmt::Debug;

use parcrypt_cpu::Backend;
use parcrypt_ntt::{Form, Matrix, MlDsa, MlKem, Tuned, Vector};
use parcrypt_runtime::{Runtime, Serial};

use super::{WORD, ring, words, write};
use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Error, Prepared, Rows, Workload, filled, work};

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

const POLYNOMIAL: u64 = 256 * WORD as u64;

/// Returns the backends of a ring, or of the ring that has more.
fn backends(values: Option<&Values>) -> Vec<Backend> {
    match values.map(|values| values.name("ring")) {
        Some("ml-kem") => MlKem::backends(),
        Some(_) => MlDsa::backends(),
        None => [MlDsa::backends(), MlKem::backends()].into_iter().max_by_key(Vec::len).unwrap_or_default(),
    }
}

fn input_bytes(values: &Values) -> u64 {
    POLYNOMIAL * values.number("columns") * (values.number("rows") + 1)
}

fn prepare(
    values: &Values,
    data: Aligned<u8>,
    _: &dyn Runtime,
    rows: &Rows,
) -> Result<Box<dyn Prepared>, Error> {
    let words = words(&data, ring(values).0);
    match values.name("ring") {
        "ml-kem" => in_ring(values, MlKem::new(rows.backend().into())?, &words, |c| c as u16),
        _ => in_ring(values, MlDsa::new(rows.backend().into())?, &words, |c| c),
    }
}

fn in_ring<T, const N: usize>(
    values: &Values,
    ring: Tuned<T, N>,
    words: &[u32],
    from: impl Fn(u32) -> T + Copy,
) -> Result<Box<dyn Prepared>, Error>
where
    T: Copy + Default + Debug + Into<u32> + Send + Sync + 'static,
{
    // At most 4096 columns.
    let columns = values.number("columns") as usize;
    let row = N * columns;
    let coefficients = |words: &[u32]| -> Result<Aligned<T>, Error> {
        let mut to = filled(words.len())?;
        to.iter_mut().zip(words).for_each(|(to, word)| *to = from(*word));
        Ok(Aligned::new(to))
    };
    let (matrix, vector) = words.split_at(words.len() - row);
    let rows = matrix.len() / row;
    let (matrix, vector) = (coefficients(matrix)?, coefficients(vector)?);
    let out = Aligned::new(filled::<T>(rows * N)?);
    let done = |result: Result<(), parcrypt_ntt::Error>| assert!(result.is_ok(), "the operands were reduced");
    let output = |out: &Aligned<T>, take: &mut dyn FnMut(&[u8])| write(out, take);
    match values.name("algorithm") {
        "kept" => {
            let matrix = Matrix::new(ring, rows, columns, Form::Polynomial, polynomials(&matrix))?;
            // Of zeros, so that an answer is right only if each iteration replaces them.
            let mut kept = Vector::new(&Serial, ring, polynomials(&filled(row)?))?;
            let multiply = move |out: &mut Aligned<T>, rt: &dyn Runtime| {
                done(kept.replace(rt, polynomials(&vector)));
                done(matrix.product(rt, &kept, out.as_chunks_mut().0));
            };
            work(out, multiply, output)
        }
        _ => {
            let multiply = move |products: &mut Aligned<T>, _: &dyn Runtime| {
                let pairs = polynomials(&matrix).iter().zip(polynomials(&vector).iter().cycle());
                let mut terms = pairs.zip(products.as_chunks_mut().0);
                done(terms.try_for_each(|((a, b), out)| ring.product(a, b, out)));
            };
            // The products are added only here.
            let output = move |products: &Aligned<T>, take: &mut dyn FnMut(&[u8])| {
                for row in products.chunks(row) {
                    let mut sum = [0; N];
                    for (i, c) in row.iter().enumerate() {
                        sum[i % N] = (sum[i % N] + (*c).into()) % ring.modulus();
                    }
                    write(&sum, take);
                }
            };
            work(Aligned::new(filled(rows * row)?), multiply, output)
        }
    }
}

fn polynomials<T, const N: usize>(coefficients: &[T]) -> &[[T; N]] {
    coefficients.as_chunks().0
}

//! `ntt-matrix`: products of a matrix of polynomials by a vector, in the rings of ML-KEM and ML-DSA.

use std::fmt::Debug;
use std::hint::black_box;

use parcrypt_cpu::Backend;
use parcrypt_ntt::{Form, Matrix, MlDsa, MlKem, Tuned, Vector};
use parcrypt_runtime::{Runtime, Serial};

use super::{WORD, ring, words, write};
use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Error, Known, Prepared, Rows, Workload, filled, known};

const PARAMS: &[Parameter] = &[
    Parameter::one_name("ring", "ml-kem: Z_3329[X]/(X^256 + 1); ml-dsa: Z_8380417[X]/(X^256 + 1)", &["ml-kem", "ml-dsa"], None),
    Parameter::number("rows", "how many rows", 1..=4096, None),
    Parameter::number("columns", "how many columns", 1..=4096, None),
    Parameter::one_name("algorithm", "kept: the matrix is kept transformed; products: as many single products, whose sums are not measured", &["kept", "products"], Some("kept")).way(),
];

// The known answers, with sizes around two rows, the rows and columns of a piece, and the terms of a sum that is
// reduced once, are from Python, where `b` is the input:
//     w = [x % q for x in memoryview(b).cast('I')]
//     poly = lambda i: w[256 * i:256 * i + 256]
//     for r in range(rows):
//         c = [0] * 256
//         for k in range(columns):
//             x, y = poly(r * columns + k), poly(rows * columns + k)
//             for i in range(256):
//                 for j in range(256): c[(i + j) % 256] += (-1 if i + j >= 256 else 1) * x[i] * y[j]
//         out += b''.join((x % q).to_bytes(4, 'little') for x in c)
//     sha256(out).hexdigest()
const KNOWN: &[Known] = known! {
    hashes "ring=ml-kem rows=3 columns=3" "9af133012d6bfb05106e03ca10863cdc3414c706ef75ac15f7254c6a614c7052";
    255 "ring=ml-kem rows=2 columns=17" "41b0f2ff6fd91a45a3c4857326519eb1319701f061ce91ad738e5350fd2818e2";
    hashes "ring=ml-dsa rows=6 columns=5" "32bcae03ce519ffc91a809471f8542683fd0d4b27907548f19be08293dd69ee2";
    255 "ring=ml-dsa rows=2 columns=17" "c1c3bf4410807a21ce11eebebb99be420f18d5140c9fa01a97bdef3b8d0b39d2";
    hashes "ring=ml-kem rows=1 columns=1" "4e8991712f2fbaa8b1f1c06ce61d4d2453630aac0063abf0642e505354611fa1";
    hashes "ring=ml-kem rows=3 columns=2" "5d2f685ee1f9d12897f564d3823245275f2f936630fb707ed7ca6e69f2b6129f";
    hashes "ring=ml-kem rows=23 columns=1" "1adc666a47e4e60ba7387043aa96a66ec421c4d25d8a1fd217fb7512e2687fad";
    hashes "ring=ml-kem rows=3 columns=33" "a507b9db477e8a4057848dd1ee1e11154027954d4505ee9562795c26a36e0c1d";
    hashes "ring=ml-dsa rows=1 columns=2" "466950a48581821ba8e2bbc0f1541d4e5bf6125060b19905aeac6303a3ce1e52";
    hashes "ring=ml-dsa rows=3 columns=1" "5ffe84c185022eaa9e14365781e5e2fb90a381cbae812a14982e1a1e29718771";
    hashes "ring=ml-dsa rows=5 columns=17" "23db8adba0702e2328cf19df93eb05cd0a4c822a95d7292aad180d1d78dc121f";
};

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
    known: KNOWN,
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

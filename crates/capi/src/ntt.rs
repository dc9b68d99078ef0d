//! Products of polynomials, for C.

use std::fmt::Debug;

use parcrypt_cpu::Request;
use parcrypt_ntt::{Convolution, Error, Form, MlDsa, MlKem, Vector};
use zeroize::{Zeroize, Zeroizing};

use crate::memory::{Caller, list, product};
use crate::status::{Failure, Status};

/// The header's `parcrypt_ring`.
pub struct Ring(parcrypt_ntt::Ring);

/// The header's `parcrypt_matrix`.
pub struct Matrix(InRing);

enum InRing {
    MlKem(parcrypt_ntt::Matrix<u16, N>),
    MlDsa(parcrypt_ntt::Matrix<u32, N>),
}

/// Number of coefficients in the rings of ML-KEM and ML-DSA.
const N: usize = 256;

/// Returns a coefficient in 16 bits. A larger one becomes one that is not below the modulus either.
fn narrow(coefficient: u32) -> u16 {
    u16::try_from(coefficient).unwrap_or(u16::MAX)
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let status = match &error {
            Error::Backend(_) => Status::BACKEND,
            Error::ModulusTooLarge { .. }
            | Error::NotPrime { .. }
            | Error::Size { .. }
            | Error::NoRoots { .. } => Status::PARAMETER,
            Error::NotReduced { .. } => Status::FIELD_ELEMENT,
            Error::Length { .. } => Status::LENGTH,
            Error::Memory { .. } => Status::MEMORY,
            _ => Status::INTERNAL,
        };
        Failure::new(status, error.to_string())
    }
}

/// Returns polynomials with coefficients of another width.
fn polynomials<T: Zeroize>(
    what: &str,
    coefficients: &[u32],
    from: fn(u32) -> T,
) -> Result<Zeroizing<Vec<[T; N]>>, Failure> {
    let polynomials = coefficients.as_chunks::<N>().0.iter();
    Ok(Zeroizing::new(list(what, polynomials.map(|polynomial| polynomial.map(from)))?))
}

/// Writes the product of a matrix by the caller's vector.
fn multiply<T>(
    caller: &Caller,
    rt: &dyn parcrypt_runtime::Runtime,
    matrix: &parcrypt_ntt::Matrix<T, N>,
    from: fn(u32) -> T,
    vector: *const u32,
    product: *mut u32,
) -> Result<(), Failure>
where
    T: Copy + Debug + Default + Into<u32> + Send + Sync + Zeroize,
{
    let vector = caller.input("vector", vector, self::product("vector", matrix.columns(), N)?)?;
    let out = caller.output("product", product, self::product("product", matrix.rows(), N)?)?;
    let mut vector = polynomials("vector", vector, from)?;
    let zeros = std::iter::repeat_n([T::default(); N], matrix.rows());
    let mut made = Zeroizing::new(list("product", zeros)?);
    let mut kept = Vector::new(rt, matrix.ring(), &vector)?;
    let done = matrix.product(rt, &kept, &mut made);
    // It may be secret and is not cleared when it is freed.
    vector.fill([T::default(); N]);
    kept.replace(rt, &vector)?;
    done?;
    for (i, polynomial) in made.iter().enumerate() {
        out.write_at(i * N, &*Zeroizing::new(polynomial.map(Into::into)));
    }
    Ok(())
}

exported!(|caller| {
    fn parcrypt_ring_new(modulus: u32, n: usize, negacyclic: bool, ring: slot(Ring)) {
        let convolution = if negacyclic { Convolution::Negacyclic } else { Convolution::Cyclic };
        ring.give(Ring(parcrypt_ntt::Ring::new(Request::Auto, modulus, n, convolution)?));
    }

    fn parcrypt_ring_free(ring: *mut Ring) -> () {
        caller.free(ring)
    }

    fn parcrypt_ring_products(
        runtime: runtime,
        ring: handle(Ring),
        a: *const u32,
        b: *const u32,
        products: *mut u32,
        count: usize,
    ) {
        let Ring(ring) = ring;
        let coefficients = product("count", count, ring.n())?;
        let a = caller.input("a", a, coefficients)?;
        let b = caller.input("b", b, coefficients)?;
        let out = caller.output("products", products, coefficients)?;
        // The output may be uninitialised, and may be one of the inputs.
        let mut made = Zeroizing::new(list("products", std::iter::repeat_n(0, coefficients))?);
        ring.products(runtime, a, b, &mut made)?;
        out.write(&made);
    }

    fn parcrypt_matrix_new(
        ring: handle(Ring),
        rows: usize,
        columns: usize,
        transformed: bool,
        entries: *const u32,
        matrix: slot(Matrix),
    ) {
        let Ring(ring) = ring;
        let row = product("columns", columns, N)?;
        let entries = caller.input("entries", entries, product("rows", rows, row)?)?;
        let form = if transformed { Form::Transform } else { Form::Polynomial };
        let request = ring.backend().into();
        let made = match (ring.modulus(), ring.n(), ring.convolution()) {
            (3329, N, Convolution::Negacyclic) => {
                let entries = polynomials("entries", entries, narrow)?;
                InRing::MlKem(parcrypt_ntt::Matrix::new(MlKem::new(request)?, rows, columns, form, &entries)?)
            }
            (8_380_417, N, Convolution::Negacyclic) => {
                let entries = polynomials("entries", entries, |coefficient| coefficient)?;
                InRing::MlDsa(parcrypt_ntt::Matrix::new(MlDsa::new(request)?, rows, columns, form, &entries)?)
            }
            _ => {
                let message = "ring: a matrix must be in the ring of ML-KEM or ML-DSA";
                return Err(Failure::new(Status::PARAMETER, message));
            }
        };
        matrix.give(Matrix(made));
    }

    fn parcrypt_matrix_free(matrix: *mut Matrix) -> () {
        caller.free(matrix)
    }

    fn parcrypt_matrix_product(
        runtime: runtime,
        matrix: handle(Matrix),
        vector: *const u32,
        product: *mut u32,
    ) {
        match &matrix.0 {
            InRing::MlKem(matrix) => multiply(caller, runtime, matrix, narrow, vector, product)?,
            InRing::MlDsa(matrix) => multiply(caller, runtime, matrix, |c| c, vector, product)?,
        }
    }
});

//! Products of polynomials, for C.

use parcrypt_cpu::Request;
use parcrypt_ntt::{Convolution, Error};
use zeroize::Zeroizing;

use crate::runtime::Runtime;
use crate::status::{Failure, Status};

/// The header's `parcrypt_ring`.
pub struct Ring(parcrypt_ntt::Ring);

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
            _ => Status::INTERNAL,
        };
        Failure::new(status, error.to_string())
    }
}

exported!(|caller| {
    fn parcrypt_ring_new(
        modulus: u32,
        n: usize,
        negacyclic: bool,
        ring: *mut *mut Ring,
    ) -> Result<(), Failure> {
        let slot = caller.slot("ring", ring)?;
        let convolution = if negacyclic { Convolution::Negacyclic } else { Convolution::Cyclic };
        slot.give(Ring(parcrypt_ntt::Ring::new(Request::Auto, modulus, n, convolution)?));
        Ok(())
    }

    fn parcrypt_ring_free(ring: *mut Ring) -> () {
        caller.free(ring)
    }

    fn parcrypt_ring_products(
        runtime: *const Runtime,
        ring: *const Ring,
        a: *const u32,
        b: *const u32,
        products: *mut u32,
        count: usize,
    ) -> Result<(), Failure> {
        let rt = caller.handle("runtime", runtime)?.get();
        let Ring(ring) = caller.handle("ring", ring)?;
        let too_many =
            || Failure::new(Status::LENGTH, format!("count: {count} are more than memory has room for"));
        let coefficients = count.checked_mul(ring.n()).ok_or_else(too_many)?;
        let a = caller.input("a", a, coefficients)?;
        let b = caller.input("b", b, coefficients)?;
        let out = caller.output("products", products, coefficients)?;
        // The output may be uninitialised, and may be one of the inputs.
        let mut made = Zeroizing::new(Vec::new());
        made.try_reserve_exact(coefficients)
            .map_err(|_| Failure::new(Status::MEMORY, format!("products: no memory for {count}")))?;
        made.resize(coefficients, 0);
        ring.products(rt, a, b, &mut made)?;
        out.write(&made);
        Ok(())
    }
});

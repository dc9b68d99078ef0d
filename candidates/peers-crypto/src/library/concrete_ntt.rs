//! concrete-ntt of Zama.

use concrete_ntt::prime32::Plan;

use super::{Failure, Library, Product};

const NAME: &str = "concrete-ntt";

pub(super) fn library() -> Library {
    Library {
        name: NAME,
        version: env!("VERSION_OF_CONCRETE_NTT").to_owned(),
        product: Some(product),
        ..Library::default()
    }
}

fn product(modulus: u32, n: usize) -> Result<Option<Product>, Failure> {
    let Some(plan) = Plan::try_new(n, modulus) else { return Ok(None) };
    let mut other = vec![0; n];
    Ok(Some(Box::new(move |a, b, out| {
        out.copy_from_slice(a);
        other.copy_from_slice(b);
        plan.fwd(out);
        plan.fwd(&mut other);
        plan.mul_assign_normalize(out, &other);
        plan.inv(out);
        Ok(())
    })))
}

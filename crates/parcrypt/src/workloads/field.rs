//! `fr-product`: products in the scalar field of BLS12-381, without threads.
//!
//! It is measured with an idle parallel runtime, as a workload that does not use it.

use std::hint::black_box;

use parcrypt_bls12_381::Fr;
use parcrypt_cpu::Backend;
use parcrypt_runtime::Runtime;

use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Error, Prepared, Rows, Workload, filled, work};

const PARAMS: &[Parameter] = &[Parameter::number("scale", "2^scale products", 0..=30, None)];

const ELEMENT: usize = 32;

pub(super) const WORKLOADS: &[Workload] = &[Workload {
    name: "fr-product",
    about: "Products in the scalar field of BLS12-381, on the caller's thread alone.",
    params: PARAMS,
    // blst chooses its own code for the processor while it runs.
    table: "fr",
    backends: |_| vec![Backend::Blst],
    other_tables: &[],
    input: "64 * 2^scale bytes. Bytes 64*i to 64*i + 31 are a big-endian integer, reduced modulo r it is a_i; the 32 bytes \
            after them are b_i.",
    output: "The products a_i * b_i in order, each as 32 bytes, big-endian, below r.",
    input_bytes,
    memory: |values| 5 * input_bytes(values) / 2,
    prepare,
}];

fn input_bytes(values: &Values) -> u64 {
    2 * ELEMENT as u64 * (1 << values.number("scale"))
}

fn prepare(_: &Values, data: Aligned<u8>, _: &dyn Runtime, _: &Rows) -> Result<Box<dyn Prepared>, Error> {
    let count = data.len() / (2 * ELEMENT);
    let mut factors = Aligned::new(filled::<(Fr, Fr)>(count)?);
    for (pair, bytes) in factors.iter_mut().zip(data.chunks_exact(2 * ELEMENT)) {
        let (a, b) = bytes.split_at(ELEMENT);
        *pair = (Fr::from_bytes_reduced(a), Fr::from_bytes_reduced(b));
    }
    let multiply = move |products: &mut Aligned<Fr>, _: &dyn Runtime| {
        for (product, (a, b)) in products.iter_mut().zip(black_box(&*factors)) {
            *product = *a * *b;
        }
        black_box(&**products);
    };
    work(Aligned::new(filled(count)?), multiply, |products, take| {
        products.iter().for_each(|product| take(&product.to_bytes()));
    })
}

#[cfg(test)]
mod tests {
    use ark_ff::{BigInteger, PrimeField};

    use super::*;
    use crate::workload::assert_known_answers;

    #[test]
    fn known_answers_match_arkworks() {
        let of = |bytes: &[u8]| ark_bls12_381::Fr::from_be_bytes_mod_order(bytes);
        assert_known_answers(&WORKLOADS[0], |_, input| {
            let pairs = input.chunks(2 * ELEMENT).map(|pair| pair.split_at(ELEMENT));
            pairs.flat_map(|(a, b)| (of(a) * of(b)).into_bigint().to_bytes_be()).collect()
        });
    }
}

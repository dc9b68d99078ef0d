//! `fft-g1` and `fft-fr`: the fast Fourier transform over the group G1 and over the scalar field of BLS12-381.

use std::hint::black_box;

use parcrypt_bls12_381::fft::Element;
use parcrypt_bls12_381::{Decomposition, Domain, Fr, G1, dispatch};
use parcrypt_cpu::Backend;
use parcrypt_runtime::{Cost, Runtime, for_each};

use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Error, Prepared, Rows, Workload, filled, work};

const PARAMS: &[Parameter] = &[
    Parameter::number("scale", "2^scale elements are transformed", 0..=Fr::TWO_ADICITY as u64, None),
    Parameter::one_name(
        "direction",
        "forward: from coefficients to values; inverse: back",
        &["forward", "inverse"],
        Some("forward"),
    ),
    Parameter::one_name(
        "decomposition",
        "how the transform is split into tasks",
        &["recursive", "recursive-parallel-butterflies", "iterative"],
        Some("iterative"),
    )
    .way(),
];

const ELEMENT_BYTES: u64 = 32;

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "fft-g1",
        about: "The fast Fourier transform of points of the group G1 of BLS12-381.",
        params: PARAMS,
        table: "fp",
        backends: |_| dispatch::BACKENDS.to_vec(),
        other_tables: &[],
        input: "32 * 2^scale bytes. Bytes 32*i to 32*i + 31 are a big-endian integer; reduced modulo r it is a_i, and \
                the point P_i = a_i * G, with the standard generator G. The points are made before the measurement.",
        output: "The transformed points in order, each in compressed form (48 bytes). With n = 2^scale and \
                 w = 7^((r-1)/n), forward: Q_i = sum over j of w^(i*j) * P_j; inverse: \
                 Q_i = 1/n * sum over j of w^(-i*j) * P_j.",
        input_bytes,
        memory: memory::<G1>,
        prepare: prepare::<G1>,
    },
    Workload {
        name: "fft-fr",
        about: "The fast Fourier transform of elements of the scalar field of BLS12-381.",
        params: PARAMS,
        table: "fr",
        // blst selects its own code for the processor while it runs.
        backends: |_| vec![Backend::Blst],
        other_tables: &[],
        input: "32 * 2^scale bytes. Bytes 32*i to 32*i + 31 are a big-endian integer; reduced modulo r it is a_i.",
        output: "The transformed elements in order, each as 32 bytes, big-endian, below r. With n = 2^scale and \
                 w = 7^((r-1)/n), forward: b_i = sum over j of w^(i*j) * a_j; inverse: \
                 b_i = 1/n * sum over j of w^(-i*j) * a_j.",
        input_bytes,
        memory: memory::<Fr>,
        prepare: prepare::<Fr>,
    },
];

fn input_bytes(values: &Values) -> u64 {
    ELEMENT_BYTES << values.number("scale")
}

/// Returns the memory of the input, the elements before and after, and the table of roots.
fn memory<T>(values: &Values) -> u64 {
    let element = ELEMENT_BYTES + 2 * size_of::<T>() as u64 + size_of::<Fr>() as u64 / 2;
    element << values.number("scale")
}

trait Operand: Element {
    fn from_input(bytes: &[u8]) -> Self;
    /// Time of [`Operand::from_input`], in ns.
    const FROM_INPUT: Cost;
    fn canonical(all: &[Self], take: &mut dyn FnMut(&[u8]));
}

impl Operand for Fr {
    const FROM_INPUT: Cost = Cost::ns(50);

    fn from_input(bytes: &[u8]) -> Self {
        Fr::from_bytes_reduced(bytes)
    }

    fn canonical(all: &[Self], take: &mut dyn FnMut(&[u8])) {
        all.iter().for_each(|x| take(&x.to_bytes()));
    }
}

impl Operand for G1 {
    const FROM_INPUT: Cost = parcrypt_bls12_381::costs::G1_PRODUCT;

    fn from_input(bytes: &[u8]) -> Self {
        G1::generator() * Fr::from_bytes_reduced(bytes)
    }

    fn canonical(all: &[Self], take: &mut dyn FnMut(&[u8])) {
        // In parts, so that the affine forms of a large output need little memory.
        for part in all.chunks(1 << 12) {
            G1::compress_all(part).iter().for_each(|point| take(point));
        }
    }
}

fn operands<T: Operand>(input: &[u8], rt: &dyn Runtime) -> Result<Vec<T>, Error> {
    const GRAIN: usize = 32;
    let bytes = ELEMENT_BYTES as usize;
    let mut all = filled::<T>(input.len() / bytes)?;
    // 4096 pieces balance the load.
    let grain = GRAIN.max(all.len() / (1 << 12));
    let pieces = all.chunks_mut(grain).zip(input.chunks(grain * bytes)).collect();
    let cost = grain * T::FROM_INPUT;
    for_each(rt, pieces, cost, |(all, input): (&mut [T], &[u8])| {
        for (x, bytes) in all.iter_mut().zip(input.chunks(bytes)) {
            *x = T::from_input(bytes);
        }
    });
    Ok(all)
}

fn prepare<T: Operand + 'static>(
    values: &Values,
    input: Aligned<u8>,
    rt: &dyn Runtime,
    rows: &Rows,
) -> Result<Box<dyn Prepared>, Error> {
    let input: Vec<T> = operands(&input, rt)?;
    let domain = Domain::new(rows.backend().into(), values.number("scale") as u32)?;
    let decomposition = values.name("decomposition").parse::<Decomposition>()?;
    let is_inverse = values.name("direction") == "inverse";
    let state = filled(input.len())?;
    let transform = move |output: &mut Vec<T>, rt: &dyn Runtime| {
        let input = black_box(&input[..]);
        let done = match is_inverse {
            false => domain.fft(rt, decomposition, input, output),
            true => domain.inverse_fft(rt, decomposition, input, output),
        };
        // The preparation chose the lengths of the domain.
        assert_eq!(done, Ok(()), "a prepared transform has the right lengths");
        black_box(&output[..]);
    };
    work(state, transform, |output, take| T::canonical(output, take))
}

#[cfg(test)]
mod tests {
    use ark_ec::{CurveGroup, PrimeGroup};
    use ark_ff::{BigInteger, PrimeField};
    use ark_poly::domain::DomainCoeff;
    use ark_poly::{EvaluationDomain, Radix2EvaluationDomain};
    use ark_serialize::CanonicalSerialize;

    use super::*;
    use crate::workload::assert_known_answers;

    /// Recomputes the known answers of a workload with arkworks, from the same stream.
    fn agrees_with_arkworks<T: DomainCoeff<ark_bls12_381::Fr>>(
        workload: &'static Workload,
        operand: fn(ark_bls12_381::Fr) -> T,
        canonical: fn(T) -> Vec<u8>,
    ) {
        assert_known_answers(workload, |values, input| {
            let elements = input.chunks(32).map(ark_bls12_381::Fr::from_be_bytes_mod_order);
            let operands: Vec<T> = elements.map(operand).collect();
            let domain = Radix2EvaluationDomain::<ark_bls12_381::Fr>::new(operands.len()).unwrap();
            let output = match values.name("direction") {
                "forward" => domain.fft(&operands),
                _ => domain.ifft(&operands),
            };
            output.into_iter().flat_map(canonical).collect()
        });
    }

    #[test]
    fn known_answers_over_fr_match_arkworks() {
        agrees_with_arkworks(&WORKLOADS[1], |x| x, |x| x.into_bigint().to_bytes_be());
    }

    #[test]
    fn known_answers_over_g1_match_arkworks() {
        let canonical = |p: ark_bls12_381::G1Projective| {
            let mut bytes = Vec::new();
            p.into_affine().serialize_compressed(&mut bytes).unwrap();
            bytes
        };
        agrees_with_arkworks(&WORKLOADS[0], |x| ark_bls12_381::G1Projective::generator() * x, canonical);
    }
}

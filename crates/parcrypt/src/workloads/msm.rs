//! `msm`: sums of multiples of points of the group G1 of BLS12-381, none of them known before.

use std::hint::black_box;

use parcrypt_bls12_381::{Fr, G1, dispatch, msm};
use parcrypt_runtime::Runtime;

use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Error, Prepared, Rows, Workload, work};

const PARAMS: &[Parameter] =
    &[Parameter::number("scale", "2^scale points are multiplied and added", 0..=22, None)];

const SCALAR_BYTES: usize = 32;

pub(super) const WORKLOADS: &[Workload] = &[Workload {
    name: "msm",
    about: "The sum of multiples of points of the group G1 of BLS12-381.",
    params: PARAMS,
    table: "fp",
    backends: |_| dispatch::BACKENDS.to_vec(),
    other_tables: &[],
    input: "32 * 2^scale bytes. Bytes 32*i to 32*i + 31 are a big-endian integer; reduced modulo r it is s_i. The point \
            P_i is 2^i * G, with the standard generator G, in affine coordinates. Both are made before the measurement.",
    output: "The sum over i of s_i * P_i in compressed form, 48 bytes.",
    input_bytes: |values| (SCALAR_BYTES as u64) << values.number("scale"),
    // The input and the points twice while they are made; and in passes of at most 2^18 points their tables, and 12
    // bytes and a point for each of 26 digits.
    memory: |values| {
        let points = 1 << values.number("scale");
        512 * points + 3584 * points.min(1 << 18)
    },
    prepare,
}];

fn prepare(_: &Values, input: Aligned<u8>, _: &dyn Runtime, rows: &Rows) -> Result<Box<dyn Prepared>, Error> {
    let scalars: Vec<Fr> = input.chunks(SCALAR_BYTES).map(Fr::from_bytes_reduced).collect();
    let row = dispatch::select(rows.backend().into())?;
    let points = std::iter::successors(Some(G1::generator()), |point| Some(point.double()));
    let points = G1::batch_to_affine(&points.take(scalars.len()).collect::<Vec<_>>());
    let add = move |sum: &mut G1, rt: &dyn Runtime| {
        // Both lists have one length.
        let made = msm::msm_vartime(rt, row, black_box(&points), &scalars);
        *sum = made.unwrap_or_else(|why| panic!("the lists have one length: {why}"));
    };
    work(G1::identity(), add, |sum, take| take(&sum.to_affine().to_compressed()))
}

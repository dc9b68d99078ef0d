//! `msm`: sums of multiples of points of the group G1 of BLS12-381, none of them known before.

use std::hint::black_box;

use parcrypt_bls12_381::{Fr, G1, G1Affine, dispatch, msm};
use parcrypt_runtime::Runtime;

use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Error, Prepared, Rows, Workload};

const PARAMS: &[Parameter] =
    &[Parameter::number("scale", "2^scale points are multiplied and added", 0..=22, None)];

/// Length of a scalar in the input, in bytes.
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

fn scalars(input: &[u8]) -> Vec<Fr> {
    input.chunks(SCALAR_BYTES).map(Fr::from_bytes_reduced).collect()
}

struct Sum {
    row: &'static dispatch::FpRow,
    points: Vec<G1Affine>,
    scalars: Vec<Fr>,
    sum: G1,
}

fn prepare(_: &Values, input: Aligned<u8>, _: &dyn Runtime, rows: &Rows) -> Result<Box<dyn Prepared>, Error> {
    let scalars = scalars(&input);
    let row = dispatch::select(rows.backend().into())?;
    let points = std::iter::successors(Some(G1::generator()), |point| Some(point.double()));
    let points = G1::batch_to_affine(&points.take(scalars.len()).collect::<Vec<_>>());
    Ok(Box::new(Sum { row, points, scalars, sum: G1::identity() }))
}

impl Prepared for Sum {
    fn iterate(&mut self, rt: &dyn Runtime) {
        let sum = msm::msm_vartime(rt, self.row, black_box(&self.points), &self.scalars);
        // The preparation made both lists of one length.
        self.sum = black_box(sum.unwrap_or_else(|why| panic!("the lists have one length: {why}")));
    }

    fn output(&self, take: &mut dyn FnMut(&[u8])) {
        take(&self.sum.to_affine().to_compressed());
    }
}

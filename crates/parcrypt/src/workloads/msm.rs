//! `msm`: sums of multiples of points of the group G1 of BLS12-381, none of them known before.

use std::hint::black_box;

use parcrypt_bls12_381::{Fr, G1, G1Affine, dispatch, msm};
use parcrypt_runtime::Runtime;

use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Error, Known, Prepared, Rows, Workload, known};

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
    known: KNOWN,
}];

// The known answers are from Python, by additions of points on the curve alone:
//     t = sum(int.from_bytes(b[32 * i:32 * i + 32], 'big') << i for i in range(1 << scale)) % r
//     sha256(compressed(times(t, G))).hexdigest()
const KNOWN: &[Known] = known! {
    hashes "scale=0" "2270d306db8fd7dcc0181ccc3d5e01715fe4ed9b61bb13ecacf7d0c38f383ff0";
    0 "scale=3" "5f0657f37554c781402a22917dee2f75def7ab966d7b770905398eba3c444014";
    255 "scale=3" "8f5e154164cbbafdb8a270d76c2be8ce705325c82acd25b3d592997ae87c2797";
    hashes "scale=8" "711e9f8f6dc1909ea6b7bfc65093fa4f713306f936450627aed2126fabec3fec";
    hashes "scale=12" "2fb9439efbaec706aba43094201dc3a8d87a106329568657a15e1f71a997cafa";
    hashes "scale=1" "7791892fadafca9eb57e28bc1e1584db97477cab1fdd99923dd9500737bbd137";
    hashes "scale=5" "7ea2dc08790f0c61136a4a5a6049236837445fbcb37bec8b8544483d222a5fd3";
    hashes "scale=9" "f7db7fad1c878a44342b17e77de64fb6a0e1e93430c09c40396b75e6f8b17172";
};

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

//! The workload `msm`, sums of multiples of points that are not known before, with blst and arkworks.
//! `crates/parcrypt/src/workloads/msm.rs` does the same work with Parcrypt's own code.

use ark_ec::{CurveGroup, PrimeGroup, VariableBaseMSM};
use ark_ff::PrimeField;
use ark_serialize::CanonicalSerialize;
use blst::MultiPoint;
use group::ff::Field;
use group::prime::PrimeCurveAffine;
use group::{Curve, Group};
use parcrypt_protocol::{OutputDigest, Prepare, Ready, Sample, Worker, WorkerError, input, memory};
use sha2::{Digest, Sha256};

use crate::library::{Library as _, Point, RustEthKzg};

/// Largest `scale`.
const MOST_SCALE: u64 = 22;
/// Bytes of a scalar in the input.
const SCALAR: usize = 32;

/// The library that adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Adder {
    /// blst: Pippenger's method with buckets in extended Jacobian coordinates.
    Blst,
    /// arkworks, with its feature for several threads.
    Arkworks,
}

/// Prepared sums, in the types of the library.
enum Prepared {
    Nothing,
    Blst {
        points: Vec<blst::blst_p1_affine>,
        scalars: Vec<u8>,
        sum: blst::blst_p1,
    },
    Arkworks {
        points: Vec<ark_bls12_381::G1Affine>,
        scalars: Vec<ark_bls12_381::Fr>,
        sum: ark_bls12_381::G1Projective,
    },
}

/// A library as a candidate.
pub(crate) struct Sums {
    adder: Adder,
    prepared: Prepared,
}

impl Adder {
    /// Returns the library's name, version and runtime.
    fn facts(self) -> [&'static str; 3] {
        match self {
            Adder::Blst => ["blst", env!("VERSION_OF_BLST"), "threads"],
            Adder::Arkworks => ["arkworks", env!("VERSION_OF_ARK_EC"), "rayon"],
        }
    }

    fn prepare(self, input: &[u8]) -> Prepared {
        match self {
            Adder::Blst => {
                let points: Vec<_> = doublings(blstrs::G1Projective::generator(), input, Group::double);
                let mut affine = vec![blstrs::G1Affine::identity(); points.len()];
                blstrs::G1Projective::batch_normalize(&points, &mut affine);
                let scalars = input.chunks(SCALAR).flat_map(|bytes| reduced(bytes).to_bytes_le());
                Prepared::Blst {
                    points: affine.iter().map(|point| *point.as_ref()).collect(),
                    scalars: scalars.collect(),
                    sum: blst::blst_p1::default(),
                }
            }
            Adder::Arkworks => {
                let generator = ark_bls12_381::G1Projective::generator();
                let points = doublings(generator, input, |point| *point + point);
                Prepared::Arkworks {
                    points: ark_bls12_381::G1Projective::normalize_batch(&points),
                    scalars: input.chunks(SCALAR).map(ark_bls12_381::Fr::from_be_bytes_mod_order).collect(),
                    sum: ark_bls12_381::G1Projective::default(),
                }
            }
        }
    }
}

/// Returns 2^i times the point for each scalar of the input.
fn doublings<P: Copy>(point: P, input: &[u8], double: impl Fn(&P) -> P) -> Vec<P> {
    std::iter::successors(Some(point), |point| Some(double(point))).take(input.len() / SCALAR).collect()
}

/// Returns a big-endian integer modulo r.
fn reduced(bytes: &[u8]) -> blstrs::Scalar {
    let byte = blstrs::Scalar::from(1 << 8);
    bytes
        .iter()
        .fold(blstrs::Scalar::ZERO, |value, next| value * byte + blstrs::Scalar::from(u64::from(*next)))
}

impl Prepared {
    fn iterate(&mut self) {
        match self {
            Prepared::Nothing => {}
            Prepared::Blst { points, scalars, sum } => *sum = points.mult(scalars, 255),
            Prepared::Arkworks { points, scalars, sum } => {
                *sum = ark_bls12_381::G1Projective::msm_unchecked(points, scalars);
            }
        }
    }

    /// Returns the compressed sum.
    fn sum(&self) -> Result<Point, WorkerError> {
        match self {
            Prepared::Nothing => Err(WorkerError::NotPrepared { request: "digest" }),
            Prepared::Blst { sum, .. } => {
                let mut point = blstrs::G1Projective::generator();
                *point.as_mut() = *sum;
                Ok(point.to_compressed())
            }
            Prepared::Arkworks { sum, .. } => {
                let mut point = [0; 48];
                sum.into_affine().serialize_compressed(&mut point[..]).map_err(WorkerError::other)?;
                Ok(point)
            }
        }
    }
}

impl Sums {
    /// Returns the candidate with nothing prepared yet.
    pub(crate) fn new(adder: Adder) -> Self {
        Sums { adder, prepared: Prepared::Nothing }
    }
}

impl Worker for Sums {
    fn prepare(&mut self, request: &Prepare) -> Result<Ready, WorkerError> {
        if request.workload != "msm" {
            return Err(WorkerError::workload(&request.workload, "msm"));
        }
        request.only(&["scale"])?;
        let scale = request.required("scale", 0, MOST_SCALE)?;
        let input = input::read(request.input()?, (SCALAR as u64) << scale)?;
        // blst's pool and Rayon's, which rust_eth_kzg has too.
        RustEthKzg::threads(request.threads)?;
        self.prepared = self.adder.prepare(&input);
        memory::reset_peak();
        let [name, version, runtime] = self.adder.facts().map(str::to_owned);
        Ok(Ready { name, version, runtime, threads: request.threads, ..Ready::default() })
    }

    fn sample(&mut self, iterations: u64) -> Result<Sample, WorkerError> {
        if matches!(self.prepared, Prepared::Nothing) {
            return Err(WorkerError::NotPrepared { request: "sample" });
        }
        Sample::time(iterations, || {
            std::hint::black_box(&mut self.prepared).iterate();
            Ok(())
        })
    }

    fn digest(&mut self) -> Result<OutputDigest, WorkerError> {
        Ok(OutputDigest(Sha256::digest(self.prepared.sum()?).into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_libraries_give_the_known_sums() {
        for line in crate::answers::KNOWN.lines().filter_map(|line| line.strip_prefix("msm ")) {
            let [stream, sha256, scale] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let scale: u32 = scale.trim_start_matches("scale=").parse().expect("a number");
            for adder in [Adder::Blst, Adder::Arkworks] {
                let mut prepared = adder.prepare(&crate::answers::stream(stream, SCALAR << scale));
                prepared.iterate();
                let digest = Sha256::digest(prepared.sum().expect("it is prepared"));
                assert_eq!(format!("{digest:x}"), sha256, "{adder:?} {line}");
            }
        }
    }
}

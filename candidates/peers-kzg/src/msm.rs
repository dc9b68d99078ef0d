//! The workload `msm`, sums of multiples of points that are not known before, with blst and arkworks.
//! `crates/parcrypt/src/workloads/msm.rs` does the same work with Parcrypt's own code.

use ark_ec::{CurveGroup, PrimeGroup, VariableBaseMSM};
use ark_ff::PrimeField;
use ark_serialize::CanonicalSerialize;
use blst::MultiPoint;
use group::ff::Field;
use group::prime::PrimeCurveAffine;
use group::{Curve, Group};
use parcrypt_protocol::{Prepare, WorkerError, input};

use crate::candidate::{Prepared, ready};
use crate::library::{Library as _, RustEthKzg};
use crate::workload::{Work, each};

/// Largest `scale`.
const MAX_SCALE: u64 = 22;
/// Bytes of a scalar in the input.
const SCALAR: usize = 32;

/// Prepares the workload by a library with these facts: name, version and runtime.
pub(crate) fn prepare(
    request: &Prepare,
    [name, version, runtime]: [&str; 3],
    sums: fn(&[u8]) -> Box<dyn Work>,
) -> Prepared {
    if request.workload != "msm" {
        return Err(WorkerError::workload(&request.workload, "msm"));
    }
    request.only(&["scale"])?;
    let scale = request.required("scale", 0, MAX_SCALE)?;
    let input = input::read(request.input()?, (SCALAR as u64) << scale)?;
    // blst's pool and Rayon's, which rust_eth_kzg has too.
    RustEthKzg::threads(request.threads)?;
    Ok((ready((name, version), runtime, request.threads), sums(&input)))
}

/// Prepares sums by blst: Pippenger's method with buckets in extended Jacobian coordinates.
pub(crate) fn blst(input: &[u8]) -> Box<dyn Work> {
    let points = doublings(blstrs::G1Projective::generator(), input, Group::double);
    let mut affine = vec![blstrs::G1Affine::identity(); points.len()];
    blstrs::G1Projective::batch_normalize(&points, &mut affine);
    let points: Vec<blst::blst_p1_affine> = affine.iter().map(|point| *point.as_ref()).collect();
    let scalars: Vec<u8> = input.chunks(SCALAR).flat_map(|bytes| reduced(bytes).to_bytes_le()).collect();
    let add = |(points, scalars): &(Vec<_>, Vec<u8>)| Ok(points.mult(scalars, 255));
    each(vec![(points, scalars)], add, |sum| {
        let mut point = blstrs::G1Projective::generator();
        *point.as_mut() = *sum;
        point.to_compressed().to_vec()
    })
}

/// Prepares sums by arkworks, with its feature for several threads.
pub(crate) fn arkworks(input: &[u8]) -> Box<dyn Work> {
    let points = doublings(ark_bls12_381::G1Projective::generator(), input, |point| *point + point);
    let points = ark_bls12_381::G1Projective::normalize_batch(&points);
    let scalars = input.chunks(SCALAR).map(ark_bls12_381::Fr::from_be_bytes_mod_order).collect();
    let add = |(points, scalars): &(Vec<_>, Vec<_>)| {
        Ok(ark_bls12_381::G1Projective::msm_unchecked(points, scalars))
    };
    each(vec![(points, scalars)], add, |sum: &ark_bls12_381::G1Projective| {
        let mut point = Vec::new();
        // Writing to a vector does not fail; a sum that was not written would have another digest.
        let _ = sum.into_affine().serialize_compressed(&mut point);
        point
    })
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

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    #[test]
    fn both_libraries_give_the_known_sums() {
        for line in crate::answers::KNOWN.lines().filter_map(|line| line.strip_prefix("msm ")) {
            let [stream, sha256, scale] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
            let scale: u32 = scale.trim_start_matches("scale=").parse().expect("a number");
            for sums in [blst, arkworks] {
                let mut sums = sums(&crate::answers::stream(stream, SCALAR << scale));
                sums.iterate().expect("a sum");
                let digest = Sha256::digest(sums.output().expect("a sum"));
                assert_eq!(format!("{digest:x}"), sha256, "{line}");
            }
        }
    }
}

//! Sums of multiples of points, for C.

use parcrypt_bls12_381::{Error, FixedMsm, Fr, G1, G1Affine, Membership, Request, decompress, dispatch, msm};
use parcrypt_kzg::{BYTES_PER_COMMITMENT as POINT, BYTES_PER_FIELD_ELEMENT as SCALAR};

use crate::memory::{self, list};
use crate::status::{Failure, Status};

/// The header's `parcrypt_points`.
pub struct Points {
    points: Vec<G1Affine>,
    /// Tables of their multiples, if there is memory for them.
    tables: Option<FixedMsm>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let status = match &error {
            Error::Backend(_) => Status::BACKEND,
            Error::NotCanonical | Error::NotCanonicalAt { .. } => Status::FIELD_ELEMENT,
            Error::NotOnCurve | Error::NotInSubgroup | Error::Coordinate => Status::POINT,
            Error::Groups { .. } | Error::Scalars { .. } => Status::LENGTH,
            Error::Memory { .. } | Error::Allocation { .. } => Status::MEMORY,
            _ => Status::INTERNAL,
        };
        Failure::new(status, error.to_string())
    }
}

/// Points that are decompressed at once, which bounds the memory beside the points themselves: some 10 MB.
const POINTS_AT_ONCE: usize = 1 << 14;

/// Returns the failure of an item of a list.
fn at(what: &str, index: usize, error: Error) -> Failure {
    let Failure { status, message } = error.into();
    Failure::new(status, format!("{what} {index}: {message}"))
}

exported!(|caller| {
    fn parcrypt_points_new(
        runtime: runtime, points: items(points_length, POINT), tables_mib: usize, out: slot(Points)
    ) {
        let row = dispatch::select(Request::Auto)?;
        let mut all = list("points", std::iter::repeat_n(G1Affine::identity(), points.len()))?;
        let pieces = points.chunks(POINTS_AT_ONCE).zip(all.chunks_mut(POINTS_AT_ONCE)).enumerate();
        for (piece, (items, all)) in pieces {
            let compressed: Vec<&[u8; POINT]> =
                items.iter().filter_map(|item| (*item).try_into().ok()).collect();
            let points = decompress(runtime, row, Membership::Batched, &compressed);
            for (i, (point, out)) in points.into_iter().zip(all).enumerate() {
                *out = point.map_err(|error| at("point", piece * POINTS_AT_ONCE + i, error))?;
            }
        }
        let points = all;
        let budget = tables_mib.saturating_mul(1 << 20);
        let tables = (budget > 0 && !points.is_empty())
            .then(|| FixedMsm::new(runtime, Request::Auto, &points, 1, budget))
            .transpose()?;
        out.give(Points { points, tables });
    }

    fn parcrypt_points_free(points: *mut Points) -> () {
        caller.free(points)
    }

    fn parcrypt_points_msm(
        runtime: runtime, points: handle(Points), scalars: bytes(scalars_length), sum: out(u8; POINT)
    ) {
        let Points { points, tables } = points;
        let items = memory::items("scalars", scalars, points.len(), SCALAR)?;
        let mut all = list("scalars", std::iter::repeat_n(Fr::from(0), items.len()))?;
        for (index, (scalar, item)) in all.iter_mut().zip(&items).enumerate() {
            let bytes =
                <&[u8; SCALAR]>::try_from(*item).map_err(|_| at("scalar", index, Error::NotCanonical))?;
            *scalar = Fr::from_bytes(bytes).map_err(|error| at("scalar", index, error))?;
        }
        let total = match tables {
            Some(tables) => {
                tables.msm_vartime(runtime, &[&all])?.into_iter().fold(G1::identity(), |all, sum| all + sum)
            }
            None => msm::msm_vartime(runtime, dispatch::select(Request::Auto)?, points, &all)?,
        };
        sum.write(&total.to_compressed());
    }
});

#[cfg(test)]
mod tests {
    use std::ptr::null_mut;

    use super::*;
    use crate::runtime::{parcrypt_runtime_free, parcrypt_runtime_new};

    /// Returns status and message of a caller.
    fn points(bytes: &[u8]) -> (Status, String) {
        let (mut rt, mut out) = (null_mut(), null_mut());
        // SAFETY: text, points and rooms are there, and what is made is freed once.
        unsafe {
            assert_eq!(parcrypt_runtime_new(c"serial".as_ptr(), 1, &raw mut rt), Status::OK);
            let status = parcrypt_points_new(rt, bytes.as_ptr(), bytes.len(), 0, &raw mut out);
            assert_eq!(out.is_null(), status != Status::OK);
            parcrypt_points_free(out);
            parcrypt_runtime_free(rt);
            (status, crate::status::tests::message())
        }
    }

    /// Returns a point of the curve outside of G1, other than (0, 2), which blst refuses in any case.
    fn outside() -> [u8; POINT] {
        let all = (1..=255).map(|last| {
            let mut bytes = [0; POINT];
            (bytes[0], bytes[POINT - 1]) = (0x80, last);
            bytes
        });
        let mut outside = all.filter(|x| matches!(G1Affine::from_compressed(x), Err(Error::NotInSubgroup)));
        outside.next().expect("most points of the curve are outside")
    }

    /// Few points are checked one by one, and many together.
    #[test]
    fn points_outside_of_the_group_are_refused() {
        let good = G1Affine::generator().to_compressed();
        for count in [1, 3, 300] {
            let mut all = vec![good; count];
            assert_eq!(points(all.as_flattened()), (Status::OK, String::new()));
            all[count / 2] = outside();
            let (status, message) = points(all.as_flattened());
            assert!(
                status == Status::POINT && message.starts_with(&format!("point {}: ", count / 2)),
                "{message}"
            );
        }
    }

    /// The index of a bad point is that in all points, which are decompressed in pieces. Infinity takes little time.
    #[test]
    fn a_bad_point_of_a_later_piece_has_its_index() {
        let mut infinity = [0; POINT];
        infinity[0] = 0xc0;
        let mut all = vec![infinity; POINTS_AT_ONCE + 7];
        all[POINTS_AT_ONCE + 3] = [0; POINT];
        let (status, message) = points(all.as_flattened());
        assert!(status == Status::POINT && message.starts_with("point 16387: "), "{message}");
    }
}

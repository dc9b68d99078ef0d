//! Sums of multiples of points, for C.

use parcrypt_bls12_381::{Error, FixedMsm, Fr, G1, G1Affine, Membership, Request, decompress, dispatch, msm};
use parcrypt_kzg::{BYTES_PER_COMMITMENT as POINT, BYTES_PER_FIELD_ELEMENT as SCALAR};

use crate::memory::{Caller, list};
use crate::runtime::Runtime;
use crate::status::{Failure, Status, call, quiet};

/// The header's `parcrypt_points`.
pub struct Points {
    points: Vec<G1Affine>,
    /// Tables of their multiples, where there is memory for them.
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

/// See the header.
///
/// # Safety
/// Each pointer is null or points to what the header requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parcrypt_points_new(
    runtime: *const Runtime,
    points: *const u8,
    points_length: usize,
    tables_mib: usize,
    out: *mut *mut Points,
) -> Status {
    // SAFETY: the pointers are what the header says, by the promise above.
    let caller = unsafe { Caller::new() };
    call(|| {
        let slot = caller.slot("out", out)?;
        let rt = caller.handle("runtime", runtime)?.get();
        let items = caller.items("points", points, points_length, POINT)?;
        let row = dispatch::select(Request::Auto)?;
        let mut all = list("points", std::iter::repeat_n(G1Affine::identity(), items.len()))?;
        let pieces = items.chunks(POINTS_AT_ONCE).zip(all.chunks_mut(POINTS_AT_ONCE)).enumerate();
        for (piece, (items, all)) in pieces {
            let compressed: Vec<&[u8; POINT]> =
                items.iter().filter_map(|item| (*item).try_into().ok()).collect();
            let points = decompress(rt, row, Membership::Batched, &compressed);
            for (i, (point, out)) in points.into_iter().zip(all).enumerate() {
                *out = point.map_err(|error| at("point", piece * POINTS_AT_ONCE + i, error))?;
            }
        }
        let points = all;
        let budget = tables_mib.saturating_mul(1 << 20);
        let tables = (budget > 0 && !points.is_empty())
            .then(|| FixedMsm::new(rt, Request::Auto, &points, 1, budget))
            .transpose()?;
        slot.give(Points { points, tables });
        Ok(())
    })
}

/// See the header.
///
/// # Safety
/// The pointer is null or points to what the header requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parcrypt_points_free(points: *mut Points) {
    // SAFETY: the pointer is what the header says, by the promise above.
    let caller = unsafe { Caller::new() };
    quiet((), || caller.free(points));
}

/// See the header.
///
/// # Safety
/// The pointer is null or points to what the header requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parcrypt_points_count(points: *const Points) -> usize {
    // SAFETY: the pointer is what the header says, by the promise above.
    let caller = unsafe { Caller::new() };
    quiet(0, || caller.handle("points", points).map_or(0, |points| points.points.len()))
}

/// See the header.
///
/// # Safety
/// Each pointer is null or points to what the header requires.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn parcrypt_points_msm(
    runtime: *const Runtime,
    points: *const Points,
    scalars: *const u8,
    scalars_length: usize,
    sum: *mut u8,
) -> Status {
    // SAFETY: the pointers are what the header says, by the promise above.
    let caller = unsafe { Caller::new() };
    call(|| {
        let rt = caller.handle("runtime", runtime)?.get();
        let Points { points, tables } = caller.handle("points", points)?;
        let items = caller.many_items("scalars", scalars, scalars_length, points.len(), SCALAR)?;
        let out = caller.output("sum", sum, POINT)?;
        let mut all = list("scalars", std::iter::repeat_n(Fr::from(0), items.len()))?;
        for (index, (scalar, item)) in all.iter_mut().zip(&items).enumerate() {
            let bytes =
                <&[u8; SCALAR]>::try_from(*item).map_err(|_| at("scalar", index, Error::NotCanonical))?;
            *scalar = Fr::from_bytes(bytes).map_err(|error| at("scalar", index, error))?;
        }
        let sum = match tables {
            Some(tables) => {
                tables.msm_vartime(rt, &[&all])?.into_iter().fold(G1::identity(), |all, sum| all + sum)
            }
            None => msm::msm_vartime(rt, dispatch::select(Request::Auto)?, points, &all)?,
        };
        out.write(&sum.to_compressed());
        Ok(())
    })
}

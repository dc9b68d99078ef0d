//! The tables of backends, for points of G1 over the base field Fp, for polynomials over the scalar field Fr and for
//! pairings, and the selection of a row.
//!
//! A [`Domain`](crate::Domain) and a [`FixedMsm`](crate::FixedMsm) select a row when they are made and hold it;
//! functions that belong to neither take one as an argument.

use parcrypt_cpu::{Backend, Request, Row, rows};
use parcrypt_runtime::Runtime;

use crate::Error;
use crate::arch::generic::blst::Blst;
use crate::costs::{FpCosts, FrCosts, PairingCosts};
use crate::curve::validation::PointValidation;
use crate::fr_lanes::FrLanes;
use crate::msm::Msm;
use crate::pairing::Pairing;
#[cfg(feature = "compute")]
use crate::{
    arch::generic::portable::Portable,
    curve::{batch_affine::BatchAffine, windows::WindowedMultiplication},
    msm::affine::Affine,
};

/// A row for points of G1 over the base field Fp.
pub type FpRow = Row<FpFunctions>;

/// The functions of one backend for points of G1 over the base field Fp.
#[derive(Debug)]
pub struct FpFunctions {
    /// Decompression and validation of points.
    pub(crate) validation: &'static dyn PointValidation,
    /// Sums of products.
    pub(crate) msm: &'static dyn Msm,
    /// Batch affine arithmetic.
    #[cfg(feature = "compute")]
    pub(crate) batch: &'static dyn BatchAffine,
    /// Multiplication by scalars in windows.
    #[cfg(feature = "compute")]
    pub(crate) windows: &'static dyn WindowedMultiplication,
    /// Costs of the functions.
    pub costs: FpCosts,
}

impl FpFunctions {
    /// Returns these functions.
    #[cfg(feature = "compute")]
    pub(crate) const fn new(
        functions: &'static (impl BatchAffine + PointValidation + WindowedMultiplication),
        costs: FpCosts,
    ) -> Self {
        FpFunctions { validation: functions, msm: &Affine, batch: functions, windows: functions, costs }
    }

    /// Returns the number of points in a task of decompressions or subgroup checks: two vectors, which take less than
    /// twice the time of one, if there is more than one for each thread. It depends on the threads; what is computed
    /// for each point does not.
    pub(crate) fn at_once(&self, rt: &dyn Runtime, points: usize) -> usize {
        let lanes = self.costs.lanes;
        if points > lanes * rt.threads().get() { 2 * lanes } else { lanes }
    }
}

rows! {
    /// The rows, in rising order of preference.
    ROWS: FpFunctions;
    Blst => FpFunctions {
        validation: &Blst,
        msm: &Blst,
        #[cfg(feature = "compute")]
        batch: &Portable::ALONE,
        #[cfg(feature = "compute")]
        windows: &Portable::ALONE,
        costs: FpCosts::BLST,
    };
    #[cfg(feature = "compute")] {
        Portable => FpFunctions::new(&Portable::ALONE, FpCosts::BLST);
        Simd128(SIMD128) => FpFunctions::new(&Portable::with(8, &SIMD128), FpCosts::SIMD128);
        Avx2(AVX2) => FpFunctions::new(&Portable::with(64, &AVX2), FpCosts::AVX2);
        AvxIfma(AVX_IFMA) => FpFunctions::new(&AVX_IFMA, FpCosts::AVX_IFMA);
        Avx512(AVX512) => FpFunctions::new(&Portable::with(32, &AVX512), FpCosts::AVX512);
        Ifma(IFMA) => FpFunctions::new(&IFMA, FpCosts::IFMA);
    }
}

/// The backends of the rows, in rising order of preference.
pub const BACKENDS: &[Backend] = &ROWS.list::<{ ROWS.count() }>();

/// Returns the requested row.
///
/// ```
/// use parcrypt_bls12_381::{Backend, Request, dispatch};
/// assert_eq!(dispatch::select(Request::Baseline)?.backend(), Backend::Blst);
/// # Ok::<(), parcrypt_bls12_381::Error>(())
/// ```
///
/// # Errors
/// [`Error::Backend`] if no row has the requested backend, or this machine cannot run it; there is no fallback.
pub fn select(request: Request) -> Result<&'static FpRow, Error> {
    let row = ROWS.select(request)?;
    #[cfg(feature = "faults")]
    let row = crate::faults::fp(row);
    Ok(row)
}

/// A row for polynomials over the scalar field Fr.
pub type FrRow = Row<FrFunctions>;

/// The functions of one backend for polynomials over the scalar field Fr.
#[derive(Debug)]
pub struct FrFunctions {
    /// Functions in lanes; without, elements are computed one after the other by blst.
    pub(crate) lanes: Option<&'static dyn FrLanes>,
    /// Costs of the functions.
    pub costs: FrCosts,
}

impl FrFunctions {
    /// Returns functions in lanes.
    pub(crate) const fn in_lanes(lanes: &'static dyn FrLanes, costs: FrCosts) -> Self {
        FrFunctions { lanes: Some(lanes), costs }
    }
}

rows! {
    /// The rows for Fr, in rising order of preference.
    FR_ROWS: FrFunctions;
    Blst => FrFunctions { lanes: None, costs: FrCosts::BLST };
    #[cfg(feature = "compute")] {
        Simd128(SIMD128) => FrFunctions::in_lanes(&SIMD128, FrCosts::SIMD128);
        Avx2(AVX2) => FrFunctions::in_lanes(&AVX2, FrCosts::AVX2);
        AvxIfma(AVX_IFMA) => FrFunctions::in_lanes(&AVX_IFMA, FrCosts::AVX_IFMA);
        Avx512(AVX512) => FrFunctions::in_lanes(&AVX512, FrCosts::AVX512);
        Ifma(IFMA) => FrFunctions::in_lanes(&IFMA, FrCosts::IFMA);
    }
}

/// The backends of the rows for Fr, in rising order of preference.
pub const FR_BACKENDS: &[Backend] = &FR_ROWS.list::<{ FR_ROWS.count() }>();

/// Returns the requested row for Fr.
///
/// ```
/// use parcrypt_bls12_381::{Backend, Request, dispatch};
/// assert_eq!(dispatch::select_fr(Request::Baseline)?.backend(), Backend::Blst);
/// # Ok::<(), parcrypt_bls12_381::Error>(())
/// ```
///
/// # Errors
/// As [`select`].
pub fn select_fr(request: Request) -> Result<&'static FrRow, Error> {
    let row = FR_ROWS.select(request)?;
    #[cfg(feature = "faults")]
    let row = crate::faults::fr(row);
    Ok(row)
}

/// A row for pairings.
pub type PairingRow = Row<PairingFunctions>;

/// The functions of one backend for pairings.
#[derive(Debug)]
pub struct PairingFunctions {
    pub(crate) functions: &'static dyn Pairing,
    /// Costs of the functions.
    pub costs: PairingCosts,
}

impl PairingFunctions {
    /// Returns functions with these costs.
    pub(crate) const fn in_lanes(functions: &'static dyn Pairing, costs: PairingCosts) -> Self {
        PairingFunctions { functions, costs }
    }
}

rows! {
    /// The rows for pairings, in rising order of preference.
    PAIRING_ROWS: PairingFunctions;
    Blst => PairingFunctions::in_lanes(&Blst, PairingCosts::BLST);
    #[cfg(feature = "compute")] {
        Portable => PairingFunctions::in_lanes(&Portable::ALONE, PairingCosts::BLST);
        Simd128(SIMD128) => PairingFunctions::in_lanes(&SIMD128, PairingCosts::SIMD128);
        Avx2(AVX2) => PairingFunctions::in_lanes(&AVX2, PairingCosts::AVX2);
        AvxIfma(AVX_IFMA) => PairingFunctions::in_lanes(&AVX_IFMA, PairingCosts::AVX_IFMA);
        Avx512(AVX512) => PairingFunctions::in_lanes(&AVX512, PairingCosts::AVX512);
        Ifma(IFMA) => PairingFunctions::in_lanes(&IFMA, PairingCosts::IFMA);
    }
}

/// The backends of the rows for pairings, in rising order of preference.
pub const PAIRING_BACKENDS: &[Backend] = &PAIRING_ROWS.list::<{ PAIRING_ROWS.count() }>();

/// Returns the requested row for pairings.
///
/// ```
/// use parcrypt_bls12_381::{Backend, Request, dispatch};
/// assert_eq!(dispatch::select_pairing(Request::Baseline)?.backend(), Backend::Blst);
/// # Ok::<(), parcrypt_bls12_381::Error>(())
/// ```
///
/// # Errors
/// As [`select`].
pub fn select_pairing(request: Request) -> Result<&'static PairingRow, Error> {
    let row = PAIRING_ROWS.select(request)?;
    #[cfg(feature = "faults")]
    let row = crate::faults::pairing(row);
    Ok(row)
}

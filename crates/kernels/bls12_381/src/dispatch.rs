//! The tables of backends, for points of G1 over the base field Fp, for polynomials over the scalar field Fr and for
//! pairings, and the selection of a row.
//!
//! A [`Domain`](crate::Domain) and a [`FixedMsm`](crate::FixedMsm) select a row when they are made and hold it;
//! functions that belong to neither take one as an argument.
#![allow(unsafe_code, reason = "vouches that a row is used only where its backend can run")]

use parcrypt_cpu::{Backend, Request, Row};
use parcrypt_runtime::Runtime;

use crate::Error;
use crate::arch::generic::blst::Blst;
use crate::costs::{FpCosts, FrCosts, PairingCosts};
use crate::curve::batch_affine::BatchAffine;
use crate::curve::validation::PointValidation;
use crate::curve::windows::WindowedMultiplication;
use crate::lanes::FrLanes;
use crate::lanes::pairing::PairingLanes;
#[cfg(target_feature = "simd128")]
use parcrypt_cpu::Simd128;
#[cfg(target_arch = "x86_64")]
use parcrypt_cpu::{Avx2, Avx512, AvxIfma, Ifma};

/// Returns the backends of a table.
macro_rules! backends {
    ($rows:ident) => {
        &{
            let mut backends = [Backend::Blst; $rows.len()];
            let mut i = 0;
            while i < backends.len() {
                backends[i] = $rows[i].backend;
                i += 1;
            }
            backends
        }
    };
}

/// The functions of one backend for points of G1 over the base field Fp: a row of the table.
#[derive(Debug)]
pub struct FpRow {
    backend: Backend,
    /// Batch affine arithmetic.
    pub(crate) batch: &'static dyn BatchAffine,
    /// Decompression and validation of points.
    pub(crate) validation: &'static dyn PointValidation,
    /// Multiplication by scalars in windows.
    pub(crate) windows: &'static dyn WindowedMultiplication,
    /// Costs of the functions.
    pub costs: FpCosts,
}

impl FpRow {
    /// Returns a row of these functions.
    pub(crate) const fn new(
        backend: Backend,
        functions: &'static (impl BatchAffine + PointValidation + WindowedMultiplication),
        costs: FpCosts,
    ) -> Self {
        FpRow { backend, batch: functions, validation: functions, windows: functions, costs }
    }

    /// Returns the number of points in a task of decompressions or subgroup checks: two vectors, which take less than
    /// twice the time of one, if there is more than one for each thread. It depends on the threads; what is computed
    /// for each point does not.
    pub(crate) fn at_once(&self, rt: &dyn Runtime, points: usize) -> usize {
        let lanes = self.costs.lanes;
        if points > lanes * rt.threads().get() { 2 * lanes } else { lanes }
    }
}

impl Row for FpRow {
    fn backend(&self) -> Backend {
        self.backend
    }
}

// SAFETY: `ROWS`, `FR_ROWS` and `PAIRING_ROWS` alone name it, and rows are reached through `parcrypt_cpu::select`
// alone, which returns those whose backend this machine can run.
#[cfg(target_arch = "x86_64")]
static IFMA: Ifma = unsafe { Ifma::assume() };

// SAFETY: as for `IFMA`.
#[cfg(target_feature = "simd128")]
static SIMD128: Simd128 = unsafe { Simd128::assume() };

/// The rows, in rising order of preference.
static ROWS: &[FpRow] = &[
    FpRow::new(Backend::Blst, &Blst::ALONE, FpCosts::BLST),
    #[cfg(target_feature = "simd128")]
    FpRow::new(
        Backend::Simd128,
        &Blst { sums: Some(&SIMD128), validation: Some(&SIMD128) },
        FpCosts::SIMD128,
    ),
    #[cfg(target_arch = "x86_64")]
    FpRow::new(Backend::Avx2, &Blst::with_sums(&AVX2), FpCosts::AVX2),
    #[cfg(target_arch = "x86_64")]
    FpRow::new(Backend::Avx512, &Blst::with_sums(&AVX512), FpCosts::AVX512),
    #[cfg(target_arch = "x86_64")]
    FpRow::new(Backend::Ifma, &IFMA, FpCosts::IFMA),
];

/// The backends of the rows, in rising order of preference.
pub const BACKENDS: &[Backend] = backends!(ROWS);

/// Returns the requested row.
///
/// ```
/// use parcrypt_bls12_381::{Backend, Request, dispatch};
/// use parcrypt_cpu::Row;
/// assert_eq!(dispatch::select(Request::Baseline)?.backend(), Backend::Blst);
/// # Ok::<(), parcrypt_bls12_381::Error>(())
/// ```
///
/// # Errors
/// [`Error::Backend`] if no row has the requested backend, or this machine cannot run it; there is no fallback.
pub fn select(request: Request) -> Result<&'static FpRow, Error> {
    let row = parcrypt_cpu::select(ROWS, request)?;
    #[cfg(feature = "faults")]
    let row = crate::faults::fp(row);
    Ok(row)
}

/// The functions of one backend for polynomials over the scalar field Fr: a row of the table.
#[derive(Debug)]
pub struct FrRow {
    backend: Backend,
    /// Functions in lanes; without, elements are computed one after the other by blst.
    pub(crate) lanes: Option<&'static dyn FrLanes>,
    /// Costs of the functions.
    pub costs: FrCosts,
}

impl FrRow {
    /// Returns a row with functions in lanes.
    pub(crate) const fn in_lanes(backend: Backend, lanes: &'static dyn FrLanes, costs: FrCosts) -> Self {
        FrRow { backend, lanes: Some(lanes), costs }
    }
}

impl Row for FrRow {
    fn backend(&self) -> Backend {
        self.backend
    }
}

// SAFETY: as for `IFMA`; `ROWS`, `FR_ROWS` and `PAIRING_ROWS` alone name it.
#[cfg(target_arch = "x86_64")]
static AVX2: Avx2 = unsafe { Avx2::assume() };
// SAFETY: as for `IFMA`; `FR_ROWS` alone names it.
#[cfg(target_arch = "x86_64")]
static AVX_IFMA: AvxIfma = unsafe { AvxIfma::assume() };
// SAFETY: as for `IFMA`; `ROWS` and `FR_ROWS` alone name it.
#[cfg(target_arch = "x86_64")]
static AVX512: Avx512 = unsafe { Avx512::assume() };

/// The rows for Fr, in rising order of preference.
static FR_ROWS: &[FrRow] = &[
    FrRow { backend: Backend::Blst, lanes: None, costs: FrCosts::BLST },
    #[cfg(target_feature = "simd128")]
    FrRow::in_lanes(Backend::Simd128, &SIMD128, FrCosts::SIMD128),
    #[cfg(target_arch = "x86_64")]
    FrRow::in_lanes(Backend::Avx2, &AVX2, FrCosts::AVX2),
    #[cfg(target_arch = "x86_64")]
    FrRow::in_lanes(Backend::AvxIfma, &AVX_IFMA, FrCosts::AVX_IFMA),
    #[cfg(target_arch = "x86_64")]
    FrRow::in_lanes(Backend::Avx512, &AVX512, FrCosts::AVX512),
    #[cfg(target_arch = "x86_64")]
    FrRow::in_lanes(Backend::Ifma, &IFMA, FrCosts::IFMA),
];

/// The backends of the rows for Fr, in rising order of preference.
pub const FR_BACKENDS: &[Backend] = backends!(FR_ROWS);

/// Returns the requested row for Fr.
///
/// ```
/// use parcrypt_bls12_381::{Backend, Request, dispatch};
/// use parcrypt_cpu::Row;
/// assert_eq!(dispatch::select_fr(Request::Baseline)?.backend(), Backend::Blst);
/// # Ok::<(), parcrypt_bls12_381::Error>(())
/// ```
///
/// # Errors
/// As [`select`].
pub fn select_fr(request: Request) -> Result<&'static FrRow, Error> {
    let row = parcrypt_cpu::select(FR_ROWS, request)?;
    #[cfg(feature = "faults")]
    let row = crate::faults::fr(row);
    Ok(row)
}

/// The functions of one backend for pairings: a row of the table.
#[derive(Debug)]
pub struct PairingRow {
    backend: Backend,
    /// Functions in lanes; without, blst computes one product after the other.
    pub(crate) lanes: Option<&'static dyn PairingLanes>,
    /// Costs of the functions.
    pub costs: PairingCosts,
}

impl PairingRow {
    /// Returns a row with functions in lanes.
    pub(crate) const fn in_lanes(
        backend: Backend,
        lanes: &'static dyn PairingLanes,
        costs: PairingCosts,
    ) -> Self {
        PairingRow { backend, lanes: Some(lanes), costs }
    }
}

impl Row for PairingRow {
    fn backend(&self) -> Backend {
        self.backend
    }
}

/// The rows for pairings, in rising order of preference.
static PAIRING_ROWS: &[PairingRow] = &[
    PairingRow { backend: Backend::Blst, lanes: None, costs: PairingCosts::BLST },
    #[cfg(target_feature = "simd128")]
    PairingRow::in_lanes(Backend::Simd128, &SIMD128, PairingCosts::SIMD128),
    #[cfg(target_arch = "x86_64")]
    PairingRow::in_lanes(Backend::Avx2, &AVX2, PairingCosts::AVX2),
    #[cfg(target_arch = "x86_64")]
    PairingRow::in_lanes(Backend::Ifma, &IFMA, PairingCosts::IFMA),
];

/// The backends of the rows for pairings, in rising order of preference.
pub const PAIRING_BACKENDS: &[Backend] = backends!(PAIRING_ROWS);

/// Returns the requested row for pairings.
///
/// ```
/// use parcrypt_bls12_381::{Backend, Request, dispatch};
/// use parcrypt_cpu::Row;
/// assert_eq!(dispatch::select_pairing(Request::Baseline)?.backend(), Backend::Blst);
/// # Ok::<(), parcrypt_bls12_381::Error>(())
/// ```
///
/// # Errors
/// As [`select`].
pub fn select_pairing(request: Request) -> Result<&'static PairingRow, Error> {
    let row = parcrypt_cpu::select(PAIRING_ROWS, request)?;
    #[cfg(feature = "faults")]
    let row = crate::faults::pairing(row);
    Ok(row)
}

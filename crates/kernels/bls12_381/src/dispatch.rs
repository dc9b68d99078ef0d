//! The tables of backends, for points of G1 over the base field Fp, for polynomials over the scalar field Fr and for
//! pairings, and the selection of a row.
//!
//! A [`Domain`](crate::Domain) and a [`FixedMsm`](crate::FixedMsm) select a row when they are made and hold it;
//! functions that belong to neither take one as an argument.
#![allow(unsafe_code, reason = "vouches that a row is used only where its backend can run")]

use parcrypt_cpu::{Backend, Request, Row};

use crate::Error;
use crate::arch::generic::blst::Blst;
#[cfg(target_arch = "x86_64")]
use crate::arch::x86_64::{avx_ifma::AvxIfma, avx2::Avx2, avx512::Avx512, ifma::Ifma};
use crate::costs::{self, PairingCosts};
use crate::curve::affine::BatchAffine;
use crate::lanes::FrLanes;
use crate::lanes::pairing::PairingLanes;

/// The functions of one backend for points of G1 over the base field Fp: a row of the table.
#[derive(Debug)]
pub struct FpRow {
    backend: Backend,
    /// Batch affine addition, and the other functions of the backend.
    pub(crate) batch: &'static dyn BatchAffine,
    /// Time of a multiplication in Fp, for each of many, in ns.
    pub(crate) product_ns: f64,
    /// Time of an affine addition in a batch, with its operands from memory, in ns.
    pub(crate) add_ns: f64,
    /// Number of points that are decompressed in the time of one.
    pub(crate) decompress_lanes: usize,
}

impl FpRow {
    /// Returns a row whose additions alone are in lanes.
    pub(crate) const fn in_lanes(backend: Backend, batch: &'static Blst, add_ns: f64) -> Self {
        FpRow { backend, batch, product_ns: costs::FP_PRODUCT_NS, add_ns, decompress_lanes: 1 }
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
static IFMA: Ifma = unsafe { Ifma::new() };

/// The rows, in rising order of preference.
static ROWS: &[FpRow] = &[
    FpRow {
        backend: Backend::Blst,
        batch: &Blst(None),
        product_ns: costs::FP_PRODUCT_NS,
        add_ns: costs::G1_ADD_BLST_NS,
        decompress_lanes: 1,
    },
    #[cfg(target_arch = "x86_64")]
    FpRow::in_lanes(Backend::Avx2, &Blst(Some(&AVX2)), costs::G1_ADD_AVX2_NS),
    #[cfg(target_arch = "x86_64")]
    FpRow::in_lanes(Backend::Avx512, &Blst(Some(&AVX512)), costs::G1_ADD_AVX512_NS),
    #[cfg(target_arch = "x86_64")]
    FpRow {
        backend: Backend::Ifma,
        batch: &IFMA,
        product_ns: costs::FP_PRODUCT_IFMA_NS,
        add_ns: costs::G1_ADD_IFMA_NS,
        decompress_lanes: 8,
    },
];

/// The backends of the rows, in rising order of preference.
pub const BACKENDS: &[Backend] = &{
    let mut backends = [Backend::Blst; ROWS.len()];
    let mut i = 0;
    while i < ROWS.len() {
        backends[i] = ROWS[i].backend;
        i += 1;
    }
    backends
};

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
    Ok(parcrypt_cpu::select(ROWS, request)?)
}

/// The functions of one backend for polynomials over the scalar field Fr: a row of the table.
#[derive(Debug)]
pub struct FrRow {
    backend: Backend,
    /// Functions in lanes; without, elements are computed one after the other by blst.
    pub(crate) lanes: Option<&'static dyn FrLanes>,
    /// Time of a multiplication in Fr, for each of many, in ns.
    pub(crate) product_ns: f64,
}

impl FrRow {
    /// Returns a row with functions in lanes.
    pub(crate) const fn in_lanes(backend: Backend, lanes: &'static dyn FrLanes, product_ns: f64) -> Self {
        FrRow { backend, lanes: Some(lanes), product_ns }
    }
}

impl Row for FrRow {
    fn backend(&self) -> Backend {
        self.backend
    }
}

// SAFETY: as for `IFMA`; `ROWS`, `FR_ROWS` and `PAIRING_ROWS` alone name it.
#[cfg(target_arch = "x86_64")]
static AVX2: Avx2 = unsafe { Avx2::new() };
// SAFETY: as for `IFMA`; `FR_ROWS` alone names it.
#[cfg(target_arch = "x86_64")]
static AVX_IFMA: AvxIfma = unsafe { AvxIfma::new() };
// SAFETY: as for `IFMA`; `ROWS` and `FR_ROWS` alone name it.
#[cfg(target_arch = "x86_64")]
static AVX512: Avx512 = unsafe { Avx512::new() };

/// The rows for Fr, in rising order of preference.
static FR_ROWS: &[FrRow] = &[
    FrRow { backend: Backend::Blst, lanes: None, product_ns: costs::FR_PRODUCT_NS as f64 },
    #[cfg(target_arch = "x86_64")]
    FrRow::in_lanes(Backend::Avx2, &AVX2, costs::FR_PRODUCT_AVX2_NS),
    #[cfg(target_arch = "x86_64")]
    FrRow::in_lanes(Backend::AvxIfma, &AVX_IFMA, costs::FR_PRODUCT_AVX_IFMA_NS),
    #[cfg(target_arch = "x86_64")]
    FrRow::in_lanes(Backend::Avx512, &AVX512, costs::FR_PRODUCT_AVX512_NS),
    #[cfg(target_arch = "x86_64")]
    FrRow::in_lanes(Backend::Ifma, &IFMA, costs::FR_PRODUCT_IFMA_NS),
];

/// The backends of the rows for Fr, in rising order of preference.
pub const FR_BACKENDS: &[Backend] = &{
    let mut backends = [Backend::Blst; FR_ROWS.len()];
    let mut i = 0;
    while i < FR_ROWS.len() {
        backends[i] = FR_ROWS[i].backend;
        i += 1;
    }
    backends
};

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
    Ok(parcrypt_cpu::select(FR_ROWS, request)?)
}

/// The functions of one backend for pairings: a row of the table.
#[derive(Debug)]
pub struct PairingRow {
    backend: Backend,
    /// Functions in lanes; without, blst computes one product after the other.
    pub(crate) lanes: Option<&'static dyn PairingLanes>,
    /// Costs of its parts.
    pub(crate) costs: PairingCosts,
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
    PairingRow { backend: Backend::Blst, lanes: None, costs: costs::PAIRING_BLST },
    #[cfg(target_arch = "x86_64")]
    PairingRow::in_lanes(Backend::Avx2, &AVX2, costs::PAIRING_AVX2),
    #[cfg(target_arch = "x86_64")]
    PairingRow::in_lanes(Backend::Ifma, &IFMA, costs::PAIRING_IFMA),
];

/// The backends of the rows for pairings, in rising order of preference.
pub const PAIRING_BACKENDS: &[Backend] = &{
    let mut backends = [Backend::Blst; PAIRING_ROWS.len()];
    let mut i = 0;
    while i < PAIRING_ROWS.len() {
        backends[i] = PAIRING_ROWS[i].backend;
        i += 1;
    }
    backends
};

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
    Ok(parcrypt_cpu::select(PAIRING_ROWS, request)?)
}

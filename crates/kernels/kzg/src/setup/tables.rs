//! Tables of multiples of a setup's points, and their memory.

use std::fmt;

use parcrypt_bls12_381::{FixedMsm, GlvTable};
use parcrypt_runtime::Runtime;

use super::points::{FK20_POINTS, G1_POINTS};
use crate::settings::Tables;
use crate::{CELLS_PER_EXT_BLOB, Error, Settings};

/// Memory of the tables of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableReport {
    /// Bytes for multiples of the Lagrange form: commitments and proofs of blobs.
    pub lagrange_bytes: usize,
    /// Bytes for multiples of the points of FK20: proofs of cells.
    pub fk20_bytes: usize,
}

impl TableReport {
    /// Returns the sum, in bytes.
    pub fn bytes(&self) -> usize {
        self.lagrange_bytes + self.fk20_bytes
    }
}

impl fmt::Display for TableReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes| bytes as f64 / f64::from(1 << 20);
        write!(
            f,
            "{:.1} MiB of tables: {:.1} for commitments and proofs of blobs, {:.1} for proofs of cells",
            mib(self.bytes()),
            mib(self.lagrange_bytes),
            mib(self.fk20_bytes)
        )
    }
}

/// The most bytes that tables for the Lagrange form take: 7 multiples of each point. A commitment takes 11 % less time
/// with 2, 15 % with 7, and 15 % with all 16: fewer additions, of points that are not in the second cache.
const MAX_LAGRANGE: usize = 7 * G1_POINTS * size_of::<GlvTable>();

/// Builds tables for the Lagrange form within a budget in bytes; the largest take [`MAX_LAGRANGE`].
fn make_lagrange(rt: &dyn Runtime, settings: &Settings, budget: usize) -> Result<FixedMsm, Error> {
    let budget = budget.min(MAX_LAGRANGE);
    Ok(FixedMsm::new(rt, settings.rows.fp_request(), &settings.g1_lagrange, 1, budget)?)
}

/// Builds tables for FK20 within a budget in bytes.
fn make_fk20(rt: &dyn Runtime, settings: &Settings, budget: usize) -> Result<FixedMsm, Error> {
    let points = &settings.fk20_points;
    Ok(FixedMsm::new(rt, settings.rows.fp_request(), points, CELLS_PER_EXT_BLOB, budget)?)
}

/// # Tables
///
/// Multi-scalar multiplications of the same points take less time with tables of their multiples. Settings begin
/// without tables; each of these functions replaces the current ones.
impl Settings {
    /// Builds tables of at most `budget_mib` MiB, or of the points themselves if they take more, and returns their
    /// sizes, which `docs/explanation/kzg.md#tables` lists. The largest take 70 ms on one thread with AVX-512 IFMA,
    /// half a second without.
    ///
    /// # Errors
    /// [`Error::Arithmetic`] if they cannot be built.
    ///
    /// ```
    /// use parcrypt_kzg::{Request, Settings};
    /// let mut settings = Settings::mainnet(Request::Auto)?;
    /// let report = settings.build_tables(&parcrypt_runtime::Serial, 8)?;
    /// assert!(report.bytes() <= 8 << 20, "{report}");
    /// # Ok::<(), parcrypt_kzg::Error>(())
    /// ```
    pub fn build_tables(&mut self, rt: &dyn Runtime, budget_mib: usize) -> Result<TableReport, Error> {
        let budget = budget_mib.saturating_mul(1 << 20);
        // Those for the Lagrange form get a quarter, and what those for FK20 leave of the rest.
        let fk20 = make_fk20(rt, self, budget - MAX_LAGRANGE.min(budget / 4))?;
        let lagrange = make_lagrange(rt, self, budget.saturating_sub(fk20.table_bytes()))?;
        (self.compute.lagrange, self.compute.fk20) = (lagrange.into(), fk20.into());
        Ok(self.tables())
    }

    /// Builds tables of at most these sizes and returns their sizes. Tables that would not be larger than the current
    /// ones are not built. With [`Settings::tables`] of another process the tables become as large as there; with one
    /// of the sizes raised, as for commitments only, the others take no time.
    ///
    /// # Errors
    /// [`Error::Arithmetic`] if they cannot be built.
    ///
    /// ```
    /// use parcrypt_kzg::{Request, Settings};
    /// let mut settings = Settings::mainnet(Request::Auto)?;
    /// let mut most = settings.tables();
    /// most.lagrange_bytes = 4 << 20;
    /// let report = settings.build_tables_within(&parcrypt_runtime::Serial, most)?;
    /// assert_eq!(report.fk20_bytes, most.fk20_bytes);
    /// # Ok::<(), parcrypt_kzg::Error>(())
    /// ```
    pub fn build_tables_within(&mut self, rt: &dyn Runtime, most: TableReport) -> Result<TableReport, Error> {
        let now = self.tables();
        // Nothing is replaced before both are built.
        let larger = |most: usize, now: usize| Some(most).filter(|most| *most > now);
        let lagrange = larger(most.lagrange_bytes, now.lagrange_bytes);
        let lagrange = lagrange.map(|budget| make_lagrange(rt, self, budget)).transpose()?;
        let fk20 = larger(most.fk20_bytes, now.fk20_bytes);
        let fk20 = fk20.map(|budget| make_fk20(rt, self, budget)).transpose()?;
        if let Some(tables) = lagrange {
            self.compute.lagrange = tables.into();
        }
        if let Some(tables) = fk20 {
            self.compute.fk20 = tables.into();
        }
        Ok(self.tables())
    }

    /// Returns the sizes of the current tables, which may be those of the points alone; those are made by the first
    /// commitment and by the first proof of cells.
    pub fn tables(&self) -> TableReport {
        let bytes = |tables: &Tables, points: usize| match tables.get() {
            Some(tables) => tables.table_bytes(),
            None => size_of::<GlvTable>() * points,
        };
        TableReport {
            lagrange_bytes: bytes(&self.compute.lagrange, G1_POINTS),
            fk20_bytes: bytes(&self.compute.fk20, FK20_POINTS),
        }
    }
}

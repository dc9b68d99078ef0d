//! Setups as the functions of c-kzg-4844 load them: points or a text, and a number for the size of tables.

use std::path::Path;

use parcrypt_runtime::Runtime;
use parcrypt_sha256::Sha256;

use super::compressed::Compressed;
use super::points::Setup;
use super::{Form, Location, forms, text};
use crate::settings::Rows;
use crate::{Error, Requests, Settings};

/// Greatest `precompute` that c-kzg accepts.
const MAX_PRECOMPUTE: u64 = 15;

/// SHA-256 of mainnet's compressed points: the monomial form, the Lagrange form, those of G2. A test recomputes it.
const MAINNET: [u8; 32] = [
    0x75, 0x3b, 0xd0, 0x11, 0xb2, 0x38, 0xfb, 0x9b, 0x63, 0xa3, 0x5b, 0x9b, 0x52, 0x6f, 0x78, 0x30, 0x05,
    0x7c, 0xed, 0x42, 0xb9, 0xa9, 0xc8, 0x73, 0x68, 0xa6, 0x71, 0x05, 0xbd, 0x8f, 0x05, 0x66,
];

/// # As c-kzg loads
///
/// For libraries and bindings in c-kzg's place. Mainnet's points are recognised by their SHA-256 and taken from the
/// library, with the computations that take 0.4 s already done; others are loaded and checked as by
/// [`Settings::from_compressed`].
///
/// `precompute`, from 0 to 15, bounds the memory of tables: `docs/explanation/kzg.md#tables` has the sizes.
impl Settings {
    /// Loads a setup from the lists of compressed points that c-kzg's `load_trusted_setup` takes, in its order.
    ///
    /// # Errors
    /// [`Error::Precompute`] for a `precompute` above 15; otherwise as [`Settings::from_compressed`].
    pub fn from_ckzg_points(
        rt: &dyn Runtime,
        requests: impl Into<Requests>,
        g1_monomial: &[u8],
        g1_lagrange: &[u8],
        g2_monomial: &[u8],
        precompute: u64,
    ) -> Result<Self, Error> {
        let budget = budget_mib(precompute)?;
        let rows = Rows::select(&requests.into())?;
        let points = Compressed::from_bytes(g1_monomial, g1_lagrange, g2_monomial)?;
        let location = |list, index| Location::Point { list, index };
        from_points(rt, rows, Form::Compressed, &points, location, budget)
    }

    /// Loads a setup from c-kzg's text, as [`Settings::load`] does.
    ///
    /// # Errors
    /// [`Error::Precompute`] for a `precompute` above 15; otherwise as [`Settings::load`].
    pub fn from_ckzg_text(
        rt: &dyn Runtime,
        requests: impl Into<Requests>,
        text: &[u8],
        precompute: u64,
    ) -> Result<Self, Error> {
        let budget = budget_mib(precompute)?;
        let rows = Rows::select(&requests.into())?;
        let text = text::Text::read(text)?;
        from_points(rt, rows, Form::Text, &text.points, |list, index| text.location(list, index), budget)
    }

    /// Loads a setup from a regular file of at most 16 MiB in any form; see [`Settings::from_file`]. Bytes after the
    /// last point of c-kzg's text are ignored, as by c-kzg.
    ///
    /// # Errors
    /// [`Error::Precompute`] for a `precompute` above 15; otherwise as [`Settings::from_file`].
    pub fn from_ckzg_file(
        rt: &dyn Runtime,
        requests: impl Into<Requests>,
        path: &Path,
        precompute: u64,
    ) -> Result<Self, Error> {
        let budget = budget_mib(precompute)?;
        let rows = Rows::select(&requests.into())?;
        let file = forms::read(path)?;
        match text::Text::read_start(&file) {
            Ok(text) => {
                let location = |list, index| text.location(list, index);
                from_points(rt, rows, Form::Text, &text.points, location, budget)
            }
            // Another form, or a text with an error that is found again.
            Err(_) => with_tables(rt, Settings::load_any(rt, rows, &file)?, budget),
        }
    }

    /// Returns mainnet's setup, which is part of the library, with tables for a `precompute`.
    ///
    /// # Errors
    /// [`Error::Precompute`] for a `precompute` above 15; otherwise as [`Settings::mainnet`] and
    /// [`Settings::build_tables`].
    pub fn mainnet_for_ckzg(
        rt: &dyn Runtime,
        requests: impl Into<Requests>,
        precompute: u64,
    ) -> Result<Self, Error> {
        let budget = budget_mib(precompute)?;
        with_tables(rt, Settings::mainnet(requests)?, budget)
    }

    /// Returns these settings with tables for a `precompute`; as they are for 0.
    ///
    /// # Errors
    /// [`Error::Precompute`] for a `precompute` above 15; otherwise as [`Settings::build_tables`].
    pub fn with_precompute(self, rt: &dyn Runtime, precompute: u64) -> Result<Self, Error> {
        with_tables(rt, self, budget_mib(precompute)?)
    }
}

fn from_points(
    rt: &dyn Runtime,
    rows: Rows,
    form: Form,
    points: &Compressed,
    location: impl Fn(super::List, usize) -> Location,
    budget: usize,
) -> Result<Settings, Error> {
    let settings = if digest(points) == MAINNET {
        Settings::load_binary(rows, super::MAINNET)?
    } else {
        Settings::new(rows, Setup::from_compressed(rt, rows, form, points, location)?)?
    };
    with_tables(rt, settings, budget)
}

fn with_tables(rt: &dyn Runtime, mut settings: Settings, budget: usize) -> Result<Settings, Error> {
    if budget > 0 {
        settings.build_tables(rt, budget)?;
    }
    Ok(settings)
}

/// Returns the memory of c-kzg's tables for a `precompute`, in MiB: 2^(precompute − 1) · 64 · 128 points of 96 bytes,
/// and no more than for 8.
fn budget_mib(precompute: u64) -> Result<usize, Error> {
    if precompute > MAX_PRECOMPUTE {
        return Err(Error::Precompute { found: precompute });
    }
    let points = |exponent: u64| (64 * 128usize) << exponent;
    Ok(precompute.min(8).checked_sub(1).map_or(0, |exponent| (points(exponent) * 96).div_ceil(1 << 20)))
}

fn digest(points: &Compressed) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(points.g1_monomial.as_flattened());
    hash.update(points.g1_lagrange.as_flattened());
    hash.update(points.g2_monomial.as_flattened());
    hash.finalize()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by a panic")]
    use parcrypt_oracles::{MAINNET as LIBRARIES, points_of};
    use parcrypt_runtime::Serial;

    use super::*;
    use crate::Request;

    #[test]
    fn mainnet_is_recognised() {
        let [g1_lagrange, g2_monomial, g1_monomial] =
            points_of(LIBRARIES.ours.settings()).map(|list| list.concat());
        let points = Compressed::from_bytes(&g1_monomial, &g1_lagrange, &g2_monomial).unwrap();
        assert_eq!(digest(&points), MAINNET);
    }

    #[test]
    fn precompute_bounds_the_tables() {
        let budget = |precompute| budget_mib(precompute).ok();
        // 64 · 128 points of 96 bytes are 0.75 MiB.
        let budgets = [0, 1, 2, 3, 6, 12, 24, 48, 96, 96, 96, 96, 96, 96, 96, 96].map(Some);
        assert_eq!(std::array::from_fn(|precompute| budget(precompute as u64)), budgets);
        for found in [16, u64::MAX] {
            assert_eq!(budget_mib(found), Err(Error::Precompute { found }));
        }
        let tables = |precompute| {
            Settings::mainnet_for_ckzg(&Serial, Request::Auto, precompute).unwrap().tables().bytes()
        };
        assert!(tables(0) < tables(4) && tables(4) < tables(8));
        assert!(tables(15) <= 34 << 20);
        assert!(matches!(
            Settings::mainnet_for_ckzg(&Serial, Request::Auto, 16),
            Err(Error::Precompute { found: 16 })
        ));
    }
}

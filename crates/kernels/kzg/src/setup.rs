//! Trusted setups: their forms, their checks, and their tables.
//!
//! A new form is a module that returns `Compressed` or `Points`, a name in [`Form`], and a line in `Settings::load`.
//!
//! For a secret τ, a setup has the points τ^i·G₁ (g1_monomial, 4096) and τ^i·G₂ (g2_monomial, 65), and L_i(τ)·G₁
//! (g1_lagrange, 4096) for the polynomials L_i of degree below 4096 that are 1 at the i-th power of the root of unity
//! and 0 at the others. 128 groups of 64 points for the proofs of cells (fk20) are computed from them: point j of group
//! i is element i of the Fourier transform, over the 128th roots of unity, of the points τ^(4031 − j − 64·k)·G₁ for k
//! from 0 to 62 and 65 times infinity.

mod binary;
#[cfg(feature = "compute")]
mod check;
#[cfg(feature = "compute")]
mod ckzg;
#[cfg(feature = "compute")]
mod columns;
#[cfg(feature = "compute")]
mod compressed;
mod error;
#[cfg(feature = "compute")]
mod forms;
#[cfg(feature = "compute")]
mod insecure;
#[cfg(feature = "json")]
mod json;
pub(crate) mod points;
#[cfg(feature = "compute")]
mod tables;
#[cfg(feature = "compute")]
mod text;

use parcrypt_bls12_381::{G1Affine, G2Affine};
use parcrypt_cpu::Requests;

pub use error::{Defect, Form, JsonDefect, List, Location, Relation, SetupError};
pub use points::Origin;
#[cfg(feature = "compute")]
pub use tables::TableReport;

use points::Points;

use crate::settings::{Rows, bit_reversed};
use crate::{Error, Settings};

/// Mainnet's setup, written by `examples/make_setup.rs`; a test compares them.
static MAINNET: &[u8] = include_bytes!("../data/mainnet.setup");

/// # Loading a setup
///
/// | function | source | time on one thread |
/// |---|---|---|
/// | [`Settings::mainnet`] | none: it is part of the library | 5 ms |
/// | [`Settings::from_binary`] | bytes of [`Settings::to_binary`] | 5 ms |
/// | [`Settings::load`] | `src/trusted_setup.txt` of the project c-kzg-4844 | 0.4 s |
/// | [`Settings::from_json`] | `presets/mainnet/trusted_setups/trusted_setup_4096.json` of the project consensus-specs | 0.4 s |
/// | [`Settings::from_compressed`] | the three lists of points that c-kzg's `load_trusted_setup` takes | 0.4 s |
/// | [`Settings::from_ckzg_points`], [`Settings::from_ckzg_text`] | the same lists, or that text, as c-kzg's functions take them | 5 ms for mainnet's, 0.4 s |
/// | [`Settings::load`], [`Settings::from_file`] | any of these but lists of points | |
/// | [`Settings::insecure`] | a secret, for tests only | 0.5 s |
///
/// Networks with a ceremony of their own publish it as that text or that JSON. Both have compressed points: each takes
/// a square root and a subgroup check, together 0.1 ms, and a tenth of that with vector lanes (without them the table's
/// 0.4 s are 2 s); then one check that all of them are the powers of one secret takes 0.1 s, where c-kzg only checks
/// that the Lagrange form is not the monomial one; then the points for the proofs of cells are computed. All of that
/// runs in parallel. A program that loads the same setup often should keep it in the binary form, for which all of this
/// is done.
///
/// The binary form has a checksum, and loading it checks that points are on their curves and that the generators come
/// first. That detects damage. It does not detect a forged setup; no other check does either, because a setup from a
/// secret that the forger knows passes all of them.
///
/// ```
/// use parcrypt_kzg::{Request, Settings};
/// let settings = Settings::mainnet(Request::Auto)?;
/// let file = settings.to_binary();
/// assert_eq!(Settings::load(&parcrypt_runtime::Serial, Request::Auto, &file)?.digest(), settings.digest());
///
/// let error = Settings::load(&parcrypt_runtime::Serial, Request::Auto, &file[..1000]).unwrap_err();
/// assert!(error.to_string().contains("it has 1000 bytes where its header asks for 1585416"));
/// # Ok::<(), parcrypt_kzg::Error>(())
/// ```
impl Settings {
    /// Returns the setup of Ethereum's mainnet, from the ceremony of 2023, which is part of the library.
    ///
    /// # Errors
    /// [`Error::Setup`] if the library itself is damaged, [`Error::Arithmetic`] if a requested backend is unavailable.
    pub fn mainnet(requests: impl Into<Requests>) -> Result<Self, Error> {
        Settings::from_binary(requests, MAINNET)
    }

    /// Loads a setup in Parcrypt's own form, whose points are not compressed; see [`Settings::to_binary`].
    ///
    /// # Errors
    /// [`Error::Setup`] with the offset of the first defect.
    pub fn from_binary(requests: impl Into<Requests>, file: &[u8]) -> Result<Self, Error> {
        Settings::load_binary(Rows::select(&requests.into())?, file)
    }

    fn load_binary(rows: Rows, file: &[u8]) -> Result<Self, Error> {
        let setup = binary::read(file)?;
        generators(Form::Binary, &setup.points)?;
        Settings::new(rows, setup)
    }

    /// Returns this setup, without tables, in Parcrypt's own form: 1.6 MB with a checksum at the end.
    pub fn to_binary(&self) -> Vec<u8> {
        let points = Points {
            g1_monomial: self.g1_monomial.clone(),
            g1_lagrange: bit_reversed(&self.g1_lagrange),
            g2_monomial: self.g2_monomial.clone(),
        };
        binary::write(self.origin, &points, &self.fk20_points)
    }

    /// Returns the origin of the setup, as far as it is known.
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// Returns the SHA-256 of the setup's points, those for the proofs of cells among them, which is the same for every
    /// form.
    pub fn digest(&self) -> [u8; 32] {
        self.digest
    }
}

/// Returns the defect of a file of an unknown form: its first bytes.
fn foreign(file: &[u8]) -> Defect {
    if file.is_empty() {
        return Defect::Empty;
    }
    let mut found = [0; 8];
    found.iter_mut().zip(file).for_each(|(to, byte)| *to = *byte);
    Defect::Foreign { found }
}

/// Checks that both lists of powers begin with the generators.
fn generators(form: Form, points: &Points) -> Result<(), SetupError> {
    let wrong = |list| {
        SetupError::new(form, Location::Point { list, index: 0 }, Defect::Relation(Relation::Generator))
    };
    if points.g1_monomial[0] != G1Affine::generator() {
        return Err(wrong(List::G1Monomial));
    }
    if points.g2_monomial[0] != G2Affine::generator() {
        return Err(wrong(List::G2Monomial));
    }
    Ok(())
}

//! Trusted setups: their forms, their checks, and their tables.
//!
//! A new form is a module that returns `Compressed` or `Points`, a name in [`Form`], and a line in [`Settings::load`].
//!
//! For a secret τ, a setup has the points τ^i·G₁ (g1_monomial, 4096) and τ^i·G₂ (g2_monomial, 65), and L_i(τ)·G₁
//! (g1_lagrange, 4096) for the polynomials L_i of degree below 4096 that are 1 at the i-th power of the root of unity
//! and 0 at the others. 128 groups of 64 points for the proofs of cells (fk20) are computed from them: point j of group
//! i is element i of the Fourier transform, over the 128th roots of unity, of the points τ^(4031 − j − 64·k)·G₁ for k
//! from 0 to 62 and 65 times infinity.

mod binary;
mod check;
mod ckzg;
mod columns;
mod compressed;
mod error;
mod insecure;
#[cfg(feature = "json")]
mod json;
pub(crate) mod points;
mod tables;
mod text;

use std::io::Read;
use std::path::Path;

use parcrypt_bls12_381::G1;
use parcrypt_cpu::Requests;
use parcrypt_runtime::Runtime;

pub use error::{Defect, Form, JsonDefect, List, Location, Relation, SetupError};
pub use points::Origin;
pub use tables::TableReport;

use compressed::Compressed;
use points::{Points, Setup};

use crate::settings::{Rows, bit_reversed};
use crate::{BYTES_PER_FIELD_ELEMENT, Error, Input, Settings, bytes};

/// Maximum size of a file for [`Settings::from_file`], in bytes. Mainnet's setup has 0.9 MB as JSON and 1.6 MB in
/// binary; the rest allows for white space and other keys.
const MAX_BYTES: u64 = 16 << 20;

/// Mainnet's setup, written by `examples/make_setup.rs`; a test compares them.
static MAINNET: &[u8] = include_bytes!("../data/mainnet.setup");

impl Setup {
    /// Decompresses the points, checks them, and computes the points for FK20.
    fn from_compressed(
        rt: &dyn Runtime,
        rows: Rows,
        form: Form,
        compressed: &Compressed,
        location: impl Fn(List, usize) -> Location,
    ) -> Result<Self, Error> {
        let points = compressed.decompress(rt, rows.fp, form, location)?;
        check::all(rt, rows, form, &points)?;
        let powers: Vec<_> = points.g1_monomial.iter().map(|point| (*point).into()).collect();
        let fk20 = G1::batch_to_affine(&columns::of(rt, rows.fp_request(), &powers)?);
        let digest = binary::digest(Origin::Ceremony, &points, &fk20);
        Ok(Setup { points, fk20, origin: Origin::Ceremony, digest })
    }
}

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

    /// Loads a setup in any form of a file; its first bytes determine the form.
    ///
    /// # Errors
    /// [`Error::Setup`] with the defect and its location.
    pub fn load(rt: &dyn Runtime, requests: impl Into<Requests>, file: &[u8]) -> Result<Self, Error> {
        Settings::load_any(rt, Rows::select(&requests.into())?, file)
    }

    fn load_any(rt: &dyn Runtime, rows: Rows, file: &[u8]) -> Result<Self, Error> {
        let begins = file.iter().find(|byte| !matches!(byte, b' ' | b'\t'..=b'\r'));
        match begins {
            _ if file.starts_with(&binary::MAGIC) => Settings::load_binary(rows, file),
            Some(b'{') => Settings::load_json(rt, rows, file),
            Some(b'0'..=b'9') => Settings::load_text(rt, rows, file),
            _ => Err(SetupError::new(Form::Unknown, Location::File, foreign(file)).into()),
        }
    }

    /// Loads a setup from a regular file of at most 16 MiB; see [`Settings::load`].
    ///
    /// # Errors
    /// [`Error::Setup`] with the defect and its location; [`Defect::NoFile`] for a folder, a pipe or a device,
    /// [`Defect::Io`] where the file cannot be read. It does not have the path.
    pub fn from_file(rt: &dyn Runtime, requests: impl Into<Requests>, path: &Path) -> Result<Self, Error> {
        Settings::load_any(rt, Rows::select(&requests.into())?, &read(path)?)
    }

    /// Loads a setup in c-kzg's text: the numbers 4096 and 65, then 4096 points of G1 in the Lagrange form, 65 of G2
    /// and 4096 of G1 in the monomial form, as hexadecimal digits with white space between them. An error has the line
    /// of the first defect.
    fn load_text(rt: &dyn Runtime, rows: Rows, text: &[u8]) -> Result<Self, Error> {
        let text = text::Text::read(text)?;
        let setup = Setup::from_compressed(rt, rows, Form::Text, &text.points, |list, index| {
            text.location(list, index)
        })?;
        Settings::new(rows, setup)
    }

    /// Loads a setup in the JSON of the consensus specifications: an object with the lists `g1_lagrange`,
    /// `g1_monomial` and `g2_monomial` of strings. Other keys are ignored. It needs the feature `json`.
    ///
    /// # Errors
    /// [`Error::Setup`] with the list and the index of the first defect, or its line where the text is not JSON.
    #[cfg(feature = "json")]
    pub fn from_json(rt: &dyn Runtime, requests: impl Into<Requests>, json: &str) -> Result<Self, Error> {
        Settings::load_json(rt, Rows::select(&requests.into())?, json.as_bytes())
    }

    #[cfg(not(feature = "json"))]
    fn load_json(_: &dyn Runtime, _: Rows, _: &[u8]) -> Result<Self, Error> {
        Err(SetupError::new(Form::Json, Location::File, Defect::NoJson).into())
    }

    #[cfg(feature = "json")]
    fn load_json(rt: &dyn Runtime, rows: Rows, json: &[u8]) -> Result<Self, Error> {
        let points = json::read(json)?;
        let location = |list, index| Location::Point { list, index };
        Settings::new(rows, Setup::from_compressed(rt, rows, Form::Json, &points, location)?)
    }

    /// Loads a setup from lists of compressed points: 4096 times 48 bytes in the monomial form, 4096 times 48 in the
    /// Lagrange form, 65 times 96 of G2. The arguments are in the order of c-kzg's `load_trusted_setup`.
    ///
    /// # Errors
    /// [`Error::Setup`] with the list and the index of the first defect.
    pub fn from_compressed(
        rt: &dyn Runtime,
        requests: impl Into<Requests>,
        g1_monomial: &[u8],
        g1_lagrange: &[u8],
        g2_monomial: &[u8],
    ) -> Result<Self, Error> {
        let rows = Rows::select(&requests.into())?;
        let points = Compressed::from_bytes(g1_monomial, g1_lagrange, g2_monomial)?;
        let location = |list, index| Location::Point { list, index };
        Settings::new(rows, Setup::from_compressed(rt, rows, Form::Compressed, &points, location)?)
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
        check::generators(Form::Binary, &setup.points)?;
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

    /// Returns a setup of mainnet's sizes from a known secret: 32 bytes, most significant first.
    ///
    /// **Insecure**: with the secret anything can be proved. For tests only; the settings print a warning, also after
    /// a round trip through their binary form.
    ///
    /// # Errors
    /// [`Error`] where the secret is not 32 bytes of a number below r.
    pub fn insecure(
        rt: &dyn Runtime,
        requests: impl Into<Requests>,
        secret: &[u8; BYTES_PER_FIELD_ELEMENT],
    ) -> Result<Self, Error> {
        let rows = Rows::select(&requests.into())?;
        let secret = bytes::element(Input::Secret, 0, secret)?;
        Settings::new(rows, insecure::setup(rt, rows.fp_request(), secret)?)
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

/// Returns the bytes of a regular file of at most [`MAX_BYTES`].
fn read(path: &Path) -> Result<Vec<u8>, SetupError> {
    let error = |defect| SetupError::new(Form::Unknown, Location::File, defect);
    let io = |source: std::io::Error| error(Defect::Io { kind: source.kind() });
    // Opening a named pipe waits for a writer.
    if !std::fs::metadata(path).map_err(io)?.is_file() {
        return Err(error(Defect::NoFile));
    }
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(io)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(io)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(error(Defect::TooLarge { limit: MAX_BYTES }));
    }
    Ok(bytes)
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

#[cfg(test)]
mod tests {
    use super::points::{G1_POINTS, G2_POINTS};
    use super::*;
    use parcrypt_testkit::rand::Rng;
    use parcrypt_testkit::rng;

    /// The parsers do not check that the bytes are points, so any digits are accepted.
    #[test]
    fn parsers_refuse_what_they_cannot_read_and_never_panic() {
        let mut rng = rng();
        let mut digits = |points: usize, bytes: usize| {
            let digit = |rng: &mut _| char::from(b"0123456789abcdefABCDEF"[Rng::random_range(rng, 0..22)]);
            let mut point = || (0..2 * bytes).map(|_| digit(&mut rng)).collect::<String>();
            (0..points).map(|_| point()).collect::<Vec<_>>()
        };
        let (lagrange, g2, monomial) = (digits(G1_POINTS, 48), digits(G2_POINTS, 96), digits(G1_POINTS, 48));
        let text = format!("4096\n65\n{}\n{}\n{}\n", lagrange.join("\n"), g2.join("\n"), monomial.join("\n"));
        let list = |points: &[String]| format!("[\"0x{}\"]", points.join("\",\"0x"));
        let (g1_lagrange, g2_monomial, g1_monomial) = (list(&lagrange), list(&g2), list(&monomial));
        let json = format!(
            "{{\"g1_lagrange\":{g1_lagrange},\"g2_monomial\":{g2_monomial},\"g1_monomial\":{g1_monomial}}}"
        );
        let same = |points: &Compressed| {
            let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02X}")).collect::<String>();
            [
                (points.g1_lagrange.as_flattened(), &lagrange),
                (points.g2_monomial.as_flattened(), &g2),
                (points.g1_monomial.as_flattened(), &monomial),
            ]
            .iter()
            .all(|(bytes, digits)| hex(bytes) == digits.concat().to_uppercase())
        };
        assert!(text::Text::read(text.as_bytes()).is_ok_and(|read| same(&read.points)));
        assert!(json::read(json.as_bytes()).is_ok_and(|read| same(&read)));

        let mut rng = parcrypt_testkit::rng();
        let alphabet = b"0f9z \n\t{}[]\",:x\\\0\x7f\xff";
        for _ in 0..150 {
            for original in [text.as_bytes(), json.as_bytes()] {
                let mut bytes = original.to_vec();
                for _ in 0..rng.random_range(1..4) {
                    let at = rng.random_range(0..bytes.len());
                    match rng.random_range(0..4) {
                        0 => bytes[at] = alphabet[rng.random_range(0..alphabet.len())],
                        1 => bytes.insert(at, alphabet[rng.random_range(0..alphabet.len())]),
                        2 => _ = bytes.drain(at..(at + rng.random_range(1..300)).min(bytes.len())),
                        _ => bytes.truncate(at.max(1)),
                    }
                }
                let (read, form) = match original[0] {
                    b'{' => (json::read(&bytes), Form::Json),
                    _ => (text::Text::read(&bytes).map(|read| read.points), Form::Text),
                };
                match read {
                    Ok(points) => {
                        assert_eq!(points.g1_monomial.len() + points.g1_lagrange.len(), 2 * G1_POINTS)
                    }
                    Err(error) => assert_eq!(error.form, form, "{error}"),
                }
            }
        }
    }
}

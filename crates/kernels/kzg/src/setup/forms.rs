//! Setups in other forms than the binary one: as files, as compressed points, and from a known secret.

use std::io::Read;
use std::path::Path;

use parcrypt_bls12_381::{G1, G1Affine};
use parcrypt_cpu::Requests;
use parcrypt_runtime::Runtime;

use super::compressed::Compressed;
#[cfg(feature = "json")]
use super::json;
use super::points::{Origin, Points, Setup};
use super::{Defect, Form, List, Location, SetupError, binary, check, columns, foreign, insecure, text};
use crate::settings::Rows;
use crate::{BYTES_PER_FIELD_ELEMENT, Error, Input, Settings, bytes};

/// Maximum size of a file for [`Settings::from_file`], in bytes. Mainnet's setup has 0.9 MB as JSON and 1.6 MB in
/// binary; the rest allows for white space and other keys.
const MAX_BYTES: u64 = 16 << 20;

impl Setup {
    /// Decompresses the points, checks them, and computes the points for FK20.
    pub(super) fn from_compressed(
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
        let digest = digest(Origin::Ceremony, &points, &fk20);
        Ok(Setup { points, fk20, origin: Origin::Ceremony, digest })
    }
}

impl Settings {
    /// Loads a setup in any form of a file; its first bytes determine the form.
    ///
    /// # Errors
    /// [`Error::Setup`] with the defect and its location.
    pub fn load(rt: &dyn Runtime, requests: impl Into<Requests>, file: &[u8]) -> Result<Self, Error> {
        Settings::load_any(rt, Rows::select(&requests.into())?, file)
    }

    pub(super) fn load_any(rt: &dyn Runtime, rows: Rows, file: &[u8]) -> Result<Self, Error> {
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
}

/// Returns the digest of a setup.
pub(super) fn digest(origin: Origin, points: &Points, fk20: &[G1Affine]) -> [u8; 32] {
    let mut bytes = Vec::with_capacity(binary::POINTS);
    binary::write_points(points, fk20, &mut bytes);
    binary::digest_of(origin, &bytes)
}

/// Returns the bytes of a regular file of at most [`MAX_BYTES`].
pub(super) fn read(path: &Path) -> Result<Vec<u8>, SetupError> {
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

#[cfg(all(test, feature = "json"))]
mod tests {
    use super::*;
    use crate::setup::points::{G1_POINTS, G2_POINTS};
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

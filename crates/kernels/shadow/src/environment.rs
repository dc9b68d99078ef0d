//! Settings by the variables of the environment, for packages whose API has no place for them.

use std::fmt;
use std::num::NonZeroU32;

use parcrypt_cpu::{Requests, VARIABLE as BACKEND};
use parcrypt_kzg::Settings;

#[cfg(feature = "original")]
use crate::Original as Second;
#[cfg(not(feature = "original"))]
use crate::Parcrypt as Second;
use crate::{Difference, OnDifference, Parcrypt, Shadow};

/// The environment variable with the share of the calls that are computed twice.
pub const VARIABLE: &str = "PARCRYPT_SHADOW";

/// Parcrypt with the second opinion of the environment: Parcrypt's first backends without tables, or with the feature
/// `original` the original rust_eth_kzg.
pub type Shadowed = Shadow<Parcrypt, Second>;

/// Error of loading settings.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadError {
    /// The backends of `PARCRYPT_BACKEND` are unknown.
    Backend(parcrypt_cpu::Error),
    /// The share of [`VARIABLE`] is not `1/` and a number.
    Share(String),
    /// The word after the share is unknown.
    Word(String),
    /// The settings cannot be loaded.
    Settings(parcrypt_kzg::Error),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadError::Backend(why) => write!(f, "{BACKEND}: {why}"),
            LoadError::Share(share) => {
                write!(
                    f,
                    "{VARIABLE}: share '{share}': it must be 1/N, such as 1/1000, with N from 1 to 4294967295"
                )
            }
            LoadError::Word(word) => {
                write!(f, "{VARIABLE}: '{word}' is unknown: what happens on a difference is 'abort' or 'log'")
            }
            LoadError::Settings(why) => why.fmt(f),
        }
    }
}

impl std::error::Error for LoadError {}

impl From<parcrypt_kzg::Error> for LoadError {
    fn from(why: parcrypt_kzg::Error) -> Self {
        LoadError::Settings(why)
    }
}

/// Returns the settings that `load` returns for the backends of `PARCRYPT_BACKEND`.
///
/// # Errors
/// [`LoadError::Backend`] for an invalid value of the variable; the errors of `load`.
pub fn load(
    load: impl FnOnce(Requests) -> Result<Settings, parcrypt_kzg::Error>,
) -> Result<Settings, LoadError> {
    Ok(load(Requests::from_environment().map_err(LoadError::Backend)?)?)
}

impl Shadowed {
    /// Returns settings with the shadow of [`VARIABLE`]: `1/N`, `1/N,abort` or `1/N,log`; none if it is not set, or
    /// empty. The second settings have copies of the points and no large tables, together about 4 MB after their first
    /// use.
    ///
    /// # Errors
    /// [`LoadError::Share`] and [`LoadError::Word`] for another value; [`LoadError::Settings`] if the original is to
    /// compute the second answers, which it does for mainnet's setup only.
    pub fn from_environment(settings: Settings) -> Result<Self, LoadError> {
        let text = std::env::var_os(VARIABLE).unwrap_or_default();
        if text.is_empty() {
            return Ok(Shadow::off(Parcrypt::new(settings)));
        }
        let (one_in, on_difference) = parse(&text.to_string_lossy())?;
        let second = Second::from_setup_of(&settings)?;
        Ok(Shadow::new(Parcrypt::new(settings), second, one_in, on_difference))
    }

    /// Returns the settings of [`load`] with the shadow of [`VARIABLE`].
    ///
    /// # Errors
    /// As [`load`] and [`Shadowed::from_environment`].
    pub fn load(
        load: impl FnOnce(Requests) -> Result<Settings, parcrypt_kzg::Error>,
    ) -> Result<Self, LoadError> {
        Shadowed::from_environment(self::load(load)?)
    }
}

pub(crate) fn parse(text: &str) -> Result<(NonZeroU32, OnDifference), LoadError> {
    let (share, word) = text.split_once(',').unwrap_or((text, "abort"));
    // `parse` also takes a sign.
    let digits = share.strip_prefix("1/").filter(|n| n.bytes().all(|byte| byte.is_ascii_digit()));
    let one_in = digits.and_then(|n| n.parse().ok()).ok_or_else(|| LoadError::Share(share.to_owned()))?;
    match word {
        "abort" => Ok((one_in, Box::new(Difference::abort))),
        "log" => Ok((one_in, Box::new(Difference::log))),
        _ => Err(LoadError::Word(word.to_owned())),
    }
}

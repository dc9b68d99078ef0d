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

fn parse(text: &str) -> Result<(NonZeroU32, OnDifference), LoadError> {
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

    use parcrypt_kzg::Request;

    use super::*;
    use crate::{Kind, Kzg, Summary};

    #[test]
    fn texts_that_are_no_shadow_are_refused() {
        for (text, n) in [("1/1000", 1000), ("1/1", 1), ("1/4294967295,log", u32::MAX), ("1/7,abort", 7)] {
            assert_eq!(parse(text).unwrap().0.get(), n);
        }
        for share in ["", "1000", "2/3", "1/0", "1/", "1/+5", "1/-5", "1/4294967296", " 1/5", "1/5 ", "0.001"]
        {
            for text in [share.to_owned(), format!("{share},log")] {
                assert_eq!(parse(&text).err(), Some(LoadError::Share(share.to_owned())), "{text}");
            }
        }
        for word in ["", "Log", "panic", "log,log"] {
            assert_eq!(parse(&format!("1/5,{word}")).err(), Some(LoadError::Word(word.to_owned())));
        }
    }

    /// The tests below run themselves in other processes, with the variables of each. An emulator would have to run
    /// these processes too.
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    fn child(test: &str, variables: [(&str, &str); 3]) -> std::process::Output {
        std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "--nocapture", &format!("environment::tests::{test}")])
            .envs(variables)
            .output()
            .unwrap()
    }

    #[test]
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    fn by_default_the_process_is_aborted() {
        const CHILD: &str = "PARCRYPT_SHADOW_TEST";
        if let Ok(text) = std::env::var(CHILD) {
            let summary = Summary { kind: Kind::Panicked, digest: [0; 32] };
            let (by, second_by) = (String::new(), String::new());
            let (lengths, inputs) = (vec![], [0; 32]);
            let function = "compute_cells";
            parse(&text).unwrap().1(&Difference {
                function,
                lengths,
                inputs,
                answer: summary,
                by,
                second: summary,
                second_by,
            });
            println!("the call returned");
            return;
        }
        for (text, goes_on) in [("1/1", false), ("1/1,abort", false), ("1/1,log", true)] {
            let child = child("by_default_the_process_is_aborted", [(CHILD, text), ("A", ""), ("B", "")]);
            let [out, log] = [&child.stdout, &child.stderr].map(|bytes| String::from_utf8_lossy(bytes));
            assert!(log.contains("two answers of compute_cells differ"), "{text}: {log}");
            assert_eq!(
                (out.contains("the call returned"), child.status.success()),
                (goes_on, goes_on),
                "{text}"
            );
            assert!(goes_on || child.status.code().is_none(), "{text}: ended by a signal");
        }
    }

    #[test]
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    fn settings_from_the_environment() {
        const CHILD: &str = "PARCRYPT_SHADOW_CHILD";
        if std::env::var_os(CHILD).is_some() {
            match Shadowed::load(Settings::mainnet) {
                Ok(kzg) => println!("rows {}; shadow {}", kzg.name(), kzg.is_on()),
                Err(error) => println!("error {error}"),
            }
            return;
        }
        let best = Parcrypt::new(Settings::mainnet(Request::Auto).unwrap()).name();
        let baseline = Parcrypt::new(Settings::mainnet(Request::Baseline).unwrap()).name();
        let cases = [
            ("", "", format!("rows {best}; shadow false")),
            ("ghash=portable", "1/1000", format!("rows {best}; shadow true")),
            ("blst", "", format!("rows {baseline}; shadow false")),
            ("baseline", "1/5,log", format!("rows {baseline}; shadow true")),
            ("sse9", "", "error PARCRYPT_BACKEND: unknown backend 'sse9'".to_owned()),
            ("g1=blst", "", "error PARCRYPT_BACKEND: unknown table 'g1'".to_owned()),
            ("", "1000", "error PARCRYPT_SHADOW: share '1000': it must be 1/N".to_owned()),
            ("", "1/5,stop", "error PARCRYPT_SHADOW: 'stop' is unknown".to_owned()),
        ];
        for (backend, shadow, expected) in cases {
            let variables = [(CHILD, "1"), ("PARCRYPT_BACKEND", backend), (VARIABLE, shadow)];
            let out = child("settings_from_the_environment", variables).stdout;
            let out = String::from_utf8_lossy(&out);
            assert!(out.contains(&expected), "{backend}, {shadow}: {out}");
        }
    }
}

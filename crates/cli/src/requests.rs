//! The backends that the environment requests, and those that an argument does.

use parcrypt_cpu::{Backend, Request, Requests, select};

/// The environment variable with the requests; [`Requests`] says what it may hold.
pub(crate) const ENVIRONMENT: &str = "PARCRYPT_BACKEND";

/// The names of all tables of backends.
pub(crate) const TABLES: [&str; 9] = ["fp", "fr", "sha256", "ghash", "vhash", "ntt", "scrypt", "rw", "sum"];

/// Why a request cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The environment holds no request, or the requested backend is not offered.
    #[error(transparent)]
    Backend(#[from] parcrypt_cpu::Error),
    /// The argument and the environment request different backends.
    #[error("backend `{asked}` was asked for, but PARCRYPT_BACKEND forces `{forced}`: take one of them away")]
    TwoBackends {
        /// The backend of the argument.
        asked: Backend,
        /// The backend of the environment.
        forced: Backend,
    },
}

impl Error {
    /// Returns whether the same request can be right on another machine or with another environment.
    pub(crate) fn is_unsupported(&self) -> bool {
        !matches!(
            self,
            Error::Backend(
                parcrypt_cpu::Error::UnknownBackend { .. }
                    | parcrypt_cpu::Error::NotAPair { .. }
                    | parcrypt_cpu::Error::UnknownTable { .. }
                    | parcrypt_cpu::Error::RepeatedTable { .. }
            )
        )
    }
}

/// Returns the requests of the environment.
///
/// # Errors
/// Those of [`Requests::parse`].
pub(crate) fn from_environment() -> Result<Requests, parcrypt_cpu::Error> {
    let text = std::env::var_os(ENVIRONMENT).unwrap_or_default();
    Requests::parse(&text.to_string_lossy(), &TABLES)
}

/// Returns the request for a table of these backends: for the one that an argument `asked` for, or else that of the
/// environment.
///
/// # Errors
/// [`Error::Backend`] where the environment is wrong, [`Error::TwoBackends`] where both ask for different ones.
pub(crate) fn request(table: &str, offered: &[Backend], asked: Option<Backend>) -> Result<Request, Error> {
    let request = from_environment()?.for_table(table);
    let Some(asked) = asked else { return Ok(request) };
    let forced = match request {
        Request::Auto => asked,
        Request::Exactly(backend) => backend,
        Request::Baseline => *select(offered, Request::Baseline)?,
    };
    if asked == forced { Ok(asked.into()) } else { Err(Error::TwoBackends { asked, forced }) }
}

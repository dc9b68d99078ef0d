//! The backends that the environment requests, and those that an argument does.

use parcrypt_cpu::{Backend, Request, Requests, select};

use crate::workload::Error;

/// The environment variable with the requests; [`Requests`] says what it may hold.
pub(crate) const ENVIRONMENT: &str = "PARCRYPT_BACKEND";

/// The names of all tables of backends.
pub(crate) const TABLES: [&str; 9] = ["fp", "fr", "sha256", "ghash", "vhash", "ntt", "scrypt", "rw", "sum"];

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads;

    #[test]
    fn every_workload_has_a_table_that_can_be_named() {
        for kernel in workloads::all() {
            assert!(TABLES.contains(&kernel.table), "{}: {}", kernel.name, kernel.table);
        }
    }
}

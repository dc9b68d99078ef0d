//! The requests for backends: from the environment, which is read once, and from an argument `--backend`.

use std::sync::OnceLock;

use parcrypt_cpu::{Backend, Request, Requests, select};

/// The environment variable with the requests, and the names of all tables; [`Requests`] has the grammar.
pub(crate) use parcrypt_cpu::{TABLES, VARIABLE as ENVIRONMENT};

/// A table: its name, and its backends in rising order of preference.
pub(crate) type Table<'a> = (&'a str, &'a [Backend]);

/// Reason why no row can be selected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// The requests in the environment are invalid.
    #[error(transparent)]
    Parse(parcrypt_cpu::Error),
    /// A table lacks the requested row, or this machine cannot run it.
    #[error("{tables}: {source}")]
    Row { tables: String, source: parcrypt_cpu::Error },
    /// The argument and the environment request different backends.
    #[error("backend `{asked}` was requested, but PARCRYPT_BACKEND forces `{forced}`: remove one of them")]
    TwoBackends { asked: Backend, forced: Backend },
}

impl Error {
    /// Returns whether the same request may be valid on another machine or with another environment.
    pub(crate) fn is_unsupported(&self) -> bool {
        !matches!(self, Error::Parse(_))
    }
}

/// Parses an argument `--backend`, in the grammar of the environment variable.
pub(crate) fn parse(text: &str) -> Result<Requests, parcrypt_cpu::Error> {
    Requests::parse(text, &TABLES)
}

/// Returns the text of the environment variable, if it is set.
pub(crate) fn environment() -> Option<String> {
    let text = std::env::var_os(ENVIRONMENT)?.to_string_lossy().into_owned();
    if text.is_empty() { None } else { Some(text) }
}

/// Returns the requests of the environment, which is read once.
pub(crate) fn from_environment() -> Result<Requests, parcrypt_cpu::Error> {
    static REQUESTS: OnceLock<Result<Requests, parcrypt_cpu::Error>> = OnceLock::new();
    REQUESTS.get_or_init(Requests::from_environment).clone()
}

/// Returns the row of each table of one object, by the requests of an argument and of the environment.
///
/// # Errors
/// [`Error::Parse`] for the environment, [`Error::Row`] for a missing row, [`Error::TwoBackends`].
pub(crate) fn rows(tables: &[Table<'_>], argument: Option<&Requests>) -> Result<Vec<Backend>, Error> {
    let names = || {
        let names: Vec<&str> = tables.iter().map(|(name, _)| *name).collect();
        format!("table{} {}", if names.len() == 1 { "" } else { "s" }, names.join(", "))
    };
    let requests = |requests: &Requests| {
        requests.for_all(tables).map_err(|source| Error::Row { tables: names(), source })
    };
    let forced = requests(&from_environment().map_err(Error::Parse)?)?;
    let asked = match argument {
        Some(argument) => requests(argument)?,
        None => vec![Request::Auto; tables.len()],
    };
    let row = |((table, offered), (asked, forced)): (&Table<'_>, (Request, Request))| {
        let select = |request| {
            let row = select(offered, request).copied();
            row.map_err(|source| Error::Row { tables: format!("table {table}"), source })
        };
        match (asked, forced) {
            (request, Request::Auto) | (Request::Auto, request) => select(request),
            (asked, forced) => {
                let named = |request| match request {
                    Request::Exactly(backend) => Ok(backend),
                    request => select(request),
                };
                match (named(asked)?, named(forced)?) {
                    (asked, forced) if asked == forced => select(asked.into()),
                    (asked, forced) => Err(Error::TwoBackends { asked, forced }),
                }
            }
        }
    };
    tables.iter().zip(asked.into_iter().zip(forced)).map(row).collect()
}

/// Returns the rows of an object in the form of records: the backend of its only table, or `fp=ifma,fr=blst` for
/// several.
pub(crate) fn text(rows: &[(&str, Backend)]) -> String {
    match rows {
        [(_, backend)] => backend.to_string(),
        rows => rows.iter().map(|(table, row)| format!("{table}={row}")).collect::<Vec<_>>().join(","),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FP: &[Backend] = &[Backend::Blst, Backend::Rvv];
    const FR: &[Backend] = &[Backend::Portable];

    #[test]
    fn errors_name_the_table_and_its_rows() {
        if from_environment() != Ok(Requests::default()) {
            parcrypt_testkit::skip("parcrypt", "requests", "PARCRYPT_BACKEND is set");
            return;
        }
        let of = |text: &str| rows(&[("fp", FP), ("fr", FR)], Some(&parse(text).unwrap()));
        for text in ["", "baseline", "blst", "portable", "fp=blst", "fr=baseline,fp=blst"] {
            assert_eq!(of(text).unwrap(), [Backend::Blst, Backend::Portable], "{text}");
        }
        for (text, why) in [
            ("fr=blst", "table fr: this kernel has no backend 'blst'; it has portable"),
            ("avx2", "tables fp, fr: this kernel has no backend 'avx2'; it has portable, blst, rvv"),
            ("fp=rvv", "table fp: this machine cannot run backend 'rvv'; it can run blst"),
        ] {
            if text == "fp=rvv" && Backend::Rvv.is_available() {
                continue;
            }
            let error = of(text).unwrap_err();
            assert!(error.is_unsupported() && error.to_string() == why, "{error}");
        }
    }

    #[test]
    fn rows_are_requests_again() {
        assert_eq!(text(&[("sum", Backend::Avx2)]), "avx2");
        let several = text(&[("fp", Backend::Ifma), ("fr", Backend::Blst)]);
        assert_eq!(several, "fp=ifma,fr=blst");
        assert_eq!(parse(&several).unwrap().for_table("fp"), Request::Exactly(Backend::Ifma));
    }
}

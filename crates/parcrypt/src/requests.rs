//! The requests for backends: from the environment, which is read once, and from an argument `--backend`.

use std::sync::OnceLock;

use parcrypt_cpu::{Backend, Request, Requests, select};

use crate::work_error::WorkError;

/// The environment variable with the requests, and the names of all tables; [`Requests`] has the grammar.
pub(crate) use parcrypt_cpu::{TABLES, VARIABLE as ENVIRONMENT};

/// A table: its name, and its backends in rising order of preference.
pub(crate) type Table<'a> = (&'a str, &'a [Backend]);

/// Parses an argument `--backend`, in the grammar of the environment variable.
pub(crate) fn parse(text: &str) -> Result<Requests, parcrypt_cpu::Error> {
    Requests::parse(text, &TABLES)
}

pub(crate) fn environment() -> Option<String> {
    let text = std::env::var_os(ENVIRONMENT)?.to_string_lossy().into_owned();
    if text.is_empty() { None } else { Some(text) }
}

pub(crate) fn from_environment() -> Result<Requests, parcrypt_cpu::Error> {
    static REQUESTS: OnceLock<Result<Requests, parcrypt_cpu::Error>> = OnceLock::new();
    REQUESTS.get_or_init(Requests::from_environment).clone()
}

/// Returns the row of each table of one object, by the requests of an argument and of the environment.
///
/// # Errors
/// [`WorkError::Wrong`] for the environment; [`WorkError::Unsupported`] for a missing row, and for different requests.
pub(crate) fn rows(tables: &[Table<'_>], argument: Option<&Requests>) -> Result<Vec<Backend>, WorkError> {
    let names = || {
        let names: Vec<&str> = tables.iter().map(|(name, _)| *name).collect();
        format!("table{} {}", if names.len() == 1 { "" } else { "s" }, names.join(", "))
    };
    let requests = |requests: &Requests| {
        requests.for_all(tables).map_err(|why| WorkError::Unsupported(format!("{}: {why}", names())))
    };
    let forced = requests(&from_environment().map_err(WorkError::wrong)?)?;
    let asked = match argument {
        Some(argument) => requests(argument)?,
        None => vec![Request::Auto; tables.len()],
    };
    let row = |((table, offered), (asked, forced)): (&Table<'_>, (Request, Request))| {
        let select = |request| {
            let row = select(offered, request).copied();
            row.map_err(|why| WorkError::Unsupported(format!("table {table}: {why}")))
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
                    (asked, forced) => Err(WorkError::Unsupported(format!(
                        "backend `{asked}` was requested, but {ENVIRONMENT} forces `{forced}`: remove one of them"
                    ))),
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
            assert!(matches!(&error, WorkError::Unsupported(found) if found == why), "{error}");
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

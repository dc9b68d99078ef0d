//! Requests for several tables, as one text.

use std::collections::BTreeMap;

use crate::{Backend, Error, Request};

/// The environment variable with requests. In this crate only [`Requests::from_environment`] reads it.
pub const VARIABLE: &str = "PARCRYPT_BACKEND";

/// The names of the tables of all kernels, which a request from the environment may have.
pub const TABLES: [&str; 10] =
    ["fp", "fr", "pairing", "sha256", "ghash", "vhash", "ntt", "scrypt", "rw", "sum"];

/// The requests that a text such as `avx2` or `fr=avx2,fp=blst` describes, by the names of the tables.
///
/// The text is one of:
/// - nothing: [`Request::Auto`] for every table;
/// - `baseline`: [`Request::Baseline`] for every table;
/// - the name of a backend: [`Request::Exactly`] that backend for every table;
/// - pairs `table=backend` or `table=baseline` with commas between: those requests for those tables, and
///   [`Request::Auto`] for the others.
///
/// ```
/// use parcrypt_cpu::{Backend, Request, Requests};
///
/// let requests = Requests::parse("fr=avx2,fp=baseline", &["fp", "fr", "sha256"])?;
/// assert_eq!(requests.for_table("fr"), Request::Exactly(Backend::Avx2));
/// assert_eq!(requests.for_table("fp"), Request::Baseline);
/// assert_eq!(requests.for_table("sha256"), Request::Auto);
/// # Ok::<(), parcrypt_cpu::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requests {
    /// Request for the tables without one of their own.
    others: Request,
    tables: BTreeMap<String, Request>,
}

impl From<Request> for Requests {
    /// Returns the same request for every table.
    fn from(request: Request) -> Self {
        Requests { others: request, tables: BTreeMap::new() }
    }
}

impl<'a> FromIterator<(&'a str, Backend)> for Requests {
    /// Returns the requests for exactly these backends of these tables, and [`Request::Auto`] for the others.
    fn from_iter<I: IntoIterator<Item = (&'a str, Backend)>>(rows: I) -> Self {
        let tables = rows.into_iter().map(|(table, backend)| (table.to_owned(), Request::Exactly(backend)));
        Requests { others: Request::Auto, tables: tables.collect() }
    }
}

impl Requests {
    /// Reads a text; `tables` are the names that a pair may have.
    ///
    /// # Errors
    /// Each error has the invalid part of the text.
    /// - [`Error::UnknownBackend`]: a text without `=`, or after it, is not a backend's name.
    /// - [`Error::NotAPair`]: one of several parts has no `=`.
    /// - [`Error::UnknownTable`]: a name before `=` is not among `tables`.
    /// - [`Error::RepeatedTable`]: a table has two pairs.
    pub fn parse(text: &str, tables: &[&str]) -> Result<Self, Error> {
        let mut requests = Requests::default();
        if text.is_empty() {
            return Ok(requests);
        }
        if !text.contains([',', '=']) {
            requests.others = request(text)?;
            return Ok(requests);
        }
        for piece in text.split(',') {
            let Some((table, backend)) = piece.split_once('=') else {
                return Err(Error::NotAPair { piece: piece.to_owned() });
            };
            if !tables.contains(&table) {
                let tables = tables.iter().map(|&table| table.to_owned()).collect();
                return Err(Error::UnknownTable { name: table.to_owned(), tables });
            }
            if requests.tables.insert(table.to_owned(), request(backend)?).is_some() {
                return Err(Error::RepeatedTable { name: table.to_owned() });
            }
        }
        Ok(requests)
    }

    /// Returns the requests of the environment variable [`VARIABLE`]; no requests if it is not set.
    ///
    /// The command reads it, and the packages that replace another library, whose interface has no place for requests.
    ///
    /// # Errors
    /// Errors of [`Requests::parse`].
    pub fn from_environment() -> Result<Self, Error> {
        let text = std::env::var_os(VARIABLE).unwrap_or_default();
        Requests::parse(&text.to_string_lossy(), &TABLES)
    }

    /// Returns the request for a table.
    pub fn for_table(&self, table: &str) -> Request {
        self.tables.get(table).copied().unwrap_or(self.others)
    }

    /// Returns the requests for the tables of one object, each given by its name and its backends.
    ///
    /// They are those of [`Requests::for_table`], but a backend that is named for all tables is requested only of
    /// those that have it. The others get [`Request::Baseline`] if it is the first row of a table, so that `blst` turns
    /// off vector code in all of them, and otherwise [`Request::Auto`].
    ///
    /// # Errors
    /// [`Error::NotOffered`] if a backend is named for all tables and none of these has it.
    pub fn for_tables<const N: usize>(&self, tables: [(&str, &[Backend]); N]) -> Result<[Request; N], Error> {
        let requests = self.for_all(&tables)?;
        Ok(std::array::from_fn(|table| requests[table]))
    }

    /// Returns the requests of [`Requests::for_tables`] for a number of tables that is not known at compile time.
    ///
    /// # Errors
    /// Errors of [`Requests::for_tables`].
    pub fn for_all(&self, tables: &[(&str, &[Backend])]) -> Result<Vec<Request>, Error> {
        let is_first = |backend| tables.iter().any(|(_, offered)| offered.first() == Some(&backend));
        let request = |(table, offered): &(&str, &[Backend])| match (self.tables.get(*table), self.others) {
            (None, Request::Exactly(backend)) if !offered.contains(&backend) => {
                if is_first(backend) {
                    Request::Baseline
                } else {
                    Request::Auto
                }
            }
            _ => self.for_table(table),
        };
        let requests: Vec<Request> = tables.iter().map(request).collect();
        match self.others {
            Request::Exactly(backend) if !requests.contains(&self.others) => {
                let mut offered: Vec<_> =
                    tables.iter().flat_map(|(_, offered)| offered.iter().copied()).collect();
                offered.sort_unstable();
                offered.dedup();
                Err(Error::NotOffered { backend, offered })
            }
            _ => Ok(requests),
        }
    }
}

/// Parses `baseline` or the name of a backend.
fn request(text: &str) -> Result<Request, Error> {
    if text == "baseline" { Ok(Request::Baseline) } else { text.parse().map(Request::Exactly) }
}

#[cfg(test)]
mod tests {
    use Backend::{Avx2, Blst, Ifma, Portable, Rvv, Sha2};
    use Request::{Auto, Baseline, Exactly};

    use super::*;

    const TABLES: [&str; 3] = ["fp", "fr", "sha256"];

    #[test]
    fn rows_are_requests_for_themselves() {
        let requests: Requests = [("fr", Avx2), ("fp", Blst)].into_iter().collect();
        assert_eq!(Ok(requests), Requests::parse("fp=blst,fr=avx2", &TABLES));
    }

    fn parsed(text: &str) -> Result<[Request; 3], Error> {
        let requests = Requests::parse(text, &TABLES)?;
        Ok(TABLES.map(|table| requests.for_table(table)))
    }

    #[test]
    fn every_form_is_read() {
        assert_eq!(parsed(""), Ok([Auto; 3]));
        assert_eq!(parsed("baseline"), Ok([Baseline; 3]));
        for backend in Backend::ALL {
            assert_eq!(parsed(backend.name()), Ok([Exactly(backend); 3]));
            assert_eq!(parsed(&format!("fr={backend}")), Ok([Auto, Exactly(backend), Auto]));
        }
        assert_eq!(parsed("fr=avx2,fp=blst"), Ok([Exactly(Blst), Exactly(Avx2), Auto]));
        assert_eq!(parsed("sha256=baseline"), Ok([Auto, Auto, Baseline]));
        assert_eq!(Requests::parse("", &[]), Ok(Requests::default()));
    }

    #[test]
    fn errors_name_the_bad_piece() {
        let backend = |name: &str| Err(Error::UnknownBackend { name: name.to_owned() });
        let table = |name: &str| {
            Err(Error::UnknownTable { name: name.to_owned(), tables: TABLES.map(str::to_owned).to_vec() })
        };
        let pair = |piece: &str| Err(Error::NotAPair { piece: piece.to_owned() });
        for odd in ["avx", "Baseline", " baseline", "auto", "fp"] {
            assert_eq!(parsed(odd), backend(odd));
        }
        assert_eq!(parsed("fr="), backend(""));
        assert_eq!(parsed("fr=sse9"), backend("sse9"));
        assert_eq!(parsed("fr=avx2=ifma"), backend("avx2=ifma"));
        assert_eq!(parsed("fr= avx2"), backend(" avx2"));
        assert_eq!(parsed("=avx2"), table(""));
        assert_eq!(parsed("Fr=avx2"), table("Fr"));
        assert_eq!(parsed("fr=avx2, fp=blst"), table(" fp"));
        assert_eq!(parsed("fr=avx2,"), pair(""));
        assert_eq!(parsed("avx2,blst"), pair("avx2"));
        assert_eq!(parsed("baseline,fr=avx2"), pair("baseline"));
        assert_eq!(parsed("fr=avx2,fp=blst,fr=avx2"), Err(Error::RepeatedTable { name: "fr".to_owned() }));
        let text = parsed("g1=avx2").unwrap_err().to_string();
        assert_eq!(text, "unknown table 'g1'; the tables are fp, fr, sha256");
    }

    #[test]
    fn a_backend_for_all_tables_is_requested_of_those_that_have_it() {
        let tables: [(&str, &[Backend]); 3] =
            [("fp", &[Blst, Ifma]), ("fr", &[Blst, Avx2, Ifma]), ("sha256", &[Sha2])];
        let of = |text| Requests::parse(text, &TABLES).unwrap().for_tables(tables);
        assert_eq!(of(""), Ok([Auto; 3]));
        assert_eq!(of("baseline"), Ok([Baseline; 3]));
        assert_eq!(of("ifma"), Ok([Exactly(Ifma), Exactly(Ifma), Auto]));
        assert_eq!(of("avx2"), Ok([Auto, Exactly(Avx2), Auto]));
        // The first row of a table turns off the vector code of all.
        assert_eq!(of("blst"), Ok([Exactly(Blst), Exactly(Blst), Baseline]));
        assert_eq!(of("sha2"), Ok([Baseline, Baseline, Exactly(Sha2)]));
        // A pair is a request for its table, and an error if the table lacks the backend.
        assert_eq!(of("sha256=avx2"), Ok([Auto, Auto, Exactly(Avx2)]));
        for backend in [Portable, Rvv] {
            let offered = vec![Blst, Sha2, Avx2, Ifma];
            assert_eq!(of(backend.name()), Err(Error::NotOffered { backend, offered }));
        }
    }
}

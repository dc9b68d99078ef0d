//! The selection of a row from the table of an operation.

use crate::{Backend, Error};

/// The requested row of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Request {
    /// The last row that this machine can run.
    #[default]
    Auto,
    /// The first row, which runs everywhere.
    Baseline,
    /// The row of this backend, and no other.
    Exactly(Backend),
}

impl From<Backend> for Request {
    fn from(backend: Backend) -> Self {
        Request::Exactly(backend)
    }
}

/// A row of the table of an operation: the functions of one backend.
pub trait Row {
    /// Returns the backend whose functions the row has.
    fn backend(&self) -> Backend;
}

/// A list of backends is also a table.
impl Row for Backend {
    fn backend(&self) -> Backend {
        *self
    }
}

/// Returns the requested row of a table whose rows are in rising order of preference, as in the example of the
/// [crate](crate).
///
/// For [`Request::Auto`] it is the last row that this machine can run, for [`Request::Baseline`] the first. A plan, key
/// or domain calls this once, when it is made, and keeps the row. The machine can run the backend of every row that is
/// returned, so a crate whose rows are reached only through this function may call their `unsafe fn`.
///
/// # Errors
/// - [`Error::NotOffered`]: no row has the requested backend.
/// - [`Error::Unavailable`]: this machine cannot run the requested backend; there is no fallback.
/// - [`Error::NoneAvailable`]: this machine can run no row.
pub fn select<R: Row>(rows: &[R], request: Request) -> Result<&R, Error> {
    select_where(rows, request, Backend::is_available)
}

/// Returns the backends of a table's rows, in their order.
pub fn backends<R: Row>(rows: &[R]) -> Vec<Backend> {
    rows.iter().map(Row::backend).collect()
}

/// Returns the same as [`select`] on a machine that `runs` describes.
fn select_where<R: Row>(rows: &[R], request: Request, runs: impl Fn(Backend) -> bool) -> Result<&R, Error> {
    let none = || Error::NoneAvailable { offered: backends(rows) };
    let row = match request {
        Request::Auto => return rows.iter().rev().find(|row| runs(row.backend())).ok_or_else(none),
        Request::Baseline => rows.first().ok_or_else(none)?,
        Request::Exactly(backend) => rows
            .iter()
            .find(|row| row.backend() == backend)
            .ok_or_else(|| Error::NotOffered { backend, offered: backends(rows) })?,
    };
    if runs(row.backend()) {
        return Ok(row);
    }
    let available = backends(rows).into_iter().filter(|&b| runs(b)).collect();
    Err(Error::Unavailable { backend: row.backend(), available })
}

#[cfg(test)]
mod tests {
    use Backend::{Avx2, Avx512, Blst, Portable, Rvv};

    use super::*;
    use crate::backend::{features, runs_with};

    #[derive(Debug, PartialEq)]
    struct Only(Backend);

    impl Row for Only {
        fn backend(&self) -> Backend {
            self.0
        }
    }

    static ROWS: [Only; 4] = [Only(Portable), Only(Avx2), Only(Avx512), Only(Rvv)];
    static VECTORS: [Only; 1] = [Only(Rvv)];

    fn chosen(rows: &'static [Only], request: Request) -> Result<Backend, Error> {
        select_where(rows, request, |b| b != Rvv && b != Avx512).map(Row::backend)
    }

    #[test]
    fn the_requested_row_is_returned_or_an_error() {
        assert_eq!(chosen(&ROWS, Request::Auto), Ok(Avx2));
        assert_eq!(chosen(&ROWS, Request::Baseline), Ok(Portable));
        assert_eq!(chosen(&ROWS, Request::Exactly(Portable)), Ok(Portable));
        assert_eq!(chosen(&ROWS, Avx2.into()), Ok(Avx2));
        for backend in [Avx512, Rvv] {
            let error = Error::Unavailable { backend, available: vec![Portable, Avx2] };
            assert_eq!(chosen(&ROWS, backend.into()), Err(error));
        }
        let offered = vec![Portable, Avx2, Avx512, Rvv];
        assert_eq!(chosen(&ROWS, Blst.into()), Err(Error::NotOffered { backend: Blst, offered }));
    }

    #[test]
    fn a_table_that_cannot_run_is_an_error() {
        let none = Error::NoneAvailable { offered: vec![Rvv] };
        assert_eq!(chosen(&VECTORS, Request::Auto), Err(none));
        let unavailable = Error::Unavailable { backend: Rvv, available: vec![] };
        assert_eq!(chosen(&VECTORS, Request::Baseline), Err(unavailable));
        let empty = Error::NoneAvailable { offered: vec![] };
        assert_eq!(chosen(&[], Request::Auto), Err(empty.clone()));
        assert_eq!(chosen(&[], Request::Baseline), Err(empty.clone()));
        assert!(empty.to_string().ends_with("none"), "{empty}");
    }

    /// Processors that have every feature of a backend but one, most of which no emulator has.
    #[test]
    fn a_row_without_one_of_its_features_is_refused() {
        for backend in Backend::ALL {
            let rows = [Portable, backend];
            let here = |without: &str| {
                select_where(&rows, Request::Auto, |b| b == Portable || runs_with(b, |name| name != without))
            };
            if features(backend).is_empty() {
                continue;
            }
            assert_eq!(here("none"), Ok(&backend));
            for missing in features(backend) {
                assert_eq!(here(missing), Ok(&Portable), "{backend} without {missing}");
                let runs = |b| b == Portable || runs_with(b, |name| name != *missing);
                let error = Error::Unavailable { backend, available: vec![Portable] };
                assert_eq!(select_where(&rows, backend.into(), runs), Err(error));
            }
        }
    }

    #[test]
    fn a_row_that_is_returned_can_run_here() {
        assert!(select(&ROWS, Request::Auto).unwrap().0.is_available());
        for backend in Backend::ALL {
            assert_eq!(
                select(&ROWS, backend.into()).is_ok(),
                backend.is_available() && backends(&ROWS).contains(&backend)
            );
        }
    }
}

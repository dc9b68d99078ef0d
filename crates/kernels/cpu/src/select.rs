//! The selection of a row from the table of an operation.

use std::ops::Deref;

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
#[derive(Debug)]
pub struct Row<F> {
    backend: Backend,
    functions: F,
}

impl<F> Row<F> {
    /// Returns the row of these functions.
    pub const fn new(backend: Backend, functions: F) -> Self {
        Row { backend, functions }
    }

    /// Returns the backend whose functions the row has.
    pub const fn backend(&self) -> Backend {
        self.backend
    }
}

impl<F> Deref for Row<F> {
    type Target = F;

    fn deref(&self) -> &F {
        &self.functions
    }
}

impl<F> AsRef<Backend> for Row<F> {
    fn as_ref(&self) -> &Backend {
        &self.backend
    }
}

/// A list of backends is also a table.
impl AsRef<Backend> for Backend {
    fn as_ref(&self) -> &Backend {
        self
    }
}

/// Rows in rising order of preference, which [`rows!`](crate::rows) declares.
///
/// Only [`Table::select`] returns them, so that this machine can run the backend of every row that is reached.
#[derive(Debug)]
pub struct Table<F: 'static>(&'static [Row<F>]);

impl<F> Table<F> {
    /// Returns the table of these rows.
    pub const fn new(rows: &'static [Row<F>]) -> Self {
        Table(rows)
    }

    /// Returns the backends of the rows.
    pub fn backends(&self) -> Vec<Backend> {
        backends(self.0)
    }

    /// Returns the backends of the rows, for a constant; N is [`Table::count`].
    pub const fn list<const N: usize>(&self) -> [Backend; N] {
        let (mut list, mut i) = ([Backend::Portable; N], 0);
        while i < N {
            list[i] = self.0[i].backend;
            i += 1;
        }
        list
    }

    /// Returns the number of rows.
    pub const fn count(&self) -> usize {
        self.0.len()
    }

    /// Returns the table of the rows whose backends are offered, up to the first that is not.
    pub fn first(&self, is_offered: impl Fn(Backend) -> bool) -> Self {
        Table(&self.0[..self.0.iter().take_while(|row| is_offered(row.backend)).count()])
    }

    /// Returns what [`select`] does.
    ///
    /// # Errors
    /// Errors of [`select`].
    pub fn select(&self, request: Request) -> Result<&'static Row<F>, Error> {
        select(self.0, request)
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
pub fn select<R: AsRef<Backend>>(rows: &[R], request: Request) -> Result<&R, Error> {
    select_where(rows, request, Backend::is_available)
}

/// Returns the backends of a table's rows, in their order.
pub fn backends<R: AsRef<Backend>>(rows: &[R]) -> Vec<Backend> {
    rows.iter().map(|row| *row.as_ref()).collect()
}

/// Returns the same as [`select`] on a machine that `runs` describes.
fn select_where<R: AsRef<Backend>>(
    rows: &[R],
    request: Request,
    runs: impl Fn(Backend) -> bool,
) -> Result<&R, Error> {
    let none = || Error::NoneAvailable { offered: backends(rows) };
    let row = match request {
        Request::Auto => return rows.iter().rev().find(|row| runs(*row.as_ref())).ok_or_else(none),
        Request::Baseline => rows.first().ok_or_else(none)?,
        Request::Exactly(backend) => rows
            .iter()
            .find(|row| *row.as_ref() == backend)
            .ok_or_else(|| Error::NotOffered { backend, offered: backends(rows) })?,
    };
    if runs(*row.as_ref()) {
        return Ok(row);
    }
    let available = backends(rows).into_iter().filter(|&b| runs(b)).collect();
    Err(Error::Unavailable { backend: *row.as_ref(), available })
}

/// Declares the table of an operation, with a line for each row: the backend, and its functions. A backend of an
/// instruction set has the name of a static with the proof in parentheses, and a row only on its architecture. The last
/// rows may stand in braces behind a `cfg`. The [crate](crate) has an example.
#[macro_export]
macro_rules! rows {
    (@ [$($rows:tt)*]) => { [$($rows)*] };
    (@ [$($rows:tt)*] $Backend:ident => $functions:expr; $($rest:tt)*) => {
        $crate::rows!(@ [$($rows)* $crate::Row::new($crate::Backend::$Backend, $functions),] $($rest)*)
    };
    (@ $rows:tt $Backend:ident($SET:ident) => $functions:expr; $($rest:tt)*) => {
        $crate::features! { [$crate::rows] $Backend($SET) => $functions; $rows $($rest)* }
    };
    (
        { [$($on:tt)*] $features:literal } $Backend:ident($SET:ident) => $functions:expr;
        [$($rows:tt)*] $($rest:tt)*
    ) => {
        $crate::rows!(@ [
            $($rows)*
            #[cfg($($on)*)]
            {
                // SAFETY: only the functions of this row have it, and `Table` returns only rows whose backend this
                // machine can run.
                static $SET: $crate::$Backend = unsafe { $crate::$Backend::assume() };
                $crate::Row::new($crate::Backend::$Backend, $functions)
            },
        ] $($rest)*)
    };
    (
        $(#[$attribute:meta])* $vis:vis $ROWS:ident: $F:ty;
        $($Backend:ident => $functions:expr;)*
        #[cfg($($on:tt)*)] { $($more:tt)* }
    ) => {
        #[cfg(not($($on)*))]
        $crate::rows! { $(#[$attribute])* $vis $ROWS: $F; $($Backend => $functions;)* }
        #[cfg($($on)*)]
        $crate::rows! { $(#[$attribute])* $vis $ROWS: $F; $($Backend => $functions;)* $($more)* }
    };
    ($(#[$attribute:meta])* $vis:vis $ROWS:ident: $F:ty; $($rows:tt)*) => {
        $(#[$attribute])*
        $vis static $ROWS: $crate::Table<$F> = $crate::Table::new(&$crate::rows!(@ [] $($rows)*));
    };
}

#[cfg(test)]
mod tests {
    use Backend::{Avx2, Avx512, Blst, Portable, Rvv};

    use super::*;
    use crate::backend::{features, runs_with};

    static ROWS: [Backend; 4] = [Portable, Avx2, Avx512, Rvv];
    static VECTORS: [Backend; 1] = [Rvv];

    fn chosen(rows: &'static [Backend], request: Request) -> Result<Backend, Error> {
        select_where(rows, request, |b| b != Rvv && b != Avx512).copied()
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
            for missing in features(backend).split(',') {
                assert_eq!(here(missing), Ok(&Portable), "{backend} without {missing}");
                let runs = |b| b == Portable || runs_with(b, |name| name != missing);
                let error = Error::Unavailable { backend, available: vec![Portable] };
                assert_eq!(select_where(&rows, backend.into(), runs), Err(error));
            }
        }
    }

    #[test]
    fn a_row_that_is_returned_can_run_here() {
        assert!(select(&ROWS, Request::Auto).unwrap().is_available());
        for backend in Backend::ALL {
            assert_eq!(
                select(&ROWS, backend.into()).is_ok(),
                backend.is_available() && backends(&ROWS).contains(&backend)
            );
        }
    }
}

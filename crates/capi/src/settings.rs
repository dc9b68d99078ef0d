//! Trusted setups and tables, for C.

use std::ffi::{CString, c_char};
use std::path::Path;
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::time::Instant;

use parcrypt_cpu::Requests;
use parcrypt_kzg::TABLES;

use crate::memory::Caller;
use crate::status::{Failure, Status};

/// The header's `parcrypt_settings`.
pub struct Settings {
    /// The settings, shared by calls; an exchange of tables waits for them.
    settings: RwLock<parcrypt_kzg::Settings>,
    /// See `parcrypt_settings_backends`.
    backends: CString,
}

impl Settings {
    fn new(settings: parcrypt_kzg::Settings) -> Self {
        let backends = settings.backends().map(|(table, backend)| format!("{table}={backend}")).join(",");
        let backends = CString::new(backends).unwrap_or_default();
        Settings { settings: RwLock::new(settings), backends }
    }

    /// Returns the settings for a call that only reads them.
    pub(crate) fn read(&self) -> Result<RwLockReadGuard<'_, parcrypt_kzg::Settings>, Failure> {
        self.settings.read().map_err(|_| damaged())
    }

    fn write(&self) -> Result<RwLockWriteGuard<'_, parcrypt_kzg::Settings>, Failure> {
        self.settings.write().map_err(|_| damaged())
    }
}

/// Returns the requests in a text, or for null those for the best backends.
fn requests(caller: &Caller, backends: *const c_char) -> Result<Requests, Failure> {
    if backends.is_null() {
        return Ok(Requests::default());
    }
    let text = caller.text("backends", backends)?.to_string_lossy();
    Ok(Requests::parse(&text, &TABLES.map(|(table, _)| table))?)
}

/// Returns the error after a panic during an exchange of tables, after which tables may be incomplete.
fn damaged() -> Failure {
    Failure::new(Status::INTERNAL, "settings: an earlier call for tables ended with an internal error")
}

/// The header's `parcrypt_table_report`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
#[allow(missing_docs, reason = "the header documents them")]
pub struct TableReport {
    pub lagrange_bytes: u64,
    pub fk20_bytes: u64,
    pub nanoseconds: u64,
}

exported!(|caller| {
    fn parcrypt_settings_mainnet(backends: *const c_char, settings: slot(Settings)) {
        settings.give(Settings::new(parcrypt_kzg::Settings::mainnet(requests(caller, backends)?)?));
    }

    fn parcrypt_settings_from_bytes(
        runtime: runtime,
        backends: *const c_char,
        bytes: bytes(length),
        settings: slot(Settings),
    ) {
        let requests = requests(caller, backends)?;
        settings.give(Settings::new(parcrypt_kzg::Settings::load(runtime, requests, bytes)?));
    }

    fn parcrypt_settings_from_file(
        runtime: runtime,
        backends: *const c_char,
        path: *const c_char,
        settings: slot(Settings),
    ) {
        let path = caller.path("path", path)?;
        let read = parcrypt_kzg::Settings::from_file(runtime, requests(caller, backends)?, path);
        settings.give(Settings::new(read.map_err(|error| at(path, error.into()))?));
    }

    fn parcrypt_settings_backends(settings: *const Settings) -> *const c_char {
        caller.handle("settings", settings).map_or(c"", |settings| &settings.backends).as_ptr()
    }

    fn parcrypt_settings_build_tables(
        runtime: runtime,
        settings: *mut Settings,
        budget_mib: usize,
        report: *mut TableReport,
    ) {
        let settings = caller.handle("settings", settings)?;
        let report = if report.is_null() { None } else { Some(caller.output("report", report, 1)?) };
        let mut settings = settings.write()?;
        let begun = Instant::now();
        let tables = settings.build_tables(runtime, budget_mib)?;
        let nanoseconds = u64::try_from(begun.elapsed().as_nanos()).unwrap_or(u64::MAX);
        if let Some(report) = report {
            let (lagrange_bytes, fk20_bytes) = (tables.lagrange_bytes as u64, tables.fk20_bytes as u64);
            report.write(&[TableReport { lagrange_bytes, fk20_bytes, nanoseconds }]);
        }
    }

    fn parcrypt_settings_free(settings: *mut Settings) -> () {
        caller.free(settings)
    }
});

/// Returns the failure, preceded by the file's path.
fn at(path: &Path, failure: Failure) -> Failure {
    Failure::new(failure.status, format!("{}: {}", path.display(), failure.message))
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use parcrypt_testkit::Untouched;

    use super::*;

    #[test]
    fn settings_are_refused_after_a_panic_half_way() {
        let settings = Settings::new(parcrypt_kzg::Settings::mainnet(Requests::default()).expect("mainnet"));
        let build = || settings.write().map(|mut settings| settings.build_tables(&Untouched, 1));
        assert!(catch_unwind(AssertUnwindSafe(build)).is_err());
        for failure in [settings.read().err(), settings.write().err()] {
            assert!(failure.is_some_and(|failure| failure.status == Status::INTERNAL));
        }
    }
}

//! The status and the error message of a call, for C.

use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Status of a call: the header's `parcrypt_status`, documented there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
pub struct Status(i32);

macro_rules! statuses {
    ($($name:ident = $number:literal, $in_c:literal;)*) => {
        #[allow(missing_docs, reason = "the header documents them")]
        impl Status {
            $(pub const $name: Status = Status($number);)*
            const NAMES: [(Status, &'static CStr); [$($number),*].len()] = [$((Status::$name, $in_c)),*];
        }
    };
}
statuses! {
    OK = 0, c"PARCRYPT_OK";
    POINTER = 1, c"PARCRYPT_ERROR_POINTER";
    LENGTH = 2, c"PARCRYPT_ERROR_LENGTH";
    FIELD_ELEMENT = 3, c"PARCRYPT_ERROR_FIELD_ELEMENT";
    POINT = 4, c"PARCRYPT_ERROR_POINT";
    INDEX = 5, c"PARCRYPT_ERROR_INDEX";
    TOO_FEW_CELLS = 6, c"PARCRYPT_ERROR_TOO_FEW_CELLS";
    INCONSISTENT_CELLS = 7, c"PARCRYPT_ERROR_INCONSISTENT_CELLS";
    SETUP = 8, c"PARCRYPT_ERROR_SETUP";
    FILE = 9, c"PARCRYPT_ERROR_FILE";
    RUNTIME = 10, c"PARCRYPT_ERROR_RUNTIME";
    MEMORY = 11, c"PARCRYPT_ERROR_MEMORY";
    ITEMS = 12, c"PARCRYPT_ERROR_ITEMS";
    INTERNAL = 13, c"PARCRYPT_ERROR_INTERNAL";
    BACKEND = 14, c"PARCRYPT_ERROR_BACKEND";
    PARAMETER = 15, c"PARCRYPT_ERROR_PARAMETER";
    KEY = 16, c"PARCRYPT_ERROR_KEY";
    PROOF = 20, c"PARCRYPT_ERROR_PROOF";
}

/// Failure of a call: a status for the program and a message for its user.
#[derive(Debug)]
pub struct Failure {
    pub(crate) status: Status,
    pub(crate) message: String,
}

impl Failure {
    pub(crate) fn new(status: Status, message: impl Into<String>) -> Self {
        Failure { status, message: message.into() }
    }

    /// Returns the failure of a panic, with its message.
    fn of_panic(payload: &(dyn Any + Send)) -> Self {
        let said = payload.downcast_ref::<&str>().copied();
        let said = said.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        Failure::new(
            Status::INTERNAL,
            format!("internal error ({})", said.unwrap_or("panic without a message")),
        )
    }
}

impl From<parcrypt_runtime::Error> for Failure {
    fn from(error: parcrypt_runtime::Error) -> Failure {
        Failure::new(Status::RUNTIME, error.to_string())
    }
}

impl From<parcrypt_cpu::Error> for Failure {
    fn from(error: parcrypt_cpu::Error) -> Failure {
        Failure::new(Status::BACKEND, error.to_string())
    }
}

impl From<parcrypt_kzg::Error> for Failure {
    fn from(error: parcrypt_kzg::Error) -> Failure {
        use parcrypt_bls12_381::Error as Arithmetic;
        use parcrypt_kzg::Error;
        use parcrypt_kzg::setup::Defect;
        let status = match &error {
            Error::Length { .. } | Error::Count { .. } => Status::LENGTH,
            Error::NotCanonical { .. } => Status::FIELD_ELEMENT,
            Error::Point { .. } => Status::POINT,
            Error::CellIndex { .. } | Error::CellOrder { .. } | Error::CommitmentIndex { .. } => {
                Status::INDEX
            }
            Error::TooFewCells { .. } => Status::TOO_FEW_CELLS,
            Error::Inconsistent => Status::INCONSISTENT_CELLS,
            Error::OtherSetup => Status::SETUP,
            Error::Setup(setup) => match setup.defect {
                Defect::Io { .. } | Defect::NoFile => Status::FILE,
                Defect::Memory { .. } => Status::MEMORY,
                _ => Status::SETUP,
            },
            Error::Arithmetic(Arithmetic::Memory { .. } | Arithmetic::Allocation { .. }) => Status::MEMORY,
            Error::Arithmetic(Arithmetic::Backend(_)) => Status::BACKEND,
            _ => Status::INTERNAL,
        };
        Failure::new(status, error.to_string())
    }
}

thread_local! {
    static MESSAGE: RefCell<Option<CString>> = const { RefCell::new(None) };
}

/// The result of a function of the API.
pub trait Answer: Sized {
    /// What C gets for it.
    type InC;

    /// Runs the body of the function; nothing unwinds into C.
    fn of(body: impl FnOnce() -> Self) -> Self::InC;
}

impl Answer for Result<(), Failure> {
    type InC = Status;

    fn of(body: impl FnOnce() -> Self) -> Status {
        call(body)
    }
}

/// A function that cannot report an error returns the value on the right after a panic.
macro_rules! answers {
    ($($answer:ty = $otherwise:expr;)*) => {$(
        impl Answer for $answer {
            type InC = Self;

            fn of(body: impl FnOnce() -> Self) -> Self {
                quiet($otherwise, body)
            }
        }
    )*};
}
answers! {
    () = ();
    usize = 0;
    *const c_char = c"".as_ptr();
}

/// Runs the body of a function of the API. A panic becomes [`Status::INTERNAL`]; nothing unwinds into C.
fn call(body: impl FnOnce() -> Result<(), Failure>) -> Status {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let failure = body().err();
        let status = failure.as_ref().map_or(Status::OK, |failure| failure.status);
        set_message(failure.map(|failure| failure.message));
        status
    }));
    outcome.unwrap_or_else(|payload| {
        // The text of a panic is built outside of the first `catch_unwind`, so it has one of its own.
        let failure =
            catch_unwind(AssertUnwindSafe(|| set_message(Some(Failure::of_panic(&*payload).message))));
        // The payload may be any value, and its destructor may panic too.
        std::mem::forget((payload, failure));
        Status::INTERNAL
    })
}

/// Runs the body of a function that returns no status. A panic becomes `otherwise`.
fn quiet<T>(otherwise: T, body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| {
        std::mem::forget(payload);
        otherwise
    })
}

/// Stores the text for [`parcrypt_error_message`], except in a thread that is ending.
fn set_message(message: Option<String>) {
    // A zero byte would end the text; our texts have none, and neither has a path from C.
    let message = message.and_then(|message| CString::new(message.replace('\0', " ")).ok());
    _ = MESSAGE.try_with(|last| last.replace(message));
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn parcrypt_status_name(status: Status) -> *const c_char {
    let name = Status::NAMES.iter().find(|(known, _)| *known == status);
    name.map_or(c"unknown status", |(_, name)| name).as_ptr()
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn parcrypt_error_message() -> *const c_char {
    let message = |last: &RefCell<Option<CString>>| last.borrow().as_ref().map(|message| message.as_ptr());
    MESSAGE.try_with(message).ok().flatten().unwrap_or(c"".as_ptr())
}

/// See the header.
#[unsafe(no_mangle)]
pub extern "C" fn parcrypt_version() -> *const c_char {
    const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), "\0");
    VERSION.as_ptr().cast()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns the message of the last call.
    pub(crate) fn message() -> String {
        // SAFETY: the function returns a text with a zero byte at its end, which is there until the next call.
        unsafe { CStr::from_ptr(parcrypt_error_message()) }.to_str().unwrap_or("no UTF-8").to_owned()
    }

    #[test]
    fn a_panic_becomes_a_status() {
        assert_eq!(call(|| panic!("number {}", 7)), Status::INTERNAL);
        assert_eq!(message(), "internal error (number 7)");
        assert_eq!(call(|| std::panic::panic_any(7)), Status::INTERNAL);
        assert_eq!(message(), "internal error (panic without a message)");
        assert_eq!(call(|| Ok(())), Status::OK);
        assert_eq!(message(), "");
        assert_eq!(quiet(3, || panic!("quiet")), 3);
    }

    #[test]
    fn a_payload_that_panics_when_it_is_dropped_is_kept() {
        struct Bomb;
        impl Drop for Bomb {
            fn drop(&mut self) {
                panic!("dropped");
            }
        }
        assert_eq!(call(|| std::panic::panic_any(Bomb)), Status::INTERNAL);
    }

    #[test]
    fn a_message_has_no_zero_byte() {
        assert_eq!(call(|| Err(Failure::new(Status::FILE, "a\0b"))), Status::FILE);
        assert_eq!(message(), "a b");
    }

    #[test]
    fn the_header_has_the_same_numbers() {
        let header = include_str!("../include/parcrypt.h");
        for (status, name) in Status::NAMES {
            let line = format!("    {} = {}", name.to_str().unwrap_or("no UTF-8"), status.0);
            assert!(header.lines().any(|found| found.trim_end_matches(',') == line), "{line}");
        }
        let declared =
            header.lines().filter(|line| line.starts_with("    PARCRYPT_") && line.contains(" = "));
        assert_eq!(declared.count(), Status::NAMES.len());
    }
}

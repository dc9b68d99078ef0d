//! Text for users: that of the commands of the lab, and JSON and hexadecimal.

use std::process::ExitCode;

pub(crate) use parlab::text::{Printed, counted, paragraph, print, seconds, shown, size, tell};

use crate::error::fail;

/// [`print()`] for a JSON value, indented.
pub(crate) fn print_json(value: &serde_json::Value) -> ExitCode {
    match serde_json::to_string_pretty(value) {
        Ok(text) => Printed::Json(&(text + "\n")).code(),
        Err(error) => fail(error),
    }
}

/// Returns the bytes in hexadecimal, in lower case.
pub(crate) fn hex(bytes: &[u8]) -> String {
    base16ct::lower::encode_string(bytes)
}

//! Limits of the shell, of which Windows has none: errors stay as they are.

use std::fmt;
use std::io::Error;

use parcrypt_machine::AvailableMemory;

pub(super) fn outlive_file_size() {}

pub(super) fn of_files(error: &Error) -> String {
    error.to_string()
}

pub(super) fn of_memory(error: &parcrypt_scrypt::Error) -> String {
    error.to_string()
}

pub(super) fn of_threads(error: impl fmt::Display) -> String {
    error.to_string()
}

pub(super) fn of_address_space(_: AvailableMemory) -> Option<String> {
    None
}

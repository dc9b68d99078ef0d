//! What the commands ask of the operating system about files, with the same functions in a module for Unix and in one
//! for Windows.

#[cfg_attr(windows, path = "system/windows.rs")]
#[cfg_attr(unix, path = "system/unix.rs")]
mod files;

pub(crate) use files::*;

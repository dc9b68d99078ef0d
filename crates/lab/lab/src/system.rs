//! What the lab asks of the system besides process trees and profiles: a module for Linux and one for other systems,
//! and a module for Unix and one for Windows, each with the same functions.

#[cfg_attr(windows, path = "system/windows.rs")]
#[cfg_attr(unix, path = "system/unix.rs")]
mod files;
#[cfg_attr(target_os = "linux", path = "system/linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "system/elsewhere.rs")]
mod processors;

pub(crate) use files::{
    free, has_ended, is_executable, is_mine, is_pipe_or_socket, is_same, open_itself, readable_by_all,
    set_name,
};
#[cfg(target_os = "linux")]
pub(crate) use processors::bind_thread;
pub(crate) use processors::{allowed_processors, bind, is_alive, missing, start_time, steal_ns};

//! Functions that the crate `mpi` 0.8 lacks: data in units of another type, and shared windows.
#![allow(
    unsafe_code,
    reason = "views of memory with a datatype are unsafe, and windows are only in the bindings"
)]

use mpi::datatype::{MutView, UserDatatype, View};
use mpi::raw::AsRaw;
use mpi::topology::{Communicator, SimpleCommunicator};
use parallel_sum::{LINE, STATUS_ERROR};
use shared_window::SharedWindow;

/// Returns the whole lines of `data`, in units of `line`, which is a fixed number of contiguous bytes.
pub(crate) fn lines<'a>(data: &'a [u8], line: &'a UserDatatype) -> View<'a, 'a, UserDatatype, [u8]> {
    // SAFETY: this number of units is inside the data. Below 2^31, by `MAX_BYTES`.
    unsafe { View::with_count_and_datatype(data, (data.len() / LINE) as i32, line) }
}

/// Returns the same as `lines`, for writing.
pub(crate) fn lines_mut<'a>(
    data: &'a mut [u8],
    line: &'a UserDatatype,
) -> MutView<'a, 'a, UserDatatype, [u8]> {
    let lines = (data.len() / LINE) as i32;
    // SAFETY: as in `lines`, and nothing else borrows the data.
    unsafe { MutView::with_count_and_datatype(data, lines, line) }
}

/// Returns memory that the ranks of `node` share.
pub(crate) fn window(node: &SimpleCommunicator, bytes: usize) -> SharedWindow {
    // SAFETY: a communicator lives no longer than MPI, and this one was made of ranks that can share memory.
    match unsafe { SharedWindow::new(node.as_raw(), bytes) } {
        Ok(window) => window,
        Err(code) => {
            eprintln!("error: MPI_Win_allocate_shared: error {code}");
            node.abort(STATUS_ERROR.into())
        }
    }
}

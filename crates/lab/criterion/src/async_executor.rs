//! Executors for [`Bencher::to_async`](crate::Bencher::to_async). Runtimes and handles of Tokio are executors too, with
//! the feature `async_tokio`.

use std::future::Future;

/// An executor of futures.
pub trait AsyncExecutor {
    /// Runs a future to its end on this thread, and returns what it returns.
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T;
}

/// The executor of the crate futures.
#[cfg(feature = "async_futures")]
pub struct FuturesExecutor;

#[cfg(feature = "async_futures")]
impl AsyncExecutor for FuturesExecutor {
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        futures::executor::block_on(future)
    }
}

/// The executor of the crate smol.
#[cfg(feature = "async_smol")]
pub struct SmolExecutor;

#[cfg(feature = "async_smol")]
impl AsyncExecutor for SmolExecutor {
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        smol::block_on(future)
    }
}

/// The executor of the crate async-std.
#[cfg(feature = "async_std")]
pub struct AsyncStdExecutor;

#[cfg(feature = "async_std")]
impl AsyncExecutor for AsyncStdExecutor {
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        async_std::task::block_on(future)
    }
}

#[cfg(feature = "async_tokio")]
macro_rules! executors {
    ($($type:ident),+) => {$(
        impl AsyncExecutor for tokio::runtime::$type {
            fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
                tokio::runtime::$type::block_on(self, future)
            }
        }

        impl AsyncExecutor for &tokio::runtime::$type {
            fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
                tokio::runtime::$type::block_on(self, future)
            }
        }
    )+};
}

#[cfg(feature = "async_tokio")]
executors! { Runtime, Handle }

//! Executors for [`Bencher::to_async`](crate::Bencher::to_async). Runtimes and handles of Tokio are executors too, with
//! the feature `async_tokio`.

use std::future::Future;

/// An executor of futures.
pub trait AsyncExecutor {
    /// Runs a future to its end on this thread, and returns what it returns.
    fn block_on<T>(&self, future: impl Future<Output = T>) -> T;
}

macro_rules! executor {
    ($feature:literal, $name:ident, $block_on:path) => {
        #[cfg(feature = $feature)]
        pub struct $name;

        #[cfg(feature = $feature)]
        impl AsyncExecutor for $name {
            fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
                $block_on(future)
            }
        }
    };
}

executor!("async_futures", FuturesExecutor, futures::executor::block_on);
executor!("async_smol", SmolExecutor, smol::block_on);
executor!("async_std", AsyncStdExecutor, async_std::task::block_on);

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

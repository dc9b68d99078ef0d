//! The two macros that make the functions of a suite its `main`, in all their forms.

use std::panic::{catch_unwind, AssertUnwindSafe};

use crate::suite;

/// Defines a function that runs others with a [`Criterion`](crate::Criterion).
#[macro_export]
macro_rules! criterion_group {
    (name = $name:ident; config = $config:expr; targets = $( $target:path ),+ $(,)*) => {
        #[doc = "Runs the benchmarks."]
        pub fn $name() {
            let mut criterion: $crate::Criterion<_> = $config.configure_from_args();
            $(
                $crate::__call(stringify!($target), || {
                    $target(&mut criterion);
                });
            )+
        }
    };
    ($name:ident, $( $target:path ),+ $(,)*) => {
        $crate::criterion_group! {
            name = $name;
            config = $crate::Criterion::default();
            targets = $( $target ),+
        }
    };
}

/// Defines a `main` that runs groups of benchmarks.
#[macro_export]
macro_rules! criterion_main {
    ( $( $group:path ),+ $(,)* ) => {
        fn main() {
            $(
                $crate::__call(stringify!($group), || {
                    $group();
                });
            )+
        }
    };
}

/// Calls a function of a suite, after the standard streams are taken. A panic in it does not end the others: the lab
/// measures each benchmark in a process of its own.
#[doc(hidden)]
pub fn __call(name: &str, f: impl FnOnce()) {
    let suite = suite::get();
    if let Err(payload) = catch_unwind(AssertUnwindSafe(f)) {
        suite.panicked(name, payload);
    }
}

//! Every runtime and every number of threads against the suite of `testkit`.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use std::num::NonZeroUsize;

use parcrypt_runtime::{Error, Kind, MAX_THREADS, OpenMp};
#[cfg(feature = "rayon")]
use parcrypt_runtime::{Rayon, Runtime};
use parcrypt_testkit::{runtime_conforms, runtimes, skip};

fn n(threads: usize) -> NonZeroUsize {
    NonZeroUsize::new(threads).unwrap()
}

#[test]
fn every_runtime_conforms() {
    for rt in runtimes("parcrypt-runtime") {
        runtime_conforms(&*rt);
    }
}

#[cfg(feature = "rayon")]
#[test]
fn a_pool_of_the_callers_conforms_and_is_the_one_that_works() {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    let rt = Rayon::with_pool(&pool);
    assert_eq!(rt.threads(), n(3));
    runtime_conforms(&rt);
    rt.run(50, &|_| assert!(pool.current_thread_index().is_some()));
    // From inside the caller's pool, too.
    pool.install(|| runtime_conforms(&rt));
}

#[cfg(feature = "rayon")]
#[test]
fn rayon_never_starts_the_global_pool() {
    let rt = Rayon::new(n(2)).unwrap();
    rt.run(50, &|_| {});
    rt.join(&mut || {}, &mut || {});
    // Building the global pool fails if it has already been started.
    rayon::ThreadPoolBuilder::new().num_threads(1).build_global().expect("the global pool was not touched");
}

#[test]
fn runtimes_may_be_mixed() {
    let all = runtimes("parcrypt-runtime");
    for outer in &all {
        for inner in &all {
            let count = std::sync::atomic::AtomicUsize::new(0);
            outer.run(6, &|_| {
                inner.run(5, &|_| {
                    count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                });
            });
            outer.join(
                &mut || {
                    inner.run(10, &|_| {
                        count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    });
                },
                &mut || inner.join(&mut || {}, &mut || {}),
            );
            assert_eq!(count.into_inner(), 40, "{} in {}", inner.name(), outer.name());
        }
    }
}

#[test]
fn too_many_threads_are_an_error() {
    for kind in [Kind::Rayon, Kind::OpenMp] {
        match kind.build(n(MAX_THREADS + 1)) {
            Err(Error::Threads { asked }) => assert_eq!(asked, MAX_THREADS + 1),
            Err(Error::Unavailable { .. }) => skip("parcrypt-runtime", kind.name(), "not in this build"),
            Err(other) => panic!("{other}"),
            Ok(_) => panic!("{kind} took {} threads", MAX_THREADS + 1),
        }
    }
    assert!(matches!(Kind::Serial.build(n(2)), Err(Error::SerialThreads { asked: 2 })));
}

/// Checks that a build without a runtime still knows its name and returns an error for it.
#[test]
fn features_missing_in_this_build_are_errors() {
    for (kind, built) in [(Kind::Rayon, cfg!(feature = "rayon")), (Kind::OpenMp, cfg!(feature = "openmp"))] {
        match kind.build(n(2)) {
            Err(Error::Unavailable { runtime, why }) => {
                assert_eq!(runtime, kind.name());
                assert!(built || why.contains(&format!("the feature `{kind}` off")), "{why}");
                assert!(kind != Kind::Rayon || !built, "{why}");
            }
            Ok(rt) => assert!(built && rt.name() == kind.name()),
            Err(other) => panic!("{other}"),
        }
    }
}

#[test]
fn names_are_checked() {
    for kind in Kind::ALL {
        assert_eq!(kind.to_string().parse::<Kind>().unwrap(), kind);
    }
    for name in ["", "Serial", "tbb", "openmp ", "rayon\0"] {
        assert!(matches!(name.parse::<Kind>(), Err(Error::UnknownRuntime { given }) if given == name));
    }
}

#[test]
fn the_library_is_named() {
    match OpenMp::library() {
        Ok(library) => {
            assert!(["libgomp", "libomp"].contains(&library.name.as_str()), "{library:?}");
            assert!(library.version >= 201_107, "{library:?}");
        }
        Err(Error::Unavailable { why, .. }) => skip("parcrypt-runtime", "openmp", why),
        Err(other) => panic!("{other}"),
    }
}

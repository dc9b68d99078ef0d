//! Bad input is an error and leaves the output unchanged; a watcher can stop the derivation.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use parcrypt_cpu::{Backend, Request};
use parcrypt_runtime::Serial;
use parcrypt_scrypt::{Error, Item, MAX_KEY_LEN, Params, Progress, Scrypt};
use parcrypt_testkit::runtimes;

const CRATE: &str = "parcrypt-scrypt";
const ITEM: Item<'static> = Item { password: b"password", salt: b"salt" };

#[test]
fn parameters_as_the_rfc_says() {
    for n in [0, 1, 3, 1000, u64::MAX] {
        assert_eq!(Params::new(n, 8, 1), Err(Error::N { n, r: 8 }));
        assert_eq!(Params::new(n, 1, 1), Err(Error::N { n, r: 1 }));
    }
    for (r, p) in [(0, 1), (1, 0), (1 << 30, 1), (1, 1 << 30), (1 << 15, 1 << 15), (u32::MAX, u32::MAX)] {
        assert_eq!(Params::new(16, r, p), Err(Error::BlocksAndLanes { r, p }));
    }
    assert!(Params::new(2, 1, (1 << 30) - 1).is_ok());
    assert!(Params::new(2, (1 << 30) - 1, 1).is_ok());
    // N must be below 2^(16 r), unless that is lifted explicitly.
    assert!(Params::new(1 << 15, 1, 1).is_ok());
    let beyond = |n, r| Params::new(n, r, 1) == Err(Error::NBeyondRfc { n, r });
    assert!(beyond(1 << 16, 1));
    assert!(Params::new(1 << 31, 2, 1).is_ok());
    assert!(beyond(1 << 32, 2) && beyond(1 << 48, 3) && beyond(1 << 63, 1));
    let text = Error::NBeyondRfc { n: 1 << 16, r: 1 }.to_string();
    assert!(text.contains("2^(16 r)") && text.contains("allow_n_beyond_rfc"), "{text}");
    assert_eq!(Params::allow_n_beyond_rfc(1 << 16, 1, 1).map(|params| params.n()), Ok(1 << 16));
    assert_eq!(Params::allow_n_beyond_rfc(1 << 15, 8, 4), Params::new(1 << 15, 8, 4));
    // All other bounds stay.
    assert_eq!(Params::allow_n_beyond_rfc(3, 1, 1), Err(Error::N { n: 3, r: 1 }));
    assert_eq!(Params::allow_n_beyond_rfc(16, 0, 1), Err(Error::BlocksAndLanes { r: 0, p: 1 }));
    assert!(matches!(Params::allow_n_beyond_rfc(1 << 63, 1, 1), Err(Error::AddressSpace { .. })));
    // 2^7 · 8 · 2^63 bytes.
    assert!(
        matches!(Params::new(1 << 63, 8, 1), Err(Error::AddressSpace { needed, .. }) if needed >> 73 == 1)
    );
    assert!(matches!(Params::new(1 << 53, 8, 1), Err(Error::AddressSpace { .. })));
}

#[test]
fn too_little_memory_is_an_error_with_the_needed_memory() {
    let params = Params::new(1 << 14, 8, 4).expect("parameters");
    let plan = Scrypt::new(Request::Auto, params.memory() - 1).expect("plan");
    let needed = Error::Memory { needed: 16 << 20, bound: (16 << 20) - 1 };
    assert_eq!(plan.derive(&Serial, params, b"", b"", &mut [0; 32]), Err(needed.clone()));
    assert_eq!(plan.requirements(&Serial, params, 1), Err(needed));
    let plan = Scrypt::new(Request::Auto, params.memory()).expect("plan");
    assert_eq!(plan.requirements(&Serial, params, 1).expect("fits").lanes, 1);
    assert_eq!(plan.derive(&Serial, params, b"", b"", &mut [0; 32]), Ok(()));
    // More than any machine has; the addresses cannot even be mapped.
    let params = Params::new(1 << 50, 8, 1).expect("parameters");
    let plan = Scrypt::new(Request::Auto, u64::MAX).expect("plan");
    assert!(matches!(plan.derive(&Serial, params, b"", b"", &mut [0; 32]), Err(Error::Allocation { .. })));
    let plan = Scrypt::new(Request::Auto, 0).expect("plan");
    assert!(matches!(plan.requirements(&Serial, params, 1), Err(Error::Memory { bound: 0, .. })));
}

#[test]
fn lengths() {
    let params = Params::new(2, 1, 1).expect("parameters");
    let plan = Scrypt::new(Request::Auto, 1 << 20).expect("plan");
    assert_eq!(plan.derive(&Serial, params, b"", b"", &mut []), Err(Error::KeyLength { len: 0 }));
    // A key that is too long would take 128 GiB: only the text is compared.
    let long = Error::KeyLength { len: MAX_KEY_LEN as usize + 1 };
    assert!(long.to_string().ends_with(&format!("from 1 to {MAX_KEY_LEN}")), "{long}");
    assert_eq!(
        plan.derive_many(&Serial, params, &[ITEM; 3], &mut [0; 10]),
        Err(Error::Outputs { items: 3, len: 10 })
    );
    assert_eq!(plan.derive_many(&Serial, params, &[], &mut [0; 1]), Err(Error::Outputs { items: 0, len: 1 }));
    assert_eq!(plan.derive_many(&Serial, params, &[], &mut []), Ok(()));
}

#[test]
fn a_backend_that_is_not_there_is_an_error() {
    assert!(matches!(
        Scrypt::new(Backend::Ifma.into(), 1 << 20),
        Err(Error::Backend(parcrypt_cpu::Error::NotOffered { backend: Backend::Ifma, .. }))
    ));
    for backend in Scrypt::backends() {
        assert_eq!(Scrypt::new(backend.into(), 1 << 20).is_ok(), backend.is_available());
    }
}

/// Checks that a watcher sees every step once, and stops before the first, in the middle and never.
#[test]
fn a_watcher_counts_and_stops() {
    // Each half of a lane has two ticks.
    let params = Params::new(1 << 13, 8, 3).expect("parameters");
    let total = 2 * params.n() * 3 * 2;
    for rt in runtimes(CRATE) {
        for bound in [params.memory(), 1 << 30] {
            let plan = Scrypt::new(Request::Auto, bound).expect("plan");
            for stop in [0, total / 3, u64::MAX] {
                let most = AtomicU64::new(0);
                let watch = |at: Progress| {
                    assert_eq!(at.total, total);
                    most.fetch_max(at.done, Ordering::Relaxed);
                    if at.done >= stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                };
                let mut outs = [0; 64];
                let result = plan.derive_watched(&*rt, params, &[ITEM; 2], &mut outs, &watch);
                let most = most.into_inner();
                if stop == u64::MAX {
                    assert_eq!((result, most), (Ok(()), total));
                    assert_eq!(outs[..32], outs[32..]);
                } else {
                    assert_eq!(result, Err(Error::Stopped));
                    assert!(most >= stop && most < total, "stopped at {stop}, {most} of {total} were done");
                }
            }
        }
    }
}

//! The contract of [`Runtime`] as tests, for every kind and number of threads.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parcrypt_runtime::{
    Cost, Runtime, Serial, enter, for_each, for_each_index, is_worthwhile, join, map, map_reduce,
};

/// The cost of a piece for which every helper goes parallel.
const DEAR: Cost = Cost::ns(1_000_000_000);
const SIZES: [usize; 9] = [0, 1, 2, 3, 7, 8, 9, 100, 1_000];

/// Tests the whole contract of [`Runtime`].
///
/// # Panics
/// At the first violation.
pub fn runtime_conforms(rt: &dyn Runtime) {
    let what = format!("{} with {} threads", rt.name(), rt.threads());
    runs_each_task_once(rt, &what);
    helpers_give_the_bits_of_serial(rt, &what);
    nested_run_is_serial(rt, &what);
    join_nests(rt, &what);
    run_inside_join_runs_all(rt, &what);
    enter_gives_what_its_body_gives(rt, &what);
    panics_arrive(rt, &what);
    callers_share_it(rt, &what);
    callers_come_and_go(rt, &what);
    small_work_stays_here(rt, &what);
}

fn runs_each_task_once(rt: &dyn Runtime, what: &str) {
    for size in SIZES {
        let calls: Vec<AtomicU32> = (0..size).map(|_| AtomicU32::new(0)).collect();
        rt.run(size, &|i| {
            calls[i].fetch_add(1, Ordering::Relaxed);
        });
        assert!(calls.iter().all(|c| c.load(Ordering::Relaxed) == 1), "{what}: run({size})");
    }
}

fn helpers_give_the_bits_of_serial(rt: &dyn Runtime, what: &str) {
    // Floating-point addition is not associative, so another order of combination would give other bits.
    let term = |i: usize| 1.0 / (1.0 + i as f64);
    for size in SIZES {
        for grain in [1, 3, 8] {
            let pieces = size.div_ceil(grain);
            let piece = |p: usize| (p * grain..size.min((p + 1) * grain)).map(term).sum::<f64>();
            let expected = map_reduce(&Serial, pieces, DEAR, piece, |a, b| a + b);
            let found = map_reduce(rt, pieces, DEAR, piece, |a, b| a + b);
            assert_eq!(expected.map(f64::to_bits), found.map(f64::to_bits), "{what}: map_reduce of {size}");
            assert_eq!(
                map(rt, pieces, DEAR, piece),
                map(&Serial, pieces, DEAR, piece),
                "{what}: map of {size}"
            );

            let mut data: Vec<usize> = (0..size).collect();
            let parts = data.chunks_mut(grain).enumerate().collect();
            for_each(rt, parts, DEAR, |(p, part): (usize, &mut [usize])| {
                part.iter_mut().for_each(|x| *x = *x * 2 + p);
            });
            let expected: Vec<usize> = (0..size).map(|x| x * 2 + x / grain).collect();
            assert_eq!(data, expected, "{what}: for_each of {size} by {grain}");
        }
        let total = AtomicUsize::new(0);
        for_each_index(rt, size, DEAR, |i| {
            total.fetch_add(i + 1, Ordering::Relaxed);
        });
        assert_eq!(total.into_inner(), size * (size + 1) / 2, "{what}: for_each_index of {size}");
    }
}

fn nested_run_is_serial(rt: &dyn Runtime, what: &str) {
    let calls = AtomicUsize::new(0);
    rt.run(8, &|_| {
        let outer = std::thread::current().id();
        rt.run(16, &|_| {
            assert_eq!(outer, std::thread::current().id(), "{what}: a nested run must stay on its worker");
            calls.fetch_add(1, Ordering::Relaxed);
        });
        // Still inside the outer task: the inner one must have restored the place.
        rt.run(2, &|_| assert_eq!(outer, std::thread::current().id(), "{what}: the mark was lost"));
    });
    assert_eq!(calls.into_inner(), 128, "{what}");
}

fn join_nests(rt: &dyn Runtime, what: &str) {
    fn leaves(rt: &dyn Runtime, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let (a, b) = join(rt, DEAR, || leaves(rt, depth - 1), || leaves(rt, depth - 1));
        a + b
    }
    fn chain(rt: &dyn Runtime, length: u32) -> u32 {
        if length == 0 {
            return 0;
        }
        let (rest, one) = join(rt, DEAR, || chain(rt, length - 1), || 1);
        rest + one
    }
    assert_eq!(leaves(rt, 12), 1 << 12, "{what}: join as a tree");
    assert_eq!(chain(rt, 300), 300, "{what}: join as a chain");
    // A join inside a task of run.
    let total = AtomicUsize::new(0);
    rt.run(8, &|i| {
        let (a, b) = join(rt, DEAR, || i, || 2 * i);
        total.fetch_add(a + b, Ordering::Relaxed);
    });
    assert_eq!(total.into_inner(), 84, "{what}: join inside run");
}

fn run_inside_join_runs_all(rt: &dyn Runtime, what: &str) {
    let calls = AtomicUsize::new(0);
    let many = || {
        rt.run(50, &|_| {
            calls.fetch_add(1, Ordering::Relaxed);
        });
    };
    join(rt, DEAR, || join(rt, DEAR, many, many), many);
    assert_eq!(calls.into_inner(), 150, "{what}: run inside join");
}

fn enter_gives_what_its_body_gives(rt: &dyn Runtime, what: &str) {
    let calls = AtomicUsize::new(0);
    let many = || {
        rt.run(50, &|_| {
            calls.fetch_add(1, Ordering::Relaxed);
        });
    };
    let inner = enter(rt, DEAR, || {
        many();
        join(rt, DEAR, many, many);
        enter(rt, DEAR, || 7)
    });
    assert_eq!((inner, calls.into_inner()), (7, 150), "{what}: enter");
    // Inside a task the nested run stays serial, entered or not.
    rt.run(4, &|_| {
        enter(rt, DEAR, || {
            let here = std::thread::current().id();
            rt.run(4, &|_| assert_eq!(here, std::thread::current().id(), "{what}: enter inside run"));
        });
    });
}

fn panics_arrive(rt: &dyn Runtime, what: &str) {
    struct Payload(usize);
    let payload = |result: std::thread::Result<()>| match result {
        Ok(()) => panic!("{what}: the panic was lost"),
        Err(payload) => payload.downcast::<Payload>().map(|p| p.0).unwrap_or(usize::MAX),
    };
    // `resume_unwind` panics without the hook, so that the log of the tests stays readable.
    let fail = |i: usize| std::panic::resume_unwind(Box::new(Payload(i)));
    for size in [1, 2, 9, 100] {
        let found = payload(catch_unwind(AssertUnwindSafe(|| {
            rt.run(size, &|i| {
                if i == size - 1 {
                    fail(i)
                }
            });
        })));
        assert_eq!(found, size - 1, "{what}: a panic in a task of {size}");
    }
    let all = payload(catch_unwind(AssertUnwindSafe(|| rt.run(20, &|i| fail(i)))));
    assert!(all < 20, "{what}: panics in every task");
    let left = catch_unwind(AssertUnwindSafe(|| rt.join(&mut || fail(1), &mut || {})));
    assert_eq!(payload(left), 1, "{what}: a panic in the left branch");
    let right = catch_unwind(AssertUnwindSafe(|| rt.join(&mut || {}, &mut || fail(2))));
    assert_eq!(payload(right), 2, "{what}: a panic in the right branch");
    let entered = catch_unwind(AssertUnwindSafe(|| rt.enter(&mut || fail(4))));
    assert_eq!(payload(entered), 4, "{what}: a panic in what was entered");
    let deep = catch_unwind(AssertUnwindSafe(|| {
        rt.join(
            &mut || {
                rt.join(&mut || {}, &mut || {
                    rt.run(3, &|i| {
                        if i == 2 {
                            fail(3)
                        }
                    })
                })
            },
            &mut || {},
        );
    }));
    assert_eq!(payload(deep), 3, "{what}: a panic deep inside");
    runs_each_task_once(rt, what);
}

fn callers_share_it(rt: &dyn Runtime, what: &str) {
    std::thread::scope(|s| {
        for caller in 0..3usize {
            s.spawn(move || {
                for _ in 0..20 {
                    let sum = map_reduce(rt, 40, DEAR, |i| i + caller, |a, b| a + b);
                    assert_eq!(sum, Some(780 + 40 * caller), "{what}: caller {caller}");
                    let pair = join(rt, DEAR, || caller, || caller + 1);
                    assert_eq!(pair, (caller, caller + 1), "{what}: caller {caller}");
                }
            });
        }
    });
}

/// Tests callers that end one after the other while other threads have run parts of their work. A runtime that keeps
/// references to an ended caller reads freed memory during the calls of the next.
fn callers_come_and_go(rt: &dyn Runtime, what: &str) {
    if rt.threads().get() == 1 {
        return;
    }
    for caller in 0..8 {
        let work = || {
            for round in 0..1 + caller % 3 {
                let begun = AtomicBool::new(false);
                // Gives another thread time to start the second branch; the test passes without it too.
                let wait = || {
                    let since = Instant::now();
                    while !begun.load(Ordering::Relaxed) && since.elapsed() < Duration::from_micros(200) {
                        std::thread::yield_now();
                    }
                    caller
                };
                let pair = join(rt, DEAR, wait, || {
                    begun.store(true, Ordering::Relaxed);
                    round
                });
                assert_eq!(pair, (caller, round), "{what}: caller {caller}");
            }
        };
        let ended = std::thread::scope(|s| s.spawn(work).join());
        ended.unwrap_or_else(|payload| std::panic::resume_unwind(payload));
    }
}

fn small_work_stays_here(rt: &dyn Runtime, what: &str) {
    let here = std::thread::current().id();
    for_each_index(rt, 100, Cost::ns(1), |_| assert_eq!(here, std::thread::current().id(), "{what}"));
    assert!(
        !is_worthwhile(rt, 1, DEAR) && !is_worthwhile(rt, 0, DEAR),
        "{what}: one piece cannot be divided"
    );
    assert_eq!(is_worthwhile(rt, 2, DEAR), rt.threads().get() > 1, "{what}: dear work goes parallel");
    assert!(
        is_worthwhile(rt, usize::MAX, Cost::ns(u64::MAX)) == (rt.threads().get() > 1),
        "{what}: no overflow"
    );
}

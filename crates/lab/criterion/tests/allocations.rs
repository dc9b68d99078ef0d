//! What the counting allocator counts. A program of its own, in which no other thread allocates.

#[path = "../src/allocations.rs"]
mod allocations;

use std::hint::black_box;
use std::sync::Barrier;

#[global_allocator]
static ALLOCATOR: allocations::Counting = allocations::Counting;

/// Returns the number of allocations of a function, their bytes, and the most at once.
fn counted(f: impl FnOnce()) -> [u64; 3] {
    allocations::start();
    f();
    allocations::stop();
    allocations::take()
}

fn bytes(count: usize) -> Vec<u8> {
    black_box(Vec::with_capacity(count))
}

fn main() {
    assert_eq!(allocations::NAMES.len(), counted(|| ()).len());
    assert_eq!(counted(|| ()), [0, 0, 0]);
    assert_eq!(counted(|| drop(bytes(100))), [1, 100, 100]);
    assert_eq!(counted(|| drop(black_box(vec![0u8; 100]))), [1, 100, 100], "zeroed");
    assert_eq!(counted(|| (0..3).for_each(|_| drop(bytes(50)))), [3, 150, 50], "one after the other");
    assert_eq!(counted(|| drop((bytes(50), bytes(60)))), [2, 110, 110], "both at once");

    // Memory that grows, and shrinks.
    let grows = || {
        let mut grown = bytes(16);
        grown.reserve_exact(100);
        drop(black_box(grown));
    };
    assert_eq!(counted(grows), [2, 116, 100]);
    let mut kept = bytes(100);
    kept.push(1);
    assert_eq!(counted(|| kept.shrink_to_fit()), [1, 1, 0], "it takes less than at the start");

    // What was there before is freed, and what is kept stays.
    let before = bytes(1000);
    let mut after = Vec::new();
    let frees = || {
        drop(before);
        after = bytes(300);
    };
    assert_eq!(counted(frees), [1, 300, 0]);
    assert_eq!(counted(|| drop(bytes(7))), [1, 7, 7], "the start is the one of the last iterations");

    // Between two iterations nothing counts; their counts are summed, and the greater level stays.
    allocations::start();
    drop(bytes(20));
    allocations::stop();
    drop(bytes(4000));
    assert_eq!(counted(|| drop(bytes(10))), [2, 30, 20]);

    // A thread that was there before works before the iterations, and for them.
    let barrier = Barrier::new(2);
    let work = || {
        barrier.wait();
        barrier.wait();
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for count in [5, 3] {
                barrier.wait();
                (0..count).for_each(|_| drop(bytes(1000)));
                barrier.wait();
            }
        });
        work();
        assert_eq!(counted(|| ()), [0, 0, 0], "of another thread, before");
        assert_eq!(counted(work), [3, 3000, 1000], "of another thread, during the iterations");
    });
}

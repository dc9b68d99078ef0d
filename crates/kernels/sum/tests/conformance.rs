//! Every backend and every runtime gives the same sum and the same exclusive-or as plain loops.

use parcrypt_cpu::Backend;
use parcrypt_runtime::{Runtime, Serial};
use parcrypt_sum::{Error, GRAIN, Sum};
use parcrypt_testkit::rand::{Rng, RngCore};
use parcrypt_testkit::{Untouched, backends, rng, runtimes};

const CRATE: &str = "parcrypt-sum";

/// Returns the expected results, independently of the crate's own reference and of the order of the bytes in it.
fn expected(data: &[u8]) -> (u64, u64) {
    let sum = data.iter().map(|&b| u64::from(b)).sum();
    let xor = data.iter().enumerate().fold(0, |x, (i, &b)| x ^ u64::from(b) << (8 * (i % 8)));
    (sum, xor)
}

fn plans() -> Vec<Sum> {
    backends(CRATE, &Sum::backends()).iter().map(|&b| Sum::new(b.into()).expect("available")).collect()
}

#[track_caller]
fn check(plans: &[Sum], rt: &dyn Runtime, data: &[u8]) {
    let (sum, xor) = expected(data);
    for plan in plans {
        let what = format!("{} over {}, {} bytes", plan.backend(), rt.name(), data.len());
        assert_eq!(plan.run(rt, data), sum, "sum, {what}");
        assert_eq!(plan.xor(rt, data), xor, "exclusive-or, {what}");
    }
}

/// Returns lengths around every edge: words, vectors, unrolled blocks, the four streams, the grain.
fn edges() -> Vec<usize> {
    let streams = 256 << 10;
    let mut all: Vec<usize> = (0..=1100).collect();
    for edge in [2048, 4096, streams, streams + 512, GRAIN / 2, GRAIN] {
        for near in [0, 1, 7, 8, 9, 31, 32, 63, 64, 65, 127, 128, 129, 255, 256, 511, 512, 513] {
            all.extend([edge - near, edge + near]);
        }
    }
    all.extend([2 * GRAIN - 1, 2 * GRAIN, 2 * GRAIN + 1, 3 * GRAIN + 777]);
    all
}

/// Random bytes, and bytes of ones, which must not carry over.
#[test]
fn every_length_at_every_edge() {
    let mut data = vec![0; 4 * GRAIN];
    rng().fill_bytes(&mut data);
    let plans = plans();
    for data in [data, vec![0xff; 4 * GRAIN]] {
        edges().into_iter().for_each(|len| check(&plans, &Serial, &data[..len]));
        check(&plans, &Serial, &data);
    }
}

#[test]
fn unaligned_starts() {
    let mut data = vec![0; GRAIN + 4096];
    let mut rng = rng();
    rng.fill_bytes(&mut data);
    let plans = plans();
    for start in 0..=129 {
        for len in [0, 1, 63, 64, 65, 200, 511, 512, 513, 1000] {
            check(&plans, &Serial, &data[start..start + len]);
        }
    }
    for start in [1, 3, 8, 31, 33, 63, 65] {
        check(&plans, &Serial, &data[start..start + GRAIN]);
        check(&plans, &Serial, &data[start..start + (256 << 10)]);
    }
    for _ in 0..300 {
        let start = rng.random_range(0..4096);
        let len = rng.random_range(0..GRAIN / 2);
        check(&plans, &Serial, &data[start..start + len]);
    }
}

/// Checks that no byte is read twice or not at all: each byte in turn is the only one that is not zero.
#[test]
fn every_byte_counts_once() {
    let mut data = vec![0; (256 << 10) + 1234];
    let plans = plans();
    let mut at: Vec<usize> = (0..1500).chain(data.len() - 1500..data.len()).collect();
    at.extend((0..data.len()).step_by(997));
    for i in at {
        data[i] = 0x80;
        for plan in &plans {
            assert_eq!(plan.run(&Serial, &data), 0x80, "{} byte {i}", plan.backend());
            assert_eq!(plan.xor(&Serial, &data), 0x80 << (8 * (i % 8)), "{} byte {i}", plan.backend());
        }
        data[i] = 0;
    }
}

#[test]
fn every_runtime_gives_the_same() {
    let mut data = vec![0; 40 * GRAIN + 4097];
    rng().fill_bytes(&mut data);
    let plans = plans();
    for rt in runtimes(CRATE) {
        for len in [0, 1, GRAIN - 1, GRAIN, GRAIN + 1, 25 * GRAIN + 3, data.len()] {
            check(&plans, &*rt, &data[..len]);
        }
        check(&plans, &*rt, &data[1..]);
    }
}

#[test]
fn short_data_never_reaches_the_runtime() {
    let data = vec![1; GRAIN];
    let plans = plans();
    for len in [0, 1, 4096, GRAIN] {
        check(&plans, &Untouched, &data[..len]);
    }
}

#[test]
fn a_backend_that_is_not_there_is_an_error() {
    assert!(matches!(
        Sum::new(Backend::Ifma.into()),
        Err(Error::Backend(parcrypt_cpu::Error::NotOffered { backend: Backend::Ifma, .. }))
    ));
    for backend in Sum::backends() {
        assert_eq!(Sum::new(backend.into()).is_ok(), backend.is_available());
        if let Ok(sum) = Sum::new(backend.into()) {
            assert_eq!(sum.backend(), backend);
        }
    }
}

//! Comparison with the crate `scrypt` and with OpenSSL on random parameters, for every backend, runtime and layout.

use std::io::Write;
use std::num::NonZeroUsize;
use std::process::{Command, Stdio};

use parcrypt_cpu::Request;
use parcrypt_runtime::Serial;
use parcrypt_scrypt::{Item, Params, Scrypt};
use parcrypt_testkit::rand::{Rng, RngCore};
use parcrypt_testkit::{backends, rng, runtimes, skip};

const CRATE: &str = "parcrypt-scrypt";

/// Returns the key by the crate `scrypt`, which is a dependency of tests only.
fn expected(params: Params, item: Item<'_>, len: usize) -> Vec<u8> {
    let theirs = scrypt::Params::new(params.n().ilog2() as u8, params.r(), params.p()).expect("parameters");
    let mut out = vec![0; len];
    scrypt::scrypt(item.password, item.salt, &theirs, &mut out).expect("length");
    out
}

fn random_bytes(rng: &mut impl RngCore, most: usize) -> Vec<u8> {
    let mut bytes = vec![0; rng.random_range(0..=most)];
    rng.fill_bytes(&mut bytes);
    bytes
}

/// Returns small parameters of every shape.
fn random_params(rng: &mut impl RngCore) -> Params {
    let n = 1 << rng.random_range(1..=8);
    Params::new(n, rng.random_range(1..=20), rng.random_range(1..=20)).expect("parameters")
}

#[test]
fn every_backend_and_number_of_lanes() {
    let mut rng = rng();
    let here = backends(CRATE, &Scrypt::backends());
    for _ in 0..40 {
        let params = random_params(&mut rng);
        let (password, salt) = (random_bytes(&mut rng, 100), random_bytes(&mut rng, 100));
        let item = Item { password: &password, salt: &salt };
        let key = expected(params, item, rng.random_range(1..=100));
        for &backend in &here {
            for lanes in 1..=17 {
                let plan = Scrypt::new(backend.into(), 1 << 30).expect("available");
                assert_eq!(plan.backend(), backend);
                let plan = plan.with_lanes(NonZeroUsize::new(lanes).expect("not zero"));
                let mut out = vec![0; key.len()];
                plan.derive(&Serial, params, &password, &salt, &mut out).expect("derives");
                assert_eq!(out, key, "{backend}, {lanes} lanes, {params:?}");
            }
        }
    }
}

/// Checks passwords side by side, over every runtime, with memory for everything down to memory for one lane, and with
/// one plan that keeps its memory from call to call.
#[test]
fn every_runtime_and_bound_on_memory() {
    let mut rng = rng();
    let runtimes = runtimes(CRATE);
    for _ in 0..8 {
        // Large enough that the helpers of the runtime go parallel for some, small enough for tests.
        let n = 1 << rng.random_range(1..=11);
        let params = Params::new(n, rng.random_range(1..=9), rng.random_range(1..=5)).expect("parameters");
        let texts: Vec<_> = (0..rng.random_range(1..=12))
            .map(|_| (random_bytes(&mut rng, 80), random_bytes(&mut rng, 80)))
            .collect();
        let items: Vec<_> = texts.iter().map(|(password, salt)| Item { password, salt }).collect();
        let len = rng.random_range(1..=70);
        let keys: Vec<u8> = items.iter().flat_map(|item| expected(params, *item, len)).collect();
        for lanes in [1, 2, 3, 7, 100] {
            let bound = params.memory() * lanes + rng.random_range(0..params.memory());
            let plan = Scrypt::new(Request::Auto, bound).expect("plan");
            for rt in &runtimes {
                let needs = plan.requirements(&**rt, params, items.len()).expect("needs");
                let beyond = if params.n() < 1 << 10 { 0 } else { bound * 5 / 1000 };
                assert!(
                    needs.memory <= bound + beyond && needs.lanes as u64 <= lanes,
                    "{needs:?} within {bound}"
                );
                assert!(needs.threads <= rt.threads().get());
                let mut out = vec![0; keys.len()];
                plan.derive_many(&**rt, params, &items, &mut out).expect("derives");
                assert_eq!(out, keys, "{} with {}, {bound} bytes, {params:?}", rt.name(), rt.threads());
            }
        }
    }
}

/// Checks a large p with a small bound: the lanes of some items are in more than one window of memory.
#[test]
fn lanes_that_do_not_fit_a_window() {
    let mut rng = rng();
    let params = Params::new(4, 1, 100).expect("parameters");
    let texts: Vec<_> = (0..3).map(|_| (random_bytes(&mut rng, 80), random_bytes(&mut rng, 80))).collect();
    let items: Vec<_> = texts.iter().map(|(password, salt)| Item { password, salt }).collect();
    let keys: Vec<u8> = items.iter().flat_map(|item| expected(params, *item, 33)).collect();
    for backend in backends(CRATE, &Scrypt::backends()) {
        for lanes in 1..60 {
            let plan = Scrypt::new(backend.into(), params.memory() * lanes).expect("plan");
            let mut out = vec![0; keys.len()];
            plan.derive_many(&Serial, params, &items, &mut out).expect("derives");
            assert_eq!(out, keys, "{backend}, memory for {lanes} lanes");
        }
    }
}

/// Python's `hashlib.scrypt` is OpenSSL's.
const PYTHON: &str = "
import hashlib, sys
for line in sys.stdin:
    n, r, p, password, salt, length = line.split(',')
    key = hashlib.scrypt(bytes.fromhex(password), salt=bytes.fromhex(salt), n=int(n), r=int(r), p=int(p),
                         maxmem=1 << 28, dklen=int(length))
    print(key.hex())
";

#[test]
fn equal_to_openssl() {
    let python =
        Command::new("python3").args(["-c", "import hashlib; hashlib.scrypt"]).stderr(Stdio::null()).status();
    if !python.is_ok_and(|status| status.success()) {
        return skip(CRATE, "openssl", "there is no python3 with hashlib.scrypt, through which it is asked");
    }
    let mut child = Command::new("python3")
        .args(["-c", PYTHON])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("python3 was there");
    let hex = |bytes: &[u8]| bytes.iter().map(|b| format!("{b:02x}")).collect::<String>();
    let mut rng = rng();
    let mut plans = backends(CRATE, &Scrypt::backends())
        .into_iter()
        .map(|backend| Scrypt::new(backend.into(), 1 << 30).expect("available"))
        .collect::<Vec<_>>();
    let mut ours = vec![String::new(); plans.len()];
    {
        let mut stdin = child.stdin.take().expect("piped");
        for _ in 0..60 {
            let params = random_params(&mut rng);
            let (password, salt) = (random_bytes(&mut rng, 100), random_bytes(&mut rng, 100));
            let mut out = vec![0; rng.random_range(1..=100)];
            let (n, r, p, len) = (params.n(), params.r(), params.p(), out.len());
            writeln!(stdin, "{n},{r},{p},{},{},{len}", hex(&password), hex(&salt)).expect("python3 reads");
            for (plan, ours) in plans.iter_mut().zip(&mut ours) {
                plan.derive(&Serial, params, &password, &salt, &mut out).expect("derives");
                *ours += &(hex(&out) + "\n");
            }
        }
    }
    let output = child.wait_with_output().expect("python3 ends");
    assert!(output.status.success());
    let theirs = String::from_utf8(output.stdout).expect("hexadecimal");
    assert_eq!(theirs.lines().count(), 60);
    for (plan, ours) in plans.iter().zip(ours) {
        assert_eq!(ours, theirs, "{}", plan.backend());
    }
}

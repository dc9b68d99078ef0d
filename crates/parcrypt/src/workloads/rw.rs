//! `rw-sign` and `rw-verify`: signatures of `parcrypt_rw` under a fixed key for each size.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::{Mutex, PoisonError};

use parcrypt_cpu::Backend;
use parcrypt_runtime::{Runtime, Serial};
use parcrypt_rw::SecretKey;

use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Error, Work, Workload};

const BITS: Parameter =
    Parameter::one_number("bits", "the bits of the modulus", &[1024, 2048, 3072, 4096], None);

const SIGNATURES: Parameter = Parameter::number("signatures", "how many signatures", 1..=1 << 20, Some(1));

/// The output: verdicts do not detect a wrong hash, a root that is not the principal one, or backends that differ.
const OUTPUT: Parameter = Parameter::one_name(
    "output",
    "verdicts on the signatures, or the bytes of the signatures, which differ among libraries",
    &["verdicts", "signatures"],
    Some("verdicts"),
);

const MESSAGE: usize = 32;

const INPUT: &str = "32 * signatures bytes: each 32 are a message.";

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "rw-sign",
        about: "Rabin-Williams signatures of messages of 32 bytes, by one key.",
        params: &[BITS, SIGNATURES, OUTPUT],
        table: "rw",
        backends: |_| SecretKey::backends(2048),
        other_tables: &[],
        input: INPUT,
        output: "For each message one byte: 1 if its signature verifies, and does not for the message with the lowest bit of \
                 its last byte turned over; else 0. With `output=signatures` the \
                 signatures in order, under the keys of crates/kernels/rw/tests/vectors.txt.",
        input_bytes,
        memory,
        prepare: |values, data, _, rows| {
            let keyed = Keyed::new(values, data, rows.backend())?;
            let backend = keyed.backend();
            let is_bytes = values.name("output") == "signatures";
            let output = move |keyed: &Keyed, take: &mut dyn FnMut(&[u8])| match is_bytes {
                true => keyed.signatures.iter().for_each(|signature| take(signature)),
                false => keyed.verdicts().for_each(|[right, spoilt]| take(&[u8::from(right && !spoilt)])),
            };
            Ok(Box::new(Work { backend, ..Work::new(keyed, Keyed::sign, output) }))
        },
    },
    Workload {
        name: "rw-verify",
        about: "Verification of Rabin-Williams signatures of messages of 32 bytes, by one key.",
        params: &[BITS, SIGNATURES],
        table: "rw",
        backends: |_| SecretKey::backends(2048),
        other_tables: &[],
        input: INPUT,
        output: "For each message two bytes: 1 if its signature verifies, and 1 if it does for the message with the lowest bit \
                 of its last byte turned over; else 0.",
        input_bytes,
        memory,
        prepare: |values, data, rt, rows| {
            let mut keyed = Keyed::new(values, data, rows.backend())?;
            keyed.sign(rt);
            let backend = keyed.backend();
            Ok(Box::new(Work { backend, ..Work::new((keyed, Vec::new()), verify, answers) }))
        },
    },
];

fn input_bytes(values: &Values) -> u64 {
    MESSAGE as u64 * values.number("signatures")
}

fn memory(values: &Values) -> u64 {
    // The messages twice, and the signatures.
    values.number("signatures") * (values.number("bits") / 8 + 200)
}

/// Returns the key of a size, the same in every process, computed with this backend or with `aws-lc` if it has no code
/// for the size. It is kept, because `parcrypt verify` prepares the same workload many times.
fn key(bits: usize, asked: Backend) -> Result<&'static SecretKey, Error> {
    static KEYS: Mutex<BTreeMap<(usize, Backend), &'static SecretKey>> = Mutex::new(BTreeMap::new());
    let runs = if SecretKey::backends(bits).contains(&asked) { asked } else { Backend::AwsLc };
    let mut keys = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(key) = keys.get(&(bits, runs)) {
        return Ok(key);
    }
    let [p, q] = primes(bits)?;
    let key = SecretKey::from_primes(&Serial, runs.into(), &p, &q)?;
    let key: &'static SecretKey = Box::leak(Box::new(key));
    keys.insert((bits, runs), key);
    Ok(key)
}

/// Returns the primes of the key of that size in the crate's vectors, which an independent program made.
fn primes(bits: usize) -> Result<[Vec<u8>; 2], Error> {
    let key = |line: &str| {
        let mut words = line.split(' ').filter(|word| 8 * word.len() == bits);
        let mut prime = || base16ct::mixed::decode_vec(words.next()?).ok();
        Some([prime()?, prime()?])
    };
    let mut lines = include_str!("../../../kernels/rw/tests/vectors.txt").lines();
    lines.find_map(key).ok_or_else(|| Error::Wrong(format!("no key of {bits} bits")))
}

/// A key and messages, and their signatures once they are computed.
struct Keyed {
    key: &'static SecretKey,
    asked: Backend,
    messages: Aligned<u8>,
    /// A signature that could not be computed is empty, and verifies for no message.
    signatures: Vec<Vec<u8>>,
}

impl Keyed {
    fn new(values: &Values, messages: Aligned<u8>, asked: Backend) -> Result<Self, Error> {
        let key = key(values.number("bits") as usize, asked)?;
        Ok(Keyed { key, asked, messages, signatures: Vec::new() })
    }

    fn messages(&self) -> impl Iterator<Item = &[u8]> {
        self.messages.chunks(MESSAGE)
    }

    fn sign(&mut self, rt: &dyn Runtime) {
        let messages: Vec<&[u8]> = self.messages().collect();
        let signatures = match messages[..] {
            [one] => self.key.sign(rt, one).map(|signature| vec![signature]),
            _ => self.key.sign_many(rt, &messages),
        };
        self.signatures = signatures.unwrap_or_else(|_| vec![Vec::new(); self.messages.len() / MESSAGE]);
    }

    /// Returns whether each signature verifies for its message, and for the same message with a bit flipped.
    fn verdicts(&self) -> impl Iterator<Item = [bool; 2]> {
        self.messages().zip(&self.signatures).map(|(message, signature)| {
            let mut other = message.to_vec();
            other[MESSAGE - 1] ^= 1;
            let public = self.key.public();
            [message, &other].map(|message| public.verify(message, signature).unwrap_or(false))
        })
    }

    fn backend(&self) -> Option<Backend> {
        Some(self.key.backend()).filter(|runs| *runs != self.asked)
    }
}

/// Verifies the signatures, and keeps the verdicts. Both verdicts are part of the output, but only the valid
/// signatures are measured; the spoilt ones are verified when the output is needed.
fn verify((keyed, answers): &mut (Keyed, Vec<bool>), rt: &dyn Runtime) {
    let signatures = keyed.signatures.iter().map(|signature| &signature[..]);
    let pairs: Vec<(&[u8], &[u8])> = keyed.messages().zip(signatures).collect();
    let verdicts = match black_box(&pairs[..]) {
        [(message, signature)] => keyed.key.public().verify(message, signature).map(|right| vec![right]),
        pairs => keyed.key.public().verify_many(rt, pairs),
    };
    *answers = black_box(verdicts.unwrap_or_default());
}

fn answers((keyed, answers): &(Keyed, Vec<bool>), take: &mut dyn FnMut(&[u8])) {
    for (right, [_, spoilt]) in answers.iter().zip(keyed.verdicts()) {
        take(&[*right, spoilt].map(u8::from));
    }
}

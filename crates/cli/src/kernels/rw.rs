//! `rw-sign` and `rw-verify`: signatures of `parcrypt_rw` under a fixed key for each size.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::sync::{Mutex, PoisonError};

use parcrypt_cpu::Backend;
use parcrypt_runtime::{Runtime, Serial};
use parcrypt_rw::SecretKey;
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;

use crate::kernel::{Error, Kernel, Known, Prepared, Stream};
use crate::params::{Effect, Kind, Parameter, Values};

const PARAMS: &[Parameter] = &[
    Parameter {
        name: "bits",
        about: "the bits of the modulus: 1024, 2048, 3072 or 4096",
        kind: Kind::Number { least: 1024, most: 4096, default: None },
        effect: Effect::Answer,
    },
    Parameter {
        name: "signatures",
        about: "how many signatures",
        kind: Kind::Number { least: 1, most: 1 << 20, default: Some(1) },
        effect: Effect::Answer,
    },
];

/// Bytes of a message.
const MESSAGE: usize = 32;

/// Sizes that all backends are offered for; the others are tested in the crate.
const SMALL: &[&str] = &["bits=2048 signatures=1", "bits=2048 signatures=17", "bits=3072 signatures=3"];

const INPUT: &str = "32 * signatures bytes: each 32 are a message.";

// The known answers are from Python: sha256(b'\x01' * n) for `rw-sign`, sha256(b'\x01\x00' * n) for `rw-verify`.
pub(super) const KERNELS: &[Kernel] = &[
    Kernel {
        name: "rw-sign",
        about: "Rabin-Williams signatures of messages of 32 bytes, by one key.",
        params: PARAMS,
        backends: SecretKey::OFFERED,
        input: INPUT,
        answer: "For each message one byte: 1 if its signature verifies, and does not for the message with the lowest bit of \
                 its last byte turned over; else 0.",
        input_bytes,
        memory,
        prepare: |values, data, _, backend| Ok(Box::new(Sign { keyed: Keyed::new(values, data, backend)? })),
        reference: |values, _| Ok(vec![1; values.number("signatures") as usize]),
        small: SMALL,
        known: &[
            Known {
                params: "bits=2048 signatures=1",
                input: Stream::Hashes,
                sha256: "4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a",
            },
            Known {
                params: "bits=2048 signatures=4",
                input: Stream::Byte(0),
                sha256: "27ecd0a598e76f8a2fd264d427df0a119903e8eae384e478902541756f089dd1",
            },
        ],
    },
    Kernel {
        name: "rw-verify",
        about: "Verification of Rabin-Williams signatures of messages of 32 bytes, by one key.",
        params: PARAMS,
        backends: SecretKey::OFFERED,
        input: INPUT,
        answer: "For each message two bytes: 1 if its signature verifies, and 1 if it does for the message with the lowest bit \
                 of its last byte turned over; else 0.",
        input_bytes,
        memory,
        prepare: |values, data, rt, backend| {
            let mut keyed = Keyed::new(values, data, backend)?;
            keyed.sign(rt);
            Ok(Box::new(Verify { keyed, answers: Vec::new() }))
        },
        reference: |values, _| Ok([1, 0].repeat(values.number("signatures") as usize)),
        small: SMALL,
        known: &[
            Known {
                params: "bits=2048 signatures=1",
                input: Stream::Hashes,
                sha256: "47dc540c94ceb704a23875c11273e16bb0b8a87aed84de911f2133568115f254",
            },
            Known {
                params: "bits=2048 signatures=4",
                input: Stream::Byte(0),
                sha256: "efef8d5a9f8dbe5bb218e6b0cc452583eb9d1452b615b1c7ab66ad49c82e9d70",
            },
        ],
    },
];

fn input_bytes(values: &Values) -> u64 {
    MESSAGE as u64 * values.number("signatures")
}

fn memory(values: &Values) -> u64 {
    // The messages twice, and the signatures.
    values.number("signatures") * (values.number("bits") / 8 + 200)
}

/// The key of a size, the same in every process, computed with this backend or with `scalar` where it has no code for the size. Made once,
/// because `parcrypt verify` prepares the same work many times; nothing is kept with it.
fn key(bits: usize, asked: Backend) -> Result<&'static SecretKey, Error> {
    static KEYS: Mutex<BTreeMap<(usize, Backend), &'static SecretKey>> = Mutex::new(BTreeMap::new());
    let runs = if SecretKey::offered(bits).contains(&asked) { asked } else { Backend::Scalar };
    let mut keys = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(key) = keys.get(&(bits, runs)) {
        return Ok(key);
    }
    let key = SecretKey::generate(&Serial, bits, &mut ChaCha20Rng::seed_from_u64(bits as u64));
    let key = key.and_then(|key| key.with_backend(runs)).map_err(rw_error)?;
    let key: &'static SecretKey = Box::leak(Box::new(key));
    keys.insert((bits, runs), key);
    Ok(key)
}

fn rw_error(error: parcrypt_rw::Error) -> Error {
    match error {
        parcrypt_rw::Error::Backend(error) => Error::Backend(error),
        other => Error::Other { what: other.to_string() },
    }
}

/// A key and messages, and their signatures once they are made.
struct Keyed {
    key: &'static SecretKey,
    asked: Backend,
    messages: Vec<u8>,
    /// A signature that could not be made is empty, and so verifies for nothing.
    signatures: Vec<Vec<u8>>,
}

impl Keyed {
    fn new(values: &Values, messages: Vec<u8>, asked: Backend) -> Result<Self, Error> {
        let bits = values.number("bits") as usize;
        if !matches!(bits, 1024 | 2048 | 3072 | 4096) {
            let what = format!("parameter `bits` is {bits}: it must be 1024, 2048, 3072 or 4096");
            return Err(Error::Other { what });
        }
        let key = key(bits, asked)?;
        Ok(Keyed { key, asked, messages, signatures: Vec::new() })
    }

    fn messages(&self) -> impl Iterator<Item = &[u8]> {
        self.messages.chunks(MESSAGE)
    }

    /// One signature by the plain call, more than one in a batch.
    fn sign(&mut self, rt: &dyn Runtime) {
        let messages: Vec<&[u8]> = self.messages().collect();
        let signatures = match messages[..] {
            [one] => self.key.sign(rt, one).map(|signature| vec![signature]),
            _ => self.key.sign_many(rt, &messages),
        };
        self.signatures = signatures.unwrap_or_else(|_| vec![Vec::new(); self.messages.len() / MESSAGE]);
    }

    /// Whether each signature verifies for its message, and for that with a bit turned over.
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

struct Sign {
    keyed: Keyed,
}

impl Prepared for Sign {
    fn iterate(&mut self, rt: &dyn Runtime) {
        self.keyed.sign(rt);
    }

    fn answer(&self, take: &mut dyn FnMut(&[u8])) {
        let verdicts = self.keyed.verdicts().map(|[right, spoilt]| u8::from(right && !spoilt));
        take(&verdicts.collect::<Vec<_>>());
    }

    fn backend(&self) -> Option<Backend> {
        self.keyed.backend()
    }
}

struct Verify {
    keyed: Keyed,
    /// The verdicts of the last iteration.
    answers: Vec<bool>,
}

impl Prepared for Verify {
    fn iterate(&mut self, rt: &dyn Runtime) {
        // Both verdicts are part of the answer, but a verifier meets few that are wrong: one pass is measured over the right ones, and
        // the spoilt ones are looked at when the answer is asked for.
        let keyed = &self.keyed;
        let pairs: Vec<(&[u8], &[u8])> =
            keyed.messages().zip(keyed.signatures.iter().map(|signature| &signature[..])).collect();
        let answers = match black_box(&pairs[..]) {
            [(message, signature)] => keyed.key.public().verify(message, signature).map(|right| vec![right]),
            pairs => keyed.key.public().verify_many(rt, pairs),
        };
        self.answers = black_box(answers.unwrap_or_default());
    }

    fn answer(&self, take: &mut dyn FnMut(&[u8])) {
        let spoilt = self.keyed.verdicts().map(|[_, spoilt]| spoilt);
        let both = self.answers.iter().zip(spoilt).flat_map(|(right, spoilt)| [*right, spoilt].map(u8::from));
        take(&both.collect::<Vec<_>>());
    }

    fn backend(&self) -> Option<Backend> {
        self.keyed.backend()
    }
}

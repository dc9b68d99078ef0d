//! `gmac` and `vmac`: tags of one message or many under one key.

use std::hint::black_box;

use parcrypt_mac::{Error as MacError, Gmac, Item, Vmac64, Vmac128};
use parcrypt_runtime::Runtime;

use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Error, Prepared, Workload, work};

const SCALE: Parameter = Parameter::number("scale", "a message has 2^scale bytes", 0..=30, None);

const MESSAGES: Parameter = Parameter::number(
    "messages",
    "how many messages: one goes to the function for one, several to that for many",
    1..=1 << 24,
    Some(1),
);

const GMAC_PARAMS: &[Parameter] =
    &[SCALE, MESSAGES, Parameter::one_number("key-bits", "bits of the AES key", &[128, 192, 256], Some(128))];

const VMAC_PARAMS: &[Parameter] =
    &[SCALE, MESSAGES, Parameter::one_number("tag-bits", "bits of a tag", &[64, 128], Some(64))];

const INPUT: &str = "messages * 2^scale bytes of any value: the messages in order.";

pub(super) const WORKLOADS: &[Workload] = &[
    Workload {
        name: "gmac",
        about: "GMAC tags of messages under one AES key (NIST SP 800-38D).",
        params: GMAC_PARAMS,
        table: "ghash",
        backends: |_| Gmac::backends(),
        other_tables: &[],
        input: INPUT,
        output: "The tags in order, 16 bytes each. The key is the bytes 0, 1, 2, ...; the nonce of message i is the bytes \
                 0 to 7 and then i as 4 bytes, big-endian.",
        input_bytes,
        memory,
        prepare: |values, data, _, rows| {
            let key = &KEY[..values.number("key-bits") as usize / 8];
            messages(values, data, Gmac::new(rows.backend().into(), key)?)
        },
    },
    Workload {
        name: "vmac",
        about: "VMAC tags of messages under one AES-128 key (draft-krovetz-vmac-01).",
        params: VMAC_PARAMS,
        table: "vhash",
        backends: |_| Vmac64::backends(),
        other_tables: &[],
        input: INPUT,
        output: "The tags in order, 8 or 16 bytes each. The key is the bytes 0 to 15; the nonce of message i is the bytes 0 \
                 to 11 and then i as 4 bytes, big-endian.",
        input_bytes,
        memory,
        prepare: |values, data, _, rows| match values.number("tag-bits") {
            64 => messages(values, data, Vmac64::new(rows.backend().into(), &KEY[..16])?),
            _ => messages(values, data, Vmac128::new(rows.backend().into(), &KEY[..16])?),
        },
    },
];

const KEY: [u8; 32] = {
    let (mut key, mut i) = ([0; 32], 0);
    while i < 32 {
        key[i] = i as u8;
        i += 1;
    }
    key
};

fn input_bytes(values: &Values) -> u64 {
    values.number("messages") << values.number("scale")
}

/// Returns the memory of the input, and of each message's entry in the list and its tag.
fn memory(values: &Values) -> u64 {
    const OF_A_MESSAGE: u64 = 128;
    input_bytes(values) + OF_A_MESSAGE * values.number("messages")
}

trait Mac {
    /// Bytes before the message's number in a nonce.
    const NONCE_HEAD: usize;
    fn write(&self, rt: &dyn Runtime, items: &[Item<'_>], out: &mut Vec<u8>) -> Result<(), MacError>;
}

macro_rules! mac {
    ($type:ty, $head:literal) => {
        impl Mac for $type {
            const NONCE_HEAD: usize = $head;

            fn write(&self, rt: &dyn Runtime, items: &[Item<'_>], out: &mut Vec<u8>) -> Result<(), MacError> {
                match items {
                    [item] => out.extend_from_slice(&self.tag(rt, item.nonce, item.message)?),
                    _ => self.tags(rt, items)?.iter().for_each(|tag| out.extend_from_slice(tag)),
                }
                Ok(())
            }
        }
    };
}
mac!(Gmac, 8);
mac!(Vmac64, 12);
mac!(Vmac128, 12);

fn nonces<M: Mac>(count: u64) -> Vec<[u8; 16]> {
    let nonce = |i: u64| {
        let mut nonce = [0; 16];
        nonce[..M::NONCE_HEAD].copy_from_slice(&KEY[..M::NONCE_HEAD]);
        nonce[M::NONCE_HEAD..M::NONCE_HEAD + 4].copy_from_slice(&(i as u32).to_be_bytes());
        nonce
    };
    (0..count).map(nonce).collect()
}

fn items<'a, M: Mac>(nonces: &'a [[u8; 16]], data: &'a [u8]) -> Vec<Item<'a>> {
    let messages = data.chunks(data.len() / nonces.len());
    nonces.iter().zip(messages).map(item::<M>).collect()
}

fn item<'a, M: Mac>((nonce, message): (&'a [u8; 16], &'a [u8])) -> Item<'a> {
    Item { nonce: &nonce[..M::NONCE_HEAD + 4], message }
}

fn messages<M: Mac + Send + 'static>(
    values: &Values,
    data: Aligned<u8>,
    mac: M,
) -> Result<Box<dyn Prepared>, Error> {
    let nonces = nonces::<M>(values.number("messages"));
    let write = move |tags: &mut Vec<u8>, rt: &dyn Runtime| {
        tags.clear();
        let (nonces, data) = (black_box(&nonces[..]), black_box(&*data));
        let done = match nonces {
            [nonce] => mac.write(rt, &[item::<M>((nonce, data))], tags),
            _ => mac.write(rt, &items::<M>(nonces, data), tags),
        };
        assert!(done.is_ok(), "the nonces have the right length");
    };
    work(Vec::new(), write, |tags, take| take(tags))
}

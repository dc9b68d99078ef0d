//! `gmac` and `vmac`: tags of one message or many under one key.

use std::hint::black_box;

use parcrypt_cpu::Request;
use parcrypt_mac::{Error as MacError, Gmac, Item, Vmac64, Vmac128};
use parcrypt_runtime::Runtime;

use crate::workload::params::{Parameter, Values};
use crate::workload::{Aligned, Error, Prepared, Workload, known};

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

// The known answers have sizes around the groups of messages of a kernel, and two pieces for threads. Those of `gmac`
// are from Python, where `b` is the input:
//     aes = cryptography.hazmat.primitives.ciphers.aead.AESGCM(bytes(range(key_bits // 8)))
//     nonce = lambda i: bytes(range(8)) + i.to_bytes(4, 'big')
//     tags = [aes.encrypt(nonce(i), b'', b[i << scale:(i + 1) << scale]) for i in range(messages)]
//     sha256(b''.join(tags)).hexdigest()
// The known answers of `vmac` are from Crypto++ 8.7, class VMAC<AES, tag_bits>, up to `scale=25`; the others are of the
// portable row, which the tests of the crate compare with Crypto++.

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
        prepare: |values, data, _, rows| Ok(messages(values, data, gmac(values, rows.backend().into())?)),
        known: known! {
            hashes "scale=0" "7a864e42d8d06be42a054246c34c1d2ca8e3b4b7378427ae14614e28b439d376";
            hashes "scale=4 messages=1000 key-bits=256" "29871df25ac66732cb8c9f236a18277c77d02a0d811ee294a7c4a60e33a34ed8";
            hashes "scale=11 messages=100" "46a01c4cb0cd5444ed4595679c414590d8c4ac22ec7280263a19a90e907f861d";
            hashes "scale=20 messages=3 key-bits=192" "d4595753400b9ead8b7d4573a8b68cc96d74d5d67a88cb5c39263d1be6907c24";
            255 "scale=21 key-bits=256" "18b00b31a8fef5a0f9289961ef7a97c0947445adcf324846dc20776f3f6c8a7a";
            hashes "scale=25" "018658d2251d20237997167b83a451df0410aacedccdb64d62585d65aa5ffc26";
            hashes "scale=4 messages=70" "1415c188254fa7576401bf2e752abab68e83239ff973e9e97a1888e5f8f77f4c";
            hashes "scale=10 key-bits=192" "3a0b6d045def0bcbee8bb1f2c8411dc24e77e415cab5708aae8e05ba551af624";
            hashes "scale=11 messages=130" "155cc048c03da7773771c95a446b6581d7c055c26aec47341691160de67eed3c";
            hashes "scale=18" "45d180ae9b30cca31384e766cb7582769c667e79240da237f5a3f346edab8da8";
            hashes "scale=18 messages=3 key-bits=256" "4627785f8734e8e98a25860c31db5db2e67429357936dea163b462aeff4ce4d6";
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
            64 => Ok(messages(values, data, Vmac64::new(rows.backend().into(), &KEY[..16])?)),
            _ => Ok(messages(values, data, Vmac128::new(rows.backend().into(), &KEY[..16])?)),
        },
        known: known! {
            hashes "scale=0" "5ade8aedd0bead6ba226aa12b45b86b83e587de1a76dc4f4d59696adc643065c";
            hashes "scale=4 messages=1000 tag-bits=128" "db78522356ad140429a2dfb4a1af4a40a55fcda024e67fde9a9bff3c93625bd0";
            hashes "scale=11 messages=100" "08b4e3be0d9f90b4cb585549d33fbe0cd8d5e4d78cbc3a301aacc68d843d9a05";
            hashes "scale=20 messages=3 tag-bits=128" "a4fade75b14ca5c0b5ffa41977ad5fc81851dc79562d2fdce46df8ed0833ae28";
            255 "scale=21" "3b55712efde0e5a08415c64583aca7510c7601e6599e8ad8bd335d93b270d8c1";
            255 "scale=21 tag-bits=128" "d12d2f247a704377ebde1accae6810d7b026d1bb2223c025b95ee9399d891473";
            hashes "scale=25" "14d898517756f39bf8a63631d2abc8a10f065ff2eaae09c58a9f95d56bc0fdf8";
            hashes "scale=4 messages=70" "2adec09074c9acd757a778cfa3e6a12ec4b7f47a855d428b1568fcbd87ab6af8";
            hashes "scale=10 tag-bits=128" "2c17244a929e14cc4f09d833fc2f8defdd72b1cbf1d0a2a1ccb536d6fb08ec82";
            hashes "scale=11 messages=130" "2e922a227538f978c0bc5d64f2d8856202a29d7e8466b3907c834d7383244a23";
            hashes "scale=18" "277311c3e6eb110856795b9c9d2a0acd136607cd097cca76c458910bcddf8d46";
            hashes "scale=18 messages=3 tag-bits=128" "474a5464223f6dc6d6b744bc967b0cd60e51ff2bfb8b05a9564342481218542b";
        },
    },
];

/// Returns the bytes 0, 1, 2, …
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

fn gmac(values: &Values, request: Request) -> Result<Gmac, Error> {
    let bits = values.number("key-bits");
    Ok(Gmac::new(request, &KEY[..bits as usize / 8])?)
}

/// A MAC.
trait Mac {
    /// Bytes before the message's number in a nonce.
    const NONCE_HEAD: usize;
    /// Writes the concatenated tags of the messages.
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

/// The messages with their nonces.
fn items<'a, M: Mac>(nonces: &'a [[u8; 16]], data: &'a [u8]) -> Vec<Item<'a>> {
    let messages = data.chunks(data.len() / nonces.len());
    nonces.iter().zip(messages).map(item::<M>).collect()
}

fn item<'a, M: Mac>((nonce, message): (&'a [u8; 16], &'a [u8])) -> Item<'a> {
    Item { nonce: &nonce[..M::NONCE_HEAD + 4], message }
}

fn messages<M: Mac + Send + 'static>(values: &Values, data: Aligned<u8>, mac: M) -> Box<dyn Prepared> {
    let nonces = nonces::<M>(values.number("messages"));
    Box::new(Messages { data, nonces, mac, tags: Vec::new() })
}

/// Messages under an expanded key.
struct Messages<M> {
    data: Aligned<u8>,
    nonces: Vec<[u8; 16]>,
    mac: M,
    tags: Vec<u8>,
}

impl<M: Mac + Send> Prepared for Messages<M> {
    fn iterate(&mut self, rt: &dyn Runtime) {
        self.tags.clear();
        let (nonces, data) = (black_box(&self.nonces[..]), black_box(&*self.data));
        let (one, many);
        let items: &[Item<'_>] = match nonces {
            [nonce] => {
                one = [item::<M>((nonce, data))];
                &one
            }
            _ => {
                many = items::<M>(nonces, data);
                &many
            }
        };
        let done = self.mac.write(rt, items, black_box(&mut self.tags));
        assert!(done.is_ok(), "the nonces have the right length");
    }

    fn output(&self, take: &mut dyn FnMut(&[u8])) {
        take(&self.tags);
    }
}

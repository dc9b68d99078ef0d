//! Every backend, runtime, division and batch gives the same tags as other implementations.

use aes_gcm::aead::{AeadInOut, KeyInit};
use aes_gcm::{AesGcm, aes, aes::cipher::consts::U12};
use parcrypt_cpu::{Backend, Request};
use parcrypt_mac::{Error, Gmac, Item, Vmac64, Vmac128};
use parcrypt_runtime::{Runtime, Serial};
use parcrypt_testkit::rand::{Rng, RngCore};
use parcrypt_testkit::{Eager, Untouched, backends, rng, runtimes};

const CRATE: &str = "parcrypt-mac";

/// The functions that both MACs have, for tests of both.
trait Mac {
    fn tag(&self, rt: &dyn Runtime, nonce: &[u8], message: &[u8]) -> Vec<u8>;
    fn tags(&self, rt: &dyn Runtime, items: &[Item<'_>]) -> Vec<Vec<u8>>;
    fn what(&self) -> String;
}

macro_rules! mac {
    ($type:ty) => {
        impl Mac for $type {
            fn tag(&self, rt: &dyn Runtime, nonce: &[u8], message: &[u8]) -> Vec<u8> {
                self.tag(rt, nonce, message).expect("a good nonce").to_vec()
            }
            fn tags(&self, rt: &dyn Runtime, items: &[Item<'_>]) -> Vec<Vec<u8>> {
                self.tags(rt, items).expect("a good nonce").iter().map(|tag| tag.to_vec()).collect()
            }
            fn what(&self) -> String {
                format!("{} by {}", stringify!($type), self.backend())
            }
        }
    };
}
mac!(Gmac);
mac!(Vmac64);
mac!(Vmac128);

/// Returns every MAC on every backend, under one key. The first of each kind is the reference.
fn all(key: &[u8]) -> Vec<Vec<Box<dyn Mac>>> {
    fn each<M: Mac + 'static>(
        offered: &[Backend],
        new: impl Fn(Backend) -> Result<M, Error>,
    ) -> Vec<Box<dyn Mac>> {
        let here = backends(CRATE, offered).into_iter();
        here.map(|backend| Box::new(new(backend).expect("available")) as Box<dyn Mac>).collect()
    }
    vec![
        each(&Gmac::backends(), |backend| Gmac::new(backend.into(), key)),
        each(&Vmac64::backends(), |backend| Vmac64::new(backend.into(), key)),
        each(&Vmac128::backends(), |backend| Vmac128::new(backend.into(), key)),
    ]
}

fn random(len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    rng().fill_bytes(&mut bytes);
    bytes
}

/// Returns the tag by the crate `aes-gcm`: the message is data that is authenticated and not encrypted.
fn by_aes_gcm(key: &[u8], nonce: &[u8], message: &[u8]) -> Vec<u8> {
    fn tag<C: AeadInOut + KeyInit>(key: &[u8], nonce: &[u8], message: &[u8]) -> Vec<u8> {
        let cipher = C::new_from_slice(key).expect("the length of the key");
        let nonce = nonce.try_into().expect("the length of the nonce");
        cipher.encrypt_inout_detached(nonce, message, (&mut [][..]).into()).expect("short enough").to_vec()
    }
    match key.len() {
        16 => tag::<AesGcm<aes::Aes128, U12>>(key, nonce, message),
        24 => tag::<AesGcm<aes::Aes192, U12>>(key, nonce, message),
        _ => tag::<AesGcm<aes::Aes256, U12>>(key, nonce, message),
    }
}

#[test]
fn gmac_equals_aes_gcm() {
    let data = random(2000 + 64 + 32 + 12);
    let (keys, data) = data.split_at(44);
    for length in [16, 24, 32] {
        let (key, nonce) = (&keys[..length], &keys[32..]);
        let all: Vec<_> =
            backends(CRATE, &Gmac::backends()).iter().map(|&b| Gmac::new(b.into(), key).unwrap()).collect();
        for len in 0..=2000 {
            // Any alignment.
            let message = &data[len % 64..][..len];
            let expected = by_aes_gcm(key, nonce, message);
            for gmac in &all {
                let tag = gmac.tag(&Untouched, nonce, message).unwrap();
                assert_eq!(tag[..], expected, "{} {len} bytes", gmac.backend());
            }
        }
    }
}

#[test]
fn extreme_messages_are_those_of_aes_gcm() {
    for byte in [0, 1, 0x80, 0xff] {
        let (key, message) = ([byte; 16], vec![byte; 70_000]);
        for len in [16, 1008, 1009, 1023, 1024, 1025, 1040, 2048, 65_536, 70_000] {
            let expected = by_aes_gcm(&key, &[byte; 12], &message[..len]);
            for backend in backends(CRATE, &Gmac::backends()) {
                let gmac = Gmac::new(backend.into(), &key).unwrap();
                let tag = gmac.tag(&Serial, &[byte; 12], &message[..len]).unwrap();
                assert_eq!(tag[..], expected, "{backend} {byte} {len}");
            }
        }
    }
}

#[test]
fn backends_agree() {
    let data = random(70_000);
    let mut rng = rng();
    for twins in all(&data[..16]) {
        let mut lengths: Vec<usize> = (0..=2200).collect();
        lengths.extend((0..200).map(|_| rng.random_range(2200..data.len())));
        for len in lengths {
            let start = rng.random_range(0..=(data.len() - len).min(64));
            let message = &data[start..start + len];
            // Nonces of up to 15 bytes are valid for both, and GMAC's are hashed.
            let nonce = &data[..1 + len % 15];
            let expected = twins[0].tag(&Untouched, nonce, message);
            for mac in &twins[1..] {
                assert_eq!(mac.tag(&Untouched, nonce, message), expected, "{} {len} bytes", mac.what());
            }
        }
    }
}

/// Checks lengths around the ends of pieces and blocks, on every runtime.
#[test]
fn pieces_add_up() {
    const PIECE: usize = 128 << 10;
    let data = random(6 * PIECE + 5000);
    let edges = [0, 1, 15, 16, 17, 127, 128, 129, 1023, 1024, 1025];
    for twins in all(&data[..16]) {
        for edge in edges {
            for len in
                [2 * PIECE - edge, 2 * PIECE + edge, 3 * PIECE - edge, 3 * PIECE + edge, 6 * PIECE + 3 * edge]
            {
                let message = &data[edge..edge + len];
                let expected = twins[twins.len() - 1].tag(&Serial, b"nonce", message);
                for mac in &twins[twins.len().saturating_sub(2)..] {
                    assert_eq!(mac.tag(&Eager, b"nonce", message), expected, "{} {len} bytes", mac.what());
                }
            }
        }
        let expected = twins[0].tag(&Serial, b"nonce", &data);
        for mac in &twins {
            assert_eq!(mac.tag(&Eager, b"nonce", &data), expected, "{}", mac.what());
        }
    }
}

#[test]
fn every_runtime_gives_the_same() {
    let data = random((32 << 20) + 777);
    for twins in all(&data[..16]) {
        let mac = &twins[twins.len() - 1];
        let expected = mac.tag(&Serial, b"nonce", &data);
        for rt in runtimes(CRATE) {
            assert_eq!(mac.tag(&*rt, b"nonce", &data), expected, "{} over {}", mac.what(), rt.name());
        }
    }
}

/// From 16 MiB on pieces are larger.
#[test]
fn large_pieces_add_up() {
    const LONG: usize = 16 << 20;
    let data = random(LONG + 3000);
    for mac in all(&data[..16]).iter().filter_map(|twins| twins.last()) {
        let messages = [&data[..LONG - 1], &data[1..][..LONG], &data[..300_000], &data[..], &data[..5]];
        let items: Vec<Item<'_>> = messages.iter().map(|message| Item { nonce: b"nonce", message }).collect();
        let expected: Vec<Vec<u8>> = messages.iter().map(|m| mac.tag(&Serial, b"nonce", m)).collect();
        for (message, expected) in messages.iter().zip(&expected) {
            assert_eq!(&mac.tag(&Eager, b"nonce", message), expected, "{} {}", mac.what(), message.len());
        }
        assert_eq!(mac.tags(&Eager, &items), expected, "{} batch", mac.what());
    }
}

#[test]
fn batches_are_the_messages_one_by_one() {
    let data = random(1 << 20);
    let mut rng = rng();
    let mut lengths: Vec<Vec<usize>> = vec![
        vec![],
        vec![0],
        vec![300_000],
        vec![262_144, 262_143, 262_144],
        vec![64; 64],
        vec![0; 3000],
        vec![2048; 1000],
        vec![1_000_000, 5, 500_000, 0],
    ];
    for _ in 0..10 {
        let most = 1 << rng.random_range(4..20);
        lengths.push((0..rng.random_range(1..200)).map(|_| rng.random_range(0..most)).collect());
    }
    for mac in all(&data[..16]).iter().filter_map(|twins| twins.last()) {
        for lengths in &lengths {
            let nonces: Vec<[u8; 12]> =
                (0..lengths.len()).map(|i| data[i..][..12].try_into().unwrap()).collect();
            let items: Vec<Item<'_>> = (nonces.iter().zip(lengths))
                .enumerate()
                .map(|(i, (nonce, &len))| Item {
                    nonce,
                    message: &data[i % 777 % (data.len() - len)..][..len],
                })
                .collect();
            let expected: Vec<Vec<u8>> =
                items.iter().map(|item| mac.tag(&Serial, item.nonce, item.message)).collect();
            // Short messages that fit one piece.
            if items.len() <= 200 && lengths.iter().all(|len| *len < 512) {
                assert_eq!(mac.tags(&Untouched, &items), expected, "{} untouched", mac.what());
            }
            assert_eq!(mac.tags(&Serial, &items), expected, "{} serial", mac.what());
            assert_eq!(mac.tags(&Eager, &items), expected, "{} eager", mac.what());
        }
    }
}

#[test]
fn a_wrong_tag_is_not_an_error() {
    let gmac = Gmac::new(Request::Auto, &[1; 16]).unwrap();
    let vmac = Vmac64::new(Request::Auto, &[1; 16]).unwrap();
    let tag = gmac.tag(&Serial, &[2; 12], b"message").unwrap();
    let short = vmac.tag(&Serial, &[2; 12], b"message").unwrap();
    assert_eq!(gmac.verify(&Serial, &[2; 12], b"message", &tag), Ok(true));
    assert_eq!(vmac.verify(&Serial, &[2; 12], b"message", &short), Ok(true));
    for bit in 0..128 {
        let mut wrong = tag;
        wrong[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(gmac.verify(&Serial, &[2; 12], b"message", &wrong), Ok(false), "bit {bit}");
    }
    for bit in 0..64 {
        let mut wrong = short;
        wrong[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(vmac.verify(&Serial, &[2; 12], b"message", &wrong), Ok(false), "bit {bit}");
    }
    assert_eq!(gmac.verify(&Serial, &[3; 12], b"message", &tag), Ok(false));
    assert_eq!(gmac.verify(&Serial, &[2; 12], b"massage", &tag), Ok(false));
}

#[test]
fn wrong_lengths_and_nonces_are_errors() {
    let key = [0; 16];
    for got in [0, 1, 15, 17, 23, 25, 31, 33, 64] {
        assert_eq!(Gmac::new(Request::Auto, &vec![0; got]).unwrap_err(), Error::KeyLength { got });
        assert_eq!(Vmac128::new(Request::Auto, &vec![0; got]).unwrap_err(), Error::KeyLength { got });
    }
    let (gmac, vmac) = (Gmac::new(Request::Auto, &key).unwrap(), Vmac64::new(Request::Auto, &key).unwrap());

    let empty = Error::NonceLength { got: 0, least: 1, most: (1 << 61) - 1 };
    assert_eq!(gmac.tag(&Serial, &[], b""), Err(empty));
    for got in [0, 17, 100] {
        let wrong = Error::NonceLength { got, least: 1, most: 16 };
        assert_eq!(vmac.tag(&Serial, &vec![0; got], b""), Err(wrong));
    }
    assert_eq!(vmac.tag(&Serial, &[0x80; 16], b""), Err(Error::NonceTopBit));
    assert!(vmac.tag(&Serial, &[0x7f; 16], b"").is_ok());
    assert!(vmac.tag(&Serial, &[0x80; 15], b"").is_ok());

    for got in [0, 8, 12, 15, 17] {
        let wrong = Error::TagLength { expected: 16, got };
        assert_eq!(gmac.verify(&Serial, &[0; 12], b"", &vec![0; got]), Err(wrong));
    }
    for got in [0, 7, 9, 16] {
        let wrong = Error::TagLength { expected: 8, got };
        assert_eq!(vmac.verify(&Serial, &[0; 12], b"", &vec![0; got]), Err(wrong));
    }

    let good = Item { nonce: &[1], message: &[2] };
    let wrong = Error::NonceLength { got: 0, least: 1, most: 16 };
    assert_eq!(
        vmac.tags(&Serial, &[good, good, Item { nonce: &[], ..good }]),
        Err(Error::Item { index: 2, why: Box::new(wrong) })
    );
    assert!(matches!(
        Gmac::new(Backend::Rvv.into(), &key),
        Err(Error::Backend(parcrypt_cpu::Error::NotOffered { backend: Backend::Rvv, .. }))
    ));
    for backend in Gmac::backends() {
        assert_eq!(Gmac::new(backend.into(), &key).is_ok(), backend.is_available());
    }
}

#[test]
fn numbers_with_zeros_in_front_are_the_same_nonce() {
    let vmac = Vmac128::new(Request::Auto, &[5; 16]).unwrap();
    let tag = |nonce: &[u8]| vmac.tag(&Serial, nonce, b"message").unwrap();
    let nonce: [u8; 16] = std::array::from_fn(|i| i as u8 + 1);
    for len in 1..16 {
        let mut padded = [0; 16];
        padded[16 - len..].copy_from_slice(&nonce[..len]);
        assert_eq!(tag(&nonce[..len]), tag(&padded), "{len} bytes");
    }
    assert_ne!(tag(&[7, 0]), tag(&[7]));
}

#[test]
fn keys_are_not_shown() {
    let gmac = Gmac::new(Backend::Portable.into(), &[0xab; 16]).unwrap();
    assert_eq!(format!("{gmac:?}"), "Gmac { backend: Portable, .. }");
}

//! The part shared by all MACs of the form 'polynomial hash, then a pad that depends on the nonce': one message on one
//! thread or many, and many messages.

use std::ops::Range;

use parcrypt_runtime::{Cost, Runtime, for_each, is_worthwhile};
use subtle::ConstantTimeEq;
use zeroize::{Zeroize, Zeroizing};

use crate::block_cipher::Aes;
use crate::costs::MESSAGE_BYTES;
use crate::{Error, Item};

/// Bytes of a piece of a message, and the unit of the costs; see `docs/explanation/mac.md`.
pub(crate) const PIECE: usize = 128 << 10;
/// Bytes of a piece of a message from [`LONG`] bytes on, which lies in memory: long runs are read faster there.
const LONG_PIECE: usize = 1 << 20;
/// Bytes of a message from which on pieces are large; there are then enough of them for 16 threads.
const LONG: usize = 16 << 20;

/// Returns the bytes of the pieces of a message, by its length alone.
fn piece(bytes: usize) -> usize {
    if bytes < LONG { PIECE } else { LONG_PIECE }
}

/// A polynomial hash with its key, and the pad.
///
/// The hash of blocks m_1 … m_n from the sum s is s·k^n + m_1·k^(n-1) + … + m_n up to a factor k for all m_i. This
/// module relies on one property: hashing from s equals hashing from zero plus s·k^n.
pub(crate) trait Mac: Sync {
    /// A value of the polynomial.
    type Sum: Copy + Default + Send + Sync + Zeroize;
    /// A tag.
    type Tag: Copy + Send + AsRef<[u8]>;
    /// Bytes of a block. It divides [`PIECE`].
    const BLOCK: usize;
    /// The most bytes of a message.
    const LONGEST: u64;

    /// Returns the block cipher under the key of the MAC.
    fn aes(&self) -> &Aes;
    /// Returns the block of a nonce, whose encryption becomes the pad; an error for a nonce of a wrong length or value.
    fn block(&self, nonce: &[u8]) -> Result<[u8; 16], Error>;
    /// Returns the pad from that block, encrypted.
    fn pad(nonce: &[u8], block: [u8; 16]) -> u128;
    /// Returns the hash of no blocks.
    fn start(&self) -> Self::Sum;
    /// Returns the hash from `sum` over whole blocks.
    fn absorb(&self, sum: Self::Sum, blocks: &[u8]) -> Self::Sum;
    /// Returns the key to the power of `blocks`, which is not zero.
    fn power(&self, blocks: usize) -> Self::Sum;
    /// Returns `head` times `power`, plus `tail`.
    fn join(&self, head: Self::Sum, power: Self::Sum, tail: Self::Sum) -> Self::Sum;
    /// Returns the tag after the rest of a message of `total` bytes.
    fn finish(&self, pad: u128, sum: Self::Sum, rest: &[u8], total: u64) -> Self::Tag;
    /// Returns the time for a piece of [`PIECE`] bytes, in ns.
    fn piece_ns(&self) -> u64;
}

/// Returns the block of the nonce of a message of that many bytes; an error for more than the longest has.
#[inline]
pub(crate) fn block<M: Mac>(mac: &M, nonce: &[u8], bytes: u64) -> Result<[u8; 16], Error> {
    if bytes <= M::LONGEST { mac.block(nonce) } else { Err(Error::MessageLength { most: M::LONGEST }) }
}

/// Returns the time for a piece of that many bytes.
fn cost(mac: &impl Mac, bytes: usize) -> Cost {
    Cost::ns(mac.piece_ns().saturating_mul(bytes as u64) / PIECE as u64)
}

/// Returns the tag of one message, computed over the threads of `rt` if that pays.
pub(crate) fn tag<M: Mac>(mac: &M, rt: &dyn Runtime, nonce: &[u8], message: &[u8]) -> Result<M::Tag, Error> {
    let total = message.len() as u64;
    let pad = M::pad(nonce, mac.aes().encrypt(block(mac, nonce, total)?));
    let (sum, rest) = absorb_over(mac, rt, mac.start(), message);
    Ok(mac.finish(pad, sum, rest, total))
}

/// Returns whether `expected` is the tag of the message, in a time that does not depend on where they differ.
pub(crate) fn verify<M: Mac>(
    mac: &M,
    rt: &dyn Runtime,
    nonce: &[u8],
    message: &[u8],
    expected: &[u8],
) -> Result<bool, Error> {
    let length = size_of::<M::Tag>();
    if expected.len() != length {
        return Err(Error::TagLength { expected: length, got: expected.len() });
    }
    Ok(self::tag(mac, rt, nonce, message)?.as_ref().ct_eq(expected).into())
}

/// Hashes the whole blocks of `data` over the threads of `rt` if that pays, and returns the hash and the bytes that
/// remain.
///
/// The pieces depend only on the length. If it does not pay, all bytes remain, so that a runtime costs a short
/// message one comparison.
fn absorb_over<'a, M: Mac>(mac: &M, rt: &dyn Runtime, sum: M::Sum, data: &'a [u8]) -> (M::Sum, &'a [u8]) {
    if data.len() < 2 * PIECE || !is_worthwhile(rt, data.len() / PIECE, cost(mac, PIECE)) {
        return (sum, data);
    }
    let (blocks, rest) = data.split_at(data.len() - data.len() % M::BLOCK);
    let bytes = piece(data.len());
    let pieces = blocks.chunks(bytes);
    let last = pieces.clone().next_back().map_or(0, <[u8]>::len);
    let mut sums = Zeroizing::new(vec![M::Sum::default(); pieces.len()]);
    sums[0] = sum;
    let work = pieces.zip(sums.iter_mut()).collect();
    for_each(rt, work, cost(mac, bytes), |(piece, sum)| *sum = mac.absorb(*sum, piece));
    (join_all(mac, &sums, bytes, last), rest)
}

/// Returns the hash of consecutive pieces of `bytes` bytes each, the last one of `last` bytes. The first piece was
/// hashed from the hash before it, the others from zero.
fn join_all<M: Mac>(mac: &M, sums: &[M::Sum], bytes: usize, last: usize) -> M::Sum {
    let Some((first, others)) = sums.split_first() else { return M::Sum::default() };
    let Some((end, middle)) = others.split_last() else { return *first };
    let whole = mac.power(bytes / M::BLOCK);
    let head = middle.iter().fold(*first, |head, &tail| mac.join(head, whole, tail));
    mac.join(head, mac.power(last / M::BLOCK), *end)
}

/// The part of many messages that one thread hashes at a time.
enum Chunk {
    /// Whole messages.
    Messages(Range<usize>),
    /// The blocks of a part of a long message.
    Part { item: usize, bytes: Range<usize> },
}

/// Returns the tags of many messages, in order.
pub(crate) fn tags<M: Mac>(mac: &M, rt: &dyn Runtime, items: &[Item<'_>]) -> Result<Vec<M::Tag>, Error> {
    // All pads together: the processor encrypts several blocks in the time of one.
    let mut blocks = Zeroizing::new(vec![[0; 16]; items.len()].into_boxed_slice());
    for (index, (item, place)) in items.iter().zip(blocks.iter_mut()).enumerate() {
        let found = block(mac, item.nonce, item.message.len() as u64);
        *place = found.map_err(|why| Error::Item { index, why: Box::new(why) })?;
    }
    mac.aes().encrypt_all(&mut blocks);
    let one = |i: usize, sum, rest| {
        let Item { nonce, message } = items[i];
        mac.finish(M::pad(nonce, blocks[i]), sum, rest, message.len() as u64)
    };
    let whole = |i: usize| one(i, mac.start(), items[i].message);

    let bytes = items.iter().fold(0usize, |all, item| all.saturating_add(item.message.len() + MESSAGE_BYTES));
    let tags = if is_worthwhile(rt, bytes / PIECE, cost(mac, PIECE)) {
        let work = cut::<M>(items);
        // The sums stay at one address, so that they can be cleared; tags are not secret.
        let mut sums = Zeroizing::new(vec![M::Sum::default(); work.len()]);
        let mut done = vec![Vec::new(); work.len()];
        let all = work.iter().zip(sums.iter_mut().zip(&mut done)).collect();
        for_each(rt, all, cost(mac, bytes / work.len()), |(work, (sum, tags))| match work {
            Chunk::Messages(range) => *tags = range.clone().map(whole).collect(),
            Chunk::Part { item, bytes } => {
                let before = if bytes.start == 0 { mac.start() } else { M::Sum::default() };
                *sum = mac.absorb(before, &items[*item].message[bytes.clone()]);
            }
        });
        let mut tags = Vec::with_capacity(items.len());
        let mut first = 0;
        for (i, (work, done)) in work.into_iter().zip(done).enumerate() {
            match work {
                Chunk::Messages(_) => tags.extend(done),
                Chunk::Part { item, bytes } => {
                    if bytes.start == 0 {
                        first = i;
                    }
                    let rest = &items[item].message[bytes.end..];
                    if rest.len() < M::BLOCK {
                        let sum =
                            join_all(mac, &sums[first..=i], piece(items[item].message.len()), bytes.len());
                        tags.push(one(item, sum, rest));
                    }
                }
            }
        }
        tags
    } else {
        (0..items.len()).map(whole).collect()
    };
    Ok(tags)
}

/// Returns the messages in chunks of about [`PIECE`] bytes, long ones divided into pieces, by their lengths only.
fn cut<M: Mac>(items: &[Item<'_>]) -> Vec<Chunk> {
    let mut work = Vec::new();
    let (mut from, mut weight) = (0, 0);
    for (item, Item { message, .. }) in items.iter().enumerate() {
        if message.len() >= 2 * PIECE {
            if from < item {
                work.push(Chunk::Messages(from..item));
            }
            (from, weight) = (item + 1, 0);
            let end = message.len() - message.len() % M::BLOCK;
            let bytes = piece(message.len());
            let starts = (0..end).step_by(bytes);
            work.extend(starts.map(|start| Chunk::Part { item, bytes: start..end.min(start + bytes) }));
            continue;
        }
        weight += message.len() + MESSAGE_BYTES;
        if weight >= PIECE {
            work.push(Chunk::Messages(from..item + 1));
            (from, weight) = (item + 1, 0);
        }
    }
    if from < items.len() {
        work.push(Chunk::Messages(from..items.len()));
    }
    work
}

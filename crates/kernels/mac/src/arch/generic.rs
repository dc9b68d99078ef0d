//! The rows `portable`: GHASH and VHASH in plain integers, without branches or indices that depend on secrets.

pub(crate) mod ghash;
pub(crate) mod vhash;

/// Returns fewer than 16 bytes with zero bytes after them. Two words that overlap: a copy of as many bytes would be a
/// call, and the processor cannot forward many stores to one load.
#[inline(always)]
pub(crate) fn padded(end: &[u8]) -> [u8; 16] {
    debug_assert!(end.len() < 16);
    let both = |first: u64, last: u64, bytes: usize| {
        u128::from(first) | u128::from(last) << (8 * (end.len() - bytes))
    };
    let number = if let (Some(&first), Some(&last)) = (end.first_chunk(), end.last_chunk()) {
        both(u64::from_le_bytes(first), u64::from_le_bytes(last), 8)
    } else if let (Some(&first), Some(&last)) = (end.first_chunk(), end.last_chunk()) {
        both(u32::from_le_bytes(first).into(), u32::from_le_bytes(last).into(), 4)
    } else if let (Some(&first), Some(&last)) = (end.first_chunk(), end.last_chunk()) {
        both(u16::from_le_bytes(first).into(), u16::from_le_bytes(last).into(), 2)
    } else {
        end.first().map_or(0, |&byte| byte.into())
    };
    number.to_le_bytes()
}

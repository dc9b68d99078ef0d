//! The memory of a workload: a check that it fits, its allocation, and its peak as Linux reports it.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::ops::{Deref, DerefMut};

use parcrypt_protocol::memory::peak;
pub(crate) use parcrypt_protocol::memory::reset_peak as forget_peak;

use super::params::{Kind, Values};
use super::{Error, Workload};
use crate::text::size;

impl Workload {
    /// Checks that the workload fits the available memory; everything fits if that is unknown.
    pub(crate) fn check_memory(&self, values: &Values, available: Option<u64>) -> Result<(), Error> {
        let needed = (self.memory)(values);
        let Some(available) = available.filter(|available| *available < needed) else { return Ok(()) };
        let scale = self.params.iter().find(|p| p.name == "scale").map(|p| &p.kind);
        let (work, hint) = match scale {
            Some(Kind::Number { least, .. }) => {
                let scale = values.number("scale");
                let fits = |s: &u64| (self.memory)(&values.with_number("scale", *s)) <= available;
                let hint = match (*least..scale).rev().find(fits) {
                    Some(largest) => format!(": the largest scale that fits is {largest}"),
                    None => ": no scale fits".to_owned(),
                };
                (format!("scale {scale} of {}", self.name), hint)
            }
            _ => (self.name.to_owned(), String::new()),
        };
        let [needed, available] = [needed, available].map(size);
        Err(Error::Unsupported(format!("{work} needs {needed}, and {available} are available{hint}")))
    }
}

/// Returns a vector of `len` default values, or an error if the system refuses the memory.
pub(crate) fn filled<T: Clone + Default>(len: usize) -> Result<Vec<T>, Error> {
    let mut all = Vec::new();
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    all.try_reserve_exact(len).map_err(|_| Error::memory(bytes))?;
    all.resize(len, T::default());
    Ok(all)
}

/// A vector aligned to a cache line. The alignment of an allocation differs between processes and changes the time of a
/// short call by a third, so it is fixed here.
pub(crate) struct Aligned<T> {
    buffer: Vec<T>,
    start: usize,
}

impl<T: Copy + Default> Aligned<T> {
    const LINE: usize = 64;

    /// Returns the first index at a multiple of [`Self::LINE`] bytes.
    fn start(buffer: &[T]) -> usize {
        // An offset that cannot be computed is beyond the buffer; then the values are not moved.
        Some(buffer.as_ptr().align_offset(Self::LINE)).filter(|s| *s < Self::LINE).unwrap_or(0)
    }

    pub(crate) fn new(mut values: Vec<T>) -> Self {
        let len = values.len();
        values.resize(len + Self::LINE, T::default());
        let start = Self::start(&values);
        values.copy_within(..len, start);
        values.truncate(start + len);
        Aligned { buffer: values, start }
    }
}

impl Aligned<u8> {
    /// Reads at most `most` bytes to a place that is aligned already: Linux copies them to another in half as much
    /// time again.
    pub(crate) fn read(from: impl Read, most: u64) -> Result<io::Result<Self>, Error> {
        let mut buffer = Vec::new();
        let room = usize::try_from(most).ok().and_then(|most| most.checked_add(Self::LINE));
        let room = room.filter(|room| buffer.try_reserve_exact(*room).is_ok());
        room.ok_or_else(|| Error::memory(most))?;
        let start = Self::start(&buffer);
        buffer.resize(start, 0);
        Ok(from.take(most).read_to_end(&mut buffer).map(|_| Aligned { buffer, start }))
    }
}

impl<T> Deref for Aligned<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.buffer[self.start..]
    }
}

impl<T> DerefMut for Aligned<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        &mut self.buffer[self.start..]
    }
}

pub(crate) fn peak_count() -> BTreeMap<String, u64> {
    peak().map(|bytes| ("peak-memory-bytes".to_owned(), bytes)).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_aligned_and_no_longer_than_asked() {
        let bytes: Vec<u8> = (0..200).collect();
        for (most, len) in [(0, 0), (1, 1), (100, 100), (200, 200), (201, 200)] {
            let read = Aligned::read(&bytes[..], most).unwrap().unwrap();
            assert_eq!((&*read, read.as_ptr() as usize % 64), (&bytes[..len], 0), "{most}");
        }
        assert!(matches!(Aligned::read(&bytes[..], u64::MAX), Err(Error::Unsupported(_))));
    }
}

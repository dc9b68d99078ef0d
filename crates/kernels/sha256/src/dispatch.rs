//! The table of backends of SHA-256, and the selection of a row.
#![allow(
    unsafe_code,
    reason = "functions for an instruction set are called after the check that the machine has it"
)]

use parcrypt_cpu::{Backend, Request, Row, Table};

use crate::arch::generic;
#[cfg(all(target_arch = "x86_64", feature = "many"))]
use crate::arch::x86_64::avx512;
#[cfg(target_arch = "x86_64")]
use crate::arch::x86_64::sha_ni;
use crate::{Block, HASH_PLAIN_PS, HASH_PS, HASH_SIXTEEN_PS, HASH_TWO_PS, States};

/// Messages that AVX-512 hashes at once.
const LANES: usize = 16;

/// Replaces the states of N messages by those after some blocks, the same number for each; may be called only where its
/// backend is available.
type Function<const N: usize> = unsafe fn(&mut States<N>, [&[Block]; N]);

/// The functions of one backend for several messages at once; others are hashed one by one.
#[derive(Debug)]
pub struct HashRow {
    /// For two messages; of [`Backend::ShaNi`].
    two: Option<Function<2>>,
    /// For sixteen messages; of [`Backend::Avx512`].
    sixteen: Option<Function<LANES>>,
}

/// The rows, in rising order of preference.
static ROWS: Table<HashRow> = Table::new(&[
    Row::new(Backend::Sha2, HashRow { two: None, sixteen: None }),
    #[cfg(target_arch = "x86_64")]
    Row::new(Backend::ShaNi, HashRow { two: Some(sha_ni::compress_sha_ni), sixteen: None }),
    // For groups that are too small for sixteen lanes: the SHA extensions, if the machine has them.
    #[cfg(all(target_arch = "x86_64", feature = "many"))]
    Row::new(
        Backend::Avx512,
        HashRow { two: Some(sha_ni::compress_sha_ni), sixteen: Some(avx512::compress_avx512) },
    ),
]);

/// The backends of the rows, in rising order of preference.
pub const BACKENDS: &[Backend] = &ROWS.list::<{ ROWS.count() }>();

/// Returns the requested row.
pub fn select(request: Request) -> Result<&'static Row<HashRow>, parcrypt_cpu::Error> {
    ROWS.select(request)
}

/// A function of a row whose backend is available. Only [`HashRow::kernel`] and [`Compress::one`] make one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Compress<const N: usize>(Function<N>);

impl<const N: usize> Compress<N> {
    /// Replaces the states by those after the blocks, the same number for each.
    pub(crate) fn run(self, states: &mut States<N>, blocks: [&[Block]; N]) {
        // SAFETY: `HashRow::kernel` or `Compress::one` made this because the machine was found to have its
        // features, which are all that the function enables.
        unsafe { (self.0)(states, blocks) }
    }
}

impl Compress<1> {
    /// Returns the fastest function for one message on this machine: by instructions for it, or in plain Rust.
    pub(crate) fn one() -> Self {
        #[cfg(target_arch = "x86_64")]
        if Backend::ShaNi.is_available() {
            return Compress(sha_ni::compress_sha_ni);
        }
        #[cfg(target_arch = "aarch64")]
        if std::arch::is_aarch64_feature_detected!("sha2") {
            return Compress(crate::arch::aarch64::compress_sha2);
        }
        Compress(generic::compress)
    }

    /// Returns the function in plain Rust.
    #[cfg(test)]
    pub(crate) fn plain() -> Self {
        Compress(generic::compress)
    }
}

/// The function for the next messages.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kernel {
    /// One message.
    One,
    /// Two messages.
    Two(Compress<2>),
    /// Sixteen messages, or all where there are fewer.
    Sixteen(Compress<LANES>),
}

impl HashRow {
    fn two(&self) -> Option<Function<2>> {
        self.two.filter(|_| Backend::ShaNi.is_available())
    }

    fn sixteen(&self) -> Option<Function<LANES>> {
        self.sixteen.filter(|_| Backend::Avx512.is_available())
    }

    /// Returns what hashes the first of some messages of the same length, so that all take the least time.
    pub(crate) fn kernel(&self, messages: usize) -> Kernel {
        let group_ps = self.without_sixteen_ps(messages.min(LANES));
        match (self.sixteen(), self.two()) {
            (Some(sixteen), _) if HASH_SIXTEEN_PS < group_ps => Kernel::Sixteen(Compress(sixteen)),
            (_, Some(two)) if messages > 1 => Kernel::Two(Compress(two)),
            _ => Kernel::One,
        }
    }

    /// Returns the time per byte of each of some messages of the same length, in ps of one thread.
    pub fn hash_ps(&self, messages: usize) -> u64 {
        let group_ps = |messages: usize| match self.kernel(messages) {
            Kernel::Sixteen(_) => HASH_SIXTEEN_PS,
            Kernel::One | Kernel::Two(_) => self.without_sixteen_ps(messages),
        };
        (messages / LANES) as u64 * group_ps(LANES) + group_ps(messages % LANES)
    }

    fn without_sixteen_ps(&self, messages: usize) -> u64 {
        let pairs = if self.two().is_some() { messages / 2 } else { 0 };
        // Nearly all processors for 64-bit ARM have instructions for it, which [`Compress::one`] uses.
        let instructions = cfg!(target_arch = "aarch64") || Backend::ShaNi.is_available();
        let one = if instructions { HASH_PS } else { HASH_PLAIN_PS };
        pairs as u64 * HASH_TWO_PS + (messages - 2 * pairs) as u64 * one
    }
}

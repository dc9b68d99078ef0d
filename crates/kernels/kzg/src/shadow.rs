//! A second opinion: a share of the calls is computed again by blst's functions and the crate `sha2`, without vector
//! lanes and without large tables, and the two answers are compared.
//!
//! Each function with [`Settings`] computes through `Settings::shadowed`. Of every n calls one is taken, at a place
//! that depends on a random number of these settings: a program that calls its functions in a fixed order then has all
//! of them checked, and two processes do not check the same calls.

use std::fmt;
use std::io::Write;
use std::num::NonZeroU32;
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use parcrypt_cpu::{Backend, Request, Requests, VARIABLE as BACKEND};
use parcrypt_runtime::Runtime;
use sha2::{Digest, Sha256};

use crate::settings::Rows;
use crate::{Cell, CellsAndProofs, Error, FieldBytes, Proof, Samples, Settings, WrongItem};

/// Which share of the calls is computed twice, and what happens if the two answers differ.
///
/// ```
/// use std::num::NonZeroU32;
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicBool, Ordering};
///
/// use parcrypt_kzg::{BYTES_PER_BLOB, Request, Settings, Shadow, blob_to_kzg_commitment};
/// use parcrypt_runtime::Serial;
///
/// let alarm = Arc::new(AtomicBool::new(false));
/// let raised = Arc::clone(&alarm);
/// let shadow = Shadow::one_in(NonZeroU32::MIN).on_difference(move |difference| {
///     eprintln!("{difference}");
///     raised.store(true, Ordering::Relaxed);
/// });
/// let settings = Settings::mainnet(Request::Auto)?.with_shadow(shadow)?;
/// blob_to_kzg_commitment(&Serial, &settings, &vec![0; BYTES_PER_BLOB])?;
/// let counts = settings.shadow_counts().unwrap();
/// assert_eq!((counts.calls, counts.checked, counts.different), (1, 1, 0));
/// assert!(!alarm.load(Ordering::Relaxed));
///
/// // The same as text, from a file of a program's options or from `PARCRYPT_SHADOW`.
/// let shadow: Shadow = "1/1000,log".parse()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Shadow {
    one_in: NonZeroU32,
    on_difference: Arc<dyn Fn(&Difference) + Send + Sync>,
}

impl fmt::Debug for Shadow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Shadow(1/{})", self.one_in)
    }
}

impl Shadow {
    /// Returns a shadow of one call in `n`, on the thread of the call, which aborts the process with a report on
    /// standard error if the answers differ.
    pub fn one_in(n: NonZeroU32) -> Self {
        Shadow { one_in: n, on_difference: Arc::new(abort) }
    }

    /// Calls this function with each difference, instead of aborting. The call returns the first answer after it, or
    /// panics if the function does.
    ///
    /// The function must not use settings with this shadow: a call of them may differ too, and call it again without
    /// end. It may use other settings.
    pub fn on_difference(mut self, function: impl Fn(&Difference) + Send + Sync + 'static) -> Self {
        self.on_difference = Arc::new(function);
        self
    }

    /// Writes each difference to standard error and goes on, instead of aborting.
    pub fn log(self) -> Self {
        self.on_difference(write)
    }
}

/// Writes a difference to standard error. If that is closed, nothing is written, and nothing panics.
fn write(difference: &Difference) {
    let _ = writeln!(std::io::stderr(), "{difference}");
}

/// Writes a difference to standard error and aborts the process.
fn abort(difference: &Difference) {
    write(difference);
    std::process::abort();
}

/// Error of a text that is not a shadow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseShadowError {
    /// The share is not `1/` and a number.
    #[error("share '{share}': it must be 1/N, such as 1/1000, with N from 1 to 4294967295")]
    Share {
        /// The share.
        share: String,
    },
    /// The word after the share is unknown.
    #[error("'{word}' is unknown: what happens on a difference is 'abort' or 'log'")]
    Word {
        /// The word.
        word: String,
    },
}

impl FromStr for Shadow {
    type Err = ParseShadowError;

    /// Parses `1/N`, `1/N,abort` or `1/N,log`.
    fn from_str(text: &str) -> Result<Self, ParseShadowError> {
        let (share, word) = text.split_once(',').unwrap_or((text, "abort"));
        // `parse` also takes a sign.
        let digits = share.strip_prefix("1/").filter(|n| n.bytes().all(|byte| byte.is_ascii_digit()));
        let one_in = digits.and_then(|n| n.parse().ok());
        let shadow =
            Shadow::one_in(one_in.ok_or_else(|| ParseShadowError::Share { share: share.to_owned() })?);
        match word {
            "abort" => Ok(shadow),
            "log" => Ok(shadow.log()),
            _ => Err(ParseShadowError::Word { word: word.to_owned() }),
        }
    }
}

/// The environment variable that has a [`Shadow`] as text.
pub const VARIABLE: &str = "PARCRYPT_SHADOW";

/// Error of the value of an environment variable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EnvironmentError {
    /// The requests for backends are invalid.
    #[error(transparent)]
    Backend(#[from] parcrypt_cpu::Error),
    /// The shadow is invalid.
    #[error(transparent)]
    Shadow(#[from] ParseShadowError),
}

impl Shadow {
    /// Returns the shadow of the environment variable [`VARIABLE`]; `None` if it is not set, or empty.
    ///
    /// # Errors
    /// [`Error::Environment`] for another text than one of [`Shadow::from_str`].
    pub fn from_environment() -> Result<Option<Self>, Error> {
        let text = std::env::var_os(VARIABLE).unwrap_or_default();
        if text.is_empty() {
            return Ok(None);
        }
        let shadow = text.to_string_lossy().parse();
        shadow
            .map(Some)
            .map_err(|why: ParseShadowError| Error::Environment { variable: VARIABLE, why: why.into() })
    }
}

impl Settings {
    /// Returns the settings that `load` returns for the requests of the environment variable `PARCRYPT_BACKEND`, with
    /// the shadow of `PARCRYPT_SHADOW`. The packages that replace another library load by it, because the other's
    /// interface has no place for either. The C library reads `PARCRYPT_SHADOW` too; no other function of this crate
    /// reads the environment.
    ///
    /// ```
    /// use parcrypt_kzg::Settings;
    /// let settings = Settings::from_environment(|requests| Settings::mainnet(requests))?;
    /// # Ok::<(), parcrypt_kzg::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Environment`] for an invalid value of a variable; the errors of `load`.
    pub fn from_environment(load: impl FnOnce(Requests) -> Result<Self, Error>) -> Result<Self, Error> {
        let requests = Requests::from_environment()
            .map_err(|why| Error::Environment { variable: BACKEND, why: why.into() })?;
        let shadow = Shadow::from_environment()?;
        let settings = load(requests)?;
        match shadow {
            Some(shadow) => settings.with_shadow(shadow),
            None => Ok(settings),
        }
    }
}

/// Numbers of calls since the settings got their shadow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ShadowCounts {
    /// All calls.
    pub calls: u64,
    /// Calls whose second answer was compared.
    pub checked: u64,
    /// Calls whose answers differ.
    pub different: u64,
    /// Calls that were not checked because the other library lacks the function.
    pub skipped: u64,
}

/// A call whose two answers differ. It has lengths and digests, but no bytes of inputs or answers.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// Name of the function; for a [`CellVerifier`](crate::CellVerifier) also whether the answers are one verdict on
    /// all cells of a piece or one on each.
    pub function: &'static str,
    /// The lists of inputs: for each, runs of items of the same length, as the number of items and the bytes of each.
    /// An index counts as 8 bytes.
    pub lengths: Vec<Vec<(usize, usize)>>,
    /// SHA-256 of the inputs: for each item of each list its length as 8 bytes, least significant first, and its bytes.
    pub inputs: [u8; 32],
    /// Digest of the trusted setup.
    pub setup: [u8; 32],
    /// Backend of each table of arithmetic of the first answer.
    pub backends: [(&'static str, Backend); 4],
    /// The answer that the call returned.
    pub answer: Summary,
    /// Backend of each table of the second answer, if no other library computed it.
    pub second_backends: [(&'static str, Backend); 4],
    /// Name of the [`SecondLibrary`] that computed the second answer.
    pub second_library: Option<&'static str>,
    /// The second answer.
    pub second: Summary,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = |rows: &[(&str, Backend)]| {
            rows.iter().map(|(table, row)| format!("{table}={row}")).collect::<Vec<_>>().join(",")
        };
        let run = |(count, bytes): &(usize, usize)| format!("{count} x {bytes}");
        let list = |runs: &Vec<_>| format!("[{}]", runs.iter().map(run).collect::<Vec<_>>().join(", "));
        let Difference { function, inputs, setup, answer, second, .. } = self;
        writeln!(f, "parcrypt {}: two answers of {function} differ", env!("CARGO_PKG_VERSION"))?;
        let lengths = self.lengths.iter().map(list).collect::<Vec<_>>().join(" ");
        writeln!(f, "  inputs: {lengths} bytes, SHA-256 {}", hex(inputs))?;
        writeln!(f, "  setup:  {}", hex(setup))?;
        writeln!(f, "  answer: {answer} by {}", rows(&self.backends))?;
        match self.second_library {
            Some(library) => write!(f, "  second: {second} by {library}"),
            None => write!(f, "  second: {second} by {}", rows(&self.second_backends)),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// An answer without its bytes. Answers are equal if their summaries are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Summary {
    /// Kind of answer.
    pub kind: Kind,
    /// SHA-256 of the answer.
    pub digest: [u8; 32],
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}, SHA-256 {}", self.kind, hex(&self.digest))
    }
}

/// Kind of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A value, or a list of results.
    Value,
    /// The verdict that a proof verifies.
    Valid,
    /// The verdict that it does not.
    Invalid,
    /// An error about the input.
    Error,
    /// The computation panicked.
    Panicked,
}

impl Summary {
    fn of<T: Answer>(answer: &T) -> Self {
        let mut hash = Sha256::new();
        answer.hash(&mut hash);
        Summary { kind: answer.kind(), digest: hash.finalize().into() }
    }
}

/// An answer that can be compared by its digest.
pub(crate) trait Answer {
    /// Returns its kind.
    fn kind(&self) -> Kind {
        Kind::Value
    }

    /// Hashes all of it, with the length of each list.
    fn hash(&self, hash: &mut Sha256);
}

impl<const N: usize> Answer for [u8; N] {
    fn hash(&self, hash: &mut Sha256) {
        hash.update(self);
    }
}

impl Answer for bool {
    fn kind(&self) -> Kind {
        if *self { Kind::Valid } else { Kind::Invalid }
    }

    fn hash(&self, hash: &mut Sha256) {
        hash.update([u8::from(*self)]);
    }
}

impl<T: Answer> Answer for Vec<T> {
    fn hash(&self, hash: &mut Sha256) {
        hash.update((self.len() as u64).to_le_bytes());
        self.iter().for_each(|item| item.hash(hash));
    }
}

impl<A: Answer, B: Answer> Answer for (A, B) {
    fn hash(&self, hash: &mut Sha256) {
        self.0.hash(hash);
        self.1.hash(hash);
    }
}

impl Answer for WrongItem {
    fn hash(&self, hash: &mut Sha256) {
        hash.update(format!("{self:?}"));
    }
}

impl Answer for CellsAndProofs {
    fn hash(&self, hash: &mut Sha256) {
        self.cells.hash(hash);
        self.proofs.hash(hash);
    }
}

impl<T: Answer> Answer for Result<T, Error> {
    fn kind(&self) -> Kind {
        self.as_ref().map_or(Kind::Error, T::kind)
    }

    fn hash(&self, hash: &mut Sha256) {
        hash.update([u8::from(self.is_ok())]);
        match self {
            Ok(answer) => answer.hash(hash),
            Err(error) => hash.update(format!("{error:?}")),
        }
    }
}

/// Another library, which computes the second answers instead of the first rows of the tables.
pub trait SecondLibrary: Send + Sync {
    /// Returns its name and version, for reports.
    fn name(&self) -> &'static str;

    /// Returns its answer for a function of this crate; `None` if it cannot compute it from these inputs. Then the call
    /// counts as [skipped](ShadowCounts::skipped).
    fn answer(&self, function: &str, inputs: Inputs<'_>) -> Option<SecondAnswer>;
}

/// An answer of a [`SecondLibrary`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecondAnswer {
    /// A commitment or a proof.
    Point([u8; 48]),
    /// A proof and the value.
    Opening(Proof, FieldBytes),
    /// Cells.
    Cells(Vec<Cell>),
    /// Cells and their proofs.
    CellsAndProofs(CellsAndProofs),
    /// Whether a proof verifies.
    Verdict(bool),
    /// An error, whose kind is not compared.
    Error,
}

impl SecondAnswer {
    fn summary(self) -> Summary {
        fn of<T: Answer>(answer: T) -> Summary {
            Summary::of(&Ok::<T, Error>(answer))
        }
        match self {
            SecondAnswer::Point(point) => of(point),
            SecondAnswer::Opening(proof, y) => of((proof, y)),
            SecondAnswer::Cells(cells) => of(cells),
            SecondAnswer::CellsAndProofs(both) => of(both),
            SecondAnswer::Verdict(verdict) => of(verdict),
            SecondAnswer::Error => Summary { kind: Kind::Error, digest: [0; 32] },
        }
    }
}

/// The inputs of a call: lists of byte strings and lists of indices, each in the order of the arguments.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// The lists of byte strings; a single one is a list of one item.
    pub bytes: &'a [&'a [&'a [u8]]],
    /// The lists of indices.
    pub indices: &'a [&'a [u64]],
}

impl<'a> Inputs<'a> {
    /// Returns inputs without indices.
    pub(crate) fn of(bytes: &'a [&'a [&'a [u8]]]) -> Self {
        Inputs { bytes, indices: &[] }
    }

    /// Returns the only item of a list.
    pub(crate) fn one(&self, list: usize) -> &'a [u8] {
        self.bytes[list][0]
    }

    /// Returns each list of bytes with the list of indices at its place.
    pub(crate) fn samples(&self) -> Vec<Samples<'a>> {
        let pairs = self.indices.iter().zip(self.bytes);
        pairs.map(|(cell_indices, cells)| Samples { cell_indices, cells }).collect()
    }

    fn digest(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        for item in self.bytes.iter().copied().flatten() {
            hash.update((item.len() as u64).to_le_bytes());
            hash.update(item);
        }
        for index in self.indices.iter().copied().flatten() {
            hash.update(8u64.to_le_bytes());
            hash.update(index.to_le_bytes());
        }
        hash.finalize().into()
    }

    /// Returns [`Difference::lengths`].
    fn lengths(&self) -> Vec<Vec<(usize, usize)>> {
        let runs = |list: &&[&[u8]]| {
            list.chunk_by(|a, b| a.len() == b.len()).map(|run| (run.len(), run[0].len())).collect()
        };
        let indices = self.indices.iter().map(|list| vec![(list.len(), 8)]);
        self.bytes.iter().map(runs).chain(indices).collect()
    }
}

/// Computes the answer of a function from its inputs.
pub(crate) type Compute<T> = fn(&dyn Runtime, &Settings, Inputs<'_>) -> T;

/// A shadow at work: the settings of the second answers, and the counters.
pub(crate) struct Checker {
    shadow: Shadow,
    /// Selects the place of the checked call among `one_in` calls.
    seed: u64,
    backends: [(&'static str, Backend); 4],
    reference: Settings,
    library: Option<Arc<dyn SecondLibrary>>,
    calls: AtomicU64,
    checked: AtomicU64,
    different: AtomicU64,
    skipped: AtomicU64,
}

// A panic in the program's function leaves the counters, which are valid whatever they hold.
impl RefUnwindSafe for Checker {}
impl UnwindSafe for Checker {}

impl Settings {
    /// Computes a share of the calls again from now on, by the first row of each table: blst's functions and the crate
    /// `sha2`. The second settings have copies of the points and no large tables: together about 4 MB after their first
    /// use. Clones of the settings share counters.
    ///
    /// A panic of the second computation is a difference; a panic of the first reaches the caller as ever.
    ///
    /// # Errors
    /// [`Error::Arithmetic`] if the second settings cannot be made.
    pub fn with_shadow(mut self, shadow: Shadow) -> Result<Self, Error> {
        self.set_shadow(Some(shadow))?;
        Ok(self)
    }

    /// Replaces the shadow of [`Settings::with_shadow`], whose counters start again; removes it for `None`.
    ///
    /// # Errors
    /// As [`Settings::with_shadow`]; the settings then have no shadow.
    pub fn set_shadow(&mut self, shadow: Option<Shadow>) -> Result<(), Error> {
        self.replace_shadow(shadow, None)
    }

    /// Has another library compute the second answers, if the settings have a shadow; its counters start again.
    ///
    /// # Errors
    /// As [`Settings::with_shadow`].
    pub fn with_second_library(mut self, library: Arc<dyn SecondLibrary>) -> Result<Self, Error> {
        let shadow = self.shadow.as_ref().map(|checker| checker.shadow.clone());
        self.replace_shadow(shadow, Some(library))?;
        Ok(self)
    }

    fn replace_shadow(
        &mut self,
        shadow: Option<Shadow>,
        library: Option<Arc<dyn SecondLibrary>>,
    ) -> Result<(), Error> {
        self.shadow = None;
        let Some(shadow) = shadow else { return Ok(()) };
        let rows = Rows::select(&Requests::from(Request::Baseline))?;
        let reference = self.with_rows(rows)?;
        let checker = Checker {
            shadow,
            seed: seed(),
            backends: self.backends(),
            reference,
            library,
            calls: AtomicU64::new(0),
            checked: AtomicU64::new(0),
            different: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
        };
        self.shadow = Some(Arc::new(checker));
        Ok(())
    }

    /// Returns the numbers of calls of settings with a [`Shadow`].
    pub fn shadow_counts(&self) -> Option<ShadowCounts> {
        let Checker { calls, checked, different, skipped, .. } = &**self.shadow.as_ref()?;
        Some(ShadowCounts {
            calls: calls.load(Relaxed),
            checked: checked.load(Relaxed),
            different: different.load(Relaxed),
            skipped: skipped.load(Relaxed),
        })
    }

    /// Returns the answer of a function, and has it computed again if this call is one of those to check.
    pub(crate) fn shadowed<T: Answer>(
        &self,
        rt: &dyn Runtime,
        function: &'static str,
        inputs: Inputs<'_>,
        compute: Compute<T>,
    ) -> T {
        let answer = compute(rt, self, inputs);
        if let Some(checker) = self.checker() {
            checker.check(rt, function, inputs, compute, &answer);
        }
        answer
    }

    /// Counts a call, and returns what checks its answer if this call is one to check.
    pub(crate) fn checker(&self) -> Option<&Checker> {
        self.shadow.as_deref().filter(|checker| checker.is_next())
    }
}

/// Returns a random number, or 0 where there is none.
fn seed() -> u64 {
    #[cfg_attr(
        all(target_family = "wasm", target_os = "unknown"),
        allow(unused_mut, reason = "without a system there are no random numbers")
    )]
    let mut bytes = [0; 8];
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    if getrandom::fill(&mut bytes).is_err() {
        return 0;
    }
    u64::from_le_bytes(bytes)
}

/// Returns the place of the checked call among calls window·n to window·n + n − 1: the finaliser of SplitMix64
/// (Steele, Lea, Flood, 'Fast splittable pseudorandom number generators', 2014) modulo n.
fn place(seed: u64, window: u64, n: u64) -> u64 {
    let mut z = seed.wrapping_add(window.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (z ^ (z >> 31)) % n
}

impl Checker {
    /// Counts a call and returns whether it is one to check: one of every `one_in`.
    fn is_next(&self) -> bool {
        let n = u64::from(self.shadow.one_in.get());
        let call = self.calls.fetch_add(1, Relaxed);
        call % n == place(self.seed, call / n, n)
    }

    /// Computes the second answer and compares. `compute` may compute it in another way than the first.
    pub(crate) fn check<T: Answer>(
        &self,
        rt: &dyn Runtime,
        function: &'static str,
        inputs: Inputs<'_>,
        compute: Compute<T>,
        answer: &T,
    ) {
        let answer = Summary::of(answer);
        let compute = || match &self.library {
            None => Some(Summary::of(&compute(rt, &self.reference, inputs))),
            Some(library) => library.answer(function, inputs).map(SecondAnswer::summary),
        };
        let second = catch_unwind(AssertUnwindSafe(compute));
        let Some(second) = second.unwrap_or(Some(Summary { kind: Kind::Panicked, digest: [0; 32] })) else {
            self.skipped.fetch_add(1, Relaxed);
            return;
        };
        self.checked.fetch_add(1, Relaxed);
        // Another library has other texts for errors.
        let both_refuse = self.library.is_some() && (answer.kind, second.kind) == (Kind::Error, Kind::Error);
        if answer == second || both_refuse {
            return;
        }
        self.different.fetch_add(1, Relaxed);
        (self.shadow.on_difference)(&Difference {
            function,
            lengths: inputs.lengths(),
            inputs: inputs.digest(),
            setup: self.reference.digest(),
            backends: self.backends,
            answer,
            second_backends: self.reference.backends(),
            second_library: self.library.as_ref().map(|library| library.name()),
            second,
        });
    }
}

#[cfg(test)]
mod tests;

//! The backends: their names, whether they run here, and the choice among those that a kernel offers.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use crate::Error;

/// The environment variable that forces a backend: `PARCRYPT_BACKEND=avx2`.
pub const ENVIRONMENT: &str = "PARCRYPT_BACKEND";

/// A way to compute: an instruction set that a kernel was written for.
///
/// The order is that of the declaration and means nothing for speed: a kernel offers its backends to [`choose`] in
/// its own order of preference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Backend {
    /// Plain Rust that follows the specification; runs everywhere.
    Scalar,
    /// x86-64 with AVX2, and with BMI1, BMI2 that every such processor has.
    Avx2,
    /// x86-64 with AVX-512 F, BW, VL and DQ, and all of [`Backend::Avx2`].
    Avx512,
    /// [`Backend::Avx512`] with AVX-512 IFMA, the multiplication of 52-bit integers.
    Ifma,
    /// x86-64 with PCLMULQDQ, the carry-less multiplication of 64-bit words, and SSSE3 and SSE4.1.
    Pclmul,
    /// [`Backend::Avx512`] and [`Backend::Pclmul`] with VPCLMULQDQ, the carry-less multiplication on whole vectors.
    Vpclmul,
    /// RISC-V with the vector extension V 1.0.
    Rvv,
}

impl Backend {
    /// All backends, in the order of the declaration.
    pub const ALL: [Backend; 7] = [
        Backend::Scalar,
        Backend::Avx2,
        Backend::Avx512,
        Backend::Ifma,
        Backend::Pclmul,
        Backend::Vpclmul,
        Backend::Rvv,
    ];

    /// The one spelling of the name: `scalar`, `avx2`, `avx512`, `ifma`, `pclmul`, `vpclmul` or `rvv`.
    pub const fn name(self) -> &'static str {
        match self {
            Backend::Scalar => "scalar",
            Backend::Avx2 => "avx2",
            Backend::Avx512 => "avx512",
            Backend::Ifma => "ifma",
            Backend::Pclmul => "pclmul",
            Backend::Vpclmul => "vpclmul",
            Backend::Rvv => "rvv",
        }
    }

    /// Whether this processor and its operating system can run the backend's instructions.
    ///
    /// It is detected once a process; a call costs one atomic load. A `true` is what `dispatch.rs` of a kernel relies
    /// on when it calls a function with `#[target_feature]`: for the x86-64 backends it says that all features in the
    /// description of the variant are there, each as `is_x86_feature_detected!` found it.
    pub fn is_available(self) -> bool {
        static AVAILABLE: OnceLock<[bool; Backend::ALL.len()]> = OnceLock::new();
        AVAILABLE.get_or_init(|| Backend::ALL.map(detect))[self as usize]
    }

    /// The backends that can run here, in the order of [`Backend::ALL`]; [`Backend::Scalar`] is always among them.
    pub fn available() -> Vec<Backend> {
        Backend::ALL.into_iter().filter(|b| b.is_available()).collect()
    }
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Backend {
    type Err = Error;

    /// Reads the one spelling, as [`Backend::name`] gives it.
    ///
    /// # Errors
    /// [`Error::UnknownBackend`] for anything else, another case included.
    fn from_str(name: &str) -> Result<Self, Error> {
        Backend::ALL
            .into_iter()
            .find(|b| b.name() == name)
            .ok_or_else(|| Error::UnknownBackend { name: name.to_owned() })
    }
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn detect(backend: Backend) -> bool {
    use std::arch::is_x86_feature_detected as has;
    // The kernels are written for 64 bits; on 32-bit x86 only the reference is built.
    let x86_64 = cfg!(target_arch = "x86_64");
    let avx2 = x86_64 && has!("avx2") && has!("bmi1") && has!("bmi2");
    let pclmul = x86_64 && has!("pclmulqdq") && has!("ssse3") && has!("sse4.1");
    let avx512 = avx2 && has!("avx512f") && has!("avx512bw") && has!("avx512vl") && has!("avx512dq");
    match backend {
        Backend::Scalar => true,
        Backend::Avx2 => avx2,
        Backend::Avx512 => avx512,
        Backend::Ifma => avx512 && has!("avx512ifma"),
        Backend::Pclmul => pclmul,
        Backend::Vpclmul => avx512 && pclmul && has!("vpclmulqdq"),
        Backend::Rvv => false,
    }
}

#[cfg(target_arch = "riscv64")]
fn detect(backend: Backend) -> bool {
    match backend {
        Backend::Scalar => true,
        // std's own detection of "v" is not stable (rust-lang/rust#111192), so the kernel is asked in its other way.
        Backend::Rvv => crate::files::hardware_bits().is_some_and(|bits| bits >> (b'v' - b'a') & 1 == 1),
        Backend::Avx2 | Backend::Avx512 | Backend::Ifma | Backend::Pclmul | Backend::Vpclmul => false,
    }
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64", target_arch = "riscv64")))]
fn detect(backend: Backend) -> bool {
    backend == Backend::Scalar
}

/// The best of the backends that a kernel offers and this machine can run, unless `PARCRYPT_BACKEND` forces one.
///
/// `offered` is in rising order of preference. The environment is read at every call, so that a plan made later can
/// differ; a kernel calls this once, when its plan is made. [`choose_with`] is the same without the environment.
///
/// # Errors
/// [`Error::UnknownBackend`] where the variable holds no backend's name, and those of [`choose_with`].
///
/// ```
/// use parcrypt_cpu::{Backend, choose};
///
/// let offered = [Backend::Scalar, Backend::Avx2, Backend::Avx512];
/// println!("this runs {}", choose(&offered)?);
/// # Ok::<(), parcrypt_cpu::Error>(())
/// ```
pub fn choose(offered: &[Backend]) -> Result<Backend, Error> {
    choose_with(offered, from_environment()?)
}

/// The backend that is forced, or else the best that is offered and can run here; it does not read the environment.
///
/// `offered` is in rising order of preference. A forced backend is never replaced by another.
///
/// # Errors
/// - [`Error::NotOffered`]: the forced backend is not in `offered`.
/// - [`Error::Unavailable`]: the forced backend cannot run on this machine.
/// - [`Error::NoneAvailable`]: nothing is forced and none of `offered` can run here.
pub fn choose_with(offered: &[Backend], forced: Option<Backend>) -> Result<Backend, Error> {
    choose_among(offered, forced, Backend::is_available)
}

/// [`choose_with`] on a machine that `runs` describes.
fn choose_among(
    offered: &[Backend],
    forced: Option<Backend>,
    runs: impl Fn(Backend) -> bool,
) -> Result<Backend, Error> {
    match forced {
        Some(backend) if !offered.contains(&backend) => {
            Err(Error::NotOffered { backend, offered: offered.to_vec() })
        }
        Some(backend) if !runs(backend) => {
            let available = offered.iter().copied().filter(|&b| runs(b)).collect();
            Err(Error::Unavailable { backend, available })
        }
        Some(backend) => Ok(backend),
        None => offered
            .iter()
            .rev()
            .copied()
            .find(|&b| runs(b))
            .ok_or_else(|| Error::NoneAvailable { offered: offered.to_vec() }),
    }
}

/// The backend that `PARCRYPT_BACKEND` forces; `None` where the variable is not set or empty.
///
/// # Errors
/// [`Error::UnknownBackend`] where it holds no backend's name.
pub fn from_environment() -> Result<Option<Backend>, Error> {
    match std::env::var_os(ENVIRONMENT) {
        None => Ok(None),
        Some(value) if value.is_empty() => Ok(None),
        Some(value) => value.to_string_lossy().parse().map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for backend in Backend::ALL {
            assert_eq!(backend.name().parse(), Ok(backend));
            assert_eq!(backend.to_string(), backend.name());
        }
        assert_eq!(format!("[{:>8}]", Backend::Ifma), "[    ifma]");
        for odd in ["", "AVX2", " avx2", "avx2\n", "avx-512", "neon", "scalar,avx2", "\u{fffd}"] {
            let error = odd.parse::<Backend>().unwrap_err();
            assert_eq!(error, Error::UnknownBackend { name: odd.to_owned() });
            assert!(
                error.to_string().ends_with("scalar, avx2, avx512, ifma, pclmul, vpclmul, rvv"),
                "{error}"
            );
        }
    }

    #[test]
    fn detection_is_consistent() {
        assert!(Backend::Scalar.is_available());
        assert!(!Backend::Ifma.is_available() || Backend::Avx512.is_available());
        assert!(!Backend::Avx512.is_available() || Backend::Avx2.is_available());
        assert!(!Backend::Vpclmul.is_available() || Backend::Avx512.is_available());
        assert!(!Backend::Vpclmul.is_available() || Backend::Pclmul.is_available());
        assert!(!Backend::Pclmul.is_available() || cfg!(target_arch = "x86_64"));
        assert!(!Backend::Avx2.is_available() || cfg!(target_arch = "x86_64"));
        assert!(!Backend::Rvv.is_available() || cfg!(target_arch = "riscv64"));
        assert_eq!(Backend::available()[0], Backend::Scalar);
    }

    #[test]
    fn the_last_that_runs_is_chosen() {
        use Backend::{Avx2, Avx512, Rvv, Scalar};
        let here = |b| b != Rvv && b != Avx512;
        assert_eq!(choose_among(&[Scalar, Avx2, Avx512, Rvv], None, here), Ok(Avx2));
        assert_eq!(choose_among(&[Avx2, Scalar], None, here), Ok(Scalar));
        assert_eq!(choose_among(&[Scalar, Avx2], Some(Scalar), here), Ok(Scalar));
        assert_eq!(
            choose_among(&[Scalar, Avx2, Rvv], Some(Rvv), here),
            Err(Error::Unavailable { backend: Rvv, available: vec![Scalar, Avx2] })
        );
        assert_eq!(
            choose_among(&[Scalar], Some(Avx2), here),
            Err(Error::NotOffered { backend: Avx2, offered: vec![Scalar] })
        );
        assert_eq!(choose_among(&[Rvv], None, here), Err(Error::NoneAvailable { offered: vec![Rvv] }));
        let none = choose_among(&[], None, here).unwrap_err();
        assert!(none.to_string().ends_with("none"), "{none}");
    }
}

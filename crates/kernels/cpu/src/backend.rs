//! The backends: their names, and whether this machine can run them.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;

use crate::Error;

/// Declares the backends with their names.
macro_rules! backends {
    ($($(#[$doc:meta])* $backend:ident = $name:literal,)*) => {
        /// A way to compute: an instruction set that a kernel is written for, or the library whose code it calls.
        ///
        /// The order is the order of the declaration and has no meaning for speed: the table of a kernel has its own
        /// order.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Backend {
            $($(#[$doc])* $backend,)*
        }

        impl Backend {
            /// All backends, in the order of the declaration.
            pub const ALL: [Backend; [$($name),*].len()] = [$(Backend::$backend),*];

            /// Returns the name, as in `vpclmul256`.
            ///
            /// [`FromStr`] reads exactly this spelling; [`Error::UnknownBackend`] for another.
            pub fn name(self) -> &'static str {
                match self {
                    $(Backend::$backend => $name,)*
                }
            }
        }
    };
}

backends! {
    /// Plain Rust that follows the specification, over the products of blst for points; runs everywhere.
    Portable = "portable",
    /// blst, which selects its own code for the processor while it runs; runs everywhere.
    Blst = "blst",
    /// AWS-LC, which selects its own code for the processor while it runs; runs everywhere.
    AwsLc = "aws-lc",
    /// SHA-256 of one message after the other, by the processor's instructions or in plain Rust; runs everywhere.
    Sha2 = "sha2",
    /// x86-64 with AVX2, and with BMI1, BMI2 that every such processor has.
    Avx2 = "avx2",
    /// [`Backend::Avx2`] with AVX-IFMA, the multiplication of 52-bit integers in vectors of 256 bits.
    AvxIfma = "avx-ifma",
    /// x86-64 with AVX-512 F, BW, VL and DQ, and all of [`Backend::Avx2`].
    Avx512 = "avx512",
    /// [`Backend::Avx512`] with AVX-512 IFMA, the multiplication of 52-bit integers.
    Ifma = "ifma",
    /// x86-64 with PCLMULQDQ, the carry-less multiplication of 64-bit words, and SSSE3 and SSE4.1.
    Pclmul = "pclmul",
    /// [`Backend::Avx2`] and [`Backend::Pclmul`] with VPCLMULQDQ, the carry-less multiplication on whole vectors: on
    /// 256 bits.
    Vpclmul256 = "vpclmul256",
    /// [`Backend::Avx512`] and [`Backend::Pclmul`] with VPCLMULQDQ on 512 bits.
    Vpclmul = "vpclmul",
    /// x86-64 with the SHA extensions, SSSE3 and SSE4.1.
    ShaNi = "sha-ni",
    /// 64-bit ARM with Advanced SIMD, which every one has that runs a system.
    Neon = "neon",
    /// [`Backend::Neon`] with PMULL, the carry-less multiplication of 64-bit words (feature AES).
    Pmull = "pmull",
    /// [`Backend::Pmull`] with EOR3, the sum of three vectors (feature SHA3).
    PmullEor3 = "pmull-eor3",
    /// RISC-V with the vector extension V 1.0.
    Rvv = "rvv",
    /// WebAssembly with vectors of 128 bits, for which a module is compiled or not.
    Simd128 = "simd128",
}

impl fmt::Display for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Backend {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let found = Backend::ALL.into_iter().find(|backend| backend.name() == name);
        found.ok_or_else(|| Error::UnknownBackend { name: name.to_owned() })
    }
}

impl Backend {
    /// Returns the instructions that the backend needs, as a phrase for a table.
    pub fn requirement(self) -> &'static str {
        match self {
            Backend::Portable => "runs everywhere",
            Backend::Blst | Backend::AwsLc | Backend::Sha2 => {
                "runs everywhere; the library selects its own code"
            }
            Backend::Avx2 => "x86-64 with AVX2, BMI1, BMI2",
            Backend::AvxIfma => "x86-64 with AVX-IFMA, and all of avx2",
            Backend::Avx512 => "x86-64 with AVX-512 F, BW, VL, DQ, and AVX2",
            Backend::Ifma => "x86-64 with AVX-512 IFMA, and all of avx512",
            Backend::Pclmul => "x86-64 with PCLMULQDQ, SSSE3 and SSE4.1",
            Backend::Vpclmul256 => "x86-64 with VPCLMULQDQ, and all of avx2 and pclmul",
            Backend::Vpclmul => "x86-64 with VPCLMULQDQ, and all of avx512 and pclmul",
            Backend::ShaNi => "x86-64 with the SHA extensions, SSSE3 and SSE4.1",
            Backend::Neon => "64-bit ARM",
            Backend::Pmull => "64-bit ARM with PMULL",
            Backend::PmullEor3 => "64-bit ARM with PMULL and EOR3",
            Backend::Simd128 => "WebAssembly with vectors of 128 bits",
            Backend::Rvv => "RISC-V with the vector extension 1.0",
        }
    }

    /// Returns whether the backend runs on every architecture and every machine.
    pub const fn is_everywhere(self) -> bool {
        matches!(self, Backend::Portable | Backend::Blst | Backend::AwsLc | Backend::Sha2)
    }

    /// Returns whether this processor and its operating system can run the backend's instructions.
    ///
    /// It is detected once a process; a call costs one atomic load. `dispatch.rs` of a kernel relies on a `true` when
    /// it calls a function with `#[target_feature]`: for the backends of x86-64 and ARM all features in the description
    /// of the variant are there, each as `is_x86_feature_detected!` or `is_aarch64_feature_detected!` found it.
    pub fn is_available(self) -> bool {
        static AVAILABLE: OnceLock<[bool; Backend::ALL.len()]> = OnceLock::new();
        AVAILABLE.get_or_init(|| Backend::ALL.map(|b| b.is_everywhere() || detect(b)))[self as usize]
    }

    /// Returns the backends that can run here, in the order of [`Backend::ALL`].
    pub fn available() -> Vec<Backend> {
        Backend::ALL.into_iter().filter(|b| b.is_available()).collect()
    }
}

/// Returns the features that a backend needs, by Rust's names with commas between; none for backends that run
/// everywhere, and for RISC-V.
pub(crate) const fn features(backend: Backend) -> &'static str {
    match backend {
        Backend::Avx2 => "avx2,bmi1,bmi2",
        Backend::AvxIfma => "avx2,bmi1,bmi2,avxifma",
        Backend::Avx512 => "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq",
        Backend::Ifma => "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq,avx512ifma",
        Backend::Pclmul => "pclmulqdq,ssse3,sse4.1",
        Backend::Vpclmul256 => "avx2,bmi1,bmi2,pclmulqdq,ssse3,sse4.1,vpclmulqdq",
        Backend::Vpclmul => {
            "avx2,bmi1,bmi2,avx512f,avx512bw,avx512vl,avx512dq,pclmulqdq,ssse3,sse4.1,vpclmulqdq"
        }
        Backend::ShaNi => "sha,ssse3,sse4.1",
        Backend::Neon => "neon",
        Backend::Pmull => "neon,aes",
        Backend::PmullEor3 => "neon,aes,sha3",
        Backend::Simd128 => "simd128",
        _ => "",
    }
}

/// Returns whether these are the features of a backend, for the macros of `sets` while they are compiled.
#[doc(hidden)]
pub const fn are_features(list: &str, backend: Backend) -> bool {
    let (a, b, mut i) = (list.as_bytes(), features(backend).as_bytes(), 0);
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// Returns whether a machine with these features can run a backend that needs some.
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64", test))]
pub(crate) fn runs_with(backend: Backend, has: impl Fn(&str) -> bool) -> bool {
    features(backend).split(',').all(has)
}

/// Returns whether the machine has a feature, one of those that are listed; `false` for another.
#[cfg(any(target_arch = "aarch64", target_arch = "x86_64"))]
macro_rules! detected {
    ($detect:ident, $name:expr, $($feature:tt)*) => {
        match $name {
            $($feature => $detect!($feature),)*
            _ => false,
        }
    };
}

/// Returns whether the machine has the features that `backend` needs; `false` for backends that need none.
#[cfg(target_arch = "x86_64")]
fn detect(backend: Backend) -> bool {
    runs_with(backend, |name| {
        detected!(is_x86_feature_detected, name, "avx2" "bmi1" "bmi2" "avxifma" "avx512f" "avx512bw" "avx512vl"
            "avx512dq" "avx512ifma" "pclmulqdq" "vpclmulqdq" "ssse3" "sse4.1" "sha")
    })
}

// The kernels read vectors in the order of little-endian machines.
#[cfg(target_arch = "aarch64")]
fn detect(backend: Backend) -> bool {
    use std::arch::is_aarch64_feature_detected;
    cfg!(target_endian = "little")
        && runs_with(
            backend,
            // Functions that enable Rust's `aes` may use both AES and PMULL; it is detected as AES alone.
            |name| {
                detected!(is_aarch64_feature_detected, name, "neon" "aes" "sha3")
                    && (name != "aes" || is_aarch64_feature_detected!("pmull"))
            },
        )
}

#[cfg(target_arch = "riscv64")]
fn detect(backend: Backend) -> bool {
    match backend {
        // std's own detection of "v" is not stable (rust-lang/rust#111192), so the hardware bits of the kernel are
        // read.
        Backend::Rvv => hardware_bits().is_some_and(|bits| bits >> (b'v' - b'a') & 1 == 1),
        _ => false,
    }
}

/// Returns `AT_HWCAP` of the auxiliary vector: on RISC-V, bit `n` is the extension of the `n`-th letter.
#[cfg(target_arch = "riscv64")]
fn hardware_bits() -> Option<u64> {
    hwcap(&std::fs::read("/proc/self/auxv").ok()?)
}

/// Returns `AT_HWCAP` of an auxiliary vector of 64-bit pairs (`getauxval(3)`; the tag is 16).
#[cfg(any(target_arch = "riscv64", test))]
fn hwcap(auxv: &[u8]) -> Option<u64> {
    auxv.chunks_exact(16).find_map(|pair| {
        let (tag, value) = pair.split_at(8);
        let tag = u64::from_ne_bytes(tag.try_into().ok()?);
        (tag == 16).then_some(u64::from_ne_bytes(value.try_into().ok()?))
    })
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
fn detect(backend: Backend) -> bool {
    backend == Backend::Simd128 && cfg!(target_feature = "simd128")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::sets::INCLUDED;

    #[test]
    fn names_round_trip() {
        // Documents that list the names.
        let documents = [
            include_str!("../../../../docs/reference/environment.md"),
            include_str!("../../../../CONTRIBUTING.md"),
        ];
        for backend in Backend::ALL {
            assert_eq!(backend.name().parse(), Ok(backend));
            let name = format!("`{backend}`");
            documents
                .iter()
                .for_each(|text| assert!(text.contains(&name), "{name} is not in every document"));
            assert!(!backend.requirement().is_empty());
            assert_eq!(backend.to_string(), backend.name());
        }
        assert_eq!(format!("[{:>8}]", Backend::Ifma), "[    ifma]");
        for odd in [
            "",
            "AVX2",
            " avx2",
            "avx2\n",
            "avx-512",
            "NEON",
            "portable,avx2",
            "Portable",
            "awslc",
            "\u{fffd}",
        ] {
            let error = odd.parse::<Backend>().unwrap_err();
            assert_eq!(error, Error::UnknownBackend { name: odd.to_owned() });
            assert!(
                error.to_string().ends_with(
                    "portable, blst, aws-lc, sha2, avx2, avx-ifma, avx512, ifma, pclmul, vpclmul256, vpclmul, sha-ni, neon, \
                     pmull, pmull-eor3, rvv, simd128"
                ),
                "{error}"
            );
        }
    }

    #[test]
    fn detection_is_consistent() {
        assert!(Backend::ALL.iter().all(|b| !b.is_everywhere() || b.is_available()));
        assert!(!Backend::Ifma.is_available() || Backend::Avx512.is_available());
        assert!(!Backend::AvxIfma.is_available() || Backend::Avx2.is_available());
        assert!(!Backend::Avx512.is_available() || Backend::Avx2.is_available());
        assert!(!Backend::Vpclmul.is_available() || Backend::Avx512.is_available());
        assert!(!Backend::Vpclmul.is_available() || Backend::Vpclmul256.is_available());
        assert!(!Backend::Vpclmul256.is_available() || Backend::Avx2.is_available());
        assert!(!Backend::Vpclmul256.is_available() || Backend::Pclmul.is_available());
        assert!(!Backend::Pclmul.is_available() || cfg!(target_arch = "x86_64"));
        assert!(!Backend::Avx2.is_available() || cfg!(target_arch = "x86_64"));
        assert!(!Backend::ShaNi.is_available() || cfg!(target_arch = "x86_64"));
        assert_eq!(Backend::Neon.is_available(), cfg!(target_arch = "aarch64"));
        assert!(!Backend::Pmull.is_available() || Backend::Neon.is_available());
        assert!(!Backend::PmullEor3.is_available() || Backend::Pmull.is_available());
        assert!(!Backend::Rvv.is_available() || cfg!(target_arch = "riscv64"));
        assert_eq!(Backend::available()[0], Backend::Portable);
        assert_eq!(Backend::ALL.map(|b| b as usize), std::array::from_fn(|i| i));
    }

    /// Also of rows that no emulator runs: what the code of a backend may use is what is detected. The macros of `sets`
    /// check what they enable.
    #[test]
    fn kernels_enable_only_features_that_are_detected() {
        let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut paths: Vec<_> =
            kernels.read_dir().unwrap().map(|kernel| kernel.unwrap().path().join("src")).collect();
        let mut seen = 0;
        while let Some(path) = paths.pop() {
            if path.is_dir() {
                paths.extend(path.read_dir().unwrap().map(|entry| entry.unwrap().path()));
                continue;
            }
            // The macros here have the lists of `features`.
            if path.starts_with(kernels.join("cpu")) || path.extension() != Some("rs".as_ref()) {
                continue;
            }
            for list in std::fs::read_to_string(&path).unwrap().split("enable = \"").skip(1) {
                // `ifma.rs` and a file of a folder `ifma` are of `ifma`.
                let names = path.strip_prefix(kernels).unwrap_or(&path).with_extension("");
                let backend = names.iter().find_map(|part| part.to_str()?.replace('_', "-").parse().ok());
                let Some(backend): Option<Backend> = backend else { continue };
                // The vectors of simd have functions for sets that include that of their file.
                let includes = |set: &Backend| {
                    let included = INCLUDED.iter().find(|(including, _)| including == set);
                    path.starts_with(kernels.join("simd"))
                        && included.is_some_and(|(_, all)| all.contains(&backend))
                };
                for feature in list.split('"').next().unwrap().split(',') {
                    let has = |set: &Backend| features(*set).split(',').any(|name| name == feature);
                    let known = has(&backend) || Backend::ALL.iter().any(|set| includes(set) && has(set));
                    // Every x86-64 has the first two.
                    assert!(known || ["sse", "sse2"].contains(&feature), "{}: {feature}", path.display());
                }
                seen += 1;
            }
        }
        assert!(seen > 10, "{seen} functions");
    }

    /// A set includes another only if its features are among its own.
    #[test]
    fn sets_include_those_whose_features_they_have() {
        for (set, included) in INCLUDED.iter().flat_map(|(set, all)| all.iter().map(move |one| (set, one))) {
            let has = |feature| features(*set).split(',').any(|name| name == feature);
            assert!(features(*included).split(',').all(has), "{set} includes {included}");
        }
    }

    #[test]
    fn auxiliary_vector() {
        let pairs = [(3u64, 7u64), (16, 1 << 21), (0, 0)];
        let bytes: Vec<u8> =
            pairs.iter().flat_map(|(a, b)| [a.to_ne_bytes(), b.to_ne_bytes()].concat()).collect();
        assert_eq!(hwcap(&bytes), Some(1 << 21));
        assert_eq!(hwcap(&bytes[..31]), None);
        assert_eq!(hwcap(&[]), None);
    }
}

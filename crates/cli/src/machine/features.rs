//! The extensions of the instruction set that kernels use or might use, by their vendors' names.

/// Returns the extensions that this processor has; [`Backend`](parcrypt_cpu::Backend) documents the needs of a backend.
/// Empty on an architecture without a list.
pub(crate) fn features() -> Vec<&'static str> {
    detect()
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
fn detect() -> Vec<&'static str> {
    macro_rules! present {
        ($($name:tt)*) => {
            [$(($name, is_x86_feature_detected!($name))),*]
        };
    }
    let all = present!(
        "sse2" "ssse3" "sse4.1" "avx" "avx2" "fma" "avxifma" "bmi1" "bmi2" "adx" "aes" "pclmulqdq" "sha" "vaes" "vpclmulqdq" "gfni"
        "avx512f" "avx512bw" "avx512vl" "avx512dq" "avx512cd" "avx512ifma" "avx512vbmi"
    );
    all.into_iter().filter(|(_, here)| *here).map(|(name, _)| name).collect()
}

#[cfg(not(any(target_arch = "x86", target_arch = "x86_64")))]
fn detect() -> Vec<&'static str> {
    // std's own detection is not stable on RISC-V (rust-lang/rust#111192).
    if parcrypt_cpu::Backend::Rvv.is_available() { vec!["v"] } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parcrypt_cpu::Backend;

    #[test]
    fn a_backend_is_there_only_with_its_features() {
        let all = features();
        for (backend, feature) in [
            (Backend::Avx2, "avx2"),
            (Backend::AvxIfma, "avxifma"),
            (Backend::Avx512, "avx512bw"),
            (Backend::Ifma, "avx512ifma"),
            (Backend::Pclmul, "pclmulqdq"),
            (Backend::Pclmul, "ssse3"),
            (Backend::Pclmul, "sse4.1"),
            (Backend::Vpclmul, "vpclmulqdq"),
            (Backend::Vpclmul, "avx512bw"),
        ] {
            assert!(
                !backend.is_available() || all.contains(&feature),
                "{backend} without {feature}: {all:?}"
            );
        }
        if cfg!(target_arch = "x86_64") {
            assert!(all.contains(&"sse2"), "{all:?}");
        }
    }
}

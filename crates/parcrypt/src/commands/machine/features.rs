//! The extensions of the instruction set that kernels use or might use, by their vendors' names.

/// Returns the extensions that this processor has; [`Backend`](parcrypt_cpu::Backend) documents the needs of a backend.
#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
pub(crate) fn detect() -> Vec<&'static str> {
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

#[cfg(target_arch = "aarch64")]
pub(crate) fn detect() -> Vec<&'static str> {
    macro_rules! present {
        ($($name:tt)*) => {
            [$(($name, std::arch::is_aarch64_feature_detected!($name))),*]
        };
    }
    // std's detection of SME is not stable (rust-lang/rust#127764).
    let all = present!("neon" "aes" "pmull" "sha2" "sha3" "dotprod" "i8mm" "bf16" "sve" "sve2" "sve2-aes" "sve2-sha3");
    all.into_iter().filter(|(_, here)| *here).map(|(name, _)| name).collect()
}

/// std's own detection is not stable on RISC-V (rust-lang/rust#111192), so these are the names of the kernel.
#[cfg(target_arch = "riscv64")]
pub(crate) fn detect() -> Vec<&'static str> {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    riscv(&cpuinfo)
}

/// Returns the extensions that the line `isa` of Linux has.
#[cfg(any(target_arch = "riscv64", test))]
fn riscv(cpuinfo: &str) -> Vec<&'static str> {
    /// Letters after `rv64`, and names of more letters.
    const LETTERS: [(char, &str); 6] =
        [('i', "i"), ('m', "m"), ('a', "a"), ('c', "c"), ('v', "v"), ('b', "b")];
    const NAMES: [&str; 18] = [
        "zba", "zbb", "zbc", "zbkb", "zbkc", "zbkx", "zknd", "zkne", "zknh", "zkt", "zvbb", "zvbc", "zvkb",
        "zvkg", "zvkned", "zvknha", "zvknhb", "zvkt",
    ];
    let isa = cpuinfo.lines().filter_map(|line| line.split_once(':')).find(|(key, _)| key.trim() == "isa");
    let mut parts = isa.map_or("", |(_, isa)| isa.trim()).split('_');
    let letters = parts.next().and_then(|base| base.strip_prefix("rv64")).unwrap_or_default();
    let parts: Vec<&str> = parts.collect();
    let letters = LETTERS.into_iter().filter(|(letter, _)| letters.contains(*letter)).map(|(_, name)| name);
    letters.chain(NAMES.into_iter().filter(|name| parts.contains(name))).collect()
}

/// Empty on an architecture without a list.
#[cfg(not(any(
    target_arch = "x86",
    target_arch = "x86_64",
    target_arch = "aarch64",
    target_arch = "riscv64"
)))]
pub(crate) fn detect() -> Vec<&'static str> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use parcrypt_cpu::Backend;

    #[test]
    fn the_extensions_of_risc_v_match_the_line_of_linux() {
        let isa = |isa: &str| riscv(&format!("processor\t: 0\nisa\t\t: {isa}\nmmu\t\t: sv39\n"));
        assert_eq!(isa("rv64imafdcv_zicsr_zba_zbb_zvbc"), ["i", "m", "a", "c", "v", "zba", "zbb", "zvbc"]);
        assert_eq!(isa("rv64imac"), ["i", "m", "a", "c"]);
        assert_eq!(isa("rv32imacv"), Vec::<&str>::new());
        assert_eq!(riscv("processor : 0\n"), Vec::<&str>::new());
    }

    #[test]
    fn a_backend_is_there_only_with_its_features() {
        let all = detect();
        for (backend, feature) in [
            (Backend::Avx2, "avx2"),
            (Backend::AvxIfma, "avxifma"),
            (Backend::Avx512, "avx512bw"),
            (Backend::Ifma, "avx512ifma"),
            (Backend::Pclmul, "pclmulqdq"),
            (Backend::Pclmul, "ssse3"),
            (Backend::Pclmul, "sse4.1"),
            (Backend::Vpclmul256, "vpclmulqdq"),
            (Backend::Vpclmul256, "avx2"),
            (Backend::Vpclmul, "vpclmulqdq"),
            (Backend::Vpclmul, "avx512bw"),
            (Backend::Neon, "neon"),
            (Backend::Pmull, "pmull"),
            (Backend::PmullEor3, "sha3"),
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

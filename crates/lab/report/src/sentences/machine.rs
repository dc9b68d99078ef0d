//! The machine of a record in words: generation of the processor and its instruction set.

use parcrypt_lab::record::Machine;

/// Names of backends that are instruction sets, the widest last, with the name of the set.
const SETS: [(&str, &str); 5] = [
    ("avx2", "AVX2"),
    ("avx-ifma", "AVX-IFMA"),
    ("avx512", "AVX-512"),
    ("ifma", "AVX-512 IFMA"),
    ("rvv", "RISC-V Vector"),
];

/// Returns processor, generation and instruction set, such as `AMD EPYC (Zen 5), AVX-512 IFMA`.
pub(crate) fn processor(machine: &Machine) -> String {
    let brand = machine.processor.replace("(R)", "").replace("(TM)", "");
    let words: Vec<&str> = brand.split_whitespace().filter(|word| *word != "Processor").collect();
    let mut name = words.join(" ");
    // Records of before 2026-11-25 have no generation, and virtual machines hide the model.
    if !name.contains(|c: char| c.is_ascii_digit() || c == '(')
        && let Some(generation) = generation(machine)
    {
        name += &format!(" ({generation})");
    }
    let has = |backend: &str| machine.backends.iter().any(|one| one == backend);
    let set = SETS.iter().rev().find(|(backend, _)| has(backend)).map(|(_, set)| (*set).to_owned());
    [Some(name).filter(|name| !name.is_empty()), set].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Returns the generation of a server processor by its caches and backends; `None` if they do not tell.
fn generation(machine: &Machine) -> Option<&'static str> {
    let cache =
        |level: &str| machine.caches.iter().find(|(name, _)| name == level).map_or(0, |(_, size)| size >> 10);
    let wide = machine.backends.iter().any(|backend| backend == "avx512");
    let brand = |name: &str| machine.processor.contains(name);
    match (cache("L1d"), cache("L2"), cache("L3")) {
        (48, 1024, _) if brand("EPYC") && wide => Some("Zen 5"),
        (32, 1024, _) if brand("EPYC") && wide => Some("Zen 4"),
        (32, 512, 32_768..) if brand("EPYC") && !wide => Some("Zen 3"),
        (48, 2048, _) if brand("Xeon") && wide => Some("Sapphire Rapids or later"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(processor: &str, kib: [u64; 3], backends: &[&str]) -> Machine {
        let caches = ["L1d", "L2", "L3"].into_iter().zip(kib);
        Machine {
            processor: processor.to_owned(),
            caches: caches.map(|(name, kib)| (name.to_owned(), kib << 10)).collect(),
            backends: backends.iter().map(|name| (*name).to_owned()).collect(),
            ..Machine::default()
        }
    }

    #[test]
    fn processors_have_generation_and_instruction_set() {
        for (processor, caches, backends, said) in [
            ("AMD EPYC", [32, 512, 32_768], &["portable", "avx2", "pclmul"][..], "AMD EPYC (Zen 3), AVX2"),
            ("AMD EPYC", [48, 1024, 32_768], &["avx2", "avx512", "ifma"], "AMD EPYC (Zen 5), AVX-512 IFMA"),
            ("AMD EPYC", [48, 1024, 32_768], &[], "AMD EPYC"),
            ("AMD EPYC (Zen 4)", [0; 3], &["avx2", "avx512"], "AMD EPYC (Zen 4), AVX-512"),
            ("AMD EPYC 7763 64-Core Processor", [32, 512, 32_768], &["avx2"], "AMD EPYC 7763 64-Core, AVX2"),
            (
                "Intel(R) Xeon(R) Processor",
                [48, 2048, 266_240],
                &["avx2", "avx512", "ifma"],
                "Intel Xeon (Sapphire Rapids or later), AVX-512 IFMA",
            ),
            ("", [0; 3], &[], ""),
        ] {
            assert_eq!(
                super::processor(&machine(processor, caches, backends)),
                said,
                "{processor} {caches:?}"
            );
        }
    }
}

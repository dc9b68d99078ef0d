//! Generations of processors by family and model, for virtual machines that hide the name of the processor.

/// Returns the microarchitecture of an x86 processor by vendor, family and model, as `CPUID` gives them with the
/// extended fields added; `None` if it is not in the list.
///
/// Sources: AMD, revision guides of the families 17h, 19h and 1Ah; Intel, "Intel 64 and IA-32 Architectures Software
/// Developer's Manual", volume 4, table 2-1.
pub(crate) fn generation(vendor: &str, family: u8, model: u8) -> Option<&'static str> {
    Some(match (vendor, family, model) {
        ("AuthenticAMD", 0x17, 0..=0x2f) => "Zen 1",
        ("AuthenticAMD", 0x17, _) => "Zen 2",
        ("AuthenticAMD", 0x19, 0x10..=0x1f | 0x60..=0x7f | 0xa0..=0xaf) => "Zen 4",
        ("AuthenticAMD", 0x19, _) => "Zen 3",
        ("AuthenticAMD", 0x1a, _) => "Zen 5",
        ("GenuineIntel", 6, 0x3f) => "Haswell",
        ("GenuineIntel", 6, 0x4f) => "Broadwell",
        // Cascade Lake and Cooper Lake have the model of Skylake.
        ("GenuineIntel", 6, 0x55) => "Skylake",
        ("GenuineIntel", 6, 0x6a | 0x6c) => "Ice Lake",
        ("GenuineIntel", 6, 0x8f) => "Sapphire Rapids",
        ("GenuineIntel", 6, 0xcf) => "Emerald Rapids",
        ("GenuineIntel", 6, 0xad | 0xae) => "Granite Rapids",
        ("GenuineIntel", 6, 0xaf) => "Sierra Forest",
        _ => return None,
    })
}

/// Returns a brand with its generation in parentheses, if it has no number of a model that would tell.
pub(crate) fn with_generation(brand: String, generation: Option<&str>) -> String {
    match generation {
        Some(generation) if !brand.contains(|c: char| c.is_ascii_digit()) => {
            format!("{brand} ({generation})")
        }
        _ => brand,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brand_without_a_model_gets_the_generation_of_family_and_model() {
        let (amd, intel) = ("AuthenticAMD", "GenuineIntel");
        for (vendor, brand, family, model, name) in [
            (amd, "AMD EPYC", 23, 1, "AMD EPYC (Zen 1)"),
            (amd, "AMD EPYC", 23, 49, "AMD EPYC (Zen 2)"),
            (amd, "AMD EPYC", 25, 33, "AMD EPYC (Zen 3)"),
            (amd, "AMD EPYC", 25, 97, "AMD EPYC (Zen 4)"),
            (amd, "AMD EPYC", 26, 2, "AMD EPYC (Zen 5)"),
            (amd, "AMD EPYC 7763 64-Core Processor", 25, 1, "AMD EPYC 7763 64-Core Processor"),
            (intel, "Intel Xeon Processor", 6, 143, "Intel Xeon Processor (Sapphire Rapids)"),
            (intel, "Intel Xeon Processor", 6, 1, "Intel Xeon Processor"),
            ("", "Other", 25, 1, "Other"),
        ] {
            let found = with_generation(brand.to_owned(), generation(vendor, family, model));
            assert_eq!(found, name, "{vendor} {family} {model}");
        }
    }
}

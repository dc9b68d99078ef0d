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
    fn generations_follow_from_family_and_model() {
        for (family, model, name) in [
            (23, 1, "Zen 1"),
            (23, 49, "Zen 2"),
            (25, 1, "Zen 3"),
            (25, 33, "Zen 3"),
            (25, 17, "Zen 4"),
            (25, 97, "Zen 4"),
            (25, 160, "Zen 4"),
            (26, 2, "Zen 5"),
        ] {
            assert_eq!(generation("AuthenticAMD", family, model), Some(name), "{family} {model}");
        }
        assert_eq!(generation("GenuineIntel", 6, 143), Some("Sapphire Rapids"));
        assert_eq!(generation("GenuineIntel", 6, 1), None);
        assert_eq!(generation("", 25, 1), None);
    }

    #[test]
    fn a_brand_without_a_model_gets_its_generation() {
        let named = |brand: &str, generation| with_generation(brand.to_owned(), generation);
        assert_eq!(named("AMD EPYC", Some("Zen 3")), "AMD EPYC (Zen 3)");
        assert_eq!(
            named("AMD EPYC 7763 64-Core Processor", Some("Zen 3")),
            "AMD EPYC 7763 64-Core Processor"
        );
        assert_eq!(named("AMD EPYC", None), "AMD EPYC");
    }
}

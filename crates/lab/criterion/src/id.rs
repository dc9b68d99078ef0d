//! Names of benchmarks, which are Criterion's.

use std::fmt::Display;

/// The name of a benchmark in its group: a function, a parameter, or both.
#[derive(Clone, Eq, PartialEq, Hash)]
pub struct BenchmarkId {
    pub(crate) function: Option<String>,
    pub(crate) parameter: Option<String>,
}

impl BenchmarkId {
    /// Returns the name of a function with a parameter.
    pub fn new<S: Into<String>, P: Display>(function_name: S, parameter: P) -> BenchmarkId {
        BenchmarkId { function: Some(function_name.into()), parameter: Some(parameter.to_string()) }
    }

    /// Returns the name of a group's only function with a parameter.
    pub fn from_parameter<P: Display>(parameter: P) -> BenchmarkId {
        BenchmarkId { function: None, parameter: Some(parameter.to_string()) }
    }

    /// Returns the whole name, such as `group/function/parameter`.
    pub(crate) fn name(&self, group: &str) -> String {
        self.parts(group).collect::<Vec<_>>().join("/")
    }

    /// Returns the folder of a benchmark: one in another for each part of its name.
    pub(crate) fn folder(&self, group: &str) -> String {
        self.parts(group).map(folder).collect::<Vec<_>>().join("/")
    }

    fn parts<'a>(&'a self, group: &'a str) -> impl Iterator<Item = &'a str> {
        [Some(group), self.function.as_deref(), self.parameter.as_deref()].into_iter().flatten()
    }
}

/// Returns a part of a name as the name of a folder. One that had to be changed ends with a hash of the part, so that
/// no two are the same.
pub(crate) fn folder(part: &str) -> String {
    let allowed = |c: char| !c.is_control() && !"?\"/\\*<>:|^".contains(c);
    let mut kept: String = part.chars().map(|c| if allowed(c) { c } else { '_' }).collect();
    let mut end = kept.len().min(64);
    while !kept.is_char_boundary(end) {
        end -= 1;
    }
    kept.truncate(end);
    // `..` leads out of the folder of results; Windows drops dots and spaces at the end of a name.
    kept.truncate(kept.trim_end_matches(['.', ' ']).len());
    if kept == part && !part.is_empty() {
        return kept;
    }
    // FNV-1a.
    let hash = part.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{kept}-{hash:016x}")
}

/// What a group takes for the name of a benchmark: a [`BenchmarkId`], or the name of a function.
pub trait IntoBenchmarkId: sealed::Sealed {
    /// Returns the name.
    fn into_benchmark_id(self) -> BenchmarkId;
}

impl IntoBenchmarkId for BenchmarkId {
    fn into_benchmark_id(self) -> BenchmarkId {
        self
    }
}

impl<S: Into<String>> IntoBenchmarkId for S {
    fn into_benchmark_id(self) -> BenchmarkId {
        let function = self.into();
        assert!(!function.is_empty(), "the name of a function is empty");
        BenchmarkId { function: Some(function), parameter: None }
    }
}

mod sealed {
    /// Implemented by what [`IntoBenchmarkId`](super::IntoBenchmarkId) is implemented for.
    pub trait Sealed {}
    impl Sealed for super::BenchmarkId {}
    impl<S: Into<String>> Sealed for S {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_criterion() {
        assert_eq!(BenchmarkId::new("f", 3).name("g"), "g/f/3");
        assert_eq!(BenchmarkId::from_parameter("a/b").name("g"), "g/a/b");
        assert_eq!("f µ".into_benchmark_id().name("g h"), "g h/f µ");
        assert_eq!(BenchmarkId { function: None, parameter: None }.name("g"), "g");
        assert_eq!(BenchmarkId::new(String::from("f"), "").name("g"), "g/f/");
    }

    #[test]
    fn folders_are_allowed_by_systems_and_differ() {
        assert_eq!(BenchmarkId::new("f µ", 1.5).folder("g"), "g/f µ/1.5");
        let changed = ["", "_", ".", "..", "a/b", "a_b", "a:b", "a", "a ", "a.", "a\0"].map(folder);
        for (index, one) in changed.iter().enumerate() {
            assert!(
                !one.is_empty() && !one.contains(['/', ':', '\0']) && !one.ends_with(['.', ' ']),
                "{one}"
            );
            assert!(!changed[..index].contains(one), "{one}");
        }
        // 64 bytes would end within a character.
        let long = folder(&format!("a{}", "µ".repeat(40)));
        assert!(long.starts_with(&format!("a{}-", "µ".repeat(31))), "{long}");
        assert_eq!(folder("a/").rsplit_once('-').map(|(kept, _)| kept), Some("a_"));
    }
}

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
        let parts = [Some(group), self.function.as_deref(), self.parameter.as_deref()];
        parts.into_iter().flatten().collect::<Vec<_>>().join("/")
    }
}

/// What a group takes for the name of a benchmark: a [`BenchmarkId`], or the name of a function.
pub trait IntoBenchmarkId {
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
}

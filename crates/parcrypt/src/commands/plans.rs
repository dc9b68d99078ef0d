//! The built-in plans: all of `plans/`.

macro_rules! plans {
    ($($name:literal)*) => {
        &[$(($name, include_str!(concat!("../../../../plans/", $name, ".toml")))),*]
    };
}

/// Name and text of each plan, in the order of `parcrypt list`: first those that need nothing but this program.
pub(super) const PLANS: &[(&str, &str)] = plans! {
    "quick"
    "openmp-against-rayon"
    "small-calls"
    "ntt-x86"
    "ntt-matrix"
    "sum"
    "block-blobs"
    "cells"
    "clients"
    "kzg-cluster"
    "kzg-peers"
    "lattice-peers"
    "mac-peers"
    "mac-sizes"
    "msm-peers"
    "ntt-peers"
    "ntt-steps"
    "parallel-sum"
    "precompiles"
    "python"
    "runtime-tax"
    "runtime-tax-instructions"
    "rw-peers"
    "scrypt"
    "wasm-peers"
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_plan_is_built_in() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../plans");
        let files =
            std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
        let mut files: Vec<String> =
            files.filter_map(|file| Some(file.strip_suffix(".toml")?.to_owned())).collect();
        let mut names: Vec<&str> = PLANS.iter().map(|(name, _)| *name).collect();
        files.sort();
        names.sort_unstable();
        assert_eq!(names, files);
    }
}

//! The built-in plans.

/// Name and text of each plan, in the order of `parcrypt list`.
pub(crate) const PLANS: &[(&str, &str)] = &[
    ("quick", include_str!("../../../../plans/quick.toml")),
    ("openmp-against-rayon", include_str!("../../../../plans/openmp-against-rayon.toml")),
    ("small-calls", include_str!("../../../../plans/small-calls.toml")),
    ("ntt-x86", include_str!("../../../../plans/ntt-x86.toml")),
    ("sum", include_str!("../../../../plans/sum.toml")),
    ("roofline", include_str!("../../../../plans/roofline.toml")),
];

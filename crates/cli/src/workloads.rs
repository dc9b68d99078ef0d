//! The list of kernels. A new one is a file in `kernels/`, its `mod` line and its name in [`all`].

mod fft;
mod field;
mod hash;
mod kzg;
mod mac;
mod ntt;
#[cfg(feature = "rw")]
mod rw;
mod scrypt;
mod sum;

use crate::workload::Workload;

/// All workloads, in the order in which people are shown them.
pub(crate) fn all() -> impl Iterator<Item = &'static Workload> {
    const ALL: &[&[Workload]] = &[
        sum::WORKLOADS,
        fft::WORKLOADS,
        ntt::WORKLOADS,
        kzg::WORKLOADS,
        scrypt::WORKLOADS,
        mac::WORKLOADS,
        #[cfg(feature = "rw")]
        rw::WORKLOADS,
        hash::WORKLOADS,
        field::WORKLOADS,
    ];
    ALL.iter().copied().flatten()
}

/// The feature that a build lacks for a workload of this name, if there is one.
pub(crate) fn missing_feature(name: &str) -> Option<&'static str> {
    (cfg!(not(feature = "rw")) && matches!(name, "rw-sign" | "rw-verify")).then_some("rw")
}

//! The list of kernels. A new one is a file in `kernels/`, its `mod` line and its name in [`all`].

mod fft;
mod field;
mod hash;
mod kzg;
mod mac;
mod ntt;
mod rw;
mod scrypt;
mod sum;

use crate::workload::Workload;

/// All workloads, in the order in which people are shown them.
pub(crate) fn all() -> impl Iterator<Item = &'static Workload> {
    const ALL: [&[Workload]; 9] = [
        sum::WORKLOADS,
        fft::WORKLOADS,
        ntt::WORKLOADS,
        kzg::WORKLOADS,
        scrypt::WORKLOADS,
        mac::WORKLOADS,
        rw::WORKLOADS,
        hash::WORKLOADS,
        field::WORKLOADS,
    ];
    ALL.into_iter().flatten()
}

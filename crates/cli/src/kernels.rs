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

use crate::kernel::Kernel;

/// All workloads, in the order in which people are shown them.
pub(crate) fn all() -> impl Iterator<Item = &'static Kernel> {
    const ALL: [&[Kernel]; 9] = [
        sum::KERNELS,
        fft::KERNELS,
        ntt::KERNELS,
        kzg::KERNELS,
        scrypt::KERNELS,
        mac::KERNELS,
        rw::KERNELS,
        hash::KERNELS,
        field::KERNELS,
    ];
    ALL.into_iter().flatten()
}

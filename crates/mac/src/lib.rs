//! GMAC and VMAC: carry-less and 64-bit polynomial hashes, split over any runtime.

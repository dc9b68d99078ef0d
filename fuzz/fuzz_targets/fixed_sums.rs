#![no_main]

parcrypt_fuzz::target!(arithmetic::fixed_sums);

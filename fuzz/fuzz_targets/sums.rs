#![no_main]

parcrypt_fuzz::target!(arithmetic::sums);

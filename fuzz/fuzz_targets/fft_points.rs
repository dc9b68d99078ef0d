#![no_main]

parcrypt_fuzz::target!(arithmetic::fft_points);

#![no_main]

parcrypt_fuzz::target!(eip4844::compute_kzg_proof);

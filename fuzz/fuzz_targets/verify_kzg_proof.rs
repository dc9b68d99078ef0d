#![no_main]

parcrypt_fuzz::target!(eip4844::verify_kzg_proof);

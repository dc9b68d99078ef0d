#![no_main]

parcrypt_fuzz::target!(eip4844::compute_blob_kzg_proof);

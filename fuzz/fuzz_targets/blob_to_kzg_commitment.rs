#![no_main]

parcrypt_fuzz::target!(eip4844::blob_to_kzg_commitment);

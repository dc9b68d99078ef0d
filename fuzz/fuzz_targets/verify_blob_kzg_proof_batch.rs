#![no_main]

parcrypt_fuzz::target!(eip4844::verify_blob_kzg_proof_batch);

#![no_main]

parcrypt_fuzz::target!(eip7594::compute_verify_cell_kzg_proof_batch_challenge);

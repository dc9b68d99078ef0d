#![no_main]

parcrypt_fuzz::target!(eip7594::verify_cell_kzg_proof_batch);

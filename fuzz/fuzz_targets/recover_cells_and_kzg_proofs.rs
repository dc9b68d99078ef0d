#![no_main]

parcrypt_fuzz::target!(eip7594::recover_cells_and_kzg_proofs);

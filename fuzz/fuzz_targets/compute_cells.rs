#![no_main]

parcrypt_fuzz::target!(eip7594::compute_cells);

#![no_main]

parcrypt_fuzz::target!(setup::tables);

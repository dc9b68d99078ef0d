#![no_main]

parcrypt_fuzz::target!(setup::setup_compressed);

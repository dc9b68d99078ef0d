//! Rabin-Williams signatures: sign, verify, key generation, over any runtime.

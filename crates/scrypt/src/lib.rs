//! scrypt (RFC 7914): lanes over threads and inside vector registers, within a bound on memory.

//! The rows `portable`: GHASH and VHASH in plain integers, without branches or indices that depend on secrets.

pub(crate) mod ghash;
pub(crate) mod vhash;

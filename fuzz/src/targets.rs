//! What is called, and what is compared.

pub mod eip4844;
pub mod eip7594;
pub mod setup;

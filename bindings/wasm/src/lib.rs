//! KZG as a WebAssembly module without imports: a call has a number, bytes in and bytes out. `kzg.mjs` makes the API of
//! the npm package kzg-wasm of it. It depends on `parcrypt-kzg` only.
#![allow(unsafe_code, reason = "names of exports are global")]

use std::cell::RefCell;

use parcrypt_kzg::{
    BYTES_PER_BLOB, BYTES_PER_CELL, CellsAndProofs, Request, Settings, blob_to_kzg_commitment,
    compute_blob_kzg_proof, compute_cells, compute_cells_and_kzg_proofs, recover_cells_and_kzg_proofs,
    verify_blob_kzg_proof_batch, verify_cell_kzg_proof_batch, verify_kzg_proof,
};
use parcrypt_runtime::Serial;

/// Bytes of a compressed point of G1: a commitment or a proof.
const POINT: usize = 48;
/// Bytes of a field element.
const ELEMENT: usize = 32;

/// What is kept between the steps of a call, and the settings between calls.
#[derive(Default)]
struct Module {
    settings: Option<Settings>,
    input: Vec<u8>,
    output: Vec<u8>,
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
}

/// Returns the address of room for `length` bytes of input.
#[unsafe(no_mangle)]
extern "C" fn input(length: usize) -> *mut u8 {
    MODULE.with_borrow_mut(|module| {
        module.input.clear();
        module.input.resize(length, 0);
        module.input.as_mut_ptr()
    })
}

/// Returns the address of the output of the last call.
#[unsafe(no_mangle)]
extern "C" fn output() -> *const u8 {
    MODULE.with_borrow(|module| module.output.as_ptr())
}

/// Returns the length of the output of the last call, in bytes.
#[unsafe(no_mangle)]
extern "C" fn output_length() -> usize {
    MODULE.with_borrow(|module| module.output.len())
}

/// Computes a function for `count` items from the input. Returns whether it succeeded; if not, the output is a message.
#[unsafe(no_mangle)]
extern "C" fn call(function: u32, count: usize) -> bool {
    MODULE.with_borrow_mut(|module| {
        let result = module.call(function, count);
        let succeeded = result.is_ok();
        module.output = result.unwrap_or_else(|why| why.into_bytes());
        succeeded
    })
}

impl Module {
    fn call(&mut self, function: u32, count: usize) -> Result<Vec<u8>, String> {
        let mut input = Input(&self.input);
        match function {
            // The setup of mainnet, or that in the input.
            0 => {
                let loaded = match self.input.is_empty() {
                    true => Settings::mainnet(Request::Auto),
                    false => {
                        let (monomial, lagrange, g2) =
                            (input.take(4096 * POINT)?, input.take(4096 * POINT)?, input.0);
                        Settings::from_compressed(&Serial, Request::Auto, monomial, lagrange, g2)
                    }
                };
                self.settings = Some(loaded.map_err(text)?);
                return Ok(Vec::new());
            }
            1 => {
                self.settings = None;
                return Ok(Vec::new());
            }
            _ => {}
        }
        let settings = self.settings.as_ref().ok_or("no trusted setup is loaded")?;
        let output = match function {
            2 => {
                blob_to_kzg_commitment(&Serial, settings, input.take(BYTES_PER_BLOB)?).map_err(text)?.to_vec()
            }
            3 => {
                let (blob, commitment) = (input.take(BYTES_PER_BLOB)?, input.take(POINT)?);
                compute_blob_kzg_proof(&Serial, settings, blob, commitment).map_err(text)?.to_vec()
            }
            4 => {
                let blobs = input.many(count, BYTES_PER_BLOB)?;
                let (commitments, proofs) = (input.many(count, POINT)?, input.many(count, POINT)?);
                let is_valid = verify_blob_kzg_proof_batch(&Serial, settings, &blobs, &commitments, &proofs);
                vec![is_valid.map_err(text)?.into()]
            }
            5 => {
                let (commitment, z) = (input.take(POINT)?, input.take(ELEMENT)?);
                let (y, proof) = (input.take(ELEMENT)?, input.take(POINT)?);
                vec![verify_kzg_proof(&Serial, settings, commitment, z, y, proof).map_err(text)?.into()]
            }
            6 => compute_cells(&Serial, settings, input.take(BYTES_PER_BLOB)?).map_err(text)?.concat(),
            7 => {
                let blob = input.take(BYTES_PER_BLOB)?;
                joined(compute_cells_and_kzg_proofs(&Serial, settings, blob).map_err(text)?)
            }
            8 => {
                let (indices, cells) = (input.indices(count)?, input.many(count, BYTES_PER_CELL)?);
                joined(recover_cells_and_kzg_proofs(&Serial, settings, &indices, &cells).map_err(text)?)
            }
            9 => {
                let (commitments, indices) = (input.many(count, POINT)?, input.indices(count)?);
                let (cells, proofs) = (input.many(count, BYTES_PER_CELL)?, input.many(count, POINT)?);
                let is_valid =
                    verify_cell_kzg_proof_batch(&Serial, settings, &commitments, &indices, &cells, &proofs);
                vec![is_valid.map_err(text)?.into()]
            }
            _ => return Err(format!("unknown function {function}")),
        };
        match input.0 {
            [] => Ok(output),
            rest => Err(format!("{} bytes too many", rest.len())),
        }
    }
}

/// Returns all cells and then all proofs.
fn joined(both: CellsAndProofs) -> Vec<u8> {
    [both.cells.concat(), both.proofs.concat()].concat()
}

fn text(error: parcrypt_kzg::Error) -> String {
    error.to_string()
}

/// The bytes of the input that are not taken yet.
struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, length: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or("the input is too short")?;
        self.0 = rest;
        Ok(taken)
    }

    fn many(&mut self, count: usize, length: usize) -> Result<Vec<&'a [u8]>, String> {
        (0..count).map(|_| self.take(length)).collect()
    }

    /// Returns indices, which are little-endian words of 32 bits.
    fn indices(&mut self, count: usize) -> Result<Vec<u64>, String> {
        let bytes = self.take(count.checked_mul(4).ok_or("too many items")?)?;
        Ok(bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word).into()).collect())
    }
}

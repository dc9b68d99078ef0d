//! KZG as a WebAssembly module without imports: a call has a number, bytes in and bytes out. `kzg.mjs` makes the API of
//! the npm package kzg-wasm of it. It has no second opinion.
#![allow(unsafe_code, reason = "names of exports are global")]

#[path = "../../call.rs"]
mod call;

use std::cell::RefCell;

use call::{Input, call, text};
use parcrypt_kzg::{BYTES_PER_COMMITMENT, FIELD_ELEMENTS_PER_BLOB, Request, Settings};
use parcrypt_runtime::Serial;
use parcrypt_shadow::Parcrypt;

/// What is kept between the steps of a call, and the settings between calls.
#[derive(Default)]
struct Module {
    settings: Option<Parcrypt>,
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
#[unsafe(export_name = "call")]
extern "C" fn compute(function: u32, count: usize) -> bool {
    MODULE.with_borrow_mut(|module| {
        let result = module.compute(function, count);
        let succeeded = result.is_ok();
        module.output = result.unwrap_or_else(|why| why.into_bytes());
        succeeded
    })
}

impl Module {
    fn compute(&mut self, function: u32, count: usize) -> Result<Vec<u8>, String> {
        match function {
            // The setup of mainnet, or that in the input.
            0 => {
                let mut input = Input(&self.input);
                let list = FIELD_ELEMENTS_PER_BLOB * BYTES_PER_COMMITMENT;
                let loaded = match self.input.is_empty() {
                    true => Settings::mainnet(Request::Auto),
                    false => {
                        let (monomial, lagrange, g2) = (input.take(list)?, input.take(list)?, input.0);
                        Settings::from_compressed(&Serial, Request::Auto, monomial, lagrange, g2)
                    }
                };
                self.settings = Some(Parcrypt::new(loaded.map_err(text)?));
                Ok(Vec::new())
            }
            1 => {
                self.settings = None;
                Ok(Vec::new())
            }
            _ => {
                let settings = self.settings.as_ref().ok_or("no trusted setup is loaded")?;
                call(settings, function, count, &self.input)
            }
        }
    }
}

//! KZG for Node.js: a call has a number, bytes in and bytes out, at once or on a thread of Node.js's pool.
//! `lib/kzg.js` makes the API of the npm package c-kzg of it.

#[path = "../../call.rs"]
mod call;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use napi::bindgen_prelude::{AsyncTask, Buffer};
use napi::{Env, Error, Result, Task};
use napi_derive::napi;
use parcrypt_kzg as kzg;
use parcrypt_runtime::Serial;
use parcrypt_shadow::Shadowed;

/// A trusted setup with its tables.
#[napi]
pub struct Settings(Arc<Shadowed>);

#[napi]
impl Settings {
    /// Loads a setup from a file, or mainnet's. `precompute`, from 0 to 15, bounds the memory of tables.
    #[napi(factory)]
    pub fn load(precompute: u32, path: Option<String>) -> Result<Self> {
        Load { precompute, path }.load().map(Settings)
    }

    /// As `load`, on another thread.
    #[napi]
    pub fn start_load(precompute: u32, path: Option<String>) -> AsyncTask<Load> {
        AsyncTask::new(Load { precompute, path })
    }

    /// Returns the output of a function for `count` items.
    #[napi]
    pub fn call(&self, function: u32, count: u32, input: Buffer) -> Result<Buffer> {
        Call { settings: self.0.clone(), function, count, input }.output().map(Buffer::from)
    }

    /// As `call`, on another thread. The input must not change meanwhile.
    #[napi]
    pub fn start(&self, function: u32, count: u32, input: Buffer) -> AsyncTask<Call> {
        AsyncTask::new(Call { settings: self.0.clone(), function, count, input })
    }
}

/// Returns what `work` returns, and an error where it panics: nothing unwinds into Node.js.
fn guarded<T>(work: impl FnOnce() -> std::result::Result<T, String>) -> Result<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(Error::from_reason),
        Err(_) => Err(Error::from_reason("internal error")),
    }
}

/// A setup to load.
pub struct Load {
    precompute: u32,
    path: Option<String>,
}

impl Load {
    fn load(&self) -> Result<Arc<Shadowed>> {
        let precompute = self.precompute.into();
        guarded(|| {
            let settings = match &self.path {
                Some(path) => Shadowed::load(|requests| {
                    kzg::Settings::from_ckzg_file(&Serial, requests, Path::new(path), precompute)
                })
                .map_err(|why| format!("{path}: {why}"))?,
                None => {
                    Shadowed::load(|requests| kzg::Settings::mainnet_for_ckzg(&Serial, requests, precompute))
                        .map_err(call::text)?
                }
            };
            Ok(Arc::new(settings))
        })
    }
}

impl Task for Load {
    type Output = Arc<Shadowed>;
    type JsValue = Settings;

    fn compute(&mut self) -> Result<Self::Output> {
        self.load()
    }

    fn resolve(&mut self, _: Env, settings: Self::Output) -> Result<Settings> {
        Ok(Settings(settings))
    }
}

/// A function and its input.
pub struct Call {
    settings: Arc<Shadowed>,
    function: u32,
    count: u32,
    input: Buffer,
}

impl Call {
    fn output(&self) -> Result<Vec<u8>> {
        guarded(|| call::call(&*self.settings, self.function, self.count as usize, &self.input))
    }
}

impl Task for Call {
    type Output = Vec<u8>;
    type JsValue = Buffer;

    fn compute(&mut self) -> Result<Vec<u8>> {
        self.output()
    }

    fn resolve(&mut self, _: Env, output: Vec<u8>) -> Result<Buffer> {
        Ok(output.into())
    }
}

//! The workloads, over any library. `docs/reference/workloads.md` defines them.

use std::sync::Arc;
use std::thread;

use parcrypt_protocol::{OutputDigest, Prepare, Ready, Sample, Worker, WorkerError, input, memory};
use sha2::{Digest, Sha256};

use crate::library::{
    Cost, DERIVED, Failure, Lattice, Library, Lines, Load, Matrix, N, NONCE, SECRET, TAG, Task,
};

const WORKLOADS: &str = "scrypt, gmac, ntt-product, ntt-matrix";
/// The rings of products: names, modulus and number of coefficients.
const RINGS: [(&str, u32, usize); 3] =
    [("ml-dsa", 8_380_417, 256), ("any-1024", 8_380_417, 1024), ("any-4096", 8_380_417, 4096)];
/// Maximum number of keys, messages or products.
const MAX_ITEMS: u64 = 1 << 20;
/// The rings of matrices.
const LATTICES: [(&str, Lattice); 2] = [("ml-kem", Lattice::MlKem), ("ml-dsa", Lattice::MlDsa)];
/// Maximum number of rows, and of columns, of a matrix.
const MAX_ROWS: u64 = 4096;
/// Bytes of a coefficient, except in the output of a matrix in ML-KEM's ring.
const WORD: usize = size_of::<u32>();
/// Maximum size of an input, as log2 of the bytes.
const MAX_SCALE: u64 = 30;
/// Maximum number of threads of the caller's own.
const MAX_THREADS: usize = 256;

impl From<Failure> for WorkerError {
    fn from(failure: Failure) -> Self {
        WorkerError::other(failure)
    }
}

/// Prepared work: a task for each of the caller's threads.
struct Work {
    tasks: Vec<Task>,
    /// Bytes of the output for one key, message, product or matrix.
    width: usize,
    /// The output, in words because products of polynomials are.
    output: Lines<u32>,
    /// Whether the output has coefficients of two bytes, which the digest is of as words of four.
    narrow: bool,
}

impl Work {
    fn iterate(&mut self) -> Result<(), Failure> {
        let output: &mut [u8] = bytemuck::cast_slice_mut(&mut self.output);
        let items = output.len() / self.width;
        let share = items.div_ceil(self.tasks.len()).max(1);
        let width = self.width;
        let parts = self.tasks.iter_mut().zip(output.chunks_mut(share * width)).enumerate();
        let parts = parts.map(|(i, (task, output))| {
            move || {
                let mut outputs = output.chunks_mut(width).enumerate();
                outputs.try_for_each(|(k, output)| task(i * share + k, output))
            }
        });
        // The caller's thread computes the first part.
        thread::scope(|scope| {
            let mut parts = parts;
            let first = parts.next();
            let others: Vec<_> = parts.map(|part| scope.spawn(part)).collect();
            let mut outcome = first.map_or(Ok(()), |mut part| part());
            for other in others {
                outcome = outcome.and(other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            outcome
        })
    }
}

/// A library as a candidate.
pub(crate) struct Peer {
    /// The library, or why it is missing.
    library: Result<Library, String>,
    work: Option<Work>,
}

impl Peer {
    /// Returns the candidate with nothing prepared yet; `load` is `None` if this program was built without the library.
    pub(crate) fn new(name: &str, load: Option<Load>) -> Self {
        let missing = || Err(format!("this program was built without {name}: what it needs was missing"));
        Peer { library: load.map_or_else(missing, |load| load()), work: None }
    }
}

/// A workload with its parameters, all of which are checked.
struct Asked {
    /// Number of keys, messages or products; 1 for a matrix.
    items: usize,
    /// Bytes of input for each.
    bytes: usize,
    /// Bytes of output for each.
    width: usize,
    /// Whether the output has coefficients of two bytes.
    narrow: bool,
    /// Returns a task of the library that reads its part of the input; for scrypt with this number of threads.
    make: Box<MakeTask>,
}

type MakeTask = dyn Fn(&Library, usize, &Arc<[u8]>) -> Result<Task, WorkerError>;

fn asked(request: &Prepare) -> Result<Asked, WorkerError> {
    let number = |name, least, most, default| -> Result<u64, WorkerError> {
        Ok(request.number(name, least, most)?.unwrap_or(default))
    };
    let lacks =
        |library: &Library, what: &str| WorkerError::Unsupported(format!("{} has no {what}", library.name));
    let narrow = false;
    Ok(match request.workload.as_str() {
        "scrypt" => {
            request.only(&["log-n", "r", "p", "keys", "loop"])?;
            let log_n = request.required("log-n", 1, 30)? as u8;
            let cost =
                Cost { log_n, r: number("r", 1, 1 << 16, 8)? as u32, p: number("p", 1, 1 << 16, 1)? as u32 };
            let items = number("keys", 1, MAX_ITEMS, 1)? as usize;
            let make = move |library: &Library, threads: usize, input: &Arc<[u8]>| -> Result<Task, _> {
                let mut derive = library.scrypt.ok_or_else(|| lacks(library, "scrypt"))?(cost, threads)?;
                let input = input.clone();
                Ok(Box::new(move |item, output| {
                    let (password, salt) = input[part(item, 2 * SECRET)].split_at(SECRET);
                    derive(password, salt, output)
                }))
            };
            Asked { items, bytes: 2 * SECRET, width: DERIVED, narrow, make: Box::new(make) }
        }
        "gmac" => {
            request.only(&["scale", "messages", "key-bits", "loop"])?;
            let bytes = 1 << request.required("scale", 0, MAX_SCALE)?;
            let items = number("messages", 1, MAX_ITEMS, 1)? as usize;
            let key = (request.choice("key-bits", &[128u64, 192, 256])?.unwrap_or(128) / 8) as u8;
            let make = move |library: &Library, _: usize, input: &Arc<[u8]>| -> Result<Task, _> {
                let key: Vec<u8> = (0..key).collect();
                let gmac = library.gmac.ok_or_else(|| lacks(library, "GMAC"))?(&key)?;
                let bits = 8 * key.len();
                let mut gmac = gmac.ok_or_else(|| lacks(library, &format!("AES with {bits} bits")))?;
                let input = input.clone();
                Ok(Box::new(move |item, output| gmac(&nonce(item), &input[part(item, bytes)], output)))
            };
            Asked { items, bytes, width: TAG, narrow, make: Box::new(make) }
        }
        "ntt-product" => {
            request.only(&["ring", "products", "loop"])?;
            let names = RINGS.map(|(name, ..)| name);
            let ring = request.choice("ring", &names)?.unwrap_or(names[0]);
            let (_, modulus, n) = RINGS.into_iter().find(|(name, ..)| *name == ring).unwrap_or(RINGS[0]);
            let items = number("products", 1, MAX_ITEMS, 1)? as usize;
            let make = move |library: &Library, _: usize, input: &Arc<[u8]>| -> Result<Task, _> {
                let product = library.product.ok_or_else(|| lacks(library, "products of polynomials"))?;
                let ring = || lacks(library, &format!("ring modulo {modulus} with {n} coefficients"));
                let mut multiply = product(modulus, n)?.ok_or_else(ring)?;
                let words = Lines::new(words(input, modulus));
                Ok(Box::new(move |item, output| {
                    let (a, b) = words[part(item, 2 * n)].split_at(n);
                    multiply(a, b, bytemuck::cast_slice_mut(output))
                }))
            };
            Asked { items, bytes: 2 * n * WORD, width: n * WORD, narrow, make: Box::new(make) }
        }
        "ntt-matrix" => {
            request.only(&["ring", "rows", "columns"])?;
            let names = LATTICES.map(|(name, _)| name);
            let ring = request.choice("ring", &names)?.unwrap_or(names[0]);
            let (_, lattice) = LATTICES.into_iter().find(|(name, _)| *name == ring).unwrap_or(LATTICES[0]);
            let rows = request.required("rows", 1, MAX_ROWS)? as usize;
            let columns = request.required("columns", 1, MAX_ROWS)? as usize;
            let make = move |library: &Library, _: usize, input: &Arc<[u8]>| {
                let words: Vec<u32> = words(input, lattice.modulus()).collect();
                let (entries, vector) = words.split_at(rows * columns * N);
                let matrix = library.matrix.ok_or_else(|| lacks(library, "matrices of polynomials"))?;
                let task = matrix(Matrix { lattice, rows, columns, entries, vector })?;
                let what = format!("matrices in this ring whose number of columns is {columns}");
                task.ok_or_else(|| lacks(library, &what))
            };
            let (bytes, width) = ((rows + 1) * columns * N * WORD, rows * N * lattice.word());
            Asked { items: 1, bytes, width, narrow: lattice.word() != WORD, make: Box::new(make) }
        }
        _ => return Err(WorkerError::workload(&request.workload, WORKLOADS)),
    })
}

/// Returns the place of an item's part.
fn part(item: usize, len: usize) -> std::ops::Range<usize> {
    item * len..(item + 1) * len
}

/// Returns the coefficients of an input.
fn words(input: &[u8], modulus: u32) -> impl Iterator<Item = u32> {
    input.as_chunks().0.iter().map(move |word| u32::from_le_bytes(*word) % modulus)
}

/// Returns the nonce: the bytes 0 to 7, then the message's index.
fn nonce(message: usize) -> [u8; NONCE] {
    let mut nonce = [0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0];
    nonce[8..].copy_from_slice(&(message as u32).to_be_bytes());
    nonce
}

impl Worker for Peer {
    fn prepare(&mut self, request: &Prepare) -> Result<Ready, WorkerError> {
        let Asked { items, bytes, width, narrow, make } = asked(request)?;
        let loops = request.choice("loop", &["serial", "threads"])? == Some("threads");
        let library = self.library.as_ref().map_err(|why| WorkerError::Unsupported(why.clone()))?;
        let own = library.scrypt_runtime.filter(|_| request.workload == "scrypt");
        // Threads of the library, or of the caller.
        let (inside, tasks, runtime) = match (loops, own) {
            (true, _) => (1, request.threads, "threads"),
            (false, Some(runtime)) => (request.threads, 1, runtime),
            (false, None) => (1, 1, "serial"),
        };
        if request.threads != inside * tasks {
            let why = format!("{} runs on 1 thread here, {} were asked for", library.name, request.threads);
            return Err(WorkerError::Unsupported(why));
        }
        if request.threads > MAX_THREADS {
            let why = format!("{} threads: {MAX_THREADS} are the most", request.threads);
            return Err(WorkerError::Unsupported(why));
        }
        let input: Arc<[u8]> = input::read(request.input()?, items as u64 * bytes as u64)?.into();
        let tasks = (0..tasks).map(|_| make(library, inside, &input)).collect::<Result<Vec<_>, _>>()?;
        let output = Lines::new(std::iter::repeat_n(0, items * width / WORD));
        self.work = Some(Work { tasks, width, output, narrow });
        memory::reset_peak();
        Ok(Ready {
            name: library.name.to_owned(),
            version: library.version.clone(),
            runtime: runtime.to_owned(),
            threads: request.threads,
            ..Ready::default()
        })
    }

    fn sample(&mut self, iterations: u64) -> Result<Sample, WorkerError> {
        let work = self.work.as_mut().ok_or(WorkerError::NotPrepared { request: "sample" })?;
        Ok(Sample::time(iterations, || std::hint::black_box(&mut *work).iterate())?)
    }

    fn digest(&mut self) -> Result<OutputDigest, WorkerError> {
        let work = self.work.as_ref().ok_or(WorkerError::NotPrepared { request: "digest" })?;
        let output: &[u32] = &work.output;
        let wide: Vec<u32>;
        let output = if work.narrow {
            wide = bytemuck::cast_slice::<_, u16>(output).iter().map(|word| (*word).into()).collect();
            &wide
        } else {
            output
        };
        Ok(OutputDigest(Sha256::digest(bytemuck::cast_slice::<_, u8>(output)).into()))
    }
}

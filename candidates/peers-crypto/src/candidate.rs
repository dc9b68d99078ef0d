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
const MOST_ITEMS: u64 = 1 << 20;
/// The rings of matrices.
const LATTICES: [(&str, Lattice); 2] = [("ml-kem", Lattice::MlKem), ("ml-dsa", Lattice::MlDsa)];
/// Maximum number of rows, and of columns, of a matrix.
const MOST_ROWS: u64 = 4096;
/// Bytes of a coefficient, except in the output of a matrix in ML-KEM's ring.
const WORD: usize = size_of::<u32>();
/// Maximum size of an input, as log2 of the bytes.
const MOST_SCALE: u64 = 30;
/// Maximum number of threads of the caller's own.
const MOST_THREADS: usize = 256;

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
#[derive(Clone, Copy, Debug)]
enum Asked {
    Scrypt(Cost),
    Gmac { key: usize },
    Product { modulus: u32, n: usize },
    Matrix { lattice: Lattice, rows: usize, columns: usize },
}

/// The way of computing a workload.
#[derive(Clone, Copy, Debug)]
struct How {
    asked: Asked,
    /// Number of keys, messages or products; 1 for a matrix.
    items: usize,
    /// Bytes of input for each.
    bytes: usize,
    /// Whether the caller divides them among threads of its own.
    threads: bool,
}

fn asked(request: &Prepare) -> Result<How, WorkerError> {
    let number = |name, least, most, default| -> Result<u64, WorkerError> {
        Ok(request.number(name, least, most)?.unwrap_or(default))
    };
    let threads = request.choice("loop", &["serial", "threads"])? == Some("threads");
    let how = match request.workload.as_str() {
        "scrypt" => {
            request.only(&["log-n", "r", "p", "keys", "loop"])?;
            let log_n = request.required("log-n", 1, 30)? as u8;
            let cost =
                Cost { log_n, r: number("r", 1, 1 << 16, 8)? as u32, p: number("p", 1, 1 << 16, 1)? as u32 };
            let items = number("keys", 1, MOST_ITEMS, 1)? as usize;
            How { asked: Asked::Scrypt(cost), items, bytes: 2 * SECRET, threads }
        }
        "gmac" => {
            request.only(&["scale", "messages", "key-bits", "loop"])?;
            let scale = request.required("scale", 0, MOST_SCALE)?;
            let items = number("messages", 1, MOST_ITEMS, 1)? as usize;
            let key = request.choice("key-bits", &[128u64, 192, 256])?.unwrap_or(128) as usize / 8;
            How { asked: Asked::Gmac { key }, items, bytes: 1 << scale, threads }
        }
        "ntt-product" => {
            request.only(&["ring", "products", "loop"])?;
            let names = RINGS.map(|(name, ..)| name);
            let ring = request.choice("ring", &names)?.unwrap_or(names[0]);
            let (_, modulus, n) = RINGS.into_iter().find(|(name, ..)| *name == ring).unwrap_or(RINGS[0]);
            let items = number("products", 1, MOST_ITEMS, 1)? as usize;
            How { asked: Asked::Product { modulus, n }, items, bytes: 2 * n * WORD, threads }
        }
        "ntt-matrix" => {
            request.only(&["ring", "rows", "columns"])?;
            let names = LATTICES.map(|(name, _)| name);
            let ring = request.choice("ring", &names)?.unwrap_or(names[0]);
            let (_, lattice) = LATTICES.into_iter().find(|(name, _)| *name == ring).unwrap_or(LATTICES[0]);
            let rows = request.required("rows", 1, MOST_ROWS)? as usize;
            let columns = request.required("columns", 1, MOST_ROWS)? as usize;
            let bytes = (rows + 1) * columns * N * WORD;
            How { asked: Asked::Matrix { lattice, rows, columns }, items: 1, bytes, threads }
        }
        _ => {
            return Err(WorkerError::workload(&request.workload, WORKLOADS));
        }
    };
    Ok(how)
}

/// Returns a task that reads its part of the input.
fn task(library: &Library, how: How, threads: usize, input: &Arc<[u8]>) -> Result<Task, WorkerError> {
    let lacks = |what: &str| WorkerError::Unsupported(format!("{} has no {what}", library.name));
    let (input, bytes) = (input.clone(), how.bytes);
    let part = move |item: usize| item * bytes..(item + 1) * bytes;
    Ok(match how.asked {
        Asked::Scrypt(cost) => {
            let mut derive = library.scrypt.ok_or_else(|| lacks("scrypt"))?(cost, threads)?;
            Box::new(move |item, output| {
                let (password, salt) = input[part(item)].split_at(SECRET);
                derive(password, salt, output)
            })
        }
        Asked::Gmac { key } => {
            let key: Vec<u8> = (0..key as u8).collect();
            let gmac = library.gmac.ok_or_else(|| lacks("GMAC"))?(&key)?;
            let mut gmac = gmac.ok_or_else(|| lacks(&format!("AES with {} bits", 8 * key.len())))?;
            Box::new(move |item, output| gmac(&nonce(item), &input[part(item)], output))
        }
        Asked::Product { modulus, n } => {
            let multiply = library.product.ok_or_else(|| lacks("products of polynomials"))?(modulus, n)?;
            let mut multiply =
                multiply.ok_or_else(|| lacks(&format!("ring modulo {modulus} with {n} coefficients")))?;
            let words = Lines::new(words(&input, modulus));
            Box::new(move |item, output| {
                let (a, b) = words[2 * n * item..2 * n * (item + 1)].split_at(n);
                multiply(a, b, bytemuck::cast_slice_mut(output))
            })
        }
        Asked::Matrix { lattice, rows, columns } => {
            let words: Vec<u32> = words(&input, lattice.modulus()).collect();
            let (entries, vector) = words.split_at(rows * columns * N);
            let matrix = Matrix { lattice, rows, columns, entries, vector };
            let task = library.matrix.ok_or_else(|| lacks("matrices of polynomials"))?(matrix)?;
            task.ok_or_else(|| lacks(&format!("matrices in this ring whose number of columns is {columns}")))?
        }
    })
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
        let how = asked(request)?;
        let library = self.library.as_ref().map_err(|why| WorkerError::Unsupported(why.clone()))?;
        let own = matches!(how.asked, Asked::Scrypt(_)).then_some(library.scrypt_runtime).flatten();
        // Threads of the library, or of the caller.
        let (inside, tasks, runtime) = match (how.threads, own) {
            (true, _) => (1, request.threads, "threads"),
            (false, Some(runtime)) => (request.threads, 1, runtime),
            (false, None) => (1, 1, "serial"),
        };
        if request.threads != inside * tasks {
            let why = format!("{} runs on 1 thread here, {} were asked for", library.name, request.threads);
            return Err(WorkerError::Unsupported(why));
        }
        if request.threads > MOST_THREADS {
            let why = format!("{} threads: {MOST_THREADS} are the most", request.threads);
            return Err(WorkerError::Unsupported(why));
        }
        let length = how.items as u64 * how.bytes as u64;
        let input: Arc<[u8]> = input::read(request.input()?, length)?.into();
        let tasks = (0..tasks).map(|_| task(library, how, inside, &input));
        let tasks = tasks.collect::<Result<Vec<_>, _>>()?;
        let width = match how.asked {
            Asked::Scrypt(_) => DERIVED,
            Asked::Gmac { .. } => TAG,
            Asked::Product { n, .. } => n * WORD,
            Asked::Matrix { lattice, rows, .. } => rows * N * lattice.word(),
        };
        let output = Lines::new(std::iter::repeat_n(0, how.items * width / WORD));
        let narrow = matches!(how.asked, Asked::Matrix { lattice, .. } if lattice.word() != WORD);
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

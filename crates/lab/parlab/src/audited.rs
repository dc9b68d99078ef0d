//! The candidate of an audit: work on one thread whose time is proportional to its iterations.

use std::hint::black_box;
use std::io::Read;

use crate::classes::{Classes, USUAL_SECONDS, data_caches, sums};
use parcrypt_lab::audit::Class;
use parcrypt_machine::Machine;
use parcrypt_protocol::{OutputDigest, Prepare, Ready, Sample, Worker, WorkerError, input};
use sha2::{Digest, Sha256};

/// Name of the subcommand.
pub(crate) const COMMAND: &str = "audit-candidate";

/// Logarithm of the bytes that `hash` reads.
const HASHED: u32 = 14;

/// Logarithm of the bytes of a [`Line`], and of the longest input.
const LINE: u64 = 6;
const LONGEST: u64 = 40;

/// Returns the classes of work with their sizes on this machine; none if the path of this program is unknown.
pub(crate) fn classes() -> Classes {
    let machine = Machine::detect();
    let program = std::env::current_exe().map(|path| path.into_os_string().into_string());
    let Ok(Ok(program)) = program else {
        let why = "the path of this program is unknown, or not UTF-8";
        let skipped = ["compute", "cache", "memory"].map(|name| (name.to_owned(), why.to_owned()));
        return Classes { classes: Vec::new(), skipped: skipped.to_vec() };
    };
    // A text of JSON is one of TOML too.
    let candidate = format!("command = [{}, \"{COMMAND}\"]", serde_json::Value::from(program));
    let compute = Class {
        name: "compute".to_owned(),
        about: "a hash of 16 KiB by products of 64 bits, on one thread".to_owned(),
        case: format!("workload = \"hash\"\ninput = {{ bytes = {} }}\nthreads = [1]", 1 << HASHED),
        candidate: candidate.clone(),
        other: None,
        beside: Vec::new(),
        seconds: USUAL_SECONDS,
    };
    let mut classes = vec![compute];
    classes.extend(sums(&data_caches(&machine), machine.memory, &candidate));
    Classes { classes, skipped: Vec::new() }
}

/// A cache line. The alignment of an allocation differs between processes, and would change their times.
#[derive(Clone)]
#[repr(align(64))]
struct Line([u64; 8]);

/// Work on a slice, with its output.
type Function = fn(&[Line]) -> u64;

/// Work on an input that is cut into slices, of which each iteration takes the next one, cyclically.
struct Work {
    lines: Vec<Line>,
    /// Lines of a slice.
    slice: usize,
    function: Function,
    /// Output of each slice, once it was computed.
    outputs: Vec<Option<u64>>,
    next: usize,
}

impl Work {
    fn iterate(&mut self) {
        let begin = self.next * self.slice;
        let lines = black_box(&self.lines[begin..begin + self.slice]);
        self.outputs[self.next] = Some((self.function)(lines));
        self.next = (self.next + 1) % self.outputs.len();
    }
}

/// Returns the sum of the words modulo 2^64, which memory limits.
fn sum(lines: &[Line]) -> u64 {
    let mut lanes = [0u64; 8];
    for line in lines {
        for (lane, word) in lanes.iter_mut().zip(&line.0) {
            *lane = lane.wrapping_add(*word);
        }
    }
    lanes.into_iter().fold(0, u64::wrapping_add)
}

/// Returns a value that depends on every word by a product each, which arithmetic limits.
fn hash(lines: &[Line]) -> u64 {
    // The golden ratio times 2^64, which is odd.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut lanes = [FACTOR; 8];
    for line in lines {
        for (lane, word) in lanes.iter_mut().zip(&line.0) {
            *lane = (*lane ^ *word).wrapping_mul(FACTOR).rotate_left(29);
        }
    }
    lanes.into_iter().fold(0, |all, lane| (all ^ lane).wrapping_mul(FACTOR))
}

/// The candidate.
#[derive(Default)]
pub(crate) struct Audited(Option<Work>);

impl Worker for Audited {
    fn prepare(&mut self, request: &Prepare) -> Result<Ready, WorkerError> {
        let (scale, slice, function): (u64, u64, Function) = match request.workload.as_str() {
            "sum" => {
                request.only(&["scale", "slice"])?;
                let scale = request.required("scale", LINE, LONGEST)?;
                let slice = request.number("slice", LINE, LONGEST)?;
                (scale, slice.unwrap_or(LONGEST), sum)
            }
            "hash" => {
                request.only(&[])?;
                (HASHED.into(), LONGEST, hash)
            }
            other => return Err(WorkerError::workload(other, "sum, hash")),
        };
        let lines = read(request, scale)?;
        let slice = 1 << (slice.min(scale) - LINE);
        let outputs = vec![None; lines.len() / slice];
        self.0 = Some(Work { lines, slice, function, outputs, next: 0 });
        Ok(Ready {
            name: "parlab".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            threads: 1,
            ..Ready::default()
        })
    }

    fn sample(&mut self, iterations: u64) -> Result<Sample, WorkerError> {
        let work = self.0.as_mut().ok_or(WorkerError::NotPrepared { request: "sample" })?;
        Sample::time(iterations, || {
            work.iterate();
            Ok(())
        })
    }

    /// The digest of the outputs of all slices; those that no sample has reached are computed first.
    fn digest(&mut self) -> Result<OutputDigest, WorkerError> {
        let work = self.0.as_mut().ok_or(WorkerError::NotPrepared { request: "digest" })?;
        while work.outputs[work.next].is_none() {
            work.iterate();
        }
        let mut hash = Sha256::new();
        work.outputs.iter().flatten().for_each(|output| hash.update(output.to_le_bytes()));
        Ok(OutputDigest(hash.finalize().into()))
    }
}

/// Reads an input of 2^scale bytes as little-endian words.
fn read(request: &Prepare, scale: u64) -> Result<Vec<Line>, WorkerError> {
    let path = request.input()?;
    let mut file = std::io::BufReader::with_capacity(1 << 16, input::open(path, 1 << scale)?);
    let failed = |source| WorkerError::Input { path: path.clone(), source };
    let mut lines = Vec::new();
    let count = 1 << (scale - LINE);
    lines.try_reserve_exact(count).map_err(|error| failed(std::io::Error::other(error)))?;
    for _ in 0..count {
        let mut bytes = [0; 64];
        file.read_exact(&mut bytes).map_err(failed)?;
        let (words, _) = bytes.as_chunks();
        lines.push(Line(std::array::from_fn(|word| u64::from_le_bytes(words[word]))));
    }
    Ok(lines)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn request(workload: &str, params: &str, input: &Path) -> Prepare {
        let text = format!(
            "{{\"protocol\":2,\"workload\":\"{workload}\",\"params\":{params},\"threads\":1,\"input\":{input:?}}}"
        );
        serde_json::from_str(&text).unwrap()
    }

    #[test]
    fn the_output_depends_on_every_byte_and_not_on_the_iterations() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("input");
        let bytes: Vec<u8> = (0..1u32 << HASHED).map(|i| ((i * i) >> 7) as u8).collect();
        let digest = |bytes: &[u8], workload: &str, params: &str, iterations| {
            std::fs::write(&path, bytes).unwrap();
            let mut audited = Audited::default();
            audited.prepare(&request(workload, params, &path)).unwrap();
            audited.sample(iterations).unwrap();
            audited.digest().unwrap()
        };
        let mut changed = bytes.clone();
        *changed.last_mut().unwrap() ^= 1;
        for (workload, params) in [
            ("sum", "{\"scale\":14}"),
            ("sum", "{\"scale\":14,\"slice\":6}"),
            ("sum", "{\"scale\":14,\"slice\":12}"),
            ("hash", "{}"),
        ] {
            let first = digest(&bytes, workload, params, 1);
            for iterations in [2, 5, 300] {
                assert_eq!(digest(&bytes, workload, params, iterations), first, "{workload} {params}");
            }
            assert_ne!(digest(&changed, workload, params, 1), first, "{workload} {params}");
        }
        let words = bytes.chunks(8).map(|word| u64::from_le_bytes(word.try_into().unwrap()));
        let sum = words.fold(0, u64::wrapping_add).to_le_bytes();
        assert_eq!(digest(&bytes, "sum", "{\"scale\":14}", 1).0, <[u8; 32]>::from(Sha256::digest(sum)));
    }

    #[test]
    fn wrong_requests_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("input");
        std::fs::write(&path, [0; 64]).unwrap();
        for (workload, params, part) in [
            ("sum", "{}", "needs the parameter `scale`"),
            ("sum", "{\"scale\":5}", "6 to 40"),
            ("sum", "{\"scale\":7}", "it has 64 bytes"),
            ("sum", "{\"scale\":6,\"slice\":41}", "6 to 40"),
            ("sum", "{\"scale\":6,\"size\":6}", "no parameter `size`"),
            ("hash", "{}", "it has 64 bytes"),
            ("hash", "{\"scale\":6}", "no parameter `scale`"),
            ("fly", "{}", "unknown workload `fly`: it can be sum, hash"),
        ] {
            let why = Audited::default().prepare(&request(workload, params, &path)).unwrap_err().to_string();
            assert!(why.contains(part), "{workload} {params}: {why}");
        }
    }
}

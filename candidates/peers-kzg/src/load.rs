//! The workload `kzg-load`: loading the trusted setup.
//!
//! Each iteration is a process of its own, which times only the load. c-kzg's binding loads its setup once in a process
//! and keeps it, and this is also what happens when a user's program starts.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use parcrypt_protocol::{Sample, memory};
use serde::{Deserialize, Serialize};

use crate::library::{Blob, Library, Refusal};
use crate::workload::{Work, canonical};

/// The report of the process that loaded to the process that started it.
#[derive(Debug, Serialize, Deserialize)]
struct Report {
    elapsed_ns: u64,
    peak_bytes: Option<u64>,
    /// The commitment to the given blob, computed with the loaded setup.
    commitment: Vec<u8>,
}

/// Loads of the trusted setup, as work.
pub(crate) struct Loads {
    /// Words after the name of this program.
    arguments: [String; 5],
    blob: Vec<u8>,
    commitment: Vec<u8>,
    /// Time of loading in all iterations of the sample.
    elapsed_ns: u64,
    /// The maximum peak memory of the processes, if the system reports it.
    peak_bytes: Option<u64>,
}

impl Loads {
    pub(crate) fn new<L: Library>(precompute: u8, threads: usize, input: Vec<u8>) -> Self {
        let library = L::NAME.0.replace('_', "-");
        let words = ["--library", &library, "load", &precompute.to_string(), &threads.to_string()];
        Loads {
            arguments: words.map(str::to_owned),
            blob: canonical(input),
            commitment: Vec::new(),
            elapsed_ns: 0,
            peak_bytes: None,
        }
    }

    fn once(&self) -> std::io::Result<Report> {
        let mut child = Command::new(std::env::current_exe()?)
            .args(&self.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(&self.blob)?;
        }
        let output = child.wait_with_output()?;
        if !output.status.success() {
            return Err(std::io::Error::other(output.status.to_string()));
        }
        Ok(serde_json::from_slice(&output.stdout)?)
    }
}

impl Work for Loads {
    fn iterate(&mut self) -> Result<(), Refusal> {
        let failed = |e: std::io::Error| Refusal::Failed {
            library: "the process that loads the trusted setup",
            what: e.to_string(),
        };
        let report = self.once().map_err(failed)?;
        self.elapsed_ns += report.elapsed_ns;
        self.peak_bytes = self.peak_bytes.max(report.peak_bytes);
        self.commitment = report.commitment;
        Ok(())
    }

    fn output(&mut self) -> Result<Vec<u8>, Refusal> {
        Ok(self.commitment.clone())
    }

    /// Each load reports its own time.
    fn sample(&mut self, iterations: u64) -> Result<Sample, Refusal> {
        self.elapsed_ns = 0;
        (0..iterations).try_for_each(|_| self.iterate())?;
        Ok(Sample::with_peak(self.elapsed_ns, self.peak_bytes))
    }
}

/// Runs the process that loads: it waits for its standard input, a blob, and answers with a [`Report`].
pub(crate) fn child<L: Library>(precompute: u8, threads: usize) -> Result<(), String> {
    let say = |refusal: Refusal| refusal.to_string();
    let mut blob = Vec::new();
    std::io::stdin().read_to_end(&mut blob).map_err(|e| format!("standard input: {e}"))?;
    let blob = Blob::from_bytes(&blob).map_err(|e| e.to_string())?;
    L::threads(threads).map_err(say)?;
    memory::reset_peak();
    let begun = std::time::Instant::now();
    let library = L::load(precompute).map_err(say)?;
    let elapsed_ns = parcrypt_protocol::nanoseconds(begun.elapsed());
    let peak_bytes = memory::peak();
    let commitment = library.commit(&blob).map_err(say)?.to_vec();
    let json =
        serde_json::to_vec(&Report { elapsed_ns, peak_bytes, commitment }).map_err(|e| e.to_string())?;
    std::io::stdout().write_all(&json).map_err(|e| e.to_string())
}

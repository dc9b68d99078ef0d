//! A candidate of the lab: precompiles of EIP-4844 and EIP-2537 by revm's default provider, or by Parcrypt.
//!
//! The arguments are the provider, `default` or `parcrypt`, and the workload: `precompile-evaluation`,
//! `precompile-g1-add`, `precompile-g1-msm` or `precompile-pairing`. The parameter `pairs` is the number of pairs of
//! points and scalars, or of pairings; the input has 32 bytes for each, from which its points and scalars are made. The
//! output is that of the precompile, with its padding. The count `gas` is what the precompile charges.

use std::cell::Cell;
use std::io::Error;
use std::process::ExitCode;

use parcrypt_bls12_381::{Fr, G1, G2};
use parcrypt_protocol::{OutputDigest, Prepare, Ready, Sample, Worker, WorkerError, candidate, input, run};
use parcrypt_runtime::Serial;
use revm_precompile::bls12_381::{g1_add, g1_msm, pairing};
use revm_precompile::{DefaultCrypto, EthPrecompileResult, install_crypto, kzg_point_evaluation};

/// A precompile and its input.
type Call = (fn(&[u8], u64) -> EthPrecompileResult, Vec<u8>);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [provider, workload] = &arguments[..] else {
        eprintln!("usage: precompile default|parcrypt WORKLOAD");
        return ExitCode::from(2);
    };
    let installed = match provider.as_str() {
        "default" => Ok(install_crypto(DefaultCrypto)),
        "parcrypt" => parcrypt_revm::install(),
        _ => Ok(false),
    };
    if !matches!(installed, Ok(true)) {
        eprintln!("precompile: `{provider}` cannot be installed: the providers are default and parcrypt");
        return ExitCode::from(2);
    }
    let gas = Cell::new(0);
    let prepare = |request: &Prepare| {
        let (run, input) = prepare(request, workload)?;
        gas.set(run(&input, u64::MAX).map_err(failed)?.gas_used);
        Ok((run, input))
    };
    let work = |(run, input): &mut Call| run(input, u64::MAX);
    // An error would be an empty output, which the other provider does not have.
    let output =
        |result: &EthPrecompileResult| result.as_ref().map_or(Vec::new(), |output| output.bytes.to_vec());
    run(&mut Metered { worker: candidate(provider, workload, prepare, work, output), gas: &gas })
}

/// A candidate that counts the gas of its work.
struct Metered<'a, W> {
    worker: W,
    /// Gas of one iteration.
    gas: &'a Cell<u64>,
}

impl<W: Worker> Worker for Metered<'_, W> {
    fn prepare(&mut self, request: &Prepare) -> Result<Ready, WorkerError> {
        self.worker.prepare(request)
    }

    fn sample(&mut self, iterations: u64) -> Result<Sample, WorkerError> {
        let mut sample = self.worker.sample(iterations)?;
        sample.counts.insert("gas".to_owned(), self.gas.get().saturating_mul(iterations));
        Ok(sample)
    }

    fn digest(&mut self) -> Result<OutputDigest, WorkerError> {
        self.worker.digest()
    }
}

fn failed(error: impl std::fmt::Debug) -> WorkerError {
    WorkerError::other(Error::other(format!("{error:?}")))
}

fn prepare(request: &Prepare, workload: &str) -> Result<Call, WorkerError> {
    let pairs = request.required("pairs", 1, 1024)?;
    let bytes = input::read(request.input()?, 32 * pairs)?;
    let scalars: Vec<[u8; 32]> = bytes.as_chunks().0.to_vec();
    let points = scalars.iter().map(|scalar| Fr::from_bytes_reduced(scalar));
    let g1 = |scalar: Fr| padded(&(G1::generator() * scalar).to_affine().to_coordinates());
    Ok(match workload {
        "precompile-evaluation" => (kzg_point_evaluation::run, evaluation(&scalars[0]).map_err(failed)?),
        "precompile-g1-add" => (g1_add::g1_add, points.clone().chain(points).take(2).flat_map(g1).collect()),
        "precompile-g1-msm" => {
            let pairs =
                points.zip(&scalars).flat_map(|(point, scalar)| [g1(point), scalar.to_vec()].concat());
            (g1_msm::g1_msm, pairs.collect())
        }
        "precompile-pairing" => {
            let g2 = |scalar: Fr| padded(&(G2::generator() * scalar).to_affine().to_coordinates());
            let pairs = points.flat_map(|point| [g1(point), g2(point + Fr::one())].concat());
            (pairing::pairing, pairs.collect())
        }
        other => {
            return Err(WorkerError::workload(other, "precompile-evaluation, -g1-add, -g1-msm, -pairing"));
        }
    })
}

/// Returns elements of the base field with the padding of EIP-2537.
fn padded(elements: &[[u8; 48]]) -> Vec<u8> {
    elements.iter().flat_map(|element| [&[0; 16], &element[..]].concat()).collect()
}

/// Returns the input of the point evaluation, for a blob whose first element is given.
fn evaluation(element: &[u8; 32]) -> Result<Vec<u8>, parcrypt_kzg::Error> {
    let settings = parcrypt_kzg::Settings::mainnet(parcrypt_kzg::Request::Auto)?;
    let mut blob = vec![0; parcrypt_kzg::BYTES_PER_BLOB];
    blob[1..32].copy_from_slice(&element[1..]);
    let z = [7; 32];
    let commitment = parcrypt_kzg::blob_to_kzg_commitment(&Serial, &settings, &blob)?;
    let (proof, y) = parcrypt_kzg::compute_kzg_proof(&Serial, &settings, &blob, &z)?;
    let hash = kzg_point_evaluation::kzg_to_versioned_hash(&commitment);
    Ok([&hash[..], &z, &y, &commitment, &proof].concat())
}

//! Builds and verifies the sidecar of a transaction with alloy, and cells with `rust_eth_kzg`; exit code 1 where a
//! right one is refused or a wrong one accepted.

use std::process::ExitCode;

use alloy_consensus::{BlobTransactionSidecar, SidecarBuilder, SimpleCoder};
use alloy_eips::eip4844::env_settings::EnvKzgSettings;
use rust_eth_kzg::{DASContext, TrustedSetup, UsePrecomp};

fn main() -> ExitCode {
    let settings = EnvKzgSettings::Default;
    let builder = SidecarBuilder::<SimpleCoder>::from_slice(b"data of a rollup");
    let sidecar: BlobTransactionSidecar =
        builder.build_with_settings(settings.get()).expect("a blob of data");
    let hashes: Vec<_> = sidecar.versioned_hashes().collect();
    let mut wrong = sidecar.clone();
    wrong.blobs[0][100] ^= 1;
    let mut all_right = true;
    let mut check = |what: &str, right: bool| {
        println!("{what}: {}", if right { "right" } else { "WRONG" });
        all_right &= right;
    };
    check("the sidecar is valid", sidecar.validate(&hashes, settings.get()).is_ok());
    check("with another blob it is not", wrong.validate(&hashes, settings.get()).is_err());

    let context = DASContext::new(&TrustedSetup::default(), UsePrecomp::No);
    let blob = &sidecar.blobs[0].0;
    let commitment = context.blob_to_kzg_commitment(blob).expect("a blob");
    let (cells, proofs) = context.compute_cells_and_kzg_proofs(blob).expect("a blob");
    let verified = |proof: usize| {
        context
            .verify_cell_kzg_proof_batch(vec![&commitment], &[70], vec![&cells[70]], vec![&proofs[proof]])
            .is_ok()
    };
    check("both crates have one commitment", commitment == sidecar.commitments[0].0);
    check("a cell is valid", verified(70));
    check("with another proof it is not", !verified(71));
    if all_right { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

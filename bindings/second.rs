//! The original rust_eth_kzg as the second opinion of the packages that replace c-kzg and rust_eth_kzg (feature
//! `shadow-original`).
//!
//! Cargo has one package of a name among compatible versions, and an entry `[patch.crates-io]` replaces it everywhere.
//! So the original is version 0.9.1, which 0.10.0 does not replace. It shares blst with Parcrypt, one copy of it.

use std::sync::Arc;

use original_library::{DASContext, Error, TrustedSetup, UsePrecomp};
use parcrypt_kzg::shadow::{Inputs, SecondAnswer, SecondLibrary};
use parcrypt_kzg::{CellsAndProofs, Request, Settings};

/// Returns settings whose second answers, if they have a shadow, are the original's.
///
/// # Errors
/// [`parcrypt_kzg::Error::OtherSetup`] for settings with a shadow and of another setup than mainnet's.
pub(crate) fn with_original(settings: Settings) -> Result<Settings, parcrypt_kzg::Error> {
    if settings.shadow_counts().is_none() {
        return Ok(settings);
    }
    if settings.digest() != Settings::mainnet(Request::Auto)?.digest() {
        return Err(parcrypt_kzg::Error::OtherSetup);
    }
    let original = Original(DASContext::new(&TrustedSetup::default(), UsePrecomp::No));
    settings.with_second_library(Arc::new(original))
}

struct Original(DASContext);

impl SecondLibrary for Original {
    fn name(&self) -> &'static str {
        "rust_eth_kzg 0.9.1"
    }

    fn answer(&self, function: &str, inputs: Inputs<'_>) -> Option<SecondAnswer> {
        fn all<'a, const N: usize>(list: &[&'a [u8]]) -> Option<Vec<&'a [u8; N]>> {
            list.iter().map(|bytes| (*bytes).try_into().ok()).collect()
        }
        fn one<'a, const N: usize>(inputs: Inputs<'a>, list: usize) -> Option<&'a [u8; N]> {
            inputs.bytes[list][0].try_into().ok()
        }
        let original = &self.0;
        let verdict = |result: Result<(), Error>| match result {
            Ok(()) => SecondAnswer::Verdict(true),
            Err(error) if error.is_proof_invalid() => SecondAnswer::Verdict(false),
            Err(_) => SecondAnswer::Error,
        };
        let point = |result: Result<[u8; 48], Error>| result.map_or(SecondAnswer::Error, SecondAnswer::Point);
        let both = |result: Result<([_; 128], [_; 128]), Error>| {
            result.map_or(SecondAnswer::Error, |(cells, proofs)| {
                let cells = cells.into_iter().map(|cell: Box<_>| *cell).collect();
                SecondAnswer::CellsAndProofs(CellsAndProofs { cells, proofs: proofs.to_vec() })
            })
        };
        Some(match function {
            "blob_to_kzg_commitment" => point(original.blob_to_kzg_commitment(one(inputs, 0)?)),
            "compute_blob_kzg_proof" => {
                point(original.compute_blob_kzg_proof(one(inputs, 0)?, one(inputs, 1)?))
            }
            "compute_kzg_proof" => original
                .compute_kzg_proof(one(inputs, 0)?, *one(inputs, 1)?)
                .map_or(SecondAnswer::Error, |(proof, y)| SecondAnswer::Opening(proof, y)),
            "verify_kzg_proof" => verdict(original.verify_kzg_proof(
                one(inputs, 0)?,
                *one(inputs, 1)?,
                *one(inputs, 2)?,
                one(inputs, 3)?,
            )),
            "verify_blob_kzg_proof_batch" => verdict(original.verify_blob_kzg_proof_batch(
                all(inputs.bytes[0])?,
                all(inputs.bytes[1])?,
                all(inputs.bytes[2])?,
            )),
            "compute_cells" => original.compute_cells(one(inputs, 0)?).map_or(SecondAnswer::Error, |cells| {
                SecondAnswer::Cells(cells.into_iter().map(|cell| *cell).collect())
            }),
            "compute_cells_and_kzg_proofs" => both(original.compute_cells_and_kzg_proofs(one(inputs, 0)?)),
            "recover_cells_and_kzg_proofs" => {
                let cells = all(inputs.bytes[0])?;
                both(original.recover_cells_and_kzg_proofs(inputs.indices[0].to_vec(), cells))
            }
            "verify_cell_kzg_proof_batch" => verdict(original.verify_cell_kzg_proof_batch(
                all(inputs.bytes[0])?,
                inputs.indices[0],
                all(inputs.bytes[1])?,
                all(inputs.bytes[2])?,
            )),
            _ => return None,
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by a panic")]
mod tests {
    use std::num::NonZeroU32;

    use parcrypt_kzg::{BYTES_PER_BLOB, Shadow};
    use parcrypt_runtime::Serial;

    use super::*;

    /// Every function that the packages call, with good and bad input, is answered by both in the same way.
    #[test]
    fn the_original_has_the_same_answers() {
        let shadow = Shadow::one_in(NonZeroU32::MIN);
        let s = Settings::mainnet(Request::Auto).unwrap().with_shadow(shadow).unwrap();
        let (rt, s) = (&Serial, &with_original(s).unwrap());
        let mut blob = vec![0; BYTES_PER_BLOB];
        blob.iter_mut()
            .enumerate()
            .for_each(|(i, byte)| *byte = if i % 32 == 0 { 0 } else { (i % 251) as u8 });
        let bad = vec![0xff; BYTES_PER_BLOB];
        let z = [9; 32];
        let commitment = parcrypt_kzg::blob_to_kzg_commitment(rt, s, &blob).unwrap();
        let (proof, y) = parcrypt_kzg::compute_kzg_proof(rt, s, &blob, &z).unwrap();
        let both = parcrypt_kzg::compute_cells_and_kzg_proofs(rt, s, &blob).unwrap();
        parcrypt_kzg::blob_to_kzg_commitment(rt, s, &bad).unwrap_err();
        parcrypt_kzg::compute_cells(rt, s, &blob).unwrap();
        parcrypt_kzg::compute_cells(rt, s, &bad).unwrap_err();
        for (y, valid) in [(y, true), (z, false)] {
            let verdict = parcrypt_kzg::verify_kzg_proof(rt, s, &commitment, &z, &y, &proof);
            assert_eq!(verdict, Ok(valid));
        }
        parcrypt_kzg::verify_kzg_proof(rt, s, &[0; 48], &z, &y, &proof).unwrap_err();
        let proof = parcrypt_kzg::compute_blob_kzg_proof(rt, s, &blob, &commitment).unwrap();
        for (proof, valid) in [(proof, true), (commitment, false)] {
            let verdict = parcrypt_kzg::verify_blob_kzg_proof(rt, s, &blob, &commitment, &proof);
            assert_eq!(verdict, Ok(valid));
        }
        let cells: Vec<&[u8]> = both.cells.iter().map(|cell| &cell[..]).collect();
        let proofs: Vec<&[u8]> = both.proofs.iter().map(|proof| &proof[..]).collect();
        let indices: Vec<u64> = (64..128).collect();
        let commitments = [&commitment[..]; 64];
        for (cells, valid) in [(&cells[64..], true), (&cells[..64], false)] {
            let verdict = parcrypt_kzg::verify_cell_kzg_proof_batch(
                rt,
                s,
                &commitments,
                &indices,
                cells,
                &proofs[64..],
            );
            assert_eq!(verdict, Ok(valid));
        }
        let recovered = parcrypt_kzg::recover_cells_and_kzg_proofs(rt, s, &indices, &cells[64..]);
        assert_eq!(recovered, Ok(both.clone()));
        parcrypt_kzg::recover_cells_and_kzg_proofs(rt, s, &indices[1..], &cells[65..]).unwrap_err();
        let counts = s.shadow_counts().unwrap();
        assert_eq!((counts.calls, counts.checked, counts.different, counts.skipped), (16, 16, 0, 0));
        // The original has no function for cells without proofs: it is the one that is asked.
        parcrypt_kzg::recover_cells(rt, s, &indices, &cells[64..]).unwrap();
        assert_eq!(s.shadow_counts().unwrap().skipped, 1);
    }

    #[test]
    fn another_setup_is_refused_where_there_is_a_shadow() {
        let insecure = Settings::insecure(&Serial, Request::Auto, &[5; 32]).unwrap();
        assert!(with_original(insecure.clone()).is_ok());
        let shadowed = insecure.with_shadow(Shadow::one_in(NonZeroU32::MIN)).unwrap();
        assert_eq!(with_original(shadowed).err(), Some(parcrypt_kzg::Error::OtherSetup));
    }
}

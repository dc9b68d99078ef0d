//! Forging: batches of wrong proofs that verify for everyone who knows the random factors before the proofs are fixed.
#![allow(clippy::unwrap_used, reason = "a test fails by a panic")]

use parcrypt_runtime::Serial;
use parcrypt_testkit::rand::RngCore;
use parcrypt_testkit::rng;

use super::*;
use crate::BYTES_PER_BLOB;
use crate::eip4844::{blob_to_kzg_commitment, compute_blob_kzg_proof};
use crate::{Commitment, Proof, Request};

/// Blobs with the claims about them.
#[derive(Clone)]
struct Batch<'s> {
    settings: &'s Settings,
    blobs: Vec<Vec<u8>>,
    commitments: Vec<Commitment>,
    proofs: Vec<Proof>,
    values: Vec<Evaluation>,
}

impl<'s> Batch<'s> {
    fn honest(settings: &'s Settings, size: usize, rng: &mut impl RngCore) -> Self {
        let mut blob = || {
            let mut blob = vec![0; BYTES_PER_BLOB];
            rng.fill_bytes(&mut blob);
            blob.iter_mut().step_by(32).for_each(|byte| *byte = 0);
            blob
        };
        let blobs: Vec<_> = (0..size).map(|_| blob()).collect();
        let commit = |blob: &Vec<u8>| blob_to_kzg_commitment(&Serial, settings, blob).unwrap();
        let commitments: Vec<_> = blobs.iter().map(commit).collect();
        let each = || blobs.iter().zip(&commitments);
        let prove =
            |(b, c): (&Vec<u8>, &Commitment)| compute_blob_kzg_proof(&Serial, settings, b, c).unwrap();
        let value = |(b, c): (&Vec<u8>, &Commitment)| {
            evaluate_at_challenges(&Serial, settings, &[b], &[c]).unwrap()[0]
        };
        let (proofs, values) = (each().map(prove).collect(), each().map(value).collect());
        Batch { settings, commitments, proofs, values, blobs }
    }

    fn slices<const N: usize>(all: &[[u8; N]]) -> Vec<&[u8]> {
        all.iter().map(|one| &one[..]).collect()
    }

    fn factors(&self) -> Vec<Fr> {
        let (commitments, proofs) = (Self::slices(&self.commitments), Self::slices(&self.proofs));
        random_factors(&batch_hash(&self.values, &commitments, &proofs), self.blobs.len())
    }

    fn verify(&self) -> bool {
        let blobs: Vec<&[u8]> = self.blobs.iter().map(|blob| &blob[..]).collect();
        let (commitments, proofs) = (Self::slices(&self.commitments), Self::slices(&self.proofs));
        verify_blob_kzg_proof_batch(&Serial, self.settings, &blobs, &commitments, &proofs).unwrap()
    }

    /// Returns the verdict for a verifier with these factors.
    fn verify_with(&self, factors: &[Fr]) -> bool {
        let point = |bytes| G1Affine::from_compressed(bytes).unwrap();
        let points = self.commitments.iter().zip(&self.proofs).map(|(c, p)| (point(c), point(p)));
        let claims = self.values.iter().zip(points);
        let claims =
            claims.map(|(&Evaluation { z, y }, (commitment, proof))| Claim { commitment, z, y, proof });
        quotient(&Serial, self.settings, &claims.collect::<Vec<_>>(), factors).unwrap() == Gt::one()
    }
}

/// Adds multiples of the generator to points.
fn add(points: &mut [[u8; 48]], multiples: &[Fr]) {
    for (point, multiple) in points.iter_mut().zip(multiples) {
        let sum = G1::from_compressed(point).unwrap() + G1::generator() * *multiple;
        *point = sum.to_compressed();
    }
}

/// With errors e_i of the proofs, a batch verifies where Σ f_i·e_i = 0 and Σ f_i·z_i·e_i = 0. Three proofs have such
/// errors for any factors, and who finds them needs no secret: the challenges z_i do not depend on the proofs.
#[test]
fn three_wrong_proofs_do_not_cancel() {
    let settings = Settings::mainnet(Request::Auto).unwrap();
    let mut rng = rng();
    let honest = Batch::honest(&settings, 3, &mut rng);
    let other = Batch::honest(&settings, 3, &mut rng);
    assert!(honest.verify() && other.verify());
    let z: Vec<Fr> = honest.values.iter().map(|value| value.z).collect();
    let cancelling = [z[1] - z[2], z[2] - z[0], z[0] - z[1]];
    for (of, factors) in [
        ("no random choice", vec![Fr::one(); 3]),
        ("the honest batch", honest.factors()),
        ("another batch", other.factors()),
        ("the setup", random_factors(&settings.digest, 3)),
        ("a constant", random_factors(&[0; 32], 3)),
    ] {
        let errors = cancelling.iter().zip(&factors).map(|(e, f)| *e * f.inverse().unwrap());
        let mut forged = honest.clone();
        add(&mut forged.proofs, &errors.collect::<Vec<_>>());
        assert!(forged.verify_with(&factors), "factors of {of}: the forgery is one");
        assert!(!forged.verify(), "factors of {of}");
        let [commitments, proofs] = [&forged.commitments, &forged.proofs].map(|points| Batch::slices(points));
        let blobs: Vec<&[u8]> = forged.blobs.iter().map(|blob| &blob[..]).collect();
        let found = find_wrong_blobs(&Serial, &settings, &blobs, &commitments, &proofs).unwrap();
        assert_eq!(found.iter().map(|item| item.index).collect::<Vec<_>>(), [0, 1, 2]);
    }
}

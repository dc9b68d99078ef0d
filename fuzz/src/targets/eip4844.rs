//! The functions of EIP-4844 against c-kzg's.

use c_kzg::Bytes48;

use crate::input::{Input, cancelling, slices};
use crate::oracle::{self, ETH_KZG, OURS, POINTS, agree, agree_on_all, arrays, theirs, verdict};

/// Compares the commitments of some blobs, and of only the first.
pub fn blob_to_kzg_commitment(data: &[u8]) {
    let mut input = Input::new(data);
    let (rt, blobs) = (input.runtime(), input.blobs(20));
    let found = parcrypt_kzg::blob_to_kzg_commitment_many(rt, &OURS, &slices(&blobs));
    let first = blobs.first().map(|first| parcrypt_kzg::blob_to_kzg_commitment(rt, &OURS, first));
    agree_on_all(found, first, blobs.iter().map(|blob| oracle::commitment(blob)).collect());
}

/// Compares the value at a point, and its proof.
pub fn compute_kzg_proof(data: &[u8]) {
    let mut input = Input::new(data);
    let (rt, sample) = (input.runtime(), input.sample());
    let blob = input.elements(sample.blob.to_vec());
    let which = input.below(POINTS);
    let z = input.scalar(sample.opening(which).z);
    let ours = parcrypt_kzg::compute_kzg_proof(rt, &OURS, &blob, &z);
    let right = || {
        let (proof, y) = theirs().compute_kzg_proof(&*oracle::blob(&blob)?, &oracle::bytes_32(&z)?).ok()?;
        Some((proof.to_bytes().into_inner(), *y))
    };
    agree(ours, right());
}

/// Compares the proofs for the challenges of some blobs, with their commitments or others, and of only the first.
pub fn compute_blob_kzg_proof(data: &[u8]) {
    let mut input = Input::new(data);
    let (rt, mut blobs) = (input.runtime(), input.blobs(12));
    let mut commitments = Vec::with_capacity(blobs.len());
    for blob in &blobs {
        // An invalid blob has no commitment of its own.
        let commitment = oracle::commitment(blob).unwrap_or(input.sample().commitment);
        commitments.push(input.point(commitment));
    }
    if let (Some(blob), Some(commitment)) = (blobs.first(), commitments.first()) {
        let ours = parcrypt_kzg::compute_blob_kzg_proof(rt, &OURS, blob, commitment);
        agree(ours, oracle::blob_proof(blob, commitment));
    }
    input.list(&mut blobs);
    input.list(&mut commitments);
    let found = parcrypt_kzg::compute_blob_kzg_proof_many(rt, &OURS, &slices(&blobs), &slices(&commitments));
    assert_eq!(found.is_ok(), blobs.len() == commitments.len(), "one commitment for each blob");
    for ((blob, commitment), ours) in blobs.iter().zip(&commitments).zip(found.unwrap_or_default()) {
        agree(ours, oracle::blob_proof(blob, commitment));
    }
}

/// Compares the verdict on a value at a point.
pub fn verify_kzg_proof(data: &[u8]) {
    let mut input = Input::new(data);
    let (rt, sample) = (input.runtime(), input.sample());
    let opening = sample.opening(input.below(POINTS));
    let commitment = input.point(sample.commitment);
    let (z, y) = (input.scalar(opening.z), input.scalar(opening.y));
    let proof = input.point(opening.proof);
    let ours = parcrypt_kzg::verify_kzg_proof(rt, &OURS, &commitment, &z, &y, &proof);
    let right = || {
        let (commitment, proof) = (oracle::bytes_48(&commitment)?, oracle::bytes_48(&proof)?);
        let (z, y) = (oracle::bytes_32(&z)?, oracle::bytes_32(&y)?);
        theirs().verify_kzg_proof(&commitment, &z, &y, &proof).ok()
    };
    agree(ours.clone(), right());
    let eth_kzg = || {
        let (commitment, proof) = (commitment[..].try_into().ok()?, proof[..].try_into().ok()?);
        let (z, y) = (z[..].try_into().ok()?, y[..].try_into().ok()?);
        verdict(ETH_KZG.verify_kzg_proof(commitment, z, y, proof))
    };
    agree(ours, eth_kzg());
}

/// Compares the verdict on up to eight values at points with those on each, and the wrong ones that are named.
pub fn verify_kzg_proof_batch(data: &[u8]) {
    let mut input = Input::new(data);
    let rt = input.runtime();
    let mut lists: [Vec<Vec<u8>>; 4] = Default::default();
    for _ in 0..input.below(9) {
        let sample = input.sample();
        let opening = sample.opening(input.below(POINTS));
        let (commitment, proof) = (sample.commitment, opening.proof);
        // If all items are spoilt, errors that need a valid neighbour stay hidden.
        let item = if input.rarely(4) {
            let (commitment, z) = (input.point(commitment), input.scalar(opening.z));
            [commitment, z, input.scalar(opening.y), input.point(proof)]
        } else {
            [commitment.to_vec(), opening.z.to_vec(), opening.y.to_vec(), proof.to_vec()]
        };
        lists.iter_mut().zip(item).for_each(|(list, bytes)| list.push(bytes));
    }
    if input.rarely(8) && lists[3].len() >= 2 {
        let last = lists[3].len() - 1;
        lists[3].swap(0, last);
    }
    lists.iter_mut().for_each(|list| input.list(list));
    let [c, z, y, p] = lists.each_ref().map(|list| slices(list));
    let single = |i: usize| {
        let (commitment, proof) = (oracle::bytes_48(c[i])?, oracle::bytes_48(p[i])?);
        let (z, y) = (oracle::bytes_32(z[i])?, oracle::bytes_32(y[i])?);
        theirs().verify_kzg_proof(&commitment, &z, &y, &proof).ok()
    };
    let same_length = [&z, &y, &p].iter().all(|list| list.len() == c.len());
    let right: Option<Vec<Option<bool>>> = same_length.then(|| (0..c.len()).map(single).collect());
    let verdict = right.as_ref().and_then(|right| right.iter().copied().collect::<Option<Vec<bool>>>());
    let ours = parcrypt_kzg::verify_kzg_proof_batch(rt, &OURS, &c, &z, &y, &p);
    agree(ours, verdict.map(|all| all.into_iter().all(|ok| ok)));
    let wrong = parcrypt_kzg::verify_kzg_proof_batch_which(rt, &OURS, &c, &z, &y, &p);
    let wrong = wrong.ok().map(|wrong| wrong.into_iter().map(|item| item.index).collect::<Vec<_>>());
    let expected = right.map(|right| (0..right.len()).filter(|i| right[*i] != Some(true)).collect());
    assert_eq!(wrong, expected, "the wrong values");
}

/// Compares the verdict on a blob.
pub fn verify_blob_kzg_proof(data: &[u8]) {
    let mut input = Input::new(data);
    let (rt, sample) = (input.runtime(), input.sample());
    let blob = input.elements(sample.blob.to_vec());
    let (commitment, proof) = (input.point(sample.commitment), input.point(sample.proof));
    let ours = parcrypt_kzg::verify_blob_kzg_proof(rt, &OURS, &blob, &commitment, &proof);
    let right = || {
        let (commitment, proof) = (oracle::bytes_48(&commitment)?, oracle::bytes_48(&proof)?);
        theirs().verify_blob_kzg_proof(&*oracle::blob(&blob)?, &commitment, &proof).ok()
    };
    agree(ours, right());
}

/// Compares the verdict on up to six blobs.
pub fn verify_blob_kzg_proof_batch(data: &[u8]) {
    let mut input = Input::new(data);
    let rt = input.runtime();
    let (mut blobs, mut commitments, mut proofs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..input.below(7) {
        let sample = input.sample();
        blobs.push(sample.blob.to_vec());
        commitments.push(sample.commitment.to_vec());
        proofs.push(sample.proof.to_vec());
        // A batch with many spoilt items is refused at once, so most are unchanged.
        if input.rarely(4) {
            *blobs.last_mut().expect("there is one") = input.elements(sample.blob.to_vec());
            *commitments.last_mut().expect("there is one") = input.point(sample.commitment);
            *proofs.last_mut().expect("there is one") = input.point(sample.proof);
        }
    }
    if proofs.len() >= 2 && input.rarely(8) {
        let last = proofs.len() - 1;
        proofs.swap(0, last);
    }
    if input.rarely(8) {
        let sample = input.sample();
        for proof in cancelling(&sample.proof) {
            blobs.push(sample.blob.to_vec());
            commitments.push(sample.commitment.to_vec());
            proofs.push(proof);
        }
    }
    input.list(&mut blobs);
    input.list(&mut commitments);
    input.list(&mut proofs);
    let (a, b, c) = (slices(&blobs), slices(&commitments), slices(&proofs));
    let ours = parcrypt_kzg::verify_blob_kzg_proof_batch(rt, &OURS, &a, &b, &c);
    let right = || {
        let blobs = oracle::blobs(&blobs)?;
        let (commitments, proofs): (Vec<Bytes48>, _) =
            (oracle::points(&commitments)?, oracle::points(&proofs)?);
        theirs().verify_blob_kzg_proof_batch(&blobs, &commitments, &proofs).ok()
    };
    agree(ours.clone(), right());
    let eth_kzg = || {
        let (commitments, proofs) = (arrays(&commitments)?, arrays(&proofs)?);
        verdict(ETH_KZG.verify_blob_kzg_proof_batch(arrays(&blobs)?, commitments, proofs))
    };
    agree(ours, eth_kzg());
}

/// Compares the challenge for a blob and a commitment.
pub fn compute_challenge(data: &[u8]) {
    let mut input = Input::new(data);
    let sample = input.sample();
    let blob = input.elements(sample.blob.to_vec());
    let commitment = input.point(sample.commitment);
    agree(parcrypt_kzg::compute_challenge(&blob, &commitment), oracle::challenge(&blob, &commitment));
}

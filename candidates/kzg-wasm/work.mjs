// The libraries and the operations that candidate.mjs and ratios.mjs measure.
const BLOB = 131072;
const COLUMN = 7;
const hex = bytes => `0x${bytes.toString('hex')}`;
const half = Array.from({ length: 64 }, (_, i) => 2 * i);

export class Unsupported extends Error {}

/** Returns the API of a library. */
export async function library(name) {
  const module = { parcrypt: '../../bindings/wasm/kzg.mjs', 'kzg-wasm': 'kzg-wasm' }[name];
  if (!module) throw new Error(`the library is parcrypt or kzg-wasm, not ${name}`);
  let loadKZG;
  try {
    ({ loadKZG } = await import(module));
  } catch (error) {
    throw new Unsupported(`${name} is not built (make peers-wasm): ${error.message}`);
  }
  return loadKZG();
}

/** Returns the work of an operation on the bytes of blobs: a function that returns what it computes, or whether all is valid. */
export function work(kzg, operation, bytes) {
  // A field element is below 2^254.
  for (let i = 0; i < bytes.length; i += 32) bytes[i] &= 0x3f;
  const blobs = Array.from({ length: bytes.length / BLOB }, (_, i) => hex(bytes.subarray(i * BLOB, (i + 1) * BLOB)));
  const commitments = () => blobs.map(blob => kzg.blobToKZGCommitment(blob));
  switch (operation) {
    case 'commitment': return commitments;
    case 'proof': {
      const of = commitments();
      return () => blobs.map((blob, i) => kzg.computeBlobKZGProof(blob, of[i]));
    }
    case 'verify-blobs': {
      const of = commitments();
      const proofs = blobs.map((blob, i) => kzg.computeBlobKZGProof(blob, of[i]));
      return () => kzg.verifyBlobKZGProofBatch(blobs, of, proofs);
    }
    case 'cells-and-proofs': return () => blobs.map(blob => kzg.computeCellsAndKZGProofs(blob));
    case 'recover': {
      const cells = blobs.map(blob => kzg.computeCellsAndKZGProofs(blob).cells);
      return () => cells.map(all => kzg.recoverCellsFromKZGProofs(half, half.map(i => all[i]), 64));
    }
    case 'verify-cells': {
      const [of, all] = [commitments()[0], kzg.computeCellsAndKZGProofs(blobs[0])];
      return () => kzg.verifyCellKzgProofBatch(all.cells.map(() => of), all.cells.map((_, i) => i), all.cells, all.proofs);
    }
    case 'verify-column': {
      const [of, all] = [commitments(), blobs.map(blob => kzg.computeCellsAndKZGProofs(blob))];
      return () => kzg.verifyCellKzgProofBatch(of, all.map(() => COLUMN), all.map(({ cells }) => cells[COLUMN]), all.map(({ proofs }) => proofs[COLUMN]));
    }
    default: throw new Error(`unknown operation ${operation}`);
  }
}

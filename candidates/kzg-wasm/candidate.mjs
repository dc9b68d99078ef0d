// A candidate of the lab: node candidate.mjs parcrypt, or kzg-wasm. Answers by the protocol of docs/reference/protocol.md.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import readline from 'node:readline';

const BLOB = 131072;
const COLUMN = 7;
const hex = bytes => `0x${bytes.toString('hex')}`;
const half = Array.from({ length: 64 }, (_, i) => 2 * i);

class Unsupported extends Error {}

/** Returns the API of a library. */
async function library(name) {
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

/** Returns the work of an operation: a function that returns what it computes, or whether all is valid. */
function work(kzg, { operation }, input) {
  const bytes = fs.readFileSync(input);
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

let run, result;
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { id, prepare, sample, quit, ...other } = JSON.parse(line);
  if (quit) break;
  const answer = response => console.log(JSON.stringify({ id, ...response }));
  if (prepare) {
    try {
      if (prepare.workload !== 'kzg-in-wasm') throw new Error(`unknown workload ${prepare.workload}: it can be kzg-in-wasm`);
      run = work(await library(process.argv[2]), prepare.params, prepare.input);
      answer({ ready: { name: process.argv[2] } });
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      answer({ unsupported: error.message });
    }
  } else if (sample) {
    const begun = process.hrtime.bigint();
    for (let i = 0; i < sample.iterations; i++) result = run();
    answer({ elapsed_ns: Number(process.hrtime.bigint() - begun) });
  } else if ('digest' in other) {
    // The libraries differ in the case of hexadecimal digits.
    answer({ digest: `sha256:${createHash('sha256').update(JSON.stringify(result).toLowerCase()).digest('hex')}` });
  } else {
    answer({ unsupported: 'this candidate answers prepare, sample, digest and quit' });
  }
}

// The API of the npm package kzg-wasm over the module that src/lib.rs is compiled to. README.md has the differences.
import { module } from './module.mjs';

const CELLS = 128;
const CELL = 2048;
const POINT = 48;
// Errors of other things than an argument. No verdict follows from them.
const NO_VERDICT = /^no (trusted setup is loaded|memory for )/;
// The numbers of src/lib.rs.
const FUNCTIONS = {
  load: 0, free: 1, commitment: 2, blobProof: 3, verifyBlobs: 4, verifyProof: 5, cells: 6, cellsAndProofs: 7, recover: 8, verifyCells: 9,
};

const NIBBLES = new Uint8Array(128).fill(255);
[...'0123456789abcdef'].forEach((digit, value) => {
  NIBBLES[digit.charCodeAt(0)] = value;
  NIBBLES[digit.toUpperCase().charCodeAt(0)] = value;
});
const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0').toUpperCase());

function toBytes(text, what, prefix = '0x') {
  if (typeof text !== 'string' || !text.startsWith(prefix)) throw new Error(`${what}: hexadecimal digits with the prefix 0x expected`);
  const begin = prefix.length;
  if ((text.length - begin) % 2 === 1) throw new Error(`${what}: odd number of hexadecimal digits (${text.length - begin})`);
  const bytes = new Uint8Array((text.length - begin) / 2);
  for (let i = 0; i < bytes.length; i += 1) {
    const high = NIBBLES[text.charCodeAt(begin + 2 * i)] ?? 255;
    const low = NIBBLES[text.charCodeAt(begin + 2 * i + 1)] ?? 255;
    if (high === 255 || low === 255) throw new Error(`${what}: no hexadecimal digit at position ${begin + 2 * i + (high === 255 ? 0 : 1)}`);
    bytes[i] = high << 4 | low;
  }
  return bytes;
}

function toHex(bytes) {
  let text = '0x';
  for (const byte of bytes) text += PAIRS[byte];
  return text;
}

const split = (bytes, length) => Array.from({ length: bytes.length / length }, (_, i) => toHex(bytes.subarray(i * length, (i + 1) * length)));

function toIndices(indices) {
  const bytes = new Uint8Array(4 * indices.length);
  const view = new DataView(bytes.buffer);
  // The spread has an undefined value for each hole, which forEach would leave out.
  [...indices].forEach((index, position) => {
    if (typeof index !== 'number') throw new Error(`cell index at position ${position} is not a number`);
    if (!Number.isInteger(index) || index < 0 || index >= CELLS) {
      throw new Error(`cell index ${index} at position ${position} is out of range [0, ${CELLS})`);
    }
    view.setUint32(4 * position, index, true);
  });
  return bytes;
}

function sameLengths(...lists) {
  if (!lists.every(Array.isArray)) throw new Error('each list must be an array');
  if (lists.some(list => list.length !== lists[0].length)) throw new Error(`lists of different lengths: ${lists.map(list => list.length).join(', ')}`);
}

export async function loadKZG(precompute = 0, trustedSetup = undefined) {
  const { exports } = await WebAssembly.instantiate(await module(), {});

  // Returns the output of a function for parts of the input, each of one length.
  function call(name, count, parts) {
    let length = 0;
    for (const part of parts) length += part.length;
    let at = exports.input(length);
    for (const part of parts) {
      // Each call may replace the memory.
      new Uint8Array(exports.memory.buffer).set(part, at);
      at += part.length;
    }
    const succeeded = exports.call(FUNCTIONS[name], count);
    const output = new Uint8Array(exports.memory.buffer, exports.output(), exports.output_length()).slice();
    if (succeeded) return output;
    const why = new TextDecoder().decode(output);
    throw new Error(NO_VERDICT.test(why) ? why : `invalid argument: ${why}`);
  }
  const all = (list, length, what) => Array.from(list, (text, index) => {
    const bytes = toBytes(text, `${what} ${index}`);
    if (bytes.length !== length) throw new Error(`invalid argument: ${what} ${index} has ${bytes.length} bytes, not ${length}`);
    return bytes;
  });
  const one = (text, length, what) => all([text], length, what)[0];
  const blob = text => one(text, 131072, 'blob');
  const point = (text, what) => one(text, POINT, what);
  // What is no point or field element verifies as little as a wrong one.
  function verifies(verify) {
    try {
      return verify()[0] === 1;
    } catch (error) {
      if (error.message.startsWith('invalid argument')) return false;
      throw error;
    }
  }
  const cellsAndProofs = output => ({
    proofs: split(output.subarray(CELLS * CELL), POINT), cells: split(output.subarray(0, CELLS * CELL), CELL),
  });

  const kzg = {
    loadTrustedSetup(precomputed = 0, setup = undefined) {
      if (!Number.isInteger(precomputed) || precomputed < 0 || precomputed > 15) throw new Error(`precompute is ${precomputed}, not 0 to 15`);
      const lists = setup ? ['g1_monomial', 'g1_lagrange', 'g2_monomial'].map(name => toBytes(setup[name], name, '')) : [];
      if (setup && lists.some((list, index) => list.length !== [4096 * 48, 4096 * 48, 65 * 96][index])) {
        throw new Error(`trusted setup: lists of ${lists.map(list => list.length).join(', ')} bytes, not 196608, 196608, 6240`);
      }
      call('load', 0, lists);
      return 0;
    },
    freeTrustedSetup: () => { call('free', 0, []); },
    blobToKZGCommitment: of => toHex(call('commitment', 1, [blob(of)])),
    computeBlobKZGProof: (of, commitment) => toHex(call('blobProof', 1, [blob(of), point(commitment, 'commitment')])),
    verifyBlobKZGProof: (of, commitment, proof) => kzg.verifyBlobKZGProofBatch([of], [commitment], [proof]),
    verifyBlobKZGProofBatch(blobs, commitments, proofs) {
      sameLengths(blobs, commitments, proofs);
      return verifies(() => call('verifyBlobs', blobs.length, [
        ...all(blobs, 131072, 'blob'), ...all(commitments, POINT, 'commitment'), ...all(proofs, POINT, 'proof'),
      ]));
    },
    verifyKZGProof: (commitment, z, y, proof) => verifies(() => call('verifyProof', 1, [
      point(commitment, 'commitment'), one(z, 32, 'z'), one(y, 32, 'y'), point(proof, 'proof'),
    ])),
    computeCellsAndKZGProofs: of => cellsAndProofs(call('cellsAndProofs', 1, [blob(of)])),
    recoverCellsFromKZGProofs(indices, cells, count) {
      if (indices.length < count || cells.length < count) throw new Error(`${indices.length} indices and ${cells.length} cells, not ${count}`);
      return cellsAndProofs(call('recover', count, [toIndices(indices.slice(0, count)), ...all(cells.slice(0, count), CELL, 'cell')]));
    },
    // Of all 128 cells, in their order.
    verifyCellKZGProof: (commitment, cells, proofs) => kzg.verifyCellKzgProofBatch(
      Array.from(cells, () => commitment), Array.from(cells, (_, index) => index), cells, proofs,
    ),
    verifyCellKZGProofBatch(commitments, indices, cells, proofs, count) {
      sameLengths(commitments, indices, cells, proofs);
      if (cells.length !== count) throw new Error('numCells must match the number of cells provided');
      const wanted = toIndices(indices);
      return verifies(() => call('verifyCells', count, [
        ...all(commitments, POINT, 'commitment'), wanted, ...all(cells, CELL, 'cell'), ...all(proofs, POINT, 'proof'),
      ]));
    },
    computeCells: of => split(call('cells', 1, [blob(of)]), CELL),
    verifyCellKzgProofBatch: (commitments, indices, cells, proofs) => (
      kzg.verifyCellKZGProofBatch(commitments, indices, cells, proofs, cells?.length)
    ),
    recoverCellsAndProofs(indices, cells) {
      const both = kzg.recoverCellsFromKZGProofs(indices, cells, cells.length);
      return [both.cells, both.proofs];
    },
    computeCellsAndProofs(of) {
      const both = kzg.computeCellsAndKZGProofs(of);
      return [both.cells, both.proofs];
    },
  };
  kzg.verifyBlobProofBatch = kzg.verifyBlobKZGProofBatch;
  kzg.computeBlobProof = kzg.computeBlobKZGProof;
  kzg.blobToKzgCommitment = kzg.blobToKZGCommitment;
  kzg.verifyProof = kzg.verifyKZGProof;
  kzg.loadTrustedSetup(precompute, trustedSetup);
  return kzg;
}

// The API of the npm package c-kzg over the module that src/lib.rs is compiled to. README.md has the differences.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { types } = require('node:util');

const BYTES_PER_BLOB = 131072;
const BYTES_PER_COMMITMENT = 48;
const BYTES_PER_FIELD_ELEMENT = 32;
const BYTES_PER_PROOF = 48;
const BYTES_PER_CELL = 2048;
const FIELD_ELEMENTS_PER_BLOB = 4096;
const FIELD_ELEMENTS_PER_CELL = 64;
const CELLS_PER_EXT_BLOB = 128;

// A bundler puts this text elsewhere, where __dirname may not exist.
const folder = typeof __dirname === 'string' ? __dirname : '';
const file = path.join(folder, `${process.platform}-${process.arch}.node`);
if (!fs.existsSync(file)) {
  throw new Error(`${file} not found: ${fs.existsSync(path.join(folder, 'kzg.d.ts'))
    ? `this package was not built for ${process.platform} on ${process.arch}`
    : 'the bundle was moved away from its .node file: mark parcrypt (the package c-kzg) as external'}`);
}
const { Settings } = require(file);

// Mainnet's setup is part of the module. c-kzg's tests ask for a path.
const DEFAULT_TRUSTED_SETUP_PATH = file;

let settings;
let loading = false;

function located(filePath) {
  if (!filePath) return DEFAULT_TRUSTED_SETUP_PATH;
  if (typeof filePath !== 'string') throw new TypeError('Must initialize kzg with the filePath to a txt/json trusted setup');
  if (!fs.existsSync(filePath)) throw new Error(`No trusted setup found: ${filePath}`);
  return filePath;
}

// For c-kzg's tests: loadTrustedSetup itself reads JSON.
function getTrustedSetupFilepath(filePath) {
  const found = located(filePath);
  if (path.extname(found) !== '.json') return found;
  const { g1_lagrange: lagrange, g2_monomial: g2, g1_monomial: monomial } = JSON.parse(fs.readFileSync(found, 'utf8'));
  const text = found.replace('.json', '.txt');
  fs.writeFileSync(text, [lagrange.length, g2.length, ...[...lagrange, ...g2, ...monomial].map(point => point.slice(2))].join('\n'));
  return text;
}

function wanted(precompute, filePath) {
  if (settings || loading) throw new Error('Error trusted setup is already loaded');
  if (!Number.isInteger(precompute) || precompute < 0 || precompute > 15) {
    throw new TypeError(`Expected precompute to be an integer from 0 to 15, not ${String(precompute)}`);
  }
  const found = located(filePath);
  return [precompute, found === DEFAULT_TRUSTED_SETUP_PATH ? undefined : found];
}

function failed(what, error) {
  return new Error(`${what}: ${error.message}`, { cause: error });
}

function loadTrustedSetup(precompute, filePath) {
  const arguments_ = wanted(precompute, filePath);
  try {
    settings = Settings.load(...arguments_);
  } catch (error) {
    throw failed('Error loading trusted setup file', error);
  }
}

async function loadTrustedSetupAsync(precompute, filePath) {
  const arguments_ = wanted(precompute, filePath);
  loading = true;
  try {
    settings = await Settings.startLoad(...arguments_);
  } catch (error) {
    throw failed('Error loading trusted setup file', error);
  } finally {
    loading = false;
  }
}

// The memory of an array as its getters have it, which no property of the array hides.
const ofArray = name => Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), name).get;
const [bufferOf, offsetOf, lengthOf] = ['buffer', 'byteOffset', 'byteLength'].map(ofArray);

// `index` is the place in a list, whose holes Array.from turns into undefined values.
function bytes(value, length, name, index) {
  const place = index === undefined ? '' : ` (index ${index})`;
  if (!types.isUint8Array(value)) throw new TypeError(`Expected ${name} to be a Uint8Array${place}`);
  if (lengthOf.call(value) !== length) throw new TypeError(`Expected ${name} to be ${length} bytes${place}`);
  return new Uint8Array(bufferOf.call(value), offsetOf.call(value), length);
}
const blob = (value, index) => bytes(value, BYTES_PER_BLOB, 'blob', index);
const commitment = (value, index) => bytes(value, BYTES_PER_COMMITMENT, 'commitmentBytes', index);
const proof = (value, index) => bytes(value, BYTES_PER_PROOF, 'proofBytes', index);
const element = (value, name) => bytes(value, BYTES_PER_FIELD_ELEMENT, name);
const cell = (value, index) => bytes(value, BYTES_PER_CELL, 'cell', index);

function indices(list) {
  const words = Buffer.alloc(4 * list.length);
  for (const [position, index] of list.entries()) {
    if (typeof index !== 'number') throw new TypeError(`cell index should be a number (index ${position})`);
    if (!Number.isInteger(index) || index < 0 || index >= CELLS_PER_EXT_BLOB) {
      throw new Error(`cell index ${index} at position ${position} is out of range [0, ${CELLS_PER_EXT_BLOB})`);
    }
    words.writeUInt32LE(index, 4 * position);
  }
  return words;
}

// Each has memory of its own, as in c-kzg.
const part = (output, begin, end) => Buffer.from(output.buffer.slice(output.byteOffset + begin, output.byteOffset + end));
const split = (output, begin, end, length) => Array.from(
  { length: (end - begin) / length }, (_, i) => part(output, begin + i * length, begin + (i + 1) * length),
);
const CELLS = CELLS_PER_EXT_BLOB * BYTES_PER_CELL;
const cellsAndProofs = output => [split(output, 0, CELLS, BYTES_PER_CELL), split(output, CELLS, output.length, BYTES_PER_PROOF)];
const isValid = output => output[0] === 1;

// Returns a function and its asynchronous form. `prepare` returns the number of items and the parts of the input, `number` is that of
// bindings/call.rs, and `finish` makes the result from the output. The input is copied, so that it may change afterwards.
function both(name, number, prepare, finish) {
  function input(given) {
    const [count, ...parts] = prepare(...given);
    if (!settings) throw new Error('Must run loadTrustedSetup before running any other c-kzg functions');
    return [number, count, Buffer.concat(parts)];
  }
  const now = (...given) => {
    const arguments_ = input(given);
    try {
      return finish(settings.call(...arguments_));
    } catch (error) {
      throw failed(`Error in ${name}`, error);
    }
  };
  const later = async (...given) => {
    const arguments_ = input(given);
    try {
      return finish(await settings.start(...arguments_));
    } catch (error) {
      throw failed(`Error in ${name}`, error);
    }
  };
  return [now, later];
}

const [blobToKzgCommitment, blobToKzgCommitmentAsync] = both('blobToKzgCommitment', 2, of => [1, blob(of)], output => output);

const [computeBlobKzgProof, computeBlobKzgProofAsync] = both(
  'computeBlobKzgProof', 3, (of, commitmentBytes) => [1, blob(of), commitment(commitmentBytes)], output => output,
);

const [computeKzgProof, computeKzgProofAsync] = both(
  'computeKzgProof', 10, (of, zBytes) => [1, blob(of), element(zBytes, 'zBytes')],
  output => [part(output, 0, BYTES_PER_PROOF), part(output, BYTES_PER_PROOF, output.length)],
);

const [verifyKzgProof, verifyKzgProofAsync] = both('verifyKzgProof', 5, (commitmentBytes, zBytes, yBytes, proofBytes) => [
  1, commitment(commitmentBytes), element(zBytes, 'zBytes'), element(yBytes, 'yBytes'), proof(proofBytes),
], isValid);

const [verifyBlobKzgProof, verifyBlobKzgProofAsync] = both('verifyBlobKzgProof', 4, (of, commitmentBytes, proofBytes) => [
  1, blob(of), commitment(commitmentBytes), proof(proofBytes),
], isValid);

const [verifyBlobKzgProofBatch, verifyBlobKzgProofBatchAsync] = both('verifyBlobKzgProofBatch', 4, (blobs, commitments, proofs) => {
  if (![blobs, commitments, proofs].every(Array.isArray)) throw new Error('Blobs, commitments, and proofs must all be arrays');
  if (commitments.length !== blobs.length || proofs.length !== blobs.length) {
    throw new Error('Requires equal number of blobs/commitments/proofs');
  }
  return [blobs.length, ...Array.from(blobs, blob), ...Array.from(commitments, commitment), ...Array.from(proofs, proof)];
}, isValid);

const [computeCells, computeCellsAsync] = both(
  'computeCells', 6, of => [1, blob(of)], output => split(output, 0, CELLS, BYTES_PER_CELL),
);

const [computeCellsAndKzgProofs, computeCellsAndKzgProofsAsync] = both(
  'computeCellsAndKzgProofs', 7, of => [1, blob(of)], cellsAndProofs,
);

const [recoverCellsAndKzgProofs, recoverCellsAndKzgProofsAsync] = both('recoverCellsAndKzgProofs', 8, (cellIndices, cells) => {
  if (!Array.isArray(cellIndices)) throw new Error('CellIndices must be an array');
  if (!Array.isArray(cells)) throw new Error('Cells must be an array');
  if (cellIndices.length !== cells.length) throw new Error('There must equal lengths of cellIndices and cells');
  return [cells.length, indices(cellIndices), ...Array.from(cells, cell)];
}, cellsAndProofs);

const [verifyCellKzgProofBatch, verifyCellKzgProofBatchAsync] = both(
  'verifyCellKzgProofBatch', 9, (commitments, cellIndices, cells, proofs) => {
    const lists = [commitments, cellIndices, cells, proofs];
    if (!lists.every(Array.isArray)) throw new Error('commitments, cell_indices, cells, and proofs must be arrays');
    if (lists.some(list => list.length !== cells.length)) {
      throw new Error('Must have equal lengths for commitments, cell_indices, cells, and proofs');
    }
    return [cells.length, ...Array.from(commitments, commitment), indices(cellIndices), ...Array.from(cells, cell), ...Array.from(proofs, proof)];
  }, isValid,
);

// In this form, so that `import { … }` finds the names.
module.exports = {
  BYTES_PER_BLOB,
  BYTES_PER_COMMITMENT,
  BYTES_PER_FIELD_ELEMENT,
  BYTES_PER_PROOF,
  BYTES_PER_CELL,
  FIELD_ELEMENTS_PER_BLOB,
  FIELD_ELEMENTS_PER_CELL,
  CELLS_PER_EXT_BLOB,
  DEFAULT_TRUSTED_SETUP_PATH,
  getTrustedSetupFilepath,
  loadTrustedSetup,
  blobToKzgCommitment,
  computeKzgProof,
  computeBlobKzgProof,
  verifyKzgProof,
  verifyBlobKzgProof,
  verifyBlobKzgProofBatch,
  computeCells,
  computeCellsAndKzgProofs,
  recoverCellsAndKzgProofs,
  verifyCellKzgProofBatch,
  loadTrustedSetupAsync,
  blobToKzgCommitmentAsync,
  computeKzgProofAsync,
  computeBlobKzgProofAsync,
  verifyKzgProofAsync,
  verifyBlobKzgProofAsync,
  verifyBlobKzgProofBatchAsync,
  computeCellsAsync,
  computeCellsAndKzgProofsAsync,
  recoverCellsAndKzgProofsAsync,
  verifyCellKzgProofBatchAsync,
};

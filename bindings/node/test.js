// Tests the package as it is installed under the name of the original: known values, the asynchronous forms, and bad input.
// scripts/test-bindings node puts it in a folder with that package.
'use strict';
const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const { randomBytes } = require('node:crypto');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const { Worker } = require('node:worker_threads');

const kzg = require('c-kzg');

const bytes = text => Buffer.from(text, 'hex');
const blobOf = element => Buffer.concat(Array.from({ length: 4096 }, (_, i) => element(i)));
const small = number => { const of = Buffer.alloc(32); of.writeUInt32BE(number, 28); return of; };
const random = blobOf(() => Buffer.concat([Buffer.alloc(1), randomBytes(31)]));
const zero = new Uint8Array(131072);
const infinity = bytes(`c0${'00'.repeat(47)}`);
const G1 = bytes('97f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb');
const tooLarge = blobOf(i => (i === 7 ? bytes('73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001') : small(i)));
const half = Array.from({ length: 64 }, (_, i) => 2 * i + (i % 2));

function detached() {
  const blob = new Uint8Array(131072);
  structuredClone(blob.buffer, { transfer: [blob.buffer] });
  return blob;
}

// What a bundler makes of the package: its text in another folder, as CommonJS and as an ES module.
test('a bundle without its .node file says what to do', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'parcrypt-node-'));
  const text = fs.readFileSync(require.resolve('c-kzg'), 'utf8');
  const files = {
    'bundle.cjs': text,
    'bundle.mjs': `import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url), module = {};\n${text}`,
  };
  for (const [name, bundle] of Object.entries(files)) {
    fs.writeFileSync(path.join(folder, name), bundle);
    const { status, stderr } = spawnSync(process.execPath, [name], { cwd: folder, encoding: 'utf8' });
    assert.match(stderr, /not found: the bundle was moved away from its \.node file: mark parcrypt .* as external/, name);
    assert.equal(status, 1);
  }
  // The package itself, for a machine that it was not built for.
  fs.writeFileSync(path.join(folder, 'kzg.d.ts'), '');
  assert.throws(() => require(path.join(folder, 'bundle.cjs')), /not built for/);
  fs.rmSync(folder, { recursive: true });
});

// Before the setup is loaded; then the setup itself.
test('loading', async () => {
  assert.throws(() => kzg.blobToKzgCommitment(zero), /Must run loadTrustedSetup/);
  for (const precompute of [undefined, -1, 16, 1.5, NaN, '8', null]) {
    assert.throws(() => kzg.loadTrustedSetup(precompute), TypeError);
  }
  assert.throws(() => kzg.loadTrustedSetup(0, 5), TypeError);
  assert.throws(() => kzg.loadTrustedSetup(0, '/no/such/file'), /No trusted setup found: /);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'parcrypt-node-'));
  const text = path.join(folder, 'bad.txt');
  fs.writeFileSync(text, '4096 65 00');
  assert.throws(() => kzg.loadTrustedSetup(0, text), /Error loading trusted setup file: .*bad\.txt/);
  assert.throws(() => kzg.loadTrustedSetup(0, folder), /Error loading trusted setup file/);
  await assert.rejects(kzg.loadTrustedSetupAsync(0, text), /bad\.txt/);
  fs.rmSync(folder, { recursive: true });
  const loading = kzg.loadTrustedSetupAsync(1);
  assert.throws(() => kzg.loadTrustedSetup(0), /already loaded/);
  await loading;
  assert.throws(() => kzg.loadTrustedSetup(0), /already loaded/);
  await assert.rejects(kzg.loadTrustedSetupAsync(0), /already loaded/);
});

test('known values', () => {
  assert.deepEqual(kzg.blobToKzgCommitment(zero), infinity);
  // The polynomial 1, and 2 in the first root of unity, which is 1.
  const ones = blobOf(() => small(1));
  assert.deepEqual(kzg.blobToKzgCommitment(ones), G1);
  // A part of a larger buffer, and shared memory.
  assert.deepEqual(kzg.blobToKzgCommitment(Buffer.concat([small(9), ones, small(9)]).subarray(32, -32)), G1);
  const shared = new Uint8Array(new SharedArrayBuffer(131072));
  shared.set(ones);
  assert.deepEqual(kzg.blobToKzgCommitment(shared), G1);
  const [proof, y] = kzg.computeKzgProof(blobOf(() => small(2)), small(5));
  assert.deepEqual([proof, y], [infinity, small(2)]);
  assert.equal(kzg.verifyKzgProof(G1, small(5), small(1), infinity), true);
  assert.equal(kzg.verifyKzgProof(G1, small(5), small(2), infinity), false);
});

test('both forms compute the same, which verifies', async () => {
  const commitment = kzg.blobToKzgCommitment(random);
  const proof = kzg.computeBlobKzgProof(random, commitment);
  const [cells, proofs] = kzg.computeCellsAndKzgProofs(random);
  assert.deepEqual(Buffer.concat(cells.slice(0, 64)), random);
  const [at, y] = kzg.computeKzgProof(random, small(5));
  const calls = [
    ['blobToKzgCommitment', [random], commitment],
    ['computeBlobKzgProof', [random, commitment], proof],
    ['computeKzgProof', [random, small(5)], [at, y]],
    ['computeCells', [random], cells],
    ['computeCellsAndKzgProofs', [random], [cells, proofs]],
    ['recoverCellsAndKzgProofs', [half, half.map(i => cells[i])], [cells, proofs]],
    ['verifyKzgProof', [commitment, small(5), y, at], true],
    ['verifyKzgProof', [commitment, small(6), y, at], false],
    ['verifyBlobKzgProof', [random, commitment, proof], true],
    ['verifyBlobKzgProof', [random, commitment, infinity], false],
    ['verifyBlobKzgProofBatch', [[random, zero], [commitment, infinity], [proof, infinity]], true],
    ['verifyBlobKzgProofBatch', [[random, zero], [infinity, commitment], [proof, infinity]], false],
    ['verifyBlobKzgProofBatch', [[], [], []], true],
    ['verifyCellKzgProofBatch', [[commitment, commitment], [3, 127], [cells[3], cells[127]], [proofs[3], proofs[127]]], true],
    ['verifyCellKzgProofBatch', [[commitment, commitment], [3, 126], [cells[3], cells[127]], [proofs[3], proofs[127]]], false],
  ];
  for (const [name, given, expected] of calls) {
    assert.deepEqual(kzg[name](...given), expected, name);
    assert.deepEqual(await kzg[`${name}Async`](...given), expected, name);
  }
  // Each result has memory of its own.
  assert.equal(cells[1].buffer.byteLength, 2048);
  assert.equal(proofs[1].buffer.byteLength, 48);
});

test('the event loop has turns while work is done', async () => {
  let done = false;
  let turns = 0;
  const work = Promise.all(Array.from({ length: 16 }, () => kzg.computeCellsAndKzgProofsAsync(random))).then(all => { done = true; return all; });
  for (;;) {
    await new Promise(setImmediate);
    if (done) break;
    turns += 1;
  }
  assert.equal((await work).length, 16);
  assert.ok(turns > 0);
});

test('arguments may change once a call has returned', async () => {
  const blob = Buffer.from(random);
  const later = kzg.blobToKzgCommitmentAsync(blob);
  blob.fill(0xff);
  assert.deepEqual(await later, kzg.blobToKzgCommitment(random));
});

test('invalid arguments', async () => {
  const cell = new Uint8Array(2048);
  const bad = [
    ['blobToKzgCommitment', [tooLarge], /blob 0: field element 7/],
    ['blobToKzgCommitment', [new Uint16Array(65536)], /Expected blob to be a Uint8Array/],
    ['blobToKzgCommitment', [random.subarray(1)], /Expected blob to be 131072 bytes/],
    ['blobToKzgCommitment', [{ length: 131072 }], TypeError],
    ['blobToKzgCommitment', [], TypeError],
    ['computeKzgProof', [zero, bytes('ff'.repeat(32))], /not below the modulus/],
    ['computeBlobKzgProof', [zero, Buffer.alloc(48)], Error],
    ['verifyBlobKzgProof', [zero, infinity, Buffer.alloc(48, 0xff)], Error],
    ['verifyBlobKzgProofBatch', [[zero], [infinity], []], /equal number/],
    ['verifyCellKzgProofBatch', [[infinity], [128], [cell], [infinity]], /128 at position 0 is out of range/],
    ['verifyCellKzgProofBatch', [[infinity], [-1], [cell], [infinity]], /out of range/],
    ['verifyCellKzgProofBatch', [[infinity], [0.5], [cell], [infinity]], /out of range/],
    ['verifyCellKzgProofBatch', [[infinity], [2 ** 64], [cell], [infinity]], /out of range/],
    ['verifyCellKzgProofBatch', [[infinity], ['0'], [cell], [infinity]], TypeError],
    ['verifyCellKzgProofBatch', [[infinity], [0n], [cell], [infinity]], /index should be a number \(index 0\)/],
    ['verifyCellKzgProofBatch', [[infinity], [null], [cell], [infinity]], TypeError],
    ['verifyCellKzgProofBatch', [[infinity], new Uint8Array(1), [cell], [infinity]], /must be arrays/],
    ['verifyBlobKzgProofBatch', [[[zero]], [infinity], [infinity]], /Uint8Array \(index 0\)/],
    ['verifyBlobKzgProofBatch', [[zero, cell], [infinity, infinity], [infinity, infinity]], /131072 bytes \(index 1\)/],
    ['blobToKzgCommitment', [detached()], /to be 131072 bytes/],
    ['recoverCellsAndKzgProofs', [half.slice(1), half.slice(1).map(() => cell)], Error],
    ['recoverCellsAndKzgProofs', [[2, 1], [cell, cell]], Error],
    ['recoverCellsAndKzgProofs', [new Set(), []], /must be an array/],
  ];
  // A hole in each list.
  const lists = { blob: [zero, zero], commitmentBytes: [infinity, infinity], proofBytes: [infinity, infinity], cell: [cell, cell], 'cell index': [0, 1] };
  for (const [name, ...names] of [
    ['verifyBlobKzgProofBatch', 'blob', 'commitmentBytes', 'proofBytes'], ['recoverCellsAndKzgProofs', 'cell index', 'cell'],
    ['verifyCellKzgProofBatch', 'commitmentBytes', 'cell index', 'cell', 'proofBytes'],
  ]) {
    for (const of of names) {
      const given = names.map(one => [...lists[one]]);
      delete given[names.indexOf(of)][1];
      bad.push([name, given, new RegExp(`${of} .*\\(index 1\\)`)]);
    }
  }
  for (const [name, given, expected] of bad) {
    assert.throws(() => kzg[name](...given), expected, name);
    await assert.rejects(kzg[`${name}Async`](...given), expected, name);
  }
  // Properties that are not those of the memory.
  for (const [real, claimed] of [[8, 131072], [131072, 8]]) {
    const liar = new Uint8Array(real);
    for (const name of ['length', 'byteLength']) Object.defineProperty(liar, name, { value: claimed });
    if (real === 131072) assert.deepEqual(Buffer.from(kzg.blobToKzgCommitment(liar)), infinity);
    else assert.throws(() => kzg.blobToKzgCommitment(liar), /to be 131072 bytes/);
  }
});

test('a worker has a setup of its own', async () => {
  const code = `
    const kzg = require('c-kzg');
    kzg.loadTrustedSetup(0);
    require('node:worker_threads').parentPort.postMessage(kzg.blobToKzgCommitment(new Uint8Array(131072)));`;
  const worker = new Worker(code, { eval: true });
  const said = await new Promise((resolve, reject) => { worker.once('message', resolve).once('error', reject); });
  assert.deepEqual(Buffer.from(said), infinity);
  // One that ends while its work runs.
  const another = new Worker(`
    const kzg = require('c-kzg');
    kzg.loadTrustedSetup(0);
    for (let i = 0; i < 8; i += 1) kzg.computeCellsAndKzgProofsAsync(new Uint8Array(131072).fill(1));
    require('node:worker_threads').parentPort.postMessage('running');`, { eval: true });
  await new Promise(resolve => { another.once('message', resolve); });
  await another.terminate();
});

// Tests the package: known values, kzg-wasm's answers, and bad input. node test.mjs [FOLDER with kzg-wasm installed]
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

import { loadKZG } from './kzg.mjs';

const hex = bytes => `0x${Buffer.from(bytes).toString('hex')}`;
const blobOf = element => hex(Buffer.concat(Array.from({ length: 4096 }, (_, i) => element(i))));
const small = number => { const bytes = Buffer.alloc(32); bytes.writeUInt32BE(number, 28); return bytes; };
const random = blobOf(() => Buffer.concat([Buffer.alloc(1), randomBytes(31)]));
const zero = blobOf(() => Buffer.alloc(32));
const infinity = `0xC0${'00'.repeat(47)}`;
const modulus = '73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001';
const tooLarge = blobOf(i => (i === 7 ? Buffer.from(modulus, 'hex') : small(i)));
const half = Array.from({ length: 64 }, (_, i) => 2 * i + (i % 2));

const ours = await loadKZG();
const commitment = ours.blobToKZGCommitment(random);
const proof = ours.computeBlobKZGProof(random, commitment);
const both = ours.computeCellsAndKZGProofs(random);
const flipped = text => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
const G1 = '0x97F1D3A73197D7942695638C4FA9AC0FC3688C4F9774B905A14E3A3F171BAC586C55E83FF97A1AEFFB3AF00ADB22C6BB';

test('known values', () => {
  assert.equal(ours.blobToKZGCommitment(zero), infinity);
  // The polynomial 1.
  assert.equal(ours.blobToKZGCommitment(blobOf(() => small(1))), G1);
  assert.ok(ours.verifyKZGProof(G1, hex(small(5)), hex(small(1)), infinity));
  assert.ok(!ours.verifyKZGProof(G1, hex(small(5)), hex(small(2)), infinity));
});

test('what is computed verifies, and nothing else does', () => {
  assert.ok(ours.verifyBlobKZGProof(random, commitment, proof));
  assert.ok(!ours.verifyBlobKZGProof(zero, commitment, proof));
  assert.ok(!ours.verifyBlobKZGProof(random, commitment, infinity));
  assert.ok(ours.verifyBlobKZGProofBatch([random, zero], [commitment, infinity], [proof, infinity]));
  assert.ok(!ours.verifyBlobKZGProofBatch([random, zero], [infinity, commitment], [proof, infinity]));
  assert.ok(ours.verifyBlobKZGProofBatch([], [], []));
  assert.ok(ours.verifyCellKZGProof(commitment, both.cells, both.proofs));
  assert.ok(!ours.verifyCellKZGProof(commitment, [both.cells[1], ...both.cells.slice(1)], both.proofs));
  assert.equal(`0x${both.cells.slice(0, 64).map(cell => cell.slice(2)).join('')}`.toLowerCase(), random);
  assert.deepEqual(ours.computeCells(random), both.cells);
  assert.deepEqual(ours.recoverCellsFromKZGProofs(half, half.map(i => both.cells[i]), 64), both);
});

test('invalid input', () => {
  for (const blob of ['', '0x', '0x0', 'xyz', `${random}00`, random.slice(0, -2), random.replace('0x', ''), `${random.slice(0, -1)}g`, tooLarge, 5, null]) {
    assert.throws(() => ours.blobToKZGCommitment(blob), Error, String(blob).slice(0, 20));
    assert.throws(() => ours.computeCellsAndKZGProofs(blob), Error);
  }
  assert.throws(() => ours.computeBlobKZGProof(random, hex(Buffer.alloc(48))), /invalid argument/);
  assert.equal(ours.verifyBlobKZGProof(random, hex(Buffer.alloc(48)), proof), false);
  assert.equal(ours.verifyBlobKZGProof(tooLarge, commitment, proof), false);
  assert.throws(() => ours.verifyBlobKZGProofBatch([random], [], []), /different lengths/);
  assert.throws(() => ours.verifyCellKZGProofBatch([commitment], [128], [both.cells[0]], [both.proofs[0]], 1), /out of range/);
  assert.throws(() => ours.recoverCellsFromKZGProofs(half.slice(1), half.slice(1).map(i => both.cells[i]), 63), /invalid argument/);
  assert.throws(() => ours.recoverCellsFromKZGProofs([2, 1], [both.cells[2], both.cells[1]], 2), /invalid argument/);
  assert.throws(() => ours.recoverCellsFromKZGProofs([0], [both.cells[0]], 64), /not 64/);
  assert.throws(() => ours.loadTrustedSetup(16), /precompute/);
  // Lists that are none, and one item that is nothing, or of another type.
  for (const none of [null, '', { length: 0 }, new Set(), new Uint8Array()]) {
    for (const place of [0, 1, 2]) {
      const lists = [[], [], []];
      lists[place] = none;
      assert.throws(() => ours.verifyBlobKZGProofBatch(...lists), /array/);
      assert.throws(() => ours.verifyCellKzgProofBatch(...lists, []), /array/);
    }
  }
  const { cells, proofs } = both;
  const lists = [[commitment, commitment], [0, 1], cells.slice(0, 2), proofs.slice(0, 2)];
  assert.ok(ours.verifyCellKzgProofBatch(...lists));
  for (const [place, name] of ['commitment 1', 'at position 1 is not a number', 'cell 1', 'proof 1'].entries()) {
    for (const change of [list => { delete list[1]; }, list => { list[1] = null; }, list => { list[1] = 1n; }, list => { list[1] = [list[1]]; }]) {
      const given = lists.map(list => [...list]);
      change(given[place]);
      assert.throws(() => ours.verifyCellKzgProofBatch(...given), new RegExp(name), `${name}: ${change}`);
      if (place % 3 !== 0) assert.throws(() => ours.recoverCellsFromKZGProofs(given[1], given[2], 2), new RegExp(name));
      if (place >= 2) assert.throws(() => ours.verifyCellKZGProof(commitment, given[2], given[3]), new RegExp(name));
    }
  }
  for (const index of [-1, 0.5, NaN, 2 ** 32]) assert.throws(() => ours.verifyCellKzgProofBatch([commitment], [index], cells.slice(0, 1), proofs.slice(0, 1)), /out of range/);
  assert.throws(() => ours.verifyBlobKZGProofBatch([random, , random], Array(3).fill(commitment), Array(3).fill(proof)), /blob 1/);
});

test('settings are freed and loaded again', async () => {
  const other = await loadKZG(8);
  other.freeTrustedSetup();
  assert.throws(() => other.blobToKZGCommitment(zero), /no trusted setup/);
  // What verifies has no verdict then.
  assert.throws(() => other.verifyBlobKZGProof(random, commitment, proof), /no trusted setup/);
  assert.throws(() => other.verifyKZGProof(G1, hex(small(5)), hex(small(1)), infinity), /no trusted setup/);
  assert.throws(() => other.verifyCellKZGProof(commitment, both.cells, both.proofs), /no trusted setup/);
  other.freeTrustedSetup();
  assert.equal(other.loadTrustedSetup(), 0);
  assert.equal(other.blobToKZGCommitment(zero), infinity);
  const lists = { g1_monomial: '00', g1_lagrange: '00', g2_monomial: '00' };
  assert.throws(() => other.loadTrustedSetup(0, lists), /trusted setup/);
});

test('the README has the sizes of the bundle', () => {
  const text = fs.readFileSync(new URL('README.md', import.meta.url), 'utf8');
  const said = text.match(/`module\.mjs` has (\d+\.\d) MB, compressed by\s+gzip (\d+\.\d)/).slice(1).map(Number);
  const module = fs.readFileSync(new URL('module.mjs', import.meta.url));
  const found = [module, gzipSync(module)].map(bytes => bytes.length / 1e6);
  // Another compiler's code has a similar size.
  found.forEach((size, i) => assert.ok(Math.abs(size - said[i]) < 0.1 * size, `${size} MB, the README says ${said[i]}`));
});

const folder = process.argv[2];
test('the answers of kzg-wasm', { skip: folder ? false : 'no folder with kzg-wasm was named' }, async () => {
  const require = createRequire(pathToFileURL(path.join(folder, 'package.json')));
  const { loadKZG: load } = require('kzg-wasm');
  const theirs = await load();
  assert.equal(theirs.blobToKZGCommitment(random), commitment);
  assert.equal(theirs.computeBlobKZGProof(random, commitment), proof);
  assert.deepEqual(theirs.computeCellsAndKZGProofs(random), both);
  assert.deepEqual(Object.keys(ours).sort(), Object.keys(theirs).sort());
  const claims = [[commitment, proof], [infinity, proof], [commitment, flipped(proof)], [proof, commitment]];
  for (const [of, by] of claims) {
    assert.equal(ours.verifyBlobKZGProof(random, of, by), theirs.verifyBlobKZGProof(random, of, by));
    assert.equal(ours.verifyCellKzgProofBatch([of], [3], [both.cells[3]], [by]), theirs.verifyCellKzgProofBatch([of], [3], [both.cells[3]], [by]));
  }
  assert.throws(() => theirs.blobToKZGCommitment(tooLarge));
});

const FIND = 'for name in chromium chromium-browser google-chrome chrome; do command -v $name && break; done';
const chromium = process.env.CHROMIUM || spawnSync('sh', ['-c', FIND]).stdout.toString().trim();
test('a browser', { skip: chromium ? false : 'Chromium not found', timeout: 120000 }, async () => {
  const page = `<script type="module">
    import { loadKZG } from './kzg.mjs';
    const send = body => fetch('/said', { method: 'POST', body });
    try { await send((await loadKZG()).computeBlobKZGProof(await (await fetch('/blob')).text(), '${commitment}')); } catch (error) { await send(String(error)); }
  </script>`;
  let told;
  const said = new Promise(resolve => { told = resolve; });
  const server = http.createServer((request, response) => {
    const file = request.url.match(/^\/(kzg|module)\.mjs$/);
    if (request.method === 'POST') request.setEncoding('utf8').once('data', told);
    response.setHeader('Content-Type', file ? 'text/javascript' : 'text/html');
    response.end(file ? fs.readFileSync(new URL(`.${request.url}`, import.meta.url)) : { '/': page, '/blob': random }[request.url]);
  }).listen(0, '127.0.0.1');
  await new Promise(resolve => { server.once('listening', resolve); });
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'parcrypt-wasm-'));
  const browser = spawn(chromium, ['--headless', '--no-sandbox', '--disable-gpu', `--user-data-dir=${profile}`, `http://127.0.0.1:${server.address().port}/`]);
  try {
    assert.equal(await said, proof);
  } finally {
    const ended = new Promise(resolve => { browser.once('exit', resolve); });
    browser.kill('SIGKILL');
    await ended;
    server.closeAllConnections();
    server.close();
    fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  }
});

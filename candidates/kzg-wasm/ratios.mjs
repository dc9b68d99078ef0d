// Prints how many times as fast as kzg-wasm Parcrypt is, once V8 has compiled both: node ratios.mjs [OPERATION...]
// Both are in one process and take turns, 30 times; printed are the median ratio of the turns and the range of the middle 28. Answers must
// be the same.
import { randomBytes } from 'node:crypto';
import { library, work } from './work.mjs';

const ROUNDS = 30;
const BLOB = 131072;
const OPERATIONS = ['commitment', 'proof', 'verify-blobs', 'cells-and-proofs', 'recover', 'verify-cells', 'verify-column'];

const sorted = list => list.toSorted((a, b) => a - b);
const median = list => sorted(list)[list.length >> 1];
const libraries = [await library('kzg-wasm'), await library('parcrypt')];
for (const operation of process.argv.length > 2 ? process.argv.slice(2) : OPERATIONS) {
  const bytes = randomBytes(operation === 'verify-column' ? 21 * BLOB : BLOB);
  const runs = libraries.map(kzg => work(kzg, operation, bytes));
  const times = runs.map(() => []);
  for (let round = -5; round < ROUNDS; round++) {
    const answers = [];
    for (const at of round % 2 === 0 ? [0, 1] : [1, 0]) {
      const begun = process.hrtime.bigint();
      const answer = runs[at]();
      if (round >= 0) times[at].push(Number(process.hrtime.bigint() - begun) / 1e6);
      answers.push(JSON.stringify(answer).toLowerCase());
    }
    if (answers[0] !== answers[1]) throw new Error(`${operation}: the answers differ`);
  }
  const ratios = sorted(times[0].map((time, round) => time / times[1][round]));
  const [low, ratio, high] = [1, ROUNDS >> 1, ROUNDS - 2].map(at => ratios[at].toFixed(2));
  const [other, own] = times.map(list => median(list).toFixed(1));
  console.log(`${operation}: kzg-wasm ${other} ms, parcrypt ${own} ms, ${ratio} times as fast (${low} to ${high})`);
}

// A candidate of the lab: node candidate.mjs parcrypt, or kzg-wasm. Answers by the protocol of docs/reference/protocol.md.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import readline from 'node:readline';
import { library, Unsupported, work } from './work.mjs';

const WARM_UP_MS = 3000;

let run, result;
for await (const line of readline.createInterface({ input: process.stdin })) {
  const { id, prepare, sample, quit, ...other } = JSON.parse(line);
  if (quit) break;
  const answer = response => console.log(JSON.stringify({ id, ...response }));
  if (prepare) {
    try {
      if (prepare.workload !== 'kzg-in-wasm') throw new Error(`unknown workload ${prepare.workload}: it can be kzg-in-wasm`);
      run = work(await library(process.argv[2]), prepare.params.operation, fs.readFileSync(prepare.input));
      // Node.js compiles what is called often a second time, better, while it runs: measured is what comes after.
      for (const begun = performance.now(); performance.now() - begun < WARM_UP_MS;) result = run();
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

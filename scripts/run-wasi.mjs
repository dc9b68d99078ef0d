// Runs a WebAssembly program for WASI, preview 1, and exits with its code: node scripts/run-wasi.mjs PROGRAM.wasm ARGUMENT...
import fs from 'node:fs';
import { WASI } from 'node:wasi';

const args = process.argv.slice(2);
const wasi = new WASI({ version: 'preview1', args, env: process.env, preopens: { '.': process.cwd() } });
const module = await WebAssembly.compile(fs.readFileSync(args[0]));
process.exitCode = wasi.start(await WebAssembly.instantiate(module, wasi.getImportObject()));

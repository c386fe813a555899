// Runs the cases in WebAssembly: node run.mjs sinew_determinism.wasm
import { readFile } from "node:fs/promises";

const { instance } = await WebAssembly.instantiate(await readFile(process.argv[2]), {});
const { run, report_pointer, report_length, memory } = instance.exports;
const failed = run();
const report = new Uint8Array(memory.buffer, report_pointer(), report_length());
process.stdout.write(new TextDecoder().decode(report));
process.exit(failed === 0 ? 0 : 1);

// Measures sizes and times, and writes benches/web.md: `node web/bench.mjs` after `cargo xtask web`.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import { gzipSync, brotliCompressSync } from "node:zlib";
import { companions, elementScripts, file, root, runtime } from "./test/core/module.mjs";

const sinew = await runtime();

/** Nanoseconds per frame: the shortest of several runs. */
function time(frames, frame) {
  let best = Infinity;
  for (let run = 0; run < 20; run += 1) {
    const start = process.hrtime.bigint();
    for (let index = 0; index < frames; index += 1) frame(index);
    best = Math.min(best, Number(process.hrtime.bigint() - start) / frames);
  }
  return best;
}

const pip = sinew.parse(file("samples/pip.skf"), { name: "pip.skf" });
const character = pip.instance();
const frames = [{ animation: 1, frame: 0 }];
const walk = sinew.parse(file("samples/motion/walk.amc"), { name: "walk.amc", files: companions() });
const figure = walk.instance();
const length = walk.animations[0].duration;
let sink = 0;

const native = () => {
  const folder = join(root, "crates/sinew-web");
  const arguments_ = ["run", "--quiet", "--release", "--locked", "--package", "sinew-web-times"];
  return execFileSync("cargo", arguments_, { cwd: folder, encoding: "utf8" }).trim().split(" ").map(Number);
};
const web = () => [
  time(2000, (index) => {
    frames[0].frame = pip.frameAt(1, index / 60);
    character.animate(frames);
    character.construct(1 / 60);
    sink += character.vertices[0];
  }),
  time(20000, (index) => {
    figure.sample(0, (index / 60) % length);
    sink += figure.matrices[0];
  }),
];
// In turns, so that both see the same machine.
const best = (a, b) => a.map((value, index) => Math.min(value, b[index]));
let [nativeTimes, webTimes] = [native(), web()];
for (let turn = 0; turn < 3; turn += 1) {
  nativeTimes = best(nativeTimes, native());
  webTimes = best(webTimes, web());
}

const kilobytes = (bytes) => (bytes / 1000).toFixed(0);
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
const row = (what, files, budget) => {
  const raw = sum(files.map((bytes) => bytes.length));
  const gzip = sum(files.map((bytes) => gzipSync(bytes, { level: 9 }).length));
  const brotli = sum(files.map((bytes) => brotliCompressSync(bytes).length));
  return `| ${what} | ${kilobytes(raw)} | ${kilobytes(gzip)} | ${kilobytes(brotli)} | ${budget} | ${gzip <= budget * 1000 ? "yes" : "no"} |`;
};
const module = (what, name, budget) => row(`${what}, \`${name}\``, [readFileSync(join(root, "web/wasm", name))], budget);
/** Sizes that others state or serve: WebAssembly and JavaScript. */
const PEERS = [
  ["Rive canvas", "804 + 102"],
  ["Rive canvas-lite", "323 + 110"],
  ["dotlottie-web", "496 + 33"],
  ["spine-player", "0 + 88"],
  ["model-viewer", "0 + 289"],
  ["rerun", "14400"],
];
const page = join(root, "crates/sinew-viewer/dist/viewer.html");
const times = (what, index) =>
  `| ${what} | ${(nativeTimes[index] / 1000).toFixed(2)} | ${(webTimes[index] / 1000).toFixed(2)} | ${(webTimes[index] / nativeTimes[index]).toFixed(2)} |`;

const readme = readFileSync(join(root, "benches/web.md"), "utf8").split("<!-- below: written by hand -->")[1] ?? "\n";
writeFileSync(
  join(root, "benches/web.md"),
  `# The browser runtime

Written by \`node web/bench.mjs\` after \`cargo xtask web\`, on ${cpus()[0].model}, Node ${process.version}.

## Size
Kilobytes (1000 bytes) as served; the budget is of gzip.

| what | raw | gzip | brotli | budget | met |
|---|---|---|---|---|---|
${[
  module("all readers", "sinew_bg.wasm", 250),
  module("2D", "sinew_2d_bg.wasm", 150),
  module("3D (.sinew, glTF)", "sinew_3d_bg.wasm", 150),
  row("JavaScript: glue, runtime and player element", await elementScripts(), 15),
  ...PEERS.map(([name, gzip]) => `| ${name} (module + JavaScript) | | ${gzip} | | | |`),
].join("\n")}
${existsSync(page) ? `\nThe shared page without files: ${kilobytes(readFileSync(page).length)} kB; the goal is 600.\n` : ""}
## Time per frame
Microseconds, the shortest of runs in turns with the native program; built with simd128, \`sinew\` at \`opt-level = 3\`.
The browser's include the calls from JavaScript and reading an array.

| what | native | wasm | ratio |
|---|---|---|---|
${times("Pip: animate, construct, draw list", 0)}
${times("31 joints: sample, model-space pose", 1)}

<!-- below: written by hand -->${readme}`,
);
execFileSync(process.execPath, [join(root, "web/frames.mjs")], { stdio: "ignore" });
console.log(readFileSync(join(root, "benches/web.md"), "utf8"), sink > 0 ? "" : " ");

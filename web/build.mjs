// Builds dist/ (the npm package) and the viewer as one page: `node build.mjs [--viewer PATH]`.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipAsync } from "@gfx/zopfli";
import { build, transform } from "esbuild";

const root = dirname(fileURLToPath(import.meta.url));
const at = (...parts) => join(root, ...parts);
const option = (name) => {
  const index = process.argv.indexOf(name);
  return index < 0 ? null : process.argv[index + 1];
};
const viewer = option("--viewer") ?? at("../crates/sinew-viewer/dist/viewer.html");

/**
 * gzip by Zopfli: 5 % smaller than zlib's best, and the same bytes with every Node, because the lock file pins the
 * compressor. Without a time and with a fixed system in the header.
 */
async function pack(bytes) {
  const packed = Buffer.from(await gzipAsync(bytes, { numiterations: 5 }));
  packed.fill(0, 4, 8);
  packed[9] = 255;
  return packed.toString("base64");
}

const wasm = readFileSync(at("wasm/sinew_bg.wasm"));
const packedWasm = await pack(wasm);
const shared = { bundle: true, format: "esm", target: "es2022", minify: true, legalComments: "none", charset: "utf8", logLevel: "warning", external: ["three", "node:*"] };
const inlined = {
  name: "sinew-module",
  setup(build) {
    build.onResolve({ filter: /^sinew:module$/ }, () => ({ path: "module", namespace: "sinew" }));
    build.onLoad({ filter: /.*/, namespace: "sinew" }, () => ({ contents: packedWasm, loader: "text" }));
  },
};

rmSync(at("dist"), { recursive: true, force: true });
mkdirSync(at("dist"), { recursive: true });
await build({
  ...shared,
  entryPoints: { index: at("src/index.ts"), player: at("src/element.ts"), three: at("src/three.ts") },
  outdir: at("dist"),
  splitting: true,
  chunkNames: "chunk-[hash]",
});
await build({ ...shared, entryPoints: { single: at("src/single.ts") }, outdir: at("dist"), plugins: [inlined] });
for (const name of ["sinew_bg.wasm", "sinew_2d_bg.wasm", "sinew_3d_bg.wasm"]) {
  if (existsSync(at("wasm", name))) cpSync(at("wasm", name), at("dist", name));
}
execFileSync(process.execPath, [at("node_modules/typescript/bin/tsc"), "--project", at("tsconfig.json"), "--emitDeclarationOnly", "--declarationDir", at("dist/types")], { stdio: "inherit" });

// The page: one classic script, because browsers load no modules from disk; compressed like the module, to a third.
const script = await build({ ...shared, format: "iife", entryPoints: [at("src/viewer/main.ts")], write: false, define: { "import.meta.url": '""' } });
const style = await build({ ...shared, entryPoints: [at("src/viewer/style.css")], write: false });
const loader = await transform(readFileSync(at("src/viewer/loader.js"), "utf8"), { minify: true, target: "es2022" });
const samples = [];
for (const name of ["pip.skf", "walk.sinew", "run.sinew", "dance-turn.sinew", "jump.sinew"]) {
  samples.push({ name, gzip: await pack(readFileSync(at("samples", name))) });
}
const parts = {
  "/*style*/": style.outputFiles[0].text.trim(),
  "/*module*/": packedWasm,
  "/*samples*/": JSON.stringify(samples),
  "/*script*/": await pack(Buffer.from(script.outputFiles[0].text)),
  "/*loader*/": loader.code.trim(),
};
let page = readFileSync(at("src/viewer/template.html"), "utf8");
for (const [mark, text] of Object.entries(parts)) page = page.split(mark).join(text);
mkdirSync(dirname(viewer), { recursive: true });
writeFileSync(viewer, page);

const kilobytes = (count) => `${(count / 1000).toFixed(0)} kB`;
console.log(`${basename(viewer)}: ${kilobytes(page.length)}`);
for (const [mark, text] of Object.entries(parts)) console.log(`  ${mark.slice(2, -2)}: ${kilobytes(text.length)}`);

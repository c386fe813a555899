// Bundles the runtime from its source and loads it with a module of web/wasm.
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";

export const root = fileURLToPath(new URL("../../../", import.meta.url));
export const wasmFolder = join(root, "web/wasm");

let bundle;

/** Returns the script of the runtime, bundled from its source. */
export async function script() {
  const result = await build({
    entryPoints: [join(root, "web/src/core.ts")],
    bundle: true,
    format: "esm",
    target: "es2022",
    write: false,
    external: ["node:*"],
  });
  return result.outputFiles[0].contents;
}

/** Returns a new copy of the runtime, with a module instance of its own. */
export async function runtime(wasm = "sinew_bg.wasm") {
  bundle ??= script().then((contents) => {
    const path = join(mkdtempSync(join(tmpdir(), "sinew-core-")), "core.mjs");
    writeFileSync(path, contents);
    return path;
  });
  const sinew = await import(`${pathToFileURL(await bundle)}?${wasm}`);
  await sinew.init(readFileSync(join(wasmFolder, wasm)));
  return sinew;
}

/** Returns the scripts that a page with a player element loads, minified as in the package. */
export async function elementScripts() {
  const { outputFiles, metafile } = await build({
    entryPoints: { index: join(root, "web/src/index.ts"), player: join(root, "web/src/element.ts") },
    outdir: join(root, "web/dist"),
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    minify: true,
    legalComments: "none",
    charset: "utf8",
    format: "esm",
    target: "es2022",
    write: false,
    metafile: true,
    external: ["node:*"],
  });
  const names = new Set(["web/dist/player.js"]);
  // What is imported on demand is not counted. Names that are added are visited too.
  for (const name of names) {
    for (const { path, kind } of metafile.outputs[name].imports) if (kind === "import-statement") names.add(path);
  }
  return [...names].map((name) => outputFiles.find((output) => output.path === join(root, name)).contents);
}

/** Bundles a file of web/src that needs no module, and loads it. */
export async function source(name) {
  const { outputFiles } = await build({ entryPoints: [join(root, "web/src", name)], bundle: true, format: "esm", target: "es2022", write: false });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

/** Returns the bytes of a file of the repository. */
export const file = (path) => new Uint8Array(readFileSync(join(root, path)));

/** Returns the files of a folder by their names. */
export function folder(path) {
  return Object.fromEntries(readdirSync(join(root, path)).map((name) => [name, file(`${path}/${name}`)]));
}

/** Files beside each other that the samples and test files refer to. */
export const companions = () => ({
  "figure.asf": file("samples/motion/figure.asf"),
  "the wave.bin": file("web/test/files/the wave.bin"),
});

/** A generator of the same numbers in every run. */
export function random(seed) {
  let state = seed >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

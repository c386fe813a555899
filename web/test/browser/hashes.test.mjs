// Ten seconds of every sample have the native hash in the browser, with SIMD and without.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { after, before, test } from "node:test";
import { companions, file, script, wasmFolder } from "../core/module.mjs";
import { start } from "./harness.mjs";

const hashes = JSON.parse(readFileSync(new URL("../hashes.json", import.meta.url), "utf8"));
/** Modules; the scalar one is built by `cargo xtask web --check` only. */
const MODULES = [
  { name: "simd128", path: "sinew_bg.wasm" },
  { name: "scalar", path: "test/sinew_scalar_bg.wasm" },
];

let site;
before(async () => {
  site = await start();
});
after(() => site.stop());

for (const { name, path } of MODULES) {
  const skip = existsSync(join(wasmFolder, path)) ? false : `${path} is not built`;
  test(`poses in the browser have the native hashes: ${name}`, { skip }, async () => {
    const { page, errors, context } = await site.page();
    await page.goto(`${site.origin}/examples/player.html`);
    const base64 = (bytes) => Buffer.from(bytes).toString("base64");
    const paths = [...new Set(Object.keys(hashes).map((key) => key.replace(/#\d+$/, "")))];
    const found = await page.evaluate(
      async ({ code, path, files, companions }) => {
        const bytes = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
        const url = URL.createObjectURL(new Blob([bytes(code)], { type: "text/javascript" }));
        const sinew = await import(url);
        await sinew.init(await (await fetch(`/wasm/${path}`)).arrayBuffer());
        const others = Object.fromEntries(companions.map(([name, text]) => [name, bytes(text)]));
        const found = {};
        for (const { path, name, text } of files) {
          const model = sinew.parse(bytes(text), { name, files: others });
          model.animations.forEach((_, index) => (found[`${path}#${index}`] = model.hash(index)));
          model.free();
        }
        return found;
      },
      {
        code: base64(await script()),
        path,
        files: paths.map((path) => ({ path, name: basename(path), text: base64(file(path)) })),
        companions: Object.entries(companions()).map(([name, bytes]) => [name, base64(bytes)]),
      },
    );
    assert.deepEqual(found, hashes);
    assert.deepEqual(errors, []);
    await context.close();
  });
}

// Budgets of the served modules and scripts, gzip. Where a budget is missed, the ceiling is what the module takes, rounded up; it
// must not grow, and benches/web.md says what the bytes are.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { gzipSync } from "node:zlib";
import { elementScripts, wasmFolder } from "./module.mjs";

const MODULES = [
  { name: "sinew_bg.wasm", budget: 250_000, ceiling: 505_000 },
  { name: "sinew_2d_bg.wasm", budget: 150_000, ceiling: 185_000 },
  { name: "sinew_3d_bg.wasm", budget: 150_000, ceiling: 310_000 },
];

for (const { name, budget, ceiling } of MODULES) {
  test(`${name} is at most ${ceiling} bytes`, (context) => {
    const size = gzipSync(readFileSync(join(wasmFolder, name)), { level: 9 }).length;
    context.diagnostic(`${size} bytes, budget ${budget}${size <= budget ? "" : ": missed"}`);
    assert.ok(size <= ceiling, `${size} bytes`);
  });
}

const SCRIPTS = { budget: 15_000, ceiling: 30_000 };

test(`the scripts of a page with a player element are at most ${SCRIPTS.ceiling} bytes`, async (context) => {
  const scripts = await elementScripts();
  assert.ok(scripts.length > 1, "glue, runtime and player are a script of their own");
  const size = scripts.reduce((total, script) => total + gzipSync(script, { level: 9 }).length, 0);
  context.diagnostic(`${size} bytes, budget ${SCRIPTS.budget}${size <= SCRIPTS.budget ? "" : ": missed"}`);
  assert.ok(size <= SCRIPTS.ceiling, `${size} bytes`);
});

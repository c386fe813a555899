import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { companions, file, runtime } from "./module.mjs";

const hashes = JSON.parse(readFileSync(new URL("../hashes.json", import.meta.url), "utf8"));

for (const [wasm, has, lacks] of [
  ["sinew_2d_bg.wasm", ["samples/pip.skf"], "web/test/files/wave.glb"],
  ["sinew_3d_bg.wasm", ["web/test/files/wave.glb", "web/test/files/wave-small.sinew"], "samples/pip.skf"],
]) {
  test(`${wasm} plays its formats and names what it lacks`, async () => {
    const sinew = await runtime(wasm);
    for (const path of has) {
      const model = sinew.parse(file(path), { name: path, files: companions() });
      assert.equal(model.hash(0), hashes[`${path}#0`]);
      const controller = model.controller();
      controller.playNew({ animation: 0 });
      controller.apply(model.instance());
    }
    assert.throws(() => sinew.parse(file(lacks), { name: lacks }), (error) => error instanceof sinew.SinewError && error.code === "unsupported");
  });
}

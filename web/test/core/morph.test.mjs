// Weights of morph targets over time, and the positions they give.
import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "esbuild";
import { root } from "./module.mjs";

const { outputFiles } = await build({ entryPoints: [`${root}web/src/render/morph.ts`], bundle: true, format: "esm", write: false });
const { applyMorphs, sampleWeight } = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);

const track = (interpolation, values, targets = 1) => ({ node: 0, times: new Float32Array([1, 2, 4]), values: new Float32Array(values), targets, interpolation });

test("weights are held outside of the keys and interpolated between them", () => {
  const linear = track("LINEAR", [0, 10, 1, 20, 0, 30], 2);
  for (const [time, first, second] of [[0, 0, 10], [1, 0, 10], [1.5, 0.5, 15], [2, 1, 20], [3, 0.5, 25], [9, 0, 30]]) {
    assert.ok(Math.abs(sampleWeight(linear, 0, time) - first) < 1e-6, `${time}`);
    assert.ok(Math.abs(sampleWeight(linear, 1, time) - second) < 1e-6, `${time}`);
  }
  const step = track("STEP", [0, 1, 0.5]);
  assert.deepEqual([0, 1.9, 2, 3.9, 4, 5].map((time) => sampleWeight(step, 0, time)), [0, 0, 1, 1, 0.5, 0.5]);
});

test("a cubic spline passes its keys with their tangents", () => {
  // The line 3 t, whose tangents are 3.
  const line = track("CUBICSPLINE", [3, 3, 3, 3, 6, 3, 3, 12, 3]);
  for (const time of [1, 1.25, 2, 2.7, 4]) assert.ok(Math.abs(sampleWeight(line, 0, time) - 3 * time) < 1e-5, `${time}`);
  assert.equal(sampleWeight(line, 0, 0), 3);
  assert.equal(sampleWeight(line, 0, 9), 12);
});

test("positions follow mixed animations, and are computed only if a weight changed", () => {
  const part = { node: 0, version: 0, positions: new Float32Array([1, 2, 3]), morph: { base: new Float32Array([1, 2, 3]), targets: [new Float32Array([1, 0, 0]), new Float32Array(0)], rest: [0, 0], weights: [0, 0] } };
  const tracks = [[track("LINEAR", [0, 0, 2, 0, 0, 0], 2)], []];
  const at = (...layers) => {
    applyMorphs([part], tracks, layers);
    return [...part.positions, part.version];
  };
  assert.deepEqual(at({ animation: 0, time: 1, weight: 1 }), [1, 2, 3, 0]);
  assert.deepEqual(at({ animation: 0, time: 2, weight: 1 }), [3, 2, 3, 1]);
  assert.deepEqual(at({ animation: 0, time: 2, weight: 1 }), [3, 2, 3, 1]);
  assert.deepEqual(at({ animation: 0, time: 1, weight: 1 }, { animation: 0, time: 2, weight: 0.5 }), [2, 2, 3, 2]);
  assert.deepEqual(at({ animation: 1, time: 2, weight: 1 }), [1, 2, 3, 3], "an animation without weights");
  assert.deepEqual(at({ animation: 7, time: NaN, weight: NaN }), [1, 2, 3, 3]);
});

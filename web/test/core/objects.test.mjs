import assert from "node:assert/strict";
import test from "node:test";
import { companions, file, runtime } from "./module.mjs";

const sinew = await runtime();
const pip = () => sinew.parse(file("samples/pip.skf"), { name: "pip.skf" });
const motion = (name) => sinew.parse(file(`samples/motion/${name}.amc`), { name: `${name}.amc`, files: companions() });
const throwsCode = (code, f) =>
  assert.throws(f, (error) => {
    assert.ok(error instanceof sinew.SinewError, String(error));
    assert.equal(error.code, code, error.message);
    return true;
  });

test("a character is drawn, and its arrays are views that follow growing memory", () => {
  const model = pip();
  const instance = model.instance();
  instance.animate([{ animation: 1, frame: model.frameAt(1, 0.4) }]);
  instance.construct(1 / 60);
  const before = instance.vertices.slice();
  assert.equal(before.length % 8, 0);
  assert.ok(before.every(Number.isFinite));
  assert.equal(Math.max(...instance.indices) + 1, before.length / 8);
  const batches = instance.batches;
  assert.equal(batches.length % 3, 0);
  assert.equal(batches[batches.length - 2] + batches[batches.length - 1], instance.indices.length);
  assert.equal(instance.bones.length, model.bones.length * 6);
  assert.equal(instance.hidden.length, model.bones.length);
  const hash = instance.hash();
  const kept = [];
  for (let count = 0; count < 40; count += 1) kept.push(motion("walk"));
  assert.deepEqual(instance.vertices, before);
  assert.equal(instance.hash(), hash);
  kept.forEach((model) => model.free());
});

test("styles, targets, placement, crossfade and reset change what is drawn", () => {
  const model = pip();
  const instance = model.instance();
  const draw = (placement) => {
    instance.animate([{ animation: 1, frame: 10 }], 1 / 60);
    instance.construct(0, placement);
    return instance.hash();
  };
  const plain = draw();
  instance.setStyles([1, 0]);
  assert.notEqual(draw(), plain);
  instance.setStyles(model.defaultStyles);
  assert.equal(draw(), plain);
  assert.notEqual(draw({ x: 5 }), plain);
  const family = model.ik.find((family) => family.target >= 0);
  const [x, y] = [instance.bones[family.target * 6] + 7, instance.bones[family.target * 6 + 1] + 9];
  instance.setTarget(family.target, x, y);
  draw();
  assert.ok(Math.hypot(instance.bones[family.target * 6] - x, instance.bones[family.target * 6 + 1] - y) < 0.01);
  instance.clearTargets();
  assert.equal(draw(), plain);
  instance.reset();
  instance.fade(0.5);
  assert.notEqual(draw(), plain);
  for (let tick = 0; tick < 40; tick += 1) draw();
  assert.equal(draw(), plain);
});

test("a figure is sampled", () => {
  const model = motion("walk");
  const instance = model.instance();
  instance.sample(0, 0.5);
  assert.equal(instance.positions.length, (model.joints.length + model.tips.length) * 3);
  assert.equal(instance.matrices.length, model.joints.length * 16);
  assert.equal(instance.locals.length, model.joints.length * 10);
  for (let joint = 0; joint < model.joints.length; joint += 1) {
    assert.deepEqual(instance.matrices.slice(joint * 16 + 12, joint * 16 + 15), instance.positions.slice(joint * 3, joint * 3 + 3));
  }
  const hash = instance.hash();
  instance.sample(0, 1);
  assert.notEqual(instance.hash(), hash);
  instance.sample(0, 0.5);
  assert.equal(instance.hash(), hash);
});

test("a controller plays, layers, fades and explains on both kinds of models", () => {
  const models = [pip(), motion("walk")];
  for (const model of models) {
    const controller = model.controller();
    const instance = model.instance();
    const first = controller.playExistingExclusive({ animation: 0, looped: true }, 0);
    assert.equal(first, 0);
    const name = model.animations[0].name;
    controller.playNew({ animation: name, layer: 1, weight: 0.5, speed: -1, time: 0.3 }, 0.2);
    controller.update(0.1);
    controller.apply(instance, 0.1);
    if (model.kind === "character") instance.construct(0.1);
    const playing = controller.animations;
    assert.equal(playing.length, 2);
    assert.deepEqual(playing.map((animation) => animation.layer), [0, 1]);
    assert.ok(Math.abs(playing[1].weight - 0.25) < 1e-6, String(playing[1].weight));
    assert.ok(playing[0].looped && !playing[1].looped);
    const hash = instance.hash();
    const explained = model.kind === "character" ? controller.explain(1, "Rotation") : controller.explain(0);
    if (model.kind === "motion") {
      assert.ok(explained.some((contribution) => contribution.quantity === "rotation" && contribution.value.length === 4));
    }
    const state = controller.save();
    controller.update(0.25);
    controller.restore(state);
    controller.apply(instance, 0);
    if (model.kind === "character") instance.construct(0);
    if (model.kind === "motion") assert.equal(instance.hash(), hash);
    assert.equal(controller.stopLayerExcept(1, 0, 0.1), 1);
    assert.equal(controller.isPlaying(0), true);
    assert.equal(controller.stopAll(0), 2);
    controller.update(0.01);
    assert.equal(controller.animations.length, 0);
    assert.equal(controller.stop(0), false);
  }
  const [character, figure] = models;
  throwsCode("argument", () => character.controller().apply(figure.instance()));
});

test("root motion is taken out of the pose", () => {
  const model = motion("walk");
  const controller = model.controller();
  controller.setRoot(model.rootMotionJoints[0]);
  controller.playNew({ animation: 0, looped: true });
  let distance = 0;
  for (let tick = 0; tick < 60; tick += 1) {
    controller.update(1 / 60);
    const step = controller.rootMotion();
    distance += Math.hypot(step.x, step.z);
  }
  assert.ok(distance > 0.5, String(distance));
});

test("an error in a curve has its place, what was expected and what was found", () => {
  const text = '{"format": "sinew-curve", "version": 2,\n "reference": "x"}';
  assert.throws(
    () => sinew.Curve.read(new TextEncoder().encode(text), "x.json"),
    { code: "format", file: "x.json", line: 2, column: 15, expected: "usize", found: '"x"' },
  );
});

test("a curve maps positions to times and back", () => {
  const curve = sinew.Curve.read(file("web/test/files/curve.json"));
  assert.deepEqual(curve.motions, ["walk", "run"]);
  assert.ok(Math.abs(curve.time(1, 0.25) - 0.5) < 1e-9);
  assert.ok(Math.abs(curve.position(0, 0.25) - 0.25) < 1e-9);
  assert.deepEqual(curve.alignment(0, 0.5), { angle: 0, x: 0, z: 0 });
  throwsCode("argument", () => curve.time(2, 0));
  throwsCode("format", () => sinew.Curve.read(new Uint8Array([123])));
});

test("invalid arguments are errors", () => {
  const [model, walk] = [pip(), motion("walk")];
  const [instance, figure, controller] = [model.instance(), walk.instance(), model.controller()];
  for (const bad of [NaN, Infinity, -1, 1.5, 2 ** 33, 99, undefined, null, "0", {}]) {
    throwsCode("argument", () => figure.sample(bad, 0));
    throwsCode("argument", () => instance.animate([{ animation: bad, frame: 0 }]));
    throwsCode("argument", () => instance.setStyles([bad]));
    throwsCode("argument", () => instance.setTarget(bad === 1.5 ? 1e6 : bad === 99 ? 1e5 : bad, 0, 0));
    throwsCode("argument", () => model.hash(bad));
    throwsCode("argument", () => model.bounds(bad));
    throwsCode("argument", () => controller.playNew({ animation: bad }));
    throwsCode("argument", () => controller.removeAnimation(bad));
    throwsCode("argument", () => walk.contacts(bad));
  }
  for (const bad of [NaN, Infinity, -Infinity, undefined, null, "1", {}]) {
    throwsCode("argument", () => figure.sample(0, bad));
    throwsCode("argument", () => instance.animate([{ animation: 0, frame: bad }]));
    throwsCode("argument", () => instance.construct(bad));
    throwsCode("argument", () => instance.setTarget(0, bad, 0));
    throwsCode("argument", () => model.frameAt(0, bad));
    throwsCode("argument", () => controller.update(bad));
  }
  throwsCode("argument", () => model.frameAt(0, 0, "sometimes"));
  throwsCode("argument", () => controller.playNew({ animation: "nothing" }));
  throwsCode("argument", () => controller.playNew({ animation: 0, timeRange: [2, 1] }));
  throwsCode("argument", () => controller.restore(new Uint8Array(5)));
  throwsCode("argument", () => controller.explain(0, "Weight"));
  throwsCode("argument", () => sinew.parse("text"));
  throwsCode("argument", () => sinew.parse(file("samples/pip.skf"), { fps: -1 }));
  // Numbers that are valid, but far outside.
  figure.sample(0, 1e30);
  figure.sample(0, -1e30);
  instance.animate([{ animation: 0, frame: -1e30 }]);
  instance.construct(1e30, { x: 1e30, scaleX: 0 });
  instance.construct(-1);
  controller.update(1e30);
});

test("freed objects are closed, what was made from them is not", () => {
  const model = motion("walk");
  const instance = model.instance();
  const controller = model.controller();
  model.free();
  model.free();
  assert.equal(model.isOpen, false);
  throwsCode("closed", () => model.instance());
  throwsCode("closed", () => model.hash(0));
  instance.sample(0, 0.5);
  controller.playNew({ animation: 0 });
  controller.apply(instance);
  instance.free();
  throwsCode("closed", () => instance.sample(0, 0));
  throwsCode("closed", () => instance.matrices);
  throwsCode("closed", () => controller.apply(instance));
  controller.update(0.1);
  controller.free();
  throwsCode("closed", () => controller.update(0.1));
});

test("memory stays flat over 1000 files", () => {
  const bytes = { pip: file("samples/pip.skf"), glb: file("web/test/files/wave.glb"), pack: file("web/test/files/wave-small.sinew") };
  const objects = sinew.stats().objects;
  let after = 0;
  for (let round = 0; round < 1000; round += 1) {
    for (const [name, data] of Object.entries(bytes)) {
      const model = sinew.parse(data, { name });
      const instance = model.instance();
      const controller = model.controller();
      controller.playNew({ animation: 0 });
      controller.apply(instance);
      controller.free();
      instance.free();
      model.free();
    }
    assert.throws(() => sinew.parse(bytes.pip.subarray(0, 9999)));
    if (round === 50) after = sinew.stats().memoryBytes;
  }
  assert.equal(sinew.stats().memoryBytes, after);
  assert.equal(sinew.stats().objects, objects);
});

test("objects that are not freed are freed when they are collected", { skip: !globalThis.gc }, async () => {
  const before = sinew.stats().objects;
  for (let round = 0; round < 200; round += 1) pip().instance();
  for (let round = 0; round < 20; round += 1) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.ok(sinew.stats().objects < before + 100, String(sinew.stats().objects));
});

test("load reads blobs and reports what cannot be fetched", async () => {
  const model = await sinew.load(new File([file("samples/pip.skf")], "pip.skf"));
  assert.equal(model.name, "pip.skf");
  await assert.rejects(sinew.load("http://127.0.0.1:9/none.skf"), (error) => error instanceof sinew.SinewError && error.code === "network" && error.file === "none.skf");
});

test("a trap discards the instance, and the next call uses a new one", async () => {
  const model = pip();
  const instance = model.instance();
  throwsCode("internal", () => sinew.trapForTest());
  assert.equal(instance.isOpen, false);
  throwsCode("closed", () => instance.construct(0));
  throwsCode("closed", () => instance.vertices);
  instance.free();
  const again = pip();
  const hash = again.hash(1);
  throwsCode("internal", () => sinew.trapForTest());
  assert.equal(again.reopen(), false);
  assert.equal(pip().hash(1), hash);
  assert.throws(() => sinew.trapForTest(), (error) => error.cause instanceof WebAssembly.RuntimeError);
});

test("a model whose bytes are kept is opened again in the new instance", () => {
  for (const [path, options] of [["samples/pip.skf", {}], ["samples/motion/walk.amc", { files: companions() }]]) {
    const model = sinew.parse(file(path), { name: path.replace(/.*\//, ""), ...options, keepBytes: true });
    const hash = model.hash(0);
    const instance = model.instance();
    throwsCode("internal", () => sinew.trapForTest());
    throwsCode("closed", () => model.hash(0));
    assert.equal(model.reopen(), true);
    assert.equal(model.reopen(), true);
    assert.equal(model.hash(0), hash);
    assert.equal(instance.isOpen, false);
    const { objects } = sinew.stats();
    model.instance().free();
    model.free();
    assert.equal(sinew.stats().objects, objects - 1);
    throwsCode("internal", () => sinew.trapForTest());
    assert.equal(model.reopen(), false);
  }
});

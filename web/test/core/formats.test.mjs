import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { companions, file, random, root, runtime } from "./module.mjs";

const sinew = await runtime();
const hashes = JSON.parse(readFileSync(new URL("../hashes.json", import.meta.url), "utf8"));
const parse = (path, options) => sinew.parse(file(path), { name: path.replace(/.*\//, ""), files: companions(), ...options });

for (const path of new Set(Object.keys(hashes).map((key) => key.replace(/#\d+$/, "")))) {
  test(`${path} gives the native poses`, () => {
    const model = parse(path);
    const expected = Object.keys(hashes).filter((key) => key.startsWith(`${path}#`));
    assert.equal(model.animations.length, expected.length);
    expected.forEach((key, index) => assert.equal(model.hash(index), hashes[key], key));
    model.free();
  });
}

test("every sample is among the hashes", () => {
  for (const name of readdirSync(join(root, "samples/motion"))) {
    if (!name.endsWith(".asf")) assert.ok(`samples/motion/${name}#0` in hashes, name);
  }
});

test("a model describes its file", () => {
  const pip = parse("samples/pip.skf");
  assert.equal(pip.kind, "character");
  assert.deepEqual(pip.animations.map((animation) => animation.name), ["idle", "walk", "wave", "jump"]);
  assert.deepEqual(pip.styles, ["Default", "Winter"]);
  assert.ok(pip.bones.length > 10 && pip.bones[0].parent === -1);
  assert.ok(pip.ik.length > 0);
  for (const atlas of pip.atlases) assert.ok(atlas.width > 0 && atlas.image.length > 1000 && atlas.mime === "image/png");
  const [minX, minY, maxX, maxY] = pip.bounds(1);
  assert.ok(maxX - minX > 100 && maxY - minY > 100);

  const walk = parse("samples/motion/walk.amc");
  assert.equal(walk.kind, "motion");
  assert.equal(walk.joints.length, 31);
  assert.equal(walk.animations[0].name, "walk");
  assert.equal(walk.animations[0].fps, 120);
  const contacts = walk.contacts(0);
  assert.ok(contacts.some((contact) => contact.side === "left" && contact.part === "ball" && contact.end > contact.start));
  assert.equal(walk.bounds(0).length, 6);

  const skeleton = parse("samples/motion/figure.asf");
  assert.equal(skeleton.animations.length, 0);
  assert.equal(skeleton.joints.length, 31);

  const glb = parse("web/test/files/wave.glb");
  assert.equal(glb.jointNodes.length, 31);
  assert.deepEqual(glb.animations[0].triggers, [{ time: 0.125, name: "hand up" }]);

  const pack = parse("web/test/files/wave-small.sinew");
  assert.deepEqual(pack.curves()[0].motions, ["wave", "other"]);
  const nod = parse("web/test/files/nod.xml");
  assert.equal(nod.joints.length, 31);
});

test("errors have file, line, column, expected and found", () => {
  const text = (path) => new TextDecoder().decode(file(path));
  const fails = (name, content, check, options = {}) => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    assert.throws(() => sinew.parse(bytes, { name, files: companions(), ...options }), (error) => {
      assert.ok(error instanceof sinew.SinewError, String(error));
      for (const [key, value] of Object.entries(check)) {
        if (value instanceof RegExp) assert.match(String(error[key]), value, `${key}: ${error.message}`);
        else assert.equal(error[key], value, `${key}: ${error.message}`);
      }
      return true;
    });
  };
  const bvh = text("samples/motion/walk.bvh").replace("Frames:", "Franes:");
  const line = bvh.slice(0, bvh.indexOf("Franes:")).split("\n").length;
  fails("broken.bvh", bvh, { code: "format", file: "broken.bvh", line, column: 1, expected: /Frames/, found: /Franes/ });
  const amc = text("samples/motion/walk.amc").replace(/(\nroot [^\n]*)\n/, "$1 x\n");
  fails("broken.amc", amc, { code: "format", line: /^\d+$/, column: /^\d+$/, expected: /6 values/, found: "7" });
  fails("no.amc", text("samples/motion/walk.amc"), { code: "missing-file" }, { files: {} });
  fails("no.gltf", text("web/test/files/wave.gltf"), { code: "missing-file", message: /wave\.bin/ }, { files: {} });
  fails("nod.xml", text("web/test/files/nod.xml"), { code: "missing-file" }, { files: {} });
  fails("broken.json", text("web/test/files/wave.json").replace('"joints"', '"joints" 1'), { code: "format", line: /^\d+$/, column: /^\d+$/, expected: '":"', found: '"1"' });
  fails("wrong.json", text("web/test/files/wave.json").replace('"joints"', '"animations": 7, "joints"'), { code: "format", line: /^\d+$/, column: /^\d+$/, expected: "one field `animations`", found: "two" });
  fails("broken.gltf", '{"asset": {"version": "2.0"},\n "nodes": [}', { code: "format", line: 2, column: 12, expected: "a value", found: '"}"' });
  fails("wrong.gltf", '{"asset": {"version": "2.0"},\n "nodes": [{"children": "1"}]}', { code: "format", line: 2, column: 25, expected: "a list", found: '"1"' });
  fails("broken.skf", '{"bones": [],\n "animations": tru', { code: "format", line: 2, column: 19, expected: "true, false or null", found: "the end of the text" });
  fails("wrong.skf", '{"bones": 7, "animations": [], "ik_families": []}', { code: "format", expected: "a list", found: "a number" });
  fails("broken.xml", "<animation length='x'/>", { code: "format", line: 1, column: /^\d+$/, found: /x/ });
  const damaged = file("web/test/files/wave-small.sinew");
  damaged[damaged.length - 9] ^= 1;
  fails("broken.sinew", damaged, { code: "format", offset: /^\d+$/, expected: /checksum/ });
  const glb = file("web/test/files/wave.glb");
  fails("cut.glb", glb.slice(0, 30), { code: "format" });
  fails("cut.skf", file("samples/pip.skf").slice(0, 5000), { code: "format", file: "cut.skf" });
  fails("picture.png", new Uint8Array([0x89, 0x50, 0x4e, 0x47]), { code: "unsupported" });
  fails("empty", new Uint8Array(), { code: "unsupported" });
});

test("2000 damaged files never trap", () => {
  const paths = [...new Set(Object.keys(hashes).map((key) => key.replace(/#\d+$/, "")))]
    // Long motions are parsed again and again: one of each format is enough.
    .filter((path) => !/samples\/motion\/(?!wave)/.test(path))
    .concat("samples/motion/figure.asf");
  const pick = random(1);
  let loaded = 0;
  let failed = 0;
  for (let round = 0; round < 2000; round += 1) {
    const path = paths[round % paths.length];
    const bytes = file(path).slice(0, 60000);
    const changes = 1 + pick(8);
    for (let change = 0; change < changes; change += 1) bytes[pick(bytes.length)] = pick(256);
    const cut = pick(4) === 0 ? bytes.slice(0, pick(bytes.length)) : bytes;
    try {
      const model = sinew.parse(cut, { name: path.replace(/.*\//, ""), files: companions(), lenient: pick(2) === 0 });
      loaded += 1;
      if (model.animations.length > 0) {
        const instance = model.instance();
        if (model.kind === "motion") {
          instance.sample(0, model.animations[0].duration / 2);
          assert.equal(instance.matrices.length, model.joints.length * 16);
        } else {
          instance.animate([{ animation: 0, frame: 1 }]);
          instance.construct(1 / 60);
        }
        instance.free();
      }
      model.free();
    } catch (error) {
      assert.ok(error instanceof sinew.SinewError, `${path}: ${error}`);
      assert.notEqual(error.code, "internal", `${path}: ${error.message}`);
      failed += 1;
    }
  }
  assert.ok(failed > 500 && loaded > 50, `${failed} failed, ${loaded} loaded`);
});

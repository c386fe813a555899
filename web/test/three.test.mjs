// The three.js adapter with the real three.js, in Node.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import * as THREE from "three";
import { init, load } from "../dist/index.js";
import { CharacterMesh, SkeletonDriver } from "../dist/three.js";

const sample = (name) => readFileSync(new URL(`../samples/${name}`, import.meta.url));
await init(readFileSync(new URL("../dist/sinew_bg.wasm", import.meta.url)));

function rig(model, rename = (name) => name) {
  const bones = model.joints.map((joint) => {
    const bone = new THREE.Bone();
    bone.name = rename(joint.name);
    bone.position.fromArray(joint.rest, 0);
    bone.quaternion.fromArray(joint.rest, 3);
    return bone;
  });
  model.joints.forEach((joint, index) => joint.parent >= 0 && bones[joint.parent].add(bones[index]));
  const root = new THREE.Group();
  root.add(bones[0]);
  return { root, bones };
}

test("a three.js skeleton has the joints where the core has them", async () => {
  const model = await load(sample("walk.sinew"), { name: "walk.sinew" });
  const { root, bones } = rig(model);
  const driver = new SkeletonDriver(new THREE.Skeleton(bones), model);
  assert.deepEqual(driver.missing, []);
  for (const time of [0, 0.7, 1.9, 3.2]) {
    driver.sample(0, time);
    root.updateMatrixWorld(true);
    const { positions } = driver.instance;
    bones.forEach((bone, joint) => {
      const p = new THREE.Vector3().setFromMatrixPosition(bone.matrixWorld);
      for (const [k, axis] of ["x", "y", "z"].entries()) assert.ok(Math.abs(p[axis] - positions[joint * 3 + k]) < 1e-4, `${bone.name} ${axis}: ${p[axis]}, ${positions[joint * 3 + k]}`);
    });
  }
});

test("bones are found by other names, missing ones are listed", async () => {
  const model = await load(sample("walk.sinew"), { name: "walk.sinew" });
  const { root } = rig(model, (name) => (name === "lfoot" ? "unknown" : `mixamorig${name}`));
  const driver = new SkeletonDriver(root, model, { rename: (name) => `mixamorig:${name}` });
  assert.deepEqual(driver.missing, ["lfoot"]);
});

test("a character becomes a mesh with a group per atlas", async () => {
  const model = await load(sample("pip.skf"), { name: "pip.skf" });
  const mesh = new CharacterMesh(model);
  mesh.sample(1, 0.25, 1 / 60);
  const { geometry } = mesh;
  assert.ok(geometry.getAttribute("position").count > 100);
  assert.ok(geometry.getIndex().count > 300);
  assert.equal(geometry.groups.reduce((sum, group) => sum + group.count, 0), mesh.instance.indices.length);
  geometry.computeBoundingBox();
  assert.ok(geometry.boundingBox.max.y - geometry.boundingBox.min.y > 300);
  const before = Array.from(geometry.getAttribute("position").array.slice(0, 300));
  mesh.sample(1, 0.4, 1 / 60);
  assert.notDeepEqual(Array.from(geometry.getAttribute("position").array.slice(0, 300)), before);
  mesh.destroy();
});

// The package as npm installs it: every entry imported in Node, types checked for a consumer, licences, no foreign address.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const web = fileURLToPath(new URL("..", import.meta.url));
const { exports: entries } = JSON.parse(readFileSync(join(web, "package.json"), "utf8"));
const hashes = JSON.parse(readFileSync(new URL("hashes.json", import.meta.url), "utf8"));
let project;
let installed;
const run = (command, ...args) => execFileSync(command, args, { cwd: project, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const node = (code) => run(process.execPath, "--input-type=module", "--eval", code).trim();

before(() => {
  project = mkdtempSync(join(tmpdir(), "sinew-consumer-"));
  const [{ filename }] = JSON.parse(execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", project], { cwd: web, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }));
  run("npm", "install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts", "--omit=peer", `./${filename}`);
  installed = join(project, "node_modules/sinew-anim");
  // The peer dependency, as its user would have it.
  for (const name of ["three", "@types/three"]) {
    mkdirSync(join(project, "node_modules/@types"), { recursive: true });
    if (!existsSync(join(project, "node_modules", name))) symlinkSync(join(web, "node_modules", name), join(project, "node_modules", name));
  }
});
after(() => rmSync(project, { recursive: true }));

const files = (folder) => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));

test("every entry of the package exists, with its types", () => {
  for (const [name, entry] of Object.entries(entries)) {
    for (const path of typeof entry === "string" ? [entry] : Object.values(entry)) assert.ok(existsSync(join(installed, path)), `${name}: ${path}`);
  }
  assert.ok(!existsSync(join(installed, "dist/types/viewer")), "types of the viewer page");
  for (const name of ["README.md", "LICENSE-MIT", "LICENSE-APACHE"]) assert.ok(existsSync(join(installed, name)), name);
  for (const name of ["LICENSE-MIT", "LICENSE-APACHE"]) assert.equal(readFileSync(join(installed, name), "utf8"), readFileSync(join(web, "..", name), "utf8"));
});

const sample = `const { readFile } = await import("node:fs/promises"); const bytes = new Uint8Array(await readFile(${JSON.stringify(join(web, "../samples/motion/walk.bvh"))}));`;
const hash = hashes["samples/motion/walk.bvh#0"];
for (const entry of ["sinew-anim", "sinew-anim/single"]) {
  test(`${entry} loads and samples in Node`, () => {
    const code = `import { load, SinewError } from "${entry}"; ${sample}
      const model = await load(bytes, { name: "walk.bvh" });
      const instance = model.instance(); instance.sample(0, 0.5);
      const error = await load(bytes.subarray(0, 900), { name: "cut.bvh" }).catch((error) => error);
      console.log(JSON.stringify([model.hash(0), instance.positions.length > 90, error instanceof SinewError, error.line > 0]));`;
    assert.deepEqual(JSON.parse(node(code)), [hash, true, true, true]);
  });
}

test("sinew-anim/three drives a rig in Node", () => {
  const code = `import * as THREE from "three"; import { load } from "sinew-anim"; import { SkeletonDriver } from "sinew-anim/three"; ${sample}
    const model = await load(bytes, { name: "walk.bvh" });
    const bones = model.joints.map((joint) => Object.assign(new THREE.Bone(), { name: joint.name }));
    model.joints.forEach((joint, index) => joint.parent >= 0 && bones[joint.parent].add(bones[index]));
    const driver = new SkeletonDriver(new THREE.Skeleton(bones), model);
    driver.sample(0, 0.5);
    console.log(JSON.stringify([driver.missing, bones.some((bone) => bone.quaternion.w < 0.99)]));`;
  assert.deepEqual(JSON.parse(node(code)), [[], true]);
});

test("sinew-anim/player can be imported where there is no document", () => {
  assert.equal(node('const { SinewPlayerElement } = await import("sinew-anim/player"); console.log(typeof SinewPlayerElement);'), "function");
});

test("the modules are found by name, and each works as an argument of init", () => {
  for (const name of Object.keys(entries).filter((entry) => entry.endsWith(".wasm"))) {
    const code = `import { init, stats } from "sinew-anim"; import { readFile } from "node:fs/promises";
      await init(await readFile(new URL(import.meta.resolve("sinew-anim/${name.slice(2)}")))); console.log(stats().formats.length);`;
    assert.ok(Number(node(code)) >= 1, name);
  }
});

test("a bundler takes the entries", async () => {
  const { metafile } = await build({
    stdin: { contents: 'import { load } from "sinew-anim"; import "sinew-anim/player"; import { SkeletonDriver } from "sinew-anim/three"; console.log(load, SkeletonDriver);', resolveDir: project },
    bundle: true, write: false, metafile: true, format: "esm", external: ["node:*"], logLevel: "error",
  });
  const inputs = Object.keys(metafile.inputs).filter((path) => path.includes("sinew-anim"));
  assert.ok(inputs.some((path) => path.endsWith("player.js")) && inputs.some((path) => path.endsWith("three.js")));
});

const CONSUMER = `import { Controller, init, load, Player, SinewError, type MeshSource, type Model } from "sinew-anim";
import { SinewPlayerElement } from "sinew-anim/player";
import { load as loadSingle } from "sinew-anim/single";
import { CharacterMesh, SkeletonDriver } from "sinew-anim/three";
import * as THREE from "three";

export async function show(canvas: HTMLCanvasElement, source: URL): Promise<Player> {
  await init();
  const model: Model = await load(source);
  if (model.kind === "motion") {
    const driver = new SkeletonDriver(new THREE.Object3D(), model, { rename: (joint) => joint.toUpperCase() });
    driver.sample(0, 1);
    const positions: Float32Array = model.instance().positions;
    console.log(positions.length, model.joints[0]?.name);
  } else {
    const mesh: THREE.Object3D = new CharacterMesh(model);
    mesh.visible = true;
  }
  const meshes: MeshSource | null = null;
  const player = new Player(canvas, model, { autoplay: true, loop: "ping-pong", range: [0, 2.5], meshes });
  const controller: Controller = model.controller();
  controller.free();
  try {
    await loadSingle("walk.sinew");
  } catch (error) {
    if (error instanceof SinewError) console.log(error.code satisfies string, error.line, error.expected);
  }
  const element: SinewPlayerElement = document.createElement("sinew-player") as SinewPlayerElement;
  element.src = "walk.sinew";
  // @ts-expect-error: loop modes are checked
  element.loop = "sometimes";
  return player;
}
`;
for (const [resolution, module] of [["bundler", "esnext"], ["node16", "node16"]]) {
  test(`a strict consumer type-checks with moduleResolution ${resolution}`, () => {
    writeFileSync(join(project, "consumer.ts"), CONSUMER);
    const compilerOptions = { strict: true, noEmit: true, target: "es2022", lib: ["es2023", "dom", "dom.iterable", "esnext.disposable"], module, moduleResolution: resolution, types: [], exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, skipLibCheck: false };
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.ts"] }));
    try {
      run(process.execPath, join(web, "node_modules/typescript/bin/tsc"), "--project", "tsconfig.json");
    } catch (error) {
      assert.fail(error.stdout || error.stderr);
    }
  });
}

test("no file of the package or the page has the address of another site", () => {
  // Names of XML vocabularies, and prose of licences, are not fetched.
  const allowed = /^https?:\/\/(www\.w3\.org\/|127\.0\.0\.1|localhost)/;
  const page = join(web, "../crates/sinew-viewer/dist/viewer.html");
  const code = [...files(join(installed, "dist")).filter((path) => !path.endsWith(".wasm")), page, ...files(join(web, "examples")), ...files(join(web, "src"))];
  assert.ok(code.length > 20);
  for (const path of code) {
    const found = (readFileSync(path, "utf8").match(/https?:\/\/[a-z0-9.-]+[^\s"'`<>)]*/gi) ?? []).filter((url) => !allowed.test(url));
    assert.deepEqual(found, [], path);
  }
});

// Meshes of glTF files: what is drawn, from one file or several, and that it moves with the animation.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { glb, gltf, model } from "../gltf.mjs";
import { drop, open, picture, player, start, until } from "./harness.mjs";

let site;
let view;
let page;
before(async () => {
  site = await start();
});
after(() => site.stop());

/** Opens the page and drops files on it. */
async function show(files) {
  view = await site.page();
  page = view.page;
  await open(page, site.urls.http);
  await drop(page, files);
  await until(page, "window.sinew.app.player || document.querySelector('.fault')");
  assert.equal(await page.locator(".fault").count(), 0, await page.locator(".fault").allInnerTexts().then(String));
  await until(page, "(() => { const c = document.querySelector('canvas.view'); return c.width === c.clientWidth && c.height === c.clientHeight; })()");
  // From the front, without ground, shadow or fade.
  await player(page, "(player.pause(), player.show.grid = player.show.shadow = false, player.camera.yaw = 0, player.camera.pitch = 0, player.fade = 0, 0)");
}
async function done() {
  assert.deepEqual(view.errors, []);
  assert.deepEqual(view.foreign, []);
  await view.context.close();
}

/** Number of pixels of each colour, and their centre in parts of the canvas. */
async function colors(time) {
  await player(page, `(player.time = ${time}, player.draw(), 0)`);
  return page.evaluate(() => {
    const canvas = document.querySelector("canvas.view");
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    const found = {};
    const add = (name, i) => {
      const color = (found[name] ??= { count: 0, x: 0, y: 0 });
      color.count++;
      color.x += (i / 4) % canvas.width;
      color.y += Math.floor(i / 4 / canvas.width);
    };
    for (let i = 0; i < data.length; i += 4) {
      const [r, g, b] = data.subarray(i, i + 3);
      if (r > 2 * g && r > 2 * b) add("red", i);
      else if (g > 1.8 * r && g > 1.8 * b) add("green", i);
      else if (b > 2 * r && b > 1.6 * g) add("blue", i);
      else if (r > 2 * b && g > 2 * b) add("yellow", i);
      else if (r > g + 40 && b > g + 40) add("pink", i);
    }
    for (const color of Object.values(found)) {
      color.x /= color.count * canvas.width;
      color.y /= color.count * canvas.height;
    }
    return found;
  });
}

/** Checks the parts of the model, still and bent. */
async function check() {
  const still = await colors(0), bent = await colors(1);
  for (const name of ["red", "green", "blue", "yellow", "pink"]) assert.ok(still[name]?.count > 150, `${name}: ${JSON.stringify(still)}`);
  // The texture: red in the upper half of the picture, whose coordinates begin at the foot of the bar.
  assert.ok(still.red.y > still.green.y + 0.05, JSON.stringify(still));
  // The box of the last bone is above the bar, later beside it.
  assert.ok(still.yellow.y < still.green.y, JSON.stringify(still));
  assert.ok(Math.abs(still.yellow.x - still.red.x) < 0.03, JSON.stringify(still));
  assert.ok(bent.yellow.x < still.yellow.x - 0.1 && bent.yellow.y > still.yellow.y + 0.1, JSON.stringify([still, bent]));
  // The skin: the upper half follows, the foot stays.
  assert.ok(bent.green.x < still.green.x - 0.05, JSON.stringify([still, bent]));
  assert.ok(Math.abs(bent.red.y - still.red.y) < 0.05, JSON.stringify([still, bent]));
  return { still, bent };
}

test("a skinned mesh with texture, a rigid mesh, a morph target and a pane move with the animation", async () => {
  await show([{ name: "model.glb", bytes: glb() }]);
  const { still, bent } = await check();
  // The side of the morphing box grows from 0.2 to 0.8.
  const growth = bent.blue.count / still.blue.count;
  assert.ok(growth > 10 && growth < 22, `${growth}`);
  assert.deepEqual(await player(page, "player.actor.meshes.notices"), []);
  await player(page, "(player.switchTo(1), 0)");
  assert.deepEqual(await colors(1), await colors(0), "nothing moves");
  await done();
});

test("displacements of a morph target may be sparse", async () => {
  await show([{ name: "model.glb", bytes: glb({ sparse: true }) }]);
  const [still, bent] = [await colors(0), await colors(1)];
  assert.ok(bent.blue.count > still.blue.count * 10);
  await done();
});

test("a transparent pane shows what is behind it", async () => {
  await show([{ name: "model.glb", bytes: glb() }]);
  const inPane = () =>
    player(page, "(() => { player.draw(); const c = player.canvas.getContext('2d').getImageData(0, 0, player.canvas.width, player.canvas.height); let most = 255, least = 0; for (let i = 0; i < c.data.length; i += 4) { const [r, g, b] = c.data.subarray(i, i + 3); if (r > g + 40 && b > g + 40) { most = Math.min(most, g); least = Math.max(least, g); } } return [most, least]; })()");
  const light = await inPane();
  await player(page, "(player.setTheme('dark'), 0)");
  const dark = await inPane();
  assert.ok(light[1] > 90 && dark[1] < light[1] - 50, `${light} ${dark}`);
  await done();
});

test("a glTF file, its buffer and its picture are dropped together", async () => {
  await show(gltf());
  assert.deepEqual(await page.locator("[aria-label=Files] [role=option] .grow").allTextContents(), ["model.gltf"]);
  await check();
  await done();
});

test("a glTF file without its buffer is refused by the buffer's name; without its picture it is drawn", async () => {
  const [main, buffer] = gltf();
  view = await site.page();
  page = view.page;
  await open(page, site.urls.http);
  await drop(page, [main]);
  await page.waitForSelector(".fault");
  assert.match(await page.innerText(".fault"), /the(%20| )model\.bin/);
  assert.match(await page.innerText(".fault"), /Drop the missing file/);
  await drop(page, [main, buffer]);
  await until(page, "window.sinew.app.player");
  assert.match(await page.innerText("#panel-info"), /file the skin\.png is missing/);
  await done();
});

test("a file without meshes shows its bones", async () => {
  await show([{ name: "bones.glb", bytes: glb({ meshes: false }) }]);
  assert.equal(await player(page, "player.actor.meshes"), null);
  const before = await picture(page);
  assert.ok(before.drawn > 500, JSON.stringify(before));
  await player(page, "(player.time = 1, player.draw(), 0)");
  assert.notEqual((await picture(page)).hash, before.hash);
  // Another file of one moving joint, which has no size of its own.
  await done();
  await show([{ name: "bone.glb", bytes: glb({ meshes: false, bones: 2 }) }]);
  assert.ok((await picture(page)).drawn > 500);
  await done();
});

test("the bones of a mesh are drawn over it on demand", async () => {
  await show([{ name: "model.glb", bytes: glb() }]);
  await player(page, "(player.draw(), 0)");
  const before = await picture(page);
  await page.keyboard.press("b");
  await player(page, "(player.draw(), 0)");
  assert.notEqual((await picture(page)).hash, before.hash);
  await page.keyboard.press("m");
  await player(page, "(player.draw(), 0)");
  assert.ok(!(await colors(0)).red, "the mesh is hidden");
  await done();
});

test("invalid meshes are skipped with a notice, whatever is wrong with them", async () => {
  const damage = [
    (d) => (d.accessors[d.meshes[0].primitives[0].attributes.POSITION].count = 1e9),
    (d) => (d.accessors[d.meshes[0].primitives[0].attributes.POSITION].bufferView = 999),
    (d) => (d.accessors[d.meshes[0].primitives[0].indices].byteOffset = -4),
    (d) => (d.accessors[d.meshes[0].primitives[0].attributes.JOINTS_0].count = 3),
    (d) => (d.meshes[0].primitives[0].mode = 1),
    (d) => (d.meshes[0].primitives[0].attributes = null),
    (d) => (d.images[0] = { uri: "%zz.png" }),
    (d) => (d.meshes[2].primitives[0].targets = [{ POSITION: d.meshes[0].primitives[0].attributes.POSITION }]),
    (d) => (d.skins[0].joints = [0, 1, 77]),
    (d) => (d.nodes[6].children = [6]),
  ];
  view = await site.page();
  page = view.page;
  await open(page, site.urls.http);
  for (const [i, harm] of damage.entries()) {
    const { document, binary, picture: image } = model({ external: true });
    document.buffers[0].uri = "the%20model.bin";
    harm(document);
    await drop(page, [{ name: `model${i}.gltf`, bytes: Buffer.from(JSON.stringify(document)) }, { name: "the model.bin", bytes: binary }, { name: "the skin.png", bytes: image }]);
    await until(page, `(window.sinew.app.opened?.source.name === 'model${i}.gltf') || document.querySelector('.fault-text')?.textContent.includes('model${i}.gltf')`);
    await page.waitForTimeout(60);
  }
  await done();
});

const corpus = process.env.SINEW_CORPUS;
const folder = `${corpus}/gltf/khronos-samples`;
test("every Khronos sample draws something that moves", { skip: corpus && existsSync(folder) ? false : "needs SINEW_CORPUS" }, async () => {
  const names = readdirSync(folder).filter((name) => /\.(glb|gltf)$/.test(name));
  assert.ok(names.length > 5);
  for (const name of names) {
    await show([{ name, bytes: readFileSync(`${folder}/${name}`) }]);
    assert.deepEqual(await player(page, "player.actor.meshes?.notices ?? []"), [], name);
    const pictures = new Set();
    for (const part of [0, 0.3, 0.6, 0.9]) {
      await player(page, `(player.time = player.duration * ${part}, player.draw(), 0)`);
      const { drawn, hash } = await picture(page);
      assert.ok(drawn > 1500, `${name} at ${part}: ${drawn} pixels`);
      pictures.add(hash);
    }
    assert.ok(pictures.size > 1, `${name} does not move`);
    await done();
  }
});

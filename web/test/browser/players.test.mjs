// The player element and the example pages.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gltf } from "../gltf.mjs";
import { start, until } from "./harness.mjs";

let site;
before(async () => {
  site = await start();
});
after(() => site.stop());

test("twenty players share one module and one context; those out of sight stand still", async () => {
  const { page, errors, context } = await site.page({ viewport: { width: 700, height: 500 } });
  const modules = [];
  page.on("request", (request) => request.url().endsWith(".wasm") && modules.push(request.url()));
  await page.goto(`${site.origin}/examples/many.html`);
  await until(page, "[...document.querySelectorAll('sinew-player')].filter((e) => e.player).length === 20");
  assert.equal(modules.length, 1);
  // Pictures of characters are decoded after the model is read.
  await page.evaluate("Promise.all([...document.querySelectorAll('sinew-player')].map((element) => element.player.actor.ready)).then(() => 0)");
  await page.waitForTimeout(1200);
  const states = await page.evaluate(() =>
    [...document.querySelectorAll("sinew-player")].map((element) => {
      const box = element.getBoundingClientRect();
      return { seen: box.top < innerHeight && box.bottom > 0, time: element.player.time, playing: element.player.playing };
    }),
  );
  assert.ok(states.filter((state) => state.seen).length >= 4);
  assert.ok(states.some((state) => !state.seen));
  for (const { seen, time, playing } of states) {
    assert.ok(playing);
    if (seen) assert.ok(time > 0);
    else assert.ok(time < 0.3, `out of sight, but at ${time}`);
  }
  const drawn = await page.evaluate(() =>
    [...document.querySelectorAll("sinew-player")].slice(0, 4).map((element) => {
      const canvas = element.shadowRoot.querySelector("canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return data.filter((value, i) => i % 4 === 3 && value > 60).length;
    }),
  );
  for (const pixels of drawn) assert.ok(pixels > 300, `${drawn}`);
  assert.deepEqual(errors, []);
  await context.close();
});

test("attributes and properties of the element", async () => {
  const { page, errors, context } = await site.page();
  await page.goto(`${site.origin}/examples/player.html`);
  await until(page, "document.querySelector('sinew-player').player");
  const value = (code) => page.evaluate(`(() => { const e = document.querySelector('sinew-player'); return ${code}; })()`);
  assert.equal(await value("e.player.playing"), true);
  await value("(e.animation = 'jump', e.speed = 0.5, e.loop = 'once', 0)");
  assert.deepEqual(await value("[e.player.animation, e.player.speed, e.player.loop, e.getAttribute('animation')]"), ["jump", 0.5, "once", "jump"]);
  await value("(e.speed = 4, 0)");
  await value("(window.finished = 0, e.addEventListener('finished', () => window.finished++), 0)");
  await until(page, "window.finished === 1");
  assert.equal(await value("e.player.playing"), false);
  await value("(window.gone = e.player, e.remove(), 0)");
  assert.equal(await page.evaluate("window.gone.playing"), false);
  assert.deepEqual(errors, []);
  await context.close();
});

test("the element does not play by itself if motion is to be reduced, but on demand", async () => {
  for (const [reducedMotion, plays] of [["reduce", false], ["no-preference", true]]) {
    const { page, context } = await site.page({ reducedMotion });
    await page.goto(`${site.origin}/examples/player.html`);
    await until(page, "document.querySelector('sinew-player').player");
    assert.equal(await page.evaluate("document.querySelector('sinew-player').player.playing"), plays, reducedMotion);
    await page.evaluate("document.querySelector('sinew-player').play()");
    await until(page, "document.querySelector('sinew-player').time > 0");
    await context.close();
  }
});

test("the element fetches what a glTF file refers to, relative to it", async () => {
  const [main, ...others] = gltf();
  const { page, errors, context } = await site.page();
  await context.route("**/models/**", (route) => {
    const name = decodeURIComponent(new URL(route.request().url()).pathname).replace("/models/", "");
    const file = [main, ...others].find((candidate) => candidate.name === name);
    return route.fulfill(file ? { body: file.bytes } : { status: 404 });
  });
  await page.goto(`${site.origin}/examples/player.html`);
  await page.evaluate("(() => { const e = document.querySelector('sinew-player'); e.removeAttribute('animation'); e.src = '/models/model.gltf'; })()");
  await until(page, "document.querySelector('sinew-player').player?.actor.meshes?.parts.length === 5");
  assert.deepEqual(await page.evaluate("document.querySelector('sinew-player').player.actor.meshes.notices"), []);
  assert.deepEqual(errors, []);
  await context.close();
});

test("a missing file is reported as text and as an event", async () => {
  const { page, context } = await site.page();
  await page.goto(`${site.origin}/examples/player.html`);
  await page.evaluate(`(() => { const e = document.querySelector('sinew-player'); e.addEventListener('error', (event) => (window.message = String(event.detail.error.message))); e.src = 'missing.skf'; })()`);
  await until(page, "window.message");
  assert.match(await page.evaluate("window.message"), /404/);
  assert.match(await page.evaluate("document.querySelector('sinew-player').shadowRoot.textContent"), /404/);
  await context.close();
});

test("the three.js example draws", async () => {
  const { page, errors, context } = await site.page();
  await page.goto(`${site.origin}/examples/three.html`);
  await until(page, "Number(document.body.dataset.frames) > 5", 30);
  assert.deepEqual(errors, []);
  await context.close();
});

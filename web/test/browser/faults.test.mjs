// Faults that are not the page's: a lost WebGL context, an internal error of the runtime.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open, picture, player, start, until } from "./harness.mjs";

let site;
before(async () => {
  site = await start();
});
after(() => site.stop());

test("a canvas that is resized while the context is lost has the new size at once and after the restoration", async () => {
  const { page, errors, context } = await site.page();
  await open(page, site.urls.http, "#file=walk.sinew&t=0.5");
  const fits = async (width) => {
    await until(page, `(() => { const c = document.querySelector('canvas.view'); return c.width === c.clientWidth && c.height === c.clientHeight && c.width ${width}; })()`);
    await page.waitForTimeout(200);
    return page.evaluate("document.querySelector('canvas.view').width");
  };
  const before = await fits("> 100");
  await page.evaluate("window.lost = window.sinew.sharedBackend().lose()");
  assert.equal(await page.evaluate("window.sinew.sharedBackend().lost"), true);
  await page.setViewportSize({ width: 1000, height: 620 });
  await fits(`< ${before}`);
  assert.ok((await picture(page)).drawn > 500, "a simpler picture");
  assert.ok((await page.evaluate("window.sinew.sharedBackend().limit")) >= 2048);
  await page.evaluate("window.lost.restore()");
  await until(page, "!window.sinew.sharedBackend().lost");
  await fits(`< ${before}`);
  const restored = await picture(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  await fits(`=== ${before}`);
  await page.setViewportSize({ width: 1000, height: 620 });
  await fits(`< ${before}`);
  assert.ok(Math.abs((await picture(page)).drawn - restored.drawn) < restored.drawn * 0.02, "the same picture as without the loss");
  assert.deepEqual(errors, []);
  await context.close();
});

/** Lets a function of the module trap once when `window.trap` is set. */
const trapping = (page, name) =>
  page.addInitScript((which) => {
    const patch = (result) => {
      const plain = result.instance.exports;
      const exports = { ...plain };
      exports[which] = (...values) => {
        if (window.trap) {
          window.trap = false;
          throw new WebAssembly.RuntimeError("unreachable");
        }
        return plain[which](...values);
      };
      return { module: result.module, instance: { exports } };
    };
    for (const method of ["instantiate", "instantiateStreaming"]) {
      const plain = WebAssembly[method];
      WebAssembly[method] = (...values) => plain.call(WebAssembly, ...values).then(patch);
    }
    // The runtime recognizes instances by their class.
    Object.defineProperty(WebAssembly.Instance, Symbol.hasInstance, { value: (object) => "exports" in object });
  }, name);

test("an internal error stops the player that met it; the others on the page continue", async () => {
  const { page, errors, context } = await site.page();
  await trapping(page, "character_construct");
  await page.goto(`${site.origin}/examples/many.html?count=6`);
  await until(page, "[...document.querySelectorAll('sinew-player')].filter((e) => e.player && e.player.time > 0.1).length === 6");
  // Pictures of characters are decoded after the model is read.
  await page.evaluate("Promise.all([...document.querySelectorAll('sinew-player')].map((element) => element.player.actor.ready)).then(() => 0)");
  await page.waitForTimeout(100);
  await page.evaluate(`(() => {
    window.faults = [];
    document.querySelectorAll("sinew-player").forEach((element, index) => element.addEventListener("error", ({ detail }) => window.faults.push([index, detail.error.code, detail.recovered])));
    window.trap = true;
  })()`);
  await until(page, "window.faults.length >= 6");
  await page.waitForTimeout(400);
  const faults = await page.evaluate("window.faults");
  assert.equal(faults.length, 6);
  const stopped = faults.filter(([, code]) => code === "internal");
  assert.equal(stopped.length, 1);
  const [[broken]] = stopped;
  for (const [index, code, recovered] of faults) {
    if (index !== broken) assert.deepEqual([code, recovered], ["closed", true]);
  }
  const state = () =>
    page.evaluate(() =>
      [...document.querySelectorAll("sinew-player")].map((element) => {
        const canvas = element.shadowRoot.querySelector("canvas");
        const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        // A picture that is read from the graphics processor and one that is not may differ by rounding.
        const changed = element.picture ? data.filter((value, i) => Math.abs(value - element.picture[i]) > 8).length : 0;
        element.picture = data;
        return { playing: element.player.playing, changed, message: element.shadowRoot.querySelector("[part=message]").textContent };
      }),
    );
  await state();
  await page.waitForTimeout(400);
  const now = await state();
  now.forEach(({ playing, changed, message }, index) => {
    assert.equal(playing, index !== broken);
    assert.equal(changed > 100, index !== broken, `player ${index}: ${changed} values changed`);
    if (index === broken) assert.match(message, /internal error/);
    else assert.equal(message, "");
  });
  // It was a fault of one call: playing again opens the model again.
  await page.evaluate(`document.querySelectorAll("sinew-player")[${broken}].play()`);
  await page.waitForTimeout(400);
  const last = await state();
  assert.ok(last[broken].playing && last[broken].changed > 100 && last[broken].message === "");
  assert.deepEqual(errors, []);
  await context.close();
});

test("the viewer continues a comparison after an internal error elsewhere, at the same time", async () => {
  const { page, errors, context } = await site.page();
  await trapping(page, "motion_new");
  await open(page, site.urls.http, "#file=walk.sinew&t=0.5&compare=0@run.sinew");
  await page.waitForSelector("#panel-compare .table");
  await page.waitForTimeout(400);
  const before = await picture(page);
  const code = await page.evaluate(`(() => { window.trap = true; try { window.sinew.app.opened.model.instance(); return ""; } catch (error) { return error.code; } })()`);
  assert.equal(code, "internal");
  await page.evaluate("(window.old = window.sinew.app.player, window.old.invalidate())");
  await until(page, "window.sinew.app.player !== window.old && window.sinew.app.player?.comparison && window.sinew.app.error");
  assert.match(await page.innerText(".notice"), /read again after an internal error/);
  await page.waitForTimeout(300);
  assert.equal(await player(page, "player.time"), 0.5);
  assert.ok(Math.abs((await picture(page)).drawn - before.drawn) < before.drawn * 0.02);
  await player(page, "player.step(1)");
  await page.waitForTimeout(200);
  assert.notEqual((await picture(page)).hash, before.hash);
  assert.deepEqual(errors, []);
  await context.close();
});

test("the package does not export what tests use", async () => {
  const { page, context } = await site.page();
  await page.goto(`${site.origin}/examples/player.html`);
  const names = await page.evaluate("import('/dist/index.js').then((module) => Object.keys(module))");
  assert.ok(names.includes("load") && names.includes("Player") && names.includes("SinewError"));
  assert.deepEqual(names.filter((name) => /test|disable|shared/i.test(name)), []);
  await context.close();
});

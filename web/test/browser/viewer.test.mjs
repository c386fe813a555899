// The viewer page: `node --test test/browser/`.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { drop, open, picture, player, root, start, until } from "./harness.mjs";

const read = (path) => readFileSync(`${root}/../samples/${path}`);
let site;
before(async () => {
  site = await start();
});
after(() => site.stop());

for (const scheme of ["http", "file"]) {
  describe(`over ${scheme}`, () => {
    let view;
    let page;
    const at = (hash = "") => open(page, site.urls[scheme], hash);
    before(async () => {
      view = await site.page();
      page = view.page;
    });
    after(async () => {
      assert.deepEqual(view.errors, []);
      assert.deepEqual(view.foreign, [], "requests to other addresses");
      await view.context.close();
    });

    test("an empty page invites to drop a file and offers the samples", async () => {
      await at();
      assert.match(await page.textContent(".empty"), /Drop an animation here/);
      await page.click(".sample:nth-child(1)");
      await until(page, "window.sinew.app.player");
      assert.equal(await player(page, "app.opened.source.name"), "pip.skf");
      // The picture of the character is decoded after the model is read.
      for (let i = 0; i < 100 && (await picture(page)).drawn < 20_000; i++) await page.waitForTimeout(50);
      assert.ok((await picture(page)).drawn > 20_000);
    });

    test("play, pause, scrub and step", async () => {
      await at("#file=walk.sinew&t=0");
      assert.equal(await player(page, "player.playing"), false);
      await page.click("[aria-label=Play]");
      await until(page, "window.sinew.app.player.time > 0.1");
      await page.click("[aria-label=Pause]");
      assert.equal(await player(page, "player.playing"), false);
      const box = await page.locator(".scrub").boundingBox();
      await page.mouse.move(box.x + box.width * 0.3, box.y + 12);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.7, box.y + 12, { steps: 3 });
      await page.mouse.up();
      const scrubbed = await player(page, "player.time / player.length");
      assert.ok(scrubbed > 0.55 && scrubbed < 0.8, `${scrubbed}`);
      const frame = await player(page, "player.frame");
      await page.click("[aria-label='One frame forward']");
      assert.equal(await player(page, "player.frame"), frame + 1);
      await page.click("[aria-label='One frame back']");
      assert.equal(await player(page, "player.frame"), frame);
      await player(page, "player.draw()");
      const before = await picture(page);
      await page.click("[aria-label='One frame forward']");
      for (let i = 0; i < 60 && (await picture(page)).hash === before.hash; i++) await page.waitForTimeout(50);
      assert.notEqual((await picture(page)).hash, before.hash);
    });

    test("scrubbing works during play", async () => {
      await at("#file=walk.sinew&t=0&play=1");
      const box = await page.locator(".scrub").boundingBox();
      await page.mouse.click(box.x + box.width * 0.9, box.y + 12);
      assert.equal(await player(page, "player.playing"), true);
      assert.ok((await player(page, "player.time")) > 2);
    });

    test("switching crossfades", async () => {
      await at("#file=pip.skf&clip=idle&play=1");
      await player(page, "void (player.fade = 5)");
      await page.click("[role=option]:has-text('jump')");
      assert.equal(await player(page, "player.animation"), "jump");
      await page.waitForTimeout(200);
      // A long crossfade keeps the character near its old pose: not the pose of the new animation.
      const distance = await player(page, "(() => { const a = player.actor.points.slice(), b = player.actor.pointsAt(player.index, player.time); return a.reduce((most, v, i) => Math.max(most, Math.abs(v - b[i])), 0); })()");
      assert.ok(distance > 5, `${distance}`);
      await open(page, site.urls[scheme], "#file=walk.sinew&t=0&play=1");
    });

    test("speed, direction, loop modes and a range", async () => {
      await at("#file=walk.sinew&t=1");
      await page.selectOption(".speed", "-1");
      assert.equal(await player(page, "player.speed"), -1);
      await page.keyboard.press("l");
      await page.keyboard.press("l");
      assert.equal(await player(page, "player.loop"), "ping-pong");
      await player(page, "void (player.time = 1)");
      await page.keyboard.press("[");
      await player(page, "void (player.time = 2)");
      await page.keyboard.press("]");
      assert.deepEqual(await player(page, "[...player.span]"), [1, 2]);
      await page.keyboard.press("Space");
      await page.waitForTimeout(1500);
      const time = await player(page, "player.time");
      assert.ok(time >= 1 && time <= 2, `${time}`);
      await page.keyboard.press("\\");
      assert.equal(await player(page, "player.range"), null);
    });

    test("several dropped files are listed, an ASF serves its AMC", async () => {
      await at();
      await drop(page, ["figure.asf", "walk.amc", "run.amc"].map((name) => ({ name, bytes: read(`motion/${name}`) })));
      await until(page, "window.sinew.app.player?.model.format");
      assert.equal(await player(page, "app.opened.source.name"), "walk.amc");
      assert.deepEqual(await page.locator("[aria-label=Files] [role=option] .grow").allTextContents(), ["walk.amc", "run.amc"]);
      await page.click("[role=option]:has-text('run.amc')");
      await until(page, "window.sinew.app.opened?.source.name === 'run.amc'");
    });

    test("a broken file shows line and column on the page", async () => {
      await at();
      const text = read("motion/walk.bvh").toString().replace("CHANNELS 6", "CHANNELS six");
      await drop(page, [{ name: "broken.bvh", bytes: Buffer.from(text) }]);
      await page.waitForSelector(".fault");
      const shown = await page.innerText(".fault");
      assert.match(shown, /broken\.bvh cannot be shown/);
      assert.match(shown, /line \d+, column \d+/i);
      assert.match(shown, /CHANNELS six/);
      await drop(page, [{ name: "walk.bvh", bytes: read("motion/walk.bvh") }]);
      await until(page, "window.sinew.app.player");
    });

    test("names from files are text", async () => {
      await at();
      await drop(page, [{ name: "<img src=x onerror=alert(1)>.bvh", bytes: read("motion/walk.bvh") }]);
      await until(page, "window.sinew.app.player");
      assert.equal(await page.locator("img").count(), 0);
      assert.equal(await page.textContent("h1"), "<img src=x onerror=alert(1)>.bvh");
    });

    test("an IK target can be dragged, and the bones of its chain reach for it", async () => {
      await at("#file=pip.skf&clip=idle&t=0");
      await page.keyboard.press("d");
      const { bones: chain, target } = await player(page, "player.model.ik.find((family) => family.target >= 0)");
      const others = (await player(page, "player.model.bones.map((bone) => bone.name)")).flatMap((name, bone) => (/^(torso|head|tail_1)$/.test(name) ? [bone] : []));
      const state = () => player(page, "(player.draw(), { points: Array.from(player.actor.points), screen: Array.from(player.screenPoints()) })");
      const before = await state();
      const gap = ({ points }, a, b) => Math.hypot(points[a * 3] - points[b * 3], points[a * 3 + 1] - points[b * 3 + 1]);
      const moved = (now, bone) => Math.hypot(now.points[bone * 3] - before.points[bone * 3], now.points[bone * 3 + 1] - before.points[bone * 3 + 1]);
      const end = chain.at(-1);
      const box = await page.locator("canvas.view").boundingBox();
      const [x, y] = [box.x + before.screen[target * 3], box.y + before.screen[target * 3 + 1]];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + 24, y - 40, { steps: 4 });
      await page.waitForTimeout(150);
      const held = await state();
      // The target is under the pointer, the end of the chain is at the target, the joint between bends for it.
      assert.ok(Math.hypot(box.x + held.screen[target * 3] - x - 24, box.y + held.screen[target * 3 + 1] - y + 40) < 2);
      assert.ok(gap(held, end, target) < 2, `${gap(held, end, target)} px from the target`);
      assert.ok(gap(before, end, target) < 2);
      for (const bone of chain.slice(1)) assert.ok(moved(held, bone) > 4, `bone ${bone} moved by ${moved(held, bone)} px`);
      for (const bone of others) assert.ok(moved(held, bone) < 0.5, `bone ${bone} moved by ${moved(held, bone)} px`);
      assert.ok(Math.abs(gap(held, chain[0], chain[1]) - gap(before, chain[0], chain[1])) < 0.5, "bones keep their length");
      // Out of reach, the chain is straight and points to the target.
      await page.mouse.move(x + 60, box.y + box.height - 5, { steps: 4 });
      await page.waitForTimeout(150);
      const far = await state();
      const reach = gap(far, chain[0], chain[1]) + gap(far, chain[1], end);
      assert.ok(gap(far, chain[0], target) > reach);
      assert.ok(Math.abs(gap(far, chain[0], end) - reach) < 2, "straight");
      assert.ok(Math.abs(gap(far, chain[0], end) + gap(far, end, target) - gap(far, chain[0], target)) < 2, "towards the target");
      await page.mouse.up();
      // Leaving the mode releases the target.
      await page.keyboard.press("d");
      const released = await state();
      for (const bone of chain) assert.ok(moved(released, bone) < 0.5);
    });

    test("a deep link restores clip, time, speed and camera, and is written back", async () => {
      await at("#file=pip.skf&clip=walk&t=0.25&speed=0.5&camera=10,200,1.5");
      assert.deepEqual(await player(page, "[player.animation, player.time, player.speed, player.playing, player.camera.x, player.camera.zoom]"), ["walk", 0.25, 0.5, false, 10, 1.5]);
      await page.keyboard.press("ArrowRight");
      await page.waitForTimeout(450);
      assert.match(await page.evaluate("location.hash"), /clip=walk&t=0\.267&speed=0\.5&camera=10,200,1\.5/);
    });

    test("the pose hash of this browser is shown", async () => {
      await at("#file=walk.sinew&t=0");
      assert.match(await page.textContent(".hash code"), /^[0-9a-f]{16}$/);
    });
  });
}

describe("the page", () => {
  let view;
  let page;
  before(async () => {
    view = await site.page();
    page = view.page;
  });
  after(() => view.context.close());
  const at = (hash) => open(page, site.urls.http, hash);

  test("everything can be reached by keyboard", async () => {
    await at("#file=pip.skf&t=0");
    const seen = new Set();
    await page.focus("body");
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press("Tab");
      const label = await page.evaluate(() => {
        const e = document.activeElement;
        const style = getComputedStyle(e);
        return e === document.body ? "" : `${e.getAttribute("role") ?? e.tagName}:${e.getAttribute("aria-label") ?? e.textContent.trim().slice(0, 20)}:${style.outlineStyle}`;
      });
      if (!label) break;
      assert.ok(!label.endsWith(":none"), `no visible focus: ${label}`);
      seen.add(label.split(":")[1]);
    }
    for (const wanted of ["Open", "Save picture", "Keys", "Play", "Time", "Start of range", "Speed", "Bones"]) assert.ok([...seen].some((label) => label.startsWith(wanted)), `${wanted} in ${[...seen].join(", ")}`);
    await page.focus("[aria-label=Animations] [aria-selected=true]");
    await page.keyboard.press("ArrowDown");
    assert.equal(await player(page, "player.animation"), "walk");
    await page.focus("#tab-info");
    await page.keyboard.press("ArrowRight");
    assert.equal(await page.getAttribute("#tab-joints", "aria-selected"), "true");
    await page.focus("canvas.view");
    const x = await player(page, "player.camera.x");
    await page.keyboard.press("ArrowRight");
    assert.notEqual(await player(page, "player.camera.x"), x);
    await page.keyboard.press("?");
    assert.ok(await page.isVisible("dialog"));
    await page.keyboard.press("Escape");
    assert.ok(!(await page.isVisible("dialog")));
    await page.focus(".scrub");
    await page.keyboard.press("End");
    assert.ok((await player(page, "player.time")) > 0.5);
  });

  test("it follows its size; a canvas of size zero keeps the last picture", async () => {
    await at("#file=walk.sinew&t=0.5");
    await page.setViewportSize({ width: 1000, height: 600 });
    await until(page, "(() => { const c = document.querySelector('canvas.view'); return c.clientWidth < 700 && c.width === c.clientWidth && c.height === c.clientHeight; })()");
    await page.evaluate("document.querySelector('.center').style.display = 'none'");
    await page.waitForTimeout(200);
    assert.equal(await player(page, "player.visible"), false);
    await player(page, "player.play()");
    const time = await player(page, "player.time");
    await page.waitForTimeout(200);
    assert.equal(await player(page, "player.time"), time);
    await page.evaluate("document.querySelector('.center').style.display = ''");
    await page.waitForTimeout(400);
    assert.ok((await player(page, "player.time")) > time);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  test("a lost context is restored; meanwhile a simpler picture is drawn", async () => {
    await at("#file=walk.sinew&t=0.5");
    const before = await picture(page);
    await page.evaluate("window.lost = window.sinew.sharedBackend().lose()");
    await until(page, "window.sinew.sharedBackend().lost");
    await player(page, "player.step(1)");
    await page.waitForTimeout(200);
    assert.ok((await picture(page)).drawn > 1000);
    await page.evaluate("window.lost.restore()");
    await until(page, "!window.sinew.sharedBackend().lost");
    await player(page, "player.step(-1)");
    await page.waitForTimeout(300);
    const restored = await picture(page);
    assert.ok(Math.abs(restored.drawn - before.drawn) < before.drawn * 0.02, `${restored.drawn} of ${before.drawn}`);
  });

  test("without WebGL2 characters and figures are drawn in a simpler way, with a notice", async () => {
    for (const file of ["pip.skf", "walk.sinew"]) {
      await at(`#file=${file}&t=0.5`);
      await page.evaluate("window.sinew.disableWebGl()");
      await page.waitForTimeout(300);
      assert.ok((await picture(page)).drawn > 1500, file);
      assert.match(await page.textContent(".notice"), /WebGL2 is not available/);
    }
  });

  test("two motions are compared: distance per joint over time", async () => {
    await at("#file=walk.sinew&t=0.5&compare=0@run.sinew");
    await page.waitForSelector("#panel-compare .table");
    assert.match(await page.textContent("#panel-compare"), /31 of 31 correspond/);
    await page.selectOption("#compare-mode", "side");
    assert.equal(await player(page, "player.comparison.mode"), "side");
    const same = await player(page, "(() => { app.setComparison({ sync: 'progress' }); return app.error.count; })()");
    assert.ok(same > 10);
  });

  test("contributions of the joint are explained, weights are mixed", async () => {
    await at("#file=pip.skf&clip=idle&t=0.5");
    await player(page, "(player.mixes = [{ animation: 2, weight: 0.5, additive: false }], app.showPanel('joints'), app.select(player.actor.names.indexOf('torso')), player.draw())");
    const text = await page.innerText("#panel-joints table");
    assert.match(text, /idle/);
    assert.match(text, /wave/);
    assert.match(text, /0\.50/);
  });

  test("foot contacts are listed with how far the foot moves", async () => {
    await at("#file=walk.sinew&t=0");
    await page.click("#tab-feet");
    assert.match(await page.innerText("#panel-feet"), /Left foot holds/);
  });

  test("picture and GIF are saved", async () => {
    await at("#file=pip.skf&clip=walk&t=0");
    for (const [label, signature] of [["Save picture", "\x89PNG"], ["Save GIF", "GIF89a"]]) {
      const [download] = await Promise.all([page.waitForEvent("download"), page.click(`[aria-label='${label}']`)]);
      const bytes = readFileSync(await download.path());
      assert.equal(bytes.toString("latin1", 0, signature.length), signature);
      assert.ok(bytes.length > 10_000);
    }
  });

  test("a hidden tab does not advance", async () => {
    await at("#file=walk.sinew&t=0&play=1");
    await page.evaluate("Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => 'hidden' })");
    await page.waitForTimeout(100);
    const time = await player(page, "player.time");
    await page.waitForTimeout(300);
    assert.equal(await player(page, "player.time"), time);
  });
});

test("device pixel ratio 3 draws three times as many pixels per side", async () => {
  const { page, context } = await site.page({ viewport: { width: 400, height: 700 }, deviceScaleFactor: 3 });
  await open(page, site.urls.http, "#file=pip.skf&t=0");
  await page.waitForTimeout(300);
  const box = await page.locator("canvas.view").boundingBox();
  const { width, drawn } = await picture(page);
  assert.equal(width, Math.round(box.width * 3));
  assert.ok(drawn > 50_000);
  await context.close();
});

test("reduced motion does not play by itself", async () => {
  const { page, context } = await site.page({ reducedMotion: "reduce" });
  await open(page, site.urls.http, "#file=pip.skf");
  assert.equal(await player(page, "player.playing"), false);
  await context.close();
});

test("axe finds no violation, in light and dark, wide and narrow", async () => {
  const axe = readFileSync(`${root}/node_modules/axe-core/axe.min.js`, "utf8");
  for (const colorScheme of ["light", "dark"]) {
    for (const viewport of [{ width: 1280, height: 800 }, { width: 360, height: 740 }]) {
      const { page, context } = await site.page({ colorScheme, viewport });
      for (const hash of ["", "#file=pip.skf&t=0.2&show=skeleton", "#file=walk.sinew&t=0.4&compare=0@run.sinew", "#file=walk.sinew&t=0.4"]) {
        await open(page, site.urls.http, hash);
        await page.evaluate(axe);
        for (const tab of hash ? await page.locator("[role=tab]:visible").all() : [null]) {
          await tab?.click();
          const { violations } = await page.evaluate("axe.run()");
          assert.deepEqual(violations.map(({ id, nodes }) => `${colorScheme} ${viewport.width} ${hash}: ${id}: ${nodes.map((node) => `${node.target} ${node.failureSummary}`).slice(0, 2).join("; ")}`), []);
        }
      }
      await context.close();
    }
  }
});

// What plays: triggers as DOM events, crossfades with their weights, animations laid over each other.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { drop, open, player, root, start, until } from "./harness.mjs";

let site;
let view;
let page;
before(async () => {
  site = await start();
  view = await site.page();
  page = view.page;
});
after(async () => {
  assert.deepEqual(view.errors, []);
  await site.stop();
});

/** A quarter of a second of motion with triggers at its ends and between. */
function clip() {
  const motion = JSON.parse(readFileSync(`${root}/test/files/wave.json`, "utf8"));
  motion.animations[0].triggers = [["start", 0], ["early", 0.0625], ["late", 0.1875], ["end", 0.25]].map(([data, time]) => ({ time, data }));
  return Buffer.from(JSON.stringify(motion));
}

/** Stops the page's own clock, so that only calls of `tick` move the playhead. */
async function stopClock() {
  await page.evaluate("window.requestAnimationFrame = () => 0");
  await page.waitForTimeout(100);
}

/** Plays steps of seconds; returns the triggers of each, as DOM events said them. */
const steps = (setup, seconds) =>
  page.evaluate(`(() => {
    const { player } = window.sinew.app;
    player.pause();
    player.loop = "loop"; player.speed = 1; player.range = null;
    const fired = [];
    const listener = (event) => fired.push(event.detail.name);
    player.addEventListener("trigger", listener);
    ${setup};
    player.play();
    const sought = fired.length;
    const list = ${JSON.stringify(seconds)}.map((seconds) => { const count = fired.length; player.tick(seconds); return fired.slice(count).join(" "); });
    player.removeEventListener("trigger", listener);
    if (sought) throw new Error("a seek fired " + fired);
    return list;
  })()`);

test("triggers are DOM events: each once when it is passed, in either direction, for any step", async () => {
  await open(page, site.urls.http);
  await drop(page, [{ name: "clip.json", bytes: clip() }]);
  await until(page, "window.sinew.app.player");
  await stopClock();
  const eighth = [0.125, 0.125, 0.125, 0.125];
  assert.deepEqual(await steps("player.time = 0", eighth), ["early", "late end start", "early", "late end start"]);
  assert.deepEqual(await steps("player.time = 0.125; player.speed = -1", eighth), ["early start end", "late", "early start end", "late"]);
  assert.deepEqual(await steps("player.time = 0.1; player.speed = 0.5", [0.1, 0.1, 0.1]), ["", "late", "end start"]);
  assert.deepEqual(await steps("player.loop = 'once'; player.time = 0", [0.2, 0.2, 0.2]), ["early late", "end", ""]);
  assert.equal(await player(page, "player.playing"), false);
  assert.deepEqual(await steps("player.loop = 'once'; player.speed = -1; player.time = 0.25", [0.2, 0.2]), ["late early", "start"]);
  assert.deepEqual(await steps("player.loop = 'ping-pong'; player.time = 0", [0.3, 0.1, 0.2, 0.2]), ["early late end", "late", "early start", "late end"]);
  assert.deepEqual(await steps("player.range = [0.03, 0.2]; player.time = 0.1", [0.16, 0.16]), ["late early", "late early"]);
  // Seconds without a frame, as after a long task of the page.
  assert.deepEqual(await steps("player.time = 0.1", [3600, 1e9]), ["late end start early", "late end start early"]);
});

test("seeks, steps and switches fire no trigger", async () => {
  const fired = await page.evaluate(`(() => {
    const { player } = window.sinew.app;
    let count = 0;
    player.addEventListener("trigger", () => count++);
    player.pause();
    for (const time of [0, 0.25, 0.1, 0]) player.time = time;
    player.step(30);
    player.step(-30);
    player.range = [0.1, 0.2];
    player.loop = "once";
    player.play();
    player.pause();
    return count;
  })()`);
  assert.equal(fired, 0);
});

/** Counts pixels of the time line per column that are near a colour; rows from `top`. */
const near = (color, top = 24) =>
  page.evaluate(
    ([[red, green, blue], from]) => {
      const canvas = document.querySelector(".scrub canvas");
      const { data, width, height } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const columns = new Array(width).fill(0);
      for (let y = from; y < height; y++) {
        for (let x = 0; x < width; x++) {
          const i = (y * width + x) * 4;
          if (data[i + 3] > 200 && Math.abs(data[i] - red) + Math.abs(data[i + 1] - green) + Math.abs(data[i + 2] - blue) < 30) columns[x]++;
        }
      }
      return columns;
    },
    [color, top],
  );

test("triggers are marks on the time line, at their times", async () => {
  await player(page, "(player.range = null, player.time = 0.1, app.timeline.draw())");
  const accent = (await player(page, "player.theme.accent")).map((value) => value * 255);
  const columns = await near(accent);
  const box = await page.locator(".scrub").boundingBox();
  const column = (time) => Math.round(84 + (time / 0.25) * (box.width - 84 - 12));
  for (const time of [0, 0.0625, 0.1875, 0.25]) {
    const count = Math.max(...columns.slice(Math.max(column(time) - 2, 0), column(time) + 3));
    assert.ok(count >= 6, `${time}: ${count} pixels`);
  }
  assert.equal(Math.max(...columns.slice(column(0.13), column(0.17))), 0);
});

for (const [kind, hash, from, to] of [["2D", "#file=pip.skf&clip=idle&t=0", "idle", "walk"], ["3D", "", "wave", "rest"]]) {
  test(`a crossfade in ${kind} goes from one pose to the other with the weights that are shown`, async () => {
    await open(page, site.urls.http, hash);
    if (!hash) {
      const motion = JSON.parse(readFileSync(`${root}/test/files/wave.json`, "utf8"));
      const [wave] = motion.animations;
      // A second animation that holds the rest pose.
      const still = ({ rotation, ...track }) => ({ ...track, rotation: { ...rotation, values: rotation.values.map(() => [0, 0, 0, 1]) } });
      motion.animations.push({ ...wave, name: "rest", triggers: [], tracks: wave.tracks.map((track) => (track.rotation ? still(track) : track)) });
      await drop(page, [{ name: "two.json", bytes: Buffer.from(JSON.stringify(motion)) }]);
      await until(page, "window.sinew.app.player");
    }
    await stopClock();
    const samples = await page.evaluate(`(() => {
      const { app } = window.sinew, { player } = app;
      app.showPanel("mix");
      player.fade = 1;
      player.pause(); player.time = 0; player.play();
      player.tick(0.05); player.draw();
      const before = Array.from(player.actor.points);
      player.animation = ${JSON.stringify(to)};
      const samples = [];
      for (let i = 0; i < 24; i++) {
        const tracks = player.tracks().map(({ animation, weight }) => ({ name: player.model.animations[animation].name, weight }));
        player.draw();
        const target = Array.from(player.actor.pointsAt(player.index, player.time));
        const gap = (other) => player.actor.points.reduce((most, value, k) => Math.max(most, Math.abs(value - other[k])), 0);
        samples.push({ tracks, fromStart: gap(before), fromTarget: gap(target) });
        player.tick(0.05);
      }
      return samples;
    })()`);
    assert.deepEqual(samples[0].tracks.map(({ name }) => name), [from, to]);
    const weights = samples.map(({ tracks }) => tracks.at(-1).weight);
    assert.equal(weights[0], 0);
    assert.ok(Math.abs(weights[10] - 0.5) < 0.01, `${weights[10]}`);
    assert.deepEqual(weights, [...weights].sort((a, b) => a - b));
    assert.deepEqual(samples.at(-1).tracks, [{ name: to, weight: 1 }]);
    // The pose is the old one at first, then between, then the new one.
    const scale = Math.max(...samples.map(({ fromTarget }) => fromTarget));
    assert.ok(samples[0].fromStart < scale * 1e-3, `${samples[0].fromStart}`);
    assert.ok(samples[10].fromStart > scale * 0.05 && samples[10].fromTarget > scale * 0.05, JSON.stringify(samples[10]));
    assert.ok(samples.at(-1).fromTarget < scale * 1e-3, JSON.stringify(samples.at(-1)));
    assert.match(await page.innerText("#tab-mix"), /Mix/);
  });
}

/** Counts pixels of a canvas near the colour of an animation in graphs of weights. */
const graphed = (selector, animation) =>
  page.evaluate(
    ([which, hue]) => {
      const canvas = document.querySelector(which);
      const pen = new OffscreenCanvas(1, 1).getContext("2d");
      pen.fillStyle = `hsl(${hue} 55% 50%)`;
      pen.fillRect(0, 0, 1, 1);
      const [red, green, blue] = pen.getImageData(0, 0, 1, 1).data;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 200 && Math.abs(data[i] - red) + Math.abs(data[i + 1] - green) + Math.abs(data[i + 2] - blue) < 40) count++;
      return count;
    },
    [selector, [172, 28, 262, 206][animation]],
  );

test("a crossfade during a crossfade continues from the pose shown", async () => {
  await open(page, site.urls.http, "#file=pip.skf&clip=idle&t=0");
  await stopClock();
  const gaps = await page.evaluate(`(() => {
    const { player } = window.sinew.app;
    player.fade = 0.5;
    player.play();
    const points = () => { player.draw(); return Array.from(player.actor.points); };
    let last = points();
    const gaps = [];
    for (let i = 0; i < 60; i++) {
      if (i === 10) player.animation = "walk";
      if (i === 20) player.animation = "jump";
      if (i === 26) player.animation = "idle";
      player.tick(1 / 60);
      const now = points();
      gaps.push(now.reduce((most, value, k) => Math.max(most, Math.abs(value - last[k])), 0));
      last = now;
    }
    return gaps;
  })()`);
  assert.ok(Math.max(...gaps) < 60, `pixels from a frame to the next: ${gaps.map(Math.round)}`);
  assert.ok(Math.max(...gaps) > 1);
});

test("weights of a crossfade are drawn over the time line and in the panel", async () => {
  await open(page, site.urls.http, "#file=pip.skf&clip=idle&t=0");
  await page.click("#tab-mix");
  assert.equal(await graphed(".scrub canvas", 1), 0);
  await player(page, "(player.fade = 0.6, player.play())");
  await page.waitForTimeout(200);
  await player(page, "void (player.animation = 'walk')");
  await page.waitForTimeout(900);
  await player(page, "player.pause()");
  for (const canvas of [".scrub canvas", "canvas.weights"]) {
    for (const animation of [0, 1]) assert.ok((await graphed(canvas, animation)) > 20, `${canvas}: ${animation}`);
    assert.equal(await graphed(canvas, 2), 0, canvas);
  }
  const rows = await player(page, "(() => { const w = app.timeline.weights; return w.animations.map((a) => Array.from({ length: w.bins }, (_, bin) => w.at(a, bin))); })()");
  const seen = rows[0].map((_, bin) => bin).filter((bin) => rows[0][bin] >= 0);
  assert.ok(seen.length > 100);
  for (const bin of seen) assert.ok(Math.abs(rows[0][bin] + rows[1][bin] - 1) < 1e-5, "the weights add up to 1");
  assert.ok(seen.some((bin) => rows[1][bin] > 0.2 && rows[1][bin] < 0.8));
});

test("the sliders of the panel mix animations into the pose and into the graphs", async () => {
  await open(page, site.urls.http, "#file=pip.skf&clip=idle&t=0.5");
  await page.click("#tab-mix");
  const plain = await player(page, "Array.from(player.actor.points)");
  const slide = async (index, value) => {
    await page.locator(`#mix-${index}`).fill(String(value));
    await page.waitForTimeout(150);
  };
  await slide(3, 0.6);
  assert.deepEqual(await player(page, "player.mixes"), [{ animation: 3, weight: 0.6, additive: false }]);
  assert.equal(await page.innerText("output[for=mix-3]"), "0.60");
  const mixed = await player(page, "Array.from(player.actor.points)");
  assert.ok(mixed.some((value, i) => Math.abs(value - plain[i]) > 3));
  assert.ok((await graphed(".scrub canvas", 3)) > 3);
  assert.ok((await graphed("canvas.weights", 3)) > 1);
  await page.locator(".field.mix", { has: page.locator("#mix-3") }).locator("input[type=checkbox]").check();
  await page.waitForTimeout(150);
  assert.equal((await player(page, "player.mixes"))[0].additive, true);
  const added = await player(page, "Array.from(player.actor.points)");
  assert.ok(added.some((value, i) => Math.abs(value - mixed[i]) > 0.5));
  await slide(3, 0);
  const back = await player(page, "Array.from(player.actor.points)");
  assert.ok(back.every((value, i) => Math.abs(value - plain[i]) < 0.01));
});

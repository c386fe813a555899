// Features of the viewer, by what is seen: pixels, downloads, tables.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { decodeGif } from "./gif.mjs";
import { drop, open, picture, player, root, start, until } from "./harness.mjs";

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
const at = (hash) => open(page, site.urls.http, hash);
const motion = (name) => ({ name: `${name}.bvh`, bytes: readFileSync(`${root}/../samples/motion/${name}.bvh`) });

/** The picture after everything that is asked for is drawn. */
async function shown() {
  await player(page, "player.actor.ready.then(() => 0)");
  await player(page, "player.draw()");
  return picture(page);
}

/** Counts pixels of the time line that are near a colour, between two times, below the ruler. */
const timelinePixels = (color, from, to, tolerance = 60) =>
  page.evaluate(
    ([[red, green, blue], first, last, near]) => {
      const { timeline, player } = window.sinew.app;
      timeline.draw();
      const canvas = document.querySelector(".scrub canvas");
      const x = (time) => 84 + (time / player.length) * (canvas.width - 84 - 12);
      const [left, right] = [Math.round(x(first)), Math.round(x(last))];
      const { data, width } = canvas.getContext("2d").getImageData(left, 26, Math.max(right - left, 1), canvas.height - 26);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 90 && Math.abs(data[i] - red) + Math.abs(data[i + 1] - green) + Math.abs(data[i + 2] - blue) < near) count++;
      return count / width;
    },
    [color, from, to, tolerance],
  );
const color = async (name) => (await player(page, `player.theme.${name}`)).slice(0, 3).map((value) => value * 255);

test("foot contacts are on the time line and in the table, at the native program's times", async () => {
  await at("#file=walk.sinew&t=0");
  await page.click("#tab-feet");
  // `sinew register sample:walk sample:run` lists the contacts of the walk.
  const native = { "left heel": [[0, 0.47], [1.13, 1.57], [2.23, 2.67]], "left ball": [[0.1, 0.67], [1.2, 1.77], [2.3, 2.87]], "right heel": [[0.57, 1.03], [1.67, 2.13], [2.77, 3.23]] };
  const rows = await page.locator("#panel-feet tbody tr").evaluateAll((list) => list.map((row) => [...row.cells].map((cell) => cell.textContent)));
  for (const [name, spans] of Object.entries(native)) {
    const found = rows.filter(([label]) => label === name).map(([, from, to]) => [Number(from), Number(to)]);
    assert.equal(found.length, spans.length, name);
    found.forEach((span, i) => span.forEach((time, k) => assert.ok(Math.abs(time - spans[i][k]) <= 0.035, `${name}: ${span}, natively ${spans[i]}`)));
  }
  assert.deepEqual(await player(page, "app.timeline.rows.map((row) => row.label)"), ["Left foot", "Right foot"]);
  // Within a contact there is colour, between contacts of a foot there is none.
  const [left, right] = [await color("left"), await color("right")];
  assert.ok((await timelinePixels(left, 0.15, 0.4)) > 3);
  assert.ok((await timelinePixels(left, 0.75, 1.05)) === 0);
  assert.ok((await timelinePixels(right, 0.7, 1)) > 3);
});

test("distances between a motion and its compressed form are within the native bound, in the table and the row", async () => {
  await at("#file=walk.sinew&t=0.5");
  await drop(page, [motion("walk")]);
  await until(page, "window.sinew.app.opened?.source.name === 'walk.bvh'");
  await page.evaluate("window.sinew.app.compareWith('0@walk.sinew')");
  await until(page, "window.sinew.app.error");
  // `sinew compress` wrote the sample with a bound of 0.1 mm.
  const { max, mean } = await player(page, "app.error");
  assert.ok(max > 1e-6 && max <= 1.001e-4, `${max} m`);
  assert.ok(mean > 0 && mean < max);
  assert.match(await page.innerText("#panel-compare"), /Largest\s+0\.1 mm/);
  assert.ok((await player(page, "app.timeline.rows.map((row) => row.label)")).includes("Distance"));
  // The row is as bright as the values: the largest is where the table says.
  const worst = await player(page, "app.error.worstTime");
  const dark = [[120, 16, 40], [214, 90, 110]];
  const red = async (from, to) => (await timelinePixels(dark[0], from, to, 110)) + (await timelinePixels(dark[1], from, to, 110));
  assert.ok((await red(Math.max(worst - 0.1, 0), worst + 0.1)) > 0);
  await page.evaluate("window.sinew.app.compareWith(null)");
  assert.ok(!(await player(page, "app.timeline.rows.map((row) => row.label)")).includes("Distance"));
});

test("the joint under the pointer is explained and marked", async () => {
  for (const [hash, name] of [["#file=pip.skf&clip=walk&t=0.2", "head"], ["#file=walk.sinew&t=0.4", null]]) {
    await at(hash);
    await page.click("#tab-joints");
    const plain = await shown();
    const joint = name ? await player(page, `player.actor.names.indexOf('${name}')`) : 10;
    const [x, y] = await player(page, `(() => { const s = player.screenPoints(); return [s[${joint} * 3], s[${joint} * 3 + 1]]; })()`);
    const box = await page.locator("canvas.view").boundingBox();
    await page.mouse.move(box.x + x - 1, box.y + y);
    await page.mouse.move(box.x + x, box.y + y);
    await until(page, "window.sinew.app.player.hover >= 0");
    await page.waitForTimeout(150);
    const hovered = await player(page, "player.actor.names[player.hover]");
    if (name) assert.equal(hovered, name);
    assert.equal(await page.innerText("#panel-joints .detail h3"), hovered);
    assert.ok((await page.locator("#panel-joints .detail tbody tr").count()) > 0);
    assert.notEqual((await shown()).hash, plain.hash);
    await page.mouse.move(box.x + 4, box.y + box.height - 4);
    await until(page, "window.sinew.app.player.hover < 0");
  }
});

test("styles change what is drawn, and back", async () => {
  await at("#file=pip.skf&clip=idle&t=0");
  await page.click("#tab-styles");
  const winter = page.locator("#panel-styles label", { hasText: "Winter" }).locator("input");
  const plain = await shown();
  await winter.click();
  const styles = await player(page, "player.model.styles");
  assert.ok((await player(page, "[...player.actor.worn]")).includes(styles.indexOf("Winter")));
  assert.notEqual((await shown()).hash, plain.hash);
  await page.locator("#panel-styles label", { hasText: "Default" }).locator("input").click();
  const bare = await shown();
  await page.locator("#panel-styles label", { hasText: "Default" }).locator("input").click();
  assert.notEqual((await shown()).hash, bare.hash);
  await winter.click();
  assert.equal((await shown()).hash, plain.hash);
});

test("strobe, trails, footprints, names and ground change the picture, and back", async () => {
  for (const [hash, tools] of [["#file=walk.sinew&t=1.5", ["trails", "footprints", "names", "grid"]], ["#file=pip.skf&clip=jump&t=0.5", ["trails", "names", "skeleton", "mesh"]]]) {
    await at(hash);
    const plain = await shown();
    for (const tool of tools) {
      await page.click(`[data-tool=${tool}]`);
      const changed = await shown();
      assert.notEqual(changed.hash, plain.hash, tool);
      await page.click(`[data-tool=${tool}]`);
      assert.equal((await shown()).hash, plain.hash, `${tool} off`);
    }
    await page.click("[data-tool=strobe]");
    const strobe = await shown();
    // Several poses cover more than one.
    await player(page, "void (player.show.strobe = 0)");
    const single = await shown();
    assert.ok(strobe.drawn > single.drawn * 1.1, `${hash}: ${strobe.drawn}, one pose ${single.drawn}`);
  }
});

test("wheel, drag and touch move the camera; fit brings the view back", async () => {
  await at("#file=walk.sinew&t=0.5");
  const camera = () => player(page, "player.camera.serialize()");
  const fitted = await camera();
  const plain = await shown();
  const box = await page.locator("canvas.view").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, -300);
  await until(page, "window.sinew.app.player.camera.isMoved");
  const zoomed = await camera();
  assert.notEqual(zoomed, fitted);
  assert.notEqual((await shown()).hash, plain.hash);
  await page.mouse.down();
  await page.mouse.move(x + 120, y + 10, { steps: 3 });
  await page.mouse.up();
  const turned = await camera();
  assert.notEqual(turned, zoomed);
  await page.keyboard.down("Shift");
  await page.mouse.down();
  await page.mouse.move(x + 60, y + 80, { steps: 3 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  assert.notEqual(await camera(), turned);
  await page.click("[aria-label='Fit to view']");
  assert.equal(await player(page, "player.camera.isMoved"), false);

  const touch = await site.page({ hasTouch: true, viewport: { width: 400, height: 740 } });
  await open(touch.page, site.urls.http, "#file=pip.skf&t=0");
  const session = await touch.context.newCDPSession(touch.page);
  const area = await touch.page.locator("canvas.view").boundingBox();
  const [cx, cy] = [area.x + area.width / 2, area.y + area.height / 2];
  const fingers = (type, gap) => session.send("Input.dispatchTouchEvent", { type, touchPoints: gap === null ? [] : [{ x: cx - gap, y: cy, id: 0 }, { x: cx + gap, y: cy, id: 1 }] });
  const zoom = await player(touch.page, "player.camera.zoom");
  await fingers("touchStart", 30);
  for (const gap of [45, 60, 75, 90]) await fingers("touchMove", gap);
  await fingers("touchEnd", null);
  await until(touch.page, `window.sinew.app.player.camera.zoom > ${zoom} * 2`);
  assert.ok((await player(touch.page, "player.camera.zoom")) < zoom * 4);
  assert.deepEqual(touch.errors, []);
  await touch.context.close();
});

test("the range's handles follow the mouse, and the playback stays between them", async () => {
  await at("#file=walk.sinew&t=1");
  const box = await page.locator(".scrub").boundingBox();
  const x = (time) => box.x + 84 + (time / 3.3) * (box.width - 84 - 12);
  for (const [handle, time] of [[0, 1], [1, 2]]) {
    const grip = await page.locator(`.handle-${handle}`).boundingBox();
    await page.mouse.move(grip.x + grip.width / 2, grip.y + grip.height / 2);
    await page.mouse.down();
    await page.mouse.move(x(time), grip.y + grip.height / 2, { steps: 4 });
    await page.mouse.up();
  }
  const [from, to] = await player(page, "[...player.span]");
  assert.ok(Math.abs(from - 1) < 0.05 && Math.abs(to - 2) < 0.05, `${from} to ${to}`);
  await player(page, "(player.speed = 4, player.play())");
  for (let i = 0; i < 8; i++) {
    await page.waitForTimeout(60);
    const time = await player(page, "player.time");
    assert.ok(time >= from - 1e-6 && time <= to + 1e-6, `${time}`);
  }
  await page.click("[aria-label='Clear range']");
  assert.equal(await player(page, "player.range"), null);
});

test("full screen is entered and left", async () => {
  await at("#file=walk.sinew&t=0");
  await page.click("[aria-label='Full screen']");
  await until(page, "document.fullscreenElement");
  await page.keyboard.press("x");
  await until(page, "!document.fullscreenElement");
});

test("the background is transparent, light or dark", async () => {
  await at("#file=pip.skf&t=0");
  const corner = () => page.evaluate("Array.from(document.querySelector('canvas.view').getContext('2d').getImageData(2, 2, 1, 1).data)");
  await shown();
  const light = await corner();
  assert.equal(light[3], 255);
  await page.keyboard.press("k");
  await shown();
  assert.equal((await corner())[3], 0);
  await page.keyboard.press("k");
  await page.click("[aria-label='Light or dark']");
  assert.equal(await page.getAttribute("html", "data-theme"), "dark");
  await shown();
  const dark = await corner();
  assert.ok(dark[3] === 255 && dark[0] < 60 && light[0] > 200, `${light} and ${dark}`);
  assert.ok((await page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)[0]")) < 80);
  await page.click("[aria-label='Light or dark']");
  assert.equal(await page.getAttribute("html", "data-theme"), "light");
  await page.click("[aria-label='Light or dark']");
  assert.equal(await page.getAttribute("html", "data-theme"), null);
});

/** Saves the GIF and decodes it. */
async function gif() {
  const [download] = await Promise.all([page.waitForEvent("download", { timeout: 60_000 }), page.click("[aria-label='Save GIF']")]);
  return decodeGif(readFileSync(await download.path()));
}
const different = (a, b) => a.reduce((count, value, i) => count + Number(value !== b[i]), 0);

test("a GIF has the frames of the range at 25 per second, and they move", async () => {
  await page.setViewportSize({ width: 420, height: 560 });
  await at("#file=pip.skf&clip=jump&t=0");
  await shown();
  await player(page, "void (player.range = [0.4, 1.2])");
  const { width, height, frames, delays } = await gif();
  assert.equal(frames.length, 20);
  assert.ok(delays.every((delay) => delay === 4));
  assert.ok(width > 100 && height > 100);
  assert.ok(different(frames[0], frames[10]) > 300, `${different(frames[0], frames[10])} pixels`);
  assert.ok(different(frames[0], frames[1]) < different(frames[0], frames[10]));
  assert.equal(await player(page, "player.time"), 0);
});

test("a GIF of a long animation ends after 12 seconds, and the page says so", async () => {
  const motion = JSON.parse(readFileSync(`${root}/test/files/wave.json`, "utf8"));
  const slow = (value) => JSON.parse(JSON.stringify(value), (key, inner) => (key === "rate" || key === "frame_rate" ? 1 : inner));
  motion.animations = motion.animations.map((animation) => ({ ...slow(animation), length: animation.length * 60, triggers: [] }));
  await at("");
  await drop(page, [{ name: "slow.json", bytes: Buffer.from(JSON.stringify(motion)) }]);
  await until(page, "window.sinew.app.player");
  await player(page, "player.pause()");
  assert.ok((await player(page, "player.duration")) > 12);
  const download = page.waitForEvent("download", { timeout: 90_000 });
  await page.click("[aria-label='Save GIF']");
  await page.waitForSelector(".notice:has-text('the first 12 seconds')");
  assert.equal(decodeGif(readFileSync(await (await download).path())).frames.length, 300);
  await page.setViewportSize({ width: 1280, height: 800 });
});

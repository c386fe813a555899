// Two motions: corresponding times and alignment by a registration curve, distances against the native figures.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
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

// `sinew register ../samples/motion/walk.bvh ../samples/motion/run.bvh --out walk-run.json` (and `.sinew`): 13.6 cm.
const curve = readFileSync(`${root}/test/files/walk-run.json`);
const distance = JSON.parse(curve).distance;
const motion = (name) => ({ name: `${name}.bvh`, bytes: readFileSync(`${root}/../samples/motion/${name}.bvh`) });
const compare = (label) => page.locator("#compare-with").selectOption({ label });

/** The shown fields of the panel. */
const chosen = () => page.evaluate("['compare-sync', 'compare-place'].map((id) => document.getElementById(id).value)");

test("a dropped curve is no animation; it synchronizes and aligns the comparison", async () => {
  await open(page, site.urls.http);
  await drop(page, [{ name: "curve.json", bytes: curve }, motion("walk"), motion("run")]);
  await until(page, "window.sinew.app.player");
  assert.deepEqual(await page.locator("[aria-label=Files] [role=option] .grow").allTextContents(), ["walk.bvh", "run.bvh"]);
  await page.click("#tab-compare");
  await compare("run.bvh");
  await until(page, "window.sinew.app.registration");
  assert.deepEqual(await chosen(), ["curve", "curve"]);
  assert.match(await page.innerText("#panel-compare"), /walk, run, cyclic[\s\S]*curve\.json[\s\S]*0\.14 m/);

  // Times correspond: the curve's own pairs of times, the second within the run.
  const { motions } = JSON.parse(curve);
  const [walk, run] = motions;
  const last = run.times.at(-1), first = run.times[0], seconds = last - first;
  for (const step of [1, 5, 12, 20]) {
    const map = await player(page, `player.comparison.map(${walk.times[step]})`);
    const expected = run.times[step] >= seconds ? run.times[step] - seconds : run.times[step];
    assert.ok(Math.abs(map - expected) < 0.05, `${walk.times[step]}: ${map}, not ${expected}`);
  }

  // Aligned, the joints are as near as the program says, whose mean is over positions; without, metres apart.
  const aligned = await player(page, "app.error.mean");
  assert.ok(aligned > distance * 0.5 && aligned < distance * 1.4, `${aligned} m, program ${distance} m`);
  assert.ok((await player(page, "app.error.max")) < 1, "also where the cycle of the run begins again");
  const near = await picture(page);
  await page.selectOption("#compare-place", "recorded");
  const recorded = await player(page, "app.error.mean");
  assert.ok(recorded > aligned * 5, `${recorded}`);
  await page.waitForTimeout(200);
  assert.notEqual((await picture(page)).hash, near.hash);
  await page.selectOption("#compare-place", "root");
  assert.ok((await player(page, "app.error.mean")) < recorded);

  // Without the curve's times there is no alignment by it.
  await page.selectOption("#compare-place", "curve");
  await page.selectOption("#compare-sync", "time");
  assert.deepEqual(await chosen(), ["time", "root"]);
  assert.equal(await page.locator("#compare-place option[value=curve]").count(), 0);
});

test("the figure of the second motion is drawn where the curve aligns it", async () => {
  await page.selectOption("#compare-sync", "curve");
  await page.selectOption("#compare-place", "curve");
  for (const time of [0.1, 1.1, 2.2, 3.1]) {
    const gap = await player(page, `(() => { player.pause(); player.time = ${time}; player.draw(); const a = player.actor.points, b = player.comparison.actor.points; return Math.hypot(a[0] - b[0], a[2] - b[2]); })()`);
    assert.ok(gap < 0.25, `roots ${gap} m apart at ${time} s`);
  }
});

test("a curve within a .sinew file is found; the other order of the motions too", async () => {
  await open(page, site.urls.http);
  await drop(page, [{ name: "both.sinew", bytes: readFileSync(`${root}/test/files/walk-run.sinew`) }]);
  await until(page, "window.sinew.app.player");
  for (const [from, to] of [["walk", "run"], ["run", "walk"]]) {
    await page.click(`[aria-label=Animations] [role=option]:has-text("${from}")`);
    await page.click("#tab-compare");
    await compare(to);
    await until(page, `window.sinew.app.registration && window.sinew.app.player.animation === "${from}"`);
    assert.deepEqual(await chosen(), ["curve", "curve"]);
    const mean = await player(page, "app.error.mean");
    assert.ok(mean < distance * 1.4, `${from}: ${mean} m`);
    assert.ok((await player(page, "app.error.max")) < 1);
    await compare("nothing");
  }
});

test("a curve that is dropped later serves the comparison that is shown", async () => {
  await open(page, site.urls.http);
  await drop(page, [motion("walk"), motion("run")]);
  await until(page, "window.sinew.app.player");
  await page.click("#tab-compare");
  await compare("run.bvh");
  await until(page, "window.sinew.app.error");
  assert.equal((await chosen())[0], "time");
  await drop(page, [{ name: "later.json", bytes: curve }]);
  await until(page, "window.sinew.app.registration");
  assert.deepEqual(await chosen(), ["curve", "curve"]);
  assert.match(await page.innerText(".notice"), /later\.json synchronizes/);
  assert.equal(await player(page, "app.opened.source.name"), "walk.bvh");
});

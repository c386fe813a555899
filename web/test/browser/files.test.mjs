// Large files, many files, and which files are read for another.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { drop, open, player, root, start, until } from "./harness.mjs";
import { serve } from "./served.mjs";

const repository = (path) => readFileSync(`${root}/../${path}`);
const sample = (name) => readFileSync(`${root}/samples/${name}`);
let site;
let view;
before(async () => {
  site = await start();
});
after(() => site.stop());

async function fresh() {
  view = await site.page();
  await open(view.page, site.urls.http);
  return view.page;
}
async function done() {
  assert.deepEqual(view.errors, []);
  assert.deepEqual(view.foreign, []);
  await view.context.close();
}

/** Drops a file that is made in the page: `count` times `text` between `head` and nothing. The messages shown are kept. */
const dropLong = (page, name, head, text, count) =>
  page.evaluate(
    ([name, head, text, count]) => {
      window.messages = new Set();
      new MutationObserver(() => {
        const busy = document.querySelector(".busy")?.textContent;
        if (busy) window.messages.add(busy);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
      const data = new DataTransfer();
      const block = new Blob([text]);
      data.items.add(new File([head, ...Array(count).fill(block)], name));
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
    },
    [name, head, text, count],
  );

/** The page still answers: a sample opens and plays. */
async function usable(page) {
  await page.click("[aria-label=Samples] [role=option]:has-text('walk.sinew')");
  await until(page, "window.sinew.app.opened?.source.name === 'walk.sinew'");
  await player(page, "(player.time = 0.5, player.step(1), 0)");
  assert.equal(await player(page, "player.frame"), 16);
}

test("a motion of 200 MB is read with progress, and shown", { timeout: 180_000 }, async () => {
  const page = await fresh();
  const text = repository("samples/motion/walk.bvh").toString();
  const rows = text.slice(text.indexOf("Frame Time:")).trim().split("\n").slice(1);
  const block = `${rows.join("\n")}\n`;
  const count = Math.ceil(200e6 / block.length);
  const frames = rows.length * count;
  await dropLong(page, "long.bvh", `${text.slice(0, text.indexOf("Frames:"))}Frames: ${frames}\nFrame Time: 0.0083333\n`, block, count);
  await until(page, "window.sinew.app.player || document.querySelector('.fault')", 150);
  assert.equal(await page.locator(".fault").count(), 0);
  assert.equal(await player(page, "player.model.animations[0].frames"), frames);
  const messages = await page.evaluate("[...window.messages]");
  assert.ok(messages.filter((message) => /^Reading long\.bvh: \d.* of 20\d\.\d MB …$/.test(message)).length > 10, messages.slice(0, 5).join());
  // Every walk of the file begins like the first one.
  const distance = await player(page, `(() => { const a = player.actor.pointsAt(0, 0).slice(), b = player.actor.pointsAt(0, ${(rows.length * (count - 1)) / 120}); return Math.max(...a.map((v, i) => Math.abs(v - b[i]))); })()`);
  assert.ok(distance < 0.01, `${distance}`);
  await player(page, "(player.pause(), player.draw(), 0)");
  const milliseconds = await player(page, "(() => { const start = performance.now(); for (let i = 0; i < 5; i++) player.step(1), player.draw(); return (performance.now() - start) / 5; })()");
  // A picture of a clip of two hours takes no longer than of a short one; a generous limit.
  assert.ok(milliseconds < 500, `${milliseconds} ms`);
  await usable(page);
  await done();
});

test("200 MB that are no animation are refused by name", { timeout: 120_000 }, async () => {
  const page = await fresh();
  await dropLong(page, "noise.glb", "", "\0".repeat(1e6), 200);
  await page.waitForSelector(".fault", { timeout: 60_000 });
  assert.match(await page.innerText(".fault"), /noise\.glb cannot be shown/);
  await usable(page);
  await done();
});

test("a 200 MB motion that ends early is refused with its line", { timeout: 120_000 }, async () => {
  const page = await fresh();
  const text = repository("samples/motion/walk.bvh").toString();
  const row = text.trim().split("\n").at(-1);
  const count = Math.floor(200e6 / (row.length * 100 + 100));
  await dropLong(page, "cut.bvh", `${text.slice(0, text.indexOf("Frames:"))}Frames: ${count * 100 + 1}\nFrame Time: 0.0083333\n`, `${row}\n`.repeat(100), count);
  await page.waitForSelector(".fault", { timeout: 60_000 });
  assert.match(await page.innerText(".fault"), /Line \d+/i);
  await usable(page);
  await done();
});

test("a file beyond the readers' limit is refused with both sizes, unread", async () => {
  const page = await fresh();
  await dropLong(page, "huge.bvh", "HIERARCHY", " ".repeat(1e6), 300);
  await page.waitForSelector(".fault");
  assert.match(await page.innerText(".fault"), /huge\.bvh: 300 MB; files of up to 268 MB are shown/);
  assert.ok(!(await page.evaluate("[...window.messages]")).some((message) => message.includes(" of ")));
  await usable(page);
  await done();
});

test("fifty dropped files are listed and only the first is read", async () => {
  const page = await fresh();
  const bytes = sample("walk.sinew");
  await page.evaluate("(() => { window.reads = 0; const stream = Blob.prototype.stream; Blob.prototype.stream = function () { if (this instanceof File) window.reads++; return stream.call(this); }; })()");
  await drop(page, Array.from({ length: 50 }, (_, i) => ({ name: `take${String(i).padStart(2, "0")}.sinew`, bytes })));
  await until(page, "window.sinew.app.player");
  assert.equal(await page.locator("[aria-label=Files] [role=option]").count(), 50);
  assert.equal(await page.evaluate("window.reads"), 1);
  await page.fill("[aria-label='Find a file']", "take07");
  assert.equal(await page.locator("[aria-label=Files] [role=option]:visible").count(), 1);
  await done();
});

test("of fifty served files only the chosen one is fetched", async () => {
  const server = await serve(Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`take${i}.sinew`, sample(i === 7 ? "run.sinew" : "walk.sinew")])));
  const context = await site.browser.newContext();
  const page = await context.newPage();
  await open(page, server.url);
  await page.click(".card:has-text('take7.sinew')");
  await until(page, "window.sinew.app.player");
  assert.deepEqual(server.requests, ["take7.sinew"]);
  await context.close();
  await server.stop();
});

test("an animation without a skeleton takes it from the file of the most similar name", async () => {
  const others = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`other${i}.sinew`, sample("walk.sinew")]));
  const server = await serve({ ...others, "nod.xml": repository("web/test/files/nod.xml"), "nod-figure.sinew": sample("walk.sinew") });
  const context = await site.browser.newContext();
  const page = await context.newPage();
  await open(page, server.url);
  await page.click(".card:has-text('nod.xml')");
  await until(page, "window.sinew.app.player");
  assert.equal(await player(page, "player.model.joints.length"), 31);
  assert.deepEqual(server.requests, ["nod.xml", "nod-figure.sinew"]);
  await context.close();
  await server.stop();
});

test("a file without its companion is refused with advice; together with it, it opens", async () => {
  const page = await fresh();
  await drop(page, [{ name: "walk.amc", bytes: repository("samples/motion/walk.amc") }]);
  await page.waitForSelector(".fault");
  assert.match(await page.innerText(".fault"), /\.asf file, is needed too[^]*Drop the missing file together with this one/);
  await drop(page, [{ name: "figure.asf", bytes: repository("samples/motion/figure.asf") }, { name: "walk.amc", bytes: repository("samples/motion/walk.amc") }]);
  await until(page, "window.sinew.app.player");
  await done();
});

// The gallery of a served folder: pictures, statistics, search; a busy server, a broken file.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { axe, open, root, start, until, viewerPath } from "./harness.mjs";

const entry = (id, name, format) => ({ id, name, size: 7000 + id, modified: 1, format, companions: false, url: `f/${id}`, thumbnail: `t/${id}.png`, details: `d/${id}.json` });
const files = [entry(0, "mocap/walk.amc", "AMC"), entry(1, "pip.skf", "SkelForm"), entry(2, "broken.bvh", "BVH"), { ...entry(3, "gone.bvh", "BVH"), error: "permission denied" }];
const details = {
  0: { kind: "motion", joints: 31, animations: [{ name: "walk", seconds: 3.3, frames: 397, fps: 120, loops: true }], warnings: [] },
  1: { kind: "character", joints: 67, animations: [{ name: "idle", seconds: 3, frames: 180, fps: 60 }, { name: "walk", seconds: 0.75, frames: 45, fps: 60 }], styles: [], warnings: [] },
  2: { error: "line 3, column 1: expected OFFSET, found OFSET" },
};
const png = readFileSync(`${root}/../docs/images/viewer.png`);

let site;
let server;
let origin;
/** How often an address was asked for. */
const asked = new Map();
before(async () => {
  site = await start();
  server = createServer((request, response) => {
    const path = request.url.replace(/[?#].*/, "").slice(1);
    const count = (asked.get(path) ?? 0) + 1;
    asked.set(path, count);
    const json = (value) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
    const [kind, id] = [path[0], Number(/\d+/.exec(path)?.[0])];
    if (path === "") response.writeHead(200, { "content-type": "text/html" }).end(readFileSync(viewerPath));
    else if (path === "files.json") json({ version: 1, title: "motions", gallery: true, files });
    else if (path === "changes") response.writeHead(200, { "content-type": "text/event-stream" }).write(`event: files\ndata: {"version":1,"files":[]}\n\n`);
    else if (kind === "d" && id === 0 && count < 3) response.writeHead(503, { "retry-after": "1" }).end();
    else if (kind === "d" && details[id]) json({ ...files[id], ...details[id] });
    else if (kind === "t" && id < 2) response.writeHead(200, { "content-type": "image/png" }).end(png);
    else response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${server.address().port}/`;
});
after(async () => {
  await site.stop();
  server.closeAllConnections();
  server.close();
});

async function visit(options) {
  const context = await site.browser.newContext(options);
  const page = await context.newPage();
  await open(page, origin);
  return { context, page };
}

test("cards show what the file contains; a busy server is asked again; faults are named", async () => {
  const { page, context } = await visit();
  await until(page, "document.querySelectorAll('.card img').length === 2 && document.querySelector('.card').textContent.includes('31')");
  const cards = await page.locator(".card").evaluateAll((list) => list.map((card) => [...card.querySelectorAll("strong, .dim, .bad")].map((line) => line.textContent)));
  assert.deepEqual(cards, [
    ["walk.amc", "mocap", "31 joints · 1 animation", "397 frames · 120 fps · 3.30 s", "AMC · 7.0 kB"],
    ["pip.skf", "67 bones · 2 animations", "225 frames · 60 fps · 3.75 s", "SkelForm · 7.0 kB"],
    ["broken.bvh", "line 3, column 1: expected OFFSET, found OFSET"],
    ["gone.bvh", "permission denied"],
  ]);
  assert.equal(asked.get("d/0.json"), 3);
  assert.equal(asked.has("d/3.json"), false, "a file with a known fault is not asked about");
  // Statistics are found by the search.
  await page.fill("[aria-label='Find a file']", "67 bones");
  assert.deepEqual(await page.locator(".card:visible strong").allTextContents(), ["pip.skf"]);
  await page.fill("[aria-label='Find a file']", "nothing");
  assert.match(await page.innerText(".gallery-page"), /No file matches/);
  await context.close();
});

test("axe finds no violation in the gallery, in light and dark, wide and narrow", async () => {
  for (const colorScheme of ["light", "dark"]) {
    for (const viewport of [{ width: 1280, height: 800 }, { width: 360, height: 740 }]) {
      const { page, context } = await visit({ colorScheme, viewport });
      await until(page, "document.querySelectorAll('.card img').length >= 2");
      assert.deepEqual(await axe(page), [], `${colorScheme} ${viewport.width}`);
      await context.close();
    }
  }
});

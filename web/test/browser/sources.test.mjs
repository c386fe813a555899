// Where the page gets its files from: a payload inside, or the server beside it (crates/sinew-viewer/dist/PAYLOAD.md).
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { open, player, root, start, until, viewerPath } from "./harness.mjs";

const page = readFileSync(viewerPath, "utf8");
const sample = (name) => readFileSync(`${root}/samples/${name}`);
let site;
before(async () => {
  site = await start();
});
after(() => site.stop());

const withPayload = (payload) => {
  const path = join(mkdtempSync(join(tmpdir(), "sinew-")), "share.html");
  const json = JSON.stringify(payload).replaceAll("<", "\\u003c");
  writeFileSync(path, page.replace("<!-- sinew:payload -->", `<script type="application/json" id="sinew-files">${json}</script>`));
  return `file://${path}`;
};
const packed = (name, extra = {}) => ({ name, gzip: gzipSync(sample(name)).toString("base64"), ...extra });

test("the page has one marker for a payload, in its head", () => {
  assert.equal(page.split("<!-- sinew:payload -->").length, 2);
  assert.ok(page.split("</head>")[0].includes("<!-- sinew:payload -->"));
  assert.equal(page.match(/<title>/g).length, 1);
  assert.ok(page.includes("default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self'"));
});

test("a payload is shown from disk, with the native hash beside this browser's", async () => {
  const view = await site.page();
  await open(view.page, site.urls.file, "#file=walk.sinew&t=0");
  const hash = await view.page.textContent(".hash code");
  await open(view.page, withPayload({ version: 1, title: "A walk </script><!--", compare: false, files: [packed("walk.sinew", { animations: [{ name: "walk", hash }] })] }));
  assert.equal(await player(view.page, "app.opened.source.name"), "walk.sinew");
  assert.match(await view.page.textContent(".hash .good"), /bit for bit/);
  await open(view.page, withPayload({ version: 1, files: [packed("walk.sinew", { animations: [{ name: "walk", hash: "0123456789abcdef" }] })] }));
  assert.match(await view.page.textContent(".hash .bad"), /0123456789abcdef/);
  assert.deepEqual(view.errors, []);
  assert.deepEqual(view.foreign, []);
  await view.context.close();
});

test("two files of a payload are compared", async () => {
  const view = await site.page();
  await open(view.page, withPayload({ version: 1, compare: true, files: [packed("walk.sinew"), packed("run.sinew")] }));
  await until(view.page, "window.sinew.app.error");
  assert.equal(await player(view.page, "player.comparison.actor.model.name.includes('run')"), true);
  await view.context.close();
});

test("a served folder is a gallery with search; a changed file is loaded again", async () => {
  let modified = 1, notify = () => undefined;
  const file = (id, name) => ({ id, name, size: 7000, modified, format: "sinew", companions: false, url: `f/${id}`, thumbnail: `t/${id}.png` });
  const list = () => ({ version: 1, title: "motions", gallery: true, files: [file(0, "walk.sinew"), file(1, "run.sinew")] });
  const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");
  const server = createServer((request, response) => {
    const path = request.url.replace("/token/", "").replace(/[?#].*/, "");
    if (path === "") response.writeHead(200, { "content-type": "text/html" }).end(page);
    else if (path === "files.json") response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(list()));
    else if (path === "f/0") response.end(sample("walk.sinew"));
    else if (path === "f/1") response.end(sample("run.sinew"));
    else if (path === "t/0.png") response.writeHead(200, { "content-type": "image/png" }).end(png);
    else if (path === "changes") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      notify = () => response.write(`event: files\ndata: ${JSON.stringify(list())}\n\n`);
      notify();
    } else response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const context = await site.browser.newContext();
  const tab = await context.newPage();
  await open(tab, `http://127.0.0.1:${server.address().port}/token/`);
  assert.equal(await tab.locator(".card").count(), 2);
  await tab.waitForSelector(".card img");
  await tab.fill("[aria-label='Find a file']", "run");
  assert.equal(await tab.locator(".card:visible").count(), 1);
  await tab.click(".card:visible");
  await until(tab, "window.sinew.app.player");
  await player(tab, "(player.pause(), player.time = 0.3)");
  const old = await tab.evaluateHandle("window.sinew.app.player");
  modified = 2;
  notify();
  for (let i = 0; i < 100 && (await tab.evaluate((before) => window.sinew.app.player === before || !window.sinew.app.player, old)); i++) await tab.waitForTimeout(50);
  assert.equal(await player(tab, "app.opened.source.modified"), 2);
  assert.equal(await player(tab, "player.time"), 0.3);
  await context.close();
  server.closeAllConnections();
  server.close();
});

// Opens the built page in Chromium, over HTTP and from disk, with every other address refused.
import { createServer } from "node:http";
import { existsSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

export const root = fileURLToPath(new URL("../..", import.meta.url));
/** The committed page, or the one that `node build.mjs --viewer PATH` wrote. */
export const viewerPath = process.env.VIEWER ?? fileURLToPath(new URL("../../../crates/sinew-viewer/dist/viewer.html", import.meta.url));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm", ".json": "application/json", ".skf": "application/octet-stream" };
const FLAGS = ["--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"];

export async function start(extra = []) {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url, "http://x").pathname);
    const file = path === "/" || path === "/viewer.html" ? viewerPath : join(root, path);
    if (path.includes("..") || !existsSync(file) || path === "/files.json") {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream", "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" });
    response.end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: [...FLAGS, ...extra] });
  return {
    browser,
    origin,
    urls: { http: `${origin}/viewer.html`, file: `file://${viewerPath}` },
    async page(options = {}) {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      const foreign = [];
      await context.route("**/*", (route) => {
        const url = route.request().url();
        if (url.startsWith(origin) || /^(file|data|blob):/.test(url)) return route.continue();
        foreign.push(url);
        return route.abort();
      });
      const page = await context.newPage();
      const errors = [];
      page.on("pageerror", (error) => errors.push(String(error)));
      page.on("console", (message) => {
        if (message.type() === "error" && !/files\.json|404|favicon/.test(message.text() + message.location().url)) errors.push(message.text());
      });
      return { page, errors, foreign, context };
    },
    async stop() {
      await browser.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export async function open(page, url, hash = "") {
  await page.goto("about:blank");
  await page.goto(url + hash);
  await page.waitForSelector("html[data-ready]", { timeout: 30_000 });
  await page.waitForTimeout(100);
}

/** Runs a function of the page's player. */
export const player = (page, code) => page.evaluate(`(() => { const app = window.sinew.app, player = app.player; return ${code}; })()`);

/** Drops files on the page. */
export async function drop(page, files) {
  const data = await page.evaluateHandle((list) => {
    const transfer = new DataTransfer();
    for (const { name, base64 } of list) transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name));
    return transfer;
  }, files.map(({ name, bytes }) => ({ name, base64: Buffer.from(bytes).toString("base64") })));
  for (const type of ["dragenter", "dragover", "drop"]) await page.dispatchEvent("body", type, { dataTransfer: data });
}

/** A digest of the canvas and how many of its pixels differ from the first one. */
export const picture = (page, selector = "canvas.view") =>
  page.evaluate((which) => {
    const canvas = document.querySelector(which);
    const context = canvas.getContext("2d");
    const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
    let hash = 0, drawn = 0;
    for (let i = 0; i < data.length; i += 4) {
      hash = (hash * 31 + data[i] + data[i + 1] * 7 + data[i + 2] * 13 + data[i + 3]) | 0;
      if (Math.abs(data[i] - data[0]) + Math.abs(data[i + 1] - data[1]) + Math.abs(data[i + 2] - data[2]) > 24) drawn++;
    }
    return { hash, drawn, width: canvas.width, height: canvas.height };
  }, selector);

/** Waits for an expression; the page's policy forbids Playwright's own way. */
export async function until(page, expression, seconds = 15) {
  const end = Date.now() + seconds * 1000;
  while (!(await page.evaluate(`!!(${expression})`))) {
    if (Date.now() > end) throw new Error(`${expression}: not within ${seconds} s`);
    await page.waitForTimeout(50);
  }
}

/** Violations that axe finds on the page, as text. */
export async function axe(page) {
  await page.evaluate(readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8"));
  const { violations } = await page.evaluate("axe.run()");
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target} ${node.failureSummary}`).slice(0, 2).join("; ")}`);
}

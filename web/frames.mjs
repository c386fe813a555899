// Measures frames per second of many players on one page, in Chromium, and writes them into benches/web.md:
// `node web/frames.mjs` after `cargo xtask web`. `node web/bench.mjs` runs it too.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { start, until } from "./test/browser/harness.mjs";

const FILE = new URL("../benches/web.md", import.meta.url);
const [BEGIN, END] = ["<!-- frames: written by web/frames.mjs -->", "<!-- end of frames -->"];
const SECONDS = 6;

const site = await start();

/** Processor seconds of all processes that this one started: the browser. Linux only; NaN elsewhere. */
function processorSeconds() {
  try {
    const times = new Map(), parents = new Map();
    for (const name of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      try {
        // After the name in parentheses: state, parent, ... user and system time in hundredths of a second.
        const fields = readFileSync(`/proc/${name}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");
        parents.set(Number(name), Number(fields[1]));
        times.set(Number(name), (Number(fields[11]) + Number(fields[12])) / 100);
      } catch {
        // It has ended.
      }
    }
    const isOurs = (id) => (id === process.pid ? true : parents.has(id) && isOurs(parents.get(id)));
    return [...times].filter(([id]) => id !== process.pid && isOurs(id)).reduce((sum, [, seconds]) => sum + seconds, 0);
  } catch {
    return NaN;
  }
}

/** Plays `count` players for some seconds. `isBare`: they change their canvases by a small rectangle instead. */
async function measure(count, which, viewport, isBare) {
  const { page, errors, context } = await site.page({ viewport });
  if (isBare) {
    await page.addInitScript(() => {
      CanvasRenderingContext2D.prototype.drawImage = function () {
        this.fillRect(0, 0, Math.random() * 40, 40);
      };
    });
  }
  // Time in the callbacks of frames: poses, draw lists and WebGL calls, without the browser's own work.
  await page.addInitScript(() => {
    const original = window.requestAnimationFrame.bind(window);
    window.frameLog = { frames: new Set(), busy: 0 };
    window.requestAnimationFrame = (callback) =>
      original((time) => {
        const begin = performance.now();
        callback(time);
        window.frameLog.busy += performance.now() - begin;
        window.frameLog.frames.add(time);
      });
  });
  await page.goto(`${site.origin}/examples/many.html?count=${count}${which}`);
  await until(page, `[...document.querySelectorAll('sinew-player')].filter((e) => e.player).length === ${count}`, 120);
  await page.waitForTimeout(2000);
  const before = processorSeconds();
  const result = await page.evaluate(async (seconds) => {
    const players = [...document.querySelectorAll("sinew-player")];
    const shown = players.filter((element) => element.player.visible);
    let draws = 0;
    for (const element of shown) element.player.addEventListener("draw", () => draws++);
    window.frameLog.frames.clear();
    window.frameLog.busy = 0;
    const begin = performance.now();
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    const elapsed = (performance.now() - begin) / 1000;
    const frames = window.frameLog.frames.size;
    return { visible: shown.length, frames, fps: frames / elapsed, drawn: draws / shown.length / elapsed, busy: window.frameLog.busy / Math.max(frames, 1) };
  }, SECONDS);
  result.processor = ((processorSeconds() - before) / Math.max(result.frames, 1)) * 1000;
  if (errors.length) throw new Error(errors.join("\n"));
  await context.close();
  return result;
}

const rows = [];
for (const [what, count, which, viewport, isBare] of [
  ["100 Pips on a page, as many as fit 1280 x 720 pixels", 100, "&pip", { width: 1280, height: 720 }],
  ["the same with canvases that change by a rectangle: the browser's own share", 100, "&pip", { width: 1280, height: 720 }, true],
  ["100 Pips, all in sight", 100, "&pip", { width: 1920, height: 2200 }],
  ["20 Pips and figures in turn, all in sight", 20, "", { width: 1280, height: 1000 }],
]) {
  const { visible, fps, drawn, busy, processor } = await measure(count, which, viewport, isBare);
  rows.push(`| ${what} | ${visible} | ${fps.toFixed(0)} | ${drawn.toFixed(0)} | ${busy.toFixed(1)} | ${processor.toFixed(0)} |`);
  console.log(rows.at(-1));
}
const version = site.browser.version();
await site.stop();

const section = `${BEGIN}
## Many players on one page
Chromium ${version.split(".")[0]}, WebGL in software (SwiftShader): the processor draws every pixel. ${cpus().length} × ${cpus()[0].model}, load ${loadavg()[0].toFixed(1)}
from other programs and the browser itself. Script: milliseconds in the callbacks of a frame (poses, draw lists, WebGL calls).
Processor: milliseconds per frame of all processes of the browser, software WebGL included; it depends little on the load.
60 per second is the goal with a graphics processor; without one, most of the time is the browser's, which presents the canvases.

| what | in sight | frames per second | pictures of each per second | script, ms | processor, ms |
|---|---|---|---|---|---|
${rows.join("\n")}
${END}`;
const text = readFileSync(FILE, "utf8");
const found = text.indexOf(BEGIN);
const rest = found < 0 ? `${text.trimEnd()}\n\n` : text.slice(0, found);
const after = found < 0 ? "\n" : text.slice(text.indexOf(END) + END.length);
writeFileSync(FILE, `${rest}${section}${after}`);

// Takes pictures of every view of the viewer page: `node web/shots.mjs [FOLDER]` after `cargo xtask web`.
//
// FOLDER defaults to web/shots. `node web/shots.mjs --docs` takes the one of the documentation instead.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { drop, open, player, root, start, until } from "./test/browser/harness.mjs";
import { serve } from "./test/browser/served.mjs";
import { glb } from "./test/gltf.mjs";

const isDocs = process.argv.includes("--docs");
const folder = process.argv.slice(2).find((argument) => !argument.startsWith("-")) ?? join(root, "shots");
const sample = (name) => readFileSync(join(root, "samples", name));
const repository = (path) => readFileSync(join(root, "..", path));
const walk = "#file=walk.sinew&t=0.9";

/** Address after `#`, and what is done before the picture. */
const VIEWS = {
  empty: { hash: "" },
  character: { hash: "#file=pip.skf&clip=walk&t=0.3" },
  bones: { hash: "#file=pip.skf&clip=idle&t=0.2&show=skeleton,names" },
  styles: { hash: "#file=pip.skf&clip=wave&t=0.5", act: (page) => page.click("#tab-styles") },
  figure: { hash: walk },
  feet: { hash: `${walk}&show=footprints`, act: async (page) => {
    await page.click("#tab-feet");
    await player(page, "(app.toggle('trails', true), 0)");
  } },
  strobe: { hash: "#file=jump.sinew&t=0.4&show=strobe" },
  joint: { hash: walk, act: (page) => player(page, "(app.showPanel('joints'), app.select(player.actor.names.indexOf('lfoot')), 0)") },
  mix: { hash: "#file=pip.skf&clip=walk&t=0.3", act: (page) => page.click("#tab-mix") },
  compare: { hash: `${walk}&compare=0@run.sinew`, act: (page) => until(page, "window.sinew.app.error") },
  side: { hash: `${walk}&compare=0@run.sinew`, act: async (page) => {
    await until(page, "window.sinew.app.error");
    await page.selectOption("#compare-mode", "side");
  } },
  keys: { hash: walk, act: (page) => page.keyboard.press("?") },
  mesh: { hash: "", act: async (page) => {
    await drop(page, [{ name: "model.glb", bytes: glb() }]);
    await until(page, "window.sinew.app.player");
    await player(page, "(player.pause(), player.time = 0.4, 0)");
  } },
  fault: { hash: "", act: async (page) => {
    const text = repository("samples/motion/walk.bvh").toString().replace("CHANNELS 6", "CHANNELS six");
    await drop(page, [{ name: "broken.bvh", bytes: Buffer.from(text) }]);
    await page.waitForSelector(".fault");
  } },
  simple: { hash: walk, act: (page) => page.evaluate("window.sinew.disableWebGl()") },
};
const SIZES = { wide: { width: 1280, height: 800 }, large: { width: 1920, height: 1080 }, narrow: { width: 360, height: 740 } };

async function shot(site, name, { hash, act }, options, path) {
  const { page, errors, context } = await site.page(options);
  await open(page, site.urls.http, hash);
  await act?.(page);
  await page.waitForTimeout(400);
  await page.screenshot({ path });
  if (errors.length) throw new Error(`${name}: ${errors.join("\n")}`);
  console.log(path);
  await context.close();
}

const site = await start();
if (isDocs) {
  const path = fileURLToPath(new URL("../docs/images/viewer.png", import.meta.url));
  await shot(site, "viewer", VIEWS.feet, { viewport: SIZES.wide, colorScheme: "light" }, path);
} else {
  mkdirSync(folder, { recursive: true });
  for (const [name, view] of Object.entries(VIEWS)) {
    for (const [size, viewport] of Object.entries(SIZES)) {
      for (const colorScheme of size === "large" ? ["light"] : ["light", "dark"]) {
        await shot(site, name, view, { viewport, colorScheme }, join(folder, `${name}-${size}-${colorScheme}.png`));
      }
    }
  }
  const server = await serve({ "walk.sinew": sample("walk.sinew"), "run.sinew": sample("run.sinew"), "pip.skf": sample("pip.skf") });
  const context = await site.browser.newContext({ viewport: SIZES.wide });
  const page = await context.newPage();
  await open(page, server.url);
  await page.screenshot({ path: join(folder, "gallery-wide-light.png") });
  await context.close();
  await server.stop();
}
await site.stop();

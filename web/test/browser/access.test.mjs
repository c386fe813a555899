// axe on the states that a test of the viewer's panels does not reach.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, drop, open, start, until } from "./harness.mjs";

let site;
before(async () => {
  site = await start();
});
after(() => site.stop());

const VIEWS = ["light", "dark"].flatMap((colorScheme) => [[colorScheme, 1280], [colorScheme, 360]]);

async function inEveryView(path, prepare) {
  for (const [colorScheme, width] of VIEWS) {
    const { page, context } = await site.page({ colorScheme, viewport: { width, height: 760 } });
    if (path === null) await open(page, site.urls.http);
    else await page.goto(`${site.origin}${path}`);
    await prepare(page);
    assert.deepEqual(await axe(page), [], `${colorScheme} ${width}`);
    await context.close();
  }
}

test("axe finds no violation on the page of an error", () =>
  inEveryView(null, async (page) => {
    await drop(page, [{ name: "broken.bvh", bytes: Buffer.from("HIERARCHY\nROOT hips\n{\n  OFSET 0 0 0\n}\n") }]);
    await page.waitForSelector(".fault .excerpt");
  }));

test("axe finds no violation in the list of keys", () =>
  inEveryView(null, async (page) => {
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
  }));

test("axe finds no violation in the player element with controls, nor in its error", () =>
  inEveryView("/examples/player.html", async (page) => {
    await until(page, "document.querySelector('sinew-player').player");
    await page.evaluate(`(() => {
      const main = document.querySelector("main");
      for (const src of ["../samples/walk.sinew", "missing.skf"]) {
        const element = document.createElement("sinew-player");
        element.controls = true;
        element.src = src;
        main.append(element);
      }
    })()`);
    await until(page, "[...document.querySelectorAll('sinew-player')].some((e) => /404/.test(e.shadowRoot.textContent)) && [...document.querySelectorAll('sinew-player')].filter((e) => e.player).length >= 2");
    assert.equal(await page.locator("sinew-player [part=play]:visible").count() >= 2, true);
  }));

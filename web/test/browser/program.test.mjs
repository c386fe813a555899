// The program in a browser: what `sinew view` serves, and the pages that `sinew share` and `sinew demo` write.
//
// The program is that of SINEW, or one that cargo built.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, describe, test } from "node:test";
import { gunzipSync } from "node:zlib";
import { glb, gltf } from "../gltf.mjs";
import { open, picture, player, root, start, until } from "./harness.mjs";

const program = process.env.SINEW ?? ["debug", "release"].map((profile) => join(root, "../target", profile, "sinew")).find(existsSync);
const POLICY = "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:";
/** What would run, end an element or begin a comment, were it not text. */
const EVIL = `</script><script>window.harmed=1</script><!-- <img src=x onerror="window.harmed=2"> "quoted" 'so' &amp; \\`;
const repository = (path) => readFileSync(join(root, "..", path));
const run = (...args) => execFileSync(program, args, { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
const nativeHashes = (path) => JSON.parse(run("info", path, "--hash", "--json")).pose_hashes.map(({ name, hash }) => [name, hash]);

/** A glTF file whose animation has a hostile name. */
function evilGlb() {
  const bytes = glb();
  const length = bytes.readUInt32LE(12);
  const document = JSON.parse(bytes.toString("utf8", 20, 20 + length));
  document.animations[0].name = EVIL;
  document.nodes[1].name = EVIL;
  const text = Buffer.from(JSON.stringify(document));
  const json = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, " ")]);
  const out = Buffer.concat([bytes.subarray(0, 20), json, bytes.subarray(20 + length)]);
  out.writeUInt32LE(out.length, 8);
  out.writeUInt32LE(json.length, 12);
  return out;
}

let folder;
let site;
let pages;
describe("the program", { skip: program ? false : "needs the program: cargo build --package sinew-cli, or SINEW=path" }, () => {
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "sinew-program-"));
    const write = (name, bytes) => writeFileSync(join(folder, name), bytes);
    mkdirSync(join(folder, "files/sub"), { recursive: true });
    for (const name of ["walk", "run"]) write(`files/${name}.bvh`, repository(`samples/motion/${name}.bvh`));
    write("files/pip.skf", repository("samples/pip.skf"));
    write("files/sub/figure.asf", repository("samples/motion/figure.asf"));
    write("files/sub/jump.amc", repository("samples/motion/jump.amc"));
    for (const { name, bytes } of gltf()) write(`files/${name}`, bytes);
    write("files/evil.glb", evilGlb());
    write("files/broken.bvh", "HIERARCHY\nROOT a\n{\n  OFFSET 1 2 x\n}\n");
    site = await start();
    // Shared pages over HTTP, under the policy as a header too.
    pages = createServer((request, response) => {
      const path = join(folder, new URL(request.url, "http://x").pathname);
      if (!path.endsWith(".html") || !existsSync(path)) response.writeHead(404).end();
      else response.writeHead(200, { "content-type": "text/html", "content-security-policy": POLICY }).end(readFileSync(path));
    });
    await new Promise((resolve) => pages.listen(0, "127.0.0.1", resolve));
  });
  after(async () => {
    pages.closeAllConnections();
    pages.close();
    await site.stop();
    rmSync(folder, { recursive: true });
  });

  /** A page that may load addresses which begin with `allowed`; the others are refused and listed. */
  async function tab(allowed, options = {}) {
    const context = await site.browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    const foreign = [], errors = [];
    await context.route("**/*", (route) => {
      const url = route.request().url();
      if (url.startsWith(allowed) || /^(data|blob):/.test(url)) return route.continue();
      foreign.push(url);
      return route.abort();
    });
    const page = await context.newPage();
    page.on("pageerror", (error) => errors.push(String(error)));
    // A file that cannot be read has no picture: 404, which browsers log.
    page.on("console", (message) => message.type() === "error" && !/favicon|\/t\/\d+\.png/.test(message.location().url) && errors.push(message.text()));
    return {
      page,
      async close() {
        assert.equal(await page.evaluate("window.harmed"), undefined, "text of a file ran");
        assert.deepEqual(errors, []);
        assert.deepEqual(foreign.filter((url) => !url.endsWith("/favicon.ico")), []);
        await context.close();
      },
    };
  }

  /** Poses are drawn, and differ over time. */
  async function assertPoses(page) {
    const seen = new Set();
    await player(page, "(player.pause(), 0)");
    for (const part of [0.2, 0.5]) {
      await player(page, `(player.time = player.duration * ${part}, player.draw(), 0)`);
      const { drawn, hash } = await picture(page);
      assert.ok(drawn > 1000, `${drawn} pixels`);
      seen.add(hash);
    }
    assert.equal(seen.size, 2, "the picture does not change");
  }

  /** Serves `args` until the function is done. */
  async function viewing(args, use) {
    const child = spawn(program, ["view", ...args, "--no-open"], { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
    try {
      const url = await new Promise((resolve, reject) => {
        const lines = createInterface(child.stdout);
        lines.on("line", (line) => /http:\S+/.test(line) && resolve(/http:\S+/.exec(line)[0]));
        child.on("exit", (code) => reject(new Error(`sinew view ended: ${code}`)));
      });
      await use(url);
    } finally {
      child.kill("SIGINT");
      await new Promise((resolve) => (child.exitCode === null && child.signalCode === null ? child.on("exit", resolve) : resolve()));
    }
  }

  test("view: every file of a folder opens with the native hash, a broken one with line and column", { timeout: 180_000 }, () =>
    viewing(["files"], async (url) => {
      const { page, close } = await tab(url);
      await open(page, url);
      await page.waitForSelector(".card img", { timeout: 30_000 });
      // A card shows the name without its folder; its title begins with the whole name.
      const names = await page.locator(".card").evaluateAll((cards) => cards.map((card) => card.title.split("\n")[0]));
      assert.deepEqual(names.sort(), ["broken.bvh", "evil.glb", "model.gltf", "pip.skf", "run.bvh", "sub/jump.amc", "walk.bvh"]);
      for (const name of names.filter((name) => name !== "broken.bvh")) {
        await open(page, url, `#file=${encodeURIComponent(name)}&t=0`);
        await until(page, "window.sinew.app.player");
        await assertPoses(page);
        const native = nativeHashes(`files/${name}`);
        assert.deepEqual(await player(page, "player.model.animations.map((a) => a.name)"), native.map(([animation]) => animation));
        await until(page, "document.querySelector('.hash code')");
        assert.equal(await page.textContent(".hash code"), native[0][1], name);
        assert.deepEqual(await player(page, "player.model.animations.map((a, i) => player.model.hash(i))"), native.map(([, hash]) => hash), name);
      }
      assert.equal(await player(page, "player.actor.meshes"), null);
      await open(page, url, "#file=model.gltf&t=0");
      assert.deepEqual(await player(page, "[player.actor.meshes.parts.length, player.actor.meshes.images.length, player.actor.meshes.notices.length]"), [5, 1, 0]);
      await open(page, url, "#file=broken.bvh");
      await page.waitForSelector(".fault");
      assert.match(await page.innerText(".fault"), /Line 4, column \d+/i);
      await close();
    }));

  test("view: a file that changes is loaded again at the same time", () =>
    viewing(["files/walk.bvh"], async (url) => {
      const { page, close } = await tab(url);
      await open(page, url, "#t=0.4");
      await until(page, "window.sinew.app.player");
      const before = await player(page, "player.model.hash(0)");
      copyFileSync(join(folder, "files/walk.bvh"), join(folder, "kept.bvh"));
      copyFileSync(join(folder, "files/run.bvh"), join(folder, "files/walk.bvh"));
      const changed = nativeHashes("files/walk.bvh")[0][1];
      assert.notEqual(changed, before);
      await until(page, `window.sinew.app.player?.model.isOpen && window.sinew.app.player.model.hash(0) === '${changed}'`, 30);
      assert.equal(await player(page, "player.time"), 0.4);
      copyFileSync(join(folder, "kept.bvh"), join(folder, "files/walk.bvh"));
      await close();
    }));

  test("view: 200 MB of noise are refused with a message, and the page stays usable", { timeout: 120_000 }, async () => {
    mkdirSync(join(folder, "large"), { recursive: true });
    writeFileSync(join(folder, "large/noise.bvh"), Buffer.alloc(200e6));
    copyFileSync(join(folder, "files/run.bvh"), join(folder, "large/run.bvh"));
    await viewing(["large"], async (url) => {
      const { page, close } = await tab(url);
      await open(page, url, "#file=noise.bvh");
      await page.waitForSelector(".fault", { timeout: 60_000 });
      assert.match(await page.innerText(".fault"), /noise\.bvh cannot be shown/);
      await page.click("[aria-label=Files] [role=option]:has-text('run.bvh')");
      await until(page, "window.sinew.app.player");
      await assertPoses(page);
      await close();
    });
    rmSync(join(folder, "large"), { recursive: true });
  });

  for (const scheme of ["file", "http"]) {
    const address = (name) => (scheme === "file" ? `file://${join(folder, name)}` : `http://127.0.0.1:${pages.address().port}/${name}`);

    test(`share: a page over ${scheme} shows native poses under the strict policy`, { timeout: 120_000 }, async () => {
      const out = `shared-${scheme}.html`;
      run("share", "files/walk.bvh", "files/pip.skf", "files/evil.glb", "--out", out, "--title", `A walk ${EVIL}`);
      const html = readFileSync(join(folder, out), "utf8");
      assert.ok(html.includes(`http-equiv="Content-Security-Policy" content="${POLICY}"`));
      assert.ok(!/https?:\/\/(?!www\.w3\.org\/)/.test(html.replace(/<script[^]*?<\/script>/g, "")), "an address of the network");
      // The files as the page has them.
      const payload = JSON.parse(/id="sinew-files">([^<]*)</.exec(html)[1]);
      for (const { name, gzip } of payload.files) writeFileSync(join(folder, name), gunzipSync(Buffer.from(gzip, "base64")));

      const { page, close } = await tab(address(out));
      await open(page, address(out));
      for (const { name } of payload.files) {
        await open(page, address(out), `#file=${name}&t=0`);
        await until(page, "window.sinew.app.player");
        await assertPoses(page);
        const native = nativeHashes(name);
        assert.equal(await page.textContent(".hash code"), native[0][1], name);
        assert.match(await page.textContent(".hash .good"), /bit for bit/);
        assert.deepEqual(await player(page, "player.model.animations.map((a) => a.name)"), native.map(([animation]) => animation));
        assert.equal(await page.locator("#app img").count(), 0);
      }
      assert.equal(await page.textContent("[aria-label=Animations] [role=option] .grow"), EVIL);
      await open(page, address(out), "#file=pip.skf&clip=walk&t=0.2");
      assert.deepEqual(await player(page, "[player.animation, player.time, player.playing]"), ["walk", 0.2, false]);
      await close();
    });

    test(`share: a deep link over ${scheme} opens a page of one file at clip and time`, async () => {
      run("share", "files/walk.bvh", "--out", "one.html");
      const { page, close } = await tab(address("one.html"));
      await open(page, address("one.html"), "#clip=walk&t=1.2");
      assert.deepEqual(await player(page, "[player.animation, player.time, player.playing]"), ["walk", 1.2, false]);
      await page.keyboard.press("ArrowRight");
      await until(page, "location.hash.includes('t=1.2') && !location.hash.includes('t=1.2&')");
      await close();
    });

    test(`share: without scripts, a still picture is shown over ${scheme}`, async () => {
      run("share", "files/walk.bvh", "--out", "still.html", "--title", EVIL);
      const context = await site.browser.newContext({ javaScriptEnabled: false });
      const page = await context.newPage();
      await page.goto(address("still.html"));
      const image = page.locator("noscript img, body > img, img");
      assert.equal(await image.count(), 1);
      await image.waitFor({ state: "visible" });
      const box = await image.boundingBox();
      assert.ok(box.width >= 300 && box.height >= 200, JSON.stringify(box));
      assert.equal(await image.getAttribute("alt"), EVIL);
      assert.equal(await page.title(), EVIL.replace(/\s+/g, " "));
      // Its pixels: the figure is not one colour.
      assert.ok((await image.screenshot()).length > 3000);
      await context.close();
    });
  }

  test("share --compare shows the distance of two motions", async () => {
    run("share", "--compare", "files/walk.bvh", "files/run.bvh", "--out", "two.html");
    const { page, close } = await tab(`file://${join(folder, "two.html")}`);
    await open(page, `file://${join(folder, "two.html")}`);
    await until(page, "window.sinew.app.error");
    assert.ok((await player(page, "app.error.mean")) > 0.01);
    await close();
  });

  test("demo writes a page of all samples, each with its native hash", { timeout: 180_000 }, async () => {
    run("demo", "--out", "demo");
    const url = `file://${join(folder, "demo/demo.html")}`;
    const { page, close } = await tab(url);
    await open(page, url);
    const names = await player(page, "app.sources.map((s) => s.name)");
    assert.ok(names.includes("pip.skf") && names.length >= 6, `${names}`);
    for (const name of names) {
      await open(page, url, `#file=${name}&t=0`);
      await assertPoses(page);
      assert.match(await page.textContent(".hash .good"), /bit for bit/, name);
    }
    await close();
  });
});

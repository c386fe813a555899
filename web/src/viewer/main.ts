/** Starts the viewer page. The build puts the module and the samples into elements of the page. */
import { init } from "../core.js";
import { h } from "./dom.js";
import { App } from "./app.js";
import { embedded, fromBase64, gunzip, served } from "./files.js";
import { disableWebGl, sharedBackend } from "../stage.js";

async function main(): Promise<void> {
  const root = document.getElementById("app");
  if (!root) return;
  try {
    await init(await gunzip(content("sinew-module")));
    const samples = (JSON.parse(content("sinew-samples") || "[]") as { name: string; gzip: string }[]).map(({ name, gzip }) => fromBase64(name, gzip, "samples"));
    const app = new App(root, samples);
    const inside = embedded();
    const beside = inside ? null : await served();
    await app.start(inside ?? beside, beside !== null);
    Object.assign(window, { sinew: { app, disableWebGl, sharedBackend } });
    document.documentElement.dataset.ready = "";
  } catch (error) {
    root.append(h("p", { class: "fatal", role: "alert" }, `The viewer cannot start: ${error instanceof Error ? error.message : String(error)}. It needs WebAssembly with SIMD: Chrome 123, Firefox 120, Safari 17.5 or newer.`));
  }
}

const content = (id: string): string => document.getElementById(id)?.textContent?.trim() ?? "";

void main();

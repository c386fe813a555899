/**
 * `<sinew-player src="walk.sinew" animation="walk" autoplay loop="ping-pong" speed="0.5" controls>`.
 *
 * Events of the player are dispatched on the element. Parts for styling: `canvas`, `controls`, `play`, `time`, `message`.
 */
import { load, type Model } from "./core.js";
import { Player, type LoopMode, type PlayerEvent } from "./player.js";

const EVENTS: PlayerEvent[] = ["time", "play", "pause", "loop", "finished", "trigger", "load", "error", "animation", "notice"];
const LOOPS: readonly string[] = ["loop", "once", "ping-pong"];
const STYLE = `:host{display:block;position:relative;width:320px;height:320px;contain:content}
:host([hidden]){display:none}
canvas{display:block;width:100%;height:100%}
[part=controls]{position:absolute;inset:auto 8px 8px;display:flex;gap:8px;align-items:center;padding:4px 10px 4px 4px;border-radius:9px;background:light-dark(#fffd,#1c2022dd);color-scheme:light dark;font:12px system-ui,sans-serif;color:light-dark(#1b2328,#e8edef)}
button{all:unset;width:30px;height:30px;text-align:center;border-radius:6px;cursor:pointer}
button:focus-visible,input:focus-visible{outline:2px solid #0f8b7a}
input{flex:1;min-width:0;accent-color:#0f8b7a}
[part=message]{position:absolute;inset:0;display:grid;place-content:center;padding:16px;text-align:center;overflow:auto;font:13px/1.4 system-ui,sans-serif;color:light-dark(#a8182d,#ff8f8f);background:light-dark(#fff,#1c2022);color-scheme:light dark}
[hidden]{display:none}`;

/** Fetches the files that a glTF file refers to, relative to it. Missing ones are left to the readers, which name them. */
async function companions(
  glb: typeof import("./render/glb.js"),
  bytes: Uint8Array,
  base: URL,
  signal: AbortSignal,
): Promise<Record<string, Uint8Array>> {
  const files: Record<string, Uint8Array> = {};
  await Promise.all(
    glb.referenceUris(bytes).map(async (uri) => {
      try {
        const response = await fetch(new URL(uri, base), { signal });
        if (response.ok) files[glb.fileName(uri)] = new Uint8Array(await response.arrayBuffer());
      } catch {
        signal.throwIfAborted();
      }
    }),
  );
  return files;
}

// The module also loads where there is no document, as in server-side rendering.
const Base = (globalThis.HTMLElement ?? class {}) as typeof HTMLElement;

export class SinewPlayerElement extends Base {
  static readonly observedAttributes = ["src", "animation", "autoplay", "loop", "speed", "controls", "fit", "interactive"];
  /** The player, once the file is loaded. */
  player: Player | null = null;
  private model: Model | null = null;
  private canvas: HTMLCanvasElement | null = null;
  private message: HTMLElement | null = null;
  private bar: HTMLElement | null = null;
  private abort: AbortController | null = null;

  connectedCallback(): void {
    if (!this.shadowRoot) this.build();
    void this.reload();
  }

  disconnectedCallback(): void {
    this.abort?.abort();
    this.close();
  }

  attributeChangedCallback(name: string, before: string | null, after: string | null): void {
    if (before === after || !this.isConnected) return;
    const { player } = this;
    if (name === "src" || name === "interactive" || name === "fit") void this.reload();
    else if (name === "controls" && this.bar) this.bar.hidden = after === null;
    else if (name === "speed" && player) player.speed = this.speed;
    else if (name === "loop" && player) player.loop = this.loop;
    else if (name === "animation" && player && after !== null && player.animation !== after) {
      const index = player.model.findAnimation(after);
      if (index >= 0) player.switchTo(index);
    } else if (name === "autoplay" && player && after !== null) player.play();
  }

  get src(): string {
    return this.getAttribute("src") ?? "";
  }
  set src(value: string) {
    this.setAttribute("src", value);
  }
  get animation(): string {
    return this.player?.animation ?? this.getAttribute("animation") ?? "";
  }
  set animation(value: string) {
    this.setAttribute("animation", value);
  }
  get loop(): LoopMode {
    const value = this.getAttribute("loop");
    return value !== null && LOOPS.includes(value) ? (value as LoopMode) : value === "false" ? "once" : "loop";
  }
  set loop(value: LoopMode) {
    this.setAttribute("loop", value);
  }
  get speed(): number {
    const value = Number(this.getAttribute("speed") ?? 1);
    return Number.isFinite(value) ? value : 1;
  }
  set speed(value: number) {
    this.setAttribute("speed", String(value));
  }
  get autoplay(): boolean {
    return this.hasAttribute("autoplay");
  }
  set autoplay(value: boolean) {
    this.toggleAttribute("autoplay", value);
  }
  get controls(): boolean {
    return this.hasAttribute("controls");
  }
  set controls(value: boolean) {
    this.toggleAttribute("controls", value);
  }
  get time(): number {
    return this.player?.time ?? 0;
  }
  set time(value: number) {
    if (this.player) this.player.time = value;
  }
  play(): void {
    this.player?.play();
  }
  pause(): void {
    this.player?.pause();
  }
  step(frames: number): void {
    this.player?.step(frames);
  }

  private build(): void {
    const shadow = this.attachShadow({ mode: "open" });
    const style = document.createElement("style");
    style.textContent = STYLE;
    this.message = document.createElement("div");
    this.message.setAttribute("part", "message");
    this.message.setAttribute("role", "alert");
    this.message.hidden = true;
    this.bar = document.createElement("div");
    this.bar.setAttribute("part", "controls");
    this.bar.hidden = !this.controls;
    const button = document.createElement("button");
    button.setAttribute("part", "play");
    const slider = document.createElement("input");
    slider.type = "range";
    slider.step = "any";
    slider.setAttribute("part", "time");
    slider.setAttribute("aria-label", "Time");
    this.bar.append(button, slider);
    button.addEventListener("click", () => this.player?.toggle());
    slider.addEventListener("input", () => {
      if (this.player) this.player.time = Number(slider.value);
    });
    const refresh = (): void => {
      const { player } = this;
      button.textContent = player?.playing ? "❚❚" : "▶";
      button.setAttribute("aria-label", player?.playing ? "Pause" : "Play");
      slider.max = String(player?.length ?? 1);
      slider.value = String(player?.time ?? 0);
    };
    for (const event of ["time", "play", "pause", "load", "animation"]) this.addEventListener(event, refresh);
    refresh();
    shadow.append(style, this.message, this.bar);
  }

  /** Shows an error, or hides the last one. */
  private say(error: unknown): void {
    if (!this.message) return;
    this.message.hidden = error === null;
    this.message.textContent = error === null ? "" : error instanceof Error ? error.message : String(error);
  }

  private close(): void {
    this.player?.destroy();
    this.model?.free();
    this.canvas?.remove();
    this.player = this.model = this.canvas = null;
  }

  private async reload(): Promise<void> {
    this.abort?.abort();
    this.close();
    const { src, shadowRoot: shadow } = this;
    if (!src || !shadow) return;
    const abort = new AbortController();
    this.abort = abort;
    try {
      const response = await fetch(src, { signal: abort.signal });
      if (!response.ok) throw new Error(`${src}: ${response.status} ${response.statusText}`);
      const bytes = new Uint8Array(await response.arrayBuffer());
      const name = src.replace(/[?#].*/s, "").replace(/.*\//s, "");
      // Only pages with glTF files load the reader of meshes.
      const glb = /\.gl(b|tf)$/i.test(name) ? await import("./render/glb.js") : null;
      const files = glb ? await companions(glb, bytes, new URL(src, document.baseURI), abort.signal) : {};
      const model = await load(bytes, { name, files, keepBytes: true });
      const meshes = glb ? await glb.readMeshes(bytes, files) : null;
      if (abort.signal.aborted) {
        model.free();
        return;
      }
      this.model = model;
      this.canvas = document.createElement("canvas");
      this.canvas.setAttribute("part", "canvas");
      this.canvas.setAttribute("role", "img");
      this.canvas.setAttribute("aria-label", this.getAttribute("aria-label") ?? `Animation ${name}`);
      shadow.prepend(this.canvas);
      this.say(null);
      const player = new Player(this.canvas, model, {
        animation: this.getAttribute("animation") ?? 0,
        loop: this.loop,
        speed: this.speed,
        autoplay: this.autoplay,
        fit: this.getAttribute("fit") === "cover" ? "cover" : "contain",
        interactive: this.hasAttribute("interactive"),
        transparent: true,
        meshes: meshes?.parts.length ? meshes : null,
      });
      this.player = player;
      for (const type of EVENTS) {
        player.on(type, (detail) => {
          if (type === "animation") this.setAttribute("animation", player.animation);
          if (type === "error" && !detail.recovered) this.say(detail.error);
          if (type === "play") this.say(null);
          this.dispatchEvent(new CustomEvent(type, { detail }));
        });
      }
    } catch (error) {
      if (abort.signal.aborted) return;
      this.say(error);
      this.dispatchEvent(new CustomEvent("error", { detail: { error } }));
    }
  }
}

if (typeof customElements !== "undefined" && !customElements.get("sinew-player")) customElements.define("sinew-player", SinewPlayerElement);

export { Player } from "./player.js";

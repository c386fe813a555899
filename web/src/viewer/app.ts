/** The viewer: files, stage, transport, inspector. */
import { Actor } from "../actor.js";
import { SinewError, type FootContact } from "../core.js";
import { Player, type LoopMode } from "../player.js";
import { sides } from "../render/figure.js";
import { clamp } from "../render/math.js";
import { errorMap, heat, type ErrorMap } from "./analysis.js";
import { button, bytes, h, icon, roving, save, type Icon } from "./dom.js";
import { baseName, excerpt, fromFile, open, primaries, watchServed, type Opened, type Payload, type Source } from "./files.js";
import { gallery } from "./gallery.js";
import { encodeGif } from "./gif.js";
import { readLink, writeLink, type Link } from "./link.js";
import { correspondingTime, findRegistration, groundAlignment, markCurves, type ComparedMotion, type Registration } from "./registration.js";
import { comparePanel, feetPanel, infoPanel, jointPanel, mixPanel, stylePanel, type Panel } from "./panels.js";
import { Timeline } from "./timeline.js";

type Background = "auto" | "light" | "dark";
const LOOPS: LoopMode[] = ["loop", "once", "ping-pong"];
const LOOP_LABELS: Record<LoopMode, [Icon, string]> = { loop: ["loop", "Loop"], once: ["once", "Once"], "ping-pong": ["pingpong", "Ping-pong"] };
/** Longer ones would take tens of megabytes. */
const MAX_GIF_SECONDS = 12;
const SPEEDS = [-2, -1, -0.5, 0.1, 0.25, 0.5, 1, 1.5, 2, 4];

export type Place = "recorded" | "root" | "curve";

export class App {
  player: Player | null = null;
  opened: Opened | null = null;
  error: ErrorMap | null = null;
  sync = "time";
  private sources: Source[] = [];
  private compared: { key: string; opened: Opened; animation: number; own: boolean } | null = null;
  registration: Registration | null = null;
  /** Where the second motion of a comparison is placed. */
  place: Place = "recorded";
  private panels: Panel[] = [];
  private shownPanel = "info";
  private background: Background = "auto";
  private transparent = false;
  private canvas = h("canvas", { class: "view", tabindex: 0, role: "img", "aria-label": "Animation. Arrow keys turn the view, plus and minus zoom, 0 resets." });
  private stage = h("div", { class: "stage" });
  private message = h("div", { class: "message", hidden: true });
  private status = h("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });
  private files = h("div", { class: "files" });
  private title = h("h1", {}, "Sinew");
  private timeline: Timeline;
  private readout = h("output", { class: "readout", "aria-label": "Time and frame" });
  private playButton: HTMLButtonElement;
  private loopButton: HTMLButtonElement;
  private rangeButton: HTMLButtonElement;
  private speed = h("select", { "aria-label": "Speed", class: "speed" }, ...SPEEDS.map((value) => h("option", { value, selected: value === 1 }, `${value} ×`)));
  private toggles = new Map<string, HTMLButtonElement>();
  private tabs = h("div", { class: "tabs", role: "tablist", "aria-label": "Inspector" });
  private panelBox = h("div", { class: "panel" });
  private filePicker = h("input", { type: "file", multiple: true, hidden: true, "aria-hidden": "true", tabindex: -1 });
  private dialog = h("dialog", { class: "dialog", "aria-labelledby": "dialog-title" });
  private link: Link = {};
  private linkTimer = 0;
  private request = 0;
  private held: { x: number; y: number } | null = null;

  constructor(private root: HTMLElement, private samples: Source[]) {
    this.timeline = new Timeline(() => this.refresh());
    this.playButton = button("play", "Play", () => this.player?.toggle(), { key: "Space", class: "button square primary" });
    this.loopButton = button("loop", "Loop", () => this.cycleLoop(), { key: "L" });
    this.rangeButton = button("close", "Clear range", () => this.setRange(null), { class: "button square quiet" });
    this.rangeButton.hidden = true;
    this.panels = [infoPanel(this), jointPanel(this), feetPanel(this), mixPanel(this), stylePanel(this), comparePanel(this)];
    this.build();
    this.bindKeys();
    this.bindDrop();
    const style = localStorageGet("sinew-theme");
    if (style === "light" || style === "dark") this.setBackground(style);
  }

  // ------------------------------------------------------------ layout

  private build(): void {
    this.filePicker.addEventListener("change", () => {
      void this.addFiles([...(this.filePicker.files ?? [])].map(fromFile));
      this.filePicker.value = "";
    });
    const tools: [string, Icon, string, string][] = [
      ["mesh", "mesh", "Pictures", "M"],
      ["skeleton", "bones", "Bones", "B"],
      ["names", "names", "Names", "N"],
      ["drag", "drag", "Drag bones", "D"],
      ["trails", "trails", "Trails", "T"],
      ["strobe", "strobe", "Strobe", "S"],
      ["footprints", "feet", "Footprints", "P"],
      ["grid", "ground", "Ground", "G"],
      ["follow", "follow", "Follow", "W"],
    ];
    const toolbar = h("div", { class: "tools", role: "toolbar", "aria-label": "View", "aria-orientation": "horizontal" });
    for (const [id, name, label, key] of tools) {
      const tool = button(name, label, () => this.toggle(id), { key, pressed: false });
      tool.dataset.tool = id;
      this.toggles.set(id, tool);
      toolbar.append(tool);
    }
    const zoom = h(
      "div",
      { class: "tools zoom", role: "group", "aria-label": "Zoom" },
      button("minus", "Zoom out", () => this.zoom(1 / 1.25), { key: "−" }),
      button("fit", "Fit to view", () => this.player?.fitView(), { key: "F" }),
      button("plus", "Zoom in", () => this.zoom(1.25), { key: "+" }),
    );
    this.stage.append(this.canvas, toolbar, zoom, this.message);
    const actions = h(
      "div",
      { class: "actions" },
      button("open", "Open", () => this.filePicker.click(), { text: true }),
      button("camera", "Save picture", () => void this.savePicture(), { class: "button square with-player" }),
      button("film", "Save GIF", () => void this.saveGif(), { class: "button square with-player" }),
      button("link", "Copy link", () => void this.copyLink(), { class: "button square with-player" }),
      button("theme", "Light or dark", () => this.cycleBackground()),
      button("full", "Full screen", () => this.fullScreen(), { key: "X" }),
      button("help", "Keys", () => this.showKeys(), { key: "?" }),
    );
    const header = h("header", { class: "head" }, h("div", { class: "mark", "aria-hidden": "true" }, icon("bones")), this.title, actions, this.filePicker);
    this.speed.addEventListener("change", () => {
      if (this.player) this.player.speed = Number(this.speed.value);
      this.saveLink();
    });
    const transport = h(
      "div",
      { class: "transport", role: "group", "aria-label": "Playback" },
      button("first", "To the start", () => this.toEdge(0), { key: "Home" }),
      button("back", "One frame back", () => this.player?.step(-1), { key: "←" }),
      this.playButton,
      button("forward", "One frame forward", () => this.player?.step(1), { key: "→" }),
      this.loopButton,
      this.speed,
      this.rangeButton,
      this.readout,
    );
    const names = new Map(this.panels.map((panel) => [panel.id, panel]));
    for (const panel of this.panels) {
      panel.element.id = `panel-${panel.id}`;
      panel.element.setAttribute("role", "tabpanel");
      panel.element.setAttribute("aria-labelledby", `tab-${panel.id}`);
      panel.element.tabIndex = 0;
      this.tabs.append(h("button", { type: "button", role: "tab", id: `tab-${panel.id}`, "aria-controls": `panel-${panel.id}`, "aria-selected": "false", tabindex: -1, "data-panel": panel.id, onclick: () => this.showPanel(panel.id) }, panel.title));
      this.panelBox.append(panel.element);
    }
    roving(this.tabs, "[role=tab]", (tab) => names.has(tab.dataset.panel ?? "") && this.showPanel(tab.dataset.panel ?? "info"));
    this.root.append(
      header,
      h("nav", { class: "side", "aria-label": "Files and animations" }, this.files),
      h("main", { class: "center" }, this.stage),
      h("section", { class: "bottom", "aria-label": "Time line" }, transport, this.timeline.element),
      h("aside", { class: "inspector", "aria-label": "Inspector" }, this.tabs, this.panelBox),
      this.status,
      this.dialog,
    );
    this.showPanel("info");
    this.canvas.addEventListener("keydown", (event) => this.cameraKey(event));
  }

  private say(text: string): void {
    this.status.textContent = text;
  }

  showPanel(id: string): void {
    this.shownPanel = id;
    for (const tab of this.tabs.querySelectorAll<HTMLElement>("[role=tab]")) {
      const chosen = tab.dataset.panel === id;
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    }
    for (const panel of this.panels) panel.element.hidden = panel.id !== id;
    this.panels.find((panel) => panel.id === id)?.update();
  }

  private updatePanels(): void {
    const kind = this.player?.model.kind;
    for (const tab of this.tabs.querySelectorAll<HTMLElement>("[role=tab]")) {
      const id = tab.dataset.panel;
      tab.hidden = (id === "feet" && kind === "character") || (id === "styles" && kind === "motion");
      if (tab.hidden && id === this.shownPanel) this.showPanel("info");
    }
    this.panels.find((panel) => panel.id === this.shownPanel)?.update();
  }

  // ------------------------------------------------------------ files

  /** Shows what the page was opened with. */
  async start(payload: Payload | null, isServed: boolean): Promise<void> {
    this.link = readLink();
    if (payload?.title) {
      this.title.textContent = payload.title;
      document.title = payload.title;
    }
    if (isServed) watchServed((list) => void this.reload(list));
    if (!payload?.files.length) {
      const sample = this.samples.find((source) => source.name === this.link.file);
      this.sources = [...this.samples];
      if (sample) await this.choose(sample);
      else this.showEmpty();
      return;
    }
    this.sources = [...payload.files];
    const wanted = this.sources.find((source) => source.name === this.link.file);
    const shown = primaries(this.sources);
    if (!wanted && isServed && (payload.gallery || shown.length > 1) && !payload.compare) {
      this.showGallery(shown);
      return;
    }
    await this.choose(wanted ?? shown[0]);
    if (payload.compare && shown.length > 1 && !this.link.compare) await this.compareWith(this.keyOf(shown[1], 0));
  }

  async addFiles(sources: Source[]): Promise<void> {
    if (!sources.length) return;
    const names = new Set(sources.map((source) => source.name));
    this.sources = [...this.sources.filter((source) => source.group === "samples" || !names.has(source.name)), ...sources];
    await markCurves(sources);
    const [first] = primaries(sources);
    if (first.isCurve) return this.addCurve(first);
    this.link = {};
    await this.choose(first);
    if (primaries(sources).length > 1) this.say(`${primaries(sources).length} files opened`);
  }

  /** A curve by itself: it serves the comparison that is shown, or the next one. */
  private async addCurve(source: Source): Promise<void> {
    if (!this.player) this.showEmpty();
    await this.register();
    this.renderFiles();
    this.notice(this.registration ? `${source.name} synchronizes the comparison` : `${source.name} is a registration curve: compare two motions of it`);
  }

  private async reload(list: Payload): Promise<void> {
    const before = new Map(this.sources.map((source) => [source.name, source]));
    this.sources = list.files;
    const name = this.opened?.source.name;
    const now = this.sources.find((source) => source.name === name);
    const old = name === undefined ? undefined : before.get(name);
    if (now && (!old || old.modified !== now.modified || old.size !== now.size)) {
      this.link = this.currentLink();
      await this.choose(now);
      this.say(`${now.name} changed and was loaded again`);
    } else if (!this.player) {
      this.showGallery(primaries(this.sources));
    } else {
      this.renderFiles();
    }
  }

  async choose(source: Source): Promise<void> {
    const request = ++this.request;
    const busy = h("div", { class: "busy" }, `Reading ${baseName(source.name)} …`);
    this.show(busy, true);
    const progress = (count: number): void => {
      busy.textContent = `Reading ${baseName(source.name)}: ${bytes(count)}${source.size ? ` of ${bytes(source.size)}` : ""} …`;
    };
    try {
      const opened = await open(source, this.sources, source.size > 10e6 ? progress : undefined);
      if (request !== this.request) {
        opened.model.free();
        return;
      }
      this.present(opened);
    } catch (error) {
      if (request !== this.request) return;
      await this.showError(error, source);
    }
    this.renderFiles();
  }

  private present(opened: Opened): void {
    this.closeModel();
    this.opened = opened;
    const { link } = this;
    const clip = link.clip === undefined ? -1 : opened.model.findAnimation(link.clip);
    const player = new Player(this.canvas, opened.model, {
      animation: Math.max(clip, 0),
      meshes: opened.meshes,
      interactive: true,
      theme: this.background,
      transparent: this.transparent,
      loop: LOOPS.find((mode) => mode === link.loop) ?? "loop",
      speed: link.speed ?? 1,
    });
    this.player = player;
    if (link.range) player.range = link.range;
    for (const id of link.show ?? []) if (id !== "trails") this.toggle(id, true);
    if (link.camera) player.camera.restore(link.camera);
    player.on("time", () => this.tick());
    player.on("play", () => this.refresh());
    player.on("pause", () => {
      this.refresh();
      this.saveLink();
    });
    player.on("animation", () => {
      if (this.compared) void this.register();
      this.setError();
      this.timeline.rebuild();
      this.refresh();
      this.renderFiles();
      this.updatePanels();
      this.saveLink();
    });
    player.on("trigger", ({ name }) => this.flash(String(name)));
    player.on("error", ({ error }) => void this.recover(error, opened.source));
    player.on("notice", ({ message }) => this.notice(String(message)));
    player.on("draw", (detail) => {
      this.timeline.record();
      this.timeline.draw();
      if ("selected" in detail) {
        this.timeline.rebuild();
        this.updatePanels();
      } else {
        this.panels.find((panel) => panel.id === this.shownPanel)?.tick?.();
      }
    });
    this.hide();
    this.timeline.attach(player);
    const name = baseName(opened.source.name);
    this.title.textContent = name;
    document.title = `${name} · Sinew`;
    this.canvas.setAttribute("aria-label", `${name}. Arrow keys turn the view, plus and minus zoom, 0 resets.`);
    this.refresh();
    this.updatePanels();
    if (!opened.model.animations.length) this.notice("This file has no animation: its rest pose is shown.");
    if (link.t !== undefined) player.time = link.t;
    if (link.compare) void this.compareWith(link.compare);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (opened.model.animations.length && (link.play ?? (link.t === undefined && !calm))) player.play();
    this.link = {};
    this.say(`${name}: ${opened.model.animations.length} animations`);
  }

  private closeModel(): void {
    this.player?.destroy();
    this.compared?.opened.model.free();
    this.opened?.model.free();
    this.registration?.curve.free();
    this.player = this.opened = this.compared = this.error = this.registration = null;
    this.timeline.attach(null);
  }

  nativeHash(animation: number): string | null {
    return this.opened?.source.hashes?.[animation] ?? null;
  }

  private renderFiles(): void {
    const focused = document.activeElement instanceof HTMLElement && this.files.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    this.files.replaceChildren();
    const clips = this.opened?.model.animations ?? [];
    if (this.opened && this.player) {
      const list = h("ul", { class: "list", role: "listbox", "aria-label": "Animations" });
      clips.forEach((animation, index) => {
        const chosen = index === this.player?.index;
        list.append(
          h("li", { role: "option", tabindex: chosen ? 0 : -1, "aria-selected": String(chosen), "data-key": `clip-${index}`, onclick: () => this.player?.switchTo(index) }, h("span", { class: "grow" }, animation.name || `(${index + 1})`), h("span", { class: "dim" }, `${animation.duration.toFixed(2)} s`)),
        );
      });
      roving(list, "[role=option]", (item) => this.player?.switchTo(Number((item.dataset.key ?? "").slice(5))));
      this.files.append(h("h2", {}, "Animations"), clips.length ? list : h("p", { class: "note" }, "none"));
    }
    for (const group of ["files", "samples"] as const) {
      const own = primaries(this.sources.filter((source) => source.group === group));
      if (!own.length) continue;
      const list = h("ul", { class: "list", role: "listbox", "aria-label": group === "files" ? "Files" : "Samples" });
      const anyChosen = own.some((source) => source === this.opened?.source);
      own.forEach((source, index) => {
        const chosen = source === this.opened?.source;
        list.append(
          h("li", { role: "option", tabindex: chosen || (!anyChosen && index === 0) ? 0 : -1, "aria-selected": String(chosen), "data-key": `${group}-${index}`, title: source.name, class: source.error ? "faulty" : null, onclick: () => void this.choose(source) }, h("span", { class: "grow" }, baseName(source.name), source.name === baseName(source.name) ? null : h("span", { class: "dim" }, ` ${source.name.slice(0, -baseName(source.name).length - 1)}`)), source.size ? h("span", { class: "dim" }, bytes(source.size)) : null),
        );
      });
      // Reading a file takes time, so arrows only move and Enter opens.
      list.addEventListener("keydown", (event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        const item = (document.activeElement as HTMLElement).dataset.key ?? "";
        const source = own[Number(item.slice(group.length + 1))];
        if (source) void this.choose(source);
        event.preventDefault();
        event.stopPropagation();
      }, true);
      roving(list, "[role=option]", () => undefined);
      if (group === "files" && own.length > 8) {
        const search = h("input", { type: "search", class: "search", placeholder: "Find", "aria-label": "Find a file" });
        search.addEventListener("input", () => {
          for (const item of list.querySelectorAll<HTMLElement>("[role=option]")) item.hidden = !(item.textContent ?? "").toLowerCase().includes(search.value.toLowerCase());
        });
        this.files.append(h("h2", {}, `Files (${own.length})`), search, list);
      } else {
        this.files.append(h("h2", {}, group === "files" ? "Files" : "Samples"), list);
      }
    }
    if (focused) this.files.querySelector<HTMLElement>(`[data-key="${focused}"]`)?.focus();
  }

  // ------------------------------------------------------------ messages

  private show(content: Node, covers: boolean): void {
    this.message.replaceChildren(content);
    this.message.hidden = false;
    this.message.classList.toggle("covers", covers);
    this.root.classList.toggle("is-empty", covers && !this.player);
  }

  private hide(): void {
    this.message.hidden = true;
    this.message.replaceChildren();
    this.root.classList.remove("is-empty");
  }

  private showEmpty(): void {
    const samples = this.samples.map((source) => h("button", { type: "button", class: "sample", onclick: () => void this.choose(source) }, h("strong", {}, source.name.replace(/\.[^.]+$/, "")), h("span", { class: "dim" }, source.name.endsWith(".skf") ? "2D character" : "3D motion")));
    this.show(
      h(
        "div",
        { class: "empty" },
        h("div", { class: "drop-mark", "aria-hidden": "true" }, icon("file")),
        h("h2", {}, "Drop an animation here"),
        h("p", {}, "SkelForm characters (.skf) and motions (.glb, .gltf, .bvh, .amc with its .asf, .sinew). Several files at once can be compared. Nothing leaves this page."),
        h("div", { class: "row" }, button("open", "Open files", () => this.filePicker.click(), { text: true, class: "button primary" })),
        samples.length ? h("h3", {}, "Or try a sample") : null,
        h("div", { class: "samples" }, ...samples),
      ),
      true,
    );
    this.renderFiles();
  }

  private showGallery(sources: Source[]): void {
    this.show(gallery(sources, (source) => void this.choose(source)), true);
    this.renderFiles();
  }

  /** Reads the file again if the runtime was restarted after an internal error elsewhere, else shows the error. */
  private async recover(error: unknown, source: Source): Promise<void> {
    if (!(error instanceof SinewError) || error.code !== "closed") return this.showError(error, source);
    this.link = { ...this.currentLink(), play: this.player?.playing };
    await this.choose(source);
    this.notice("The file was read again after an internal error.");
  }

  private async showError(error: unknown, source: Source): Promise<void> {
    const known = error instanceof SinewError ? error : null;
    const lines: (HTMLElement | null)[] = [];
    if (known?.line !== undefined) {
      const found = await excerpt(source, known.line, known.column ?? 1);
      if (found) lines.push(h("pre", { class: "excerpt", tabindex: 0, "aria-label": "The faulty line" }, `${known.line} │ ${found.text}\n${" ".repeat(String(known.line).length)} │ ${" ".repeat(Math.max(found.column - 1, 0))}^`));
    }
    this.closeModel();
    const place = known?.line !== undefined ? `Line ${known.line}${known.column !== undefined ? `, column ${known.column}` : ""}` : known?.offset !== undefined ? `At byte ${known.offset}` : null;
    const text = error instanceof Error ? error.message : String(error);
    this.show(
      h(
        "div",
        { class: "fault", role: "alert" },
        h("div", { class: "fault-mark", "aria-hidden": "true" }, icon("warning")),
        h("h2", {}, `${baseName(source.name)} cannot be shown`),
        h("p", { class: "fault-text" }, text),
        place ? h("p", { class: "place" }, place) : null,
        known?.expected && !text.includes(known.expected) ? h("p", {}, "Expected ", h("code", {}, known.expected)) : null,
        known?.found && !text.includes(known.found) ? h("p", {}, "Found ", h("code", {}, known.found)) : null,
        ...lines,
        known?.code === "missing-file" ? h("p", { class: "note" }, "Drop the missing file together with this one.") : null,
        h("div", { class: "row" }, button("open", "Open files", () => this.filePicker.click(), { text: true, class: "button outlined" })),
      ),
      true,
    );
    this.title.textContent = baseName(source.name);
    this.refresh();
    this.updatePanels();
  }

  private notice(text: string): void {
    const note = h("div", { class: "notice", role: "status" }, text);
    this.stage.append(note);
    setTimeout(() => note.remove(), 6000);
  }

  private flash(name: string): void {
    const note = h("div", { class: "trigger-flash", "aria-hidden": "true" }, name);
    this.stage.querySelector(".trigger-flash")?.remove();
    this.stage.append(note);
    setTimeout(() => note.remove(), 900);
  }

  // ------------------------------------------------------------ playback

  private tick(): void {
    const { player } = this;
    if (!player) return;
    const frames = player.model.animations[player.index]?.frames ?? 0;
    const { frame } = player;
    this.readout.replaceChildren(
      h("span", {}, h("span", { class: "now" }, player.time.toFixed(3)), h("span", { class: "dim" }, ` / ${player.length.toFixed(3)} s`)),
      h("span", { class: "frame" }, frames ? `frame ${Math.min(frame, frames - 1)} of ${frames}` : `frame ${frame}`),
    );
    if (!player.playing) this.saveLink();
  }

  /** Brings buttons in line with the player. */
  refresh(): void {
    const { player } = this;
    const playing = player?.playing ?? false;
    this.playButton.replaceChildren(icon(playing ? "pause" : "play"));
    this.playButton.setAttribute("aria-label", playing ? "Pause" : "Play");
    this.playButton.title = `${playing ? "Pause" : "Play"} (Space)`;
    const [name, label] = LOOP_LABELS[player?.loop ?? "loop"];
    this.loopButton.replaceChildren(icon(name));
    this.loopButton.setAttribute("aria-label", `Repeat: ${label}`);
    this.loopButton.title = `Repeat: ${label} (L)`;
    if (player && ![...this.speed.options].some((option) => Number(option.value) === player.speed)) this.speed.append(h("option", { value: player.speed }, `${player.speed} ×`));
    if (player) this.speed.value = String(player.speed);
    this.rangeButton.hidden = !player?.range;
    for (const [id, tool] of this.toggles) {
      tool.setAttribute("aria-pressed", String(this.isOn(id)));
      tool.hidden = !this.applies(id);
    }
    this.root.classList.toggle("has-player", player !== null);
    this.tick();
    this.timeline.draw();
  }

  private applies(id: string): boolean {
    const { player } = this;
    if (!player) return false;
    const is3d = player.actor.is3d;
    if (id === "mesh") return !is3d || player.actor.meshes !== null;
    if (id === "skeleton") return !is3d || player.actor.meshes !== null;
    if (id === "drag") return !is3d;
    return is3d || !["footprints", "grid", "follow"].includes(id);
  }

  private isOn(id: string): boolean {
    const { player } = this;
    if (!player) return false;
    const { show } = player;
    if (id === "mesh") return show.mesh;
    if (id === "skeleton") return show.skeleton;
    if (id === "names") return show.names;
    if (id === "drag") return player.drags === "bones";
    if (id === "trails") return show.trails.length > 0;
    if (id === "strobe") return show.strobe > 0;
    if (id === "footprints") return show.footprints;
    if (id === "grid") return show.grid;
    return player.follow;
  }

  toggle(id: string, on = !this.isOn(id)): void {
    const { player } = this;
    if (!player || !this.applies(id)) return;
    const { show } = player;
    if (id === "mesh") show.mesh = on;
    else if (id === "skeleton") show.skeleton = on;
    else if (id === "names") show.names = on;
    else if (id === "drag") {
      player.drags = on ? "bones" : "camera";
      if (on) show.skeleton = true;
      else player.actor.release();
    } else if (id === "trails") show.trails = on ? this.extremities() : [];
    else if (id === "strobe") {
      show.strobe = on ? 8 : 0;
      player.fitView();
    }
    else if (id === "footprints") show.footprints = on;
    else if (id === "grid") show.grid = show.shadow = on;
    else if (id === "follow") player.follow = on;
    player.invalidate();
    this.refresh();
    this.saveLink();
  }

  toggleTrail(joint: number): void {
    const { player } = this;
    if (!player) return;
    const { trails } = player.show;
    player.show.trails = trails.includes(joint) ? trails.filter((other) => other !== joint) : [...trails, joint];
    player.invalidate();
    this.refresh();
    this.updatePanels();
  }

  /** The selected joint, or hands and feet: the joints that move most, of those without children. */
  private extremities(): number[] {
    const { player } = this;
    if (!player) return [];
    if (player.selected >= 0) return [player.selected];
    const { actor } = player;
    const side = sides(actor.names);
    const byName = [/foot|ankle/i, /hand|wrist|paw/i].flatMap((pattern) =>
      (["left", "right"] as const).flatMap((wanted) => {
        const joint = actor.names.findIndex((name, index) => side[index] === wanted && pattern.test(name) && !/target|finger|thumb/i.test(name));
        return joint < 0 ? [] : [joint];
      }),
    );
    if (byName.length >= 2) return byName;
    const parents = new Set(actor.parents);
    const table = actor.table(player.index);
    const ends = actor.names.map((_, index) => index).filter((index) => !parents.has(index));
    const travel = (joint: number): number => {
      let sum = 0;
      for (let i = 1; i < table.count; i += 2) {
        const a = ((i - 1) * table.points + joint) * 3, b = (i * table.points + joint) * 3;
        sum += Math.hypot(table.data[b] - table.data[a], table.data[b + 1] - table.data[a + 1], table.data[b + 2] - table.data[a + 2]);
      }
      return sum;
    };
    return ends.sort((a, b) => travel(b) - travel(a)).slice(0, 4);
  }

  private cycleLoop(): void {
    const { player } = this;
    if (!player) return;
    player.loop = LOOPS[(LOOPS.indexOf(player.loop) + 1) % LOOPS.length];
    player.time = Math.min(player.time, player.length);
    this.refresh();
    this.saveLink();
  }

  private setRange(range: [number, number] | null): void {
    if (this.player) this.player.range = range;
    this.refresh();
    this.saveLink();
  }

  private toEdge(which: 0 | 1): void {
    if (this.player) this.player.time = this.player.span[which];
  }

  private zoom(factor: number): void {
    this.player?.camera.zoomAt(factor);
    this.player?.invalidate();
    this.saveLink();
  }

  select(joint: number): void {
    const { player } = this;
    if (!player) return;
    player.selected = joint;
    player.invalidate();
    this.timeline.rebuild();
    this.panels.find((panel) => panel.id === this.shownPanel)?.update();
  }

  seek(time: number, joint: number): void {
    const { player } = this;
    if (!player) return;
    player.pause();
    player.time = time;
    if (joint >= 0) this.select(joint);
  }

  seekContact(contact: FootContact): void {
    const { player } = this;
    if (!player) return;
    player.range = null;
    this.seek(contact.start, contact.joint);
    player.show.footprints = true;
    player.show.trails = [contact.joint];
    this.refresh();
  }

  // ------------------------------------------------------------ comparison

  private keyOf(source: Source, animation: number): string {
    return `${animation}@${source.name}`;
  }

  /** Everything that the shown animation can be compared with. */
  comparable(): { key: string; label: string }[] {
    const { opened, player } = this;
    if (!opened || !player) return [];
    const own = opened.model.animations.flatMap((animation, index) => (index === player.index ? [] : [{ key: this.keyOf(opened.source, index), label: animation.name }]));
    const others = primaries(this.sources).filter((source) => source !== opened.source && /\.skf$/i.test(source.name) === (opened.model.kind === "character"));
    return [...own, ...others.map((source) => ({ key: this.keyOf(source, 0), label: source.name }))];
  }

  comparedKey(): string {
    return this.compared?.key ?? "";
  }

  async compareWith(key: string | null): Promise<void> {
    const { player, opened } = this;
    if (!player || !opened) return;
    player.comparison?.actor.destroy();
    player.comparison = null;
    if (this.compared && !this.compared.own) this.compared.opened.model.free();
    this.registration?.curve.free();
    this.compared = this.registration = null;
    if (key) {
      const at = key.indexOf("@");
      const name = key.slice(at + 1), animation = Number(key.slice(0, at)) || 0;
      const source = this.sources.find((item) => item.name === name);
      try {
        if (!source) throw new SinewError("missing-file", `${name}: no such file`);
        const own = source === opened.source;
        const other = own ? opened : await open(source, this.sources);
        if (other.model.kind !== opened.model.kind) throw new SinewError("argument", "a 2D character and a 3D motion cannot be compared");
        const actor = new Actor(other.model);
        await actor.ready;
        this.compared = { key, opened: other, animation: clamp(animation, 0, other.model.animations.length - 1), own };
        this.place = player.follow ? "root" : "recorded";
        player.comparison = { actor, animation: this.compared.animation, mode: "overlay", map: (time) => time, alignRoot: false, ground: null };
        await this.register();
        player.fitView();
        this.showPanel("compare");
      } catch (error) {
        this.notice(error instanceof Error ? error.message : String(error));
      }
    }
    this.setError();
    this.timeline.rebuild();
    this.updatePanels();
    player.invalidate();
    this.saveLink();
  }

  private pair(): [ComparedMotion, ComparedMotion] | null {
    const { compared, opened, player } = this;
    return compared && opened && player ? [{ opened, animation: player.index }, { opened: compared.opened, animation: compared.animation }] : null;
  }

  /** Looks for a registration curve of the two motions, and uses it. */
  private async register(): Promise<void> {
    this.registration?.curve.free();
    this.registration = null;
    const pair = this.pair();
    const found = pair && (await findRegistration(pair, this.sources));
    const now = this.pair();
    if (!found || !now || pair.some(({ opened, animation }, i) => opened !== now[i].opened || animation !== now[i].animation)) {
      found?.curve.free();
      if (now) this.setComparison({ sync: this.sync === "curve" ? "time" : this.sync, place: this.place === "curve" ? "root" : this.place });
      return;
    }
    this.registration = found;
    this.setComparison({ sync: "curve", place: "curve" });
  }

  /** Ways of finding the second motion's time. */
  syncs(): [string, string][] {
    const found: [string, string][] = [["time", "Same second"], ["progress", "Same fraction"]];
    if (this.registration) found.unshift(["curve", "Registration curve"]);
    return found;
  }

  /** Ways of placing the second motion. */
  places(): [Place, string][] {
    const found: [Place, string][] = [["recorded", "As recorded"], ["root", "Roots coincide"]];
    if (this.registration && this.sync === "curve") found.unshift(["curve", "Aligned by the curve"]);
    return found;
  }

  setComparison(change: { mode?: "overlay" | "side"; sync?: string; place?: Place }): void {
    const { player, compared } = this;
    const comparison = player?.comparison;
    const pair = this.pair();
    if (!player || !comparison || !compared || !pair) return;
    if (change.mode) comparison.mode = change.mode;
    if (change.sync) this.sync = change.sync;
    if (change.place) this.place = change.place;
    if (!this.places().some(([place]) => place === this.place)) this.place = "root";
    const other = compared.opened.model.animations[compared.animation];
    const { duration } = player;
    const { registration } = this;
    if (this.sync === "curve" && registration) comparison.map = (time) => correspondingTime(registration, clamp(time, 0, duration));
    else if (this.sync === "progress") comparison.map = (time) => (duration > 0 ? clamp(time / duration, 0, 1) * other.duration : 0);
    else comparison.map = (time) => clamp(time, 0, other.duration);
    comparison.alignRoot = this.place === "root";
    const ground = this.place === "curve" && registration ? groundAlignment(registration, pair) : null;
    comparison.ground = ground && ((time) => ground(clamp(time, 0, duration)));
    if (change.mode || change.place) player.fitView();
    this.setError();
    this.timeline.rebuild();
    this.updatePanels();
    player.invalidate();
  }

  private setError(): void {
    const { player, compared } = this;
    const comparison = player?.comparison;
    this.error = null;
    if (player) player.boneColor = null;
    if (player && comparison && compared && player.model.animations.length) {
      const error = errorMap(player.actor, player.index, comparison.actor, compared.animation, comparison);
      this.error = error;
      const rows = new Map(error.joints.map((joint, row) => [joint, row]));
      player.boneColor = (joint) => {
        const row = rows.get(joint);
        if (row === undefined || joint === player.hover || joint === player.selected) return null;
        const step = clamp(Math.round((player.time / (error.duration || 1)) * (error.count - 1)), 0, error.count - 1);
        const value = Math.sqrt(error.values[row * error.count + step] / (error.max || 1));
        const dark = player.theme.background[0] < 0.5;
        const [r, g, b] = heat(0.15 + value * 0.85, dark);
        return [r / 255, g / 255, b / 255];
      };
    }
    this.timeline.error = this.error;
  }

  // ------------------------------------------------------------ output

  private fileStem(): string {
    const { opened, player } = this;
    return `${baseName(opened?.source.name ?? "sinew").replace(/\.[^.]+$/, "")}-${player?.animation.replace(/[^\w-]+/g, "_") ?? ""}`;
  }

  private async savePicture(): Promise<void> {
    const { player, canvas } = this;
    if (!player) return;
    player.draw();
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
    if (blob) save(blob, `${this.fileStem()}-${player.frame}.png`);
    this.say("Picture saved");
  }

  /** Draws the range, or its first seconds, at 25 frames per second, at most 480 pixels wide. */
  private async saveGif(): Promise<void> {
    const { player, canvas } = this;
    if (!player) return;
    const [from, to] = player.span;
    const seconds = Math.min(to - from, MAX_GIF_SECONDS);
    const count = Math.max(2, Math.round(seconds * 25));
    const width = Math.min(480, canvas.width), height = Math.max(1, Math.round((canvas.height / canvas.width) * width));
    const small = new OffscreenCanvas(width, height);
    const context = small.getContext("2d", { willReadFrequently: true });
    if (!context) return;
    const wasPlaying = player.playing, before = player.time;
    player.pause();
    this.notice(seconds < to - from ? `Drawing the GIF: the first ${MAX_GIF_SECONDS} seconds; choose a range for others` : "Drawing the GIF …");
    const frames: Uint8ClampedArray[] = [];
    for (let i = 0; i < count; i++) {
      player.time = from + (seconds * i) / count;
      player.draw();
      context.imageSmoothingQuality = "high";
      const [r, g, b] = player.theme.background;
      context.fillStyle = `rgb(${r * 255} ${g * 255} ${b * 255})`;
      context.fillRect(0, 0, width, height);
      context.drawImage(canvas, 0, 0, width, height);
      frames.push(context.getImageData(0, 0, width, height).data);
      if (i % 8 === 0) await new Promise((resolve) => setTimeout(resolve));
    }
    save(new Blob([encodeGif(frames, width, height, 4)], { type: "image/gif" }), `${this.fileStem()}.gif`);
    player.time = before;
    if (wasPlaying) player.play();
    this.say("GIF saved");
  }

  private currentLink(): Link {
    const { player, opened } = this;
    if (!player || !opened) return {};
    return {
      file: this.sources.filter((source) => source.group === "files").length === 1 && opened.source.group === "files" ? undefined : opened.source.name,
      clip: player.animation,
      t: player.time,
      speed: player.speed,
      loop: player.loop,
      range: player.range ? [player.range[0], player.range[1]] : undefined,
      camera: player.camera.isMoved ? player.camera.serialize() : undefined,
      show: [...this.toggles.keys()].filter((id) => this.applies(id) && this.isOn(id) && !["mesh", "grid", "follow", "trails"].includes(id)),
      compare: this.compared?.key,
    };
  }

  /** Keeps the address in line with what is shown, at most four times per second. */
  private saveLink(): void {
    clearTimeout(this.linkTimer);
    this.linkTimer = window.setTimeout(() => {
      if (!this.player || this.player.playing) return;
      const link = this.currentLink();
      try {
        history.replaceState(null, "", writeLink({ ...link, show: link.show?.length ? link.show : undefined }));
      } catch {
        // Some browsers refuse it for pages from disk.
      }
    }, 250);
  }

  private async copyLink(): Promise<void> {
    const link = this.currentLink();
    const address = `${location.href.replace(/#.*/s, "")}${writeLink({ ...link, show: link.show?.length ? link.show : undefined })}`;
    try {
      await navigator.clipboard.writeText(address);
      this.notice("Link copied");
    } catch {
      history.replaceState(null, "", address);
      this.notice("The link is in the address bar");
    }
  }

  // ------------------------------------------------------------ theme, screen, help

  private cycleBackground(): void {
    const next: Record<Background, Background> = matchMedia("(prefers-color-scheme: dark)").matches ? { auto: "light", light: "dark", dark: "auto" } : { auto: "dark", dark: "light", light: "auto" };
    this.setBackground(next[this.background]);
    this.say(`Colours: ${this.background}`);
  }

  private setBackground(background: Background): void {
    this.background = background;
    if (background === "auto") document.documentElement.removeAttribute("data-theme");
    else document.documentElement.dataset.theme = background;
    try {
      localStorage.setItem("sinew-theme", background);
    } catch {
      // Storage is refused for some pages from disk.
    }
    this.player?.setTheme(background, this.transparent);
    this.timeline.draw();
    this.updatePanels();
  }

  private toggleTransparent(): void {
    this.transparent = !this.transparent;
    this.stage.classList.toggle("transparent", this.transparent);
    this.player?.setTheme(this.background, this.transparent);
  }

  private fullScreen(): void {
    if (document.fullscreenElement) void document.exitFullscreen();
    else void document.documentElement.requestFullscreen().catch(() => this.notice("Full screen was refused"));
  }

  private showKeys(): void {
    const keys: [string, string][] = [
      ["Space", "Play, pause"],
      ["← →", "One frame back, forward; with Shift ten"],
      ["Home End", "Start, end of the range"],
      ["[ ]", "Start, end the range here"],
      ["\\", "Clear the range"],
      ["< >", "Slower, faster"],
      ["R", "Play backward"],
      ["L", "Loop, once, ping-pong"],
      ["1 … 9", "Animation by number"],
      ["M B N", "Pictures, bones, names"],
      ["T S P", "Trails, strobe, footprints"],
      ["D", "Drag bones; Alt with arrows moves the chosen one"],
      ["G W", "Ground, follow"],
      ["F 0", "Fit to view"],
      ["+ −", "Zoom"],
      ["Arrows on the picture", "Turn the view; with Shift move it"],
      ["C", "Compare"],
      ["K", "Transparent background"],
      ["O", "Open files"],
      ["X", "Full screen"],
      ["?", "These keys"],
    ];
    this.dialog.replaceChildren(
      h("div", { class: "dialog-head" }, h("h2", { id: "dialog-title" }, "Keys"), button("close", "Close", () => this.dialog.close())),
      h("dl", { class: "keys", tabindex: 0 }, ...keys.flatMap(([key, text]) => [h("dt", {}, ...key.split(" ").flatMap((part, i) => [i ? " " : null, /^[^\w]$|^.$|^(Space|Home|End)$/.test(part) ? h("kbd", {}, part) : part])), h("dd", {}, text)])),
    );
    this.dialog.showModal();
  }

  // ------------------------------------------------------------ keyboard, drop

  private cameraKey(event: KeyboardEvent): void {
    const { player } = this;
    const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const arrow = arrows[event.key];
    if (!player || !arrow || event.altKey) return;
    if (event.shiftKey || player.camera.kind === "plane") player.camera.pan(-arrow[0] * 30, -arrow[1] * 30);
    else player.camera.orbit(-arrow[0] * 14, -arrow[1] * 14);
    player.invalidate();
    event.preventDefault();
    event.stopPropagation();
  }

  private nudge(event: KeyboardEvent): boolean {
    const { player } = this;
    const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const arrow = arrows[event.key];
    if (!player || !arrow || player.camera.kind !== "plane" || player.selected < 0) return false;
    const { points } = player.actor;
    const step = (event.shiftKey ? 20 : 4) / player.camera.zoom;
    this.held = { x: points[player.selected * 3] + arrow[0] * step, y: points[player.selected * 3 + 1] + arrow[1] * step };
    player.actor.hold(player.selected, this.held.x, this.held.y);
    player.invalidate();
    return true;
  }

  private bindKeys(): void {
    const speeds = [0.1, 0.25, 0.5, 1, 1.5, 2, 4];
    const faster = (direction: number): void => {
      const { player } = this;
      if (!player) return;
      const sign = Math.sign(player.speed) || 1;
      const at = speeds.findIndex((value) => value >= Math.abs(player.speed) - 1e-6);
      player.speed = sign * speeds[clamp((at < 0 ? speeds.length - 1 : at) + direction, 0, speeds.length - 1)];
      this.refresh();
      this.saveLink();
    };
    const actions: Record<string, () => void> = {
      " ": () => this.player?.toggle(),
      ArrowLeft: () => this.player?.step(-1),
      ArrowRight: () => this.player?.step(1),
      Home: () => this.toEdge(0),
      End: () => this.toEdge(1),
      "[": () => this.player && this.setRange([this.player.time, Math.max(this.player.span[1], this.player.time + 1 / this.player.fps)]),
      "]": () => this.player && this.setRange([Math.min(this.player.span[0], this.player.time), this.player.time]),
      "\\": () => this.setRange(null),
      "<": () => faster(-1),
      ",": () => faster(-1),
      ">": () => faster(1),
      ".": () => faster(1),
      r: () => {
        if (this.player) this.player.speed = -this.player.speed;
        this.refresh();
      },
      l: () => this.cycleLoop(),
      m: () => this.toggle("mesh"),
      b: () => this.toggle("skeleton"),
      n: () => this.toggle("names"),
      d: () => this.toggle("drag"),
      t: () => this.toggle("trails"),
      s: () => this.toggle("strobe"),
      p: () => this.toggle("footprints"),
      g: () => this.toggle("grid"),
      w: () => this.toggle("follow"),
      f: () => this.player?.fitView(),
      "0": () => this.player?.fitView(),
      "+": () => this.zoom(1.25),
      "=": () => this.zoom(1.25),
      "-": () => this.zoom(1 / 1.25),
      c: () => this.showPanel("compare"),
      k: () => this.toggleTransparent(),
      o: () => this.filePicker.click(),
      x: () => this.fullScreen(),
      "?": () => this.showKeys(),
    };
    document.addEventListener("keydown", (event) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || this.dialog.open) return;
      if (event.altKey) {
        if (this.nudge(event)) event.preventDefault();
        return;
      }
      if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && !(target instanceof HTMLInputElement && target.type === "checkbox" && event.key !== " ")) return;
      // Space and Enter belong to a focused button. A tab is chosen by the arrows, so there space plays.
      const isTab = target.closest("[role=tab]") !== null;
      if (event.key === "Enter" && target.closest("button, [role=option], [role=tab], summary, a")) return;
      if (event.key === " " && !isTab && target.closest("button, [role=option], summary, a")) return;
      if (event.shiftKey && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
        this.player?.step(event.key === "ArrowLeft" ? -10 : 10);
        event.preventDefault();
        return;
      }
      if (/^[1-9]$/.test(event.key)) {
        this.player?.switchTo(Number(event.key) - 1);
        return;
      }
      const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!action) return;
      action();
      event.preventDefault();
    });
    window.addEventListener("hashchange", () => this.applyLink());
  }

  private applyLink(): void {
    const { player } = this;
    const link = readLink();
    if (!player) {
      void this.start(null, false);
      return;
    }
    if (link.clip !== undefined && player.model.findAnimation(link.clip) >= 0) player.switchTo(player.model.findAnimation(link.clip));
    if (link.speed !== undefined) player.speed = link.speed;
    if (link.camera) player.camera.restore(link.camera);
    if (link.t !== undefined) {
      player.pause();
      player.time = link.t;
    }
    this.refresh();
  }

  private bindDrop(): void {
    let depth = 0;
    const over = (event: DragEvent): void => {
      if (![...(event.dataTransfer?.types ?? [])].includes("Files")) return;
      event.preventDefault();
      if (event.type === "dragenter") depth++;
      if (event.type === "dragleave") depth--;
      if (event.type === "drop") depth = 0;
      this.root.classList.toggle("dropping", depth > 0);
    };
    for (const type of ["dragenter", "dragover", "dragleave"] as const) document.addEventListener(type, over);
    document.addEventListener("drop", (event) => {
      over(event);
      void filesOf(event.dataTransfer).then((files) => this.addFiles(files.map(fromFile)));
    });
    document.addEventListener("paste", (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
      if (files.length) void this.addFiles(files.map(fromFile));
    });
  }
}

const MAX_DROPPED = 500;

/** All dropped files, also those in folders. */
async function filesOf(data: DataTransfer | null): Promise<File[]> {
  if (!data) return [];
  const plain = [...data.files];
  const entries = [...data.items].flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  if (!entries.some((entry) => entry.isDirectory)) return plain.slice(0, MAX_DROPPED);
  const found: File[] = [];
  const walk = async (entry: FileSystemEntry, depth: number): Promise<void> => {
    if (found.length >= MAX_DROPPED || depth > 8) return;
    if (entry.isFile) {
      await new Promise<void>((resolve) => (entry as FileSystemFileEntry).file((file) => resolve(void found.push(file)), () => resolve()));
    } else {
      const reader = (entry as FileSystemDirectoryEntry).createReader();
      for (;;) {
        const batch = await new Promise<FileSystemEntry[]>((resolve) => reader.readEntries(resolve, () => resolve([])));
        if (!batch.length) return;
        for (const child of batch) await walk(child, depth + 1);
      }
    }
  };
  for (const entry of entries) await walk(entry, 0);
  return found;
}

function localStorageGet(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Plays a model on a canvas. */
import { Actor, type PoseTrack } from "./actor.js";
import { SinewError, type FootContact, type GroundTransform, type Model, type MotionModel } from "./core.js";
import { attachControls } from "./controls.js";
import { Crossfade } from "./crossfade.js";
import { advance, passedTriggers, type LoopMode } from "./playhead.js";
import { OrbitCamera, PlaneCamera } from "./render/camera.js";
import { Capsules } from "./render/figure.js";
import { FlatBackend } from "./render/flat.js";
import type { MeshSource } from "./render/glb.js";
import type { GroundSettings } from "./render/gl.js";
import { clamp, placeOnGround, repeat, type Vec3 } from "./render/math.js";
import { css, DARK, LIGHT, mix, type Rgb, type Theme } from "./render/theme.js";
import { join, leave, sharedBackend } from "./stage.js";

export type { LoopMode } from "./playhead.js";

/** What is drawn besides the character. */
export interface Show {
  /** The character's pictures or mesh. A figure without a mesh always shows its bones. */
  mesh: boolean;
  skeleton: boolean;
  names: boolean;
  grid: boolean;
  shadow: boolean;
  /** Paths of these joints over the last second. */
  trails: readonly number[];
  /** Number of poses over the range that are drawn at once; 0 for none. */
  strobe: number;
  footprints: boolean;
}

export interface PlayerOptions {
  autoplay?: boolean;
  /** Default: `loop`. */
  loop?: LoopMode;
  speed?: number;
  /** Seconds. */
  range?: readonly [number, number];
  fit?: "contain" | "cover";
  /** Name or index; the default is the first one. */
  animation?: string | number;
  /** Seconds of the crossfade when the animation is switched during play. */
  fade?: number;
  /** Indices of styles. */
  styles?: readonly number[];
  /** `auto` follows `prefers-color-scheme`. */
  theme?: "auto" | "light" | "dark" | Theme;
  transparent?: boolean;
  /** Pointer, touch and wheel move the camera. */
  interactive?: boolean;
  /** Meshes of a glTF file; see `readMeshes`. */
  meshes?: MeshSource | null;
  show?: Partial<Show>;
}

/** An animation that is laid over the main one. */
export interface Mix {
  animation: number;
  weight: number;
  additive: boolean;
}

export interface Comparison {
  actor: Actor;
  animation: number;
  mode: "overlay" | "side";
  /** The time of the second motion for a time of the first. */
  map: (time: number) => number;
  /** Moves the second motion so that the roots coincide. */
  alignRoot: boolean;
  /** 3D: the ground transform of the second motion at a time of the first. */
  ground: ((time: number) => GroundTransform) | null;
}

export type PlayerEvent = "time" | "play" | "pause" | "loop" | "finished" | "trigger" | "load" | "error" | "animation" | "notice" | "draw";

export class Player extends EventTarget {
  readonly canvas: HTMLCanvasElement;
  readonly actor: Actor;
  readonly camera: PlaneCamera | OrbitCamera;
  readonly show: Show;
  comparison: Comparison | null = null;
  mixes: Mix[] = [];
  fade: number;
  /** Whether the camera moves with a figure that travels. */
  follow = false;
  /** Overrides the colour of a bone. */
  boneColor: ((joint: number) => Rgb | null) | null = null;
  /** Joint under the pointer, or -1. */
  hover = -1;
  /** The selected joint, or -1. */
  selected = -1;
  drags: "camera" | "bones" = "camera";
  private context: CanvasRenderingContext2D;
  private animationIndex = 0;
  private clock = 0;
  private direction = 1;
  private loopMode: LoopMode;
  private rate = 1;
  private isPlaying = false;
  private isVisible = true;
  private dirty = true;
  private moved = 0;
  private chosenRange: readonly [number, number] | null;
  private crossfade = new Crossfade();
  /** A crossfade that goes beyond the end of `once` is completed. */
  private settles = false;
  private wantedTheme: PlayerOptions["theme"];
  private transparent: boolean;
  private capsules = new Capsules();
  private lines = new Capsules();
  private resizer: ResizeObserver;
  private watcher: IntersectionObserver;
  private stops: (() => void)[] = [];
  private contactCache = new Map<number, FootContact[]>();
  private destroyed = false;
  /** Draws nothing more until it is played: the runtime met an internal error here, or the model is closed. */
  private failed = false;
  private noticed = false;
  private fitted: readonly number[] = [0, 0, 0, 0, 0, 0];

  constructor(canvas: HTMLCanvasElement, model: Model, options: PlayerOptions = {}) {
    super();
    const context = canvas.getContext("2d");
    if (!context) throw new Error("the canvas has another kind of context");
    this.canvas = canvas;
    this.context = context;
    this.actor = new Actor(model, options.meshes ?? null);
    this.camera = this.actor.is3d ? new OrbitCamera() : new PlaneCamera();
    this.camera.cover = options.fit === "cover";
    this.loopMode = options.loop ?? "loop";
    this.rate = options.speed ?? 1;
    this.fade = options.fade ?? 0.25;
    this.chosenRange = options.range ?? null;
    this.wantedTheme = options.theme ?? "auto";
    this.transparent = options.transparent ?? false;
    this.show = { mesh: true, skeleton: false, names: false, grid: true, shadow: true, trails: [], strobe: 0, footprints: false, ...options.show };
    if (options.styles) this.actor.wear(options.styles);
    const { animation = 0 } = options;
    const index = typeof animation === "number" ? animation : model.findAnimation(animation);
    this.animationIndex = index >= 0 && index < model.animations.length ? index : 0;
    this.clock = this.span[0];

    this.resizer = new ResizeObserver(() => this.resize());
    this.resizer.observe(canvas);
    this.watcher = new IntersectionObserver((entries) => {
      this.isVisible = entries[entries.length - 1].isIntersecting;
      this.dirty = true;
    });
    this.watcher.observe(canvas);
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    const recolor = (): void => this.invalidate();
    scheme.addEventListener("change", recolor);
    this.stops.push(() => scheme.removeEventListener("change", recolor));
    this.watchPixelRatio();
    if (options.interactive) this.stops.push(attachControls(this));
    this.resize();
    this.fitView();
    void this.actor.ready.then(() => {
      if (this.destroyed) return;
      this.invalidate();
      this.emit("load", { model });
    });
    join(this);
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    if (options.autoplay && !calm) this.play();
  }

  // ------------------------------------------------------------ playback

  get model(): Model {
    return this.actor.model;
  }

  /** Name of the animation. Setting it during play crossfades over [fade] seconds. */
  get animation(): string {
    return this.model.animations[this.animationIndex]?.name ?? "";
  }

  set animation(name: string) {
    const index = this.model.findAnimation(name);
    if (index < 0) throw new RangeError(`no animation is named ${JSON.stringify(name)}`);
    this.switchTo(index);
  }

  get index(): number {
    return this.animationIndex;
  }

  switchTo(index: number): void {
    if (index === this.animationIndex || !this.model.animations[index]) return;
    if (this.isPlaying && this.fade > 0) {
      const { animationIndex: animation, clock: time, direction, rate, span: range, loop } = this;
      this.crossfade.start({ animation, time, direction, rate, range, loop }, this.fade);
    } else {
      this.crossfade.clear();
    }
    this.animationIndex = index;
    this.chosenRange = null;
    this.direction = 1;
    this.clock = this.rate < 0 ? this.span[1] : this.span[0];
    if (!this.camera.isMoved && !this.fits()) this.fitView();
    this.invalidate();
    this.emit("animation", { index, name: this.animation });
    this.emit("time", { time: this.clock });
  }

  /** Seconds of the animation. */
  get duration(): number {
    return this.model.animations[this.animationIndex]?.duration ?? 0;
  }

  /** Seconds of the scrub axis: a looped 2D animation shows its last frame before it begins again. */
  get length(): number {
    const animation = this.model.animations[this.animationIndex];
    if (!animation) return 0;
    return this.loop === "loop" ? Math.max(animation.period, animation.duration) : animation.duration;
  }

  /** The range that plays. */
  get span(): readonly [number, number] {
    const { length } = this;
    if (!this.chosenRange) return [0, length];
    const [from, to] = this.chosenRange;
    const low = clamp(Math.min(from, to), 0, length), high = clamp(Math.max(from, to), 0, length);
    return high - low > 1e-3 ? [low, high] : [0, length];
  }

  get range(): readonly [number, number] | null {
    return this.chosenRange;
  }

  set range(range: readonly [number, number] | null) {
    this.chosenRange = range;
    this.invalidate();
  }

  get loop(): LoopMode {
    return this.loopMode;
  }

  set loop(mode: LoopMode) {
    this.loopMode = mode;
    // The way back of ping-pong ends with it.
    if (mode !== "ping-pong") this.direction = 1;
  }

  get time(): number {
    return this.clock;
  }

  set time(seconds: number) {
    if (!Number.isFinite(seconds)) return;
    this.clock = clamp(seconds, 0, this.length);
    this.crossfade.clear();
    this.invalidate();
    this.emit("time", { time: this.clock });
  }

  /** Negative plays backward. */
  get speed(): number {
    return this.rate;
  }

  set speed(speed: number) {
    this.rate = Number.isFinite(speed) ? clamp(speed, -16, 16) : 1;
  }

  get playing(): boolean {
    return this.isPlaying;
  }

  get fps(): number {
    return this.model.animations[this.animationIndex]?.fps || 60;
  }

  /** The frame shown, from 0. */
  get frame(): number {
    return Math.floor(this.clock * this.fps + 1e-4);
  }

  play(): void {
    if (this.isPlaying) return;
    this.failed = false;
    const [from, to] = this.span;
    if (this.loop === "once") {
      if (this.rate > 0 && this.clock >= to - 1e-6) this.clock = from;
      if (this.rate < 0 && this.clock <= from + 1e-6) this.clock = to;
    }
    this.isPlaying = true;
    this.emit("play", {});
  }

  pause(): void {
    if (!this.isPlaying) return;
    this.isPlaying = false;
    this.emit("pause", {});
  }

  toggle(): void {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  /** Pauses and moves by frames. */
  step(frames: number): void {
    this.pause();
    const now = this.clock * this.fps;
    this.time = ((frames > 0 ? Math.floor(now + 1e-3) : Math.ceil(now - 1e-3)) + frames) / this.fps;
  }

  // ------------------------------------------------------------ view

  get theme(): Theme {
    const wanted = this.wantedTheme;
    const base = typeof wanted === "object" ? wanted : wanted === "dark" || (wanted !== "light" && matchMedia("(prefers-color-scheme: dark)").matches) ? DARK : LIGHT;
    return this.transparent ? { ...base, background: [base.background[0], base.background[1], base.background[2], 0] } : base;
  }

  setTheme(theme: PlayerOptions["theme"], transparent = this.transparent): void {
    this.wantedTheme = theme;
    this.transparent = transparent;
    this.invalidate();
  }

  /** Fits the view to everything that the animation shows; a figure that travels is followed instead. */
  fitView(): void {
    const { actor, comparison } = this;
    const bounds = [...actor.bounds(this.animationIndex)];
    const height = Math.max(bounds[4] - bounds[1], 1e-3);
    this.follow = actor.is3d && !this.show.strobe && this.travels(actor, this.animationIndex, height);
    if (this.follow) {
      const start = actor.table(this.animationIndex).data;
      const half = height * 0.35;
      [bounds[0], bounds[2], bounds[3], bounds[5]] = [start[0] - half, start[2] - half, start[0] + half, start[2] + half];
    }
    if (comparison) {
      const shift = comparison.mode === "side" ? this.sideShift(comparison) : [0, 0, 0];
      const other = comparison.alignRoot || comparison.ground || this.follow ? bounds : comparison.actor.bounds(comparison.animation);
      const both = bounds.map((value, k) => (k < 3 ? Math.min(value, other[k] + shift[k]) : Math.max(value, other[k] + shift[k - 3])));
      bounds.splice(0, 6, ...both);
    }
    this.fitted = bounds;
    if (this.camera.kind === "plane") this.camera.fit([bounds[0], bounds[1], bounds[3], bounds[4]]);
    else this.camera.fit(bounds);
    this.invalidate();
  }

  /** Whether the fitted view shows the whole animation, without much room around it. */
  private fits(): boolean {
    const now = this.actor.bounds(this.animationIndex), { fitted } = this;
    if (this.actor.is3d && this.travels(this.actor, this.animationIndex, Math.max(now[4] - now[1], 1e-3)) !== this.follow) return false;
    if (this.follow) return true;
    const size = (b: readonly number[]): number => Math.max(b[3] - b[0], b[4] - b[1]);
    const slack = size(fitted) * 0.05;
    return [0, 1].every((k) => now[k] >= fitted[k] - slack && now[k + 3] <= fitted[k + 3] + slack) && size(now) > size(fitted) * 0.5;
  }

  private travels(actor: Actor, animation: number, height: number): boolean {
    const b = actor.bounds(animation);
    return Math.hypot(b[3] - b[0], b[5] - b[2]) > height * 2.4;
  }

  /** Where the second motion stands in a comparison side by side: beside the direction of travel. */
  private sideShift(comparison: Comparison): [number, number, number] {
    const bounds = this.actor.bounds(this.animationIndex);
    const tall = bounds[4] - bounds[1];
    if (!this.actor.is3d) {
      const other = comparison.actor.bounds(comparison.animation);
      return [Math.max(bounds[3] - bounds[0], other[3] - other[0]) * 1.05, 0, 0];
    }
    const wide = [bounds[3] - bounds[0], bounds[5] - bounds[2]];
    const along = wide[1] >= wide[0] ? 0 : 2;
    const step = comparison.alignRoot || comparison.ground ? tall * 0.6 : Math.max(tall * 0.6, Math.min(...wide) * 1.05);
    return along === 0 ? [step, 0, 0] : [0, 0, step];
  }

  /** Marks the picture as outdated. */
  invalidate(): void {
    this.dirty = true;
  }

  private watchPixelRatio(): void {
    const query = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    const changed = (): void => {
      this.resize();
      if (!this.destroyed) this.watchPixelRatio();
    };
    query.addEventListener("change", changed, { once: true });
    this.stops.push(() => query.removeEventListener("change", changed));
  }

  /** @internal */
  resize(): void {
    const box = this.canvas.getBoundingClientRect();
    const limit = sharedBackend()?.limit ?? 4096;
    const width = Math.min(Math.round(box.width * devicePixelRatio), limit);
    const height = Math.min(Math.round(box.height * devicePixelRatio), limit);
    if (width === this.canvas.width && height === this.canvas.height) return;
    // A canvas of size zero keeps its last size, and nothing is drawn.
    if (width > 0 && height > 0) {
      this.canvas.width = width;
      this.canvas.height = height;
      this.camera.resize(width, height);
    }
    this.invalidate();
    this.draw();
  }

  /** Whether the canvas can be seen; the clock stands still otherwise. */
  get visible(): boolean {
    return this.isVisible && document.visibilityState === "visible" && this.canvas.clientWidth > 0 && this.canvas.clientHeight > 0;
  }

  /** Called by the page's animation loop. */
  tick(seconds: number): void {
    if (this.destroyed || !this.visible) return;
    if (this.isPlaying) {
      this.advance(seconds);
    } else if (this.settles) {
      this.settles = this.crossfade.advance(seconds);
      this.dirty = true;
    }
    if (this.isPlaying || this.dirty) {
      try {
        this.submit();
      } catch (error) {
        // Its next picture would probably fail again, and stop all other players each time.
        this.failed = error instanceof SinewError && error.code === "internal";
        this.pause();
        this.emit("error", { error, recovered: false });
      }
    }
  }

  private advance(seconds: number): void {
    const { span } = this;
    const step = advance(this.clock, seconds * this.rate, this.direction, span, this.loop);
    this.moved = seconds * Math.abs(this.rate);
    this.clock = step.time;
    this.direction = step.direction;
    if (step.ended) this.isPlaying = false;
    this.settles = this.crossfade.advance(seconds) && step.ended;
    this.dirty = true;
    const triggers = this.model.animations[this.animationIndex]?.triggers ?? [];
    if (triggers.length) for (const { name, time } of passedTriggers(triggers, step, span)) this.emit("trigger", { name, time });
    if (step.wrapped) this.emit("loop", {});
    this.emit("time", { time: this.clock });
    if (step.ended) {
      this.emit("pause", {});
      this.emit("finished", {});
    }
  }

  /** The animations of the pose shown. */
  tracks(): PoseTrack[] {
    if (!this.model.animations.length) return [];
    const tracks = this.crossfade.tracks();
    tracks.push({ animation: this.animationIndex, time: Math.min(this.clock, this.length), weight: this.crossfade.weight });
    for (const { animation, weight, additive } of this.mixes) {
      const { period, duration } = this.model.animations[animation];
      tracks.push({ animation, time: Math.min(repeat(this.clock, Math.max(period, 1e-6)), duration), weight, additive, layer: 1 });
    }
    return tracks;
  }

  /** Foot contacts of the animation, computed once. */
  contacts(index = this.animationIndex, actor = this.actor): FootContact[] {
    if (actor.model.kind !== "motion") return [];
    const key = actor === this.actor ? index : -1 - index;
    let contacts = this.contactCache.get(key);
    if (!contacts) {
      try {
        contacts = (actor.model as MotionModel).contacts(index);
      } catch {
        contacts = [];
      }
      this.contactCache.set(key, contacts);
    }
    return contacts;
  }

  // ------------------------------------------------------------ drawing

  /** Draws at once. */
  draw(): void {
    this.submit();
    sharedBackend()?.flush();
  }

  /** Draws; the picture is on the canvas after the backend's flush. */
  private submit(): void {
    const { canvas, context } = this;
    if (canvas.width === 0 || canvas.height === 0 || this.destroyed || this.failed) return;
    const { comparison } = this;
    if ((!this.actor.isOpen || comparison?.actor.isOpen === false) && !this.reopen()) return;
    this.dirty = false;
    const seconds = this.isPlaying ? this.moved : 0;
    this.moved = 0;
    this.actor.pose(this.tracks(), seconds, this.loop === "loop");
    if (comparison) {
      const time = comparison.map(this.clock);
      comparison.actor.pose([{ animation: comparison.animation, time, weight: 1 }], 0, false);
      this.placeComparison(comparison);
    }
    if (this.camera.kind === "orbit" && this.actor.points.length >= 3) {
      if (this.follow) {
        const root = (this.model as MotionModel).rootMotionJoints[this.animationIndex] ?? 0;
        const start = this.actor.table(this.animationIndex).data;
        const at = root >= 0 ? root * 3 : 0;
        this.camera.offset = [this.actor.points[at] - start[at], 0, this.actor.points[at + 2] - start[at + 2]];
      } else {
        this.camera.offset = [0, 0, 0];
      }
    }
    const backend = sharedBackend();
    const usable = backend && !backend.lost ? backend : null;
    if (!usable && !this.noticed) {
      this.noticed = true;
      this.emit("notice", { message: "WebGL2 is not available: drawn in a simpler way" });
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    if (this.camera.kind === "plane") this.drawFlat(usable, this.camera);
    else this.drawSpace(usable, this.camera);
    const finish = (): void => {
      if (this.destroyed) return;
      this.drawOverlay();
      this.emit("draw", {});
    };
    if (usable) usable.end(context, finish);
    else finish();
  }

  /** Continues after an internal error of the runtime, which another player may have met. */
  private reopen(): boolean {
    const actors = this.comparison ? [this.actor, this.comparison.actor] : [this.actor];
    const recovered = actors.every((actor) => actor.reopen());
    this.failed = !recovered;
    const error = new SinewError("closed", recovered ? "the runtime was restarted after an internal error" : "the runtime was restarted after an internal error: load the file again");
    this.emit("error", { error, recovered });
    if (!recovered) this.pause();
    return recovered;
  }

  private placeComparison(comparison: Comparison): void {
    const { actor } = comparison;
    const a = this.actor.points, b = actor.points;
    actor.offset = comparison.mode === "side" ? this.sideShift(comparison) : [0, 0, 0];
    if (comparison.ground && this.actor.is3d) {
      actor.points = Float32Array.from(placeOnGround(b, comparison.ground(this.clock)));
    } else if (comparison.alignRoot && a.length && b.length) {
      actor.offset[0] += a[0] - b[0];
      if (this.actor.is3d) actor.offset[2] += a[2] - b[2];
      else actor.offset[1] += a[1] - b[1];
    }
  }

  private drawFlat(gl: ReturnType<typeof sharedBackend>, camera: PlaneCamera): void {
    const { canvas, context, theme } = this;
    const strobe = this.strobeTimes();
    const flat = gl ? null : new FlatBackend(context, canvas.width, canvas.height, theme);
    gl?.begin(canvas.width, canvas.height, theme);
    gl?.plane(camera);
    const paint = (actor: Actor, scratch: boolean, opacity: number, wash: Rgb, washed: number): void => {
      const frame = actor.frame(scratch);
      if (!frame) return;
      if (gl) gl.triangles(frame, actor.offset, opacity, wash, washed);
      else flat?.triangles(frame, camera, actor.offset, opacity);
    };
    if (this.show.mesh || !this.actor.atlases.length) {
      for (const time of strobe) {
        this.actor.pointsAt(this.animationIndex, time);
        paint(this.actor, true, 0.16, [0, 0, 0], 0);
      }
      if (this.comparison) paint(this.comparison.actor, false, this.comparison.mode === "overlay" ? 0.5 : 1, theme.other, this.comparison.mode === "overlay" ? 0.45 : 0.15);
      paint(this.actor, false, 1, theme.ground, this.show.skeleton ? 0.35 : 0);
    }
  }

  private strobeTimes(): number[] {
    const { strobe } = this.show;
    const [from, to] = this.span;
    return strobe > 1 ? Array.from({ length: strobe }, (_, i) => from + ((to - from) * i) / (this.loop === "loop" ? strobe : strobe - 1)) : [];
  }

  private color(joint: number, side: "left" | "right" | "center", theme: Theme): Rgb {
    const given = this.boneColor?.(joint);
    if (given) return given;
    if (joint === this.selected || joint === this.hover) return theme.accent;
    return theme[side];
  }

  private addFigure(actor: Actor, points: Float32Array, into: Capsules, paint: (joint: number, side: "left" | "right" | "center") => Rgb): void {
    const { bones, height } = actor.figureBones();
    const [dx, dy, dz] = actor.offset;
    const moved = dx || dy || dz ? points.map((value, i) => value + actor.offset[i % 3]) : points;
    const joints = actor.names.length;
    for (const bone of bones) {
      const start = bone.from * 3, end = bone.to * 3;
      if (end + 2 >= moved.length) continue;
      into.add(moved, start, bone.start * height, moved, end, bone.end * height, paint(Math.min(bone.to, joints - 1) === bone.to ? bone.to : bone.from, bone.side));
    }
  }

  private drawSpace(gl: ReturnType<typeof sharedBackend>, camera: OrbitCamera): void {
    const { canvas, context, theme, capsules, lines, show, actor } = this;
    capsules.clear();
    lines.clear();
    const bounds = actor.bounds(this.animationIndex);
    const tall = Math.max(bounds[4] - bounds[1], 1e-3);
    const height = Math.abs(bounds[1]) < tall * 0.25 ? 0 : bounds[1];
    const meshes = show.mesh ? actor.meshMatrices() : null;
    const figures: [Actor, number][] = meshes ? [] : [[actor, 0]];
    if (this.comparison) figures.push([this.comparison.actor, 1]);
    for (const [figure, which] of figures) {
      this.addFigure(figure, figure.points, capsules, (joint, side) => (which ? mix(theme.other, theme[side], 0.12) : this.color(joint, side, theme)));
    }
    const solid = capsules.count;
    const times = this.strobeTimes();
    for (const time of times) {
      // A pose close to the one shown would hide it.
      if (Math.abs(time - this.clock) * times.length < (this.span[1] - this.span[0]) * 0.5) continue;
      this.addFigure(actor, actor.pointsAt(this.animationIndex, time), capsules, (_, side) => mix(theme[side], theme.background, 0.62));
    }
    const unit = actor.figureBones().height;
    for (const joint of show.trails) this.trail(joint, unit * 0.0045, theme);
    if (show.footprints) this.footprints(height, unit, theme);
    if (this.comparison && this.comparison.mode === "overlay") this.errorLines(this.comparison, unit * 0.003, theme);

    const focus = camera.focus;
    const root: [number, number] = actor.points.length ? [actor.points[0], actor.points[2]] : [focus[0], focus[2]];
    const spread = this.comparison ? Math.hypot(bounds[3] - bounds[0], bounds[5] - bounds[2]) + tall * 2 : tall * 1.5;
    const settings: GroundSettings = {
      height,
      center: [focus[0], focus[2]],
      radius: Math.max(tall * 7, Math.hypot(bounds[3] - bounds[0], bounds[5] - bounds[2]) * 1.6),
      spacing: niceStep(tall / 3.5),
      grid: show.grid,
      shadow: show.shadow,
      shadowCenter: root,
      shadowRadius: spread,
    };
    if (!gl) {
      const flat = new FlatBackend(context, canvas.width, canvas.height, theme);
      if (show.grid) flat.grid(camera, settings.center, height, settings.spacing, settings.radius);
      if (meshes && actor.meshes) {
        for (const part of actor.meshes.parts) flat.cloud(part, actor.meshes, meshes.palettes[part.skin] ?? null, meshes.nodes[part.node], camera);
      }
      flat.capsules(lines.data, lines.count, camera, false);
      flat.capsules(capsules.data, capsules.count, camera, true);
      return;
    }
    gl.begin(canvas.width, canvas.height, theme);
    gl.space(camera);
    const drawMeshes = (): void => {
      if (!meshes || !actor.meshes) return;
      for (const part of actor.meshes.parts) {
        gl.mesh(actor.meshes, part, part.skin >= 0 ? meshes.palettes[part.skin] : null, meshes.nodes[part.node]);
      }
    };
    if (show.grid || show.shadow) {
      gl.ground(settings, theme, () => {
        gl.capsules(capsules.data, solid);
        drawMeshes();
      });
    }
    drawMeshes();
    gl.capsules(capsules.data, capsules.count);
    gl.capsules(lines.data, lines.count, false);
  }

  private trail(joint: number, radius: number, theme: Theme): void {
    const { actor, lines } = this;
    const seconds = 1.2, count = 48;
    let last: Vec3 | null = null;
    for (let i = 0; i <= count; i++) {
      const time = this.clock - seconds + (seconds * i) / count;
      if (time < 0) continue;
      const p = actor.pointsAt(this.animationIndex, Math.min(time, this.duration));
      const point: Vec3 = [p[joint * 3], p[joint * 3 + 1], p[joint * 3 + 2]];
      if (last) {
        const t = i / count;
        lines.add(last, 0, radius * t, point, 0, radius * t, mix(theme.background, theme.accent, 0.25 + 0.75 * t));
      }
      last = point;
    }
  }

  private footprints(height: number, unit: number, theme: Theme): void {
    const spans = this.contacts().filter((contact) => contact.part !== "hand");
    for (const contact of spans) {
      const heel = contact.part === "heel";
      if (!heel && spans.some((other) => other !== contact && other.part === "heel" && other.side === contact.side && other.start < contact.end && other.end > contact.start)) continue;
      const middle = clamp((contact.start + Math.min(contact.end, this.duration)) / 2, 0, this.duration);
      const p = this.actor.pointsAt(this.animationIndex, middle);
      const ball = heel ? spans.find((other) => other.part === "ball" && other.side === contact.side && other.start < contact.end && other.end > contact.start) : undefined;
      const at = (joint: number): Vec3 => [p[joint * 3], height + unit * 0.002, p[joint * 3 + 2]];
      const from = at(contact.joint), to = at(ball?.joint ?? contact.joint);
      const active = this.clock >= contact.start && this.clock <= contact.end;
      const color = contact.side === "left" ? theme.left : contact.side === "right" ? theme.right : theme.center;
      this.lines.add(from, 0, unit * 0.011, to, 0, unit * 0.015, active ? color : mix(theme.ground, color, 0.4));
    }
  }

  private errorLines(comparison: Comparison, radius: number, theme: Theme): void {
    const other = new Map(comparison.actor.names.map((name, index) => [name, index]));
    const a = this.actor.points, b = comparison.actor.points, [dx, dy, dz] = comparison.actor.offset;
    this.actor.names.forEach((name, joint) => {
      const match = other.get(name);
      if (match === undefined) return;
      const to: Vec3 = [b[match * 3] + dx, b[match * 3 + 1] + dy, b[match * 3 + 2] + dz];
      this.lines.add(a, joint * 3, radius, to, 0, radius, theme.accent);
    });
  }

  /** Bones over the picture, names, marks: with the 2D context, in device pixels. */
  private drawOverlay(): void {
    const { context, theme, show, actor } = this;
    const screen = this.screenPoints();
    const ratio = devicePixelRatio;
    context.lineJoin = context.lineCap = "round";
    if (!actor.is3d && show.trails.length) this.flatTrails(context, theme, ratio);
    const overMesh = !actor.is3d || (show.mesh && actor.meshes !== null);
    if (show.skeleton && overMesh) {
      for (let joint = 0; joint < actor.parents.length; joint++) {
        const parent = actor.parents[joint];
        if (actor.isHidden(joint)) continue;
        if (parent >= 0 && !actor.isHidden(parent)) kite(context, screen, parent, joint, ratio, joint === this.selected || joint === this.hover ? css(theme.accent, 0.95) : css(theme.bone, 0.72), theme.halo);
      }
      for (let joint = 0; joint < actor.parents.length; joint++) {
        if (!actor.isHidden(joint)) dot(context, screen, joint, 3 * ratio, joint === this.selected || joint === this.hover ? css(theme.accent) : css(theme.bone), theme.halo, ratio);
      }
    }
    if (this.model.kind === "character" && (show.skeleton || this.drags === "bones")) {
      for (const family of this.model.ik) if (family.target >= 0) ring(context, screen, family.target, 8 * ratio, css(theme.accent), theme.halo, ratio);
    }
    const labelled = show.names ? actor.names.map((_, i) => i) : [this.hover, this.selected].filter((joint, i, all) => joint >= 0 && all.indexOf(joint) === i);
    const taken: [number, number, number][] = [];
    context.font = `${11 * ratio}px ui-sans-serif, system-ui, sans-serif`;
    context.textBaseline = "middle";
    for (const joint of [...labelled].sort((a, b) => Number(b === this.hover || b === this.selected) - Number(a === this.hover || a === this.selected))) {
      const x = screen[joint * 3], y = screen[joint * 3 + 1];
      if (screen[joint * 3 + 2] <= 0 || actor.isHidden(joint)) continue;
      const width = context.measureText(actor.names[joint]).width;
      // Labels that would cover another one are left out.
      if (taken.some(([tx, ty, tw]) => Math.abs(ty - y) < 12 * ratio && x < tx + tw && tx < x + width)) continue;
      taken.push([x, y, width + 8 * ratio]);
      context.lineWidth = 3 * ratio;
      context.strokeStyle = theme.halo;
      context.strokeText(actor.names[joint], x + 7 * ratio, y);
      context.fillStyle = joint === this.hover || joint === this.selected ? css(theme.accent) : theme.text;
      context.fillText(actor.names[joint], x + 7 * ratio, y);
    }
    if (actor.is3d && !overMesh) {
      for (const joint of [this.selected, this.hover]) if (joint >= 0) ring(context, screen, joint, 6 * ratio, css(theme.accent), theme.halo, ratio);
    }
  }

  private flatTrails(context: CanvasRenderingContext2D, theme: Theme, ratio: number): void {
    const camera = this.camera as PlaneCamera;
    const seconds = 1.2, count = 40;
    const tables = this.actor.table(this.animationIndex);
    for (const joint of this.show.trails) {
      let last: [number, number] | null = null;
      for (let i = 0; i <= count; i++) {
        const time = this.clock - seconds + (seconds * i) / count;
        if (time < 0) continue;
        const row = clamp(Math.round(time * tables.rate), 0, tables.count - 1) * tables.points * 3 + joint * 3;
        const point = camera.toScreen(tables.data[row], tables.data[row + 1]);
        if (last) {
          context.strokeStyle = css(theme.accent, i / count);
          context.lineWidth = (0.8 + 2.2 * (i / count)) * ratio;
          context.beginPath();
          context.moveTo(...last);
          context.lineTo(...point);
          context.stroke();
        }
        last = point;
      }
    }
  }

  /** x, y in device pixels and a depth above 0 in front of the camera, for each joint. */
  screenPoints(): Float32Array {
    const { points, offset } = this.actor;
    const out = new Float32Array(points.length);
    const matrix = this.camera.matrix();
    for (let i = 0; i < points.length; i += 3) {
      const [x, y, depth] =
        this.camera.kind === "plane"
          ? [...this.camera.toScreen(points[i] + offset[0], points[i + 1] + offset[1]), 1]
          : this.camera.toScreen(matrix, points, i);
      out[i] = x;
      out[i + 1] = y;
      out[i + 2] = depth;
    }
    return out;
  }

  /** The joint near a point of the canvas in device pixels, or -1. */
  jointAt(x: number, y: number, radius = 14 * devicePixelRatio): number {
    const screen = this.screenPoints();
    let best = -1, distance = radius;
    for (let joint = 0; joint < this.actor.names.length; joint++) {
      if (screen[joint * 3 + 2] <= 0 || this.actor.isHidden(joint)) continue;
      const d = Math.hypot(screen[joint * 3] - x, screen[joint * 3 + 1] - y);
      if (d < distance) [best, distance] = [joint, d];
    }
    if (best < 0 && this.camera.kind === "plane") best = this.actor.boneAt(...this.camera.toWorld(x, y));
    return best;
  }

  // ------------------------------------------------------------ life

  on(type: PlayerEvent, listener: (detail: Record<string, unknown>) => void): () => void {
    const wrapped = (event: Event): void => listener((event as CustomEvent<Record<string, unknown>>).detail);
    this.addEventListener(type, wrapped);
    return () => this.removeEventListener(type, wrapped);
  }

  /** @internal */
  emit(type: PlayerEvent, detail: Record<string, unknown>): void {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }

  /** Stops and frees everything except the model. */
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.isPlaying = false;
    leave(this);
    this.resizer.disconnect();
    this.watcher.disconnect();
    for (const stop of this.stops) stop();
    const backend = sharedBackend();
    for (const atlas of this.actor.atlases) if (atlas) backend?.release(atlas);
    for (const part of this.actor.meshes?.parts ?? []) backend?.release(part);
    for (const image of this.actor.meshes?.images ?? []) if (image) backend?.release(image);
    this.actor.destroy();
    this.comparison?.actor.destroy();
  }
}

/** 1, 2 or 5 times a power of ten, near a value. */
export function niceStep(value: number): number {
  const power = Math.pow(10, Math.floor(Math.log10(Math.max(value, 1e-9))));
  const digit = value / power;
  return (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10) * power;
}

function kite(context: CanvasRenderingContext2D, screen: Float32Array, from: number, to: number, ratio: number, fill: string, halo: string): void {
  const ax = screen[from * 3], ay = screen[from * 3 + 1], bx = screen[to * 3], by = screen[to * 3 + 1];
  const length = Math.hypot(bx - ax, by - ay);
  if (!(length > 1) || screen[from * 3 + 2] <= 0 || screen[to * 3 + 2] <= 0) return;
  const nx = (-(by - ay) / length) * Math.min(length * 0.09, 4.5 * ratio), ny = ((bx - ax) / length) * Math.min(length * 0.09, 4.5 * ratio);
  const mx = ax + (bx - ax) * 0.16, my = ay + (by - ay) * 0.16;
  context.beginPath();
  context.moveTo(ax, ay);
  context.lineTo(mx + nx, my + ny);
  context.lineTo(bx, by);
  context.lineTo(mx - nx, my - ny);
  context.closePath();
  context.lineWidth = 1.5 * ratio;
  context.strokeStyle = halo;
  context.stroke();
  context.fillStyle = fill;
  context.fill();
}

function dot(context: CanvasRenderingContext2D, screen: Float32Array, joint: number, radius: number, fill: string, halo: string, ratio: number): void {
  if (screen[joint * 3 + 2] <= 0) return;
  context.beginPath();
  context.arc(screen[joint * 3], screen[joint * 3 + 1], radius, 0, 7);
  context.fillStyle = fill;
  context.strokeStyle = halo;
  context.lineWidth = 1.5 * ratio;
  context.fill();
  context.stroke();
}

function ring(context: CanvasRenderingContext2D, screen: Float32Array, joint: number, radius: number, color: string, halo: string, ratio: number): void {
  if (joint * 3 + 2 >= screen.length || screen[joint * 3 + 2] <= 0) return;
  for (const [width, style] of [[4, halo], [2, color]] as const) {
    context.beginPath();
    context.arc(screen[joint * 3], screen[joint * 3 + 1], radius, 0, 7);
    context.lineWidth = width * ratio;
    context.strokeStyle = style;
    context.stroke();
  }
}

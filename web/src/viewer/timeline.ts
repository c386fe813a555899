/** The scrub bar with its tracks: ruler, range, triggers, foot contacts, speed of a joint, error of a comparison. */
import type { FootContact } from "../core.js";
import type { Player } from "../player.js";
import { niceStep } from "../player.js";
import { clamp } from "../render/math.js";
import { css, mix } from "../render/theme.js";
import { decides, heat, SLIDE, slide, speeds, type ErrorMap } from "./analysis.js";
import { distance, h } from "./dom.js";
import { animationColor, WeightHistory } from "./weights.js";

interface Row {
  label: string;
  height: number;
  draw(context: CanvasRenderingContext2D, x: (time: number) => number, top: number, height: number): void;
}

const RULER = 24;

export class Timeline {
  readonly element: HTMLElement;
  /** A slider for the time, which has the keyboard's focus. */
  readonly slider: HTMLElement;
  showContacts = true;
  error: ErrorMap | null = null;
  private canvas: HTMLCanvasElement;
  private handles: HTMLElement[];
  private player: Player | null = null;
  private rows: Row[] = [];
  private gutter = 84;
  /** Weights of crossfades and of animations laid over the main one. */
  private weights = new WeightHistory();

  constructor(private changed: () => void) {
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.slider = h("div", { class: "scrub", role: "slider", tabindex: 0, "aria-label": "Time", "aria-valuemin": 0, "aria-valuemax": 0, "aria-valuenow": 0 }, this.canvas);
    this.handles = ["Start of range", "End of range"].map((label, which) => {
      const handle = h("div", { class: `handle handle-${which}`, role: "slider", tabindex: 0, "aria-label": label, "aria-valuemin": 0, "aria-valuemax": 0, "aria-valuenow": 0 });
      handle.addEventListener("keydown", (event) => this.handleKey(event, which));
      handle.addEventListener("pointerdown", (event) => {
        event.stopPropagation();
        handle.setPointerCapture(event.pointerId);
      });
      handle.addEventListener("pointermove", (event) => {
        if (handle.hasPointerCapture(event.pointerId)) this.moveHandle(which, this.timeAt(event.clientX));
      });
      return handle;
    });
    this.element = h("div", { class: "timeline" }, this.slider, ...this.handles);
    this.slider.addEventListener("pointerdown", (event) => {
      this.slider.setPointerCapture(event.pointerId);
      this.scrub(event);
    });
    this.slider.addEventListener("pointermove", (event) => {
      if (this.slider.hasPointerCapture(event.pointerId)) this.scrub(event);
    });
    this.slider.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.slider);
  }

  private scrub(event: PointerEvent): void {
    if (!this.player) return;
    // The time follows the pointer also during play.
    this.player.time = this.timeAt(event.clientX);
  }

  private timeAt(clientX: number): number {
    const box = this.slider.getBoundingClientRect();
    const length = this.player?.length ?? 0;
    return clamp((clientX - box.left - this.gutter) / Math.max(box.width - this.gutter - 12, 1), 0, 1) * length;
  }

  private key(event: KeyboardEvent): void {
    const { player } = this;
    if (!player) return;
    const moves: Record<string, () => void> = {
      ArrowRight: () => player.step(event.shiftKey ? 10 : 1),
      ArrowUp: () => player.step(event.shiftKey ? 10 : 1),
      ArrowLeft: () => player.step(event.shiftKey ? -10 : -1),
      ArrowDown: () => player.step(event.shiftKey ? -10 : -1),
      PageUp: () => (player.time += player.length / 10),
      PageDown: () => (player.time -= player.length / 10),
      Home: () => (player.time = player.span[0]),
      End: () => (player.time = player.span[1]),
    };
    const move = moves[event.key];
    if (!move) return;
    move();
    event.preventDefault();
    event.stopPropagation();
  }

  private handleKey(event: KeyboardEvent, which: number): void {
    const { player } = this;
    if (!player) return;
    const step = (event.shiftKey ? 10 : 1) / player.fps;
    const now = player.span[which];
    if (event.key === "ArrowRight" || event.key === "ArrowUp") this.moveHandle(which, now + step);
    else if (event.key === "ArrowLeft" || event.key === "ArrowDown") this.moveHandle(which, now - step);
    else if (event.key === "Home" || event.key === "Delete" || event.key === "Backspace") this.moveHandle(which, which ? player.length : 0);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private moveHandle(which: number, time: number): void {
    const { player } = this;
    if (!player) return;
    const [from, to] = player.span;
    const gap = 1 / player.fps;
    const range: [number, number] = which ? [from, clamp(time, from + gap, player.length)] : [clamp(time, 0, to - gap), to];
    player.range = range[0] <= 0 && range[1] >= player.length - 1e-6 ? null : range;
    this.changed();
    this.draw();
  }

  attach(player: Player | null): void {
    this.player = player;
    this.error = null;
    this.weights.clear();
    this.rebuild();
  }

  /** Chooses the rows for the player's animation. */
  rebuild(): void {
    const { player } = this;
    this.rows = [];
    if (!player) return this.draw();
    const animation = player.model.animations[player.index];
    if (animation?.triggers.length) {
      this.rows.push({
        label: "Triggers",
        height: 20,
        draw: (context, x, top, height) => {
          context.textBaseline = "middle";
          for (const trigger of animation.triggers) {
            const at = x(trigger.time);
            context.fillStyle = css(player.theme.accent);
            context.beginPath();
            context.moveTo(at, top + 4);
            context.lineTo(at + 5, top + height / 2);
            context.lineTo(at, top + height - 4);
            context.lineTo(at - 5, top + height / 2);
            context.fill();
            context.fillStyle = player.theme.text;
            context.fillText(trigger.name, at + 8, top + height / 2 + 0.5);
          }
        },
      });
    }
    if (this.showContacts && player.model.kind === "motion" && player.model.animations.length) {
      const contacts = player.contacts();
      for (const side of ["left", "right", "middle"] as const) {
        const own = contacts.filter((contact) => contact.side === side && contact.part !== "hand");
        if (own.length) this.rows.push(this.contactRow(side, own, player));
      }
    }
    if (player.selected >= 0 && player.model.animations.length) this.rows.push(this.speedRow(player));
    if (this.error) this.rows.push(this.errorRow(this.error, player));
    if (this.weights.isMixed) this.rows.push(this.weightRow(player));
    this.draw();
  }

  /** Records the weights of the pose shown. */
  record(): void {
    const { player, weights } = this;
    if (!player) return;
    const before = weights.isMixed;
    weights.record(player);
    if (weights.isMixed !== before) this.rebuild();
  }

  private weightRow(player: Player): Row {
    const { weights } = this;
    return {
      label: "Weights",
      height: 34,
      draw: (context, x, top, height) => {
        const bottom = top + height - 4, tall = height - 8;
        context.lineWidth = 1.75;
        for (const animation of weights.animations) {
          context.strokeStyle = animationColor(animation);
          context.beginPath();
          let isDrawing = false;
          for (let bin = 0; bin < weights.bins; bin++) {
            const value = weights.at(animation, bin);
            const left = x((bin / (weights.bins - 1)) * player.length), y = bottom - Math.min(value, 1) * tall;
            if (value < 0) isDrawing = false;
            else if (isDrawing) context.lineTo(left, y);
            else context.moveTo(left, y);
            isDrawing = value >= 0;
          }
          context.stroke();
        }
        context.textBaseline = "top";
        context.textAlign = "right";
        let right = x(player.length) - 2;
        for (const animation of [...weights.animations].reverse()) {
          const { name } = player.model.animations[animation];
          context.lineWidth = 4;
          context.lineJoin = "round";
          context.strokeStyle = player.theme.halo;
          context.strokeText(name, right, top + 2);
          context.fillStyle = player.theme.text;
          context.fillText(name, right, top + 2);
          right -= context.measureText(name).width + 10;
          context.fillStyle = animationColor(animation);
          context.fillRect(right, top + 4, 7, 7);
          right -= 8;
        }
        context.textAlign = "left";
      },
    };
  }

  private contactRow(side: string, contacts: FootContact[], player: Player): Row {
    // Once per animation: a long clip has tens of thousands of contacts, and the row is drawn with every picture.
    const slides = contacts.map((contact) => decides(contact, contacts) && slide(player.actor, player.index, contact) > SLIDE);
    return {
      label: side === "middle" ? "Foot" : `${side === "left" ? "Left" : "Right"} foot`,
      height: 18,
      draw: (context, x, top, height) => {
        const { theme, length } = player;
        const color = side === "left" ? theme.left : side === "right" ? theme.right : theme.center;
        // Where the last drawn bar of each lane ends: contacts of less than a pixel are drawn as one.
        const ends = [-Infinity, -Infinity];
        contacts.forEach((contact, index) => {
          const ball = contact.part === "ball";
          const lane = ball ? 1 : 0;
          if (x(contact.end) < ends[lane] + 0.5 && !slides[index]) return;
          ends[lane] = Math.max(x(contact.end), x(contact.start) + 2);
          const y = top + (ball ? height / 2 : 3), tall = (height - 6) / 2;
          context.fillStyle = css(color, ball ? 0.55 : 0.95);
          const spans = contact.end > length + 1e-6 ? [[contact.start, length], [0, contact.end - length]] : [[contact.start, contact.end]];
          for (const [from, to] of spans) {
            context.beginPath();
            context.roundRect(x(from), y, Math.max(x(to) - x(from), 2), tall, 2);
            context.fill();
            if (slides[index]) {
              context.fillStyle = css([0.85, 0.15, 0.2]);
              context.fillRect(x(from), y + tall - 1.5, Math.max(x(to) - x(from), 2), 1.5);
              context.fillStyle = css(color, ball ? 0.55 : 0.95);
            }
          }
        });
      },
    };
  }

  private speedRow(player: Player): Row {
    const joint = player.selected;
    const values = speeds(player.actor.table(player.index), joint);
    const most = values.reduce((a, b) => Math.max(a, b), 1e-9);
    const { rate } = player.actor.table(player.index);
    return {
      label: `${player.actor.names[joint]}`,
      height: 34,
      draw: (context, x, top, height) => {
        context.beginPath();
        context.moveTo(x(0), top + height - 3);
        values.forEach((value, i) => context.lineTo(x(i / rate), top + height - 3 - (value / most) * (height - 8)));
        context.lineTo(x((values.length - 1) / rate), top + height - 3);
        context.fillStyle = css(player.theme.accent, 0.16);
        context.fill();
        context.beginPath();
        values.forEach((value, i) => context.lineTo(x(i / rate), top + height - 3 - (value / most) * (height - 8)));
        context.strokeStyle = css(player.theme.accent);
        context.lineWidth = 1.25;
        context.stroke();
        context.fillStyle = css(mix(player.theme.bone, player.theme.grid, 0.3));
        context.textBaseline = "top";
        context.textAlign = "right";
        context.fillText(`speed, at most ${distance(most, player.actor.is3d)}/s`, x(player.length) - 2, top + 2);
        context.textAlign = "left";
      },
    };
  }

  private errorRow(error: ErrorMap, player: Player): Row {
    const rows = error.joints.length;
    const height = clamp(rows * 3, 24, 96);
    return {
      label: "Distance",
      height,
      draw: (context, x, top, tall) => {
        const dark = player.theme.background[0] < 0.5;
        const picture = new ImageData(error.count, Math.max(rows, 1));
        for (let row = 0; row < rows; row++) {
          for (let i = 0; i < error.count; i++) picture.data.set([...heat(Math.sqrt(error.values[row * error.count + i] / (error.max || 1)), dark), 255], (row * error.count + i) * 4);
        }
        const canvas = new OffscreenCanvas(error.count, Math.max(rows, 1));
        canvas.getContext("2d")?.putImageData(picture, 0, 0);
        context.imageSmoothingEnabled = false;
        context.drawImage(canvas, x(0), top + 2, x(error.duration) - x(0), tall - 4);
        if (player.selected >= 0) {
          const row = error.joints.indexOf(player.selected);
          if (row >= 0) {
            context.strokeStyle = css(player.theme.accent);
            context.lineWidth = 1;
            context.strokeRect(x(0), top + 2 + ((tall - 4) * row) / rows, x(error.duration) - x(0), Math.max((tall - 4) / rows, 2));
          }
        }
      },
    };
  }

  draw(): void {
    const { player, canvas } = this;
    const width = this.slider.clientWidth;
    if (!width) return;
    this.gutter = width < 520 ? 12 : 84;
    const labels = this.gutter > 20;
    const rowHeight = (row: Row): number => row.height + (labels ? 0 : 12);
    const height = RULER + this.rows.reduce((sum, row) => sum + rowHeight(row), 0) + 4;
    const ratio = devicePixelRatio;
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = `${height}px`;
    }
    const context = canvas.getContext("2d");
    if (!context) return;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    if (!player) return;
    const { theme, length, span, fps } = player;
    const inner = width - this.gutter - 12;
    const x = (time: number): number => this.gutter + (length > 0 ? time / length : 0) * inner;
    const quiet = css(mix(theme.bone, theme.background, 0.38));
    context.font = "11px ui-sans-serif, system-ui, sans-serif";
    // Ruler: seconds, and frames where they are wide enough.
    context.fillStyle = css(theme.accent, 0.16);
    context.fillRect(x(span[0]), RULER - 7, x(span[1]) - x(span[0]), 5);
    context.fillStyle = css(theme.grid, 0.7);
    context.fillRect(x(0), RULER - 5, inner, 1);
    if (length > 0) {
      const perFrame = inner / (length * fps);
      if (perFrame >= 5) {
        context.fillStyle = css(theme.grid, 0.8);
        for (let i = 0; i <= Math.round(length * fps); i++) context.fillRect(x(i / fps), RULER - 8, 1, 3);
      }
      const step = niceStep((length / inner) * 80);
      context.textBaseline = "top";
      for (let i = 0; i * step <= length + 1e-9; i++) {
        const at = x(i * step);
        context.fillStyle = css(theme.grid);
        context.fillRect(at, RULER - 11, 1, 7);
        if (at < width - 34) {
          context.fillStyle = quiet;
          context.fillText(`${+(i * step).toFixed(3)} s`, at + 3, 2);
        }
      }
    }
    let top = RULER;
    for (const row of this.rows) {
      context.fillStyle = quiet;
      context.textBaseline = "middle";
      let label = row.label;
      if (labels) {
        while (label.length > 3 && context.measureText(label).width > this.gutter - 18) label = `${label.slice(0, -2)}…`;
        context.fillText(label, 12, top + row.height / 2);
      } else {
        context.fillText(label, this.gutter, top + 7);
      }
      context.save();
      row.draw(context, x, top + (labels ? 0 : 12), row.height);
      context.restore();
      top += rowHeight(row);
    }
    // Outside of the range.
    context.fillStyle = css([theme.background[0], theme.background[1], theme.background[2]], 0.6);
    if (player.range) {
      context.fillRect(x(0), RULER, x(span[0]) - x(0), height - RULER);
      context.fillRect(x(span[1]), RULER, x(length) - x(span[1]), height - RULER);
    }
    const now = x(Math.min(player.time, length));
    context.fillStyle = css(theme.accent);
    context.fillRect(now - 0.75, 8, 1.5, height - 8);
    context.beginPath();
    context.roundRect(now - 5, 4, 10, 11, 3);
    context.fill();
    this.handles.forEach((handle, which) => {
      handle.style.left = `${x(span[which])}px`;
      this.slideState(handle, span[which], length);
    });
    this.slideState(this.slider, player.time, length);
    this.slider.setAttribute("aria-valuetext", `${player.time.toFixed(3)} seconds, frame ${player.frame}`);
  }

  private slideState(element: HTMLElement, value: number, most: number): void {
    element.setAttribute("aria-valuenow", value.toFixed(3));
    element.setAttribute("aria-valuemax", most.toFixed(3));
  }
}

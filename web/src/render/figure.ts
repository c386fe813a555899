/** Bone figures: which capsule each joint gets, and buffers of capsules. */
import { CAPSULE_FLOATS } from "./gl.js";
import type { Rgb } from "./theme.js";

export type Side = "left" | "right" | "center";

/** A buffer of capsules that grows and is reused between frames. */
export class Capsules {
  data = new Float32Array(CAPSULE_FLOATS * 64);
  count = 0;

  clear(): void {
    this.count = 0;
  }

  add(a: ArrayLike<number>, ai: number, ra: number, b: ArrayLike<number>, bi: number, rb: number, color: Rgb, opacity = 1): void {
    const start = this.count * CAPSULE_FLOATS;
    if (start + CAPSULE_FLOATS > this.data.length) {
      const grown = new Float32Array(this.data.length * 2);
      grown.set(this.data);
      this.data = grown;
    }
    const d = this.data;
    d[start] = a[ai]; d[start + 1] = a[ai + 1]; d[start + 2] = a[ai + 2]; d[start + 3] = ra;
    d[start + 4] = b[bi]; d[start + 5] = b[bi + 1]; d[start + 6] = b[bi + 2]; d[start + 7] = rb;
    d[start + 8] = color[0]; d[start + 9] = color[1]; d[start + 10] = color[2]; d[start + 11] = opacity;
    this.count++;
  }
}

const SIDES: [RegExp, string][] = [
  [/left/, "right"],
  [/Left/, "Right"],
  [/^l(?=[a-z_.])/, "r"],
  [/^L(?=[A-Z_.])/, "R"],
  [/_l(?=$|_|\.)/, "_r"],
  [/_L(?=$|_|\.)/, "_R"],
  [/\.l$/, ".r"],
  [/\.L$/, ".R"],
  [/(?<=[:_])L(?=[A-Z])/, "R"],
];
const RIGHT_TO_LEFT: [RegExp, string][] = [
  [/right/, "left"],
  [/Right/, "Left"],
  [/^r(?=[a-z_.])/, "l"],
  [/^R(?=[A-Z_.])/, "L"],
  [/_r(?=$|_|\.)/, "_l"],
  [/_R(?=$|_|\.)/, "_L"],
  [/\.r$/, ".l"],
  [/\.R$/, ".L"],
  [/(?<=[:_])R(?=[A-Z])/, "L"],
];

/** The side of each joint: a name counts as left or right if its mirrored name exists. */
export function sides(names: readonly string[]): Side[] {
  const known = new Set(names);
  const mirrored = (name: string, rules: [RegExp, string][]): boolean =>
    rules.some(([pattern, other]) => pattern.test(name) && known.has(name.replace(pattern, other)));
  return names.map((name) => (mirrored(name, SIDES) ? "left" : mirrored(name, RIGHT_TO_LEFT) ? "right" : "center"));
}

export interface FigureBone {
  /** Joint at the start and at the end. */
  from: number;
  to: number;
  side: Side;
  /** Thickness relative to the figure's height. */
  start: number;
  end: number;
}

/** Chooses bones and their thickness from a rest or first pose. `height` is the figure's height. */
export function figureBones(joints: readonly { name: string; parent: number }[], positions: Float32Array, height: number): FigureBone[] {
  const side = sides(joints.map((joint) => joint.name));
  const bones: FigureBone[] = [];
  const crowded = joints.length > 120 ? 0.6 : 1;
  const isHead = (name: string): boolean => /head/.test(name) && !/forehead|nub|end|top/.test(name);
  const hasChild = new Set(joints.map((joint) => joint.parent));
  joints.forEach((joint, index) => {
    if (joint.parent < 0) return;
    const p = joint.parent * 3, q = index * 3;
    const length = Math.hypot(positions[q] - positions[p], positions[q + 1] - positions[p + 1], positions[q + 2] - positions[p + 2]) / (height || 1);
    if (!(length > 1e-5)) return;
    const name = joint.name.toLowerCase(), parent = joints[joint.parent].name.toLowerCase();
    const center = side[index] === "center";
    let start: number, end: number;
    if ((isHead(parent) || (isHead(name) && !hasChild.has(index))) && center) {
      // The head is the bone that ends it: narrow at the chin.
      start = Math.min(Math.max(length * 0.3, 0.02), 0.027);
      end = start * 1.45;
    } else if (/finger|thumb|index|middle|ring|pinky|eye|jaw/.test(name)) {
      start = end = 0.0055;
    } else if (/neck/.test(name) && center) {
      start = end = 0.018;
    } else if (center && !/prop|hair|tail|weapon|ponytail/.test(name)) {
      start = end = Math.min(Math.max(length * 0.45, 0.03), 0.042);
    } else {
      const limb = Math.min(Math.max(length * 0.125, 0.008), 0.03);
      start = limb;
      end = Math.max(limb * 0.66, 0.007);
    }
    bones.push({ from: joint.parent, to: index, side: side[index], start: start * crowded, end: end * crowded });
  });
  return bones;
}

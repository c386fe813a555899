/** Figures of merit: sliding of planted feet, speed of a joint, distance between two motions. */
import type { Actor, PointTable } from "../actor.js";
import type { FootContact } from "../core.js";
import type { Comparison } from "../player.js";
import { placeOnGround } from "../render/math.js";

/** More than this is a slide, in metres. */
export const SLIDE = 0.02;

/**
 * Whether a contact tells if the foot slides. The ankle rolls over the ball of a planted foot, so the ball decides where
 * there is one.
 */
export const decides = (contact: FootContact, all: readonly FootContact[]): boolean =>
  contact.part === "ball" || !all.some((other) => other.part === "ball" && other.side === contact.side);

/** A joint that is higher than this above its lowest place in a contact rolls or lifts off, in metres. */
const REST_HEIGHT = 0.015;

/** The extent of a planted joint's path over the ground while it rests, in metres. Rolling over the toes does not count. */
export function slide(actor: Actor, animation: number, contact: FootContact): number {
  const table = actor.table(animation);
  const { duration } = actor.model.animations[animation];
  const first = Math.ceil(contact.start * table.rate), last = Math.floor(Math.min(contact.end, duration) * table.rate);
  const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
  const rowOf = (i: number) => (Math.min(Math.max(i, 0), table.count - 1) * table.points + contact.joint) * 3;
  let ground = Infinity;
  for (let i = first; i <= last; i++) ground = Math.min(ground, table.data[rowOf(i) + 1]);
  for (let i = first; i <= last; i++) {
    const row = rowOf(i);
    if (table.data[row + 1] > ground + REST_HEIGHT) continue;
    for (let k = 0; k < 2; k++) {
      const value = table.data[row + k * 2];
      low[k] = Math.min(low[k], value);
      high[k] = Math.max(high[k], value);
    }
  }
  return last < first ? 0 : Math.hypot(high[0] - low[0], high[1] - low[1]);
}

/** Speed of a joint at each step of its table, per second. */
export function speeds(table: PointTable, joint: number): Float32Array {
  const out = new Float32Array(table.count);
  for (let i = 0; i < table.count; i++) {
    const a = (Math.max(i - 1, 0) * table.points + joint) * 3, b = (Math.min(i + 1, table.count - 1) * table.points + joint) * 3;
    const steps = Math.min(i + 1, table.count - 1) - Math.max(i - 1, 0);
    out[i] = (Math.hypot(table.data[b] - table.data[a], table.data[b + 1] - table.data[a + 1], table.data[b + 2] - table.data[a + 2]) / Math.max(steps, 1)) * table.rate;
  }
  return out;
}

export interface ErrorMap {
  /** Joints of the first motion that have a counterpart. */
  joints: number[];
  names: string[];
  /** Steps of time. */
  count: number;
  /** Distance per joint and step: `joint * count + step`. */
  values: Float32Array;
  max: number;
  mean: number;
  worstJoint: number;
  worstTime: number;
  duration: number;
}

/** The distance of each joint between two motions over the first one's time. */
export function errorMap(a: Actor, animation: number, b: Actor, other: number, { map, alignRoot, ground }: Pick<Comparison, "map" | "alignRoot" | "ground">): ErrorMap {
  const counterpart = new Map(b.names.map((name, index) => [name, index]));
  const joints = a.names.map((_, index) => index).filter((index) => counterpart.has(a.names[index]));
  const { duration } = a.model.animations[animation];
  const count = Math.max(2, Math.min(600, Math.ceil(duration * 30) + 1));
  const values = new Float32Array(joints.length * count);
  let max = 0, sum = 0, worstJoint = -1, worstTime = 0;
  for (let i = 0; i < count; i++) {
    const time = (i / (count - 1)) * duration;
    const p = a.pointsAt(animation, time).slice();
    const shown = b.pointsAt(other, Math.min(Math.max(map(time), 0), b.model.animations[other].duration));
    const q = ground ? placeOnGround(shown, ground(time)) : shown;
    const shift = alignRoot && p.length && q.length ? [p[0] - q[0], a.is3d ? 0 : p[1] - q[1], p[2] - q[2]] : [0, 0, 0];
    joints.forEach((joint, row) => {
      const from = joint * 3, to = (counterpart.get(a.names[joint]) ?? 0) * 3;
      const value = Math.hypot(p[from] - q[to] - shift[0], p[from + 1] - q[to + 1] - shift[1], p[from + 2] - q[to + 2] - shift[2]);
      values[row * count + i] = value;
      sum += value;
      if (value > max) [max, worstJoint, worstTime] = [value, joint, time];
    });
  }
  return { joints, names: joints.map((joint) => a.names[joint]), count, values, max, mean: joints.length ? sum / values.length : 0, worstJoint, worstTime, duration };
}

/** A colour for an error between 0 and 1: quiet to loud, readable in light and dark. */
export function heat(value: number, dark: boolean): [number, number, number] {
  const stops = dark ? [[42, 48, 52], [94, 79, 140], [201, 84, 110], [252, 190, 105]] : [[228, 232, 230], [190, 174, 224], [214, 90, 110], [120, 16, 40]];
  const x = Math.min(Math.max(value, 0), 1) * (stops.length - 1);
  const i = Math.min(Math.floor(x), stops.length - 2);
  return [0, 1, 2].map((k) => Math.round(stops[i][k] + (stops[i + 1][k] - stops[i][k]) * (x - i))) as [number, number, number];
}

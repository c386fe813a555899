/**
 * The playhead: advances a time within a range, and finds the triggers that it passed.
 *
 * A step is a list of legs over the range, in order of travel: up to the end where it wraps or bounces, over the whole
 * range if the step is that long, and from an end to the new time. A leg passes the times of the half-open
 * interval `(start, end]` in the direction of travel, so that two consecutive steps pass each time once. The two ends of
 * a loop are one point of the time line: the leg after a wrap also passes its start. The core's controller has the same
 * rules. Cost: constant, plus the number of triggers; nothing depends on the length of the step.
 */
import { clamp, repeat } from "./render/math.js";

export type LoopMode = "loop" | "once" | "ping-pong";

/** A part of a step without a wrap or bounce. */
interface Leg {
  start: number;
  end: number;
  /** Whether the start counts as passed. */
  includesStart: boolean;
}

export interface PlayheadStep {
  time: number;
  /** Direction of ping-pong playback: 1 or -1, before the sign of the speed. */
  direction: number;
  /** Whether it wrapped or bounced. */
  wrapped: boolean;
  /** Whether it reached the end of `once`. */
  ended: boolean;
  legs: readonly Leg[];
}

/**
 * Advances `time` by `delta` seconds of the animation, which are negative for a negative speed. From outside of the
 * range it continues towards it, or from its end.
 */
export function advance(time: number, delta: number, direction: number, range: readonly [number, number], mode: LoopMode): PlayheadStep {
  const [from, to] = range;
  const length = to - from;
  const step = Number.isFinite(delta) ? delta * direction : 0;
  const forward = step > 0;
  const start = forward ? Math.min(time, to) : Math.max(time, from);
  const target = start + step;
  const straight = (end: number, ended = false): PlayheadStep => ({ time: end, direction, wrapped: false, ended, legs: [{ start, end, includesStart: false }] });
  if (!(length > 0)) return { ...straight(from), legs: [] };
  if (step === 0) return { ...straight(time), legs: [] };
  const [near, far] = forward ? [from, to] : [to, from];
  if (forward ? target < to : target > from) return straight(target);
  if (mode === "once") return straight(far, true);

  const legs: Leg[] = [{ start, end: far, includesStart: false }];
  const sign = forward ? 1 : -1;
  const rest = (target - far) * sign;
  const whole = Math.floor(rest / length), part = clamp(repeat(rest, length), 0, length);
  if (mode === "loop") {
    if (whole > 0) legs.push({ start: near, end: far, includesStart: true });
    const end = near + sign * part;
    legs.push({ start: near, end, includesStart: true });
    return { time: end, direction, wrapped: true, ended: false, legs };
  }
  if (whole > 0) legs.push({ start: far, end: near, includesStart: false });
  if (whole > 1) legs.push({ start: near, end: far, includesStart: false });
  // After an even number of whole passes it leaves the far end, else the near one.
  const turns = whole % 2 === 0;
  const end = turns ? far - sign * part : near + sign * part;
  legs.push({ start: turns ? far : near, end, includesStart: false });
  return { time: end, direction: turns ? -direction : direction, wrapped: true, ended: false, legs };
}

/** The triggers within the range that a step passed, in the order of the first pass, each once. */
export function passedTriggers<T extends { time: number }>(triggers: readonly T[], step: PlayheadStep, range: readonly [number, number]): T[] {
  const passed = new Set<T>();
  for (const { start, end, includesStart } of step.legs) {
    const backward = end < start;
    const times = [...triggers].sort((a, b) => (backward ? b.time - a.time : a.time - b.time));
    for (const trigger of times) {
      const { time } = trigger;
      const inside = backward ? time < start && time >= end : time > start && time <= end;
      if (time >= range[0] && time <= range[1] && (inside || (includesStart && time === start))) passed.add(trigger);
    }
  }
  return [...passed];
}

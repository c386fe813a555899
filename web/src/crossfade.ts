/**
 * The crossfades of a player: animations that it left and that still show below the current one.
 *
 * They form a stack. The lowest has full weight; each one above is blended over the result by its own weight, which
 * rises from 0 to 1 by smoothstep. A switch during a crossfade puts the current animation on the stack with the weight
 * that it has, so the pose is continuous; what is covered by a full weight is dropped.
 */
import type { PoseTrack } from "./actor.js";
import { advance, type LoopMode } from "./playhead.js";
import { clamp } from "./render/math.js";

interface Fading {
  animation: number;
  time: number;
  direction: number;
  rate: number;
  range: readonly [number, number];
  loop: LoopMode;
  /** Seconds of its fade-in, and how many passed. */
  length: number;
  elapsed: number;
}

/** More animations at once are not worth their cost: the lowest is dropped. */
const MAX_FADING = 6;

const weight = ({ elapsed, length }: { elapsed: number; length: number }): number => {
  const t = length > 0 ? clamp(elapsed / length, 0, 1) : 1;
  return t * t * (3 - 2 * t);
};

export class Crossfade {
  private below: Fading[] = [];
  private current = { length: 0, elapsed: 0 };

  /** Leaves an animation for another one within `seconds`. */
  start(left: Omit<Fading, "length" | "elapsed">, seconds: number): void {
    this.below.push({ ...left, ...this.current });
    if (this.below.length > MAX_FADING) this.below.shift();
    this.current = { length: seconds, elapsed: 0 };
  }

  /** Ends all crossfades at once. */
  clear(): void {
    this.below = [];
    this.current = { length: 0, elapsed: 0 };
  }

  /** Returns whether a crossfade is left. */
  advance(seconds: number): boolean {
    if (!this.below.length) return false;
    this.current.elapsed += seconds;
    for (const fading of this.below) {
      fading.elapsed += seconds;
      const step = advance(fading.time, seconds * fading.rate, fading.direction, fading.range, fading.loop);
      fading.time = step.time;
      fading.direction = step.direction;
    }
    if (weight(this.current) >= 1) this.clear();
    const covering = this.below.findLastIndex((fading) => weight(fading) >= 1);
    if (covering > 0) this.below.splice(0, covering);
    return this.below.length > 0;
  }

  /** The animations below the current one, from the lowest. */
  tracks(): PoseTrack[] {
    return this.below.map((fading, i) => ({ animation: fading.animation, time: fading.time, weight: i ? weight(fading) : 1 }));
  }

  /** Weight of the current animation. */
  get weight(): number {
    return this.below.length ? weight(this.current) : 1;
  }
}

/** Weights of the animations that play: now, and over the time line. */
import type { PoseTrack } from "../actor.js";
import type { Player } from "../player.js";

const HUES = [172, 28, 262, 206, 340, 88, 48, 300];

/** The colour of an animation in graphs of weights. */
export const animationColor = (animation: number): string => `hsl(${HUES[animation % HUES.length]} 55% 50%)`;

/**
 * The share of each animation in the pose: those above a track leave `1 - weight` of what is below. The shares of
 * animations that are not additive add up to 1.
 */
export function shares(tracks: readonly PoseTrack[]): Map<number, number> {
  const found = new Map<number, number>();
  let rest = 1;
  for (let i = tracks.length - 1; i >= 0; i--) {
    const { animation, weight, additive } = tracks[i];
    // The lowest one always has full weight.
    const share = additive ? weight : (i ? weight : 1) * rest;
    if (!additive) rest *= 1 - weight;
    found.set(animation, (found.get(animation) ?? 0) + share);
  }
  return found;
}

const BINS = 480;

/** Weights over the time of the current animation, as they were when it was last played or shown there. */
export class WeightHistory {
  readonly bins = BINS;
  /** A row of [bins] weights for each animation; -1 where nothing is known. */
  private rows = new Map<number, Float32Array>();
  private index = -1;
  private last = -1;
  /** Whether more than one animation was seen. */
  isMixed = false;

  clear(): void {
    this.rows.clear();
    this.last = -1;
    this.isMixed = false;
  }

  /** Records the weights at the player's time. */
  record(player: Player): void {
    const { length, time, index } = player;
    if (index !== this.index) {
      this.clear();
      this.index = index;
    }
    if (!(length > 0)) return;
    const now = shares(player.tracks());
    const bin = Math.min(Math.round((time / length) * (BINS - 1)), BINS - 1);
    // A step of the playback fills what lies between, linearly; a jump or a loop does not.
    const from = player.playing && this.last >= 0 && Math.abs(bin - this.last) < BINS / 4 ? this.last : bin;
    this.last = bin;
    this.isMixed ||= now.size > 1;
    for (const animation of now.keys()) if (!this.rows.has(animation)) this.rows.set(animation, new Float32Array(BINS).fill(-1));
    for (const [animation, row] of this.rows) {
      const value = now.get(animation) ?? 0, before = row[from] < 0 || from === bin ? value : row[from];
      const steps = Math.abs(bin - from), sign = bin < from ? -1 : 1;
      for (let i = 0; i <= steps; i++) row[from + sign * i] = before + (value - before) * (steps ? i / steps : 1);
    }
  }

  get animations(): number[] {
    return [...this.rows.keys()].sort((a, b) => a - b);
  }

  /** The weight at a bin; -1 if unknown. */
  at(animation: number, bin: number): number {
    return this.rows.get(animation)?.[bin] ?? -1;
  }
}

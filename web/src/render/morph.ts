/**
 * Morph targets of glTF meshes: positions = base + sum of weight * displacement (glTF 2.0, section 3.7.2.2). Computed here
 * rather than by the graphics processor, so that every renderer sees the same positions; only when a weight changed. Cost:
 * vertices * targets with a weight. Normals keep those of the base.
 */

/** The targets of a mesh part. */
export interface Morph {
  base: Float32Array;
  /** Displacements per target. */
  targets: Float32Array[];
  /** Weights without an animation. */
  rest: number[];
  /** Weights of the positions now. */
  weights: number[];
}

/** Weights of a node's mesh over time. */
export interface MorphTrack {
  node: number;
  times: Float32Array;
  /** `targets` numbers per key; three times as many for `CUBICSPLINE`. */
  values: Float32Array;
  targets: number;
  interpolation: "STEP" | "LINEAR" | "CUBICSPLINE";
}

/** What morphs a part: its own data and where its positions are. */
export interface Morphable {
  positions: Float32Array;
  node: number;
  morph: Morph | null;
  /** Incremented whenever positions change. */
  version: number;
}

/** An animation of the pose; see `PoseTrack`. */
interface Layer {
  animation: number;
  time: number;
  weight: number;
  additive?: boolean;
}

/** Weight of one target at a time. Times outside of the keys are clamped. */
export function sampleWeight(track: MorphTrack, target: number, time: number): number {
  const { times, values, targets, interpolation } = track;
  const last = times.length - 1;
  if (last < 0) return 0;
  let key = 0, end = last;
  while (key < end) {
    const middle = (key + end + 1) >> 1;
    if (times[middle] <= time) key = middle;
    else end = middle - 1;
  }
  const cubic = interpolation === "CUBICSPLINE";
  // A key of a spline is: tangent in, value, tangent out.
  const value = (index: number, part: number): number => values[(cubic ? index * 3 + part : index) * targets + target] ?? 0;
  if (time <= times[0] || key === last || interpolation === "STEP") return value(key, 1);
  const span = times[key + 1] - times[key];
  const t = span > 0 ? (time - times[key]) / span : 0;
  if (!cubic) return value(key, 0) + (value(key + 1, 0) - value(key, 0)) * t;
  const t2 = t * t, t3 = t2 * t;
  return (2 * t3 - 3 * t2 + 1) * value(key, 1) + span * (t3 - 2 * t2 + t) * value(key, 2) + (3 * t2 - 2 * t3) * value(key + 1, 1) + span * (t3 - t2) * value(key + 1, 0);
}

/** Moves the parts of all meshes to a mix of animations. `animations` has the tracks of each. */
export function applyMorphs(parts: readonly Morphable[], animations: readonly (readonly MorphTrack[])[], layers: readonly Layer[]): void {
  for (const part of parts) {
    const { morph } = part;
    if (!morph) continue;
    let changed = false;
    morph.targets.forEach((_, target) => {
      let weight = morph.rest[target] ?? 0;
      for (const layer of layers) {
        const track = animations[layer.animation]?.find((candidate) => candidate.node === part.node);
        if (!track) continue;
        const sampled = sampleWeight(track, target, layer.time);
        weight += (layer.additive ? sampled : sampled - weight) * layer.weight;
      }
      if (!Number.isFinite(weight)) weight = 0;
      if (weight !== morph.weights[target]) {
        morph.weights[target] = weight;
        changed = true;
      }
    });
    if (!changed) continue;
    part.positions.set(morph.base);
    morph.targets.forEach((displacements, target) => {
      const weight = morph.weights[target];
      if (weight === 0) return;
      for (let i = 0; i < displacements.length; i++) part.positions[i] += weight * displacements[i];
    });
    part.version++;
  }
}

/** Registration curves between the two motions of a comparison: corresponding times, and alignment on the ground. */
import { Curve, type GroundTransform, type MotionModel } from "../core.js";
import { placeOnGround } from "../render/math.js";
import { baseName, extension, type Opened, type Source } from "./files.js";

/** A curve, with the motions of it that are compared. */
export interface Registration {
  curve: Curve;
  /** Indices of the two motions in the curve. */
  motions: readonly [number, number];
  /** The file that it is from. */
  file: string;
}

/** One of the motions that are compared. */
export interface ComparedMotion {
  opened: Opened;
  animation: number;
}

const MAX_CURVE_BYTES = 5e6;

/** How many JSON files are read to find out whether they are curves. */
const MAX_CANDIDATES = 20;

/** Marks those JSON files that are registration curves: their first field says so. */
export async function markCurves(sources: readonly Source[]): Promise<void> {
  const candidates = sources.filter((source) => source.isCurve === undefined && source.group === "files" && extension(source.name) === ".json" && source.size <= MAX_CURVE_BYTES);
  for (const source of candidates.slice(0, MAX_CANDIDATES)) {
    try {
      source.isCurve = /^\s*\{\s*"format"\s*:\s*"sinew-curve"/.test(new TextDecoder().decode((await source.read()).subarray(0, 200)));
    } catch {
      source.isCurve = false;
    }
  }
}

const stem = (name: string): string => baseName(name).replace(/\.[^.]+$/, "");

/** Indices of two motions in a curve by the names of animations, else of files; `null` unless both are there. */
function matching(curve: Curve, pair: readonly [ComparedMotion, ComparedMotion]): [number, number] | null {
  const find = ({ opened, animation }: ComparedMotion, except: number): number => {
    const name = opened.model.animations[animation]?.name;
    const free = (wanted: (motion: string) => boolean): number => curve.motions.findIndex((motion, index) => index !== except && wanted(motion));
    const byName = free((motion) => motion === name);
    return byName >= 0 ? byName : free((motion) => stem(motion) === stem(opened.source.name));
  };
  const first = find(pair[0], -1);
  const second = first < 0 ? -1 : find(pair[1], first);
  return second < 0 ? null : [first, second];
}

/** Finds a curve for two motions: in their own files first, then among the curves that are open. */
export async function findRegistration(pair: readonly [ComparedMotion, ComparedMotion], sources: readonly Source[]): Promise<Registration | null> {
  const seen = new Set<Opened>();
  for (const { opened } of pair) {
    if (opened.model.kind !== "motion" || seen.has(opened)) continue;
    seen.add(opened);
    for (const curve of opened.model.curves()) {
      const motions = matching(curve, pair);
      if (motions) return { curve, motions, file: opened.source.name };
      curve.free();
    }
  }
  await markCurves(sources);
  for (const source of sources) {
    if (!source.isCurve) continue;
    try {
      const curve = Curve.read(await source.read(), source.name);
      const motions = matching(curve, pair);
      if (motions) return { curve, motions, file: source.name };
      curve.free();
    } catch {
      // A curve that cannot be read is not offered.
    }
  }
  return null;
}

/** The time of the second motion that corresponds to one of the first. */
export function correspondingTime({ curve, motions: [first, second] }: Registration, time: number): number {
  return curve.time(second, curve.position(first, time));
}

const apply = (transform: GroundTransform, [x, z]: readonly [number, number]): [number, number] => {
  const [px, , pz] = placeOnGround([x, 0, z], transform);
  return [px, pz];
};

/** `first` followed by `next`. */
function then(first: GroundTransform, next: GroundTransform): GroundTransform {
  const [x, z] = apply(next, [first.x, first.z]);
  return { angle: first.angle + next.angle, x, z };
}

function inverse({ angle, x, z }: GroundTransform): GroundTransform {
  const [dx, dz] = apply({ angle: -angle, x: 0, z: 0 }, [-x, -z]);
  return { angle: -angle, x: dx, z: dz };
}

/** The motion over the ground of one cycle of an animation: from its first pose to its last. */
export function cycleMotion(model: MotionModel, animation: number): GroundTransform {
  const joint = model.rootMotionJoints[animation] ?? -1;
  if (joint < 0) return { angle: 0, x: 0, z: 0 };
  const instance = model.instance();
  try {
    const matrixAt = (time: number): Float32Array => {
      instance.sample(animation, time);
      return instance.matrices.slice(joint * 16, joint * 16 + 16);
    };
    const before = matrixAt(0), after = matrixAt(model.animations[animation].duration);
    // after · transposed before, of which the rotation about the vertical is kept: tan θ = (r02 − r20) / (r00 + r22).
    const entry = (row: number, column: number): number => [0, 4, 8].reduce((sum, k) => sum + after[k + row] * before[k + column], 0);
    const angle = Math.atan2(entry(0, 2) - entry(2, 0), entry(0, 0) + entry(2, 2));
    const [x, z] = apply({ angle, x: 0, z: 0 }, [before[12], before[14]]);
    return { angle, x: after[12] - x, z: after[14] - z };
  } finally {
    instance.free();
  }
}

/**
 * Returns the ground transform that lays the second motion over the first, at a time of the first.
 *
 * A curve aligns each motion with its reference, `T₁` and `T₂`; over the first motion the second is placed by
 * `T₁⁻¹ · T₂`. A cyclic curve begins at a time of the first cycle and may end in the next one: there the alignment is
 * that of the motion continued by its motion per cycle, which is applied before.
 */
export function groundAlignment({ curve, motions }: Registration, pair: readonly [ComparedMotion, ComparedMotion]): (time: number) => GroundTransform {
  const cycles = pair.map(({ opened: { model }, animation }, which) => {
    if (!curve.isCyclic || model.kind !== "motion") return null;
    return { motion: cycleMotion(model, animation), start: curve.time(motions[which], 0) };
  });
  const toReference = (which: 0 | 1, time: number, position: number): GroundTransform => {
    const cycle = cycles[which], alignment = curve.alignment(motions[which], position);
    // The time where the curve begins is also the one where it ends.
    const isInNext = cycle !== null && time < cycle.start + (position > 0.5 ? 1e-4 : -1e-4);
    return isInNext ? then(cycle.motion, alignment) : alignment;
  };
  return (time) => {
    const position = curve.position(motions[0], time);
    return then(toReference(1, curve.time(motions[1], position), position), inverse(toReference(0, time, position)));
  };
}

/** A model on the stage: its instance, its pose, and what the renderer needs of it. */
import { poseHash, type CharacterInstance, type CharacterModel, type Contribution, type Controller, type Model, type MotionInstance, type MotionModel } from "./core.js";
import { figureBones, type FigureBone } from "./render/figure.js";
import type { FlatFrame } from "./render/gl.js";
import type { MeshSource } from "./render/glb.js";
import type { Mat4 } from "./render/math.js";
import { nodeMatrices, skinPalette } from "./render/skin.js";
import { applyMorphs } from "./render/morph.js";

/** One animation of a pose. Later ones are laid over earlier ones with their weight. */
export interface PoseTrack {
  animation: number;
  time: number;
  weight: number;
  additive?: boolean;
  /** On layer 0, the default, it poses the whole character; on higher ones only what it has keys for. */
  layer?: number;
}

/** Points of all joints at equal steps of time: 3 numbers per point. */
export interface PointTable {
  rate: number;
  count: number;
  points: number;
  data: Float32Array;
}

const MAX_TABLE = 1200;

export class Actor {
  readonly names: string[];
  readonly parents: number[];
  /** x, y, z of each joint (and of tips); z is 0 for a 2D character. */
  points: Float32Array = new Float32Array(0);
  /** Moves the actor on the stage. */
  offset: [number, number, number] = [0, 0, 0];
  /** Resolves when pictures are decoded. */
  readonly ready: Promise<void>;
  atlases: (ImageBitmap | HTMLCanvasElement | null)[] = [];
  private character: CharacterInstance | null = null;
  private figure: MotionInstance | null = null;
  private scratch: CharacterInstance | MotionInstance | null = null;
  private controller: Controller | null = null;
  private bones: FigureBone[] | null = null;
  private boneHeight = 1;
  private tables = new Map<number, PointTable>();
  private boundsCache = new Map<number, number[]>();
  private styles: readonly number[] | null = null;

  constructor(readonly model: Model, readonly meshes: MeshSource | null = null) {
    this.create();
    if (model.kind === "character") {
      this.names = model.bones.map((bone) => bone.name);
      this.parents = model.bones.map((bone) => bone.parent);
      this.ready = this.decode(model);
    } else {
      this.names = model.joints.map((joint) => joint.name);
      this.parents = model.joints.map((joint) => joint.parent);
      this.ready = Promise.resolve();
    }
  }

  private create(): void {
    this.scratch = this.controller = null;
    if (this.model.kind === "character") this.character = this.model.instance();
    else this.figure = this.model.instance();
    if (this.styles) this.character?.setStyles(this.styles);
  }

  /** Whether it can be posed: an internal error of the runtime closes all objects. */
  get isOpen(): boolean {
    return (this.character ?? this.figure)?.isOpen ?? false;
  }

  /** Opens the model again after such an error; returns false if its bytes are not kept. */
  reopen(): boolean {
    if (!this.isOpen) {
      if (!this.model.reopen()) return false;
      this.create();
    }
    return true;
  }

  get is3d(): boolean {
    return this.model.kind === "motion";
  }

  private async decode(model: CharacterModel): Promise<void> {
    this.atlases = await Promise.all(
      model.atlases.map(async (atlas) => {
        if (!atlas.image.length || !atlas.mime) return null;
        try {
          const bitmap = await createImageBitmap(new Blob([new Uint8Array(atlas.image)], { type: atlas.mime }), { premultiplyAlpha: "premultiply" });
          return model.clearColor && atlas.mime === "image/jpeg" ? cutOut(bitmap, model.clearColor) : bitmap;
        } catch {
          return null;
        }
      }),
    );
  }

  /** Poses the actor. `seconds` since the last pose advance springs; 0 leaves them. */
  pose(tracks: readonly PoseTrack[], seconds: number, looped: boolean): void {
    const first = tracks[0];
    if (this.character) {
      const model = this.model as CharacterModel;
      if (tracks.length === 1) {
        const frame = model.frameAt(first.animation, first.time, looped ? "loop" : "once");
        this.character.animate([{ animation: first.animation, frame }], seconds);
      } else if (first) {
        this.compose(tracks).apply(this.character, seconds);
      } else {
        this.character.animate([], seconds);
      }
      this.character.construct(seconds, { physics: seconds > 0 });
      this.points = characterPoints(this.character.bones, this.points);
    } else if (this.figure) {
      if (tracks.length === 1) this.figure.sample(first.animation, first.time);
      else if (first) this.compose(tracks).apply(this.figure, seconds);
      this.points = this.figure.positions;
      if (this.meshes) applyMorphs(this.meshes.parts, this.meshes.morphs, tracks);
    }
  }

  private compose(tracks: readonly PoseTrack[]): Controller {
    this.controller ??= this.model.controller();
    const controller = this.controller;
    for (let i = controller.animations.length - 1; i >= 0; i--) controller.removeAnimation(i);
    for (const { animation, time, weight, additive, layer } of tracks) {
      controller.playNew({ animation, time, weight, layer: layer ?? 0, additive: additive ?? false, speed: 0, keepOnZeroWeight: true, keepOnCompletion: true });
    }
    return controller;
  }

  /** What each animation contributes to a joint in the pose of `tracks`. */
  explain(tracks: readonly PoseTrack[], joint: number): Contribution[] {
    if (!tracks.length) return [];
    const controller = this.compose(tracks);
    if (this.figure) return controller.explain(joint);
    return ["PositionX", "PositionY", "Rotation", "ScaleX", "ScaleY"].flatMap((element) => {
      try {
        return controller.explain(joint, element);
      } catch {
        return [];
      }
    });
  }

  wear(styles: readonly number[]): void {
    this.styles = [...styles];
    this.character?.setStyles(styles);
    if (this.scratch && this.model.kind === "character") (this.scratch as CharacterInstance).setStyles(styles);
  }

  get worn(): readonly number[] {
    return this.styles ?? (this.model.kind === "character" ? this.model.defaultStyles : []);
  }

  hold(bone: number, x: number, y: number): void {
    this.character?.setTarget(bone, x, y);
  }

  release(): void {
    this.character?.clearTargets();
  }

  reset(): void {
    this.character?.reset();
    if (this.character && this.styles) this.character.setStyles(this.styles);
  }

  isHidden(bone: number): boolean {
    return this.character ? this.character.hidden[bone] === 1 : false;
  }

  /** The frame of the character as shown, or of the last [pointsAt]. */
  frame(ofScratch = false): FlatFrame | null {
    const character = ofScratch ? (this.scratch as CharacterInstance | null) : this.character;
    if (!character || this.model.kind !== "character") return null;
    return { vertices: character.vertices, indices: character.indices, batches: character.batches, atlases: this.atlases };
  }

  /** The bone of the topmost triangle at a point of the world, or -1. */
  boneAt(x: number, y: number): number {
    if (!this.character) return -1;
    const { vertices: v, indices, items } = this.character;
    for (let item = items.length - 3; item >= 0; item -= 3) {
      for (let i = items[item + 1]; i + 2 < items[item + 1] + items[item + 2]; i += 3) {
        const [a, b, c] = [indices[i] * 8, indices[i + 1] * 8, indices[i + 2] * 8];
        const side = (p: number, q: number): number => (x - v[q]) * (v[p + 1] - v[q + 1]) - (v[p] - v[q]) * (y - v[q + 1]);
        const [d, e, f] = [side(a, b), side(b, c), side(c, a)];
        if (!((d < 0 || e < 0 || f < 0) && (d > 0 || e > 0 || f > 0))) return items[item];
      }
    }
    return -1;
  }

  /** Joint positions of an animation at a time, without changing the pose shown. Valid until the next call. */
  pointsAt(animation: number, time: number): Float32Array {
    this.scratch ??= this.model.kind === "character" ? this.model.instance() : this.model.instance();
    if (this.model.kind === "character") {
      const character = this.scratch as CharacterInstance;
      if (this.styles) character.setStyles(this.styles);
      character.animate(this.model.animations.length ? [{ animation, frame: this.model.frameAt(animation, time, "once") }] : []);
      character.construct(0, { physics: false });
      return characterPoints(character.bones, new Float32Array(0));
    }
    const figure = this.scratch as MotionInstance;
    if (this.model.animations.length) figure.sample(animation, time);
    return figure.positions;
  }

  /** Points over the whole animation, computed once. */
  table(animation: number): PointTable {
    const known = this.tables.get(animation);
    if (known) return known;
    const { duration } = this.model.animations[animation];
    const count = Math.max(2, Math.min(MAX_TABLE, Math.ceil(duration * 60) + 1));
    let data = new Float32Array(0), points = 0;
    for (let i = 0; i < count; i++) {
      const p = this.pointsAt(animation, (i / (count - 1)) * duration);
      if (i === 0) {
        points = p.length / 3;
        data = new Float32Array(count * p.length);
      }
      data.set(p, i * points * 3);
    }
    const table = { rate: duration > 0 ? (count - 1) / duration : 1, count, points, data };
    this.tables.set(animation, table);
    return table;
  }

  /** `[minX, minY, minZ, maxX, maxY, maxZ]` of an animation. */
  bounds(animation: number): number[] {
    const known = this.boundsCache.get(animation);
    if (known) return known;
    let bounds: number[] = [];
    if (!this.model.animations.length) {
      const p = this.pointsAt(0, 0);
      bounds = [0, 1, 2].map((k) => Math.min(...p.filter((_, i) => i % 3 === k))).concat([0, 1, 2].map((k) => Math.max(...p.filter((_, i) => i % 3 === k))));
    } else if (this.model.kind === "character") {
      const [a, b, c, d] = this.model.bounds(animation);
      bounds = [a, b, 0, c, d, 0];
    } else {
      bounds = [...this.model.bounds(animation)];
      // Only one joint moves: the core leaves out those above it.
      if (flat(bounds)) bounds = tableBounds(this.table(animation));
      if (flat(bounds)) bounds = bounds.map((value, k) => value + (k < 3 ? -0.5 : 0.5));
    }
    if (!bounds.every(Number.isFinite) || bounds[3] < bounds[0]) bounds = this.is3d ? [-0.5, 0, -0.5, 0.5, 1.8, 0.5] : [-100, -100, 0, 100, 100, 0];
    this.addMeshBounds(animation, bounds);
    this.boundsCache.set(animation, bounds);
    return bounds;
  }

  /** Grows bounds by vertices of the mesh at a few times: it reaches farther than the joints. */
  private addMeshBounds(animation: number, bounds: number[]): void {
    const { meshes, model } = this;
    if (!meshes || model.kind !== "motion" || !model.jointNodes) return;
    const { duration } = model.animations[animation] ?? { duration: 0 };
    for (let i = 0; i < 5; i++) {
      this.pointsAt(animation, (duration * i) / 4);
      const nodes = nodeMatrices(meshes, (this.scratch as MotionInstance).matrices, model.jointNodes);
      const palettes = meshes.skins.map((skin) => skinPalette(skin, nodes));
      for (const part of meshes.parts) {
        const count = part.positions.length / 3, step = Math.max(1, Math.floor(count / 400));
        for (let vertex = 0; vertex < count; vertex += step) {
          let matrix = nodes[part.node];
          if (part.skin >= 0 && part.joints && part.weights) {
            // The joint of the largest weight is near enough for a box.
            let best = 0;
            for (let k = 1; k < 4; k++) if (part.weights[vertex * 4 + k] > part.weights[vertex * 4 + best]) best = k;
            const joint = part.joints[vertex * 4 + best];
            matrix = palettes[part.skin].subarray(joint * 16, joint * 16 + 16);
          }
          const [x, y, z] = [0, 1, 2].map((k) => part.positions[vertex * 3 + k]);
          for (let k = 0; k < 3; k++) {
            const value = matrix[k] * x + matrix[k + 4] * y + matrix[k + 8] * z + matrix[k + 12];
            if (!Number.isFinite(value)) continue;
            bounds[k] = Math.min(bounds[k], value);
            bounds[k + 3] = Math.max(bounds[k + 3], value);
          }
        }
      }
    }
  }

  /** Bones of a figure, and the height that their thickness is relative to. */
  figureBones(): { bones: FigureBone[]; height: number } {
    if (!this.bones) {
      const model = this.model as MotionModel;
      const joints = [...model.joints, ...model.tips.map((joint) => ({ name: `${model.joints[joint].name}`, parent: joint }))];
      const points = this.pointsAt(0, 0);
      let low = Infinity, high = -Infinity, wide = 0;
      for (let i = 0; i < points.length; i += 3) {
        low = Math.min(low, points[i + 1]);
        high = Math.max(high, points[i + 1]);
        wide = Math.max(wide, Math.hypot(points[i] - points[0], points[i + 2] - points[2]));
      }
      this.boneHeight = Math.max(high - low, wide, 1e-4);
      this.bones = figureBones(joints, points.slice(), this.boneHeight);
    }
    return { bones: this.bones, height: this.boneHeight };
  }

  /** Palettes of all skins and the transforms of all nodes, for [meshes]. */
  meshMatrices(): { palettes: Float32Array[]; nodes: Mat4[] } | null {
    if (!this.meshes || !this.figure || this.model.kind !== "motion" || !this.model.jointNodes) return null;
    const nodes = nodeMatrices(this.meshes, this.figure.matrices, this.model.jointNodes);
    return { palettes: this.meshes.skins.map((skin) => skinPalette(skin, nodes)), nodes };
  }

  hash(animation: number): string {
    return poseHash(this.model, animation);
  }

  destroy(): void {
    for (const object of [this.character, this.figure, this.scratch, this.controller]) object?.free();
    this.character = this.figure = this.scratch = this.controller = null;
    this.tables.clear();
  }
}

/** Whether bounds enclose no more than a point. */
const flat = (bounds: readonly number[]): boolean => Math.max(bounds[3] - bounds[0], bounds[4] - bounds[1], bounds[5] - bounds[2]) < 1e-6;

function tableBounds(table: PointTable): number[] {
  const bounds = [Infinity, Infinity, Infinity, -Infinity, -Infinity, -Infinity];
  table.data.forEach((value, i) => {
    bounds[i % 3] = Math.min(bounds[i % 3], value);
    bounds[(i % 3) + 3] = Math.max(bounds[(i % 3) + 3], value);
  });
  return bounds;
}

function characterPoints(bones: Float32Array, into: Float32Array): Float32Array {
  const count = bones.length / 6;
  const out = into.length === count * 3 ? into : new Float32Array(count * 3);
  for (let i = 0; i < count; i++) {
    out[i * 3] = bones[i * 6];
    out[i * 3 + 1] = bones[i * 6 + 1];
  }
  return out;
}

/** Makes pixels near a colour transparent: JPEG atlases have no transparency. */
function cutOut(bitmap: ImageBitmap, color: readonly [number, number, number]): HTMLCanvasElement | ImageBitmap {
  const canvas = document.createElement("canvas");
  canvas.width = bitmap.width;
  canvas.height = bitmap.height;
  const context = canvas.getContext("2d");
  if (!context) return bitmap;
  context.drawImage(bitmap, 0, 0);
  const pixels = context.getImageData(0, 0, canvas.width, canvas.height);
  const { data } = pixels;
  for (let i = 0; i < data.length; i += 4) {
    if (Math.hypot(data[i] - color[0], data[i + 1] - color[1], data[i + 2] - color[2]) < 100) data[i + 3] = 0;
  }
  context.putImageData(pixels, 0, 0);
  return canvas;
}

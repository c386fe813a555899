/** Sinew in three.js: drives the bones of a rig by name, and shows a 2D character as an object. `three` is a peer dependency. */
import * as THREE from "three";
import type { CharacterInstance, CharacterModel, MotionInstance, MotionModel } from "./core.js";

/** As three.js names nodes of a glTF file. */
const sanitize = (name: string): string => name.replace(/\s/g, "_").replace(/[[\].:/]/g, "");

export interface DriverOptions {
  /** Name of the bone for the name of a joint; the default is the same name, as three.js writes it. */
  rename?: (joint: string) => string;
  /** Factor of translations, for a rig of another size. Default: 1. */
  scale?: number;
}

/**
 * Poses the bones of a three.js rig from a motion. Joints and bones correspond by name. Rotations count from each rest
 * pose, so that the bones of a rig may have other axes at rest as long as its rest pose is the same.
 */
export class SkeletonDriver {
  readonly instance: MotionInstance;
  /** Joints without a bone. */
  readonly missing: string[] = [];
  private pairs: { joint: number; bone: THREE.Object3D; fix: THREE.Quaternion; rest: THREE.Vector3; from: readonly number[] }[] = [];
  private scale: number;

  constructor(
    rig: THREE.Skeleton | THREE.Object3D,
    readonly model: MotionModel,
    options: DriverOptions = {},
  ) {
    this.instance = model.instance();
    this.scale = options.scale ?? 1;
    const bones = new Map<string, THREE.Object3D>();
    const add = (bone: THREE.Object3D): void => void (bones.has(bone.name) || bones.set(bone.name, bone));
    if (rig instanceof THREE.Skeleton) rig.bones.forEach(add);
    else rig.traverse(add);
    model.joints.forEach((joint, index) => {
      const name = options.rename?.(joint.name) ?? joint.name;
      const bone = bones.get(name) ?? bones.get(sanitize(name));
      if (!bone) {
        this.missing.push(joint.name);
        return;
      }
      const [, , , x, y, z, w] = joint.rest;
      const fix = bone.quaternion.clone().multiply(new THREE.Quaternion(x, y, z, w).invert());
      this.pairs.push({ joint: index, bone, fix, rest: bone.position.clone(), from: joint.rest });
    });
  }

  /** Samples an animation at a time in seconds into the bones. */
  sample(animation: number, time: number): void {
    this.instance.sample(animation, time);
    this.apply();
  }

  /** Writes the pose of [instance] into the bones, for instance after a controller applied it. */
  apply(): void {
    const { locals } = this.instance;
    for (const { joint, bone, fix, rest, from } of this.pairs) {
      const o = joint * 10;
      bone.quaternion.set(locals[o + 3], locals[o + 4], locals[o + 5], locals[o + 6]).premultiply(fix);
      bone.position.set(
        rest.x + (locals[o] - from[0]) * this.scale,
        rest.y + (locals[o + 1] - from[1]) * this.scale,
        rest.z + (locals[o + 2] - from[2]) * this.scale,
      );
    }
  }

  /** Frees the instance. */
  destroy(): void {
    this.instance.free();
  }
}

/** A SkelForm character as a three.js mesh. One unit is `1 / pixelsPerUnit` of its pixels. */
export class CharacterMesh extends THREE.Mesh<THREE.BufferGeometry, THREE.MeshBasicMaterial[]> {
  readonly instance: CharacterInstance;

  constructor(readonly character: CharacterModel, options: { pixelsPerUnit?: number; textures?: readonly (THREE.Texture | null)[] } = {}) {
    const materials = character.atlases.map(
      (_, index) => new THREE.MeshBasicMaterial({ map: options.textures?.[index] ?? null, transparent: true, vertexColors: true, depthWrite: false, side: THREE.DoubleSide }),
    );
    super(new THREE.BufferGeometry(), materials);
    this.instance = character.instance();
    this.scale.setScalar(1 / (options.pixelsPerUnit ?? 100));
    this.frustumCulled = false;
  }

  /** Creates a mesh with the character's pictures, which the browser decodes. */
  static async create(character: CharacterModel, options: { pixelsPerUnit?: number } = {}): Promise<CharacterMesh> {
    const textures = await Promise.all(
      character.atlases.map(async ({ image, mime }) => {
        if (!image.length) return null;
        const bitmap = await createImageBitmap(new Blob([new Uint8Array(image)], { type: mime }));
        const texture = new THREE.Texture(bitmap);
        // The first row of the picture is at v = 0.
        texture.flipY = false;
        texture.colorSpace = THREE.SRGBColorSpace;
        texture.needsUpdate = true;
        return texture;
      }),
    );
    return new CharacterMesh(character, { ...options, textures });
  }

  /** Shows a time of an animation. `seconds` since the last call advance springs. */
  sample(animation: number, time: number, seconds = 0): void {
    this.instance.animate([{ animation, frame: this.character.frameAt(animation, time) }], seconds);
    this.instance.construct(seconds);
    this.apply();
  }

  /** Copies the draw list of [instance] into the geometry. */
  apply(): void {
    const { vertices, indices, batches } = this.instance;
    const { geometry } = this;
    const count = vertices.length / 8;
    const known = geometry.getAttribute("position") as THREE.BufferAttribute | undefined;
    if (!known || known.count < count) {
      geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(count * 3), 3));
      geometry.setAttribute("uv", new THREE.BufferAttribute(new Float32Array(count * 2), 2));
      geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(count * 4), 4));
    }
    const position = geometry.getAttribute("position") as THREE.BufferAttribute;
    const uv = geometry.getAttribute("uv") as THREE.BufferAttribute;
    const color = geometry.getAttribute("color") as THREE.BufferAttribute;
    for (let i = 0; i < count; i++) {
      const o = i * 8;
      position.setXYZ(i, vertices[o], vertices[o + 1], 0);
      uv.setXY(i, vertices[o + 2], vertices[o + 3]);
      color.setXYZW(i, vertices[o + 4], vertices[o + 5], vertices[o + 6], vertices[o + 7]);
    }
    position.needsUpdate = uv.needsUpdate = color.needsUpdate = true;
    const index = geometry.getIndex();
    if (!index || index.count < indices.length) geometry.setIndex(new THREE.BufferAttribute(Uint32Array.from(indices), 1));
    else {
      (index.array as Uint32Array).set(indices);
      index.needsUpdate = true;
    }
    geometry.clearGroups();
    for (let i = 0; i + 2 < batches.length; i += 3) geometry.addGroup(batches[i + 1], batches[i + 2], batches[i]);
  }

  /** Frees the geometry, the materials and the instance. */
  destroy(): void {
    this.geometry.dispose();
    for (const material of this.material) {
      material.map?.dispose();
      material.dispose();
    }
    this.instance.free();
  }
}

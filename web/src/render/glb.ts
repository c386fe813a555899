/**
 * A small reader of glTF meshes: positions, normals, texture coordinates, colours, joints, weights, indices, morph targets,
 * base colour. Joints come from the core by node index. What it does not draw is listed in `notices`. Sizes and indices are checked, because
 * files are untrusted; invalid parts are skipped with a notice.
 */
import type { Mat4 } from "./math.js";
import type { Morph, MorphTrack } from "./morph.js";

export interface MeshPart {
  /** Those of the morph weights now; see `applyMorphs`. */
  positions: Float32Array;
  morph: Morph | null;
  /** Incremented whenever positions change. */
  version: number;
  normals: Float32Array | null;
  uvs: Float32Array | null;
  /** Red, green, blue and opacity per vertex, as displayed. */
  colors: Float32Array | null;
  joints: Uint16Array | null;
  weights: Float32Array | null;
  indices: Uint32Array;
  count: number;
  color: Float32Array;
  /** Position in `images`, or -1. */
  image: number;
  /** Below this opacity nothing is drawn. */
  cutoff: number;
  /** Whether it is transparent: drawn over the opaque parts. */
  blends: boolean;
  /** Position in `skins`, or -1. */
  skin: number;
  /** The node that carries the mesh. */
  node: number;
}

export interface MeshSkin {
  /** glTF node of each joint. */
  nodes: number[];
  inverseBinds: Float32Array;
}

export interface MeshSource {
  parts: MeshPart[];
  skins: MeshSkin[];
  images: (TexImageSource | null)[];
  /** Rest transform of each node, relative to its parent. */
  locals: Mat4[];
  parents: number[];
  /** Morph weights over time, by animation of the file. */
  morphs: MorphTrack[][];
  notices: string[];
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Fields = { [key: string]: Json };

const MAX_VERTICES = 4_000_000;
const MAX_TARGETS = 256;
const COMPONENTS: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };
const SIZES: Record<number, number> = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };

const fields = (value: Json | undefined): Fields => (value && typeof value === "object" && !Array.isArray(value) ? value : {});
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : []);
const number = (value: Json | undefined, missing: number): number => (typeof value === "number" ? value : missing);
const text = (value: Json | undefined): string => (typeof value === "string" ? value : "");
const numbers = (value: Json | undefined, count: number, missing: number[]): number[] => {
  const out = list(value).map((n) => number(n, NaN));
  return out.length === count && out.every(Number.isFinite) ? out : missing;
};

/** Splits a `.glb` or `.gltf` into its document and its binary chunk; `null` without a document. */
function split(bytes: Uint8Array): { document: Fields; binary: Uint8Array | null } | null {
  let json: Uint8Array = bytes;
  let binary: Uint8Array | null = null;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length >= 20 && view.getUint32(0, true) === 0x46546c67) {
    const length = Math.min(view.getUint32(12, true), bytes.length - 20);
    json = bytes.subarray(20, 20 + length);
    const next = 20 + length;
    if (next + 8 <= bytes.length && view.getUint32(next + 4, true) === 0x004e4942) {
      binary = bytes.subarray(next + 8, Math.min(next + 8 + view.getUint32(next, true), bytes.length));
    }
  }
  try {
    return { document: fields(JSON.parse(new TextDecoder().decode(json)) as Json), binary };
  } catch {
    return null;
  }
}

/** The last part of the path of a reference, decoded. */
export function fileName(uri: string): string {
  const last = uri.split(/[\\/]/).pop() ?? "";
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}

/** Addresses of the files that a `.glb` or `.gltf` refers to, as written. */
export function referenceUris(bytes: Uint8Array): string[] {
  const document = split(bytes)?.document ?? {};
  const items = [...list(document.buffers), ...list(document.images)];
  return items.map((item) => text(fields(item).uri)).filter((uri) => uri && !uri.startsWith("data:"));
}

/** Names of the files that a `.glb` or `.gltf` refers to, without folders. */
export const references = (bytes: Uint8Array): string[] => referenceUris(bytes).map(fileName);

/** Reads the meshes of a `.glb` or `.gltf`. `companions` are its other files by name. */
export async function readMeshes(bytes: Uint8Array, companions: Record<string, Uint8Array> = {}): Promise<MeshSource | null> {
  const parts = split(bytes);
  return parts ? new Reader(parts.document, parts.binary, companions).read() : null;
}

class Reader {
  private notices: string[] = [];
  private buffers: (Uint8Array | null)[] = [];

  constructor(private document: Fields, private binary: Uint8Array | null, private companions: Record<string, Uint8Array>) {}

  private items(key: string): Fields[] {
    return list(this.document[key]).map(fields);
  }

  async read(): Promise<MeshSource> {
    this.buffers = this.items("buffers").map((buffer, index) => this.file(text(buffer.uri)) ?? (index === 0 && !buffer.uri ? this.binary : null));
    const nodes = this.items("nodes");
    const parents: number[] = nodes.map(() => -1);
    nodes.forEach((node, index) => {
      for (const child of list(node.children)) if (typeof child === "number" && child in parents) parents[child] = index;
    });
    const source: MeshSource = { parts: [], skins: [], images: [], locals: nodes.map(localMatrix), parents, morphs: [], notices: this.notices };
    for (const skin of this.items("skins")) {
      const joints = list(skin.joints).map((joint) => number(joint, -1));
      const binds = typeof skin.inverseBindMatrices === "number" ? this.floats(skin.inverseBindMatrices, "MAT4") : null;
      const inverseBinds = new Float32Array(joints.length * 16);
      for (let i = 0; i < joints.length; i++) {
        if (binds && binds.length >= (i + 1) * 16) inverseBinds.set(binds.subarray(i * 16, (i + 1) * 16), i * 16);
        else for (let k = 0; k < 4; k++) inverseBinds[i * 16 + k * 5] = 1;
      }
      source.skins.push({ nodes: joints, inverseBinds });
    }
    const meshes = this.items("meshes");
    nodes.forEach((node, index) => {
      const mesh = typeof node.mesh === "number" ? meshes[node.mesh] : undefined;
      if (!mesh) return;
      const skin = typeof node.skin === "number" && node.skin in source.skins ? node.skin : -1;
      for (const primitive of list(mesh.primitives).map(fields)) {
        try {
          const part = this.part(primitive, index, skin, source);
          if (part) source.parts.push(part);
        } catch (error) {
          this.notice(`a part of mesh ${number(node.mesh, 0)} is not drawn: ${(error as Error).message}`);
        }
      }
    });
    // Opaque parts first: transparent ones show what is behind them.
    source.parts.sort((a, b) => Number(a.blends) - Number(b.blends));
    this.readMorphTracks(source);
    source.images = await this.images(source);
    for (const extension of list(this.document.extensionsRequired)) this.notice(`extension ${text(extension)} is not supported`);
    return source;
  }

  private readMorphTracks(source: MeshSource): void {
    for (const animation of this.items("animations")) {
      const samplers = list(animation.samplers).map(fields);
      const tracks: MorphTrack[] = [];
      for (const channel of list(animation.channels).map(fields)) {
        const target = fields(channel.target), sampler = samplers[number(channel.sampler, -1)];
        const node = number(target.node, -1);
        const targets = source.parts.find((part) => part.node === node)?.morph?.targets.length ?? 0;
        if (text(target.path) !== "weights" || !sampler || !targets) continue;
        const given = text(sampler.interpolation);
        const interpolation = given === "STEP" || given === "CUBICSPLINE" ? given : "LINEAR";
        try {
          const times = this.floats(number(sampler.input, -1), "SCALAR"), values = this.floats(number(sampler.output, -1), "SCALAR");
          if (values.length < times.length * targets * (interpolation === "CUBICSPLINE" ? 3 : 1)) throw new Error("its data ends early");
          tracks.push({ node, times, values, targets, interpolation });
        } catch (error) {
          this.notice(`morph weights of node ${node} are not animated: ${(error as Error).message}`);
        }
      }
      source.morphs.push(tracks);
    }
  }

  /** The displacements of a primitive's positions. */
  private morph(primitive: Fields, node: number, base: Float32Array): Morph | null {
    const targets = list(primitive.targets).map(fields).map((target) => {
      if (typeof target.POSITION !== "number") return new Float32Array(0);
      const displacements = this.floats(target.POSITION, "VEC3");
      if (displacements.length !== base.length) throw new Error("a morph target and the positions differ in number");
      return displacements;
    });
    if (!targets.length) return null;
    if (targets.length > MAX_TARGETS) throw new Error(`${targets.length} morph targets, of at most ${MAX_TARGETS}`);
    const carrier = this.items("nodes")[node], mesh = this.items("meshes")[number(carrier?.mesh, -1)];
    const given = list(carrier?.weights).length ? list(carrier?.weights) : list(mesh?.weights);
    // Weights of 0: the positions are the base.
    return { base: base.slice(), targets, rest: targets.map((_, i) => number(given[i], 0)), weights: targets.map(() => 0) };
  }

  private notice(message: string): void {
    if (!this.notices.includes(message) && this.notices.length < 20) this.notices.push(message);
  }

  private file(uri: string): Uint8Array | null {
    if (uri.startsWith("data:")) {
      const comma = uri.indexOf(",");
      try {
        return Uint8Array.from(atob(uri.slice(comma + 1)), (c) => c.charCodeAt(0));
      } catch {
        return null;
      }
    }
    if (!uri) return null;
    const name = fileName(uri);
    for (const [key, value] of Object.entries(this.companions)) if (fileName(key) === name) return value;
    this.notice(`file ${name} is missing`);
    return null;
  }

  private bytesOfView(index: number): { bytes: Uint8Array; stride: number } {
    const view = this.items("bufferViews")[index];
    const buffer = view ? this.buffers[number(view.buffer, -1)] : null;
    if (!view || !buffer) throw new Error("its data is missing");
    const start = number(view.byteOffset, 0), size = number(view.byteLength, 0);
    if (start < 0 || size < 0 || start + size > buffer.length) throw new Error("its data ends early");
    return { bytes: buffer.subarray(start, start + size), stride: number(view.byteStride, 0) };
  }

  /** Reads an accessor as numbers; normalized integers become fractions, sparse values replace those of the base. */
  private readAccessor(index: number, type: string | null): { values: Float64Array; components: number } {
    const accessor = this.items("accessors")[index];
    if (!accessor) throw new Error(`accessor ${index} is missing`);
    const kind = text(accessor.type);
    const components = COMPONENTS[kind], component = number(accessor.componentType, 0);
    if (!components || !SIZES[component] || (type && type !== kind)) throw new Error(`accessor ${index} has the type ${kind}`);
    const count = number(accessor.count, 0);
    if (!(count >= 0 && count <= MAX_VERTICES * 3)) throw new Error(`accessor ${index} has ${count} elements`);
    const normalized = accessor.normalized === true;
    const based = typeof accessor.bufferView === "number";
    const values = based ? this.readView(accessor, component, count, components, normalized) : new Float64Array(count * components);
    const sparse = fields(accessor.sparse), changed = number(sparse.count, 0);
    if (accessor.sparse) {
      if (!(changed >= 0 && changed <= count)) throw new Error(`accessor ${index} replaces ${changed} of ${count} elements`);
      const places = fields(sparse.indices);
      const positions = this.readView(places, number(places.componentType, 0), changed, 1, false);
      const replaced = this.readView(fields(sparse.values), component, changed, components, normalized);
      positions.forEach((position, i) => {
        if (position < count) values.set(replaced.subarray(i * components, (i + 1) * components), position * components);
      });
    } else if (!based) {
      throw new Error("its data is missing");
    }
    return { values, components };
  }

  private readView(place: Fields, component: number, count: number, components: number, normalized: boolean): Float64Array {
    const size = SIZES[component];
    if (!size) throw new Error(`component type ${component} is unknown`);
    const { bytes, stride } = this.bytesOfView(number(place.bufferView, -1));
    const step = stride || components * size, start = number(place.byteOffset, 0);
    if (count > 0 && (start < 0 || start + (count - 1) * step + components * size > bytes.length)) throw new Error("its data ends early");
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const values = new Float64Array(count * components);
    for (let i = 0; i < count; i++) {
      for (let k = 0; k < components; k++) {
        const offset = start + i * step + k * size;
        let value = 0;
        if (component === 5126) value = view.getFloat32(offset, true);
        else if (component === 5125) value = view.getUint32(offset, true);
        else if (component === 5123) value = normalized ? view.getUint16(offset, true) / 65535 : view.getUint16(offset, true);
        else if (component === 5121) value = normalized ? view.getUint8(offset) / 255 : view.getUint8(offset);
        else if (component === 5122) value = normalized ? Math.max(view.getInt16(offset, true) / 32767, -1) : view.getInt16(offset, true);
        else value = normalized ? Math.max(view.getInt8(offset) / 127, -1) : view.getInt8(offset);
        values[i * components + k] = value;
      }
    }
    return values;
  }

  private floats(index: number, type: string): Float32Array {
    return Float32Array.from(this.readAccessor(index, type).values);
  }

  private part(primitive: Fields, node: number, skin: number, source: MeshSource): MeshPart | null {
    if (number(primitive.mode, 4) !== 4) throw new Error("only triangles are drawn");
    const extensions = fields(primitive.extensions);
    if (extensions.KHR_draco_mesh_compression) throw new Error("Draco compression is not supported");
    const attributes = fields(primitive.attributes);
    const positions = this.floats(number(attributes.POSITION, -1), "VEC3");
    const count = positions.length / 3;
    const optional = (name: string, type: string): Float32Array | null => {
      const index = attributes[name];
      if (typeof index !== "number") return null;
      const values = this.floats(index, type);
      return values.length / COMPONENTS[type] === count ? values : null;
    };
    let joints: Uint16Array | null = null;
    const weights = optional("WEIGHTS_0", "VEC4");
    if (skin >= 0 && typeof attributes.JOINTS_0 === "number" && weights) {
      const { values } = this.readAccessor(attributes.JOINTS_0, "VEC4");
      const limit = source.skins[skin].nodes.length;
      if (values.length !== count * 4) throw new Error("joints and positions differ in number");
      joints = Uint16Array.from(values, (value) => (value < limit ? value : 0));
    }
    if (attributes.JOINTS_1 !== undefined) this.notice("only four joints per vertex are used");
    let indices: Uint32Array;
    if (typeof primitive.indices === "number") {
      indices = Uint32Array.from(this.readAccessor(primitive.indices, "SCALAR").values);
      if (indices.some((i) => i >= count)) throw new Error("an index is out of range");
    } else {
      indices = Uint32Array.from({ length: count }, (_, i) => i);
    }
    if (indices.length < 3) return null;
    const material = typeof primitive.material === "number" ? this.items("materials")[primitive.material] : undefined;
    const surface = fields(material?.pbrMetallicRoughness);
    const texture = fields(surface.baseColorTexture);
    const slot = typeof texture.index === "number" ? this.items("textures")[texture.index] : undefined;
    return {
      positions,
      morph: this.morph(primitive, node, positions),
      version: 0,
      normals: optional("NORMAL", "VEC3") ?? flatNormals(positions, indices),
      uvs: optional("TEXCOORD_0", "VEC2"),
      colors: this.colors(attributes.COLOR_0, count),
      joints,
      weights: joints ? weights : null,
      indices,
      count: indices.length,
      color: new Float32Array(numbers(surface.baseColorFactor, 4, [1, 1, 1, 1]).map(displayed)),
      image: number(slot?.source, -1),
      cutoff: text(material?.alphaMode) === "MASK" ? number(material?.alphaCutoff, 0.5) : 0,
      blends: text(material?.alphaMode) === "BLEND",
      skin: joints ? skin : -1,
      node,
    };
  }

  /** Colours of vertices, with or without opacity. */
  private colors(index: Json | undefined, count: number): Float32Array | null {
    if (typeof index !== "number") return null;
    const type = text(this.items("accessors")[index]?.type);
    if (type !== "VEC3" && type !== "VEC4") return null;
    const { values, components } = this.readAccessor(index, type);
    if (values.length !== count * components) return null;
    const colors = new Float32Array(count * 4).fill(1);
    for (let i = 0; i < count; i++) for (let k = 0; k < components; k++) colors[i * 4 + k] = displayed(values[i * components + k], k);
    return colors;
  }

  private async images(source: MeshSource): Promise<(TexImageSource | null)[]> {
    const wanted = new Set(source.parts.map((part) => part.image));
    return Promise.all(
      this.items("images").map(async (image, index) => {
        if (!wanted.has(index) || typeof createImageBitmap !== "function") return null;
        try {
          const data = typeof image.bufferView === "number" ? this.bytesOfView(image.bufferView).bytes : this.file(text(image.uri));
          if (!data) return null;
          return await createImageBitmap(new Blob([new Uint8Array(data)], { type: text(image.mimeType) || "image/png" }), { premultiplyAlpha: "none" });
        } catch {
          this.notice(`picture ${index} cannot be decoded`);
          return null;
        }
      }),
    );
  }
}

/** A linear component of a colour as displayed; the fourth, opacity, as it is. */
const displayed = (value: number, component: number): number => (component < 3 ? Math.pow(Math.max(value, 0), 1 / 2.2) : value);

function localMatrix(node: Fields): Mat4 {
  const given = numbers(node.matrix, 16, []);
  if (given.length === 16) return new Float32Array(given);
  const [x, y, z, w] = numbers(node.rotation, 4, [0, 0, 0, 1]);
  const [sx, sy, sz] = numbers(node.scale, 3, [1, 1, 1]);
  const [tx, ty, tz] = numbers(node.translation, 3, [0, 0, 0]);
  return new Float32Array([
    (1 - 2 * (y * y + z * z)) * sx, 2 * (x * y + z * w) * sx, 2 * (x * z - y * w) * sx, 0,
    2 * (x * y - z * w) * sy, (1 - 2 * (x * x + z * z)) * sy, 2 * (y * z + x * w) * sy, 0,
    2 * (x * z + y * w) * sz, 2 * (y * z - x * w) * sz, (1 - 2 * (x * x + y * y)) * sz, 0,
    tx, ty, tz, 1,
  ]);
}

function flatNormals(p: Float32Array, indices: Uint32Array): Float32Array {
  const out = new Float32Array(p.length);
  for (let i = 0; i + 2 < indices.length; i += 3) {
    const [a, b, c] = [indices[i] * 3, indices[i + 1] * 3, indices[i + 2] * 3];
    const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
    const n = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    for (const corner of [a, b, c]) for (let k = 0; k < 3; k++) out[corner + k] += n[k];
  }
  return out;
}

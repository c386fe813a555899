/**
 * The runtime: models, instances, controllers and curves over the WebAssembly module.
 *
 * Every failure is a {@link SinewError}. Arrays such as {@link CharacterInstance.vertices} are views into WebAssembly
 * memory: read them at once, and do not keep them across calls, which may move or grow what they show.
 */
import initGlue, * as glue from "../wasm/sinew.js";

// ---------------------------------------------------------------- errors

/** What kind of failure a {@link SinewError} is. */
export type ErrorCode =
  /** The file breaks a rule of its format. */
  | "format"
  /** The content is of no known format, or this build has no reader for it. */
  | "unsupported"
  /** The file needs another one, which {@link LoadOptions.files} does not hold. */
  | "missing-file"
  /** The file exceeds a limit. */
  | "too-large"
  /** An argument is invalid: out of range, not finite, of another model. */
  | "argument"
  /** The object was freed, or belongs to a module instance that was discarded after an internal error. */
  | "closed"
  /** The source could not be fetched or read. */
  | "network"
  /** A fault of Sinew. The module instance was discarded; the next call starts a new one. */
  | "internal";

/** Details of a {@link SinewError}. */
export interface ErrorDetails {
  /** Name of the file. */
  file?: string;
  /** Line, from 1. */
  line?: number;
  /** Column, from 1. */
  column?: number;
  /** Offset in bytes. */
  offset?: number;
  /** What was expected. */
  expected?: string;
  /** What was found. */
  found?: string;
}

/** Every error of this package. */
export class SinewError extends Error {
  override readonly name = "SinewError";
  readonly code: ErrorCode;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly offset?: number;
  readonly expected?: string;
  readonly found?: string;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    Object.assign(this, details);
  }
}

const argument = (message: string): SinewError => new SinewError("argument", message);

/** Splits the record that the module throws: fields joined by U+001F. */
function parseError(record: string): SinewError {
  const [code, message, file, line, column, offset, expected, found] = record.split("\x1f");
  const details: ErrorDetails = {};
  if (file) details.file = file;
  if (line) details.line = Number(line);
  if (column) details.column = Number(column);
  if (offset) details.offset = Number(offset);
  if (expected) details.expected = expected;
  if (found) details.found = found;
  return new SinewError((code || "internal") as ErrorCode, message ?? record, details);
}

// ---------------------------------------------------------------- module

/** Where the WebAssembly module comes from. */
export type ModuleSource = BufferSource | URL | string | Response | WebAssembly.Module;

let ready: Promise<void> | undefined;
let isReady = false;
/** Counts module instances: objects of an earlier one are closed. */
let epoch = 0;
let memory: WebAssembly.Memory | undefined;

/**
 * Loads the WebAssembly module; without a source the one beside this script. Called by {@link load} if necessary.
 * Later calls return the first result, unless it failed.
 */
export function init(source?: ModuleSource): Promise<void> {
  ready ??= start(source).catch((error: unknown) => {
    ready = undefined;
    throw error instanceof SinewError
      ? error
      : new SinewError("network", `the WebAssembly module cannot be loaded: ${String(error)}`);
  });
  return ready;
}

async function start(source?: ModuleSource): Promise<void> {
  const node = (globalThis as { process?: { versions?: { node?: string } } }).process?.versions?.node;
  let input: ModuleSource | Promise<Response> = source ?? new URL("./sinew_bg.wasm", import.meta.url);
  if (typeof input === "string" && !node) input = fetch(input);
  else if (input instanceof URL || typeof input === "string") {
    // Node's fetch does not read file URLs.
    input = node && !/^https?:/.test(String(input)) ? await readFile(input) : fetch(input);
  }
  await initGlue({ module_or_path: input as BufferSource | Response | Promise<Response> | WebAssembly.Module });
  memory = glue.wasm_memory() as WebAssembly.Memory;
  isReady = true;
}

async function readFile(path: URL | string): Promise<Uint8Array<ArrayBuffer>> {
  const fs = (await import(/* @vite-ignore */ "node" + ":fs/promises")) as {
    readFile(path: URL | string): Promise<Uint8Array<ArrayBuffer>>;
  };
  return fs.readFile(path);
}

/** Calls the module. A trap discards its instance, so that no call ever sees inconsistent memory. */
function call<T>(f: () => T): T {
  if (!isReady) throw new SinewError("closed", "the module is not loaded: await init() or load() first");
  try {
    return f();
  } catch (error) {
    if (typeof error === "string") throw parseError(error);
    if (error instanceof SinewError) throw error;
    if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) throw error;
    restart();
    throw new SinewError("internal", `internal error: ${error.message}`, {}, { cause: error });
  }
}

function restart(): void {
  epoch += 1;
  isReady = false;
  memory = undefined;
  glue.__wbg_reset_state();
  memory = glue.wasm_memory() as WebAssembly.Memory;
  isReady = true;
}

/** The readers of this build, the bytes of WebAssembly memory, and the number of objects that are not freed. */
export function stats(): { formats: string[]; memoryBytes: number; objects: number } {
  return {
    formats: call(() => glue.formats()).split(" "),
    memoryBytes: memory?.buffer.byteLength ?? 0,
    objects: call(() => glue.object_count()),
  };
}

// ---------------------------------------------------------------- objects

const unreachable =
  typeof FinalizationRegistry === "undefined"
    ? undefined
    : new FinalizationRegistry<{ handle: number; epoch: number }>((object) => {
        if (object.epoch === epoch && isReady) call(() => glue.free(object.handle));
      });

/** An object of the module. */
abstract class Resource {
  #handle: number;
  #epoch = epoch;

  protected constructor(handle: number) {
    this.#handle = handle;
    unreachable?.register(this, { handle, epoch }, this);
  }

  /** @internal The handle; throws if the object is closed. */
  get handle(): number {
    if (this.#epoch !== epoch) {
      throw new SinewError("closed", "the module was restarted after an internal error: load the file again");
    }
    if (!this.#handle) throw new SinewError("closed", "the object was freed");
    return this.#handle;
  }

  /** @internal Whether {@link free} was called. */
  protected get isFreed(): boolean {
    return this.#handle === 0;
  }

  /** @internal Takes the place of an object that the restart of the module closed. */
  protected renew(handle: number): void {
    unreachable?.unregister(this);
    this.#handle = handle;
    this.#epoch = epoch;
    unreachable?.register(this, { handle, epoch }, this);
  }

  /** Whether the object can be used. */
  get isOpen(): boolean {
    return this.#handle !== 0 && this.#epoch === epoch;
  }

  /**
   * Frees the memory; nothing happens if it is freed already. Objects made from it stay valid. An object that is
   * not freed is freed some time after it became unreachable.
   */
  free(): void {
    if (this.isOpen) {
      unreachable?.unregister(this);
      call(() => glue.free(this.handle));
    }
    this.#handle = 0;
  }

  [Symbol.dispose](): void {
    this.free();
  }
}
(Symbol as { dispose?: symbol }).dispose ??= Symbol.for("Symbol.dispose");

type ArrayKind<T> = new (buffer: ArrayBufferLike, offset: number, length: number) => T;

/** A view into memory, made again when memory grew or the data moved. */
class View<T extends { buffer: ArrayBufferLike; byteOffset: number; length: number }> {
  #array: T | undefined;

  constructor(
    readonly kind: ArrayKind<T>,
    readonly which: number,
  ) {}

  of(handle: number): T {
    const [offset, length] = call(() => [glue.view_offset(handle, this.which), glue.view_length(handle, this.which)]);
    const { buffer } = memory as WebAssembly.Memory;
    const array = this.#array;
    if (array && array.buffer === buffer && array.byteOffset === offset && array.length === length) return array;
    return (this.#array = new this.kind(buffer, offset as number, length as number));
  }
}

// ---------------------------------------------------------------- loading

/** Options of {@link load}. Options that do not apply to a format are ignored. */
export interface LoadOptions {
  /** Name of the file, for messages and for formats that do not name their motion. */
  name?: string;
  /** Files that the file refers to, by name: the `.asf` of an `.amc`, buffers of a `.gltf`, the skeleton of an animation. */
  files?: Record<string, Uint8Array>;
  /** Repairs faults with an obvious remedy, with a warning for each. */
  lenient?: boolean;
  /** Whether z is up in the file. */
  zUp?: boolean;
  /** Unit of lengths: ASF, AMC and BVH. */
  metresPerUnit?: number;
  /** Frames per second instead of the file's: AMC and BVH. */
  fps?: number;
  /** Which skeleton of a `.sinew` file that has several. */
  skeleton?: number;
  /**
   * Keeps the bytes of the file and of {@link files}, so that {@link BaseModel.reopen} can read them again. Players
   * then continue after an internal error of the runtime.
   */
  keepBytes?: boolean;
  /** Passed to fetch. */
  signal?: AbortSignal;
}

/** An animation. */
export interface Summary {
  readonly name: string;
  /** Seconds from the first frame to the last. */
  readonly duration: number;
  /** Seconds of one cycle if it is looped; a 2D animation shows its last frame before it begins again. */
  readonly period: number;
  /** Frames per second; 0 if keys are not at frames. */
  readonly fps: number;
  /** Number of frames; 0 without a rate. */
  readonly frames: number;
  /** Whether the file says that it loops. */
  readonly loops: boolean;
  /** Events, by time in seconds. */
  readonly triggers: readonly { readonly time: number; readonly name: string }[];
  /** Bytes if the animation is packed. */
  readonly packedBytes?: number;
}

/** A repair or content that is ignored. */
export interface Warning {
  readonly severity: "note" | "warning" | "serious";
  readonly message: string;
}

interface Head {
  kind: "character" | "motion";
  format: string;
  name: string;
  warnings: Warning[];
  animations: Summary[];
}

interface CharacterInfo extends Head {
  bones: Bone[];
  styles: string[];
  defaultStyles: number[];
  atlases: { name: string; width: number; height: number }[];
  ik: IkFamily[];
  textures: { style: number; name: string; atlas: number; x: number; y: number; width: number; height: number }[];
  clearColor: [number, number, number] | null;
}

interface MotionInfo extends Head {
  joints: Joint[];
  tips: number[];
  skeletons: number;
  jointNodes: number[] | null;
  rootMotionJoints: number[];
}

/** A file: a 2D character or 3D motions on one skeleton. */
export type Model = CharacterModel | MotionModel;

/**
 * Loads a file of any format that the build has a reader for, detected from its content. A string is a URL.
 */
export async function load(
  source: string | URL | File | Blob | ArrayBuffer | Uint8Array,
  options: LoadOptions = {},
): Promise<Model> {
  const [bytes, name] = await read(source, options);
  await init();
  return parse(bytes, { ...options, name });
}

async function read(
  source: string | URL | File | Blob | ArrayBuffer | Uint8Array,
  options: LoadOptions,
): Promise<[Uint8Array, string]> {
  if (source instanceof Uint8Array) return [source, options.name ?? "file"];
  if (source instanceof ArrayBuffer) return [new Uint8Array(source), options.name ?? "file"];
  const given = typeof Blob !== "undefined" && source instanceof Blob;
  const url = String(source);
  const name = options.name ?? (given ? (source as File).name : url.replace(/[?#].*/s, "").replace(/.*\//s, "")) ?? "file";
  try {
    if (given) return [new Uint8Array(await source.arrayBuffer()), name];
    const response = await fetch(url, options.signal ? { signal: options.signal } : {});
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
    return [new Uint8Array(await response.arrayBuffer()), name];
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SinewError("network", `${name}: cannot be read: ${reason}`, { file: name });
  }
}

/** Like {@link load}, from bytes, once {@link init} is done. */
export function parse(bytes: Uint8Array, options: LoadOptions = {}): Model {
  if (!(bytes instanceof Uint8Array)) throw argument("expected the bytes of a file");
  for (const number of [options.metresPerUnit, options.fps]) {
    if (number !== undefined && !(number > 0 && Number.isFinite(number))) throw argument(`expected a positive number, found ${number}`);
  }
  const handle = openFile(bytes, options);
  const info = JSON.parse(call(() => glue.model_info(handle))) as CharacterInfo | MotionInfo;
  const source = options.keepBytes ? { bytes, options } : null;
  return info.kind === "character"
    ? new CharacterModel(handle, info as CharacterInfo, bytes.length, source)
    : new MotionModel(handle, info as MotionInfo, bytes.length, source);
}

/** What a model is read from again. */
interface KeptSource {
  bytes: Uint8Array;
  options: LoadOptions;
}

/** Returns the handle of the model. */
function openFile(bytes: Uint8Array, options: LoadOptions): number {
  return call(() => {
    glue.clear_files();
    for (const [name, data] of Object.entries(options.files ?? {})) glue.add_file(name, data);
    const flags = (options.lenient ? 1 : 0) | (options.zUp ? 2 : 0);
    return glue.load(
      options.name ?? "file",
      bytes,
      flags,
      options.metresPerUnit ?? 0,
      options.fps ?? 0,
      index(options.skeleton ?? 0),
    );
  });
}

/** Checks an index before it is passed as an unsigned number; the module checks its range. */
function index(value: number): number {
  if (!Number.isInteger(value) || value < 0 || value > 0xffff_ffff) throw argument(`expected an index, found ${value}`);
  return value;
}

function finite(value: number, name: string): number {
  if (typeof value !== "number" || !Number.isFinite(value)) throw argument(`${name}: expected a finite number, found ${value}`);
  return value;
}

// ---------------------------------------------------------------- models

abstract class BaseModel extends Resource {
  readonly name: string;
  /** Name of the format, such as `SkelForm` or `BVH`. */
  readonly format: string;
  /** Bytes of the file. */
  readonly byteLength: number;
  readonly warnings: readonly Warning[];
  readonly animations: readonly Summary[];
  #source: KeptSource | null;

  /** @internal */
  protected constructor(handle: number, head: Head, byteLength: number, source: KeptSource | null) {
    super(handle);
    this.#source = source;
    this.name = head.name;
    this.format = head.format;
    this.warnings = head.warnings;
    this.animations = head.animations;
    this.byteLength = byteLength;
  }

  /**
   * Reads the file again if an internal error restarted the module, so that the model is open. Instances, controllers
   * and curves made from it stay closed. Returns false if it was freed, or loaded without
   * {@link LoadOptions.keepBytes}.
   */
  reopen(): boolean {
    if (this.isOpen) return true;
    if (this.isFreed || !this.#source) return false;
    this.renew(openFile(this.#source.bytes, this.#source.options));
    return true;
  }

  override free(): void {
    super.free();
    this.#source = null;
  }

  /** Returns the index of an animation by its name; -1 if there is none. */
  findAnimation(name: string): number {
    return this.animations.findIndex((animation) => animation.name === name);
  }

  /**
   * Returns the hash of the first ten seconds of an animation at 60 poses per second: 16 hexadecimal digits, equal
   * to the native program's (`sinew::pose_hash`).
   */
  hash(animation: number): string {
    return call(() => glue.model_hash(this.handle, index(animation)));
  }

  /** Creates a controller of the animations. */
  controller(): Controller {
    return new Controller(call(() => glue.controller_new(this.handle)), this as unknown as Model);
  }
}

/** A bone of a 2D character. */
export interface Bone {
  readonly name: string;
  /** Index of the parent; -1 for a root. */
  readonly parent: number;
  /** Whether it shows a texture. */
  readonly visual: boolean;
}

/** A chain of bones that reaches for a target bone. */
export interface IkFamily {
  readonly bones: readonly number[];
  /** Index of the target bone; -1 without one. */
  readonly target: number;
  readonly mode: string;
  readonly constraint: string;
}

/** A picture with the textures of a character. */
export interface Atlas {
  readonly name: string;
  readonly width: number;
  readonly height: number;
  /** Bytes as encoded in the file; empty if the picture is missing or damaged. */
  readonly image: Uint8Array;
  /** `image/png`, `image/jpeg`, or empty. */
  readonly mime: string;
}

/** How time continues past the end of an animation. */
export type Repeat = "once" | "loop" | "seamless";
const REPEATS: readonly Repeat[] = ["once", "loop", "seamless"];

/** A 2D character (SkelForm). Positions are in pixels, y up; angles in radians, counter-clockwise. */
export class CharacterModel extends BaseModel {
  readonly kind = "character";
  readonly bones: readonly Bone[];
  /** Names of the styles. */
  readonly styles: readonly string[];
  /** Indices of the styles worn by default. */
  readonly defaultStyles: readonly number[];
  readonly ik: readonly IkFamily[];
  /** Rectangles of the textures in their atlases. */
  readonly textures: CharacterInfo["textures"];
  /** Colour, 0 to 255, that JPEG atlases show where they are transparent; pixels within 100 of it are. */
  readonly clearColor: readonly [number, number, number] | null;
  readonly #atlases: CharacterInfo["atlases"];

  /** @internal */
  constructor(handle: number, info: CharacterInfo, byteLength: number, source: KeptSource | null) {
    super(handle, info, byteLength, source);
    this.bones = info.bones;
    this.styles = info.styles;
    this.defaultStyles = info.defaultStyles;
    this.ik = info.ik;
    this.textures = info.textures;
    this.clearColor = info.clearColor;
    this.#atlases = info.atlases;
  }

  /** Pictures, copied from the file at each call. */
  get atlases(): Atlas[] {
    return this.#atlases.map((atlas, index) => {
      const image = call(() => glue.atlas_image(this.handle, index));
      const mime = image[0] === 0x89 ? "image/png" : image[0] === 0xff ? "image/jpeg" : "";
      return { ...atlas, image, mime };
    });
  }

  /**
   * Returns the frame, with its fraction, that an animation shows at a time. `loop` shows the last frame for its
   * duration before it begins again; `seamless` is for animations whose last frame equals the first.
   */
  frameAt(animation: number, seconds: number, repeat: Repeat = "loop", reverse = false): number {
    return call(() =>
      glue.frame_at(this.handle, index(animation), finite(seconds, "seconds"), REPEATS.indexOf(repeat), reverse),
    );
  }

  /** Returns the bounds of everything an animation shows, in the default styles: minX, minY, maxX, maxY. */
  bounds(animation: number): [number, number, number, number] {
    return Array.from(call(() => glue.model_bounds(this.handle, index(animation)))) as [number, number, number, number];
  }

  /** Creates a character at rest. */
  instance(): CharacterInstance {
    return new CharacterInstance(call(() => glue.character_new(this.handle)), this);
  }
}

/** A joint of a skeleton. */
export interface Joint {
  readonly name: string;
  /** Index of the parent; -1 for a root. */
  readonly parent: number;
  /** Rest transform relative to the parent: position, rotation x y z w, scale. */
  readonly rest: readonly number[];
  /** End of a joint without children, relative to it. */
  readonly tip?: readonly [number, number, number];
}

/** A span in which a foot is planted. */
export interface FootContact {
  readonly joint: number;
  readonly part: "heel" | "ball" | "hand";
  readonly side: "left" | "middle" | "right";
  /** Seconds. In a loop the end may be after the duration. */
  readonly start: number;
  readonly end: number;
}

/** 3D motions on a skeleton. Lengths are in metres, y up. */
export class MotionModel extends BaseModel {
  readonly kind = "motion";
  readonly joints: readonly Joint[];
  /** Joints that have a tip, in the order of the points after the joints in {@link MotionInstance.positions}. */
  readonly tips: readonly number[];
  /** Number of skeletons of the file; see {@link LoadOptions.skeleton}. */
  readonly skeletonCount: number;
  /** glTF: the node of each joint. */
  readonly jointNodes?: Int32Array;
  /** The joint that carries the body over the ground, of each animation. */
  readonly rootMotionJoints: readonly number[];

  /** @internal */
  constructor(handle: number, info: MotionInfo, byteLength: number, source: KeptSource | null) {
    super(handle, info, byteLength, source);
    this.joints = info.joints;
    this.tips = info.tips;
    this.skeletonCount = info.skeletons;
    this.rootMotionJoints = info.rootMotionJoints;
    if (info.jointNodes) this.jointNodes = Int32Array.from(info.jointNodes);
  }

  /** Finds when feet are planted. Takes about a pose per frame. */
  contacts(animation: number): FootContact[] {
    return JSON.parse(call(() => glue.contacts(this.handle, index(animation)))) as FootContact[];
  }

  /** Returns the bounds of the body over an animation: minX, minY, minZ, maxX, maxY, maxZ. */
  bounds(animation: number): [number, number, number, number, number, number] {
    const bounds = Array.from(call(() => glue.model_bounds(this.handle, index(animation))));
    return bounds as [number, number, number, number, number, number];
  }

  /** Returns the registration curves in the file. */
  curves(): Curve[] {
    return Array.from(call(() => glue.model_curves(this.handle)), (handle) => new Curve(handle));
  }

  /** Creates a figure at rest. */
  instance(): MotionInstance {
    return new MotionInstance(call(() => glue.motion_new(this.handle)), this);
  }
}

// ---------------------------------------------------------------- instances

/** A frame of an animation; later ones override earlier ones. */
export interface AnimationFrame {
  animation: number;
  frame: number;
}

/** Placement of a character, and what is simulated. */
export interface Placement {
  x?: number;
  y?: number;
  /** A negative scaleX mirrors the character. */
  scaleX?: number;
  scaleY?: number;
  /** Velocity in pixels per second, which springy bones lag behind. */
  velocityX?: number;
  velocityY?: number;
  ik?: boolean;
  physics?: boolean;
}

/** A 2D character in motion. Call {@link animate} and {@link construct} every frame, then draw. */
export class CharacterInstance extends Resource {
  readonly model: CharacterModel;
  readonly #vertices = new View(Float32Array, 0);
  readonly #indices = new View(Uint32Array, 1);
  readonly #batches = new View(Uint32Array, 2);
  readonly #items = new View(Uint32Array, 3);
  readonly #bones = new View(Float32Array, 4);
  readonly #hidden = new View(Uint8Array, 5);

  /** @internal */
  constructor(handle: number, model: CharacterModel) {
    super(handle);
    this.model = model;
  }

  /** Wears styles, by index; the first that has a texture of a name is used. */
  setStyles(styles: readonly number[]): void {
    call(() => glue.character_styles(this.handle, Uint32Array.from(styles, index)));
  }

  /**
   * Writes frames of animations into the bones, from the rest pose. `seconds` since the last call advance a running
   * {@link fade}.
   */
  animate(frames: readonly AnimationFrame[], seconds = 0): void {
    const numbers = new Float64Array(frames.length * 2);
    frames.forEach(({ animation, frame }, at) => numbers.set([index(animation), finite(frame, "frame")], at * 2));
    call(() => glue.character_animate(this.handle, numbers, finite(seconds, "seconds")));
  }

  /** Starts a crossfade from the pose shown to the animations of the following calls of {@link animate}. */
  fade(seconds: number): void {
    call(() => glue.character_fade(this.handle, finite(seconds, "seconds")));
  }

  /** Computes the pose: IK, springy bones over `seconds`, meshes; fills the draw list. */
  construct(seconds: number, placement: Placement = {}): void {
    const { x = 0, y = 0, scaleX = 1, scaleY = 1, velocityX = 0, velocityY = 0, ik = true, physics = true } = placement;
    const numbers = [seconds, x, y, scaleX, scaleY, velocityX, velocityY];
    numbers.forEach((number) => finite(number, "placement"));
    call(() => glue.character_construct(this.handle, Float32Array.from(numbers), ik, physics));
  }

  /** Returns to the rest pose, with springy bones settled and without targets. */
  reset(): void {
    call(() => glue.character_reset(this.handle));
  }

  /** Holds a bone, such as an IK target, at a point in the world, until {@link clearTargets}. */
  setTarget(bone: number, x: number, y: number): void {
    call(() => glue.character_target(this.handle, index(bone), finite(x, "x"), finite(y, "y")));
  }

  /** Lets go of all bones, or of one. */
  clearTargets(bone?: number): void {
    call(() => glue.character_clear_targets(this.handle, bone === undefined ? -1 : index(bone)));
  }

  /** 8 numbers for each vertex: x, y, u and v in the atlas, red, green, blue, opacity factors. Back to front. */
  get vertices(): Float32Array {
    return this.#vertices.of(this.handle);
  }

  /** Triangles: indices of vertices. */
  get indices(): Uint32Array {
    return this.#indices.of(this.handle);
  }

  /** 3 numbers for each run of triangles of one atlas: atlas, first index, number of indices. */
  get batches(): Uint32Array {
    return this.#batches.of(this.handle);
  }

  /** 3 numbers for each textured bone: bone, first index, number of indices. */
  get items(): Uint32Array {
    return this.#items.of(this.handle);
  }

  /** 6 numbers for each bone in the world: x, y, cosine and sine of the rotation, scale x, scale y. */
  get bones(): Float32Array {
    return this.#bones.of(this.handle);
  }

  /** For each bone, 1 if it is hidden. */
  get hidden(): Uint8Array {
    return this.#hidden.of(this.handle);
  }

  /** Returns the hash of the pose and draw list shown: 16 hexadecimal digits. */
  hash(): string {
    return call(() => glue.instance_hash(this.handle));
  }
}

/** A 3D figure in motion. */
export class MotionInstance extends Resource {
  readonly model: MotionModel;
  readonly #positions = new View(Float32Array, 0);
  readonly #matrices = new View(Float32Array, 1);
  readonly #locals = new View(Float32Array, 2);

  /** @internal */
  constructor(handle: number, model: MotionModel) {
    super(handle);
    this.model = model;
  }

  /** Samples an animation at a time in seconds, clamped to its duration. */
  sample(animation: number, time: number): void {
    call(() => glue.motion_sample(this.handle, index(animation), finite(time, "time")));
  }

  /** 3 numbers for each joint, then for each of {@link MotionModel.tips}: its position. */
  get positions(): Float32Array {
    return this.#positions.of(this.handle);
  }

  /** 16 numbers for each joint: its matrix in model space, column by column. */
  get matrices(): Float32Array {
    return this.#matrices.of(this.handle);
  }

  /** 10 numbers for each joint, relative to its parent: position, rotation x y z w, scale. */
  get locals(): Float32Array {
    return this.#locals.of(this.handle);
  }

  /** Returns the hash of the pose shown: 16 hexadecimal digits. */
  hash(): string {
    return call(() => glue.instance_hash(this.handle));
  }
}

// ---------------------------------------------------------------- controller

/** How an animation plays. */
export interface PlayParameters {
  /** Index or name. */
  animation: number | string;
  /** Default: false. */
  looped?: boolean;
  /** If looped, plays backward from the end instead of beginning again. */
  pingPong?: boolean;
  /** Animations are applied from the lowest layer to the highest. Default: 0. */
  layer?: number;
  /** Adds the difference from its first pose instead of replacing what is below. */
  additive?: boolean;
  /** Restricts it to a joint or bone and its descendants. */
  startBone?: string;
  /** Looped animations of one group are synchronized. */
  syncGroup?: string;
  /** Fades by inertialization instead of a crossfade: 3D only. */
  inertial?: boolean;
  /** Its weight is a share of its layer. */
  sharesLayer?: boolean;
  /** Stays when it reaches its end. */
  keepOnCompletion?: boolean;
  /** Stays when its weight is zero. */
  keepOnZeroWeight?: boolean;
  /** Default: 1; negative plays backward. */
  speed?: number;
  /** Default: 1. */
  weight?: number;
  /** Start time in seconds. */
  time?: number;
  /** Range in seconds; the default is the whole animation. */
  timeRange?: readonly [number, number];
  /** Seconds of the fade-out after its end. */
  autoFadeOut?: number;
}

/** An animation that plays. */
export interface PlayingAnimation {
  readonly animation: number;
  /** Distinguishes several instances of one animation. */
  readonly instance: number;
  readonly layer: number;
  readonly weight: number;
  readonly targetWeight: number;
  readonly time: number;
  readonly timeRange: readonly [number, number];
  readonly speed: number;
  readonly looped: boolean;
  readonly pingPong: boolean;
  readonly additive: boolean;
}

/** What one animation contributes to one quantity of a joint or bone, in the order of application. */
export interface Contribution {
  readonly animation: number;
  readonly instance: number;
  readonly layer: number;
  readonly additive: boolean;
  /** `position`, `rotation`, `scale`, or the element of a 2D bone. */
  readonly quantity: string;
  readonly weight: number;
  readonly value: readonly number[] | string | boolean;
  readonly result: readonly number[] | string | boolean;
}

/** A trigger that an animation passed in the last {@link Controller.update}. */
export interface FiredTrigger {
  readonly animation: number;
  readonly instance: number;
  readonly name: string;
  readonly time: number;
  readonly weight: number;
}

/** A motion over the ground: rotation about the vertical, and translation in metres. */
export interface GroundTransform {
  readonly angle: number;
  readonly x: number;
  readonly z: number;
}

/** Plays, layers and fades animations; works on both kinds of models. */
export class Controller extends Resource {
  readonly model: Model;

  /** @internal */
  constructor(handle: number, model: Model) {
    super(handle);
    this.model = model;
  }

  #play(operation: number, parameters: PlayParameters, seconds: number): number {
    const { layer = 0, speed = 1, weight = 1, time, timeRange, autoFadeOut = 0 } = parameters;
    const flags = [
      parameters.looped,
      parameters.pingPong,
      parameters.additive,
      parameters.inertial,
      parameters.sharesLayer,
      parameters.keepOnCompletion,
      parameters.keepOnZeroWeight,
      time !== undefined,
      timeRange !== undefined,
    ].reduce((bits, flag, bit) => bits | (flag ? 1 << bit : 0), 0);
    const numbers = [seconds, speed, weight, time ?? 0, timeRange?.[0] ?? 0, timeRange?.[1] ?? 0, autoFadeOut];
    numbers.forEach((number) => finite(number, "parameters"));
    return call(() =>
      glue.controller_play(
        this.handle,
        operation,
        this.#animation(parameters.animation),
        flags,
        index(layer),
        Float32Array.from(numbers),
        parameters.startBone ?? "",
        parameters.syncGroup ?? "",
      ),
    );
  }

  #animation(animation: number | string): number {
    if (typeof animation === "number") return index(animation);
    const found = this.model.findAnimation(animation);
    if (found < 0) throw argument(`no animation is named ${JSON.stringify(animation)}`);
    return found;
  }

  /** Plays a new instance, faded in over `seconds`; returns its position in {@link animations}. */
  playNew(parameters: PlayParameters, seconds = 0): number {
    return this.#play(0, parameters, seconds);
  }

  /** Like {@link playNew}; fades out everything else on its layer. */
  playNewExclusive(parameters: PlayParameters, seconds = 0): number {
    return this.#play(1, parameters, seconds);
  }

  /** Continues an instance of the animation on its layer if there is one, else plays a new one. */
  playExisting(parameters: PlayParameters, seconds = 0): number {
    return this.#play(2, parameters, seconds);
  }

  /** Like {@link playExisting}; fades out everything else on its layer. */
  playExistingExclusive(parameters: PlayParameters, seconds = 0): number {
    return this.#play(3, parameters, seconds);
  }

  /** Fades the last instance of an animation to a weight; false if it does not play. */
  fade(animation: number | string, targetWeight: number, seconds = 0): boolean {
    return this.#change(0, animation, targetWeight, seconds) > 0;
  }

  /** Fades out the last instance of an animation; false if it does not play. */
  stop(animation: number | string, seconds = 0): boolean {
    return this.#change(1, animation, 0, seconds) > 0;
  }

  /** Fades out everything on a layer; returns how many. */
  stopLayer(layer: number, seconds = 0): number {
    return this.#change(2, layer, 0, seconds);
  }

  /** Fades out everything on a layer except the instance at a position of {@link animations}; returns how many. */
  stopLayerExcept(layer: number, except: number, seconds = 0): number {
    return this.#change(3, layer, index(except), seconds);
  }

  /** Fades out everything; returns how many. */
  stopAll(seconds = 0): number {
    return this.#change(4, 0, 0, seconds);
  }

  /** Sets the time of the last instance of an animation; false if it does not play. */
  updateAnimationTime(animation: number | string, time: number): boolean {
    return this.#change(5, animation, time, 0) > 0;
  }

  /** Sets the weight of the last instance of an animation; false if it does not play. */
  updateAnimationWeight(animation: number | string, weight: number, seconds = 0): boolean {
    return this.#change(6, animation, weight, seconds) > 0;
  }

  /** Sets the speed of the last instance of an animation; false if it does not play. */
  updateAnimationSpeed(animation: number | string, speed: number): boolean {
    return this.#change(7, animation, speed, 0) > 0;
  }

  /** Removes the instance at a position of {@link animations}, without a fade. */
  removeAnimation(position: number): void {
    this.#change(8, position, 0, 0);
  }

  /** Whether an animation plays and does not fade out. */
  isPlaying(animation: number | string): boolean {
    return this.#change(9, animation, 0, 0) > 0;
  }

  #change(operation: number, what: number | string, value: number, seconds: number): number {
    const target = typeof what === "string" ? this.#animation(what) : index(what);
    return call(() =>
      glue.controller_change(this.handle, operation, target, finite(value, "value"), finite(seconds, "seconds")),
    );
  }

  /** Advances times and weights, and collects triggers. */
  update(seconds: number): void {
    call(() => glue.controller_update(this.handle, finite(seconds, "seconds")));
  }

  /**
   * Applies the animations to an instance of the same model. `seconds` since the last call smooth inertial fades.
   * A character must be {@link CharacterInstance.construct constructed} afterwards.
   */
  apply(instance: CharacterInstance | MotionInstance, seconds = 0): void {
    call(() => glue.controller_apply(this.handle, instance.handle, finite(seconds, "seconds")));
  }

  /** What plays, in the order of the list. */
  get animations(): PlayingAnimation[] {
    const state = call(() => glue.controller_state(this.handle));
    const list: PlayingAnimation[] = [];
    for (let at = 0; at + 10 < state.length; at += 11) {
      const [animation, instance, layer, weight, targetWeight, time, min, max, speed, flags] = state.subarray(at, at + 11) as unknown as number[];
      list.push({
        animation: animation as number,
        instance: instance as number,
        layer: layer as number,
        weight: weight as number,
        targetWeight: targetWeight as number,
        time: time as number,
        timeRange: [min as number, max as number],
        speed: speed as number,
        looped: ((flags as number) & 1) !== 0,
        pingPong: ((flags as number) & 2) !== 0,
        additive: ((flags as number) & 4) !== 0,
      });
    }
    return list;
  }

  /** Triggers passed in the last {@link update}. */
  triggers(): FiredTrigger[] {
    return JSON.parse(call(() => glue.controller_triggers(this.handle))) as FiredTrigger[];
  }

  /** What each animation contributes to a joint, or to an element of a bone such as `Rotation`. */
  explain(joint: number, element = ""): Contribution[] {
    return JSON.parse(call(() => glue.controller_explain(this.handle, index(joint), element))) as Contribution[];
  }

  /** Takes root motion out of the pose of a joint, or leaves it in without one: 3D only. */
  setRoot(joint?: number): void {
    call(() => glue.controller_root(this.handle, joint === undefined ? -1 : index(joint)));
  }

  /** Returns the root motion of the last {@link update}, relative to the figure. */
  rootMotion(): GroundTransform {
    const [angle, x, z] = call(() => glue.controller_root_motion(this.handle)) as unknown as [number, number, number];
    return { angle, x, z };
  }

  /** Returns the state; {@link restore} continues from it bit for bit. */
  save(): Uint8Array {
    return call(() => glue.controller_save(this.handle));
  }

  restore(state: Uint8Array): void {
    call(() => glue.controller_restore(this.handle, state));
  }
}

// ---------------------------------------------------------------- curves

/** A registration curve: corresponding times of motions. Positions are from 0 to 1. */
export class Curve extends Resource {
  /** Names of the motions. */
  readonly motions: readonly string[];
  /** Whether the motions are loops. */
  readonly isCyclic: boolean;
  /** Index of the motion with which the others are aligned. */
  readonly reference: number;
  /** Mean joint distance along the curve in metres. */
  readonly distance: number;

  /** @internal */
  constructor(handle: number) {
    super(handle);
    const info = JSON.parse(call(() => glue.curve_info(handle))) as {
      motions: string[];
      isCyclic: boolean;
      reference: number;
      distance: number;
    };
    this.motions = info.motions;
    this.isCyclic = info.isCyclic;
    this.reference = info.reference;
    this.distance = info.distance;
  }

  /** Reads a curve from the bytes of a JSON file, once {@link init} is done. */
  static read(bytes: Uint8Array, name = "curve.json"): Curve {
    if (!(bytes instanceof Uint8Array)) throw argument("expected the bytes of a file");
    return new Curve(call(() => glue.curve_read(name, bytes)));
  }

  /** Returns the time of a motion at a position, in seconds within the motion. */
  time(motion: number, position: number): number {
    return call(() => glue.curve_time(this.handle, index(motion), finite(position, "position")));
  }

  /** Returns the position of a time of a motion. */
  position(motion: number, time: number): number {
    return call(() => glue.curve_position(this.handle, index(motion), finite(time, "time")));
  }

  /** Returns the ground transform that aligns a motion with the reference at a position. */
  alignment(motion: number, position: number): GroundTransform {
    const numbers = call(() => glue.curve_alignment(this.handle, index(motion), finite(position, "position")));
    const [angle, x, z] = numbers as unknown as [number, number, number];
    return { angle, x, z };
  }
}

/** Returns the hash of the first ten seconds of an animation; see {@link BaseModel.hash}. */
export function poseHash(model: Model, animation: number): string {
  return model.hash(animation);
}

/** @internal Traps, to test that the runtime survives. */
export function trapForTest(): void {
  call(() => glue.trap_for_test());
}

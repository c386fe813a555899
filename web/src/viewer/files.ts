/** Where files come from: dropped or chosen, inside the page, beside the page on a server. */
import { load, SinewError, type Model } from "../core.js";
import { readMeshes, references, type MeshSource } from "../render/glb.js";

/** Called with the number of bytes read so far. */
export type Progress = (bytes: number) => void;

export interface Source {
  name: string;
  /** Bytes; 0 if unknown. */
  size: number;
  /** Reads the bytes; every call reads them again. */
  read(progress?: Progress): Promise<Uint8Array>;
  thumbnail?: string;
  /** Name of the format. */
  format?: string;
  /** Asks the server what is in the file, through a function that fetches an address. */
  details?(fetch: (url: string) => Promise<Response | null>): Promise<FileDetails | null>;
  modified?: string | number;
  group: "samples" | "files";
  /** Pose hashes of the native program, by animation. */
  hashes?: (string | null)[];
  /** Reads the files that this one refers to. */
  companions?(): Promise<Record<string, Uint8Array>>;
  error?: string;
  /** Whether it is a registration curve; unknown until it is read. */
  isCurve?: boolean;
}

/** What a server says about the content of a file. */
export interface FileDetails {
  kind?: string;
  joints: number;
  animations: { name: string; seconds: number; frames: number; fps: number }[];
  error?: string;
}

export interface Opened {
  source: Source;
  model: Model;
  meshes: MeshSource | null;
}

/** The largest file, and the largest sum of a file's companions: what the readers accept. */
export const MAX_BYTES = 256 * 2 ** 20;

/** How many files are searched for the skeleton of an animation that has none. */
const MAX_SKELETONS = 12;

const COMPANIONS = /\.(asf|bin|png|jpe?g|webp)$/i;
export const extension = (name: string): string => /\.[^.]+$/.exec(name)?.[0].toLowerCase() ?? "";
export const baseName = (name: string): string => name.split(/[\\/]/).pop() ?? name;

/** The files that are shown; the others are what those refer to, and registration curves. An `.asf` without an `.amc` is shown. */
export function primaries(sources: Source[]): Source[] {
  const hasAmc = sources.some((source) => extension(source.name) === ".amc");
  const main = sources.filter((source) => !source.isCurve && (!COMPANIONS.test(source.name) || (extension(source.name) === ".asf" && !hasAmc)));
  return main.length ? main : sources;
}

function tooLarge(name: string, size: number): SinewError {
  const megabytes = (count: number): string => `${(count / 1e6).toFixed(0)} MB`;
  return new SinewError("too-large", `${name}: ${megabytes(size)}; files of up to ${megabytes(MAX_BYTES)} are shown`, { file: name });
}

/** Waits until the browser has shown what changed, so that a message is seen before work that blocks the page. */
const painted = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 30));

/**
 * Opens a file. Of `all`, only those are read that it needs: what a glTF file refers to, the skeleton of an AMC, and, if
 * the reader misses a skeleton, files that may have it, one after the other.
 */
export async function open(source: Source, all: readonly Source[], progress?: Progress): Promise<Opened> {
  if (source.size > MAX_BYTES) throw tooLarge(source.name, source.size);
  const bytes = await source.read(progress);
  if (bytes.length > MAX_BYTES) throw tooLarge(source.name, bytes.length);
  const name = baseName(source.name), kind = extension(name);
  const files: Record<string, Uint8Array> = {};
  let room = MAX_BYTES;
  const add = async (other: Source): Promise<void> => {
    if (other.size > room) throw tooLarge(other.name, other.size);
    const content = await other.read();
    room -= content.length;
    files[baseName(other.name)] = content;
  };
  const isGltf = kind === ".glb" || kind === ".gltf";
  const others = all.filter((other) => other !== source && other.group === source.group);
  if (source.companions) Object.assign(files, await source.companions());
  if (isGltf) {
    const wanted = new Set(references(bytes));
    for (const other of others) if (wanted.has(baseName(other.name)) && !(baseName(other.name) in files)) await add(other);
  } else if (kind === ".amc" && !Object.keys(files).length) {
    const skeletons = others.filter((other) => extension(other.name) === ".asf");
    for (const other of byLikeness(skeletons, source.name).slice(0, MAX_SKELETONS)) await add(other);
  }
  if (bytes.length > 10e6) await painted();
  const model = await load(bytes, { name, files }).catch(async (error: unknown) => {
    if (!(error instanceof SinewError) || error.code !== "missing-file" || isGltf || kind === ".amc") throw error;
    const candidates = others.filter((other) => /\.(sinew|glb|bvh|asf|json)$/i.test(other.name) && other.size <= MAX_BYTES);
    for (const other of byLikeness(candidates, source.name).slice(0, MAX_SKELETONS)) {
      try {
        return await load(bytes, { name, files: { [baseName(other.name)]: await other.read() } });
      } catch {
        // It has no skeleton, or another one.
      }
    }
    throw error;
  });
  let meshes: MeshSource | null = null;
  if (model.kind === "motion" && isGltf) {
    meshes = await readMeshes(bytes, files);
    if (meshes && !meshes.parts.length) meshes = null;
  }
  return { source, model, meshes };
}

/** Sorted by the number of characters that the names have in common with `name`, from the start; the longest first. */
function byLikeness(sources: readonly Source[], name: string): Source[] {
  const common = (other: string): number => {
    let count = 0;
    while (count < name.length && other[count]?.toLowerCase() === name[count].toLowerCase()) count++;
    return count;
  };
  return [...sources].sort((a, b) => common(b.name) - common(a.name));
}

/** Reads a stream of about `size` bytes. */
async function readAll(stream: ReadableStream<Uint8Array>, size: number, name: string, progress?: Progress): Promise<Uint8Array> {
  const reader = stream.getReader();
  let content = new Uint8Array(size || 65536), length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (length + value.length > content.length) {
      if (length + value.length > MAX_BYTES) {
        void reader.cancel();
        throw tooLarge(name, length + value.length);
      }
      const larger = new Uint8Array(Math.min(Math.max(content.length * 2, length + value.length), MAX_BYTES));
      larger.set(content.subarray(0, length));
      content = larger;
    }
    content.set(value, length);
    length += value.length;
    progress?.(length);
  }
  return content.subarray(0, length);
}

export function fromFile(file: File): Source {
  return {
    name: file.name,
    size: file.size,
    group: "files",
    read: async (progress) => {
      try {
        return await readAll(file.stream(), file.size, file.name, progress);
      } catch (error) {
        if (error instanceof SinewError) throw error;
        const reason = error instanceof Error ? error.message : String(error);
        throw new SinewError("network", `${file.name}: cannot be read: ${reason}`, { file: file.name });
      }
    },
  };
}

/** Decodes base64 of gzip without the network. */
export async function gunzip(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  const packed = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function fromBase64(name: string, gzip: string, group: Source["group"]): Source {
  let bytes: Promise<Uint8Array> | undefined;
  return { name, size: 0, group, read: () => (bytes ??= gunzip(gzip)) };
}

export interface Payload {
  title?: string;
  compare: boolean;
  /** A gallery is shown first, even of one file. */
  gallery: boolean;
  files: Source[];
}

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
const text = (value: Json | undefined): string | undefined => (typeof value === "string" ? value : undefined);
const objects = (value: Json | undefined): { [key: string]: Json }[] =>
  Array.isArray(value) ? value.filter((item): item is { [key: string]: Json } => item !== null && typeof item === "object" && !Array.isArray(item)) : [];

function payload(data: Json, file: (fields: { [key: string]: Json }) => Source | null): Payload | null {
  const [fields] = objects([data]);
  if (!fields) return null;
  const files = objects(fields.files).flatMap((entry) => file(entry) ?? []);
  return { files, title: text(fields.title), compare: fields.compare === true, gallery: fields.gallery === true };
}

/** Files inside the page. */
export function embedded(): Payload | null {
  const content = document.getElementById("sinew-files")?.textContent?.trim();
  if (!content) return null;
  try {
    const found = payload(JSON.parse(content) as Json, (fields) => {
      const name = text(fields.name), gzip = text(fields.gzip);
      if (name === undefined || gzip === undefined) return null;
      return { ...fromBase64(name, gzip, "files"), hashes: objects(fields.animations).map((animation) => text(animation.hash) ?? null) };
    });
    return found?.files.length ? found : null;
  } catch {
    return null;
  }
}

async function get(url: string, name: string): Promise<Response> {
  const reply = await fetch(url, { cache: "no-store" });
  if (!reply.ok) throw new SinewError("network", `${name}: ${reply.status} ${reply.statusText}`, { file: name });
  return reply;
}

const amount = (value: Json | undefined): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);

function fileDetails(data: Json): FileDetails | null {
  const [fields] = objects([data]);
  if (!fields) return null;
  const animations = objects(fields.animations).map((animation) => ({ name: text(animation.name) ?? "", seconds: amount(animation.seconds), frames: amount(animation.frames), fps: amount(animation.fps) }));
  return { kind: text(fields.kind), joints: amount(fields.joints), animations, error: text(fields.error) };
}

/** The list of a server's files; see `crates/sinew-viewer/dist/PAYLOAD.md`. */
export function servedList(data: Json): Payload | null {
  return payload(data, (fields) => {
    const name = text(fields.name), url = text(fields.url);
    if (name === undefined || url === undefined) return null;
    const id = typeof fields.id === "number" ? fields.id : null;
    return {
      name,
      size: typeof fields.size === "number" ? fields.size : 0,
      group: "files",
      modified: typeof fields.modified === "number" ? fields.modified : undefined,
      thumbnail: text(fields.thumbnail),
      format: text(fields.format),
      details: async (fetch) => {
        const reply = typeof fields.details === "string" ? await fetch(fields.details) : null;
        return reply ? fileDetails((await reply.json()) as Json) : null;
      },
      error: text(fields.error),
      read: async (progress) => {
        const reply = await get(url, name);
        const size = Number(reply.headers.get("Content-Length")) || 0;
        if (size > MAX_BYTES) throw tooLarge(name, size);
        return reply.body ? readAll(reply.body, size, name, progress) : new Uint8Array(await reply.arrayBuffer());
      },
      companions: async () => {
        const files: Record<string, Uint8Array> = {};
        if (fields.companions !== true || id === null) return files;
        const list = (await (await get(`c/${id}.json`, name)).json()) as Json;
        for (const entry of objects((objects([list])[0] ?? {}).companions)) {
          const file = text(entry.name), address = text(entry.url);
          if (file !== undefined && address !== undefined) files[file] = new Uint8Array(await (await get(address, file)).arrayBuffer());
        }
        return files;
      },
    };
  });
}

/** Files of the server that serves this page; `null` without one. */
export async function served(): Promise<Payload | null> {
  if (!location.protocol.startsWith("http")) return null;
  try {
    const response = await fetch("files.json", { cache: "no-store" });
    return response.ok ? servedList((await response.json()) as Json) : null;
  } catch {
    return null;
  }
}

/** Calls back whenever the server's files changed. */
export function watchServed(changed: (payload: Payload) => void): void {
  const events = new EventSource("changes");
  let first = true;
  events.addEventListener("files", (event) => {
    const wasFirst = first;
    first = false;
    if (wasFirst) return;
    try {
      const list = servedList(JSON.parse((event as MessageEvent<string>).data) as Json);
      if (list) changed(list);
    } catch {
      // A list that cannot be read changes nothing.
    }
  });
}

/** A line of a text file with the faulty column, for error messages; `null` for binary files. */
export async function excerpt(source: Source, line: number, column: number): Promise<{ text: string; column: number } | null> {
  try {
    const bytes = await source.read();
    if (bytes.subarray(0, 4000).includes(0)) return null;
    const text = new TextDecoder().decode(bytes.subarray(0, 20e6)).split(/\r?\n/)[line - 1];
    if (text === undefined) return null;
    const start = Math.max(0, column - 40);
    return { text: text.slice(start, start + 100), column: column - start };
  } catch {
    return null;
  }
}

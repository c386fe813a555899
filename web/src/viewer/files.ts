/** Where files come from: dropped or chosen, inside the page, beside the page on a server. */
import { Curve, load, SinewError, type Model } from "../core.js";
import { readMeshes, type MeshSource } from "../render/glb.js";

export interface Source {
  name: string;
  size: number;
  /** Reads the bytes. */
  read(): Promise<Uint8Array>;
  thumbnail?: string;
  modified?: string | number;
  group: "samples" | "files";
  /** Pose hashes of the native program, by animation. */
  hashes?: (string | null)[];
  /** Reads the files that this one refers to. */
  companions?(): Promise<Record<string, Uint8Array>>;
  error?: string;
}

export interface Opened {
  source: Source;
  bytes: Uint8Array;
  model: Model;
  meshes: MeshSource | null;
}

/** Larger files are refused: the page would need several times as much memory. */
export const MAX_BYTES = 512e6;

const COMPANIONS = /\.(asf|bin|png|jpe?g|webp)$/i;
export const extension = (name: string): string => /\.[^.]+$/.exec(name)?.[0].toLowerCase() ?? "";
export const baseName = (name: string): string => name.split(/[\\/]/).pop() ?? name;

/** The files that are shown; the others are what those refer to. An `.asf` without an `.amc` is shown. */
export function primaries(sources: Source[]): Source[] {
  const hasAmc = sources.some((source) => extension(source.name) === ".amc");
  const main = sources.filter((source) => !COMPANIONS.test(source.name) || (extension(source.name) === ".asf" && !hasAmc));
  return main.length ? main : sources;
}

export async function open(source: Source, all: readonly Source[]): Promise<Opened> {
  if (source.size > MAX_BYTES) {
    throw new SinewError("too-large", `${source.name}: ${(source.size / 1e6).toFixed(0)} MB, of at most ${MAX_BYTES / 1e6} MB`, { file: source.name });
  }
  const bytes = await source.read();
  const files: Record<string, Uint8Array> = {};
  if (source.companions) Object.assign(files, await source.companions());
  const wants = extension(source.name) === ".amc" ? /\.asf$/i : extension(source.name) === ".gltf" ? /\.(bin|png|jpe?g|webp)$/i : /\.sinew$/i;
  for (const other of all) {
    if (other !== source && other.group === source.group && wants.test(other.name) && other.size <= MAX_BYTES) files[baseName(other.name)] = await other.read();
  }
  const model = await load(bytes, { name: baseName(source.name), files });
  let meshes: MeshSource | null = null;
  if (model.kind === "motion" && (extension(source.name) === ".glb" || extension(source.name) === ".gltf")) {
    meshes = await readMeshes(bytes, files);
    if (meshes && !meshes.parts.length) meshes = null;
  }
  return { source, bytes, model, meshes };
}

export function fromFile(file: File): Source {
  let bytes: Promise<Uint8Array> | undefined;
  return {
    name: file.name,
    size: file.size,
    group: "files",
    read: () => (bytes ??= file.arrayBuffer().then((buffer) => new Uint8Array(buffer))),
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
      error: text(fields.error),
      read: async () => new Uint8Array(await (await get(url, name)).arrayBuffer()),
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

/** A registration curve among the files, for synchronized comparison. */
export async function findCurve(sources: readonly Source[]): Promise<Curve | null> {
  for (const source of sources) {
    if (extension(source.name) !== ".json" || source.size > 5e6) continue;
    try {
      return Curve.read(await source.read(), source.name);
    } catch {
      // Not a curve: a motion or a character in JSON.
    }
  }
  return null;
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

/** The runtime with the WebAssembly module inside this script. */
import { init } from "./core.js";
import packed from "sinew:module";

const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
await init(await new Response(stream).arrayBuffer());

export * from "./index.js";

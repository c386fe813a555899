// A server as the page expects one (crates/sinew-viewer/dist/PAYLOAD.md), which counts what is asked for.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { viewerPath } from "./harness.mjs";

/** Serves files by name. `requests` lists the names that were read. */
export async function serve(files) {
  const names = Object.keys(files);
  const requests = [];
  const list = names.map((name, id) => ({ id, name, size: files[name].length, modified: 1, companions: false, url: `f/${id}` }));
  const server = createServer((request, response) => {
    const path = request.url.replace("/token/", "").replace(/[?#].*/, "");
    const name = names[Number(/^f\/(\d+)$/.exec(path)?.[1] ?? -1)];
    if (path === "") response.writeHead(200, { "content-type": "text/html" }).end(readFileSync(viewerPath));
    else if (path === "files.json") response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ version: 1, title: "motions", gallery: true, files: list }));
    else if (name !== undefined) {
      requests.push(name);
      response.writeHead(200, { "content-length": files[name].length }).end(files[name]);
    } else response.writeHead(404).end();
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/token/`,
    requests,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

// A server of files, like any web host: it sets no headers except the type and the length.

import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";

const types = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".mjs": "text/javascript",
  ".ndjson": "application/x-ndjson",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
};

/**
 * Serves each folder under its path, and an empty page under `/`. A proxy answers the requests
 * under its path. It receives the rest of the path with the query string. `headersOf` returns
 * additional headers for a path.
 */
export async function serve(folders, proxies = {}, headersOf = () => ({})) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
    for (const [name, value] of Object.entries(headersOf(pathname))) response.setHeader(name, value);
    if (pathname === "/") {
      response.setHeader("Content-Type", "text/html");
      response.end("<!doctype html><title>Rollbook</title>");
      return;
    }
    const proxied = Object.keys(proxies).find((path) => pathname.startsWith(path));
    if (proxied) {
      void proxies[proxied](request.url.slice(proxied.length), request, response);
      return;
    }
    const mount = Object.keys(folders).find((path) => pathname.startsWith(path));
    let file = mount && join(folders[mount], normalize(pathname.slice(mount.length)));
    if (file && existsSync(file) && statSync(file).isDirectory()) file = join(file, "index.html");
    if (!file || !existsSync(file)) {
      response.statusCode = 404;
      response.end();
      return;
    }
    response.setHeader("Content-Type", types[extname(file)] ?? "application/octet-stream");
    response.setHeader("Content-Length", statSync(file).size);
    createReadStream(file).pipe(response);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://localhost:${server.address().port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

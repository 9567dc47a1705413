// A server of files as any host is: no headers but the type.

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
 * Serves folders under the paths that they are given for; the empty page is `/`. What is
 * asked under a proxy's path, the rest of it with its query string, is the proxy's to answer.
 */
export async function serve(folders, proxies = {}) {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, "http://localhost");
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

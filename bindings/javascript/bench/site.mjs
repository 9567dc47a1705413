// Builds the site for the browser, and measures the size of the download of each contender.

import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "../dist");
const require = createRequire(import.meta.url);
const sqliteWasm = require.resolve("@sqlite.org/sqlite-wasm/sqlite3.wasm");
const sqlJs = require.resolve("sql.js/dist/sql-wasm-browser.wasm");

const options = {
  bundle: true,
  minify: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  alias: { rollbook: join(dist, "index.js") },
  logLevel: "error",
};

/** Builds the site into an empty folder. */
export async function buildSite(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const entries = ["rollbook", "sql-js", "filter", "sqlite-wasm", "dexie"];
  await build({
    ...options,
    entryPoints: {
      ...Object.fromEntries(entries.map((name) => [name, join(here, `contenders/${name}.mjs`)])),
      "sqlite-worker": join(here, "sqlite/worker.mjs"),
      worker: join(dist, "worker.js"),
      page: join(here, "page.mjs"),
    },
    outdir: folder,
  });
  copyFileSync(join(dist, "rollbook.wasm"), join(folder, "rollbook.wasm"));
  copyFileSync(sqliteWasm, join(folder, "sqlite3.wasm"));
  copyFileSync(sqlJs, join(folder, "sql-wasm-browser.wasm"));
}

/** Returns the bytes that a browser downloads for the library of each contender, by `gzip -9`. */
export async function weights() {
  const rollbook = [join(dist, "rollbook.wasm")];
  const index = await script('export { Rollbook } from "rollbook"');
  const worker = await script(`import ${JSON.stringify(join(dist, "worker.js"))}`);
  return {
    "Rollbook, memory": weigh(rollbook, [index]),
    "sql.js": weigh([sqlJs], [await script('export { default } from "sql.js"')]),
    filter: weigh([], []),
    "Rollbook, OPFS": weigh(rollbook, [index, worker]),
    "sqlite-wasm, OPFS": weigh(
      [sqliteWasm],
      [await script('export { default } from "@sqlite.org/sqlite-wasm"')],
    ),
    Dexie: weigh([], [await script('export { Dexie } from "dexie"')]),
  };
}

async function script(contents) {
  const built = await build({ ...options, stdin: { contents, resolveDir: here }, write: false });
  return built.outputFiles[0].contents;
}

function weigh(modules, scripts) {
  // The deflate of some versions of Node is 1 % worse.
  const zipped = (input) => execFileSync("gzip", ["-9", "-c"], { input }).length;
  const sum = (all) => all.reduce((one, other) => one + zipped(other), 0);
  return { wasm: sum(modules.map((path) => readFileSync(path))), js: sum(scripts) };
}

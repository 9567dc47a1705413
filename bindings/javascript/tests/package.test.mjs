// The package as users get it: packed, installed into fresh projects, and run in Node.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { dist } from "./material.mjs";
import { AGAIN, FIRST, SAMPLE, app } from "./projects/app.mjs";
import { install, pack, sample } from "./projects/project.mjs";

const LONG = { timeout: 300_000 };

/**
 * What the modules may weigh, gzipped: that of most pages about as much as sqlite-wasm's, and
 * that of pages that sync.
 */
const MOST = { rollbook: 416_000, "rollbook-sync": 515_000 };

let packed;

before(async () => {
  packed = await pack();
}, LONG);

after(() => packed?.remove());

/** A fresh project for one test. */
async function fresh(t, name) {
  const project = await install(name, packed.tarball);
  t.after(() => project.remove());
  return project;
}

test("what is packed", () => {
  const others = packed.files.filter((path) => !/^dist\/[a-z-]+(\.d\.ts|\.js)$/.test(path));
  assert.deepEqual(others.sort(), [
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "dist/rollbook-sync.wasm",
    "dist/rollbook.wasm",
    "package.json",
  ]);
  const scripts = packed.files.filter((path) => path.endsWith(".js"));
  for (const script of scripts) {
    assert.ok(packed.files.includes(script.replace(/js$/, "d.ts")), `${script} has no types`);
  }
});

for (const [name, most] of Object.entries(MOST)) {
  test(`${name}.wasm weighs no more than it may, and has what makes it fast`, (t) => {
    const path = `${dist}${name}.wasm`;
    // As the build weighs it: the deflate of some versions of Node makes a hundredth more.
    const bytes = execFileSync("gzip", ["-9", "-c", path]).byteLength;
    t.diagnostic(`${bytes} bytes gzipped`);
    assert.ok(bytes <= most, `${bytes} bytes`);
    // A function that is compiled for speed copies by 16 bytes: v128.load is 0xfd 0x00.
    const vectorised = readFileSync(path).includes(Buffer.from([0xfd, 0x00, 0x00]));
    assert.ok(vectorised, "nothing of it is vectorised");
  });
}

test("the module of pages that do not sync has nothing of it", () => {
  const module = (name) => new WebAssembly.Module(readFileSync(`${dist}${name}.wasm`));
  const exported = (name) => WebAssembly.Module.exports(module(name)).map(({ name }) => name);
  const [plain, syncing] = Object.keys(MOST).map(exported);
  assert.deepEqual(plain.filter((name) => /sync|follow/.test(name)), []);
  assert.ok(syncing.includes("engine_sync"));
  assert.deepEqual(plain.filter((name) => !syncing.includes(name)), []);
  // One script gives both what they import.
  const imported = (name) => WebAssembly.Module.imports(module(name)).map(({ name }) => name);
  const given = imported("rollbook-sync");
  assert.deepEqual(imported("rollbook").filter((name) => !given.includes(name)), []);
  // No script of theirs names the other module, or brings the driver along.
  for (const entry of ["index", "node", "slim", "worker"]) {
    const seen = reached(`${entry}.js`);
    assert.ok(![...seen].some((script) => /^sync|^step|^follow-/.test(script)), `${entry}: ${[...seen]}`);
  }
});

/** A script and those that it imports. */
function reached(script, seen = new Set()) {
  if (seen.has(script)) return seen;
  seen.add(script);
  const text = readFileSync(dist + script, "utf8");
  for (const [, next] of text.matchAll(/^(?:import|export) .*?"\.\/([\w-]+\.js)"/gm)) reached(next, seen);
  return seen;
}

test("Node", LONG, async (t) => {
  const project = await fresh(t, "node");
  project.add(app, "app.js");
  project.add(sample, SAMPLE);
  assert.equal(await project.run("node", "main.js"), FIRST);
  assert.equal(await project.run("node", "main.js"), AGAIN);
});

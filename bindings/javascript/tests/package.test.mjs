// The package as users get it: packed, installed into fresh projects, and run in Node.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { AGAIN, FIRST, SAMPLE, app } from "./projects/app.mjs";
import { install, pack, sample } from "./projects/project.mjs";

const LONG = { timeout: 300_000 };

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
    "dist/rollbook.wasm",
    "package.json",
  ]);
  const scripts = packed.files.filter((path) => path.endsWith(".js"));
  for (const script of scripts) {
    assert.ok(packed.files.includes(script.replace(/js$/, "d.ts")), `${script} has no types`);
  }
});

test("Node", LONG, async (t) => {
  const project = await fresh(t, "node");
  project.add(app, "app.js");
  project.add(sample, SAMPLE);
  assert.equal(await project.run("node", "main.js"), FIRST);
  assert.equal(await project.run("node", "main.js"), AGAIN);
});

// Tests the package as users receive it: packed, installed into new projects, and run in Node.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { dist } from "./material.mjs";
import { AGAIN, FIRST, SAMPLE, install, journey, pack, sample } from "./projects/project.mjs";

const LONG = { timeout: 300_000 };

/** The greatest size of the compressed module, in bytes. */
const MOST = 576_000;

let packed;

before(async () => {
  packed = await pack();
}, LONG);

after(() => packed?.remove());

test("the files of the package", () => {
  const others = packed.files.filter((path) => !/^dist\/[a-z-]+(\.d\.ts|\.js)$/.test(path));
  assert.deepEqual(others.sort(), [
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "dist/openapi-v1.json",
    "dist/openapi-v2.json",
    "dist/rollbook.wasm",
    "dist/sample-school.ndjson",
    "package.json",
  ]);
  const scripts = packed.files.filter((path) => path.endsWith(".js"));
  for (const script of scripts) {
    assert.ok(packed.files.includes(script.replace(/js$/, "d.ts")), `${script} has no types`);
  }
});

const unshipped =
  process.env.ROLLBOOK_PROFILE === "dev" && "only the release module is weighed: tests/run bundlers";

test("the module does not exceed its limit, and is vectorised", { skip: unshipped }, (t) => {
  const path = `${dist}rollbook.wasm`;
  // The build uses the same command. The deflate of some versions of Node is 1 % worse.
  const bytes = execFileSync("gzip", ["-9", "-c", path]).byteLength;
  t.diagnostic(`${bytes} bytes gzipped`);
  assert.ok(bytes <= MOST, `${bytes} bytes`);
  // A function that is optimised for speed copies 16 bytes at a time: v128.load is 0xfd 0x00.
  const vectorised = readFileSync(path).includes(Buffer.from([0xfd, 0x00, 0x00]));
  assert.ok(vectorised, "no function is vectorised");
});

test("Node", LONG, async (t) => {
  const project = await install("node", packed.tarball);
  t.after(() => project.remove());
  project.add(journey, "journey.js");
  project.add(sample, SAMPLE);
  for (const expected of [FIRST, AGAIN]) {
    assert.equal(await project.run("node", "program.js"), `${expected}\n`);
  }
});

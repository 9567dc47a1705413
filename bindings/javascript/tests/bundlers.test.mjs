// Tests the package in new projects: their tools compile or build it, and it runs in a page.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { start } from "./browser.mjs";
import { dist } from "./material.mjs";
import { AGAIN, FIRST, SAMPLE, install, journey, pack, sample, shown } from "./projects/project.mjs";
import { serve } from "./site.mjs";

const LONG = { timeout: 300_000 };

let packed;
let browser;

before(async () => {
  packed = await pack();
  browser = await start();
}, LONG);

after(async () => {
  await browser?.close();
  packed?.remove();
});

/** Creates a project for one test. */
async function fresh(t, name) {
  const project = await install(name, packed.tarball);
  t.after(() => project.remove());
  return project;
}

/** The functions that only some apps import, each with a text that no bundler changes. */
const DRIVERS = { syncWith: "this is not a base address", followFrom: " and no feed: check" };

/** Checks that a build contains the module once, and only the drivers that its app imports. */
function isLean(folder, ...imported) {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  const read = (ending) =>
    files
      .filter((file) => file.isFile() && ending.test(file.name))
      .map((file) => readFileSync(join(file.parentPath ?? file.path, file.name)));
  const modules = read(/\.wasm$/);
  assert.equal(modules.length, 1);
  assert.ok(modules[0].equals(readFileSync(`${dist}rollbook.wasm`)), "it is another module");
  assert.deepEqual(drivers(read(/\.m?js$/)), imported);
}

/** Returns the names of the drivers that scripts contain. */
function drivers(scripts) {
  const has = (text) => scripts.some((script) => script.includes(text));
  return Object.keys(DRIVERS).filter((name) => has(DRIVERS[name]));
}

/** Visits the app twice. The second visit finds the data that the first one stored. */
async function visit(t, url, syncs = false) {
  const page = await browser.tab("about:blank");
  const loaded = new Map();
  const note = (response) => {
    const address = response.url();
    if (!loaded.has(address)) loaded.set(address, response.body());
  };
  browser.context.on("response", note);
  const text = async () => {
    const found = await page.waitForFunction(() => document.querySelector("pre")?.textContent);
    return found.jsonValue();
  };
  try {
    await page.goto(url);
    assert.equal(await text(), shown(FIRST, syncs));
    assert.equal(await page.evaluate(() => crossOriginIsolated), false);
    await page.reload();
    assert.equal(await text(), shown(AGAIN, syncs));
  } finally {
    browser.context.off("response", note);
    await page.close();
  }
  const sizes = { scripts: 0, module: 0 };
  for (const [address, body] of loaded) {
    const kind = /\.wasm$/.test(address) ? "module" : /\.m?js\b/.test(address) && "scripts";
    if (kind) sizes[kind] += gzipSync(await body, { level: 9 }).byteLength;
  }
  t.diagnostic(`gzipped: scripts ${sizes.scripts} bytes, module ${sizes.module} bytes`);
}

/** Visits the app in a folder, which is served without a build. */
async function visitFolder(t, folder, syncs) {
  const site = await serve({ "/app/": folder });
  try {
    await visit(t, `${site.url}/app/`, syncs);
  } finally {
    site.close();
  }
}

async function visitServer(t, project, ...given) {
  const server = await project.serve(...given);
  try {
    await visit(t, server.url);
  } finally {
    server.close();
  }
}

test("the texts by which drivers are recognised are those of the package", () => {
  const scripts = ["sync-with.js", "follow-from.js"].map((name) => readFileSync(dist + name));
  assert.deepEqual(drivers(scripts), Object.keys(DRIVERS));
});

test("TypeScript", LONG, async (t) => {
  const project = await fresh(t, "typescript");
  for (const [compiler, skipped] of [
    ["typescript", "true"],
    ["typescript", "false"],
    ["typescript-5", "false"],
  ]) {
    const tsc = join("node_modules", compiler, "bin/tsc");
    for (const config of ["bundler.json", "nodenext.json"]) {
      await project.run("node", tsc, "-p", config, "--skipLibCheck", skipped);
    }
  }
});

test("a page without tools", LONG, async (t) => {
  const project = await fresh(t, "plain");
  project.add(journey, "journey.js");
  project.add(sample, SAMPLE);
  await visitFolder(t, project.folder);
});

test("Vite", LONG, async (t) => {
  const project = await fresh(t, "vite");
  project.add(journey, "journey.js");
  project.add(sample, "public", SAMPLE);
  project.add(sample, "slim/public", SAMPLE);
  project.add(sample, "sync/public", SAMPLE);
  await t.test("the server of development", (t) => visitServer(t, project, "vite", "--port=0"));
  await t.test("the server of development of Vite 7", (t) => {
    const vite = "../vite-7/bin/vite.js";
    return visitServer(t, project, vite, "--port=0", "--config=vite-7.config.js", "--force");
  });
  await t.test("a build", async (t) => {
    await project.run("npm", "run", "build");
    isLean(join(project.folder, "dist"));
    await visitServer(t, project, "vite", "preview", "--port=0");
  });
  await t.test("a build of rollbook/slim", async (t) => {
    await project.run("npm", "run", "build:slim");
    isLean(join(project.folder, "slim/dist"));
    await visitServer(t, project, "vite", "preview", "slim", "--port=0");
  });
  await t.test("a build of an app that syncs", async (t) => {
    await project.run("npm", "run", "build:sync");
    isLean(join(project.folder, "sync/dist"), "syncWith");
    const server = await project.serve("vite", "preview", "sync", "--port=0");
    try {
      await visit(t, server.url, true);
    } finally {
      server.close();
    }
  });
});

for (const [name, folder] of [
  ["webpack", "dist"],
  ["esbuild", "public"],
]) {
  test(name, LONG, async (t) => {
    const project = await fresh(t, name);
    project.add(journey, "src/journey.js");
    for (const [script, out, ...imported] of [
      ["build", folder],
      ["build:slim", "slim"],
      ["build:sync", "sync", "syncWith"],
    ]) {
      await t.test(`npm run ${script}`, async (t) => {
        project.add(sample, out, SAMPLE);
        await project.run("npm", "run", script);
        isLean(join(project.folder, out), ...imported);
        await visitFolder(t, join(project.folder, out), imported.length > 0);
      });
    }
  });
}

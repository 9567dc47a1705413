// What the README says: its code runs as it stands, and its tables are whole.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { start } from "./browser.mjs";
import { install, pack, sample } from "./projects/project.mjs";
import { serve } from "./site.mjs";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");
const readme = read("../README.md");
const SAMPLE = "sample-school.ndjson";
const LONG = { timeout: 300_000 };

/** The blocks of a language under a heading. */
function blocks(heading, language, text = readme) {
  const [, section] = text.split(`\n## ${heading}\n`);
  assert.ok(section, `no ${heading}`);
  const fence = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, "gs");
  return [...section.split("\n## ")[0].matchAll(fence)].map(([, code]) => code);
}

let packed;

before(async () => {
  packed = await pack();
}, LONG);

after(() => packed?.remove());

test("the programs for Node", LONG, async (t) => {
  const project = await install("node", packed.tarball);
  t.after(() => project.remove());
  project.add(sample, SAMPLE);
  const ran = (program) => {
    writeFileSync(join(project.folder, "readme.mjs"), program);
    return project.run("node", "readme.mjs");
  };

  const [quickstart, ...more] = blocks("Quickstart", "js");
  assert.deepEqual(more, []);
  const [said] = blocks("Quickstart", "text");
  assert.equal(said, "266 records\n200 Zoë van der Merwe\ntrue\n");
  assert.equal(await ran(quickstart), said);

  // The others go on from there.
  const rest = [...blocks("Under your own client", "js"), ...blocks("Loading", "js")];
  assert.equal(rest.length, 2);
  assert.equal(
    await ran([quickstart, ...rest].join("\n")),
    `${said}200 7 clients\n1 lines, 55 of 55\n1 school\n`,
  );
});

test("the types", LONG, async (t) => {
  const project = await install("typescript", packed.tarball);
  t.after(() => project.remove());
  const [block] = blocks("Asking", "ts");
  const opening = 'import { Rollbook } from "rollbook";\nconst engine = await Rollbook.memory();\n';
  const printing = "console.log(learners.length);\n";
  writeFileSync(join(project.folder, "readme.mts"), opening + block + printing);
  const options = ["--strict", "--target", "es2022", "--module", "nodenext", "--types", "node"];
  await project.run("node", "node_modules/typescript/bin/tsc", ...options, "readme.mts");
  assert.equal(await project.run("node", "readme.mjs"), "0\n");
});

test("the page", LONG, async (t) => {
  const project = await install("plain", packed.tarball);
  t.after(() => project.remove());
  project.add(sample, SAMPLE);
  const [html] = blocks("Quickstart", "html");
  writeFileSync(join(project.folder, "index.html"), html);
  const site = await serve({ "/app/": project.folder });
  const browser = await start();
  try {
    const page = await browser.tab(`${site.url}/app/`);
    for (const added of [266, 0]) {
      const shown = await page.waitForFunction(() => document.querySelector("pre")?.textContent);
      assert.equal(await shown.jsonValue(), `${added} records added, Zoë van der Merwe`);
      await page.reload();
    }
  } finally {
    await browser.close();
    site.close();
  }
});

test("what is said of the tools is what their projects do", () => {
  const section = "In your tools";
  const [esbuild, vite, webpack] = blocks(section, "js");
  for (const [block, file] of [
    [esbuild, "esbuild/src/slim.js"],
    [vite, "vite/slim/main.js"],
    [webpack, "webpack/src/slim.js"],
  ]) {
    const lines = read(`projects/${file}`).split("\n");
    const apps = lines.filter((line) => !/\bshow\b/.test(line)).join("\n");
    assert.equal(block, apps);
  }

  const { scripts } = JSON.parse(read("projects/esbuild/package.json"));
  const [command] = blocks(section, "sh");
  assert.equal(command.trim().replace(/ \\\n */g, " "), scripts.build);
  assert.ok(readme.includes(`\`${scripts["build:slim"]}\``));

  const config = read("projects/vite/vite-7.config.js");
  const [, setting] = /\{ (.*) \}/.exec(config);
  assert.ok(readme.includes(`\`${setting}\``), setting);
});

test("the table of errors is whole", () => {
  const [, codes] = /type ErrorCode =([^;]*);/.exec(read("../dist/error.d.ts"));
  const known = [...codes.matchAll(/"(\w+)"/g)].map(([, code]) => code);
  const [, section] = readme.split("\n## Errors\n");
  const table = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
  assert.deepEqual(table, known);
});

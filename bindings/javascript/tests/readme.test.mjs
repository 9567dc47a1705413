// Tests the README: its code runs unchanged, and its tables are complete.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Rollbook } from "../dist/node.js";
import { start } from "./browser.mjs";
import { service, source } from "./service.mjs";
import { install, pack, sample } from "./projects/project.mjs";
import { serve } from "./site.mjs";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");
const readme = read("../README.md");
const SAMPLE = "sample-school.ndjson";
const LONG = { timeout: 300_000 };

/** Returns the code blocks of a language under a heading. */
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

  // The other programs continue the first one.
  const rest = [...blocks("Under your own client", "js"), ...blocks("Loading", "js")];
  assert.equal(rest.length, 2);
  assert.equal(
    await ran([quickstart, ...rest].join("\n")),
    `${said}200 7 clients\n1 lines, 55 of 55\n1 school\n`,
  );
});

test("answers are live", LONG, async (t) => {
  const project = await install("node", packed.tarball);
  t.after(() => project.remove());
  project.add(sample, SAMPLE);
  const [quickstart] = blocks("Quickstart", "js");
  const [block] = blocks("Live answers", "js");
  const change = `const moment = () => new Promise((resolve) => setTimeout(resolve, 100));
await moment();
await engine.apply('{"type":"absentee","school_id":1000,"id":999,"learner_id":1,"absent_date":"2026-05-13"}');
await moment();`;
  writeFileSync(join(project.folder, "readme.mjs"), [quickstart, block, change].join("\n"));
  const days = read("../../../core/examples/sample-school.ndjson")
    .split("\n")
    .filter((line) => line.includes('"type":"absentee"') && line.includes('"school_id":1000'))
    .map((line) => JSON.parse(line).absent_date);
  const count = days.filter((day) => day >= "2026-04-14" && day <= "2026-05-14").length;
  const printed = await project.run("node", "readme.mjs");
  const lines = printed.split("\n").filter((line) => line.endsWith(" absences"));
  assert.deepEqual(lines, [`${count} absences`, `${count + 1} absences`]);
});

test("the hook", LONG, async (t) => {
  const project = await install("react", packed.tarball);
  t.after(() => project.remove());
  const [, hook] = blocks("Live answers", "js");
  writeFileSync(join(project.folder, "use-answer.js"), hook);
  await project.run("npm", "run", "build");
  const site = await serve({ "/app/": project.folder });
  const browser = await start();
  try {
    const page = await browser.tab(`${site.url}/app/`);
    const shows = (text) =>
      page.waitForFunction((shown) => document.querySelector("pre")?.textContent === shown, text);
    const grade = (school, id) =>
      page.evaluate((record) => engine.apply(JSON.stringify(record)), {
        type: "grade",
        school_id: school,
        grade_id: id,
        grade: String(id),
      });
    await shows("404");
    await grade(1, 8);
    await shows("Grade 8");
    await grade(2, 9);
    await page.evaluate(() => show(2));
    await shows("Grade 9");
    // No answer about another school was shown meanwhile.
    const rendered = await page.evaluate(() => rendered);
    assert.ok(rendered.every(([school, text]) => text !== (school === 1 ? "Grade 9" : "Grade 8")));
    await page.evaluate(() => show(undefined));
    await shows("");
    assert.equal(await page.evaluate(() => live), 0);
  } finally {
    await browser.close();
    site.close();
  }
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

test("a school is filled in Node and in a page", LONG, async (t) => {
  const served = await service(await source(Rollbook));
  t.after(() => served.close());
  const project = await install("plain", packed.tarball);
  t.after(() => project.remove());
  const write = (name, text) => {
    writeFileSync(join(project.folder, name), text);
    return pathToFileURL(join(project.folder, name)).href;
  };
  const here = (block) => block.replace("https://integrate.example.org", served.url);
  const [node, proxy, page, worker, ...more] = blocks("Fill it from the service", "js");
  assert.deepEqual(more, []);

  const env = "process.env.ROLLBOOK_USERNAME = process.env.ROLLBOOK_PASSWORD = 'demo';\n";
  write("readme.mjs", env + here(node));
  assert.equal(await project.run("node", "readme.mjs"), "0 failed\ntrue\n");
  const first = served.sent.length;
  assert.equal(await project.run("node", "readme.mjs"), "0 failed\ntrue\n");
  assert.ok(served.sent.length - first < first);

  const given =
    "const credentials = { 'HTTP-X-USERNAME': 'demo', 'HTTP-X-PASSWORD': 'demo' };\n" +
    "const mayRead = (_, target) => !target.includes('discipline');\n";
  const exported = here(proxy).replace("createServer(async", "export const server = createServer(async");
  const { server } = await import(write("proxy.mjs", given + exported));
  write("worker.js", worker);
  const map = '{ "imports": { "rollbook": "./node_modules/rollbook/dist/index.js" } }';
  write(
    "index.html",
    `<!doctype html><script type="importmap">${map}</script><pre></pre>
<script type="module">${page}
const found = await engine.ask("learners", { school: 1000, name: "zoe" });
await navigator.serviceWorker.register("worker.js");
await navigator.serviceWorker.ready;
document.querySelector("pre").textContent = found.json()[0].first_name;
</script>`,
  );
  const site = await serve(
    { "/app/": project.folder },
    { "/integrate": (_, request, response) => server.emit("request", request, response) },
  );
  const browser = await start();
  try {
    const before = served.sent.length;
    const tab = await browser.tab("about:blank");
    const devtools = await browser.context.newCDPSession(tab);
    const registered = new Promise((resolve) => {
      devtools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [last] }) => {
        if (last) resolve(last.registrationId);
      });
    });
    await devtools.send("ServiceWorker.enable");
    await tab.goto(`${site.url}/app/`);
    const shown = await tab.waitForFunction(() => document.querySelector("pre")?.textContent);
    assert.equal(await shown.jsonValue(), "Zoë");
    const asked = served.sent.slice(before).map(({ target }) => target);
    assert.ok(asked.length > 10 && !asked.some((target) => target.includes("discipline")));

    const registrationId = await registered;
    const event = { origin: site.url, registrationId, tag: "fill" };
    const filling = tab.waitForResponse(/integrate/);
    await devtools.send("ServiceWorker.dispatchPeriodicSyncEvent", event);
    await filling;

    for (const path of ["/integrate@127.0.0.1/api/v1/", "/integrate//127.0.0.1/api/v1/", "/integrate"]) {
      assert.equal((await fetch(site.url + path)).status, 403, path);
    }
  } finally {
    await browser.close();
    site.close();
  }
});

test("the instructions for tools are those of their projects", () => {
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

test("the table of tools has the versions of the projects", () => {
  const packages = ["cloudflare", "esbuild", "jest", "msw", "next", "nuxt", "parcel", "pwa", "rollup"];
  packages.push("runtimes", "sveltekit", "typescript", "vite", "vitest", "webpack");
  const versions = new Map([["pnpm", /pnpm@([\d.]+)/.exec(read("projects.test.mjs"))[1]]]);
  for (const name of packages) {
    const { dependencies, devDependencies } = JSON.parse(read(`projects/${name}/package.json`));
    for (const [tool, version] of Object.entries({ ...dependencies, ...devDependencies })) {
      versions.set(tool, version.replace(/^npm:.*@/, ""));
    }
  }
  const names = { "Next.js": "next", SvelteKit: "@sveltejs/kit", "Vite 7 and older": "vite-7" };
  const [, section] = readme.split("\n## In your tools\n");
  const rows = [...section.split("\n## ")[0].matchAll(/^\| ([^|]+?) \| ([\d.]+) \|/gm)];
  assert.equal(rows.length, 18);
  for (const [, tool, version] of rows) {
    const name = names[tool] ?? /\((.*)\)/.exec(tool)?.[1] ?? tool.toLowerCase();
    assert.equal(version, versions.get(name), tool);
  }
});

test("the table of errors is complete", () => {
  const [, codes] = /type ErrorCode =([^;]*);/.exec(read("../dist/error.d.ts"));
  const known = [...codes.matchAll(/"(\w+)"/g)].map(([, code]) => code);
  const [, section] = readme.split("\n## Errors\n");
  const table = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, code]) => code);
  assert.deepEqual(table, known);
});

// Tests the package in projects of popular tools. Each test is a row of the table in the README.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { start } from "./browser.mjs";
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

/** Creates a project for one test. `folder` is the one whose files its server serves. */
async function fresh(t, name, folder = ".", manager = undefined) {
  const project = await install(name, packed.tarball, manager);
  t.after(() => project.remove());
  project.add(journey, "journey.js");
  project.add(sample, folder, SAMPLE);
  return project;
}

/** Runs work with a server of a project. */
async function served(project, given, work) {
  const server = await project.serve(...given);
  try {
    return await work(server.url);
  } finally {
    server.close();
  }
}

const text = async (url) => {
  const response = await fetch(url);
  return response.text();
};

/** Returns the text of the first element `pre` of a page. */
const pre = (html) => /<pre[^>]*>([^<]*)/.exec(html)?.[1].trim() ?? html;

/** Returns the text of the first element `pre` of a page, after it has one. */
async function textOf(page) {
  const found = await page.waitForFunction(() => document.querySelector("pre")?.textContent.trim());
  return found.jsonValue();
}

/** Visits a page twice. The second visit finds the store of the first one. */
async function visit(url, expected = (stored) => stored) {
  const page = await browser.tab(url);
  try {
    assert.equal(await textOf(page), expected(FIRST));
    await page.reload();
    assert.equal(await textOf(page), expected(AGAIN));
  } finally {
    await page.close();
  }
}

test("Next.js", LONG, async (t) => {
  const project = await fresh(t, "next", "public");
  const all = async (url) => {
    // The store in the file remains between the servers.
    assert.match(pre(await text(url)), new RegExp(`^${FIRST}, (${FIRST}|${AGAIN})$`));
    assert.equal(pre(await text(url)), `${FIRST}, ${AGAIN}`);
    assert.equal(await text(`${url}api`), FIRST);
    await visit(`${url}browser`);
  };
  await t.test("development", () => served(project, ["next", "dev", "-p", "0"], all));
  for (const script of ["build", "build:webpack"]) {
    await t.test(script, async () => {
      await project.run("npm", "run", script);
      await served(project, ["next", "start", "-p", "0"], all);
    });
  }
});

test("Nuxt", LONG, async (t) => {
  const project = await fresh(t, "nuxt", "public");
  project.add(journey, "shared/journey.js");
  const all = async (url) => {
    assert.equal(await text(`${url}api/journey`), FIRST);
    await visit(url);
  };
  await t.test("development", () => served(project, ["nuxt", "dev", "--port", "0"], all));
  await t.test("build", async () => {
    await project.run("npm", "run", "build");
    await served(project, ["node", ".output/server/index.mjs"], all);
  });
});

test("SvelteKit", LONG, async (t) => {
  const project = await fresh(t, "sveltekit", "static");
  const all = async (url) => {
    assert.equal(pre(await text(url)), FIRST);
    await visit(`${url}browser`);
  };
  await t.test("development", () => served(project, ["vite", "dev", "--port=0"], all));
  await t.test("build", async () => {
    await project.run("npm", "run", "build");
    await served(project, ["vite", "preview", "--port=0"], all);
  });
});

for (const name of ["Rollup", "Parcel"]) {
  test(name, LONG, async (t) => {
    const project = await fresh(t, name.toLowerCase(), "public");
    await project.run("npm", "run", "build");
    const site = await serve({ "/app/": join(project.folder, "public") });
    try {
      await visit(`${site.url}/app/`, shown);
    } finally {
      site.close();
    }
  });
}

test("a progressive web app, offline", LONG, async (t) => {
  const project = await fresh(t, "pwa", "public");
  await project.run("npm", "run", "build");
  await served(project, ["vite", "preview", "--port=0"], async (url) => {
    const page = await browser.tab(url);
    assert.equal(await textOf(page), shown(FIRST));
    await page.evaluate(() => navigator.serviceWorker.ready);
    await browser.context.setOffline(true);
    try {
      await page.reload();
      assert.equal(await textOf(page), shown(AGAIN));
    } finally {
      await browser.context.setOffline(false);
      await page.close();
    }
  });
});

test("Cloudflare Workers", LONG, async (t) => {
  const project = await fresh(t, "cloudflare");
  project.add(sample, "src/sample-school.txt");
  const answer = (script) =>
    served(project, ["wrangler", "dev", script, "--port", "0"], (url) => text(url));
  assert.equal(await answer("src/main.js"), FIRST);
  assert.match(await answer("src/plain.js"), /^unsupported: .* rollbook\/slim/);
});

/** Runs a program twice. The second run finds the store of the first one. */
async function twice(project, ...program) {
  assert.equal((await project.run(...program)).trim(), FIRST);
  assert.equal((await project.run(...program)).trim(), AGAIN);
}

for (const [name, manager, program] of [
  ["Node with import", undefined, ["node", "program.js"]],
  ["Node with require", undefined, ["node", "--no-warnings", "program.cjs"]],
  ["pnpm", ["npx", "--yes", "pnpm@10.34.5", "install", "--silent"], ["node", "program.js"]],
]) {
  test(name, LONG, async (t) => twice(await fresh(t, "node", ".", manager), ...program));
}

test("Bun and Deno", LONG, async (t) => {
  const project = await fresh(t, "runtimes");
  project.add(new URL("projects/node/program.js", import.meta.url), "program.js");
  const program = (name) => join(project.folder, "node_modules/.bin", name);
  await t.test("Bun", () => twice(project, program("bun"), "program.js", "bun.redb"));
  await t.test("Deno", () => twice(project, program("deno"), "run", "-A", "program.js", "deno.redb"));
});

test("MSW", LONG, async (t) => twice(await fresh(t, "msw"), "node", "program.js"));

for (const name of ["Jest", "Vitest"]) {
  test(name, LONG, async (t) => {
    const project = await fresh(t, name.toLowerCase());
    await project.run("npm", "test");
  });
}

// Tests tabs that share a store and follow a server, whichever tab requests the feed.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { start } from "./browser.mjs";
import { SCHOOL, feedServer } from "./feed-server.mjs";
import { folders } from "./material.mjs";
import { sample } from "./projects/project.mjs";
import { serve } from "./site.mjs";

let folder;
let server;
let site;
let browser;

/** The app's own server, which forwards requests with the user's authorisation. */
async function pass(query, request, response) {
  const { authorization } = request.headers;
  const answer = await fetch(server.url() + query, { headers: { authorization } });
  response.writeHead(answer.status, { "Content-Type": "application/x-ndjson" });
  response.end(Buffer.from(await answer.arrayBuffer()));
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "rollbook-follow-"));
  server = await feedServer(join(folder, "server.redb"), sample);
  site = await serve(folders(), { "/feed": pass });
  browser = await start();
});

afterEach(async () => {
  await browser.close();
  site.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens a tab that observes a learner. */
async function tab() {
  const page = await browser.tab(site.url);
  await page.evaluate(async (school) => {
    const { Rollbook, followFrom } = await import("/dist/index.js");
    globalThis.engine = await Rollbook.open("school");
    globalThis.seen = [];
    engine.observe("learners", { school, learnerId: 1 }).addEventListener("answer", ({ answer }) => {
      seen.push(answer.ok ? answer.json()[0].last_name : String(answer.status));
    });
    const headers = { Authorization: "Bearer family" };
    globalThis.follow = () => followFrom(engine, "/feed", { headers });
  }, SCHOOL);
  return page;
}

/** Restarts the server with another name of a learner. */
async function rename(name) {
  const path = join(folder, "change.ndjson");
  const learner = { type: "learner", school_id: SCHOOL, id: 1, last_name: name };
  writeFileSync(path, JSON.stringify(learner));
  await server.again(path);
}

const shows = (page, name) => page.waitForFunction((last) => seen.at(-1) === last, name);

test("all tabs receive what one of them follows, also after a time without a network", async () => {
  const [leader, follower] = [await tab(), await tab()];
  await rename("First");
  assert.ok((await follower.evaluate(() => follow())).total.added > 2);
  for (const page of [leader, follower]) await shows(page, "First");
  assert.equal(await leader.evaluate(() => follow()), null);

  await rename("Second");
  await browser.context.setOffline(true);
  const failed = await leader.evaluate(() => follow().catch(({ name }) => name));
  assert.equal(failed, "TypeError");
  assert.equal(await leader.evaluate(() => seen.at(-1)), "First");
  await browser.context.setOffline(false);
  await leader.evaluate(() => follow());
  for (const page of [leader, follower]) await shows(page, "Second");

  await rename("Third");
  await leader.close();
  await follower.evaluate(() => follow());
  await shows(follower, "Third");
  assert.deepEqual(await follower.evaluate(() => seen), ["404", "First", "Second", "Third"]);
});

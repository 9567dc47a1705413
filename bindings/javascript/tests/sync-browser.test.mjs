// Tests syncing a school in a browser's private file system, through the app's own server.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Rollbook } from "../dist/node.js";
import { start } from "./browser.mjs";
import { CREDENTIALS, NOW, SCHOOL, folders } from "./material.mjs";
import { HEADERS, APP_REQUESTS, access, answers, service, source } from "./service.mjs";
import { serve } from "./site.mjs";

let origin;
let served;
let site;
let browser;
/** The headers of the requests of the pages to their server. */
let asked;

/** The app's own server, which adds the credentials that the page does not have. */
async function pass(target, request, response) {
  asked.push(request.headers);
  const answer = await fetch(`${served.url}/${target}`, { headers: CREDENTIALS });
  const body = Buffer.from(await answer.arrayBuffer());
  response.writeHead(answer.status, { "Content-Type": "application/json" });
  response.end(body);
}

beforeEach(async () => {
  asked = [];
  origin = await source(Rollbook);
  served = await service(origin, { delay: 5 });
  // The first attempt of each call is redirected, and the second one is refused.
  const redirected = new Set();
  const moved = (target, _, response) => {
    const status = redirected.has(target) ? 410 : 302;
    redirected.add(target);
    response.writeHead(status, { Location: `${served.url}/${target}` });
    response.end();
  };
  site = await serve(folders(), { "/integrate/": pass, "/moved/": moved });
  browser = await start();
});

afterEach(async () => {
  await browser.close();
  site.close();
  served.close();
});

/** Opens the store in a tab. */
async function tab() {
  const page = await browser.tab(site.url);
  const given = { now: NOW.getTime(), school: SCHOOL, headers: HEADERS };
  await page.evaluate(async ({ now, school, headers }) => {
    const { Rollbook, syncWith } = await import("/dist/index.js");
    globalThis.engine = await Rollbook.open("school", { clock: () => now });
    globalThis.fill = async (address, options = {}) => {
      const sync = await engine.sync(school, { daysFrom: "2026-01-01" });
      return syncWith(sync, address, options);
    };
    globalThis.ask = async (target) => {
      const answer = await engine.request(target, { headers });
      return [target, answer.status, answer.text().split('"next_cursor":"')[0]];
    };
  }, given);
  return page;
}

const fill = (page, address = "/integrate") => page.evaluate((at) => fill(at), address);

async function isMirror(page) {
  await page.evaluate((lines) => engine.apply(lines), access);
  const found = await page.evaluate((targets) => Promise.all(targets.map(ask)), APP_REQUESTS);
  assert.deepEqual(found, await answers(origin));
}

/** Returns the properties of the error that a function throws in a page. */
const thrown = (page, work) =>
  page.evaluate(async (source) => {
    try {
      await (0, eval)(source)();
    } catch ({ code, name, message, reason, report }) {
      return { code, name, message, reason, failed: report?.failed };
    }
  }, String(work));

test("a school is filled in OPFS, and other tabs read it, also after a restart", async () => {
  const page = await tab();
  const report = await fill(page);
  assert.deepEqual([report.failed, report.quarantined], [[], []]);
  assert.equal(report.replies, asked.length);
  assert.ok(asked.every((headers) => !Object.keys(headers).some((name) => /^http-x/.test(name))));
  await isMirror(page);
  const asOf = await page.evaluate(async () => (await engine.synced(1000)).asOf.getTime());
  assert.ok(asOf >= NOW.getTime());

  // A sync that a follower starts runs in the worker of the leader.
  const follower = await tab();
  await origin.apply(`{"type":"learner","school_id":1000,"id":77,"first_name":"Late","grade_id":9}`);
  assert.ok((await fill(follower)).unchanged > 0);
  await isMirror(follower);
  await isMirror(page);
  await page.close();
  await follower.close();

  const later = await tab();
  await isMirror(later);
  assert.ok((await fill(later)).unchanged > 0);
});

test("a sync continues when the tab that has the store open is closed", async () => {
  const leader = await tab();
  const follower = await tab();
  await follower.evaluate(() => {
    globalThis.answered = 0;
    const onProgress = (progress) => (globalThis.answered = progress.answered);
    globalThis.filling = fill("/integrate", { onProgress });
  });
  await follower.waitForFunction(() => globalThis.answered > 5);
  await leader.close();
  const report = await follower.evaluate(() => filling);
  assert.deepEqual(report.failed, []);
  await isMirror(follower);
  // At most the calls in flight are repeated.
  const total = served.sent.length;
  const counted = await service(origin);
  const whole = served;
  served = counted;
  const other = await browser.tab(site.url);
  await other.evaluate(async (now) => {
    const { Rollbook, syncWith } = await import("/dist/index.js");
    const engine = await Rollbook.memory({ clock: () => now });
    await syncWith(await engine.sync(1000, { daysFrom: "2026-01-01" }), "/integrate");
  }, NOW.getTime());
  whole.close();
  assert.ok(total <= counted.sent.length + 8, `${total} against ${counted.sent.length}`);
});

test("without a network it waits, and a redirect to another origin is not followed", async () => {
  const page = await tab();
  await browser.context.setOffline(true);
  await page.evaluate(() => {
    globalThis.filling = fill("/integrate").then(({ failed }) => failed);
  });
  await page.waitForTimeout(500);
  assert.equal(asked.length, 0);
  await browser.context.setOffline(false);
  assert.deepEqual(await page.evaluate(() => filling), []);
  const before = served.sent.length;
  const stopped = await thrown(await tab(), () => fill("/moved"));
  assert.equal(served.sent.length, before);
  assert.deepEqual([stopped.name, stopped.reason], ["SyncStopped", "incomplete"]);
  assert.equal(stopped.failed[0].status, 410);
});

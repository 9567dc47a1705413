// Tests a store in Node that follows a server, which is `rollbook serve`.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { FollowRefused, Rollbook, RollbookError, followFrom } from "../dist/node.js";
import { SCHOOL, feedServer } from "./feed-server.mjs";
import { sample } from "./projects/project.mjs";

const headers = { Authorization: "Bearer family" };
const learner = (learnerId) => ({ school: SCHOOL, learnerId });
const named = (id, name) =>
  `{"type":"learner","school_id":${SCHOOL},"id":${id},"last_name":"${name}"}\n`;
const code = (expected) => (error) => error instanceof RollbookError && error.code === expected;

/** Starts a server and opens a device for one test. */
async function both(t) {
  const folder = mkdtempSync(join(tmpdir(), "rollbook-follow-"));
  const server = await feedServer(join(folder, "server.redb"), sample);
  const device = await Rollbook.memory();
  t.after(async () => {
    await device.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  /** Writes a dataset that the server applies when it is restarted. Returns its path. */
  const dataset = (text) => {
    const path = join(folder, "change.ndjson");
    writeFileSync(path, text);
    return path;
  };
  const follow = (options) => followFrom(device, server.url(), { headers, ...options });
  return { server, device, dataset, follow, folder };
}

/** Checks that a device answers a question about a learner as the server does. */
async function isUpToDate(device, id, ...changes) {
  const engine = await Rollbook.memory();
  await engine.apply(readFileSync(sample));
  for (const change of changes) await engine.apply(change);
  const expected = await engine.ask("learners", learner(id));
  assert.equal(expected.status, 200);
  assert.equal((await device.ask("learners", learner(id))).text(), expected.text());
  await engine.close();
}

test("an error is delivered, and the live query goes on with the answer after it", async (t) => {
  const { device, follow } = await both(t);
  const learners = device.observe("learners", { school: SCHOOL });
  assert.equal((await learners.next()).value.status, 404);
  // The other learners of the school are unknown to the device.
  await follow();
  await assert.rejects(async () => {
    for await (const answer of learners) assert.fail(answer.text());
  }, code("not_synced"));
  await device.forgetSync(SCHOOL);
  const given = [];
  for await (const { status } of learners) {
    given.push(status);
    break;
  }
  assert.deepEqual(given, [200]);
  assert.deepEqual(await learners.next(), { done: true, value: undefined });
});

test("a device receives its whole scope, nothing, the changes, and the whole scope again", async (t) => {
  const { server, device, dataset, follow, folder } = await both(t);
  assert.equal(await device.followed(), null);
  const heard = [];
  const { total, bytes } = await follow({ onProgress: (at) => heard.push(at) });
  assert.ok(total.added > 2 && total.removed === 0, JSON.stringify(total));
  assert.equal(heard.at(-1).bytes, bytes);
  await isUpToDate(device, 1);
  await isUpToDate(device, 2);
  await assert.rejects(device.ask("learners", learner(3)), code("not_synced"));
  await assert.rejects(device.ask("learners", { school: 5 }), code("not_synced"));
  await assert.rejects(device.apply(named(1, "Mine")), code("synced"));
  const position = await device.followed();
  assert.equal(await follow(), null);
  assert.equal(await device.followed(), position);

  const live = device.observe("learners", learner(1));
  await live.next();
  const change = named(1, "Moved") + named(3, "Unseen");
  await server.again(dataset(change));
  const changed = await follow();
  assert.equal(changed.total.added + changed.total.changed + changed.total.removed, 1);
  const [{ last_name }] = (await live.next()).value.json();
  assert.equal(last_name, "Moved");
  await isUpToDate(device, 1, change);

  // A writer without a journal causes a gap: the device receives its whole scope again.
  await server.close();
  const writer = await Rollbook.open(join(folder, "server.redb"));
  await writer.apply(named(2, "Gap"));
  await writer.close();
  await server.again(dataset(named(3, "Noted")));
  const asked = [];
  const fetch = async (url, init) => {
    const response = await globalThis.fetch(url, init);
    asked.push([url.searchParams.has("after"), response.status]);
    return response;
  };
  await follow({ fetch });
  assert.deepEqual(asked, [[true, 200]]);
  await isUpToDate(device, 1, change);
  await isUpToDate(device, 2, named(2, "Gap"));
  assert.equal(await follow(), null);
});

// A server recognises the positions of its last 64 openings. Therefore it sends a new position
// after each opening, and nothing else.
test("a device that polls outlives any number of openings of its server", async (t) => {
  const { server, device, dataset, follow } = await both(t);
  await follow();
  for (let opening = 0; opening < 66; opening += 1) {
    const other = `{"type":"grade","school_id":${SCHOOL + 1},"grade_id":${opening + 500}}\n`;
    await server.again(dataset(other));
    const before = await device.followed();
    const moved = await follow();
    assert.deepEqual([moved.lines, Object.keys(moved.kinds)], [2, []]);
    assert.notEqual(await device.followed(), before);
    assert.equal(await follow(), null);
  }
  const change = named(1, "Moved");
  await server.again(dataset(change));
  const changed = await follow();
  assert.ok(changed.lines < 10, JSON.stringify(changed));
  assert.equal(changed.total.changed, 1);
  await isUpToDate(device, 1, change);
});

test("an interrupted feed is continued", async (t) => {
  const { server, device, follow } = await both(t);
  let most = 2000;
  /** A `fetch` whose connection breaks after `most` bytes. */
  const fetch = async (url, init) => {
    const response = await globalThis.fetch(url, init);
    let left = most;
    const cut = new TransformStream({
      transform: (piece, controller) => {
        controller.enqueue(piece.slice(0, left));
        left -= piece.byteLength;
        if (left < 0) controller.error(new TypeError("the connection broke"));
      },
    });
    const { status } = response;
    return new Response(response.body?.pipeThrough(cut) ?? null, { status });
  };
  const lines = [];
  for (const last of [2000, 6000, Infinity]) {
    most = last;
    const followed = follow({ fetch, onProgress: (at) => lines.push(at.lines) });
    if (last < Infinity) await assert.rejects(followed, /the connection broke/);
    else await followed;
  }
  await isUpToDate(device, 1);
  await isUpToDate(device, 2);

  // A body that is truncated without an error.
  const other = await Rollbook.memory();
  t.after(() => other.close());
  const short = async (url, init) =>
    new Response((await (await globalThis.fetch(url, init)).text()).slice(0, 2000));
  await assert.rejects(followFrom(other, server.url(), { headers, fetch: short }), code("bad_dataset"));
});

test("a wait that is no number of whole seconds is refused before anything is sent", async () => {
  const device = await Rollbook.memory();
  const fetch = async () => assert.fail("it was sent");
  for (const wait of [0.5, -1, NaN, Infinity, "1"]) {
    const followed = followFrom(device, "http://a.example/feed", { fetch, wait });
    await assert.rejects(followed, code("bad_argument"), String(wait));
  }
  await device.close();
});

test("a refused request is an error, and waiting can be aborted", async (t) => {
  const { follow, device } = await both(t);
  const isRefused = (status) => (error) => error instanceof FollowRefused && error.status === status;
  await assert.rejects(follow({ headers: { Authorization: "Bearer nobody" } }), isRefused(401));
  assert.equal(await device.followed(), null);
  const fetch = async () => new Response(null, { status: 503 });
  await assert.rejects(follow({ fetch }), isRefused(503));
  await follow();
  const over = new AbortController();
  const waiting = follow({ wait: 50, signal: over.signal });
  setTimeout(() => over.abort(new Error("enough")), 100);
  await assert.rejects(waiting, /enough/);
  assert.equal(await follow({ wait: 1 }), null);
});

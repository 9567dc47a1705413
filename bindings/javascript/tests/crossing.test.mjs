// Tests the messages between a page, its worker and the worker of another tab: how many there are,
// how large they are, and whether their buffers are transferred.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start } from "./browser.mjs";
import { folders } from "./material.mjs";
import { serve } from "./site.mjs";

/** The bytes that a message may contain per call in addition to the answer. */
const MARGIN = 32;

let site;
let browser;

before(async () => {
  site = await serve(folders());
  browser = await start();
});

after(async () => {
  await browser.close();
  site.close();
});

/** Opens the store in a tab, which records the messages between it and its worker. */
async function tab() {
  const page = await browser.tab(site.url);
  await page.evaluate(async () => {
    globalThis.sent = [];
    globalThis.heard = [];
    globalThis.said = [];
    new BroadcastChannel("counts").onmessage = ({ data }) => said.push(data);
    const Real = Worker;
    globalThis.Worker = class extends Real {
      constructor() {
        super("/tests/counting-worker.mjs", { type: "module" });
        this.addEventListener("message", ({ data }) =>
          heard.push([data].flat().map(({ byteLength }) => byteLength)),
        );
      }

      postMessage(message, transfer) {
        const buffers = [message].flat();
        const bytes = buffers.map(({ byteLength }) => byteLength);
        super.postMessage(message, transfer);
        sent.push({ bytes, isTransferred: buffers.every(({ byteLength }) => byteLength === 0) });
      }
    };
    const { Rollbook } = await import("/dist/index.js");
    const now = new Date("2026-05-14T08:00:00Z");
    globalThis.engine = await Rollbook.open("crossing", { clock: () => now });
    globalThis.one = (learnerId) => engine.ask("learners", { school: 1000, learnerId });
    /** Returns the messages that are sent for some calls, and the lengths of the answers. */
    globalThis.crossing = async (ask) => {
      sent.length = heard.length = said.length = 0;
      const answers = await Promise.all(await ask());
      // The reports about messages may arrive after the answers.
      await new Promise((resolve) => setTimeout(resolve, 200));
      const lengths = answers.map(({ bytes }) => bytes.byteLength);
      const buffers = new Set(answers.map(({ bytes }) => bytes.buffer));
      const own = answers.every(({ bytes }) => bytes.byteLength === bytes.buffer.byteLength);
      return { sent, heard, said, lengths, isEachItsOwn: own && buffers.size === answers.length };
    };
  });
  return page;
}

const load = (page) =>
  page.evaluate(async () => {
    await engine.apply(await fetch("/material/school-100.ndjson"));
    globalThis.ids = (await engine.ask("learners", { school: 1000 })).json().map(({ id }) => id);
  });

const askOne = (page) => page.evaluate(() => crossing(() => [one(1)]));
const askTen = (page) =>
  page.evaluate(() => crossing(() => Array.from({ length: 10 }, (_, at) => one(at + 1))));
const askAll = (page) =>
  page.evaluate(() => crossing(() => [engine.ask("learners", { school: 1000 })]));

const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);

/** Checks what is true in all cases, from whichever tab the answers are. */
function crossedOnce({ sent, heard, lengths, isEachItsOwn }) {
  assert.equal(sent.length, 1);
  assert.ok(sent[0].isTransferred, "a question was copied");
  assert.equal(heard.length, 1);
  const over = sum(heard[0]) - sum(lengths);
  assert.ok(over >= 0 && over <= lengths.length * MARGIN, `${over} bytes more than the answers`);
  assert.ok(isEachItsOwn, "an answer shares its buffer");
}

test("an ask and its answer are one transferred buffer each", async () => {
  const page = await tab();
  await load(page);
  const crossed = await askOne(page);
  crossedOnce(crossed);
  assert.equal(crossed.sent[0].bytes.length, 1);
  assert.ok(crossed.sent[0].bytes[0] < 100, `${crossed.sent[0].bytes[0]} bytes`);
  assert.equal(crossed.heard[0].length, 1);
  assert.deepEqual(crossed.said, []);
  // A large answer is not copied into the frames, but transferred with them.
  const all = await askAll(page);
  crossedOnce(all);
  assert.ok(all.lengths[0] > 50_000);
  assert.deepEqual(all.heard[0].slice(0, -1), all.lengths);
  await page.evaluate(() => engine.close());
  await page.close();
});

test("calls of one turn are sent in one message", async () => {
  const page = await tab();
  await load(page);
  const crossed = await askTen(page);
  crossedOnce(crossed);
  assert.equal(crossed.lengths.length, 10);
  assert.ok(crossed.lengths.every((bytes) => bytes > 0));
  // Calls of different turns are sent in different messages.
  const turns = await page.evaluate(() => crossing(async () => [await one(1), await one(2)]));
  assert.deepEqual([turns.sent.length, turns.heard.length], [2, 2]);
  // Calls that were made before the engine is closed are answered.
  const statuses = await page.evaluate(async () => {
    const asked = [one(1), one(2)];
    await engine.close();
    return Promise.all(asked.map(async (answer) => (await answer).status));
  });
  assert.equal(statuses.length, 2);
  await page.close();
});

test("another tab is asked by one message, and answers by one", async () => {
  const [leader, follower] = [await tab(), await tab()];
  await load(leader);
  for (const crossed of [await askOne(follower), await askTen(follower), await askAll(follower)]) {
    crossedOnce(crossed);
    // A leader that needs long for an answer is asked whether it is awake.
    const said = crossed.said.filter(({ kind }) => kind !== "ping" && kind !== "awake");
    // Each sender reports its own messages, so the order of the reports is arbitrary.
    said.sort((one, other) => one.kind.localeCompare(other.kind));
    assert.deepEqual(said.map(({ kind }) => kind), ["calls", "replies"]);
    const [calls, replies] = said;
    assert.ok(calls.bytes < crossed.lengths.length * 100);
    assert.ok(replies.bytes <= sum(crossed.lengths) + crossed.lengths.length * MARGIN);
  }
});

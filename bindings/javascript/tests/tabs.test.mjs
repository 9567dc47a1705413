// Tests several tabs that share a store. One of them has the file open, and another one takes over
// when the first is closed, crashes or freezes.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { start } from "./browser.mjs";
import { folders } from "./material.mjs";
import { processOf } from "./processes.mjs";
import { serve } from "./site.mjs";

/**
 * The longest time of a takeover, in milliseconds. It usually takes less than a second; on a busy
 * machine, it takes several.
 */
const TAKEOVER = 60_000;

const SCHOOL = `{"type":"school","school_id":1000,"school_name":"Hill","current_year":2026}
{"type":"api_type","api_type_id":8,"api_type":"Admin+ API","family":"administration"}
{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":8,"state":0}
`;

let site;
let browser;

beforeEach(async () => {
  site = await serve(folders());
  browser = await start();
});

afterEach(async () => {
  await browser.close();
  site.close();
});

/** Opens the store in a tab. */
async function tab() {
  const page = await browser.tab(site.url);
  await page.evaluate(async () => {
    const { Rollbook } = await import("/dist/index.js");
    globalThis.engine = await Rollbook.open("school");
    globalThis.absence = (id) =>
      `{"type":"absentee","school_id":1000,"id":${id},"learner_id":1,"absent_date":"2026-05-04"}\n`;
    globalThis.absences = async () => {
      const now = new Date("2026-05-14T08:00:00Z");
      const answer = await engine.ask("absentees", { school: 1000 }, { now });
      return answer.status === 200 ? answer.json().map(({ id }) => Number(id)) : answer.text();
    };
  });
  return page;
}

const apply = (page, dataset) => page.evaluate((text) => engine.apply(text), dataset);
const absent = (page, id) => page.evaluate((n) => engine.apply(absence(n)), id);
const absences = (page) => page.evaluate(() => absences());
const verify = async (page) =>
  assert.deepEqual((await page.evaluate(() => engine.verify())).problems, []);

/** Returns the answer of a page, and the time until it. */
async function timed(ask) {
  const began = performance.now();
  const answer = await ask();
  return { answer, took: performance.now() - began };
}

function inTime(took) {
  assert.ok(took < TAKEOVER, `it took ${Math.round(took)} ms`);
}

test("two tabs share a store, and each sees the changes of the other", async () => {
  const [first, second] = [await tab(), await tab()];
  await apply(first, SCHOOL);
  await absent(second, 1);
  await absent(first, 2);
  assert.deepEqual(await absences(first), [1, 2]);
  assert.deepEqual(await absences(second), [1, 2]);
  const text = (page) => page.evaluate(() => new Response(engine.export()).text());
  assert.equal(await text(first), await text(second));
  await verify(second);
});

test("a follower takes over from a tab that closes its engine, or is closed", async () => {
  const [first, second, third] = [await tab(), await tab(), await tab()];
  await apply(first, SCHOOL);
  await absent(first, 1);
  await first.evaluate(() => engine.close());
  const engineClosed = await timed(() => absences(second));
  assert.deepEqual(engineClosed.answer, [1]);
  inTime(engineClosed.took);
  await second.close();
  const tabClosed = await timed(() => absences(third));
  assert.deepEqual(tabClosed.answer, [1]);
  inTime(tabClosed.took);
  await absent(third, 2);
  await verify(third);
});

test("a follower takes over from a tab that crashes, and each change is made once", async () => {
  const [leader, follower] = [await tab(), await tab()];
  await apply(leader, SCHOOL);
  const crash = await processOf(leader);
  // Each turn changes the state. A change that was made twice would be answered with 204.
  await follower.evaluate(() => {
    globalThis.answered = [];
    globalThis.turning = (async () => {
      for (let turn = 0; turn < 400; turn += 1) {
        const active = turn % 2 === 0;
        const set = { username: "demo", school: 1000, apiTypeId: 8, active };
        const began = performance.now();
        const { status } = await engine.setState(set);
        answered.push({ status, took: performance.now() - began });
      }
    })();
  });
  await follower.waitForFunction(() => answered.length > 40);
  crash.kill();
  await follower.evaluate(() => turning);
  const answered = await follower.evaluate(() => answered);
  assert.deepEqual(new Set(answered.map(({ status }) => status)), new Set([200]));
  inTime(Math.max(...answered.map(({ took }) => took)));
  await verify(follower);
});

test("a follower takes over from a tab that is frozen, which follows when it wakes", async () => {
  const [leader, follower] = [await tab(), await tab()];
  await apply(leader, SCHOOL);
  await absent(leader, 1);
  const frozen = await processOf(leader);
  frozen.freeze();
  try {
    const { answer, took } = await timed(() => absences(follower));
    assert.deepEqual(answer, [1]);
    inTime(took);
    await absent(follower, 2);
  } finally {
    frozen.wake();
  }
  assert.deepEqual(await absences(leader), [1, 2]);
  await absent(leader, 3);
  assert.deepEqual(await absences(follower), [1, 2, 3]);
  await verify(leader);
  // The file of the frozen tab is removed when the store is opened next.
  await leader.close();
  await follower.close();
  const next = await tab();
  assert.deepEqual(await absences(next), [1, 2, 3]);
  const files = await next.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const all = await root.getDirectoryHandle("rollbook");
    const names = [];
    for await (const name of (await all.getDirectoryHandle("school")).keys()) names.push(name);
    return names;
  });
  assert.equal(files.length, 1, String(files));
});

test("a change of a frozen tab is made once, by that tab or by the one that takes over", async () => {
  const [leader, follower] = [await tab(), await tab()];
  await apply(leader, SCHOOL);
  const frozen = await processOf(leader);
  for (let round = 0; round < 3; round += 1) {
    const active = round % 2 === 0;
    await leader.evaluate((on) => {
      const set = { username: "demo", school: 1000, apiTypeId: 8, active: on };
      globalThis.set = engine.setState(set).then(({ status }) => status);
    }, active);
    frozen.freeze();
    await absent(follower, round + 1);
    frozen.wake();
    assert.equal(await leader.evaluate(() => set), 200);
    const state = await follower.evaluate(async () => {
      const answer = await engine.ask("clients", { username: "demo" });
      return answer.json()[0].activated_by_integrator;
    });
    assert.equal(state, active ? "Yes" : "No");
    // The same tab must be the leader of the next round.
    await follower.evaluate(async () => {
      const { Rollbook } = await import("/dist/index.js");
      await engine.close();
      await new Promise((resolve) => setTimeout(resolve, 500));
      globalThis.engine = await Rollbook.open("school");
    });
  }
  assert.deepEqual(await absences(leader), [1, 2, 3]);
  await verify(leader);
});

test("five tabs write at once, and are closed one by one", async () => {
  const pages = [];
  for (let number = 0; number < 5; number += 1) pages.push(await tab());
  await apply(pages[0], SCHOOL);
  await Promise.all(
    pages.map((page, number) =>
      page.evaluate(async (first) => {
        for (let id = first; id < first + 5; id += 1) await engine.apply(absence(id));
      }, number * 5 + 1),
    ),
  );
  const all = Array.from({ length: 25 }, (_, place) => place + 1);
  while (pages.length > 0) {
    const { answer, took } = await timed(() => absences(pages[pages.length - 1]));
    assert.deepEqual(answer, all);
    inTime(took);
    if (pages.length === 1) await verify(pages[0]);
    await pages.shift().close();
  }
});

test("a load of a follower continues after its leader crashes if it can be read again", async () => {
  const [leader, follower] = [await tab(), await tab()];
  const crash = await processOf(leader);
  await follower.evaluate(async () => {
    const dataset = await (await fetch("/material/school-1000.ndjson")).blob();
    globalThis.read = 0;
    const onProgress = ({ bytes }) => {
      read = bytes;
    };
    globalThis.loaded = engine.apply(dataset, { onProgress });
  });
  await follower.waitForFunction(() => read > 4_000_000);
  crash.kill();
  const { total, bytes } = await follower.evaluate(() => loaded);
  assert.ok(total.added > 100_000 && bytes > 30_000_000, JSON.stringify(total));
  await verify(follower);
});

test("a load from a stream is interrupted when its leader crashes, and nothing is stored", async () => {
  const [leader, follower] = [await tab(), await tab()];
  await apply(leader, SCHOOL);
  const crash = await processOf(leader);
  await follower.evaluate(() => {
    globalThis.more = undefined;
    const lines = new ReadableStream({
      start: (controller) => controller.enqueue(new TextEncoder().encode(absence(1))),
      pull: (controller) =>
        new Promise((resolve) => {
          globalThis.more = () => {
            controller.enqueue(new TextEncoder().encode(absence(2)));
            controller.close();
            resolve();
          };
        }),
    });
    globalThis.code = engine.apply(lines).then(
      () => "stored",
      (error) => error.code,
    );
  });
  await follower.waitForFunction(() => more !== undefined);
  crash.kill();
  await follower.evaluate(() => absences());
  await follower.evaluate(() => more());
  assert.equal(await follower.evaluate(() => code), "interrupted");
  assert.notDeepEqual(await absences(follower), [1, 2]);
});

test("a tab with another version of the app gets an error, and can wait for the store", async () => {
  const leader = await tab();
  await apply(leader, SCHOOL);
  const code = await leader.evaluate(async () => {
    // The messages of another version differ only in the version number.
    const Real = Worker;
    globalThis.Worker = class extends Real {
      constructor() {
        super("/tests/foreign-worker.mjs", { type: "module" });
      }
    };
    const { Rollbook } = await import("/dist/index.js");
    const open = () => Rollbook.open("school").then(() => "open", ({ code }) => code);
    const refused = await open();
    await engine.close();
    return [refused, await open()];
  });
  assert.deepEqual(code, ["busy", "open"]);
});

// Tests live queries in tabs that share a store.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { start } from "./browser.mjs";
import { folders } from "./material.mjs";
import { processOf } from "./processes.mjs";
import { serve } from "./site.mjs";

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

/** Opens a tab that observes grades, clients and absences. */
async function tab() {
  const page = await browser.tab(site.url);
  await page.evaluate(async () => {
    const { Rollbook } = await import("/dist/index.js");
    globalThis.now = Date.now;
    globalThis.engine = await Rollbook.open("school", { clock: () => now() });
    globalThis.grade = (id) =>
      `{"type":"grade","school_id":1000,"grade_id":${id},"grade":"${id}"}\n`;
    globalThis.seen = { grades: [], clients: [], absentees: [], ended: 0 };
    const watch = (question, fields, show) => {
      const live = engine.observe(question, fields);
      live.addEventListener("answer", ({ answer }) => {
        seen[question].push(answer.ok ? answer.json().map(show).join() : String(answer.status));
      });
      live.addEventListener("end", () => (seen.ended += 1));
    };
    watch("grades", { school: 1000 }, ({ id }) => id);
    watch("clients", { username: "demo" }, (client) => client.activated_by_integrator);
    watch("absentees", { school: 1000 }, ({ id }) => id);
  });
  return page;
}

const apply = (page, text) => page.evaluate((lines) => engine.apply(lines), text);
const add = (page, id) => page.evaluate((id) => engine.apply(grade(id)), id);
const seen = (page) => page.evaluate(() => seen);

/** Waits until the last answer to a question in a tab is this one. */
const shows = (page, question, text) =>
  page.waitForFunction(([name, last]) => seen[name].at(-1) === last, [question, text]);

/** Checks that each answer has more grades than the previous one, and that the last is this one. */
function grows(texts, last) {
  const counts = texts.map((text) => (text === "404" ? 0 : text.split(",").length));
  assert.ok(counts.every((count, at) => at === 0 || count > counts[at - 1]), texts.join(" | "));
  assert.equal(texts.at(-1), last);
}

test("all tabs receive the changes of each tab, whichever is the leader", async () => {
  const pages = [await tab(), await tab(), await tab()];
  await apply(pages[0], SCHOOL);
  const ids = [];
  for (let id = 1; id <= 9; id += 1) {
    ids.push(id);
    await add(pages[id % 3], id);
    if (id % 3 === 0) for (const page of pages) await shows(page, "grades", ids.join());
  }
  for (const page of pages) grows((await seen(page)).grades, ids.join());

  const active = { username: "demo", school: 1000, apiTypeId: 8, active: true };
  await pages[1].evaluate((set) => engine.setState(set), active);
  for (const page of pages) await shows(page, "clients", "Yes");
  // A change that does not affect an answer does not deliver it again.
  for (const page of pages) assert.deepEqual((await seen(page)).clients.slice(-2), ["No", "Yes"]);
  const whole = '{"type":"school","school_id":1000,"current_year":2026}\n{"type":"grade","school_id":1000,"grade_id":5,"grade":"5"}\n';
  await pages[2].evaluate((text) => engine.replaceSchool(1000, text), whole);
  for (const page of pages) await shows(page, "grades", "5");
});

test("a live query continues when the leader is closed, crashes, or closes its engine", async () => {
  const pages = [await tab(), await tab(), await tab(), await tab()];
  await apply(pages[0], SCHOOL);
  const ids = [];
  for (const leave of [
    async (page) => page.close(),
    async (page) => (await processOf(page)).kill(),
    async (page) => {
      await page.evaluate(() => engine.close());
      assert.equal((await seen(page)).ended, 3);
      await page.close();
    },
  ]) {
    // The other tabs receive the last change, even if the leader did not report it.
    ids.push(ids.length + 1);
    await add(pages[0], ids.length);
    await leave(pages.shift());
    for (const page of pages) await shows(page, "grades", ids.join());
    ids.push(ids.length + 1);
    await add(pages.at(-1), ids.length);
    for (const page of pages) await shows(page, "grades", ids.join());
  }
  grows((await seen(pages[0])).grades, ids.join());
});

test("a tab that was frozen receives what it missed", async () => {
  const [leader, follower] = [await tab(), await tab()];
  await apply(leader, SCHOOL);
  await add(leader, 1);
  await shows(follower, "grades", "1");
  const frozen = await processOf(leader);
  frozen.freeze();
  try {
    await add(follower, 2);
    await shows(follower, "grades", "1,2");
  } finally {
    frozen.wake();
  }
  await shows(leader, "grades", "1,2");
  grows((await seen(leader)).grades, "1,2");
});

test("another day begins at the school", async () => {
  const page = await tab();
  // The clock stops half a second before midnight at +02:00.
  await page.evaluate((evening) => {
    globalThis.now = () => evening;
  }, Date.UTC(2026, 4, 14, 21, 59, 59, 500));
  const absence =
    '{"type":"absentee","school_id":1000,"id":1,"learner_id":1,"absent_date":"2026-04-14"}\n';
  await apply(page, absence);
  await shows(page, "absentees", "1");
  await page.evaluate(() => {
    const [evening, began] = [now(), performance.now()];
    globalThis.now = () => evening + performance.now() - began;
  });
  await shows(page, "absentees", "404");
});

// Tests live queries in Node.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { LiveQuery, Rollbook, RollbookError } from "rollbook";
import { CREDENTIALS } from "./material.mjs";

const SCHOOL = 1000;
const school = { school: SCHOOL };
const ACCESS = `{"type":"school","school_id":1000,"school_name":"Hill","current_year":2026}
{"type":"api_type","api_type_id":8,"api_type":"Admin+ API","family":"administration"}
{"type":"integrator","username":"demo","password":"demo"}
{"type":"client_integration","username":"demo","school_id":1000,"api_type_id":8,"state":0}
`;

const grade = (id) => `{"type":"grade","school_id":1000,"grade_id":${id},"grade":"${id}"}\n`;
const absence = (id, day) =>
  `{"type":"absentee","school_id":1000,"id":${id},"learner_id":1,"absent_date":"${day}"}\n`;
const ids = (answer) => (answer.ok ? answer.json().map(({ id }) => Number(id)) : answer.status);

async function opened(t, options) {
  const engine = await Rollbook.memory(options);
  t.after(() => engine.close());
  await engine.apply(ACCESS);
  return engine;
}

/** Returns the result of a promise, or nothing if it does not resolve in time. */
async function soon(promise, milliseconds = 100) {
  const nothing = new Promise((resolve) => setTimeout(resolve, milliseconds, undefined));
  return Promise.race([promise, nothing]);
}

test("the answer is delivered at first and after each change of it, and at no other time", async (t) => {
  const engine = await opened(t);
  const grades = engine.observe("grades", school);
  const next = async () => ids((await grades.next()).value);
  assert.equal(await next(), 404);
  await engine.apply(grade(8) + grade(9));
  assert.deepEqual(await next(), [8, 9]);
  // Changes that do not affect the answer.
  await engine.apply(grade(8));
  await engine.apply(absence(1, "2026-05-04"));
  const after = next();
  assert.equal(await soon(after), undefined);
  await engine.replaceSchool(SCHOOL, grade(7) + '{"type":"school","school_id":1000,"current_year":2026}\n');
  assert.deepEqual(await after, [7]);
  await engine.removeSchool(SCHOOL);
  assert.equal(await next(), 404);
});

test("a state update is observed, by setState or by a request", async (t) => {
  const engine = await opened(t);
  const seen = [];
  const clients = engine.observe("clients", { username: "demo" });
  clients.addEventListener("answer", ({ answer }) => {
    seen.push(answer.json()[0].activated_by_integrator);
  });
  const settled = () => new Promise((resolve) => setTimeout(resolve, 50));
  await settled();
  await engine.setState({ username: "demo", school: SCHOOL, apiTypeId: 8, active: true });
  await settled();
  const headers = CREDENTIALS;
  const target = "/api/v1/settings/clients/1000";
  const body = '{"api_type_id":8,"state":0}';
  const { status } = await engine.request(target, { method: "PATCH", headers, body });
  assert.equal(status, 200);
  await settled();
  assert.deepEqual(seen, ["No", "Yes", "No"]);
});

test("several changes may cause one answer, and no answer is outdated or repeated", async (t) => {
  const engine = await opened(t);
  const heard = [];
  const grades = engine.observe("grades", school);
  grades.addEventListener("answer", ({ answer }) => heard.push(ids(answer)));
  const all = Array.from({ length: 40 }, (_, place) => place + 1);
  await Promise.all(all.map((id) => engine.apply(grade(id))));
  // A late call of `next` returns only the last answer.
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(ids((await grades.next()).value), all);
  assert.deepEqual(heard.at(-1), all);
  const counts = heard.map((found) => (found === 404 ? 0 : found.length));
  assert.ok(counts.every((count, place) => place === 0 || count > counts[place - 1]), String(counts));
});

test("an app may change the bytes of an answer", async (t) => {
  const engine = await opened(t);
  await engine.apply(grade(8));
  const grades = engine.observe("grades", school);
  const { value } = await grades.next();
  value.bytes.fill(0);
  await engine.apply(absence(1, "2026-05-04"));
  assert.equal(await soon(grades.next()), undefined);
});

test("another day begins at the school, and a clock is set back", async (t) => {
  // Half a second before midnight at +02:00.
  const evening = Date.UTC(2026, 4, 14, 21, 59, 59, 500);
  let now = () => evening;
  const clock = () => now();
  const engine = await opened(t, { clock });
  // The absence is a month old, and therefore in the answer of that day for the last time.
  await engine.apply(absence(1, "2026-04-14"));
  const absentees = engine.observe("absentees", school);
  assert.deepEqual(ids((await absentees.next()).value), [1]);
  const midnight = absentees.next();
  assert.equal(await soon(midnight), undefined);
  // The timers of a live query do not prevent the process from ending, so another timer does.
  const awake = setInterval(() => undefined, 1000);
  t.after(() => clearInterval(awake));
  const began = performance.now();
  now = () => evening + performance.now() - began;
  assert.equal(ids((await midnight).value), 404);
  // The clock is set back by a day, shortly before the next midnight.
  now = () => evening + 86_400_000;
  const late = engine.observe("absentees", school);
  assert.equal(ids((await late.next()).value), 404);
  now = () => evening;
  assert.deepEqual(ids((await late.next()).value), [1]);
});

test("a live query ends once: with its loop, its signal or its engine", async (t) => {
  const engine = await opened(t);
  const heard = [];
  const live = (options) => {
    const grades = engine.observe("grades", school, options);
    assert.ok(grades instanceof LiveQuery);
    grades.addEventListener("end", () => heard.push(grades));
    return grades;
  };
  const left = live();
  for await (const answer of left) {
    assert.equal(answer.status, 404);
    break;
  }
  const over = new AbortController();
  const aborted = live({ signal: over.signal });
  await aborted.next();
  const waiting = aborted.next();
  over.abort();
  over.abort();
  assert.deepEqual(await waiting, { done: true, value: undefined });
  const never = live({ signal: over.signal });
  assert.deepEqual(await never.next(), { done: true, value: undefined });
  const closed = live();
  await closed.next();
  const last = closed.next();
  await engine.close();
  assert.deepEqual(await last, { done: true, value: undefined });
  assert.deepEqual(heard, [left, aborted, never, closed]);
  const late = live();
  assert.deepEqual(await late.next(), { done: true, value: undefined });
});

test("an error is delivered once, and the live query goes on", async (t) => {
  const engine = await opened(t);
  const wrong = { school: "Hill" };
  const heard = [];
  const listened = engine.observe("grades", wrong);
  listened.addEventListener("error", ({ error }) => heard.push(error));
  const looped = engine.observe("grades", wrong);
  const isBadArgument = (error) => error instanceof RollbookError && error.code === "bad_argument";
  await assert.rejects(looped.next(), isBadArgument);
  await engine.apply(grade(8));
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(heard.map(isBadArgument), [true]);
  const [next] = [looped.next(), await looped.return()];
  assert.deepEqual(await next, { done: true, value: undefined });
});

test("a process ends although a live query is open", () => {
  const program = `
    import { Rollbook } from "rollbook";
    const engine = await Rollbook.memory();
    const absentees = engine.observe("absentees", { school: 1 });
    console.log((await absentees.next()).value.status);`;
  const given = ["--input-type=module", "--eval", program];
  const cwd = new URL("..", import.meta.url);
  const { stdout, status } = spawnSync(process.execPath, given, { cwd, timeout: 30_000 });
  assert.deepEqual([String(stdout), status], ["404\n", 0]);
});

// Tests syncing a school with `syncWith` in Node.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Rollbook, RollbookError, SyncStopped, syncWith } from "../dist/node.js";
import { CREDENTIALS, NOW, SCHOOL } from "./material.mjs";
import { access, answers, clock, service, source } from "./service.mjs";

const options = { daysFrom: "2026-01-01" };
const headers = CREDENTIALS;
const code = (expected) => (error) => error instanceof RollbookError && error.code === expected;

/** Starts a service and opens an empty mirror for one test. */
async function both(t, given) {
  const origin = await source(Rollbook);
  const served = await service(origin, given);
  const mirror = await Rollbook.memory({ clock });
  t.after(async () => {
    served.close();
    await mirror.close();
    await origin.close();
  });
  return { origin, served, mirror };
}

async function run(mirror, served, { of = options, ...given } = {}) {
  return syncWith(await mirror.sync(SCHOOL, of), served.url, { headers, ...given });
}

/** Checks that a mirror answers an app as the service does. */
async function isMirror(mirror, origin) {
  await mirror.apply(access);
  assert.deepEqual(await answers(mirror), await answers(origin));
}

/** Creates a folder for a store. */
function folder(t) {
  const path = mkdtempSync(join(tmpdir(), "rollbook-sync-"));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

test("a mirror answers as its source, before and after a change", async (t) => {
  const { origin, served, mirror } = await both(t, { delay: 10 });
  assert.equal(await mirror.synced(SCHOOL), null);
  const heard = [];
  const report = await run(mirror, { url: `${served.url}/` }, { onProgress: (at) => heard.push(at) });
  assert.ok(served.most > 1 && served.most <= 4, `${served.most} at once`);
  assert.equal(report.replies, served.sent.length);
  const { failed, quarantined, findings, unstable, refused } = report;
  assert.deepEqual([failed, quarantined, findings, unstable, refused], [[], [], [], [], []]);
  assert.ok(heard.at(-1).answered > 10);
  assert.deepEqual([heard.at(-1).left, heard.at(-1).inFlight], [0, 0]);
  assert.ok(served.sent.every((call) => call.headers["http-x-password"] === "demo"));
  await isMirror(mirror, origin);

  const coverage = await mirror.synced(SCHOOL);
  assert.ok(coverage.asOf >= NOW);
  const days = coverage.seen.find(({ what }) => what === "the absences");
  assert.ok(days.from <= "2026-01-01" && days.to >= "2026-05-14" && days.year === null);
  const unseen = { school: SCHOOL, fromDate: "2024-01-01", toDate: "2024-01-31" };
  await assert.rejects(mirror.ask("absentees", unseen), code("not_synced"));
  const learner = `{"type":"learner","school_id":${SCHOOL},"id":77,"first_name":"Made up"}`;
  await assert.rejects(mirror.apply(learner), code("synced"));

  await origin.apply(`
{"type":"learner","school_id":${SCHOOL},"id":77,"first_name":"Zoë","last_name":"New","grade_id":9}
{"type":"absentee","school_id":${SCHOOL},"id":777,"learner_id":1,"absent_date":"2026-05-13","absent_reason":"Illness"}`);
  const again = await run(mirror, served, { of: { ...options, mostInFlight: 1 } });
  assert.ok(again.unchanged > 0 && again.unchanged < again.replies);
  await isMirror(mirror, origin);
  const added = await mirror.ask("learners", { school: SCHOOL, learnerId: 77 });
  assert.equal(added.json()[0].first_name, "Zoë");

  await mirror.forgetSync(SCHOOL);
  assert.equal(await mirror.synced(SCHOOL), null);
  await mirror.apply(learner);
});

test("one call at a time", async (t) => {
  const { served, mirror } = await both(t, { delay: 2 });
  await run(mirror, served, { of: { mostInFlight: 1 } });
  assert.equal(served.most, 1);
});

test("calls with faults are repeated", async (t) => {
  const faults = { 2: "429", 4: "500", 6: "cut", 8: "page", 10: "long", 12: "429 without a word" };
  const { origin, served, mirror } = await both(t, { wrong: (place) => faults[place] });
  const report = await run(mirror, served);
  assert.deepEqual(report.failed, []);
  assert.ok(served.sent.length >= report.replies);
  const twice = served.targets().filter((target, at, all) => all.indexOf(target) !== at);
  assert.ok(twice.length >= 6, `${twice.length} asked again`);
  await isMirror(mirror, origin);
});

test("a wrong password stops", async (t) => {
  const { served, mirror } = await both(t);
  const wrong = { ...CREDENTIALS, "HTTP-X-PASSWORD": "s3cret" };
  await assert.rejects(run(mirror, served, { headers: wrong }), (error) => {
    assert.ok(error instanceof SyncStopped && error.reason === "wrongCredentials");
    assert.match(error.message, /check the user name and the password/);
    assert.ok(!JSON.stringify(error).includes("s3cret") && !error.stack.includes("s3cret"));
    return true;
  });
  // The second call checks the access.
  const [, check, ...others] = served.targets();
  assert.deepEqual([check, others], ["/api/v1/settings/clients/1000", []]);
});

test("a pass without any answer stops, and the error has the failed requests", async (t) => {
  const { served, mirror } = await both(t, { wrong: () => "gone" });
  await assert.rejects(run(mirror, served), (error) => {
    assert.ok(error instanceof SyncStopped && error.reason === "incomplete");
    const [first] = error.report.failed;
    assert.deepEqual([first.target, first.status], [served.targets()[0], 410]);
    const message = `no answer could be fetched: ${first.target} failed with status 410: ${first.reason}`;
    assert.equal(error.message, message);
    return true;
  });
});

test("the message of a stop names the first failed request, if there is one", () => {
  const message = (...failed) => new SyncStopped("incomplete", { failed }).message;
  assert.equal(message(), "no answer could be fetched: try again later");
  const cut = { target: "/a", status: null, reason: "ten attempts failed" };
  assert.equal(
    message(cut, { ...cut, target: "/b" }),
    "no answer could be fetched: /a failed without a reply: ten attempts failed",
  );
});

test("a value that cannot be used is reported", async (t) => {
  const { origin, mirror } = await both(t);
  // Sends the calls to the service. In the list of current learners, learner 1 has an odd date.
  const fetch = async (url, init) => {
    const answer = await origin.fetch(url, init);
    if (!url.includes("status=current")) return answer;
    const body = (await answer.text()).replace("2018-01-01", "0000-00-00");
    return new Response(body, { status: answer.status });
  };
  const report = await run(mirror, { url: "https://app.example" }, { fetch });
  assert.deepEqual(report.failed, []);
  const [finding, ...more] = report.findings;
  assert.deepEqual(more, []);
  const { target, ...found } = finding;
  assert.match(target, /^\/api\/v1\/adminplus\/learners\/1000\?.*status=current/);
  assert.deepEqual(found, {
    kind: "learner",
    field: "date_of_birth",
    effect: "fieldEmpty",
    count: 1,
    keys: ["1"],
  });
});

test("a redirect to another origin is not followed", async (t) => {
  const elsewhere = await service(await source(Rollbook));
  t.after(() => elsewhere.close());
  // The first attempt of each of these calls is redirected.
  const redirected = new Set();
  const { served, mirror } = await both(t, {
    wrong: (_, target) => {
      if (!target.includes("discipline") || redirected.has(target)) return undefined;
      redirected.add(target);
      return "away";
    },
    elsewhere: elsewhere.url,
  });
  const report = await run(mirror, served);
  assert.ok(redirected.size > 0);
  assert.deepEqual(elsewhere.sent, []);
  assert.deepEqual(report.failed, []);
});

test("an aborted sync is continued", async (t) => {
  const path = join(folder(t), "school.redb");
  const { origin, served, mirror: whole } = await both(t, { delay: 5 });
  const abort = new AbortController();
  const onProgress = ({ answered }) => {
    if (answered >= 8) abort.abort(new Error("enough"));
  };
  let mirror = await Rollbook.open(path, { clock });
  await assert.rejects(run(mirror, served, { onProgress, signal: abort.signal }), /^Error: enough$/);
  assert.equal(await mirror.synced(SCHOOL), null);
  await mirror.close();
  const before = served.sent.length;
  assert.ok(before >= 8 && before <= 12, `${before} sent`);

  mirror = await Rollbook.open(path, { clock });
  t.after(() => mirror.close());
  await run(mirror, served);
  await isMirror(mirror, origin);
  const sent = served.sent.length;
  await run(whole, served);
  // At most the calls in flight are repeated.
  assert.ok(sent <= served.sent.length - sent + 4, `${sent} against ${served.sent.length - sent}`);

  const aborted = AbortSignal.abort(new Error("at once"));
  await assert.rejects(run(mirror, served, { signal: aborted }), /^Error: at once$/);
});

test("an abort ends the calls in flight and the current sleep", async (t) => {
  const mirror = await Rollbook.memory({ clock });
  t.after(() => mirror.close());
  const abort = new AbortController();
  let ended = 0;
  const never = (_, { signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      signal.addEventListener("abort", () => (ended += 1));
      setImmediate(() => abort.abort(new Error("enough")));
    });
  const given = { fetch: never, signal: abort.signal };
  await assert.rejects(run(mirror, { url: "https://a.example" }, given), /^Error: enough$/);
  assert.equal(ended, 1);
});

test("the reason for a missing reply is reported", async (t) => {
  const reported = async (send) => {
    const failed = [];
    const abort = new AbortController();
    const sync = {
      now: () => 0,
      next: async () =>
        failed.length === 0
          ? { kind: "send", call: { id: 1n, method: "GET", target: "/x", body: "" } }
          : { kind: "stop", reason: "incomplete", report: { failed: [] } },
      handleFailure: async (_, failure) => failed.push(failure),
      handleReply: async (_, { status }) => failed.push(status),
      progress: async () => abort.abort(),
    };
    // Like a real sync, this one returns a call only once while it is in flight.
    const { next } = sync;
    let isSent = false;
    sync.next = async () => {
      if (isSent && failed.length === 0) return { kind: "wait", until: new Date(1000) };
      isSent = true;
      return next();
    };
    await assert.rejects(syncWith(sync, "https://a.example", { fetch: send }), SyncStopped);
    return failed[0];
  };
  const failing = (cause) => async () => {
    throw new TypeError("fetch failed", { cause });
  };
  assert.equal(await reported(failing({ code: "ENETUNREACH" })), "offline");
  assert.equal(await reported(failing({ code: "EAI_AGAIN" })), "offline");
  assert.equal(await reported(failing({ code: "ECONNREFUSED" })), "cut");
  assert.equal(await reported(failing(undefined)), "cut");
  assert.equal(await reported(async () => new Response(null, { status: 304 })), 304);
  const free = createServer().listen(0);
  const { port } = free.address();
  await new Promise((resolve) => free.close(resolve));
  assert.equal(await reported(() => fetch(`http://127.0.0.1:${port}`)), "cut");

  Object.defineProperty(globalThis, "navigator", { configurable: true, value: { onLine: false } });
  t.after(() => delete globalThis.navigator);
  assert.equal(await reported(failing(undefined)), "offline");

  t.mock.timers.enable({ apis: ["setTimeout"] });
  const never = (_, { signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason));
      setImmediate(() => t.mock.timers.tick(90_000));
    });
  assert.equal(await reported(never), "timeout");
});

test("invalid base addresses are refused", async (t) => {
  const mirror = await Rollbook.memory({ clock });
  t.after(() => mirror.close());
  for (const address of [
    "",
    "integrate.example.org",
    "/integrate",
    "ftp://a.example",
    "https://demo:s3cret@a.example",
    "https://a.example/?s3cret",
    "https://a.example/#s3cret",
  ]) {
    await assert.rejects(run(mirror, { url: address }), (error) => {
      assert.ok(code("bad_argument")(error) && !error.stack.includes("s3cret"), address);
      return /give only scheme, host and path/.test(error.message);
    });
  }
});

test("passwords: invalid headers are refused, and any script is sent", async (t) => {
  const { origin, served, mirror } = await both(t);
  for (const password of ["s3cret\r\nX: y", "s3cret\n", " s3cret", "\0s3cret"]) {
    const given = { headers: { ...CREDENTIALS, "HTTP-X-PASSWORD": password } };
    await assert.rejects(run(mirror, served, given), (error) => {
      assert.ok(code("bad_argument")(error) && !error.stack.includes("s3cret"));
      return /HTTP-X-PASSWORD cannot be sent/.test(error.message);
    });
  }
  const password = "wagwoord-zoë-密";
  await origin.apply(JSON.stringify({ type: "integrator", username: "demo", password }));
  const given = { headers: { ...CREDENTIALS, "HTTP-X-PASSWORD": password } };
  assert.deepEqual((await run(mirror, served, given)).failed, []);
});

test("an app's own fetch", async (t) => {
  const { origin, mirror } = await both(t);
  const given = { url: "https://app.example/integrate/" };
  const asked = [];
  const fetch = (url, init) => {
    asked.push(new URL(url).pathname);
    return origin.fetch(url.replace("/integrate", ""), init);
  };
  await run(mirror, given, { fetch });
  assert.ok(asked.every((path) => path.startsWith("/integrate/api/v1/")));
  await isMirror(mirror, origin);
});

test("an error of a listener ends the sync", async (t) => {
  const { served, mirror } = await both(t);
  const onProgress = () => {
    throw new RangeError("mine");
  };
  await assert.rejects(run(mirror, served, { onProgress }), /^RangeError: mine$/);
});

test("a prioritised target is requested, and closing the engine ends a sync", async (t) => {
  const { served, mirror } = await both(t, { delay: 5 });
  const target = "/api/v1/currplus/learnersubjectmarks/1000?learner_id=1";
  const sync = await mirror.sync(SCHOOL, options);
  let prioritised;
  const onProgress = ({ answered }) => {
    if (answered === 5) prioritised = [sync.prioritise(target), served.sent.length];
  };
  const report = await syncWith(sync, served.url, { headers, onProgress });
  assert.deepEqual(report.failed, []);
  const [done, sent] = prioritised;
  await done;
  const place = served.targets().indexOf(target);
  assert.ok(place >= 0 && place <= sent + 5, `${place}, prioritised at ${sent}`);

  const again = run(mirror, served);
  while (served.sent.length === report.replies) await new Promise((next) => setTimeout(next, 1));
  await mirror.close();
  await assert.rejects(again, code("closed"));
});

test("state updates are sent", async (t) => {
  const { origin, served, mirror } = await both(t);
  const of = { ...options, outbox: "demo" };
  await run(mirror, served, { of });
  await mirror.apply(access);
  const set = { username: "demo", school: SCHOOL, apiTypeId: 11, active: false };
  assert.equal((await mirror.setState(set)).status, 200);
  const before = served.sent.length;
  const report = await run(mirror, served, { of });
  assert.deepEqual([report.refused, report.unsent], [[], []]);
  const { method, headers: sent, body } = served.sent[before];
  assert.deepEqual([method, sent["content-type"]], ["PATCH", "application/json"]);
  assert.equal(typeof JSON.parse(body), "object");
  assert.deepEqual(await answers(mirror), await answers(origin));
});

test("a state update that a portal answers remains unsent", async (t) => {
  const { mirror, served } = await both(t);
  const of = { ...options, outbox: "demo" };
  await run(mirror, served, { of });
  await mirror.apply(access);
  const set = { username: "demo", school: SCHOOL, apiTypeId: 11, active: false };
  assert.equal((await mirror.setState(set)).status, 200);
  const sync = await mirror.sync(SCHOOL, of);
  const { call } = await sync.next();
  assert.equal(call.method, "PATCH");
  const page = { status: 200, body: new TextEncoder().encode("<html>Log in</html>") };
  assert.equal((await sync.handleReply(call.id, page)).outcome, "retry");
  assert.deepEqual((await sync.report()).unsent, [{ apiTypeId: 11n, state: false }]);
});

test("a sync without syncWith", async (t) => {
  const { origin, mirror } = await both(t);
  const sync = await mirror.sync(SCHOOL, { ...options, utcOffset: "+02:00", rotate: 5 });
  const first = await sync.next();
  assert.deepEqual([first.kind, first.call.method, first.call.body], ["send", "GET", ""]);
  assert.equal((await sync.next()).kind, "wait");
  assert.equal((await sync.progress()).inFlight, 1);
  const failed = await sync.handleFailure(first.call.id, "cut");
  assert.ok(failed.outcome === "retry" && failed.at > NOW);
  assert.deepEqual(await sync.handleFailure(1n, "timeout"), { outcome: "stale" });
  let now = failed.at;
  const outcomes = new Set();
  let step;
  for (;;) {
    step = await sync.next({ now });
    if (step.kind === "wait") now = step.until;
    else if (step.kind !== "send") break;
    else {
      const { status, bytes } = await origin.request(step.call.target, { headers });
      const reply = { status, body: bytes };
      outcomes.add((await sync.handleReply(step.call.id, reply, { now })).outcome);
      assert.equal(bytes.length, reply.body.length);
    }
  }
  assert.ok(step.kind === "done" && step.report.replies > 10);
  assert.deepEqual([...outcomes].sort(), ["stored", "unchanged"]);
  await isMirror(mirror, origin);

  await assert.rejects(sync.prioritise("/api/v1/nothing"), code("unsupported"));
  await assert.rejects(sync.approve("/api/v1/nothing"), code("unsupported"));
  await assert.rejects(sync.reject("/api/v1/nothing"), code("unsupported"));
  // An answer that is not quarantined needs no decision.
  await sync.approve(first.call.target);
  await sync.reject(first.call.target);
  assert.deepEqual(await sync.quarantined(), []);
  await sync.prioritise(first.call.target);
  const prioritised = await sync.next({ now });
  assert.equal(prioritised.call.target, first.call.target);
  const refused = { status: 401, body: new TextEncoder().encode("{}") };
  await sync.handleReply(prioritised.call.id, refused, { now });
  // The next call checks what the 401 is about.
  const check = await sync.next({ now });
  assert.equal(check.call.target, "/api/v1/settings/clients/1000");
  await sync.handleReply(check.call.id, refused, { now });
  const stopped = { kind: "stop", reason: "wrongCredentials", report: await sync.report() };
  assert.deepEqual(await sync.next({ now }), stopped);

  const other = await mirror.sync(SCHOOL, options);
  assert.equal((await other.next({ now })).kind, "send");
  const superseded = await sync.next({ now });
  assert.deepEqual([superseded.kind, superseded.reason], ["stop", "superseded"]);
});

test("invalid options are refused", async (t) => {
  const mirror = await Rollbook.memory({ clock });
  t.after(() => mirror.close());
  await assert.rejects(mirror.sync(SCHOOL, { daysFrom: "yesterday" }), (error) => {
    return code("bad_argument")(error) && /^daysFrom is /.test(error.message);
  });
  await assert.rejects(mirror.sync(SCHOOL, { utcOffset: "noon" }), code("unsupported"));
  await assert.rejects(mirror.sync(-1), code("bad_argument"));
});

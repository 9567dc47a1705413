// Tests the package in Node: its calls, its files, and their locks.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { cpSync, createReadStream, existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Engine, Rollbook, RollbookError } from "rollbook";
import { CREDENTIALS, NOW, SCHOOL, dist, sample } from "./material.mjs";

let folder;

before(() => {
  folder = mkdtempSync(join(tmpdir(), "rollbook-node-"));
});

after(() => rmSync(folder, { recursive: true, force: true }));

const school = (name) =>
  `{"type":"school","school_id":${SCHOOL},"school_name":"${name}","current_year":2026}\n`;

/** Returns the error with which a promise rejects. */
async function refused(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("it was not refused");
}

async function code(promise) {
  const error = await refused(promise);
  assert.ok(error instanceof RollbookError, String(error));
  return error.code;
}

test("a dataset is read from every kind of source", async () => {
  const text = readFileSync(sample(), "utf8");
  const bytes = new TextEncoder().encode(text);
  const exports = [];
  for (const dataset of [
    text,
    bytes,
    bytes.buffer,
    new Blob([text]),
    new Response(text),
    new Blob([text]).stream(),
    createReadStream(sample()),
    Readable.from([text.slice(0, 1000), text.slice(1000)]),
  ]) {
    const engine = await Rollbook.memory();
    const { total, bytes: read } = await engine.apply(dataset);
    assert.ok(total.added > 10_000);
    assert.equal(read, bytes.byteLength);
    exports.push(await new Response(engine.export()).text());
    await engine.close();
  }
  assert.equal(new Set(exports).size, 1);
  assert.ok(!exports[0].includes("password_hash"));
});

test("a path that is not text, and an option that is not a number", async () => {
  for (const path of [undefined, new URL("file:///school.redb")]) {
    assert.equal(await code(Rollbook.open(path)), "bad_argument");
  }
  assert.equal(await code(Rollbook.memory({ pageLimit: 10n })), "bad_argument");
});

test("a module that is missing or damaged", async () => {
  const copy = join(folder, "dist");
  cpSync(dist, copy, { recursive: true });
  for (const damage of [() => writeFileSync(join(copy, "rollbook.wasm"), "version https://git-lfs"), () => rmSync(join(copy, "rollbook.wasm"))]) {
    damage();
    const other = await import(pathToFileURL(join(copy, "node.js")));
    const error = await refused(other.Rollbook.memory());
    assert.ok(error instanceof other.RollbookError);
    assert.equal(error.code, "io");
    assert.match(error.message, /rollbook\.wasm.*install/s);
    assert.ok(error.cause);
  }
});

test("text is cut into pieces between letters", async () => {
  const engine = await Rollbook.memory();
  const name = "\u{1F600}\u00e9".repeat(60_000);
  const blanks = " ".repeat((256 << 10) - 200);
  await engine.apply(`${blanks}\n${school(name)}`);
  const exported = await new Response(engine.export()).text();
  assert.ok(exported.includes(name));
});

test("a load reports its progress, and can be aborted", async () => {
  const engine = await Rollbook.memory();
  const dataset = new Blob([readFileSync(sample())]);
  const heard = [];
  await engine.apply(dataset, { onProgress: (progress) => heard.push(progress) });
  const last = heard[heard.length - 1];
  assert.ok(heard.length > 10);
  assert.deepEqual([last.bytes, last.total], [dataset.size, dataset.size]);
  assert.ok(last.lines > 10_000);
  const before = await engine.stats();

  const controller = new AbortController();
  const onProgress = () => controller.abort(new Error("enough"));
  const { signal } = controller;
  const error = await refused(engine.replaceSchool(SCHOOL, dataset, { onProgress, signal }));
  assert.equal(error.message, "enough");
  assert.deepEqual(await engine.stats(), before);
  assert.equal((await refused(engine.apply(dataset, { signal }))).message, "enough");

  // A source that never delivers anything.
  const silent = new AbortController();
  const waiting = engine.apply(new ReadableStream(), { signal: silent.signal });
  silent.abort();
  assert.equal((await refused(waiting)).name, "AbortError");

  // A source that fails.
  const failing = new ReadableStream({ pull: (stream) => stream.error(new Error("broken")) });
  assert.equal((await refused(engine.apply(failing))).message, "broken");
  const throwing = () => {
    throw new Error("listener");
  };
  assert.equal((await refused(engine.apply(dataset, { onProgress: throwing }))).message, "listener");
  assert.deepEqual(await engine.stats(), before);
});

test("faults are reported with their lines", async () => {
  const engine = await Rollbook.memory();
  const dataset = `${school("Hill")}{"type":"absentee"}\nnonsense\n`;
  const error = await refused(engine.apply(dataset));
  assert.equal(error.code, "bad_dataset");
  assert.match(error.message, /^line 2: /);
  const faults = await engine.check(dataset);
  assert.deepEqual(faults.map(({ line }) => line), [2, 3]);
  assert.equal((await engine.check(dataset, { limit: 1 })).length, 1);
  assert.equal((await engine.stats()).records.school, 0);
});

test("questions are typed, and pages and records are those of v2", async () => {
  const engine = await Rollbook.memory({ clock: () => NOW });
  await engine.apply(readFileSync(sample()));
  const all = (await engine.ask("learners", { school: SCHOOL })).json();
  const [{ id, first_name: name }] = all;
  const found = await engine.ask("learners", { school: String(SCHOOL), learnerId: BigInt(id) });
  assert.deepEqual(found.json(), [all[0]]);
  const named = (await engine.ask("learners", { school: SCHOOL, name, includeParents: true })).json();
  assert.ok(named.every((learner) => learner.parents.length > 0));
  const grades = [...new Set(all.map((learner) => learner.grade_id))].slice(0, 2);
  const two = (await engine.ask("learners", { school: SCHOOL, gradeIds: grades })).json();
  assert.equal(two.length, all.filter((learner) => grades.includes(learner.grade_id)).length);
  const page = (await engine.page("learners", { school: SCHOOL }, { limit: 3 })).json();
  assert.equal(page.data.length, 3);
  const next = await engine.page(
    "learners",
    { school: SCHOOL },
    { limit: 3, cursor: page.meta.next_cursor },
  );
  assert.notDeepEqual(next.json().data, page.data);
  const record = await engine.find("learners", { school: SCHOOL, learnerId: id });
  assert.equal(record.status, 200);
  assert.equal((await engine.find("learners", { school: SCHOOL, learnerId: 2n ** 64n - 1n })).status, 404);
  const missing = await engine.ask("learners", { school: 7 });
  assert.deepEqual([missing.status, missing.ok], [404, false]);
});

test("marks appear on their release date", async () => {
  const engine = await Rollbook.memory();
  await engine.apply(readFileSync(sample()));
  const [{ id }] = (await engine.ask("learners", { school: SCHOOL }, { now: NOW })).json();
  const size = async (now) => {
    const marks = { school: SCHOOL, learnerId: id };
    return (await engine.ask("assessmentMarks", marks, { now })).bytes.byteLength;
  };
  const [early, late] = [await size(NOW), await size(new Date("2026-12-31"))];
  assert.ok(early < late, `${early} ${late}`);
});

test("an app's client code runs over fetch", async () => {
  const engine = await Rollbook.memory({ clock: () => NOW });
  await engine.apply(readFileSync(sample()));
  const client = async (fetch) => {
    const base = "https://api.example/api/v1";
    const headers = CREDENTIALS;
    const schools = await fetch(`${base}/finplus/debtmanagement/schools`, { headers });
    const learners = await fetch(new URL(`${base}/adminplus/learners/${SCHOOL}`), { headers });
    const off = await fetch(
      new Request(`${base}/settings/clients/${SCHOOL}`, {
        method: "PATCH",
        headers: new Headers(headers),
        body: JSON.stringify({ state: 0, api_type_id: 8 }),
      }),
    );
    const none = await fetch(`${base}/settings/clients/${SCHOOL}`, {
      method: "PATCH",
      headers,
      body: JSON.stringify({ state: 0, api_type_id: 8 }),
    });
    return {
      statuses: [schools.status, learners.status, off.status, none.status],
      type: learners.headers.get("content-type"),
      length: Number(learners.headers.get("content-length")),
      learners: await learners.text(),
      none: await none.text(),
    };
  };
  const said = await client(engine.fetch);
  assert.deepEqual(said.statuses, [200, 200, 200, 204]);
  assert.equal(said.type, "application/json; charset=utf-8");
  assert.equal(said.length, Buffer.byteLength(said.learners));
  assert.equal(said.none, "");
  const asked = await engine.ask("learners", { school: SCHOOL });
  assert.equal(said.learners, asked.text());
  const aborted = engine.fetch("https://api.example/x", { signal: AbortSignal.abort() });
  assert.equal((await refused(aborted)).name, "AbortError");
});

test("changes, upgrade and maintenance", async () => {
  const engine = await Rollbook.memory();
  await engine.apply(readFileSync(sample()));
  const set = (active) => engine.setState({ username: "demo", school: SCHOOL, apiTypeId: 8, active });
  await set(true);
  assert.deepEqual([(await set(false)).status, (await set(false)).status], [200, 204]);
  const { target, headers } = await engine.upgrade("/api/v1/adminplus/learners/1000?learner_id=7");
  assert.equal(target, "/api/v2/adminplus/learners/7");
  assert.deepEqual(headers, [["HTTP-X-SCHOOLID", "1000"]]);
  assert.equal(await code(engine.upgrade("/nowhere")), "bad_argument");
  const [{ id }] = (await engine.ask("learners", { school: SCHOOL })).json();
  assert.ok((await engine.eraseLearner(SCHOOL, id)).total.removed > 1);
  assert.equal((await engine.find("learners", { school: SCHOOL, learnerId: id })).status, 404);
  const reading = engine.export().getReader();
  await reading.read();
  await engine.compact();
  assert.equal(await code(reading.read()), "reader_ended");
  assert.deepEqual((await engine.verify()).problems, []);
  assert.ok((await engine.removeSchool(SCHOOL)).total.removed > 10_000);
  assert.equal((await engine.stats()).records.learner, 0);
});

test("invalid arguments are refused", async () => {
  const engine = await Rollbook.memory();
  assert.equal(await code(engine.ask("learners", { school: -1 })), "bad_argument");
  assert.equal(await code(engine.ask("learners", { school: 1, since: "soon" })), "bad_argument");
  assert.equal(await code(engine.ask("learners", {})), "bad_argument");
  assert.equal(await code(engine.ask("learners", { school: 1, schol: 2 })), "bad_argument");
  assert.equal(await code(engine.ask("teachers", { school: 1 })), "bad_argument");
  assert.equal(await code(engine.removeSchool("x")), "bad_argument");
  assert.equal(await code(engine.removeSchool(2n ** 64n)), "bad_argument");
  assert.equal(await code(engine.request("/", { now: new Date("never") })), "bad_argument");
  assert.equal(await code(Rollbook.memory({ pageLimit: 60, maxPageLimit: 50 })), "unsupported");
});

test("a file persists changes, and every call of a closed engine fails as closed", async () => {
  const path = join(folder, "persistent.redb");
  const engine = await Rollbook.open(path);
  await engine.apply(school("Hill"));
  await engine.close();
  await engine.close();
  assert.equal(await code(engine.stats()), "closed");
  assert.equal(await code(engine.apply(school("Hill"))), "closed");
  assert.ok(!existsSync(`${path}.lock`));
  const again = await Rollbook.open(path);
  assert.equal((await again.stats()).records.school, 1);
  if (Symbol.asyncDispose) await again[Symbol.asyncDispose]();
  else await again.close();
  assert.equal(await code(again.stats()), "closed");
  assert.ok(again instanceof Engine);
});

test("a file that cannot be a store is refused", async () => {
  const path = join(folder, "letter.txt");
  writeFileSync(path, "Dear parents,\n".repeat(1000));
  assert.equal(await code(Rollbook.open(path)), "not_a_store");
  assert.ok(readFileSync(path, "utf8").startsWith("Dear parents,"));
  assert.ok(!existsSync(`${path}.lock`));
  assert.equal(await code(Rollbook.open(join(folder, "none", "x.redb"))), "io");
  const empty = join(folder, "empty");
  writeFileSync(empty, "");
  assert.equal(await code(Rollbook.open(empty)), "not_a_store");
  assert.equal(readFileSync(empty).byteLength, 0);
  assert.ok(!existsSync(`${empty}.lock`));
});

test("the error of a path at which no store can be says what to do", async () => {
  const place = mkdtempSync(join(folder, "paths-"));
  const file = join(place, "file");
  writeFileSync(file, "");
  const link = join(place, "link");
  symlinkSync(join(place, "target"), link);
  const before = readdirSync(place).sort();
  const inner = join(place, "none", "inner");
  const causes = [
    [join(inner, "x.redb"), `create the folder ${inner}, or give a path in a folder that exists`],
    [place, "give the path of a file, not of a folder"],
    [join(file, "x.redb"), `give a path in a folder: ${file} is a file`],
    [join(place, "x".repeat(300)), "give a shorter path; a name of 200 characters leaves enough space for its lock file"],
    [link, "the symbolic link leads to no file: remove the link, or give the path of a file"],
  ];
  for (const [path, remedy] of causes) {
    const error = await refused(Rollbook.open(path));
    assert.equal(error.code, "io", String(error));
    assert.ok(error.message.startsWith(`${path} could not be opened (`), error.message);
    assert.ok(error.message.endsWith(`): ${remedy}`), error.message);
  }
  assert.deepEqual(readdirSync(place).sort(), before);
});

test("a process that is killed while it creates stores leaves no incomplete one", async () => {
  const own = mkdtempSync(join(folder, "killed-"));
  const script = `
    import { Rollbook } from ${JSON.stringify(import.meta.resolve("rollbook"))};
    for (let number = 0; ; number += 1) {
      console.log(number);
      await (await Rollbook.open(${JSON.stringify(own)} + "/" + number)).close();
    }
  `;
  let [kills, inside] = [0, 0];
  while (inside < 2) {
    assert.ok(kills < 200, `${inside} of ${kills} kills were inside`);
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await new Promise((resolve) => child.stdout.once("data", resolve));
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 50));
    const died = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await died;
    kills += 1;
    const names = readdirSync(own);
    inside += names.some((name) => name.startsWith("rollbook-")) ? 1 : 0;
    for (const name of names.filter((name) => /^\d+$/.test(name))) {
      const engine = await Rollbook.open(join(own, name));
      assert.deepEqual((await engine.verify()).problems, []);
      await engine.close();
    }
    for (const name of names) rmSync(join(own, name), { force: true });
  }
});

/** Starts a process that opens a store and does not close it. */
async function spawnHolder(path) {
  const script = `
    import { Rollbook } from ${JSON.stringify(import.meta.resolve("rollbook"))};
    const engine = await Rollbook.open(${JSON.stringify(path)});
    await engine.apply(${JSON.stringify(school("Open"))});
    console.log("open");
    setInterval(() => engine, 1000);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await new Promise((resolve, reject) => {
    child.stdout.once("data", resolve);
    child.once("exit", () => reject(new Error("the child could not open the store")));
  });
  return child;
}

test("the error of a second opener names the process that has the store open", async () => {
  const path = join(folder, "open.redb");
  const child = await spawnHolder(path);
  const error = await refused(Rollbook.open(path));
  assert.equal(error.code, "already_open");
  assert.match(error.message, new RegExp(`process ${child.pid} `));
  const died = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await died;
  // The killed process has left its lock file.
  assert.ok(existsSync(`${path}.lock`));
  const engine = await Rollbook.open(path);
  assert.equal((await engine.stats()).records.school, 1);
  const own = await refused(Rollbook.open(path));
  assert.match(own.message, new RegExp(`process ${process.pid} `));
  await engine.close();
});

const LINE = '{"type":"grade","school_id":1,"grade_id":9}';

test("a finished load returns its summary again if its reply was lost", async () => {
  const dist = import.meta.resolve("rollbook");
  const [{ Instance }, { Service }] = await Promise.all([
    import(new URL("instance.js", dist)),
    import(new URL("service.js", dist)),
  ]);
  const module = await WebAssembly.compile(readFileSync(new URL("rollbook.wasm", dist)));
  const service = new Service(new Instance(module, "memory", {}));
  service.beginLoad("4f6c", undefined);
  service.push("4f6c", new TextEncoder().encode(LINE));
  const summary = service.finishLoad("4f6c");
  assert.ok(JSON.parse(summary).total.added > 0, summary);
  // The session has ended, as in a tab that takes over.
  assert.equal(service.finishLoad("4f6c"), summary);
  assert.throws(() => service.finishLoad("another"), { code: "interrupted" });
});

test("a lock is stale if another process has its process id", { skip: process.platform !== "linux" }, async () => {
  const path = join(folder, "reused.redb");
  await (await Rollbook.open(path)).close();
  const holder = { pid: process.pid, started: "1", command: "gone" };
  writeFileSync(`${path}.lock`, JSON.stringify(holder));
  await (await Rollbook.open(path)).close();
  // Without the start time in the lock file, any process with this id counts.
  writeFileSync(`${path}.lock`, JSON.stringify({ ...holder, started: undefined }));
  assert.equal(await code(Rollbook.open(path)), "already_open");
});

test("of many processes that find a stale lock, one opens the store", async () => {
  const path = join(folder, "raced.redb");
  await (await Rollbook.open(path)).close();
  const script = `
    import { Rollbook } from ${JSON.stringify(import.meta.resolve("rollbook"))};
    const won = await Rollbook.open(${JSON.stringify(path)}).then(() => "won", ({ code }) => code);
    console.log(won);
    process.stdin.once("data", () => process.exit());
  `;
  for (let round = 0; round < 3; round += 1) {
    writeFileSync(`${path}.lock`, JSON.stringify({ pid: 2 ** 22 + 1, command: "gone" }));
    const children = Array.from({ length: 6 }, () =>
      spawn(process.execPath, ["--input-type=module", "--eval", script], {
        stdio: ["pipe", "pipe", "inherit"],
      }),
    );
    const said = await Promise.all(
      children.map(
        (child) => new Promise((resolve) => child.stdout.once("data", (text) => resolve(`${text}`.trim()))),
      ),
    );
    for (const child of children) child.stdin.write("\n");
    await Promise.all(children.map((child) => new Promise((resolve) => child.once("exit", resolve))));
    assert.deepEqual(said.sort(), [...Array(5).fill("already_open"), "won"]);
  }
});

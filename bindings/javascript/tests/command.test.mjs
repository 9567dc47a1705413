// Tests the command `rollbook serve` of the package, installed as users install it.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { request as send } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Rollbook } from "../dist/node.js";
import { CREDENTIALS, NOW } from "./material.mjs";
import { install, pack, sample } from "./projects/project.mjs";

const LONG = { timeout: 300_000 };
const ABSENTEES = "/api/v1/adminplus/learnerabsentees/1000?learner_id=1";
const SCHOOL = { "HTTP-X-SCHOOLID": "1000" };

let packed, project, folder, engine;

before(async () => {
  packed = await pack();
  project = await install("node", packed.tarball);
  folder = mkdtempSync(join(tmpdir(), "rollbook-command-"));
  engine = await Rollbook.memory({ clock: () => NOW });
  await engine.apply(readFileSync(sample));
}, LONG);

after(async () => {
  await engine?.close();
  project?.remove();
  packed?.remove();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

function start(...given) {
  const program = join(project.folder, "node_modules/.bin/rollbook");
  return spawn(program, given, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
}

/** Runs the command to its end. */
async function run(...given) {
  const running = start(...given);
  const said = { out: "", err: "" };
  running.stdout.on("data", (piece) => (said.out += piece));
  running.stderr.on("data", (piece) => (said.err += piece));
  const [code] = await once(running, "close");
  return { code, ...said };
}

/** Starts a server, which the test ends. */
async function serve(t, ...given) {
  const running = start("serve", "--listen", "0", "--json", ...given);
  t.after(() => running.kill("SIGKILL"));
  const server = { running, log: "" };
  running.stderr.on("data", (piece) => (server.log += piece));
  let line = "";
  for await (const piece of running.stdout) {
    line += piece;
    if (line.includes("\n")) break;
  }
  assert.ok(line, server.log);
  return Object.assign(server, JSON.parse(line));
}

/** Sends a request, and returns the status, the headers and the body. */
function ask(url, target, { method = "GET", headers = {}, body = "" } = {}) {
  return new Promise((resolve, reject) => {
    const request = send(url + target, { method, headers: { ...CREDENTIALS, ...headers } });
    request.on("error", reject);
    request.on("response", async (response) => {
      const pieces = [];
      for await (const piece of response) pieces.push(piece);
      const { statusCode: status, headers: given } = response;
      resolve({ status, headers: given, body: Buffer.concat(pieces).toString() });
    });
    request.end(body);
  });
}

test("without arguments it serves the sample schools, from an empty folder", async (t) => {
  const { url, username, password, now } = await serve(t);
  assert.deepEqual([username, password, now], ["demo", "demo", NOW.toISOString()]);
  for (const [target, options] of [
    [ABSENTEES],
    ["/api/v1/adminplus/learners/1000?name=zo%C3%AB&include_parents=1"],
    ["/api/v1/currplus/learnerassessmentmarks/1000?grade_id=9"],
    ["/api/v2/adminplus/learners?limit=3", { headers: SCHOOL }],
    ["/api/v2/adminplus/learners/1", { headers: SCHOOL }],
    ["/api/v2/adminplus/learners/999", { headers: SCHOOL }],
    ["/api/v1/adminplus/learners/1000", { headers: { "HTTP-X-PASSWORD": "wrong" } }],
    ["/api/v1/adminplus/learners/1000", { method: "DELETE" }],
    ["/api/v1/settings/clients/1000", { method: "PATCH", body: "{}" }],
    ["/api/v1/settings/clients/1000", { method: "PATCH", body: "x".repeat(70_000) }],
    ["/"],
  ]) {
    const { method = "GET", headers = {}, body = "" } = options ?? {};
    const expected = await engine.request(target, {
      method,
      headers: { ...CREDENTIALS, ...headers },
      body,
    });
    const answer = await ask(url, target, options);
    const cut = (text) => text.split('"next_cursor":"')[0];
    assert.equal(answer.status, expected.status, target);
    assert.equal(cut(answer.body), cut(expected.text()), target);
    for (const [name, value] of expected.headers) {
      if (name !== "Content-Length") assert.equal(answer.headers[name.toLowerCase()], value);
    }
  }
  const head = await ask(url, ABSENTEES, { method: "HEAD" });
  const expected = await engine.request(ABSENTEES, { method: "HEAD", headers: CREDENTIALS });
  assert.deepEqual([head.status, head.body], [expected.status, ""]);
  assert.equal((await ask(url, "/health")).status, 200);
  assert.deepEqual(readdirSync(folder), []);
});

test("its own data is loaded into a file, and states are stored", async (t) => {
  const dataset = join(project.folder, "school.ndjson");
  writeFileSync(dataset, readFileSync(sample, "utf8").replaceAll('"demo"', '"reader"'));
  const store = join(project.folder, "store.redb");
  const given = ["--store", store, "--now", NOW.toISOString()];
  const reader = { "HTTP-X-USERNAME": "reader", "HTTP-X-PASSWORD": "reader" };
  const first = await serve(t, ...given, "--dataset", dataset);
  assert.deepEqual([first.username, first.password], [null, null]);
  const patch = { method: "PATCH", headers: reader, body: '{"api_type_id":8,"state":0}' };
  assert.equal((await ask(first.url, "/api/v1/settings/clients/1000", patch)).status, 200);
  first.running.kill("SIGTERM");
  assert.deepEqual(await once(first.running, "close"), [0, null]);
  const second = await serve(t, ...given);
  assert.equal((await ask(second.url, ABSENTEES, { headers: reader })).status, 403);
});

test("pages of an allowed origin may ask", async (t) => {
  const { url } = await serve(t, "--cors", "http://localhost:3000");
  const origin = { Origin: "http://localhost:3000" };
  const asked = {
    ...origin,
    "Access-Control-Request-Method": "GET",
    "Access-Control-Request-Headers": "http-x-username,http-x-password",
  };
  const preflight = await ask(url, ABSENTEES, { method: "OPTIONS", headers: asked });
  assert.equal(preflight.status, 200);
  assert.equal(preflight.headers["access-control-allow-origin"], origin.Origin);
  assert.equal(preflight.headers["access-control-allow-headers"], "http-x-username,http-x-password");
  const answer = await ask(url, ABSENTEES, { headers: origin });
  assert.equal(answer.headers["access-control-allow-origin"], origin.Origin);
  const other = await ask(url, ABSENTEES, { headers: { Origin: "http://other.test" } });
  assert.equal(other.headers["access-control-allow-origin"], undefined);
});

test("the log has no personal data", async (t) => {
  const server = await serve(t);
  await ask(server.url, "/api/v1/adminplus/learners/1000?name=Zebulon");
  await ask(server.url, "/api/v2/adminplus/learners/7654321", { headers: SCHOOL });
  await ask(server.url, "/api/v2/adminplus/learners/%37654321/", { headers: SCHOOL });
  await ask(server.url, "/Zebulon");
  while (server.log.split("\n").length < 5) await once(server.running.stderr, "data");
  assert.match(server.log, /GET \/api\/v1\/adminplus\/learners\/1000 404 /);
  assert.match(server.log, /GET \/api\/v2\/adminplus\/learners\/… 404 /);
  assert.doesNotMatch(server.log, /Zebulon|654321|demo/);
});

test("errors say what to do", async (t) => {
  const { url } = await serve(t, "--quiet");
  const address = url.replace("http://", "");
  for (const [given, code, text] of [
    [["serve", "--listen", address], 1, `${address} is in use`],
    [["serve", "--dataset", "none.ndjson"], 1, "none.ndjson: "],
    [["serve", "--listen", "here"], 2, "give a port or an address"],
    [["serve", "--now", "tomorrow"], 2, "give an instant"],
    [["serve", "--cors", "app.test"], 2, "give an origin"],
    [["serve", "--delay", "soon"], 2, "give milliseconds"],
    [["serve", "--unknown"], 2, "--unknown"],
    [["sync"], 2, "give the subcommand serve"],
    [[], 2, "give the subcommand serve"],
  ]) {
    const { code: found, out, err } = await run(...given);
    assert.deepEqual([found, out], [code, ""], err);
    assert.ok(err.includes(text), `${given}: ${err}`);
  }
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url)));
  assert.deepEqual(await run("--version"), { code: 0, out: `rollbook ${version}\n`, err: "" });
  const help = await run("serve", "--help");
  assert.equal(help.code, 0);
  assert.match(help.out, /--cors ORIGIN/);
});

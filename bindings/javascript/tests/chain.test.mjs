// Tests the chain from the service to a device: a server syncs from the service, and the device
// follows the server.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { FollowRefused, Rollbook, RollbookError, followFrom } from "../dist/node.js";
import { SCHOOL, feedServer } from "./feed-server.mjs";
import { sample } from "./projects/project.mjs";

const NOW = "2026-05-14T08:00:00Z";
const at = ["--now", NOW];
const learner = (learnerId) => ["learners", { school: SCHOOL, learnerId }];
const notSynced = (error) => error instanceof RollbookError && error.code === "not_synced";

/** The questions to a family's phone, with the same requests to the service. */
const SHOWN = [
  [learner(1), "adminplus/learners/1000?learner_id=1"],
  [learner(2), "adminplus/learners/1000?learner_id=2"],
  [["absentees", { school: SCHOOL, learnerId: 1 }], "adminplus/learnerabsentees/1000?learner_id=1"],
  [
    ["assessmentMarks", { school: SCHOOL, learnerId: 1, gradeId: 9 }],
    "currplus/learnerassessmentmarks/1000?learner_id=1&grade_id=9",
  ],
];

const CHANGES = `
{"type":"learner","school_id":1000,"id":2,"first_name":"Janey","last_name":"Naidoo","grade_id":"9"}
{"type":"learner","school_id":1000,"id":3,"first_name":"Zoe","last_name":"Outsider","grade_id":"9"}
`;

async function followUntil(device, url, question, text) {
  const headers = { Authorization: "Bearer family" };
  for (let times = 0; times < 60; times += 1) {
    try {
      await followFrom(device, url, { headers, wait: 2 });
      if ((await device.ask(...question)).text().includes(text)) return;
    } catch (error) {
      // The server has not completed a pass yet.
      if (!(error instanceof FollowRefused && error.status === 503)) throw error;
      assert.equal(await device.followed(), null);
      await pause(100);
    }
  }
  assert.fail(`${text} does not arrive`);
}

async function compare(device, service) {
  const headers = { "HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo" };
  for (const [question, target] of SHOWN) {
    const answer = await fetch(`${service}/api/v1/${target}`, { headers });
    assert.equal(answer.status, 200, target);
    assert.equal((await device.ask(...question)).text(), await answer.text(), target);
  }
}

test("a change at the service arrives at a device", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "rollbook-chain-"));
  const changes = join(folder, "changes.ndjson");
  writeFileSync(changes, CHANGES);
  const running = [];
  const device = await Rollbook.memory({ clock: () => new Date(NOW) });
  t.after(async () => {
    await device.close();
    for (const server of running) await server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const started = async (...given) => {
    const server = await feedServer(...given);
    running.push(server);
    return server;
  };
  const store = join(folder, "service.redb");
  const service = await started(store, sample, at);
  const address = service.address();
  const from = ["--from", address, "--school", `${SCHOOL}`, "--every", "1"];
  const server = await started(join(folder, "server.redb"), undefined, [...from, ...at]);
  await followUntil(device, server.url(), learner(1), "Smith");
  await compare(device, address);
  for (const outside of [
    ["learners", { school: SCHOOL }],
    learner(3),
    ["staffMembers", { school: SCHOOL }],
    ["learners", { school: 1001, learnerId: 201 }],
  ]) {
    await assert.rejects(device.ask(...outside), notSynced, JSON.stringify(outside));
  }
  await service.close();
  await started(store, changes, [...at, "--listen", address.replace("http://", "")]);
  await followUntil(device, server.url(), learner(2), "Naidoo");
  await compare(device, address);
  await assert.rejects(device.ask(...learner(3)), notSynced);
});

// Simulates the service: an HTTP server whose requests an engine answers, with faults on demand.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { CREDENTIALS, NOW, SCHOOL } from "./material.mjs";

const sample = readFileSync(
  fileURLToPath(new URL("../../../core/examples/sample-school.ndjson", import.meta.url)),
  "utf8",
);

/** The other school of the sample. */
const OTHER = 1001;

export const clock = () => NOW;

/** Creates the engine of the service, with the first of the sample schools. */
export async function source(Rollbook) {
  const engine = await Rollbook.memory({ clock });
  await engine.apply(sample);
  await engine.removeSchool(OTHER);
  return engine;
}

/**
 * A dataset with the integrator of the sample, so that requests to a mirror are permitted. The
 * answers of the service do not contain the family of an API type.
 */
export const access = sample
  .split("\n")
  .filter((line) => {
    if (line === "") return false;
    const { type, school_id } = JSON.parse(line);
    return /^(api_type|integrator|client_integration)$/.test(type) && school_id !== OTHER;
  })
  .join("\n");

/** Requests of an app to the mirror. A sync makes other requests to the service. */
export const APP_REQUESTS = [
  "/api/v1/adminplus/learners/1000?name=zo%C3%AB&include_parents=1",
  "/api/v1/adminplus/learners/1000?grade_id=8,9",
  "/api/v1/adminplus/learners/1000?learner_id=1",
  "/api/v1/adminplus/learners/1000?learner_id=999",
  "/api/v1/adminplus/learners/1000?family_code=1001",
  "/api/v1/adminplus/learners/1000?status=waitlist&include_parents=1",
  "/api/v1/adminplus/learners/1000?status=nobody",
  "/api/v1/adminplus/learnerabsentees/1000?from_date=2026-04-20&to_date=2026-05-14",
  "/api/v1/currplus/learnerassessmentmarks/1000?grade_id=9",
  "/api/v1/currplus/learnerassessmentmarks/1000?grade_id=9&structure=1",
  "/api/v1/currplus/learnersubjects/1000?learner_id=1",
  "/api/v1/currplus/learnersubjectsperterm/1000?learner_id=1",
  "/api/v1/currplus/learnersubjectmarks/1000?learner_id=2",
  "/api/v1/finplus/debtmanagement/learnerparentinfo/1000?include_accountable_person=1",
  "/api/v1/finplus/debtmanagement/schooldebtors/1000?include_learners=1",
  "/api/v1/finplus/debtmanagement/schools",
  "/api/v1/settings/clients/1000",
  "/api/v2/adminplus/learners?limit=50",
  "/api/v2/adminplus/learners/1",
  "/api/v2/adminplus/learners?limit=0",
  "/api/v2/currplus/learnerassessmentmarks?grade_id=9",
  "/api/v2/finplus/debtmanagement/accountablepersons",
  "/api/v2/nothing/here",
];

/** The headers of these requests. */
export const HEADERS = { "HTTP-X-SCHOOLID": String(SCHOOL), ...CREDENTIALS };

/** Returns the answers to these requests, without cursors, which differ between stores. */
export async function answers(engine) {
  const found = APP_REQUESTS.map(async (target) => {
    const answer = await engine.request(target, { headers: HEADERS });
    return [target, answer.status, answer.text().split('"next_cursor":"')[0]];
  });
  return Promise.all(found);
}

/** The replies that replace the answer to a call, by the name of the fault. */
const faultyReplies = {
  429: () => ({ status: 429, headers: { "Retry-After": "1" }, body: "" }),
  "429 without a word": () => ({ status: 429, headers: {}, body: "" }),
  500: () => ({ status: 500, headers: {}, body: "{}" }),
  gone: () => ({ status: 410, headers: {}, body: "{}" }),
  page: () => ({
    status: 200,
    headers: { "Content-Type": "text/html" },
    body: "<!doctype html><title>Log in to this network</title>",
  }),
  long: () => ({ status: 200, headers: {}, body: Buffer.alloc((64 << 20) + 1, " ") }),
};

/**
 * Starts a server on this machine whose requests an engine answers. `wrong` returns the fault of a
 * call, given its number, counted from 1, and its target. `elsewhere` is the target of redirects.
 */
export async function service(engine, { wrong = () => undefined, elsewhere, delay = 0 } = {}) {
  const self = { sent: [], most: 0 };
  let underWay = 0;
  const server = createServer(async (request, response) => {
    const { url: target, method } = request;
    const headers = utf8(request.headers);
    const body = await whole(request);
    self.sent.push({ target, method, headers, body: body.toString() });
    const fault = wrong(self.sent.length, target);
    underWay += 1;
    self.most = Math.max(self.most, underWay);
    await new Promise((resolve) => setTimeout(resolve, delay));
    underWay -= 1;
    const answer = await engine.request(target, { method, headers, body });
    const right = {
      status: answer.status,
      headers: Object.fromEntries(answer.headers),
      body: answer.bytes,
    };
    if (fault === "cut") {
      response.writeHead(right.status, right.headers);
      response.write(right.body.slice(0, right.body.length / 2), () => request.socket.destroy());
      return;
    }
    const away = () => ({ status: 302, headers: { Location: elsewhere + target }, body: "" });
    const { status, headers: out, body: bytes } =
      fault === undefined ? right : fault === "away" ? away() : faultyReplies[fault]();
    response.writeHead(status, out);
    response.end(bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  self.url = `http://localhost:${server.address().port}`;
  self.targets = () => self.sent.map(({ target }) => target);
  self.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return self;
}

/** Decodes headers as UTF-8, which the server reads as Latin-1. */
function utf8(headers) {
  const texts = Object.entries(headers);
  return Object.fromEntries(
    texts.map(([name, value]) => [name, Buffer.from(String(value), "latin1").toString()]),
  );
}

async function whole(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

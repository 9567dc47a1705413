#!/usr/bin/env node
// The command `rollbook` of the package: `npx rollbook serve` serves the API over HTTP, for
// development.

import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";
import { Rollbook } from "./node.js";
import type { Engine } from "./rollbook.js";

const HELP = `Serves the integration API over HTTP, for development.

Usage: rollbook serve [OPTIONS]

  --store FILE      the file of the store, which is created if it does not exist; the default is a
                    store in memory
  --dataset FILE    a dataset to load first; can be repeated
  --listen ADDRESS  the address or only the port; the default is 127.0.0.1:8600, and port 0 is any
                    free port
  --now INSTANT     the time of the server, for example 2026-05-14T08:00:00Z; the default is that of
                    the system
  --cors ORIGIN     an origin whose pages may ask, for example http://localhost:3000, or * for any;
                    can be repeated
  --delay MS        delay each answer by this many milliseconds
  --json            print the address and the login as JSON
  --quiet           log no requests
  --help            print this
  --version         print the version

Without a store and a dataset, two sample schools are served, as on the day of their data.

Exit codes: 0 if the server was stopped, 1 if it failed, 2 if the arguments are invalid.
`;

/** The time at which the sample schools are served. */
const SAMPLE_NOW = "2026-05-14T08:00:00Z";
/** The login of the sample schools. */
const LOGIN = { username: "demo", password: "demo" };
/** The number of bytes of a body that are read: one more than the engine accepts. */
const MAX_BODY_BYTES = 65_537;
/** How long a client may take for a head or a body, in milliseconds. */
const REQUEST_TIMEOUT = 10_000;

/** Arguments that are invalid. */
class UsageError extends Error {}

const OPTIONS = {
  store: { type: "string" },
  dataset: { type: "string", multiple: true },
  listen: { type: "string", default: "127.0.0.1:8600" },
  now: { type: "string" },
  cors: { type: "string", multiple: true },
  delay: { type: "string", default: "0" },
  json: { type: "boolean" },
  quiet: { type: "boolean", short: "q" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean", short: "V" },
} as const;

interface Arguments {
  readonly store: string | undefined;
  readonly datasets: readonly string[];
  readonly host: string;
  readonly port: number;
  /** The fixed time, in milliseconds since 1970-01-01T00:00:00Z. */
  readonly now: number | undefined;
  readonly origins: readonly string[];
  readonly delay: number;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
}

/** Parses the arguments. Prints what is asked for and returns `undefined` if nothing is served. */
function parse(): Arguments | undefined {
  let parsed;
  try {
    parsed = parseArgs({ options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
  const { values, positionals } = parsed;
  if (values.help) {
    process.stdout.write(HELP);
    return undefined;
  }
  if (values.version) {
    const description = readFileSync(new URL("../package.json", import.meta.url), "utf8");
    process.stdout.write(`rollbook ${(JSON.parse(description) as { version: string }).version}\n`);
    return undefined;
  }
  if (positionals.length !== 1 || positionals[0] !== "serve") {
    throw new UsageError("give the subcommand serve; the other ones are part of the native command");
  }
  const { store, dataset: datasets = [], cors: origins = [] } = values;
  const isSample = store === undefined && datasets.length === 0;
  const now = values.now ?? (isSample ? SAMPLE_NOW : undefined);
  const instant = now === undefined ? undefined : Date.parse(now);
  if (Number.isNaN(instant)) throw new UsageError(`--now ${now}: give an instant, for example ${SAMPLE_NOW}`);
  const [, host = "127.0.0.1", port = ""] = /^(?:(.+):)?(\d{1,5})$/.exec(values.listen) ?? [];
  if (port === "" || Number(port) > 65_535) {
    throw new UsageError(`--listen ${values.listen}: give a port or an address, for example 8600`);
  }
  for (const origin of origins) {
    if (origin !== "*" && !/^[a-z][a-z0-9+.-]*:\/\/[^/]+$/.test(origin)) {
      throw new UsageError(`--cors ${origin}: give an origin, for example http://localhost:3000, or *`);
    }
  }
  if (!/^\d{1,7}$/.test(values.delay)) throw new UsageError(`--delay ${values.delay}: give milliseconds`);
  return {
    store,
    datasets,
    host: host.replace(/^\[(.*)\]$/, "$1"),
    port: Number(port),
    now: instant,
    origins,
    delay: Number(values.delay),
    isJson: values.json === true,
    isQuiet: values.quiet === true,
  };
}

/** Opens the store and loads the datasets, or the sample schools. */
async function open({ store, datasets, now }: Arguments): Promise<Engine> {
  const options = now === undefined ? {} : { clock: () => now };
  const engine = await (store === undefined ? Rollbook.memory(options) : Rollbook.open(store, options));
  const isSample = store === undefined && datasets.length === 0;
  const sample = new URL("./sample-school.ndjson", import.meta.url);
  for (const path of isSample ? [sample] : datasets) {
    try {
      await engine.apply(readFileSync(path));
    } catch (error) {
      throw new Error(`${String(path)}: ${(error as Error).message}`, { cause: error });
    }
  }
  return engine;
}

/** Reads the body of a request, of which the engine refuses more than it accepts. */
async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    pieces.push(piece);
    length += piece.byteLength;
    if (length >= MAX_BODY_BYTES) break;
  }
  return Buffer.concat(pieces).subarray(0, MAX_BODY_BYTES);
}

/** Returns the headers for a page of another origin, if it may ask. */
function corsHeaders(origins: readonly string[], request: IncomingMessage): Record<string, string> {
  const { origin } = request.headers;
  if (origin === undefined || origins.length === 0) return {};
  const allowed = origins.includes("*") ? "*" : origins.includes(origin) ? origin : undefined;
  if (allowed === undefined) return { Vary: "Origin" };
  const asked = request.headers["access-control-request-headers"];
  return {
    Vary: "Origin",
    "Access-Control-Allow-Origin": allowed,
    "Access-Control-Expose-Headers": "*",
    "Access-Control-Allow-Methods": "GET, HEAD, PATCH, POST",
    "Access-Control-Max-Age": "3600",
    ...(asked !== undefined && { "Access-Control-Allow-Headers": asked }),
  };
}

async function answer(
  engine: Engine,
  { origins, delay }: Arguments,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "GET", url: target = "/" } = request;
  for (const [name, value] of Object.entries(corsHeaders(origins, request))) {
    response.setHeader(name, value);
  }
  const isPreflight =
    method === "OPTIONS" && request.headers["access-control-request-method"] !== undefined;
  if (isPreflight && origins.length > 0) {
    response.writeHead(200, { "Content-Length": 0 }).end();
    return;
  }
  // Node decodes headers as Latin-1.
  const headers = Object.entries(request.headers).map(
    ([name, value]) => [name, Buffer.from(String(value), "latin1").toString()] as const,
  );
  const body = await bodyOf(request);
  if (delay > 0) await new Promise((resolve) => setTimeout(resolve, delay));
  const answered = await engine.request(target, { method, headers, body });
  const hasBody = answered.status !== 204;
  const sent = answered.headers.filter(([name]) => hasBody || name !== "Content-Length");
  response.writeHead(answered.status, Object.fromEntries(sent));
  response.end(hasBody && method !== "HEAD" ? answered.bytes : undefined);
}

/** Returns the path of a request as words of an endpoint. In v1, a number is the id of a school. */
function shownPath(path: string, status: number): string {
  if (!path.startsWith("/api/")) return status < 400 ? path : "…";
  const part = path.startsWith("/api/v1/") ? /^(v1|[a-z]*|\d+)$/ : /^(v2|[a-z]*)$/;
  return path
    .split("/")
    .map((segment) => (part.test(segment) ? segment : "…"))
    .join("/");
}

/** Logs a request. A line contains no query string, no header and no id of a record. */
function log(request: IncomingMessage, status: number, since: number): void {
  const [path = ""] = (request.url ?? "").split("?", 1);
  const shown = shownPath(path, status);
  const time = (performance.now() - since).toFixed(1);
  process.stderr.write(`${new Date().toISOString()} ${request.method} ${shown} ${status} ${time} ms\n`);
}

function print(args: Arguments, server: Server): void {
  const { address, family, port } = server.address() as AddressInfo;
  const url = `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
  const isSample = args.store === undefined && args.datasets.length === 0;
  const now = args.now === undefined ? undefined : new Date(args.now).toISOString();
  if (args.isJson) {
    const login = isSample ? LOGIN : { username: null, password: null };
    process.stdout.write(`${JSON.stringify({ url, ...login, now: now ?? null })}\n`);
    return;
  }
  const lines = [`listening on ${url}`];
  if (now !== undefined) lines.push(`The time is always ${now}.`);
  if (isSample) {
    const { username, password } = LOGIN;
    lines.push(
      "The sample schools 1000 and 1001 are served from memory.",
      `Log in as ${username} with the password ${password}:`,
      "",
      `curl -H 'HTTP-X-USERNAME: ${username}' -H 'HTTP-X-PASSWORD: ${password}' \\`,
      `  '${url}/api/v1/adminplus/learners/1000?learner_id=1&include_parents=1'`,
    );
  }
  process.stdout.write(`${lines.join("\n")}\n`);
}

async function serve(args: Arguments): Promise<void> {
  const engine = await open(args);
  const server = createServer({ headersTimeout: REQUEST_TIMEOUT, requestTimeout: REQUEST_TIMEOUT });
  server.on("request", (request, response) => {
    const since = performance.now();
    if (!args.isQuiet) response.on("finish", () => log(request, response.statusCode, since));
    if (request.url === "/health") {
      response.writeHead(200, { "Content-Type": "application/json" }).end('{"status":"ok"}');
      return;
    }
    // The client has cut the body, so that no one reads an answer.
    answer(engine, args, request, response).catch(() => response.destroy());
  });
  const stop = (): void => {
    server.close(() => void engine.close());
    server.closeIdleConnections();
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const address = `${args.host}:${args.port}`;
      const advice = "Stop the program that listens there, or give another port with --listen";
      reject(error.code === "EADDRINUSE" ? new Error(`${address} is in use. ${advice}`) : error);
    });
    server.listen(args.port, args.host, resolve);
  });
  print(args, server);
}

try {
  const args = parse();
  if (args !== undefined) await serve(args);
} catch (error) {
  process.stderr.write(`error: ${(error as Error).message}\n`);
  // The process ends at once, although a signal could still arrive.
  process.exit(error instanceof UsageError ? 2 : 1);
}

// Tests how the package opens a store in pages and workers that lack what it needs: every attempt
// ends in an engine or in a RollbookError, and nothing is logged as an uncaught error.

import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { start } from "./browser.mjs";
import { folders } from "./material.mjs";
import { serve } from "./site.mjs";

/** The longest time until an attempt has ended, in milliseconds. */
const BOUND = 30_000;

let site;
let browser;
/** The headers of the page, and of all files. */
let pageHeaders = {};
let fileHeaders = {};

before(async () => {
  site = await serve(folders(), {}, (path) => (path === "/" ? pageHeaders : fileHeaders));
  browser = await start({ args: ["--no-sandbox", "--host-resolver-rules=MAP school.test 127.0.0.1"] });
});

after(async () => {
  await browser.close();
  site.close();
});

// A tab that leads would answer the tabs of the next test.
afterEach(() => Promise.all(browser.context.pages().map((page) => page.close())));

/** Opens a tab, and collects the errors that its pages and workers do not catch. */
async function tab({ url = site.url, page = {}, files = {}, from = browser } = {}) {
  pageHeaders = page;
  fileHeaders = files;
  const opened = await from.context.newPage();
  opened.uncaught = [];
  opened.on("pageerror", (error) => opened.uncaught.push(String(error)));
  opened.on("console", (message) => {
    if (message.text().startsWith("Uncaught")) opened.uncaught.push(message.text());
  });
  await opened.goto(url);
  return opened;
}

/** Does some work with the package in a page. Returns its result, or the error as an object. */
async function outcome(frame, work, file = "/dist/index.js") {
  return frame.evaluate(
    async ([text, file, bound]) => {
      const end = new Promise((resolve) => setTimeout(resolve, bound, "no end"));
      // eslint-disable-next-line no-eval
      const work = (0, eval)(text);
      const done = import(file).then(work);
      return Promise.race([done, end]).catch(({ name, code, message, cause }) => ({
        name,
        code,
        message,
        cause: cause === undefined ? undefined : String(cause),
      }));
    },
    [String(work), file, BOUND],
  );
}

/** Checks an outcome: a RollbookError with this code, a message like this one, and a cause. */
function refused(result, code, message, cause = /./) {
  assert.equal(result.name, "RollbookError", JSON.stringify(result));
  assert.equal(result.code, code, result.message);
  assert.match(result.message, message);
  if (cause !== null) assert.match(result.cause ?? "", cause, "no cause");
}

const open = ({ Rollbook }) => Rollbook.open("school").then(() => "open");
const memory = ({ Rollbook }) => Rollbook.memory().then(() => "open");
const remove = ({ Rollbook }) => Rollbook.delete("school").then(() => "deleted");

test("storage that the user has denied", async () => {
  const denying = await start({}, { default_content_setting_values: { cookies: 2 } });
  try {
    const page = await tab({ from: denying });
    refused(await outcome(page, open), "no_storage", /allow|memory/);
    refused(await outcome(page, remove), "no_storage", /allow|memory/);
    assert.equal(await outcome(page, memory), "open");
    assert.deepEqual(page.uncaught, []);
  } finally {
    await denying.close();
  }
});

test("a frame of another site, to which storage is denied", async () => {
  const denying = await start({}, { cookie_controls_mode: 1, block_third_party_cookies: true });
  try {
    const page = await tab({ from: denying });
    const other = site.url.replace("localhost", "127.0.0.1");
    await page.evaluate((url) => {
      const frame = document.createElement("iframe");
      frame.src = url;
      document.body.append(frame);
    }, other);
    await page.waitForFunction(() => frames.length === 1);
    const frame = page.frames()[1];
    await frame.waitForURL(`${other}/`);
    refused(await outcome(frame, open), "no_storage", /allow|memory/);
    refused(await outcome(frame, remove), "no_storage", /allow|memory/);
    assert.equal(await outcome(frame, memory), "open");
    assert.deepEqual(page.uncaught, []);
  } finally {
    await denying.close();
  }
});

test("a sandboxed frame, which has no origin", async () => {
  const files = { "Access-Control-Allow-Origin": "*" };
  const page = await tab({ files });
  await page.evaluate(() => {
    const frame = document.createElement("iframe");
    frame.sandbox = "allow-scripts";
    frame.src = "/?frame";
    document.body.append(frame);
  });
  await page.waitForFunction(() => frames.length === 1);
  const frame = page.frames()[1];
  await frame.waitForURL(/frame/);
  refused(await outcome(frame, open), "no_storage", /memory/);
  refused(await outcome(frame, remove), "no_storage", /memory/);
  assert.equal(await outcome(frame, memory), "open");
  assert.deepEqual(page.uncaught, []);
});

test("an insecure page has engines in memory", async () => {
  const page = await tab({ url: site.url.replace("localhost", "school.test") });
  assert.equal(await page.evaluate(() => isSecureContext), false);
  refused(await outcome(page, open), "no_storage", /https/, null);
  const exported = await outcome(page, async ({ Rollbook }) => {
    const engine = await Rollbook.memory();
    await engine.apply('{"type":"school","school_id":7,"current_year":2026}');
    await engine.request("/api/v1/settings/clients", { method: "PATCH" });
    return new Response(engine.export()).text();
  });
  assert.match(String(exported), /"school_id":7/);
});

test("a service worker has engines in memory, and no stores", async () => {
  const page = await tab();
  const said = await page.evaluate(async () => {
    const url = "/tests/opening-service-worker.mjs";
    const registered = await navigator.serviceWorker.register(url, { type: "module" });
    const worker = registered.installing ?? registered.waiting ?? registered.active;
    const { port1, port2 } = new MessageChannel();
    const said = new Promise((resolve) => {
      port1.onmessage = ({ data }) => resolve(data);
    });
    worker.postMessage("open", [port2]);
    return said;
  });
  assert.equal(said.memory, "open");
  refused(said.open, "no_storage", /page/, null);
});

test("a module that cannot be fetched", async () => {
  const cut = await tab();
  await cut.route("**/rollbook.wasm", (route) => route.abort());
  refused(await outcome(cut, memory), "io", /rollbook\.wasm.*connect-src/s, /TypeError/);
  refused(await outcome(cut, open), "io", /rollbook\.wasm.*connect-src/s, /TypeError/);
  await cut.unroute("**/rollbook.wasm");
  assert.equal(await outcome(cut, memory), "open");
  const forbidden = await tab({ page: { "Content-Security-Policy": "connect-src 'none'" } });
  refused(await outcome(forbidden, memory), "io", /connect-src/, /TypeError/);
  const missing = await tab();
  await missing.route("**/rollbook.wasm", (route) => route.fulfill({ status: 404 }));
  refused(await outcome(missing, memory), "io", /404/, null);
});

test("a module that cannot be compiled", async () => {
  const page = await tab({ page: { "Content-Security-Policy": "script-src 'self'" } });
  const result = await page.evaluate(async () => {
    const { Rollbook } = await import("/dist/index.js");
    return Rollbook.memory().catch(({ name, code, message, cause }) => ({
      name, code, message, cause: String(cause),
    }));
  });
  refused(result, "unsupported", /wasm-unsafe-eval/, /CompileError/);
  const broken = await tab();
  const body = Buffer.from("\0asm\x01\0\0\0broken");
  await broken.route("**/rollbook.wasm", (route) =>
    route.fulfill({ contentType: "application/wasm", body }),
  );
  refused(await outcome(broken, memory), "unsupported", /rollbook\.wasm/, /CompileError/);
});

test("a browser without WebAssembly, as in a lockdown mode", async () => {
  const page = await tab();
  await page.evaluate(() => delete globalThis.WebAssembly);
  refused(await outcome(page, memory), "unsupported", /WebAssembly/);
  refused(await outcome(page, open), "unsupported", /WebAssembly/);
});

test("a user who does not decide whether the store persists", async () => {
  const page = await tab();
  await page.evaluate(() => {
    StorageManager.prototype.persisted = async () => false;
    StorageManager.prototype.persist = () => new Promise(() => undefined);
  });
  const persisted = await outcome(page, ({ Rollbook }) =>
    Rollbook.open("school").then((engine) => engine.persisted),
  );
  assert.equal(persisted, false);
});

test("values of another frame are those of this one", async () => {
  const page = await tab();
  const found = await outcome(page, async ({ Rollbook }) => {
    const frame = document.createElement("iframe");
    document.body.append(frame);
    const { Blob, File, Request, Response, Uint8Array } = frame.contentWindow;
    const text = '{"type":"school","school_id":7,"current_year":2026}';
    const bytes = Uint8Array.from(new TextEncoder().encode(text));
    const datasets = [
      new Blob([text]), new File([text], "x"), new Response(text), bytes, bytes.buffer,
      new Blob([text]).stream(),
    ];
    const lines = [];
    for (const dataset of datasets) {
      const engine = await Rollbook.memory();
      lines.push((await engine.apply(dataset)).total.added);
    }
    const engine = await Rollbook.memory();
    const { status } = await engine.fetch(new Request("/api/v1/settings/clients"));
    return { lines, status };
  });
  assert.deepEqual(found, { lines: [1, 1, 1, 1, 1, 1], status: 401 });
});

test("a worker that cannot be started", async () => {
  const files = { "Access-Control-Allow-Origin": "*" };
  const embedder = { "Cross-Origin-Embedder-Policy": "require-corp" };
  const alone = await tab({ page: embedder });
  refused(await outcome(alone, open), "io", /Cross-Origin-Embedder-Policy/, null);
  const both = await tab({ page: embedder, files: embedder });
  assert.equal(await outcome(both, open), "open");
  const forbidden = await tab({ page: { "Content-Security-Policy": "worker-src 'none'" } });
  refused(await outcome(forbidden, open), "io", /worker-src/, null);
  // A script of another origin, as of a content delivery network, cannot be a worker.
  const other = await tab({ files });
  const url = `${site.url.replace("localhost", "127.0.0.1")}/dist/index.js`;
  refused(await outcome(other, open, url), "io", /same origin/, /SecurityError/);
});

/** Opens a store with a worker of this source, which may contain IMPORT. Returns the outcome. */
async function withWorker(page, source, ms = 0) {
  await page.clock.install();
  await page.evaluate(async (source) => {
    const { Rollbook, initialise } = await import("/dist/slim.js");
    const path = new URL("/dist/worker.js", location.href).href;
    const text = source.replace("IMPORT", `import(${JSON.stringify(path)})`);
    const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    initialise({
      module: "/dist/rollbook.wasm",
      worker: () => new Worker(url, { type: "module" }),
    });
    const failed = ({ name, code, message, cause }) => ({ name, code, message, cause });
    globalThis.opened = Rollbook.open("school").then(() => "open", failed);
  }, source);
  if (ms > 0) {
    await page.waitForTimeout(500);
    await page.clock.fastForward(ms);
  }
  return page.evaluate(() => opened);
}

const SILENCE = 121_000;

test("a worker that does not answer", async () => {
  for (const source of ["onmessage = () => undefined", "onmessage = () => postMessage({})"]) {
    const page = await tab();
    refused(await withWorker(page, source, SILENCE), "io", /rollbook\/worker/, null);
    assert.deepEqual(page.uncaught, []);
  }
});

test("a worker that imports the package late, among messages of the app", async () => {
  const page = await tab();
  const late = "await new Promise((resolve) => setTimeout(resolve, 300));";
  const source = `postMessage([1]); ${late} await IMPORT; postMessage("x")`;
  assert.equal(await withWorker(page, source), "open");
  assert.deepEqual(page.uncaught, []);
});

test("a worker of another version", async () => {
  const source = 'postMessage({ kind: "ready", protocol: 0 })';
  refused(await withWorker(await tab(), source), "io", /another version/, null);
});

test("storage that does not answer, or answers with an error", async () => {
  const storage = (body) => `StorageManager.prototype.getDirectory = ${body}; await IMPORT;`;
  const silent = storage("() => new Promise(() => undefined)");
  refused(await withWorker(await tab(), silent, SILENCE), "busy", /within 120 s/, null);
  const folders = "FileSystemDirectoryHandle.prototype.getDirectoryHandle";
  const full = `${folders} = async () => { throw new DOMException("x", "QuotaExceededError"); };`;
  refused(await withWorker(await tab(), `${full} await IMPORT;`), "io", /full/, null);
});

/** Errors of the browser's functions in a worker, and the codes with which opening fails. */
const FAILURES = [
  [
    `const { request } = LockManager.prototype;
    LockManager.prototype.request = function (name, ...rest) {
      if (/tab/.test(name)) return Promise.reject(new DOMException("no", "SecurityError"));
      return request.call(this, name, ...rest);
    };`,
    "no_storage",
  ],
  [
    `LockManager.prototype.request = () => Promise.reject(new DOMException("no", "AbortError"));`,
    "io",
  ],
  [
    `BroadcastChannel = class {
      constructor() { throw new DOMException("no", "SecurityError"); }
    };`,
    "no_storage",
  ],
  [
    `const Real = BroadcastChannel;
    BroadcastChannel = class extends Real {
      constructor(name) {
        if (/term/.test(name)) throw new DOMException("no", "SecurityError");
        super(name);
      }
    };`,
    "no_storage",
  ],
];

test("locks and channels that fail in the worker", async () => {
  const leader = await tab();
  assert.equal(await outcome(leader, open), "open");
  // At first another tab leads, and then this one should.
  for (const isLed of [true, false]) {
    if (!isLed) await leader.close();
    for (const [source, code] of FAILURES) {
      const page = await tab();
      refused(await withWorker(page, `${source} await IMPORT;`), code, /memory|again/, null);
      assert.deepEqual(page.uncaught, []);
      await page.close();
    }
  }
});

test("a wrong module or worker, and a right one after it", async () => {
  const page = await tab();
  refused(await outcome(page, memory, "/dist/slim.js"), "bad_argument", /initialise/, null);
  const results = await page.evaluate(async () => {
    const { Rollbook, initialise } = await import("/dist/slim.js");
    const failure = ({ name, code, message }) => ({ name, code, message });
    const attempt = async (parts, method = "memory") => {
      initialise(parts);
      return Rollbook[method]("school").then(() => "open", failure);
    };
    const frame = document.createElement("iframe");
    document.body.append(frame);
    const bytes = await (await fetch("/dist/rollbook.wasm")).arrayBuffer();
    const module = await frame.contentWindow.WebAssembly.compile(bytes);
    const empty = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
    const worker = new Worker("/dist/worker.js", { type: "module" });
    const headers = { "Content-Type": "application/wasm; charset=utf-8" };
    const right = { module: bytes, worker: () => worker };
    return {
      wrong: [
        await attempt({ module: { default: "/dist/rollbook.wasm" } }),
        await attempt({ module: 7 }),
        await attempt({ module: bytes, worker: async () => worker }, "open"),
        await attempt({ module: bytes, worker: () => undefined }, "open"),
      ],
      nowhere: await attempt({ module: "/dist/nowhere.wasm" }),
      unserved: await attempt(
        { module: bytes, worker: () => new Worker("/dist/nowhere.js", { type: "module" }) },
        "open",
      ),
      other: await attempt({ module: empty }),
      typed: await attempt({ module: new Response(bytes, { headers }) }),
      realm: await attempt({ module }),
      bug: await attempt({ module: bytes, worker: () => new Worker(undefined.url) }, "open"),
      right: await attempt(right, "open"),
      again: await attempt(right, "open"),
    };
  });
  for (const result of results.wrong) refused(result, "bad_argument", /rollbook/, null);
  refused(results.nowhere, "io", /nowhere\.wasm answered 404/, null);
  refused(results.unserved, "io", /worker\.js/, null);
  refused(results.other, "unsupported", /same version/, null);
  assert.deepEqual([results.typed, results.realm, results.right], ["open", "open", "open"]);
  refused(results.bug, "io", /undefined/, null);
  refused(results.again, "bad_argument", /each call/, null);
});

test("Trusted Types: the app makes the worker", async () => {
  const policy = "require-trusted-types-for 'script'";
  const page = await tab({ page: { "Content-Security-Policy": policy } });
  const result = await page.evaluate(async () => {
    const { Rollbook } = await import("/dist/index.js");
    return Rollbook.open("school").catch(({ name, code, message, cause }) => ({
      name, code, message, cause: String(cause),
    }));
  });
  refused(result, "unsupported", /rollbook\/slim/, /TypeError/);
  const opened = await page.evaluate(async () => {
    const { Rollbook, initialise } = await import("/dist/slim.js");
    const policy = trustedTypes.createPolicy("app", { createScriptURL: (url) => url });
    initialise({
      module: "/dist/rollbook.wasm",
      worker: () => new Worker(policy.createScriptURL("/dist/worker.js"), { type: "module" }),
    });
    const engine = await Rollbook.open("school");
    return (await engine.stats()).records.school;
  });
  assert.equal(opened, 0);
});

test("names and options that cannot be those of a store", async () => {
  const page = await tab();
  for (const name of ["", ".", "..", "\ud800", "x".repeat(300), 7]) {
    const work = `async ({ Rollbook }) => Rollbook.open(${JSON.stringify(name)})`;
    refused(await outcome(page, work), "bad_argument", /name/, null);
    refused(await outcome(page, work.replace("open", "delete")), "bad_argument", /name/, null);
  }
  const closure = ({ Rollbook }) => Rollbook.open("x", { other: () => 1 }).then(() => "open");
  assert.equal(await outcome(page, closure), "open");
  const size = ({ Rollbook }) => Rollbook.open("x", { cacheBytes: () => 1 });
  refused(await outcome(page, size), "bad_argument", /cacheBytes/, null);
});

// Tests what may happen to a store in a browser: a reload, a killed tab, a full disk, a missing
// private file system, a damaged file, and a module that stops.

import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { start } from "./browser.mjs";
import { folders } from "./material.mjs";
import { processOf } from "./processes.mjs";
import { serve } from "./site.mjs";

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

async function open(page) {
  await page.evaluate(async () => {
    const { Rollbook } = await import("/dist/index.js");
    globalThis.Rollbook = Rollbook;
    globalThis.engine = await Rollbook.open("school");
  });
  return page;
}

const tab = async () => open(await browser.tab(site.url));

const load = (page, name) =>
  page.evaluate(async (file) => {
    const summary = await engine.apply(await fetch(`/material/${file}`));
    return summary.total;
  }, name);

/** Returns a digest of all records. */
const digest = (page) =>
  page.evaluate(async () => {
    const lines = await new Response(engine.export()).arrayBuffer();
    const bytes = new Uint8Array(await crypto.subtle.digest("SHA-256", lines));
    return [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  });

async function isSound(page) {
  assert.deepEqual((await page.evaluate(() => engine.verify())).problems, []);
}

test("a reload finds the data, byte for byte", async () => {
  const page = await tab();
  assert.equal(await page.evaluate(() => crossOriginIsolated), false);
  assert.ok((await load(page, "school-100.ndjson")).added > 10_000);
  const before = await digest(page);
  await page.reload();
  await open(page);
  assert.equal(await digest(page), before);
  assert.equal((await load(page, "school-100.ndjson")).added, 0);
  await isSound(page);
});

test("a tab that is killed in the middle of a load leaves the state before it", async () => {
  const page = await tab();
  await load(page, "school-100.ndjson");
  const before = await digest(page);
  await page.close();
  // The kills are early, late, and while the store is written after everything was read.
  for (const share of [0.1, 0.9, 1]) {
    const victim = await tab();
    const crash = await processOf(victim);
    await victim.evaluate(async () => {
      globalThis.share = 0;
      globalThis.isOver = false;
      const onProgress = ({ bytes, total }) => {
        share = bytes / total;
      };
      const dataset = await (await fetch("/material/school-1000.ndjson")).blob();
      engine.apply(dataset, { onProgress }).then(() => {
        isOver = true;
      });
    });
    await victim.waitForFunction((reached) => share >= reached, share, { polling: 10 });
    assert.equal(await victim.evaluate(() => isOver), false, "the load was over before the kill");
    crash.kill();
    const heir = await tab();
    assert.equal(await digest(heir), before);
    await isSound(heir);
    await heir.close();
  }
});

test("a full quota is an error, and the data remains", async () => {
  const page = await tab();
  await load(page, "school-100.ndjson");
  const before = await digest(page);
  const session = await browser.context.newCDPSession(page);
  const { usage } = await page.evaluate(() => navigator.storage.estimate());
  const quota = (size) => session.send("Storage.overrideQuotaForOrigin", { origin: site.url, ...size });
  await quota({ quotaSize: usage + (1 << 20) });
  const error = await page.evaluate(() =>
    fetch("/material/school-1000.ndjson")
      .then((dataset) => engine.apply(dataset))
      .then(
        () => "it was stored",
        ({ code, message }) => ({ code, message }),
      ),
  );
  assert.equal(error.code, "io", JSON.stringify(error));
  assert.match(error.message, /storage for this site is full/);
  assert.equal(await digest(page), before);
  await quota({});
  assert.ok((await load(page, "school-1000.ndjson")).added > 100_000);
  await isSound(page);
});

test("without a private file system, opening fails, and memory is available", async () => {
  const refusal = (page) =>
    page.evaluate(async () => {
      const { Rollbook } = await import("/dist/index.js");
      const refused = await Rollbook.open("school").catch(({ code, message }) => ({ code, message }));
      const engine = await Rollbook.memory();
      return { ...refused, schools: (await engine.stats()).records.school };
    });
  const page = await browser.context.newPage();
  for (const [taken, expected] of [
    [() => delete StorageManager.prototype.getDirectory, /no private file system/],
    [
      () => {
        StorageManager.prototype.getDirectory = async () => {
          throw new DOMException("not here", "SecurityError");
        };
      },
      /private file system/,
    ],
    [() => Object.defineProperty(globalThis, "isSecureContext", { value: false }), /https/],
  ]) {
    await page.goto(site.url);
    await page.evaluate(taken);
    // The feature must also be missing in the worker, as in a browser without it.
    await page.evaluate(() => {
      const Real = Worker;
      globalThis.Worker = class extends Real {
        constructor() {
          super("/tests/deprived-worker.mjs", { type: "module" });
        }
      };
    });
    const { code, message, schools } = await refusal(page);
    assert.equal(code, "no_storage", message);
    assert.match(message, expected);
    assert.equal(schools, 0);
  }
});

test("a deleted store is empty when it is opened again, and an open one is not deleted", async () => {
  const page = await tab();
  await load(page, "school-100.ndjson");
  const refused = await page.evaluate(() => Rollbook.delete("school").catch(({ code }) => code));
  assert.equal(refused, "already_open");
  const schools = await page.evaluate(async () => {
    await engine.close();
    await Rollbook.delete("school");
    globalThis.engine = await Rollbook.open("school");
    return (await engine.stats()).records.school;
  });
  assert.equal(schools, 0);
});

test("storage that is removed while a store is open is an error, and loses no later change", async () => {
  const page = await tab();
  await load(page, "school-100.ndjson");
  const devtools = await browser.context.newCDPSession(page);
  await devtools.send("Storage.clearDataForOrigin", { origin: site.url, storageTypes: "all" });
  const code = (work) => page.evaluate(`(${work})().then(() => "done", ({ code }) => code)`);
  const school = '{"type":"school","school_id":7,"current_year":2026}';
  assert.equal(await code(`() => engine.apply('${school}')`), "missing");
  assert.equal(await code("() => engine.stats()"), "missing");
  assert.equal(await code("() => engine.close()"), "done");
  await page.evaluate(async () => {
    globalThis.engine = await Rollbook.open("school");
  });
  assert.ok((await load(page, "school-100.ndjson")).added > 10_000);
  await isSound(page);
});

test("a damaged file, or one that is not a store, is an error, and the page continues", async () => {
  const page = await tab();
  await load(page, "school-100.ndjson");
  const outcome = async (damage) => {
    await page.evaluate(() => engine.close());
    await page.evaluate(async (text) => {
      const root = await navigator.storage.getDirectory();
      const all = await root.getDirectoryHandle("rollbook");
      const folder = await all.getDirectoryHandle("school");
      for await (const name of folder.keys()) {
        const file = await folder.getFileHandle(name);
        const bytes = new Uint8Array(await (await file.getFile()).arrayBuffer());
        // eslint-disable-next-line no-new-func
        new Function("bytes", text)(bytes);
        const writable = await file.createWritable();
        await writable.write(bytes);
        await writable.close();
      }
    }, damage);
    return page.evaluate(async () => {
      try {
        globalThis.engine = await Rollbook.open("school");
        const { problems } = await engine.verify();
        return problems.length === 0 ? "sound" : "problems";
      } catch (error) {
        return error.code;
      }
    });
  };
  assert.ok(["corrupt", "crashed", "problems"].includes(await outcome("bytes.fill(0x5a, 8192, 1 << 20)")));
  assert.equal(await outcome("bytes.fill(0x5a)"), "not_a_store");
  const again = await page.evaluate(async () => {
    await Rollbook.delete("school");
    globalThis.engine = await Rollbook.open("school");
    return (await engine.stats()).records.school;
  });
  assert.equal(again, 0);
  assert.ok((await load(page, "school-100.ndjson")).added > 10_000);
});

test("a module that stops during a write is an error; a new one finds the state before", async () => {
  const page = await browser.tab(site.url);
  // No memory is available from a certain write on: the module cannot continue, and traps.
  await page.evaluate(async () => {
    const { Rollbook, initialise } = await import("/dist/slim.js");
    initialise({
      module: "/dist/rollbook.wasm",
      worker: () => new Worker("/tests/starving-worker.mjs", { type: "module" }),
    });
    globalThis.starve = new BroadcastChannel("starve");
    globalThis.engine = await Rollbook.open("school");
  });
  await load(page, "school-100.ndjson");
  const before = await digest(page);
  const { code, unflushed } = await page.evaluate(async () => {
    const reported = new Promise((resolve) => {
      starve.onmessage = ({ data }) => resolve(data);
    });
    starve.postMessage({ afterWrites: 1 });
    const dataset = await fetch("/material/school-1000.ndjson");
    const code = await engine.apply(dataset).then(
      () => "stored",
      (error) => error.code,
    );
    starve.postMessage({ report: true });
    return { code, unflushed: await reported };
  });
  assert.equal(code, "crashed");
  assert.ok(unflushed > 0, "it did not stop between a write and its flush");
  assert.equal(await digest(page), before);
  await isSound(page);
  assert.ok((await load(page, "school-1000.ndjson")).added > 100_000);
});

test("after a module in memory stops, every call fails, and another engine can be opened", async () => {
  const page = await browser.tab(site.url);
  const { codes, schools } = await page.evaluate(async () => {
    const { Rollbook } = await import("/dist/index.js");
    const Real = WebAssembly.Instance;
    let memory;
    WebAssembly.Instance = class extends Real {
      constructor(module, imports) {
        super(module, imports);
        memory = this.exports.memory;
      }
    };
    const engine = await Rollbook.memory();
    WebAssembly.Instance = Real;
    // Exhausts the memory by which the module could grow.
    for (let pages = 1 << 15; pages >= 1; pages >>= 1) {
      try {
        for (;;) memory.grow(pages);
      } catch {
        // So many pages are not available any more.
      }
    }
    const code = (work) => work().then(() => "done", (error) => error.code);
    const dataset = await (await fetch("/material/school-1000.ndjson")).blob();
    const codes = [await code(() => engine.apply(dataset)), await code(() => engine.stats())];
    const other = await Rollbook.memory();
    return { codes, schools: (await other.stats()).records.school };
  });
  assert.deepEqual(codes, ["crashed", "crashed"]);
  assert.equal(schools, 0);
});

// Tests the package in a page: with the client code of an app, and with a worker of the app.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start } from "./browser.mjs";
import { folders } from "./material.mjs";
import { serve } from "./site.mjs";

let site;
let browser;

before(async () => {
  site = await serve(folders());
  browser = await start();
});

after(async () => {
  await browser.close();
  site.close();
});

test("an app's client code runs over fetch, in memory and in a file", async () => {
  const page = await browser.tab(site.url);
  const said = await page.evaluate(async () => {
    const { Rollbook } = await import("/dist/index.js");
    const clock = () => new Date("2026-05-14T08:00:00Z");
    const client = async (fetch) => {
      const headers = { "HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo" };
      const learners = await fetch("/api/v1/adminplus/learners/1000?grade_id=9", { headers });
      const wrong = await fetch("/api/v1/settings/clients", { headers: {} });
      return [learners.status, await learners.text(), wrong.status, await wrong.text()];
    };
    const answers = [];
    for (const engine of [
      await Rollbook.memory({ clock }),
      await Rollbook.open("fetch", { clock }),
    ]) {
      const heard = [];
      const onProgress = ({ bytes, total }) => heard.push(bytes / total);
      await engine.apply(await fetch("/material/school-100.ndjson"), { onProgress });
      if (heard.length < 10 || heard[heard.length - 1] !== 1) throw new Error(String(heard));
      answers.push(await client(engine.fetch));
      if (typeof engine.persisted !== "boolean") throw new Error("persisted is not a boolean");
      await engine.close();
    }
    return answers;
  });
  const [memory, file] = said;
  assert.deepEqual(memory, file);
  assert.equal(memory[0], 200);
  assert.equal(memory[2], 401);
});

test("a worker of the app opens the same store as its page", async () => {
  const page = await browser.tab(site.url);
  const [inWorker, inPage] = await page.evaluate(async () => {
    const { Rollbook } = await import("/dist/index.js");
    const source = `
      import { Rollbook } from ${JSON.stringify(new URL("/dist/index.js", location.href).href)};
      const engine = await Rollbook.open("shared");
      await engine.apply('{"type":"school","school_id":7,"current_year":2026}');
      const { records } = await engine.stats();
      postMessage(records.school);
    `;
    const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
    const worker = new Worker(url, { type: "module" });
    const schools = await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = (event) => reject(new Error(event.message));
    });
    const engine = await Rollbook.open("shared");
    return [schools, (await engine.stats()).records.school];
  });
  assert.deepEqual([inWorker, inPage], [1, 1]);
});

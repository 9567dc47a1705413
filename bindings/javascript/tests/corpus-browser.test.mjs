import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start } from "./browser.mjs";
import { judge } from "./corpus.mjs";
import { corpusSize, folders } from "./material.mjs";
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

test("the corpus in a page, in memory", async () => {
  const page = await browser.tab(site.url);
  const ran = await page.evaluate(async () => {
    const { Rollbook } = await import("/dist/index.js");
    const { runCorpus } = await import("/tests/corpus.mjs");
    const lines = await (await fetch("/material/corpus.jsonl")).text();
    return runCorpus(lines, () => Rollbook.memory());
  });
  await page.close();
  judge(ran, corpusSize());
});

test("the corpus in a worker, in the private file system", async () => {
  const page = await browser.tab(site.url);
  const ran = await page.evaluate(async () => {
    const { Rollbook } = await import("/dist/index.js");
    const { runCorpus } = await import("/tests/corpus.mjs");
    const lines = await (await fetch("/material/corpus.jsonl")).text();
    const name = (number) => `corpus ${number}`;
    return runCorpus(
      lines,
      (number) => Rollbook.open(name(number)),
      async (engine, number) => {
        await engine.close();
        await Rollbook.delete(name(number));
      },
      4,
    );
  });
  assert.equal(await page.evaluate(() => crossOriginIsolated), false);
  await page.close();
  judge(ran, corpusSize());
});

// Runs the corpus in a browser: in the memory of a page, and in a worker.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { start } from "./browser.mjs";
import { judge } from "./corpus.mjs";
import { corpus, corpusSize, folders } from "./material.mjs";
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

/** Cases in files are slow. Therefore all of them run only with the release module. */
const EVERY = process.env.ROLLBOOK_PROFILE === "dev" ? 8 : 1;

test("the corpus in a worker, in the private file system", async () => {
  const cases = readFileSync(corpus(), "utf8").trimEnd().split("\n");
  const chosen = cases.filter((_, place) => place % EVERY === 0);
  const steps = chosen.flatMap((line) => JSON.parse(line).steps);
  const requests = steps.filter(({ step }) => step === "request").length;
  const page = await browser.tab(site.url);
  const ran = await page.evaluate(async (lines) => {
    const { Rollbook } = await import("/dist/index.js");
    const { runCorpus } = await import("/tests/corpus.mjs");
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
  }, chosen.join("\n"));
  assert.equal(await page.evaluate(() => crossOriginIsolated), false);
  await page.close();
  judge(ran, EVERY === 1 ? corpusSize() : { cases: chosen.length, requests });
});

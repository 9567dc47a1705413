// `node main.mjs DATASET FOLDER [--quick]` measures all contenders in one browser.

import { copyFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { start } from "../tests/browser.mjs";
import { serve } from "../tests/site.mjs";
import { contenders } from "./contenders.mjs";
import { livesTable, questionsTable, timeText, weightsTable } from "./report.mjs";
import { buildSite, weights } from "./site.mjs";
import { median } from "./timing.mjs";

const [dataset, folder, how] = process.argv.slice(2);
const effort = how === "--quick" ? { rounds: 1, time: 0 } : { rounds: 7, time: 700 };
const visits = how === "--quick" ? 1 : 5;

await buildSite(join(folder, "site"));
mkdirSync(join(folder, "data"), { recursive: true });
copyFileSync(dataset, join(folder, "data/school.ndjson"));
const site = await serve({ "/site/": join(folder, "site"), "/data/": join(folder, "data") });
const browser = await start();

/** Calls a function of the module `page.js` in a tab. */
function call(tab, name, given) {
  const run = async ([name, given]) => (await import("/site/page.js"))[name](given);
  return tab.evaluate(run, [name, given]);
}

try {
  const tab = await browser.tab(site.url);
  const loads = [];
  for (const [at, { name }] of contenders.entries()) {
    loads.push(await call(tab, "load", at));
    console.error(`${name}: loaded in ${timeText(loads[at])}`);
  }
  const compared = await call(tab, "check");
  console.error(`All ${contenders.length} answered ${compared} asks with the same bytes.`);
  const measured = await call(tab, "measure", effort);
  const stored = await call(tab, "close");
  await tab.close();
  const times = contenders.map(() => []);
  for (let visit = 0; visit < visits; visit += 1) {
    for (const at of contenders.keys()) {
      const again = await browser.tab(site.url);
      times[at].push(await call(again, "reopen", at));
      await again.close();
    }
  }
  const reopened = times.map(median);
  console.log(`As bytes:\n\n${questionsTable(measured, "asBytes")}\n`);
  console.log(`As objects:\n\n${questionsTable(measured, "asObjects")}\n`);
  console.log(`${livesTable({ loads, stored, reopened })}\n`);
  console.log(weightsTable(await weights()));
} finally {
  await browser.close();
  site.close();
}

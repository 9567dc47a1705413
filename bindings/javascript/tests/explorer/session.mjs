// Opens the explorer in a browser, and an engine in Node with which the tests compare it.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { gunzipSync } from "node:zlib";
import { Rollbook } from "../../dist/node.js";
import { start } from "../browser.mjs";
import { serve } from "../site.mjs";

export const explorer = fileURLToPath(new URL("../../explorer/", import.meta.url));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const NOW = new Date("2026-05-14T08:00:00Z");
const AT = `now=${NOW.toISOString()}`;
/** The errors in the consoles of the pages. */
export const complaints = [];

export let site, browser, page, oracle, sample, folder;

/** Continues the tests in another tab. */
export function use(tab) {
  page = tab;
}

/** Returns the address of a route at the instant of most tests. */
const at = (place) => `${site.url}/explorer/#/${place}${place.includes("?") ? "&" : "?"}${AT}`;

export function watch(tab) {
  tab.setDefaultTimeout(20_000);
  tab.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  tab.on("pageerror", (error) => complaints.push(String(error)));
  return tab;
}

export async function visit(tab, place) {
  await tab.goto(at(place));
  await tab.locator("main > section:visible").waitFor();
}

/** Returns the texts of the rows of a table, including the header. */
export const cells = (table) =>
  table.locator("tr").evaluateAll((rows) =>
    rows.map((row) => [...row.cells].map((cell) => cell.textContent)),
  );

/** Reads the page repeatedly until it shows what is expected, because it renders asynchronously. */
export async function shows(read, expected) {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (isDeepStrictEqual(await read(), expected)) return;
    await sleep(50);
  }
  assert.deepEqual(await read(), expected);
}

/** Returns the texts of the rows of a table, without the header. */
export const rowsOf = async (table) => (await cells(table)).slice(1);

export const answered = async (question, asked, now = NOW) =>
  (await oracle.ask(question, { school: 1000, ...asked }, { now })).json();

export async function loadSample(tab) {
  await tab.getByRole("button", { name: "Load the sample school" }).click();
  await tab.getByText(`Loaded ${lines()} lines`).waitFor();
}

/** Returns the formatted number of lines of the sample. */
export const lines = () => sample.toString().trimEnd().split("\n").length.toLocaleString("en");

/** Returns the rows that the tables of assessment marks show for an answer. */
export function markRows(marks) {
  const rows = [];
  for (const { years } of Object.values(marks)) {
    for (const { terms } of Object.values(years)) {
      for (const { learners } of Object.values(terms)) {
        for (const { subjects } of Object.values(learners)) {
          for (const subject of Object.values(subjects)) {
            rows.push([subject.subject_name]);
            for (const outcome of Object.values(subject.learning_outcomes)) {
              for (const one of Object.values(outcome.assessments)) {
                const percent = one.percentage === "a" ? "absent" : one.percentage;
                rows.push([
                  outcome.learning_outcome_name,
                  one.assessment_name,
                  one.assessment_date,
                  one.weight,
                  one.mark,
                  one.mark_out_of,
                  one.captured === "0" ? "not captured" : percent,
                ]);
              }
            }
          }
        }
      }
    }
  }
  return rows;
}

export const region = (name) => page.getByRole("region", { name, exact: true });

export const target = "/api/v1/adminplus/learners/1000?name=an";

export async function send(tab) {
  await tab.getByRole("button", { name: "Send" }).click();
  const status = tab.getByRole("status").filter({ hasText: /through the store's worker/ });
  await status.waitFor();
  return status.textContent();
}

export async function violations(tab) {
  await tab.evaluate(axe);
  const { violations: found } = await tab.evaluate(() => globalThis.axe.run());
  return found.map(({ id, nodes }) => `${id}: ${nodes[0].html}`);
}

before(async () => {
  execFileSync(join(explorer, "build"), { stdio: ["ignore", "ignore", "inherit"] });
  sample = gunzipSync(readFileSync(join(explorer, "dist/sample.ndjson.gz")));
  oracle = await Rollbook.memory();
  await oracle.apply(sample);
  folder = mkdtempSync(join(tmpdir(), "rollbook-explorer-"));
  site = await serve({ "/explorer/": join(explorer, "dist/") });
  browser = await start({
    viewport: { width: 1280, height: 800 },
    timezoneId: "Africa/Johannesburg",
    acceptDownloads: true,
  });
  page = watch(await browser.context.newPage());
  await page.goto(`${site.url}/explorer/`);
});

after(async () => {
  await browser?.close();
  site?.close();
  await oracle?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

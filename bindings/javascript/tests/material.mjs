// What the tests are given: the corpus, sample schools, and where things are.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
export const dist = `${root}dist/`;
export const tests = `${root}tests/`;

function made(name) {
  const folder = process.env.ROLLBOOK_MATERIAL;
  const path = `${folder}/${name}`;
  if (!folder || !existsSync(path)) {
    throw new Error("the tests' data is missing: run bindings/javascript/test");
  }
  return path;
}

/** The folder that the page has under `/material/`. */
export const material = () => made("");
/** Every case of the corpus, one a line. */
export const corpus = () => made("corpus.jsonl");
/** How many cases and requests it has. */
export const corpusSize = () => JSON.parse(readFileSync(made("corpus-size.json"), "utf8"));
/** A sample school of 100 learners. */
export const sample = () => made("school-100.ndjson");
/** One of 1,000. */
export const large = () => made("school-1000.ndjson");

/** The engine behind HTTP, in Rust. */
export const serve = () => made("serve");

/** What every page can reach. */
export const folders = () => ({ "/dist/": dist, "/tests/": tests, "/material/": material() });

export const SCHOOL = 1000;
/** An instant at which some marks of the sample school are released and some are not. */
export const NOW = new Date("2026-05-14T08:00:00Z");
export const CREDENTIALS = { "HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo" };

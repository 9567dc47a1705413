// The data of the tests: the corpus, the sample schools, and the paths of both.

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

/** Returns the folder that pages can read under `/material/`. */
export const material = () => made("");
/** Returns the path of the corpus, with one case per line. */
export const corpus = () => made("corpus.jsonl");
/** Returns the numbers of cases and requests of the corpus. */
export const corpusSize = () => JSON.parse(readFileSync(made("corpus-size.json"), "utf8"));
/** Returns the path of a sample school of 100 learners. */
export const sample = () => made("school-100.ndjson");
/** Returns the path of a sample school of 1,000 learners. */
export const large = () => made("school-1000.ndjson");

/** Returns the path of the command `rollbook`, which can serve a store. */
export const rollbook = () => made("rollbook");

/** Returns the folders that every page can read. */
export const folders = () => ({ "/dist/": dist, "/tests/": tests, "/material/": material() });

export const SCHOOL = 1000;
/** An instant at which some marks of the sample school are released and some are not. */
export const NOW = new Date("2026-05-14T08:00:00Z");
export const CREDENTIALS = { "HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo" };

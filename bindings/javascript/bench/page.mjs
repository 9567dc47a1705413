// The code that runs in the page: loads the dataset, compares the answers, and measures times.

import { contenders, importOf } from "./contenders.mjs";
import { FOLDER } from "./opfs-file.mjs";
import { REQUESTED, asked, atMidyear } from "./questions.mjs";
import { medians } from "./timing.mjs";

const loaded = [];
const decoder = new TextDecoder();

async function dataset() {
  return new Uint8Array(await (await fetch("/data/school.ndjson")).arrayBuffer());
}

/** Loads the dataset into the empty store of a contender. Returns the time in milliseconds. */
export async function load(at) {
  const bytes = await dataset();
  const Contender = await importOf(contenders[at]);
  const start = performance.now();
  loaded[at] = await Contender.load(bytes);
  return performance.now() - start;
}

/** Returns the questions, each with the asks whose answer is not an error. */
async function questions() {
  const text = decoder.decode(await dataset());
  const lines = text.match(/^\{"type":"grade",.*$/gm);
  const grades = lines.map((line) => JSON.parse(line).grade_id);
  const [ours] = loaded;
  const all = [];
  for (const { question, asks } of asked(grades)) {
    const found = [];
    for (const ask of asks) {
      if (!isError(decoder.decode(await ours.bytes(ask)))) found.push(ask);
    }
    if (found.length > 0) all.push({ question, asks: found });
  }
  return all;
}

/** Checks that all contenders answer every ask with the same bytes and the same objects. */
export async function check() {
  let compared = 0;
  for (const { question, asks } of await questions()) {
    for (const ask of asks.flatMap((ask) => [ask, atMidyear(ask)])) {
      const expected = decoder.decode(await loaded[0].bytes(ask));
      for (const [at, { name }] of contenders.entries()) {
        const what = `${question}: ${ask.target} at ${ask.now.today}: ${name}`;
        const given = decoder.decode(await loaded[at].bytes(ask));
        // In the middle of the year some answers are empty. Only Rollbook answers these as v1 does.
        if (isError(expected) && (given === "[]" || given === "{}")) continue;
        same(given, expected, what);
        same(JSON.stringify(await loaded[at].objects(ask)), expected, what);
        if (question === REQUESTED && loaded[at].request !== undefined) {
          same(decoder.decode(await loaded[at].request(ask)), expected, what);
        }
      }
      compared += 1;
    }
  }
  return compared;
}

const isError = (answer) => answer.startsWith('{"error"');

function same(given, expected, what) {
  if (given === expected) return;
  let at = 0;
  while (given[at] === expected[at]) at += 1;
  const around = (text) => text.slice(Math.max(0, at - 80), at + 80);
  throw new Error(`${what} says\n  ${around(given)}\nwhere Rollbook says\n  ${around(expected)}`);
}

/** Returns the median time of each question for each contender, as bytes and as objects. */
export async function measure(effort) {
  const measured = [];
  for (const { question, asks } of await questions()) {
    const sizes = [];
    for (const ask of asks) sizes.push((await loaded[0].bytes(ask)).byteLength);
    sizes.sort((one, other) => one - other);
    const bytes = sizes[sizes.length >> 1];
    const calls = (name) => loaded.map((contender) => (ask) => contender[name](ask));
    measured.push({
      question,
      bytes,
      asBytes: await medians(calls("bytes"), asks, effort),
      asObjects: await medians(calls("objects"), asks, effort),
    });
    if (question !== REQUESTED) continue;
    const ours = [...loaded.keys()].filter((at) => loaded[at].request !== undefined);
    const requests = ours.map((at) => (ask) => loaded[at].request(ask));
    const times = await medians(requests, asks, effort);
    const asBytes = loaded.map((_, at) => times[ours.indexOf(at)]);
    measured.push({ question: `${question}, a whole request`, bytes, asBytes });
  }
  return measured;
}

/** Closes all contenders. Returns the number of bytes that each stores for the next visit. */
export async function close() {
  for (const contender of loaded) await contender.close();
  const root = await navigator.storage.getDirectory();
  const { usageDetails } = await navigator.storage.estimate();
  return {
    "Rollbook, memory": await sizeIn(root, FOLDER, "rollbook.ndjson"),
    "sql.js": await sizeIn(root, FOLDER, "sql-js.sqlite"),
    filter: await sizeIn(root, FOLDER, "dataset.ndjson"),
    "Rollbook, OPFS": await sizeIn(root, "rollbook"),
    "sqlite-wasm, OPFS": await sizeIn(root, "sahpool"),
    Dexie: usageDetails.indexedDB,
  };
}

async function sizeIn(folder, name, file) {
  const inside = await folder.getDirectoryHandle(name);
  let bytes = 0;
  for await (const [entry, handle] of inside) {
    if (handle.kind === "directory") bytes += await sizeIn(inside, entry);
    else if (file === undefined || entry === file) bytes += (await handle.getFile()).size;
  }
  return bytes;
}

/** Measures another visit: milliseconds from the import of the contender to its first answer. */
export async function reopen(at) {
  const Contender = await importOf(contenders[at]);
  const [{ asks }] = asked([]).filter(({ question }) => question === REQUESTED);
  const start = performance.now();
  const contender = await Contender.open();
  await contender.bytes(asks[0]);
  const took = performance.now() - start;
  await contender.close();
  return took;
}

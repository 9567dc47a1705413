// Names the functions of a module so that sorting by name places similar functions next to each
// other. wasm-opt then sorts them. Deflate finds repetitions only within 32 KiB, and the linker may
// place functions that are compiled from one generic function anywhere.

import { readFileSync, writeFileSync } from "node:fs";

/** The length of the pieces by which functions are compared, in bytes. */
const PIECE = 6;
/** Pieces that occur in more functions than this are ignored. */
const COMMON = 40;
/** How many of the last functions are compared with the next one: functions, and bytes. */
const NEAR = { functions: 30, bytes: 24_000 };
/** A constant that prevents very small functions from being similar to all others. */
const BASE = 150;

/** Reads the sections of a module, the bodies of its functions, and the number of its imports. */
function read(bytes) {
  let at = 8;
  const number = () => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      value += (byte % 128) * scale;
      if (byte < 128) return value;
    }
  };
  const slice = (length) => bytes.subarray(at, (at += length));
  const sections = [];
  const bodies = [];
  let imported = 0;
  while (at < bytes.length) {
    const start = at;
    const id = bytes[at++];
    const end = number() + at;
    const name = id === 0 ? slice(number()).toString() : "";
    for (let left = id === 10 ? number() : 0; left > 0; left--) bodies.push(slice(number()));
    for (let left = id === 2 ? number() : 0; left > 0; left--) {
      slice(number());
      slice(number());
      if (number() !== 0) throw new Error("something is imported that is no function");
      number();
      imported++;
    }
    if (name !== "name") sections.push(bytes.subarray(start, end));
    at = end;
  }
  return { sections, bodies, imported };
}

/** Returns the numbers of the bodies in an order in which similar bodies follow each other. */
function ordered(bodies) {
  const owners = new Map();
  for (const [index, body] of bodies.entries()) {
    for (let i = 0; i + PIECE <= body.length; i++) {
      const piece = body.readUIntBE(i, PIECE);
      if (!owners.has(piece)) owners.set(piece, new Set());
      owners.get(piece).add(index);
    }
  }
  const pieces = bodies.map(() => []);
  for (const having of owners.values()) {
    if (having.size > 1 && having.size <= COMMON) for (const index of having) pieces[index].push(having);
  }
  const left = new Set([...bodies.keys()].sort((a, b) => bodies[b].length - bodies[a].length));
  const order = [];
  while (left.size > 0) {
    const near = new Set();
    let bytes = 0;
    for (const index of order.slice(-NEAR.functions).reverse()) {
      if (bytes >= NEAR.bytes) break;
      bytes += bodies[index].length;
      for (const having of pieces[index]) near.add(having);
    }
    const shared = new Map();
    for (const having of near) {
      for (const index of having) if (left.has(index)) shared.set(index, (shared.get(index) ?? 0) + 1);
    }
    let [next] = left;
    let most = 0;
    for (const [index, count] of shared) {
      const likeness = count / (bodies[index].length + BASE);
      if (likeness > most) [next, most] = [index, likeness];
    }
    order.push(next);
    left.delete(next);
  }
  return order;
}

function number(value) {
  return value < 128 ? [value] : [(value % 128) + 128, ...number(Math.floor(value / 128))];
}

const text = (content) => [...number(content.length), ...Buffer.from(content)];

const [input, output] = process.argv.slice(2);
const bytes = readFileSync(input);
const { sections, bodies, imported } = read(bytes);
const places = [];
for (const [place, index] of ordered(bodies).entries()) places[index] = String(place).padStart(6, "0");
const names = places.flatMap((place, index) => [...number(index + imported), ...text(place)]);
const map = [...number(places.length), ...names];
const section = [...text("name"), 1, ...number(map.length), ...map];
writeFileSync(output, Buffer.concat([bytes.subarray(0, 8), ...sections, Buffer.from([0, ...number(section.length), ...section])]));

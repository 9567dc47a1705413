// Rollbook, in the memory of the page, and in a file that its worker opens.

import { Rollbook } from "rollbook";
import { readFile, writeFile } from "../opfs-file.mjs";

const FILE = "rollbook.ndjson";
const HEADERS = { "HTTP-X-USERNAME": "demo", "HTTP-X-PASSWORD": "demo" };

class Contender {
  #engine;

  constructor(engine) {
    this.#engine = engine;
  }

  async bytes(ask) {
    return (await this.#ask(ask)).bytes;
  }

  async objects(ask) {
    return (await this.#ask(ask)).json();
  }

  /** Answers the same ask as a complete request with credentials. */
  async request({ target, now }) {
    const options = { headers: HEADERS, now: now.seconds * 1000 };
    const answer = await this.#engine.request(target, options);
    return answer.bytes;
  }

  close() {
    return this.#engine.close();
  }

  #ask({ name, fields, now }) {
    return this.#engine.ask(name, fields, { now: now.seconds * 1000 });
  }
}

export const InMemory = {
  async load(bytes) {
    const contender = await loaded(bytes);
    await writeFile(FILE, bytes);
    return contender;
  },

  async open() {
    return loaded(await readFile(FILE));
  },
};

async function loaded(bytes) {
  const engine = await Rollbook.memory();
  await engine.apply(bytes);
  return new Contender(engine);
}

export const InFile = {
  async load(bytes) {
    const engine = await Rollbook.open("bench");
    await engine.apply(bytes);
    return new Contender(engine);
  },

  async open() {
    return new Contender(await Rollbook.open("bench"));
  },
};

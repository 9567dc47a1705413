// The official WebAssembly build of SQLite, in a worker.

const decoder = new TextDecoder();

export class Contender {
  #worker = new Worker(new URL("./sqlite-worker.js", import.meta.url), { type: "module" });
  #waiting = new Map();
  #last = 0;

  constructor() {
    this.#worker.onmessage = ({ data: { number, value, error } }) => {
      const { resolve, reject } = this.#waiting.get(number);
      this.#waiting.delete(number);
      if (error === undefined) resolve(value);
      else reject(new Error(error));
    };
  }

  static async load(bytes) {
    const contender = new Contender();
    await contender.#call("load", bytes);
    return contender;
  }

  static async open() {
    const contender = new Contender();
    await contender.#call("open");
    return contender;
  }

  bytes(ask) {
    return this.#call("bytes", ask);
  }

  async objects(ask) {
    return JSON.parse(decoder.decode(await this.bytes(ask)));
  }

  async close() {
    await this.#call("close");
    this.#worker.terminate();
  }

  #call(name, given) {
    this.#last += 1;
    const number = this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(number, { resolve, reject });
      this.#worker.postMessage({ number, name, given });
    });
  }
}

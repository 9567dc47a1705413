// Calls to another thread or tab that have no reply yet.

import type { CallName } from "./calls.js";
import { fromMessage, toMessage } from "./error.js";
import type { Call, Reply } from "./messages.js";

/** The calls without a reply, by their numbers. */
export class Pending {
  readonly #calls = new Map<number, { call: Call; settle: (reply: Reply) => void }>();
  #last = 0;

  get size(): number {
    return this.#calls.size;
  }

  get calls(): Call[] {
    return [...this.#calls.values()].map(({ call }) => call);
  }

  has(number: number): boolean {
    return this.#calls.has(number);
  }

  add<T>(name: CallName, given: Call["given"]): { call: Call; answered: Promise<T> } {
    this.#last += 1;
    const call = { number: this.#last, name, given } as Call;
    const answered = new Promise<T>((resolve, reject) => {
      const settle = ({ value, error }: Reply): void =>
        error === undefined ? resolve(value as T) : reject(fromMessage(error));
      this.#calls.set(call.number, { call, settle });
    });
    return { call, answered };
  }

  settle(reply: Reply): void {
    const pending = this.#calls.get(reply.number);
    this.#calls.delete(reply.number);
    pending?.settle(reply);
  }

  fail(thrown: unknown): void {
    const error = toMessage(thrown);
    for (const number of [...this.#calls.keys()]) this.settle({ number, error });
  }
}

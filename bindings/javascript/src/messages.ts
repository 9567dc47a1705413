// What crosses between a page, its worker, and the workers of other tabs.

import type { CallArguments, CallName, Settings } from "./calls.js";
import { fromMessage, toMessage, type ErrorMessage } from "./error.js";

/** A call under a number of its sender's. */
export interface Call<K extends CallName = CallName> {
  readonly number: number;
  readonly name: K;
  readonly given: CallArguments<K>;
}

/** What came of the call of this number. */
export interface Reply {
  readonly number: number;
  readonly value?: unknown;
  readonly error?: ErrorMessage;
}

/** From a page to its worker. */
export type ToWorker =
  | {
      readonly kind: "open";
      readonly store: string;
      readonly module: WebAssembly.Module;
      readonly settings: Settings;
    }
  | { readonly kind: "call"; readonly call: Call }
  | { readonly kind: "close" };

/** From a worker to its page. Opening and closing have the number 0. */
export type FromWorker = Reply;

/** To all tabs of a store; `from` and `leader` are the ids of tabs. */
export type Broadcast =
  /** Asks who leads. */
  | { readonly kind: "who"; readonly from: string }
  /** Asks whether the leader is awake. */
  | { readonly kind: "ping"; readonly from: string; readonly to: string }
  | { readonly kind: "call"; readonly from: string; readonly to: string; readonly call: Call }
  /** Somebody leads from now on, under a name for this time. */
  | Leads;

export interface Leads {
  readonly kind: "leads";
  readonly term: string;
  /** What its messages are like: tabs of a site may hold several versions of an app. */
  readonly protocol: number;
}

/** What the messages of this version are like. */
export const PROTOCOL = 1;

/** From the leader to one tab. */
export type ToTab =
  | Leads
  | { readonly kind: "awake"; readonly term: string }
  | { readonly kind: "reply"; readonly term: string; readonly reply: Reply };

/** Calls that are on their way, by their numbers. */
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

/** The bytes that an answer may hand over rather than copy. */
export function transfers({ value }: Reply): Transferable[] {
  if (value instanceof Uint8Array) return [value.buffer as ArrayBuffer];
  const bytes = (value as { bytes?: unknown } | undefined)?.bytes;
  return bytes instanceof Uint8Array ? [bytes.buffer as ArrayBuffer] : [];
}

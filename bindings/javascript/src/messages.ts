// What crosses between a page, its worker, and the workers of other tabs.

import type { CallArguments, CallName, Settings } from "./calls.js";
import type { ErrorMessage } from "./error.js";

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

/** The bytes that an answer may hand over rather than copy. */
export function transfers({ value }: Reply): Transferable[] {
  if (value instanceof Uint8Array) return [value.buffer as ArrayBuffer];
  const bytes = (value as { bytes?: unknown } | undefined)?.bytes;
  return bytes instanceof Uint8Array ? [bytes.buffer as ArrayBuffer] : [];
}

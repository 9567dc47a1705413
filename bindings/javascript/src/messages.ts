// The messages between a page, its worker and the workers of other tabs.

import type { CallArguments, CallName, Settings } from "./calls.js";
import type { ErrorMessage } from "./error.js";
import type { Parcel } from "./frames.js";

/** A call, with a number that identifies it for its sender. */
export interface Call<K extends CallName = CallName> {
  readonly number: number;
  readonly name: K;
  readonly given: CallArguments<K>;
}

/** The result of the call with this number. */
export interface Reply {
  readonly number: number;
  readonly value?: unknown;
  readonly error?: ErrorMessage;
}

/** A message from a page to its worker. A parcel contains calls. */
export type ToWorker =
  | Parcel
  | {
      readonly kind: "open";
      readonly store: string;
      readonly module: WebAssembly.Module;
      readonly settings: Settings;
    }
  | { readonly kind: "close" };

/** A message from a worker to its page: replies, or a notice. */
export type ToPage =
  | Parcel
  /** Answers may have changed. */
  | "changed"
  /** The script of the worker runs. */
  | { readonly kind: "ready"; readonly protocol: number };

/** A message to all tabs of a store. `from` is the id of the sender. */
export type Broadcast =
  /** Asks the leader to identify itself. */
  | { readonly kind: "who"; readonly from: string }
  /** Announces a new leader. */
  | Leads
  /** The store was changed. */
  | { readonly kind: "changed" };

export interface Leads {
  readonly kind: "leads";
  /** Identifies the period for which the sender leads. */
  readonly term: string;
  /** The version of its messages. Tabs of a site may run several versions of an app. */
  readonly protocol: number;
}

/** The version of the messages of this package. */
export const PROTOCOL = 6;

/** A message from a tab to the leader. */
export type ToLeader =
  /** Asks whether the leader is awake. */
  | { readonly kind: "ping"; readonly from: string }
  | { readonly kind: "calls"; readonly from: string; readonly calls: Parcel };

/** A message from the leader to one tab. */
export type ToTab =
  | Leads
  | { readonly kind: "awake"; readonly term: string }
  | { readonly kind: "replies"; readonly term: string; readonly replies: Parcel };

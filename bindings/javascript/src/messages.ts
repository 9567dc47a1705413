// What crosses between a page, its worker, and the workers of other tabs.

import type { CallArguments, CallName, Settings } from "./calls.js";
import type { ErrorMessage } from "./error.js";
import type { Parcel } from "./frames.js";

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

/** From a page to its worker; a parcel is of calls. */
export type ToWorker =
  | Parcel
  | {
      readonly kind: "open";
      readonly store: string;
      readonly module: WebAssembly.Module;
      readonly settings: Settings;
    }
  | { readonly kind: "close" };

/** From a worker to its page: replies, or that answers may be others. */
export type ToPage = Parcel | "changed";

/** To all tabs of a store; `from` is the id of a tab. */
export type Broadcast =
  /** Asks who leads. */
  | { readonly kind: "who"; readonly from: string }
  /** Somebody leads from now on, under a name for this time. */
  | Leads
  /** The store was changed. */
  | { readonly kind: "changed" };

export interface Leads {
  readonly kind: "leads";
  readonly term: string;
  /** What its messages are like: tabs of a site may hold several versions of an app. */
  readonly protocol: number;
}

/** What the messages of this version are like. */
export const PROTOCOL = 5;

/** From a tab to the leader. */
export type ToLeader =
  /** Asks whether the leader is awake. */
  | { readonly kind: "ping"; readonly from: string }
  | { readonly kind: "calls"; readonly from: string; readonly calls: Parcel };

/** From the leader to one tab. */
export type ToTab =
  | Leads
  | { readonly kind: "awake"; readonly term: string }
  | { readonly kind: "replies"; readonly term: string; readonly replies: Parcel };

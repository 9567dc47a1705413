// What an engine can be asked, as calls that cross between threads and tabs.
//
// The package's types come from here and not from whoever answers: those know of the
// module, and thereby of types that a program for Node may not have.

import type { AnswerMessage } from "./answer.js";

/** What an engine is opened with, beside what each call brings along. */
export interface Settings {
  /** For what was read of the store, in bytes: 32 MiB unless told otherwise. */
  readonly cacheBytes?: number;
  /** How many records a page of v2 has unless its request says. */
  readonly pageLimit?: number;
  /** How many records a page of v2 has at most. */
  readonly maxPageLimit?: number;
}

export type Bytes = Uint8Array<ArrayBuffer>;

/**
 * The calls. Ids of changes, loads, exports, syncs and feeds are the caller's, and its own; instants
 * are seconds. Reports are JSON.
 */
export interface Calls {
  request(parts: string, body: Bytes, now: bigint | undefined, id?: string): AnswerMessage;
  ask(question: string, now: bigint | undefined): AnswerMessage;
  page(
    question: string,
    cursor: string | undefined,
    limit: number | undefined,
    reverseOrder: boolean,
    now: bigint | undefined,
  ): AnswerMessage;
  find(question: string, now: bigint | undefined): AnswerMessage;
  /** The instant from which on the answer may be another though nothing is changed. */
  holdsUntil(question: string, now: bigint): bigint | undefined;
  setState(
    username: string,
    school: bigint,
    apiTypeId: bigint,
    active: boolean,
    id: string,
  ): AnswerMessage;
  upgrade(target: string): string;
  /** Begins a load under an id; of the whole of one school, if one is given. */
  beginLoad(id: string, school: bigint | undefined): void;
  /** Takes the next bytes of a load; gives the lines read so far. */
  push(id: string, bytes: Bytes): number;
  finishLoad(id: string): string;
  cancelLoad(id: string): void;
  check(dataset: Bytes, limit: number): string;
  removeSchool(school: bigint, id: string): string;
  eraseLearner(school: bigint, learner: bigint, id: string): string;
  beginExport(id: string, credentials: boolean): void;
  /** The next lines of an export; none at its end. */
  read(id: string): Bytes | undefined;
  endExport(id: string): void;
  /** Begins a sync under an id, or goes on with the one of the school that was left. */
  beginSync(id: string, school: bigint, ...options: SyncGiven): void;
  syncNext(id: string, now: bigint): string;
  syncHandleReply(
    id: string,
    call: bigint,
    now: bigint,
    status: number,
    retryAfter: string | undefined,
    body: Bytes,
  ): string;
  syncHandleFailure(id: string, call: bigint, now: bigint, failure: string): string;
  syncPrioritise(id: string, target: string): void;
  syncQuarantined(id: string): string;
  syncApprove(id: string, target: string): void;
  syncReject(id: string, target: string): void;
  syncProgress(id: string): string;
  syncReport(id: string): string;
  endSync(id: string): void;
  synced(school: bigint): string | undefined;
  forgetSync(school: bigint): void;
  /** The position to ask for the next feed after. */
  followed(): string | undefined;
  /** Begins to take a feed in under an id. */
  beginFollow(id: string): void;
  /** Takes the next bytes of a feed; gives the lines read so far. */
  pushFollow(id: string, bytes: Bytes): number;
  finishFollow(id: string): string;
  endFollow(id: string): void;
  verify(): string;
  compact(): void;
  stats(): string;
}

/** What is to be synced of a school. */
export type SyncGiven = readonly [
  daysFrom: string | undefined,
  utcOffset: string | undefined,
  mostInFlight: number | undefined,
  rotate: number | undefined,
  outbox: string | undefined,
];

export type CallName = keyof Calls;
export type CallArguments<K extends CallName> = Parameters<Calls[K]>;
export type CallResult<K extends CallName> = ReturnType<Calls[K]>;

const changes: ReadonlySet<CallName> = new Set<CallName>([
  "beginSync",
  "compact",
  "eraseLearner",
  "finishFollow",
  "finishLoad",
  "forgetSync",
  "pushFollow",
  "removeSchool",
  "setState",
  "syncApprove",
  "syncHandleFailure",
  "syncHandleReply",
  "syncNext",
  "syncPrioritise",
  "syncReject",
]);

/** Whether a call may change the store. */
export function mayChange(name: CallName, given: CallArguments<CallName>): boolean {
  return changes.has(name) || (name === "request" && given[3] !== undefined);
}

/** Whoever answers calls: an instance here, one in a worker, or one in another tab. */
export interface Host {
  call<K extends CallName>(name: K, ...given: CallArguments<K>): Promise<CallResult<K>>;
  /** Is called when something was changed, by whomever, and when somebody else answers. */
  changed: () => void;
  close(): Promise<void>;
}

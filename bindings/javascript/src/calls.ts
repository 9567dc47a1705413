// The calls that an engine answers, in the form in which they are sent between threads and tabs.
//
// The exported types of the package refer to this file and not to the implementations of the calls,
// because these refer to the module, whose types a program for Node may not have.

import type { AnswerMessage } from "./answer.js";
import { RollbookError } from "./error.js";

/** The options of an engine that apply to all its calls. */
export interface Settings {
  /** The size of the cache of what was read from the store, in bytes. The default is 32 MiB. */
  readonly cacheBytes?: number;
  /** The number of records of a page of v2 if the request does not specify it. */
  readonly pageLimit?: number;
  /** The greatest number of records that a request may specify for a page of v2. */
  readonly maxPageLimit?: number;
}

/** Returns the options that apply to all calls. Fails as `bad_argument` if one is not a number. */
export function settingsOf({ cacheBytes, pageLimit, maxPageLimit }: Settings): Settings {
  const settings = { cacheBytes, pageLimit, maxPageLimit };
  for (const [name, value] of Object.entries(settings)) {
    if (value === undefined || typeof value === "number") continue;
    throw new RollbookError("bad_argument", `${name} is not a number: give one, or leave it out`);
  }
  return settings as Settings;
}

export type Bytes = Uint8Array<ArrayBuffer>;

/**
 * The calls. The caller chooses unique ids for changes, loads, exports, syncs and feeds. Instants
 * are in seconds since 1970-01-01T00:00:00Z. Reports are JSON.
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
  /** Returns the instant until which the answer remains valid if nothing is changed. */
  validUntil(question: string, now: bigint): bigint | undefined;
  setState(
    username: string,
    school: bigint,
    apiTypeId: bigint,
    active: boolean,
    id: string,
  ): AnswerMessage;
  upgrade(target: string): string;
  /** Starts a load. If a school is given, the load replaces that school. */
  beginLoad(id: string, school: bigint | undefined): void;
  /** Adds the next bytes to a load. Returns the number of lines that were read so far. */
  push(id: string, bytes: Bytes): number;
  finishLoad(id: string): string;
  cancelLoad(id: string): void;
  check(dataset: Bytes, limit: number): string;
  removeSchool(school: bigint, id: string): string;
  eraseLearner(school: bigint, learner: bigint, id: string): string;
  beginExport(id: string, credentials: boolean): void;
  /** Returns the next lines of an export, or nothing at its end. */
  read(id: string): Bytes | undefined;
  endExport(id: string): void;
  /** Starts a sync, which continues an interrupted pass of the school. */
  beginSync(id: string, school: bigint, ...options: SyncArguments): void;
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
  /** Returns the position after which to request the next feed. */
  followed(): string | undefined;
  /** Starts to apply a feed. */
  beginFollow(id: string): void;
  /** Adds the next bytes to a feed. Returns the number of lines that were read so far. */
  pushFollow(id: string, bytes: Bytes): number;
  finishFollow(id: string): string;
  endFollow(id: string): void;
  verify(): string;
  compact(): void;
  stats(): string;
}

/** The options of a sync, in the order of the module's parameters. */
export type SyncArguments = readonly [
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

/** Returns whether a call may change the store. */
export function mayChange(name: CallName, given: CallArguments<CallName>): boolean {
  return changes.has(name) || (name === "request" && given[3] !== undefined);
}

/** Answers calls, with an instance in this thread, in a worker or in another tab. */
export interface Host {
  call<K extends CallName>(name: K, ...given: CallArguments<K>): Promise<CallResult<K>>;
  /**
   * Is called after any tab has changed the store, and after the leader has changed, because a
   * change may have been missed then.
   */
  changed: () => void;
  close(): Promise<void>;
}

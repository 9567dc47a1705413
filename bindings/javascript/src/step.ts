// What crosses between a sync and whoever drives it: steps out, replies in.

import type { DateText } from "./questions.js";

/** What is to be synced of a school; each may be left out. */
export interface SyncOptions {
  /**
   * The first day of absences and discipline; a month before today unless given, and at
   * most ten years before.
   */
  readonly daysFrom?: DateText;
  /**
   * The school's distance from UTC as `±HH:MM`, which the service does not tell; `+02:00`
   * unless given. It says which day is today at the school.
   */
  readonly utcOffset?: string;
  /** How many calls may be out at once; 4 unless given. The service may make it fewer. */
  readonly mostInFlight?: number;
  /**
   * How many of the answers that seldom change are asked for again in a pass, the oldest
   * first; 25 unless given.
   */
  readonly rotate?: number;
  /**
   * The integrator with whose credentials the calls are sent, by user name, if its state
   * updates are to be taken and sent. What was asked for shows at once, and is taken back
   * if the service refuses it. Without it state updates of a school that is synced are
   * refused.
   */
  readonly outbox?: string;
}

/** What is to be sent, with the integrator's credentials. */
export interface Call {
  /** Tells its reply from others. */
  readonly id: bigint;
  /** The method, in upper case. */
  readonly method: string;
  /** The path and the query string. */
  readonly target: string;
  /** The body, JSON; empty for `GET`. */
  readonly body: string;
}

/** What is to be done next. */
export type Step =
  /** Send this, and hand in the reply. It is not said again while it is out. */
  | { readonly kind: "send"; readonly call: Call }
  /** Nothing can be sent now: ask again at this instant, or when a reply was handed in. */
  | { readonly kind: "wait"; readonly until: Date }
  /** All is published. */
  | { readonly kind: "done"; readonly report: SyncReport }
  /** It cannot go on, and says so from now on. What was published is answered. */
  | { readonly kind: "stop"; readonly why: Why };

/**
 * Why a sync stopped: the service says 401; the school was removed, or is no longer to be
 * synced; its record or its current learners could not be had; another sync of the school
 * was begun since.
 */
export type Why = "unauthorised" | "forgotten" | "incomplete" | "superseded";

/** What the service answered to a call. */
export interface Reply {
  readonly status: number;
  /** The value of the header `Retry-After`, if there is one. */
  readonly retryAfter?: string | undefined;
  /** The whole body. */
  readonly body: Uint8Array;
}

/** Why there is no reply: there is no network, none came in time, the connection was cut. */
export type NoReply = "offline" | "timeout" | "cut";

/** What was made of a reply. */
export type Taken =
  /**
   * It was read whole, and is published with the pass; it is as it was; it may not be had
   * or cannot be read, and the rest goes on without; nobody waits for it any more.
   */
  | { readonly outcome: "kept" | "same" | "givenUp" | "stale" }
  /** It is to be asked for again, not before this instant. */
  | { readonly outcome: "retry"; readonly at: Date };

/** What a pass came to. It names targets and members, and never a value of an answer. */
export interface SyncReport {
  /** How many replies were taken. */
  readonly replies: number;
  /** How many of them were as before. */
  readonly same: number;
  /** What was given up, so that it is not synced. */
  readonly givenUp: readonly GivenUp[];
  /**
   * What was held back, since it would have taken away much of what is kept: its old
   * records are still answered. `confirm` says that it is right.
   */
  readonly held: readonly string[];
  /** Members of answers that are unknown, as `record: member`. */
  readonly unknown: readonly string[];
  /** State updates that the service refused: the states are what they were before. */
  readonly refused: readonly RefusedState[];
  /**
   * What the service changed again and again while it was asked, so that one answer may be
   * older than another. The next pass asks for it.
   */
  readonly unsettled: readonly string[];
}

/** A call that came to nothing: its path and query string, and why, in words. */
export interface GivenUp {
  readonly target: string;
  readonly why: string;
}

/** A state update that the service refused. */
export interface RefusedState {
  readonly apiTypeId: bigint;
  /** The state that was asked for. */
  readonly state: boolean;
  /** The HTTP status. */
  readonly status: number;
}

/** How far a pass has come. */
export interface SyncProgress {
  /** How many answers there are. */
  readonly answered: number;
  /**
   * How many are known to be still asked for. Answers tell what else there is to ask, so
   * that it grows at first.
   */
  readonly left: number;
  /** How many calls are out. */
  readonly inFlight: number;
}

/** What was seen of a school that is synced. */
export interface Coverage {
  /** When the oldest of it was seen; `null` if nothing was. */
  readonly asOf: Date | null;
  /** What was seen, kind by kind. */
  readonly seen: readonly Covered[];
  /** How many learners were erased, whom sync does not bring back. */
  readonly erased: number;
}

/** A kind of what was seen of a school. */
export interface Covered {
  /** What it is, as `not_synced` calls it: `the current learners`. */
  readonly what: string;
  /** The administrative year, of what is of one year. */
  readonly year: number | null;
  /** The first day, of what is of days; */
  readonly from: string | null;
  /** and the last. */
  readonly to: string | null;
  /** Of how many learners, grades, or terms of a grade it was seen; 1 of all else. */
  readonly count: number;
  /** When the oldest of it was seen. */
  readonly asOf: Date;
}

/** Reads what the module says: it has instants in seconds, and ids as texts. */
export function read<T>(json: string): T {
  return JSON.parse(json, (name, value: unknown) => {
    if (typeof value === "number" && instants.has(name)) return new Date(value * 1000);
    return typeof value === "string" && ids.has(name) ? BigInt(value) : value;
  }) as T;
}

const instants: ReadonlySet<string> = new Set(["until", "at", "asOf"]);
const ids: ReadonlySet<string> = new Set(["id", "apiTypeId"]);

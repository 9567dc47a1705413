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
  /**
   * The sync cannot continue, and every further step is the same. Records that were published
   * before are still answered.
   */
  | { readonly kind: "stop"; readonly reason: StopReason };

/**
 * The reason for which a sync stopped.
 *
 * - `unauthorised`: the service answered 401, without saying whether the credentials are wrong or
 *   the school has not authorised the integrator.
 * - `wrongCredentials`: the service answered 401 because of the credentials.
 * - `schoolNotAuthorised`: the service answered 401 because of the school.
 * - `unreachable`: the service could not be reached.
 * - `forgotten`: the school was removed, or is no longer synced.
 * - `incomplete`: the school's record or its current learners could not be fetched, so that nothing
 *   was published.
 * - `superseded`: another sync of the school was started since.
 */
export type StopReason =
  | "unauthorised"
  | "wrongCredentials"
  | "schoolNotAuthorised"
  | "unreachable"
  | "forgotten"
  | "incomplete"
  | "superseded";

/** What the service answered to a call. */
export interface Reply {
  readonly status: number;
  /** The value of the header `Retry-After`, if there is one. */
  readonly retryAfter?: string | undefined;
  /** The whole body. */
  readonly body: Uint8Array;
}

/**
 * The reason for which there is no reply to a call: there is no network, no reply arrived in time,
 * or the connection was interrupted.
 */
export type CallFailure = "offline" | "timeout" | "cut";

/** The outcome of a reply. */
export type ReplyOutcome =
  /**
   * - `stored`: the answer was read completely, and is published with the pass.
   * - `unchanged`: the answer was read completely, and is unchanged.
   * - `failed`: the service refuses the answer, or the answer cannot be read. The pass continues
   *   without it.
   * - `stale`: the reply is no longer expected, and is ignored.
   */
  | { readonly outcome: "stored" | "unchanged" | "failed" | "stale" }
  /** The call must be repeated, not before this instant. A later step returns it again. */
  | { readonly outcome: "retry"; readonly at: Date };

/**
 * The results of a pass. It contains targets and names of members, but never a value of an answer.
 */
export interface SyncReport {
  /** How many replies were evaluated. */
  readonly replies: number;
  /** How many of these replies were unchanged. */
  readonly unchanged: number;
  /** The calls that failed permanently, so that their data is not synced. */
  readonly failed: readonly FailedRequest[];
  /**
   * The answers that are stored but not published because they would remove much, and those that
   * are published only together with them. Until such an answer is published, the records that it
   * would change are answered unchanged. `approve` and `reject` decide about it. `quarantined`
   * returns the same list at any time.
   */
  readonly quarantined: readonly QuarantinedAnswer[];
  /** Members of answers that are unknown, as `record: member`. */
  readonly unknown: readonly string[];
  /** State updates that the service refused: the states are what they were before. */
  readonly refused: readonly RefusedState[];
  /**
   * State updates that the service has not accepted yet. The store answers them all the
   * same, and the next sync sends them.
   */
  readonly unsent: readonly UnsentState[];
  /**
   * Targets whose answers changed each time they were requested again, so that one answer may be
   * older than another. The next pass requests them.
   */
  readonly unstable: readonly string[];
}

/** A call that failed permanently. */
export interface FailedRequest {
  /** The path and the query string. */
  readonly target: string;
  /** The reason, as text. */
  readonly reason: string;
}

/** An answer that is stored but not published. */
export interface QuarantinedAnswer {
  /** The path and the query string. */
  readonly target: string;
  /**
   * How many stored values the answer would remove: records, or values of the field that would
   * lose most. It is 0 if the answer is unpublished only because it is published together with
   * another one.
   */
  readonly lost: number;
  /** How many such values are stored. */
  readonly stored: number;
}

/** A state update that the service refused. */
export interface RefusedState {
  readonly apiTypeId: bigint;
  /** The state that was asked for. */
  readonly state: boolean;
  /** The HTTP status. */
  readonly status: number;
}

/** A state update that the service has not accepted yet. */
export interface UnsentState {
  readonly apiTypeId: bigint;
  /** The state that was asked for. */
  readonly state: boolean;
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

// The types that a sync exchanges with its driver: steps and calls, and the replies to them.

import type { DateText } from "./questions.js";

/** The options of a sync. */
export interface SyncOptions {
  /**
   * The first day of the absences and discipline records to sync. The default is a month before
   * today; the limit is ten years before today.
   */
  readonly daysFrom?: DateText;
  /**
   * The school's offset from UTC as `±HH:MM`, which no answer of the service contains. It
   * determines the current date of the school. It is stored with the school's record: a sync
   * without this option uses the stored offset, which is `+02:00` at first.
   */
  readonly utcOffset?: string;
  /**
   * How many calls may be in flight at once. The default is 4. While the service answers 429, the
   * sync allows fewer.
   */
  readonly mostInFlight?: number;
  /**
   * How many of the answers that seldom change a pass requests again, the oldest first. The default
   * is 25.
   */
  readonly rotate?: number;
  /**
   * The user name of the integrator whose credentials the calls use, if state updates of that
   * integrator are accepted and sent. A requested state is visible at once, and is reset if the
   * service refuses it. Without this option, state updates of a synced school are refused.
   */
  readonly outbox?: string;
}

/** A request to send with the credentials of the integrator. */
export interface Call {
  /** Identifies the call when its reply is passed to the sync. */
  readonly id: bigint;
  /** The method, in upper case. */
  readonly method: string;
  /** The path and the query string. */
  readonly target: string;
  /** The JSON body, which is empty for `GET`. */
  readonly body: string;
}

/** What the driver of a sync must do next. */
export type Step =
  /**
   * Send this call, and pass the reply to the sync. While the call is in flight, it is not returned
   * again.
   */
  | { readonly kind: "send"; readonly call: Call }
  /**
   * Nothing can be sent now. Request the next step at this instant, or as soon as a reply was
   * passed to the sync.
   */
  | { readonly kind: "wait"; readonly until: Date }
  /** Everything is published. */
  | { readonly kind: "done"; readonly report: SyncReport }
  /**
   * The sync cannot continue, and every further step is the same. Records that were published
   * before are still answered. The report contains the results so far; its failed requests say what
   * the service answered. Start another sync when the reason no longer applies.
   */
  | { readonly kind: "stop"; readonly reason: StopReason; readonly report: SyncReport };

/**
 * The reason for which a sync stopped.
 *
 * - `unauthorised`: the service answered 401, without saying whether the credentials are wrong or
 *   the school has not authorised the integrator. Check both.
 * - `wrongCredentials`: the service answered 401 because of the credentials.
 * - `schoolNotAuthorised`: the service answered 401 because of the school.
 * - `unreachable`: the service could not be reached.
 * - `forgotten`: the school was removed, or is no longer synced.
 * - `incomplete`: no answer of the pass could be fetched. The failed requests of the report say why.
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

/** The reply of the service to a call. */
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
 * The results of a pass. It contains targets, names of members and keys of records, but no other
 * value of an answer.
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
  /**
   * The values of the stored answers that could not be used, by kind and field of the record. A
   * later pass reports them again as long as the service has them.
   */
  readonly findings: readonly Finding[];
  /** Members of answers that are unknown, as `record: member`. */
  readonly unknown: readonly string[];
  /**
   * State updates that the service refused during this pass, or after the pass before it. The states
   * are the same as before.
   */
  readonly refused: readonly RefusedState[];
  /**
   * State updates of all integrators that the service has not accepted yet. The answers of the store
   * contain them, and the next sync whose `outbox` names the integrator sends them.
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
  /** The HTTP status of the last reply, or `null` if the last attempt had no reply. */
  readonly status: number | null;
  /** The reason, as text. It names the record and the field, if one of them is the cause. */
  readonly reason: string;
}

/**
 * The values of one field that could not be used, in records of one kind. It contains no value of
 * the field.
 */
export interface Finding {
  /** The kind of the records, as datasets name it, for example `learner`. */
  readonly kind: string;
  /**
   * The field, for example `date_of_birth`. It is empty if the service has something else in place
   * of the record.
   */
  readonly field: string;
  /** What the sync does with such a record. */
  readonly effect: FindingEffect;
  /** How many such values the answers contain. */
  readonly count: number;
  /**
   * The keys of the first twenty of these records, without their school. The numbers of a key are
   * separated by `/`, in the order of the fields of a dataset: the key of a mark is
   * `assessment_id/learner_id`. A record whose key cannot be read has none.
   */
  readonly keys: readonly string[];
  /** The path and the query string of the first answer that contains such a value. */
  readonly target: string;
}

/**
 * What a sync does with a record that has a value that cannot be used.
 *
 * - `fieldEmpty`: the field is empty, as if the service had given no value, unless another answer
 *   has the value. Many answers repeat the fields of a subject, a grade, a year and a learning
 *   outcome: such a field retains its value if it had one.
 * - `recordLeftOut`: the record is left out, because the field is part of its key or a rule reads
 *   it. If the record is stored, it remains unchanged.
 */
export type FindingEffect = "fieldEmpty" | "recordLeftOut";

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
  /** The requested state. */
  readonly state: boolean;
  /** The HTTP status. */
  readonly status: number;
}

/** A state update that the service has not accepted yet. */
export interface UnsentState {
  readonly apiTypeId: bigint;
  /** The requested state. */
  readonly state: boolean;
}

/** The progress of a pass. */
export interface SyncProgress {
  /** How many requests are finished: they were answered, or failed permanently. */
  readonly answered: number;
  /**
   * How many requests are known to be unfinished. Answers show what else must be requested, so this
   * number grows at first.
   */
  readonly left: number;
  /** How many calls are in flight. */
  readonly inFlight: number;
}

/** The coverage of a synced school: which data was fetched from the service. */
export interface Coverage {
  /** The time at which the oldest data was fetched, or `null` if no data was. */
  readonly asOf: Date | null;
  /** The fetched data, kind by kind. */
  readonly seen: readonly Covered[];
  /** The number of erased learners, which a sync does not add again. */
  readonly erased: number;
}

/** One kind of data of a school that was fetched. */
export interface Covered {
  /** The name of the kind, as in the message of `not_synced`: `the current learners`. */
  readonly what: string;
  /** The administrative year, if the data is of one year. */
  readonly year: number | null;
  /** The first day, if the data is of a range of days. */
  readonly from: string | null;
  /** The last day, if the data is of a range of days. */
  readonly to: string | null;
  /** The number of learners or grades whose data was fetched; 1 for other kinds. */
  readonly count: number;
  /** The time at which the oldest of this data was fetched. */
  readonly asOf: Date;
}

/** Parses JSON of the module, which contains instants in seconds and ids as texts. */
export function read<T>(json: string): T {
  return JSON.parse(json, (name, value: unknown) => {
    if (typeof value === "number" && instants.has(name)) return new Date(value * 1000);
    return typeof value === "string" && ids.has(name) ? BigInt(value) : value;
  }) as T;
}

const instants: ReadonlySet<string> = new Set(["until", "at", "asOf"]);
const ids: ReadonlySet<string> = new Set(["id", "apiTypeId"]);

/**
 * The stable code of an error, for programs. The codes of the engine are the same in every
 * language. This package adds `bad_argument` and the last three: `crashed`, the module stopped;
 * `interrupted`, the store was opened again during a load, an export or a feed; `no_storage`, the
 * browser has no private file system for a store.
 */
export type ErrorCode =
  | "bad_dataset"
  | "already_open"
  | "busy"
  | "reader_ended"
  | "suspended"
  | "closed"
  | "corrupt"
  | "io"
  | "not_a_store"
  | "missing"
  | "newer_format"
  | "exists"
  | "cancelled"
  | "id_reused"
  | "not_synced"
  | "synced"
  | "resync_required"
  | "out_of_sync"
  | "diverged"
  | "unsupported"
  | "bad_argument"
  | "crashed"
  | "interrupted"
  | "no_storage";

/**
 * The error with which a call of the engine fails. A refusal that the API defines, such as for a
 * wrong parameter or for a client that has not authorised the integrator, is an answer with its
 * status, and never an error. The message says what to do next.
 */
export class RollbookError extends Error {
  override readonly name = "RollbookError";

  constructor(
    readonly code: ErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export const closed = (): RollbookError =>
  new RollbookError("closed", "the engine is closed: open the store again");

export const interrupted = (): RollbookError =>
  new RollbookError(
    "interrupted",
    "the store was opened again during a load, an export or a feed: start it again",
  );

/** An error in the form in which it is sent between threads and tabs. */
export interface ErrorMessage {
  readonly code: ErrorCode | undefined;
  readonly message: string;
}

export function toMessage(thrown: unknown): ErrorMessage {
  if (thrown instanceof RollbookError) return { code: thrown.code, message: thrown.message };
  return { code: undefined, message: String(thrown) };
}

export function fromMessage({ code, message }: ErrorMessage): Error {
  return code === undefined ? new Error(message) : new RollbookError(code, message);
}

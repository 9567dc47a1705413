import { errorName } from "./kind.js";

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

/** Returns the error of a page or worker that cannot store data. `why` is the beginning of its text. */
export function noStorage(why: string, cause?: unknown): RollbookError {
  const message =
    `${why}: serve the page over https, leave private mode and allow the site to store data, or ` +
    "call Rollbook.memory(), which stores nothing permanently";
  return new RollbookError("no_storage", message, cause === undefined ? undefined : { cause });
}

/** The beginning of the text of an error when no space is left. */
export const storageFull = "the browser's storage for this site is full";

/** Converts an error of a browser's function. A RollbookError remains unchanged. */
export function toRollbookError(thrown: unknown): RollbookError {
  if (thrown instanceof RollbookError) return thrown;
  const error = (code: ErrorCode, message: string): RollbookError =>
    new RollbookError(code, message, { cause: thrown });
  switch (errorName(thrown)) {
    case "SecurityError":
    case "NotAllowedError":
      return noStorage(`this browser denies storage here (${String(thrown)})`, thrown);
    case "QuotaExceededError":
      return error("io", `${storageFull}: free space, then try again`);
    default: {
      const text = `the browser's storage failed (${String(thrown)})`;
      return error("io", `${text}, and committed data is not lost: try again`);
    }
  }
}

/** An error in the form in which it is sent between threads and tabs. */
export interface ErrorMessage {
  readonly code: ErrorCode;
  readonly message: string;
  /** The original error, if there is one. */
  readonly cause: Pick<Error, "name" | "message"> | undefined;
}

export function toMessage(thrown: unknown): ErrorMessage {
  const { code, message, cause } = toRollbookError(thrown);
  if (cause === undefined) return { code, message, cause };
  const name = errorName(cause);
  const text = name === "" ? String(cause) : (cause as Error).message;
  return { code, message, cause: { name: name || "Error", message: text } };
}

export function fromMessage({ code, message, cause }: ErrorMessage): RollbookError {
  if (cause === undefined) return new RollbookError(code, message);
  const { name } = cause;
  return new RollbookError(code, message, { cause: Object.assign(new Error(cause.message), { name }) });
}

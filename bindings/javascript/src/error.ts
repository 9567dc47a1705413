/**
 * The stable name of what went wrong, for programs. Those of the engine are the
 * same in every language; `bad_argument` and the last three are of this package:
 * `crashed`, the module stopped; `interrupted`, the store was opened again in the
 * middle of a load or an export; `no_storage`, the browser has no place for a store.
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
 * What is thrown when the engine cannot do what it was asked. A refusal that the
 * API itself knows (a wrong parameter, a client that has not authorised) is an
 * answer with its status, never an error. The message says what to do next.
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
    "the store was opened again meanwhile, and nothing of this was kept: begin again",
  );

/** An error as it crosses between threads and tabs. */
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

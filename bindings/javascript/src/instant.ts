import { RollbookError } from "./error.js";

/** An instant: a `Date`, or milliseconds since 1970-01-01T00:00:00Z. */
export type Instant = Date | number;

/** Converts an instant to seconds, as the module expects it. */
export function toSeconds(instant: Instant): bigint {
  const milliseconds = Number(instant);
  if (!Number.isFinite(milliseconds)) {
    throw new RollbookError("bad_argument", `${String(instant)} is not an instant: give a valid Date`);
  }
  return BigInt(Math.floor(milliseconds / 1000));
}

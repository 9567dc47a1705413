import { RollbookError } from "./error.js";

/** An instant as JavaScript has them: a `Date`, or milliseconds since 1970 in UTC. */
export type Instant = Date | number;

/** Seconds, as the module takes them. */
export function toSeconds(instant: Instant): bigint {
  const milliseconds = Number(instant);
  if (!Number.isFinite(milliseconds)) {
    throw new RollbookError("bad_argument", `${String(instant)} is no instant: give a valid Date`);
  }
  return BigInt(Math.floor(milliseconds / 1000));
}

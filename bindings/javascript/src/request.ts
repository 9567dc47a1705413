import type { Instant } from "./instant.js";

/** A request as an HTTP client sends it (section 4), beside its target. */
export interface RequestOptions {
  /** The method, in upper case: `GET` unless given. */
  readonly method?: string;
  /**
   * The headers. Every request needs `HTTP-X-USERNAME` and `HTTP-X-PASSWORD`, most of
   * v2 `HTTP-X-SCHOOLID` as well. If a name stands several times, the last counts.
   */
  readonly headers?: Readonly<Record<string, string>> | Iterable<readonly [string, string]>;
  /** The body; empty for all but PATCH and POST. One of more than 65,536 bytes is refused: 413. */
  readonly body?: string | Uint8Array;
  /** The instant to answer for; the engine's clock unless given. */
  readonly now?: Instant;
}

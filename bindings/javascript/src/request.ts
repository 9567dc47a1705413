import type { Instant } from "./instant.js";

/** A request as an HTTP client sends it (section 4), without its target. */
export interface RequestOptions {
  /** The method, in upper case. The default is `GET`. */
  readonly method?: string;
  /**
   * The headers. Every request needs `HTTP-X-USERNAME` and `HTTP-X-PASSWORD`. Most requests of v2
   * also need `HTTP-X-SCHOOLID`. If a name occurs several times, its last value is used.
   */
  readonly headers?: Readonly<Record<string, string>> | Iterable<readonly [string, string]>;
  /** The body, empty except for PATCH and POST. More than 65,536 bytes are refused with 413. */
  readonly body?: string | Uint8Array;
  /** The instant to answer for. The default is the time of the engine's clock. */
  readonly now?: Instant;
}

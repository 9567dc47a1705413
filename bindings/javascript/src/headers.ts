// Encodes the headers of a request.

import { RollbookError } from "./error.js";
import type { RequestOptions } from "./request.js";

/**
 * Encodes the values of headers in UTF-8. An invalid value is refused here, because the error of
 * `Headers` would repeat the value, which may be a password.
 */
export function headersOf(given: NonNullable<RequestOptions["headers"]>): Headers {
  const headers = new Headers();
  for (const [name, value] of Symbol.iterator in given ? given : Object.entries(given)) {
    try {
      headers.set(name, String.fromCharCode(...new TextEncoder().encode(value)));
      if (value !== value.trim()) throw new TypeError();
    } catch {
      throw new RollbookError("bad_argument", `the value of ${name} cannot be sent as a header`);
    }
  }
  return headers;
}

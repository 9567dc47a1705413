// Headers of what is sent.

import { RollbookError } from "./error.js";
import type { RequestOptions } from "./request.js";

/** Headers of any texts, in UTF-8. Whoever refuses one would repeat its value. */
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

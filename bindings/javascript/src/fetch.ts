// An implementation of `fetch` that an engine answers.

import type { Answer } from "./answer.js";
import { isA } from "./kind.js";
import type { RequestOptions } from "./request.js";

/** Statuses whose responses have no body in HTTP. */
const bodiless = new Set([204, 205, 304]);

/** Returns the base of relative URLs. */
const origin = (): string =>
  typeof location !== "undefined" && location.protocol.startsWith("http")
    ? location.href
    : "http://rollbook.invalid/";

/** Answers a request of `fetch`. Only the path and the query of its URL are used. */
export async function answerTo(
  input: RequestInfo | URL,
  init: RequestInit | undefined,
  ask: (target: string, options: RequestOptions) => Promise<Answer>,
): Promise<Response> {
  const resolved = isA(input, "Request") ? input : new URL(input, origin());
  const request = new Request(resolved, init);
  request.signal.throwIfAborted();
  const url = new URL(request.url);
  const body = new Uint8Array(await request.arrayBuffer());
  const answer = await ask(url.pathname + url.search, {
    method: request.method,
    headers: request.headers,
    body,
  });
  request.signal.throwIfAborted();
  return new Response(bodiless.has(answer.status) ? null : answer.bytes, {
    status: answer.status,
    headers: answer.headers,
  });
}

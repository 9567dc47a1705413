// Requests a feed with `fetch`, and applies it.

import type { Progress } from "./dataset.js";
import { RollbookError } from "./error.js";
import { headersOf } from "./headers.js";
import type { RequestOptions } from "./request.js";
import type { Engine, Summary } from "./rollbook.js";

export interface FollowFromOptions {
  /** The headers of the request, which identify the app's user to the server. */
  readonly headers?: NonNullable<RequestOptions["headers"]>;
  /** Sends the request. The default is the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** How long the server may wait for a change, in whole seconds. The default is 0. */
  readonly wait?: number;
  /** Is called with the progress of the feed. */
  readonly onProgress?: (progress: Progress) => void;
  /** Aborts the request: the promise rejects with the reason. */
  readonly signal?: AbortSignal;
}

/** The server answered with a status and without a feed. Nothing was changed. */
export class FollowRefused extends Error {
  override readonly name = "FollowRefused";

  constructor(
    /** The HTTP status. */
    readonly status: number,
  ) {
    super(
      `the server answered ${status} and no feed: check the address, and the headers that ` +
        "identify the user, or try again later",
    );
  }
}

/** The time after which a connection without data is given up, in milliseconds. */
const LONGEST_SILENCE = 60_000;

/**
 * Requests once what has changed since this store last followed the server, as
 * `GET address?after=…&wait=…`, and applies it. Returns the changes, or `null` if there were none
 * while the server waited. To stay up to date, call it in a loop with `wait`. A summary without
 * records means that the feed contained only a new position, because the server will not recognise
 * the old one much longer.
 *
 * Each complete part of the feed remains applied, even if the call fails later. The next call
 * continues after it.
 *
 * Rejects with `FollowRefused` for any other answer, with the error of `fetch`, with the reason of
 * the signal, as `bad_argument` for an invalid `wait`, and as `follow` does. After `diverged`, the
 * next call requests everything again.
 */
export async function followFrom(
  engine: Engine,
  address: string | URL,
  { headers = [], fetch = globalThis.fetch, wait = 0, onProgress, signal }: FollowFromOptions = {},
): Promise<Summary | null> {
  signal?.throwIfAborted();
  if (!Number.isSafeInteger(wait) || wait < 0) {
    const message = `a wait of ${wait} seconds is invalid: give 0 or more whole seconds`;
    throw new RollbookError("bad_argument", message);
  }
  const aborter = new AbortController();
  const end = (): void => aborter.abort(signal?.reason);
  const giveUp = (): void =>
    aborter.abort(new RollbookError("io", "nothing came from the server for a minute: ask again"));
  let timer = setTimeout(giveUp, wait * 1000 + LONGEST_SILENCE);
  const reportProgress = (progress: Progress): void => {
    clearTimeout(timer);
    timer = setTimeout(giveUp, LONGEST_SILENCE);
    onProgress?.(progress);
  };
  signal?.addEventListener("abort", end);
  const ask = async (after: string | null): Promise<Response> => {
    const url = new URL(address, globalThis.location?.href);
    if (after !== null) url.searchParams.set("after", after);
    if (wait > 0) url.searchParams.set("wait", String(wait));
    // Another origin must not receive the headers, so no redirect is followed.
    const given = { headers: headersOf(headers), redirect: "error", cache: "no-store" } as const;
    return fetch(url, { ...given, signal: aborter.signal });
  };
  try {
    const after = await engine.followed();
    const response = await ask(after);
    if (response.status === 200) {
      return await engine.follow(response, { onProgress: reportProgress, signal: aborter.signal });
    }
    await response.body?.cancel();
    if (response.status === 204) return null;
    throw new FollowRefused(response.status);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
    // The rest of the answer is not read.
    aborter.abort();
  }
}

// A feed asked for over `fetch`.

import type { Progress } from "./dataset.js";
import { RollbookError } from "./error.js";
import { headersOf } from "./headers.js";
import type { RequestOptions } from "./request.js";
import type { Engine, Summary } from "./rollbook.js";

export interface FollowFromOptions {
  /** What tells the server who asks. */
  readonly headers?: NonNullable<RequestOptions["headers"]>;
  /** What sends the request; the global `fetch` unless given. */
  readonly fetch?: typeof globalThis.fetch;
  /** How long the server may wait for a change, in seconds; not at all unless given. */
  readonly wait?: number;
  /** Hears how far the feed has come. */
  readonly onProgress?: (progress: Progress) => void;
  /** Ends it; the promise rejects with the reason. */
  readonly signal?: AbortSignal;
}

/** The server hands out no feed. Nothing was changed. */
export class FollowRefused extends Error {
  override readonly name = "FollowRefused";

  constructor(
    /** The HTTP status. */
    readonly status: number,
  ) {
    super(
      `the server answered ${status} and no feed: check the address, and the headers that tell ` +
        "who asks, or try again later",
    );
  }
}

/** A connection on which nothing comes for so long is taken for dead, in milliseconds. */
const LONGEST_SILENCE = 60_000;

/**
 * Asks a server once what changed since this store followed it last, and takes what comes:
 * `GET address?after=…&wait=…`. Gives what it changed, or `null` if nothing did for as long as
 * the server waited. Called again and again with `wait`, it keeps the store in step. A summary
 * without records is one of a feed that brought a new position alone, in place of one that the
 * server will forget before long.
 *
 * However it ends, each part that came to its end is kept, and the next call goes on behind
 * it.
 *
 * Rejects with `FollowRefused` for any other answer, with what `fetch` fails with, with the
 * reason of the signal, and as `follow` does: as `diverged` the next call brings everything again.
 */
export async function followFrom(
  engine: Engine,
  address: string | URL,
  { headers = [], fetch = globalThis.fetch, wait = 0, onProgress, signal }: FollowFromOptions = {},
): Promise<Summary | null> {
  signal?.throwIfAborted();
  const over = new AbortController();
  const end = (): void => over.abort(signal?.reason);
  const silent = (): void =>
    over.abort(new RollbookError("io", "nothing came from the server for a minute: ask again"));
  let timer = setTimeout(silent, wait * 1000 + LONGEST_SILENCE);
  const heard = (progress: Progress): void => {
    clearTimeout(timer);
    timer = setTimeout(silent, LONGEST_SILENCE);
    onProgress?.(progress);
  };
  signal?.addEventListener("abort", end);
  const ask = async (after: string | null): Promise<Response> => {
    const url = new URL(address, globalThis.location?.href);
    if (after !== null) url.searchParams.set("after", after);
    if (wait > 0) url.searchParams.set("wait", String(wait));
    // Another origin must not get the headers.
    const given = { headers: headersOf(headers), redirect: "error", cache: "no-store" } as const;
    return fetch(url, { ...given, signal: over.signal });
  };
  try {
    const after = await engine.followed();
    const response = await ask(after);
    if (response.status === 200) {
      return await engine.follow(response, { onProgress: heard, signal: over.signal });
    }
    await response.body?.cancel();
    if (response.status === 204) return null;
    throw new FollowRefused(response.status);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", end);
    // Whatever is left of the answer is not waited for.
    over.abort();
  }
}

// A sync driven over `fetch`.

import { RollbookError } from "./error.js";
import { headersOf } from "./headers.js";
import type { RequestOptions } from "./request.js";
import type { Call, CallFailure, Reply, StopReason, SyncProgress, SyncReport } from "./step.js";
import type { Sync } from "./sync.js";

export interface SyncWithOptions {
  /**
   * What is sent with each call: on a server the credentials, `HTTP-X-USERNAME` and
   * `HTTP-X-PASSWORD`; in a page what the app's own server asks for.
   */
  readonly headers?: NonNullable<RequestOptions["headers"]>;
  /** What sends the calls; the global `fetch` unless given. */
  readonly fetch?: typeof globalThis.fetch;
  /** Hears how far it has come, after each reply. */
  readonly onProgress?: (progress: SyncProgress) => void;
  /** Ends it; the promise rejects with the reason. */
  readonly signal?: AbortSignal;
}

/** A sync cannot go on. What was published is answered. */
export class SyncStopped extends Error {
  override readonly name = "SyncStopped";

  constructor(readonly reason: StopReason) {
    super(reasons[reason]);
  }
}

const reasons: Readonly<Record<StopReason, string>> = {
  unauthorised:
    "the service answered 401: check the credentials, and that the school has authorised the " +
    "integrator",
  wrongCredentials:
    "the service answered 401 to the credentials: check the user name and the password",
  schoolNotAuthorised:
    "the service answered 401 to the school: check its id, and that it has authorised the " +
    "integrator",
  unreachable: "the service could not be reached: check its address, and that it is up",
  forgotten:
    "the school was removed, or is no longer to be synced: begin a new sync if it should be",
  incomplete:
    "the school's record or its current learners could not be had, so that nothing was " +
    "published: try again later",
  superseded: "another sync of the school was begun since: let that one go on",
};

/** A call is aborted after this time, in milliseconds; the machine waits for two minutes. */
const LONGEST_CALL = 90_000;
/** What is longer is as if it had been cut. */
const LONGEST_BODY = 64 << 20;
/** A device that slept asks for the next step after so long at the latest. */
const LONGEST_SLEEP = 60_000;
/** So often something is tried that the store is too busy for, */
const TRIES = 3;
/** after so long. */
const PAUSE = 1000;

/**
 * Fills a school from the service at a base address: scheme, host and path, or in a page a
 * path of the app's own server, which adds the credentials and passes the call on.
 *
 * No redirect is followed. However it ends, the outcome of each reply is stored, and the next sync
 * of the school continues.
 *
 * Rejects with `SyncStopped` if it cannot go on, as with wrong credentials; with the reason
 * of the signal; as `busy` or `io` if the store fails again and again.
 */
export async function syncWith(
  sync: Sync,
  baseAddress: string | URL,
  options: SyncWithOptions = {},
): Promise<SyncReport> {
  options.signal?.throwIfAborted();
  return new Driver(sync, base(baseAddress), options).drive();
}

class Driver {
  readonly #sync: Sync;
  readonly #base: string;
  readonly #headers: Headers;
  readonly #options: SyncWithOptions;
  /** Aborted when it ends: the calls that are out end with it. */
  readonly #end = new AbortController();
  readonly #began: number;
  readonly #since = performance.now();
  #failed: { readonly error: unknown } | undefined;
  /** Wakes it. */
  #ring: () => void = () => undefined;

  constructor(sync: Sync, base: string, options: SyncWithOptions) {
    this.#sync = sync;
    this.#base = base;
    this.#headers = headersOf(options.headers ?? []);
    this.#options = options;
    this.#began = sync.now();
  }

  async drive(): Promise<SyncReport> {
    const { signal } = this.#options;
    const ring = (): void => this.#ring();
    signal?.addEventListener("abort", ring);
    try {
      for (;;) {
        // What ends while the step is asked for must not be slept through.
        const rung = new Promise<void>((resolve) => {
          this.#ring = resolve;
        });
        const step = await this.#persevering(() => this.#sync.next({ now: this.#now() }));
        signal?.throwIfAborted();
        if (this.#failed !== undefined) throw this.#failed.error;
        switch (step.kind) {
          case "send":
            void this.#exchange(step.call);
            break;
          case "wait":
            await this.#sleep(step.until.getTime() - this.#now(), rung);
            break;
          case "done":
            return step.report;
          case "stop":
            throw new SyncStopped(step.reason);
        }
      }
    } finally {
      signal?.removeEventListener("abort", ring);
      this.#end.abort();
    }
  }

  /** Sends a call, and hands in what came of it. */
  async #exchange(call: Call): Promise<void> {
    try {
      const answered = await this.#answered(call);
      if (this.#end.signal.aborted) return;
      await this.#persevering(() => {
        const at = { now: this.#now() };
        return typeof answered === "string"
          ? this.#sync.handleFailure(call.id, answered, at)
          : this.#sync.handleReply(call.id, answered, at);
      });
      this.#options.onProgress?.(await this.#sync.progress());
    } catch (error) {
      this.#failed ??= { error };
    }
    this.#ring();
  }

  async #answered(call: Call): Promise<Reply | CallFailure> {
    const { fetch = globalThis.fetch } = this.#options;
    const over = new AbortController();
    const end = (): void => over.abort();
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      end();
    }, LONGEST_CALL);
    this.#end.signal.addEventListener("abort", end);
    try {
      const headers = new Headers(this.#headers);
      if (call.body !== "") headers.set("Content-Type", "application/json");
      const response = await fetch(this.#base + call.target, {
        method: call.method,
        headers,
        body: call.body === "" ? null : call.body,
        // Another origin must not get the credentials.
        redirect: "manual",
        cache: "no-store",
        signal: over.signal,
      });
      // A browser does not tell which redirect it is.
      const status = response.type === "opaqueredirect" ? 302 : response.status;
      const body = await whole(response);
      if (body === undefined) return "cut";
      return { status, retryAfter: response.headers.get("Retry-After") ?? undefined, body };
    } catch (error) {
      return late ? "timeout" : isOffline(error) ? "offline" : "cut";
    } finally {
      clearTimeout(timer);
      this.#end.signal.removeEventListener("abort", end);
      end();
    }
  }

  /** Nothing is lost by what failed as busy or io: it is tried again. */
  async #persevering<T>(work: () => Promise<T>): Promise<T> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await work();
      } catch (error) {
        const code = error instanceof RollbookError ? error.code : undefined;
        const again = code === "busy" || code === "io";
        if (!again || tried === TRIES || this.#options.signal?.aborted === true) throw error;
      }
      await this.#sleep(PAUSE);
    }
  }

  async #sleep(milliseconds: number, ...rung: Promise<void>[]): Promise<void> {
    const most = Math.min(Math.max(milliseconds, 10), LONGEST_SLEEP);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const slept = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, most);
    });
    await Promise.race([slept, ...rung]);
    clearTimeout(timer);
  }

  /** The engine's clock; one that stands still must not keep it waiting for ever. */
  #now(): number {
    return Math.max(this.#sync.now(), this.#began + performance.now() - this.#since);
  }
}

/** Nothing of it is repeated: it may have been given with credentials. */
function base(address: string | URL): string {
  let url: URL | undefined;
  try {
    url = new URL(address, globalThis.location?.href);
  } catch {
    // It is told below.
  }
  const plain =
    url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.password;
  if (url === undefined || !plain || url.href !== url.origin + url.pathname) {
    throw new RollbookError(
      "bad_argument",
      "this is no base address: give scheme, host and path alone, such as " +
        "'https://integrate.example.org'",
    );
  }
  return url.href.replace(/\/+$/, "");
}

/** The body; nothing if it is longer than it may be. */
async function whole(response: Response): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const { value } = (await reader?.read()) ?? {};
    if (value === undefined) break;
    length += value.byteLength;
    if (length > LONGEST_BODY) return undefined;
    pieces.push(value);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

/** What Node says when there is no network. */
const noNetwork: ReadonlySet<unknown> = new Set(["ENETUNREACH", "ENETDOWN", "EAI_AGAIN"]);

function isOffline(thrown: unknown): boolean {
  if (globalThis.navigator?.onLine === false) return true;
  const cause = thrown instanceof Error ? (thrown.cause as { code?: unknown } | undefined) : undefined;
  return noNetwork.has(cause?.code);
}

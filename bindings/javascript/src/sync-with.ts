// Drives a sync: sends its calls with `fetch`.

import { RollbookError } from "./error.js";
import { headersOf } from "./headers.js";
import type { RequestOptions } from "./request.js";
import type { Call, CallFailure, Reply, StopReason, SyncProgress, SyncReport } from "./step.js";
import type { Sync } from "./sync.js";

export interface SyncWithOptions {
  /**
   * The headers of each call. On a server, these are the credentials, `HTTP-X-USERNAME` and
   * `HTTP-X-PASSWORD`. In a page, they are the headers that the app's own server requires.
   */
  readonly headers?: NonNullable<RequestOptions["headers"]>;
  /** Sends the calls. The default is the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** Is called with the progress after each reply. */
  readonly onProgress?: (progress: SyncProgress) => void;
  /** Aborts the sync: the promise rejects with the reason. */
  readonly signal?: AbortSignal;
}

/**
 * The sync cannot continue. Records that were published before are still answered. The report
 * contains the results so far; its failed requests say what the service answered.
 */
export class SyncStopped extends Error {
  override readonly name = "SyncStopped";

  constructor(
    readonly reason: StopReason,
    readonly report: SyncReport,
  ) {
    super(reason === "incomplete" ? incomplete(report) : reasons[reason]);
  }
}

function incomplete({ failed: [first] }: SyncReport): string {
  if (first === undefined) return "no answer could be fetched: try again later";
  const { target, status, reason } = first;
  const outcome = status === null ? "without a reply" : `with status ${status}`;
  return `no answer could be fetched: ${target} failed ${outcome}: ${reason}`;
}

const reasons: Readonly<Record<Exclude<StopReason, "incomplete">, string>> = {
  unauthorised:
    "the service answered 401: check the credentials, and that the school has authorised the " +
    "integrator",
  wrongCredentials:
    "the service answered 401 to the credentials: check the user name and the password",
  schoolNotAuthorised:
    "the service answered 401 to the school: check its id, and that it has authorised the " +
    "integrator",
  unreachable: "the service could not be reached: check its address, and that it is running",
  forgotten:
    "the school was removed, or is no longer synced: start a new sync if it should be",
  superseded: "another sync of the school was started since: let it continue",
};

/** The time after which a call is aborted, in milliseconds. The sync waits for two minutes. */
const LONGEST_CALL = 90_000;
/** The greatest length of a body, in bytes. A longer one is handled as an interrupted reply. */
const LONGEST_BODY = 64 << 20;
/** The longest wait for the next step, in milliseconds, because a device may sleep meanwhile. */
const LONGEST_SLEEP = 60_000;
/** How often an operation is attempted if the store is busy or fails. */
const TRIES = 3;
/** The pause between two attempts, in milliseconds. */
const PAUSE = 1000;

/**
 * Fills a school from the service at a base address, which consists of scheme, host and path. In a
 * page, it may be a path of the app's own server, which adds the credentials and forwards the
 * calls.
 *
 * No redirect is followed. The outcome of each reply is stored, even if the sync fails later. The
 * next sync of the school continues the pass.
 *
 * Rejects with `SyncStopped` if the sync cannot continue, for example because of wrong credentials;
 * with the reason of the signal; and as `busy` or `io` if the store fails repeatedly.
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
  /** Aborts the calls in flight when the sync ends. */
  readonly #end = new AbortController();
  readonly #began: number;
  readonly #since = performance.now();
  #failed: { readonly error: unknown } | undefined;
  /** Ends the current sleep. */
  #wake: () => void = () => undefined;

  constructor(sync: Sync, base: string, options: SyncWithOptions) {
    this.#sync = sync;
    this.#base = base;
    this.#headers = headersOf(options.headers ?? []);
    this.#options = options;
    this.#began = sync.now();
  }

  async drive(): Promise<SyncReport> {
    const { signal } = this.#options;
    const wake = (): void => this.#wake();
    signal?.addEventListener("abort", wake);
    try {
      for (;;) {
        // A call that ends while the step is requested must end the following sleep.
        const woken = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        const step = await this.#retry(() => this.#sync.next({ now: this.#now() }));
        signal?.throwIfAborted();
        if (this.#failed !== undefined) throw this.#failed.error;
        switch (step.kind) {
          case "send":
            void this.#exchange(step.call);
            break;
          case "wait":
            await this.#sleep(step.until.getTime() - this.#now(), woken);
            break;
          case "done":
            return step.report;
          case "stop":
            throw new SyncStopped(step.reason, step.report);
        }
      }
    } finally {
      signal?.removeEventListener("abort", wake);
      this.#end.abort();
    }
  }

  /** Sends a call, and passes the result to the sync. */
  async #exchange(call: Call): Promise<void> {
    try {
      const answered = await this.#answered(call);
      if (this.#end.signal.aborted) return;
      await this.#retry(() => {
        const at = { now: this.#now() };
        return typeof answered === "string"
          ? this.#sync.handleFailure(call.id, answered, at)
          : this.#sync.handleReply(call.id, answered, at);
      });
      this.#options.onProgress?.(await this.#sync.progress());
    } catch (error) {
      this.#failed ??= { error };
    }
    this.#wake();
  }

  async #answered(call: Call): Promise<Reply | CallFailure> {
    const { fetch = globalThis.fetch } = this.#options;
    const aborter = new AbortController();
    const end = (): void => aborter.abort();
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
        // Another origin must not receive the credentials.
        redirect: "manual",
        cache: "no-store",
        signal: aborter.signal,
      });
      // A browser does not report the status of a redirect.
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

  /** Repeats work that fails as `busy` or `io`, which loses nothing. */
  async #retry<T>(work: () => Promise<T>): Promise<T> {
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

  async #sleep(milliseconds: number, ...woken: Promise<void>[]): Promise<void> {
    const most = Math.min(Math.max(milliseconds, 10), LONGEST_SLEEP);
    let timer: ReturnType<typeof setTimeout> | undefined;
    const slept = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, most);
    });
    await Promise.race([slept, ...woken]);
    clearTimeout(timer);
  }

  /** Returns the time of the engine's clock. It advances even if that clock has stopped. */
  #now(): number {
    return Math.max(this.#sync.now(), this.#began + performance.now() - this.#since);
  }
}

/** Checks a base address. The error does not repeat it, because it may contain credentials. */
function base(address: string | URL): string {
  let url: URL | undefined;
  try {
    url = new URL(address, globalThis.location?.href);
  } catch {
    // The error is thrown below.
  }
  const plain =
    url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.password;
  if (url === undefined || !plain || url.href !== url.origin + url.pathname) {
    throw new RollbookError(
      "bad_argument",
      "this is not a base address: give only scheme, host and path, such as " +
        "'https://integrate.example.org'",
    );
  }
  return url.href.replace(/\/+$/, "");
}

/** Reads the body of a response. Returns nothing if it exceeds the greatest length. */
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

/** The codes of the errors of Node when there is no network. */
const noNetwork: ReadonlySet<unknown> = new Set(["ENETUNREACH", "ENETDOWN", "EAI_AGAIN"]);

function isOffline(thrown: unknown): boolean {
  if (globalThis.navigator?.onLine === false) return true;
  const { cause } = Object(thrown) as { cause?: { code?: unknown } };
  return noNetwork.has(cause?.code);
}

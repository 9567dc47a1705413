// A host that sends its calls to a worker of this page.

import type { CallArguments, CallName, CallResult, Host, Settings } from "./calls.js";
import { RollbookError, closed, fromMessage, noStorage } from "./error.js";
import { Outbox, isParcel, replies } from "./frames.js";
import { errorName } from "./kind.js";
import { PROTOCOL, type Reply, type ToPage, type ToWorker } from "./messages.js";
import { Pending } from "./pending.js";

/**
 * How long a worker may take to load its script and open the store, and how long to end the calls
 * in progress and close the store, in milliseconds.
 */
const TIMEOUT = 120_000;
const seconds = `${TIMEOUT / 1000} s`;
/** How long it may take to close a file that was removed, which Chromium never finishes. */
const REMOVED_TIMEOUT = 1000;

/** The workers that were used. Each has one store. */
const used = new WeakSet<Worker>();

export class WorkerHost implements Host {
  readonly #worker: Worker;
  readonly #pending = new Pending();
  readonly #calls: Outbox;
  /** Settles the opening or closing in progress. */
  #transition: { resolve: (value: unknown) => void; reject: (error: Error) => void } | undefined;
  /** Runs until the store is open, or cannot be opened. */
  #openTimer: ReturnType<typeof setTimeout> | undefined;
  #isReady = false;
  /** Whether the file of the store was removed. */
  #isRemoved = false;
  /** Sends the message that opens the store. */
  #open: (() => void) | undefined;
  #closed: RollbookError | undefined;
  changed = (): void => undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    this.#calls = new Outbox((parcel, transfer) => worker.postMessage(parcel, transfer));
    this.#openTimer = setTimeout(() => {
      this.#end(this.#isReady ? notOpened() : notStarted(`it did not answer within ${seconds}`));
    }, TIMEOUT);
    worker.onmessage = ({ data }: MessageEvent<ToPage>) => {
      if (data === "changed") this.changed();
      else if (isParcel(data)) for (const reply of replies(data)) this.#handleReply(reply);
      else if (data?.kind === "ready") this.#handleReady(data.protocol);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      const text = `the store's worker failed (${event.message}): open the store again`;
      const crashed = new RollbookError("crashed", text);
      this.#end(this.#isReady ? crashed : notStarted(event.message || "its script was not loaded"));
    };
  }

  /** Opens a store in a worker. */
  static async open(
    worker: Worker,
    store: string,
    module: WebAssembly.Module,
    settings: Settings,
  ): Promise<WorkerHost> {
    const host = new WorkerHost(worker);
    try {
      const message: ToWorker = { kind: "open", store, module, settings };
      host.#open = () => worker.postMessage(message);
      await host.#request(message);
    } catch (error) {
      worker.terminate();
      throw error;
    } finally {
      host.#endOpening();
    }
    return host;
  }

  async call<K extends CallName>(name: K, ...given: CallArguments<K>): Promise<CallResult<K>> {
    if (this.#closed !== undefined) throw this.#closed;
    const { call, answered } = this.#pending.add<CallResult<K>>(name, given);
    this.#calls.call(call);
    return answered;
  }

  async close(): Promise<void> {
    if (this.#closed !== undefined) return;
    const error = closed();
    this.#closed = error;
    // Earlier calls are answered before the store is closed.
    this.#calls.send();
    const end = (): void => this.#transition?.resolve(undefined);
    const timer = setTimeout(end, this.#isRemoved ? REMOVED_TIMEOUT : TIMEOUT);
    try {
      await this.#request({ kind: "close" });
    } finally {
      clearTimeout(timer);
      this.#end(error);
    }
  }

  #request(message: ToWorker): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#transition = { resolve, reject };
      this.#worker.postMessage(message);
    });
  }

  #handleReply(reply: Reply): void {
    this.#isRemoved ||= reply.error?.code === "missing";
    if (reply.number !== 0) {
      this.#pending.settle(reply);
      return;
    }
    if (reply.error === undefined) {
      this.#transition?.resolve(undefined);
    } else {
      this.#transition?.reject(fromMessage(reply.error));
    }
  }

  #handleReady(protocol: number): void {
    this.#isReady = true;
    if (protocol !== PROTOCOL) this.#end(notStarted("it is of another version of the package"));
    else this.#open?.();
  }

  #endOpening(): void {
    clearTimeout(this.#openTimer);
    this.#open = undefined;
  }

  #end(error: RollbookError): void {
    this.#closed ??= error;
    this.#worker.terminate();
    this.#transition?.reject(error);
    this.#pending.fail(error);
  }
}

/** Starts the worker of a store. An error of the browser is replaced by one that names its cause. */
export function startWorker(create: () => Worker): Worker {
  const worker = callFactory(create);
  if (typeof (worker as Partial<Worker> | undefined)?.postMessage !== "function" || used.has(worker)) {
    const text = "the function `worker` must create a worker from rollbook/worker at each call";
    throw new RollbookError("bad_argument", text);
  }
  used.add(worker);
  return worker;
}

function callFactory(create: () => Worker): Worker {
  try {
    return create();
  } catch (cause) {
    // The text of this error begins differently in each browser.
    if (errorName(cause) === "TypeError" && /Trusted|Sink type/.test(String(cause))) {
      const text = `the page's Trusted Types do not allow the store's worker (${String(cause)})`;
      const remedy = "use rollbook/slim, and create the worker with a policy of the app";
      throw new RollbookError("unsupported", `${text}: ${remedy}`, { cause });
    }
    if (globalThis.origin === "null") {
      throw noStorage(`a sandboxed frame has no storage (${String(cause)})`, cause);
    }
    throw notStarted(String(cause), cause);
  }
}

/** Returns the error of a store that neither the worker nor the leader of another tab opens. */
function notOpened(): RollbookError {
  const text = `busy: the store was not opened within ${seconds}`;
  return new RollbookError("busy", `${text}; close the other tabs of this app, and try again`);
}

/** Returns the error of a worker whose script does not run. */
function notStarted(why: string, cause?: unknown): RollbookError {
  const message =
    `the store's worker could not be started (${why}): check that worker.js, the script ` +
    "rollbook/worker, is served from the same origin as the page, with the page's header " +
    "Cross-Origin-Embedder-Policy, if it has one, and that the Content Security Policy allows it " +
    "(worker-src)";
  return new RollbookError("io", message, cause === undefined ? undefined : { cause });
}

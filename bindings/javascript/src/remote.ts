// A host that sends its calls to a worker of this page.

import type { CallArguments, CallName, CallResult, Host, Settings } from "./calls.js";
import { RollbookError, closed, fromMessage, noStorage } from "./error.js";
import { Outbox, replies } from "./frames.js";
import { errorName } from "./kind.js";
import type { Reply, ToPage, ToWorker } from "./messages.js";
import { Pending } from "./pending.js";

/** How long a worker may take to load its script, in milliseconds. */
const START_TIMEOUT = 120_000;

export class WorkerHost implements Host {
  readonly #worker: Worker;
  readonly #pending = new Pending();
  readonly #calls: Outbox;
  /** Settles the opening or closing in progress. */
  #transition: { resolve: (value: unknown) => void; reject: (error: Error) => void } | undefined;
  /** Runs until the worker sends its first message. */
  #startTimer: ReturnType<typeof setTimeout> | undefined;
  #closed: RollbookError | undefined;
  changed = (): void => undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    this.#calls = new Outbox((parcel, transfer) => worker.postMessage(parcel, transfer));
    this.#startTimer = setTimeout(() => {
      this.#end(notStarted(`it has not answered for ${START_TIMEOUT / 1000} s`));
    }, START_TIMEOUT);
    worker.onmessage = ({ data }: MessageEvent<ToPage>) => {
      this.#endStart();
      if (data === "changed") this.changed();
      else if (data !== "ready") for (const reply of replies(data)) this.#handleReply(reply);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      const what = event.message || "its script could not be loaded";
      const text = `the store's worker failed (${what}): open the store again`;
      this.#end(this.#startTimer === undefined ? new RollbookError("crashed", text) : notStarted(what));
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
      await host.#request({ kind: "open", store, module, settings });
    } catch (error) {
      worker.terminate();
      throw error;
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
    try {
      await this.#request({ kind: "close" });
    } finally {
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
    if (reply.number !== 0) {
      this.#pending.settle(reply);
    } else if (reply.error === undefined) {
      this.#transition?.resolve(undefined);
    } else {
      this.#transition?.reject(fromMessage(reply.error));
    }
  }

  #endStart(): void {
    clearTimeout(this.#startTimer);
    this.#startTimer = undefined;
  }

  #end(error: RollbookError): void {
    this.#endStart();
    this.#closed ??= error;
    this.#worker.terminate();
    this.#transition?.reject(error);
    this.#pending.fail(error);
  }
}

/** Starts the worker of a store. An error of the browser is replaced by one that names its cause. */
export function startWorker(create: () => Worker): Worker {
  try {
    return create();
  } catch (cause) {
    if (errorName(cause) === "TypeError" && "trustedTypes" in globalThis) {
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

/** Returns the error of a worker whose script does not run. */
function notStarted(why: string, cause?: unknown): RollbookError {
  const message =
    `the store's worker could not be started (${why}): check that worker.js, the script ` +
    "rollbook/worker, is served from the same origin as the page, with the page's header " +
    "Cross-Origin-Embedder-Policy, if it has one, and that the Content Security Policy allows it " +
    "(worker-src)";
  return new RollbookError("io", message, cause === undefined ? undefined : { cause });
}

// A host that sends its calls to a worker of this page.

import type { CallArguments, CallName, CallResult, Host, Settings } from "./calls.js";
import { RollbookError, closed, fromMessage } from "./error.js";
import { Outbox, replies } from "./frames.js";
import type { Reply, ToPage, ToWorker } from "./messages.js";
import { Pending } from "./pending.js";

export class WorkerHost implements Host {
  readonly #worker: Worker;
  readonly #pending = new Pending();
  readonly #calls: Outbox;
  /** Settles the opening or closing in progress. */
  #transition: { resolve: (value: unknown) => void; reject: (error: Error) => void } | undefined;
  #closed: RollbookError | undefined;
  changed = (): void => undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    this.#calls = new Outbox((parcel, transfer) => worker.postMessage(parcel, transfer));
    worker.onmessage = ({ data }: MessageEvent<ToPage>) => {
      if (data === "changed") this.changed();
      else for (const reply of replies(data)) this.#handleReply(reply);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      const what = event.message || "its script could not be loaded";
      const text = `the store's worker failed (${what}): serve worker.js beside the package`;
      this.#end(new RollbookError("crashed", text));
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

  #end(error: RollbookError): void {
    this.#closed ??= error;
    this.#worker.terminate();
    this.#transition?.reject(error);
    this.#pending.fail(error);
  }
}

// A host in a worker of this page's.

import type { CallArguments, CallName, CallResult, Host, Settings } from "./calls.js";
import { RollbookError, closed, fromMessage } from "./error.js";
import type { FromWorker, ToWorker } from "./messages.js";
import { Pending } from "./pending.js";

export class WorkerHost implements Host {
  readonly #worker: Worker;
  readonly #pending = new Pending();
  /** Opening and closing. */
  #turn: { resolve: (value: unknown) => void; reject: (error: Error) => void } | undefined;
  #closed: RollbookError | undefined;

  private constructor(worker: Worker) {
    this.#worker = worker;
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => this.#hear(data);
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
      await host.#ask({ kind: "open", store, module, settings });
    } catch (error) {
      worker.terminate();
      throw error;
    }
    return host;
  }

  async call<K extends CallName>(name: K, ...given: CallArguments<K>): Promise<CallResult<K>> {
    if (this.#closed !== undefined) throw this.#closed;
    const { call, answered } = this.#pending.add<CallResult<K>>(name, given);
    this.#tell({ kind: "call", call });
    return answered;
  }

  async close(): Promise<void> {
    if (this.#closed !== undefined) return;
    const error = closed();
    this.#closed = error;
    try {
      await this.#ask({ kind: "close" });
    } finally {
      this.#end(error);
    }
  }

  #tell(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #ask(message: ToWorker): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#turn = { resolve, reject };
      this.#tell(message);
    });
  }

  #hear(reply: FromWorker): void {
    if (reply.number !== 0) {
      this.#pending.settle(reply);
    } else if (reply.error === undefined) {
      this.#turn?.resolve(undefined);
    } else {
      this.#turn?.reject(fromMessage(reply.error));
    }
  }

  #end(error: RollbookError): void {
    this.#closed ??= error;
    this.#worker.terminate();
    this.#turn?.reject(error);
    this.#pending.fail(error);
  }
}

// Syncs one school with the service.

import type { Host } from "./calls.js";
import { RollbookError } from "./error.js";
import { newId } from "./id.js";
import { toSeconds } from "./instant.js";
import type { At } from "./rollbook.js";
import {
  read,
  type CallFailure,
  type QuarantinedAnswer,
  type Reply,
  type ReplyOutcome,
  type Step,
  type SyncProgress,
  type SyncReport,
} from "./step.js";

/** How often a call is attempted if other tabs open the store meanwhile. */
const ATTEMPTS = 5;

/** Ends a sync in the module when its object is garbage-collected. */
const finalizers = new FinalizationRegistry<() => void>((end) => end());

/**
 * A sync of one school. It sends nothing itself: request the next step, send its call, and pass
 * the reply to the sync. The default of all instants is the time of the engine's clock.
 *
 * The outcome of each reply is stored at once. If a sync is dropped or its tab is closed, the next
 * sync of the school continues the pass if its options request the same data.
 */
export class Sync {
  readonly #host: Host;
  readonly #clock: () => number;
  readonly #begin: (id: string) => Promise<void>;
  readonly #id = newId();
  /** The start of the sync. It is not set if the sync must be started again. */
  #started: Promise<void> | undefined;

  private constructor(host: Host, clock: () => number, begin: (id: string) => Promise<void>) {
    this.#host = host;
    this.#clock = clock;
    this.#begin = begin;
  }

  /** @internal */
  static async begin(
    host: Host,
    clock: () => number,
    begin: (id: string) => Promise<void>,
  ): Promise<Sync> {
    const sync = new Sync(host, clock, begin);
    const id = sync.#id;
    await sync.#start();
    finalizers.register(sync, () => void host.call("endSync", id).catch(() => undefined));
    return sync;
  }

  /**
   * Returns the next step. A call without a reply counts as failed after two minutes.
   *
   * Fails as `busy` if another writer does not end in time, as `io` if the store could not be
   * written, and as `unsupported` if the app has added records of the school meanwhile. Nothing is
   * lost: call the method again.
   */
  async next(at: At = {}): Promise<Step> {
    const now = this.#seconds(at);
    return read(await this.#call(() => this.#host.call("syncNext", this.#id, now)));
  }

  /**
   * Evaluates the reply to a call and stores the outcome. Fails as `busy` or `io` if the outcome
   * cannot be stored. The call is then still in flight: pass the reply again.
   */
  async handleReply(call: bigint, reply: Reply, at: At = {}): Promise<ReplyOutcome> {
    const now = this.#seconds(at);
    const { status, retryAfter, body } = reply;
    const outcome = await this.#call(() => {
      // The buffer is transferred to the worker, so the caller's buffer is copied.
      const bytes = body.slice() as Uint8Array<ArrayBuffer>;
      return this.#host.call("syncHandleReply", this.#id, call, now, status, retryAfter, bytes);
    });
    return read(outcome);
  }

  /** Reports that there was no reply to a call. Fails as `handleReply` does. */
  async handleFailure(call: bigint, failure: CallFailure, at: At = {}): Promise<ReplyOutcome> {
    const now = this.#seconds(at);
    const given = [this.#id, call, now, failure] as const;
    return read(await this.#call(() => this.#host.call("syncHandleFailure", ...given)));
  }

  /**
   * Requests a target next, even if it was requested in this pass before. The target is a path and
   * query of v1 about the school. If the school is already synced, the answer is published as soon
   * as it has arrived. Fails as `unsupported` if a sync does not request such a target.
   */
  async prioritise(target: string): Promise<void> {
    await this.#call(() => this.#host.call("syncPrioritise", this.#id, target));
  }

  /**
   * Returns the quarantined answers: those that are stored but not published because they would
   * remove much, and those that are published only together with them. They are read from the
   * store: a sync that was just started returns those of the last pass, and needs no new pass.
   */
  async quarantined(): Promise<readonly QuarantinedAnswer[]> {
    return read(await this.#call(() => this.#host.call("syncQuarantined", this.#id)));
  }

  /**
   * Approves a quarantined answer. The next step publishes it together with everything that
   * belongs to it, as soon as none of that is quarantined. The order in which answers are approved
   * makes no difference. Approving a target that is not quarantined (any more) has no effect. The
   * approval is stored, so that a sync that is started later publishes the answer. Fails as
   * `unsupported` if a sync does not request such a target, or if another sync of the school was
   * started since.
   */
  async approve(target: string): Promise<void> {
    await this.#call(() => this.#host.call("syncApprove", this.#id, target));
  }

  /**
   * Discards a quarantined answer, together with those that would be published with it. The records
   * remain unchanged, and the next pass requests the answers again. Rejecting a target that is not
   * quarantined (any more) has no effect. Fails as `approve` does.
   */
  async reject(target: string): Promise<void> {
    await this.#call(() => this.#host.call("syncReject", this.#id, target));
  }

  /**
   * Returns the results of the sync so far. The steps `done` and `stop` contain the same report; this
   * method also returns it for a sync that is in progress.
   */
  async report(): Promise<SyncReport> {
    return read(await this.#call(() => this.#host.call("syncReport", this.#id)));
  }

  /** Returns the progress of the pass. */
  async progress(): Promise<SyncProgress> {
    return read(await this.#call(() => this.#host.call("syncProgress", this.#id)));
  }

  /** Returns the time of the engine's clock, in milliseconds. @internal */
  now(): number {
    return this.#clock();
  }

  #seconds({ now }: At): bigint {
    return toSeconds(now ?? this.#clock());
  }

  /** Makes a call, and starts the sync again if another tab has opened the store meanwhile. */
  async #call<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const started = this.#start();
      try {
        await started;
        return await work();
      } catch (error) {
        const again = error instanceof RollbookError && error.code === "interrupted";
        if (!again || attempt === ATTEMPTS) throw error;
        this.#reset(started);
      }
    }
  }

  /** Starts the sync, unless an earlier call has started it. */
  #start(): Promise<void> {
    if (this.#started !== undefined) return this.#started;
    const started = this.#begin(this.#id);
    this.#started = started;
    started.catch(() => this.#reset(started));
    return started;
  }

  #reset(started: Promise<void>): void {
    if (this.#started === started) this.#started = undefined;
  }
}

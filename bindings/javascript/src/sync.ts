// The syncing of one school.

import type { Host } from "./calls.js";
import { RollbookError } from "./error.js";
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

/** So often a sync is begun again under a store that changes hands. */
const ATTEMPTS = 5;

/** The machine goes when nobody has its sync any more. */
const dropped = new FinalizationRegistry<() => void>((end) => end());

/**
 * The syncing of one school. It sends nothing itself: ask for the next step, send what it
 * says, and hand in the reply. The instant is the engine's clock unless given.
 *
 * What was handed in is in the store at once. A sync that is let go, or whose tab is
 * closed, is gone on with by the next one of the school, if its options ask for the same.
 */
export class Sync {
  readonly #host: Host;
  readonly #clock: () => number;
  readonly #begin: (id: string) => Promise<void>;
  readonly #id = crypto.randomUUID();
  /** Nothing if it is to be begun again. */
  #begun: Promise<void> | undefined;

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
    await sync.#underWay();
    dropped.register(sync, () => void host.call("endSync", id).catch(() => undefined));
    return sync;
  }

  /**
   * What is to be done now. If nothing is handed in for a call within two minutes it counts
   * as failed.
   *
   * Fails as `busy` if another writer does not end in time, as `io` if the store could not
   * be written, as `unsupported` if the school has records meanwhile. Nothing is lost: ask
   * again, and it tries again.
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
      // What is handed over to a worker is gone here.
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
   * What the sync came to so far: the same as with the step `done`, and there for one that
   * stopped or is under way.
   */
  async report(): Promise<SyncReport> {
    return read(await this.#call(() => this.#host.call("syncReport", this.#id)));
  }

  /** How far the pass has come. */
  async progress(): Promise<SyncProgress> {
    return read(await this.#call(() => this.#host.call("syncProgress", this.#id)));
  }

  /** The engine's clock, in milliseconds. @internal */
  now(): number {
    return this.#clock();
  }

  #seconds({ now }: At): bigint {
    return toSeconds(now ?? this.#clock());
  }

  /** Begins again where the pass was left, if another tab holds the store meanwhile. */
  async #call<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      const begun = this.#underWay();
      try {
        await begun;
        return await work();
      } catch (error) {
        const again = error instanceof RollbookError && error.code === "interrupted";
        if (!again || attempt === ATTEMPTS) throw error;
        this.#isLost(begun);
      }
    }
  }

  /** Of several calls the first begins. */
  #underWay(): Promise<void> {
    if (this.#begun !== undefined) return this.#begun;
    const begun = this.#begin(this.#id);
    this.#begun = begun;
    begun.catch(() => this.#isLost(begun));
    return begun;
  }

  #isLost(begun: Promise<void>): void {
    if (this.#begun === begun) this.#begun = undefined;
  }
}

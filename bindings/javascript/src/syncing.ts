// Engines whose schools are filled from the service, or follow another store.

import type { Host } from "./calls.js";
import { RollbookError } from "./error.js";
import { toSeconds } from "./instant.js";
import { handOver, type Dataset, type LoadOptions } from "./dataset.js";
import { toId, type Id } from "./questions.js";
import { Engine, type At, type Options, type Summary } from "./rollbook.js";
import {
  read,
  type Coverage,
  type NoReply,
  type Reply,
  type Step,
  type SyncOptions,
  type SyncProgress,
  type Taken,
} from "./step.js";

/** An engine whose schools can be filled from the service. */
export class SyncingEngine extends Engine {
  readonly #host: Host;
  readonly #clock: () => number;

  /** @internal */
  constructor(host: Host, options: Options, persisted: boolean) {
    super(host, options, persisted);
    this.#host = host;
    const { clock = Date.now } = options;
    this.#clock = () => Number(clock());
  }

  /**
   * Fills a school from the service, call by call: see `syncWith`, which sends them. What
   * was not seen of the school is `not_synced` afterwards, and in requests a 503.
   *
   * A pass that was left under way is gone on with. Of two syncs of a school, in whichever
   * tabs, the one that was begun last goes on, and the other stops.
   *
   * Fails as `bad_argument` or `unsupported` if an option is of no form that it may have.
   */
  async sync(school: Id, options: SyncOptions = {}): Promise<Sync> {
    const { daysFrom, utcOffset, mostInFlight, rotate, outbox } = options;
    const given = [daysFrom, utcOffset, mostInFlight, rotate, outbox] as const;
    const number = toId(school, "school");
    const begin = (id: string): Promise<void> =>
      this.#host.call("beginSync", id, number, ...given);
    return Sync.begin(this.#host, this.#clock, begin);
  }

  /** What was seen of a school that is synced; `null` of any other school. */
  async synced(school: Id): Promise<Coverage | null> {
    const seen = await this.#host.call("synced", toId(school, "school"));
    return seen === undefined ? null : read<Coverage>(seen);
  }

  /**
   * Ends the syncing of a school. Its records stay, and are taken for all there is: what
   * was not seen is answered as if there were nothing. The app may change them from here on.
   */
  async forgetSync(school: Id): Promise<void> {
    await this.#host.call("forgetSync", toId(school, "school"));
  }

  /**
   * Takes in what a server hands out of its store: see `followFrom`, which asks it. Each part
   * of a feed is kept whole, durably, or not at all, and one that comes late or twice changes
   * nothing. Schools that are followed are the server's to change.
   *
   * Fails as `bad_dataset` for the first fault, and if the feed is cut; as `out_of_step` if it
   * does not begin where this store is; as `interrupted` if the tab that holds the store went
   * away. What came to the end of a part is kept: ask for the next feed after `followed`.
   */
  async follow(feed: Dataset, options: LoadOptions = {}): Promise<Summary> {
    options.signal?.throwIfAborted();
    const id = crypto.randomUUID();
    await this.#host.call("beginFollow", id);
    try {
      await handOver(feed, options, (piece) => this.#host.call("pushFollow", id, piece));
    } catch (error) {
      // The error that counts is the first.
      await this.#host.call("endFollow", id).catch(() => undefined);
      throw error;
    }
    return JSON.parse(await this.#host.call("finishFollow", id)) as Summary;
  }

  /**
   * How far this store has followed another one: the position to ask for the next feed after.
   * `null` if it has not, and after a feed that began anew and did not end.
   */
  async followed(): Promise<string | null> {
    return (await this.#host.call("followed")) ?? null;
  }
}

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
   * Takes the reply to a call. Fails as `busy` or `io` if it could not be kept: the call is
   * still out then, and the reply can be handed in again.
   */
  async take(call: bigint, reply: Reply, at: At = {}): Promise<Taken> {
    const now = this.#seconds(at);
    const { status, retryAfter, body } = reply;
    const taken = await this.#call(() => {
      // What is handed over to a worker is gone here.
      const bytes = body.slice() as Uint8Array<ArrayBuffer>;
      return this.#host.call("syncTake", this.#id, call, now, status, retryAfter, bytes);
    });
    return read(taken);
  }

  /** There was no reply to a call. Fails as `take`. */
  async fail(call: bigint, why: NoReply, at: At = {}): Promise<Taken> {
    const now = this.#seconds(at);
    return read(await this.#call(() => this.#host.call("syncFail", this.#id, call, now, why)));
  }

  /**
   * Asks for this next, whether it was asked in this pass or not: a path and query of v1
   * about the school. If the school is synced already, the answer is published as soon as
   * it is there. Fails as `unsupported` if sync does not ask for such a target.
   */
  async want(target: string): Promise<void> {
    await this.#call(() => this.#host.call("syncWant", this.#id, target));
  }

  /**
   * Says that what the report calls held is right: the next step publishes it. Fails as
   * `unsupported` if nothing of this target is held back.
   */
  async confirm(target: string): Promise<void> {
    await this.#call(() => this.#host.call("syncConfirm", this.#id, target));
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

// The symbols of `await using`, for programs that are compiled without them.
/// <reference lib="esnext.disposable" preserve="true" />

import { Answer } from "./answer.js";
import type { CallArguments, Host, Settings } from "./calls.js";
import { handOver, isRepeatable, pieces, type Dataset, type LoadOptions } from "./dataset.js";
import { RollbookError } from "./error.js";
import { answerTo } from "./fetch.js";
import { toSeconds, type Instant } from "./instant.js";
import { LiveQuery, type ObserveOptions } from "./observe.js";
import { encode, pack, toId, type Id, type Questions } from "./questions.js";
import type { RequestOptions } from "./request.js";
import { read, type Coverage, type SyncOptions } from "./step.js";
import { Sync } from "./sync.js";

/** What an engine is opened with. */
export interface Options extends Settings {
  /** What time it is; the system's unless given. */
  readonly clock?: () => Instant;
}

/** Which page of a collection, as v2 has them (section 9, item 3). */
export interface Page {
  /** The `next_cursor` of the page before; none for the first page. */
  readonly cursor?: string;
  /** The most records; the engine's default unless given. */
  readonly limit?: number;
  /** The last record first. */
  readonly reverseOrder?: boolean;
}

/** An instant to answer for. */
export interface At {
  /** The engine's clock unless given. */
  readonly now?: Instant;
}

/** How many records a dataset added, changed, removed and left as they were. */
export interface Counts {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
}

/** What a change came to. */
export interface Summary {
  readonly lines: number;
  readonly bytes: number;
  readonly total: Counts;
  /** Each kind that the change had records of, by the name that their `type` bears. */
  readonly kinds: Readonly<Record<string, Counts>>;
}

/** What is wrong with a line of a dataset, counted from 1. */
export interface Fault {
  readonly line: number;
  readonly what: string;
}

/** What a look through the whole store found. */
export interface Verification {
  readonly records: number;
  /** The first hundred findings; none if all is well. */
  readonly problems: readonly string[];
}

/** How much the store holds: bytes, and records of each kind. */
export interface Stats {
  readonly bytes: number;
  readonly records: Readonly<Record<string, number>>;
}

/** The v2 request for the data of a v1 one (section 9). */
export interface Upgrade {
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** What the calls report that answer with JSON. */
interface Reports {
  upgrade: Upgrade;
  finishLoad: Summary;
  finishFollow: Summary;
  check: Fault[];
  removeSchool: Summary;
  eraseLearner: Summary;
  verify: Verification;
  stats: Stats;
}

const encoder = new TextEncoder();
const empty = new Uint8Array();

/**
 * A school administration system's integration API over a store on this device.
 *
 * Load a school's data as a dataset, fill it from the service, or follow another store. Then
 * send the requests of the service: the engine answers with the exact JSON of v1 or v2, every
 * rule included. What the API refuses is an answer; every other failure is a `RollbookError`.
 */
export class Engine {
  readonly #host: Host;
  readonly #clock: (() => Instant) | undefined;
  readonly #milliseconds = (): number => Number(this.#clock?.() ?? Date.now());
  readonly #live = new Set<LiveQuery>();
  /** Whether the browser keeps the store until the user deletes it: it may be asked to. */
  readonly persisted: boolean;

  /** @internal */
  constructor(host: Host, options: Options, persisted: boolean) {
    this.#host = host;
    this.#clock = options.clock;
    this.persisted = persisted;
    host.changed = () => {
      for (const query of this.#live) query.look();
    };
  }

  /**
   * Answers a request as the service does, rules of access included, given its path
   * and query string. If the store fails, the answer is a 500 that says so.
   */
  async request<T = unknown>(target: string, options: RequestOptions = {}): Promise<Answer<T>> {
    const { method = "GET", headers = [], body = empty } = options;
    const parts = [method, target];
    for (const header of Symbol.iterator in headers ? headers : Object.entries(headers)) {
      parts.push(...header);
    }
    const bytes = typeof body === "string" ? encoder.encode(body) : body.slice();
    const now = this.#now(options);
    const id = method === "GET" ? undefined : crypto.randomUUID();
    const given = [pack(parts), bytes as Uint8Array<ArrayBuffer>, now, id] as const;
    return new Answer<T>(await this.#host.call("request", ...given));
  }

  /** As the global `fetch`, so that an app's own client code runs unchanged. */
  readonly fetch: typeof globalThis.fetch = async (input, init) =>
    answerTo(input, init, (target, options) => this.request(target, options));

  /**
   * Answers a question of an app that is trusted: no credentials, no authorisation, no
   * activation. The bytes are those of v1's answer to a request that has passed them.
   */
  async ask<K extends keyof Questions>(
    question: K,
    fields: Questions[K]["asks"],
    options: At = {},
  ): Promise<Answer<Questions[K]["answers"]>> {
    const encoded = encode(question, fields);
    return new Answer(await this.#host.call("ask", encoded, this.#now(options)));
  }

  /** Answers one page of a question as v2 does (section 9, item 3). */
  async page<K extends keyof Questions>(
    question: K,
    fields: Questions[K]["asks"],
    { cursor, limit, reverseOrder = false }: Page = {},
    options: At = {},
  ): Promise<Answer> {
    const most = limit === undefined ? undefined : Math.min(limit, 2 ** 32 - 1);
    const given = [encode(question, fields), cursor, most, reverseOrder] as const;
    return new Answer(await this.#host.call("page", ...given, this.#now(options)));
  }

  /**
   * Answers the first record that a question finds as v2 answers one record (section 9,
   * item 1): an object, or 404.
   */
  async find<K extends keyof Questions>(
    question: K,
    fields: Questions[K]["asks"],
    options: At = {},
  ): Promise<Answer> {
    const encoded = encode(question, fields);
    return new Answer(await this.#host.call("find", encoded, this.#now(options)));
  }

  /**
   * Observes a question: the answer that `ask` gives now, and again whenever its status or its
   * bytes change: after a change in any tab, and when another day begins at the school.
   *
   * It ends when the engine is closed, with its signal, or when a loop over it is left.
   */
  observe<K extends keyof Questions>(
    question: K,
    fields: Questions[K]["asks"],
    { now, signal }: ObserveOptions = {},
  ): LiveQuery<Questions[K]["answers"]> {
    const encoded = encode(question, fields);
    const host = this.#host;
    const query = new LiveQuery<Questions[K]["answers"]>({
      signal,
      now: () => Number(now ?? this.#milliseconds()),
      ask: async (instant) => {
        const at = toSeconds(instant);
        // They travel together.
        const [answer, until] = await Promise.all([
          host.call("ask", encoded, at),
          now === undefined ? host.call("holdsUntil", encoded, at) : undefined,
        ]);
        return [answer, until === undefined ? undefined : Number(until) * 1000];
      },
      ended: () => void this.#live.delete(query),
    });
    this.#live.add(query);
    return query;
  }

  /**
   * Sets whether an integrator serves a school's API type (4.8), for an app that is
   * trusted: 200 if that changed something, 204 if it was so already.
   */
  async setState(set: {
    username: string;
    school: Id;
    apiTypeId: Id;
    active: boolean;
  }): Promise<Answer> {
    const school = toId(set.school, "school");
    const given = [set.username, school, toId(set.apiTypeId, "apiTypeId"), set.active] as const;
    return new Answer(await this.#host.call("setState", ...given, crypto.randomUUID()));
  }

  /** The v2 request for the data of a v1 one, given its path and query string. */
  async upgrade(target: string): Promise<Upgrade> {
    return this.#report("upgrade", target);
  }

  /**
   * Applies a dataset: all of it, durably, or nothing. Questions go on meanwhile, and
   * applying the same dataset again writes nothing.
   *
   * Fails as `bad_dataset` for the first fault, with its line; as `interrupted` if the
   * tab that holds the store went away and the dataset is a stream, which cannot be read
   * again.
   */
  async apply(dataset: Dataset, options: LoadOptions = {}): Promise<Summary> {
    return this.#load(dataset, undefined, options);
  }

  /**
   * Applies a dataset that is the whole of one school: what it lacks goes. API types and
   * integrators may come along; those that it lacks stay.
   */
  async replaceSchool(school: Id, dataset: Dataset, options: LoadOptions = {}): Promise<Summary> {
    return this.#load(dataset, toId(school, "school"), options);
  }

  /** Every fault of a dataset, at most so many, in the order of its lines. */
  async check(dataset: Dataset, { limit = 100 }: { limit?: number } = {}): Promise<Fault[]> {
    const all: Uint8Array<ArrayBuffer>[] = [];
    for await (const piece of pieces(dataset)) all.push(piece);
    const whole = new Uint8Array(await new Blob(all).arrayBuffer());
    return this.#report("check", whole, limit);
  }

  /** Removes every record of a school. An unknown school is no error. */
  async removeSchool(school: Id): Promise<Summary> {
    return this.#report("removeSchool", toId(school, "school"), crypto.randomUUID());
  }

  /**
   * Erases a learner: the learner, its subjects, marks and absences, and what old pages
   * of the file still hold of them. Parents stay.
   */
  async eraseLearner(school: Id, learner: Id): Promise<Summary> {
    const ids = [toId(school, "school"), toId(learner, "learner")] as const;
    return this.#report("eraseLearner", ...ids, crypto.randomUUID());
  }

  /**
   * Everything that is kept, as a dataset again: the lines of the moment at which it
   * begins, in pieces of about 64 KiB. Until it is read or cancelled the store cannot be
   * compacted. It holds personal data, and if `credentials` is true password hashes.
   */
  export({ credentials = false }: { credentials?: boolean } = {}): ReadableStream<Uint8Array> {
    const id = crypto.randomUUID();
    return new ReadableStream<Uint8Array>({
      start: () => this.#host.call("beginExport", id, credentials),
      pull: async (controller) => {
        const piece = await this.#host.call("read", id);
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
      cancel: () => this.#host.call("endExport", id),
    });
  }

  /**
   * Fills a school from the service, call by call: `syncWith` sends the calls. What has not been
   * synced of the school is `not_synced`, and in requests a 503.
   *
   * A pass that was interrupted is continued. If two syncs of a school run, in any tabs, the one
   * that was started last continues, and the other one stops.
   *
   * Fails as `bad_argument` or `unsupported` if an option does not have a form that is allowed.
   */
  async sync(school: Id, options: SyncOptions = {}): Promise<Sync> {
    const { daysFrom, utcOffset, mostInFlight, rotate, outbox } = options;
    const given = [daysFrom, utcOffset, mostInFlight, rotate, outbox] as const;
    const number = toId(school, "school");
    const begin = (id: string): Promise<void> =>
      this.#host.call("beginSync", id, number, ...given);
    return Sync.begin(this.#host, this.#milliseconds, begin);
  }

  /** What has been synced of a school; `null` for a school that is not synced. */
  async synced(school: Id): Promise<Coverage | null> {
    const coverage = await this.#host.call("synced", toId(school, "school"));
    return coverage === undefined ? null : read<Coverage>(coverage);
  }

  /**
   * Ends the syncing of a school. Its records stay, and count as complete: what has not been
   * synced is answered as if it did not exist. From then on the app may change them.
   */
  async forgetSync(school: Id): Promise<void> {
    await this.#host.call("forgetSync", toId(school, "school"));
  }

  /**
   * Applies a feed: what a server hands out of its store. `followFrom` requests it. Each part of
   * a feed is applied as a whole, durably, or not at all, and a part that arrives late or twice
   * changes nothing. Only the server changes the schools that are followed, and the lists that
   * all schools share.
   *
   * Fails as `bad_dataset` for the first fault, and if the feed is cut; as `out_of_sync` if it
   * does not start at this store's position; as `diverged` if the store differs from its source
   * after a part: the next feed then contains everything, once; as `interrupted` if the tab that
   * has the store open is closed. The parts that ended are applied: request the next feed after
   * `followed`.
   */
  async follow(feed: Dataset, options: LoadOptions = {}): Promise<Summary> {
    options.signal?.throwIfAborted();
    const id = crypto.randomUUID();
    await this.#host.call("beginFollow", id);
    await this.#push(feed, options, id, "pushFollow", "endFollow");
    return this.#report("finishFollow", id);
  }

  /**
   * The position after which to request the next feed. `null` if this store has followed no
   * other, and if a feed that contains everything has not ended.
   */
  async followed(): Promise<string | null> {
    return (await this.#host.call("followed")) ?? null;
  }

  /**
   * Looks through the whole store for damage and for records that do not agree with
   * each other. Changes nothing; damage is a finding.
   */
  async verify(): Promise<Verification> {
    return this.#report("verify");
  }

  /** Gives free space back, and leaves nothing in the file of what was removed. */
  async compact(): Promise<void> {
    await this.#host.call("compact");
  }

  /** How much the store holds. */
  async stats(): Promise<Stats> {
    return this.#report("stats");
  }

  /** Closes the store. Every later call fails as `closed`; closing again does nothing. */
  async close(): Promise<void> {
    for (const query of this.#live) query.end();
    await this.#host.close();
  }

  #now({ now }: At): bigint | undefined {
    const instant = now ?? this.#clock?.();
    return instant === undefined ? undefined : toSeconds(instant);
  }

  async #report<K extends keyof Reports>(
    name: K,
    ...given: CallArguments<K>
  ): Promise<Reports[K]> {
    return JSON.parse((await this.#host.call(name, ...given)) as string) as Reports[K];
  }

  async #load(
    dataset: Dataset,
    school: bigint | undefined,
    options: LoadOptions,
  ): Promise<Summary> {
    // Under the same id each time: a load that was kept is not done again.
    const id = crypto.randomUUID();
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#attempt(dataset, school, options, id);
      } catch (error) {
        const again = error instanceof RollbookError && error.code === "interrupted";
        if (!again || !isRepeatable(dataset) || attempt === 5) throw error;
      }
    }
  }

  async #attempt(
    dataset: Dataset,
    school: bigint | undefined,
    options: LoadOptions,
    id: string,
  ): Promise<Summary> {
    options.signal?.throwIfAborted();
    await this.#host.call("beginLoad", id, school);
    await this.#push(dataset, options, id, "push", "cancelLoad");
    return this.#report("finishLoad", id);
  }

  /** Pushes a dataset to what was begun under an id, and cancels that if it fails. */
  async #push(
    dataset: Dataset,
    options: LoadOptions,
    id: string,
    push: "push" | "pushFollow",
    cancel: "cancelLoad" | "endFollow",
  ): Promise<void> {
    try {
      await handOver(dataset, options, (piece) => this.#host.call(push, id, piece));
    } catch (error) {
      // The error that counts is the first.
      await this.#host.call(cancel, id).catch(() => undefined);
      throw error;
    }
  }
}

export interface Engine {
  /** As `close`: `await using engine = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}

// Safari has no such symbol yet, and nobody can ask for it there.
if (Symbol.asyncDispose !== undefined) {
  Engine.prototype[Symbol.asyncDispose] = Engine.prototype.close;
}

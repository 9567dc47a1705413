// The engine, which is the API of the package. The reference declares the symbols of `await using`
// for programs that are compiled without them.
/// <reference lib="esnext.disposable" preserve="true" />

import { Answer } from "./answer.js";
import type { CallArguments, Host, Settings } from "./calls.js";
import { isRepeatable, pieces, pushPieces, type Dataset, type LoadOptions } from "./dataset.js";
import { RollbookError } from "./error.js";
import { answerTo } from "./fetch.js";
import { newId } from "./id.js";
import { toSeconds, type Instant } from "./instant.js";
import { LiveQuery, type ObserveOptions } from "./observe.js";
import { encode, pack, toId, type Id, type Questions } from "./questions.js";
import type { RequestOptions } from "./request.js";
import { read, type Coverage, type SyncOptions } from "./step.js";
import { Sync } from "./sync.js";

/** The options of an engine. */
export interface Options extends Settings {
  /** Returns the current time. The default is the clock of the system. */
  readonly clock?: () => Instant;
}

/** A page of a collection, as defined by v2 (section 9, item 3). */
export interface Page {
  /** The `next_cursor` of the previous page. Without it, the first page is answered. */
  readonly cursor?: string;
  /** The greatest number of records. The default is that of the engine. */
  readonly limit?: number;
  /** Whether the records are in reverse order. */
  readonly reverseOrder?: boolean;
}

/** The instant of a call. */
export interface At {
  /** The instant. The default is the time of the engine's clock. */
  readonly now?: Instant;
}

/** The numbers of records that a dataset added, changed, removed and left unchanged. */
export interface Counts {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
}

/** The outcome of a change. */
export interface Summary {
  readonly lines: number;
  readonly bytes: number;
  readonly total: Counts;
  /** The counts of each kind of record in the change, by the name of the kind in `type`. */
  readonly kinds: Readonly<Record<string, Counts>>;
}

/** A fault in a dataset: the number of the line, counted from 1, and a description. */
export interface Fault {
  readonly line: number;
  readonly what: string;
}

/** The result of verifying a store. */
export interface Verification {
  readonly records: number;
  /** The first hundred problems that were found. */
  readonly problems: readonly string[];
}

/** The size of the store in bytes, and the number of records of each kind. */
export interface Stats {
  readonly bytes: number;
  readonly records: Readonly<Record<string, number>>;
}

/** The v2 request for the same data as a v1 request (section 9). */
export interface Upgrade {
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
}

/** The results of the calls that return JSON. */
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
  /**
   * Whether the store persists until the user deletes it, as the browser decided when the store was
   * opened. If it is false, the browser may delete the store when it needs space.
   */
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
   * Answers a request, given its path and query string, as the service does. The rules of access
   * apply. If the store fails, the answer has the status 500.
   */
  async request<T = unknown>(target: string, options: RequestOptions = {}): Promise<Answer<T>> {
    const { method = "GET", headers = [], body = empty } = options;
    const parts = [method, target];
    for (const header of Symbol.iterator in headers ? headers : Object.entries(headers)) {
      parts.push(...header);
    }
    const bytes = typeof body === "string" ? encoder.encode(body) : body.slice();
    const now = this.#now(options);
    const id = method === "GET" ? undefined : newId();
    const given = [pack(parts), bytes as Uint8Array<ArrayBuffer>, now, id] as const;
    return new Answer<T>(await this.#host.call("request", ...given));
  }

  /** Has the type of the global `fetch`, so that client code of an app runs unchanged. */
  readonly fetch: typeof globalThis.fetch = async (input, init) =>
    answerTo(input, init, (target, options) => this.request(target, options));

  /**
   * Answers a question of a trusted app, without credentials, authorisation or activation. The
   * answer has the same bytes as that of v1 to the corresponding permitted request.
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
   * Answers the first record that a question finds, in the form in which v2 answers one record
   * (section 9, item 1): an object, or 404.
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
   * Observes a question. The live query delivers the answer that `ask` returns now, and a new one
   * whenever its status or its bytes change: after a change in any tab, or when another day begins
   * at the school.
   *
   * The live query ends when the engine is closed, when its signal is aborted, or when a loop over
   * it ends.
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
        // Both calls are sent in one message.
        const [answer, until] = await Promise.all([
          host.call("ask", encoded, at),
          now === undefined ? host.call("validUntil", encoded, at) : undefined,
        ]);
        return [answer, until === undefined ? undefined : Number(until) * 1000];
      },
      ended: () => void this.#live.delete(query),
    });
    this.#live.add(query);
    return query;
  }

  /**
   * Sets whether an integrator has activated an API type of a school (4.8), for a trusted app. The
   * status of the answer is 200 if the state changed, and 204 if it did not.
   */
  async setState(set: {
    username: string;
    school: Id;
    apiTypeId: Id;
    active: boolean;
  }): Promise<Answer> {
    const school = toId(set.school, "school");
    const given = [set.username, school, toId(set.apiTypeId, "apiTypeId"), set.active] as const;
    return new Answer(await this.#host.call("setState", ...given, newId()));
  }

  /** Returns the v2 request for the same data as a v1 request, given its path and query string. */
  async upgrade(target: string): Promise<Upgrade> {
    return this.#report("upgrade", target);
  }

  /**
   * Applies a dataset completely and durably, or not at all. Questions are answered meanwhile.
   * Applying the same dataset again writes nothing.
   *
   * Fails as `bad_dataset` with the line of the first fault, and as `interrupted` if the tab that
   * has the store open is closed and the dataset is a stream, which cannot be read again.
   */
  async apply(dataset: Dataset, options: LoadOptions = {}): Promise<Summary> {
    return this.#load(dataset, undefined, options);
  }

  /**
   * Replaces one school by a dataset that contains all of it: records of the school that are not in
   * the dataset are removed. The dataset may also contain API types and integrators; those that it
   * does not contain remain.
   */
  async replaceSchool(school: Id, dataset: Dataset, options: LoadOptions = {}): Promise<Summary> {
    return this.#load(dataset, toId(school, "school"), options);
  }

  /** Returns the faults of a dataset in the order of its lines, up to a limit. */
  async check(dataset: Dataset, { limit = 100 }: { limit?: number } = {}): Promise<Fault[]> {
    const all: Uint8Array<ArrayBuffer>[] = [];
    for await (const piece of pieces(dataset)) all.push(piece);
    const whole = new Uint8Array(await new Blob(all).arrayBuffer());
    return this.#report("check", whole, limit);
  }

  /** Removes all records of a school. An unknown school is not an error. */
  async removeSchool(school: Id): Promise<Summary> {
    return this.#report("removeSchool", toId(school, "school"), newId());
  }

  /**
   * Erases a learner and all records that belong to it (subjects, marks, absences, discipline),
   * also from unused pages of the file. Parents and accountable persons remain.
   */
  async eraseLearner(school: Id, learner: Id): Promise<Summary> {
    const ids = [toId(school, "school"), toId(learner, "learner")] as const;
    return this.#report("eraseLearner", ...ids, newId());
  }

  /**
   * Exports all records as a dataset, in pieces of about 64 KiB. The export contains the state of
   * the store at its start. If data is erased, or the store is compacted, before the export was
   * read completely, it fails as `reader_ended`. The dataset contains personal data and, if
   * `credentials` is true, password hashes.
   */
  export({ credentials = false }: { credentials?: boolean } = {}): ReadableStream<Uint8Array> {
    const id = newId();
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
   * Starts to fill a school from the service, call by call. `syncWith` sends the calls. Questions
   * about data that was not synced fail as `not_synced`, and requests for it are answered with 503.
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

  /** Returns the coverage of a school, or `null` if the school is not synced. */
  async synced(school: Id): Promise<Coverage | null> {
    const coverage = await this.#host.call("synced", toId(school, "school"));
    return coverage === undefined ? null : read<Coverage>(coverage);
  }

  /**
   * Ends the syncing of a school. Its records remain and count as complete: data that was not
   * synced is answered as if it did not exist. From then on the app may change the school.
   */
  async forgetSync(school: Id): Promise<void> {
    await this.#host.call("forgetSync", toId(school, "school"));
  }

  /**
   * Applies a feed, which contains the changes that a server sends from its store. `followFrom`
   * requests it. Each part of a feed is applied completely and durably, or not at all. A part that
   * arrives late or twice changes nothing. Only the server changes the schools that are followed,
   * and the lists that all schools share.
   *
   * Fails as `bad_dataset` for the first fault, and if the feed is incomplete; as `out_of_sync` if
   * it does not start at this store's position; as `diverged` if the store differs from its source
   * after a part, in which case the next feed contains everything, once; as `interrupted` if the
   * tab that has the store open is closed. The complete parts are applied: request the next feed
   * after `followed`.
   */
  async follow(feed: Dataset, options: LoadOptions = {}): Promise<Summary> {
    options.signal?.throwIfAborted();
    const id = newId();
    await this.#host.call("beginFollow", id);
    await this.#push(feed, options, id, "pushFollow", "endFollow");
    return this.#report("finishFollow", id);
  }

  /**
   * Returns the position after which to request the next feed. It is `null` if this store has not
   * followed another one, or if a feed that contains everything has not ended.
   */
  async followed(): Promise<string | null> {
    return (await this.#host.call("followed")) ?? null;
  }

  /**
   * Verifies the whole store: finds damage, and records that are inconsistent with each other. It
   * changes nothing. Damage is reported as a problem and not as an error.
   */
  async verify(): Promise<Verification> {
    return this.#report("verify");
  }

  /** Compacts the store: frees unused space, and erases all removed data from the file. */
  async compact(): Promise<void> {
    await this.#host.call("compact");
  }

  /** Returns the size of the store and the numbers of its records. */
  async stats(): Promise<Stats> {
    return this.#report("stats");
  }

  /** Closes the store. Every later call fails as `closed`. Closing again has no effect. */
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
    // All attempts have the same id, so that a load that was committed is not applied again.
    const id = newId();
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

  /** Pushes a dataset to the load or feed with this id, and cancels it after a failure. */
  async #push(
    dataset: Dataset,
    options: LoadOptions,
    id: string,
    push: "push" | "pushFollow",
    cancel: "cancelLoad" | "endFollow",
  ): Promise<void> {
    try {
      await pushPieces(dataset, options, (piece) => this.#host.call(push, id, piece));
    } catch (error) {
      // The first error is the one to report.
      await this.#host.call(cancel, id).catch(() => undefined);
      throw error;
    }
  }
}

export interface Engine {
  /** Closes the engine at the end of the scope of `await using engine = …`. */
  [Symbol.asyncDispose](): Promise<void>;
}

// Safari does not have this symbol yet.
if (Symbol.asyncDispose !== undefined) {
  Engine.prototype[Symbol.asyncDispose] = Engine.prototype.close;
}

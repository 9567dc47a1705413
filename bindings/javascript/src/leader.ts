// The tab that holds the store's file, and answers for all.

import { mayChange, type CallName, type Settings } from "./calls.js";
import { Instance } from "./instance.js";
import { names, type LockNames } from "./locks.js";
import { OpfsFile } from "./opfs.js";
import { Service, perform } from "./service.js";
import type { Call } from "./messages.js";

/** Thrown when another tab has taken over: whoever asked must ask that one. */
export class Deposed extends Error {}

/** Calls that may take long: meanwhile a lock says that the silence is work. */
const long: ReadonlySet<CallName> = new Set<CallName>([
  "check",
  "compact",
  "eraseLearner",
  "finishFollow",
  "finishLoad",
  "pushFollow",
  "removeSchool",
  "syncHandleReply",
  "syncNext",
  "verify",
]);

/** Calls that begin something under an id, which ends with the tab that asked. */
const begins: ReadonlySet<CallName> = new Set<CallName>([
  "beginExport",
  "beginFollow",
  "beginLoad",
  "beginSync",
]);

/** How long a tab that has not slept may take itself for the leader unasked. */
const LEASE = 1000;

export class Leader {
  /** Names this time of leading. */
  readonly term = crypto.randomUUID();
  readonly #file: OpfsFile;
  readonly #service: Service;
  readonly #locks: LockNames;
  readonly #client: string | undefined;
  /** Who has begun which loads, exports, syncs and feeds. */
  readonly #owners = new Map<string, Set<string>>();
  #confirmed = performance.now();

  private constructor(
    file: OpfsFile,
    service: Service,
    locks: LockNames,
    client: string | undefined,
  ) {
    this.#file = file;
    this.#service = service;
    this.#locks = locks;
    this.#client = client;
  }

  /** Opens the store; the store's lock must be held. */
  static async open(
    store: string,
    module: WebAssembly.Module,
    settings: Settings,
    isHeld: boolean,
  ): Promise<Leader> {
    const locks = names(store);
    const client = await holder(locks.store);
    const stillOurs = async (): Promise<boolean> => (await holder(locks.store)) === client;
    return atWork(locks, async () => {
      const file = await OpfsFile.open(store, isHeld, stillOurs);
      try {
        const service = new Service(new Instance(module, file, settings));
        const leader = new Leader(file, service, locks, client);
        await leader.#confirm();
        return leader;
      } catch (error) {
        file.close();
        throw error;
      }
    });
  }

  /** Whether the store was changed since this was asked last. */
  hasChanged(): boolean {
    return this.#service.hasChanged();
  }

  /** Answers a call of a tab, its own or another. */
  async answer(from: string, { name, given }: Call): Promise<unknown> {
    // A tab that slept may have been deposed, and its file be out of date.
    if (performance.now() - this.#confirmed > LEASE) await this.#confirm();
    if (begins.has(name)) this.#own(from, given[0] as string);
    const work = (): unknown => perform(this.#service, name, given);
    try {
      return long.has(name) ? await atWork(this.#locks, async () => work()) : work();
    } finally {
      // Its effect must not be told by a tab that was deposed.
      if (mayChange(name, given)) await this.#confirm();
    }
  }

  /** Closes the store and its file. */
  close(): void {
    try {
      this.#service.close();
    } finally {
      this.#file.close();
    }
  }

  /** Gives the file back without another write: somebody else has a copy of it. */
  abandon(): void {
    this.#file.close();
  }

  async #confirm(): Promise<void> {
    const asked = performance.now();
    if ((await holder(this.#locks.store)) !== this.#client) throw new Deposed();
    this.#confirmed = asked;
  }

  /** Notes who has begun something, and ends it when they are gone. */
  #own(from: string, id: string): void {
    const owned = this.#owners.get(from);
    if (owned !== undefined) {
      owned.add(id);
      return;
    }
    const theirs = new Set([id]);
    this.#owners.set(from, theirs);
    void navigator.locks.request(this.#locks.tab(from), () => {
      this.#owners.delete(from);
      this.#service.forget((session) => theirs.has(session));
    });
  }
}

/** Says that silence is work. A tab that was deposed may never have ended its own. */
async function atWork<T>(locks: LockNames, work: () => Promise<T>): Promise<T> {
  return navigator.locks.request(locks.busy, { mode: "shared" }, work);
}

/** Who holds a lock. */
async function holder(name: string): Promise<string | undefined> {
  const { held = [] } = await navigator.locks.query();
  return held.find((lock) => lock.name === name)?.clientId;
}

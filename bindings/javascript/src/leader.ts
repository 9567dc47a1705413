// The leader: the tab that has the file of a store open, and answers the calls of all tabs.

import { mayChange, type CallName, type Settings } from "./calls.js";
import { RollbookError } from "./error.js";
import { newId } from "./id.js";
import { Instance } from "./instance.js";
import { afterTab, names, type LockNames } from "./locks.js";
import { OpfsFile } from "./opfs.js";
import { Service, perform } from "./service.js";
import type { Call } from "./messages.js";

/** The error of a call that arrives after another tab has taken over. Send it to that tab. */
export class Deposed extends Error {}

/** Calls that may take long. The leader holds the lock `busy` meanwhile. */
const longCalls: ReadonlySet<CallName> = new Set<CallName>([
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

/** Calls that start a session with an id. The session ends when the tab of the caller is closed. */
const startingCalls: ReadonlySet<CallName> = new Set<CallName>([
  "beginExport",
  "beginFollow",
  "beginLoad",
  "beginSync",
]);

/** How long a leader may answer without checking that it still has the lock: milliseconds. */
const LEASE = 1000;

export class Leader {
  /** Identifies the period for which this tab leads. */
  readonly term = newId();
  readonly #file: OpfsFile;
  readonly #service: Service;
  readonly #locks: LockNames;
  readonly #client: string | undefined;
  /** The ids of the loads, exports, syncs and feeds that each tab has started. */
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

  /**
   * Opens the store. The caller must hold the lock of the store. If `isStolen` is
   * true, the lock was taken from a frozen tab, which cannot close the file, so this does not
   * wait for it.
   */
  static async open(
    store: string,
    module: WebAssembly.Module,
    settings: Settings,
    isStolen: boolean,
  ): Promise<Leader> {
    const locks = names(store);
    const client = await holderOf(locks.store);
    const stillOurs = async (): Promise<boolean> => (await holderOf(locks.store)) === client;
    return whileBusy(locks, async () => {
      const file = await OpfsFile.open(store, isStolen, stillOurs);
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

  /** Returns whether the store may have been changed since the last call of this method. */
  hasChanged(): boolean {
    return this.#service.hasChanged();
  }

  /** Answers a call of this tab or of another one. */
  async answer(from: string, { name, given }: Call): Promise<unknown> {
    // Another tab may have taken over while this one was frozen. Its file is then out of date.
    if (performance.now() - this.#confirmed > LEASE) await this.#confirm();
    if (startingCalls.has(name)) this.#addSession(from, given[0] as string);
    const work = (): unknown => perform(this.#service, name, given);
    try {
      return longCalls.has(name) ? await whileBusy(this.#locks, async () => work()) : work();
    } finally {
      // A tab that no longer leads must not report the effect of a change.
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

  /** Closes the file without another write, for example because a new leader uses a copy of it. */
  abandon(): void {
    this.#file.close();
  }

  /** Checks that this tab still has the lock, and that its file still exists. */
  async #confirm(): Promise<void> {
    const asked = performance.now();
    const [holder, isPresent] = await Promise.all([holderOf(this.#locks.store), this.#file.exists()]);
    if (holder !== this.#client) throw new Deposed();
    // Without a confirmation, the next call checks again.
    this.#confirmed = isPresent ? asked : Number.NEGATIVE_INFINITY;
    if (!isPresent) throw removed();
  }

  /** Records which tab started a session, and ends the session when that tab is closed. */
  #addSession(from: string, id: string): void {
    const owned = this.#owners.get(from);
    if (owned !== undefined) {
      owned.add(id);
      return;
    }
    const theirs = new Set([id]);
    this.#owners.set(from, theirs);
    afterTab(this.#locks, from, () => {
      this.#owners.delete(from);
      this.#service.endSessions((session) => theirs.has(session));
    });
  }
}

function removed(): RollbookError {
  const text = "the browser has removed the data of this site";
  const remedy = "close the engine, open the store again, and load the data again";
  return new RollbookError("missing", `${text}: ${remedy}`);
}

/**
 * Holds the lock `busy` during the work. The lock is shared, because a frozen tab may still hold
 * it.
 */
async function whileBusy<T>(locks: LockNames, work: () => Promise<T>): Promise<T> {
  return navigator.locks.request(locks.busy, { mode: "shared" }, work);
}

/** Returns the id of the client that holds a lock. */
async function holderOf(name: string): Promise<string | undefined> {
  const locks = await navigator.locks.query();
  return locks.held?.find((lock) => lock.name === name)?.clientId;
}

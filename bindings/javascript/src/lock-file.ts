// The lock file of a store in Node. It is located next to the store.

import * as fs from "node:fs";
import { RollbookError } from "./error.js";
import { cannotOpen } from "./open-failure.js";

/** The process that has a store open, as the lock file describes it. */
interface Holder {
  readonly pid: number;
  /**
   * The time at which the process was started, if the system reports it. The id of a process alone
   * is ambiguous, because another process may have it later.
   */
  readonly started: string | undefined;
  readonly command: string;
}

/** The age at which a guard was certainly left behind by a process that died: milliseconds. */
const ABANDONED = 10_000;

/**
 * A file that exists while a process has the store open. It identifies the process, so that a
 * killed process does not lock the store forever.
 */
export class LockFile {
  readonly #store: string;
  readonly #path: string;
  readonly #content: string;

  constructor(store: string) {
    this.#store = store;
    this.#path = `${store}.lock`;
    const command = process.argv.slice(0, 2).join(" ");
    const holder: Holder = { pid: process.pid, started: started(process.pid), command };
    this.#content = JSON.stringify({ ...holder, id: crypto.randomUUID() });
    if (this.#create()) return;
    this.#removeStale(store);
    if (!this.#create()) throw alreadyOpen(store, this.#read());
  }

  release(): void {
    try {
      if (fs.readFileSync(this.#path, "utf8") === this.#content) fs.unlinkSync(this.#path);
    } catch {
      // The file was already removed.
    }
  }

  /** Creates the file and its content in one step. Returns whether it did not exist before. */
  #create(): boolean {
    const draft = `${this.#path}.${crypto.randomUUID()}`;
    try {
      fs.writeFileSync(draft, this.#content, { flag: "wx", mode: 0o600 });
      fs.linkSync(draft, this.#path);
      return true;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw cannotOpen(this.#store, cause);
    } finally {
      removeDraft(draft);
    }
  }

  /**
   * Removes the file of a process that has ended. A guard lets only one process do this at a time,
   * because a second one could remove the file that the first one creates.
   */
  #removeStale(store: string): void {
    const guard = `${this.#path}.guard`;
    try {
      fs.mkdirSync(guard);
    } catch {
      const made = fs.statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - made < ABANDONED) throw alreadyOpen(store, this.#read());
    }
    try {
      const holder = this.#read();
      if (holder !== undefined && !isAlive(holder)) fs.rmSync(this.#path, { force: true });
    } finally {
      fs.rmSync(guard, { recursive: true, force: true });
    }
  }

  #read(): Holder | undefined {
    try {
      return JSON.parse(fs.readFileSync(this.#path, "utf8")) as Holder;
    } catch {
      return undefined;
    }
  }
}

/** Removes a file if it exists. If its folder does not exist, there is nothing to remove. */
function removeDraft(draft: string): void {
  try {
    fs.rmSync(draft, { force: true });
  } catch {
    // The cause was reported when the file was created.
  }
}

function alreadyOpen(store: string, holder: Holder | undefined): RollbookError {
  const who = holder === undefined ? "another process" : `process ${holder.pid} (${holder.command})`;
  return new RollbookError(
    "already_open",
    `${store} is already open in ${who}: close the engine that has it open, or use that engine`,
  );
}

function isAlive({ pid, started: then }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process of another user cannot be signalled, but it exists.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const now = started(pid);
  return then === undefined || now === undefined || now === then;
}

/** Returns the time at which a process was started, in ticks of the system. Linux only. */
function started(pid: number): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the command may contain blanks and parentheses.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

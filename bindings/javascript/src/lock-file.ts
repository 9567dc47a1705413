// The lock file beside a store of Node's.

import * as fs from "node:fs";
import { RollbookError } from "./error.js";

/** Who holds a store, as the lock file says. */
interface Holder {
  readonly pid: number;
  /** When the process began, where the system tells: its id may be given again. */
  readonly started: string | undefined;
  readonly command: string;
}

/** A guard that whoever made it has surely left behind. */
const ABANDONED = 10_000;

/**
 * A file that is there as long as somebody holds the store. It names the process, so
 * that one which was killed does not lock the store for ever.
 */
export class LockFile {
  readonly #path: string;
  readonly #mine: string;

  constructor(store: string) {
    this.#path = `${store}.lock`;
    const command = process.argv.slice(0, 2).join(" ");
    const holder: Holder = { pid: process.pid, started: started(process.pid), command };
    this.#mine = JSON.stringify({ ...holder, id: crypto.randomUUID() });
    if (this.#take()) return;
    this.#removeStale(store);
    if (!this.#take()) throw taken(store, this.#read());
  }

  release(): void {
    try {
      if (fs.readFileSync(this.#path, "utf8") === this.#mine) fs.unlinkSync(this.#path);
    } catch {
      // It is gone already.
    }
  }

  /** Makes the file in one step with what it says, unless it is there. */
  #take(): boolean {
    const draft = `${this.#path}.${crypto.randomUUID()}`;
    try {
      fs.writeFileSync(draft, this.#mine, { flag: "wx", mode: 0o600 });
      fs.linkSync(draft, this.#path);
      return true;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw new RollbookError("io", `${this.#path} could not be made (${String(cause)})`, { cause });
    } finally {
      fs.rmSync(draft, { force: true });
    }
  }

  /** Removes the file of a process that is gone; two at a time would remove a good one. */
  #removeStale(store: string): void {
    const guard = `${this.#path}.guard`;
    try {
      fs.mkdirSync(guard);
    } catch {
      const made = fs.statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
      if (Date.now() - made < ABANDONED) throw taken(store, this.#read());
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

function taken(store: string, holder: Holder | undefined): RollbookError {
  const who = holder === undefined ? "another process" : `process ${holder.pid} (${holder.command})`;
  return new RollbookError(
    "already_open",
    `${store} is already open in ${who}: close the engine that holds it, or use that one`,
  );
}

function isAlive({ pid, started: then }: Holder): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // One of another user's may not be signalled, but it is there.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  const now = started(pid);
  return then === undefined || now === undefined || now === then;
}

/** When a process began, in the system's ticks; on Linux alone. */
function started(pid: number): string | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
    // The command before it may hold blanks and parentheses.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}

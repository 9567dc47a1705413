// One tab among those that share a store. Whoever gets the store's lock leads; the
// others pass their calls on to it, and one of them takes over when it is gone.

import {
  mayChange,
  type CallArguments,
  type CallName,
  type CallResult,
  type Host,
  type Settings,
} from "./calls.js";
import { RollbookError, closed, toMessage } from "./error.js";
import { Followers } from "./followers.js";
import { Outbox, calls, replies } from "./frames.js";
import { Deposed, Leader } from "./leader.js";
import { names, underLock, type LockNames } from "./locks.js";
import {
  PROTOCOL,
  type Broadcast,
  type Call,
  type Leads,
  type Reply,
  type ToLeader,
  type ToTab,
} from "./messages.js";
import { Pending } from "./pending.js";

/** How often a leader that owes an answer is asked whether it is awake. */
const BEAT = 350;
/** After so many beats without a word it is taken for frozen. */
const SILENT_BEATS = 3;
/** After so many even while it is at work on something long. */
const BUSY_BEATS = 30;

export class Tab implements Host {
  readonly #store: string;
  readonly #module: WebAssembly.Module;
  readonly #settings: Settings;
  readonly #locks: LockNames;
  readonly #id = crypto.randomUUID();
  readonly #all: BroadcastChannel;
  readonly #mine: BroadcastChannel;
  readonly #pending = new Pending();
  /** Calls to another tab: those of one turn travel together. */
  readonly #calls = new Outbox((parcel) => {
    this.#tellLeader({ kind: "calls", from: this.#id, calls: parcel });
  });
  readonly #gone: () => void;
  /** The leader, if it is this tab. */
  #leader: Leader | undefined;
  /** Whom it answers beside itself. */
  #followers: Followers | undefined;
  /** The time of leading that calls are sent to, if it is another tab's. */
  #term: string | undefined;
  /** What the leader hears, whether it is this tab or another. */
  #desk: BroadcastChannel | undefined;
  #waiting: AbortController | undefined;
  #resign: (() => void) | undefined;
  /** Over when this tab neither leads nor waits to. */
  #led: Promise<void> = Promise.resolve();
  #silent = 0;
  #beat: ReturnType<typeof setInterval> | undefined;
  #closed: RollbookError | undefined;
  changed = (): void => undefined;

  constructor(store: string, module: WebAssembly.Module, settings: Settings) {
    this.#store = store;
    this.#module = module;
    this.#settings = settings;
    this.#locks = names(store);
    this.#all = new BroadcastChannel(this.#locks.store);
    this.#all.onmessage = ({ data }) => this.#hear(data as Broadcast);
    this.#mine = new BroadcastChannel(this.#locks.tab(this.#id));
    this.#mine.onmessage = ({ data }) => this.#hearLeader(data as ToTab);
    this.#gone = this.#live();
  }

  async call<K extends CallName>(name: K, ...given: CallArguments<K>): Promise<CallResult<K>> {
    if (this.#closed !== undefined) throw this.#closed;
    const { call, answered } = this.#pending.add<CallResult<K>>(name, given);
    this.#send(call);
    return answered;
  }

  async close(): Promise<void> {
    if (this.#closed !== undefined) return;
    this.#closed = closed();
    this.#waiting?.abort();
    this.#pending.fail(this.#closed);
    clearInterval(this.#beat);
    this.#all.close();
    this.#mine.close();
    this.#followers?.close();
    this.#unfollow();
    try {
      this.#leader?.close();
    } finally {
      this.#leader = undefined;
      this.#resign?.();
      this.#gone();
      // Whoever comes next finds the store free.
      await this.#led;
    }
  }

  /** Holds this tab's own lock, until told to give it back. */
  #live(): () => void {
    let gone = (): void => undefined;
    const life = new Promise<void>((resolve) => {
      gone = resolve;
    });
    void navigator.locks.request(this.#locks.tab(this.#id), () => life);
    return gone;
  }

  #send(call: Call): void {
    if (this.#leader !== undefined) {
      void this.#answerOwn(this.#leader, call);
      return;
    }
    if (this.#term !== undefined) this.#calls.call(call);
    else this.#tell({ kind: "who", from: this.#id });
    this.#wait();
    this.#beat ??= setInterval(() => void this.#check(), BEAT);
  }

  #tell(message: Broadcast): void {
    this.#all.postMessage(message);
  }

  #tellLeader(message: ToLeader): void {
    this.#desk?.postMessage(message);
  }

  /** Knows of no leader any more; what was not sent yet is sent to the next one. */
  #unfollow(): void {
    this.#term = undefined;
    this.#desk?.close();
    this.#desk = undefined;
    this.#calls.clear();
  }

  /** Queues for the lock, unless it does. */
  #wait(): void {
    if (this.#waiting !== undefined || this.#leader !== undefined) return;
    const waiting = new AbortController();
    this.#waiting = waiting;
    this.#led = this.#lead({ signal: waiting.signal });
  }

  /** Leads as soon as the lock is had, until it is given back or stolen. */
  async #lead(options: LockOptions): Promise<void> {
    try {
      await underLock(this.#locks.store, options, async () => {
        this.#waiting = undefined;
        const resigned = new Promise<void>((resolve) => {
          this.#resign = resolve;
        });
        if (!(await this.#open(options.steal === true))) return;
        await resigned;
      });
    } catch (error) {
      // Aborted while it waited, by ourselves; or stolen while it led.
      if (this.#leader !== undefined) this.#step(this.#leader);
      else if (!(error instanceof DOMException)) this.#pending.fail(error);
    }
  }

  async #open(isHeld: boolean): Promise<boolean> {
    let leader: Leader;
    try {
      leader = await Leader.open(this.#store, this.#module, this.#settings, isHeld);
    } catch (error) {
      if (error instanceof Deposed) this.#wait();
      else this.#pending.fail(error);
      return false;
    }
    if (this.#closed !== undefined) {
      leader.close();
      return false;
    }
    this.#unfollow();
    this.#leader = leader;
    const followers = new Followers(this.#locks, leader.term);
    this.#followers = followers;
    this.#desk = new BroadcastChannel(this.#locks.term(leader.term));
    this.#desk.onmessage = ({ data }) => this.#hearTab(leader, followers, data as ToLeader);
    clearInterval(this.#beat);
    this.#beat = undefined;
    this.#tell(leads(leader));
    for (const call of this.#pending.calls) this.#send(call);
    this.changed();
    return true;
  }

  /** Steps down after another tab has taken over. */
  #step(leader: Leader): void {
    if (this.#leader !== leader) return;
    this.#leader = undefined;
    this.#followers?.close();
    this.#unfollow();
    leader.abandon();
    this.#tell({ kind: "who", from: this.#id });
    for (const call of this.#pending.calls) this.#send(call);
    this.#wait();
  }

  async #answerOwn(leader: Leader, call: Call): Promise<void> {
    const reply = await this.#answer(leader, this.#id, call);
    if (reply !== undefined) this.#pending.settle(reply);
  }

  /** What comes of a call; nothing if another tab must answer it. */
  async #answer(leader: Leader, from: string, call: Call): Promise<Reply | undefined> {
    const { number } = call;
    try {
      return { number, value: await leader.answer(from, call) };
    } catch (error) {
      if (!(error instanceof Deposed)) return { number, error: toMessage(error) };
      this.#step(leader);
      return undefined;
    } finally {
      if (mayChange(call.name, call.given)) this.#tellChange(leader);
    }
  }

  /** Tells all tabs and the page of this one what was changed, unless another leads now. */
  #tellChange(leader: Leader): void {
    if (this.#leader !== leader || !leader.hasChanged()) return;
    this.#tell({ kind: "changed" });
    this.changed();
  }

  /** What is said to all. */
  #hear(message: Broadcast): void {
    if (message.kind === "leads") {
      this.#follow(message);
      return;
    }
    if (message.kind === "changed") {
      this.changed();
      return;
    }
    const leader = this.#leader;
    if (leader === undefined) return;
    this.#followers?.tell(message.from, leads(leader));
  }

  /** What another tab says to this one, which leads. */
  #hearTab(leader: Leader, followers: Followers, message: ToLeader): void {
    const { from } = message;
    if (message.kind === "ping") {
      followers.tell(from, { kind: "awake", term: leader.term });
      return;
    }
    for (const call of calls(message.calls)) void this.#answerTab(leader, followers, from, call);
  }

  async #answerTab(
    leader: Leader,
    followers: Followers,
    from: string,
    call: Call,
  ): Promise<void> {
    const reply = await this.#answer(leader, from, call);
    if (reply !== undefined) followers.reply(from, reply);
  }

  /** What the leader says to this tab. */
  #hearLeader(message: ToTab): void {
    if (message.kind === "leads") {
      this.#follow(message);
    } else if (message.term === this.#term) {
      this.#silent = 0;
      if (message.kind === "replies") {
        for (const reply of replies(message.replies)) this.#pending.settle(reply);
      }
      if (this.#pending.size === 0) {
        clearInterval(this.#beat);
        this.#beat = undefined;
      }
    }
  }

  /** Sends what is on its way to a leader that was not known. */
  #follow({ term, protocol }: Leads): void {
    if (this.#leader !== undefined || this.#term === term) return;
    if (protocol !== PROTOCOL) {
      this.#pending.fail(foreign());
      return;
    }
    this.#unfollow();
    this.#term = term;
    this.#desk = new BroadcastChannel(this.#locks.term(term));
    this.#silent = 0;
    for (const call of this.#pending.calls) this.#send(call);
    // Somebody who led before may have gone before telling of a change.
    this.changed();
  }

  /** Asks a leader that owes an answer for a word, and takes over if none comes. */
  async #check(): Promise<void> {
    if (this.#leader !== undefined || this.#pending.size === 0) return;
    this.#silent += 1;
    if (this.#silent > SILENT_BEATS && (await this.#isFrozen())) {
      await navigator.locks.request(this.#locks.takeover, { ifAvailable: true }, async (lock) => {
        if (lock !== null && this.#silent > SILENT_BEATS) await this.#takeOver();
      });
      return;
    }
    if (this.#term === undefined) this.#tell({ kind: "who", from: this.#id });
    else this.#tellLeader({ kind: "ping", from: this.#id });
  }

  /** Whether somebody leads, and not a word was heard for too long. */
  async #isFrozen(): Promise<boolean> {
    const { held = [] } = await navigator.locks.query();
    const leader = held.find(({ name }) => name === this.#locks.store)?.clientId;
    if (leader === undefined) return false;
    const isBusy = held.some(
      ({ name, clientId }) => name === this.#locks.busy && clientId === leader,
    );
    return this.#silent > (isBusy ? BUSY_BEATS : SILENT_BEATS);
  }

  /** Takes the lock from a tab that is frozen; ends when this tab leads. */
  async #takeOver(): Promise<void> {
    this.#waiting?.abort();
    this.#waiting = undefined;
    this.#silent = 0;
    const before = this.#term;
    this.#led = this.#lead({ steal: true });
    // The takeover's lock is held until others can hear who leads.
    for (let beat = 0; beat < 20; beat += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (this.#leader !== undefined || this.#term !== before) return;
    }
  }
}

const leads = ({ term }: Leader): Leads => ({ kind: "leads", term, protocol: PROTOCOL });

const foreign = (): RollbookError =>
  new RollbookError(
    "busy",
    "busy: a tab with another version of this app holds the store; reload or close that tab",
  );

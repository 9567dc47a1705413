// One of the tabs that share a store. The tab that holds the lock of the store is the leader. The
// other tabs send their calls to it, and one of them takes over when the leader is closed, crashes
// or is frozen.

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
import { newId } from "./id.js";
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

/** The interval at which a leader is checked while it owes an answer, in milliseconds. */
const BEAT = 350;
/** The number of intervals without a message after which a leader counts as frozen. */
const SILENT_BEATS = 3;
/** The same number for a leader that is executing a long call. */
const BUSY_BEATS = 30;

export class Tab implements Host {
  readonly #store: string;
  readonly #module: WebAssembly.Module;
  readonly #settings: Settings;
  readonly #locks: LockNames;
  readonly #id = newId();
  readonly #broadcastChannel: BroadcastChannel;
  readonly #ownChannel: BroadcastChannel;
  readonly #pending = new Pending();
  /** Calls to another tab. Those of one turn of the event loop are sent in one message. */
  readonly #calls = new Outbox((parcel) => {
    this.#sendToLeader({ kind: "calls", from: this.#id, calls: parcel });
  });
  readonly #releaseTabLock: () => void;
  /** The leader, if it is this tab. */
  #leader: Leader | undefined;
  /** The other tabs that this tab answers, if it is the leader. */
  #followers: Followers | undefined;
  /** The term of the leader to which calls are sent, if it is another tab. */
  #term: string | undefined;
  /** The channel to the leader, which may be this tab or another one. */
  #leaderChannel: BroadcastChannel | undefined;
  #waiting: AbortController | undefined;
  #resign: (() => void) | undefined;
  /** Resolves when this tab neither leads nor waits for the lock. */
  #leading: Promise<void> = Promise.resolve();
  #silentBeats = 0;
  #beat: ReturnType<typeof setInterval> | undefined;
  #closed: RollbookError | undefined;
  changed = (): void => undefined;

  constructor(store: string, module: WebAssembly.Module, settings: Settings) {
    this.#store = store;
    this.#module = module;
    this.#settings = settings;
    this.#locks = names(store);
    this.#broadcastChannel = new BroadcastChannel(this.#locks.store);
    this.#broadcastChannel.onmessage = ({ data }) => this.#handleBroadcast(data as Broadcast);
    this.#ownChannel = new BroadcastChannel(this.#locks.tab(this.#id));
    this.#ownChannel.onmessage = ({ data }) => this.#handleLeaderMessage(data as ToTab);
    this.#releaseTabLock = this.#holdTabLock();
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
    this.#broadcastChannel.close();
    this.#ownChannel.close();
    this.#followers?.close();
    this.#unfollow();
    try {
      this.#leader?.close();
    } finally {
      this.#leader = undefined;
      this.#resign?.();
      this.#releaseTabLock();
      // The store is then free for the next caller that opens it.
      await this.#leading;
    }
  }

  /** Holds the lock of this tab. Returns a function that releases it. */
  #holdTabLock(): () => void {
    let release = (): void => undefined;
    const life = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held = navigator.locks.request(this.#locks.tab(this.#id), () => life);
    held.catch((error: unknown) => this.#fail(error));
    return release;
  }

  #send(call: Call): void {
    if (this.#leader !== undefined) {
      void this.#answerOwn(this.#leader, call);
      return;
    }
    if (this.#term !== undefined) this.#calls.call(call);
    else this.#broadcast({ kind: "who", from: this.#id });
    this.#requestLock();
    this.#beat ??= setInterval(() => {
      this.#check().catch((error: unknown) => this.#fail(error));
    }, BEAT);
  }

  #broadcast(message: Broadcast): void {
    this.#broadcastChannel.postMessage(message);
  }

  #sendToLeader(message: ToLeader): void {
    this.#leaderChannel?.postMessage(message);
  }

  /** Forgets the leader. Calls that were not sent yet are sent to the next one. */
  #unfollow(): void {
    this.#term = undefined;
    this.#leaderChannel?.close();
    this.#leaderChannel = undefined;
    this.#calls.clear();
  }

  /** Requests the lock, unless it is already requested. */
  #requestLock(): void {
    if (this.#waiting !== undefined || this.#leader !== undefined) return;
    const waiting = new AbortController();
    this.#waiting = waiting;
    this.#leading = this.#lead({ signal: waiting.signal });
  }

  /** Waits for the lock, and leads until it is released or stolen. */
  async #lead(options: LockOptions): Promise<void> {
    let isGranted = false;
    try {
      await underLock(this.#locks.store, options, async () => {
        isGranted = true;
        this.#waiting = undefined;
        const resigned = new Promise<void>((resolve) => {
          this.#resign = resolve;
        });
        if (!(await this.#open(options.steal === true))) return;
        await resigned;
      });
    } catch (error) {
      if (this.#leader !== undefined) this.#stepDown(this.#leader);
      // Otherwise this tab aborted its request, or another tab stole the lock during the opening.
      else if (!isGranted && options.signal?.aborted !== true) this.#fail(error);
    }
  }

  /** Fails all calls without a reply. A later call requests the lock again. */
  #fail(error: unknown): void {
    this.#waiting?.abort();
    this.#waiting = undefined;
    clearInterval(this.#beat);
    this.#beat = undefined;
    this.#pending.fail(error);
  }

  async #open(isStolen: boolean): Promise<boolean> {
    let leader: Leader | undefined;
    let channel: BroadcastChannel;
    try {
      leader = await Leader.open(this.#store, this.#module, this.#settings, isStolen);
      channel = new BroadcastChannel(this.#locks.term(leader.term));
    } catch (error) {
      leader?.abandon();
      if (error instanceof Deposed) this.#requestLock();
      else this.#pending.fail(error);
      return false;
    }
    if (this.#closed !== undefined) {
      channel.close();
      leader.close();
      return false;
    }
    this.#unfollow();
    this.#leader = leader;
    const followers = new Followers(this.#locks, leader.term);
    this.#followers = followers;
    this.#leaderChannel = channel;
    this.#leaderChannel.onmessage = ({ data }) =>
      this.#handleTabMessage(leader, followers, data as ToLeader);
    clearInterval(this.#beat);
    this.#beat = undefined;
    this.#broadcast(leads(leader));
    for (const call of this.#pending.calls) this.#send(call);
    this.changed();
    return true;
  }

  /** Steps down after another tab has taken over. */
  #stepDown(leader: Leader): void {
    if (this.#leader !== leader) return;
    this.#leader = undefined;
    this.#followers?.close();
    this.#unfollow();
    leader.abandon();
    this.#broadcast({ kind: "who", from: this.#id });
    for (const call of this.#pending.calls) this.#send(call);
    this.#requestLock();
  }

  async #answerOwn(leader: Leader, call: Call): Promise<void> {
    const reply = await this.#answer(leader, this.#id, call);
    if (reply !== undefined) this.#pending.settle(reply);
  }

  /** Returns the reply to a call, or nothing if another tab must answer it. */
  async #answer(leader: Leader, from: string, call: Call): Promise<Reply | undefined> {
    const { number } = call;
    try {
      return { number, value: await leader.answer(from, call) };
    } catch (error) {
      if (!(error instanceof Deposed)) return { number, error: toMessage(error) };
      this.#stepDown(leader);
      return undefined;
    } finally {
      if (mayChange(call.name, call.given)) this.#reportChange(leader);
    }
  }

  /** Notifies all tabs and the page of this tab of a change, unless another tab leads now. */
  #reportChange(leader: Leader): void {
    if (this.#leader !== leader || !leader.hasChanged()) return;
    this.#broadcast({ kind: "changed" });
    this.changed();
  }

  /** Handles a message to all tabs. */
  #handleBroadcast(message: Broadcast): void {
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
    this.#followers?.send(message.from, leads(leader));
  }

  /** Handles a message from another tab to this one, which is the leader. */
  #handleTabMessage(leader: Leader, followers: Followers, message: ToLeader): void {
    const { from } = message;
    if (message.kind === "ping") {
      followers.send(from, { kind: "awake", term: leader.term });
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

  /** Handles a message from the leader to this tab. */
  #handleLeaderMessage(message: ToTab): void {
    if (message.kind === "leads") {
      this.#follow(message);
    } else if (message.term === this.#term) {
      this.#silentBeats = 0;
      if (message.kind === "replies") {
        for (const reply of replies(message.replies)) this.#pending.settle(reply);
      }
      if (this.#pending.size === 0) {
        clearInterval(this.#beat);
        this.#beat = undefined;
      }
    }
  }

  /** Accepts another leader, and sends it the calls without a reply. */
  #follow({ term, protocol }: Leads): void {
    if (this.#leader !== undefined || this.#term === term) return;
    if (protocol !== PROTOCOL) {
      this.#pending.fail(foreign());
      return;
    }
    this.#unfollow();
    try {
      this.#leaderChannel = new BroadcastChannel(this.#locks.term(term));
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#term = term;
    this.#silentBeats = 0;
    for (const call of this.#pending.calls) this.#send(call);
    // The previous leader may have ended before it reported a change.
    this.changed();
  }

  /** Asks a leader that owes an answer whether it is awake, and takes over if it does not reply. */
  async #check(): Promise<void> {
    if (this.#leader !== undefined || this.#pending.size === 0) return;
    this.#silentBeats += 1;
    if (this.#silentBeats > SILENT_BEATS && (await this.#isFrozen())) {
      await navigator.locks.request(this.#locks.takeover, { ifAvailable: true }, async (lock) => {
        if (lock !== null && this.#silentBeats > SILENT_BEATS) await this.#takeOver();
      });
      return;
    }
    if (this.#term === undefined) this.#broadcast({ kind: "who", from: this.#id });
    else this.#sendToLeader({ kind: "ping", from: this.#id });
  }

  /** Returns whether there is a leader that has sent no message for too long. */
  async #isFrozen(): Promise<boolean> {
    const { held: locks = [] } = await navigator.locks.query();
    const leader = locks.find(({ name }) => name === this.#locks.store)?.clientId;
    if (leader === undefined) return false;
    const isBusy = locks.some(
      ({ name, clientId }) => name === this.#locks.busy && clientId === leader,
    );
    return this.#silentBeats > (isBusy ? BUSY_BEATS : SILENT_BEATS);
  }

  /** Steals the lock from a frozen tab. Ends when this tab or another one leads. */
  async #takeOver(): Promise<void> {
    this.#waiting?.abort();
    this.#waiting = undefined;
    this.#silentBeats = 0;
    const before = this.#term;
    this.#leading = this.#lead({ steal: true });
    // The caller holds the takeover lock until the new leader has announced itself.
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
    "busy: a tab with another version of this app has the store open; reload or close that tab",
  );

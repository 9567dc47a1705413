// The tabs that a leader answers. Each has a channel, which is closed when the tab is closed.

import { Outbox } from "./frames.js";
import { afterTab, type LockNames } from "./locks.js";
import type { Reply, ToTab } from "./messages.js";

interface Follower {
  readonly channel: BroadcastChannel;
  readonly replies: Outbox;
}

export class Followers {
  readonly #locks: LockNames;
  readonly #term: string;
  readonly #all = new Map<string, Follower>();

  constructor(locks: LockNames, term: string) {
    this.#locks = locks;
    this.#term = term;
  }

  send(tab: string, message: ToTab): void {
    this.#follower(tab).channel.postMessage(message);
  }

  /** Queues a reply. All replies of one turn of the event loop are sent in one message. */
  reply(tab: string, reply: Reply): void {
    this.#follower(tab).replies.reply(reply);
  }

  close(): void {
    for (const { channel, replies } of this.#all.values()) {
      replies.send();
      channel.close();
    }
    this.#all.clear();
  }

  #follower(tab: string): Follower {
    const known = this.#all.get(tab);
    if (known !== undefined) return known;
    const channel = new BroadcastChannel(this.#locks.tab(tab));
    const replies = new Outbox((parcel) => {
      // The tab was closed in the meantime.
      if (this.#all.get(tab) !== follower) return;
      this.send(tab, { kind: "replies", term: this.#term, replies: parcel });
    });
    const follower = { channel, replies };
    this.#all.set(tab, follower);
    afterTab(this.#locks, tab, () => {
      channel.close();
      if (this.#all.get(tab) === follower) this.#all.delete(tab);
    });
    return follower;
  }
}

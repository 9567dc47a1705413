// The Web Locks and the channels of a store.

export interface LockNames {
  /** Who has it leads: holds the file, and answers for all. */
  readonly store: string;
  /** The leader has it while it is at work on something long. */
  readonly busy: string;
  /** Who has it takes over from a leader that is frozen. */
  readonly takeover: string;
  /** A tab has its own as long as it lives, and a channel of that name. */
  readonly tab: (id: string) => string;
  /** The channel to the leader of a term. */
  readonly term: (term: string) => string;
}

export function names(store: string): LockNames {
  const prefix = `rollbook/${store}`;
  return {
    store: prefix,
    busy: `${prefix}/busy`,
    takeover: `${prefix}/takeover`,
    tab: (id) => `${prefix}/tab/${id}`,
    term: (term) => `${prefix}/term/${term}`,
  };
}

/**
 * Does work under a lock. A request that is aborted before Chromium has passed it on goes
 * on waiting there: it is over here all the same, and gives the lock back when it comes.
 */
export async function underLock(
  name: string,
  options: LockOptions,
  work: () => Promise<void>,
): Promise<void> {
  const { signal } = options;
  const requested = navigator.locks.request(name, options, async () => {
    if (signal?.aborted !== true) await work();
  });
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener("abort", () => reject(signal.reason));
  });
  await Promise.race([requested, aborted]);
}

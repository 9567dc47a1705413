// The names of the Web Locks and the channels of a store.

export interface LockNames {
  /** The lock of the leader, which has the file open and answers the calls of all tabs. */
  readonly store: string;
  /** The lock that the leader holds during a long call. */
  readonly busy: string;
  /** The lock of the tab that takes over from a frozen leader. */
  readonly takeover: string;
  /** The lock that a tab holds until it is closed, and the channel to that tab. */
  readonly tab: (id: string) => string;
  /** The channel to the leader of this term. */
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

/** Does work after the lock of a tab was released, because the tab was closed. */
export function afterTab(locks: LockNames, id: string, work: () => void): void {
  // The request fails if the user denies storage to the site in the meantime.
  navigator.locks.request(locks.tab(id), work).catch(() => undefined);
}

/**
 * Does work while holding a lock. Chromium may ignore the abort of a request for a lock that it has
 * not forwarded yet. Such a request rejects here in any case, and releases the lock when it is
 * granted.
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

// Measures medians over many rounds. In each round, all contenders answer the same asks, in a
// random order.

/** The shortest measured time, in ms, because the clock of a page counts tenths of a ms. */
const ENOUGH = 20;
/** The time in ms from which on a contender is not warmed up in each round. */
const SLOW = 200;

/**
 * Returns the median time of one ask for each contender, in milliseconds. All contenders take part
 * in `rounds` rounds; fast ones take part in more, until they have used `time` milliseconds.
 */
export async function medians(calls, asks, { rounds, time }) {
  const times = calls.map(() => []);
  const spent = calls.map(() => 0);
  for (let round = 0; ; round += 1) {
    const order = [...calls.keys()].filter((at) => round < rounds || spent[at] < time);
    if (order.length === 0) break;
    shuffle(order);
    const drawn = shuffle([...asks]);
    for (const at of order) {
      const started = performance.now();
      await once(calls[at], drawn);
      const first = performance.now() - started;
      if (first > SLOW && round > 0) {
        times[at].push(first / drawn.length);
        spent[at] += first;
        continue;
      }
      const repeats = Math.min(1000, Math.max(1, Math.ceil(ENOUGH / Math.max(first, 0.1))));
      const start = performance.now();
      for (let repeat = 0; repeat < repeats; repeat += 1) await once(calls[at], drawn);
      const end = performance.now();
      times[at].push((end - start) / repeats / drawn.length);
      spent[at] += end - started;
    }
  }
  return times.map(median);
}

/** Returns the median of values. */
export function median(values) {
  return [...values].sort((one, other) => one - other)[values.length >> 1];
}

async function once(call, asks) {
  for (const ask of asks) await call(ask);
}

function shuffle(values) {
  for (let at = values.length - 1; at > 0; at -= 1) {
    const other = Math.floor(Math.random() * (at + 1));
    [values[at], values[other]] = [values[other], values[at]];
  }
  return values;
}

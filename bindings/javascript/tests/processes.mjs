// Finds the process of a tab, to freeze, wake or kill it.

import { readFileSync, readdirSync } from "node:fs";

/** Returns the processes of this test's browser that run pages. */
function renderers() {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        const state = stat.slice(stat.lastIndexOf(")") + 2)[0];
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return state !== "Z" && command.includes("--type=renderer") && isOurs(pid);
      } catch {
        return false;
      }
    });
}

/** Returns whether this process is an ancestor of another one. */
function isOurs(pid) {
  for (let at = pid; at > 1; ) {
    if (at === process.pid) return true;
    const stat = readFileSync(`/proc/${at}/stat`, "utf8");
    at = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
  }
  return false;
}

/** Returns the processor time that a process has used, in ticks. */
function ticks(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

/** Finds the process of a page: the one that uses processor time while the page works. */
export async function processOf(page) {
  const spent = new Map();
  for (let round = 0; round < 100; round++) {
    const before = new Map(renderers().map((pid) => [pid, ticks(pid)]));
    await page.evaluate(() => {
      const end = performance.now() + 200;
      while (performance.now() < end);
    });
    for (const pid of renderers()) {
      spent.set(pid, (spent.get(pid) ?? 0) + ticks(pid) - (before.get(pid) ?? 0));
    }
    const [[pid, most], [, next] = [0, 0]] = [...spent].sort(([, left], [, right]) => right - left);
    // Other processes may also work, especially on a busy machine.
    if (most > 20 + 3 * next) return signals(pid);
  }
  throw new Error("no process of this browser works when the page does");
}

const signals = (pid) => ({
  freeze: () => process.kill(pid, "SIGSTOP"),
  wake: () => process.kill(pid, "SIGCONT"),
  kill: () => process.kill(pid, "SIGKILL"),
});

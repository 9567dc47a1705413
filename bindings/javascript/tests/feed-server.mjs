// Starts a server that devices follow: `rollbook serve`, which tests/material builds.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { rollbook } from "./material.mjs";

export const SCHOOL = 1000;

/**
 * Serves a store. The token `family` permits the learners 1 and 2 of the school. `more` contains
 * further arguments; for `--from`, the credentials of the sample schools are in the environment.
 */
export async function feedServer(store, dataset, more = []) {
  let running;
  let address;
  const server = {
    address: () => address,
    /** Returns the address of the feed. */
    url: () => `${address}/feed`,
    /** Restarts the server on the same store, after applying datasets. */
    async again(...datasets) {
      await server.close();
      const given = datasets.flatMap((path) => ["--dataset", path]);
      const serve = ["serve", "--listen", "0", "--quiet"];
      const scope = ["--feed", `family=${SCHOOL}:1,2`];
      running = spawn(rollbook(), [...serve, "--store", store, ...given, ...scope, ...more], {
        stdio: ["ignore", "pipe", "ignore"],
        env: { ...process.env, ROLLBOOK_USERNAME: "demo", ROLLBOOK_PASSWORD: "demo" },
      });
      let said = "";
      for await (const piece of running.stdout) {
        said += piece;
        if (said.includes("\n")) break;
      }
      [address] = /http:\S+/.exec(said) ?? [];
      if (address === undefined) throw new Error(`serve did not start: ${said}`);
    },
    async close() {
      if (running === undefined || running.exitCode !== null) return;
      const ended = once(running, "exit");
      running.kill();
      await ended;
    },
  };
  await server.again(...(dataset === undefined ? [] : [dataset]));
  return server;
}

// The worker that holds a store's file, or passes calls on to the tab that does.

import { toMessage } from "./error.js";
import { transfers, type FromWorker, type ToWorker } from "./messages.js";
import { Tab } from "./tab.js";

interface Scope {
  postMessage(message: FromWorker, transfer: Transferable[]): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
}

const scope = globalThis as unknown as Scope;
let tab: Tab | undefined;

async function reply(number: number, work: () => Promise<unknown>): Promise<void> {
  let message: FromWorker;
  try {
    message = { number, value: await work() };
  } catch (error) {
    message = { number, error: toMessage(error) };
  }
  scope.postMessage(message, transfers(message));
}

scope.onmessage = ({ data }) => {
  switch (data.kind) {
    case "open": {
      const opened = new Tab(data.store, data.module, data.settings);
      tab = opened;
      void reply(0, async () => {
        try {
          // Answered by whoever holds the store, or by why nobody can.
          await opened.call("stats");
        } catch (error) {
          await opened.close();
          throw error;
        }
      });
      break;
    }
    case "call": {
      const { number, name, given } = data.call;
      void reply(number, async () => tab?.call(name, ...given));
      break;
    }
    case "close":
      void reply(0, async () => tab?.close());
      break;
  }
};

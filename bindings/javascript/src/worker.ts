// The worker of a page. It has the file of a store open, or forwards calls to the tab that has.

import { toMessage } from "./error.js";
import { Outbox, calls, isParcel } from "./frames.js";
import { PROTOCOL, type ToPage, type ToWorker } from "./messages.js";
import { Tab } from "./tab.js";

interface Scope {
  postMessage(message: ToPage, transfer?: Transferable[]): void;
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
}

const scope = globalThis as unknown as Scope;
const replies = new Outbox((parcel, transfer) => scope.postMessage(parcel, transfer));
let tab: Tab | undefined;
let isOpening = false;

/** Sends the result of work as a reply. The replies to opening and closing have the number 0. */
async function reply(number: number, work: () => Promise<unknown>): Promise<void> {
  try {
    replies.reply({ number, value: await work() });
  } catch (error) {
    replies.reply({ number, error: toMessage(error) });
  }
}

scope.onmessage = ({ data }) => {
  if (isParcel(data)) {
    for (const { number, name, given } of calls(data)) {
      void reply(number, async () => tab?.call(name, ...given));
    }
    return;
  }
  switch (data.kind) {
    case "open": {
      // The page sends this message again when the script runs, because the first one is lost if a
      // script of the app has imported this one too late.
      if (isOpening) break;
      isOpening = true;
      void reply(0, async () => {
        const opened = new Tab(data.store, data.module, data.settings);
        tab = opened;
        opened.changed = () => scope.postMessage("changed");
        try {
          // The leader answers this call, or it fails if no tab can open the store.
          await opened.call("stats");
        } catch (error) {
          await opened.close();
          throw error;
        }
      });
      break;
    }
    case "close":
      void reply(0, async () => tab?.close());
      break;
  }
};

scope.postMessage({ kind: "ready", protocol: PROTOCOL });

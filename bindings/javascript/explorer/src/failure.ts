// Describes errors, with advice for the user.

import { RollbookError, type ErrorCode } from "rollbook";
import { element } from "./element.js";

const ADVICE: Partial<Record<ErrorCode, string>> = {
  bad_dataset: "None of it was stored. Correct that line and load the dataset again.",
  busy: "Another tab or a load is using the store. Wait until it is done, then try again.",
  already_open: "Another program has the store open. Close it, then reload this page.",
  crashed: "Stored data is unchanged. Reload this page.",
  interrupted: "The tab that had the store open was closed. Try again.",
  corrupt: "The store is damaged. Export what can be read, start over, and load the data again.",
  newer_format: "A newer version wrote this store. Reload the page while you are online.",
  io: "If the storage is full, free some space, then try again.",
};

/** The text for `no_storage`. The advice in the message of the package is for programmers. */
const NO_STORAGE =
  "This browser provides no storage for a store. Leave private mode, or open the page " +
  "over https or from localhost, in a current browser.";

export function describe(error: unknown): string {
  if (!(error instanceof RollbookError)) {
    return error instanceof Error ? error.message : String(error);
  }
  if (error.code === "no_storage") return NO_STORAGE;
  const advice = ADVICE[error.code];
  return advice === undefined ? error.message : `${error.message}. ${advice}`;
}

/** An element that shows a failure, and that screen readers read out. */
export class FailureNote {
  readonly element = element("div", { class: "failure", role: "alert", hidden: true });

  show(title: string, error: unknown, ...more: readonly Node[]): void {
    const text = typeof error === "string" ? error : describe(error);
    const heading = element("strong", {}, title);
    this.element.replaceChildren(element("p", {}, heading, " ", text), ...more);
    this.element.hidden = false;
  }

  clear(): void {
    this.element.hidden = true;
    this.element.replaceChildren();
  }
}

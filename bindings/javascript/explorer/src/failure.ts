// What went wrong, and what to do about it.

import { RollbookError, type ErrorCode } from "rollbook";
import { element } from "./element.js";

const ADVICE: Partial<Record<ErrorCode, string>> = {
  bad_dataset: "Nothing of it was kept. Correct that line and load the dataset again.",
  busy: "Another tab or a load is at work on the store. Wait until it is done, then try again.",
  already_open: "Another program holds the store. Close it, then reload this page.",
  crashed: "What was kept before is still there. Reload this page.",
  interrupted: "The tab that held the store went away. Try again.",
  corrupt: "The store is damaged. Export what can be read, start over, and load the data again.",
  newer_format: "A newer version wrote this store. Reload the page while you are online.",
  io: "If the storage is full, free some space, then try again.",
};

/** Without a place for files nothing can be kept: the package's own advice is for programs. */
const NO_STORAGE =
  "This browser gives the page no place to keep a store. Leave private mode, or open the page " +
  "over https or from localhost, in a current browser.";

export function describe(error: unknown): string {
  if (!(error instanceof RollbookError)) {
    return error instanceof Error ? error.message : String(error);
  }
  if (error.code === "no_storage") return NO_STORAGE;
  const advice = ADVICE[error.code];
  return advice === undefined ? error.message : `${error.message}. ${advice}`;
}

/** A place where failures of one kind are shown and read out. */
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

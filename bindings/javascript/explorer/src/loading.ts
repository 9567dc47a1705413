// Loads a dataset: shows the progress and the outcome, and lets the user abort the load.

import { RollbookError, type Progress, type Summary } from "rollbook";
import { announce } from "./announce.js";
import { element } from "./element.js";
import { FailureNote } from "./failure.js";
import { count, duration, number, size } from "./format.js";
import type { Store } from "./store.js";
import { table } from "./table.js";

export class Loading {
  readonly element: HTMLElement;
  readonly #store: Store;
  readonly #loaded: () => Promise<void>;
  readonly #bar = element("progress", { "aria-label": "Load" });
  readonly #text = element("p");
  readonly #stop: HTMLButtonElement;
  readonly #running: HTMLElement;
  readonly #outcome = element("p", { role: "status" });
  readonly #failure = new FailureNote();
  #aborter: AbortController | undefined;
  #quarter = 0;

  constructor(store: Store, loaded: () => Promise<void>) {
    this.#store = store;
    this.#loaded = loaded;
    const stop = (): void => this.#aborter?.abort();
    this.#stop = element("button", { type: "button", onclick: stop }, "Cancel");
    const running = { class: "running", hidden: true };
    this.#running = element("div", running, this.#bar, this.#text, this.#stop);
    this.element = element("div", {}, this.#running, this.#outcome, this.#failure.element);
  }

  clear(): void {
    this.#outcome.textContent = "";
    this.#failure.clear();
  }

  /** Loads the dataset that `fetched` returns. Returns whether the load succeeded. */
  async load(fetched: (signal: AbortSignal) => Promise<Blob>): Promise<boolean> {
    if (this.#aborter !== undefined) {
      this.#failure.show("One load at a time.", "Wait until this one is done, or give it up.");
      return false;
    }
    this.clear();
    const aborter = new AbortController();
    const { signal } = aborter;
    const focused = document.activeElement;
    this.#begin(aborter);
    let dataset: Blob | undefined;
    const began = performance.now();
    try {
      dataset = await unpacked(await fetched(signal), signal);
      const onProgress = (progress: Progress): void => this.#show(progress);
      const summary = await this.#store.engine.apply(dataset, { signal, onProgress });
      this.#store.forget();
      this.#outcome.textContent = summaryText(summary, performance.now() - began);
      return true;
    } catch (error) {
      if (signal.aborted) this.#outcome.textContent = "Cancelled: the store is unchanged.";
      else this.#fail(error, dataset);
      return false;
    } finally {
      this.#end(focused);
      await this.#loaded();
    }
  }

  #begin(aborter: AbortController): void {
    this.#aborter = aborter;
    this.#quarter = 0;
    this.#bar.removeAttribute("value");
    this.#text.textContent = "Reading the file…";
    this.#stop.disabled = false;
    this.#running.hidden = false;
    this.#stop.focus();
    announce("Loading.");
  }

  #end(focused: Element | null): void {
    const hadFocus = this.#running.contains(document.activeElement);
    this.#aborter = undefined;
    this.#running.hidden = true;
    if ((hadFocus || document.activeElement === document.body) && focused instanceof HTMLElement) {
      focused.focus();
    }
  }

  #show({ bytes, lines, total }: Progress): void {
    if (total === undefined) return;
    this.#bar.max = total;
    this.#bar.value = bytes;
    const far = `${size(bytes)} of ${size(total)}, ${count(lines, "line")}`;
    this.#text.textContent = far;
    const quarter = Math.floor((bytes / total) * 4);
    if (bytes >= total) {
      // The engine writes from here on, and the load cannot be aborted any more.
      this.#bar.removeAttribute("value");
      this.#text.textContent = `${far}: writing…`;
      announce("Read: writing.");
    } else if (quarter > this.#quarter) {
      this.#quarter = quarter;
      announce(`${quarter * 25} percent, ${count(lines, "line")}.`);
    }
  }

  #fail(error: unknown, dataset: Blob | undefined): void {
    if (!(error instanceof RollbookError) || error.code !== "bad_dataset" || !dataset) {
      this.#failure.show("The dataset was not loaded.", error);
      return;
    }
    const all = element("button", { type: "button" }, "List all faults");
    all.addEventListener("click", () => void this.#list(error, dataset));
    this.#failure.show("The dataset was not loaded.", error, all);
  }

  async #list(error: RollbookError, dataset: Blob): Promise<void> {
    try {
      const faults = await this.#store.engine.check(dataset);
      const caption = faults.length < 100 ? count(faults.length, "fault") : "The first 100 faults";
      const listed = table(
        caption,
        [
          { head: "Line", cell: ({ line }) => number(line), isNumber: true },
          { head: "Fault", cell: ({ what }) => what },
        ],
        faults,
      );
      listed.tabIndex = -1;
      this.#failure.show("The dataset was not loaded.", error, listed);
      listed.focus();
    } catch (failure) {
      this.#failure.show("The faults could not be listed.", failure);
    }
  }
}

/** Returns the dataset in a file, which may be compressed with gzip. */
async function unpacked(file: Blob, signal: AbortSignal): Promise<Blob> {
  const [first, second] = new Uint8Array(await file.slice(0, 2).arrayBuffer());
  if (first !== 0x1f || second !== 0x8b) return file;
  const lines = file.stream().pipeThrough(new DecompressionStream("gzip"), { signal });
  try {
    return await new Response(lines).blob();
  } catch (cause) {
    signal.throwIfAborted();
    const text = "The file is gzipped but damaged. Make or download it again.";
    throw new Error(text, { cause });
  }
}

function summaryText({ lines, total }: Summary, time: number): string {
  const { added, changed, removed, unchanged } = total;
  const parts = [`${number(added)} added`, `${number(changed)} changed`];
  if (removed > 0) parts.push(`${number(removed)} removed`);
  parts.push(`${number(unchanged)} unchanged`);
  return `Loaded ${count(lines, "line")} in ${duration(time)}: records ${parts.join(", ")}.`;
}

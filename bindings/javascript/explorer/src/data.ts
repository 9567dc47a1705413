// Shows the content of the store. Loads a dataset, exports one as a file, and removes all records.

import type { Stats } from "rollbook";
import { announce } from "./announce.js";
import { element, labelled } from "./element.js";
import { FailureNote } from "./failure.js";
import { count, kindName, number, size } from "./format.js";
import { Loading } from "./loading.js";
import { table } from "./table.js";
import type { Page, View } from "./view.js";

/** An instant in the second term of the sample school, when the marks of the first are released. */
const SAMPLE_TIME = new Date("2026-05-14T08:00:00Z");

export class DataView implements View {
  readonly element: HTMLElement;
  readonly heading = element("h1", { tabindex: -1 }, "Data");
  readonly #page: Page;
  readonly #loading: Loading;
  readonly #stats = element("div", { class: "stats" });
  readonly #persistence = element("p", { class: "quiet" });
  readonly #failure = new FailureNote();
  readonly #saved = element("p", { role: "status" });
  readonly #credentials = element("input", { type: "checkbox" });

  constructor(page: Page) {
    this.#page = page;
    this.#loading = new Loading(page.store, () => page.again());
    const file = element("input", { type: "file", accept: ".ndjson,.jsonl,.json,.gz" });
    file.addEventListener("change", () => {
      const [chosen] = file.files ?? [];
      if (chosen !== undefined) void this.load(chosen);
      // The same file may be chosen again once it is corrected.
      file.value = "";
    });
    const sample = element(
      "button",
      { type: "button", class: "main", onclick: () => void this.#loadSample() },
      "Load the sample school",
    );
    const save = element("button", { type: "button", onclick: () => void this.#save() }, "Export");
    const over = element(
      "button",
      { type: "button", class: "danger", onclick: () => this.#confirm().showModal() },
      "Start over…",
    );
    this.element = element(
      "section",
      { "aria-label": "Data" },
      this.heading,
      this.#failure.element,
      element(
        "div",
        { class: "columns" },
        element(
          "div",
          { class: "card" },
          element("h2", {}, "Load"),
          element(
            "div",
            { class: "drop" },
            labelled(
              "Dataset file",
              file,
              "Newline-delimited JSON, plain or gzipped. You may also drop it on the page.",
            ),
          ),
          element("p", {}, sample, " ", element("small", {}, "100 learners, 22,400 marks")),
          this.#loading.element,
        ),
        element(
          "div",
          { class: "card" },
          element("h2", {}, "Export or remove"),
          element("p", {}, save),
          element(
            "label",
            { class: "check" },
            this.#credentials,
            "Export with integrators and the hashes of their passwords",
          ),
          this.#saved,
          element("p", {}, over),
          this.#persistence,
        ),
      ),
      element("h2", {}, "In the store"),
      this.#stats,
    );
  }

  async show(): Promise<string> {
    const { engine } = this.#page.store;
    this.#persistence.textContent = engine.persisted
      ? "The browser stores this data until you remove it."
      : "The browser may remove this store if it runs short of space: export what you need.";
    this.#showStats(await engine.stats());
    return "Data";
  }

  /** Loads a file, and shows the progress. */
  async load(file: Blob): Promise<void> {
    this.#failure.clear();
    await this.#loading.load(async () => file);
  }

  async #loadSample(): Promise<void> {
    this.#failure.clear();
    const loaded = await this.#loading.load(async (signal) => {
      const response = await fetch("sample.ndjson.gz", { signal });
      if (!response.ok) throw new Error(`The server has no sample: it says ${response.status}.`);
      return response.blob();
    });
    if (!loaded) return;
    this.#page.setNow(SAMPLE_TIME);
    announce("The clock is set to 14 May 2026, in the sample school's second term.");
  }

  #showStats({ bytes, records }: Stats): void {
    const kinds = Object.entries(records).filter(([, amount]) => amount > 0);
    if (kinds.length === 0) {
      const text = "Nothing yet: load a dataset, or the sample school.";
      this.#stats.replaceChildren(element("p", {}, text));
      return;
    }
    const all = kinds.reduce((sum, [, amount]) => sum + amount, 0);
    const caption = `${count(all, "record")} in ${size(bytes)}`;
    this.#stats.replaceChildren(
      table(
        caption,
        [
          { head: "Kind", cell: ([kind]) => kindName(kind) },
          { head: "Records", cell: ([, amount]) => number(amount), isNumber: true },
        ],
        kinds,
      ),
    );
  }

  async #save(): Promise<void> {
    this.#failure.clear();
    this.#saved.textContent = "Exporting…";
    try {
      const credentials = this.#credentials.checked;
      const lines = this.#page.store.engine.export({ credentials });
      const file = await new Response(lines).blob();
      const link = element("a", { href: URL.createObjectURL(file), download: "rollbook.ndjson" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
      const text = `Exported ${size(file.size)} as rollbook.ndjson. It contains personal data.`;
      this.#saved.textContent = text;
    } catch (error) {
      this.#saved.textContent = "";
      this.#failure.show("The export failed.", error);
    }
  }

  #confirm(): HTMLDialogElement {
    const answer = (text: string, value: string, style: string): HTMLElement =>
      element("button", { value, class: style }, text);
    const dialog = element(
      "dialog",
      { "aria-labelledby": "over" },
      element(
        "form",
        { method: "dialog" },
        element("h2", { id: "over" }, "Remove everything?"),
        element("p", {}, "All schools in this browser's store are removed. Export them first if you need them."),
        element(
          "p",
          { class: "answers" },
          answer("Cancel", "keep", "main"),
          answer("Remove everything", "remove", "danger"),
        ),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      if (dialog.returnValue === "remove") void this.#startOver();
    });
    document.body.append(dialog);
    return dialog;
  }

  async #startOver(): Promise<void> {
    this.#failure.clear();
    try {
      await this.#page.store.clear();
      announce("Everything is removed.");
    } catch (error) {
      this.#failure.show("Not everything could be removed.", error);
    }
    this.#loading.clear();
    this.#saved.textContent = "";
    this.#page.store.forget();
    await this.#page.again();
  }
}

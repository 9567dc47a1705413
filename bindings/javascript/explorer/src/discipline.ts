// Shows the discipline records of a learner, on the same days as the absences.

import type { v1 } from "rollbook";
import { element } from "./element.js";
import { FailureNote } from "./failure.js";
import { count } from "./format.js";
import type { Route } from "./route.js";
import { found, Refusal } from "./store.js";
import { table, type Column } from "./table.js";
import type { Page } from "./view.js";

const COLUMNS: readonly Column<v1.Discipline>[] = [
  { head: "Date", cell: ({ discipline_date }) => discipline_date },
  { head: "Category", cell: ({ discipline_category }) => discipline_category },
  { head: "Reason", cell: ({ discipline_reason }) => discipline_reason },
  { head: "Points", cell: ({ discipline_points }) => discipline_points, isNumber: true },
  { head: "Remarks", cell: ({ discipline_remarks }) => discipline_remarks },
];

export class Discipline {
  readonly element: HTMLElement;
  readonly #page: Page;
  readonly #count = element("p", { class: "count", role: "status" });
  readonly #list = element("div");
  readonly #failure = new FailureNote();
  #turn = 0;

  constructor(page: Page) {
    this.#page = page;
    const note = element("p", { class: "quiet" }, "Of the same days as the absences.");
    const parts = [note, this.#failure.element, this.#count, this.#list];
    this.element = element("div", { class: "card" }, ...parts);
  }

  async show(asked: { school: string; learnerId: string }, { query, now }: Route): Promise<void> {
    const turn = ++this.#turn;
    const { absentFrom: fromDate, absentTo: toDate } = query;
    const span = { ...(fromDate && { fromDate }), ...(toDate && { toDate }) };
    const answer = await this.#page.store.ask("discipline", { ...asked, ...span }, now && { now });
    if (turn !== this.#turn) return;
    this.#failure.clear();
    this.#list.replaceChildren();
    this.#count.textContent = "";
    try {
      const records = found(answer, []);
      this.#count.textContent = count(records.length, "record");
      if (records.length > 0) this.#list.append(table("Discipline", COLUMNS, records));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#failure.show("These days cannot be shown.", error);
    }
  }
}

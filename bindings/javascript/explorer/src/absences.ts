// Shows a learner's absences in a range of days.

import { element, labelled } from "./element.js";
import { FailureNote } from "./failure.js";
import { count } from "./format.js";
import type { Route } from "./route.js";
import { found, Refusal } from "./store.js";
import { table } from "./table.js";
import type { Page } from "./view.js";

export class Absences {
  readonly element: HTMLElement;
  readonly #page: Page;
  readonly #from = element("input", { type: "date" });
  readonly #to = element("input", { type: "date" });
  readonly #count = element("p", { class: "count", role: "status" });
  readonly #list = element("div");
  readonly #failure = new FailureNote();
  #route: Route | undefined;
  #turn = 0;

  constructor(page: Page) {
    this.#page = page;
    const refine = (): void =>
      page.refine({
        ...this.#route?.query,
        absentFrom: this.#from.value,
        absentTo: this.#to.value,
      });
    this.#from.addEventListener("change", refine);
    this.#to.addEventListener("change", refine);
    this.element = element(
      "div",
      { class: "card" },
      element(
        "div",
        { class: "filters" },
        labelled("From", this.#from),
        labelled("To", this.#to),
      ),
      element("p", { class: "quiet" }, "At most 31 days; the last month unless given."),
      this.#failure.element,
      this.#count,
      this.#list,
    );
  }

  async show(asked: { school: string; learnerId: string }, route: Route): Promise<void> {
    const turn = ++this.#turn;
    this.#route = route;
    const { absentFrom: fromDate, absentTo: toDate } = route.query;
    this.#from.value = fromDate ?? "";
    this.#to.value = toDate ?? "";
    const span = { ...(fromDate && { fromDate }), ...(toDate && { toDate }) };
    const at = route.now && { now: route.now };
    const answer = await this.#page.store.ask("absentees", { ...asked, ...span }, at);
    if (turn !== this.#turn) return;
    this.#failure.clear();
    this.#list.replaceChildren();
    this.#count.textContent = "";
    try {
      const absences = found(answer, []);
      this.#count.textContent = count(absences.length, "absence");
      if (absences.length === 0) return;
      const columns = [
        { head: "Date", cell: ({ absent_date }: (typeof absences)[number]) => absent_date },
        { head: "Reason", cell: ({ absent_reason }: (typeof absences)[number]) => absent_reason },
      ];
      this.#list.append(table("Absences", columns, absences));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      this.#failure.show("These days cannot be shown.", error);
    }
  }
}

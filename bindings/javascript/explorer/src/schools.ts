// Shows the schools that have authorised an integrator.

import type { v1 } from "rollbook";
import { element, labelled } from "./element.js";
import { IntegratorChoice } from "./integrator.js";
import type { Route } from "./route.js";
import { found } from "./store.js";
import { PagedTable } from "./table.js";
import type { Page, View } from "./view.js";

export class SchoolsView implements View {
  readonly element: HTMLElement;
  readonly heading = element("h1", { tabindex: -1 }, "Schools");
  readonly #page: Page;
  readonly #choice: IntegratorChoice;
  readonly #table: PagedTable<v1.School>;
  #turn = 0;

  constructor(page: Page) {
    this.#page = page;
    this.#choice = new IntegratorChoice(page);
    const learners = (id: string, name: string): HTMLElement =>
      element("a", { href: page.href("learners", [id]) }, name);
    this.#table = new PagedTable<v1.School>(
      "school",
      [
        { head: "Name", cell: ({ school_id, school_name }) => learners(school_id, school_name) },
        { head: "Id", cell: ({ school_id }) => school_id, isNumber: true },
        { head: "Grades", cell: (school) => `${school.lowest_grade}–${school.highest_grade}` },
        { head: "Town", cell: ({ town }) => town },
        { head: "Province", cell: ({ province }) => province },
        { head: "Ownership", cell: ({ ownership_type }) => ownership_type },
        { head: "Telephone", cell: ({ telephone_number }) => telephone_number },
        { head: "Administration", cell: ({ admin_email_address }) => admin_email_address },
      ],
      (wanted) => page.refine({ integrator: this.#choice.value, page: String(wanted) }),
    );
    this.element = element(
      "section",
      { "aria-label": "Schools" },
      this.heading,
      element("div", { class: "filters" }, labelled("Integrator", this.#choice.element)),
      this.#table.element,
    );
  }

  async show({ query, now }: Route): Promise<string> {
    const turn = ++this.#turn;
    const username = await this.#choice.show(query["integrator"]);
    const answer = await this.#page.store.ask("schools", { username }, now && { now });
    if (turn === this.#turn) {
      this.#table.show(found(answer, []), Number(query["page"]), `Schools of ${username}`);
    }
    return "Schools";
  }
}

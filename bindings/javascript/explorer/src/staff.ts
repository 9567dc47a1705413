// Shows the staff of a school.

import type { v1 } from "rollbook";
import { choices, element, labelled } from "./element.js";
import { FailureNote } from "./failure.js";
import type { Route } from "./route.js";
import { found } from "./store.js";
import { PagedTable } from "./table.js";
import type { Page, View } from "./view.js";

export class StaffView implements View {
  readonly element: HTMLElement;
  readonly heading = element("h1", { tabindex: -1 }, "Staff");
  readonly #page: Page;
  readonly #school = element("select");
  readonly #failure = new FailureNote();
  readonly #table: PagedTable<v1.StaffMember>;
  #turn = 0;

  constructor(page: Page) {
    this.#page = page;
    this.#table = new PagedTable<v1.StaffMember>(
      "staff member",
      [
        { head: "Last name", cell: ({ last_name, id }) => last_name || id },
        { head: "First name", cell: ({ first_name }) => first_name },
        { head: "Title", cell: ({ title }) => title },
        { head: "Educator", cell: ({ is_educator }) => is_educator },
        { head: "Classes", cell: ({ register_classes }) => register_classes },
        { head: "Employment", cell: ({ employment_category }) => employment_category },
        { head: "Mobile", cell: ({ mobile_number }) => mobile_number },
        { head: "E-mail", cell: ({ email_address }) => email_address },
        { head: "Id", cell: ({ id }) => id, isNumber: true },
      ],
      (wanted) => page.refine({ page: String(wanted) }),
    );
    this.#school.addEventListener("change", () => {
      location.hash = page.href("staff", [this.#school.value]);
    });
    this.element = element(
      "section",
      { "aria-label": "Staff" },
      this.heading,
      element("div", { class: "filters" }, labelled("School", this.#school)),
      this.#failure.element,
      this.#table.element,
    );
  }

  async show({ ids, query, now }: Route): Promise<string> {
    const turn = ++this.#turn;
    const { schools } = await this.#page.store.directory();
    const school = ids[0] ?? schools[0]?.id;
    if (turn !== this.#turn) return "Staff";
    choices(this.#school, schools.map(({ id, name }) => [id, `${name} (${id})`]), school ?? "");
    if (school === undefined) {
      this.#table.show([], 1, "");
      this.#failure.show("There is no school yet.", "Load a dataset or the sample under Data.");
      return "Staff";
    }
    const answer = await this.#page.store.ask("staffMembers", { school }, now && { now });
    if (turn !== this.#turn) return "Staff";
    this.#failure.clear();
    this.#table.show(found(answer, []), Number(query["page"]), "Current staff");
    return "Staff";
  }
}

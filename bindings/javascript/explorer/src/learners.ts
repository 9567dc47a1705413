// Shows the learners of a school, and searches them while the user types.

import type { Questions, v1 } from "rollbook";
import { choices, element, labelled } from "./element.js";
import { FailureNote } from "./failure.js";
import { Grades } from "./grades.js";
import type { Query, Route } from "./route.js";
import { found, Refusal } from "./store.js";
import { PagedTable } from "./table.js";
import type { Page, View } from "./view.js";

export const STATUSES = ["current", "left", "waitlist"] as const;
export type Status = (typeof STATUSES)[number];
const STATUS_NAMES = { current: "Current", left: "Left", waitlist: "On the waiting list" };

const CAPTIONS = {
  current: "Current learners",
  left: "Learners who left",
  waitlist: "Learners on the waiting list",
};

export const statusOf = (query: Query): Status =>
  STATUSES.find((status) => status === query["status"]) ?? "current";

export class LearnersView implements View {
  readonly element: HTMLElement;
  readonly heading = element("h1", { tabindex: -1 }, "Learners");
  readonly #page: Page;
  readonly #school = element("select");
  readonly #name = element("input", { type: "search", autocomplete: "off", spellcheck: "false" });
  readonly #status = element("select");
  readonly #grade = element("select");
  readonly #since = element("input", { type: "date" });
  readonly #until = element("input", { type: "date" });
  readonly #window: HTMLElement;
  readonly #failure = new FailureNote();
  readonly #table: PagedTable<v1.Learner>;
  #route: Route | undefined;
  #names = new Grades([]);
  #grades: { key: string; grades: (readonly [id: string, name: string])[] } | undefined;
  #turn = 0;

  constructor(page: Page) {
    this.#page = page;
    this.#table = new PagedTable<v1.Learner>(
      "learner",
      [
        { head: "Last name", cell: (learner) => this.#link(learner) },
        { head: "First name", cell: ({ first_name }) => first_name },
        { head: "Grade", cell: ({ grade_id, grade }) => this.#names.name(grade_id, grade) },
        { head: "Class", cell: ({ register_class_name }) => register_class_name },
        { head: "Date of birth", cell: ({ date_of_birth }) => date_of_birth },
        { head: "Gender", cell: ({ gender }) => gender },
        { head: "Home language", cell: ({ home_language }) => home_language },
        { head: "Admission", cell: ({ admission_number }) => admission_number },
        { head: "Id", cell: ({ id }) => id, isNumber: true },
      ],
      (wanted) => page.refine({ ...this.#route?.query, page: String(wanted) }),
    );
    choices(this.#status, STATUSES.map((status) => [status, STATUS_NAMES[status]]), "current");
    this.#window = element(
      "div",
      { class: "filters" },
      labelled("Left since", this.#since, "A month before, unless given"),
      labelled("Left until", this.#until, "Today, unless given"),
    );
    this.#school.addEventListener("change", () => {
      location.hash = page.href("learners", [this.#school.value]);
    });
    this.#name.addEventListener("input", () => this.#refine());
    for (const control of [this.#status, this.#grade, this.#since, this.#until]) {
      control.addEventListener("change", () => this.#refine());
    }
    this.element = element(
      "section",
      { "aria-label": "Learners" },
      this.heading,
      element(
        "form",
        { class: "filters", role: "search", onsubmit: (event) => event.preventDefault() },
        labelled("Name", this.#name),
        labelled("School", this.#school),
        labelled("Status", this.#status),
        labelled("Grade", this.#grade),
        this.#window,
      ),
      this.#failure.element,
      this.#table.element,
    );
  }

  async show(route: Route): Promise<string> {
    const turn = ++this.#turn;
    const { query, now } = route;
    this.#route = route;
    this.#showQuery(query);
    const { schools } = await this.#page.store.directory();
    const school = route.ids[0] ?? schools[0]?.id;
    if (turn !== this.#turn) return "Learners";
    choices(this.#school, schools.map(({ id, name }) => [id, `${name} (${id})`]), school ?? "");
    if (school === undefined) {
      this.#table.show([], 1, "");
      this.#failure.show("There is no school yet.", "Load a dataset or the sample under Data.");
      return "Learners";
    }
    const status = statusOf(query);
    const { since, until, name, grade } = query;
    const window = status === "left" ? { ...(since && { since }), ...(until && { until }) } : {};
    const everybody = { school, status, ...window };
    const filters = { ...(name && { name }), ...(grade && { gradeIds: [grade] }) };
    try {
      const names = await this.#page.store.grades(school);
      const grades = await this.#gradesOf(everybody, names, now);
      const asked = { ...everybody, ...filters };
      const answer = await this.#page.store.ask("learners", asked, now && { now });
      if (turn !== this.#turn) return "Learners";
      this.#failure.clear();
      this.#names = names;
      choices(this.#grade, [["", "All"], ...grades], grade ?? "");
      this.#table.show(found(answer, []), Number(query["page"]), CAPTIONS[status]);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (turn !== this.#turn) return "Learners";
      this.#table.show([], 1, "");
      this.#failure.show("These learners cannot be shown.", error);
    }
    return "Learners";
  }

  /** Returns the grades of all learners that could be found. They are cached between keystrokes. */
  async #gradesOf(
    everybody: Questions["learners"]["asks"],
    names: Grades,
    now: Date | undefined,
  ): Promise<(readonly [id: string, name: string])[]> {
    const { store } = this.#page;
    const key = JSON.stringify([everybody, now, store.version]);
    if (this.#grades?.key !== key) {
      const learners = found(await store.source.ask("learners", everybody, now && { now }), []);
      const short = new Map(learners.map((learner) => [learner.grade_id, learner.grade]));
      const byId = [...short].sort(([one], [other]) => Number(one) - Number(other));
      const grades = byId.map(([id, name]) => [id, names.name(id, name) || id] as const);
      this.#grades = { key, grades };
    }
    return this.#grades.grades;
  }

  /** Sets the filters to those in the address, except for a name that is being typed. */
  #showQuery(query: Query): void {
    if (document.activeElement !== this.#name) this.#name.value = query["name"] ?? "";
    const status = statusOf(query);
    this.#status.value = status;
    this.#window.hidden = status !== "left";
    this.#since.value = query["since"] ?? "";
    this.#until.value = query["until"] ?? "";
  }

  #link({ id, last_name, first_name }: v1.Learner): HTMLElement {
    const { value: school } = this.#school;
    const href = this.#page.href("learner", [school, id], this.#route?.query);
    const label = `${last_name}, ${first_name}`;
    return element("a", { href, "aria-label": label, "data-learner": id }, last_name || id);
  }

  #refine(): void {
    this.#page.refine({
      name: this.#name.value,
      status: this.#status.value === "current" ? undefined : this.#status.value,
      grade: this.#grade.value,
      since: this.#status.value === "left" ? this.#since.value : undefined,
      until: this.#status.value === "left" ? this.#until.value : undefined,
    });
  }
}

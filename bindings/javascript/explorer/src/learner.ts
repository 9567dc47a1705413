// Shows one learner: details, parents, subjects, marks, absences and discipline.

import type { v1 } from "rollbook";
import { Absences } from "./absences.js";
import { AssessmentMarks } from "./assessment-marks.js";
import { Discipline } from "./discipline.js";
import { element } from "./element.js";
import type { Grades } from "./grades.js";
import { STATUSES, statusOf, type Status } from "./learners.js";
import type { Route } from "./route.js";
import { subjectMarks, subjectsPerTerm } from "./subjects.js";
import { found } from "./store.js";
import type { Page, View } from "./view.js";

type Facts = readonly (readonly [term: string, text: string])[];

export class LearnerView implements View {
  readonly element: HTMLElement;
  readonly heading = element("h1", { tabindex: -1 }, "Learner");
  readonly #page: Page;
  readonly #back = element("a", { class: "back" }, "Back to the learners");
  readonly #facts = element("div", { class: "card" });
  readonly #parents = element("div", { class: "card" });
  readonly #subjectMarks = element("div");
  readonly #subjects = element("div");
  readonly #assessments: AssessmentMarks;
  readonly #absences: Absences;
  readonly #discipline: Discipline;
  readonly #sections: HTMLElement;
  #place = "";
  #turn = 0;

  constructor(page: Page) {
    this.#page = page;
    this.#assessments = new AssessmentMarks(page.store);
    this.#absences = new Absences(page);
    this.#discipline = new Discipline(page);
    this.#sections = element(
      "div",
      { class: "learner" },
      element(
        "div",
        { class: "person" },
        part("Details", this.#facts),
        part("Parents", this.#parents),
        part("Absences", this.#absences.element),
        part("Discipline", this.#discipline.element),
      ),
      element(
        "div",
        { class: "work" },
        part("Subject marks", this.#subjectMarks),
        part("Assessment marks", this.#assessments.element),
        part("Subjects by term", this.#subjects),
      ),
    );
    const label = { "aria-label": "Learner" };
    this.element = element("section", label, this.#back, this.heading, this.#sections);
  }

  async show(route: Route): Promise<string> {
    const turn = ++this.#turn;
    const [school = "", learnerId = ""] = route.ids;
    const place = `${school}/${learnerId}`;
    if (place !== this.#place) {
      // If loading this learner fails, the previous learner's data must not be visible.
      this.#place = place;
      this.#sections.hidden = true;
      this.heading.textContent = "Learner";
    }
    const { query, now } = route;
    const { absentFrom, absentTo, ...list } = query;
    this.#back.href = this.#page.href("learners", [school], list);
    const { store } = this.#page;
    const at = now && { now };
    const asked = { school, learnerId };
    const [learner, grades, marks, subjects] = await Promise.all([
      this.#find(school, learnerId, route),
      store.grades(school),
      store.ask("subjectMarks", asked, at),
      store.ask("subjectsPerTerm", asked, at),
      this.#assessments.show(asked, now),
      this.#absences.show(asked, route),
      this.#discipline.show(asked, route),
    ]);
    if (turn !== this.#turn) return "Learner";
    this.#sections.hidden = learner === undefined;
    if (learner === undefined) {
      this.heading.textContent = `No learner of id ${learnerId} at school ${school}`;
      return "Learner";
    }
    const name = `${learner.first_name} ${learner.last_name}`;
    this.heading.textContent = name;
    this.#facts.replaceChildren(facts(factsOf(learner, grades)));
    this.#showParents(learner.parents ?? []);
    this.#subjectMarks.replaceChildren(subjectMarks(found(marks, [])));
    this.#subjects.replaceChildren(subjectsPerTerm(found(subjects, [])));
    return name;
  }

  /** Finds a learner of any status. The status of the list is tried first: it is the likeliest. */
  async #find(
    school: string,
    learnerId: string,
    { query, now }: Route,
  ): Promise<v1.Learner | undefined> {
    const first = statusOf(query);
    const order: Status[] = [first, ...STATUSES.filter((status) => status !== first)];
    for (const status of order) {
      const { since, until } = query;
      const window = status === "left" ? { ...(since && { since }), ...(until && { until }) } : {};
      const asked = { school, learnerId, status, includeParents: true, ...window };
      const answer = await this.#page.store.ask("learners", asked, now && { now });
      const [learner] = found(answer, []);
      if (learner !== undefined) return learner;
    }
    return undefined;
  }

  #showParents(parents: readonly v1.Parent[]): void {
    this.#parents.replaceChildren(
      ...parents.map((parent) => {
        const name = [parent.title, parent.first_name, parent.last_name].filter(Boolean).join(" ");
        const details = facts(parentFacts(parent));
        return element("div", { class: "parent" }, element("h3", {}, name), details);
      }),
      ...(parents.length === 0 ? [element("p", {}, "No parents are recorded.")] : []),
    );
  }
}

function part(title: string, content: HTMLElement): HTMLElement {
  return element("section", { "aria-label": title }, element("h2", {}, title), content);
}

/** Creates a list of the facts that are not empty. */
function facts(facts: Facts): HTMLElement {
  const entries = facts.filter(([, text]) => text !== "");
  return element(
    "dl",
    {},
    ...entries.flatMap(([term, text]) => [element("dt", {}, term), element("dd", {}, text)]),
  );
}

const mobile = (code: string, text: string): string =>
  code === "" || text === "" ? text : `+${code} ${text}`;

const lines = (address: string): string => address.trimEnd().replaceAll("\r\n", "\n");

const factsOf = (learner: v1.Learner, grades: Grades): Facts => [
  ["Id", learner.id],
  ["Grade", grades.name(learner.grade_id, learner.grade)],
  ["Class", learner.register_class_name],
  ["Date of birth", learner.date_of_birth],
  ["Gender", learner.gender],
  ["Home language", learner.home_language],
  ["Tuition language", learner.tuition_language],
  ["Admission number", learner.admission_number],
  ["Family code", learner.family_code],
  ["Id number", learner.id_number],
  ["Passport", learner.passport_number],
  ["Mobile", mobile(learner.mobile_calling_code, learner.mobile_number)],
  ["E-mail", learner.email_address],
  ["Province", learner.province],
];

const parentFacts = (parent: v1.Parent): Facts => [
  ["Id", parent.id],
  ["Mobile", mobile(parent.mobile_calling_code, parent.mobile_number)],
  ["E-mail", parent.email_address],
  ["Home language", parent.home_language],
  ["Marital status", parent.marital_status],
  ["Occupation", parent.occupation],
  ["Address", lines(parent.residential_address)],
];

// Shows a learner's assessment marks by term, subject and learning outcome. Assessments whose marks
// are not released are counted, because the structure of the marks is answered earlier.

import type { v1 } from "rollbook";
import { announce } from "./announce.js";
import { element } from "./element.js";
import { count } from "./format.js";
import type { Grades } from "./grades.js";
import { scrolling } from "./table.js";
import { found, type Store } from "./store.js";

/** A term of a grade and year, with its subjects by their ids. */
interface Term {
  readonly key: string;
  readonly title: string;
  readonly subjects: ReadonlyMap<string, v1.SubjectAssessmentMarks>;
}

const HEADS = ["Learning outcome", "Assessment", "Date", "Weight", "Mark", "Out of", "Percent"];

export class AssessmentMarks {
  readonly element = element("div");
  readonly #store: Store;
  readonly #count = element("p", { class: "count", role: "status" });
  readonly #terms = element("div");
  /** The keys of the open terms. They remain open when the clock changes. */
  readonly #open = new Set<string>();
  #learner = "";
  #turn = 0;

  constructor(store: Store) {
    this.#store = store;
    this.element.append(this.#count, this.#terms);
  }

  async show(asked: { school: string; learnerId: string }, now: Date | undefined): Promise<void> {
    const turn = ++this.#turn;
    const at = now && { now };
    const [grades, marks, structure] = await Promise.all([
      this.#store.grades(asked.school),
      this.#store.ask("assessmentMarks", asked, at),
      this.#store.ask("assessmentMarks", { ...asked, structure: true }, at),
    ]);
    if (turn !== this.#turn) return;
    const released = termsOf(found(marks, {}), grades);
    const all = termsOf(found(structure, {}), grades);
    const learner = `${asked.school}/${asked.learnerId}`;
    if (learner !== this.#learner) {
      this.#learner = learner;
      this.#open.clear();
      const latest = [...released.keys()].at(-1);
      if (latest !== undefined) this.#open.add(latest);
    }
    const shown = sum(released.values());
    const unreleased = sum(all.values()) - shown;
    const note = unreleased === 0 ? "" : `, ${count(unreleased, "assessment")} not released yet`;
    const text = `${count(shown, "mark")} released${note}`;
    if (this.#count.textContent !== text) announce(text);
    this.#count.textContent = text;
    this.#terms.replaceChildren(
      ...[...all.values()].map((term) => this.#term(term, released.get(term.key))),
    );
  }

  #term(all: Term, released: Term | undefined): HTMLElement {
    const { key, title } = all;
    const shown = released === undefined ? 0 : sum([released]);
    const unreleased = sum([all]) - shown;
    const text =
      unreleased === 0 ? count(shown, "mark") : `${shown} released, ${unreleased} not yet`;
    const counts = element("small", {}, text);
    const summary = element("summary", {}, element("span", {}, title), " ", counts);
    const details = element("details", { open: this.#open.has(key) }, summary);
    details.addEventListener("toggle", () => {
      if (details.open) this.#open.add(key);
      else this.#open.delete(key);
    });
    const heads = HEADS.map((head, at) =>
      element("th", { scope: "col", class: at > 2 && "number" }, head),
    );
    const bodies = [...all.subjects].map(([id, subject]) =>
      body(released?.subjects.get(id) ?? unreleasedSubject(subject)),
    );
    const caption = element("caption", { class: "visually-hidden" }, `Assessment marks, ${title}`);
    const head = element("thead", {}, element("tr", {}, ...heads));
    details.append(scrolling(title, element("table", {}, caption, head, ...bodies)));
    return details;
  }
}

/** A subject whose marks are not released, with the number of its assessments. */
interface Unreleased {
  readonly subject_name: string;
  readonly unreleased: number;
}

function unreleasedSubject(subject: v1.SubjectAssessmentMarks): Unreleased {
  return { subject_name: subject.subject_name, unreleased: assessments(subject).length };
}

function body(subject: v1.SubjectAssessmentMarks | Unreleased): HTMLElement {
  const name = element("th", { scope: "rowgroup", colspan: HEADS.length }, subject.subject_name);
  const made = element("tbody", {}, element("tr", { class: "group" }, name));
  if ("unreleased" in subject) {
    const text = `${count(subject.unreleased, "assessment")}, not released yet`;
    const attributes = { colspan: HEADS.length, class: "unreleased" };
    made.append(element("tr", {}, element("td", attributes, text)));
    return made;
  }
  for (const [outcome, assessment] of assessments(subject)) {
    made.append(
      element(
        "tr",
        {},
        element("td", {}, outcome),
        element("td", {}, assessment.assessment_name),
        element("td", { class: "date" }, assessment.assessment_date),
        ...[assessment.weight, assessment.mark, assessment.mark_out_of, percent(assessment)].map(
          (text) => element("td", { class: "number" }, text),
        ),
      ),
    );
  }
  return made;
}

function percent({ captured, percentage }: v1.AssessmentMark): string {
  if (captured === "0") return "not captured";
  return percentage === "a" ? "absent" : percentage;
}

const assessments = (
  subject: v1.SubjectAssessmentMarks,
): (readonly [outcome: string, assessment: v1.AssessmentMark])[] =>
  Object.values(subject.learning_outcomes).flatMap((outcome) =>
    Object.values(outcome.assessments).map(
      (assessment) => [outcome.learning_outcome_name, assessment] as const,
    ),
  );

function sum(terms: Iterable<Term>): number {
  let all = 0;
  for (const { subjects } of terms) {
    for (const subject of subjects.values()) all += assessments(subject).length;
  }
  return all;
}

/** Returns the terms in the answer about one learner, ordered by grade, year and term. */
function termsOf(marks: v1.AssessmentMarks, grades: Grades): Map<string, Term> {
  const terms = new Map<string, Term>();
  for (const [gradeId, grade] of Object.entries(marks)) {
    const name = grades.name(gradeId, grade.grade);
    for (const year of Object.values(grade.years)) {
      for (const { term, learners } of Object.values(year.terms)) {
        const key = `${gradeId}/${year.year}/${term}`;
        const title = `Term ${term} of ${year.year}, ${name}`;
        const subjects = Object.values(learners).flatMap((one) => Object.entries(one.subjects));
        terms.set(key, { key, title, subjects: new Map(subjects) });
      }
    }
  }
  return terms;
}

// Tables of a learner's subjects by term, and of the marks by term.

import type { v1 } from "rollbook";
import { element } from "./element.js";
import { table, type Column } from "./table.js";

/** Creates a table with one row per subject and one column per term. */
export function subjectMarks(subjects: readonly v1.SubjectMarks[]): HTMLElement {
  if (subjects.length === 0) return element("p", {}, "No subject marks are recorded.");
  const columns: Column<v1.SubjectMarks>[] = [
    { head: "Subject", cell: ({ subject_name }) => subject_name },
    ...termsOf(subjects).map((term) => ({
      head: `Term ${term}`,
      cell: ({ terms }: v1.SubjectMarks) => terms.find((one) => one.term === term)?.mark ?? "",
      isNumber: true,
    })),
  ];
  return table(`Subject marks of ${years(subjects)}, percent`, columns, subjects);
}

export function subjectsPerTerm(subjects: readonly v1.SubjectPerTerm[]): HTMLElement {
  if (subjects.length === 0) return element("p", {}, "No subjects are recorded.");
  const columns: Column<v1.SubjectPerTerm>[] = [
    { head: "Subject", cell: ({ subject_name }) => subject_name },
    ...termsOf(subjects).map((term) => ({
      head: `Term ${term}`,
      cell: ({ terms }: v1.SubjectPerTerm) => place(terms.find((one) => one.term === term)),
    })),
  ];
  return table(`Subjects of ${years(subjects)}: group, classroom`, columns, subjects);
}

function place(term: v1.SubjectTerm | undefined): string {
  if (term === undefined) return "";
  return [term.subject_group_name, term.classroom_name].filter(Boolean).join(", ");
}

function termsOf(subjects: readonly { terms: readonly { term: string }[] }[]): string[] {
  const terms = new Set(subjects.flatMap((subject) => subject.terms.map(({ term }) => term)));
  return [...terms].sort((one, other) => Number(one) - Number(other));
}

const years = (subjects: readonly { year: string }[]): string =>
  [...new Set(subjects.map(({ year }) => year))].join(", ");

// The schema: one table per kind of record, with the key of the dataset, clustered in the order of
// the answers.

import { kinds } from "../records.mjs";

const keys = {
  school: "school_id",
  year: "school_id, year",
  term: "school_id, year, term",
  grade: "school_id, grade_id",
  parent: "school_id, id",
  learner: "school_id, id",
  subject: "school_id, subject_id",
  learner_subject: "school_id, year, learner_id, subject_id",
  learner_subject_term: "school_id, year, learner_id, subject_id, term",
  learning_outcome: "school_id, learning_outcome_id",
  learning_program: "school_id, year, grade_id, term, subject_id",
  assessment: "school_id, year, grade_id, term, subject_id, learning_outcome_id, assessment_id",
  mark: "school_id, assessment_id, learner_id",
  absentee: "school_id, absent_date, id",
};

const indices = [
  // Covers every filter on learners, so that wide rows are read only for matches.
  "learner (school_id, status, id, grade_id, folded_name)",
  "learner_subject (school_id, year, grade_id, subject_id, learner_id)",
  "assessment (school_id, assessment_id)",
  "mark (school_id, learner_id, assessment_id)",
];

const TERM_NUMBERS = ["school_id", "year", "learner_id", "subject_id", "term", "mark"];

/** The columns of each table. */
export const columns = {
  ...Object.fromEntries(
    Object.entries(kinds).map(([kind, { numbers, texts = [] }]) => [kind, [...numbers, ...texts]]),
  ),
  learner_subject_term: TERM_NUMBERS,
};

/** Returns the statements that create an empty database. */
export function schema() {
  const tables = Object.entries(columns).map(([table, names]) => {
    const numbers = new Set(kinds[table]?.numbers ?? TERM_NUMBERS);
    const typed = names.map((name) => `${name} ${numbers.has(name) ? "NUMERIC" : "TEXT"}`);
    typed.push(`PRIMARY KEY (${keys[table]})`);
    return `CREATE TABLE ${table} (${typed.join(", ")}) WITHOUT ROWID`;
  });
  const on = indices.map((index, at) => `CREATE INDEX index_${at} ON ${index}`);
  return [...tables, ...on].join(";");
}

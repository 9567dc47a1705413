// The records of a dataset in the form in which the contenders store them: with every field, and
// ids as numbers.

import * as v1 from "./answers.mjs";

const numbers = ["id", "grade_id", "parent1_id", "parent2_id", "gross_annual_income"];

/** Returns the text fields of a kind of record whose answers contain all its fields. */
function answered(make) {
  const fields = Object.keys(make({ gross_annual_income: null }));
  return fields.filter((field) => !numbers.includes(field));
}

export const kinds = {
  school: { numbers: ["school_id", "current_year"] },
  year: { numbers: ["school_id", "year"], texts: ["year_name"] },
  term: { numbers: ["school_id", "year", "term", "term_id"], texts: ["start_date", "end_date"] },
  grade: { numbers: ["school_id", "grade_id"], texts: ["grade"] },
  parent: {
    numbers: ["school_id", "id", "gross_annual_income"],
    texts: answered(v1.parent),
  },
  learner: {
    numbers: ["school_id", "id", "grade_id", "parent1_id", "parent2_id"],
    texts: [...answered(v1.learner), "status", "transfer_date", "folded_name"],
  },
  subject: { numbers: ["school_id", "subject_id"], texts: ["subject_name"] },
  learner_subject: { numbers: ["school_id", "learner_id", "year", "subject_id", "grade_id"] },
  learning_outcome: {
    numbers: ["school_id", "learning_outcome_id"],
    texts: ["learning_outcome_name"],
  },
  learning_program: {
    numbers: ["school_id", "grade_id", "year", "term", "subject_id"],
    texts: ["mark_release_date"],
  },
  assessment: {
    numbers: [
      "school_id", "assessment_id", "grade_id", "year", "term", "subject_id",
      "learning_outcome_id", "weight", "mark_out_of",
    ],
    texts: ["assessment_name", "assessment_date"],
  },
  mark: {
    numbers: ["school_id", "assessment_id", "learner_id", "mark", "captured"],
    // A percentage is a number or `a`.
    texts: ["percentage", "dtime"],
  },
  absentee: {
    numbers: ["school_id", "id", "learner_id"],
    texts: ["absent_date", "absent_reason"],
  },
};

const decoder = new TextDecoder();

/** Yields the records of a dataset, of the kinds that the questions need. */
export function* records(bytes) {
  for (const line of decoder.decode(bytes).split("\n")) {
    if (line === "") continue;
    const given = JSON.parse(line);
    if (given.type in kinds) yield [given.type, record(given)];
  }
}

function record(given) {
  const { numbers, texts = [] } = kinds[given.type];
  const stored = {};
  for (const field of numbers) {
    const value = given[field];
    stored[field] = value === undefined || value === "" ? null : Number(value);
  }
  for (const field of texts) stored[field] = given[field] ?? "";
  if (given.type === "learner") {
    stored.status ||= "current";
    stored.folded_name = fold(`${stored.first_name} ${stored.last_name}`);
  }
  if (given.type === "mark") stored.captured ??= 1;
  if (given.type === "learner_subject") stored.terms = given.terms;
  return stored;
}

/** Converts a name to lower case, without accents. */
function fold(name) {
  return name.normalize("NFD").replace(/\p{Mn}/gu, "").toLowerCase();
}

// Builds the objects of v1 from records in the form in which the contenders store them. Members
// that are named by an id must be ordered by id, which is their order in JavaScript.

import records from "../../../tests/corpus/records.txt";

const text = (id) => (id === null ? "" : String(id));
const decimal = (number) => (number === null ? "" : number.toFixed(2));

/** Returns the fields that a kind of record always has, in their order. */
function fieldsOf(kind) {
  const [, after] = records.split(`\n${kind}\n`);
  const [fields] = after.split("\n\n");
  return fields.trim().split(/\s+/).filter((field) => !field.endsWith("?"));
}

const forms = {
  id: "text", learner_id: "text", grade_id: "text", parent1_id: "text", parent2_id: "text",
  gross_annual_income: "decimal",
};

/** Compiles a function that builds such a record from a stored one, with an object literal. */
function maker(kind) {
  const members = fieldsOf(kind).map((field) => `${field}: ${forms[field] ?? ""}(of.${field})`);
  return new Function("text", "decimal", `return (of) => ({ ${members} });`)(text, decimal);
}

const learnerAlone = maker("learner");

export function learner(of, parents) {
  const made = learnerAlone(of);
  if (parents !== undefined) made.parents = parents;
  return made;
}

export const parent = maker("parent");
export const absentee = maker("absentee");

export function learnerSubject(of, subjectId, subjectName) {
  return {
    learner_id: text(of.id),
    first_name: of.first_name,
    last_name: of.last_name,
    subject_id: subjectId,
    subject_name: subjectName,
  };
}

/** Builds a learner's subject with its term marks, or nothing if it has none. */
export function subjectMarks(of, subjectName, grade) {
  const terms = of.terms
    .filter(({ mark }) => mark !== undefined && mark !== "")
    .sort((one, other) => one.term - other.term)
    .map(({ term, mark }) => ({ term: text(term), mark: Number(mark).toFixed(2) }));
  if (terms.length === 0) return undefined;
  return {
    year: text(of.year),
    subject_id: text(of.subject_id),
    subject_name: subjectName,
    grade_id: text(of.grade_id),
    grade,
    terms,
  };
}

/** Returns whether the marks of a learning program and term are released on a day. */
export function isReleased(program, term, today) {
  const date = program?.mark_release_date || term?.end_date;
  return date !== undefined && date <= today;
}

/** Builds the argument of `marks` for an assessment: the values that do not depend on a learner. */
export function assessment(of, subjectName, outcomeName) {
  return {
    grade: of.grade_id,
    term: of.term,
    subject: of.subject_id,
    subjectName,
    outcome: of.learning_outcome_id,
    outcomeName,
    id: of.assessment_id,
    name: of.assessment_name,
    date: of.assessment_date,
    weight: decimal(of.weight),
    outOf: of.mark_out_of,
    outOfText: decimal(of.mark_out_of),
  };
}

/**
 * Builds assessment marks (2.6) from the learner, the assessment and the mark of each place. The
 * mark is missing if a learner takes the subject but has no mark.
 */
export function marks(places, year, yearName, grades) {
  const answer = {};
  for (const [learnerId, of, mark] of places) {
    const inGrade = (answer[of.grade] ??= {
      grade: grades.get(of.grade) ?? "",
      years: { [year]: { year: text(year), year_name: yearName || text(year), terms: {} } },
    });
    const inTerm = (inGrade.years[year].terms[of.term] ??= { term: text(of.term), learners: {} });
    const inLearner = (inTerm.learners[learnerId] ??= {
      learner_id: text(learnerId),
      subjects: {},
    });
    const inSubject = (inLearner.subjects[of.subject] ??= {
      subject_id: text(of.subject),
      subject_name: of.subjectName,
      learning_outcomes: {},
    });
    const inOutcome = (inSubject.learning_outcomes[of.outcome] ??= {
      learning_outcome_id: text(of.outcome),
      learning_outcome_name: of.outcomeName,
      assessments: {},
    });
    inOutcome.assessments[of.id] = assessed(of, mark);
  }
  return answer;
}

function assessed(of, mark) {
  const isAbsent = mark?.percentage === "a";
  const isCaptured = mark !== undefined && (mark.captured === 1 || isAbsent);
  const isShown = isCaptured && !isAbsent;
  return {
    assessment_id: text(of.id),
    assessment_name: of.name,
    assessment_date: of.date,
    weight: of.weight,
    dtime: mark?.dtime ?? "",
    percentage: isAbsent ? "a" : isShown ? percentage(of, mark) : "",
    mark: isShown ? decimal(mark.mark) : "",
    mark_out_of: of.outOfText,
    captured: isCaptured ? "1" : "0",
  };
}

function percentage(of, mark) {
  if (mark.percentage !== "") return Number(mark.percentage).toFixed(2);
  if (mark.mark === null || of.outOf === 0) return "";
  // Calculated in whole hundredths, because halves are rounded up.
  return (Math.floor((20_000 * mark.mark + of.outOf) / (2 * of.outOf)) / 100).toFixed(2);
}

/**
 * Returns the places of the assessments of a grade. A learner has a place in an assessment if it
 * takes the subject or has a mark.
 */
export function placesOfGrade(assessments, seated, marksOf) {
  const places = [];
  for (const of of assessments) {
    const given = new Map(marksOf(of.id).map((mark) => [mark.learner_id, mark]));
    for (const learnerId of seated(of.subject)) {
      places.push([learnerId, of, given.get(learnerId)]);
      given.delete(learnerId);
    }
    for (const [learnerId, mark] of given) places.push([learnerId, of, mark]);
  }
  return places;
}

const encoder = new TextEncoder();

/** Encodes an answer as bytes. */
export function encode(answer) {
  return encoder.encode(JSON.stringify(answer));
}

// The questions: those of the native comparison, with the same ids at the same instant.

/** The instant of every ask that is measured. All marks of the year are released. */
const NOW = { seconds: 1_798_700_400, today: "2026-12-31" };
/** An instant in the middle of the year, when only some of the marks are released. */
const MIDYEAR = { seconds: 1_781_164_800, today: "2026-06-11" };

const SCHOOL = 1000;
const BASE = "/api/v1";

const some = (ask) => Array.from({ length: 59 }, (_, at) => ask(1 + 17 * at));

const learners = (fields, query) => ({
  name: "learners",
  fields: { school: SCHOOL, ...fields },
  target: `${BASE}/adminplus/learners/${SCHOOL}${query}`,
});
const marks = (fields, query) => ({
  name: "assessmentMarks",
  fields: { school: SCHOOL, ...fields },
  target: `${BASE}/currplus/learnerassessmentmarks/${SCHOOL}${query}`,
});
const oneLearner = (learnerId) => learners({ learnerId }, `?learner_id=${learnerId}`);
const marksOfGrade = (term) => (gradeId) =>
  marks({ gradeId, term }, `?grade_id=${gradeId}&term=${term}`);

const questions = [
  ["all current learners", () => [learners({}, "")]],
  [
    "two grades with parents",
    (grades) =>
      pairs(grades).map((gradeIds) =>
        learners({ gradeIds, includeParents: true }, `?grade_id=${gradeIds}&include_parents=1`),
      ),
  ],
  ["one learner by id", () => some(oneLearner)],
  [
    "name search",
    () =>
      ["smi", "zoe", "nkosi", "botha", "ndlo", "anna"].map((name) =>
        learners({ name }, `?name=${name}`),
      ),
  ],
  [
    "marks of a learner, a year",
    () => some((learnerId) => marks({ learnerId }, `?learner_id=${learnerId}`)),
  ],
  [
    "marks of a grade, a term",
    (grades) => [
      ...grades.slice(0, 2).map(marksOfGrade(2)),
      ...grades.slice(2, 4).map(marksOfGrade(3)),
    ],
  ],
  [
    "absentees, a month",
    () =>
      ["02-28", "03-31", "05-31", "08-31", "10-31"].map((end) => {
        const [fromDate, toDate] = [`2026-${end.slice(0, 2)}-01`, `2026-${end}`];
        return {
          name: "absentees",
          fields: { school: SCHOOL, fromDate, toDate },
          target:
            `${BASE}/adminplus/learnerabsentees/${SCHOOL}` +
            `?from_date=${fromDate}&to_date=${toDate}`,
        };
      }),
  ],
  [
    "learner subjects of a school",
    () => [
      {
        name: "learnerSubjects",
        fields: { school: SCHOOL },
        target: `${BASE}/currplus/learnersubjects/${SCHOOL}`,
      },
    ],
  ],
  [
    "subject marks of a learner",
    () =>
      some((learnerId) => ({
        name: "subjectMarks",
        fields: { school: SCHOOL, learnerId },
        target: `${BASE}/currplus/learnersubjectmarks/${SCHOOL}?learner_id=${learnerId}`,
      })),
  ],
];

/** The question whose asks are also sent as whole requests. */
export const REQUESTED = "one learner by id";

/** Returns every question with its asks about a school with these grades. */
export function asked(grades) {
  return questions.map(([question, asks]) => ({
    question,
    asks: asks(grades).map((ask) => ({ ...ask, now: NOW })),
  }));
}

/** Returns the same ask for the middle of the year. */
export function atMidyear(ask) {
  return { ...ask, now: MIDYEAR };
}

function pairs(grades) {
  const found = [];
  for (let at = 0; at + 1 < grades.length; at += 2) found.push(grades.slice(at, at + 2));
  return found;
}

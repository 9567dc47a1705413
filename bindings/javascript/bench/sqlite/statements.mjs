// The statements. The JSON functions of SQLite write an answer that is a list as one value. For
// marks, they write lists of values, from which JavaScript builds the nested objects. In both cases
// a statement returns a single value to JavaScript: fetching value by value takes several times as
// long.

import * as v1 from "../answers.mjs";

const object = (prefix, fields, given = {}) => {
  const members = fields.map((field) => `'${field}', ${given[field] ?? prefix + field}`);
  return `json_object(${members.join(", ")})`;
};
// The result has the order of the subquery, which an index provides.
const array = (element, from) =>
  `SELECT '[' || coalesce(group_concat(element), '') || ']'
   FROM (SELECT ${element} AS element ${from})`;

const id = (column) => `coalesce(${column} || '', '')`;
const year = "(SELECT current_year FROM school WHERE school_id = ?1)";

const learnerFields = Object.keys(v1.learner({}));
const parentFields = Object.keys(v1.parent({ gross_annual_income: null }));

const learner = object("l.", learnerFields, {
  id: id("l.id"),
  grade_id: id("l.grade_id"),
  parent1_id: id("l.parent1_id"),
  parent2_id: id("l.parent2_id"),
});
const parent = (prefix) =>
  object(`${prefix}.`, parentFields, {
    id: id(`${prefix}.id`),
    gross_annual_income: `iif(${prefix}.gross_annual_income IS NULL, '',
      format('%.2f', ${prefix}.gross_annual_income))`,
  });
const found = `FROM learner r CROSS JOIN learner l ON l.school_id = r.school_id AND l.id = r.id`;

export const current = array(
  learner,
  // Nearly all learners are current, so the plus prevents the use of the index.
  "FROM learner l WHERE l.school_id = ?1 AND +l.status = 'current' ORDER BY l.id",
);
export const one = array(
  learner,
  "FROM learner l WHERE l.school_id = ?1 AND l.id = ?2 AND l.status = 'current'",
);
export const named = array(
  learner,
  `${found} WHERE r.school_id = ?1 AND r.status = 'current' AND instr(r.folded_name, ?2) > 0
   ORDER BY r.id`,
);
export const withParents = array(
  `rtrim(${learner}, '}') || ',"parents":[' || concat_ws(',',
    iif(p1.id IS NULL, NULL, ${parent("p1")}), iif(p2.id IS NULL, NULL, ${parent("p2")}))
    || ']}'`,
  `${found}
   LEFT JOIN parent p1 ON p1.school_id = l.school_id AND p1.id = l.parent1_id
   LEFT JOIN parent p2 ON p2.school_id = l.school_id AND p2.id = l.parent2_id
   WHERE r.school_id = ?1 AND r.status = 'current' AND r.grade_id IN (?2, ?3) ORDER BY r.id`,
);

export const absentees = array(
  object("", ["id", "learner_id", "absent_date", "absent_reason"], {
    id: id("id"),
    learner_id: id("learner_id"),
  }),
  `FROM absentee WHERE school_id = ?1 AND absent_date BETWEEN ?2 AND ?3
   ORDER BY absent_date, id`,
);

export const learnerSubjects = array(
  object("", ["learner_id", "first_name", "last_name", "subject_id", "subject_name"], {
    learner_id: id("l.id"),
    subject_id: "ls.subject_id",
    subject_name: "coalesce(s.subject_name, '')",
  }),
  `FROM learner l
   CROSS JOIN learner_subject ls ON ls.school_id = l.school_id AND ls.learner_id = l.id
     AND ls.year = ${year}
   LEFT JOIN subject s ON s.school_id = ls.school_id AND s.subject_id = ls.subject_id
   WHERE l.school_id = ?1 AND +l.status = 'current' ORDER BY l.id, ls.subject_id`,
);

const terms = `(SELECT '[' || group_concat(
    json_object('term', term || '', 'mark', format('%.2f', mark))) || ']' FROM (
  SELECT lt.term, lt.mark FROM learner_subject_term lt
  WHERE lt.school_id = ls.school_id AND lt.year = ls.year AND lt.learner_id = ls.learner_id
    AND lt.subject_id = ls.subject_id AND lt.mark IS NOT NULL ORDER BY lt.term))`;

// A subject without a mark has no terms, and therefore its JSON is null.
export const subjectMarks = array(
  `rtrim(${object("ls.", ["year", "subject_id", "subject_name", "grade_id", "grade"], {
    year: id("ls.year"),
    subject_id: id("ls.subject_id"),
    subject_name: "coalesce(s.subject_name, '')",
    grade_id: id("ls.grade_id"),
    grade: "coalesce(g.grade, '')",
  })}, '}') || ',"terms":' || ${terms} || '}'`,
  `FROM learner_subject ls
   LEFT JOIN subject s ON s.school_id = ls.school_id AND s.subject_id = ls.subject_id
   LEFT JOIN grade g ON g.school_id = ls.school_id AND g.grade_id = ls.grade_id
   WHERE ls.school_id = ?1 AND ls.learner_id = ?2 AND ls.year = ${year}
   ORDER BY ls.subject_id`,
);

export const thisYear = array(
  "json_array(s.current_year, y.year_name)",
  `FROM school s LEFT JOIN year y ON y.school_id = s.school_id AND y.year = s.current_year
   WHERE s.school_id = ?1`,
);
export const grades = array("json_array(grade_id, grade)", "FROM grade WHERE school_id = ?1");

const assessed = `json_array(a.grade_id, a.term, a.subject_id, s.subject_name,
  a.learning_outcome_id, o.learning_outcome_name, a.assessment_id, a.assessment_name,
  a.assessment_date, a.weight, a.mark_out_of)`;
const joined = `
  LEFT JOIN learning_program p ON p.school_id = a.school_id AND p.year = a.year
    AND p.grade_id = a.grade_id AND p.term = a.term AND p.subject_id = a.subject_id
  LEFT JOIN term t ON t.school_id = a.school_id AND t.year = a.year AND t.term = a.term
  LEFT JOIN subject s ON s.school_id = a.school_id AND s.subject_id = a.subject_id
  LEFT JOIN learning_outcome o ON o.school_id = a.school_id
    AND o.learning_outcome_id = a.learning_outcome_id`;
const released = "coalesce(nullif(p.mark_release_date, ''), t.end_date)";

export const assessmentsOfGrade = array(
  assessed,
  `FROM assessment a ${joined}
   WHERE a.school_id = ?1 AND a.year = ${year} AND a.grade_id = ?2 AND a.term = ?3
     AND ${released} <= ?4`,
);
export const seatsOfGrade = array(
  "json_array(lt.subject_id, lt.learner_id)",
  `FROM learner_subject ls
   CROSS JOIN learner_subject_term lt ON lt.school_id = ls.school_id AND lt.year = ls.year
     AND lt.learner_id = ls.learner_id AND lt.subject_id = ls.subject_id AND lt.term = ?3
   WHERE ls.school_id = ?1 AND ls.year = ${year} AND ls.grade_id = ?2`,
);
const mark = "m.learner_id, m.mark, m.percentage, m.captured, m.dtime";
export const marksOfGrade = array(
  `json_array(m.assessment_id, ${mark})`,
  `FROM assessment a CROSS JOIN mark m ON m.school_id = a.school_id
     AND m.assessment_id = a.assessment_id
   WHERE a.school_id = ?1 AND a.year = ${year} AND a.grade_id = ?2 AND a.term = ?3`,
);

export const assessmentsOfLearner = array(
  assessed,
  `FROM (
     SELECT a.assessment_id FROM learner_subject_term lt
     CROSS JOIN learner_subject ls ON ls.school_id = lt.school_id AND ls.year = lt.year
       AND ls.learner_id = lt.learner_id AND ls.subject_id = lt.subject_id
     CROSS JOIN assessment a ON a.school_id = ls.school_id AND a.year = ls.year
       AND a.grade_id = ls.grade_id AND a.term = lt.term AND a.subject_id = ls.subject_id
     WHERE lt.school_id = ?1 AND lt.year = ${year} AND lt.learner_id = ?2
     UNION SELECT assessment_id FROM mark WHERE school_id = ?1 AND learner_id = ?2) sat
   CROSS JOIN assessment a ON a.school_id = ?1 AND a.assessment_id = sat.assessment_id
     AND a.year = ${year} ${joined}
   WHERE ${released} <= ?3`,
);
export const marksOfLearner = array(
  `json_array(m.assessment_id, ${mark})`,
  "FROM mark m WHERE m.school_id = ?1 AND m.learner_id = ?2",
);

//! Assessment marks: the nested objects (4.2).
//!
//! A sheet holds the assessments that are asked for in the order of the
//! answer, each written but for what a mark fills in. The members of each
//! level are grouped from it, so that no level sorts again.

/// A row of the sheet: its place, its names, what a percentage is taken of,
/// what is written before a mark, what behind it, and whether it is released.
macro_rules! row {
    () => {
        concat!(
            "SELECT a.grade_id AS grade, a.term AS term, a.subject_id AS subject,
                 a.learning_outcome_id AS outcome, a.assessment_id AS assessment,
                 coalesce(s.subject_name, '') AS subject_name,
                 coalesce(o.learning_outcome_name, '') AS outcome_name,
                 a.mark_out_of AS out_of,
                 concat('\"', a.assessment_id, '\":{\"assessment_id\":\"', a.assessment_id,
                     '\",\"assessment_name\":', json_quote(a.assessment_name),
                     ',\"assessment_date\":\"', a.assessment_date, '\",\"weight\":\"', ",
            decimal!("a.weight"),
            ", '\",\"dtime\":\"') AS head,
                 concat('\",\"mark_out_of\":\"', ",
            decimal!("a.mark_out_of"),
            ", '\",\"captured\":\"') AS tail,
                 coalesce(p.mark_release_date, t.end_date) <= ?2 AS released "
        )
    };
}

/// What an assessment is joined with.
macro_rules! joined {
    () => {
        "LEFT JOIN learning_program p ON p.school_id = a.school_id AND p.year = a.year
             AND p.grade_id = a.grade_id AND p.term = a.term AND p.subject_id = a.subject_id
         LEFT JOIN term t ON t.school_id = a.school_id AND t.year = a.year AND t.term = a.term
         LEFT JOIN subject s ON s.school_id = a.school_id AND s.subject_id = a.subject_id
         LEFT JOIN learning_outcome o ON o.school_id = a.school_id
             AND o.learning_outcome_id = a.learning_outcome_id "
    };
}

/// An assessment with its mark, by the rules of the dataset.
macro_rules! assessment {
    () => {
        concat!(
            "concat(x.head, m.dtime, '\",\"percentage\":\"', CASE WHEN m.absent THEN 'a'
                 WHEN m.captured THEN coalesce(",
            decimal!("m.percentage"),
            ", ",
            percentage!("m.mark", "x.out_of"),
            ") END, '\",\"mark\":\"', CASE WHEN m.captured AND NOT m.absent THEN ",
            decimal!("m.mark"),
            " END, x.tail, iif(m.captured OR m.absent, '1\"}', '0\"}'))"
        )
    };
}

/// An object's member of this name.
macro_rules! member {
    ($name:literal, $value:expr) => {
        concat!("'\"' || ", $name, " || '\":{' || ", $value, " || '}'")
    };
}

macro_rules! outcome {
    () => {
        member!(
            "outcome",
            "'\"learning_outcome_id\":\"' || outcome || '\",\"learning_outcome_name\":'
             || json_quote(outcome_name) || ',\"assessments\":{' || assessments || '}'"
        )
    };
}

macro_rules! subject {
    () => {
        member!(
            "subject",
            "'\"subject_id\":\"' || subject || '\",\"subject_name\":'
             || json_quote(subject_name) || ',\"learning_outcomes\":{' || outcomes || '}'"
        )
    };
}

macro_rules! learner {
    ($id:literal, $subjects:expr) => {
        member!(
            $id,
            concat!(
                "'\"learner_id\":\"' || ",
                $id,
                " || '\",\"subjects\":{' || ",
                $subjects,
                " || '}'"
            )
        )
    };
}

macro_rules! term {
    ($id:literal, $learners:expr) => {
        member!(
            $id,
            concat!(
                "'\"term\":\"' || ",
                $id,
                " || '\",\"learners\":{' || ",
                $learners,
                " || '}'"
            )
        )
    };
}

/// A grade with its only year.
macro_rules! grade {
    ($id:literal, $terms:expr) => {
        member!(
            $id,
            concat!(
                "'\"grade\":' || json_quote(coalesce(
                     (SELECT grade FROM grade WHERE school_id = ?1 AND grade_id = ",
                $id,
                "), '')) || ',\"years\":{' || ",
                member!(
                    "this.year",
                    concat!(
                        "'\"year\":\"' || this.year || '\",\"year_name\":'
                         || json_quote(this.name) || ',\"terms\":{' || ",
                        $terms,
                        " || '}'"
                    )
                ),
                " || '}'"
            )
        )
    };
}

/// The current year and its name.
macro_rules! this {
    () => {
        "this AS (SELECT s.current_year AS year,
             coalesce(iif(y.year_name = '', y.year || '', y.year_name), '') AS name
             FROM school s
             LEFT JOIN year y ON y.school_id = s.school_id AND y.year = s.current_year
             WHERE s.school_id = ?1) "
    };
}

/// A grade's term: for each learner who takes a subject or has a mark, the
/// sheet with its marks.
macro_rules! of_grade {
    ($filter:literal) => {
        concat!(
            "WITH sheet AS MATERIALIZED (",
            row!(),
            "FROM assessment a ",
            joined!(),
            "WHERE a.school_id = ?1 AND a.year = ",
            current_year!(),
            " AND a.grade_id = ?3 AND a.term = ?4
                 AND coalesce(p.mark_release_date, t.end_date) <= ?2 ",
            $filter,
            " ORDER BY subject, outcome, assessment),
             seat AS MATERIALIZED (SELECT ls.learner_id AS learner, ls.subject_id AS subject
                 FROM (SELECT DISTINCT subject FROM sheet) taught
                 CROSS JOIN learner_subject ls ON ls.school_id = ?1 AND ls.grade_id = ?3
                     AND ls.subject_id = taught.subject AND ls.year = ",
            current_year!(),
            "    CROSS JOIN learner_subject_term lt ON lt.school_id = ls.school_id
                     AND lt.year = ls.year AND lt.learner_id = ls.learner_id
                     AND lt.subject_id = ls.subject_id AND lt.term = ?4),
             sitter AS (SELECT learner FROM seat UNION
                 SELECT m.learner_id FROM sheet x
                 CROSS JOIN mark m ON m.school_id = ?1 AND m.assessment_id = x.assessment
                 WHERE m.learner_id NOT IN (SELECT learner FROM seat)
                 ORDER BY learner), ",
            this!(),
            "SELECT '{' || ",
            grade!("?3", term!("?4", learners!())),
            " || '}' FROM this"
        )
    };
}

macro_rules! learners {
    () => {
        concat!(
            "(SELECT group_concat(",
            learner!("sitter.learner", subjects!()),
            ") FROM sitter)"
        )
    };
}

/// A learner's subjects: with all assessments if the learner takes it, else
/// with those that are marked.
macro_rules! subjects {
    () => {
        concat!(
            "(SELECT group_concat(",
            subject!(),
            ") FROM (SELECT subject, subject_name, group_concat(",
            outcome!(),
            ") AS outcomes FROM (
                 SELECT x.subject, x.subject_name, x.outcome, x.outcome_name, group_concat(",
            assessment!(),
            ") AS assessments FROM sheet x
                 LEFT JOIN mark m ON m.school_id = ?1 AND m.assessment_id = x.assessment
                     AND m.learner_id = sitter.learner
                 WHERE m.learner_id IS NOT NULL OR EXISTS (
                     SELECT 1 FROM seat
                     WHERE seat.learner = sitter.learner AND seat.subject = x.subject)
                 GROUP BY x.subject, x.outcome ORDER BY x.subject, x.outcome)
             GROUP BY subject ORDER BY subject))"
        )
    };
}

pub(super) const OF_GRADE: &str = of_grade!("");

// The plus leaves the sheet in the order of the table.
pub(super) const OF_OUTCOME: &str = of_grade!("AND +a.learning_outcome_id = ?5");

// A learner's sheet: what the learner sits for, and what it has a mark for
// without.
pub(super) const OF_LEARNER: &str = concat!(
    "WITH sat AS MATERIALIZED (",
    row!(),
    "FROM learner_subject ls
     LEFT JOIN subject s ON s.school_id = ls.school_id AND s.subject_id = ls.subject_id
     CROSS JOIN learner_subject_term lt ON lt.school_id = ls.school_id AND lt.year = ls.year
         AND lt.learner_id = ls.learner_id AND lt.subject_id = ls.subject_id
     LEFT JOIN learning_program p ON p.school_id = ls.school_id AND p.year = ls.year
         AND p.grade_id = ls.grade_id AND p.term = lt.term AND p.subject_id = ls.subject_id
     LEFT JOIN term t ON t.school_id = ls.school_id AND t.year = ls.year AND t.term = lt.term
     CROSS JOIN assessment a ON a.school_id = ls.school_id AND a.year = ls.year
         AND a.grade_id = ls.grade_id AND a.term = lt.term AND a.subject_id = ls.subject_id
     LEFT JOIN learning_outcome o ON o.school_id = a.school_id
         AND o.learning_outcome_id = a.learning_outcome_id
     WHERE ls.school_id = ?1 AND ls.learner_id = ?3 AND ls.year = ",
    current_year!(),
    "), sheet AS (
         SELECT * FROM sat WHERE released
         UNION ALL SELECT * FROM (",
    row!(),
    "    FROM mark m
         CROSS JOIN assessment a ON a.school_id = m.school_id
             AND a.assessment_id = m.assessment_id ",
    joined!(),
    "    WHERE m.school_id = ?1 AND m.learner_id = ?3
             AND m.assessment_id NOT IN (SELECT assessment FROM sat) AND a.year = ",
    current_year!(),
    "    ) WHERE released
         ORDER BY grade, term, subject, outcome, assessment), ",
    this!(),
    "SELECT '{' || group_concat(",
    grade!("of_grade.grade", "terms"),
    ") || '}' FROM this CROSS JOIN (SELECT grade, group_concat(",
    term!("term", learner!("?3", "subjects")),
    ") AS terms FROM (SELECT grade, term, group_concat(",
    subject!(),
    ") AS subjects FROM (SELECT grade, term, subject, subject_name, group_concat(",
    outcome!(),
    ") AS outcomes FROM (
         SELECT x.grade, x.term, x.subject, x.subject_name, x.outcome, x.outcome_name,
             group_concat(",
    assessment!(),
    ") AS assessments FROM sheet x
         LEFT JOIN mark m ON m.school_id = ?1 AND m.assessment_id = x.assessment
             AND m.learner_id = ?3
         GROUP BY x.grade, x.term, x.subject, x.outcome
         ORDER BY x.grade, x.term, x.subject, x.outcome)
     GROUP BY grade, term, subject ORDER BY grade, term, subject)
     GROUP BY grade, term ORDER BY grade, term)
     GROUP BY grade ORDER BY grade) of_grade"
);

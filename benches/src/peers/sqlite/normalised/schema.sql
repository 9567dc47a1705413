-- The records of a school, one table per kind, with the keys of the dataset. There are tables for
-- the kinds that the questions read.
--
-- Decimals are whole millionths; dates are text, as in the answers. A reference to a missing record
-- is permitted, so there are no foreign keys. If a column could be null, the query planner would
-- not rely on the order of its table. The fields of a record that is answered with all its fields
-- replace the braces, in the order of the answer.

CREATE TABLE school (
    school_id INTEGER PRIMARY KEY,
    current_year INTEGER NOT NULL
) STRICT;

CREATE TABLE year (
    school_id INTEGER, year INTEGER,
    year_name TEXT NOT NULL,
    PRIMARY KEY (school_id, year)
) STRICT, WITHOUT ROWID;

CREATE TABLE term (
    school_id INTEGER, year INTEGER, term INTEGER,
    term_id INTEGER NOT NULL,
    start_date TEXT NOT NULL,
    end_date TEXT NOT NULL,
    PRIMARY KEY (school_id, year, term)
) STRICT, WITHOUT ROWID;

CREATE TABLE grade (
    school_id INTEGER, grade_id INTEGER,
    grade TEXT NOT NULL,
    PRIMARY KEY (school_id, grade_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE parent (
    school_id INTEGER, {parent},
    PRIMARY KEY (school_id, id)
) STRICT, WITHOUT ROWID;

-- folded_name: the first and the last name in lower case, without accents.
CREATE TABLE learner (
    school_id INTEGER, {learner},
    status TEXT NOT NULL, transfer_date TEXT NOT NULL,
    folded_name TEXT NOT NULL,
    PRIMARY KEY (school_id, id)
) STRICT, WITHOUT ROWID;

-- This narrow index is sufficient to evaluate every filter of learners, in the order of the answer,
-- before a wide row is read.
CREATE INDEX learner_roll
    ON learner (school_id, status, id, grade_id, transfer_date, folded_name);

CREATE TABLE subject (
    school_id INTEGER, subject_id INTEGER,
    subject_name TEXT NOT NULL,
    super_subject_id TEXT NOT NULL,
    super_subject_name TEXT NOT NULL,
    PRIMARY KEY (school_id, subject_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE learner_subject (
    school_id INTEGER, year INTEGER, learner_id INTEGER, subject_id INTEGER,
    grade_id INTEGER NOT NULL,
    PRIMARY KEY (school_id, year, learner_id, subject_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX learner_subject_of_grade
    ON learner_subject (school_id, year, grade_id, subject_id, learner_id);

-- The terms of a learner_subject.
CREATE TABLE learner_subject_term (
    school_id INTEGER, year INTEGER, learner_id INTEGER, subject_id INTEGER, term INTEGER,
    mark INTEGER, subject_group_id TEXT NOT NULL, subject_group_name TEXT NOT NULL,
    classroom_id TEXT NOT NULL, classroom_name TEXT NOT NULL,
    subject_group_teacher_id TEXT NOT NULL,
    PRIMARY KEY (school_id, year, learner_id, subject_id, term)
) STRICT, WITHOUT ROWID;

CREATE TABLE learning_outcome (
    school_id INTEGER, learning_outcome_id INTEGER,
    learning_outcome_name TEXT NOT NULL,
    PRIMARY KEY (school_id, learning_outcome_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE learning_program (
    school_id INTEGER, year INTEGER, grade_id INTEGER, term INTEGER, subject_id INTEGER,
    mark_release_date TEXT,
    PRIMARY KEY (school_id, year, grade_id, term, subject_id)
) STRICT, WITHOUT ROWID;

-- The table is clustered in the order of the answer. Marks are out of at most 400 million, so that
-- a percentage is exact in 64 bits.
CREATE TABLE assessment (
    school_id INTEGER, assessment_id INTEGER, grade_id INTEGER, year INTEGER,
    term INTEGER, subject_id INTEGER, learning_outcome_id INTEGER,
    assessment_name TEXT NOT NULL,
    assessment_date TEXT NOT NULL,
    weight INTEGER NOT NULL,
    mark_out_of INTEGER NOT NULL CHECK (abs(mark_out_of) <= 400000000000000),
    PRIMARY KEY (
        school_id, year, grade_id, term, subject_id, learning_outcome_id, assessment_id
    ),
    UNIQUE (school_id, assessment_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE mark (
    school_id INTEGER, assessment_id INTEGER, learner_id INTEGER,
    mark INTEGER CHECK (abs(mark) <= 400000000000000),
    percentage INTEGER,
    absent INTEGER NOT NULL,
    captured INTEGER NOT NULL,
    dtime TEXT NOT NULL,
    PRIMARY KEY (school_id, assessment_id, learner_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX mark_of_learner ON mark (school_id, learner_id, assessment_id);

-- The table is clustered in the order of the answer.
CREATE TABLE absentee (
    school_id INTEGER, absent_date TEXT, id INTEGER,
    learner_id INTEGER NOT NULL,
    absent_reason TEXT NOT NULL,
    PRIMARY KEY (school_id, absent_date, id)
) STRICT, WITHOUT ROWID;

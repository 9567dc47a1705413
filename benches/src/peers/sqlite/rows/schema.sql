-- JSON is the last column, so that filters do not read past it.
CREATE TABLE school (
    id INTEGER PRIMARY KEY,
    current_year INTEGER NOT NULL
) STRICT;
CREATE TABLE grade (
    school INTEGER, year INTEGER, grade INTEGER,
    heading TEXT NOT NULL,
    PRIMARY KEY (school, year, grade)
) STRICT, WITHOUT ROWID;
CREATE TABLE programme (
    school INTEGER, year INTEGER, grade INTEGER, term INTEGER, subject INTEGER,
    release_day INTEGER,
    PRIMARY KEY (school, year, grade, term, subject)
) STRICT, WITHOUT ROWID;
CREATE TABLE learner (
    school INTEGER, id INTEGER,
    status INTEGER NOT NULL,
    grade INTEGER,
    family INTEGER,
    transfer_day INTEGER,
    parent1 INTEGER,
    parent2 INTEGER,
    name TEXT NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (school, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX learner_who_left ON learner (school, transfer_day) WHERE status = 1;
CREATE TABLE parent (
    school INTEGER, id INTEGER,
    json TEXT NOT NULL,
    PRIMARY KEY (school, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE absentee (
    school INTEGER, day INTEGER, id INTEGER,
    json TEXT NOT NULL,
    PRIMARY KEY (school, day, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE learner_subject (
    school INTEGER, year INTEGER, learner INTEGER, subject INTEGER,
    status INTEGER NOT NULL,
    json TEXT NOT NULL,
    PRIMARY KEY (school, year, learner, subject)
) STRICT, WITHOUT ROWID;
CREATE TABLE subject_per_term (
    school INTEGER, year INTEGER, learner INTEGER, subject INTEGER,
    json TEXT NOT NULL,
    PRIMARY KEY (school, year, learner, subject)
) STRICT, WITHOUT ROWID;
CREATE TABLE subject_mark (
    school INTEGER, year INTEGER, learner INTEGER, subject INTEGER,
    json TEXT NOT NULL,
    PRIMARY KEY (school, year, learner, subject)
) STRICT, WITHOUT ROWID;
CREATE TABLE mark (
    school INTEGER, year INTEGER, grade INTEGER, term INTEGER, learner INTEGER, subject INTEGER,
    json TEXT NOT NULL,
    PRIMARY KEY (school, year, grade, term, learner, subject)
) STRICT, WITHOUT ROWID;
CREATE INDEX mark_of_learner ON mark (school, year, learner, grade, term);

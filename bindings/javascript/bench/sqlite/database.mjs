// A school in SQLite, for both builds of SQLite. The argument of the constructor has `run(sql)` and
// `prepare(sql)`. A prepared statement has `insert(params)`, which returns nothing, and
// `value(params)`, which returns the first column of the first row: as text or as bytes, depending
// on which is faster for the build.

import * as v1 from "../answers.mjs";
import { records } from "../records.mjs";
import { columns, schema } from "./schema.mjs";
import * as sql from "./statements.mjs";

const decoder = new TextDecoder();
const encoder = new TextEncoder();

const parse = (json) => JSON.parse(typeof json === "string" ? json : decoder.decode(json));

export class Database {
  #sqlite;
  #prepared = new Map();

  constructor(sqlite) {
    this.#sqlite = sqlite;
  }

  load(bytes) {
    this.#sqlite.run(schema());
    const inserts = new Map(
      Object.entries(columns).map(([table, names]) => {
        const places = names.map(() => "?").join(", ");
        return [table, this.#sqlite.prepare(`INSERT INTO ${table} VALUES (${places})`)];
      }),
    );
    const insert = (table, record) =>
      inserts.get(table).insert(columns[table].map((name) => record[name]));
    this.#sqlite.run("BEGIN");
    for (const [kind, record] of records(bytes)) {
      insert(kind, record);
      for (const { term, mark } of record.terms ?? []) {
        insert("learner_subject_term", { ...record, term, mark: mark ?? null });
      }
    }
    this.#sqlite.run("COMMIT");
    this.#sqlite.run("ANALYZE");
  }

  bytes(ask) {
    const { json, made } = this.#answer(ask);
    if (made !== undefined) return v1.encode(made);
    return typeof json === "string" ? encoder.encode(json) : json;
  }

  objects(ask) {
    const { json, made } = this.#answer(ask);
    return made ?? parse(json);
  }

  /** Returns the JSON that SQLite wrote, or the object that was made of its lists. */
  #answer({ name, fields, now }) {
    const { school, learnerId } = fields;
    switch (name) {
      case "learners":
        return { json: this.#learners(fields) };
      case "assessmentMarks":
        return {
          made:
            learnerId === undefined
              ? this.#marksOfGrade(fields, now.today)
              : this.#marksOfLearner(fields, now.today),
        };
      case "absentees":
        return { json: this.#value(sql.absentees, [school, fields.fromDate, fields.toDate]) };
      case "learnerSubjects":
        return { json: this.#value(sql.learnerSubjects, [school]) };
      case "subjectMarks":
        return { json: this.#value(sql.subjectMarks, [school, learnerId]) };
    }
  }

  #learners({ school, learnerId, gradeIds, name }) {
    if (learnerId !== undefined) return this.#value(sql.one, [school, learnerId]);
    if (gradeIds !== undefined) return this.#value(sql.withParents, [school, ...gradeIds]);
    if (name !== undefined) return this.#value(sql.named, [school, name]);
    return this.#value(sql.current, [school]);
  }

  #marksOfGrade({ school, gradeId, term }, today) {
    const block = [school, gradeId, term];
    const assessments = this.#list(sql.assessmentsOfGrade, [...block, today]).map(assessment);
    const seats = new Map();
    for (const [subject, learnerId] of this.#list(sql.seatsOfGrade, block)) {
      if (!seats.has(subject)) seats.set(subject, []);
      seats.get(subject).push(learnerId);
    }
    const marks = new Map(assessments.map(({ id }) => [id, []]));
    for (const of of this.#list(sql.marksOfGrade, block)) marks.get(of[0])?.push(mark(of));
    const seated = (subject) => seats.get(subject) ?? [];
    return this.#marks(school, v1.placesOfGrade(assessments, seated, (id) => marks.get(id)));
  }

  #marksOfLearner({ school, learnerId }, today) {
    const assessments = this.#list(sql.assessmentsOfLearner, [school, learnerId, today]);
    const marks = new Map();
    for (const of of this.#list(sql.marksOfLearner, [school, learnerId])) {
      marks.set(of[0], mark(of));
    }
    const places = assessments
      .map(assessment)
      .map((of) => [learnerId, of, marks.get(of.id)]);
    return this.#marks(school, places);
  }

  #marks(school, places) {
    const [[year, yearName]] = this.#list(sql.thisYear, [school]);
    return v1.marks(places, year, yearName, new Map(this.#list(sql.grades, [school])));
  }

  #list(text, params) {
    return parse(this.#value(text, params));
  }

  #value(text, params) {
    let statement = this.#prepared.get(text);
    if (statement === undefined) {
      statement = this.#sqlite.prepare(text);
      this.#prepared.set(text, statement);
    }
    return statement.value(params);
  }
}

function assessment(row) {
  const [grade_id, term, subject_id, subjectName, learning_outcome_id, outcomeName, ...rest] = row;
  const [assessment_id, assessment_name, assessment_date, weight, mark_out_of] = rest;
  const of = {
    grade_id, term, subject_id, learning_outcome_id, assessment_id, assessment_name,
    assessment_date, weight, mark_out_of,
  };
  return v1.assessment(of, subjectName ?? "", outcomeName ?? "");
}

function mark([, learner_id, mark, percentage, captured, dtime]) {
  return { learner_id, mark, percentage, captured, dtime };
}

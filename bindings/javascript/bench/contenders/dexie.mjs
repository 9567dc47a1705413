// Dexie: one table per kind of record in IndexedDB, with an index for each look-up. The answers are
// built in JavaScript.

import { Dexie } from "dexie";
import * as v1 from "../answers.mjs";
import { kinds, records } from "../records.mjs";

const tables = {
  school: "school_id",
  year: "[school_id+year]",
  term: "[school_id+year+term]",
  grade: "[school_id+grade_id]",
  parent: "[school_id+id]",
  learner: "[school_id+id], [school_id+status], [school_id+status+grade_id]",
  subject: "[school_id+subject_id]",
  learner_subject: "[school_id+year+learner_id+subject_id], [school_id+year+grade_id]",
  learning_outcome: "[school_id+learning_outcome_id]",
  learning_program: "[school_id+year+grade_id+term+subject_id]",
  assessment: "[school_id+assessment_id], [school_id+year+grade_id+term]",
  mark: "[school_id+assessment_id+learner_id], [school_id+learner_id]",
  absentee: "[school_id+id], [school_id+absent_date+id]",
};

const { minKey, maxKey } = Dexie;
const BATCH = 10_000;

export class Contender {
  #db = new Dexie("bench", { cache: "disabled" });

  constructor() {
    this.#db.version(1).stores(tables);
  }

  static async load(bytes) {
    const contender = new Contender();
    const db = contender.#db;
    const all = new Map(Object.keys(kinds).map((kind) => [kind, []]));
    for (const [kind, record] of records(bytes)) all.get(kind).push(record);
    await db.transaction("rw", db.tables, async () => {
      for (const [kind, of] of all) {
        for (let at = 0; at < of.length; at += BATCH) {
          await db.table(kind).bulkAdd(of.slice(at, at + BATCH));
        }
      }
    });
    return contender;
  }

  static async open() {
    const contender = new Contender();
    await contender.#db.open();
    return contender;
  }

  async bytes(ask) {
    return v1.encode(await this.objects(ask));
  }

  /** Answers an ask in one transaction. Otherwise each look-up would have its own. */
  objects(ask) {
    return this.#db.transaction("r", this.#db.tables, () => this.#answer(ask));
  }

  async close() {
    this.#db.close();
  }

  #answer({ name, fields, now }) {
    switch (name) {
      case "learners":
        return this.#learners(fields);
      case "assessmentMarks":
        return fields.gradeId === undefined
          ? this.#marksOfLearner(fields, now.today)
          : this.#marksOfGrade(fields, now.today);
      case "absentees":
        return this.#absentees(fields);
      case "learnerSubjects":
        return this.#learnerSubjects(fields);
      case "subjectMarks":
        return this.#subjectMarks(fields);
    }
  }

  async #learners({ school, learnerId, gradeIds, includeParents, name }) {
    const found = await this.#found(school, learnerId, gradeIds, name);
    if (!includeParents) return found.map((of) => v1.learner(of));
    const ids = found
      .flatMap((of) => [of.parent1_id, of.parent2_id])
      .filter((id) => id !== null);
    const keys = [...new Set(ids)].map((id) => [school, id]);
    const parents = new Map();
    for (const of of await this.#db.parent.bulkGet(keys)) if (of) parents.set(of.id, of);
    return found.map((of) =>
      v1.learner(
        of,
        [parents.get(of.parent1_id), parents.get(of.parent2_id)]
          .filter((parent) => parent !== undefined)
          .map(v1.parent),
      ),
    );
  }

  async #found(school, learnerId, gradeIds, name) {
    const { learner } = this.#db;
    if (learnerId !== undefined) {
      const one = await learner.get([school, learnerId]);
      return one?.status === "current" ? [one] : [];
    }
    if (gradeIds !== undefined) {
      const keys = gradeIds.map((id) => [school, "current", id]);
      const found = await learner.where("[school_id+status+grade_id]").anyOf(keys).toArray();
      return found.sort((one, other) => one.id - other.id);
    }
    const current = learner.where("[school_id+status]").equals([school, "current"]);
    const all = await current.toArray();
    return name === undefined ? all : all.filter((of) => of.folded_name.includes(name));
  }

  async #absentees({ school, fromDate, toDate }) {
    const found = await this.#db.absentee
      .where("[school_id+absent_date+id]")
      .between([school, fromDate, minKey], [school, toDate, maxKey])
      .toArray();
    return found.map(v1.absentee);
  }

  async #learnerSubjects({ school }) {
    const year = await this.#year(school);
    const [subjects, learners, taken] = await Promise.all([
      this.#names("subject", school, "subject_id", "subject_name"),
      this.#db.learner.where("[school_id+status]").equals([school, "current"]).toArray(),
      // The key contains all values that are needed.
      this.#taken([school, year]).primaryKeys(),
    ]);
    const known = new Map(learners.map((of) => [of.id, of]));
    return taken
      .filter(([, , learnerId]) => known.has(learnerId))
      .map(([, , learnerId, id]) =>
        v1.learnerSubject(known.get(learnerId), id, subjects.get(id) ?? ""),
      );
  }

  async #subjectMarks({ school, learnerId }) {
    const year = await this.#year(school);
    const [subjects, grades, taken] = await Promise.all([
      this.#names("subject", school, "subject_id", "subject_name"),
      this.#names("grade", school, "grade_id", "grade"),
      this.#taken([school, year, learnerId]).toArray(),
    ]);
    return taken
      .map((of) =>
        v1.subjectMarks(of, subjects.get(of.subject_id) ?? "", grades.get(of.grade_id) ?? ""),
      )
      .filter((of) => of !== undefined);
  }

  async #marksOfLearner({ school, learnerId }, today) {
    const year = await this.#year(school);
    const [taken, given] = await Promise.all([
      this.#taken([school, year, learnerId]).toArray(),
      this.#db.mark.where("[school_id+learner_id]").equals([school, learnerId]).toArray(),
    ]);
    const seats = new Set();
    const blocks = new Map();
    for (const of of taken) {
      for (const { term } of of.terms) {
        seats.add(`${of.grade_id}/${term}/${of.subject_id}`);
        blocks.set(`${of.grade_id}/${term}`, [school, year, of.grade_id, term]);
      }
    }
    const marks = new Map(given.map((of) => [of.assessment_id, of]));
    const inBlocks = await this.#db.assessment
      .where("[school_id+year+grade_id+term]")
      .anyOf([...blocks.values()])
      .toArray();
    const meant = inBlocks.filter(
      (of) =>
        marks.has(of.assessment_id) || seats.has(`${of.grade_id}/${of.term}/${of.subject_id}`),
    );
    const known = new Set(meant.map((of) => of.assessment_id));
    const others = [...marks.keys()].filter((id) => !known.has(id)).map((id) => [school, id]);
    for (const of of await this.#db.assessment.bulkGet(others)) {
      if (of?.year === year) meant.push(of);
    }
    const assessments = await this.#released(school, year, today, meant);
    const places = assessments.map((of) => [learnerId, of, marks.get(of.id)]);
    return this.#marks(school, year, places);
  }

  async #marksOfGrade({ school, gradeId, term }, today) {
    const year = await this.#year(school);
    const [meant, taken] = await Promise.all([
      this.#db.assessment
        .where("[school_id+year+grade_id+term]")
        .equals([school, year, gradeId, term])
        .toArray(),
      this.#db.learner_subject
        .where("[school_id+year+grade_id]")
        .equals([school, year, gradeId])
        .toArray(),
    ]);
    const seats = new Map();
    for (const of of taken) {
      if (!of.terms.some((one) => one.term === term)) continue;
      if (!seats.has(of.subject_id)) seats.set(of.subject_id, []);
      seats.get(of.subject_id).push(of.learner_id);
    }
    const assessments = await this.#released(school, year, today, meant);
    const marks = new Map();
    await Promise.all(
      assessments.map(async ({ id }) => {
        const of = this.#db.mark.where("[school_id+assessment_id+learner_id]");
        const all = of.between([school, id, minKey], [school, id, maxKey]);
        marks.set(id, await all.toArray());
      }),
    );
    const seated = (subject) => seats.get(subject) ?? [];
    const places = v1.placesOfGrade(assessments, seated, (id) => marks.get(id));
    return this.#marks(school, year, places);
  }

  async #released(school, year, today, assessments) {
    const { term, learning_program } = this.#db;
    const [subjects, outcomes, terms, programs] = await Promise.all([
      this.#names("subject", school, "subject_id", "subject_name"),
      this.#names(
        "learning_outcome", school, "learning_outcome_id", "learning_outcome_name",
      ),
      term
        .where("[school_id+year+term]")
        .between([school, year, minKey], [school, year, maxKey])
        .toArray(),
      learning_program
        .where("[school_id+year+grade_id+term+subject_id]")
        .between([school, year, minKey], [school, year, maxKey])
        .toArray(),
    ]);
    const ends = new Map(terms.map((of) => [of.term, of]));
    const releases = new Map(
      programs.map((of) => [`${of.grade_id}/${of.term}/${of.subject_id}`, of]),
    );
    return assessments
      .filter((of) =>
        v1.isReleased(
          releases.get(`${of.grade_id}/${of.term}/${of.subject_id}`), ends.get(of.term), today,
        ),
      )
      .map((of) =>
        v1.assessment(
          of, subjects.get(of.subject_id) ?? "", outcomes.get(of.learning_outcome_id) ?? "",
        ),
      );
  }

  async #marks(school, year, places) {
    const [named, grades] = await Promise.all([
      this.#db.year.get([school, year]),
      this.#names("grade", school, "grade_id", "grade"),
    ]);
    return v1.marks(places, year, named?.year_name, grades);
  }

  #taken(prefix) {
    return this.#db.learner_subject
      .where("[school_id+year+learner_id+subject_id]")
      .between([...prefix, minKey], [...prefix, maxKey]);
  }

  async #names(kind, school, id, name) {
    const all = this.#db.table(kind).where(`[school_id+${id}]`);
    const found = await all.between([school, minKey], [school, maxKey]).toArray();
    return new Map(found.map((of) => [of[id], of[name]]));
  }

  async #year(school) {
    return (await this.#db.school.get(school)).current_year;
  }
}

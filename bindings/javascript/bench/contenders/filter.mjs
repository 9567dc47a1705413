// A plain filter: the dataset is parsed once into arrays, which each ask scans.

import * as v1 from "../answers.mjs";
import { readFile, writeFile } from "../opfs-file.mjs";
import { kinds, records } from "../records.mjs";

const FILE = "dataset.ndjson";

export class Contender {
  #all = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));

  constructor(bytes) {
    for (const [kind, record] of records(bytes)) this.#all[kind].push(record);
    this.#all.learner.sort((one, other) => one.id - other.id);
  }

  static async load(bytes) {
    const contender = new Contender(bytes);
    await writeFile(FILE, bytes);
    return contender;
  }

  static async open() {
    return new Contender(await readFile(FILE));
  }

  async bytes(ask) {
    return v1.encode(this.#answer(ask));
  }

  async objects(ask) {
    return this.#answer(ask);
  }

  async close() {}

  #answer({ name, fields, now }) {
    const { school } = fields;
    switch (name) {
      case "learners":
        return this.#learners(fields);
      case "assessmentMarks":
        return fields.gradeId === undefined
          ? this.#marksOfLearner(fields, now.today)
          : this.#marksOfGrade(fields, now.today);
      case "absentees":
        return this.#all.absentee
          .filter(
            (of) =>
              of.school_id === school &&
              of.absent_date >= fields.fromDate &&
              of.absent_date <= fields.toDate,
          )
          .sort(byDate)
          .map(v1.absentee);
      case "learnerSubjects":
        return this.#learnerSubjects(school);
      case "subjectMarks":
        return this.#subjectMarks(fields);
    }
  }

  #learners({ school, learnerId, gradeIds, includeParents, name }) {
    const found = this.#all.learner.filter(
      (of) =>
        of.school_id === school &&
        of.status === "current" &&
        (learnerId === undefined || of.id === learnerId) &&
        (gradeIds === undefined || gradeIds.includes(of.grade_id)) &&
        (name === undefined || of.folded_name.includes(name)),
    );
    if (!includeParents) return found.map((of) => v1.learner(of));
    const parents = new Map(this.#of("parent", school).map((of) => [of.id, of]));
    return found.map((of) =>
      v1.learner(
        of,
        [parents.get(of.parent1_id), parents.get(of.parent2_id)]
          .filter((parent) => parent !== undefined)
          .map(v1.parent),
      ),
    );
  }

  #learnerSubjects(school) {
    const year = this.#year(school);
    const subjects = this.#names("subject", school, "subject_id", "subject_name");
    const taken = new Map();
    for (const of of this.#of("learner_subject", school)) {
      if (of.year !== year) continue;
      if (!taken.has(of.learner_id)) taken.set(of.learner_id, []);
      taken.get(of.learner_id).push(of.subject_id);
    }
    return this.#of("learner", school)
      .filter((of) => of.status === "current")
      .flatMap((of) =>
        (taken.get(of.id) ?? [])
          .sort((one, other) => one - other)
          .map((id) => v1.learnerSubject(of, id, subjects.get(id) ?? "")),
      );
  }

  #subjectMarks({ school, learnerId }) {
    const year = this.#year(school);
    const subjects = this.#names("subject", school, "subject_id", "subject_name");
    const grades = this.#names("grade", school, "grade_id", "grade");
    return this.#all.learner_subject
      .filter((of) => of.school_id === school && of.learner_id === learnerId && of.year === year)
      .sort((one, other) => one.subject_id - other.subject_id)
      .map((of) =>
        v1.subjectMarks(of, subjects.get(of.subject_id) ?? "", grades.get(of.grade_id) ?? ""),
      )
      .filter((of) => of !== undefined);
  }

  #marksOfLearner({ school, learnerId }, today) {
    const year = this.#year(school);
    const marks = new Map(
      this.#all.mark
        .filter((of) => of.school_id === school && of.learner_id === learnerId)
        .map((of) => [of.assessment_id, of]),
    );
    const taken = new Set();
    for (const of of this.#of("learner_subject", school)) {
      if (of.learner_id !== learnerId || of.year !== year) continue;
      for (const { term } of of.terms) taken.add(`${of.grade_id}/${term}/${of.subject_id}`);
    }
    const assessments = this.#assessments(school, year, today, (of) =>
      marks.has(of.assessment_id) || taken.has(`${of.grade_id}/${of.term}/${of.subject_id}`),
    );
    return this.#marks(school, year, assessments.map((of) => [learnerId, of, marks.get(of.id)]));
  }

  #marksOfGrade({ school, gradeId, term }, today) {
    const year = this.#year(school);
    const assessments = this.#assessments(
      school, year, today, (of) => of.grade_id === gradeId && of.term === term,
    );
    const seats = new Map();
    for (const of of this.#of("learner_subject", school)) {
      if (of.grade_id !== gradeId || of.year !== year) continue;
      if (!of.terms.some((one) => one.term === term)) continue;
      if (!seats.has(of.subject_id)) seats.set(of.subject_id, []);
      seats.get(of.subject_id).push(of.learner_id);
    }
    const marks = new Map(assessments.map(({ id }) => [id, []]));
    for (const of of this.#all.mark) {
      if (of.school_id === school) marks.get(of.assessment_id)?.push(of);
    }
    const seated = (subject) => seats.get(subject) ?? [];
    const places = v1.placesOfGrade(assessments, seated, (id) => marks.get(id));
    return this.#marks(school, year, places);
  }

  /** Returns the matching assessments of a year that are released. */
  #assessments(school, year, today, isMatch) {
    const subjects = this.#names("subject", school, "subject_id", "subject_name");
    const outcomes = this.#names(
      "learning_outcome", school, "learning_outcome_id", "learning_outcome_name",
    );
    const terms = new Map(
      this.#of("term", school).filter((of) => of.year === year).map((of) => [of.term, of]),
    );
    const programs = new Map(
      this.#of("learning_program", school)
        .filter((of) => of.year === year)
        .map((of) => [`${of.grade_id}/${of.term}/${of.subject_id}`, of]),
    );
    return this.#of("assessment", school)
      .filter(
        (of) =>
          of.year === year &&
          isMatch(of) &&
          v1.isReleased(
            programs.get(`${of.grade_id}/${of.term}/${of.subject_id}`), terms.get(of.term), today,
          ),
      )
      .map((of) =>
        v1.assessment(
          of, subjects.get(of.subject_id) ?? "", outcomes.get(of.learning_outcome_id) ?? "",
        ),
      );
  }

  #marks(school, year, places) {
    const name = this.#of("year", school).find((of) => of.year === year)?.year_name;
    return v1.marks(places, year, name, this.#names("grade", school, "grade_id", "grade"));
  }

  #of(kind, school) {
    return this.#all[kind].filter((of) => of.school_id === school);
  }

  #names(kind, school, id, name) {
    return new Map(this.#of(kind, school).map((of) => [of[id], of[name]]));
  }

  #year(school) {
    return this.#all.school.find((of) => of.school_id === school).current_year;
  }
}

function byDate(one, other) {
  if (one.absent_date === other.absent_date) return one.id - other.id;
  return one.absent_date < other.absent_date ? -1 : 1;
}
